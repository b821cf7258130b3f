package reports_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/analyze/change"
	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/ingest/table"
	"github.com/tailpath/tailpath/reports"
	"github.com/tailpath/tailpath/reports/text"
)

// compareAs makes the document of a comparison with options.
func compareAs(base, new *table.Set, opt analyze.Options) reports.Document {
	opt.Replicates = 50
	return run("compare").Compare(analyze.Compare(base, new, opt, change.Rule{}), reports.Compared{Label: "before"}, reports.Compared{Label: "after"})
}

func drawn(t *testing.T, d reports.Document) string {
	t.Helper()
	var out bytes.Buffer
	if err := text.Write(&out, d, text.Options{}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestRefusedComparison: of sides that are unlike a document has both contexts and what requests
// ask for, and nothing of how long they took.
func TestRefusedComparison(t *testing.T) {
	base, new := served(300, 0, 60, 80), served(300, 7200, 60, 300, 150)
	opt := analyze.Options{GPUs: 4, Base: analyze.Platform{GPUs: 8}}
	d := compareAs(base, new, opt)
	if err := validate(t, compiled(t), encoded(t, d)); err != nil {
		t.Errorf("%v", err)
	}
	c := d.Compare
	if !strings.HasPrefix(d.Headline, "not compared: the GPU count is 8 in base and 4 in new; the median of ") || d.Headline != c.Verdict.Sentence || c.Verdict.Kind != reports.ChangeRefused || len(c.Refused) < 2 {
		t.Errorf("%q, %+v", d.Headline, c.Verdict)
	}
	if len(c.Metrics)+len(c.Rates)+len(c.Verdict.Shifted)+len(c.NoIntervals) > 0 || c.Verdict.Metric+c.Verdict.P != "" || len(c.Mix) == 0 {
		t.Errorf("%d metrics, %d rates, %+v", len(c.Metrics), len(c.Rates), c.Verdict)
	}
	if n := c.New.Context.GPUCount; n == nil || *n != 4 || *c.Base.Context.GPUCount != 8 || *c.Base.Context.N != 300 {
		t.Errorf("%+v", c.New.Context)
	}
	page := drawn(t, d)
	for _, want := range []string{"--force compares them all the same", "\nGPUs                      8 ", "\noutput_tokens p50 ", "\noutput tokens p50 ", "  unknown on both sides: "} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
	for _, not := range []string{"p99", "how long", "slower", "faster", "change counts"} {
		if strings.Contains(page, not) {
			t.Errorf("%q in\n%s", not, page)
		}
	}
	opt.Force = true
	forced := compareAs(base, new, opt)
	if err := validate(t, compiled(t), encoded(t, forced)); err != nil {
		t.Errorf("%v", err)
	}
	if len(forced.Compare.Refused) > 0 || len(forced.Compare.Metrics) != 3 || !strings.Contains(drawn(t, forced), "caveat: the GPU count is 8 in base and 4 in new (unlike-context)") {
		t.Errorf("forced: %q", forced.Headline)
	}
}

// TestContextOfUntold: what a side does not know refuses nothing and is told.
func TestContextOfUntold(t *testing.T) {
	base := served(200, 0, 60, 80)
	new := served(200, 7200, 60, 80)
	for i := range new.Requests.Len() {
		new.Requests.OutputTokens[i] = table.Missing
	}
	d := compareAs(base, new, analyze.Options{})
	page := drawn(t, d)
	if len(d.Compare.Refused) > 0 || !strings.Contains(page, "the median of output tokens of new is unknown, that of base is ") || !strings.Contains(page, "the GPU count of neither is known") {
		t.Errorf("%v\n%s", d.Compare.Refused, page)
	}
}

// TestContextBesideFigures: a summary tells in a few lines what its figures must be read with,
// and what of it is unknown.
func TestContextBesideFigures(t *testing.T) {
	s := analyze.Summarize(served(300, 0, 60, 80), analyze.Options{GPUs: 8})
	d := run("summary").Summary(s)
	if err := validate(t, compiled(t), encoded(t, d)); err != nil {
		t.Errorf("%v", err)
	}
	_, rest, found := strings.Cut(drawn(t, d), "\nread these figures with\n")
	block, _, _ := strings.Cut(rest, "\n\n")
	if lines := strings.Count(block, "\n") + 2; !found || lines > 7 || !strings.Contains(block, "number of GPUs 8") || !strings.Contains(block, "model ") || !strings.Contains(block, "unknown") {
		t.Errorf("%d lines:\n%s", lines, block)
	}
}

// TestRefusedDocumentJudgesNothing: no field of a refused comparison holds what an analysis came
// to, though objectives were asked and conditions judged.
func TestRefusedDocumentJudgesNothing(t *testing.T) {
	base, new := served(300, 0, 60, 80), served(300, 7200, 60, 300, 150)
	o, err := filter.ParseObjective("p99(e2e) < 100ms", analyze.ObjectiveMetrics())
	if err != nil {
		t.Fatal(err)
	}
	opt := analyze.Options{Objectives: []filter.Objective{o}}
	judged := map[string]bool{}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for key, value := range v {
				switch key {
				case "outcome", "rate_outcome", "ratio", "difference", "difference_ns", "equal_workload", "change_cause", "part", "objective", "longer":
					judged[key] = true
				}
				walk(value)
			}
		case []any:
			for _, value := range v {
				walk(value)
			}
		}
	}
	for _, force := range []bool{true, false} {
		clear(judged)
		opt.Force = force
		d := compareAs(base, new, opt)
		if err := validate(t, compiled(t), encoded(t, d)); err != nil {
			t.Errorf("%v", err)
		}
		var v any
		if err := json.Unmarshal(encoded(t, d), &v); err != nil {
			t.Fatal(err)
		}
		if walk(v); force != (len(judged) > 0) || force != judged["objective"] {
			t.Errorf("forced %v: %v", force, judged)
		}
		for _, w := range d.Compare.Warnings {
			if !force && strings.Contains(w.Text, "predict") {
				t.Errorf("a caveat about nothing: %s", w.Text)
			}
		}
	}
}

// TestMissedInWords: how many missed an objective stands in a table of its own, with how many were
// asked, and in the headline where it counts.
func TestMissedInWords(t *testing.T) {
	base, new := served(300, 0, 60, 80), served(300, 7200, 60, 80)
	for i := range new.Requests.Len() {
		if i%2 == 0 {
			new.Requests.Error[i] = true
		}
	}
	o, err := filter.ParseObjective("99%(e2e < 1h and tpot < 1h)", analyze.ObjectiveMetrics())
	if err != nil {
		t.Fatal(err)
	}
	d := compareAs(base, new, analyze.Options{Objectives: []filter.Objective{o}})
	if err := validate(t, compiled(t), encoded(t, d)); err != nil {
		t.Errorf("%v", err)
	}
	r := d.Compare.Rates[len(d.Compare.Rates)-1]
	if r.Name != "missed 99%(e2e < 1h and tpot < 1h)" || r.Objective != "99%(e2e < 1h and tpot < 1h)" || r.NewCount != 151 || r.BaseCount != 3 || r.BaseOf != 300 || r.Unasked == nil {
		t.Errorf("%+v", r)
	}
	page := drawn(t, d)
	for _, want := range []string{"; missed 99%(e2e < 1h and tpot < 1h) went from 1.0 to 50.3 %", "\nrequests that missed an objective, failed ones among them\n", "3 of 300  1.0  151 of 300  50.3"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
	if page = drawn(t, compareAs(base, new, analyze.Options{})); strings.Contains(page, "missed") {
		t.Errorf("nothing was asked:\n%s", page)
	}
}
