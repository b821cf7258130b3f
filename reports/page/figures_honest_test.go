package page

import (
	"slices"
	"strings"
	"testing"

	"github.com/tailpath/tailpath/reports"
	"github.com/tailpath/tailpath/reports/chart"
)

// In Zipkin's format the two sides of a call share an id: what one side has rows of stages for says
// nothing about the other, and a segment is drawn in the row that marks it.
func TestSpansThatShareAnIDAreDrawnForThemselves(t *testing.T) {
	mark := func(from, to int64) []reports.Mark {
		return []reports.Mark{{StartNS: from, EndNS: to, Sign: "path"}}
	}
	ends := append(mark(0, 10), mark(90, 100)...)
	c := waterfallChart(reports.Request{
		DurationNS: 100, EndNS: 100,
		Rows: []reports.Row{
			{Label: "client", SpanID: "aa", EndNS: 100, OnPathNS: 20, Marks: ends},
			{Label: "network/hop", SpanID: "aa", Depth: 1, OfStage: true, EndNS: 100, OnPathNS: 20, Marks: ends},
			{Label: "server", SpanID: "aa", Depth: 1, StartNS: 10, EndNS: 90, OnPathNS: 80, Marks: mark(10, 90)},
		},
		Path: []reports.Segment{
			{SpanID: "aa", EndNS: 10, Stage: "network"},
			{SpanID: "aa", StartNS: 10, EndNS: 90, Stage: "application"},
			{SpanID: "aa", StartNS: 90, EndNS: 100, Stage: "network"},
		},
	})
	spans := c.figure.Drawing.(chart.Waterfall).Spans
	want := [][]chart.Piece{nil, {{From: 0, To: 10, Stage: "network"}, {From: 90, To: 100, Stage: "network"}}, {{From: 10, To: 90, Stage: "application"}}}
	for i, s := range spans {
		if !slices.Equal(s.OnPath, want[i]) {
			t.Errorf("%s has %v, want %v", s.Label, s.OnPath, want[i])
		}
	}
}

// A chart has the shares that the table below it has.
func TestChartsHaveTheSharesOfTheirTable(t *testing.T) {
	mix := reports.Mix{N: 40, MeanNS: 3000}
	for i, stage := range []string{"queue", "gpu", "network"} {
		mix.Stages = append(mix.Stages, reports.StageShare{Stage: stage, MeanNS: 1000 + int64(i), Share: 1.0 / 3})
	}
	c := stackOf(reports.Latency{Percentiles: reports.Percentiles{N: 40}, All: mix})
	var drawn []string
	for _, p := range c.figure.Drawing.(chart.Stack).Bars[0].Parts {
		drawn = append(drawn, reports.Percent(p.Share))
	}
	for i, want := range drawn {
		if got := c.tables[0].Rows[i][2]; got != want {
			t.Errorf("the table says %s where the chart says %s", got, want)
		}
	}
	if !slices.Contains(drawn, "33.4") || !slices.Contains(drawn, "33.3") {
		t.Errorf("shares of a third are drawn as %v: they add up to 100.0 as 33.4, 33.3 and 33.3", drawn)
	}
}

// Of many stretches those without anything are not among the highest.
func TestTheHighestStretchesHaveSomething(t *testing.T) {
	o := overTime{n: 40}
	list := make([]*float64, o.n)
	for i := range list {
		list[i] = to(0.0)
	}
	list[3], list[7], list[9] = to(2.0), nil, to(0.0004)
	for _, x := range []struct {
		more  float64
		shown []int
		words string
	}{
		{0, []int{3, 9}, "the 2 of 40 stretches of which waiting is known and not nothing"},
		{leastDepth, []int{3}, "the one of 40 stretches of which waiting is known and not nothing"},
		{5, []int{0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12}, "the 12 of 40 stretches with the highest waiting"},
	} {
		shown := mostOf(o, list, x.more)
		if !slices.Equal(shown, x.shown) {
			t.Errorf("above %v: %v, want %v", x.more, shown, x.shown)
		}
		if words := o.shownWords(shown, "waiting"); len(words) != 1 || !strings.HasPrefix(words[0], x.words) {
			t.Errorf("above %v: %q, want %q", x.more, words, x.words)
		}
	}
	few := overTime{n: stretchRows}
	if shown := mostOf(few, list, 0); len(shown) != few.n || few.shownWords(shown, "waiting") != nil {
		t.Errorf("of few stretches %v are shown", shown)
	}
}

