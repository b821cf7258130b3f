package stat

import "slices"

// selected moves values about so that the k-th from below, from 0, is at its place, nothing
// before it is larger and nothing after it smaller, and returns it. No value may be NaN. It
// looks only into the part that holds the place, which takes time linear in the number of
// values; should the pivots keep being bad ones, it sorts what is left.
func selected(values []float64, k int) float64 {
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
