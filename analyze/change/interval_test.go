package change

import (
	"math"
	"testing"
)

// TestIntervalOfNoNumber: resamples in which a figure is infinite, as the logarithm of a time
// of 0 is, have no interval, and no probability that is no number.
func TestIntervalOfNoNumber(t *testing.T) {
	fill := func(with ...float64) []float64 {
		out := make([]float64, 100)
		for i := range out {
			out[i] = float64(i%7) / 10
		}
		copy(out, with)
		return out
	}
	inf := math.Inf(1)
	for name, resamples := range map[string][]float64{
		"one":  fill(-inf),
		"both": fill(inf, -inf),
		"many": fill(inf, inf, inf, inf, inf, inf, inf, inf),
		"none": {math.NaN(), math.NaN()},
	} {
		e, chance := interval(resamples, .3, 100, 20, 1)
		if e.HasBounds || chance != 1 || len(e.Warnings) != 1 || e.Warnings[0].ID != Undefined {
			t.Errorf("%s: %+v, chance %v", name, e, chance)
		}
	}
	if e, chance := interval(fill(), .3, 100, 20, 1); !e.HasBounds || !isNumber(chance) || !isNumber(e.Bounds.Low) {
		t.Errorf("finite: %+v, chance %v", e, chance)
	}
	if e, _ := interval(fill(), inf, 100, 20, 1); e.HasBounds {
		t.Errorf("an infinite value: %+v", e)
	}
}
