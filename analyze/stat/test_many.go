package stat

import (
	"cmp"
	"math"
	"slices"
)

// BenjaminiHochberg returns adjusted probabilities for many tests, in the order given:
// taking those at or below q for differences makes at most a share q of the takings false
// ones, on average. The adjusted probability of the i-th smallest of m is the least
// p[j]*m/j of all j >= i, at most 1. NaN counts as 1: a test that found nothing.
func BenjaminiHochberg(p []float64) []float64 {
	order := make([]int, len(p))
	out := make([]float64, len(p))
	for i, v := range p {
		order[i], out[i] = i, v
		if math.IsNaN(v) {
			out[i] = 1
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(out[a], out[b]) })
	least := 1.0
	for i := len(order) - 1; i >= 0; i-- {
		least = min(least, out[order[i]]*(float64(len(p))/float64(i+1)))
		out[order[i]] = least
	}
	return out
}
