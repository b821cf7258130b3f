package reports_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/analyze/change"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
	"github.com/tailpath/tailpath/reports"
)

// against makes the report of a set beside another; force compares whatever differs, and without
// tables the comparison is left out.
func against(base, new *table.Set, force, tables bool) reports.Document {
	o := analyze.Options{Replicates: 100, Force: force, Objectives: objectivesOf("p99(e2e) < 4s")}
	parts := partsOf(new, analyze.ReportOptions{Options: o})
	parts.Before = []reports.Before{reports.BeforeNow("before", true, analyze.Summarize(base, o), analyze.ReportOf(base, analyze.ReportOptions{Options: o}))}
	if parts.BaselineFrom = "document"; tables {
		parts.BaselineFrom = "tables"
		parts.Compare = reportRun("x/").Compare(analyze.Compare(base, new, o, change.Rule{}), reports.Compared{Label: "before"}, reports.Compared{Label: "now"}).Compare
	}
	return reportRun("x/").Report(reports.Weekly, parts)
}

// TestOutcomesAreThoseOfTheComparison wants no row to say another thing of a figure than the
// comparison in the same document, nor than its own interval without a reason.
func TestOutcomesAreThoseOfTheComparison(t *testing.T) {
	burst := served(1100, 0, 60, 80)
	for i := 300; i < 330; i++ { // one spell, of which nothing says that it is of other captures as well
		lengthen(burst, i, stage.Queue, 9_000*ms)
	}
	words := map[string]string{"slower": "higher", "faster": "lower", "same": "same", "describes": "describes", "too_few": "unknown"}
	seen := map[string]bool{}
	for name, new := range map[string]*table.Set{"as before": served(1100, 0, 60, 80), "all wait longer": served(1100, 7200, 3000, 80), "one spell": burst} {
		d := against(served(1100, 0, 60, 80), new, true, true)
		found := 0
		for _, row := range d.Report.Verdicts {
			for _, m := range d.Compare.Metrics {
				for _, q := range m.Percentiles {
					if m.Metric != row.Metric || q.P != row.P {
						continue
					}
					found++
					if seen[row.Outcome] = true; row.Outcome != words[q.Outcome] {
						t.Errorf("%s: %s %s is %s here and %s there", name, row.Metric, row.P, row.Outcome, q.Outcome)
					}
				}
			}
			for _, x := range d.Compare.Rates {
				if row.Metric == "errors" && x.Name == "errors" && row.Outcome != words[x.Outcome] {
					t.Errorf("%s: errors are %s here and %s there", name, row.Outcome, x.Outcome)
				}
				if less := map[string]string{"slower": "lower", "faster": "higher", "same": "same", "describes": "describes", "too_few": "unknown"}; row.Metric == "slo" && x.Objective == row.Of && row.Outcome != less[x.Outcome] {
					t.Errorf("%s: %s is met %s, and missed %s", name, row.Of, row.Outcome, x.Outcome)
				}
			}
			if c := row.Change; c != nil && c.Low != nil && c.High != nil && row.Why == "" {
				if *c.Low > 0 && row.Outcome != "higher" || *c.High < 0 && row.Outcome != "lower" || *c.Low <= 0 && *c.High >= 0 && row.Outcome != "same" {
					t.Errorf("%s: %s %s is %s by %v to %v", name, row.Metric, row.P, row.Outcome, *c.Low, *c.High)
				}
			}
		}
		if m := d.Report.Moved; name == "all wait longer" && (len(m.Stages) == 0 || m.Stages[0].Stage != "queue" || !(*m.Stages[0].Share > 0.9)) {
			t.Errorf("what moved is %+v", m)
		}
		if found != 9 {
			t.Errorf("%s: %d percentiles are in both", name, found)
		}
	}
	if !seen["higher"] || !seen["same"] || !seen["describes"] {
		t.Errorf("outcomes are %v", seen)
	}
}

// TestSameRequestsTwiceAreTheSame sets a capture against itself, with and without its tables.
func TestSameRequestsTwiceAreTheSame(t *testing.T) {
	set := served(1400, 0, 1000, 80)
	for _, tables := range []bool{true, false} {
		d := against(set, set, false, tables)
		for _, row := range d.Report.Verdicts {
			if row.Change != nil && (row.Outcome != "same" || row.Change.Value != 0) {
				t.Errorf("%s %s is %s by %v", row.Metric, row.P, row.Outcome, row.Change.Value)
			}
		}
		for _, item := range d.Report.OpenItems {
			if item.State != "same" {
				t.Errorf("%s is %s", item.ID, item.State)
			}
		}
		if len(d.Report.OpenItems) == 0 || !strings.Contains(d.Headline, "(no change, no more than chance)") {
			t.Errorf("%d items, %q", len(d.Report.OpenItems), d.Headline)
		}
	}
}

