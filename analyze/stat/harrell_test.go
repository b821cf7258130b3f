package stat

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mathext"
	"pgregory.net/rapid"
)

// TestHarrellDavisGolden has weights that are polynomials: of three values at the median
// a = b = 2, and I_x(2,2) = 3x^2 - 2x^3, which is 7/27, 20/27 and 1 at the thirds.
func TestHarrellDavisGolden(t *testing.T) {
	w := HarrellDavis(3, P50)
	for i, want := range []float64{7. / 27, 13. / 27, 7. / 27} {
		if w.First != 1 || math.Abs(w.W[i]-want) > 1e-14 {
			t.Errorf("weights %v from %d, want %v at %d", w.W, w.First, want, i)
		}
	}
	if got := w.Of([]int64{27, 54, 81}); math.Abs(got-54) > 1e-12 {
		t.Errorf("median %v, want 54", got)
	}
}

func TestHarrellDavisWeights(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(1, 20000).Draw(t, "n")
		den := rapid.SampledFrom([]int64{2, 10, 100, 1000}).Draw(t, "den")
		p := Prob{rapid.Int64Range(1, den-1).Draw(t, "num"), den}
		w := HarrellDavis(n, p)
		if w.First < 1 || w.First-1+int64(len(w.W)) > n {
			t.Fatalf("%d weights from rank %d of %d", len(w.W), w.First, n)
		}
		var sum, mean float64
		for i, x := range w.W {
			if x < 0 || math.IsNaN(x) {
				t.Fatalf("weight %v", x)
			}
			sum += x
			mean += x * float64(w.First+int64(i))
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Fatalf("the weights add up to %v", sum)
		}
		// The mean of the beta law is p, so that of the ranks is n p and half a rank or so.
		if math.Abs(mean-.5-float64(n)*p.Float()) > .51 {
			t.Fatalf("mean rank %v of %d at %s", mean, n, p)
		}
		mirrored := HarrellDavis(n, Prob{p.Den - p.Num, p.Den})
		if len(mirrored.W) != len(w.W) {
			return // where weights end differs by rounding
		}
		for i, x := range w.W {
			if y := mirrored.W[len(w.W)-1-i]; math.Abs(x-y) > 1e-9 {
				t.Fatalf("rank %d weighs %v, mirrored %v", w.First+int64(i), x, y)
			}
		}
	})
}

// TestHarrellDavisWays compares the integral of the density with differences of the
// incomplete beta function, where both can be had.
func TestHarrellDavisWays(t *testing.T) {
	for _, n := range []int64{100, 700, 4000, 50000} {
		for _, p := range []Prob{P50, P90, P99} {
			a := float64(n+1) * p.Float()
			b := float64(n+1) - a
			if min(a, b) < smoothFrom {
				continue
			}
			w := HarrellDavis(n, p)
			for i, x := range w.W {
				rank := w.First + int64(i)
				want := mathext.RegIncBeta(a, b, float64(rank)/float64(n)) - mathext.RegIncBeta(a, b, float64(rank-1)/float64(n))
				if math.Abs(x-want) > 1e-8 {
					t.Fatalf("%s of %d: rank %d weighs %v, want %v", p, n, rank, x, want)
				}
			}
		}
	}
}

func TestHarrellDavisOfNothing(t *testing.T) {
	for _, w := range []Weights{HarrellDavis(0, P50), HarrellDavis(5, Prob{0, 1}), HarrellDavis(5, Prob{1, 1})} {
		if len(w.W) != 0 || w.Of([]int64{1, 2, 3, 4, 5}) != 0 {
			t.Errorf("weights %v", w)
		}
	}
}

func BenchmarkHarrellDavis(b *testing.B) {
	for b.Loop() {
		HarrellDavis(1_000_000, P50)
	}
}
