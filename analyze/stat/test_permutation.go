package stat

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Permutation tests whether the means of x and y differ, by dealing the values anew to two
// groups of the same sizes. Statistic is mean(y) - mean(x) and Effect is that difference in
// standard deviations within the groups, 0 where there is no spread.
//
// If there are no more than replicates ways to deal, all are counted and P is exact.
// Otherwise replicates of them are drawn, by a generator that seed starts, and P is
// (1 + those at least as far apart) / (1 + replicates), which is never too small on
// average. P takes no law for granted but that, under the hypothesis, the values could
// be exchanged: requests that waited for each other cannot, their hours or days perhaps.
//
// The order of the values within x and y changes nothing. Values that are no finite numbers,
// or are beyond 1e150, whose squares are none, are left out with a warning. It takes O(replicates * the smaller size).
func Permutation(x, y []float64, replicates int, seed uint64) Test {
	given := len(x) + len(y)
	x, y = usable(x), usable(y)
	t := Test{Method: MethodPermutation, N1: int64(len(x)), N2: int64(len(y)), P: 1}
	if dropped := given - len(x) - len(y); dropped > 0 {
		t.Warnings = append(t.Warnings, Warning{NotFinite, fmt.Sprintf("values that are no finite numbers were left out: %d", dropped)})
	}
	if t.N1 == 0 || t.N2 == 0 {
		t.Warnings = append(t.Warnings, untested(t.N1, t.N2)...)
		return t
	}
	meanX, meanY := mean(x), mean(y)
	t.Statistic = meanY - meanX
	if within := squares(x, meanX) + squares(y, meanY); within > 0 && len(x)+len(y) > 2 {
		t.Effect = t.Statistic / math.Sqrt(within/float64(len(x)+len(y)-2))
	}
	// Less their common mean, the values add up to 0, so that the sum of either group says
	// how far the means are apart; the smaller group's is the cheaper one.
	values := slices.Concat(x, y)
	center := mean(values)
	var slack float64
	for i, v := range values {
		values[i] -= center
		slack += float64(1e-12*math.Abs(values[i])) + float64(1e-14*math.Abs(v))
	}
	group := values[:len(x)]
	if len(y) < len(x) {
		group = values[len(x):]
	}
	k := len(group)
	// Sums of the same values in another order may differ in their last bits, and so may
	// the values less their mean.
	goal := math.Abs(sum(group)) - slack
	if ways, few := choices(len(values), k, replicates); few {
		t.Method = MethodPermutationExact
		t.P = float64(countChoices(values, k, goal)) / float64(ways)
		return t
	}
	random := rand.New(rand.NewPCG(seed, 0))
	far := 1
	for range replicates {
		var s float64
		for i := range k {
			j := i + int(random.Uint64N(uint64(len(values)-i)))
			values[i], values[j] = values[j], values[i]
			s += values[i]
		}
		if math.Abs(s) >= goal {
			far++
		}
	}
	t.P = float64(far) / float64(1+max(0, replicates))
	return t
}

// countChoices counts the ways to choose k of the values whose sum is goal or more away
// from 0.
func countChoices(values []float64, k int, goal float64) (count int64) {
	var choose func(from, left int, s float64)
	choose = func(from, left int, s float64) {
		if left == 0 {
			if math.Abs(s) >= goal {
				count++
			}
			return
		}
		for i := from; i <= len(values)-left; i++ {
			choose(i+1, left-1, s+values[i])
		}
	}
	choose(0, k, 0)
	return count
}

// choices returns the number of ways to choose k of n, and whether it is at most limit.
func choices(n, k, limit int) (ways int64, few bool) {
	ways = 1
	for i := 1; i <= min(k, n-k); i++ {
		if ways > int64(limit) {
			return ways, false
		}
		ways = ways * int64(n-i+1) / int64(i)
	}
	return ways, ways <= int64(limit)
}

// usable returns the values that can be squared and added up, ascending.
func usable(values []float64) []float64 {
	out := make([]float64, 0, len(values))
	for _, v := range values {
		if math.Abs(v) <= 1e150 { // NaN is not
			out = append(out, v)
		}
	}
	slices.Sort(out)
	return out
}

func sum(values []float64) (s float64) {
	for _, v := range values {
		s += v
	}
	return s
}

func mean(values []float64) float64 { return sum(values) / float64(len(values)) }

// squares returns the sum of the squared distances from center.
func squares(values []float64, center float64) (s float64) {
	for _, v := range values {
		d := v - center
		s += float64(d * d)
	}
	return s
}
