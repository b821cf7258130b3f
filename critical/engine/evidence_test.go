package engine

import (
	"testing"
)

// TestMisplaced: what holds wherever a wait may lie needs no place. The engine prefills
// from 0 to 5000 ms, one prompt after the other, and the wait lies somewhere in there.
func TestMisplaced(t *testing.T) {
	for off, want := range map[int64]string{0: "prefill-budget", 300: "prefill-budget", 900: "prefill-budget", 2400: "not-placed"} {
		g := newGiven()
		e, app := g.scope("vllm", "a", "", ""), g.scope("client", "c", "", "")
		for i := range int64(50) {
			g.request(100*i, 500, prefilled(e, 100*(i+1)))
		}
		r := g.request(0, 500, elsewhere(app, 2000), waited(e, 3000), prefilled(e, 3100))
		i := g.segment(r, 1)
		g.set.Segments.Error[i] = off * ms
		tl, _ := causes(t, g)
		if f := tl.Finding(i); f.Rule != want || f.PrefillNS > f.WaitNS || f.KeptNS > f.WaitNS {
			t.Errorf("%d ms: %+v", off, f)
		}
	}
}

// TestOneAtATime: an engine that never runs two, and prefills while others wait, is held by
// prompts. One that decodes meanwhile has one slot.
func TestOneAtATime(t *testing.T) {
	for decode, want := range map[int64]string{0: "prefill", 90: "slots"} {
		g := newGiven()
		e := g.scope("vllm", "a", "", "")
		var last int32
		for i := range int64(12) {
			at := 100 * i
			pieces := []piece{prefilled(e, at+100-decode)}
			if decode > 0 {
				pieces = append(pieces, decoded(e, at+100))
			}
			if i > 0 {
				pieces = append([]piece{waited(e, at)}, pieces...)
			}
			last = g.request(max(at-400, 0), 500, pieces...)
		}
		tl, names := causes(t, g)
		if got := names[g.segment(last, 0)]; got != want {
			t.Errorf("%d ms of decode: %s, %+v", decode, got, tl.Finding(g.segment(last, 0)))
		}
	}
}

// TestBatchesOfPrompts: how many a batch of prompts took says nothing of slots, and no
// more does a single one that runs while prompts are computed.
func TestBatchesOfPrompts(t *testing.T) {
	constant := func(value float64, joined bool) *series {
		s := &series{}
		for i := range int64(10) {
			s.time, s.value, s.joined = append(s.time, i*10_000*ms), append(s.value, value), append(s.joined, joined)
		}
		s.settle()
		return s
	}
	none := &series{}
	for _, c := range []struct {
		running, prompts *series
		want             int64
	}{
		{constant(8, false), none, 8}, {constant(8, true), none, 0}, {constant(8, false), constant(100, false), 8},
		{constant(1, false), constant(100, false), 0}, {constant(1, false), constant(0, false), 1},
	} {
		if got, _ := learnReadings(c.running, constant(3, false), none, c.prompts); got.Value != c.want {
			t.Errorf("%v joined %v, prompts %v: %+v", c.running.value[0], c.running.joined[0], c.prompts.value, got)
		}
	}
}

// TestOwnTimesBeforeReadings: readings that were taken when nothing ran do not make an engine
// idle that ran for all of a wait.
func TestOwnTimesBeforeReadings(t *testing.T) {
	g := newGiven()
	e := g.scope("vllm", "a", "", "")
	for i := range int64(20) {
		g.request(500*i+1, 500, prefilled(e, 500*i+490)) // idle for some ms in between
	}
	r := g.request(4000, 500, waited(e, 6000), prefilled(e, 6200))
	for _, at := range []int64{0, 2500, 4500, 5500, 7500} {
		g.sample("vllm", "", "", "running", at-5, 0)
		g.sample("vllm", "", "", "waiting", at-5, 1)
	}
	tl, names := causes(t, g)
	if got := names[g.segment(r, 0)]; got != "prefill" {
		t.Errorf("%s, %+v", got, tl.Finding(g.segment(r, 0)))
	}
}

// TestCoarseReadings: a log in whole seconds shows what ran until the next one, and counts
// no more than what ran in between.
func TestCoarseReadings(t *testing.T) {
	for at, whole := range map[int64]bool{1000: true, 1001: false} {
		g := newGiven()
		e := g.scope("vllm", "a", "", "")
		for range 12 {
			g.request(1500, 0, decoded(e, 1900))
		}
		g.request(0, 0, decoded(e, 10))
		g.request(9000, 0, decoded(e, 9010))
		g.sample("vllm", "", "", "running", at, 12)
		if got := Build(g.set).Engines()[0]; got.Partial == whole {
			t.Errorf("at %d ms: %+v", at, got)
		}
	}
}

// TestLongFilling: a batch that waits with an instance free for far longer than others do
// is not filling.
func TestLongFilling(t *testing.T) {
	for length, want := range map[int64]string{20: "batch_delay", 39: "batch_delay", 150: "unknown", 300: "stuck"} {
		g := newGiven()
		e := g.scope("triton", "a", "", scopeTriton)
		for i := range int64(20) {
			g.request(1000*i, 0, waited(e, 1000*i+20), computed(e, 1000*i+100))
		}
		r := g.request(30_000, 0, waited(e, 30_000+length), computed(e, 30_100+length))
		tl, names := causes(t, g)
		if got := names[g.segment(r, 0)]; got != want {
			t.Errorf("%d ms: %s, %+v", length, got, tl.Finding(g.segment(r, 0)))
		}
	}
}
