package curve

import (
	"cmp"
	"math"
	"slices"
)

// Window is a stretch of time with what happened in it. Windows of one curve are of one length,
// at least that of a mean request and long enough for a few completions.
type Window struct {
	FromNS, ToNS    int64
	InFlight        float64 // requests in flight, mean over the time
	InFlightAtStart int64
	Arrivals        float64 // requests that started, a second
	Completions     float64 // requests that ended, a second
	// Throughput is what the curve is of, a second: Completions, or tokens.
	Throughput float64
	// N is how many requests started in it, and MeanNS their mean duration, whenever they ended.
	N      int64
	MeanNS int64
	// Edge is true for the first and the last window of a capture: what began before it, or
	// ended after, is missing there. Partial is true where the window is shorter than the others.
	Edge, Partial bool
}

// Reason says why a window is in no bin.
type Reason string

// The reasons. A window has the first that is true of it.
const (
	Kept       Reason = ""
	Impossible Reason = "impossible" // a number is negative, not finite or beyond 1e30
	Edge       Reason = "edge"
	Partial    Reason = "partial"
	Idle       Reason = "idle" // nothing was in flight
	// Draining is a window that began with a backlog, more requests in flight than its own
	// rate explains, and worked some of it off: what it shows is the load before it.
	Draining Reason = "backlog"
	// Thin is a window of a load that was seen too few times for a mean.
	Thin Reason = "too few alike"
)

// Reasons returns the reasons why windows are left out, in the order in which they are asked.
func Reasons() []Reason { return []Reason{Impossible, Edge, Partial, Idle, Draining, Thin} }

// Bin is the windows with about as many requests in flight.
type Bin struct {
	From, To   float64 // mean requests in flight of each window: at least From, below To
	Windows    []int   // places of its windows among those given, ascending
	InFlight   float64 // mean of the windows, as are the next two
	Arrivals   float64
	Throughput float64
	N          int64   // requests that started in them
	MeanNS     float64 // their mean duration, 0 for none
	// Overloaded is how many of the windows began with a backlog and worked nothing off: they
	// were given more than the system does.
	Overloaded int64
	// Unsteady is how many of the windows had arrivals and completions more than 10 % apart:
	// they were filling or emptying, or are short for their rate. They count.
	Unsteady int64
}

// Point returns the point of a curve that the bin is.
func (b Bin) Point() Point {
	return Point{InFlight: b.InFlight, Throughput: b.Throughput, Windows: int64(len(b.Windows))}
}

// Binned is windows put into bins by how many requests were in flight.
type Binned struct {
	Bins    []Bin    // from the least load to the highest
	Reasons []Reason // why each window given is left out; [Kept] for those in a bin
	// LowLoadNS is the mean duration at low load, ns: the median over the windows of the lowest
	// rates. It is 0 when no whole window has a request.
	LowLoadNS float64
}

// Points returns the points of the curve.
func (b Binned) Points() []Point {
	points := make([]Point, len(b.Bins))
	for i, bin := range b.Bins {
		points[i] = bin.Point()
	}
	return points
}

// LeftOut returns how many windows are left out for a reason.
func (b Binned) LeftOut(r Reason) int64 {
	n := int64(0)
	for _, reason := range b.Reasons {
		if reason == r {
			n++
		}
	}
	return n
}

const (
	// step is the ratio of the highest load of a bin to the least.
	step = 1.2
	// leastWindows is how many windows make a bin.
	leastWindows = 6
	// lowLoad is the share of the windows, those of the lowest rates, that count as low load.
	lowLoad = 0.25
	// Windows begin with a backlog when more than backlogTimes what their rate explains at the
	// duration of low load is in flight, and backlogMore on top.
	backlogTimes = 2
	backlogMore  = 4
	// unsteady is the share of completions from which arrivals differ too much for a steady window.
	unsteady = 0.10
)

// Windowed puts windows into bins between powers of 1.2 requests in flight, and leaves out
// those that show nothing or another load than their own.
//
// A window with a backlog counts unless it works some of it off. If all were left out there
// would be none from beyond the knee: on 8 of 12 simulated captures with a peak of 110 % of
// what a system does nothing shows it then. The price is that of the windows with a backlog
// those with the fewer completions stay: throughput is up to 4 % too low there, and the knee
// at 15.7, 26 and 13.1 in flight where all windows give 15.9, 28 and 15.
func Windowed(windows []Window) Binned {
	b := Binned{Reasons: make([]Reason, len(windows))}
	var whole []int
	for i := range windows {
		if b.Reasons[i] = windows[i].apart(); b.Reasons[i] == Kept {
			whole = append(whole, i)
		}
	}
	b.LowLoadNS = lowLoadNS(windows, whole)
	var kept []int
	for _, i := range whole {
		if w := &windows[i]; w.backlog(b.LowLoadNS) && w.Completions > w.Arrivals {
			b.Reasons[i] = Draining
		} else {
			kept = append(kept, i)
		}
	}
	slices.SortFunc(kept, func(i, j int) int { return compare(&windows[i], &windows[j]) })
	b.cut(windows, kept)
	return b
}

