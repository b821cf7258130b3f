package analyze

import (
	"fmt"

	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/analyze/stat"
)

// gapPercentile judges a percentile of all gaps between tokens, pooled. Gaps of one time are
// alike, so blocks of time are resampled for its bounds, as for those of [Stalling]; and what
// resamples cannot show, the gaps that were never seen, bound as many independent gaps.
func (j *judge) gapPercentile(r *Judgement) {
	p := stat.Prob(r.Condition.P)
	r.Method = MethodBlocks
	weighted := j.s.Population.Sampling.Kind == SamplingWeighted
	list, pool := j.gaps()
	r.N = int64(len(list))
	if r.N == 0 {
		r.Why = "no gap between tokens is known"
		return
	}
	if weighted {
		values := make([]weighed, len(list))
		for i, g := range list {
			values[i] = weighed{g.ns, g.weight}
		}
		if q := weightedQuantile(values, p); q.Known {
			r.Known, r.Observed = true, float64(q.Value)
		}
		r.Method, r.Why = stat.MethodWeighted, allRequests+": nothing bounds a percentile of gaps by weights"
		return
	}
	cuts := pool.cuts()
	timed := clockOfStalls(pool.engines) == commonClock && len(cuts) >= fewestBlocks
	q := pool.quantile(p, cuts, timed, j.opt)
	if q.Known {
		r.Known, r.Observed = true, float64(q.Value)
	}
	if !timed {
		r.Why = tooAlike + "percentile"
		return
	}
	ranks := stat.OrderInterval(r.N, p, stat.Confidence)
	low, high := min(q.LowRank, ranks.Low), max(q.HighRank, ranks.High)
	r.Confidence = stat.Confidence
	if r.HasLow = q.HasLow && low >= 1; r.HasLow {
		r.Low = float64(list[low-1].ns)
	}
	if r.HasHigh = q.HasHigh && high <= r.N; r.HasHigh {
		r.High = float64(list[high-1].ns)
	}
	if r.decide(); r.Outcome != Inconclusive {
		return
	}
	if r.Why = "the limit lies between the bounds"; !r.HasHigh {
		r.Why = fmt.Sprintf("%s has no upper bound: of so few gaps all may lie below", p)
	}
}

// gaps returns the gaps of the population, by length.
func (j *judge) gaps() ([]weighedGap, *pool) {
	if j.pool == nil {
		ofGaps := filter.Objective{Terms: []filter.ObjectiveTerm{{P: filter.Percent(stat.P50), Limits: []filter.MetricLimit{{Metric: metricITL}}}}}
		a := newAsking(j.set, j.rows, j.s.Population, j.opt, CapacityOptions{Objectives: []filter.Objective{ofGaps}})
		j.pooled, j.pool = a.pool()
	}
	return j.pooled, j.pool
}
