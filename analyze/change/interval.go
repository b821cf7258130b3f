package change

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/tailpath/tailpath/analyze/stat"
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
	if math.IsNaN(bounds.Low) || math.IsNaN(value) || math.IsInf(value, 0) {
		e.Warnings = []stat.Warning{{ID: NoInterval, Text: "no interval: the figure is not defined in the resamples"}}
		return e, 1
	}
	// Blocks that noise carries over between are worth fewer.
	worth := float64(blocks) / (wider * wider)
	if worth < leastWorth {
		e.Warnings = []stat.Warning{{ID: NoInterval, Text: fmt.Sprintf("no interval: what happened lasted across blocks, and the %d of them are worth %.1f that are independent; it takes %d", blocks, worth, leastWorth)}}
		return e, 1
	}
	few := math.Sqrt(float64(blocks) / float64(blocks-1))
	student := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: worth - 1}
	factor := wider * few * student.Quantile(1-(1-stat.Confidence)/2) / (math.Sqrt2 * math.Erfinv(stat.Confidence))
	e.HasBounds = true
	e.Bounds = stat.Bounds{Low: widened(value, bounds.Low, factor, true), High: widened(value, bounds.High, factor, false)}
	spread := wider * few * deviation(resamples)
	switch {
	case value == 0:
		return e, 1
	case spread == 0: // the same in every resample
		return e, 0
	}
	return e, min(1, 2*student.CDF(-math.Abs(value)/spread))
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
