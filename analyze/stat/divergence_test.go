package stat

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestDivergenceGolden(t *testing.T) {
	input, inputBase := []float64{60, 40}, []float64{45, 855}
	for _, c := range []struct {
		name             string
		got, want, error float64
	}{
		{"JS of the long inputs", JensenShannon(input, inputBase), .2810623467458536, 1e-12},
		{"JS of the region", JensenShannon([]float64{52, 48}, []float64{450, 450}), .00028867375520901753, 1e-12},
		{"JS of the replica", JensenShannon([]float64{70, 10, 10, 10}, []float64{225, 225, 225, 225}), .15191136719789752, 1e-12},
		{"JS of laws that share some", JensenShannon([]float64{1, 2, 3, 0}, []float64{0, 3, 2, 1}), .1908745046211095, 1e-12},
		{"JS of laws that share nothing", JensenShannon([]float64{1}, []float64{0, 5}), 1, 1e-15},
		{"JS of one and nothing", JensenShannon([]float64{1}, nil), 0, 0},
		{"KL of slow from base", KullbackLeibler(input, inputBase), 1.144945, 5e-7},
		{"KL of base from slow", KullbackLeibler(inputBase, input), .697502, 5e-7},
		{"KL of half from 80:20", KullbackLeibler([]float64{.5, .5}, []float64{.8, .2}), .223144, 5e-6},
		{"KL of half from 70:30", KullbackLeibler([]float64{.5, .5}, []float64{.7, .3}), .087177, 5e-6},
		// The entropy of a law over two values is ln 2 less its divergence from half and half.
		{"entropy of 80:20", math.Ln2 - KullbackLeibler([]float64{.8, .2}, []float64{.5, .5}), .500402, 1e-6},
		{"entropy of 70:30", math.Ln2 - KullbackLeibler([]float64{.7, .3}, []float64{.5, .5}), .610864, 1e-6},
		{"KL without a value", KullbackLeibler([]float64{1, math.NaN()}, []float64{-1, 2}), math.Inf(1), 0},
		{"KL of nothing", KullbackLeibler(nil, []float64{1}), 0, 0},
	} {
		if c.got != c.want && !near(c.got, c.want, c.error) {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
}

// TestRiskGolden has the relative risk and its bounds from scipy 1.17; the bounds of the
// fraction from a numeric derivative under the multinomial law, which agrees with the
// formula of Fleiss (1979).
func TestRiskGolden(t *testing.T) {
	for _, c := range []struct {
		a, b, c, d        int64
		rr, rrLow, rrHigh float64
		af, afLow, afHigh float64
	}{
		{60, 45, 40, 855, 12.785714285714285, 9.05302621018136, 18.05744134619527, .5530726256983239, .4374703058525954, .6449181616929012},
		{8, 2, 20, 170, 7.6, 4.5292944169625216, 12.752538184244505, .24812030075187969, .07190265761021386, .3908795378232889},
		{1, 99, 50, 850, .18, .025136002662013195, 1.2889877692830027, -.08932461873638343, -.13607631161614475, -.044496846604528795},
		{500, 500, 500, 98500, 99, 88.93885228061289, 110.19930827392116, .494949494949495, .4628232083115933, .5251544433815956},
	} {
		rr, af := RelativeRisk(c.a, c.b, c.c, c.d), AttributableFraction(c.a, c.b, c.c, c.d)
		if !near(rr.Value, c.rr, 1e-12) || !rr.HasBounds || !near(rr.Bounds.Low, c.rrLow, 1e-9) || !near(rr.Bounds.High, c.rrHigh, 1e-9) || rr.Method != MethodRelativeRisk {
			t.Errorf("%v: %+v, want %v in [%v, %v]", c, rr, c.rr, c.rrLow, c.rrHigh)
		}
		if !near(af.Value, c.af, 1e-12) || !af.HasBounds || !near(af.Bounds.Low, c.afLow, 1e-7) || !near(af.Bounds.High, c.afHigh, 1e-7) || af.Method != MethodAttributable {
			t.Errorf("%v: %+v, want %v in [%v, %v]", c, af, c.af, c.afLow, c.afHigh)
		}
		if n := c.a + c.b + c.c + c.d; rr.N != n || af.N != n || rr.Warnings != nil || af.Warnings != nil {
			t.Errorf("%v: %+v %+v", c, rr, af)
		}
	}
}

func TestRiskWithoutAnInterval(t *testing.T) {
	for _, c := range []struct {
		name       string
		a, b, c, d int64
		rr, af     float64
		id         string
	}{
		{"no request", 0, 0, 0, 0, 1, 0, TooFew},
		{"all have it", 3, 5, 0, 0, 1, 0, TooFew},
		{"none has it", 0, 0, 3, 5, 1, 0, TooFew},
		{"none is slow", 0, 5, 0, 5, 1, 0, TooFew},
		{"only those with it are slow", 3, 5, 0, 8, 3.5 / 9 / (.5 / 9), 1, ZeroCell},
	} {
		for _, got := range []Estimate{RelativeRisk(c.a, c.b, c.c, c.d), AttributableFraction(c.a, c.b, c.c, c.d)} {
			want := c.rr
			if got.Method == MethodAttributable {
				want = c.af
			}
			if !near(got.Value, want, 1e-12) || got.HasBounds || len(got.Warnings) != 1 || got.Warnings[0].ID != c.id {
				t.Errorf("%s: %+v, want %v", c.name, got, want)
			}
		}
	}
	if rr := RelativeRisk(0, 5, 3, 5); rr.Value != 0 || rr.HasBounds || rr.Warnings[0].ID != ZeroCell {
		t.Errorf("none of those with it is slow: %+v", rr)
	}
	// The fraction has bounds there: all slow requests would have come anyway, and more.
	if af := AttributableFraction(0, 5, 3, 5); !near(af.Value, -5./8, 1e-12) || !af.HasBounds {
		t.Errorf("none of those with it is slow: %+v", af)
	}
}

var weights = rapid.SliceOfN(rapid.OneOf(rapid.Just(0.0), rapid.Float64Range(0, 1000)), 1, 20)

func TestJensenShannonIsADistance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, q := weights.Draw(t, "p"), weights.Draw(t, "q")
		js := JensenShannon(p, q)
		if js < 0 || js > 1 || math.IsNaN(js) {
			t.Fatalf("%v bits", js)
		}
		if other := JensenShannon(q, p); math.Abs(other-js) > 1e-12 {
			t.Fatalf("%v one way and %v the other", js, other)
		}
		if self := JensenShannon(p, p); self > 1e-12 {
			t.Fatalf("%v bits from itself", self)
		}
		scaled := make([]float64, len(p), len(p)+1)
		for i := range p {
			scaled[i] = 7 * p[i]
		}
		if other := JensenShannon(append(scaled, 0), q); math.Abs(other-js) > 1e-12 {
			t.Fatalf("%v bits, and %v after scaling by 7", js, other)
		}
		if kl := KullbackLeibler(p, q); kl < 0 || math.IsNaN(kl) || kl+1e-9 < 2*js*js {
			t.Fatalf("KL %v nats, below Pinsker's bound for JS %v bits", kl, js)
		}
	})
}

// TestFractionFollowsRisk checks AF = p*(RR-1)/RR, and that bounds enclose.
func TestFractionFollowsRisk(t *testing.T) {
	count := rapid.Int64Range(0, 2000)
	rapid.Check(t, func(t *rapid.T) {
		a, b, c, d := count.Draw(t, "a"), count.Draw(t, "b"), count.Draw(t, "c"), count.Draw(t, "d")
		rr, af := RelativeRisk(a, b, c, d), AttributableFraction(a, b, c, d)
		for _, e := range []Estimate{rr, af} {
			if math.IsNaN(e.Value) || math.IsInf(e.Value, 0) || e.HasBounds && (e.Bounds.Low > e.Value || e.Bounds.High < e.Value) || !e.HasBounds && len(e.Warnings) == 0 {
				t.Fatalf("%+v", e)
			}
		}
		if rr.HasBounds {
			want := float64(a) / float64(a+c) * (rr.Value - 1) / rr.Value
			if !near(af.Value, want, 1e-9) && math.Abs(af.Value-want) > 1e-12 {
				t.Fatalf("fraction %v, want %v", af.Value, want)
			}
		}
	})
}
