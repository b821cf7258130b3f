package reports_test

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
	"github.com/tailpath/tailpath/reports"
)

// partsOf makes every answer of a report.
func partsOf(set *table.Set, o analyze.ReportOptions) reports.ReportParts {
	ask := analyze.CapacityOptions{Objectives: o.Objectives[:min(1, len(o.Objectives))]}
	return reports.ReportParts{
		Queue: analyze.QueueOf(set, o.Options, nil), Capacity: analyze.CapacityOf(set, o.Options, ask),
		Inspect: analyze.Inspect(set, analyze.Beside{}), Report: analyze.ReportOf(set, o),
	}
}

// withExemplars explains the requests of a report as slow rebuilds them.
func withExemplars(set *table.Set, parts reports.ReportParts) reports.ReportParts {
	peers := analyze.NewPeers(set, analyze.Options{})
	for _, e := range reports.Exemplars(parts.Report)[:1] {
		for row, id := range set.Requests.TraceID {
			if id == e.TraceID {
				x := analyze.Explain(set, slow(set, row), peers, nil, 0)
				x.Facts.RootSpanID = e.RootSpanID // the spans of slow are made up
				parts.Requests = append(parts.Requests, x)
			}
		}
	}
	return parts
}

// objectivesOf parses objectives.
func objectivesOf(texts ...string) (out []filter.Objective) {
	for _, text := range texts {
		o, err := filter.ParseObjective(text, analyze.ObjectiveMetrics())
		if err != nil {
			panic(err)
		}
		out = append(out, o)
	}
	return out
}

// overTheWeek spreads the requests of an incident over the week in which it began, and weeks
// later.
func overTheWeek(set *table.Set, weeks int64) analyze.Week {
	week := analyze.WeekAt(began+weeks*7*24*3_600_000*ms, time.UTC)
	r := &set.Requests
	by := make([]int64, r.Len())
	n := int64(r.Len())
	for i := range by {
		by[i] = week.From + (week.To-week.From)/n*int64(i) - r.Start[i]
		r.Start[i] += by[i]
		if r.End[i] != analyze.Missing {
			r.End[i] += by[i]
		}
		if r.FirstToken[i] != analyze.Missing {
			r.FirstToken[i] += by[i]
		}
	}
	for i, row := range set.Segments.RequestRow {
		set.Segments.Start[i] += by[row]
		set.Segments.End[i] += by[row]
	}
	return week
}

// withBatches gives the requests of the bursts of an incident, and as many others, a route of their
// own.
func withBatches(set *table.Set) *table.Set {
	batch := set.Symbols.Intern("/v1/batch")
	for i := range set.Requests.Len() {
		if k := i % 1000; k > 600 && k < 632 {
			set.Requests.Route[i] = batch
		}
	}
	return set
}

func reportRun(args ...string) reports.Run { return run(append([]string{"report"}, args...)...) }

