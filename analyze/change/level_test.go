package change

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/stat"
)

// TestLevelsAreNested: bounds of a higher confidence hold those of a lower one, the change
// stays within, and those of the usual confidence are those that are shown.
func TestLevelsAreNested(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.Float64Range(0.01, 100).Draw(t, "ratio")
		p := Percentile{freedom: rapid.Float64Range(2, 100).Draw(t, "freedom")}
		p.Ratio = stat.Estimate{Value: value, HasBounds: true, Bounds: stat.Bounds{
			Low: value / rapid.Float64Range(1.001, 20).Draw(t, "below"), High: value * rapid.Float64Range(1.001, 20).Draw(t, "above")}}
		if at := p.RatioAt(stat.Confidence).Bounds; at != p.Ratio.Bounds {
			t.Fatalf("%v is %v at the usual confidence", p.Ratio.Bounds, at)
		}
		less := p.RatioAt(rapid.Float64Range(0.1, 0.94).Draw(t, "less")).Bounds
		more := p.RatioAt(rapid.Float64Range(0.96, 0.9999).Draw(t, "more")).Bounds
		shown := p.Ratio.Bounds
		if !(more.Low < shown.Low && shown.Low < less.Low && less.Low < value && value < less.High && less.High < shown.High && shown.High < more.High) {
			t.Fatalf("%v in %v in %v around %g", less, shown, more, value)
		}
	})
	p := Percentile{Ratio: stat.Estimate{Value: 2}}
	if p.RatioAt(0.99).HasBounds {
		t.Error("there are bounds, from none")
	}
}
