package stat

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
)

// Weights are weights of ranks: W[i] is that of rank First+i, 1-based. They add up to
// 1. Ranks outside weigh nothing.
type Weights struct {
	First int64
	W     []float64
}

// HarrellDavis returns the weights of the ranks of n values in the estimate of the
// quantile p of Harrell and Davis: rank i weighs I_{i/n}(a,b) - I_{(i-1)/n}(a,b), with
// I the regularised incomplete beta function, a = (n+1)p and b = (n+1)(1-p). Ranks
// that would weigh less than 1e-20 of all are left out, and the rest scaled to 1. It
// returns no weights when n < 1 or p is not inside (0, 1).
func HarrellDavis(n int64, p Prob) Weights {
	if n < 1 || p.Num <= 0 || p.Num >= p.Den {
		return Weights{}
	}
	a := float64(float64(n+1) * p.Float())
	b := float64(n+1) - a
	if n == 1 {
		return Weights{1, []float64{1}}
	}
	over := tabledBeta(n, a, b)
	if min(a, b) >= smoothFrom {
		over = smoothBeta(n, a, b)
	}
	w := outwards(n, min(n-1, int64(a/float64(n+1)*float64(n))), over)
	var total float64
	for _, x := range w.W {
		total += x
	}
	for i := range w.W {
		w.W[i] /= total
	}
	return w
}

// outwards collects the weights of ranks on both sides of a middle until nothing is
// left. The density has one top, at an end maybe, so nothing comes after that.
func outwards(n, middle int64, over func(i int64) float64) Weights {
	var left, right []float64
	largest := 0.0
	for i := middle; i < n; i++ {
		w := over(i)
		largest = max(largest, w)
		if right = append(right, w); w < leastWeight*largest {
			break
		}
	}
	for i := middle - 1; i >= 0; i-- {
		w := over(i)
		largest = max(largest, w)
		if left = append(left, w); w < leastWeight*largest {
			break
		}
	}
	slices.Reverse(left)
	return Weights{middle - int64(len(left)) + 1, append(left, right...)}
}

// smoothFrom is the parameter of a beta density from which on it is smooth over the
// width of a rank: it then has no pole and no corner at its ends that a weight would
// reach, and the integral over a rank by five points is exact to rounding.
const smoothFrom = 32

// leastWeight is the weight, relative to the largest, at which the ranks end.
const leastWeight = 1e-20

// tabledBeta returns the weight of rank i+1 as a difference of the incomplete beta
// function. The function is slow to converge, and wrong, where both parameters are in
// the hundred thousands.
func tabledBeta(n int64, a, b float64) func(i int64) float64 {
	at := func(i int64) (below, above float64) {
		switch i {
		case 0:
			return 0, 1
		case n:
			return 1, 0
		}
		return mathext.RegIncBeta(a, b, float64(i)/float64(n)), mathext.RegIncBeta(b, a, float64(n-i)/float64(n))
	}
	return func(i int64) float64 {
		// Of the function and its complement, the smaller one has the more digits.
		below, above := at(i)
		nextBelow, nextAbove := at(i + 1)
		if nextBelow < .5 {
			return max(0, nextBelow-below)
		}
		return max(0, above-nextAbove)
	}
}

// The nodes and weights of Gauss and Legendre with five points on [-1, 1].
var (
	gaussNode   = [5]float64{-0.906179845938664, -0.5384693101056831, 0, 0.5384693101056831, 0.906179845938664}
	gaussWeight = [5]float64{0.23692688505618908, 0.47862867049936647, 0.5688888888888889, 0.47862867049936647, 0.23692688505618908}
)

// smoothBeta returns the weight of rank i+1 as the integral of the density over it,
// relative to the density's top. It needs no gamma function.
func smoothBeta(n int64, a, b float64) func(i int64) float64 {
	size := float64(n)
	mode := (a - 1) / (a + b - 2)
	return func(i int64) (sum float64) {
		for j, node := range gaussNode {
			d := (float64(i)+(1+node)/2)/size - mode
			log := float64((a-1)*math.Log1p(d/mode)) + float64((b-1)*math.Log1p(-d/(1-mode)))
			sum += float64(gaussWeight[j] * math.Exp(log))
		}
		return sum / 2
	}
}

// Of returns the weighted sum of the values at the ranks: sorted[i] has rank i+1.
func (w Weights) Of(values []int64) (sum float64) {
	for i, x := range w.W {
		sum += float64(x * float64(values[w.First-1+int64(i)]))
	}
	return sum
}
