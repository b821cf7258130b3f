package attribution

import (
	"math"

	"github.com/tailpath/tailpath/analyze/stat"
)

// MethodWeightedTailBody is the weighted mean of the tail less that of the body.
const MethodWeightedTailBody = "weighted-tail-minus-body"

// Weighted says which part makes slow requests slow among all requests, when those of the
// sample stand for different numbers of them. Ranks go by weight: the tail is the
// requests of which all slower ones together weigh at most 1-q of all, the body lies
// between 40 % and 60 %. A request at a border counts with the part of its weight that
// lies within, so that neither the unit of the weights nor splitting a request into
// several that share its weight changes anything.
type Weighted struct {
	N          int64
	Q          stat.Prob
	Tail, Body WeightedGroup
	Excess     stat.Estimate // weighted mean of the tail less that of the body, ns
	Blocks     Blocks
	Parts      []WeightedPart
}

// WeightedGroup is the requests between two ranks by weight.
type WeightedGroup struct {
	N      int64   // requests that lie in it at least in part
	Weight float64 // what they stand for
	// Effective is (sum of weights)^2 / (sum of their squares): how many requests of equal
	// weight are worth as much.
	Effective float64
	MeanNS    float64
}

// WeightedPart is one part of the requests' time.
type WeightedPart struct {
	Tail, Body float64 // weighted means in ns
	// Excess is Tail less Body in ns, and Share its share of Weighted.Excess; the shares add
	// up to 1 to rounding. N of both is the requests of the tail.
	Excess, Share stat.Estimate
	// First is how often, of all resamples, the part had the largest excess of those that
	// may be first.
	First float64
}

// WeightedGroups returns the sizes of tail and body of ranked requests with the given
// weights, which must be finite and above 0; their means are not known. It tells in
// advance whether Weigh has requests enough.
func WeightedGroups(weight []float64, q stat.Prob) (tail, body WeightedGroup) {
	v := newWeights(weight, q)
	return weightedGroup(v.tail, v.all*(1-q.Float())), weightedGroup(v.body, v.all*(bodyTo.Float()-bodyFrom.Float()))
}

// weights are those of ranked requests, and the parts of them that lie in tail and body.
type weights struct {
	weight     []float64
	all        float64
	tail, body []float64
}

func newWeights(weight []float64, q stat.Prob) weights {
	v := weights{weight: weight}
	for _, w := range weight {
		v.all += w
	}
	v.tail, v.body = v.above(q.Float()), v.above(bodyFrom.Float())
	for i, beyond := range v.above(bodyTo.Float()) {
		v.body[i] = max(0, v.body[i]-beyond)
	}
	return v
}

// above returns the part of every weight whose rank by weight lies above a share of all.
func (v weights) above(share float64) []float64 {
	out := make([]float64, len(v.weight))
	left := v.all * (1 - share)
	for i := len(out) - 1; i >= 0 && left > v.all*negligible; i-- {
		out[i] = min(v.weight[i], left)
		left -= out[i]
	}
	return out
}

// negligible is the part of a sum that is taken for its rounding.
const negligible = 1e-13

// weightedGroup measures a group by the parts of the weights in it. Its weight is known in
// advance: the parts add up to it but for rounding.
func weightedGroup(parts []float64, weight float64) (g WeightedGroup) {
	var sum, squares float64
	for _, w := range parts {
		if w > 0 {
			g.N++
			sum += w
			squares += float64(w * w)
		}
	}
	if g.N > 0 {
		g.Weight, g.Effective = weight, sum*sum/squares
	}
	return g
}

// weighing is a weighted attribution under way.
type weighing struct {
	run
	weights
	w Weighted
}

// Weigh attributes the slowness of all requests that the sample stands for. weight[i]
// belongs to the request of rank i+1, is finite and above 0. Intervals come from the same
// blocks of time as those of Of and are refused by the same rules, with weights for
// counts. Drag is not used.
func Weigh(s *Sample, weight []float64, o Options) Weighted {
	a := &weighing{run: run{Sample: s, opt: o.filled()}}
	a.w = Weighted{N: int64(len(s.Value)), Q: o.Q, Parts: make([]WeightedPart, len(s.Parts))}
	if a.w.N == 0 || len(s.Parts) == 0 {
		a.w.Blocks.Refused = "there is nothing to attribute"
		return a.w
	}
	a.weights = newWeights(weight, o.Q)
	a.w.Tail, a.w.Body = WeightedGroups(weight, o.Q)
	a.means()
	if s.Start == nil {
		a.w.Blocks.undated()
		return a.w
	}
	a.intervals()
	return a.w
}

// means compares the tail with the body.
func (a *weighing) means() {
	estimate := func(value float64) stat.Estimate {
		return stat.Estimate{Value: value, N: a.w.Tail.N, Method: MethodWeightedTailBody}
	}
	a.w.Tail.MeanNS, a.w.Body.MeanNS = weightedMean(a.Value, a.weights.tail), weightedMean(a.Value, a.weights.body)
	total := a.w.Tail.MeanNS - a.w.Body.MeanNS
	if math.Abs(total) <= negligible*a.w.Tail.MeanNS {
		total = 0 // the means differ by their rounding
	}
	a.w.Excess = estimate(total)
	for k := range a.Parts {
		p := &a.w.Parts[k]
		p.Tail, p.Body = weightedMean(a.Parts[k], a.weights.tail), weightedMean(a.Parts[k], a.weights.body)
		p.Excess = estimate(p.Tail - p.Body)
		p.Share = estimate(0)
		if total > 0 {
			p.Share.Value = p.Excess.Value / total
		}
	}
}

// intervals resamples blocks of time.
func (a *weighing) intervals() {
	inTime := sorted(a.Start)
	a.judge(inTime)
	b := newBlocking(inTime, &a.w.Blocks, a.opt)
	l := newMassLadder(b.of, b.n, a.weight, append(append([][]int64{}, a.Parts...), a.Value)...)
	k, m := len(a.Parts), a.opt.Replicates
	excess := make([][]float64, k+1)
	for j := range excess {
		excess[j] = make([]float64, m)
	}
	counts := make([][]int32, a.opt.Workers)
	for w := range counts {
		counts[w] = make([]int32, b.n)
	}
	stat.Replicates(m, a.opt.Workers, func(worker, r int) {
		times := counts[worker]
		stat.Draw(a.opt.Seed, r, b.n, times)
		for j, v := range l.excess(times, a.opt.Q) {
			excess[j][r] = v
		}
	})
	total := excess[k]
	b.bound(&a.w.Excess, total)
	first := a.timesFirst(excess[:k])
	for j := range k {
		p := &a.w.Parts[j]
		b.bound(&p.Excess, excess[j])
		b.boundShare(&p.Share, sharesOf(excess[j], total))
		p.First = first[j]
	}
}
