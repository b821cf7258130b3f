package change

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/stat"
)

// TestLadderAgreesWithSorting repeats each row as often as its block is drawn, sorts, and
// counts.
func TestLadderAgreesWithSorting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 300).Draw(t, "n")
		blocks := rapid.IntRange(1, 6).Draw(t, "blocks")
		value := rapid.SliceOfN(rapid.Int64Range(1, 50), n, n).Draw(t, "value")
		slices.Sort(value)
		block := make([]int32, n)
		parts := [][]int64{make([]int64, n), make([]int64, n)}
		for i, v := range value {
			block[i] = rapid.Int32Range(0, int32(blocks-1)).Draw(t, "block")
			parts[0][i] = rapid.Int64Range(0, v).Draw(t, "part")
			parts[1][i] = v - parts[0][i]
		}
		m := make([]float64, blocks)
		for b := range m {
			m[b] = float64(rapid.IntRange(0, 3).Draw(t, "times"))
		}
		var repeated []int64
		var of [2][]int64
		for i, v := range value {
			for range int(m[block[i]]) {
				repeated = append(repeated, v)
				of[0], of[1] = append(of[0], parts[0][i]), append(of[1], parts[1][i])
			}
		}
		l := newLadder(value, parts, block, nil, blocks)
		if got := l.total(m); got != float64(len(repeated)) {
			t.Fatalf("%v requests, want %d", got, len(repeated))
		}
		if len(repeated) == 0 {
			if l.quantile(m, stat.P50) != 0 {
				t.Fatal("an empty resample has a median")
			}
			return
		}
		for _, p := range []stat.Prob{stat.P50, stat.P90, stat.P99, {Num: 1, Den: 7}} {
			if got, want := l.quantile(m, p), stat.NearestRank(repeated, p); got != float64(want) {
				t.Fatalf("%s is %v, want %d", p, got, want)
			}
		}
		goal := rapid.IntRange(0, len(repeated)).Draw(t, "goal")
		out := make([]float64, 3)
		l.sumsTo(m, float64(goal), out)
		for k := range parts {
			want := 0.0
			for _, v := range of[k][:goal] {
				want += float64(v)
			}
			if out[k] != want {
				t.Fatalf("the first %d take %v in part %d, want %v", goal, out[k], k, want)
			}
		}
	})
}

// TestAroundIsHarrellDavis compares the curve that resamples use with the weights.
func TestAroundIsHarrellDavis(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 500).Draw(t, "n")
		value := rapid.SliceOfN(rapid.Int64Range(1, 1_000_000), n, n).Draw(t, "value")
		slices.Sort(value)
		l := newLadder(value, [][]int64{value}, make([]int32, n), nil, 1)
		for _, p := range []stat.Prob{stat.P50, stat.P99} {
			c, w := newCurve(int64(n), p)
			out := make([]float64, 2)
			l.around([]float64{1}, c, out)
			if want := w.Of(value); math.Abs(out[1]-want) > 1e-6*float64(value[n-1]) {
				t.Fatalf("%s is %v, want %v", p, out[1], want)
			}
		}
	})
}

// TestWeightedLadder compares a weighted percentile with that of stat.
func TestWeightedLadder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 300).Draw(t, "n")
		value := rapid.SliceOfN(rapid.Int64Range(1, 1000), n, n).Draw(t, "value")
		slices.Sort(value)
		weight := make([]float64, n)
		for i := range weight {
			weight[i] = float64(rapid.IntRange(1, 8).Draw(t, "weight"))
		}
		l := newLadder(value, nil, make([]int32, n), weight, 1)
		for _, p := range []stat.Prob{stat.P50, stat.P90} {
			if got, want := l.quantile([]float64{1}, p), value[stat.WeightedRank(weight, p)-1]; got != float64(want) {
				t.Fatalf("%s is %v, want %d", p, got, want)
			}
		}
	})
}
