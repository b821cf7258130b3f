package reports_test

import (
	"testing"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/reports"
)

// TestWhatWasNotRecordedHasNoRate has two captures a day apart in one report: what came and what
// waited in between is unknown and not nothing, and the rates of an hour in part recorded are of
// that part.
func TestWhatWasNotRecordedHasNoRate(t *testing.T) {
	set := apart(incident(2000, never))
	h := reportRun("x/").Report(reports.Weekly, partsOf(set, analyze.ReportOptions{Options: analyze.Options{Replicates: 100}})).Report.Heat
	if h == nil {
		t.Fatal("no heat map")
	}
	silent, rated := 0, 0
	for i, n := range h.N {
		switch {
		case n == 0:
			silent++
			if h.Rate[i] != nil || h.Depth[i] != nil || h.Tokens[i] != nil {
				t.Errorf("column %d, in which nothing was recorded, has rates", i)
			}
		case h.Rate[i] != nil:
			rated++
			// The rate of the capture is one request in a second, whatever part of the hour it lasted.
			if r := *h.Rate[i]; r < .5 || r > 2 {
				t.Errorf("column %d: %d requests are %v requests/s", i, n, r)
			}
		}
	}
	if silent < 10 || rated < 2 {
		t.Errorf("%d columns are silent and %d have rates, of %d", silent, rated, len(h.N))
	}
}