// backlog reports whether the window began with more in flight than its rate explains.
func (w *Window) backlog(lowLoadNS float64) bool {
	explained := float64(float64(backlogTimes*w.Arrivals)*(lowLoadNS/1e9)) + backlogMore
	return float64(w.InFlightAtStart) > explained
}

// apart returns why a window says nothing, whatever the others are.
func (w *Window) apart() Reason {
	for _, v := range []float64{w.InFlight, w.Arrivals, w.Completions, w.Throughput} {
		if !(v >= 0 && v <= mostLoad) {
			return Impossible
		}
	}
	switch {
	case w.InFlightAtStart < 0, w.N < 0, w.MeanNS < 0, w.ToNS <= w.FromNS:
		return Impossible
	case w.Edge:
		return Edge
	case w.Partial:
		return Partial
	case w.InFlight < leastLoad:
		return Idle
	}
	return Kept
}

// Loads and rates below leastLoad are none, and those above mostLoad cannot be. A capture has
// neither; they keep the grid short and the sums finite.
const (
	leastLoad = 1e-30
	mostLoad  = 1e30
)

// compare orders windows by load, and completely, so that sums do not depend on the order in
// which windows were given.
func compare(a, b *Window) int {
	return cmp.Or(
		cmp.Compare(a.InFlight, b.InFlight), cmp.Compare(a.Throughput, b.Throughput), cmp.Compare(a.Arrivals, b.Arrivals),
		cmp.Compare(a.N, b.N), cmp.Compare(a.MeanNS, b.MeanNS),
	)
}

// lowLoadNS returns the median, over the quarter of the windows with the lowest rates, of
// the mean duration.
func lowLoadNS(windows []Window, whole []int) float64 {
	var asked []int
	for _, i := range whole {
		if windows[i].N > 0 {
			asked = append(asked, i)
		}
	}
	if len(asked) == 0 {
		return 0
	}
	slices.SortFunc(asked, func(i, j int) int {
		a, b := &windows[i], &windows[j]
		return cmp.Or(cmp.Compare(a.Arrivals, b.Arrivals), cmp.Compare(a.FromNS, b.FromNS), cmp.Compare(a.MeanNS, b.MeanNS))
	})
	means := make([]int64, max(1, int(lowLoad*float64(len(asked)))))
	for k := range means {
		means[k] = windows[asked[k]].MeanNS
	}
	slices.Sort(means)
	return float64(means[(len(means)-1)/2])
}

// cut puts windows, which are in order of their load, into bins, or calls them thin.
func (b *Binned) cut(windows []Window, kept []int) {
	for len(kept) > 0 {
		from, to := cell(windows[kept[0]].InFlight)
		n := 1
		for n < len(kept) && windows[kept[n]].InFlight < to {
			n++
		}
		if n < leastWindows {
			for _, i := range kept[:n] {
				b.Reasons[i] = Thin
			}
		} else {
			b.Bins = append(b.Bins, binOf(windows, kept[:n], from, to, b.LowLoadNS))
		}
		kept = kept[n:]
	}
}

// cell returns the powers of step that a load lies between. They are by multiplication,
// which gives the same everywhere, as logarithms do not.
func cell(load float64) (from, to float64) {
	for from, to = 1, step; load >= to; {
		from, to = to, float64(to*step)
	}
	for load < from {
		from, to = float64(from/step), from
	}
	return from, to
}

// binOf returns the bin of some windows, which are in order.
func binOf(windows []Window, of []int, from, to, lowLoadNS float64) Bin {
	b := Bin{From: from, To: to, Windows: slices.Clone(of)}
	requestNS := 0.0
	for _, i := range of {
		w := &windows[i]
		b.InFlight += w.InFlight
		b.Arrivals += w.Arrivals
		b.Throughput += w.Throughput
		b.N += w.N
		requestNS += float64(float64(w.N) * float64(w.MeanNS))
		if w.backlog(lowLoadNS) {
			b.Overloaded++
		}
		if math.Abs(w.Arrivals-w.Completions) > float64(unsteady*w.Completions) {
			b.Unsteady++
		}
	}
	n := float64(len(of))
	b.InFlight, b.Arrivals, b.Throughput = b.InFlight/n, b.Arrivals/n, b.Throughput/n
	if b.N > 0 {
		b.MeanNS = requestNS / float64(b.N)
	}
	slices.Sort(b.Windows)
	return b
}
