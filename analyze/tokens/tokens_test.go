package tokens

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFirstChunkWithoutText has a chunk with a role come after the first part of a prompt,
// and the text after the whole of it.
func TestFirstChunkWithoutText(t *testing.T) {
	s := NewStream(100*ms, 2500*ms, []Chunk{
		{AtNS: 1000 * ms}, {AtNS: 2300 * ms, Tokens: 1, Reasoning: true}, {AtNS: 2320 * ms, Tokens: 1}, {AtNS: 2340 * ms, Tokens: 1},
		{AtNS: 2360 * ms, Tokens: 1}, {AtNS: 2380 * ms, Tokens: 1}, {AtNS: 2400 * ms},
	})
	want := Times{FirstChunkNS: 900 * ms, FirstTokenNS: 2200 * ms, FirstAnswerNS: 2220 * ms, LastTokenNS: 2280 * ms, EndNS: 2400 * ms, Tokens: 5}
	if d := cmp.Diff(want, s.Times()); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]int64{20, 20, 20, 20}, gapsMS(s)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]int64{1300 * ms, 20 * ms, 20 * ms, 20 * ms, 20 * ms, 20 * ms}, s.AnyChunkGaps()); d != "" {
		t.Error(d)
	}
	if !s.FirstSuspect() || ones(600, 625, 652, 676, 700, 725).FirstSuspect() || ones(600, 900, 910).FirstSuspect() {
		t.Error("a first gap of 1300 ms beside 20 ms is suspect, and no even one, and nothing of two gaps")
	}
	for id, ns := range map[string]int64{
		"ttft": 2200 * ms, "ttft_any_chunk": 900 * ms, "ttat": 2220 * ms, "e2e": 2400 * ms, "e2e_last_token": 2280 * ms,
		"tpot": 20 * ms, "tpot_bench": 345 * ms, "tpot_to_end": 50 * ms, "tpot_guidellm": 16 * ms, "tpot_llmperf": 456 * ms, "norm_latency": 480 * ms,
	} {
		d, _ := Define(id)
		if v := d.Of(s.Times()); !v.Defined() || v.V != float64(ns) {
			t.Errorf("%s: %+v, want %d ns", id, v, ns)
		}
	}
}

