package engine

import (
	"testing"
)

// TestSteps: where every step of decoding is a span of its own, their ends are the
// instants of the tokens.
func TestSteps(t *testing.T) {
	g := newGiven()
	e := g.scope("sglang", "a", "", "sglang server")
	var steps []piece
	for _, at := range []int64{1025, 1050, 1075, 1275, 1300, 1325} {
		steps = append(steps, decoded(e, at))
	}
	victim := g.request(900, 0, append([]piece{prefilled(e, 1000)}, steps...)...)
	one := g.request(1080, 0, prefilled(e, 1180), decoded(e, 1400))
	two := g.request(1130, 0, prefilled(e, 1230), decoded(e, 1400))
	tl := Build(g.set)
	long := g.segment(victim, 4) // from 1075 to 1275
	s := tl.Stalls(long)
	if len(s) != 1 || s[0].OverlapNS != 150*ms || s[0].AttributedNS != 150*ms || s[0].MedianNS != 25*ms {
		t.Fatalf("%+v", s)
	}
	// 50 ms alone and half of the 50 that both prefilled; both of them alike.
	got := tl.Blame(long)
	if len(got) != 2 || got[0] != (Holder{one, 75 * ms, "prefill"}) || got[1] != (Holder{two, 75 * ms, "prefill"}) {
		t.Errorf("%+v", got)
	}
	if calm := g.segment(victim, 2); tl.Stalls(calm) != nil || tl.Blame(calm) != nil {
		t.Errorf("%+v", tl.Stalls(calm))
	}
	if i := tl.Interference(0); i.Association != (Association{1, 1, 5, 0}) || i.AttributedNS != 150*ms {
		t.Errorf("%+v", i)
	}
}

// TestFewTokens: fewer than five gaps have no usual one among them.
func TestFewTokens(t *testing.T) {
	g := newGiven()
	e := g.scope("vllm", "a", "", "")
	victim := g.request(0, 0, prefilled(e, 100), decoded(e, 1000))
	g.request(300, 0, prefilled(e, 800), decoded(e, 900))
	span := g.set.Segments.SpanRow[g.segment(victim, 1)]
	for _, at := range []int64{100, 120, 140, 160, 850} {
		g.event(span, "llm.content.completion.chunk", at)
	}
	g.event(span, "First Token Stream Event", 101)
	g.event(span, "chunked_prefill", 102)
	if s := Build(g.set).Stalls(g.segment(victim, 1)); s != nil {
		t.Errorf("%+v", s)
	}
	g.event(span, "llm.content.completion.chunk", 180)
	s := Build(g.set).Stalls(g.segment(victim, 1))
	if len(s) != 1 || s[0].Start != 180*ms || s[0].OverlapNS != 500*ms {
		t.Errorf("%+v", s)
	}
}

func TestRules(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Rules() {
		if r.ID == "" || r.Doc == "" || seen[r.ID] {
			t.Errorf("%+v", r)
		}
		seen[r.ID] = true
	}
	names := map[string]bool{}
	for _, c := range Causes() {
		names[c.String()] = true
	}
	if len(names) != 8 || !names["kv_memory"] || Cause(99).String() != "unknown" {
		t.Error(names)
	}
}

// TestNoStall: what is short, usual, or hardly overlapped is not put down to anybody.
func TestNoStall(t *testing.T) {
	for name, c := range map[string]struct {
		tokens             []int64
		prefill, until     int64
		stalls, attributed int64 // ms
	}{
		"short": {[]int64{100, 102, 104, 106, 108, 110, 125}, 108, 125, 0, 0},
		"usual": {[]int64{100, 150, 200, 250, 300, 350, 490}, 350, 490, 0, 0},
		"clear": {[]int64{100, 110, 120, 130, 140, 150, 350}, 260, 400, 1, 0},
		"half":  {[]int64{100, 110, 120, 130, 140, 150, 350}, 250, 400, 1, 100},
	} {
		g := newGiven()
		e := g.scope("vllm", "a", "", "")
		victim := g.request(0, 0, prefilled(e, 100), decoded(e, 500))
		g.request(c.prefill, 0, prefilled(e, c.until))
		for _, at := range c.tokens {
			g.event(g.set.Segments.SpanRow[g.segment(victim, 1)], "token", at)
		}
		s := Build(g.set).Stalls(g.segment(victim, 1))
		if int64(len(s)) != c.stalls || len(s) > 0 && s[0].AttributedNS != c.attributed*ms {
			t.Errorf("%s: %+v", name, s)
		}
	}
}
