package engine

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/critical/stage"
)

// streamsOf returns copies of all streams.
func streamsOf(tl *Timelines) (out []Stream) {
	tl.Streams(func(s *Stream) {
		c := *s
		c.Gaps = slices.Clone(s.Gaps)
		out = append(out, c)
	})
	return out
}

// TestStreamOverPreemption: a request that loses its place from 300 to 600 ms, with its
// prompt computed anew from 550, has one stream, and the gap is the preemption's. What
// others prefill meanwhile has no part in it.
func TestStreamOverPreemption(t *testing.T) {
	g := newGiven()
	e := g.scope("sglang", "a", "", "")
	r := g.request(0, 10, prefilled(e, 100), decoded(e, 300),
		piece{scope: e, stage: stage.Queue, detail: "preempted", until: 550}, prefilled(e, 600), decoded(e, 800))
	g.request(350, 500, prefilled(e, 590), decoded(e, 640))
	span := g.set.Segments.SpanRow[g.segment(r, 1)]
	for _, at := range []int64{100, 150, 200, 250, 300} {
		g.event(span, "token", at)
	}
	after := g.set.Segments.SpanRow[g.segment(r, 4)]
	for _, at := range []int64{620, 660, 700} {
		g.event(after, "token", at)
	}
	if got := streamsOf(Build(g.set)); len(got) != 1 || got[0].Gaps != nil {
		t.Fatalf("the instants of one span are too few: %+v", got)
	}
	for _, at := range []int64{620, 660, 700} {
		g.event(span, "token", at)
	}
	got := streamsOf(Build(g.set))
	if len(got) != 1 || got[0].Request != r || got[0].MedianNS != 50*ms || len(got[0].Gaps) != 7 {
		t.Fatalf("%+v", got)
	}
	want := Gap{Start: 300 * ms, End: 620 * ms, Stalled: true, OverlapNS: 240 * ms, PrefillTokens: 500}
	want.PartsNS = [StallCauses]int64{StallPreempted: 270 * ms}
	if d := cmp.Diff(want, got[0].Gaps[4]); d != "" {
		t.Error(d)
	}
}

// TestFirstGap: the first token comes at the end of the prefill, before the host lets the
// request decode on, and by a stamp that lies a little before it.
func TestFirstGap(t *testing.T) {
	g := newGiven()
	e := g.scope("sglang", "a", "", "")
	r := g.request(0, 10, prefilled(e, 100), piece{scope: e, stage: stage.Scheduling, detail: "decode_waiting", until: 300}, decoded(e, 420))
	g.request(90, 10, prefilled(e, 290), decoded(e, 420))
	for _, at := range []int64{100, 320, 340, 360, 380, 400} {
		g.event(g.set.Segments.SpanRow[g.segment(r, 2)], "token", at)
	}
	g.set.SpanEvents.Time[0] -= 300
	got := streamsOf(Build(g.set))
	if len(got) != 1 || len(got[0].Gaps) != 5 {
		t.Fatalf("%+v", got)
	}
	if first := got[0].Gaps[0]; first.Start != 100*ms-300 || first.PartsNS != [StallCauses]int64{StallPrefill: 190*ms + 300, StallUntold: 10 * ms} {
		t.Errorf("%+v", first)
	}
}

// TestPreemptionsAreNoSteps: spans that preemptions cut apart do not tell when tokens came.
func TestPreemptionsAreNoSteps(t *testing.T) {
	g := newGiven()
	e := g.scope("sglang", "a", "", "")
	pieces := []piece{prefilled(e, 100)}
	for i := range int64(8) {
		at := 100 + i*100
		pieces = append(pieces, decoded(e, at+80), piece{scope: e, stage: stage.Queue, detail: "preempted", until: at + 90}, prefilled(e, at+100))
	}
	g.request(0, 0, append(pieces, decoded(e, 1000))...)
	if got := streamsOf(Build(g.set)); got != nil {
		t.Errorf("%+v", got)
	}
}

// TestPartsOfAStall has two decoders beside a third, that stall from 300 to 400 ms: with
// it, without it, or one with it.
func TestPartsOfAStall(t *testing.T) {
	for name, c := range map[string]struct {
		stall   [3]bool
		prefill [2]int64
		want    [StallCauses]int64
		last    int64 // token of the others; 0 for the end
	}{
		"all":                                 {[3]bool{true, true, true}, [2]int64{}, [StallCauses]int64{StallEngine: 90 * ms}, 0},
		"one":                                 {[3]bool{true, false, false}, [2]int64{}, [StallCauses]int64{StallAlone: 90 * ms}, 0},
		"some":                                {[3]bool{true, true, false}, [2]int64{}, [StallCauses]int64{StallUntold: 90 * ms}, 0},
		"all, a prefill":                      {[3]bool{true, true, true}, [2]int64{310, 370}, [StallCauses]int64{StallPrefill: 60 * ms, StallEngine: 30 * ms}, 0},
		"all, short of one":                   {[3]bool{true, true, true}, [2]int64{310, 350}, [StallCauses]int64{StallEngine: 90 * ms}, 0},
		"all, for less than half without one": {[3]bool{true, true, true}, [2]int64{340, 385}, [StallCauses]int64{StallUntold: 90 * ms}, 385},
		"one, short of one":                   {[3]bool{true, false, false}, [2]int64{310, 350}, [StallCauses]int64{StallAlone: 90 * ms}, 0},
	} {
		g := newGiven()
		e := g.scope("vllm", "a", "", "")
		var first int32
		for k, stalls := range c.stall {
			r := g.request(int64(k), 0, prefilled(e, 100), decoded(e, 600))
			if k == 0 {
				first = r
			}
			for at := int64(100); at <= 600; at += 10 {
				if (!stalls || at <= 300 || at >= 400) && (k == 0 || c.last == 0 || at < c.last) {
					g.event(g.set.Segments.SpanRow[g.segment(r, 1)], "token", at)
				}
			}
			if k > 0 && c.last > 0 {
				g.event(g.set.Segments.SpanRow[g.segment(r, 1)], "token", c.last)
			}
		}
		if c.prefill[1] > 0 {
			g.request(c.prefill[0], 0, prefilled(e, c.prefill[1]), elsewhere(g.scope("app", "", "", ""), 700))
		}
		stalls := 0
		for _, s := range streamsOf(Build(g.set)) {
			for _, gap := range s.Gaps {
				if s.Request != first || !gap.Stalled {
					continue
				}
				if stalls++; gap.PartsNS != c.want {
					t.Errorf("%s: %v, not %v", name, gap.PartsNS, c.want)
				}
			}
		}
		if stalls != 1 {
			t.Errorf("%s: %d stalls", name, stalls)
		}
	}
}

