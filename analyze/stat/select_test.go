package stat

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestSelectedIsThatOfTheSorted compares with sorting, of values that tie often and of runs
// that make pivots bad.
func TestSelectedIsThatOfTheSorted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.OneOf(rapid.Float64Range(-2, 2), rapid.Map(rapid.IntRange(-2, 2), func(i int) float64 { return float64(i) }),
			rapid.SampledFrom([]float64{math.Inf(1), math.Inf(-1), math.MaxFloat64, 0}))
		values := rapid.SliceOfN(value, 1, 400).Draw(t, "values")
		switch rapid.IntRange(0, 3).Draw(t, "order") {
		case 0:
			slices.Sort(values)
		case 1: // rises and falls: the median of three is the least
			slices.Sort(values)
			slices.Reverse(values[len(values)/2:])
		}
		want := slices.Sorted(slices.Values(values))
		k := rapid.IntRange(0, len(values)-1).Draw(t, "k")
		if got := Selected(values, k); got != want[k] {
			t.Fatalf("place %d is %v, want %v", k, got, want[k])
		}
		if after := slices.Sorted(slices.Values(values)); !slices.Equal(after, want) {
			t.Fatal("the values are others")
		}
		for i, v := range values {
			if i < k && v > values[k] || i > k && v < values[k] {
				t.Fatalf("%v at %d is on the wrong side of %v at %d", v, i, values[k], k)
			}
		}
	})
}

// TestSelectInterval is the interval of the sorted values, where it has both ends.
func TestSelectInterval(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Int64Range(0, 40), 0, 120).Draw(t, "values")
		p := rapid.SampledFrom([]Prob{P50, P90, P95}).Draw(t, "p")
		want := QuantileOf(slices.Sorted(slices.Values(values)), p)
		low, high, known := SelectInterval(values, p)
		if known != (want.HasLow && want.HasHigh) || known && (low != want.Low || high != want.High) {
			t.Fatalf("%d to %d, %v, want %d to %d", low, high, known, want.Low, want.High)
		}
	})
}
