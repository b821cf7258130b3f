package stat

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var sketched = []Prob{P50, P90, P95, P99, P999, {29, 100}, {7, 100}, {1, 1000}}

func sketchOf(values []int64) *Sketch {
	s := NewSketch()
	for _, v := range values {
		s.Add(v)
	}
	return s
}

// percentiles returns all percentiles of a sketch, whether or not it has enough values.
func percentiles(s *Sketch) (out []float64) {
	if s.n == 0 {
		return nil
	}
	for _, p := range sketched {
		out = append(out, s.at(sketchPosition(s.n, p)))
	}
	return append(out, float64(s.low), float64(s.high), float64(s.n))
}

// magnitudes draws values of all sizes, 0 and both signs.
var magnitudes = rapid.OneOf(rapid.Int64Range(-10, 10), rapid.Int64Range(0, 10_000_000_000), rapid.Int64())

// TestSketchHoldsItsError compares every percentile with the value that the rule picks.
func TestSketchHoldsItsError(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(magnitudes, 1, 300).Draw(t, "values")
		s := sketchOf(values)
		slices.Sort(values)
		rule, _ := RuleNamed(MethodSketch)
		for _, p := range sketched {
			want, got := rule.At(values, p), s.at(sketchPosition(s.n, p))
			if math.Abs(got-want) > (SketchError+1e-9)*math.Abs(want) {
				t.Fatalf("%s is %v, and the sketch has %v", p, want, got)
			}
		}
	})
}

// TestSketchesMerge: however the values are split and in whatever order the parts merge,
// the sketch of all comes out, and what was merged stays as it is.
func TestSketchesMerge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(magnitudes, 0, 200).Draw(t, "values")
		parts := make([]*Sketch, rapid.IntRange(1, 6).Draw(t, "parts"))
		for i := range parts {
			parts[i] = NewSketch()
		}
		for _, v := range values {
			parts[rapid.IntRange(0, len(parts)-1).Draw(t, "part")].Add(v)
		}
		want := percentiles(sketchOf(values))
		before := percentiles(parts[0])
		merged := NewSketch()
		for _, i := range rapid.Permutation(indices(len(parts))).Draw(t, "order") {
			merged.Merge(parts[i])
		}
		if diff := cmp.Diff(want, percentiles(merged)); diff != "" {
			t.Fatalf("merged (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(before, percentiles(parts[0])); diff != "" {
			t.Fatalf("merging changed a part (-want +got):\n%s", diff)
		}
		merged.Merge(merged)
		if diff := cmp.Diff(percentiles(sketchOf(slices.Concat(values, values))), percentiles(merged)); diff != "" {
			t.Fatalf("merged with itself (-want +got):\n%s", diff)
		}
	})
}

func indices(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func TestSketchSaysWhatItIs(t *testing.T) {
	s := sketchOf(upTo(999))
	q := s.Quantile(P50)
	if q.Known || q.Need != 1000 || q.N != 999 || q.Method != MethodSketch || len(q.Warnings) != 1 || q.Warnings[0].ID != TooFew {
		t.Errorf("p50 of 999 values: %+v", q)
	}
	s.Add(1000)
	if q = s.Quantile(P50); !q.Known || q.Error != SketchError || q.Warnings != nil || math.Abs(q.Value-500) > 5.0001 {
		t.Errorf("p50 of 1000 values: %+v", q)
	}
	if q = s.Quantile(P999); q.Known || q.Need != Minimum(P999).OneSided {
		t.Errorf("p99.9 of 1000 values: %+v", q)
	}
	// The greatest value is kept as it is, and percentiles stay within.
	if q = s.Quantile(Prob{1, 1}); q.Value > 1000 || !near(s.Quantile(Prob{0, 1}).Value, 1, SketchError+1e-9) {
		t.Errorf("ends: %+v %+v", q, s.Quantile(Prob{0, 1}))
	}
	if s.N() != 1000 {
		t.Errorf("n %d", s.N())
	}
	extremes := NewSketch()
	for range 600 {
		extremes.Add(math.MinInt64)
		extremes.Add(math.MaxInt64)
	}
	if low, high := extremes.Quantile(Prob{1, 10}).Value, extremes.Quantile(P90).Value; !near(low, math.MinInt64, SketchError+1e-9) || !near(high, math.MaxInt64, SketchError+1e-9) {
		t.Errorf("extremes: %v and %v", low, high)
	}
	if q := sketchOf(make([]int64, 5000)).Quantile(P99); !q.Known || q.Value != 0 {
		t.Errorf("p99 of zeros: %+v", q)
	}
	if q := NewSketch().Quantile(P50); q.Known || q.N != 0 {
		t.Errorf("p50 of nothing: %+v", q)
	}
}
