package analyze

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/tailpath/tailpath/analyze/stat"
)

// methodWeightedBinom is that of bounds of a share by sampling weights: MethodBinom with as
// many requests of equal weight as the sample is worth.
const methodWeightedBinom = "weighted-clopper-pearson"

// attained counts what meets limits.
type attained struct {
	n int64
	// good counts by what was recorded; sure and might as if every doubtful one were bad and
	// good.
	good, sure, might int64
	open              int64 // counted as bad, as they had not ended and broke a limit
	weighted          bool
	kept              Sampling // of what is counted
	votes             []vote   // when weighted
}

// vote is one that is counted, with its weight.
type vote struct {
	limited
	weight float64
}

func (s *attained) add(m limited, weight float64) {
	s.n++
	if m.good {
		s.good++
	}
	if m.sure {
		s.sure++
	}
	if m.might {
		s.might++
	}
	if s.weighted {
		s.votes = append(s.votes, vote{m, weight})
	}
}

// estimate returns the share with its one-sided bounds of 95 % each: the lower of what is
// good for sure, the upper of what might be.
func (s *attained) estimate() stat.Estimate {
	e := stat.Estimate{N: s.n, Method: MethodBinom}
	if s.n == 0 {
		e.Warnings = []stat.Warning{{ID: NoRequests, Text: "nothing can be asked"}}
		return e
	}
	e.HasBounds = true
	if s.weighted {
		sure, worthSure := s.part(func(m limited) bool { return m.sure })
		might, worthMight := s.part(func(m limited) bool { return m.might })
		e.Value, _ = s.part(func(m limited) bool { return m.good })
		const rounding = 1e-6 // of products whose exact value is whole
		e.Method = methodWeightedBinom
		e.Bounds.Low = stat.ClopperPearsonLower(int64(math.Floor(float64(sure*float64(worthSure))+rounding)), worthSure, stat.Confidence)
		e.Bounds.High = stat.ClopperPearsonUpper(int64(math.Ceil(float64(might*float64(worthMight))-rounding)), worthMight, stat.Confidence)
	} else {
		e.Value = float64(s.good) / float64(s.n)
		e.Bounds.Low = stat.ClopperPearsonLower(s.sure, s.n, stat.Confidence)
		e.Bounds.High = stat.ClopperPearsonUpper(s.might, s.n, stat.Confidence)
		if s.kept.Biased() {
			e.Warnings = append(e.Warnings, stat.Warning{ID: KeptTraces, Text: keptTraces})
		}
	}
	if s.open > 0 {
		e.Warnings = append(e.Warnings, stat.Warning{ID: Survivorship, Text: openText(s.open, "counted as not good")})
	}
	if doubtful := s.might - s.sure; doubtful > 0 {
		e.Warnings = append(e.Warnings, stat.Warning{ID: CoarseTimes, Text: fmt.Sprintf(
			"%s may lie on either side of a limit by the resolution of their records: the lower bound takes them for bad, the upper for good", plural(doubtful, "request"))})
	}
	return e
}

// part returns the share of the weight that something holds for, and how many of equal
// weight these are worth for that share.
func (s *attained) part(holds func(m limited) bool) (part float64, worth int64) {
	var with, without []float64
	for _, v := range s.votes {
		if holds(v.limited) {
			with = append(with, v.weight)
		} else {
			without = append(without, v.weight)
		}
	}
	slices.Sort(with) // sums of the same weights are the same, in whatever order they came
	slices.Sort(without)
	n := len(with)
	weights := append(with, without...)
	var within, total float64
	for i, w := range weights {
		if total += w; i+1 == n {
			within = total
		}
	}
	return within / total, worthAt(weights, n)
}

// need returns how many there must be in all to decide at the same share, 0 when more would
// not: the share is what is wanted, or doubtful ones may put it on either side.
func (s *attained) need(p stat.Prob) int64 {
	n, sure, might := s.n, s.sure, s.might
	if s.weighted && n > 0 {
		part, worth := s.part(func(m limited) bool { return m.sure })
		n, sure = worth, int64(math.Floor(part*float64(worth)))
		part, _ = s.part(func(m limited) bool { return m.might })
		might = max(sure, int64(math.Ceil(part*float64(worth))))
		if need := needAt(n, n-sure, n-might, p); need > 0 {
			return int64(math.Ceil(float64(need) / float64(worth) * float64(s.n)))
		}
		return 0
	}
	return needAt(n, n-sure, n-might, p)
}

