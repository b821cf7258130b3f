package engine

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// busy adds requests that keep an engine of two slots full from 0 on, one after the other
// having waited; it returns the rows of those that waited.
func busy(g *given, e int32) (queued []int32) {
	app := g.scope("client", "c", "", "")
	g.request(0, 0, decoded(e, 100))
	g.request(0, 0, decoded(e, 150))
	for i := int64(0); i < 10; i++ {
		queued = append(queued, g.request(0, 0, elsewhere(app, 1), waited(e, 100+50*i), prefilled(e, 110+50*i), decoded(e, 200+50*i)))
	}
	return queued
}

func TestSlots(t *testing.T) {
	g := newGiven()
	e := g.scope("vllm", "a", "0", "")
	queued := busy(g, e)
	tl, names := causes(t, g)
	got := tl.Engines()
	limit := SlotLimit{Value: 2, Basis: Intervals, Share: 1, NS: 459 * ms, Visits: 10} // without 90 ms of prefill
	if len(got) != 1 || got[0].SlotLimit != limit || got[0].Peak != 2 || got[0].Requests != 12 || got[0].Name != "vllm@a/0" || got[0].Partial {
		t.Fatalf("%+v", got)
	}
	wait := g.segment(queued[9], 1) // from 1 to 550
	f := tl.Finding(wait)
	if names[wait] != "slots" || f.FullNS != 549*ms || f.Running != 2 || f.Basis != Intervals {
		t.Errorf("%+v", f)
	}
	sum := int64(0)
	for _, h := range tl.Blame(wait) {
		sum += h.NS
		if h.Why != "slot" || h.NS > 75*ms {
			t.Errorf("%+v", h) // each ran for 150 ms at most, as one of two
		}
	}
	if sum != 549*ms {
		t.Errorf("%d ns of 549 ms are held by somebody", sum)
	}
}

// TestNoLimit has an engine that runs all that comes: the most that ran at once is no
// limit.
func TestNoLimit(t *testing.T) {
	g := newGiven()
	e := g.scope("vllm", "a", "", "")
	app := g.scope("client", "c", "", "")
	var last int32
	for i := range int64(40) {
		at := 10*i + i%7
		last = g.request(0, 0, elsewhere(app, at), waited(e, at+3), decoded(e, at+60+i%5))
	}
	tl, names := causes(t, g)
	if got := tl.Engines()[0]; got.SlotLimit.Value != 0 || got.Peak < 5 {
		t.Errorf("%+v", got)
	}
	if wait := g.segment(last, 1); names[wait] != "unknown" {
		t.Errorf("%s: %+v", names[wait], tl.Finding(wait))
	}
}

func TestRecordedCauses(t *testing.T) {
	for detail, want := range map[string]string{"retry_backoff": "retry", "preempted": "kv_memory", "batch_delay": "batch_delay", "engine": "unknown", "handoff": "unknown"} {
		g := newGiven()
		e := g.scope("x", "", "", "")
		r := g.request(0, 0, piece{scope: e, stage: stage.Queue, detail: detail, until: 5, error: 100}, computed(e, 10))
		_, names := causes(t, g)
		if got := names[g.segment(r, 0)]; got != want {
			t.Errorf("%s: %s", detail, got)
		}
	}
}

func TestStuck(t *testing.T) {
	g := newGiven()
	e := g.scope("vllm", "", "", "")
	app := g.scope("client", "c", "", "")
	r := g.request(0, 0, waited(e, 1000), prefilled(e, 1100), decoded(e, 1200))
	short := g.request(2000, 0, waited(e, 2150), prefilled(e, 2200), decoded(e, 2300))
	tl, names := causes(t, g)
	if f := tl.Finding(g.segment(r, 0)); f.Cause != Stuck || f.IdleNS != 1000*ms || tl.Blame(g.segment(r, 0)) != nil {
		t.Errorf("%+v", f)
	}
	if got := names[g.segment(short, 0)]; got != "unknown" {
		t.Errorf("150 ms on the way to an idle engine are %s", got)
	}
	// A request that stands for four others says that others are missing.
	g.request(5000, 0, elsewhere(app, 5001), decoded(e, 5002))
	g.set.Requests.Weight[2] = 4
	tl, names = causes(t, g)
	if f := tl.Finding(g.segment(r, 0)); names[g.segment(r, 0)] != "unknown" || !f.Partial {
		t.Errorf("with traces missing: %+v", f)
	}
}

