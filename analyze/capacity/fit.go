package capacity

import (
	"cmp"
	"math"
	"slices"

	"github.com/tailpath/tailpath/analyze/stat"
)

// The fit of attainment to rate.
const (
	// near is how far from the limit windows are fitted, as a share of it: farther the law is
	// no straight line. Where those are too few for an answer, lessNear counts.
	near, lessNear = 0.06, 0.09
	// fitSteps and fitDone end the iteration, which takes four or five steps.
	fitSteps = 20
	fitDone  = 1e-9
	// steep is the most that a step may change the slope, and slopes begin at it: missing
	// the objective grows by e for each 10 % of load.
	steep = 10
)

// logit is a line in the load that gives the logarithm of the odds of a request that is not
// good: level at the center, and slope for each unit of load relative to it.
type logit struct {
	center, level, slope float64
	fitted               bool
}

// fitLogit fits the line by maximum quasi-likelihood, with the odds of the target at the
// center to begin with. count repeats windows; nil takes each once. There is no fit
// when windows are not good more often at lower rates.
func fitLogit(windows []*Window, count []int32, target, center float64) logit {
	l := logit{center: center, level: odds(target), slope: steep}
	for range fitSteps {
		var s0, s1, s2, t0, t1 float64
		for i, w := range windows {
			times := 1.0
			if count != nil {
				times = float64(count[i])
			}
			if times == 0 || w.Eligible == 0 {
				continue
			}
			x := w.Rate/center - 1
			share := 1 / (1 + math.Exp(-l.level-float64(l.slope*x)))
			n := float64(times * float64(w.Eligible))
			weight := float64(n * share * (1 - share))
			miss := float64(times*float64(w.Eligible-w.Good)) - float64(n*share)
			s0 += weight
			s1 += float64(weight * x)
			s2 += float64(weight * x * x)
			t0 += miss
			t1 += float64(miss * x)
		}
		det := float64(s0*s2) - float64(s1*s1)
		if !(det > 0) {
			return l
		}
		dLevel := (float64(s2*t0) - float64(s1*t1)) / det
		dSlope := (float64(s0*t1) - float64(s1*t0)) / det
		l.level += max(-1, min(1, dLevel))
		l.slope += max(-steep, min(steep, dSlope))
		if math.Abs(dLevel)+math.Abs(dSlope) < fitDone {
			break
		}
	}
	l.fitted = l.slope > 0
	return l
}

// odds is the logarithm of the odds of a request that is not good, at the target.
func odds(target float64) float64 { return math.Log((1 - target) / target) }

// crossing is the rate at which the line meets the target; -Inf without a fit.
//
// The rate of a window is a count, so windows of one load differ by chance. The line is of
// windows by their count; over all windows of one load misses are more than at the mean
// count, because they grow faster than the count does and the fuller windows have more
// requests. By a Taylor series of second order, with the relative variance v = 1/n of a
// Poisson count n, the load that meets the target p is lower by v(1 + slope(2p-1)/2).
func (l logit) crossing(target, seconds float64) float64 {
	if !l.fitted {
		return math.Inf(-1)
	}
	rate := l.center * (1 + (odds(target)-l.level)/l.slope)
	if !(rate > 0) {
		return math.Inf(-1)
	}
	chance := 1 / float64(rate*seconds)
	return rate * (1 - float64(chance*(1+float64(l.slope*max(0, 2*target-1)/2))))
}

// meets returns the rate at which the attainment meets the target by a line through the
// windows near it, and the bound above which that rate is with 95 % confidence; false when
// there are not enough windows on both sides. The first line is through all windows between
// a rate that passes and one that fails, the second through those around the first crossing.
func meets(windows []Window, pass, fail, near, target float64, o Options) (rate, low float64, ok bool) {
	center, reach := (pass+fail)/2, max(near, (fail-pass)/(fail+pass)+o.Width)
	seconds := float64(o.WindowNS) / 1e9
	var use []*Window
	for step := range 2 {
		if step > 0 {
			center, reach = min(fail, max(pass, rate)), near
		}
		use = use[:0]
		for i := range windows {
			if w := &windows[i]; w.LeftOut == Kept && !w.Overloaded && math.Abs(w.Rate/center-1) <= reach {
				use = append(use, w)
			}
		}
		l := fitLogit(use, nil, target, center)
		rate = l.crossing(target, seconds)
		if !(rate >= center*(1-reach) && rate <= center*(1+reach)) {
			return 0, 0, false
		}
	}
	below := 0
	for _, w := range use {
		if w.Rate < rate {
			below++
		}
	}
	if below < o.LeastWindows || len(use)-below < o.LeastWindows {
		return 0, 0, false
	}
	values := resample(use, o, func(count []int32) float64 {
		return fitLogit(use, count, target, center).crossing(target, seconds)
	})
	low = stat.PercentileBounds(values, stat.ExpandedConfidence(len(use), boundShare)).Low
	if !(low >= center*(1-near)) {
		return 0, 0, false
	}
	return rate, low, true
}

// resample computes a figure of resampled windows, a value a replicate.
func resample(windows []*Window, o Options, figure func(count []int32) float64) []float64 {
	values := make([]float64, o.Replicates)
	scratch := make([][]int32, max(1, o.Workers))
	stat.Replicates(o.Replicates, o.Workers, func(worker, replicate int) {
		if scratch[worker] == nil {
			scratch[worker] = make([]int32, len(windows))
		}
		stat.Draw(o.Seed, replicate, len(windows), scratch[worker])
		values[replicate] = figure(scratch[worker])
	})
	return values
}

// held returns the mean rate of windows together with their neighbours in time, of which one
// without a request counts as well. The fullest windows of a capture are in part the fullest
// by chance; their neighbours are not.
func held(all []Window, of []*Window) float64 {
	sum := 0.0
	for _, w := range of {
		i, _ := slices.BinarySearchFunc(all, w.number, func(w Window, n int64) int { return cmp.Compare(w.number, n) })
		around, n := w.Rate, 1.0
		for _, step := range []int{-1, 1} {
			j := i + step
			if j < 0 || j >= len(all) || all[j].LeftOut == AtEdge || all[j].LeftOut == AtGap {
				continue
			}
			if all[j].number == w.number+int64(step) {
				around += all[j].Rate
			}
			n++
		}
		sum += around / n
	}
	return sum / float64(len(of))
}
