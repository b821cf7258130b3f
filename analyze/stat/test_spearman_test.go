package stat

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// TestSpearmanGolden has the IQ and hours of television of the textbook example: rho is
// -29/165, and P by Student's law with 8 degrees of freedom 0.627188.
func TestSpearmanGolden(t *testing.T) {
	iq := []float64{106, 86, 100, 101, 99, 103, 97, 113, 112, 110}
	tv := []float64{7, 0, 27, 50, 28, 29, 20, 12, 6, 17}
	c := Spearman(iq, tv)
	if math.Abs(c.Value- -29.0/165) > 1e-12 || c.N != 10 {
		t.Errorf("%+v", c)
	}
	if c.Effective >= 10 || c.Effective < 9 {
		t.Errorf("in this order the pairs are worth %v", c.Effective)
	}
	// In an order in which those that follow each other are unlike, each counts in full.
	var shuffledIQ, shuffledTV []float64
	for _, i := range []int{6, 8, 9, 7, 5, 3, 0, 4, 1, 2} {
		shuffledIQ, shuffledTV = append(shuffledIQ, iq[i]), append(shuffledTV, tv[i])
	}
	if c = Spearman(shuffledIQ, shuffledTV); c.Effective != 10 || math.Abs(c.P-.627188) > 1e-6 || math.Abs(c.Value- -29.0/165) > 1e-12 {
		t.Errorf("%+v", c)
	}
	// Of 1, 1, 2, ... the first two share the rank 1.5.
	if r := centredRanks([]float64{1, 1, 2}); r[0] != -.5 || r[1] != -.5 || r[2] != 1 {
		t.Error(r)
	}
}

func TestSpearmanRefuses(t *testing.T) {
	flat, rising := make([]float64, 12), make([]float64, 12)
	for i := range rising {
		rising[i] = float64(i)
	}
	for _, c := range []Correlation{Spearman(rising[:9], rising[:9]), Spearman(flat, rising), Spearman(nil, nil)} {
		if !math.IsNaN(c.Value) || c.HasBounds || c.P != 1 || len(c.Warnings) != 1 {
			t.Errorf("%+v", c)
		}
	}
}

// TestSpearmanOfWanderers: independent series that wander are found to go together no oftener
// than they should, or nearly.
func TestSpearmanOfWanderers(t *testing.T) {
	for _, c := range []struct {
		keep float64
		most float64
	}{{0, .08}, {.7, .1}, {.9, .12}} {
		false1, outside, runs := 0, 0, 400
		for seed := range runs {
			random := rand.New(rand.NewPCG(uint64(seed), 1))
			wander := func() []float64 {
				list, v := make([]float64, 120), 0.0
				for i := range list {
					v = c.keep*v + random.NormFloat64()
					list[i] = v
				}
				return list
			}
			r := Spearman(wander(), wander())
			if r.P < .05 {
				false1++
			}
			if r.HasBounds && (r.Bounds.Low > 0 || r.Bounds.High < 0) {
				outside++
			}
		}
		if share := float64(false1) / float64(runs); share > c.most {
			t.Errorf("keeping %v: %v of the runs", c.keep, share)
		}
		if share := float64(outside) / float64(runs); share > c.most {
			t.Errorf("keeping %v: bounds miss 0 in %v", c.keep, share)
		}
	}
}

// TestSpearmanIsOfRanks: a rising function of either changes nothing, exchanging them neither,
// and of one with itself it is 1.
func TestSpearmanIsOfRanks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(LeastPairs, 40).Draw(t, "n")
		x := rapid.SliceOfN(rapid.Float64Range(-10, 10), n, n).Draw(t, "x")
		y := rapid.SliceOfN(rapid.Float64Range(-10, 10), n, n).Draw(t, "y")
		c := Spearman(x, y)
		if math.IsNaN(c.Value) {
			return
		}
		bent := make([]float64, n)
		for i, v := range x {
			bent[i] = math.Exp(v)
		}
		if len(unique(bent)) == len(unique(x)) {
			if b := Spearman(bent, y); b.Value != c.Value || b.P != c.P {
				t.Fatalf("%+v, bent %+v", c, b)
			}
		}
		if b := Spearman(y, x); math.Abs(b.Value-c.Value) > 1e-12 {
			t.Fatalf("%+v, exchanged %+v", c, b)
		}
		if s := Spearman(x, x); math.Abs(s.Value-1) > 1e-12 {
			t.Fatalf("of itself: %+v", s)
		}
		if c.Value < -1 || c.Value > 1 || c.P < 0 || c.P > 1 || c.Effective > float64(n) {
			t.Fatalf("%+v", c)
		}
		if c.HasBounds && (c.Bounds.Low > c.Value || c.Bounds.High < c.Value) {
			t.Fatalf("%+v", c)
		}
	})
}

func unique(values []float64) map[float64]bool {
	m := map[float64]bool{}
	for _, v := range values {
		m[v] = true
	}
	return m
}
