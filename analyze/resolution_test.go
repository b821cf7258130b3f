package analyze

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical/stage"
)

// TestBoundsHoldTrueDurations: whatever the true durations are that records of some
// resolution round, the bounds of a percentile of the records hold those that true ones have.
func TestBoundsHoldTrueDurations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(60, 150).Draw(t, "n")
		step := rapid.SampledFrom([]int64{1, 7, 1000}).Draw(t, "step")
		recorded, exact := many(n, 0, given{}), many(n, 0, given{})
		for i := range recorded {
			ns := rapid.Int64Range(0, 3000).Draw(t, "ns")
			exact[i].times = times(stage.GPU, int(ns))
			recorded[i].times = times(stage.GPU, int(ns/step*step))
		}
		coarse := tables(recorded)
		for row := range coarse.Requests.Len() {
			coarse.Requests.DurationError[row] = step
		}
		opt := Options{Percentiles: []stat.Prob{stat.P50, stat.P95}, Replicates: 10}
		got, want := Summarize(coarse, opt).Duration.Quantiles, Summarize(tables(exact), opt).Duration.Quantiles
		for i, q := range got {
			w := want[i]
			if q.HasLow != w.HasLow || q.HasHigh != w.HasHigh || q.HasLow && q.Low > w.Low || q.HasHigh && q.High < w.High || q.HasLow && q.Low < 0 {
				t.Fatalf("%s: %d to %d of records, %d to %d of true durations", q.P, q.Low, q.High, w.Low, w.High)
			}
		}
	})
}

// TestGatesLeaveRoomForResolution: requests that whole seconds call 0 are not surely below
// half a second.
func TestGatesLeaveRoomForResolution(t *testing.T) {
	set := tables(many(400, 0, given{}))
	condition, err := filter.ParseCondition("p50(e2e) > 500ms", ConditionWords())
	if err != nil {
		t.Fatal(err)
	}
	judge := func() Judgement {
		s := Summarize(set, Options{Replicates: 10})
		return Judge(set, &s, []filter.Condition{condition}, Options{Replicates: 10})[0]
	}
	if j := judge(); j.Outcome != Passed {
		t.Errorf("exact: %s (%s)", j.Outcome, j.Why)
	}
	for row := range set.Requests.Len() {
		set.Requests.DurationError[row] = 1_000_000_000
	}
	if j := judge(); j.Outcome != Inconclusive || j.High < 1e9 {
		t.Errorf("whole seconds: %s, up to %v (%s)", j.Outcome, j.High, j.Why)
	}
}

// TestFarOffIsBounded: extreme durations and resolutions overflow nothing.
func TestFarOffIsBounded(t *testing.T) {
	set := tables(many(3, 0, given{}))
	req := &set.Requests
	req.Duration[0], req.DurationError[0] = math.MaxInt64, math.MaxInt64
	req.Duration[1], req.DurationError[1] = 5, math.MaxInt64
	req.Duration[2], req.DurationError[2] = 7, -3
	f := farOffOf(set, []int32{0, 1, 2})
	if f.shortest[0] != 0 || f.shortest[1] != 0 || f.shortest[2] != 7 || f.longest[0] != 7 || f.longest[1] != math.MaxInt64 || f.longest[2] != math.MaxInt64 {
		t.Errorf("%+v", f)
	}
	if farOffOf(set, []int32{2}) != nil {
		t.Error("no record is off, and durations are")
	}
}
