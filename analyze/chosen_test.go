package analyze

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tailpath/tailpath/critical"
)

// TestChosenRequestsAreThoseOfTheSummary compares the choice with the population of a summary.
func TestChosenRequestsAreThoseOfTheSummary(t *testing.T) {
	work := [StageCount]int64{0: 5 * ms}
	set := tables([]given{
		{id: 1, times: work}, {id: 2, times: work, err: true}, {id: 3, times: work, class: critical.Incomplete, reason: "missing parent"}, {id: 4, times: work},
	})
	for _, c := range []struct {
		opt  Options
		want []int32
	}{
		{Options{}, []int32{0, 3}}, {Options{Errors: Include}, []int32{0, 1, 3}}, {Options{Incomplete: Only}, []int32{2}},
		{Options{Errors: Include, Incomplete: Include}, []int32{0, 1, 2, 3}},
	} {
		rows, p := Chosen(set, c.opt)
		if diff := cmp.Diff(c.want, rows); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", c.opt, diff)
		}
		if diff := cmp.Diff(Summarize(set, c.opt).Population, p); diff != "" {
			t.Errorf("the population of a summary is another (-summary +chosen):\n%s", diff)
		}
	}
}
