package page

import (
	"slices"
	"strings"
	"testing"

	"github.com/tailpath/tailpath/reports"
)

// sectionIDs are the ids of the sections of a page that are not folded.
func sectionIDs(p Page) (out []string) {
	for _, s := range p.Sections[1:] {
		if !s.Folded {
			out = append(out, s.ID)
		}
	}
	return out
}

// TestReportOfNoRequest: what needs requests has no section, what is to be known of the input has.
func TestReportOfNoRequest(t *testing.T) {
	want := []string{"headline", "verdict", "quality", "method"}
	p := Of(emptyReport(reports.Weekly), Options{})
	if got := sectionIDs(p); !slices.Equal(got, want) {
		t.Errorf("sections %v, want %v", got, want)
	}
	if text := dumpPage(p); strings.Contains(text, "no chart") {
		t.Errorf("it tells of charts:\n%s", text)
	}
	if got := sectionIDs(Of(richReport(t), Options{})); len(got) != len(weeklyParts) {
		t.Errorf("with requests and a baseline the sections are %v", got)
	}
}

// TestReportWithoutBaselineSaysSoOnce, and has no section of what is open since then.
func TestReportWithoutBaselineSaysSoOnce(t *testing.T) {
	for _, kind := range []string{reports.Weekly, reports.PostMortem} {
		d := richReport(t)
		d.Report.Kind, d.Report.Before, d.Report.Moved, d.Report.OpenItems = kind, nil, nil, nil
		p := Of(d, Options{})
		if got := strings.Count(dumpPage(p), noBaseline); got != 1 {
			t.Errorf("%s: said %d times", kind, got)
		}
		for _, s := range p.Sections {
			if s.ID == "open-items" || strings.Contains(s.Title, "moved") || strings.Contains(s.Title, "before") {
				t.Errorf("%s: section %q without a time before", kind, s.Title)
			}
		}
	}
}

// TestFewRequestsAreNotCharted over time, nor counted by how long they took.
func TestFewRequestsAreNotCharted(t *testing.T) {
	for n, charted := range map[int64]bool{leastCharted - 1: false, leastCharted: true} {
		d := richReport(t)
		d.Queue.Summary.Population.Used = n
		text := dumpPage(Of(d, Options{}))
		for _, id := range []string{"<figure-heat ", "<figure-traffic ", "[over-time]", "[histogram-duration]"} {
			if got := strings.Contains(text, id); got != charted {
				t.Errorf("%d requests: %s is there: %v", n, id, got)
			}
		}
		if said := strings.Contains(text, "no heat map: 19 requests: it takes 20"); said == charted {
			t.Errorf("%d requests: that they are few is said: %v", n, said)
		}
	}
}

// TestNoChartOfARateOfNothing: where all came in stretches that are cut off, none has the most.
func TestNoChartOfARateOfNothing(t *testing.T) {
	d := richReport(t)
	for i := range d.Report.Heat.Rate {
		d.Report.Heat.Rate[i] = to(0.0)
	}
	if c := trafficFigure(d); c.missing == "" {
		t.Errorf("the chart answers %q", c.figure.Answer)
	}
}

// TestVerdictTablesWithoutAFigure are one line a reason.
func TestVerdictTablesWithoutAFigure(t *testing.T) {
	d := richReport(t)
	d.Report.Before = nil
	none := func(metric, p, why string) reports.VerdictRow {
		return reports.VerdictRow{Metric: metric, P: p, Unit: "ns", Outcome: "unknown", Why: why}
	}
	d.Report.Verdicts = []reports.VerdictRow{
		none("duration", "p50", "it needs 5 requests, n = 1"), none("duration", "p90", "it needs 29 requests, n = 1"),
		none("ttft", "p50", "no request has it"), none("tpot", "p50", "no request has it"),
		{Metric: "requests", Unit: "requests", Now: reports.Compact{Value: to(1.0), Low: to(1.0), High: to(1.0), N: 1}},
	}
	text := dumpPage(Of(d, Options{}))
	for _, want := range []string{"not known: duration: it needs 5 requests, n = 1\n", "not known: ttft, tpot: no request has it\n", "[verdict-requests]"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for _, id := range []string{"[verdict-duration]", "[verdict-ttft]", "it needs 29"} {
		if strings.Contains(text, id) {
			t.Errorf("%q is written", id)
		}
	}
}

// TestEdgesOfCellsDiffer: in one unit where that tells them apart, else each in its own.
func TestEdgesOfCellsDiffer(t *testing.T) {
	for _, x := range []struct {
		edges []int64
		unit  string
		want  []string
	}{
		{[]int64{450 * millis, 500 * millis, 2 * second}, " ms", []string{"450", "500", "2000"}},
		{[]int64{2 * millis, 3 * millis, 20 * second}, "", []string{"2.00 ms", "3.00 ms", "20.0 s"}},
		{nil, " ns", nil},
	} {
		unit, format := edgeFormat(x.edges)
		var got []string
		for _, e := range x.edges {
			got = append(got, format(e))
		}
		if unit != x.unit || !slices.Equal(got, x.want) {
			t.Errorf("%v: %q %v, want %q %v", x.edges, unit, got, x.unit, x.want)
		}
	}
}

// TestPostMortemSummaryIsShort where there is no time before: a line a metric, in place of tables.
func TestPostMortemSummaryIsShort(t *testing.T) {
	d := richReport(t)
	d.Report.Kind = reports.PostMortem
	tables := func() (n int) {
		for _, b := range Of(d, Options{}).Sections[1].Blocks {
			if _, ok := b.(Table); ok {
				n++
			}
		}
		return n
	}
	if tables() == 0 {
		t.Error("with a time before there is no table")
	}
	d.Report.Before, d.Report.Moved, d.Report.OpenItems = nil, nil, nil
	if n := tables(); n > 0 {
		t.Errorf("%d tables without a time before", n)
	}
	text := dumpPage(Of(d, Options{}))
	summary, _, _ := strings.Cut(text, "== impact")
	if !strings.Contains(summary, "duration     p50 ") || !strings.Contains(summary, " (n = 1,983)") {
		t.Errorf("no percentiles in\n%s", summary)
	}
}
