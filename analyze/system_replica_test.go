package analyze

import (
	"testing"

	"github.com/tailpath/tailpath/analyze/serving"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// TestStints: what devices are compared by is the time for a token while decoding, if each of
// them tells that, or else for a token, or else for a request.
func TestStints(t *testing.T) {
	at := func(engine int, output int64, list ...any) visitor {
		return visitor{legs: legs(engine, list...), prompt: 40, output: output}
	}
	whole := func(output int64) visitor { return at(0, output, stage.GPU, "", 100) }
	apart := func(output int64) visitor { return at(1, output, stage.GPU, "prefill", 20, stage.GPU, "decode", 90) }
	failed, queued := apart(10), at(1, 10, stage.Queue, "engine", 50)
	failed.err = true
	// Engines are numbered as they come.
	for _, c := range []struct {
		name string
		list []visitor
		of   string
		want []serving.Stint
	}{
		{"decoding", []visitor{apart(10)}, "device, decoding a token",
			[]serving.Stint{{Engine: 0, FromNS: 0, ToNS: 110 * ms, NS: 90 * ms, Per: 9, Prompt: 40, Output: 10}}},
		{"one token is not decoded", []visitor{apart(10), apart(1)}, "device, decoding a token",
			[]serving.Stint{{Engine: 0, FromNS: 0, ToNS: 110 * ms, NS: 90 * ms, Per: 9, Prompt: 40, Output: 10}}},
		{"one engine tells no decoding", []visitor{apart(10), whole(5)}, "device, for each output token", []serving.Stint{
			{Engine: 1, ToNS: 110 * ms, NS: 110 * ms, Per: 10, Prompt: 40, Output: 10}, {Engine: 0, ToNS: 100 * ms, NS: 100 * ms, Per: 5, Prompt: 40, Output: 5}}},
		{"nor tokens", []visitor{apart(10), whole(0)}, "device, for a request", []serving.Stint{
			{Engine: 1, ToNS: 110 * ms, NS: 110 * ms, Per: 1, Prompt: 40, Output: 10},
			{Engine: 0, ToNS: 100 * ms, NS: 100 * ms, Per: 1, Prompt: serving.Unknown, Output: serving.Unknown}}},
		{"failed, and never on a device", []visitor{failed, queued}, "device, for a request", nil},
	} {
		x := capturedOf(plant{engines: 2, visitors: c.list}, Options{})
		if x.StintsOf != c.of {
			t.Errorf("%s: %s, want %s", c.name, x.StintsOf, c.of)
		}
		if d := unequal(c.want, x.Stints); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

// TestStintsLeaveCachedTokensOut: what of a prompt was in a cache was not computed.
func TestStintsLeaveCachedTokensOut(t *testing.T) {
	for cached, want := range map[int64]int64{0: 40, 30: 10, 40: 0, 41: 40} {
		set, engines := plant{engines: 1, visitors: []visitor{decoded(0, 90, 10)}}.build()
		for i := range set.Spans.Len() {
			set.Spans.CachedTokens[i] = cached
		}
		if got := captureOf(set, Options{Engines: engines}.filled()).Stints; len(got) != 1 || got[0].Prompt != want {
			t.Errorf("%d cached: %+v", cached, got)
		}
	}
}

// TestCallers: work inside a process is of who calls when that process made a call of the same
// trace.
func TestCallers(t *testing.T) {
	for _, c := range []struct {
		name   string
		root   uint8 // kind of the root
		change func(set *table.Set, call int)
		want   bool
	}{
		{"its own call", kindInternal, nil, true},
		{"a server's root", 2, nil, false},
		{"no call", kindInternal, func(set *table.Set, call int) { set.Spans.Kind[call] = 2 }, false},
		{"a call of another process", kindInternal, func(set *table.Set, call int) { set.Spans.ScopeRow[call] = 1 }, false},
		{"a call of another trace", kindInternal, func(set *table.Set, call int) { set.Spans.TraceID[call][0]++ }, false},
		{"a call of no process", kindInternal, func(set *table.Set, call int) { set.Spans.ScopeRow[call] = -1 }, false},
		{"a root of no process", kindInternal, func(set *table.Set, _ int) { set.Spans.ScopeRow[set.Requests.RootRow[0]] = -1 }, false},
	} {
		set, engines := plant{engines: 1, visitors: []visitor{decoded(0, 90, 10)}}.build()
		root := set.Requests.RootRow[0]
		set.Spans.Kind[root] = c.root
		call := set.Spans.Grow()
		set.Spans.TraceID[call], set.Spans.ScopeRow[call], set.Spans.Kind[call] = set.Spans.TraceID[root], set.Spans.ScopeRow[root], kindClient
		if c.change != nil {
			c.change(set, call)
		}
		x := requestsOf(set, Options{Engines: engines}.filled())
		if got := x.callers()(root); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}
