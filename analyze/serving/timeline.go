package serving

import (
	"math/bits"

	"github.com/tailpath/tailpath/analyze/stat"
)

// present is the kind of a request's whole stay, beside those of its intervals.
const (
	backOff = int(BackOff)
	present = whats + 1
	kinds   = whats + 2
)

// counts is how many intervals of each kind hold an instant.
type counts [kinds]int64

// forPlace returns how many wait for a place.
func (n *counts) forPlace() int64 { return n[Gateway] + n[Queue] }

// here returns how many requests are at the system: those in flight but for who backs off.
func (n *counts) here() int64 { return max(0, n[present]-n[backOff]) }

// running returns how many requests are here and wait for no place. Intervals that stick out
// of their requests make it no less than 0.
func (n *counts) running() int64 { return max(0, n[present]-n[backOff]-n.forPlace()) }

// waiting returns how many wait for anything but the GPU.
func (n *counts) waiting() int64 { return n[Gateway] + n[Queue] + n[Host] + n[Transfer] }

// timeline steps through the edges of intervals in order of time. marks are further times
// to stop at.
type timeline struct {
	starts, ends [kinds][]int64
	marks        []int64
}

// add puts in [from, to), which must not be empty.
func (t *timeline) add(kind int, from, to int64) {
	t.starts[kind] = append(t.starts[kind], from)
	t.ends[kind] = append(t.ends[kind], to)
}

// span is a time, of which the end is no part.
type span struct{ from, to int64 }

func (s span) holds(ns int64) bool { return s.from <= ns && ns < s.to }

// union returns the times in which intervals of a kind are there without a break, in order. It
// puts the intervals in order of time.
func (t *timeline) union(kind int) (list []span) {
	starts, ends := t.starts[kind], t.ends[kind]
	stat.Sort(starts)
	stat.Sort(ends)
	for i, from := range starts {
		if i > 0 && from <= ends[i-1] { // as many have begun as ended, or more
			list[len(list)-1].to = ends[i]
			continue
		}
		list = append(list, span{from, ends[i]})
	}
	return list
}

// walk calls f for successive pieces of [from, to) with the intervals that hold all of the
// piece. The intervals must lie within.
func (t *timeline) walk(from, to int64, f func(from, to int64, n *counts)) {
	for k := range kinds {
		stat.Sort(t.starts[k])
		stat.Sort(t.ends[k])
	}
	stat.Sort(t.marks)
	var start, end [kinds]int
	var n counts
	mark := 0
	for at := from; at < to; {
		next := to
		for k := range kinds {
			for ; end[k] < len(t.ends[k]) && t.ends[k][end[k]] <= at; end[k]++ {
				n[k]--
			}
			if end[k] < len(t.ends[k]) {
				next = min(next, t.ends[k][end[k]])
			}
			for ; start[k] < len(t.starts[k]) && t.starts[k][start[k]] <= at; start[k]++ {
				n[k]++
			}
			if start[k] < len(t.starts[k]) {
				next = min(next, t.starts[k][start[k]])
			}
		}
		for ; mark < len(t.marks) && t.marks[mark] <= at; mark++ {
		}
		if mark < len(t.marks) {
			next = min(next, t.marks[mark])
		}
		f(at, next, &n)
		at = next
	}
}

// product returns n*ns exactly, for both not below 0.
func product(n, ns int64) stat.Sum { return stat.SumOf(ns).Times(n) }

// Level is a number of requests over a time, such as those in flight.
type Level struct {
	NS       int64    // length of the time
	Integral stat.Sum // request-ns
	// P50 to P999 are the least number that was not exceeded for that share of the time.
	P50, P95, P99, P999 int64
	Peak                int64
}

// Mean returns the time-weighted mean, 0 for no time.
func (l Level) Mean() float64 { return l.Integral.Over(stat.SumOf(l.NS)) }

// holder gathers the time at each number. Only numbers that occurred cost anything, so one
// holder serves many short windows.
type holder struct {
	at        []int64
	low, high int64 // numbers that occurred, when ns is not 0
	ns        int64
	integral  stat.Sum
}

func (h *holder) hold(n, ns int64) {
	if n >= int64(len(h.at)) {
		h.at = append(h.at, make([]int64, int(n)+1-len(h.at))...)
	}
	if h.ns == 0 {
		h.low, h.high = n, n
	}
	h.low, h.high = min(h.low, n), max(h.high, n)
	h.at[n] += ns
	h.ns += ns
	h.addIntegral(n, ns)
}

func (h *holder) addIntegral(n, ns int64) {
	if hi, lo := bits.Mul64(uint64(n), uint64(ns)); hi == 0 && int64(lo) >= 0 {
		h.integral.Add(int64(lo))
		return
	}
	h.integral = h.integral.Plus(product(n, ns))
}

// done returns the level and starts anew.
func (h *holder) done() Level {
	l := Level{NS: h.ns, Integral: h.integral, Peak: h.high}
	if h.ns == 0 {
		return Level{}
	}
	ranks := [...]int64{stat.P50.Rank(h.ns), stat.P95.Rank(h.ns), stat.P99.Rank(h.ns), stat.P999.Rank(h.ns)}
	into := [len(ranks)]*int64{&l.P50, &l.P95, &l.P99, &l.P999}
	sum, next := int64(0), 0
	for n := h.low; n <= h.high; n++ {
		sum += h.at[n]
		h.at[n] = 0
		for ; next < len(ranks) && sum >= ranks[next]; next++ {
			*into[next] = n
		}
	}
	h.ns, h.integral, h.low, h.high = 0, stat.Sum{}, 0, 0
	return l
}
