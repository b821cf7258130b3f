package analyze

import (
	"cmp"
	"slices"

	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// waiting is how many requests waited in the queue stage at each instant, and which
// requests came and went meanwhile. It is over the requests of a Load: failed ones waited
// too. Times are in ns on one clock.
type waiting struct {
	from, to int64
	rows     []int32 // of the requests table, in no order
	arrivals instants
	ends     instants
	waits    []queued // in order of start
	total    stat.Sum // ns; the length of all waits
	// at are the instants at which the number of waiting requests changes, ascending, and n
	// the number from each until the next. Before the first it is 0.
	at []int64
	n  []int32
	// alone is the time in which the requests of the load were the only ones, as far as a choice
	// by time goes.
	alone Interval
	// depth is the distribution of the number over the time of the window.
	depth Concurrency
	// silent is the time in which nothing was recorded.
	silent []Interval
}

// queued is one wait: a queue segment of the path to the end.
type queued struct {
	start, end int64
	row        int32     // of the requests table
	detail     table.Sym // of the segment
}

// waitingOf collects the waits of the requests that a load is measured of.
func waitingOf(set *table.Set, opt Options) *waiting {
	req, seg := &set.Requests, &set.Segments
	w := &waiting{}
	opt = opt.on(set)
	opt.Errors = Include
	w.alone = opt.kept.only()
	var all []int
	for i := range req.Len() {
		if _, out := exclusion(set, i, opt); !out {
			all = append(all, i)
		}
	}
	base := commonBase(set, all)
	in := make([]bool, req.Len())
	for _, i := range all {
		if base.clock == table.ClockNone || timebaseOf(set, i) != base {
			continue
		}
		if len(w.rows) == 0 {
			w.from, w.to = req.Start[i], req.End[i]
		}
		w.from, w.to = min(w.from, req.Start[i]), max(w.to, req.End[i])
		in[i] = true
		w.rows = append(w.rows, int32(i))
		w.arrivals.at, w.ends.at = append(w.arrivals.at, req.Start[i]), append(w.ends.at, req.End[i])
	}
	w.arrivals.settle(w.from)
	w.ends.settle(w.from)
	w.silent = silencesOf(w.arrivals.at, w.ends.at)
	for i, row := range seg.RequestRow {
		if stage.Stage(seg.Stage[i]) != stage.Queue || critical.Target(seg.Target[i]) != critical.End || row < 0 || int(row) >= len(in) || !in[row] {
			continue
		}
		if q := (queued{seg.Start[i], seg.End[i], row, seg.Detail[i]}); q.end > q.start {
			w.waits = append(w.waits, q)
			w.total.Add(q.end - q.start)
		}
	}
	slices.SortFunc(w.waits, func(a, b queued) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end), cmp.Compare(a.row, b.row), cmp.Compare(a.detail, b.detail))
	})
	w.step()
	return w
}

// step counts the waiting requests at every instant. At one instant an end comes before a
// start, as in Sweep.
func (w *waiting) step() {
	ends := make([]int64, len(w.waits))
	for i, q := range w.waits {
		ends[i] = q.end
	}
	slices.Sort(ends)
	w.depth = Concurrency{From: w.from, To: w.to, Arrivals: int64(len(w.waits)), Integral: w.total, At: []int64{0}}
	now, at := int32(0), w.from
	hold := func(until int64) {
		for int(now) >= len(w.depth.At) {
			w.depth.At = append(w.depth.At, 0)
		}
		w.depth.At[now] += until - at
		at = until
	}
	next := 0
	for i := 0; i < len(ends); {
		instant := ends[i]
		if next < len(w.waits) {
			instant = min(instant, w.waits[next].start)
		}
		hold(instant)
		for i < len(ends) && ends[i] == instant {
			now--
			i++
		}
		for next < len(w.waits) && w.waits[next].start == instant {
			now++
			next++
		}
		w.at, w.n = append(w.at, instant), append(w.n, now)
	}
	hold(max(at, w.to))
	w.depth.Peak = int64(len(w.depth.At)) - 1
}

