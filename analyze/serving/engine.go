package serving

import (
	"cmp"
	"math"
	"slices"

	"github.com/tailpath/tailpath/analyze/little"
	"github.com/tailpath/tailpath/analyze/stat"
)

// ByWhat are request-ns by kind of interval.
type ByWhat [whats]stat.Sum

// Engine is what one engine did in the window.
type Engine struct {
	ID       int
	Requests int64 // that were there
	WindowNS int64
	// GPUKnown is false for an engine that has no GPU interval when nothing says that there
	// would have been some: its busy time is then unknown, and so is its idle time.
	GPUKnown bool
	BusyNS   int64 // of the union of GPU intervals
	// PresentNS is the time with a request that does not back off, or an interval of one, WaitingNS that with a
	// request that waits for anything but the GPU, and IdleWaitingNS that of it without a GPU
	// interval.
	PresentNS, WaitingNS, IdleWaitingNS int64
	// UnseenNS is the time with requests of which no interval says what they did: no GPU, and
	// no wait. They may have waited.
	UnseenNS int64
	// IdleFor is what requests waited for while the engine was idle, and Spent what they did in
	// all. GPU is in Spent alone, once for each interval.
	IdleFor, Spent ByWhat
	InFlight       Level
	// BackingOff is the part of InFlight, request-ns, in which its requests backed off.
	BackingOff stat.Sum
	// Executing is how many requests were on the GPU at a time, while any was. Where intervals
	// are of batches it counts those.
	Executing Level
	// Over is the use of every stretch of Result.Stretches.
	Over []Use
	Fine Fine
	// Arrivals are those of the engine's requests in buckets of 100 ms. Without buckets the
	// window is shorter than one, or longer than [MostBuckets].
	Arrivals little.Dispersion
	// QueueNS is the time with a request in the engine's queue, and QueueBusyNS that of it with
	// a GPU interval.
	QueueNS, QueueBusyNS int64
	// SlotsFullNS is the part of QueueNS in which as many requests ran as there are slots, and
	// SlotsMayNS that in which the limit does not rule it out, being unknown.
	SlotsFullNS, SlotsMayNS int64
	// KVFullNS is the part of QueueNS with a free slot and a KV cache of 90 % or more, and
	// KVMayNS that in which no readings rule it out: it takes one below 80 % before and one after.
	KVFullNS, KVMayNS int64
	// HostTogetherNS is the time in which two requests or more were in host work at once and
	// no GPU interval was there.
	HostTogetherNS int64
	Preempted      Preempted
	// E2E is how long the completed requests took for which it did the most, and Service how
	// long the device needed for one piece of their work, as Stint has it.
	E2E, Service Spread
	// Table asks of this engine alone what the capture's asks of all.
	Table Table
}

// MostBuckets is the greatest number of buckets in which arrivals are counted: 4.8 days.
const MostBuckets = 1 << 22

// Busy returns the share of the window with a GPU interval, 0 for no window.
func (e *Engine) Busy() float64 { return share(e.BusyNS, e.WindowNS) }

// Present returns the share of the window with work (work_present).
func (e *Engine) Present() float64 { return share(e.PresentNS, e.WindowNS) }

// IdleWaiting returns the share of the time with work in which a request waited and the GPU
// did nothing (idle_while_waiting). It is a lower bound while UnseenNS is not 0.
func (e *Engine) IdleWaiting() float64 { return share(e.IdleWaitingNS, e.PresentNS) }

func share(part, whole int64) float64 { return stat.SumOf(part).Over(stat.SumOf(whole)) }

// kvHolds is how long a reading of the KV cache says something, ns. From kvFull on the cache
// counts as full, and from kvTight on it may have no room for the next request.
const (
	kvHolds = 60_000_000_000
	kvFull  = 0.90
	kvTight = 0.80
)

// steps is a quantity that holds from each sample to the next.
type steps struct {
	samples []Sample
	holds   int64 // how long at most, ns
	next    int   // first sample that is still to come
}

// newSteps puts samples in order; of those at one time the greatest counts.
func newSteps(samples []Sample, holds int64) steps {
	slices.SortFunc(samples, func(a, b Sample) int {
		return cmp.Or(cmp.Compare(a.AtNS, b.AtNS), cmp.Compare(a.Value, b.Value))
	})
	return steps{samples: samples, holds: holds}
}

// marks appends the times at which the quantity may change.
func (s *steps) marks(to []int64) []int64 {
	for _, x := range s.samples {
		to = append(to, x.AtNS)
		if x.AtNS < reach-s.holds {
			to = append(to, x.AtNS+s.holds)
		}
	}
	return to
}

