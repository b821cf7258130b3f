package analyze

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical/engine"
)

// The methods of figures about gaps.
const (
	methodExact    = "exact" // of these gaps; nothing bounds it
	methodGroups   = "groups-resampled"
	methodThrough0 = "least-squares-through-0"
)

// How gaps are resampled.
const (
	mostBlocks      = 30
	fewestBlocks    = 10
	stallReplicates = 1000
)

// replicates returns how many resamples are asked for.
func (o Options) replicates() int {
	if o.Replicates > 0 {
		return o.Replicates
	}
	return stallReplicates
}

// quantiles computes the percentiles of the gaps by nearest rank. Their bounds are
// Woodruff's: blocks of time are resampled for the share of gaps up to the percentile, and
// the bounds of that share are ranks.
func (p *pool) quantiles(s *Stalling, clock stallClock, opt Options) {
	slices.SortFunc(p.gaps, func(a, b gapAt) int { return cmp.Or(cmp.Compare(a.ns, b.ns), cmp.Compare(a.start, b.start)) })
	values := make([]int64, len(p.gaps))
	for i, g := range p.gaps {
		values[i] = g.ns
	}
	cuts := p.cuts()
	for _, at := range gapPercentiles {
		q := stat.QuantileOf(values, at)
		// The bounds of order statistics take gaps to be independent, which they are not.
		q.HasLow, q.HasHigh, q.LowRank, q.HighRank, q.Low, q.High, q.Coverage = false, false, 0, 0, 0, 0, 0
		q.Warnings = slices.DeleteFunc(q.Warnings, func(w stat.Warning) bool { return w.ID == stat.NoUpper })
		switch {
		case !q.Known:
		case clock != commonClock || len(cuts) < fewestBlocks:
			q.Warnings = append(q.Warnings, stat.Warning{ID: NoInterval, Text: "gaps of one time are alike, and there are not enough separate times to bound the percentile"})
		default:
			p.woodruff(&q, values, cuts, opt)
		}
		s.Quantiles = append(s.Quantiles, q)
	}
}

// cuts returns the starts of blocks in which about as many streams begin; each block lasts
// until the next.
func (p *pool) cuts() (cuts []int64) {
	slices.Sort(p.starts)
	n := min(len(p.starts), mostBlocks)
	for b := range n {
		if at := p.starts[b*len(p.starts)/n]; len(cuts) == 0 || at > cuts[len(cuts)-1] {
			cuts = append(cuts, at)
		}
	}
	return cuts
}

// woodruff bounds a percentile. Gaps of equal length are divided among the blocks alike,
// whichever of them has the rank.
func (p *pool) woodruff(q *stat.Quantile, values []int64, cuts []int64, opt Options) {
	blocks := len(cuts)
	all, upTo := make([]float64, blocks), make([]float64, blocks)
	first, _ := slices.BinarySearch(values, q.Value)
	after, _ := slices.BinarySearch(values, q.Value+1)
	tie := float64(q.Rank-int64(first)) / float64(after-first)
	for i, g := range p.gaps {
		b, exact := slices.BinarySearch(cuts, g.start)
		if !exact {
			b = max(b-1, 0)
		}
		all[b]++
		switch {
		case i < first:
			upTo[b]++
		case i < after:
			upTo[b] += tie
		}
	}
	bounds := stat.PercentileBounds(resampledShares(upTo, all, opt), stat.Confidence)
	if math.IsNaN(bounds.Low) {
		return
	}
	size := float64(len(values))
	q.Coverage = stat.Confidence
	q.LowRank, q.HighRank = int64(math.Ceil(bounds.Low*size-.5)), int64(math.Ceil(bounds.High*size-.5))+1
	if q.HasLow = q.LowRank >= 1; q.HasLow {
		q.Low = values[q.LowRank-1]
	}
	if q.HasHigh = q.HighRank <= q.N; q.HasHigh {
		q.High = values[q.HighRank-1]
	} else {
		q.Warnings = append(q.Warnings, stat.Warning{ID: stat.NoUpper, Text: fmt.Sprintf("%s has no upper bound: resampled, all gaps may lie below", q.P)})
	}
}

// bound resamples blocks of whole groups of stalls for the shares of the parts. A group is
// never cut: what stalled together stays together.
func (p *pool) bound(s *Stalling, groups [][]stallAt, clock stallClock, opt Options) {
	switch {
	case s.Stalls == 0:
		s.Refused = "there are no stalls"
	case clock == noClock:
		s.Refused = "nothing says when the tokens came, only how far apart"
	case clock == manyClocks:
		s.Refused = "the engines have clocks that cannot be compared, so that nothing says which stalls came together"
	case len(groups) < fewestBlocks:
		s.Refused = fmt.Sprintf("the stalls form %s, resampling takes %d", plural(int64(len(groups)), "group"), fewestBlocks)
	}
	if s.Refused != "" {
		return
	}
	s.Blocks = min(len(groups), mostBlocks)
	sums := make([][engine.StallCauses]float64, s.Blocks)
	for i, g := range groups {
		b := i * s.Blocks / len(groups)
		for _, x := range g {
			for c, ns := range x.PartsNS {
				sums[b][c] += float64(ns)
			}
		}
	}
	n := opt.replicates()
	var shares [engine.StallCauses][]float64
	for c := range shares {
		shares[c] = make([]float64, n)
	}
	first := make([]int8, n)
	count := make([][]int32, max(opt.Workers, 1))
	for w := range count {
		count[w] = make([]int32, s.Blocks)
	}
	stat.Replicates(n, opt.Workers, func(w, r int) {
		stat.Draw(opt.Seed, r, s.Blocks, count[w])
		var part [engine.StallCauses]float64
		total := 0.0
		for b, times := range count[w] {
			for c, ns := range sums[b] {
				part[c] += float64(times) * ns
				total += float64(times) * ns
			}
		}
		best := engine.StallPrefill
		for c := range part {
			if shares[c][r] = part[c] / total; engine.StallCause(c) != engine.StallUntold && part[c] > part[best] {
				best = engine.StallCause(c)
			}
		}
		first[r] = int8(best)
	})
	for c := range s.Parts {
		part := &s.Parts[c]
		if bounds := stat.PercentileBounds(shares[c], stat.Confidence); !math.IsNaN(bounds.Low) {
			part.Share.HasBounds, part.Share.Bounds, part.Share.Method = true, bounds, methodGroups
		}
		n := 0
		for _, f := range first {
			if int(f) == c {
				n++
			}
		}
		part.First = float64(n) / float64(len(first))
	}
}

// resampledShares draws blocks of time as often as the options say, and returns the share of
// all that is part in each draw; not a number where that has none.
func resampledShares(part, all []float64, opt Options) []float64 {
	blocks, shares := len(all), make([]float64, opt.replicates())
	count := make([][]int32, max(opt.Workers, 1))
	for w := range count {
		count[w] = make([]int32, blocks)
	}
	stat.Replicates(len(shares), opt.Workers, func(w, r int) {
		stat.Draw(opt.Seed, r, blocks, count[w])
		var sum, of float64
		for b, times := range count[w] {
			sum += float64(float64(times) * part[b]) // rounded before it is added, on every machine
			of += float64(float64(times) * all[b])
		}
		shares[r] = sum / of
	})
	return shares
}