// TestInstances has a batching server with one instance: requests wait while it computes,
// and then for their batch to fill.
func TestInstances(t *testing.T) {
	g := newGiven()
	e := g.scope("triton", "a", "", scopeTriton)
	app := g.scope("client", "c", "", "")
	var full, filling []int32
	for i := int64(0); i < 8; i++ {
		at := 200 * i // computes from 20 to 120 and from 120 to 180, fills from 0 to 20
		filling = append(filling, g.request(at, 0, waited(e, at+20), computed(e, at+120)))
		filling = append(filling, g.request(at+5, 0, waited(e, at+20), computed(e, at+120), elsewhere(app, at+130)))
		full = append(full, g.request(at+30, 0, waited(e, at+120), computed(e, at+180)))
	}
	for i := range g.set.Spans.Len() {
		if g.set.Spans.ScopeRow[i] == e {
			g.set.Spans.Model[i] = g.set.Symbols.Intern("llm")
		}
	}
	tl, names := causes(t, g)
	got := tl.Engines()[0]
	if got.SlotLimit.Value != 1 || !got.Batching || got.Peak != 1 || got.Model != "llm" || got.Name != "triton@a llm" {
		t.Errorf("%+v", got)
	}
	for _, r := range full {
		if names[g.segment(r, 0)] != "slots" {
			t.Errorf("request %d: %+v", r, tl.Finding(g.segment(r, 0)))
		}
	}
	for _, r := range filling {
		if f := tl.Finding(g.segment(r, 0)); names[g.segment(r, 0)] != "batch_delay" || f.FreeNS != f.WaitNS {
			t.Errorf("request %d: %+v", r, f)
		}
	}
	batches := tl.Batches(0)
	if len(batches) != 16 || !cmp.Equal(batches[0], Batch{20 * ms, 120 * ms, filling[:2], 2, "", basisStart}) {
		t.Errorf("%d batches, %+v", len(batches), batches[0])
	}
	if s := tl.At(0, 60*ms); s.Batches != 1 || !cmp.Equal(s.Running, filling[:2]) || !cmp.Equal(s.Waiting, full[:1]) {
		t.Errorf("%+v", s)
	}
}

func TestScheduledBatches(t *testing.T) {
	g := newGiven()
	e := g.scope("sglang", "a", "", "sglang server")
	var spans []int32
	for range 3 {
		spans = append(spans, int32(g.set.Spans.Len()))
		g.request(0, 0, prefilled(e, 10), decoded(e, 200))
	}
	in := g.set.Symbols.Intern
	schedule := func(span int32, at int64, id, mode string) {
		g.event(span, "schedule", at, table.Attr{Key: in("bid"), Value: table.StringValue(id)},
			table.Attr{Key: in("batch_size"), Value: table.IntValue(2)}, table.Attr{Key: in("forward_mode"), Value: table.StringValue(mode)})
	}
	schedule(spans[0], 1, "x", "prefill")
	schedule(spans[0]+1, 12, "y", "decode")
	schedule(spans[0]+1, 13, "y", "decode") // the next step, under the same id
	schedule(spans[1], 1, "x", "prefill")
	schedule(spans[1]+1, 14, "y", "decode")
	schedule(spans[2]+1, 100, "x", "prefill") // the id is used again
	want := []Batch{
		{1 * ms, 1 * ms, []int32{0, 1}, 2, "prefill", basisSchedule},
		{12 * ms, 12 * ms, []int32{0}, 2, "decode", basisSchedule},
		{13 * ms, 13 * ms, []int32{0, 1}, 2, "decode", basisSchedule},
		{100 * ms, 100 * ms, []int32{2}, 2, "prefill", basisSchedule},
	}
	if d := cmp.Diff(want, Build(g.set).Batches(0)); d != "" {
		t.Error(d)
	}
}

