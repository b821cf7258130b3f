package curve

import "math"

// MethodUSL is the id of [FitUSL].
const MethodUSL = "usl"

// noLoss is a share of throughput lost that is none: a κ that costs less at the highest
// load would have its maximum at thousands of times that.
const noLoss = 1e-7

// uslLoads is how many different loads the law takes before a fit is worth anything.
const uslLoads = 6

// USL is the universal scalability law (Gunther) fitted to a curve:
//
//	X(N) = λN / (1 + σ(N-1) + κN(N-1)).
//
// Its Knee is the maximum of the law: N* = sqrt((1-σ)/κ), which is often an extrapolation.
type USL struct {
	Knee
	Fitted bool
	Lambda float64 // throughput of one request in flight
	Sigma  float64 // contention: the share of work that is done one at a time
	Kappa  float64 // coherency: the cost of each pair, 0 and above
	// Residuals are measured less fitted throughput, in the order of load, and RMS the
	// root of their mean square by windows.
	Residuals []float64
	RMS       float64
}

// At returns the throughput at a load, by the law.
func (u USL) At(inFlight float64) float64 {
	return uslAt([3]float64{u.Lambda, u.Sigma, u.Kappa}, inFlight)
}

// SecondsAt returns the time that a unit of throughput takes at a load, in s: N/X.
func (u USL) SecondsAt(inFlight float64) float64 { return inFlight / u.At(inFlight) }

func uslAt(p [3]float64, n float64) float64 {
	return float64(p[0]*n) / uslBelow(p, n)
}

// uslBelow returns the denominator of the law.
func uslBelow(p [3]float64, n float64) float64 {
	return 1 + float64(p[1]*(n-1)) + float64(float64(p[2]*n)*(n-1))
}

// FitUSL fits the law by least squares of the throughput, with weights sqrt(windows) on
// the residuals: from a fit of N/X, which is linear in the parameters, by the method of
// Levenberg and Marquardt. Parameters are not bound to be positive; a negative one is a
// sign that the law is not the curve's, and is warned of.
func FitUSL(points []Point) USL {
	use, refused := ordered(points)
	knee, enough := newKnee(MethodUSL, use, refused, uslLoads)
	u := USL{Knee: knee}
	if !enough {
		return u
	}
	top := 0.0
	for _, p := range use {
		top = max(top, p.Throughput)
	}
	if top == 0 {
		u.warn(NotConverged, "no load has any throughput")
		return u
	}
	scaled := make([]Point, len(use)) // so that the unit of throughput is of no account
	for i, p := range use {
		scaled[i] = p
		scaled[i].Throughput /= top
	}
	p, settled := marquardt(scaled, linearUSL(scaled))
	u.Fitted, u.Lambda, u.Sigma, u.Kappa = true, p[0]*top, p[1], p[2]
	sum, windows := 0.0, 0.0
	for _, q := range use {
		r := q.Throughput - u.At(q.InFlight)
		u.Residuals = append(u.Residuals, r)
		sum += float64(float64(float64(q.Windows)*r) * r)
		windows += float64(q.Windows)
	}
	u.RMS = math.Sqrt(sum / windows)
	if !settled {
		u.warn(NotConverged, "the fit did not settle; its parameters are rough")
	}
	// Losses are judged by what they cost at the highest load.
	last := use[len(use)-1].InFlight
	if p[1]*last < -noLoss || p[2]*last*last < -noLoss {
		u.warn(Unphysical, "σ is %.3g and κ is %.3g; a negative one means that the curve does not follow the law", p[1], p[2])
	}
	if p[2]*last*last <= noLoss || p[1] >= 1 {
		u.warn(NotReached, "the law has no maximum: κ is %.3g and σ %.3g", p[2], p[1])
		return u
	}
	u.Reached, u.InFlight = true, math.Sqrt((1-p[1])/p[2])
	u.Throughput = u.At(u.InFlight)
	if u.InFlight > last {
		u.warn(Extrapolated, "the maximum at %.4g in flight is beyond the highest load of %.4g", u.InFlight, last)
	}
	return u
}

