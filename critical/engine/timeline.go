package engine

import (
	"cmp"
	"math"
	"slices"

	"github.com/tailpath/tailpath/ingest/table"
)

// timeline is one engine over time: its intervals, and what they add up to at every
// instant at which anything changes.
type timeline struct {
	key      key
	batching bool // batches run, not requests
	partial  bool // not all of its requests are known
	told     bool // prefills are told from executions that are recorded as a whole
	runs     []interval
	waits    []interval
	preempts []interval
	prefills []interval
	gpu      []interval
	batches  []interval // of a batching engine: what runs together
	missing  []interval // requests that may be at it, of which it recorded nothing

	steps  steps
	level  SlotLimit // what the own times say of the most that runs
	held   int64     // highest level that was held, in own times
	single bool      // it takes one at a time, and one waits for the prompt of another
	delay  int64     // ns; of ten batches nine filled for no longer
	reads  readings

	requests int64
	peak     int64
	coverage float64 // own running requests for each that was read; NaN when unknown

	runsIn, unitsIn, prefillsIn, waitsIn, preemptsIn overlaps
}

// timed reports whether instants of different requests can be set against each other.
func (l *timeline) timed() bool { return l.key.clock != table.ClockNone }

// units are the intervals of what counts towards the limit: batches where batches run,
// else requests.
func (l *timeline) units() []interval {
	if l.batching {
		return l.batches
	}
	return l.runs
}

// Kinds of change.
const (
	unit = iota
	waiting
	preempted
	prefilling
	executing
	absent // it may be there; see missing
	kinds
)

// change is one start or end of an interval.
type change struct {
	at    int64
	kind  uint8
	delta int8
}

// steps is a step function of time: from at[i] on, counts[k][i] intervals of kind k are
// open. The sums are time in ns until at[i] during which something held.
type steps struct {
	at     []int64
	counts [kinds][]int32
	starts []int32 // units that begin at that instant

	full, free, idle, prefill, preempt, waited, kept, needed []int64

	first, last int64 // instants of the first and last change that is recorded
}