// mostNeeded is the number near which more are as good as out of reach.
const mostNeeded = 100_000_000

// needAt returns the least number above n that decides whether a share of p is good, when as
// large a part as in n is bad, to the nearest whole number; 0 for none up to mostNeeded. Where
// it is much above n it may be a few too many, as rounding makes some numbers decide before all
// after them do. most and fewest are how many of n are bad at most and at least.
//
// That k of m are good decides when the order statistics of m with ranks k and k+1 lie
// beyond the one-sided bounds of the percentile p: the same as the bounds of Clopper and
// Pearson, and the rule of MLPerf's early stopping.
func needAt(n, most, fewest int64, p stat.Prob) int64 {
	if n <= 0 || p.Num <= 0 || p.Num >= p.Den {
		return 0
	}
	wanted, of := p.Float(), float64(n)
	switch {
	case float64(n-most)/of > wanted:
		if most == 0 {
			return max(n, stat.Minimum(p).OneSided)
		}
		return cmp.Or(oneByOne(n, most, p, passes), needToPass(n, most, p))
	case float64(n-fewest)/of < wanted:
		return cmp.Or(oneByOne(n, fewest, p, fails), needToFail(n, fewest, p))
	}
	return 0
}

// nextTried is how many numbers are tried in turn, of up to nextSmall, where each takes little.
const (
	nextTried = 500
	nextSmall = 100_000
)

// oneByOne tries the numbers that follow n; 0 for none of them.
func oneByOne(n, bad int64, p stat.Prob, decides func(n, bad int64, p stat.Prob) bool) int64 {
	if n > nextSmall {
		return 0
	}
	for m := n + 1; m <= n+nextTried; m++ {
		if decides(m, (2*m*bad+n)/(2*n), p) {
			return m
		}
	}
	return 0
}

// passes says that so many bad ones of n are few enough.
func passes(n, bad int64, p stat.Prob) bool {
	return n-bad >= stat.OrderInterval(n, p, confidence).High
}

// fails says that they are too many.
func fails(n, bad int64, p stat.Prob) bool { return n-bad < stat.OrderInterval(n, p, confidence).Low }

// reach returns the least and the greatest number of which t are bad, to the nearest whole
// number and halves up, at the share of bad of n.
func reach(t, n, bad int64) (from, to int64) {
	first := func(halves int64) int64 { return (halves*n + 2*bad - 1) / (2 * bad) }
	return first(2*t - 1), first(2*t+1) - 1
}

func needToPass(n, bad int64, p stat.Prob) int64 {
	// With each bad one more, the span reaches further beyond the number that it takes.
	last := func(t int64) int64 { _, to := reach(t, n, bad); return min(to, mostNeeded) }
	t := firstHolds(bad, func(t int64) bool { return passes(last(t), t, p) }, func(t int64) bool { return last(t) >= mostNeeded })
	if t == 0 {
		return 0
	}
	from, _ := reach(t, n, bad)
	low := max(from, n, t)
	return low + firstFrom(last(t)-low, func(more int64) bool { return passes(low+more, t, p) })
}

func needToFail(n, bad int64, p stat.Prob) int64 {
	first := func(t int64) int64 { from, _ := reach(t, n, bad); return max(t, min(from, mostNeeded)) }
	t := firstHolds(bad+1, func(t int64) bool { return fails(first(t), t, p) }, func(t int64) bool { return first(t) >= mostNeeded })
	if t == 0 || first(t) >= mostNeeded {
		return 0
	}
	return first(t)
}

// firstHolds returns a number from one on for which a condition holds that holds for nearly
// all after it; 0 when it does not before the numbers are out of reach.
func firstHolds(from int64, holds, beyond func(t int64) bool) int64 {
	step := int64(1)
	for !holds(from + step - 1) {
		if beyond(from + step - 1) {
			return 0
		}
		step *= 2
	}
	return from + firstFrom(step-1, func(more int64) bool { return holds(from + more) })
}

// firstFrom returns the least number from 0 to most for which a condition holds that holds
// for all after it, as it does for most.
func firstFrom(most int64, holds func(n int64) bool) int64 {
	low, high := int64(0), most
	for low < high {
		if mid := low + (high-low)/2; holds(mid) {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return high
}
