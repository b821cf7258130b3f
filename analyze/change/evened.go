package change

import (
	"math"
	"slices"

	"github.com/tailpath/tailpath/analyze/stat"
)

// mostUnmatched is the share of requests without a counterpart, on either side, above
// which workload and server cannot be told apart: what is left is no longer most of them.
const mostUnmatched = 0.5

// evened holds both sides at equal workload: as they are, and weighted so that every
// workload cell has the share that it has on the other side.
type evened struct {
	matched, weighted [sides]*ladder
	n                 [sides]int64 // requests with a counterpart
}

// newEvened returns nil when the workload is not compared or too many requests have no
// counterpart.
func newEvened(samples [sides]*Sample, plain [sides]*ladder) *evened {
	if samples[Base].Cell == nil || samples[New].Cell == nil {
		return nil
	}
	var counts [sides][]int64
	var matched [sides]int64
	for s, x := range samples {
		for _, c := range x.Cell {
			if c < 0 {
				continue
			}
			for len(counts[s]) <= int(c) {
				counts[s] = append(counts[s], 0)
			}
			counts[s][c]++
		}
	}
	// A cell may have lost all requests of one side, which do not have this latency.
	common := min(len(counts[Base]), len(counts[New]))
	both := func(c int32) bool {
		return c >= 0 && int(c) < common && counts[Base][c] > 0 && counts[New][c] > 0
	}
	for s, x := range samples {
		for _, c := range x.Cell {
			if both(c) {
				matched[s]++
			}
		}
		if n := len(x.Cell); n == 0 || matched[s] == 0 || float64(int64(n)-matched[s]) > mostUnmatched*float64(n) {
			return nil
		}
	}
	e := &evened{n: matched}
	for s, x := range samples {
		l, other := plain[s], 1-s
		alike, weight := make([]float64, len(x.Cell)), make([]float64, len(x.Cell))
		for i, c := range x.Cell {
			if !both(c) {
				continue
			}
			alike[i] = 1
			// Products of counts are exact: equal shares give exactly 1.
			weight[i] = float64(float64(counts[other][c])*float64(matched[s])) / float64(float64(counts[s][c])*float64(matched[other]))
		}
		if e.matched[s] = l; matched[s] < int64(len(x.Cell)) {
			e.matched[s] = newLadder(x.Value, nil, l.block, alike, l.blocks)
		}
		e.weighted[s] = newLadder(x.Value, nil, l.block, weight, l.blocks)
	}
	return e
}

// quantiles returns a percentile of a side as it is and at the workload of the other.
func (e *evened) quantiles(s int, m []float64, p stat.Prob) (as, at float64) {
	return e.matched[s].quantile(m, p), e.weighted[s].quantile(m, p)
}

// figures writes for each percentile the logarithms whose difference is that of the
// ratio at equal workload.
func (e *evened) figures(m [sides][]float64, ps []stat.Prob, base, new []float64) {
	for i, p := range ps {
		for s, out := range [sides][]float64{base, new} {
			as, at := e.quantiles(s, m[s], p)
			out[i] = (math.Log(as) + math.Log(at)) / 2
		}
	}
}

// workload fills in the split of every percentile that both sides have.
func (c *comparison) workload(ps []Percentile) {
	for i := range ps {
		q := &ps[i]
		if !q.bothValues {
			continue
		}
		var as, at [sides]float64
		for s, l := range c.ladders {
			as[s], at[s] = c.even.quantiles(s, ones(l.blocks), q.P)
		}
		if slices.Min(append(as[:], at[:]...)) <= 0 {
			continue // there is no ratio to a time of 0
		}
		change := float64(q.New.Value - q.Base.Value)
		w := &WorkOrServer{
			Workload:  ((at[Base] - as[Base]) + (as[New] - at[New])) / 2,
			Server:    ((as[New] - at[Base]) + (at[New] - as[Base])) / 2,
			Unmatched: change - (as[New] - as[Base]),
		}
		e, chance := c.estimate(c.atWork+i, c.point[New][c.atWork+i]-c.point[Base][c.atWork+i], c.ofQuantile[i])
		if !q.ample() {
			e, chance = few(e), 1
		}
		w.Ratio, w.Chance, w.Outcome = ratioOf(telling(e)), chance, Same
		switch large := c.o.Rule.large(q.P, e.Value, w.Server, float64(min(q.Base.Value, q.New.Value))); {
		case !q.ample():
			w.Outcome = TooFew
		case !large || !excludes0(e):
		case e.Value > 0:
			w.Outcome = Slower
		default:
			w.Outcome = Faster
		}
		q.Workload = w
	}
}

// large reports whether a change counts: of the logarithm of the ratio, and in ns, of
// values of which the smaller is given.
func (r Rule) large(p stat.Prob, log, ns, smaller float64) bool {
	const rounding = 1e-12
	return math.Abs(log) >= math.Log1p(r.least(p))-rounding && math.Abs(ns) >= min(float64(r.FloorNS), r.FloorShare*smaller)
}

func ones(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = 1
	}
	return out
}
