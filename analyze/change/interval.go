package change

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/tailpath/tailpath/analyze/stat"
)

// The ids of warnings of estimates without an interval, by the reason that they give.
const (
	NoBlocksToDraw = "no-blocks" // nothing says when requests started, or they fill too few blocks
	FewRequests    = "too-few"   // fewer requests on a side than it takes to judge the figure
	Lasting        = "lasting"   // what happened lasts across blocks
	TooWide        = "too-wide"  // the interval says nothing
	AllAlike       = "all-alike" // resamples cannot differ
	Undefined      = "undefined" // the figure is defined in too few resamples
)

// leastWorth is how many independent blocks the blocks must be worth for an interval.
const leastWorth = 3

// tooWide is the factor between the ends of an interval of a ratio from which on the
// interval, if 1 is in it, tells nothing and is left out.
const tooWide = 30

// interval returns the estimate of a value from its resamples, and the probability that
// chance alone takes it as far from 0. Resamples of few blocks vary too little: they are
// as wide as the blocks at hand differ, whose number they treat as known to be enough. So
// the percentile interval is widened around the value by sqrt(b/(b-1)) t/z, with b blocks
// and the quantiles of Student's law with b-1 degrees of freedom and of the normal law, and by how
// much wider noise that carries over between blocks makes it.
func interval(resamples []float64, value float64, n int64, blocks int, wider float64) (e stat.Estimate, chance float64) {
	e = stat.Estimate{Value: value, N: n, Method: MethodBlocks}
	bounds := stat.PercentileBounds(resamples, stat.Confidence)
	// A time of 0 has no logarithm.
	spread := deviation(resamples)
	if !isNumber(bounds.Low) || !isNumber(bounds.High) || !isNumber(value) || !isNumber(spread) {
		return without(e, Undefined, "the figure is defined in too few of the resamples"), 1
	}
	// Blocks that noise carries over between are worth fewer.
	worth := worthOf(blocks, wider)
	if worth < leastWorth {
		return without(e, Lasting, fmt.Sprintf("what happened lasts across blocks of time: the %d of them are worth fewer than the %d independent ones that it takes", blocks, leastWorth)), 1
	}
	few := math.Sqrt(float64(blocks) / float64(blocks-1))
	student := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: worth - 1}
	factor := wider * few * stat.StudentQuantile(1-(1-stat.Confidence)/2, worth-1) / (math.Sqrt2 * math.Erfinv(stat.Confidence))
	e.HasBounds = true
	e.Bounds = stat.Bounds{Low: widened(value, bounds.Low, factor, true), High: widened(value, bounds.High, factor, false)}
	spread = wider * few * spread
	switch {
	case value == 0:
		return e, 1
	case spread == 0: // the same in every resample
		return e, 0
	}
	return e, min(1, 2*student.CDF(-math.Abs(value)/spread))
}

// isNumber reports whether f is neither NaN nor infinite.
func isNumber(f float64) bool { return f-f == 0 }

// worthOf returns how many independent blocks some blocks are worth that noise carries over
// between.
func worthOf(blocks int, wider float64) float64 { return float64(blocks) / (wider * wider) }

// without takes the interval from an estimate and says why. The text is the same for every
// figure of a comparison that has the same reason.
func without(e stat.Estimate, id, text string) stat.Estimate {
	e.HasBounds, e.Bounds = false, stat.Bounds{}
	e.Warnings = []stat.Warning{{ID: id, Text: text}}
	return e
}

// few takes the interval from an estimate that too few requests stand behind: resamples of
// them are alike because they are few, and not because they are sure.
func few(e stat.Estimate) stat.Estimate {
	return without(e, FewRequests, "too few requests on either side to tell how sure it is")
}

// telling takes the interval from the logarithm of a ratio when it says nothing.
func telling(e stat.Estimate) stat.Estimate {
	if e.HasBounds && !excludes0(e) && e.Bounds.High-e.Bounds.Low > math.Log(tooWide) {
		return without(e, TooWide, fmt.Sprintf("its ends would lie more than %d-fold apart, one on either side of no change, which says nothing of the ratio", tooWide))
	}
	return e
}

// excludes0 reports whether an estimate has an interval without 0 in it.
func excludes0(e stat.Estimate) bool {
	return e.HasBounds && (e.Bounds.Low > 0 || e.Bounds.High < 0)
}

// ratioOf returns the estimate of a ratio from that of its logarithm.
func ratioOf(e stat.Estimate) stat.Estimate {
	e.Value = math.Exp(e.Value)
	if e.HasBounds {
		e.Bounds = stat.Bounds{Low: math.Exp(e.Bounds.Low), High: math.Exp(e.Bounds.High)}
	}
	return e
}

// widened returns how far a bound of the percentile interval lies from a value when it is
// moved away by a factor. A bound on the other side of the value stays where it is.
func widened(value, bound, factor float64, low bool) float64 {
	if low == (bound > value) {
		return bound
	}
	return value + float64(factor*(bound-value))
}

// deviation is the standard deviation of resamples around their mean; those that are
// not defined are left out.
func deviation(x []float64) float64 {
	var n, sum float64
	for _, v := range x {
		if !math.IsNaN(v) {
			n++
			sum += v
		}
	}
	mean, squares := sum/n, 0.0
	for _, v := range x {
		if d := v - mean; !math.IsNaN(v) {
			squares += float64(d * d)
		}
	}
	return math.Sqrt(squares / n)
}