// at returns the value at an instant that is not before the last one asked for.
func (s *steps) at(ns int64) (float64, bool) {
	for s.next < len(s.samples) && s.samples[s.next].AtNS <= ns {
		s.next++
	}
	if s.next == 0 {
		return 0, false
	}
	x := s.samples[s.next-1]
	return x.Value, ns-x.AtNS < s.holds
}

// then returns the value of the next sample after the instant that was asked for last, unless
// there is none.
func (s *steps) then() (value float64, ok bool) {
	for i := s.next; i < len(s.samples) && s.samples[i].AtNS == s.samples[s.next].AtNS; i++ {
		value, ok = s.samples[i].Value, true
	}
	return value, ok
}

// memoryAt says whether a KV cache was full at an instant with a queue, which was there from one
// time to another, and whether it may have been. Between two readings it was filled, or emptied,
// at a time that nobody knows: it was full if the one before says so and the one after does not
// deny it. It had room if neither denies that, and one was taken while this queue was there: of a
// queue that came and went between two readings they say nothing.
func memoryAt(kv *steps, ns int64, queue span) (full, may bool) {
	before, read := kv.at(ns)
	after, more := kv.then()
	full = read && before >= kvFull && (!more || after >= kvTight)
	room := read && before < kvTight && !(more && after >= kvTight)
	seen := kv.next > 0 && queue.holds(kv.samples[kv.next-1].AtNS) || more && queue.holds(kv.samples[kv.next].AtNS)
	return full, !(room && seen)
}

// site gathers what is known of an engine.
type site struct {
	Engine
	timeline
	slots, kv []Sample
	arrivals  []int64
	gpu       bool // an interval of it, even outside the window
	durations []int64
	paces     paces
	work      string // that stints are of
}

// measure steps through the engine's time. What is executed together is told to a holder of
// all engines, too.
func (s *site) measure(from, to int64, stretches []Stretch, together *holder) {
	s.WindowNS = to - from
	use := uses{stretches: stretches, over: make([]Use, len(stretches))}
	slots, kv := newSteps(s.slots, math.MaxInt64), newSteps(s.kv, kvHolds)
	s.marks = kv.marks(slots.marks(nil))
	var inFlight, executing holder
	queues, queue := s.union(int(Queue)), span{to: math.MinInt64}
	fine := newBuckets(from, to)
	s.walk(from, to, func(from, to int64, n *counts) {
		ns := to - from
		inFlight.hold(n[present], ns)
		s.BackingOff = s.BackingOff.Plus(product(n[present]-n.here(), ns))
		for w := range whats {
			if n[w] > 0 {
				s.Spent[w] = s.Spent[w].Plus(product(n[w], ns))
			}
		}
		busy, waiting := n[GPU] > 0, n.waiting()
		use.add(from, to, busy, waiting > 0, n.here() > 0)
		if busy {
			s.BusyNS += ns
			executing.hold(n[GPU], ns)
			together.hold(n[GPU], ns)
			fine.add(from, to)
		}
		if busy || waiting > 0 || n.here() > 0 {
			s.PresentNS += ns
		}
		if waiting > 0 {
			s.WaitingNS += ns
		}
		switch {
		case busy:
		case waiting > 0:
			s.IdleWaitingNS += ns
			for w := Gateway; w < whats; w++ {
				s.IdleFor[w] = s.IdleFor[w].Plus(product(n[w], ns))
			}
			if n[Host] > 1 {
				s.HostTogetherNS += ns
			}
		case n.here() > 0:
			s.UnseenNS += ns
		}
		if n[Queue] > 0 {
			limit, limited := slots.at(from)
			for queue.to <= from {
				queue, queues = queues[0], queues[1:]
			}
			full, may := memoryAt(&kv, from, queue)
			s.queued(ns, busy, limited && s.Requests > 0, float64(n.running()) >= limit, full, may)
		}
	})
	s.E2E = spreadOf("request", s.durations)
	s.pace()
	s.InFlight, s.Executing, s.Fine = inFlight.done(), executing.done(), fine.done()
	if len(stretches) > 0 {
		s.Over = use.over
	}
	if s.WindowNS/Bucket <= MostBuckets {
		s.Arrivals = little.DispersionOf(little.Arrivals(s.arrivals, from, to, Bucket))
	}
}

// queued books time with a request in the queue.
func (s *site) queued(ns int64, busy, limited, slotsFull, kvFull, kvMay bool) {
	s.QueueNS += ns
	if busy {
		s.QueueBusyNS += ns
	}
	if limited && slotsFull {
		s.SlotsFullNS += ns
	}
	if !limited || slotsFull {
		s.SlotsMayNS += ns
	}
	if limited && !slotsFull && kvFull {
		s.KVFullNS += ns
	}
	if !(limited && slotsFull) && kvMay {
		s.KVMayNS += ns
	}
}
