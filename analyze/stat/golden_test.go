package stat

import (
	"math"
	"math/big"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func upTo(n int64) []int64 {
	v := make([]int64, n)
	for i := range v {
		v[i] = int64(i) + 1
	}
	return v
}

func TestNearestRankGolden(t *testing.T) {
	five := []int64{100, 110, 120, 130, 2540}
	for _, c := range []struct {
		name string
		data []int64
		p    Prob
		want int64
	}{
		{"five P50", five, P50, 120},
		{"five P90", five, P90, 2540},
		{"five P95", five, P95, 2540},
		{"five P99", five, P99, 2540},
		{"1..100 P50", upTo(100), P50, 50},
		{"1..100 P90", upTo(100), P90, 90},
		{"1..100 P95", upTo(100), P95, 95},
		{"1..100 P99", upTo(100), P99, 99},
		{"1..20 P95", upTo(20), P95, 19},
		{"1..100 7 %", upTo(100), Prob{7, 100}, 7},
		{"1..100 55 %", upTo(100), Prob{55, 100}, 55},
	} {
		if got := NearestRank(c.data, c.p); got != c.want {
			t.Errorf("%s: got %d, want %d", c.name, got, c.want)
		}
	}
}

func TestWeightedRankGolden(t *testing.T) {
	for _, c := range []struct {
		weights []float64
		p       Prob
		want    int64
	}{
		{[]float64{1, 9}, P50, 2},
		{[]float64{9, 1}, P50, 1},
		{[]float64{9, 1}, P95, 2},
		{nil, P50, 0},
	} {
		if got := WeightedRank(c.weights, c.p); got != c.want {
			t.Errorf("weights %v %s: rank %d, want %d", c.weights, c.p, got, c.want)
		}
	}
}

func TestOrderIntervalGolden(t *testing.T) {
	for _, c := range []struct {
		p         Prob
		n         int64
		low, high int64
		coverage  float64
	}{
		{P50, 10, 2, 9, .9785},
		{P50, 100, 40, 61, .9648},
		{P90, 100, 84, 96, .9557},
		{P95, 100, 90, 100, .9826},
		{P95, 1000, 936, 964, .9581},
		{P99, 300, 293, 301, math.NaN()},
		{P99, 368, 360, 368, .9624},
		{P99, 1000, 983, 997, .9761},
		{P99, 10000, 9880, 9920, .9558},
	} {
		got := OrderInterval(c.n, c.p, Confidence)
		if got.Low != c.low || got.High != c.high {
			t.Errorf("%s of %d: ranks %d,%d, want %d,%d", c.p, c.n, got.Low, got.High, c.low, c.high)
		}
		if !math.IsNaN(c.coverage) && math.Abs(got.Coverage-c.coverage) > .00005 {
			t.Errorf("%s of %d: coverage %.5f, want %.4f", c.p, c.n, got.Coverage, c.coverage)
		}
	}
}

func TestProportionBoundsGolden(t *testing.T) {
	for _, c := range []struct {
		k, n int64
		want float64
	}{
		{299, 299, .990031}, {298, 298, .989998}, {996, 1000, .990870}, {995, 1000, .989516}, {990, 1000, .983097},
	} {
		if got := ClopperPearsonLower(c.k, c.n, .95); math.Abs(got-c.want) > 5e-7 {
			t.Errorf("Clopper-Pearson lower bound of %d/%d: %.7f, want %.6f", c.k, c.n, got, c.want)
		}
	}
	for _, c := range []struct {
		k, n      int64
		low, high float64
	}{
		{990, 1000, .981691, .994559}, {8, 10, .490162, .943318},
	} {
		got := Wilson(c.k, c.n, .95)
		if math.Abs(got.Low-c.low) > 5e-7 || math.Abs(got.High-c.high) > 5e-7 {
			t.Errorf("Wilson interval of %d/%d: [%.7f, %.7f], want [%.6f, %.6f]", c.k, c.n, got.Low, got.High, c.low, c.high)
		}
	}
}

func TestMinimumGolden(t *testing.T) {
	for _, c := range []struct {
		p    Prob
		want MinimumN
	}{
		{P50, MinimumN{5, 6, 20}},
		{P90, MinimumN{29, 36, 100}},
		{P95, MinimumN{59, 72, 200}},
		{P99, MinimumN{299, 368, 1000}},
		{P999, MinimumN{2995, 3688, 10000}},
	} {
		if diff := cmp.Diff(c.want, Minimum(c.p)); diff != "" {
			t.Errorf("minimum of %s (-want +got):\n%s", c.p, diff)
		}
	}
}

func TestQuantileOfAtTheMinimum(t *testing.T) {
	ids := func(q Quantile) (out []string) {
		for _, w := range q.Warnings {
			out = append(out, w.ID)
		}
		return out
	}
	for _, c := range []struct {
		n               int64
		known           bool
		value, lo, hi   int64
		hasLow, hasHigh bool
		warnings        []string
	}{
		{0, false, 0, 0, 0, false, false, []string{TooFew}},
		{298, false, 0, 0, 0, false, false, []string{TooFew}},
		{299, true, 297, 292, 0, true, false, []string{NoUpper, LowN}},
		{367, true, 364, 359, 0, true, false, []string{NoUpper, LowN}},
		{368, true, 365, 360, 368, true, true, []string{LowN}},
		{999, true, 990, 982, 996, true, true, []string{LowN}},
		{1000, true, 990, 983, 997, true, true, nil},
	} {
		q := QuantileOf(upTo(c.n), P99)
		if q.Known != c.known || q.Value != c.value || q.HasLow != c.hasLow || q.HasHigh != c.hasHigh || q.Low != c.lo || q.High != c.hi {
			t.Errorf("n %d: %+v", c.n, q)
		}
		if diff := cmp.Diff(c.warnings, ids(q)); diff != "" {
			t.Errorf("n %d: warnings (-want +got):\n%s", c.n, diff)
		}
		if q.N != c.n || q.Need != 299 || q.Method != MethodNearestRank {
			t.Errorf("n %d: the result does not say what it is: %+v", c.n, q)
		}
	}
}

func TestApportionGolden(t *testing.T) {
	rats := func(v ...int64) (out []*big.Rat) {
		for _, x := range v {
			out = append(out, big.NewRat(x, 1))
		}
		return out
	}
	for _, c := range []struct {
		name  string
		parts []*big.Rat
		units int64
		want  []int64
	}{
		{"thirds: the earlier gets the rest", rats(1, 1, 1), 1000, []int64{334, 333, 333}},
		{"excess of tail over body", rats(2, 1, 1500, 15, 30, 2), 1000, []int64{1, 1, 968, 10, 19, 1}},
		{"negative parts", rats(-1, 4), 1000, []int64{-333, 1333}},
		{"a whole", rats(0, 7, 0), 1000, []int64{0, 1000, 0}},
		{"nothing to share", rats(0, 0), 1000, nil},
		{"parts that cancel", rats(5, -5), 1000, nil},
		{"no parts", nil, 1000, nil},
	} {
		if diff := cmp.Diff(c.want, Apportion(c.parts, c.units)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestProbNames(t *testing.T) {
	for p, want := range map[Prob]string{P50: "p50", P999: "p99.9", {1, 1}: "p100", {0, 1}: "p0"} {
		if p.String() != want {
			t.Errorf("%+v is called %s, want %s", p, p, want)
		}
	}
}