// linearUSL fits N/X = 1/λ + σ/λ (N-1) + κ/λ N(N-1), whose residuals are those of X when
// they are multiplied by X²/N.
func linearUSL(points []Point) [3]float64 {
	var a [3][3]float64
	var b [3]float64
	for _, p := range points {
		n, x := p.InFlight, p.Throughput
		if x == 0 {
			continue
		}
		w := float64(p.weight()*x) * x / n
		row := [3]float64{w, w * (n - 1), float64(w*n) * (n - 1)}
		accumulate(&a, &b, row, w*n/x)
	}
	if c, ok := solve(a, b); ok && c[0] > 0 {
		p := [3]float64{1 / c[0], c[1] / c[0], c[2] / c[0]}
		if !math.IsInf(squares(points, p), 1) {
			return p
		}
	}
	// No line to begin with: a little of both losses, with the best ratio seen for λ.
	best := 0.0
	for _, p := range points {
		best = max(best, p.Throughput/p.InFlight)
	}
	return [3]float64{best, 0.01, 1e-4}
}

// squares returns the weighted sum of squares of the residuals, infinite where the law has
// no sense.
func squares(points []Point, p [3]float64) float64 {
	sum := 0.0
	for _, q := range points {
		if !(uslBelow(p, q.InFlight) > 0) {
			return math.Inf(1)
		}
		r := q.weight() * (q.Throughput - uslAt(p, q.InFlight))
		sum += float64(r * r)
	}
	if math.IsNaN(sum) {
		return math.Inf(1)
	}
	return sum
}

// What ends a fit.
const (
	mostSteps = 500
	settled   = 1e-13 // of each parameter's part of the curve
)

// marquardt improves parameters until a step is negligible, and reports whether it came to
// that.
func marquardt(points []Point, p [3]float64) ([3]float64, bool) {
	now, damping := squares(points, p), 1e-3
	for range mostSteps {
		var a [3][3]float64
		var b [3]float64
		for _, q := range points {
			n := q.InFlight
			below, w := uslBelow(p, n), q.weight()
			x := uslAt(p, n)
			row := [3]float64{w * n / below, -w * x * (n - 1) / below, -w * x * n * (n - 1) / below}
			accumulate(&a, &b, row, w*(q.Throughput-x))
		}
		for damping < 1e30 {
			damped := a
			for i := range damped {
				damped[i][i] += float64(damping * a[i][i])
			}
			step, ok := solve(damped, b)
			if !ok {
				damping *= 10
				continue
			}
			next := p
			size := 0.0
			for i := range next {
				next[i] += step[i]
				size += float64(float64(step[i]*step[i]) * a[i][i]) // what the step changes of the curve
			}
			small := size <= settled*settled*power(points)
			if then := squares(points, next); then <= now {
				p, now, damping = next, then, max(damping/10, 1e-15)
				if small {
					return p, true
				}
				break
			}
			if small {
				return p, true
			}
			damping *= 10
		}
		if damping >= 1e30 {
			return p, false
		}
	}
	return p, false
}

// accumulate adds the equation row·p = value to the normal equations.
func accumulate(a *[3][3]float64, b *[3]float64, row [3]float64, value float64) {
	for i := range row {
		for j := range row {
			a[i][j] += float64(row[i] * row[j])
		}
		b[i] += float64(row[i] * value)
	}
}

// solve solves three equations by elimination, after scaling them so that the unit of a
// parameter is of no account; false when they are not independent.
func solve(a [3][3]float64, b [3]float64) ([3]float64, bool) {
	var unit [3]float64
	for i := range unit {
		if !(a[i][i] > 0) || math.IsInf(a[i][i], 1) {
			return unit, false
		}
		unit[i] = math.Sqrt(a[i][i])
	}
	for i := range a {
		for j := range a[i] {
			a[i][j] /= unit[i]
			a[i][j] /= unit[j]
		}
		b[i] /= unit[i]
	}
	for k := range a {
		top := k
		for i := k + 1; i < len(a); i++ {
			if math.Abs(a[i][k]) > math.Abs(a[top][k]) {
				top = i
			}
		}
		a[k], a[top], b[k], b[top] = a[top], a[k], b[top], b[k]
		if math.Abs(a[k][k]) < 1e-14 {
			return [3]float64{}, false
		}
		for i := k + 1; i < len(a); i++ {
			f := a[i][k] / a[k][k]
			for j := k; j < len(a); j++ {
				a[i][j] -= float64(f * a[k][j])
			}
			b[i] -= float64(f * b[k])
		}
	}
	for k := len(a) - 1; k >= 0; k-- {
		for j := k + 1; j < len(a); j++ {
			b[k] -= float64(a[k][j] * b[j])
		}
		b[k] /= a[k][k]
	}
	for k := range b {
		b[k] /= unit[k]
	}
	return b, true
}
