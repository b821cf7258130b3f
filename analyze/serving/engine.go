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
	// PresentNS is the time with a request or an interval of one, WaitingNS that with a
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
	Fine           Fine
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
	// KVMayNS that in which no reading rules it out.
	KVFullNS, KVMayNS int64
	// HostTogetherNS is the time in which two requests or more were in host work at once and
	// no GPU interval was there.
	HostTogetherNS int64
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

// kvHolds is how long a reading of the KV cache says something, ns, and kvFull from where
// on the cache counts as full.
const (
	kvHolds = 60_000_000_000
	kvFull  = 0.90
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

// site gathers what is known of an engine.
type site struct {
	Engine
	timeline
	slots, kv []Sample
	arrivals  []int64
	gpu       bool // an interval of it, even outside the window
}

// measure steps through the engine's time.
func (s *site) measure(from, to int64) {
	s.WindowNS = to - from
	slots, kv := newSteps(s.slots, math.MaxInt64), newSteps(s.kv, kvHolds)
	s.marks = kv.marks(slots.marks(nil))
	var inFlight holder
	fine := newBuckets(from, to)
	s.walk(from, to, func(from, to int64, n *counts) {
		ns := to - from
		inFlight.hold(n[present], ns)
		for w := range whats {
			if n[w] > 0 {
				s.Spent[w] = s.Spent[w].Plus(product(n[w], ns))
			}
		}
		busy, waiting := n[GPU] > 0, n.waiting()
		if busy {
			s.BusyNS += ns
			fine.add(from, to)
		}
		if busy || waiting > 0 || n[present] > 0 {
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
		case n[present] > 0:
			s.UnseenNS += ns
		}
		if n[Queue] > 0 {
			limit, limited := slots.at(from)
			full, read := kv.at(from)
			s.queued(ns, busy, limited && s.Requests > 0, float64(n.running()) >= limit, read, full >= kvFull)
		}
	})
	s.InFlight, s.Fine = inFlight.done(), fine.done()
	if s.WindowNS/Bucket <= MostBuckets {
		s.Arrivals = little.DispersionOf(little.Arrivals(s.arrivals, from, to, Bucket))
	}
}

// queued books time with a request in the queue.
func (s *site) queued(ns int64, busy, limited, slotsFull, read, kvFull bool) {
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
	if limited && !slotsFull && read && kvFull {
		s.KVFullNS += ns
	}
	if !(limited && slotsFull) && (!read || kvFull) {
		s.KVMayNS += ns
	}
}
