package analyze

import (
	"slices"
	"testing"

	"github.com/tailpath/tailpath/analyze/serving"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// TestContextOfSystem: what every request tells is told, and what one lacks is unknown.
func TestContextOfSystem(t *testing.T) {
	path := legs(0, stage.GPU, "prefill", 10, stage.GPU, "decode", 90)
	p := plant{engines: 1, visitors: together(100, 2, 150*ms, path)}
	for i := range p.visitors {
		p.visitors[i].prompt, p.visitors[i].output, p.visitors[i].first, p.visitors[i].err = 40, 10, 10*ms, i == 7
	}
	set, engines := p.build()
	opt := Options{Engines: engines}.filled()
	for i := range set.Requests.Len() {
		set.Requests.Model[i] = set.Symbols.Intern("llama")
	}
	for i := range set.Spans.Len() {
		if set.Spans.ScopeRow[i] == 2 {
			set.Spans.CachedTokens[i] = 10
		}
	}
	x := systemOf(set, opt, CapacityOptions{}).Context
	if x.Model.Value != "llama" || x.Engine.Value != "vLLM" || x.CacheHit != serving.Is(.25) || x.FailureRate != serving.Is(1./200) || x.TPOT.P95 != serving.Is(10*ms) || x.TTFT.P95 != serving.Is(10*ms) {
		t.Errorf("%+v", x)
	}
	if x.GPUCount.Known || x.GPUType.Known || x.EngineVersion.Known || x.ITL.P95.Known || x.LoadMode.Known {
		t.Errorf("known without being told: %+v", x)
	}
	set.Requests.Model[3] = 0
	if x := systemOf(set, opt, CapacityOptions{}).Context; x.Model.Known {
		t.Errorf("one names no model: %v", x.Model)
	}
	set.Requests.Model[3], set.Spans.CachedTokens[len(set.Spans.CachedTokens)-1] = set.Symbols.Intern("qwen"), table.Missing
	set.Segments.Rule[0] = set.Symbols.Intern("sglang.prefill")
	if x := systemOf(set, opt, CapacityOptions{}).Context; x.Model.Known || x.CacheHit.Known || x.Engine.Known {
		t.Errorf("of several: %+v", x)
	}
}

// TestDefinitionOfGaps: gaps are between tokens where every request has an instant for each of
// them, but for a first one that is told apart; else between chunks.
func TestDefinitionOfGaps(t *testing.T) {
	for _, c := range []struct {
		name   string
		output func(i int) int64
		want   string
	}{
		{"one a token", func(int) int64 { return 8 }, "itl"},
		{"the first is told apart", func(int) int64 { return 9 }, "itl"},
		{"chunks", func(int) int64 { return 10 }, "icl"},
		{"chunks in one", func(i int) int64 { return 8 + int64(i/29)*20 }, "icl"},
		{"not told in one", func(i int) int64 { return 8 - int64(i/29)*8 }, "icl"},
	} {
		var visitors []visitor
		for i := range 30 {
			v := visitor{start: int64(i) * 1000 * ms, legs: legs(0, stage.GPU, "prefill", 100, stage.GPU, "decode", 900), output: c.output(i)}
			for at := range int64(8) {
				v.instants = append(v.instants, (110+100*at)*ms)
			}
			visitors = append(visitors, v)
		}
		x := systemIn(plant{engines: 1, visitors: visitors}, Options{}, CapacityOptions{}).Context
		other := map[string]string{"itl": "icl", "icl": "itl"}[c.want]
		if !x.ITL.P95.Known || !slices.Contains(x.Definitions, c.want) || slices.Contains(x.Definitions, other) {
			t.Errorf("%s: %v %v", c.name, x.ITL, x.Definitions)
		}
	}
}

// TestClosedLoadMode: a load generator that sends a request when another has ended is known
// by that; no other mode can be told.
func TestClosedLoadMode(t *testing.T) {
	starts, ends := clients(1, 400, 8, 1000*ms, ms)
	var requests []given
	for i := range starts {
		requests = append(requests, given{id: uint64(i), start: starts[i], times: times(stage.GPU, int(ends[i]-starts[i]))})
	}
	s := systemOf(tables(requests), Options{}.filled(), CapacityOptions{})
	if s.Context.LoadMode != serving.Is(serving.Closed) || !hasWarning(s.Serving.Warnings, ClosedLoop) {
		t.Errorf("%v %v", s.Context.LoadMode, s.Serving.Warnings)
	}
}

// TestCoarseStarts: how coarsely starts are stamped is the most of any request, or what a hundred of them
// show, and bursts finer than that cannot be told.
func TestCoarseStarts(t *testing.T) {
	set := tables(many(30, 0, given{times: times(stage.GPU, int(1200*ms))}))
	set.Requests.Resolution[7], set.Requests.Resolution[8] = 1000*ms, ms
	if got := captureOf(set, Options{}.filled()).stamped(); got != 1000*ms {
		t.Errorf("%d ns", got)
	}
	for n, want := range map[int]int64{99: 0, 100: 1000 * ms} {
		if got := captureOf(tables(many(n, 0, given{times: times(stage.GPU, int(1200*ms)+7)})), Options{}.filled()).stamped(); got != want {
			t.Errorf("%d starts on whole seconds: %d ns", n, got)
		}
	}
	// Whether requests come in bursts within a second, times in whole seconds do not show.
	set, engines := plant{engines: 1, visitors: together(20, 6, 2000*ms, legs(0, stage.Scheduling, "tokenize", 1, stage.GPU, "decode", 500))}.build()
	for coarse, want := range map[int64]serving.Kind{ms: serving.Answered, 1000 * ms: serving.CannotSay} {
		set.Requests.Resolution[7] = coarse
		v := systemOf(set, Options{Engines: engines}.filled(), CapacityOptions{}).Serving.Table.Verdict
		if v.Kind != want || v.Kind == serving.Answered && v.Signature != serving.Bursts {
			t.Errorf("starts in steps of %d ns: %+v", coarse, v)
		}
	}
}
