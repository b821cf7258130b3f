package analyze

import (
	"cmp"
	"math"
	"slices"

	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/analyze/tokens"
	"github.com/tailpath/tailpath/critical/engine"
)

// ownGaps holds the gaps between tokens of the requests that objectives are about.
type ownGaps struct {
	all      []gapAt     // of one stream after the other
	streams  []ownStream // in the order of the engine's streams
	n        []int32     // gaps by row of the requests table; fewGaps for too few
	instants []int32     // by row
}

// ownStream is where the gaps of one stream lie, from one place to before another.
type ownStream struct {
	request, engine int32
	from, to        int
}

// fewGaps stands for a number of gaps too few to have a usual one.
const fewGaps = -1

// gather finds the gaps, if some limit is of them.
func (a *asking) gather() (g ownGaps) {
	limits := func(t filter.ObjectiveTerm) bool {
		return slices.ContainsFunc(t.Limits, func(l filter.MetricLimit) bool { return l.Metric == metricITL })
	}
	if !slices.ContainsFunc(a.ask.Objectives, func(o filter.Objective) bool { return slices.ContainsFunc(o.Terms, limits) }) {
		return g
	}
	requests := a.set.Requests.Len()
	g.n, g.instants = make([]int32, requests), make([]int32, requests)
	if a.opt.Engines == nil {
		return g
	}
	inside := a.isIn(a.rows)
	for _, row := range a.asked {
		inside[row] = true
	}
	newSpacing(a.set, a.opt.Engines).each(inside, func(s *engine.Stream, gaps []gapAt) {
		switch row := s.Request; {
		case len(gaps) > 0:
			from := len(g.all)
			g.all = append(g.all, gaps...)
			g.streams = append(g.streams, ownStream{row, s.Engine, from, len(g.all)})
			g.n[row] = max(g.n[row], 0) + int32(len(gaps))
			g.instants[row] += int32(len(gaps)) + 1
		case g.n[row] == 0:
			g.n[row] = fewGaps
		}
	})
	return g
}

// isIn says which rows of the requests table are among some.
func (a *asking) isIn(rows []int32) []bool {
	in := make([]bool, a.set.Requests.Len())
	for _, row := range rows {
		in[row] = true
	}
	return in
}

// lacks says why the gaps of a request cannot be asked; "" when they can.
func (g *ownGaps) lacks(row int32) string {
	switch {
	case g.n[row] == 0:
		return noInstants
	case g.n[row] == fewGaps:
		return fewInstants
	}
	return ""
}

// ownMeets says of each request that is asked whether a percentile of its own gaps keeps a
// limit: whether as many of them as the percentile's rank do.
func (a *asking) ownMeets(l *filter.MetricLimit, p stat.Prob, out []limited) {
	within := a.gaps.within(l)
	for i, row := range a.asked {
		if a.standings[i] != wasAnswered {
			continue
		}
		if why := a.gaps.lacks(row); why != "" {
			out[i] = out[i].and(limited{why: a.number(l.Metric + ": " + why)})
			continue
		}
		good := int64(within[row]) >= max(1, p.Rank(int64(a.gaps.n[row])))
		out[i] = out[i].and(limited{good: good, sure: good, might: good})
	}
}

// within counts the gaps that keep a limit, by row of the requests table.
func (g *ownGaps) within(l *filter.MetricLimit) []int32 {
	n := make([]int32, len(g.n))
	for _, s := range g.streams {
		for _, gap := range g.all[s.from:s.to] {
			if within(l, gap.ns) {
				n[s.request]++
			}
		}
	}
	return n
}

// weighedGap is a gap with the weight of its request.
type weighedGap struct {
	gapAt
	weight float64
}

// pooled asks a percentile of all gaps of the requests of the population. Gaps of one time
// are alike, so blocks of time are resampled for the bounds of the share that keeps the limit.
// Those of so many independent gaps bound what the resamples cannot show: the gaps that were
// never seen.
func (a *asking) pooled(out *ObjectiveTerm) {
	l, p := out.Term.Limits[0], stat.Prob(out.Term.P)
	out.Of = OfGaps
	var without undefinedCounter
	for _, row := range a.rows {
		if why := a.gaps.lacks(row); why != "" {
			without.count(why)
		}
	}
	out.Undefined = without.list()
	list, pool := a.pool()
	s := attained{weighted: a.sampling.Kind == SamplingWeighted, kept: a.sampling}
	for _, g := range list {
		good := within(&l, g.ns)
		s.add(limited{good: good, sure: good, might: good}, g.weight)
	}
	out.Attainment = s.estimate()
	cuts := pool.cuts()
	timed := clockOfStalls(pool.engines) == commonClock && len(cuts) >= fewestBlocks
	switch {
	case s.n == 0:
		out.Observed = stat.QuantileOf(nil, p)
		return
	case s.weighted:
		values := make([]weighed, len(list))
		for i, g := range list {
			values[i] = weighed{g.ns, g.weight}
		}
		out.Observed = weightedQuantile(values, p)
	default:
		out.Observed = pool.quantile(p, cuts, timed, a.opt)
	}
	e := &out.Attainment
	a.warnChunks(out)
	if !timed {
		e.HasBounds, e.Bounds = false, stat.Bounds{}
		e.Warnings = append(e.Warnings, stat.Warning{ID: NoInterval, Text: tooAlike + "share"})
		return
	}
	bounds := blockShare(list, &l, cuts, s.weighted, a.opt)
	if math.IsNaN(bounds.Low) {
		out.Need = s.need(p)
		return
	}
	e.Method = MethodBlocks
	out.Need = needOfBoth(&s, e, bounds, p)
	e.Bounds = stat.Bounds{Low: min(e.Bounds.Low, bounds.Low), High: max(e.Bounds.High, bounds.High)}
}

