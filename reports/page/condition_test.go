package page

import (
	"slices"
	"strings"
	"testing"

	"github.com/tailpath/tailpath/reports"
)

// tableIn returns the table of a page whose section or id is so called.
func tableIn(p Page, section, id string) (Table, bool) {
	for _, s := range p.Sections {
		for _, b := range s.Blocks {
			if t, is := b.(Table); is && (section != "" && s.ID == section || id != "" && t.ID == id) {
				return t, true
			}
		}
	}
	return Table{}, false
}

// TestRequirementsComeBeforeConditions: both are shown, with the side where there are two.
func TestRequirementsComeBeforeConditions(t *testing.T) {
	p := Of(readDocument(t, "compare_required"), Options{})
	place := func(id string) int { return slices.IndexFunc(p.Sections, func(s Section) bool { return s.ID == id }) }
	if a, b := place("requirements"), place("conditions"); a < 0 || b < 0 || a > b {
		t.Fatalf("requirements are section %d, conditions %d", a, b)
	}
	required, _ := tableIn(p, "requirements", "")
	if got := required.Rows[0]; required.Columns[2].Head != "of" || got[0] != "pass" || got[2] != "base" {
		t.Errorf("%+v\n%q", required.Columns, got)
	}
	judged, _ := tableIn(p, "conditions", "")
	for _, row := range judged.Rows {
		if row[0] != "inconclusive" || !strings.HasPrefix(row[len(row)-1], "not judged: --require asks for ") {
			t.Errorf("%q", row)
		}
	}
	if !strings.HasPrefix(p.Headline, "cannot judge: --require asks for ") {
		t.Error(p.Headline)
	}
}

// TestReportsShowWhatIsRequired: in a report the table stands with the conditions, and only where
// something is required.
func TestReportsShowWhatIsRequired(t *testing.T) {
	d := richReport(t)
	if _, there := tableIn(Of(d, Options{}), "", "requirements"); there {
		t.Error("nothing is required")
	}
	no, lost := false, 0.02
	d.Requirements = []reports.Condition{{Condition: "lost < 1%", Passed: &no, Observed: &lost, Limit: to(0.01), Unit: "share", N: 100, Method: "exact"}}
	table, there := tableIn(Of(d, Options{}), "", "requirements")
	if want := []string{"FAIL", "lost < 1%", "2.0 %", "", "100", ""}; !there || !slices.Equal(table.Rows[0], want) {
		t.Errorf("%q, want %q", table.Rows, want)
	}
}