// reported adds the documents of reports.
func reported(out map[string]reports.Document) {
	few := analyze.Options{Replicates: 100, Callers: &critical.Callers{}}
	set := withBatches(incident(1000, never))
	few.Objectives = objectivesOf("p99(e2e)<4s", "90%(ttft < 1s and tpot < 30ms)")
	parts := withExemplars(set, partsOf(set, analyze.ReportOptions{Options: few}))
	out["report_postmortem"] = reportRun("incident/", "--kind", "postmortem").Report(reports.PostMortem, parts)

	var before []reports.Before
	for w, n := range []int{700, 800, 1000} {
		past := incident(n, never)
		if w > 0 {
			withBatches(past)
		}
		week := overTheWeek(past, int64(w))
		r := analyze.ReportOf(past, analyze.ReportOptions{Options: few, Week: &week})
		before = append(before, reports.BeforeNow(week.Name, r.Complete(), analyze.Summarize(past, few), r))
	}
	this := withBatches(incident(1000, never))
	for i := range this.Requests.Len() { // the GPU is slower than in the weeks before
		lengthen(this, i, stage.GPU, this.Requests.Duration[i]/4)
	}
	week := overTheWeek(this, 3)
	parts = withExemplars(this, partsOf(this, analyze.ReportOptions{Options: few, Week: &week}))
	parts.Before, parts.BaselineFrom = before, "tables"
	out["report_weekly"] = reportRun("week/", "--baseline", "before/").Report(reports.Weekly, parts)

	short := incident(300, never)
	week = analyze.WeekAt(began, time.UTC)
	parts = partsOf(short, analyze.ReportOptions{Options: few, Week: &week})
	last, err := reports.BeforeOf(out["report_postmortem"])
	if err != nil {
		panic(err)
	}
	parts.Before, parts.BaselineFrom = []reports.Before{last}, "document"
	out["report_gaps"] = reportRun("week/").Report(reports.Weekly, parts)
	out["report_empty"] = reportRun("week/").Report(reports.Weekly, partsOf(table.NewSet(), analyze.ReportOptions{}))

	streams, b := told(60)
	streamed := analyze.Options{Replicates: 100, Engines: b.Engines()}
	parts = partsOf(streams, analyze.ReportOptions{Options: streamed})
	peers := analyze.NewPeers(streams, streamed)
	for _, e := range reports.Exemplars(parts.Report) {
		for _, r := range b.Find(e.TraceID) {
			parts.Requests = append(parts.Requests, analyze.Explain(streams, r, peers, b.Engines(), 20))
		}
	}
	out["report_streams"] = reportRun("incident/").Report(reports.PostMortem, parts)
}

// lengthen makes a request longer, in one stage and at its end.
func lengthen(set *table.Set, row int, s stage.Stage, by int64) {
	r := &set.Requests
	if r.End[row] == analyze.Missing {
		return
	}
	segment(set, row, r.End[row], by, int(s), "decode", 0)
	r.Stage[s][row] += by
	r.End[row] += by
	r.Duration[row] += by
}

func TestReportSetsNowBesideBefore(t *testing.T) {
	d := documents()["report_weekly"]
	r := d.Report
	find := func(metric, p string) reports.VerdictRow {
		i := slices.IndexFunc(r.Verdicts, func(v reports.VerdictRow) bool { return v.Metric == metric && v.P == p })
		if i < 0 {
			t.Fatalf("there is no row %s %s", metric, p)
		}
		return r.Verdicts[i]
	}
	p50 := find("duration", "p50")
	// Nothing but tables tells it from chance, and it has none of the week before.
	if p50.Outcome != "describes" || p50.Why == "" || p50.Percent == nil || *p50.Percent < 0.15 || *p50.Percent > 0.35 || p50.Of4 != 3 {
		t.Errorf("p50 of requests a quarter longer is %+v", p50)
	}
	if !strings.Contains(d.Headline, "p99 e2e ") || !strings.Contains(d.Headline, " (+") {
		t.Errorf("headline %q does not say what changed", d.Headline)
	}
	if row := find("requests", ""); row.Now.N != d.Queue.Summary.Population.Used {
		t.Errorf("requests are %+v", row.Now)
	}
	if r.Moved == nil || r.Moved.Why != "" || r.Moved.Stages[0].Stage != "gpu" {
		t.Fatalf("moved is %+v", r.Moved)
	}
}

