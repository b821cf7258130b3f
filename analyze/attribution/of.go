package attribution

import (
	"math/big"
	"slices"

	"github.com/tailpath/tailpath/analyze/stat"
)

// The methods of estimates.
const (
	// MethodTailBody is the mean of the tail less that of the body.
	MethodTailBody = "tail-minus-body"
	// MethodWhatIf is the fall of the percentile with parts at their caps.
	MethodWhatIf = "what-if-median"
	// MethodBlocks is the interval of a figure from resampled blocks of time.
	MethodBlocks = "time-block-bootstrap"
)

// defaultReplicates is enough for the second digit of a bound to stand still.
const defaultReplicates = 2000

func (o Options) filled() Options {
	if o.Replicates <= 0 {
		o.Replicates = defaultReplicates
	}
	o.Workers = max(1, o.Workers)
	return o
}

// run is an attribution under way.
type run struct {
	*Sample
	opt  Options
	g    groups
	what whatIf
	r    Result
}

// Of attributes the slowness of the requests at or above the percentile to the parts
// of their time. The point values of all but the Harrell-Davis estimates are exact
// sums, rounded once; the intervals depend on the seed and on nothing else besides the
// sample. A sample without requests or parts gives a result without parts.
func Of(s *Sample, o Options) Result {
	a := &run{Sample: s, opt: o.filled()}
	n := int64(len(s.Value))
	a.r = Result{N: n, Q: o.Q, Parts: make([]Part, len(s.Parts))}
	if n == 0 || len(s.Parts) == 0 {
		a.r.Blocks.Refused = "there is nothing to attribute"
		return a.r
	}
	a.g = groupsOf(o.Q, n)
	a.r.TailN, a.r.BodyN = a.g.tailN(n), a.g.bodyN()
	a.excess()
	a.atQuantile()
	a.spread()
	for k, count := range largest(s, a.g) {
		a.r.Parts[k].Largest = count
	}
	b := a.inBlocks()
	if b != nil {
		excess, total := a.resample(b)
		a.bounds(b, excess, total)
	}
	a.gains(b)
	return a.r
}

// excess compares the tail with the body.
func (a *run) excess() {
	d := make([]*big.Rat, len(a.Parts))
	stat.Replicates(len(d), a.opt.Workers, func(_, k int) { d[k] = a.g.excess(a.Parts[k]) })
	total := a.g.excess(a.Value)
	a.r.Excess = stat.Estimate{Value: float(total), N: a.r.TailN, Method: MethodTailBody}
	for k := range d {
		p := &a.r.Parts[k]
		p.Excess = stat.Estimate{Value: float(d[k]), N: a.r.TailN, Method: MethodTailBody}
		p.Share = p.Excess
		if p.Share.Value = 0; total.Sign() > 0 {
			p.Share.Value = float(new(big.Rat).Quo(d[k], total))
		}
	}
}

// atQuantile weighs the requests around the percentile and around the median.
func (a *run) atQuantile() {
	n := int64(len(a.Value))
	at, usual := stat.HarrellDavis(n, a.opt.Q), stat.HarrellDavis(n, stat.P50)
	a.r.Quantile, a.r.Median = at.Of(a.Value), usual.Of(a.Value)
	for k, part := range a.Parts {
		p := &a.r.Parts[k]
		p.AtQuantile = at.Of(part)
		p.Moved = p.AtQuantile - usual.Of(part)
	}
}

// spread computes the parts' shares of the spread, and their medians on the way.
func (a *run) spread() {
	var ranks []int64
	ordered := make([]keyed, len(a.Value))
	for i, v := range a.Value {
		ordered[i] = keyed{uint64(v), int32(i)}
	}
	ranks = doubledRanks(ordered)
	cov, rankCov := make([]*big.Int, len(a.Parts)), make([]*big.Int, len(a.Parts))
	n := int64(len(a.Value))
	a.what = whatIf{s: a.Sample, rank: max(1, a.opt.Q.Rank(n)), caps: make([]int64, len(a.Parts))}
	stat.Replicates(len(a.Parts), a.opt.Workers, func(_, k int) {
		part := sorted(a.Parts[k])
		a.what.caps[k] = part[stat.P50.Rank(n)-1].value()
		cov[k] = covariance(a.Parts[k], a.Value)
		rankCov[k] = covariance(doubledRanks(part), ranks)
	})
	for k, v := range shares(cov) {
		a.r.Parts[k].Covariance = v
	}
	for k, v := range shares(rankCov) {
		a.r.Parts[k].RankCovariance = v
	}
}

// gains computes what the percentile falls by if parts are capped at their medians.
func (a *run) gains(b *blocking) {
	rank := a.what.rank
	now := a.Value[rank-1]
	least := kth(a.what.together(), int(rank))
	a.r.GainAll = now - least
	alone := make([]int64, len(a.Parts))
	stat.Replicates(len(a.Parts), a.opt.Workers, func(_, k int) {
		p := &a.r.Parts[k]
		shorter, bounded := a.what.shorter(k, false), []int64(nil)
		if a.Drag != nil {
			bounded = a.what.shorter(k, true)
		}
		alike := bounded == nil || slices.Equal(shorter, bounded)
		p.Gain = a.gain(b, shorter)
		if p.GainBounded = p.Gain; !alike {
			p.GainBounded = a.gain(b, bounded)
		}
	})
	for k := range alone {
		alone[k] = int64(a.r.Parts[k].Gain.Value)
	}
	for k, v := range a.what.shapley(now, least, alone) {
		a.r.Parts[k].Shapley = float(v)
	}
}

// gain returns the fall of the percentile from the values to other ones, by row, none of
// them longer. It moves them about.
func (a *run) gain(b *blocking, other []int64) stat.Estimate {
	e := stat.Estimate{N: a.r.N, Method: MethodWhatIf}
	same := slices.Equal(other, a.Value)
	if b == nil || same {
		if !same {
			e.Value = float64(a.Value[a.what.rank-1] - kth(other, int(a.what.rank)))
		}
		if b != nil { // No resample falls either.
			b.bound(&e, make([]float64, len(b.percentile)))
		}
		return e
	}
	shorter := sorted(other)
	e.Value = float64(a.Value[a.what.rank-1] - shorter[a.what.rank-1].value())
	block, value := make([]int32, len(shorter)), make([]int64, len(shorter))
	for i, k := range shorter {
		block[i], value[i] = b.of[k.row], k.value()
	}
	l := newLadder(block, b.n)
	falls := make([]float64, len(b.percentile))
	for r := range falls {
		falls[r] = b.percentile[r]
		if at := l.find(b.times(r), b.rank[r]); at.item >= 0 {
			falls[r] -= float64(value[at.item])
		}
	}
	b.bound(&e, falls)
	return e
}

// isFirst returns the part of largest value among those that may be first, -1 when
// there is none. Of equal parts the earlier one is first.
func (a *run) isFirst(value []float64) int {
	first := -1
	for k, v := range value {
		if !slices.Contains(a.opt.NeverFirst, k) && (first < 0 || v > value[first]) {
			first = k
		}
	}
	return first
}