// TestOnlyTablesTellFromChance sets slower requests against a capture: its tables say that they are
// slower, and its figures alone that they were so here, with the same change.
func TestOnlyTablesTellFromChance(t *testing.T) {
	base, slower := served(3000, 0, 60, 80), served(3000, 0, 60, 80)
	for i := range slower.Requests.Len() {
		lengthen(slower, i, stage.GPU, 2000*ms)
	}
	var changes []float64
	for tables, want := range map[bool]string{true: "higher", false: "describes"} {
		d := against(base, slower, false, tables)
		for _, row := range d.Report.Verdicts {
			if row.Metric != "duration" || row.P != "p50" {
				continue
			}
			if row.Outcome != want || tables != (row.Why == "") || *row.Change.Low <= 0 {
				t.Errorf("from tables %v: %s from %v, %q", tables, row.Outcome, *row.Change.Low, row.Why)
			}
			changes = append(changes, row.Change.Value)
		}
		if proven := strings.Contains(d.Headline, "more than chance"); proven != tables {
			t.Errorf("from tables %v: %s", tables, d.Headline)
		}
	}
	if len(changes) != 2 || changes[0] != changes[1] {
		t.Errorf("changes are %v", changes)
	}
}

// TestSmallChangesDoNotCount wants a change that many requests make certain, and that is small, to
// be the same without tables as with them.
func TestSmallChangesDoNotCount(t *testing.T) {
	longer := served(3000, 0, 60, 80)
	for i := range longer.Requests.Len() {
		lengthen(longer, i, stage.GPU, 45*ms)
	}
	for _, tables := range []bool{true, false} {
		d := against(served(3000, 0, 60, 80), longer, false, tables)
		for _, row := range d.Report.Verdicts {
			if row.Metric == "tpot" && row.P == "p50" && (row.Outcome != "same" || row.Why == "") {
				t.Errorf("from tables %v: %s by %v from %v to %v, %q", tables, row.Outcome, row.Change.Value, *row.Change.Low, *row.Change.High, row.Why)
			}
		}
	}
}

// TestUnlikeTimesAreSaidToBe wants it said on top and in the headline that other work was asked for.
func TestUnlikeTimesAreSaidToBe(t *testing.T) {
	d := against(served(1100, 0, 60, 80), served(1100, 7200, 60, 900), false, true)
	if len(d.Compare.Refused) == 0 {
		t.Fatal("the comparison is not refused")
	}
	if b := d.Report.Banner; len(b) == 0 || b[0].ID != reports.NotAlike || !strings.Contains(b[0].Text, d.Compare.Refused[0]) {
		t.Errorf("the banner is %v", b)
	}
	if !strings.Contains(d.Headline, "not like for like") || strings.Contains(d.Headline, "more than chance") {
		t.Error(d.Headline)
	}
}

// TestHeadlinesHaveThreeParts wants what changed, what took it and where it was.
func TestHeadlinesHaveThreeParts(t *testing.T) {
	for name, d := range documents() {
		if parts := strings.Split(d.Headline, "; "); d.Kind == reports.KindReport && (len(parts) > 3 || len(d.Headline) > 320) {
			t.Errorf("%s: %d parts, %d bytes: %s", name, len(parts), len(d.Headline), d.Headline)
		}
	}
}