func TestMovedAddsUp(t *testing.T) {
	for _, c := range []struct{ before, now int }{{300, 250}, {250, 300}, {300, 60}, {0, 300}, {300, 0}, {400, 250}} {
		few := analyze.Options{Replicates: 50}
		past, this := served(c.before, 0, 60, 80), served(c.now, 7200, 700, 80)
		parts := partsOf(this, analyze.ReportOptions{Options: few})
		parts.Before = []reports.Before{reports.BeforeNow("before", true, analyze.Summarize(past, few), analyze.ReportOf(past, analyze.ReportOptions{Options: few}))}
		m := reportRun("x/").Report(reports.Weekly, parts).Report.Moved
		// Of 400 requests the slow ones are those from p95 on, and of fewer from p90.
		if enough := min(c.before, c.now) > 190 && c.before < 400; enough != (m.Why == "") || enough != (len(m.Stages) == 8) {
			t.Fatalf("%d and %d requests: %+v", c.before, c.now, m)
		} else if !enough {
			continue
		}
		var old64, new64, change int64
		for _, s := range m.Stages {
			old64, new64, change = old64+s.OldNS, new64+s.NewNS, change+s.Change
		}
		if old64 != m.OldNS || new64 != m.NewNS || change != m.NewNS-m.OldNS {
			t.Fatalf("stages add to %d, %d and %d of %+v", old64, new64, change, m)
		}
	}
}

func TestBottlenecksKeepTheirIDs(t *testing.T) {
	scope := func(field string, values ...string) []reports.ScopeField {
		return []reports.ScopeField{{Field: field, Values: values}}
	}
	was := []reports.Bottleneck{
		{ID: "queue-engine-000001", Stage: "queue", Detail: "engine", Scope: scope("host", "a", "b"), Weeks: 2, Since: "2026-W45"},
		{ID: "gpu-decode-000002", Stage: "gpu", Detail: "decode", Weeks: 1, Since: "2026-W46"},
	}
	before := []reports.Before{{Name: "2026-W46", Bottlenecks: was}}
	for _, c := range []struct {
		name string
		now  reports.Bottleneck
		id   string
		week int64
	}{
		{"the same id", reports.Bottleneck{ID: "gpu-decode-000002", Stage: "gpu", Detail: "decode"}, "gpu-decode-000002", 2},
		{"one host more", reports.Bottleneck{ID: "queue-engine-0000aa", Stage: "queue", Detail: "engine", Scope: scope("host", "b", "c")}, "queue-engine-000001", 3},
		{"all hosts", reports.Bottleneck{ID: "queue-engine-0000ab", Stage: "queue", Detail: "engine"}, "queue-engine-000001", 3},
		{"another host", reports.Bottleneck{ID: "queue-engine-0000ac", Stage: "queue", Detail: "engine", Scope: scope("host", "c")}, "queue-engine-0000ac", 1},
		{"another field", reports.Bottleneck{ID: "queue-engine-0000ad", Stage: "queue", Detail: "engine", Scope: scope("model", "a")}, "queue-engine-0000ad", 1},
		{"another sub-label", reports.Bottleneck{ID: "queue-admission-0000ae", Stage: "queue", Detail: "admission"}, "queue-admission-0000ae", 1},
	} {
		c.now.Weeks = 1
		got := reports.MatchBottlenecks([]reports.Bottleneck{c.now}, before)[0]
		if got.ID != c.id || got.Weeks != c.week {
			t.Errorf("%s: %s in week %d, want %s in week %d", c.name, got.ID, got.Weeks, c.id, c.week)
		}
	}
	two := reports.MatchBottlenecks([]reports.Bottleneck{
		{ID: "queue-engine-0000ab", Stage: "queue", Detail: "engine", Scope: scope("host", "a"), Weeks: 1},
		{ID: "queue-engine-0000ac", Stage: "queue", Detail: "engine", Scope: scope("host", "b"), Weeks: 1},
	}, before)
	if two[0].ID == two[1].ID {
		t.Errorf("two bottlenecks have the id %s", two[0].ID)
	}
}

