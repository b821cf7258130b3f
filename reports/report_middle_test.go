package reports

import (
	"testing"

	"github.com/tailpath/tailpath/analyze"
)

// TestMiddleOfWeeksIsMeasured: the middle of what was before is a figure of one of the weeks. No
// percentile is made of others, also not of the two in the middle of four.
func TestMiddleOfWeeksIsMeasured(t *testing.T) {
	for _, c := range []struct {
		before []float64
		want   float64
		n      int64
	}{
		{[]float64{7}, 7, 1},
		{[]float64{9, 4}, 4, 2},
		{[]float64{9, 4, 6}, 6, 3},
		{[]float64{40, 10, 20, 30}, 20, 4},
		{[]float64{1, 40, 10, 20, 30}, 20, 4}, // the last four
	} {
		var before []Before
		for _, v := range c.before {
			before = append(before, Before{Complete: true, Errors: ErrorRate{Share: v, Of: 10}})
		}
		before = append([]Before{{Complete: false, Errors: ErrorRate{Share: 99, Of: 10}}}, before...)
		var row VerdictRow
		row.compare(Before{}, before[max(0, len(before)-4):], func(b Before) Compact { return Compact{Value: &b.Errors.Share} })
		if row.Median == nil || *row.Median != c.want || row.Of4 != c.n {
			t.Errorf("of %v the middle is %v of %d, want %v of %d", c.before, row.Median, row.Of4, c.want, c.n)
		}
	}
}

// TestScopeTellsAWeekOnce: a week has its bounds by its name; a time that was chosen otherwise is
// told by them.
func TestScopeTellsAWeekOnce(t *testing.T) {
	week, err := analyze.ParseWeek("2026-W33", nil)
	if err != nil {
		t.Fatal(err)
	}
	p := Population{Requests: 9, Used: 7, Partial: 2, SinceNS: &week.From, UntilNS: &week.To}
	p.Words = p.words()
	s := &Summary{Population: p}
	for _, c := range []struct {
		week *analyze.Week
		want string
	}{
		{&week, "7 of 9 requests, of week 2026-W33 in UTC; 2 of them incomplete"},
		{nil, "7 of 9 requests; 2 of them incomplete, starting from 2026-08-10T00:00:00Z up to 2026-08-17T00:00:00Z"},
	} {
		if got := scopeWords(analyze.Report{Week: c.week}, s); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