// pooledGaps says that a term is a percentile of all gaps.
func pooledGaps(t filter.ObjectiveTerm) bool {
	return !t.Joint && len(t.Limits) == 1 && t.Limits[0].Metric == metricITL
}

// OwnGaps is the id of the warning that a request is good by its own gaps, where the term is
// of all gaps.
const OwnGaps = "own-gaps"

func ownGapsWarning(t filter.ObjectiveTerm) stat.Warning {
	p := "p" + t.P.String()
	return stat.Warning{ID: OwnGaps, Text: "whether a request is good by " + t.String() + " is asked of the " + p +
		" of its own gaps, and the term of all gaps, pooled: either may hold where the other does not"}
}

// warnChunks warns of gaps that are no gaps between tokens, in a term that has a limit of them.
func (a *asking) warnChunks(out *ObjectiveTerm) {
	if !slices.ContainsFunc(out.Term.Limits, func(l filter.MetricLimit) bool { return l.Metric == metricITL }) {
		return
	}
	var in, n int64
	for _, row := range a.rows {
		if a.gaps.lacks(row) != "" {
			continue
		}
		if n++; inChunks(a.set.Requests.OutputTokens[row], int64(a.gaps.instants[row])) {
			in++
		}
	}
	if in > 0 {
		out.Attainment.Warnings = append(out.Attainment.Warnings, stat.Warning{ID: Chunks, Text: chunksText(in, n)})
	}
}

// tooAlike says why nothing bounds a figure of gaps.
const tooAlike = "gaps of one time are alike, and there are not enough separate times to bound the "

// pool returns the gaps of the population, by length and start.
func (a *asking) pool() ([]weighedGap, *pool) {
	p := &pool{}
	if a.opt.Engines != nil {
		p.engines = newEngineGaps(a.opt.Engines)
	}
	inside := a.isIn(a.rows)
	var list []weighedGap
	for _, s := range a.gaps.streams {
		if !inside[s.request] {
			continue
		}
		p.starts = append(p.starts, a.gaps.all[s.from].start)
		p.engines[s.engine].Gaps += int64(s.to - s.from)
		w := a.weight(s.request)
		for _, gap := range a.gaps.all[s.from:s.to] {
			list = append(list, weighedGap{gap, w})
		}
	}
	slices.SortFunc(list, func(a, b weighedGap) int {
		return cmp.Or(cmp.Compare(a.ns, b.ns), cmp.Compare(a.start, b.start), cmp.Compare(a.weight, b.weight))
	})
	p.gaps = make([]gapAt, len(list))
	for i, g := range list {
		p.gaps[i] = g.gapAt
	}
	return list, p
}

// quantile returns a percentile of pooled gaps, bounded as those of [Stalling] are.
func (p *pool) quantile(at stat.Prob, cuts []int64, timed bool, opt Options) stat.Quantile {
	values := make([]int64, len(p.gaps))
	for i, g := range p.gaps {
		values[i] = g.ns
	}
	q := stat.QuantileOf(values, at)
	q.HasLow, q.HasHigh, q.LowRank, q.HighRank, q.Low, q.High, q.Coverage = false, false, 0, 0, 0, 0, 0
	q.Warnings = slices.DeleteFunc(q.Warnings, func(w stat.Warning) bool { return w.ID == stat.NoUpper })
	switch {
	case !q.Known:
	case !timed:
		q.Warnings = append(q.Warnings, stat.Warning{ID: NoInterval, Text: tooAlike + "percentile"})
	default:
		p.woodruff(&q, values, cuts, opt)
	}
	return q
}

// blockShare bounds the share of the gaps that keep a limit, by their weights or not, each
// bound with 95 %.
func blockShare(list []weighedGap, l *filter.MetricLimit, cuts []int64, weighted bool, opt Options) stat.Bounds {
	blocks := len(cuts)
	all, good := make([]float64, blocks), make([]float64, blocks)
	for _, g := range list {
		b, exact := slices.BinarySearch(cuts, g.start)
		if !exact {
			b = max(b-1, 0)
		}
		w := 1.0
		if weighted {
			w = g.weight
		}
		if all[b] += w; within(l, g.ns) {
			good[b] += w
		}
	}
	return stat.PercentileBounds(resampledShares(good, all, opt), stat.ExpandedConfidence(blocks, confidence))
}

// needOfBoth returns how many gaps would decide by what bounds independent gaps and by what
// bounds blocks of time; 0 where one of them would not with any number.
func needOfBoth(s *attained, e *stat.Estimate, blocks stat.Bounds, p stat.Prob) int64 {
	need := s.n + 1
	single := *e
	if decided(single, p) == tokens.Inconclusive {
		n := s.need(p)
		if n == 0 {
			return 0
		}
		need = max(need, n)
	}
	n, ok := needOfBlocks(e.Value, blocks, p, s.n)
	if !ok {
		return 0
	}
	return max(need, n)
}

// needOfBlocks returns how many gaps would decide, as far as resampled bounds tell: they draw
// nearer with the root of the number. It is 0 where the bounds decide, and false where no
// number within reach would.
func needOfBlocks(value float64, bounds stat.Bounds, p stat.Prob, n int64) (need int64, ok bool) {
	wanted := p.Float()
	distance := 0.0
	switch {
	case value == wanted:
		return 0, false
	case value > wanted && bounds.Low < wanted:
		distance = (value - bounds.Low) / (value - wanted)
	case value < wanted && bounds.High >= wanted:
		distance = (bounds.High - value) / (wanted - value)
	}
	v := math.Ceil(float64(n) * distance * distance)
	if v > mostNeeded*100 {
		return 0, false
	}
	return int64(v), true
}