// TestWeeksInARowEndAtAGap sets a week against the one before it, and against an older one.
func TestWeeksInARowEndAtAGap(t *testing.T) {
	few := analyze.Options{Replicates: 50}
	past, this := served(260, 0, 900, 80), served(260, 0, 900, 80)
	was, week := overTheWeek(past, 0), overTheWeek(this, 1)
	old := analyze.ReportOf(past, analyze.ReportOptions{Options: few, Week: &was})
	parts := partsOf(this, analyze.ReportOptions{Options: few, Week: &week})
	for _, c := range []struct {
		name, since string
		weeks       int64
	}{{was.Name, was.Name, 2}, {was.Before(1).Name, week.Name, 1}} {
		parts.Before = []reports.Before{reports.BeforeNow(c.name, old.Complete(), analyze.Summarize(past, few), old)}
		for i, b := range reportRun("x/").Report(reports.Weekly, parts).Report.Bottlenecks {
			if before := parts.Before[0].Bottlenecks; b.ID != before[i].ID || b.Weeks != c.weeks || b.Since != c.since {
				t.Errorf("after %s: %s for %d weeks since %s", c.name, b.ID, b.Weeks, b.Since)
			}
		}
	}
}

func TestOpenItemsSayWhatBecameOfThem(t *testing.T) {
	few := analyze.Options{Replicates: 100}
	waits := func(longest int64) *table.Set { return served(300, 0, longest, 80) }
	was := analyze.ReportOf(waits(1000), analyze.ReportOptions{Options: few})
	before := reports.BeforeNow("before", true, analyze.Summarize(waits(1000), few), was)
	none := waits(1000)
	for i := range none.Requests.Len() { // what the queue took is not recorded any more
		r := &none.Requests
		r.Stage[stage.Unattributed][i] += r.Stage[stage.Queue][i]
		r.Stage[stage.Queue][i] = 0
	}
	for i, k := range none.Segments.Stage {
		if stage.Stage(k) == stage.Queue {
			none.Segments.Stage[i] = uint8(stage.Unattributed)
		}
	}
	gaps, elsewhere := before, before
	gaps.Complete = false
	elsewhere.Bottlenecks = slices.Clone(before.Bottlenecks)
	for i := range elsewhere.Bottlenecks {
		elsewhere.Bottlenecks[i].Scope = []reports.ScopeField{{Field: "route", Values: []string{"/v1/other"}}}
	}
	for _, c := range []struct {
		name   string
		set    *table.Set
		before reports.Before
		want   string
	}{
		{"a twentieth", waits(50), before, "gone"},
		{"as much", waits(1000), before, "same"},
		{"four times", waits(4000), before, "worse"},
		{"a third", waits(330), before, "better"},
		{"longer by a second in all", later(waits(1000), 1000*ms), before, "worse"},
		{"without a sub-label", unnamed(waits(1000)), before, "unknown"},
		{"not recorded", none, before, "unknown"},
		{"after a week with gaps", waits(1000), gaps, "unknown"},
		{"of requests that are not there", waits(1000), elsewhere, "unknown"},
	} {
		parts := partsOf(c.set, analyze.ReportOptions{Options: few})
		parts.Before = []reports.Before{c.before}
		found := false
		for _, item := range reportRun("x/").Report(reports.Weekly, parts).Report.OpenItems {
			if strings.HasPrefix(item.ID, "queue-") {
				if found = true; item.State != c.want || item.Why == "" || (item.Now != nil) != (c.want == "same" || c.want == "worse" || c.want == "better") {
					t.Errorf("%s: %+v, want %s", c.name, item, c.want)
				}
			}
		}
		if !found {
			t.Errorf("%s: the queue is not listed", c.name)
		}
	}
}

// later lets each request wait longer by the same time.
func later(set *table.Set, by int64) *table.Set {
	for i := range set.Requests.Len() {
		if set.Requests.Duration[i] >= 0 {
			lengthen(set, i, stage.Queue, by)
		}
	}
	for i, k := range set.Segments.Stage {
		if stage.Stage(k) == stage.Queue {
			set.Segments.Detail[i] = set.Symbols.Intern("engine")
		}
	}
	return set
}

// unnamed takes away the sub-labels of the queue.
func unnamed(set *table.Set) *table.Set {
	for i, k := range set.Segments.Stage {
		if stage.Stage(k) == stage.Queue {
			set.Segments.Detail[i] = set.Symbols.Intern("")
		}
	}
	return set
}

