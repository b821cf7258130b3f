package stat

import (
	"cmp"
	"slices"
)

// Selected moves values about so that the k-th from below, from 0, is at its place, nothing
// before it is larger and nothing after it smaller, and returns it. No value may be NaN. It
// looks only into the part that holds the place, which takes time linear in the number of
// values; should the pivots keep being bad ones, it sorts what is left.
func Selected[T cmp.Ordered](values []T, k int) T {
	const few, rounds = 16, 48
	low, high := 0, len(values)-1
	for round := 0; high-low > few && round < rounds; round++ {
		a, b, c := values[low], values[low+(high-low)/2], values[high]
		pivot := max(min(a, b), min(max(a, b), c))
		i, j := low, high
		for i <= j {
			for values[i] < pivot {
				i++
			}
			for values[j] > pivot {
				j--
			}
			if i <= j {
				values[i], values[j] = values[j], values[i]
				i++
				j--
			}
		}
		switch { // up to j nothing is above the pivot, from i on nothing below, between them all is it
		case k <= j:
			high = j
		case k >= i:
			low = i
		default:
			return pivot
		}
	}
	slices.Sort(values[low : high+1])
	return values[k]
}

// SelectRank is NearestRank of values in any order, which it moves about: it takes time linear
// in their number. There must be one.
func SelectRank(values []int64, p Prob) int64 {
	return Selected(values, int(max(1, p.Rank(int64(len(values)))))-1)
}

// SelectInterval returns the ends of the interval of the percentile p that QuantileOf gives, of
// values in any order, which it moves about: it takes time linear in their number. Known is false
// where there are too few for one with two ends.
func SelectInterval(values []int64, p Prob) (low, high int64, known bool) {
	n := int64(len(values))
	if n == 0 {
		return 0, 0, false
	}
	r := OrderInterval(n, p, Confidence)
	if r.Low < 1 || r.High > n {
		return 0, 0, false
	}
	return Selected(values, int(r.Low-1)), Selected(values, int(r.High-1)), true
}
