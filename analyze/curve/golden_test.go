package curve

import (
	"math"
	"testing"
)

func near(t *testing.T, name string, got, want, within float64) {
	t.Helper()
	if !(math.Abs(got-want) <= within) {
		t.Errorf("%s: %v, want %v", name, got, want)
	}
}

func points(n, x []float64) []Point {
	var out []Point
	for i := range n {
		out = append(out, Point{InFlight: n[i], Throughput: x[i]})
	}
	return out
}

func warned(k Knee, id string) bool {
	for _, w := range k.Warnings {
		if w.ID == id && w.Text != "" {
			return true
		}
	}
	return false
}

// nim is a sweep that NVIDIA publishes for NIM: a 70B model on two H100, 5000 tokens in
// and 500 out, by the number of clients.
var nim = points([]float64{1, 5, 25, 50, 100, 150, 200, 250}, []float64{51.67, 218.48, 623.4, 814.37, 917.26, 920.9, 920.54, 920.12})

// TestG7Knees asks every rule of one real sweep: the answers are 25 to 156 in flight.
func TestG7Knees(t *testing.T) {
	c := Of(nim)
	for _, k := range []struct {
		knee Knee
		want float64
		off  float64
	}{{c.Power, 25, 0}, {c.Stick.Knee, 33, .05}, {c.Kneedle, 50, 0}, {c.Plateau, 100, 0}, {c.USL.Knee, 155.9, .05}} {
		if !k.knee.Reached || k.knee.Points != 8 || len(k.knee.Warnings) > 0 {
			t.Errorf("%+v", k.knee)
		}
		near(t, k.knee.Method, k.knee.InFlight, k.want, k.off)
	}
	near(t, "λ", c.USL.Lambda, 51.791, 5e-4)
	near(t, "σ", c.USL.Sigma, .043268, 5e-7)
	near(t, "κ", c.USL.Kappa, 3.9357e-5, 5e-10)
	near(t, "Xmax", c.USL.Throughput, 933.2, .05)
	// The figures of the stick are those of a grid of 0.1; the exact bend is at 33.014.
	best := stick{squares: math.Inf(1)}
	for k := 10; k <= 2500; k++ {
		if s := bendAt(must(nim), float64(k)/10); s.squares < best.squares {
			best = s
		}
	}
	near(t, "grid k", best.at, 33, 1e-9)
	near(t, "grid s", best.slope, 25.705, 5e-4)
	near(t, "grid m", best.beyond, .430, 5e-4)
	near(t, "exact k", c.Stick.InFlight, 33.014, 5e-4)
	near(t, "exact s", c.Stick.Slope, 25.697, 1e-3)
	near(t, "exact m", c.Stick.Beyond, .430, 1e-3)
	if c.MaxInFlight != 250 || c.Points != 8 {
		t.Errorf("%d points up to %v", c.Points, c.MaxInFlight)
	}
}

func must(p []Point) []Point {
	use, _ := ordered(p)
	return use
}

// TestG8Kneedle has the curve of the test of kneed, and one that bends at 16.
func TestG8Kneedle(t *testing.T) {
	var n, x []float64
	for i := range 10 {
		v := float64(i) / 9
		n, x = append(n, v+1), append(x, -1/(v+.1)+5+6) // moved, so that both are above 0
	}
	k := Kneedle(points(n, x))
	near(t, "kneed", k.InFlight-1, .2222, 5e-5)
	k = Kneedle(points([]float64{1, 2, 4, 8, 16, 24, 32, 48, 64}, []float64{10, 20, 40, 80, 100, 100, 100, 100, 100}))
	if !k.Reached || k.InFlight != 16 || k.Throughput != 100 || k.Points != 9 {
		t.Errorf("%+v", k)
	}
}

// TestG8BrokenStick has throughput grow by 5 for each in flight up to 16.
func TestG8BrokenStick(t *testing.T) {
	c := Of(points([]float64{2, 4, 8, 16, 32, 64}, []float64{10, 20, 40, 80, 80, 80}))
	s := c.Stick
	near(t, "k", s.InFlight, 16, 1e-9)
	near(t, "s", s.Slope, 5, 1e-9)
	near(t, "m", s.Beyond, 0, 1e-9)
	near(t, "X(k)", s.Throughput, 80, 1e-9)
	if !s.Reached || c.Power.InFlight != 16 || len(c.Power.Warnings) > 0 {
		t.Errorf("%+v, %+v", s, c.Power)
	}
	for i, p := range []Point{{2, 10, 0}, {4, 20, 0}, {8, 40, 0}, {16, 80, 0}, {32, 80, 0}, {64, 80, 0}} {
		near(t, "X²/N", p.Throughput*p.Throughput/p.InFlight, []float64{50, 100, 200, 400, 200, 100}[i], 0)
	}
	line := Of(points([]float64{2, 4, 8, 16, 32, 64}, []float64{10, 20, 40, 80, 160, 320}))
	if line.Stick.Reached || !warned(line.Stick.Knee, NotReached) || line.Stick.InFlight != 0 || !warned(line.Power, AtEdge) || line.Kneedle.Reached {
		t.Errorf("a straight line: %+v", line)
	}
}

