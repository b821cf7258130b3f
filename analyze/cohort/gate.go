package cohort

import (
	"cmp"
	"math/bits"
	"slices"
)

// gate decides which values of an attribute are worth telling.
type gate struct {
	b            *binned
	n            *counted
	o            Options
	nSlow, nRest int64
}

// alpha is the probability up to which a single value counts as more frequent among the
// slow requests. It says which value of an attribute it is; whether the attribute differs
// at all is decided over all attributes.
const alpha = 0.05

// leastStrata is on how many buckets of time a finding must stand, if there are as many: an
// incident with sharp ends has two buckets in which what came and went with it differs.
const leastStrata = 3

// candidates returns the values that pass among requests of the same time, and those that
// pass regardless of it, each with the largest difference first.
func (g *gate) candidates() (adjusted, regardless []candidate) {
	slow, rest := g.n.weighted()
	g.runs(slow, rest, func(from, to int) {
		if f := g.finding(from, to); g.passes(&f.Adjusted) {
			if f.Why = g.standsOn(&f); f.Why != WhyNotDecided {
				f.Score = g.b.CrudeScore
			}
			adjusted = append(adjusted, candidate{f, g.has(from, to)})
		}
	})
	for v, x := range g.b.Values {
		slow[v], rest[v] = float64(x.Slow), float64(x.Rest)
	}
	g.runs(slow, rest, func(from, to int) {
		f := g.finding(from, to)
		if g.n.st.N == 1 || !g.passes(&f.Crude) {
			return
		}
		if f.Why = g.standsOn(&f); f.Why != WhyNoOverlap {
			f.Why = WhySameTime
		}
		f.Score = g.b.CrudeScore
		regardless = append(regardless, candidate{f, g.has(from, to)})
	})
	for _, list := range [][]candidate{adjusted, regardless} {
		slices.SortStableFunc(list, func(a, b candidate) int {
			return cmp.Compare(b.decides().Difference.Value, a.decides().Difference.Value)
		})
	}
	return adjusted, regardless
}

// runs calls f for every value that is MinLift times as frequent among the slow requests.
// Neighbouring ranges that are so are taken as one.
func (g *gate) runs(slow, rest []float64, f func(from, to int)) {
	var nSlow, nRest float64
	for v := range slow {
		nSlow, nRest = nSlow+slow[v], nRest+rest[v]
	}
	if nSlow == 0 || nRest == 0 {
		return
	}
	lifted := func(v int) bool { return slow[v] > 0 && lift(slow[v]/nSlow, rest[v]/nRest) >= g.o.MinLift }
	for v := 0; v < len(slow); v++ {
		if !lifted(v) {
			continue
		}
		from := v
		for v+1 < g.b.ordered && lifted(v+1) {
			v++
		}
		f(from, v+1)
	}
}

// finding compares the values from and up to below to, taken as one.
func (g *gate) finding(from, to int) Finding {
	f := Finding{Attribute: g.b.Name, Value: g.b.Values[from], Score: g.b.Score}
	if to-from > 1 {
		f.Value = Value{Kind: Range, Low: g.b.bound[from], High: g.b.bound[to]}
		for _, v := range g.b.Values[from:to] {
			f.Value.Slow, f.Value.Rest = f.Value.Slow+v.Slow, f.Value.Rest+v.Rest
		}
	}
	f.Crude = crude(f.Value.Slow, f.Value.Rest, g.nSlow, g.nRest)
	f.Adjusted = f.Crude
	if g.n.st.N > 1 {
		f.Adjusted = g.n.adjusted(from, to, f.Value.Slow, g.nSlow)
	}
	f.Strata = g.n.spread(from, to)
	return f
}

// passes applies the gates to a contrast. The test and the interval that is shown take the counts
// in different ways, and with few of them either may see more than the other: both must tell the
// difference from chance.
func (g *gate) passes(c *Contrast) bool {
	return c.Slow >= g.o.MinSupport && c.Lift >= g.o.MinLift && c.Difference.Value >= g.o.MinDifference && c.P <= alpha &&
		c.Difference.HasBounds && c.Difference.Bounds.Low > 0
}

// standsOn says whether a finding can be told from the time of an incident: enough of its
// slow requests are compared with others of the same time, and in more than a moment.
func (g *gate) standsOn(f *Finding) Why {
	st := g.n.st
	switch {
	case !st.overlaps(g.nSlow) || 2*f.Adjusted.Slow < f.Value.Slow:
		return WhyNoOverlap
	case f.Strata < min(leastStrata, float64(st.Both)/2):
		return WhyOneMoment
	}
	return WhyNotDecided
}

// spread returns on how many buckets the excess of slow requests with some values stands:
// k when k buckets contribute alike and the others nothing. It is also the statistic of a
// test that takes buckets, and not requests, for independent.
func (c *counted) spread(from, to int) float64 {
	var sum, squares float64
	c.each(from, to, func(x one) {
		d := x.slowWith - x.expected()
		sum += d
		squares += float64(d * d)
	})
	if squares == 0 {
		return 0
	}
	return sum * sum / squares
}

// has marks the requests that have one of the values from and up to below to.
func (g *gate) has(from, to int) []uint64 {
	out := make([]uint64, (len(g.b.code)+63)/64)
	for i, v := range g.b.code {
		if int(v) >= from && int(v) < to {
			out[i/64] |= 1 << (i % 64)
		}
	}
	return out
}

// ones counts the bits that are set.
func ones(x uint64) int64 { return int64(bits.OnesCount64(x)) }
