package attribution

import "math/bits"

// kth returns the value at rank k, from 1, of values, which it moves about. It looks
// only into the one bucket in 2048 that holds the rank, and again inside that one, so
// no order of the values makes it slow. Values must not be negative.
func kth(values []int64, k int) int64 {
	const buckets = 2048
	for {
		low, high := values[0], values[0]
		for _, v := range values {
			low, high = min(low, v), max(high, v)
		}
		if low == high {
			return low
		}
		shift := max(0, bits.Len64(uint64(high-low))-bits.Len64(buckets-1))
		var count [buckets]int
		for _, v := range values {
			count[uint64(v-low)>>shift]++
		}
		bucket := 0
		for k > count[bucket] {
			k -= count[bucket]
			bucket++
		}
		if shift == 0 {
			return low + int64(bucket)
		}
		kept := values[:0]
		for _, v := range values {
			if uint64(v-low)>>shift == uint64(bucket) {
				kept = append(kept, v)
			}
		}
		values = kept
	}
}
