package reports_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/reports"
)

// withObjectives adds a summary and a queue document that objectives were asked of, and
// conditions about them.
func withObjectives(out map[string]reports.Document) {
	set := incident(800, never)
	quality(set)
	opt := analyze.Options{Replicates: 100}
	for _, text := range []string{"p95(e2e) < 2s", "p90(ttft) < 1h and 90%(e2e < 9s and ttft < 800ms)", "p99(itl) < 50ms"} {
		opt.Objectives = append(opt.Objectives, parsed(text))
	}
	var conditions []filter.Condition
	for _, text := range []string{"rate(slo:e2e) < 99%", "rate(slo:2) < 50%", "goodput(slo) < 0.5", "p99(itl) > 50ms"} {
		c, err := filter.ParseCondition(text, analyze.ConditionWords())
		if err != nil {
			panic(err)
		}
		conditions = append(conditions, c)
	}
	r := run("summary", "incident/")
	r.Quality = analyze.Issues(set)
	s := analyze.Summarize(set, opt)
	d := r.Summary(s)
	d.Conditions = reports.Conditions(analyze.Judge(set, &s, conditions, opt))
	out["summary_slo"] = d
	r = run("queue", "incident/")
	r.Quality = analyze.Issues(set)
	out["queue_slo"] = r.Queue(analyze.QueueOf(set, opt, nil))
}

// TestObjectivesOfASummary: what met them is there, without a rate that was carried, and what
// follows tells that rate.
func TestObjectivesOfASummary(t *testing.T) {
	for _, name := range []string{"summary_slo", "queue_slo"} {
		d := documents()[name]
		s := d.Summary
		if d.Queue != nil {
			s = &d.Queue.Summary
		}
		if len(s.Objectives) != 3 {
			t.Fatalf("%s has %d objectives", name, len(s.Objectives))
		}
		for i, want := range []string{"p95(e2e) < 2s", "p90(ttft) < 1h and 90%(e2e < 9s and ttft < 800ms)", "p99(itl) < 50ms"} {
			if o := s.Objectives[i]; o.Objective != want || o.Limiting != "" || o.Carried.Kind != "" || o.Terms[0].Carried.Kind != "" {
				t.Errorf("%s: %+v", name, o)
			}
		}
		if text := encoded(t, d); bytes.Contains(text, []byte(`"carried"`)) || bytes.Contains(text, []byte(`"limiting_mix"`)) {
			t.Errorf("%s tells of a rate that was not asked for", name)
		}
		if want := "tailpath capacity incident/ --slo 'p95(e2e) < 2s' --slo 'p90(ttft) < 1h and 90%(e2e < 9s and ttft < 800ms)' --slo 'p99(itl) < 50ms'"; d.Next != want {
			t.Errorf("%s is followed by %s", name, d.Next)
		}
	}
	if d := documents()["summary"]; d.Summary.Objectives != nil || documents()["queue"].Queue.WithoutQueue != nil || bytes.Contains(encoded(t, d), []byte(`"objectives"`)) {
		t.Error("without --slo there are no objectives")
	}
	list := documents()["queue_slo"].Queue.WithoutQueue
	if len(list) != 3 || list[0].Share == nil || list[1].Share == nil || list[2].Share != nil {
		t.Fatalf("%+v", list)
	}
	if w := list[0]; w.Objective != "p95(e2e) < 2s" || !strings.HasPrefix(w.Words, "of "+reports.Integer(w.Share.N)+" answered request") || !strings.HasSuffix(w.Words, ": arithmetic, no forecast") {
		t.Errorf("%+v", w)
	}
}