// TestHalts counts at every instant instead.
func TestHalts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var list []stream
		for range rapid.IntRange(0, 5).Draw(t, "streams") {
			var s stream
			at := rapid.Int64Range(0, 100).Draw(t, "start")
			for range rapid.SampledFrom([]int{0, 6, 9}).Draw(t, "tokens") {
				s.at = append(s.at, at*ms)
				at += rapid.SampledFrom([]int64{3, 5, 40}).Draw(t, "gap")
			}
			if len(s.at) > 0 {
				s.median = 5 * ms
				lost := rapid.Int64Range(0, 150).Draw(t, "lost")
				s.lost = []span{{lost * ms, (lost + rapid.Int64Range(1, 40).Draw(t, "length")) * ms}}
			}
			list = append(list, s)
		}
		h := newHalts(list)
		from := rapid.Int64Range(0, 300).Draw(t, "from")
		to := from + rapid.Int64Range(0, 100).Draw(t, "window")
		var together, alone int64
		for x := from * ms; x < to*ms; x += ms {
			present, stalled := 0, 0
			for i := range list {
				s := &list[i]
				if len(s.at) == 0 || x < s.at[0] || x >= s.at[len(s.at)-1] || x >= s.lost[0].start && x < s.lost[0].end {
					continue
				}
				present++
				for k := 1; k < len(s.at); k++ {
					if s.at[k-1] <= x && x < s.at[k] && s.stalled(k) {
						stalled++
					}
				}
			}
			switch {
			case present < 2:
			case stalled == present:
				together += ms
			case stalled == 1:
				alone += ms
			}
		}
		if len(h.at) == 0 {
			return
		}
		window := []span{{from * ms, to * ms}}
		if got := h.within(h.together, window); got != together {
			t.Fatalf("together for %d ns, not %d", got, together)
		}
		if got := h.within(h.alone, window); got != alone {
			t.Fatalf("alone for %d ns, not %d", got, alone)
		}
	})
}

// TestStreamsKeepTheirOrder: streams are the same whatever the order of rows, their gaps
// follow each other, and parts add up to the excess.
func TestStreamsKeepTheirOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawnSets.Draw(t, "set")
		words := func(order []int, shuffled bool) string {
			set, rows := d.build(order, nil, shuffled, 0)
			text := ""
			for _, s := range streamsOf(Build(set)) {
				for i, g := range s.Gaps {
					var want int64
					if g.Stalled {
						want = g.End - g.Start - s.MedianNS
					}
					if g.ExcessNS() != want || slices.Min(g.PartsNS[:]) < 0 || i > 0 && g.Start != s.Gaps[i-1].End {
						t.Fatalf("%+v of %+v", g, s)
					}
				}
				text += fmt.Sprintf("%d %d %d %+v\n", slices.Index(rows, s.Request), s.Engine, s.MedianNS, s.Gaps)
			}
			return text
		}
		a := words(upTo(len(d.requests)), false)
		b := words(rapid.Permutation(upTo(len(d.requests))).Draw(t, "order"), rapid.Bool().Draw(t, "shuffled"))
		if a != b {
			t.Fatalf("%s\n%s", a, b)
		}
	})
}

// TestChance: of stalls that come as it happens, few have a small probability; of those that
// are prefills' all have.
func TestChance(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	small, sure := 0, 0
	const trials = 200
	for range trials {
		g := newGiven()
		e := g.scope("vllm", "a", "", "")
		var prefills []span
		for at := int64(0); at < 300_000; {
			length := 50 + random.Int64N(300)
			g.request(at, 0, prefilled(e, at+length), decoded(e, at+length+1))
			prefills = append(prefills, span{at * ms, (at + length) * ms})
			at += length + random.Int64N(300)
		}
		tl := Build(g.set)
		var stalls, caused []Gap
		for range 12 {
			at, v := random.Int64N(290_000)*ms, prefills[random.IntN(len(prefills))]
			for range 3 { // of three requests at once
				stalls = append(stalls, Gap{Start: at, End: at + 400*ms})
				caused = append(caused, Gap{Start: v.start, End: v.end})
			}
		}
		if p := tl.Chance(0, stalls, 199); p <= .05 {
			small++
		} else if p > 1 || p != tl.Chance(0, stalls, 199) {
			t.Fatalf("p is %v", p)
		}
		if tl.Chance(0, caused, 199) <= .05 {
			sure++
		}
		if p := tl.Chance(0, nil, 199); p != 1 {
			t.Fatalf("without stalls p is %v", p)
		}
	}
	if small > trials/10 || sure < trials*95/100 {
		t.Errorf("of %d, %d by chance and %d by prefills are called sure", trials, small, sure)
	}
}