// Nothing changed most where nothing changed.
func TestNoChangeIsSaid(t *testing.T) {
	m := &reports.Moved{Q: "p99", OldNS: 5000, NewNS: 5000, OldN: 20, NewN: 20, Stages: []reports.MovedStage{{Stage: "queue", OldNS: 5000, NewNS: 5000}}}
	f := changeOf(&reports.Report{}, m, reports.CommonUnit(5000))
	if want := "(n = 20 and 20): no stage changed"; !strings.HasSuffix(f.Answer, want) {
		t.Errorf("%q ends not in %q", f.Answer, want)
	}
}

// No figure has two definitions that nothing tells apart.
func TestDefinitionsAreToldApart(t *testing.T) {
	for name, d := range fixed(t) {
		if d.Report == nil {
			continue
		}
		met := map[string]bool{}
		for _, x := range definitionsOf(d) {
			if key := x.Metric + " " + x.ID; met[key] {
				t.Errorf("%s: %s is defined twice", name, key)
			} else {
				met[key] = true
			}
		}
		for _, part := range []string{"gain (bottlenecks)", "gain (stages)"} {
			if len(d.Report.Definitions) > 0 && reportSummary(d) != nil && !slices.ContainsFunc(definitionsOf(d), func(x reports.Definition) bool { return x.Metric == part }) {
				t.Errorf("%s: no definition is of %s", name, part)
			}
		}
	}
}

// Traces of a bottleneck are ranked by their excess in it, and say so: the worst may have taken
// less time than the others.
func TestTracesSayWhatTheyAreRankedBy(t *testing.T) {
	b := newBuilder(Options{})
	b.tracesOf(reports.Bottleneck{Exemplars: []reports.RequestRef{{TraceID: "a", NS: 1e9}, {TraceID: "b", NS: 3e9}, {TraceID: "b", NS: 3e9}}})
	for _, want := range []string{"a, 1.00 s (typical by excess)", "b, 3.00 s (p99, worst by excess)"} {
		if text := textOf(b); !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// What is not known of the context is named once, and what is known has no "unknown" in it.
func TestTheContextSaysWhatIsKnownFirst(t *testing.T) {
	b := newBuilder(Options{})
	b.contextLines(reports.Context{Engine: to("vLLM"), Replicas: to(int64(2)), N: to(int64(7))})
	text := textOf(b)
	for _, want := range []string{"n = 7 with failed requests", "engine vLLM; replicas 2", "seen from, window, sampling, load, model, engine version, GPU type, number of GPUs, prompt tokens, output tokens, cache hits, in flight, waiting for a place"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if n := strings.Count(text, unknown); n != 1 {
		t.Errorf("%q is written %d times in\n%s", unknown, n, text)
	}
}

// Without a percentile that is known there are no rows of them.
func TestTooFewRequestsHaveNoRowsOfPercentiles(t *testing.T) {
	few := reports.Percentiles{Metric: "duration", N: 3, Slowest: &reports.RequestRef{TraceID: "a", NS: 2e9}, Percentiles: []reports.Percentile{
		{P: "p50", N: 3, Need: 5, Warnings: []reports.Warning{{ID: tooFew, Text: "too few"}}},
	}}
	b := newBuilder(Options{})
	b.percentiles(&reports.Summary{Duration: reports.Latency{Percentiles: few}})
	text := textOf(b)
	if strings.Contains(text, absent+" ") || !strings.Contains(text, "how long requests took [1]") || !strings.Contains(text, "p50 needs 5") || !strings.Contains(text, "2.00") {
		t.Errorf("rows of nothing, or no reason:\n%s", text)
	}
}

// The sections of one request of several are parts of it.
func TestSectionsOfARequestAreItsParts(t *testing.T) {
	for name, d := range fixed(t) {
		if d.Kind != reports.KindExplain {
			continue
		}
		own := map[string]bool{}
		for _, s := range Of(d, Options{}).Sections {
			if s.Part != (len(d.Requests) > 1 && (s.Title == "critical path" || strings.HasPrefix(s.Title, "against the stage medians"))) {
				t.Errorf("%s: %q is a part: %v", name, s.Title, s.Part)
			}
			if !s.Part && s.Title != "" && own[s.Title] {
				t.Errorf("%s: two sections are called %q", name, s.Title)
			}
			own[s.Title] = true
		}
	}
}