// TestUpstream has a gateway hold requests back from an engine that is idle, then from one
// that is full.
func TestUpstream(t *testing.T) {
	g := newGiven()
	gateway := g.scope("haproxy", "g", "", "haproxy")
	e := g.scope("vllm", "a", "", "")
	held := func(start, until int64) int32 {
		return g.request(start, 0, piece{scope: gateway, stage: stage.Queue, detail: "admission", until: until}, prefilled(e, until+10), decoded(e, until+100))
	}
	early := held(-1000, -800)
	busy(g, e)
	late := held(50, 600)
	lost := g.request(0, 0, piece{scope: gateway, stage: stage.Queue, detail: "admission", until: 500})
	tl, names := causes(t, g)
	f := tl.Finding(g.segment(early, 0))
	if names[g.segment(early, 0)] != "upstream" || !f.Gateway || f.Engine != 0 || f.KeptNS != 0 {
		t.Errorf("%+v", f)
	}
	if _, ok := tl.EngineOf(g.segment(early, 0)); ok {
		t.Error("the gateway is an engine")
	}
	if f := tl.Finding(g.segment(late, 0)); names[g.segment(late, 0)] != "slots" || !f.Gateway {
		t.Errorf("%+v", f)
	}
	if f := tl.Finding(g.segment(lost, 0)); f.Cause != Unknown || f.Rule != "no-engine" || f.Engine != -1 {
		t.Errorf("%+v", f)
	}
}

// TestNotPlaced: what may be misplaced by more than half its length proves nothing.
func TestNotPlaced(t *testing.T) {
	g := newGiven()
	e := g.scope("vllm", "a", "0", "")
	queued := busy(g, e)
	i := g.segment(queued[9], 1)
	g.set.Segments.Error[i] = 275 * ms
	if f := Build(g.set).Finding(i); f.Cause != Unknown || f.Rule != "not-placed" {
		t.Errorf("%+v", f)
	}
	g.set.Segments.Error[i] = 274 * ms
	if f := Build(g.set).Finding(i); f.Cause != Slots {
		t.Errorf("%+v", f)
	}
	for r := range g.set.Requests.Clock {
		g.set.Requests.Clock[r] = table.ClockNone
	}
	for s := range g.set.Spans.Clock {
		g.set.Spans.Clock[s] = table.ClockNone
	}
	tl := Build(g.set)
	if f := tl.Finding(i); f.Cause != Unknown || f.Rule != "not-placed" || tl.Blame(i) != nil {
		t.Errorf("%+v", f)
	}
}

// TestPlacedByItsRun: the place of a wait is shown by its run, if that was needed for the
// engine to be full while others waited.
func TestPlacedByItsRun(t *testing.T) {
	for _, c := range []struct {
		queued   int // from 1 to 100 ms and 50 more for each before it, and it runs for 100
		sampled  bool
		want     string
		neededMS int64
	}{
		{5, false, "at-limit-placed", 100},
		{8, false, "at-limit-placed", 50}, // then nobody waits any more
		{9, false, "not-placed", 0},
		{5, true, "not-placed", 0}, // there is no limit
	} {
		g := newGiven()
		e := g.scope("vllm", "a", "0", "")
		queued := busy(g, e)
		i := g.segment(queued[c.queued], 1)
		g.set.Segments.Error[i] = 500 * ms
		if c.sampled {
			g.set.Requests.Weight[queued[0]] = 4
		}
		tl, names := causes(t, g)
		w, ok := tl.find(i)
		if !ok {
			t.Fatal("it does not wait")
		}
		if f := tl.Finding(i); f.Rule != c.want || (c.want == "at-limit-placed") != (names[i] == "slots") {
			t.Errorf("%d: %+v", c.queued, f)
		}
		if ev := tl.evidence(g.set, w); ev.NeededNS != c.neededMS*ms || ev.RunNS != 100*ms || !c.sampled && ev.PlacedNS != g.set.Segments.Duration[i] {
			t.Errorf("%d: needed for %d ns of %d", c.queued, ev.NeededNS, ev.RunNS)
		}
	}
}

// TestPrefillBudget: prompts of one size, one after the other, with slots free.
func TestPrefillBudget(t *testing.T) {
	g := newGiven()
	e := g.scope("vllm", "a", "", "")
	var last int32
	for i := int64(0); i < 6; i++ {
		until := 100 * i
		pieces := []piece{prefilled(e, until+100), decoded(e, 1000)}
		if i > 0 {
			pieces = append([]piece{waited(e, until)}, pieces...)
		}
		last = g.request(0, 500, pieces...)
	}
	tl, names := causes(t, g)
	wait := g.segment(last, 0)
	if f := tl.Finding(wait); names[wait] != "prefill" || f.Rule != "prefill-budget" || f.FreeNS != 500*ms {
		t.Errorf("%+v", f)
	}
	if d := cmp.Diff(5, len(tl.Blame(wait))); d != "" {
		t.Error(d)
	}
}
