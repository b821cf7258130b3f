package curve

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// loads returns loads in steps of a ratio.
func loads(first, ratio float64, n int) []float64 {
	var out []float64
	for range n {
		out = append(out, first)
		first *= ratio
	}
	return out
}

func drawPoints(t *rapid.T) []Point {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Point {
		return Point{float64(rapid.IntRange(0, 60).Draw(t, "n")) / 2, float64(rapid.IntRange(0, 200).Draw(t, "x")), rapid.Int64Range(0, 9).Draw(t, "windows")}
	}), 0, 14).Draw(t, "points")
}

// TestStickRecoversPlanted plants a bend anywhere between the second load and the last two.
func TestStickRecoversPlanted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := loads(rapid.Float64Range(.5, 4).Draw(t, "first"), 1.2, rapid.IntRange(6, 30).Draw(t, "n"))
		k := rapid.Float64Range(n[1], n[len(n)-3]).Draw(t, "k")
		s := rapid.Float64Range(.1, 1000).Draw(t, "s")
		m := s * rapid.Float64Range(-.5, .6).Draw(t, "ratio")
		var all []Point
		for i, v := range n {
			all = append(all, Point{v, float64(s*min(v, k)) + float64(m*max(0, v-k)), int64(i)})
		}
		for i := range all {
			all[i].Throughput = max(0, all[i].Throughput)
			if all[i].Throughput == 0 {
				all = all[:i] // it went below 0, which no throughput does
				break
			}
		}
		if len(all) < 4 || all[len(all)-2].InFlight <= k {
			return
		}
		got := BrokenStick(all)
		if math.Abs(got.Bend/k-1) > 1e-6 || math.Abs(got.Slope/s-1) > 1e-6 || math.Abs(got.Beyond-m) > 1e-6*s {
			t.Fatalf("planted k %v s %v m %v, got %+v", k, s, m, got)
		}
		if reached := m/s < gate; math.Abs(m/s-gate) > 1e-6 && got.Reached != reached {
			t.Fatalf("m/s is %v, yet reached is %v", m/s, got.Reached)
		}
	})
}

// TestGateNeverPassesOnALine has straight lines, and lines with a per cent of noise.
func TestGateNeverPassesOnALine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := loads(rapid.Float64Range(.01, 10).Draw(t, "first"), rapid.Float64Range(1.2, 3).Draw(t, "step"), rapid.IntRange(4, 20).Draw(t, "n"))
		s := rapid.Float64Range(1e-6, 1e6).Draw(t, "s")
		noise := rapid.SampledFrom([]float64{0, .01}).Draw(t, "noise")
		var all []Point
		for _, v := range n {
			all = append(all, Point{v, s * v * (1 + noise*rapid.Float64Range(-1, 1).Draw(t, "r")), rapid.Int64Range(1, 50).Draw(t, "windows")})
		}
		c := Of(all)
		if c.Stick.Reached || !warned(c.Stick.Knee, NotReached) {
			t.Fatalf("a knee in a line: %+v", c.Stick)
		}
		if c.USL.Fitted && !warned(c.USL.Knee, Extrapolated) {
			t.Fatalf("the law is not marked as extrapolated: %+v", c.USL)
		}
		if noise == 0 && c.Kneedle.Reached {
			t.Fatalf("Kneedle: %+v", c.Kneedle)
		}
		if !warned(c.Power, AtEdge) || !warned(c.Plateau, AtEdge) {
			t.Fatalf("nothing says that the best load is the highest: %+v %+v", c.Power, c.Plateau)
		}
	})
}

// TestStickIsTheBest compares the exact bend with every one of a fine grid, up to the third
// highest load.
func TestStickIsTheBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		use := must(drawPoints(t))
		if distinct(use) < stickLoads {
			return
		}
		best := bend(use)
		tol := 1e-9 * (1 + power(use))
		at := bendAt(use, best.at)
		if math.Abs(at.squares-best.squares) > tol {
			t.Fatalf("%+v is not what bending there gives: %+v", best, at)
		}
		for k := use[0].InFlight; ; k += .1 {
			beyond := use
			for len(beyond) > 0 && beyond[0].InFlight <= k {
				beyond = beyond[1:]
			}
			if distinct(beyond) < 2 {
				break
			}
			if distinct(beyond) == 2 && k > use[len(use)-len(beyond)-1].InFlight {
				continue // the pieces need not meet here
			}
			if s := bendAt(use, k); s.squares < best.squares-tol {
				t.Fatalf("a bend at %v is better: %+v, %+v", k, s, best)
			}
		}
	})
}

