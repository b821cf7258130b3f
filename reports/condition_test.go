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
	for i, want := range []string{"percentile or a rate", "percentile or a rate", "bounds of a share hold", "one less its level", ""} {
		got := reports.BoundWords(list[i : i+1])
		if rest := strings.TrimPrefix(got, always); rest == got || want == "" && rest != "" || !strings.Contains(rest, want) || strings.Count(rest, ";") > 1 {
			t.Errorf("%+v: %q", list[i], got)
		}
	}
	if got := reports.BoundWords(list); strings.Count(got, ";") != 3 {
		t.Errorf("all of them: %q", got)
	}
}
