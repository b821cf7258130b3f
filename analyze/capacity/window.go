package capacity

import (
	"cmp"
	"math"
	"slices"

	"github.com/tailpath/tailpath/analyze/stat"
)

// Request is one request as it was seen.
type Request struct {
	StartNS, EndNS int64
	// Good is true when it met every term of the objective, all in this one request. Eligible is
	// false when the objective cannot be asked of it: it is load, and neither good nor bad.
	Good, Eligible bool
	Tokens         int64 // output tokens; below 0 counts as none
}

// Reason says why a window is left out.
type Reason string

// The reasons.
const (
	Kept Reason = ""
	// AtEdge is the first and the last window, which the capture holds in part.
	AtEdge Reason = "edge"
	// AtGap is a window beside one without a request, where so many came that chance does not
	// empty a window: the recording paused, and holds this window in part.
	AtGap Reason = "gap"
	// Draining is a window that began with a backlog, more requests in flight than its own
	// rate explains, and worked some of it off: what it shows is the load before it.
	Draining Reason = "backlog"
)

// Window is a stretch of time of the length in the options, beginning at a multiple of it.
type Window struct {
	StartNS  int64   // of the requests' clock; the least int64 where it would lie before
	Arrivals int64   // requests that started in it
	Rate     float64 // Arrivals a second
	// Good, Eligible and Tokens are of the requests that started in it, whenever they ended.
	Good, Eligible int64
	Tokens         float64
	InFlight       int64 // at its start
	InFlightAfter  int64 // at its end
	// Overloaded is true when it began with a backlog and worked nothing off: its own rate
	// was more than the system carries. It counts against its rate, but attainment in it
	// says how long the overload has lasted, so no line is fitted to it.
	Overloaded bool
	LeftOut    Reason

	number int64   // of the window, counted from time 0
	mean   float64 // latency, ns
}

// gapArrivals is how many requests a window has at least for an empty one beside it to be
// a gap: by chance that is one in e^20 of such windows.
const gapArrivals = 20

// cut credits requests to the windows of their arrival, in the order of time. Windows
// without a request are not listed. It returns the requests that cannot be: those that
// end before they start.
func cut(requests []Request, windowNS int64) (windows []Window, refused int64) {
	type tally struct {
		arrivals, good, eligible int64
		latency, tokens          stat.Sum
	}
	starts := map[int64]*tally{}
	ended := map[int64]int64{} // by the first boundary at which they are over
	var last *tally
	var lastNumber, lastOver, overs int64
	for i := range requests {
		r := &requests[i]
		if r.EndNS < r.StartNS {
			refused++
			continue
		}
		n := floorDiv(r.StartNS, windowNS)
		if last == nil || n != lastNumber {
			if last = starts[n]; last == nil {
				last = &tally{}
				starts[n] = last
			}
			lastNumber = n
		}
		last.arrivals++
		last.latency.Add(r.EndNS)
		last.latency = last.latency.Minus(stat.SumOf(r.StartNS))
		last.tokens.Add(max(0, r.Tokens))
		if r.Eligible {
			last.eligible++
			if r.Good {
				last.good++
			}
		}
		over := floorDiv(r.EndNS, windowNS)
		if r.EndNS%windowNS != 0 {
			over++
		}
		// One that takes no time is in flight nowhere, also when it comes at a boundary.
		over = max(over, n+1)
		if over != lastOver {
			if overs > 0 {
				ended[lastOver] += overs
			}
			lastOver, overs = over, 0
		}
		overs++
	}
	if overs > 0 {
		ended[lastOver] += overs
	}
	for n, t := range starts {
		windows = append(windows, Window{
			StartNS: startOf(n, windowNS), Arrivals: t.arrivals, Rate: float64(t.arrivals) * 1e9 / float64(windowNS),
			Good: t.good, Eligible: t.eligible, Tokens: t.tokens.Float(), number: n, mean: t.latency.Float() / float64(t.arrivals),
		})
	}
	slices.SortFunc(windows, func(a, b Window) int { return cmp.Compare(a.number, b.number) })
	var boundaries []int64
	for n := range ended {
		boundaries = append(boundaries, n)
	}
	slices.Sort(boundaries)
	started, over, at := int64(0), int64(0), 0
	until := func(boundary int64) {
		for ; at < len(boundaries) && boundaries[at] <= boundary; at++ {
			over += ended[boundaries[at]]
		}
	}
	for i := range windows {
		w := &windows[i]
		until(w.number)
		w.InFlight = started - over
		started += w.Arrivals
		until(w.number + 1)
		w.InFlightAfter = started - over
	}
	return windows, refused
}

// floorDiv is a/b rounded down, for b above 0.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// startOf is the start of a window, which may lie before the least int64 by less than a window.
func startOf(n, windowNS int64) int64 {
	if n < math.MinInt64/windowNS {
		return math.MinInt64
	}
	return n * windowNS
}

// lowLoad is the share of the windows, those of the lowest rates, that count as low load.
const lowLoad = 0.25

// Windows begin with a backlog when more than backlogTimes what their rate explains at
// the latency of low load is in flight, and backlogMore on top.
const (
	backlogTimes = 2
	backlogMore  = 4
)

// leaveOut marks the windows that show another load than their own. It returns the latency
// at low load, ns, which is the median, over the windows of the lowest rates, of their mean
// latency, and the highest of those rates. Both are 0 when no window is whole.
func leaveOut(windows []Window) (lowNS, lowRate float64) {
	var whole []*Window
	for i := range windows {
		w := &windows[i]
		before := i > 0 && windows[i-1].number == w.number-1
		after := i+1 < len(windows) && windows[i+1].number == w.number+1
		switch {
		case i == 0 || i == len(windows)-1:
			w.LeftOut = AtEdge
		case w.Arrivals >= gapArrivals && !(before && after):
			w.LeftOut = AtGap
		default:
			whole = append(whole, w)
		}
	}
	if len(whole) == 0 {
		return 0, 0
	}
	byRate := slices.Clone(whole)
	slices.SortStableFunc(byRate, func(a, b *Window) int { return cmp.Compare(a.Arrivals, b.Arrivals) })
	var means []float64
	for _, w := range byRate[:max(1, int(lowLoad*float64(len(byRate))))] {
		means = append(means, w.mean)
		lowRate = w.Rate
	}
	slices.Sort(means)
	lowNS = means[(len(means)-1)/2]
	for _, w := range whole {
		explained := float64(backlogTimes*w.Rate)*(lowNS/1e9) + backlogMore
		if float64(w.InFlight) > explained {
			if w.InFlightAfter < w.InFlight {
				w.LeftOut = Draining
			} else {
				w.Overloaded = true
			}
		}
	}
	return lowNS, lowRate
}
