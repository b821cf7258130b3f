package change

import (
	"math"

	"github.com/tailpath/tailpath/analyze/stat"
)

// RatioAt returns the ratio with the interval that holds with another confidence than
// [stat.Confidence], from 0 to 1. The bounds lie farther out, in logarithms, by the quantiles
// of Student's law that the interval was widened by, so that they are in one another for
// rising confidences, and those of stat.Confidence are those of Ratio. There are none where
// Ratio has none.
func (p *Percentile) RatioAt(confidence float64) stat.Estimate {
	e := p.Ratio
	if !e.HasBounds || confidence == stat.Confidence || !(p.freedom > 0) || !(e.Value > 0) {
		return e
	}
	factor := stat.StudentQuantile((1+confidence)/2, p.freedom) / stat.StudentQuantile((1+stat.Confidence)/2, p.freedom)
	value := math.Log(e.Value)
	e.Bounds.Low = math.Exp(widened(value, math.Log(e.Bounds.Low), factor, true))
	e.Bounds.High = math.Exp(widened(value, math.Log(e.Bounds.High), factor, false))
	return e
}
