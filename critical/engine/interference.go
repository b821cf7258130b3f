package engine

import (
	"math"
	"math/bits"
)

// Interference says, of all gaps between tokens at one engine, whether long ones go with
// prefills of others more often than chance would have it.
type Interference struct {
	Association
	Requests     int64 // with instants of tokens
	AttributedNS int64 // of all stalls, to the prefills of others
	// OverlappedNS and ClearNS are the mean gaps with and without a prefill of others for
	// half of it, in ns; NaN when there are none. Where prefills are cut into chunks there
	// are no stalls, and their ratio tells instead.
	OverlappedNS, ClearNS float64
}

// Association counts gaps by two properties.
type Association struct {
	Stalls, StallsOverlapped int64
	Calm, CalmOverlapped     int64
}

// Lift is the share of stalls that are overlapped over that of the other gaps; NaN when
// either is of nothing, +Inf when no other gap is overlapped.
func (a Association) Lift() float64 {
	return float64(a.StallsOverlapped) / float64(a.Stalls) / (float64(a.CalmOverlapped) / float64(a.Calm))
}

// OddsRatio is the odds of a stall to be overlapped over those of another gap.
func (a Association) OddsRatio() float64 {
	return float64(a.StallsOverlapped) * float64(a.Calm-a.CalmOverlapped) / (float64(a.Stalls-a.StallsOverlapped) * float64(a.CalmOverlapped))
}

// P is the probability that at least as many stalls were overlapped if it had nothing to
// do with stalling: Fisher's exact test, one-sided. It is 1 without stalls.
func (a Association) P() float64 {
	all, hit := a.Stalls+a.Calm, a.StallsOverlapped+a.CalmOverlapped
	p := 0.0
	for k := a.StallsOverlapped; k <= min(a.Stalls, hit); k++ {
		if hit-k > a.Calm {
			continue
		}
		p += math.Exp(choose(a.Stalls, k) + choose(a.Calm, hit-k) - choose(all, hit))
	}
	return min(p, 1)
}

// choose returns the logarithm of n over k.
func choose(n, k int64) float64 {
	gamma := func(x int64) float64 {
		v, _ := math.Lgamma(float64(x) + 1)
		return v
	}
	return gamma(n) - gamma(k) - gamma(n-k)
}

// Interference measures the gaps between tokens of every request on its path to the end
// at one engine.
func (t *Timelines) Interference(engine int32) Interference {
	var out Interference
	var overlapped, clear, with, without float64
	if !t.engines[engine].timed() {
		return Interference{OverlappedNS: math.NaN(), ClearNS: math.NaN()}
	}
	t.measure(t.streams(engine), func(s *Stream) {
		if s.Gaps != nil {
			out.Requests++
		}
		for i := range s.Gaps {
			g := &s.Gaps[i]
			hit := g.Overlapped()
			out.book(g.Stalled, hit)
			out.AttributedNS += g.PartsNS[StallPrefill]
			if hit {
				overlapped, with = overlapped+float64(g.End-g.Start), with+1
			} else {
				clear, without = clear+float64(g.End-g.Start), without+1
			}
		}
	})
	out.OverlappedNS, out.ClearNS = overlapped/with, clear/without
	return out
}

// visits reports whether a path leads through an engine.
func (t *Timelines) visits(from, to int, engine int32) bool {
	for k := from; k < to; k++ {
		if t.at[t.row(k)] == engine {
			return true
		}
	}
	return false
}

// book counts one gap.
func (a *Association) book(stalled, overlapped bool) {
	n, hit := &a.Calm, &a.CalmOverlapped
	if stalled {
		n, hit = &a.Stalls, &a.StallsOverlapped
	}
	*n++
	if overlapped {
		*hit++
	}
}

// How far prefills are shifted to see what chance would do, in ns: by more than the longest
// stall, so that none meets its own prefill, and by little enough for the load to be alike.
const (
	shiftRange = 60_000_000_000
	shiftRatio = 20 // times the longest stall, if that is more
)

// golden is the golden ratio less 1, as a fraction of 2^64.
const golden = 0x9E3779B97F4A7C15

// Chance returns the probability that as many of some stalls at an engine are overlapped by
// prefills for half of them or more, if stalls and prefills had nothing to do with each
// other: the prefills are shifted in time, as a whole and round in a circle, to and fro by up
// to a minute, and p is (1 + shifts with at least as many) / (1 + shifts). The shifts are
// spread evenly over that range without a step in common, and are the same every time.
// Unlike a test of gaps one by one, it holds for stalls that come together, for long gaps,
// and where prefills fill most of the time. It is 1 without stalls or times to compare.
func (t *Timelines) Chance(engine int32, stalls []Gap, shifts int) float64 {
	l := &t.engines[engine]
	if !l.timed() || len(stalls) == 0 || len(l.steps.at) == 0 {
		return 1
	}
	longest := int64(1)
	for i := range stalls {
		longest = max(longest, stalls[i].End-stalls[i].Start)
	}
	observed := l.overlapped(stalls, 0)
	atLeast := 0
	for k := range shifts {
		// Multiples of the golden ratio, less their whole part, lie evenly between 0 and 1.
		spread, _ := bits.Mul64(uint64(k+1)*golden, uint64(max(shiftRange, shiftRatio*longest)))
		by := longest + int64(spread)
		if k%2 == 1 {
			by = -by
		}
		if l.overlapped(stalls, by) >= observed {
			atLeast++
		}
	}
	return float64(1+atLeast) / float64(1+shifts)
}

// overlapped counts the stalls that prefills overlap for half of them or more, with the
// stalls shifted round in the time of the engine.
func (l *timeline) overlapped(stalls []Gap, by int64) (n int) {
	first, last := l.steps.at[0], l.steps.at[len(l.steps.at)-1]
	around := max(last-first, 1)
	prefilled := func(from, to int64) int64 {
		return l.steps.within(l.steps.prefill, l.isPrefilling, from, to, false)
	}
	for i := range stalls {
		length := stalls[i].End - stalls[i].Start
		at := first + ((stalls[i].Start-first+by)%around+around)%around
		ns := prefilled(at, at+length)
		if over := at + length - last; over > 0 {
			ns += prefilled(first, min(first+over, last))
		}
		if ns > 0 && 2*ns >= length {
			n++
		}
	}
	return n
}
