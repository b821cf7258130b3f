package stat

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSortIsThatOfComparing: numbers of every range come in the order that comparing gives,
// few and many, sorted before or not.
func TestSortIsThatOfComparing(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, leastRadix - 1, leastRadix, 3 * leastRadix} {
		for shift := 0; shift < 64; shift += 7 {
			for _, from := range []int64{0, -1000, math.MinInt64, math.MaxInt64} {
				list := make([]int64, n)
				for i := range list {
					list[i] = from + int64(random.Uint64()>>shift)
				}
				want := slices.Sorted(slices.Values(list))
				Sort(list)
				if !slices.Equal(list, want) {
					t.Fatalf("%d numbers of %d bits from %d on are not in order", n, 64-shift, from)
				}
				if Sort(list); !slices.Equal(list, want) {
					t.Fatalf("%d numbers in order are in another one", n)
				}
			}
		}
	}
}

// BenchmarkSort sorts the ends of a million requests that came a millisecond apart.
func BenchmarkSort(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	ends, list := make([]int64, 1_000_000), make([]int64, 1_000_000)
	for i := range ends {
		ends[i] = 1_700_000_000_000_000_000 + int64(i)*1_000_000 + int64(random.ExpFloat64()*5e8)
	}
	for b.Loop() {
		copy(list, ends)
		Sort(list)
	}
}
