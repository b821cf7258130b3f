package stat

import (
	"fmt"
	"math"
)

// The methods of RelativeRisk and AttributableFraction.
const (
	MethodRelativeRisk = "relative-risk"         // bounds: normal law of its logarithm (Katz)
	MethodAttributable = "attributable-fraction" // bounds: normal law of ln(1 - fraction), by the delta method
)

// RelativeRisk returns how many times as often requests with a property are slow as those
// without it: (a / (a+b)) / (c / (c+d)), where a requests are slow and have it, b have it and
// are not slow, c are slow without it, and d neither. It takes requests for independent.
//
// Value is always finite. If no request without the property is slow, half a request is
// added to each of the four, and if there is no request without it or none with it, Value
// is 1; there are no bounds then, nor if a is 0, and a warning says why.
func RelativeRisk(a, b, c, d int64) Estimate {
	a, b, c, d = max(0, a), max(0, b), max(0, c), max(0, d)
	e := Estimate{Value: 1, N: a + b + c + d, Method: MethodRelativeRisk}
	if e.Warnings = incomparable(a+b, c+d, a+c); e.Warnings != nil {
		return e
	}
	if c == 0 {
		e.Value = (float64(a) + .5) / (float64(a+b) + 1) * ((float64(d) + 1) / .5)
		e.Warnings = []Warning{{ZeroCell, fmt.Sprintf("no request without the property is slow (n = %d): half a request was added to each cell", d)}}
		return e
	}
	e.Value = float64(a) / float64(a+b) * (float64(c+d) / float64(c))
	if a == 0 {
		e.Warnings = []Warning{{ZeroCell, fmt.Sprintf("no request with the property is slow (n = %d)", b)}}
		return e
	}
	variance := 1/float64(a) - 1/float64(a+b) + 1/float64(c) - 1/float64(c+d)
	spread := math.Exp(normal(Confidence) * math.Sqrt(max(0, variance)))
	e.HasBounds, e.Bounds = true, Bounds{e.Value / spread, e.Value * spread}
	return e
}

// AttributableFraction returns the share of the slow requests that would go if requests
// with a property were slow no more often than the others: p*(RR-1)/RR, with p the share of
// slow requests that have it and RR the RelativeRisk of the same table. It is below 0 if
// requests with the property are slow less often. It is arithmetic, and no proof of a cause.
//
// If no request without the property is slow the fraction is 1, and if there is no request
// to compare with it is 0; there are no bounds then, and a warning says why.
func AttributableFraction(a, b, c, d int64) Estimate {
	a, b, c, d = max(0, a), max(0, b), max(0, c), max(0, d)
	e := Estimate{N: a + b + c + d, Method: MethodAttributable}
	if e.Warnings = incomparable(a+b, c+d, a+c); e.Warnings != nil {
		return e
	}
	if c == 0 {
		e.Value = 1
		e.Warnings = []Warning{{ZeroCell, fmt.Sprintf("no request without the property is slow (n = %d)", d)}}
		return e
	}
	n, slow, without := float64(e.N), float64(a+c), float64(c+d)
	remains := float64(c) / slow * (n / without) // 1 - fraction
	e.Value = 1 - remains
	// ln(remains) = ln c + ln n - ln slow - ln without, and the four counts are multinomial:
	// its variance is the sum of count * derivative^2, less 1/n.
	by := [...]float64{-1 / slow, 1/float64(c) - 1/slow - 1/without, -1 / without}
	variance := -1 / n
	for i, count := range [...]int64{a, c, d} {
		variance += float64(float64(count) * float64(by[i]*by[i]))
	}
	spread := math.Exp(normal(Confidence) * math.Sqrt(max(0, variance)))
	e.HasBounds, e.Bounds = true, Bounds{1 - float64(remains*spread), 1 - remains/spread}
	return e
}

// incomparable returns the warning that nothing can be compared, or nil.
func incomparable(with, without, slow int64) []Warning {
	switch {
	case with == 0 || without == 0:
		return []Warning{{TooFew, fmt.Sprintf("with the property: n = %d, without it: n = %d; there is nothing to compare", with, without)}}
	case slow == 0:
		return []Warning{{TooFew, fmt.Sprintf("no request is slow (n = %d)", with+without)}}
	}
	return nil
}

// normal returns how many standard deviations on either side of the mean hold a normal
// value with the given confidence.
func normal(confidence float64) float64 { return math.Sqrt2 * math.Erfinv(confidence) }
