package engine

import "math"

// Interference says, of all gaps between tokens at one engine, whether long ones go with
// prefills of others more often than chance would have it.
type Interference struct {
	Association
	Requests     int64 // with instants of tokens
	AttributedNS int64 // of all stalls
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
	seg := &t.set.Segments
	if !t.engines[engine].timed() {
		return Interference{OverlappedNS: math.NaN(), ClearNS: math.NaN()}
	}
	for from := 0; from < seg.Len(); {
		to := t.block(seg, from)
		if seg.Target[t.row(from)] == targetEnd && t.visits(from, to, engine) {
			for _, d := range t.decodes(from, to) {
				if d.engine != engine {
					continue
				}
				gaps := t.gaps(&d)
				if len(gaps) > 0 {
					out.Requests++
				}
				for _, g := range gaps {
					hit := g.overlapped()
					out.book(g.stalled, hit)
					out.AttributedNS += g.attributed()
					if hit {
						overlapped, with = overlapped+float64(g.end-g.start), with+1
					} else {
						clear, without = clear+float64(g.end-g.start), without+1
					}
				}
			}
		}
		from = to
	}
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
