package attribution

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tailpath/tailpath/analyze/stat"
)

// near compares floating-point numbers to nine digits.
var near = cmpopts.EquateApprox(1e-9, 1e-9)

// ranked makes a sample of requests given by their parts, ordered by value.
func ranked(requests ...[]int64) *Sample {
	all := make([]request, len(requests))
	for i, parts := range requests {
		all[i].start = float64(i)
		for k, v := range parts {
			all[i].part[k] = float64(v)
		}
	}
	s := sampleOf(all, false)
	s.Parts = s.Parts[:len(requests[0])]
	return s
}

func repeat(n int, parts ...int64) (out [][]int64) {
	for range n {
		out = append(out, parts)
	}
	return out
}

func pick(r Result, of func(Part) float64) (out []float64) {
	for _, p := range r.Parts {
		out = append(out, of(p))
	}
	return out
}

// TestPercentilesDoNotAddUp has two parts whose p99 is 100 each while that of the sum is
// 1000. The shares add up all the same, and what one part alone would gain is no split.
func TestPercentilesDoNotAddUp(t *testing.T) {
	s := ranked(append(repeat(98, 100, 100), []int64{900, 100}, []int64{100, 900})...)
	if p99 := stat.NearestRank(s.Value, stat.P99); p99 != 1000 {
		t.Errorf("p99 is %d, want 1000", p99)
	}
	for k, part := range s.Parts {
		if p99 := sorted(part)[stat.P99.Rank(100)-1].value(); p99 != 100 {
			t.Errorf("p99 of part %d is %d, want 100", k, p99)
		}
	}
	r := Of(s, Options{Q: stat.P99})
	for name, c := range map[string]struct{ got, want []float64 }{
		"excess":  {pick(r, func(p Part) float64 { return p.Excess.Value }), []float64{400, 400}},
		"share":   {pick(r, func(p Part) float64 { return p.Share.Value }), []float64{.5, .5}},
		"gain":    {pick(r, func(p Part) float64 { return p.Gain.Value }), []float64{800, 800}},
		"shapley": {pick(r, func(p Part) float64 { return p.Shapley }), []float64{400, 400}},
		"largest": {pick(r, func(p Part) float64 { return float64(p.Largest) }), []float64{1, 1}},
	} {
		if diff := cmp.Diff(c.want, c.got, near); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if r.GainAll != 800 || r.TailN != 2 || r.BodyN != 20 {
		t.Errorf("all together gain %d, tail %d, body %d; want 800, 2, 20", r.GainAll, r.TailN, r.BodyN)
	}
}

// TestWhatTakesAsLongAsUsualIsNotLargest has a tail of which most requests tie with the usual
// ones: these count for no part, and not for the first.
func TestWhatTakesAsLongAsUsualIsNotLargest(t *testing.T) {
	r := Of(ranked(append(repeat(590, 0, 0, 100), repeat(10, 0, 0, 300)...)...), Options{Q: stat.P95})
	if got := pick(r, func(p Part) float64 { return float64(p.Largest) }); !cmp.Equal(got, []float64{0, 0, 10}) || r.TailN != 31 {
		t.Errorf("largest in %v of %d, want 0, 0 and 10 of 31", got, r.TailN)
	}
}

func TestSharesGolden(t *testing.T) {
	s := ranked(append(repeat(98, 10, 5, 20, 5, 200), repeat(2, 12, 6, 1520, 20, 242)...)...)
	r := Of(s, Options{Q: stat.P99})
	const excess = 1560
	want := []float64{2. / excess, 1. / excess, 1500. / excess, 15. / excess, 42. / excess}
	if diff := cmp.Diff(want, pick(r, func(p Part) float64 { return p.Share.Value }), near); diff != "" {
		t.Errorf("shares (-want +got):\n%s", diff)
	}
	// The table of six stages, which the five parts of a simulated request do not hold.
	body, tail := []int64{10, 5, 20, 5, 200, 10}, []int64{12, 6, 1520, 20, 230, 12}
	six := &Sample{Parts: make([][]int64, len(body))}
	for i := range 100 {
		from, value := body, int64(250)
		if i >= 98 {
			from, value = tail, 1800
		}
		six.Value = append(six.Value, value)
		for k, v := range from {
			six.Parts[k] = append(six.Parts[k], v)
		}
	}
	r = Of(six, Options{Q: stat.P99})
	for k, want := range []float64{.13, .06, 96.77, .97, 1.94, .13} {
		if got := 100 * r.Parts[k].Share.Value; math.Abs(got-want) > .005 {
			t.Errorf("part %d has %.3f %%, want %.2f %%", k, got, want)
		}
	}
	if r.Excess.Value != 1550 {
		t.Errorf("excess is %v, want 1550", r.Excess.Value)
	}
}

func TestCovarianceGolden(t *testing.T) {
	r := Of(ranked([]int64{0, 100}, []int64{10, 100}, []int64{20, 110}, []int64{30, 90}), Options{Q: stat.P50})
	if diff := cmp.Diff([]float64{.8, .2}, pick(r, func(p Part) float64 { return p.Covariance }), near); diff != "" {
		t.Errorf("covariance shares (-want +got):\n%s", diff)
	}
	total := []int64{100, 110, 130, 120}
	if got := covariance(total, total); got.Int64() != 125*4*4 {
		t.Errorf("n^2 times the variance is %v, want 16 times 125", got)
	}
	// By value, the queue has ranks 1,2,4,3 and the gpu 2.5,2.5,1,4: their products with the
	// ranks 1 to 4 of the values exceed those of no relation by 4 and 1.5.
	if diff := cmp.Diff([]float64{4 / 5.5, 1.5 / 5.5}, pick(r, func(p Part) float64 { return p.RankCovariance }), near); diff != "" {
		t.Errorf("rank covariance shares (-want +got):\n%s", diff)
	}
}

// TestAtQuantileIsADerivative holds the Harrell-Davis share of a part at the percentile
// to its meaning: a part that is one per cent faster lowers the percentile by one per
// cent of it.
func TestAtQuantileIsADerivative(t *testing.T) {
	requests := mixedLoad{30, 300}.requests(rand.New(rand.NewPCG(3, 1)), 4000)
	estimate := func(faster int) Result {
		scaled := make([]request, len(requests))
		for i, r := range requests {
			scaled[i] = r
			if faster >= 0 {
				scaled[i].part[faster] = .99 * r.part[faster]
			}
		}
		return Of(sampleOf(scaled, false), Options{Q: stat.P95, Replicates: 1})
	}
	base := estimate(-1)
	for _, k := range []int{simQueue, simPrefill, simDecode} {
		slope, part := 100*(base.Quantile-estimate(k).Quantile), base.Parts[k].AtQuantile
		if math.Abs(slope-part) > .05*part {
			t.Errorf("part %d: %.1f ms at the percentile, but %.1f ms by a hundredth of a change", k, part/millisecond, slope/millisecond)
		}
	}
}
