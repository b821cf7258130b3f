package curve

import "math"

// MethodStick is the id of [BrokenStick].
const MethodStick = "broken-stick"

// stickLoads is how many different loads a stick takes: it has three parameters.
const stickLoads = 4

// gate is the slope beyond the knee, as a share of the slope before, from which the curve
// counts as still growing. In simulation it claims a knee in 2 % of the runs that never
// saturated, and finds one in all that went 10 % over capacity.
const gate = 0.15

// Stick is a curve of two straight pieces.
type Stick struct {
	Knee
	// Slope is throughput for each request in flight up to Bend, and Beyond each further
	// one's; both are 0 when nothing was fitted. Bend is where they meet, whether or not it
	// is a knee.
	Slope, Beyond, Bend float64
	// Ratio is Beyond over Slope, or over the slope of the loads up to Bend by themselves if
	// that is less: below 0.15 throughput stopped growing.
	Ratio float64
}

// BrokenStick fits a line through the origin that bends once,
//
//	X(N) = s*min(N, k) + m*max(0, N-k),
//
// by least squares with weights sqrt(windows) on the residuals, over all k from the least
// load to the third highest, and over those between it and the second highest at which the
// best lines of the loads on both sides meet: one load alone never makes the piece beyond.
// k is exact, not from a grid. Where several k fit as well, the least is taken. It is the
// knee if m/s < 0.15; otherwise the knee was not reached. s is checked against the loads
// up to k alone, since noise at loads a thousand times as high can outweigh them in the fit.
func BrokenStick(points []Point) Stick {
	use, refused := ordered(points)
	knee, enough := newKnee(MethodStick, use, refused, stickLoads)
	s := Stick{Knee: knee}
	if !enough {
		return s
	}
	fit := bend(use)
	last := use[len(use)-1].InFlight
	s.Slope, s.Beyond, s.Bend = fit.slope, fit.beyond, fit.at
	if !(fit.slope > 0) {
		s.warn(NotReached, "throughput does not grow with load at all")
		return s
	}
	before := fit.slope
	if alone := origin(use, fit.at); alone < before {
		before = alone
	}
	if !(before > 0) {
		s.warn(NotReached, "throughput is 0 at the loads up to %.4g in flight", fit.at)
		return s
	}
	if s.Ratio = fit.beyond / before; s.Ratio >= gate {
		s.warn(NotReached, "not reached: at the highest load of %.4g in flight throughput grows by %.0f %% of what it did at first", last, 100*s.Ratio)
		return s
	}
	s.Reached, s.InFlight, s.Throughput = true, fit.at, fit.slope*fit.at
	if fit.at <= use[0].InFlight {
		s.warn(AtFirst, "the knee is at or below the least load of %.4g in flight", use[0].InFlight)
	}
	return s
}

// stick is a fit: its bend, slopes and the weighted sum of squares.
type stick struct{ at, slope, beyond, squares float64 }

// bend returns the best stick of ordered points of four loads or more.
func bend(points []Point) stick {
	best, whole := stick{squares: math.Inf(1)}, power(points)
	try := func(at float64) {
		// Rounding alone must not choose among bends that fit equally well.
		if s := bendAt(points, at); math.IsInf(best.squares, 1) || s.squares < best.squares-1e-12*best.squares-1e-22*whole {
			best = s
		}
	}
	for i := range points {
		if i > 0 && points[i].InFlight == points[i-1].InFlight {
			continue
		}
		// i is the first point of its load. Bends between it and the load before leave
		// points[i:] beyond; a bend at it leaves one load less.
		if distinct(points[i:]) < 2 {
			break
		}
		if i > 0 {
			if at, ok := between(points, i); ok {
				try(at)
			}
		}
		if distinct(points[i:]) > 2 {
			try(points[i].InFlight)
		}
	}
	return best
}

// power returns the weighted sum of squares of the throughput itself.
func power(points []Point) float64 {
	sum := 0.0
	for _, p := range points {
		wx := p.weight() * p.Throughput
		sum += float64(wx * wx)
	}
	return sum
}

// between returns where the best line through the origin of points[:i] meets the best line
// of points[i:], if that is between these points. In that gap no other bend fits better.
func between(points []Point, i int) (at float64, ok bool) {
	slope := origin(points, points[i-1].InFlight)
	var sum, meanN, meanX float64
	for _, p := range points[i:] {
		w := float64(p.Windows)
		sum += w
		meanN += float64(w * p.InFlight)
		meanX += float64(w * p.Throughput)
	}
	meanN, meanX = meanN/sum, meanX/sum
	var cross, square float64
	for _, p := range points[i:] {
		w, d := float64(p.Windows), p.InFlight-meanN
		cross += float64(float64(w*d) * (p.Throughput - meanX))
		square += float64(float64(w*d) * d)
	}
	beyond := cross / square
	at = (meanX - float64(beyond*meanN)) / (slope - beyond)
	return at, at > points[i-1].InFlight && at < points[i].InFlight
}

// origin returns the slope of the best line through the origin of the points up to a load.
func origin(points []Point, upTo float64) float64 {
	var nx, nn float64
	for _, p := range points {
		if p.InFlight > upTo {
			break
		}
		w := float64(p.Windows)
		nx += float64(float64(w*p.InFlight) * p.Throughput)
		nn += float64(float64(w*p.InFlight) * p.InFlight)
	}
	return nx / nn
}

// bendAt returns the best stick that bends at a load.
func bendAt(points []Point, at float64) stick {
	var aa, ab, bb, ax, bx float64
	for _, p := range points {
		w := float64(p.Windows)
		a, b := min(p.InFlight, at), max(0, p.InFlight-at)
		aa += float64(float64(w*a) * a)
		ab += float64(float64(w*a) * b)
		bb += float64(float64(w*b) * b)
		ax += float64(float64(w*a) * p.Throughput)
		bx += float64(float64(w*b) * p.Throughput)
	}
	det := float64(aa*bb) - float64(ab*ab)
	if !(det > 0) {
		return stick{squares: math.Inf(1)}
	}
	s := stick{at: at, slope: (float64(ax*bb) - float64(bx*ab)) / det, beyond: (float64(bx*aa) - float64(ax*ab)) / det}
	for _, p := range points {
		r := p.Throughput - float64(s.slope*min(p.InFlight, at)) - float64(s.beyond*max(0, p.InFlight-at))
		s.squares += float64(float64(float64(p.Windows)*r) * r)
	}
	return s
}
