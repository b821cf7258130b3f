package page

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/reports"
)

// TestMissingIntervalsAreExplained leaves intervals out for two reasons: each is one footnote
// under the first table that needs it, later tables refer to it, and a figure that is not
// proven to differ keeps its mark.
func TestMissingIntervalsAreExplained(t *testing.T) {
	low, high, ns := 0.9, 1.1, int64(1_000_000_000)
	ratio := func(id string) *reports.Figure {
		if id == "" {
			return &reports.Figure{Value: 1, Low: &low, High: &high}
		}
		return &reports.Figure{Value: 1, NoInterval: id}
	}
	row := func(p, outcome, id string) reports.PercentileChange {
		return reports.PercentileChange{P: p, BaseNS: &ns, NewNS: &ns, Ratio: ratio(id), Outcome: outcome, Need: 1000}
	}
	split := reports.ChangeSplit{Total: reports.PartChange{Part: "total", NoInterval: "lasting"}, Parts: []reports.PartChange{{Part: "queue", NoInterval: "lasting"}}}
	c := &reports.Compare{
		Base: reports.ComparedSide{Population: reports.Population{Requests: 99, Used: 99}}, New: reports.ComparedSide{Population: reports.Population{Requests: 99, Used: 99}},
		Metrics: []reports.MetricChange{{
			Metric: "duration", BaseN: 99, NewN: 99, Mean: &split,
			Percentiles: []reports.PercentileChange{row("p50", "same", ""), row("p90", "same", "too-wide"), row("p95", "same", "lasting"), row("p99", "too_few", "too-few")},
			Bands:       []reports.ChangeBand{{Band: "p0-50", BaseN: 49, NewN: 49, Ample: true, ChangeSplit: split}},
		}},
		Rates:       []reports.RateChange{{Name: "errors", BaseCount: 1, BaseOf: 99, NewCount: 2, NewOf: 99, Difference: *ratio("lasting"), Outcome: "same"}},
		Blocks:      reports.ChangeBlocks{Kind: "days", BaseN: 7, NewN: 7, Paired: true},
		NoIntervals: []reports.Warning{{ID: "too-wide", Text: "as wide as the sea"}, {ID: "lasting", Text: "as long as the year"}, {ID: "too-few", Text: "as few as none"}},
	}
	p := newBuilder(Options{})
	p.compare(c)
	got := textOf(p)
	for _, want := range []string{
		"\np50         1.00  1.00  x1.00  0.900–1.10  ~\n",
		"\np90         1.00  1.00  x1.00           -  ~ [3]\n",
		"\np95         1.00  1.00  x1.00           -  ~ [4]\n",
		"\np99         1.00  1.00  x1.00           -  too few [2]\n",
		"\n  [3] no interval: as wide as the sea\n  [4] no interval: as long as the year\n\nwhat requests ask for",
		"mean  95 % [4]\nqueue     0         -\n",
		"difference  95 % [4]\n",
		"  ~ [4]\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("missing is %q in\n%s", want, got)
		}
	}
	for _, w := range c.NoIntervals[:2] {
		if n := strings.Count(got, w.Text); n != 1 {
			t.Errorf("%q is written %d times:\n%s", w.Text, n, got)
		}
	}
	if strings.Contains(got, c.NoIntervals[2].Text) {
		t.Errorf("that requests are too few is told twice:\n%s", got)
	}
}

// TestNoReasonIsWrittenTwice draws pairs of sets: whatever leaves intervals out is said once,
// and no reason is said that the document does not give.
func TestNoReasonIsWrittenTwice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := comparedSets(t)
		got := render(t, d, Options{Verbose: true})
		known := 0
		for _, w := range d.Compare.NoIntervals {
			n := strings.Count(got, "no interval: "+w.Text+"\n")
			if known += n; n > 1 { // 0 for what only figures have that are not shown

				t.Fatalf("%q is written %d times:\n%s", w.Text, n, got)
			}
		}
		if all := strings.Count(got, "no interval: "); all != known {
			t.Fatalf("%d of %d reasons are known:\n%s", known, all, got)
		}
	})
}