// TestMissed says which terms were missed, and by how much.
func TestMissed(t *testing.T) {
	term := func(text, outcome, of string, value float64) reports.ObjectiveTerm {
		return reports.ObjectiveTerm{Term: text, Outcome: outcome, Of: of, Target: .99, Attainment: &reports.Figure{Value: value, N: 5500}}
	}
	kept, missed, unclear := term("p99(ttft) < 1s", "pass", "requests", 1), term("p99(e2e) < 2s", "fail", "requests", .9103), term("p99(tpot) < 9ms", "inconclusive", "requests", .99)
	gaps := term("p99(itl) < 50ms", "fail", "gaps", .98999999)
	for _, c := range []struct {
		terms []reports.ObjectiveTerm
		want  string
	}{
		{nil, ""}, {[]reports.ObjectiveTerm{kept, unclear}, ""},
		{[]reports.ObjectiveTerm{kept, missed, unclear}, "misses p99(e2e) < 2s: 91.03 % of 5,500 met it"},
		{[]reports.ObjectiveTerm{missed, gaps}, "misses p99(e2e) < 2s: 91.03 % of 5,500 met it; p99(itl) < 50ms: 98.99 % of 5,500 gaps met it"},
		{[]reports.ObjectiveTerm{{Term: "p99(e2e) < 2s", Outcome: "fail"}}, ""},
	} {
		if got := (reports.Objective{Terms: c.terms}).Missed(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestConditionsAboutRates are written in requests a second.
func TestConditionsAboutRates(t *testing.T) {
	low, found := 11.3, 0.2
	c := reports.Condition{Unit: analyze.UnitRate, Low: &low}
	if c.Interval() != "at least 11.3/s" || c.Found() != "-" {
		t.Errorf("%q, %q", c.Interval(), c.Found())
	}
	if c.Observed = &found; c.Found() != "0.200/s" {
		t.Errorf("%q", c.Found())
	}
	for unit, want := range map[string]string{analyze.UnitRate: "a capacity is bounded by a rate", analyze.UnitNS: "percentile of gaps hold together"} {
		list := []reports.Condition{{Unit: unit, Method: analyze.MethodBlocks, Low: &low}}
		if got := reports.BoundWords(list); !strings.Contains(got, want) || strings.Count(got, ";") != 1 {
			t.Errorf("%s: %q", unit, got)
		}
	}
	weighted := []reports.Condition{{Unit: analyze.UnitShare, Method: "weighted-" + analyze.MethodBinom, Low: &low}}
	if got := reports.BoundWords(weighted); !strings.Contains(got, "percentile or a rate") {
		t.Errorf("%q", got)
	}
}

// TestWithoutQueueSaysHowFarItGoes: what ran beside a queue is counted, or is not known; and a
// share of kept traces, or by weights, is called that.
func TestWithoutQueueSaysHowFarItGoes(t *testing.T) {
	q := analyze.Queue{Summary: analyze.Summary{Objectives: []analyze.Objective{{Objective: parsed("p99(e2e) < 2s")}}}}
	for _, c := range []struct {
		bounded bool
		method  string
		note    string
		want    string
	}{
		{true, "clopper-pearson", "", "75.0 % (95 % each: 50.0–90.0) would have kept all of them without their time in the queue, if nothing else had changed; what ran beside the queue is counted against it: arithmetic, no forecast"},
		{false, "weighted-clopper-pearson", "", "75.0 %, by sampling weights (95 % each: 50.0–90.0) would have kept all of them without their time in the queue, if nothing else had changed; what ran beside the queue is not known, so it may be fewer: arithmetic, no forecast"},
		{true, "clopper-pearson", "among kept traces", "75.0 % (95 % each: 50.0–90.0) would have kept all of them without their time in the queue, if nothing else had changed; what ran beside the queue is counted against it; among kept traces: arithmetic, no forecast"},
	} {
		met := stat.Estimate{Value: .75, N: 8, HasBounds: true, Bounds: stat.Bounds{Low: .5, High: .9}, Method: c.method}
		if c.note != "" {
			met.Warnings = []stat.Warning{{ID: analyze.KeptTraces, Text: c.note}}
		}
		q.WithoutQueue = []analyze.WithoutQueue{{Met: met, Bounded: c.bounded}}
		list := run("queue", "a").Queue(q).Queue.WithoutQueue
		if want := "of 8 answered requests that missed a limit, " + c.want; len(list) != 1 || list[0].Words != want {
			t.Errorf("%+v, want %q", list, want)
		}
	}
}
