package curve

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPointsThatCannotBe are left out and counted by every rule.
func TestPointsThatCannotBe(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	bad := []Point{{nan, 1, 1}, {1, nan, 1}, {inf, 1, 1}, {1, inf, 1}, {0, 0, 1}, {-1, 1, 1}, {1, -1, 1}}
	c := Of(append(bad, nim...))
	for _, k := range []Knee{c.Stick.Knee, c.Power, c.Kneedle, c.Plateau, c.USL.Knee} {
		if len(k.Warnings) != 1 || k.Warnings[0].ID != LeftOut || !strings.HasPrefix(k.Warnings[0].Text, "points left out: 7; ") {
			t.Errorf("%+v", k)
		}
		if k.Warnings = nil; k.Method == MethodPower && cmp.Diff(PowerMax(nim), k) != "" {
			t.Errorf("%+v", k)
		}
	}
	if k := Usable([]Load{{bad[0], 1}, {nim[0], 1}}, 5, false); !warned(k, LeftOut) || k.Points != 1 || !k.Reached {
		t.Errorf("%+v", k)
	}
	for _, k := range []Knee{Of(bad).Stick.Knee, Of(nil).Power, Of(nil).Kneedle, Of(nil).Plateau, Of(nil).USL.Knee} {
		if k.Reached || !warned(k, TooFew) {
			t.Errorf("%+v", k)
		}
	}
}

// TestFewLoads says how many there must be: points of one load are one.
func TestFewLoads(t *testing.T) {
	three := points([]float64{1, 2, 4, 4, 4, 4}, []float64{1, 2, 2, 2, 2, 2})
	if s := BrokenStick(three); s.Reached || !warned(s.Knee, TooFew) || s.Points != 6 || s.Slope != 0 {
		t.Errorf("%+v", s)
	}
	if u := FitUSL(three); u.Fitted || !warned(u.Knee, TooFew) {
		t.Errorf("%+v", u)
	}
	if k := Kneedle(three); warned(k, TooFew) {
		t.Errorf("%+v", k)
	}
}

// TestSaturatedFromTheFirst has a curve that was flat before it was looked at.
func TestSaturatedFromTheFirst(t *testing.T) {
	flat := points([]float64{10, 20, 40, 80}, []float64{7, 7, 7, 7})
	c := Of(flat)
	if s := c.Stick; !s.Reached || s.InFlight != 10 || !warned(s.Knee, AtFirst) {
		t.Errorf("%+v", s)
	}
	if c.Kneedle.Reached || !warned(c.Kneedle, NoKnee) || c.Plateau.InFlight != 10 {
		t.Errorf("%+v, %+v", c.Kneedle, c.Plateau)
	}
	none := Of(points([]float64{1, 2, 3, 4, 5, 6}, make([]float64, 6)))
	if none.Stick.Reached || !warned(none.Stick.Knee, NotReached) || none.USL.Fitted {
		t.Errorf("no throughput at all: %+v", none)
	}
}

// TestRetrograde has throughput fall again after its maximum.
func TestRetrograde(t *testing.T) {
	c := Of(points([]float64{1, 2, 4, 8, 16, 32, 64}, []float64{10, 20, 40, 80, 70, 60, 40}))
	if s := c.Stick; !s.Reached || s.Ratio >= 0 || s.InFlight < 7 || s.InFlight > 9 {
		t.Errorf("%+v", s)
	}
	if c.Plateau.InFlight != 8 || c.Power.InFlight != 8 || c.Kneedle.InFlight != 8 {
		t.Errorf("%+v", c)
	}
}

// TestWindowsWeigh has one odd point that counts little against the windows of the others.
func TestWindowsWeigh(t *testing.T) {
	even := points([]float64{2, 4, 8, 16, 32, 64}, []float64{10, 20, 40, 80, 80, 80})
	odd := append(points([]float64{12}, []float64{20}), even...)
	for i := range odd {
		odd[i].Windows = 1_000_000
	}
	odd[0].Windows = 1
	if s := BrokenStick(odd); math.Abs(s.InFlight-16) > 1e-3 {
		t.Errorf("%+v", s)
	}
	odd[0].Windows = 1_000_000
	if s := BrokenStick(odd); math.Abs(s.InFlight-16) < .1 {
		t.Errorf("as heavy as the others: %+v", s)
	}
	two := []Point{{4, 10, 3}, {4, 20, 1}, {2, 5, 2}}
	if d := cmp.Diff([]Point{{2, 5, 2}, {4, 12.5, 4}}, merged(must(two))); d != "" {
		t.Error(d)
	}
}

// TestUSLWithoutMaximum has a curve that only has contention, and one that grows faster
// than its load.
func TestUSLWithoutMaximum(t *testing.T) {
	var amdahl, super []Point
	for _, n := range loads(1, 2, 8) {
		amdahl = append(amdahl, Point{n, uslAt([3]float64{5, .1, 0}, n), 1})
		super = append(super, Point{n, 5 * math.Pow(n, 1.2), 1})
	}
	u := FitUSL(amdahl)
	if math.Abs(u.Sigma-.1) > 1e-8 || u.Reached || !warned(u.Knee, NotReached) {
		t.Errorf("%+v", u)
	}
	if u = FitUSL(super); !u.Fitted || !warned(u.Knee, Unphysical) {
		t.Errorf("%+v", u)
	}
}

// TestKneedleResetsAtATrough has a peak that is followed by a small fall and a higher one.
func TestKneedleResetsAtATrough(t *testing.T) {
	k := Kneedle(points([]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, []float64{1, 3, 3.6, 7, 8, 8.1, 8.2, 8.3, 8.4, 8.5, 8.6}))
	if !k.Reached || k.InFlight != 5 {
		t.Errorf("%+v", k)
	}
	convex := Kneedle(points([]float64{1, 2, 3, 4}, []float64{1, 1, 2, 9}))
	if convex.Reached || !warned(convex, NoKnee) {
		t.Errorf("%+v", convex)
	}
}