// TestUndefinedStaysUndefined says why each measure of a poor request has no value.
func TestUndefinedStaysUndefined(t *testing.T) {
	none := Times{Absent, Absent, Absent, Absent, Absent, Absent}
	one := NewStream(0, Absent, []Chunk{{AtNS: 5, Tokens: 1}}).Times()
	empty := NewStream(0, 9, []Chunk{{AtNS: 5}}).Times()
	at := NewStream(0, Absent, []Chunk{{AtNS: 0, Tokens: 2}}).Times()
	back := Times{FirstChunkNS: 9, FirstTokenNS: 9, FirstAnswerNS: 9, LastTokenNS: 5, EndNS: 5, Tokens: 3}
	for _, c := range []struct {
		name  string
		times Times
		want  map[string]string
	}{
		{"nothing known", none, map[string]string{
			"ttft": NoFirst, "ttft_any_chunk": NoChunk, "ttat": NoAnswer, "tpot": NoTokens, "tpot_zero": NoTokens, "tpot_bench": NoTokens, "tpot_to_end": NoTokens, "itl_request_mean": NoTokens,
			"tpot_guidellm": NoTokens, "tpot_llmperf": NoTokens, "norm_latency": NoTokens, "e2e": NoEnd, "e2e_last_token": NoLast, "generation_rate": NoTokens, "output_rate": NoTokens}},
		{"one token", one, map[string]string{"tpot": OneToken, "tpot_bench": OneToken, "tpot_to_end": OneToken, "itl_request_mean": OneToken, "generation_rate": OneToken}},
		{"no token", empty, map[string]string{
			"ttft": NoFirst, "ttat": NoAnswer, "tpot": OneToken, "tpot_bench": OneToken, "tpot_to_end": OneToken, "itl_request_mean": OneToken, "generation_rate": OneToken,
			"tpot_guidellm": ZeroToken, "tpot_llmperf": ZeroToken, "norm_latency": ZeroToken, "e2e_last_token": NoLast, "output_rate": ZeroToken}},
		{"all at once", at, map[string]string{"generation_rate": NoTime, "output_rate": NoTime}},
		{"backwards", back, map[string]string{
			"tpot": Backwards, "tpot_zero": Backwards, "tpot_bench": Backwards, "tpot_to_end": Backwards, "itl_request_mean": Backwards, "tpot_guidellm": Backwards, "generation_rate": Backwards}},
	} {
		got := map[string]string{}
		for _, d := range Definitions() {
			if v := d.Of(c.times); !v.Defined() {
				got[d.ID] = v.Undefined
			}
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
	}
	if v := one.TPOTZero(); !v.Defined() || v.V != 0 {
		t.Errorf("tpot_zero of one token: %+v", v)
	}
	known := none
	known.Tokens = 3
	if a, b := known.TPOT(), known.TPOTLLMPerf(); a.Undefined != NoFirst || b.Undefined != NoLast {
		t.Errorf("tokens alone: %+v, %+v", a, b)
	}
	known.FirstTokenNS = 5
	if v := known.TPOT(); v.Undefined != NoLast {
		t.Errorf("no last token: %+v", v)
	}
}

// TestChunksThatCannotBe are counted and change nothing else.
func TestChunksThatCannotBe(t *testing.T) {
	s := NewStream(50, 40, []Chunk{
		{AtNS: 49, Tokens: 1}, {AtNS: 60, Tokens: -1}, {AtNS: Absent, Tokens: 1}, {AtNS: 70, Tokens: 2}, {AtNS: 80, Tokens: math.MaxInt64},
	})
	want := Times{FirstChunkNS: 20, FirstTokenNS: 20, FirstAnswerNS: 20, LastTokenNS: 20, EndNS: Absent, Tokens: 2}
	if d := cmp.Diff(want, s.Times()); d != "" || s.Refused != 4 {
		t.Errorf("%d refused\n%s", s.Refused, d)
	}
	if d := cmp.Diff([]Run{{0, 1}}, s.Runs()); d != "" {
		t.Error(d)
	}
	if s := NewStream(math.MinInt64+1, Absent, []Chunk{{AtNS: math.MaxInt64, Tokens: 1}}); s.Refused != 1 {
		t.Error("a time of more than an int64 was taken")
	}
	if s := NewStream(Absent, 5, []Chunk{{AtNS: 5, Tokens: 1}}); s.Refused != 1 || s.Times().EndNS != Absent {
		t.Error("a request that starts at no known time has times")
	}
	// A chunk of the most tokens there can be costs no more than any other.
	huge := NewStream(0, Absent, []Chunk{{AtNS: 5, Tokens: 1}, {AtNS: 105, Tokens: math.MaxInt64 - 1}})
	var p Pool
	p.Add(huge)
	if d := cmp.Diff([]Run{{0, math.MaxInt64 - 101}, {1, 100}}, huge.Runs()); d != "" || p.SumNS().Int().Int64() != 100 {
		t.Errorf("%v ns, %s", p.SumNS().Int(), d)
	}
	if f := huge.OnSchedule(Schedule{1, 1}); f.Tokens != math.MaxInt64 || f.LatestNS != 103 || f.OnTime != math.MaxInt64-104 {
		t.Errorf("%+v", f)
	}
}

// TestDefinitionsAreOnePerMetric holds that every id is there once and that each metric
// has one own reading, first of its kind.
func TestDefinitionsAreOnePerMetric(t *testing.T) {
	ids, own := map[string]bool{}, map[string]string{}
	for _, d := range Definitions() {
		if ids[d.ID] || d.Text == "" || d.Of == nil || (d.Unit != "ns" && d.Unit != "tokens/s") {
			t.Errorf("%+v", d)
		}
		ids[d.ID] = true
		if _, seen := own[d.Metric]; seen == d.Own {
			t.Errorf("%s: own reading of %s is %q", d.ID, d.Metric, own[d.Metric])
		}
		if d.Own {
			own[d.Metric] = d.ID
		}
	}
	if _, ok := Define("itl"); ok {
		t.Error("ITL is no measure of a request")
	}
}

// TestJudgeWithoutValues takes what was not measured for missing.
func TestJudgeWithoutValues(t *testing.T) {
	g := Judge([]Term{{Metric: "ttft", LimitNS: 1}}, []Served{{}, {Failed: true}}, 0, RuleVLLM)
	if d := cmp.Diff([]Undefined{{"ttft: not measured", 1}}, g.Ineligible); d != "" || g.Failed != 1 || g.PerSecond != 0 || g.Bounds.High != 1 {
		t.Errorf("%+v", g)
	}
	if _, ok := (Fluidity{}).Share(); ok {
		t.Error("no tokens have a share")
	}
	if share, ok := (Fluidity{Tokens: 4, OnTime: 3}).Share(); !ok || share != .75 {
		t.Errorf("3 of 4 is %v", share)
	}
}