// TestUSLRecoversPlanted plants parameters and a maximum within twice the loads.
func TestUSLRecoversPlanted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := loads(1, rapid.Float64Range(1.3, 2).Draw(t, "step"), rapid.IntRange(6, 15).Draw(t, "n"))
		top := n[len(n)-1] * rapid.Float64Range(.3, 2).Draw(t, "top")
		lambda, sigma := rapid.Float64Range(.01, 1e4).Draw(t, "λ"), rapid.Float64Range(0, .5).Draw(t, "σ")
		kappa := (1 - sigma) / top / top
		var all []Point
		for _, v := range n {
			all = append(all, Point{v, uslAt([3]float64{lambda, sigma, kappa}, v), rapid.Int64Range(1, 9).Draw(t, "windows")})
		}
		u := FitUSL(all)
		if !u.Reached || math.Abs(u.Lambda/lambda-1) > 1e-6 || math.Abs(u.Sigma-sigma) > 1e-6 || math.Abs(u.Kappa/kappa-1) > 1e-5 || math.Abs(u.InFlight/top-1) > 1e-5 {
			t.Fatalf("planted λ %v σ %v κ %v N* %v, got %+v", lambda, sigma, kappa, top, u)
		}
		if warned(u.Knee, NotConverged) || warned(u.Knee, Unphysical) && sigma > 1e-9 {
			t.Fatalf("%+v", u.Warnings)
		}
	})
}

// TestUSLIsAMinimum holds that no small change of a parameter fits better, whatever the
// points.
func TestUSLIsAMinimum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := loads(1, 1.5, rapid.IntRange(6, 12).Draw(t, "n"))
		var all []Point
		for _, v := range n {
			x := uslAt([3]float64{100, .05, .002}, v) * rapid.Float64Range(.8, 1.2).Draw(t, "noise")
			all = append(all, Point{v, x, rapid.Int64Range(1, 9).Draw(t, "windows")})
		}
		u := FitUSL(all)
		if !u.Fitted || warned(u.Knee, NotConverged) {
			t.Fatalf("%+v", u)
		}
		p := [3]float64{u.Lambda, u.Sigma, u.Kappa}
		least := squares(must(all), p)
		for i := range p {
			for _, f := range []float64{1 - 1e-4, 1 + 1e-4} {
				q := p
				if q[i] *= f; squares(must(all), q) < least*(1-1e-9) {
					t.Fatalf("parameter %d times %v fits better than %+v", i, f, u)
				}
			}
		}
	})
}

// TestOrderChangesNothing permutes the points.
func TestOrderChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := drawPoints(t)
		if d := cmp.Diff(Of(all), Of(rapid.Permutation(all).Draw(t, "permuted"))); d != "" {
			t.Fatal(d)
		}
	})
}

// TestUnitsChangeNothing has another unit of throughput, a power of two so that nothing is
// rounded; and for the rules without a load of one in them, another unit of load.
func TestUnitsChangeNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := drawPoints(t)
		a := Of(all)
		for i := range all {
			all[i].Throughput *= 1024
		}
		b := Of(all)
		for _, k := range [][2]Knee{{a.Stick.Knee, b.Stick.Knee}, {a.Power, b.Power}, {a.Kneedle, b.Kneedle}, {a.Plateau, b.Plateau}, {a.USL.Knee, b.USL.Knee}} {
			if k[0].Reached != k[1].Reached || k[0].InFlight != k[1].InFlight || 1024*k[0].Throughput != k[1].Throughput {
				t.Fatalf("%+v\n%+v", k[0], k[1])
			}
		}
		if 1024*a.Stick.Slope != b.Stick.Slope || a.Stick.Ratio != b.Stick.Ratio || a.USL.Sigma != b.USL.Sigma || 1024*a.USL.Lambda != b.USL.Lambda {
			t.Fatalf("%+v\n%+v", a, b)
		}
		for i := range all {
			all[i].InFlight *= 4
		}
		c := Of(all)
		for _, k := range [][2]Knee{{b.Stick.Knee, c.Stick.Knee}, {b.Power, c.Power}, {b.Kneedle, c.Kneedle}, {b.Plateau, c.Plateau}} {
			if k[0].Reached != k[1].Reached || 4*k[0].InFlight != k[1].InFlight || k[0].Throughput != k[1].Throughput {
				t.Fatalf("%+v\n%+v", k[0], k[1])
			}
		}
	})
}

// TestEveryAnswerSaysWhatItIs holds that each has its rule, its number of points, and a
// reason if there is no knee.
func TestEveryAnswerSaysWhatItIs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := drawPoints(t)
		c := Of(all)
		use, refused := ordered(all)
		for _, k := range []Knee{c.Stick.Knee, c.Power, c.Kneedle, c.Plateau, c.USL.Knee} {
			if k.Method == "" || k.Points != len(use) || c.Points != len(use) || warned(k, LeftOut) != (refused > 0) {
				t.Fatalf("%+v of %d points", k, len(use))
			}
			if k.Reached && !(k.InFlight > 0) || !k.Reached && (k.InFlight != 0 || k.Throughput != 0 || len(k.Warnings) == 0) {
				t.Fatalf("%+v", k)
			}
			if k.Method != MethodUSL && k.Reached && (k.InFlight < use[0].InFlight || k.InFlight > c.MaxInFlight) {
				t.Fatalf("beyond the loads: %+v", k)
			}
		}
	})
}
