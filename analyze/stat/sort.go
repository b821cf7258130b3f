package stat

import "slices"

// Radix sorting of whole numbers: digits of so many bits, from the last to the first. Fewer
// numbers than leastRadix are sorted by comparing them, which then is faster.
const (
	radixBits  = 12
	leastRadix = 4096
)

// Sort sorts whole numbers in ascending order, as slices.Sort does. Of many it takes a number
// of passes that depends on their range and not on how many there are, and room for a copy.
func Sort(list []int64) {
	if len(list) < leastRadix {
		slices.Sort(list)
		return
	}
	low, high, sorted := list[0], list[0], true
	for i, v := range list {
		low, high, sorted = min(low, v), max(high, v), sorted && (i == 0 || list[i-1] <= v)
	}
	if sorted {
		return
	}
	from, to := list, make([]int64, len(list))
	// Differences wrap around rightly where the range is more than half of all numbers.
	reach := uint64(high) - uint64(low)
	for shift := 0; shift < 64 && reach>>shift > 0; shift += radixBits {
		var place [1 << radixBits]int
		for _, v := range from {
			place[(uint64(v)-uint64(low))>>shift&(1<<radixBits-1)]++
		}
		next := 0
		for d, n := range place {
			place[d], next = next, next+n
		}
		for _, v := range from {
			d := (uint64(v) - uint64(low)) >> shift & (1<<radixBits - 1)
			to[place[d]] = v
			place[d]++
		}
		from, to = to, from
	}
	if &from[0] != &list[0] {
		copy(list, from)
	}
}
