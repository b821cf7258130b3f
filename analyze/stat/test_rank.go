package stat

import (
	"fmt"
	"math"
	"slices"
)

// exactRanks is the greatest product of the smaller sample's size and the size of both
// together for which the law of U is counted out. The count takes some 2*exactRanks^2
// additions: a few milliseconds.
const exactRanks = 2000

// fewRanks is the size of the smaller sample below which the normal approximation is poor.
const fewRanks = 8

// MannWhitney tests whether values of y tend to be greater or smaller than those of x.
// Statistic is U, the number of pairs with y above x, a tie counting one half. Effect is
// U/(n1*n2), the probability that a value of y exceeds one of x: 0.5 is no difference.
//
// The law of U is counted out for small samples, ties included; P is then the probability
// of a U at least as far from n1*n2/2 on either side. Larger samples take the normal law
// with corrections for ties and continuity. The test is of location: a change of the tail
// alone may escape it. It takes O(n log n).
//
// go-moremath has the test too. It doubles one tail where there are ties, though the law
// of U is then lopsided, gives up when all values are equal, and takes floating-point
// copies of the values; so it is not used.
func MannWhitney(x, y []int64) Test {
	t := Test{Method: MethodMannWhitney, N1: int64(len(x)), N2: int64(len(y)), P: 1, Effect: .5}
	if t.N1 == 0 || t.N2 == 0 {
		t.Warnings = untested(t.N1, t.N2)
		return t
	}
	x, y = slices.Clone(x), slices.Clone(y)
	slices.Sort(x)
	slices.Sort(y)
	smaller := min(t.N1, t.N2)
	exact := smaller*(t.N1+t.N2) <= exactRanks
	r := rankBoth(x, y, exact)
	pairs := t.N1 * t.N2
	t.Statistic = float64(r.twoU) / 2
	t.Effect = float64(r.twoU) / 2 / float64(pairs)
	off := r.twoU - pairs // twice the distance of U from its mean
	off = max(off, -off)
	if exact {
		t.Method = MethodMannWhitneyExact
		t.P = exactRankP(r.sizes, smaller, off)
		return t
	}
	if smaller < fewRanks {
		t.Warnings = append(t.Warnings, Warning{LowN, fmt.Sprintf("a normal law stands in for that of %d against %d values", t.N1, t.N2)})
	}
	n := float64(t.N1 + t.N2)
	variance := float64(pairs) / 12 * (n + 1 - r.ties/n/(n-1))
	if variance <= 0 { // all values are equal
		return t
	}
	z := max(0, float64(off)-1) / 2 / math.Sqrt(variance)
	t.P = math.Erfc(z / math.Sqrt2)
	return t
}

// ranking is two samples put in one order.
type ranking struct {
	twoU  int64   // twice U of y over x, which is whole in spite of ties
	ties  float64 // the sum of s^3 - s, with s the size of a group of equal values
	sizes []int64 // of these groups, ascending by value; nil if not asked for
}

// rankBoth ranks two sorted samples.
func rankBoth(x, y []int64, sizes bool) ranking {
	var r ranking
	for i, j := 0, 0; i < len(x) || j < len(y); {
		var value int64
		switch {
		case i == len(x):
			value = y[j]
		case j == len(y):
			value = x[i]
		default:
			value = min(x[i], y[j])
		}
		below := int64(i)
		for i < len(x) && x[i] == value {
			i++
		}
		from := j
		for j < len(y) && y[j] == value {
			j++
		}
		equal, ys := int64(i)-below, int64(j-from)
		r.twoU += ys * (2*below + equal)
		if sizes {
			r.sizes = append(r.sizes, equal+ys)
		}
		s := float64(equal + ys)
		r.ties += float64(s * float64(float64(s*s)-1))
	}
	return r
}

// exactRankP returns the probability that twice the U of k values, drawn from those whose
// groups of ties have the given sizes, is off or more from its mean. Both samples of a
// test have the same distance, so k may be the size of either.
func exactRankP(sizes []int64, k, off int64) float64 {
	var n int64
	for _, s := range sizes {
		n += s
	}
	// ways[j][s] counts the choices of j values whose doubled mid-ranks add up to s. All
	// terms are positive, so the count loses nothing but the last bits. The doubled mid-ranks of
	// j of the first m values add up to between j(j+1) and j(2m-j+1).
	ways := make([][]float64, k+1)
	for j := range ways {
		ways[j] = make([]float64, int64(j)*(2*n-int64(j)+1)+1)
	}
	ways[0][0] = 1
	step := int64(2) // of sums, which are all even where no group has an even size
	if slices.ContainsFunc(sizes, func(size int64) bool { return size%2 == 0 }) {
		step = 1
	}
	var seen int64
	for _, size := range sizes {
		score, upto := 2*seen+size+1, seen+size
		for range size {
			seen++
			// Of fewer than k-(n-seen) values no choice of k can come any more.
			for j := min(seen, k); j > max(0, k-(n-seen)-1); j-- {
				from, to := ways[j-1], ways[j]
				low := (j - 1) * j
				high := min((j-1)*(2*upto-j+2), j*(2*upto-j+1)-score)
				for s := low; s <= high; s += step {
					to[s+score] += from[s]
				}
			}
		}
	}
	least, mean := k*(k+1), k*(n-k)
	var beyond, all float64
	for s, w := range ways[k] {
		all += w
		if d := int64(s) - least - mean; d >= off || -d >= off {
			beyond += w
		}
	}
	return min(1, beyond/all)
}