// TestG8USLExact has points that lie on the law.
func TestG8USLExact(t *testing.T) {
	u := FitUSL(points([]float64{1, 2, 4, 8, 16, 32}, []float64{10, 17.857143, 28.169014, 35.398230, 32.653061, 22.824536}))
	near(t, "λ", u.Lambda, 10, 1e-6)
	near(t, "σ", u.Sigma, .1, 1e-7)
	near(t, "κ", u.Kappa, .01, 1e-8)
	near(t, "N*", u.InFlight, 9.486833, 1e-5)
	near(t, "X(N*)", u.Throughput, 35.747907, 1e-5)
	if !u.Reached || len(u.Warnings) > 0 || u.Points != 6 || len(u.Residuals) != 6 {
		t.Errorf("%+v", u)
	}
}

// cisco is a published benchmark of a router by its number of workers, 1 to 32 (Schwartz,
// Practical Scalability Analysis with the Universal Scalability Law).
var cisco = []float64{
	955.16, 1878.91, 2688.01, 3548.68, 4315.54, 5130.43, 5931.37, 6531.08, 7219.8, 7867.61, 8278.71, 8646.7, 9047.84, 9426.55, 9645.37, 9897.24,
	10097.6, 10240.5, 10532.39, 10798.52, 11151.43, 11518.63, 11806, 12089.37, 12075.41, 12177.29, 12211.41, 12158.93, 12155.27, 12118.04, 12140.4, 12074.39,
}

// TestG8USLCisco compares the fit with the one in the book.
func TestG8USLCisco(t *testing.T) {
	var all []Point
	for i, x := range cisco {
		all = append(all, Point{InFlight: float64(i + 1), Throughput: x})
	}
	u := FitUSL(all)
	// The book's figures hold to six digits; those below them are the minimum itself, by
	// Newton's method in 50 digits.
	near(t, "σ", u.Sigma, .02671591, 2e-6*u.Sigma)
	near(t, "κ", u.Kappa, 7.690945e-4, 2e-6*u.Kappa)
	near(t, "λ", u.Lambda, 995.6486, 5e-4)
	near(t, "least σ", u.Sigma, .026715945035725, 1e-8*u.Sigma)
	near(t, "least κ", u.Kappa, 7.6909392061046e-4, 1e-8*u.Kappa)
	near(t, "least λ", u.Lambda, 995.64878592905, 1e-8*u.Lambda)
	near(t, "⌊N*⌋", math.Floor(u.InFlight), 35, 0)
	near(t, "X(35)", u.At(35), 12341.7, .05)
	near(t, "R(20)", u.SecondsAt(20), .00180772, 5e-9)
	near(t, "X(20)", u.At(20), 11063.63, .01)
	if u.Points != 32 || !warned(u.Knee, Extrapolated) {
		t.Errorf("%+v", u)
	}
}

// TestG1DocumentUsable has two loads, of which one keeps its P99 below 2 s.
func TestG1DocumentUsable(t *testing.T) {
	loads := []Load{{Point{64, 92, 1}, 1.5e9}, {Point{128, 96, 1}, 8e9}}
	k := Usable(loads, 2e9, false)
	if !k.Reached || k.InFlight != 64 || k.Throughput != 92 || k.Points != 2 {
		t.Errorf("usable: %+v", k)
	}
	if k = Usable(loads, math.MaxInt64, false); k.Throughput != 96 {
		t.Errorf("at most: %+v", k)
	}
	if k = Usable(loads, 1.5e9, false); k.Reached || !warned(k, NoKnee) {
		t.Errorf("below 1.5 s: %+v", k)
	}
	if k = Usable(loads, 1.5e9, true); k.InFlight != 64 {
		t.Errorf("at most 1.5 s: %+v", k)
	}
}
