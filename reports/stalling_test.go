package reports_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical/engine"
	"github.com/tailpath/tailpath/ingest/table"
	"github.com/tailpath/tailpath/reports"
)

// stalled makes a summary of some requests, whose stalls have one verdict.
func stalled(set *table.Set, kind analyze.Kind, cause engine.StallCause) analyze.Summary {
	s := analyze.Summarize(set, analyze.Options{})
	g := &s.Stalling
	g.Requests, g.Gaps, g.Stalls, g.Hit, g.Groups = 40, 4000, 50, 30, 12
	g.Undefined = []analyze.Undefined{{Reason: "no instants of tokens recorded", N: s.Population.N - g.Requests}}
	if s.Population.N < g.Requests {
		g.Undefined = nil
	}
	for i, ns := range []int64{22e6, 60e6, 180e6} {
		q := &g.Quantiles[i]
		q.N, q.Known, q.Value, q.HasLow, q.Low, q.HasHigh, q.High, q.Coverage = g.Gaps, true, ns, true, ns-2e6, true, ns+5e6, .95
		q.Warnings = nil
	}
	g.DecodeNS, g.ExcessNS = stat.SumOf(100e9), stat.SumOf(10e9)
	runnerUp := (cause + 1) % engine.StallUntold
	for c := range g.Parts {
		ns := int64(1e9)
		if engine.StallCause(c) == cause {
			ns = 6e9
		}
		g.Parts[c].NS, g.Parts[c].Stalls = stat.SumOf(ns), 10
		g.Parts[c].Share = stat.Estimate{Value: float64(ns) / 10e9, N: 50, Method: "groups-resampled", HasBounds: true, Bounds: stat.Bounds{Low: .05, High: .7}}
	}
	g.Engines = []analyze.EngineStalling{{
		Name: "vllm@a", Streams: 40, Gaps: 4000, Association: engine.Association{Stalls: 50, StallsOverlapped: 50, Calm: 3950}, Chance: .002, Adjusted: .002,
		OverlappedNS: 2e8, ClearNS: 2e7, Fisher: stat.Test{P: 1e-9}, ExcessNS: g.ExcessNS, PrefillNS: g.Parts[0].NS,
		Dose: stat.Estimate{Value: 25e6, N: 60, HasBounds: true, Bounds: stat.Bounds{Low: 20e6, High: 30e6}},
	}}
	g.Verdict = analyze.StallVerdict{
		Kind: kind, Rule: analyze.DefaultStallRule(), Reason: "as many stalls would meet a prefill by chance", Cause: cause, RunnerUp: runnerUp, Share: .6, RunnerUpShare: .1,
		HasShares: true, Untold: .1, OfDecode: .1, Interval: g.Parts[cause].Share, Predicts: true,
	}
	return s
}

// TestStallSentences: every verdict on token gaps has a sentence of its own that names cause
// and n, and a document that the schema takes.
func TestStallSentences(t *testing.T) {
	schema := compiled(t)
	seen := map[string]bool{}
	kinds := []analyze.Kind{analyze.KindTooFew, analyze.KindNone, analyze.KindUnattributed, analyze.KindMixed, analyze.KindUnclear, analyze.KindLeads, analyze.KindDominates}
	for _, kind := range kinds {
		for cause := range engine.StallUntold {
			d := reports.Run{}.Summary(stalled(table.NewSet(), kind, cause))
			g := d.Summary.Stalling
			if err := validate(t, schema, encoded(t, d)); err != nil {
				t.Errorf("%s: %v", kind, err)
			}
			var sum int64
			for _, p := range g.Parts {
				sum += p.NS
			}
			if sum != g.ExcessNS || g.Verdict.Cause != cause.String() {
				t.Errorf("%+v", g)
			}
			text := g.Verdict.Sentence
			if strings.Contains(text, "?") || strings.Contains(text, "  ") || strings.HasPrefix(text, " ") {
				t.Errorf("%s of %s: %q", kind, cause, text)
			}
			names := kind == analyze.KindMixed || kind == analyze.KindUnclear || kind == analyze.KindLeads || kind == analyze.KindDominates
			if key := fmt.Sprint(names && strings.Contains(text, "60.0 %"), text); seen[key] && names {
				t.Errorf("%s of %s is told like another: %q", kind, cause, text)
			} else {
				seen[key] = true
			}
			if names && !(strings.Contains(text, "60.0 %") && strings.Contains(text, "n = 50 stalls of 30 requests")) {
				t.Errorf("%s of %s: %q", kind, cause, text)
			}
		}
	}
	if e := (reports.Run{}).Summary(stalled(table.NewSet(), analyze.KindLeads, engine.StallPrefill)).Summary.Stalling.Engines[0]; e.Lift != nil || *e.OverlappedNS != 2e8 || e.Dose == nil {
		t.Errorf("a lift that is infinite, and others: %+v", e)
	}
}