// TestBottlenecksAreWorthNaming wants what has little of the excess counted and not listed.
func TestBottlenecksAreWorthNaming(t *testing.T) {
	for name, d := range documents() {
		r := d.Report
		if d.Kind != reports.KindReport || len(r.Bottlenecks) == 0 {
			continue
		}
		sum := r.Lesser.Share
		for i, b := range r.Bottlenecks {
			sum += b.Share
			if i > 0 && b.Share < 0.05 && (b.SlowShare == nil || *b.SlowShare < 0.05) {
				t.Errorf("%s: %s has %v of the excess", name, b.ID, b.Share)
			}
			if b.SlowShare != nil && i > 0 && *b.SlowShare > *r.Bottlenecks[i-1].SlowShare {
				t.Errorf("%s: %s is behind one with less", name, b.ID)
			}
			if b.Hit > b.Of || b.Hit == 0 {
				t.Errorf("%s: %d of %d are hit", name, b.Hit, b.Of)
			}
		}
		if sum > 1+1e-9 || r.Lesser.N < 0 || r.Lesser.N == 0 && r.Lesser.Share != 0 {
			t.Errorf("%s: shares add up to %v, with %+v", name, sum, r.Lesser)
		}
	}
	if n := documents()["report_weekly"].Report.Lesser.N; n == 0 {
		t.Error("no report has lesser ones")
	}
}

// TestLongPathsAreNamed wants a request whose path is too long to be shown named with its length.
func TestLongPathsAreNamed(t *testing.T) {
	set := served(300, 0, 900, 80)
	parts := withExemplars(set, partsOf(set, analyze.ReportOptions{Options: analyze.Options{Replicates: 50}}))
	for len(parts.Requests[0].Path) <= 300 {
		parts.Requests[0].Path = append(parts.Requests[0].Path, parts.Requests[0].Path...)
	}
	n := int64(len(parts.Requests[0].Path))
	d := reportRun("x/").Report(reports.Weekly, parts)
	if len(d.Requests) != 0 || len(d.Report.Exemplars) == 0 || d.Report.Exemplars[0].Segments != n {
		t.Errorf("%d requests, %+v", len(d.Requests), d.Report.Exemplars)
	}
}

// TestUsersHitAreNotKnownOfFewRequests wants no 0 where no request can be called slow.
func TestUsersHitAreNotKnownOfFewRequests(t *testing.T) {
	set := served(12, 0, 900, 80)
	report := analyze.ReportOf(set, analyze.ReportOptions{})
	report.Users = analyze.Users{Field: "enduser.id", Known: true, Of: 7}
	parts := partsOf(set, analyze.ReportOptions{})
	parts.Report = report
	if i := reportRun("x/").Report(reports.PostMortem, parts).Report.Impact; i.Users != nil || i.UsersOf == nil || *i.UsersOf != 7 {
		t.Errorf("%+v", i)
	}
}

// TestOpenItemsThatHardlyMatterAreTheSame sets a queue of at most 20 ms beside one of at most 60,
// of requests that take seconds.
func TestOpenItemsThatHardlyMatterAreTheSame(t *testing.T) {
	short, long := served(600, 0, 20, 80), served(600, 0, 60, 80)
	for _, sides := range [][2]*table.Set{{short, long}, {long, short}} {
		o := analyze.Options{Replicates: 100}
		parts := partsOf(sides[1], analyze.ReportOptions{Options: o})
		was := analyze.ReportOf(sides[0], analyze.ReportOptions{Options: o})
		k := slices.IndexFunc(was.Bottlenecks, func(b analyze.Bottleneck) bool { return b.Stage == stage.Queue })
		was.Bottlenecks = was.Bottlenecks[k : k+1] // as if it had been the first
		parts.Before = []reports.Before{reports.BeforeNow("before", true, analyze.Summarize(sides[0], o), was)}
		items := reportRun("x/").Report(reports.Weekly, parts).Report.OpenItems
		if len(items) != 1 || items[0].State != "same" {
			t.Errorf("%+v", items)
		}
	}
}

// TestFirstStageToDeviateMakesRequestsSlow wants a stage passed over that takes longer for a while
// in requests that are not slow.
func TestFirstStageToDeviateMakesRequestsSlow(t *testing.T) {
	set := served(1000, 0, 60, 80)
	for i := range set.Requests.Len() {
		switch {
		case i > 300 && i < 550: // much in all, and less in each
			lengthen(set, i, stage.GPU, 10_000*ms)
		case i > 600 && i < 660:
			lengthen(set, i, stage.Queue, 60_000*ms)
		}
	}
	parts := partsOf(set, analyze.ReportOptions{Options: analyze.Options{Replicates: 50}})
	told := 0
	for _, m := range reportRun("x/").Report(reports.PostMortem, parts).Report.Timeline {
		if strings.Contains(m.What, "first stage") {
			if told++; !strings.Contains(m.What, "of queue") {
				t.Error(m.What)
			}
		}
	}
	if told != 1 {
		t.Errorf("told %d times", told)
	}
}