// area returns the request-ns waited in [from, to).
func (w *waiting) area(from, to int64) stat.Sum {
	var sum stat.Sum
	i, _ := slices.BinarySearch(w.at, from)
	if i > 0 {
		i--
	}
	for ; i < len(w.at) && w.at[i] < to; i++ {
		end := to
		if i+1 < len(w.at) {
			end = min(end, w.at[i+1])
		}
		if start := max(from, w.at[i]); end > start {
			addTimes(&sum, end-start, int64(w.n[i]))
		}
	}
	return sum
}

// addTimes adds ns n times, in 128 bits.
func addTimes(sum *stat.Sum, ns, n int64) {
	if n != 0 && ns <= (1<<63-1)/n {
		sum.Add(ns * n)
		return
	}
	for range n {
		sum.Add(ns)
	}
}

// instants are points in time that can be counted, and their integral taken.
type instants struct {
	at     []int64 // ascending once settled
	origin int64
	sum    []float64 // sum[i] is the sum of at[:i] less origin each, ns
}

func (s *instants) settle(origin int64) {
	slices.Sort(s.at)
	s.origin = origin
	s.sum = make([]float64, len(s.at)+1)
	for i, t := range s.at {
		s.sum[i+1] = s.sum[i] + float64(t-origin)
	}
}

// before counts the instants before t.
func (s *instants) before(t int64) int {
	i, _ := slices.BinarySearch(s.at, t)
	return i
}

// upTo returns the integral, over the time up to t, of how many instants have passed.
func (s *instants) upTo(t int64) float64 {
	i := s.before(t)
	return float64(float64(i)*float64(t-s.origin)) - s.sum[i]
}

// traffic sums up what came and what was there in [from, to).
func (w *waiting) traffic(from, to int64) Traffic {
	t := Traffic{From: from, To: to}
	if from >= to {
		return t
	}
	t.Arrivals = int64(w.arrivals.before(to) - w.arrivals.before(from))
	present := (w.arrivals.upTo(to) - w.arrivals.upTo(from)) - (w.ends.upTo(to) - w.ends.upTo(from))
	t.InFlight = max(0, present/float64(to-from))
	return t
}

// Traffic is what came in a time, and how much was in flight on average.
type Traffic struct {
	From, To int64 // ns
	Arrivals int64
	InFlight float64
}

// Rate returns arrivals per second, 0 of an empty time.
func (t Traffic) Rate() float64 {
	if t.To <= t.From {
		return 0
	}
	return float64(t.Arrivals) / (float64(t.To-t.From) / 1e9)
}

// RateRatio returns how many times the arrivals per second of one time are those of
// another, with the exact interval for arrivals that come independently: given their sum,
// those of the one are binomial. There are no bounds where the other had none.
func (t Traffic) RateRatio(other Traffic) stat.Estimate {
	e := stat.Estimate{Value: 1, N: t.Arrivals + other.Arrivals, Method: MethodRateRatio}
	if t.To <= t.From || other.To <= other.From || other.Arrivals == 0 {
		e.Warnings = []stat.Warning{{ID: stat.TooFew, Text: "there is no time with arrivals to compare with"}}
		return e
	}
	scale := float64(other.To-other.From) / float64(t.To-t.From)
	e.Value = float64(t.Arrivals) / float64(other.Arrivals) * scale
	b := stat.ClopperPearson(t.Arrivals, e.N, stat.Confidence)
	if b.High < 1 {
		e.HasBounds, e.Bounds = true, stat.Bounds{Low: b.Low / (1 - b.Low) * scale, High: b.High / (1 - b.High) * scale}
	}
	return e
}

// MethodRateRatio is the method of a ratio of two rates of arrival.
const MethodRateRatio = "rate-ratio"
