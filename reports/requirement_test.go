package reports_test

import (
	"strings"
	"testing"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/reports"
)

// required are what became of requirements of a set, one of each outcome.
func required(side string) []reports.Condition {
	set := incident(400, never)
	quality(set)
	var list []filter.Condition
	for _, text := range []string{"n >= 100", "unattributed < 0.1%", "errors < 1%", "lost < 1%", "clock < 5ms", "sampling = (none uniform)"} {
		c, err := filter.ParseRequirement(text, analyze.ConditionWords())
		if err != nil {
			panic(err)
		}
		list = append(list, c)
	}
	return reports.Requirements(analyze.Require(set, analyze.Beside{}, list, analyze.Options{}), side)
}

// withRequirements adds a comparison of which one side is not as required, so that nothing is
// judged by it.
func withRequirements(out map[string]reports.Document) {
	d := out["compare"]
	d.Requirements = append(required("base"), required("new")[:2]...)
	d.Conditions = out["summary_gated"].Conditions[:2]
	out["compare_required"] = d.Withheld(d.Missed()...)
}

// TestWithheldDocumentsJudgeNothing: of data that are not as required every condition is left open,
// with what was found, and the reasons come first.
func TestWithheldDocumentsJudgeNothing(t *testing.T) {
	gated := documents()["summary_gated"]
	if got := gated.Withheld(); got.Headline != gated.Headline || got.Conditions[0].Why != gated.Conditions[0].Why {
		t.Errorf("without a reason: %s", got.Headline)
	}
	for _, c := range []struct {
		reasons []string
		first   string
		why     string
	}{
		{[]string{"a"}, "a", "a"}, {[]string{"a", "b", "c"}, "a; b; c", "a; and 2 more"}, {[]string{"a", "b", "c", "d", "e"}, "a; b; c; and 2 more", "a; and 4 more"},
	} {
		got := gated.Withheld(c.reasons...)
		if got.Headline != "cannot judge: "+c.first+"; but for that: "+gated.Headline {
			t.Errorf("%v: %s", c.reasons, got.Headline)
		}
		for i, k := range got.Conditions {
			if k.Passed != nil || k.Why != "not judged: "+c.why || k.Found() != gated.Conditions[i].Found() {
				t.Errorf("%v: %+v", c.reasons, k)
			}
		}
	}
	if gated.Conditions[1].Passed == nil {
		t.Error("the document itself was changed")
	}
}

func TestMissedRequirementsAreWorded(t *testing.T) {
	yes, no, found := true, false, 0.123
	for _, c := range []struct {
		of   reports.Condition
		want string
	}{
		{reports.Condition{Condition: "n >= 9", Passed: &yes}, ""},
		{reports.Condition{Condition: "lost < 5%", Passed: &no, Observed: &found, Unit: analyze.UnitShare}, "--require asks for lost < 5%, and it is 12.3 %"},
		{reports.Condition{Condition: "lost < 5%", Side: "base", Passed: &no, Observed: &found, Unit: analyze.UnitShare}, "--require asks for lost < 5%, and it is 12.3 % in base"},
		{reports.Condition{Condition: "sampling = none", Passed: &no, Verdict: "suspected", Unit: analyze.UnitVerdict}, "--require asks for sampling = none, and it is suspected"},
		{reports.Condition{Condition: "clock < 5ms", Side: "new", Why: "so few"}, "--require asks for clock < 5ms, which cannot be told in new: so few"},
	} {
		if got := c.of.Missed(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	var d reports.Document
	if d.Missed() != nil {
		t.Error("nothing is required")
	}
	d.Requirements = required("")
	if got := d.Missed(); len(got) == 0 || !strings.Contains(strings.Join(got, " "), "unattributed < 0.1%") {
		t.Errorf("%q", got)
	}
	for _, c := range d.Requirements {
		if c.Method == analyze.MethodCalls && c.Confidence != nil {
			t.Errorf("bounds of clocks have a confidence of %v", *c.Confidence)
		}
	}
}