func TestReportsAreSmall(t *testing.T) {
	for name, d := range documents() {
		if d.Kind != reports.KindReport {
			continue
		}
		if n := len(encoded(t, d)); n > 800_000 {
			t.Errorf("%s is of %d bytes", name, n)
		}
		if d.Summary != nil {
			t.Errorf("%s holds the summary twice", name)
		}
	}
}

func TestBannerWarnsOfGaps(t *testing.T) {
	has := func(name, id string) bool {
		return slices.ContainsFunc(documents()[name].Report.Banner, func(w reports.Warning) bool { return w.ID == id })
	}
	if !has("report_gaps", reports.WeekIncomplete) || has("report_weekly", reports.WeekIncomplete) {
		t.Error("a week with gaps is not told from one without")
	}
	for _, row := range documents()["report_gaps"].Report.Verdicts {
		if row.Outcome != "unknown" || row.Why == "" {
			t.Errorf("a figure of a week with gaps is ranked: %+v", row)
		}
	}
}

// TestBaselineOfADocument makes sure that a document gives what its analysis would.
func TestBaselineOfADocument(t *testing.T) {
	var text bytes.Buffer
	if err := reports.WriteJSON(&text, documents()["report_weekly"]); err != nil {
		t.Fatal(err)
	}
	d, err := reports.ReadJSON(&text)
	if err != nil {
		t.Fatal(err)
	}
	b, err := reports.BeforeOf(d)
	if err != nil {
		t.Fatal(err)
	}
	if b.Name != d.Report.Week.Name || !b.Complete || b.Slow == nil || len(b.Bottlenecks) != len(d.Report.Bottlenecks) || len(b.Metrics) != 3 {
		t.Errorf("the baseline is %+v", b)
	}
	if s, err := reports.BeforeOf(documents()["summary"]); err != nil || s.Requests == 0 {
		t.Errorf("a summary gives %+v, %v", s, err)
	}
	for _, name := range []string{"explain", "inspect", "capacity", "compare"} {
		if _, err := reports.BeforeOf(documents()[name]); err == nil {
			t.Errorf("%s was taken for a baseline", name)
		}
	}
}

func TestAnyReportSatisfiesTheSchema(t *testing.T) {
	schema := compiled(t)
	rapid.Check(t, func(t *rapid.T) {
		set := served(rapid.SampledFrom([]int{0, 1, 2, 9, 40, 191}).Draw(t, "n"), 0, rapid.Int64Range(1, 4000).Draw(t, "wait"), 80)
		o := analyze.ReportOptions{Options: analyze.Options{Replicates: 20}}
		if rapid.Bool().Draw(t, "objectives") {
			o.Objectives = objectivesOf("p90(e2e)<2s")
		}
		d := reportRun("x/").Report(rapid.SampledFrom([]string{reports.Weekly, reports.PostMortem}).Draw(t, "kind"), partsOf(set, o))
		if err := validate(t, schema, encoded(t, d)); err != nil {
			t.Fatalf("%v", err)
		}
		for _, m := range d.Report.Distribution {
			var sum int64
			for _, n := range m.Counts {
				sum += n
			}
			if sum != m.N {
				t.Fatalf("the histogram of %s counts %d of %d", m.Metric, sum, m.N)
			}
		}
		if h := d.Report.Heat; h != nil {
			var sum int64
			for i, list := range h.Counts {
				var column int64
				for _, n := range list {
					column += n
				}
				if column != h.N[i] {
					t.Fatalf("column %d counts %d of %d", i, column, h.N[i])
				}
				sum += column
			}
			if sum != d.Queue.Summary.Population.Used {
				t.Fatalf("the heat map counts %d of %d", sum, d.Queue.Summary.Population.Used)
			}
		}
		var share float64
		for _, b := range d.Report.Bottlenecks {
			share += b.Share
		}
		if share > 1+1e-9 || math.IsNaN(share) {
			t.Fatalf("bottlenecks have %v of the excess", share)
		}
	})
}