// newSteps sweeps over all changes. At one instant ends and starts happen together.
func newSteps(l *timeline) steps {
	lists := [kinds][]interval{l.units(), l.waits, l.preempts, l.prefills, l.gpu, l.missing}
	total := 0
	for _, list := range lists {
		total += len(list)
	}
	changes := make([]change, 0, 2*total)
	for kind, list := range lists {
		for _, v := range list {
			changes = append(changes, change{v.start, uint8(kind), 1}, change{v.end, uint8(kind), -1})
		}
	}
	slices.SortFunc(changes, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	n := 0
	for i := range changes {
		if i == 0 || changes[i].at != changes[i-1].at {
			n++
		}
	}
	s := steps{at: make([]int64, 0, n), starts: make([]int32, 0, n)}
	for k := range s.counts {
		s.counts[k] = make([]int32, 0, n)
	}
	var now [kinds]int32
	known := false
	for i := 0; i < len(changes); {
		at, began := changes[i].at, int32(0)
		for ; i < len(changes) && changes[i].at == at; i++ {
			c := changes[i]
			now[c.kind] += int32(c.delta)
			if c.kind != absent {
				if s.last = at; !known {
					s.first, known = at, true
				}
			}
			if c.kind == unit && c.delta > 0 {
				began++
			}
		}
		s.at, s.starts = append(s.at, at), append(s.starts, began)
		for k, n := range now {
			s.counts[k] = append(s.counts[k], n)
		}
	}
	return s
}

// each calls visit for every step with its length in ns, but the last, which has no end.
func (s *steps) each(visit func(i int, length int64)) {
	for i := 0; i+1 < len(s.at); i++ {
		visit(i, s.at[i+1]-s.at[i])
	}
}

// sum returns, for every step, the time before it during which something held.
func (s *steps) sum(holds func(i int) bool) []int64 {
	sums := make([]int64, len(s.at))
	s.each(func(i int, length int64) {
		sums[i+1] = sums[i]
		if holds(i) {
			sums[i+1] += length
		}
	})
	return sums
}

// within returns the time of [from, to) in ns during which what sums counts held. Before
// the first and after the last change nothing is open; beyond tells whether that counts.
func (s *steps) within(sums []int64, holds func(i int) bool, from, to int64, beyond bool) int64 {
	if len(s.at) == 0 {
		if beyond {
			return to - from
		}
		return 0
	}
	var outside int64
	if first, last := s.at[0], s.at[len(s.at)-1]; from < first || to > last {
		inFrom, inTo := min(max(from, first), last), min(max(to, first), last)
		if beyond {
			outside = (to - from) - (inTo - inFrom)
		}
		from, to = inFrom, inTo
	}
	return outside + s.until(sums, holds, to) - s.until(sums, holds, from)
}

// until returns the time in ns before an instant; it lies in [first, last].
func (s *steps) until(sums []int64, holds func(i int) bool, at int64) int64 {
	i, exact := slices.BinarySearch(s.at, at)
	if exact {
		return sums[i]
	}
	i--
	total := sums[i]
	if holds(i) {
		total += at - s.at[i]
	}
	return total
}

// prepare computes what the questions ask, once the limit is known.
func (l *timeline) prepare() {
	s := &l.steps
	s.full, s.free, s.idle = s.sum(l.isFull), s.sum(l.isFree), s.sum(l.isIdle)
	s.prefill, s.preempt, s.waited = s.sum(l.isPrefilling), s.sum(l.isPreempting), s.sum(l.isWaiting)
	s.kept, s.needed = s.sum(l.isKept), s.sum(l.isNeeded)
}

func (l *timeline) isFull(i int) bool {
	return l.level.Value > 0 && int64(l.steps.counts[unit][i]) >= l.level.Value
}

func (l *timeline) isFree(i int) bool {
	return l.most(i) < cmp.Or(l.level.Value, l.held)
}

func (l *timeline) isIdle(i int) bool { return l.most(i) == 0 }

// most returns how much may run: what is known to, and the requests that may be there.
func (l *timeline) most(i int) int64 {
	return int64(l.steps.counts[unit][i]) + int64(l.steps.counts[absent][i])
}

func (l *timeline) isPrefilling(i int) bool { return l.steps.counts[prefilling][i] > 0 }

func (l *timeline) isPreempting(i int) bool { return l.steps.counts[preempted][i] > 0 }

func (l *timeline) isWaiting(i int) bool {
	return l.steps.counts[waiting][i] > 0 || l.steps.counts[preempted][i] > 0
}

// isKept says that the engine keeps somebody waiting or has no slot left, or may do so: it
// has no room.
func (l *timeline) isKept(i int) bool {
	return l.isWaiting(i) || l.isFull(i) || l.steps.counts[absent][i] > 0
}

// isNeeded says that as many run as ever can, no more, and others wait.
func (l *timeline) isNeeded(i int) bool {
	return l.level.Value > 0 && int64(l.steps.counts[unit][i]) == l.level.Value && l.isWaiting(i)
}

// runAt returns the run of a request that starts at an instant.
func (l *timeline) runAt(at int64, request int32) (interval, bool) {
	i, _ := slices.BinarySearchFunc(l.runs, at, func(v interval, at int64) int { return cmp.Compare(v.start, at) })
	for ; i < len(l.runs) && l.runs[i].start == at; i++ {
		if l.runs[i].request == request {
			return l.runs[i], true
		}
	}
	return interval{}, false
}

// batchGap is how far apart the members of one batch may be stamped as executing, in
// ns: a server that logs them one after the other needs some microseconds.
const batchGap = 20_000

// cluster makes batches of runs that begin together. They are in order of their start.
func cluster(runs []interval) []interval {
	var out []interval
	last := int64(math.MinInt64)
	for _, r := range runs {
		if n := len(out) - 1; n >= 0 && r.start-last <= batchGap {
			out[n].end = max(out[n].end, r.end)
		} else {
			out = append(out, interval{start: r.start, end: r.end, request: r.request, engine: r.engine})
		}
		last = r.start
	}
	return out
}

// split cuts a list that is ordered by engine.
func split(list []interval, engines int) [][]interval {
	out := make([][]interval, engines)
	for len(list) > 0 {
		e := list[0].engine
		n, _ := slices.BinarySearchFunc(list, e, func(v interval, e int32) int {
			if v.engine <= e {
				return -1
			}
			return 1
		})
		out[e], list = list[:n:n], list[n:]
	}
	return out
}

// overlaps finds the intervals of a list that overlap a window.
type overlaps struct {
	list []interval // in order of start
	last []int64    // greatest end in the subtree around an interval
}

func newOverlaps(list []interval) overlaps {
	o := overlaps{list, make([]int64, len(list))}
	o.build(0, len(list))
	return o
}

// build fills the subtree of [lo, hi), whose root is in the middle; its depth is log n.
func (o *overlaps) build(lo, hi int) int64 {
	if lo >= hi {
		return math.MinInt64
	}
	mid := int(uint(lo+hi) >> 1)
	o.last[mid] = max(o.list[mid].end, o.build(lo, mid), o.build(mid+1, hi))
	return o.last[mid]
}

// each visits, in order, the intervals that overlap [from, to).
func (o *overlaps) each(from, to int64, visit func(v interval)) {
	o.visit(0, len(o.list), from, to, visit)
}

func (o *overlaps) visit(lo, hi int, from, to int64, visit func(v interval)) {
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if o.last[mid] <= from {
			return
		}
		o.visit(lo, mid, from, to, visit)
		v := o.list[mid]
		if v.start >= to {
			return
		}
		if v.end > from {
			visit(v)
		}
		lo = mid + 1
	}
}
