package analyze

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical/stage"
)

// allRequests says of a figure that sampling weights make it one of all requests.
const allRequests = "for all requests, by weights"

// MethodWeighted is that of bounds of a percentile by sampling weights: MethodOrder with as
// many requests of equal weight as the sample is worth.
const MethodWeighted = "weighted-order-statistics"

// weighed is a value in ns with the weight of its request.
type weighed struct {
	ns     int64
	weight float64
}

// weighedValues returns the values of a metric in ns, ascending, with their weights.
func (j *judge) weighedValues(metric string) (sorted []int64, weights []float64) {
	rows, value := j.measured(metric)
	list := make([]weighed, len(rows))
	for i, row := range rows {
		list[i] = weighed{value[row], j.set.Requests.Weight[row]}
	}
	slices.SortFunc(list, func(a, b weighed) int { return cmp.Or(cmp.Compare(a.ns, b.ns), cmp.Compare(a.weight, b.weight)) })
	for _, w := range list {
		sorted, weights = append(sorted, w.ns), append(weights, w.weight)
	}
	return sorted, weights
}

// weightedPercentile judges a percentile of all requests, kept or not, each of which has a
// sampling weight: by the bounds of order statistics of as many requests as these are worth
// there, read off at the same parts of the weight.
func (j *judge) weightedPercentile(r *Judgement) {
	sorted, weights := j.weighedValues(r.Condition.Metric)
	p := stat.Prob(r.Condition.P)
	r.N, r.Method, r.Confidence = int64(len(sorted)), MethodWeighted, confidence
	if len(sorted) == 0 {
		r.Why = "no request has one"
		return
	}
	if q := stat.WeightedQuantileOf(sorted, weights, p); q.Known {
		r.Known, r.Observed = true, float64(q.Value)
	}
	worth := worthAt(weights, int(stat.WeightedRank(weights, p)))
	at := func(rank int64) float64 {
		return float64(sorted[stat.WeightedRank(weights, stat.Prob{Num: rank, Den: worth})-1])
	}
	ranks := stat.OrderInterval(worth, p, confidence)
	if r.HasLow = ranks.Low >= 1; r.HasLow {
		r.Low = at(ranks.Low)
	}
	if r.HasHigh = ranks.High <= worth; r.HasHigh {
		r.High = at(ranks.High)
	}
	switch r.decide(); {
	case r.Outcome != Inconclusive:
		r.Why = allRequests
	case !r.HasHigh:
		r.Why = fmt.Sprintf("%s: %s takes %d requests of equal weight to be bounded from above, and these are worth %d", allRequests, p, stat.Minimum(p).OneSided, worth)
	default:
		r.Why = allRequests + ": the limit lies between the bounds"
	}
}

// worthAt returns how many requests of equal weight a sample is worth, in all or for the
// share of the weight up to a 1-based rank, whichever is less. In all it is (sum w)^2 / sum
// w^2 (Kish); for a share F it is F(1-F) by the variance of its weighted estimate, summed over
// the sample (Korn and Graubard). It is 1 or more, and n for equal weights.
func worthAt(weights []float64, rank int) int64 {
	var total, within, squares, squaresWithin float64
	for i, w := range weights {
		total += w
		squares += float64(w * w)
		if i+1 == rank {
			within, squaresWithin = total, squares
		}
	}
	worth := total / squares * total
	part, rest := within/total, 1-within/total
	if variance := float64(rest*rest*squaresWithin) + float64(part*part*(squares-squaresWithin)); rank < len(weights) && variance > 0 {
		worth = min(worth, float64(part*rest)*total/variance*total)
	}
	const rounding = 1e-6 // of sums whose exact value is whole
	return max(1, int64(math.Floor(worth+rounding)))
}

// excessForAll judges a stage's share of what slow requests take longer among all requests,
// kept or not. It returns false where their weights do not tell.
func (j *judge) excessForAll(r *Judgement, k stage.Stage) bool {
	f := j.s.Duration.ForAll
	if f == nil || f.Attribution == nil {
		return false
	}
	r.N = f.Tail.N
	if !f.HasShares {
		r.Why = allRequests + ": slow requests take no longer than usual ones, so there is nothing to share"
		return true
	}
	e := f.Attribution.Parts[k].Share
	if r.share(e.Value, e, f.Attribution.Blocks); r.Why != "" {
		r.Why = ": " + r.Why
	}
	r.Why = allRequests + r.Why
	return true
}
