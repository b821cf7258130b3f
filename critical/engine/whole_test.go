package engine

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/ingest/table"
)

// answers is an engine that records executions as a whole. Its tokens take 10 ms each, as
// ten answers of 20 tokens show that nothing came between.
func answers() (g *given, e int32) {
	g = newGiven()
	e = g.scope("tgi", "a", "0", "")
	for i := range int64(10) {
		g.answer(20, 10_000+1000*i, computed(e, 10_000+1000*i+200))
	}
	return g, e
}

// answer adds a request whose answer has some tokens.
func (g *given) answer(tokens, start int64, pieces ...piece) int32 {
	r := g.request(start, 0, pieces...)
	if tokens > 0 {
		g.set.Requests.OutputTokens[r] = tokens
	}
	return r
}

// TestHiddenPrefill has a document of 1000 ms and 24 tokens, and one behind it of 50 ms and 5
// tokens that is taken when the document's prefill ends.
func TestHiddenPrefill(t *testing.T) {
	type given struct {
		tokens   int64   // of the document
		until    int64   // ms at which it ends
		from, to int64   // ms of the wait
		ends     []int64 // ms at which others end that run all the time
		partial  bool
		later    int64 // ms that one takes beyond its tokens that comes at 1100
	}
	ok := given{tokens: 24, until: 1280, from: 200, to: 1000}
	for name, c := range map[string]struct {
		change func(c *given)
		want   string
	}{
		"a step until it is taken":     {func(*given) {}, "prefill"},
		"one ends before the document": {func(c *given) { c.ends = []int64{15} }, "prefill"},
		"one ends meanwhile":           {func(c *given) { c.ends = []int64{600} }, "unknown"},
		"one ends when it is taken":    {func(c *given) { c.ends = []int64{1001} }, "unknown"},
		"one ends long after":          {func(c *given) { c.ends = []int64{1021} }, "prefill"},
		"its tokens take a tenth":      {func(c *given) { c.tokens = 32 }, "prefill"},
		"its tokens take more":         {func(c *given) { c.tokens = 33 }, "unknown"},
		"it stood still later":         {func(c *given) { c.later = 400 }, "unknown"},
		"it stood still once more":     {func(c *given) { c.later, c.until = 400, 1680 }, "prefill"},
		"its tokens are not known":     {func(c *given) { c.tokens = 0 }, "unknown"},
		"a wait of two steps":          {func(c *given) { c.from = 980 }, "unknown"},
		"a wait of three steps":        {func(c *given) { c.from = 970 }, "prefill"},
		"requests are missing":         {func(c *given) { c.partial = true }, "unknown"},
		"nothing ran for most of it":   {func(c *given) { c.from = -1001 }, "stuck"},
	} {
		x := ok
		c.change(&x)
		g, e := answers()
		document := g.answer(x.tokens, 0, computed(e, x.until))
		for _, end := range x.ends {
			g.answer(300, -5000, computed(e, end))
		}
		behind := g.answer(5, x.from, waited(e, x.to), computed(e, x.to+90))
		if x.later > 0 {
			g.answer(5, 1100, computed(e, 1140+x.later))
		}
		if x.partial {
			g.set.Requests.Weight[behind] = 4
		}
		tl, names := causes(t, g)
		wait := g.segment(behind, 0)
		f := tl.Finding(wait)
		if names[wait] != c.want {
			t.Errorf("%s: %s, %+v", name, names[wait], f)
		}
		if c.want != "prefill" {
			continue
		}
		if f.Rule != "prefill-budget" || f.Basis != Intervals || f.PrefillNS < f.WaitNS*9/10 {
			t.Errorf("%s: %+v", name, f)
		}
		if d := cmp.Diff([]Holder{{document, f.PrefillNS, "prefill"}}, tl.Blame(wait)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// TestAnswersOfOneToken: such an answer is prefill alone, and an engine that takes one at a
// time waits for nothing else.
func TestAnswersOfOneToken(t *testing.T) {
	for tokens, want := range map[int64]string{1: "prefill", 2: "slots", 0: "slots"} {
		g := newGiven()
		e := g.scope("tgi", "a", "0", "")
		app := g.scope("client", "c", "", "")
		var last int32
		for i := range int64(8) {
			last = g.answer(tokens, 0, elsewhere(app, i+1), waited(e, 100*i+10), computed(e, 100*i+110))
		}
		tl, names := causes(t, g)
		if wait := g.segment(last, 1); names[wait] != want {
			t.Errorf("%d tokens: %+v", tokens, tl.Finding(wait))
		}
	}
}

// TestToldApart: where spans tell decode or prefill apart, nothing is concluded.
func TestToldApart(t *testing.T) {
	for _, p := range []func(int32, int64) piece{prefilled, decoded} {
		g, e := answers()
		g.answer(20, 30_000, p(e, 30_200))
		g.answer(1, 0, computed(e, 1000))
		tl := Build(g.set)
		for _, v := range tl.engines[0].prefills {
			if v.start < 30_000*ms {
				t.Errorf("%+v", v)
			}
		}
	}
}

// TestTokensOfDurations reads the number of tokens from what TGI records.
func TestTokensOfDurations(t *testing.T) {
	for _, c := range []struct {
		whole, part string
		want        int64
	}{
		{"1.23s", "51.25ms", 24}, {"812.345µs", "812.345µs", 1}, {"100ns", "33ns", 3}, {"1s", "333.333333ms", 3},
		{"1s", "0ns", 0}, {"1s", "700ms", 0}, {"1ms", "2ms", 0}, {"1s", "", 0}, {"x s", "1s", 0}, {"-1s", "1s", 0}, {"NaNs", "1s", 0}, {"1s", "infs", 0},
	} {
		var attributes table.Attrs
		set := table.NewSet()
		row := set.Spans.Grow()
		whole, part := set.Symbols.Intern("inference_time"), set.Symbols.Intern("time_per_token")
		set.Spans.Attributes.Add(whole, table.StringValue(c.whole))
		if c.part != "" {
			set.Spans.Attributes.Add(part, table.StringValue(c.part))
		}
		attributes = set.Spans.Attributes
		if got := quotient(&attributes, int(row), whole, part); got != c.want {
			t.Errorf("%s by %s: %d, not %d", c.whole, c.part, got, c.want)
		}
	}
}

// TestHiddenPrefillsHold: a simple engine that prefills first, one prompt after the other, and
// else decodes everybody a step at a time. It has few slots or many, and may take nobody for
// a while and decode on. Every wait that is called prefill is in truth for prefills of
// others, for half of it or more.
func TestHiddenPrefillsHold(t *testing.T) {
	called := 0
	rapid.Check(t, func(rt *rapid.T) {
		type request struct{ arrival, prompt, left, taken, end, made int64 }
		var all []*request
		at := int64(0)
		for range rapid.IntRange(12, 40).Draw(rt, "requests") {
			at += rapid.SampledFrom([]int64{1, 5, 40, 300}).Draw(rt, "gap")
			all = append(all, &request{arrival: at, prompt: rapid.SampledFrom([]int64{3, 20, 300}).Draw(rt, "prompt"), made: rapid.SampledFrom([]int64{1, 2, 12, 40}).Draw(rt, "tokens")})
		}
		every, pause := rapid.SampledFrom([]int64{400, 2000}).Draw(rt, "every"), rapid.SampledFrom([]int64{0, 0, 60, 250}).Draw(rt, "pause")
		slots := rapid.IntRange(1, 12).Draw(rt, "slots")
		var running []*request
		var prefills []span
		now, next := int64(0), 0
		for next < len(all) || len(running) > 0 {
			switch {
			case next < len(all) && all[next].arrival <= now && len(running) < slots && now%every >= pause:
				r := all[next]
				next++
				r.taken, r.left = now, r.made
				prefills = append(prefills, span{now * ms, (now + r.prompt) * ms})
				now += r.prompt
				running = append(running, r)
				if r.left--; r.left == 0 {
					r.end = now
				}
			case len(running) > 0:
				now += 10
				for _, r := range running {
					if r.left--; r.left == 0 {
						r.end = now
					}
				}
			default:
				now = max(now+1, all[next].arrival)
			}
			running = slices.DeleteFunc(running, func(r *request) bool { return r.left == 0 })
		}
		g := newGiven()
		e := g.scope("tgi", "a", "0", "")
		for _, r := range all {
			pieces := []piece{computed(e, r.end)}
			if r.taken > r.arrival {
				pieces = append([]piece{waited(e, r.taken)}, pieces...)
			}
			g.answer(r.made, r.arrival, pieces...)
		}
		tl := Build(g.set)
		for _, w := range tl.queue {
			f := tl.Finding(w.segment)
			seg := &g.set.Segments
			wait := []span{{seg.Start[w.segment], seg.End[w.segment]}}
			if f.Cause != Prefill {
				continue
			}
			called++
			if held := total(wait) - total(without(wait, prefills)); 2*held < total(wait) {
				rt.Fatal(fmt.Sprintf("%d ns of prefill in %+v, %+v", held, wait, f))
			}
		}
	})
	if called == 0 {
		t.Error("no wait is called prefill")
	}
}
