package serving

import (
	"slices"

	"github.com/tailpath/tailpath/analyze/stat"
)

// Stretch is a part of the time, as long as some whole windows.
type Stretch struct{ FromNS, ToNS int64 }

// Stretches joins windows of a length, laid from the start of a time to its end, into at most
// so many stretches of as many windows each; with a further number, stretches are joined again
// in the same way. What is left over at the end goes to the last one, unless it is half as long
// at least. There are none without any time, or where the windows would be too many.
func Stretches(fromNS, toNS, windowNS int64, most ...int) []Stretch {
	if len(most) == 0 {
		return nil
	}
	list := make([]Stretch, windowsIn(fromNS, toNS, windowNS))
	for i := range list {
		list[i].FromNS, list[i].ToNS = windowOf(i, fromNS, toNS, windowNS)
	}
	for _, n := range most {
		list = joined(list, max(1, n))
	}
	return list
}

func joined(list []Stretch, most int) (out []Stretch) {
	each := max(1, (len(list)+most-1)/most)
	for from := 0; from < len(list); from += each {
		out = append(out, Stretch{list[from].FromNS, list[min(len(list), from+each)-1].ToNS})
	}
	// Halves are compared as wholes, so that an odd ns counts.
	if n := len(out); n > 1 && out[n-1].ToNS-out[n-1].FromNS < (out[0].ToNS-out[0].FromNS+1)/2 {
		out[n-2].ToNS = out[n-1].ToNS
		out = out[:n-1]
	}
	return out
}

// Use is how an engine spent a stretch of time, in ns as in [Engine].
type Use struct{ BusyNS, PresentNS, WaitingNS, IdleWaitingNS, UnseenNS int64 }

// uses books the use of stretches from pieces of time in order.
type uses struct {
	stretches []Stretch
	current   int
	over      []Use
}

func (u *uses) add(from, to int64, busy, waiting, present bool) {
	for from < to && u.current < len(u.stretches) {
		until := min(to, u.stretches[u.current].ToNS)
		ns, x := until-from, &u.over[u.current]
		if busy || waiting || present {
			x.PresentNS += ns
		}
		if waiting {
			x.WaitingNS += ns
		}
		switch {
		case busy:
			x.BusyNS += ns
		case waiting:
			x.IdleWaitingNS += ns
		case present:
			x.UnseenNS += ns
		}
		if from = until; until == u.stretches[u.current].ToNS {
			u.current++
		}
	}
}

// Block is a part of the time that can be drawn again: what happened in it, and for how long
// each number of requests held.
type Block struct {
	Window
	InFlightHeld, WaitingHeld, RunningHeld Held
}

// Held is for how long each number of requests held, by ascending numbers.
type Held struct{ N, NS []int64 }

// held fills the blocks of a grid from pieces of time in order.
type held struct {
	*grid
	blocks                     []Block
	inFlight, waiting, running holder
}

func (h *held) piece(from, to int64, n *counts) {
	for from < to && len(h.blocks) < len(h.windows) {
		w := &h.windows[len(h.blocks)]
		until := min(to, w.ToNS)
		h.inFlight.hold(n[present], until-from)
		h.waiting.hold(n.forPlace(), until-from)
		h.running.hold(n.running(), until-from)
		if until == w.ToNS {
			b := Block{InFlightHeld: h.inFlight.held(), WaitingHeld: h.waiting.held(), RunningHeld: h.running.held()}
			w.InFlight, w.Waiting, w.Running = h.inFlight.done(), h.waiting.done(), h.running.done()
			b.Window = *w
			h.blocks = append(h.blocks, b)
		}
		from = until
	}
}

// held returns for how long each number held so far.
func (h *holder) held() (out Held) {
	for n := h.low; n <= h.high && h.ns > 0; n++ {
		if h.at[n] > 0 {
			out.N, out.NS = append(out.N, n), append(out.NS, h.at[n])
		}
	}
	return out
}

// Sum returns how long all of the blocks held each number.
func Sum(list ...Held) Held {
	ns := map[int64]int64{}
	for _, h := range list {
		for i, n := range h.N {
			ns[n] += h.NS[i]
		}
	}
	var out Held
	for n := range ns {
		out.N = append(out.N, n)
	}
	slices.Sort(out.N)
	for _, n := range out.N {
		out.NS = append(out.NS, ns[n])
	}
	return out
}

// Length returns the length of the time, ns.
func (h Held) Length() (ns int64) {
	for _, x := range h.NS {
		ns += x
	}
	return ns
}

// UpTo returns for how long fewer than a number were there, and for how long as many, ns.
func (h Held) UpTo(number int64) (below, at int64) {
	for i, n := range h.N {
		switch {
		case n < number:
			below += h.NS[i]
		case n == number:
			at = h.NS[i]
		}
	}
	return below, at
}

// AtRank returns the least number that was not exceeded for so many ns, 1 or more; the
// greatest when that is longer than the time, and false without any time.
func (h Held) AtRank(ns int64) (number int64, ok bool) {
	var sum int64
	for i, n := range h.N {
		if sum += h.NS[i]; sum >= ns || i == len(h.N)-1 {
			return n, true
		}
	}
	return 0, false
}

// Quantile returns the least number that was not exceeded for a share of the time.
func (h Held) Quantile(p stat.Prob) (number int64, ok bool) {
	return h.AtRank(max(1, p.Rank(h.Length())))
}
