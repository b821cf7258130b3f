package page

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/reports"
)

// alternativesText writes figures by other definitions.
func alternativesText(o Options, list []reports.Alternative) string {
	p := newBuilder(o)
	p.alternatives(list)
	return textOf(p)
}

// drawAlternatives draws figures of any shape, with names from an attacker.
func drawAlternatives(t *rapid.T) []reports.Alternative {
	number := func(label string) *float64 {
		if rapid.Bool().Draw(t, label+"?") {
			v := rapid.Float64().Draw(t, label)
			return &v
		}
		return nil
	}
	var list []reports.Alternative
	for range rapid.IntRange(0, 6).Draw(t, "n") {
		a := reports.Alternative{
			Metric: rapid.SampledFrom([]string{"knee", "goodput"}).Draw(t, "metric"), ID: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "id"),
			Own: rapid.Bool().Draw(t, "own"), Text: "a formula", Tools: []string{drawName(t, "tool")}, Of: drawName(t, "of"), Name: drawName(t, "figure"),
			Unit: rapid.SampledFrom([]string{"", "ns", "requests/s"}).Draw(t, "unit"), Counts: drawName(t, "counts"), Unbounded: drawName(t, "unbounded"),
			AtLeast: rapid.Bool().Draw(t, "least"), Outcome: drawName(t, "outcome"), Words: drawName(t, "words"), Unknown: drawName(t, "unknown"),
			Apart: []reports.Count{{Name: drawName(t, "reason"), N: rapid.Int64().Draw(t, "apart")}}, Warnings: []reports.Warning{{ID: drawName(t, "warning"), Text: drawName(t, "text")}},
		}
		if v := number("value"); v != nil {
			a.Value = &reports.Figure{Value: *v, Low: number("low"), High: number("high"), N: rapid.Int64().Draw(t, "count")}
		}
		list = append(list, a)
	}
	return list
}

// TestAnyAlternatives: whatever is in them, every figure has a line, every definition its formula
// once, and nothing escapes to a terminal.
func TestAnyAlternatives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := drawAlternatives(t)
		o := Options{Brief: rapid.Bool().Draw(t, "brief"), Verbose: rapid.Bool().Draw(t, "verbose")}
		text := alternativesText(o, list)
		if (text == "") != (len(list) == 0) {
			t.Fatalf("%q of %d", text, len(list))
		}
		for _, line := range strings.Split(text, "\n") {
			if strings.ContainsAny(line, "\x1b\x00\r") {
				t.Fatalf("%q", line)
			}
		}
		ids := map[string]bool{}
		for _, a := range list {
			ids[a.ID] = true
		}
		if got := strings.Count(text, ": a formula"); got != len(ids) {
			t.Fatalf("%d formulas of %d definitions:\n%s", got, len(ids), text)
		}
	})
}

// TestAlternativeText: an own figure is marked, a lower bound is one, and a share is in per cent
// that never reaches what it does not.
func TestAlternativeText(t *testing.T) {
	low, high := .9611, .98029
	text := alternativesText(Options{}, []reports.Alternative{
		{Metric: "capacity", ID: "capacity", Own: true, Of: "p99(e2e) < 2s", Unit: "requests/s", Counts: "windows", AtLeast: true, Value: &reports.Figure{Value: 14, N: 60}, Text: "the rate", Unbounded: "the limit was not reached"},
		{Metric: "fluidity", ID: "fluidity", Own: true, Name: "on time", Of: "x", Counts: "tokens", Value: &reports.Figure{Value: .99999, N: 8120, Low: &low, High: &high}, Text: "tokens in time"},
		{Metric: "fluidity", ID: "fluidity", Own: true, Name: "latest", Of: "x", Unit: "ns", Counts: "tokens", Value: &reports.Figure{Value: 1.25e9, N: 8120}, Text: "tokens in time", Tools: []string{"A", "B"}},
		{Metric: "attainment", ID: "attainment_point", Of: "x", Counts: "requests", Outcome: "fail", Value: &reports.Figure{Value: .9, N: 10}, Text: "good / asked", Tools: []string{"A", "B"}},
		{Metric: "knee", ID: "kneedle", Of: "requests", Text: "a peak", Unknown: "not reached"},
		{Metric: "knee", ID: "kneedle", Of: "output tokens", Text: "a peak", Unknown: "no tokens"},
	})
	for _, want := range []string{
		"\ncapacity\n  capacity (own) ", " >= 14.0 ", " 60 windows", " 99.99 ", " 96.11–98.03 ", "fluidity, latest (own)", " 1.25 s ", " FAIL\n",
		"\n  attainment_point: good / asked [A, B]\n", "\n  - kneedle of requests: unknown: not reached\n", "\n  - kneedle of output tokens: unknown: no tokens\n",
	} {
		if !strings.Contains("\n"+text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if strings.Contains(text, "no interval") || strings.Count(text, "tokens in time") != 1 {
		t.Error(text)
	}
}
