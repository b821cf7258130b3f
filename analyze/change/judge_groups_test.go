package change

import (
	"math"
	"testing"

	"github.com/tailpath/tailpath/analyze/stat"
)

// TestJudgeGroupsBoundsGroups: chances of many groups are adjusted over all that can be judged, and
// a group that stands out makes its percentiles hold together.
func TestJudgeGroupsBoundsGroups(t *testing.T) {
	result := func(n int64, chances ...float64) *Result {
		values := make([]int64, n)
		for i := range values {
			values[i] = int64(i+1) * 1_000_000
		}
		s := &Sample{Value: values}
		r := Bare(s, s, Options{Percentiles: []stat.Prob{stat.P50, stat.P90, stat.P99}})
		for i, c := range chances {
			r.Percentiles[i].Chance = c
		}
		return r
	}
	groups := []*Result{result(2000, .001, .002, .9), result(19, .0001, .0001, .0001), result(2000, .03, .5, .7), result(150, .2, .01, .0001), result(2000, .9, .9, .9)}
	if n := JudgeGroups(groups, DefaultRule()); n != 4 {
		t.Errorf("%d groups were judged", n)
	}
	// The chances of the four groups are .003, .09, .02 (of two percentiles) and .9, and two are taken.
	for i, want := range [][3]float64{{.006, .006, 1}, {1, 1, 1}, {.18, 1, 1}, {.4, .04, 1}, {1, 1, 1}} {
		for k, w := range want {
			if got := groups[i].Percentiles[k].Adjusted; math.Abs(got-w) > 1e-12 {
				t.Errorf("group %d, %s: %v, want %v", i, groups[i].Percentiles[k].P, got, w)
			}
		}
	}
}
