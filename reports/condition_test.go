package reports_test

import (
	"strings"
	"testing"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/reports"
)

// TestBoundWordsAreOfWhatIsShown: the note says how sure the bounds are of the kinds of
// figure that are there, and of no others.
func TestBoundWordsAreOfWhatIsShown(t *testing.T) {
	low := 1.0
	list := []reports.Condition{
		{Unit: analyze.UnitNS, Method: analyze.MethodOrder, Low: &low}, {Unit: analyze.UnitShare, Method: analyze.MethodBinom, Low: &low},
		{Unit: analyze.UnitShare, Method: analyze.MethodBlocks, Low: &low}, {Unit: analyze.UnitChange, Method: analyze.MethodBlocks, Low: &low},
		{Unit: analyze.UnitShare, Method: analyze.MethodExact},
	}
	const always = "a condition fails or passes only when the bounds leave no doubt"
	for i, want := range []string{"percentile or a rate", "percentile or a rate", "bounds of a share hold", "one less its level"} {
		got := reports.BoundWords(list[i : i+1])
		if rest := strings.TrimPrefix(got, always); rest == got || want == "" && rest != "" || !strings.Contains(rest, want) || strings.Count(rest, ";") > 1 {
			t.Errorf("%+v: %q", list[i], got)
		}
	}
	if got := reports.BoundWords(list); strings.Count(got, ";") != 3 {
		t.Errorf("all of them: %q", got)
	}
}

// TestSharesOfConditionsShowTheirSide: what is written of a share lies on the side of the limit
// on which the share does, with no more decimals than that takes.
func TestSharesOfConditionsShowTheirSide(t *testing.T) {
	at := func(v float64) *float64 { return &v }
	for _, c := range []struct {
		unit      string
		limit, of float64
		want      string
	}{
		{analyze.UnitShare, .99, .9500, "95.0 %"}, {analyze.UnitShare, .99, .989998, "98.9998 %"}, {analyze.UnitShare, .99, .990031, "99.003 %"},
		{analyze.UnitShare, .99, .9895, "98.95 %"}, {analyze.UnitShare, .99, .99, "99.0 %"}, {analyze.UnitShare, .07, .0696, "6.96 %"},
		{analyze.UnitShare, .9995, .9994, "99.9 %"}, {analyze.UnitShare, 1, .99996, "99.996 %"}, {analyze.UnitShare, 0, .0004, "0.04 %"},
		{analyze.UnitShare, .09, .1, "10.0 %"}, {analyze.UnitShare, .99, .99 - 1e-12, "99.0 %"}, {analyze.UnitChange, .1, .1004, "+10.0 %"},
	} {
		list := reports.Condition{Unit: c.unit, Limit: at(c.limit), Observed: at(c.of)}
		if got := list.Found(); got != c.want {
			t.Errorf("%v against %v is %q, want %q", c.of, c.limit, got, c.want)
		}
	}
}
