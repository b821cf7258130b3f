package analyze

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/analyze/tokens"
)

// gapRun is a number of equal gaps of one request.
type gapRun struct {
	ns, n int64
	row   int32
}

// fewChunks says of a request that it has no gap between chunks.
const fewChunks = "fewer than two chunks"

// gapsOf returns the gaps of the request in a row by a definition, or why it has none.
func (m *measured) gapsOf(id string, row int32) (runs []gapRun, why string) {
	s := m.stream(row)
	each := func(gaps []int64) {
		for _, ns := range gaps {
			runs = append(runs, gapRun{ns, 1, row})
		}
	}
	why = s.why
	switch {
	case id == gapsOfAnyChunks && s.Stream != nil:
		each(s.AnyChunkGaps())
		why = fewChunks
	case !s.counted:
	case id == gapsOfChunks:
		each(s.ChunkGaps())
		why = fewChunks
	case id == gapsOfTokens:
		for _, r := range s.Runs() {
			runs = append(runs, gapRun{r.GapNS, r.N, row})
		}
		why = tokens.OneToken
	}
	if len(runs) > 0 {
		why = ""
	}
	return runs, why
}

// pooled takes the gaps of all requests by one definition. A request weighs as much as it has
// gaps.
func (m *measured) pooled(d Definition, rows []int32, blocks timeBlocks, sampling Sampling, opt Options) Measure {
	out := Measure{Definition: d, Unit: unitTime, Scale: 1, Of: OfGaps, Percentiles: Percentiles{Metric: d.ID}}
	var without undefinedCounter
	var pool gapPool
	for _, row := range rows {
		runs, why := m.gapsOf(d.ID, row)
		if why != "" {
			without.count(why)
			continue
		}
		out.Requests++
		for _, r := range runs {
			pool.n += r.n
		}
		pool.runs = append(pool.runs, runs...)
	}
	slices.SortFunc(pool.runs, func(a, b gapRun) int {
		req := &m.set.Requests
		return cmp.Or(cmp.Compare(a.ns, b.ns), cmp.Compare(a.n, b.n), slices.Compare(req.TraceID[a.row][:], req.TraceID[b.row][:]),
			slices.Compare(req.RootSpanID[a.row][:], req.RootSpanID[b.row][:]))
	})
	mean := blocks.mean()
	for _, r := range pool.runs {
		mean.add(r.row, float64(r.ns)*float64(r.n), float64(r.n))
	}
	out.Mean = mean.estimate(opt)
	out.N, out.Undefined, out.Mean.N = pool.n, without.list(), pool.n
	for _, at := range opt.Percentiles {
		out.Quantiles = append(out.Quantiles, Percentile{Quantile: pool.quantile(at, mean, opt)})
	}
	out.ByRule = opt.namedBy(pool.n, pool.at)
	if sampling.Biased() || sampling.Kind == SamplingWeighted {
		out.Mean.Warnings = append(out.Mean.Warnings, stat.Warning{ID: KeptTraces, Text: keptTraces})
	}
	return out
}

// gapPool is the gaps of many requests, in order of length.
type gapPool struct {
	runs []gapRun
	n    int64
}

// at returns the gap at a rank.
func (p *gapPool) at(rank int64) int64 {
	var seen int64
	for _, r := range p.runs {
		if seen += r.n; seen >= rank {
			return r.ns
		}
	}
	return p.runs[len(p.runs)-1].ns
}

// quantile returns a percentile of the gaps. Gaps of one request, and of one time, are alike:
// blocks of time are resampled for the share of gaps up to the percentile, and the bounds of
// that share are ranks (Woodruff).
func (p *gapPool) quantile(at stat.Prob, mean *blockMean, opt Options) stat.Quantile {
	least := stat.Minimum(at)
	q := stat.Quantile{P: at, N: p.n, Method: stat.MethodNearestRank, Need: least.OneSided}
	if p.n < least.OneSided {
		q.Warnings = []stat.Warning{{ID: stat.TooFew, Text: fmt.Sprintf("%s needs at least %d values and there are %d", at, least.OneSided, p.n)}}
		return q
	}
	q.Known, q.Rank = true, max(1, at.Rank(p.n))
	q.Value = p.at(q.Rank)
	held := slices.DeleteFunc(slices.Clone(mean.all), func(n float64) bool { return n == 0 })
	if len(held) < fewestBlocks {
		text := mean.blocks.refused
		if text == "" {
			text = tooAlike + "percentile"
		}
		q.Warnings = append(q.Warnings, stat.Warning{ID: NoInterval, Text: text})
		return q
	}
	p.bound(&q, mean, opt)
	return q
}

// bound gives a percentile its bounds. Equal gaps are divided among the blocks alike,
// whichever of them has the rank.
func (p *gapPool) bound(q *stat.Quantile, mean *blockMean, opt Options) {
	upTo := make([]float64, mean.blocks.n)
	var below, equal int64
	for _, r := range p.runs {
		switch {
		case r.ns < q.Value:
			below += r.n
		case r.ns == q.Value:
			equal += r.n
		}
	}
	tie := float64(q.Rank-below) / float64(equal)
	for _, r := range p.runs {
		at := mean.blocks.of[r.row]
		switch {
		case r.ns < q.Value:
			upTo[at] += float64(r.n)
		case r.ns == q.Value:
			upTo[at] += float64(float64(r.n) * tie)
		}
	}
	bounds := stat.PercentileBounds(resampledShares(upTo, mean.all, opt), stat.Confidence)
	if math.IsNaN(bounds.Low) {
		q.Warnings = append(q.Warnings, stat.Warning{ID: NoInterval, Text: tooAlike + "percentile"})
		return
	}
	size := float64(p.n)
	q.Coverage = stat.Confidence
	q.LowRank, q.HighRank = int64(math.Ceil(bounds.Low*size-.5)), int64(math.Ceil(bounds.High*size-.5))+1
	if q.HasLow = q.LowRank >= 1; q.HasLow {
		q.Low = p.at(q.LowRank)
	}
	if q.HasHigh = q.HighRank <= q.N; q.HasHigh {
		q.High = p.at(q.HighRank)
		return
	}
	q.Warnings = append(q.Warnings, stat.Warning{ID: stat.NoUpper, Text: fmt.Sprintf("%s has no upper bound: resampled, all gaps may lie below", q.P)})
}
