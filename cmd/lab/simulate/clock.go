package simulate

import "container/heap"

// epochNS is the wall-clock instant, in ns since 1970, at which every simulation
// begins: 2026-08-20T12:00:00Z. All instants of the package are absolute ns on
// this one true clock.
const epochNS int64 = 1_787_227_200_000_000_000

// Durations in ns, to write scenarios in the units people think in.
const (
	us int64 = 1_000
	ms int64 = 1_000_000
	s  int64 = 1_000_000_000
)

// event is something to do at an instant. Events of one instant happen in the
// order in which they were planned, which makes the run deterministic.
type event struct {
	at    int64
	order uint64
	do    func(at int64)
}

type eventHeap []event

func (h eventHeap) Len() int { return len(h) }
func (h eventHeap) Less(i, j int) bool {
	if h[i].at != h[j].at {
		return h[i].at < h[j].at
	}
	return h[i].order < h[j].order
}
func (h eventHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *eventHeap) Push(x any)   { *h = append(*h, x.(event)) }
func (h *eventHeap) Pop() any {
	old := *h
	last := old[len(old)-1]
	old[len(old)-1] = event{}
	*h = old[:len(old)-1]
	return last
}

// clock is the virtual clock: it jumps from event to event and never back.
type clock struct {
	now     int64
	planned uint64
	events  eventHeap
}

// at plans do for instant t. A t in the past is moved to now: causes precede
// effects.
func (c *clock) at(t int64, do func(at int64)) {
	c.planned++
	heap.Push(&c.events, event{at: max(t, c.now), order: c.planned, do: do})
}

// run lets events happen until none is left.
func (c *clock) run() {
	for len(c.events) > 0 {
		e := heap.Pop(&c.events).(event)
		c.now = e.at
		e.do(e.at)
	}
}

// job is work for a station: need ns of one of its servers. begin is called when
// a server takes the job up and end when it is done; either may be nil.
type job struct {
	need  int64
	begin func(at int64)
	end   func(at int64)
}

// station is a first-come-first-served queue with a fixed number of servers: a
// worker pool, or with one server an event loop.
type station struct {
	clock *clock
	free  int
	queue []job
}

func newStation(c *clock, servers int) *station { return &station{clock: c, free: servers} }

// submit hands over a job at the present instant.
func (st *station) submit(j job) {
	if st.free == 0 {
		st.queue = append(st.queue, j)
		return
	}
	st.free--
	st.serve(j)
}

func (st *station) serve(j job) {
	at := st.clock.now
	if j.begin != nil {
		j.begin(at)
	}
	st.clock.at(at+j.need, func(at int64) {
		if j.end != nil {
			j.end(at)
		}
		if len(st.queue) == 0 {
			st.free++
			return
		}
		next := st.queue[0]
		st.queue[0] = job{}
		st.queue = st.queue[1:]
		st.serve(next)
	})
}
