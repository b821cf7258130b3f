package capacity

import (
	"fmt"
	"math"

	"github.com/tailpath/tailpath/analyze/stat"
)

// Options say what is asked. The zero value of each but Target stands for its default.
type Options struct {
	// Target is the share of the requests that must be good, above 0 and at most 1 less 1e-9.
	Target       stat.Prob
	WindowNS     int64   // length of a window; 60 s when not above 0
	Width        float64 // of a bin, as a share of the highest rate; 0.025 when not between 0.001 and 1
	LeastWindows int     // that a bin needs to be asked; 5 when not above 0
	Replicates   int     // resamples of windows; 200 when not above 0
	Seed         uint64  // of the resamples
	Workers      int     // change the time it takes and nothing else; one when not above 0
}

func (o Options) filled() Options {
	if o.WindowNS <= 0 {
		o.WindowNS = 60e9
	}
	if !(o.Width >= 0.001 && o.Width <= 1) {
		o.Width = 0.025
	}
	if o.LeastWindows <= 0 {
		o.LeastWindows = 5
	}
	if o.Replicates <= 0 {
		o.Replicates = 200
	}
	o.Workers = max(1, o.Workers)
	return o
}

// highestTarget is the highest target that can be asked. Higher ones take more requests than
// there are, and near 1 the number that they take cannot be computed.
const highestTarget = 1 - 1e-9

// Count is how many windows are left out for a reason, with the requests in them.
type Count struct {
	Reason   Reason
	Windows  int
	Requests int64
}

// The ids of warnings.
const (
	Impossible  = "impossible"   // requests that end before they start were not used
	NotMonotone = "not-monotone" // a higher rate passes than one that fails
	NoLowLoad   = "no-low-load"  // backlogs are judged by the latency at a load that is not low
)

// busyLow is the share of the highest rate above which low load is not low.
const busyLow = 0.6

// Result is the answer with all that it stands on.
type Result struct {
	Target   stat.Prob
	WindowNS int64
	Windows  []Window // with requests, in the order of time
	Empty    int64    // windows without one between the first and the last
	LeftOut  []Count  // by reason, only reasons that occur
	// LowLoadNS is the latency at low load, ns: the median of the mean latency of the quarter
	// of the windows with the lowest rates; 0 without a whole window.
	LowLoadNS float64
	Bins      []Bin // from the lowest rate to the highest
	Answer
	Warnings []stat.Warning
}

// Of tells which rate of arrivals was carried with the share of good requests that is the
// target.
func Of(requests []Request, o Options) Result {
	o = o.filled()
	r := Result{Target: o.Target, WindowNS: o.WindowNS}
	var impossible int64
	if r.Windows, impossible = cut(requests, o.WindowNS); impossible > 0 {
		r.warn(Impossible, "requests that end before they start are not used: %d", impossible)
	}
	if n := len(r.Windows); n > 0 {
		between := uint64(r.Windows[n-1].number) - uint64(r.Windows[0].number) - uint64(n-1)
		r.Empty = int64(min(between, math.MaxInt64))
	}
	r.lookAtLoad()
	target := o.Target.Float()
	if o.Target.Den <= 0 || !(target > 0 && target <= highestTarget) {
		r.cannotSay(NoTarget, "the target must be a share above 0 that leaves at least one request in a billion")
		return r
	}
	r.Bins = cells(r.Windows, o.Width, o.LeastWindows, stat.Minimum(o.Target).OneSided, o.WindowNS)
	for i := range r.Bins {
		r.Bins[i].bound(target, o)
	}
	r.answer(target, o)
	return r
}

// lookAtLoad leaves windows out and counts them.
func (r *Result) lookAtLoad() {
	var lowRate float64
	r.LowLoadNS, lowRate = leaveOut(r.Windows)
	top := 0.0
	for _, reason := range []Reason{AtEdge, AtGap, Draining} {
		c := Count{Reason: reason}
		for i := range r.Windows {
			if w := &r.Windows[i]; w.LeftOut == reason {
				c.Windows++
				c.Requests += w.Arrivals
			} else if w.LeftOut == Kept {
				top = max(top, w.Rate)
			}
		}
		if c.Windows > 0 {
			r.LeftOut = append(r.LeftOut, c)
		}
	}
	if top > 0 && lowRate > busyLow*top {
		r.warn(NoLowLoad, "the quarter of the windows with the lowest rates goes up to %.3g requests a second, of at most %.3g: backlogs smaller than usual there pass unseen", lowRate, top)
	}
}

func (r *Result) warn(id, format string, args ...any) {
	r.Warnings = append(r.Warnings, stat.Warning{ID: id, Text: fmt.Sprintf(format, args...)})
}
