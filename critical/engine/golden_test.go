package engine

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tailpath/tailpath/critical/stage"
)

// stalled is a request whose tokens are marked by events of its own span, and another
// that prefills from 1080 to 1260 ms.
func stalled(sameEngine bool) (g *given, decode int32, other int32) {
	g = newGiven()
	a, b := g.scope("vllm", "a", "", ""), g.scope("vllm", "b", "", "")
	if sameEngine {
		b = a
	}
	victim := g.request(900, 0, prefilled(a, 1000), decoded(a, 1325))
	other = g.request(1080, 0, prefilled(b, 1260), decoded(b, 1400))
	decode = g.segment(victim, 1)
	for _, at := range []int64{1000, 1025, 1050, 1075, 1275, 1300, 1325} {
		g.event(g.set.Segments.SpanRow[decode], "gen_ai.token", at)
	}
	return g, decode, other
}

func TestPrefillInterference(t *testing.T) {
	g, decode, other := stalled(true)
	tl := Build(g.set)
	want := []Stall{{Start: 1075 * ms, End: 1275 * ms, MedianNS: 25 * ms, ExcessNS: 175 * ms, OverlapNS: 180 * ms, AttributedNS: 175 * ms}}
	if d := cmp.Diff(want, tl.Stalls(decode)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]Holder{{other, 175 * ms, "prefill"}}, tl.Blame(decode)); d != "" {
		t.Error(d)
	}
	e, _ := tl.EngineOf(decode)
	i := tl.Interference(e)
	if i.Association != (Association{1, 1, 5, 0}) || i.AttributedNS != 175*ms || i.Requests != 1 || i.OverlappedNS != 200e6 || i.ClearNS != 25e6 {
		t.Errorf("%+v", i)
	}
	g, decode, _ = stalled(false)
	tl = Build(g.set)
	if s := tl.Stalls(decode); len(s) != 1 || s[0].OverlapNS != 0 || s[0].AttributedNS != 0 || tl.Blame(decode) != nil {
		t.Errorf("a prefill on another engine: %+v, %v", s, tl.Blame(decode))
	}
}

func TestAssociation(t *testing.T) {
	a := Association{Stalls: 10, StallsOverlapped: 8, Calm: 190, CalmOverlapped: 20}
	if math.Abs(a.Lift()-7.6) > 1e-12 || a.OddsRatio() != 34 || math.Abs(a.P()/2.089e-6-1) > 1e-3 {
		t.Errorf("lift %v, odds ratio %v, p %v", a.Lift(), a.OddsRatio(), a.P())
	}
	if p := (Association{Calm: 7, CalmOverlapped: 3}).P(); math.Abs(p-1) > 1e-12 {
		t.Errorf("without stalls p is %v", p)
	}
	if p := (Association{2, 2, 2, 0}).P(); math.Abs(p-1.0/6) > 1e-12 { // one of six ways
		t.Errorf("p is %v", p)
	}
}

// TestHeadOfLine has a request of 200 tokens wait from 100 to 900 ms, and one of 32,000
// prefill from 150 to 850.
func TestHeadOfLine(t *testing.T) {
	for name, own := range map[string]piece{"by time": {}, "by tokens": elsewhere(1, 950)} {
		g := newGiven()
		e, app := g.scope("vllm", "a", "", ""), g.scope("client", "c", "", "")
		if own.until == 0 {
			own = prefilled(e, 920)
		}
		victim := g.request(0, 200, elsewhere(app, 100), waited(e, 900), own)
		long := g.request(0, 32_000, elsewhere(app, 150), prefilled(e, 850), elsewhere(app, 2000))
		g.request(500, 300, prefilled(e, 560), decoded(e, 2000)) // not four times as long
		tl, names := causes(t, g)
		wait := g.segment(victim, 1)
		f := tl.Finding(wait)
		if f.HOL != .875 || f.LongPrefillNS != 700*ms || f.Rule != "long-prompt" || names[wait] != "prefill" {
			t.Errorf("%s: %+v", name, f)
		}
		if d := cmp.Diff([]Holder{{long, 700 * ms, "prefill"}}, tl.Blame(wait)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// TestPreemption has a request arrive at 0, queue at 10, run from 60, give tokens from
// 260 to 585, and lose its place from 300 to 500.
func TestPreemption(t *testing.T) {
	g := newGiven()
	e, app := g.scope("vllm", "a", "", ""), g.scope("client", "c", "", "")
	r := g.request(0, 0, elsewhere(app, 10), waited(e, 60), prefilled(e, 260), decoded(e, 300),
		piece{scope: e, stage: stage.Queue, detail: "preempted", until: 500}, decoded(e, 585))
	other := g.request(250, 0, decoded(e, 700))
	tl, names := causes(t, g)
	want := []Visit{{Engine: 0, QueueNS: 50 * ms, PrefillNS: 200 * ms, DecodeNS: 125 * ms, PreemptedNS: 200 * ms}}
	if d := cmp.Diff(want, tl.Visits(r)); d != "" {
		t.Error(d) // decode as the engine counts it, 325, is decode and preemption
	}
	lost := g.segment(r, 4)
	if f := tl.Finding(lost); names[lost] != "kv_memory" || f.Basis != Record || f.Rule != "after-preemption" {
		t.Errorf("%+v", f)
	}
	if d := cmp.Diff([]Holder{{other, 200 * ms, "memory"}}, tl.Blame(lost)); d != "" {
		t.Error(d)
	}
	at := tl.At(0, 400*ms)
	if d := cmp.Diff(Snapshot{Running: []int32{other}, Preempted: []int32{r}}, at); d != "" {
		t.Error(d)
	}
}

// TestIdleWhileWaiting has an engine execute for 30 of 100 ms, and requests wait for 80,
// of which 20 lie in the execution.
func TestIdleWhileWaiting(t *testing.T) {
	g := newGiven()
	e, app := g.scope("vllm", "a", "", ""), g.scope("client", "c", "", "")
	g.request(0, 0, computed(e, 30), elsewhere(app, 100))
	g.request(0, 0, elsewhere(app, 10), waited(e, 90), elsewhere(app, 100))
	want := Occupancy{From: 0, To: 90 * ms, BusyNS: 30 * ms, PresentNS: 90 * ms, WaitingNS: 80 * ms, IdleWhileWaitingNS: 60 * ms}
	if d := cmp.Diff(want, Build(g.set).Occupancy(0)); d != "" {
		t.Error(d)
	}
}
