package curve

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/tailpath/tailpath/analyze/stat"
)

// Point is a load that was held for a while: the mean of a number of windows.
type Point struct {
	InFlight   float64 // mean requests in flight, above 0
	Throughput float64 // completions or tokens a second
	// Windows is how many windows of time the point is the mean of; below 1 counts as 1.
	// Fits weigh a point's residual by its square root.
	Windows int64
}

// weight returns the weight of the point's residual, once it is [ordered].
func (p Point) weight() float64 { return math.Sqrt(float64(p.Windows)) }

// The ids of warnings.
const (
	LeftOut      = "left-out"           // points that cannot be were not used
	TooFew       = "too-few-points"     // there is no answer
	NotReached   = "not-reached"        // throughput still grows at the highest load
	AtFirst      = "at-first-point"     // the knee may lie below the least load seen
	AtEdge       = "at-edge"            // the highest loads are the best: there may be better ones
	NoKnee       = "no-knee"            // the rule finds none
	Extrapolated = "extrapolated"       // of loads that were not seen
	Unphysical   = "negative-parameter" // the law fits by a parameter that means nothing
	NotConverged = "not-converged"      // the fit did not settle
)

// Knee is where a rule says that throughput stops growing.
type Knee struct {
	Method string
	Points int // that it stands on
	// Reached is false when the rule gives no knee; Warnings then say why, and InFlight
	// and Throughput are 0.
	Reached    bool
	InFlight   float64
	Throughput float64 // at InFlight, by the rule
	Warnings   []stat.Warning
}

func (k *Knee) warn(id, format string, args ...any) {
	k.Warnings = append(k.Warnings, stat.Warning{ID: id, Text: fmt.Sprintf(format, args...)})
}

// leftOut warns of points that are not used, if there are any.
func (k *Knee) leftOut(n int) {
	if n > 0 {
		k.warn(LeftOut, "points left out: %d; in flight must be above 0, throughput must not be negative, and both must be finite", n)
	}
}

// newKnee starts the answer of a rule, which needs a number of different loads, from
// points in order; false when there are too few.
func newKnee(method string, points []Point, refused, need int) (Knee, bool) {
	k := Knee{Method: method, Points: len(points)}
	k.leftOut(refused)
	if loads := distinct(points); loads < need {
		k.warn(TooFew, "%s needs %d different loads and there are %d", method, need, loads)
		return k, false
	}
	return k, true
}

// ordered returns the points that can be, by load, throughput and windows, with one window
// or more each, and the number of the others.
func ordered(points []Point) (use []Point, refused int) {
	for _, p := range points {
		if !(p.InFlight > 0) || !(p.Throughput >= 0) || math.IsInf(p.InFlight, 1) || math.IsInf(p.Throughput, 1) {
			refused++
			continue
		}
		p.Windows = max(1, p.Windows)
		use = append(use, p)
	}
	slices.SortFunc(use, func(a, b Point) int {
		return cmp.Or(cmp.Compare(a.InFlight, b.InFlight), cmp.Compare(a.Throughput, b.Throughput), cmp.Compare(a.Windows, b.Windows))
	})
	return use, refused
}

// distinct returns the number of different loads of ordered points.
func distinct(points []Point) int {
	n := 0
	for i, p := range points {
		if i == 0 || p.InFlight != points[i-1].InFlight {
			n++
		}
	}
	return n
}

// merged returns one point for each load of ordered points: the mean by windows.
func merged(points []Point) []Point {
	var out []Point
	for i := 0; i < len(points); {
		sum, windows, j := 0.0, int64(0), i
		for ; j < len(points) && points[j].InFlight == points[i].InFlight; j++ {
			sum += float64(points[j].Throughput * float64(points[j].Windows))
			windows += points[j].Windows
		}
		p := points[i]
		if j > i+1 {
			p.Throughput, p.Windows = sum/float64(windows), windows
		}
		out = append(out, p)
		i = j
	}
	return out
}

// Curve is what every rule says of the same points.
type Curve struct {
	Points      int     // that were used
	MaxInFlight float64 // highest load seen
	Stick       Stick
	Power       Knee
	Kneedle     Knee
	Plateau     Knee
	USL         USL
}

// Of asks every rule. The law of universal scalability is marked as extrapolated unless
// the stick's gate passed: on load that never saturated it answers all the same, and
// wrongly.
func Of(points []Point) Curve {
	use, _ := ordered(points)
	c := Curve{
		Points: len(use), Stick: BrokenStick(points), Power: PowerMax(points), Kneedle: Kneedle(points), Plateau: Plateau(points), USL: FitUSL(points),
	}
	if len(use) > 0 {
		c.MaxInFlight = use[len(use)-1].InFlight
	}
	extrapolated := slices.ContainsFunc(c.USL.Warnings, func(w stat.Warning) bool { return w.ID == Extrapolated })
	if c.USL.Fitted && !c.Stick.Reached && !extrapolated {
		c.USL.warn(Extrapolated, "the load was never seen to saturate, so the law says nothing of where it would")
	}
	return c
}
