package page

import (
	"slices"
	"strings"
	"testing"

	"github.com/tailpath/tailpath/reports"
)

// TestReportSaysWhatItLeavesOut wants what a report names no more than the number of to be counted,
// and what it cannot tell to be said as such.
func TestReportSaysWhatItLeavesOut(t *testing.T) {
	d := richReport(t)
	d.Report.Kind = reports.PostMortem
	d.Queue.When.More.N, d.Report.TimelineIncidents = 8, 5
	d.Report.Lesser = reports.Lesser{N: 4, Share: 0.031}
	d.Report.Bottlenecks[0].SlowShare = to(0.896)
	d.Report.Exemplars = append(d.Report.Exemplars, reports.Exemplar{Request: reports.RequestRef{TraceID: "feed", NS: 4 * second}, Role: "worst", Segments: 4213})
	d.Report.Verdicts[1].Outcome, d.Report.Verdicts[1].Why = "describes", "one spell on either side"
	page := dumpPage(Of(d, Options{}))
	for _, want := range []string{
		"of 9 incidents the 5 in which most was waited",
		"4 more, with 3.1 % of the excess together",
		" | 89.6 | ",
		"feed, 4.00 s: its path has 4,213 segments",
		"here only [",
		"one spell on either side",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not told", want)
		}
	}
}

// TestDetectionIsSetBesideTheOnset says how long after the onset, or before it, an objective was
// first missed.
func TestDetectionIsSetBesideTheOnset(t *testing.T) {
	d := richReport(t)
	d.Report.Kind = reports.PostMortem
	if len(d.Queue.When.Incidents) == 0 {
		t.Fatal("there is no incident")
	}
	onset := d.Queue.When.Incidents[0].OnsetNS
	for _, c := range []struct {
		at   *int64
		want string
	}{{to(onset + 90*second), "begins 90 s after the onset of incident 1"}, {to(onset - 90*second), "begins 90 s before the onset of incident 1"}, {nil, ""}} {
		d.Report.Impact.Over[0].FirstNS = c.at
		page := Of(d, Options{})
		text := dumpPage(Page{Sections: page.Sections[slices.IndexFunc(page.Sections, func(s Section) bool { return s.ID == "detection" }):][:1]})
		if told := strings.Contains(text, "of incident 1"); told != (c.at != nil) || !strings.Contains(text, c.want) {
			t.Errorf("%q is not told:\n%s", c.want, text)
		}
	}
}

// TestUsersHitAreExplained says what makes a user one who was hit, and where that is not known.
func TestUsersHitAreExplained(t *testing.T) {
	for _, c := range []struct {
		change func(i *reports.Impact)
		want   string
	}{
		{func(*reports.Impact) {}, "17 of 420 with a request that missed an objective, by enduser.id"},
		{func(i *reports.Impact) { i.Over = nil }, "17 of 420 with a slow request, by enduser.id"},
		{func(i *reports.Impact) { i.Over, i.Users = nil, nil }, "420, by enduser.id; how many were hit is not known"},
		{func(i *reports.Impact) { i.UserField, i.Users, i.UsersOf = "", nil, nil }, "not known: no attribute tells users apart"},
	} {
		d := richReport(t)
		d.Report.Kind = reports.PostMortem
		c.change(&d.Report.Impact)
		if page := dumpPage(Of(d, Options{})); !strings.Contains(page, c.want) {
			t.Errorf("%q is not told", c.want)
		}
	}
}

// TestObjectiveIsToldBesideItsIncident: the first request that misses an objective is told beside the
// incident that it lies in, else beside the first; where that is not listed, beside none.
func TestObjectiveIsToldBesideItsIncident(t *testing.T) {
	list := []reports.Incident{{No: 1, OnsetNS: 100, RecoveryNS: 200}, {No: 3, OnsetNS: 500, RecoveryNS: 600}}
	for _, c := range []struct {
		name string
		w    reports.When
		ns   int64
		no   int64
	}{
		{"before all", reports.When{Incidents: list}, 50, 1},
		{"in the first", reports.When{Incidents: list}, 199, 1},
		{"between", reports.When{Incidents: list}, 300, 1},
		{"in the last", reports.When{Incidents: list}, 500, 3},
		{"before all, with others", reports.When{Incidents: list, More: reports.MoreIncidents{N: 1}}, 50, 1},
		{"in the last, with others", reports.When{Incidents: list, More: reports.MoreIncidents{N: 1}}, 599, 3},
		{"perhaps in one that is not listed", reports.When{Incidents: list, More: reports.MoreIncidents{N: 1}}, 300, 0},
		{"before, the first is not listed", reports.When{Incidents: list[1:], More: reports.MoreIncidents{N: 2}}, 50, 0},
		{"none", reports.When{}, 50, 0},
	} {
		got := int64(0)
		if in := missedBeside(c.w, c.ns); in != nil {
			got = in.No
		}
		if got != c.no {
			t.Errorf("%s: beside incident %d, want %d", c.name, got, c.no)
		}
	}
}

// TestChartsSayHowManyIncidentsTheyMark: of more incidents than a chart marks, it says so.
func TestChartsSayHowManyIncidentsTheyMark(t *testing.T) {
	d := richReport(t)
	for _, c := range []struct {
		more int64
		want string
	}{{0, "; 1 incident marked"}, {117, "; 1 incident marked, those of 118 in which most was waited"}} {
		d.Queue.When.More.N = c.more
		for name, f := range map[string]chartOf{"heat": heatFigure(d), "traffic": trafficFigure(d), "queueing": queueingFigure(d)} {
			if f.missing != "" || !strings.HasSuffix(f.figure.Answer, c.want) {
				t.Errorf("%s: %q%s, want %q behind it", name, f.figure.Answer, f.missing, c.want)
			}
		}
	}
}
