package analyze

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/stat"
)

// tradeTraffic makes windows of a minute with five requests and fifty gaps a second. In window w
// TTFTs and gaps are times factors of their usual ones, and both wander: what follows each
// other is alike.
func tradeTraffic(seed uint64, n int, ttft, gap func(w int) float64) *tradeInput {
	random := rand.New(rand.NewPCG(seed, 9))
	in := &tradeInput{toNS: int64(n) * tradeWindow, windowNS: tradeWindow, prefill: make([]float64, n)}
	burst := [2]float64{}
	for at := int64(0); at < in.toNS; at += 1000 * ms {
		w := int(at / tradeWindow)
		for k := range burst {
			burst[k] = .8*burst[k] + .3*random.NormFloat64()
		}
		for range 5 {
			ns := 200 * float64(ms) * ttft(w) * math.Exp(burst[0]+.5*random.NormFloat64())
			in.ttft = append(in.ttft, tradeValue{at + random.Int64N(1000*ms), int64(ns)})
		}
		for range 50 {
			ns := 20 * float64(ms) * gap(w) * math.Exp(.3*burst[1]+.2*random.NormFloat64())
			in.gaps = append(in.gaps, tradeValue{at + random.Int64N(1000*ms), int64(ns)})
		}
	}
	for w := range in.prefill {
		in.prefill[w] = 60_000 * gap(w)
	}
	return in
}

func tradedIn(in *tradeInput) Tradeoff {
	t := Tradeoff{WindowNS: in.windowNS, Windows: in.windows(), Metric: metricITL, Prefill: prefillSpread}
	t.measure(in)
	return t
}

func unchanged(int) float64 { return 1 }

// TestTradeoffPlanted has two stretches in which first tokens come soon at the cost of the
// tokens of others, with the moves into and out of them.
func TestTradeoffPlanted(t *testing.T) {
	eager := func(w int) bool { return w >= 8 && w < 12 || w >= 20 && w < 25 }
	in := tradeTraffic(1, 30, func(w int) float64 {
		if eager(w) {
			return .2
		}
		return 1
	}, func(w int) float64 {
		if eager(w) {
			return 3
		}
		return 1
	})
	got := tradedIn(in)
	if got.Why != "" || got.Better != 2 || got.Worse != 2 || got.Judged != 29 || len(got.Listed) != 4 {
		t.Fatalf("%d and %d of %d: %+v, %q", got.Better, got.Worse, got.Judged, got.Listed, got.Why)
	}
	for i, w := range []int64{8, 12, 20, 25} {
		m := got.Listed[i]
		if m.FromNS != w*tradeWindow || m.TTFTBetter != (i%2 == 0) || m.Adjusted >= tradeChance || m.PrefillRate[1] > m.PrefillRate[0] != (i%2 == 0) {
			t.Errorf("%+v", m)
		}
	}
	for _, c := range got.Correlations {
		if down := c.With == "ttft" || c.Of == "ttft"; c.Value > 0 == down || math.Abs(c.Value) < .5 || !c.HasBounds || c.N != 30 || c.Effective >= 30 {
			t.Errorf("%s with %s: %+v", c.Of, c.With, c.Correlation)
		}
	}
	if len(got.Correlations) != 3 {
		t.Error(got.Correlations)
	}
}

// TestTradeoffTogether: what gets worse together is no trade-off.
func TestTradeoffTogether(t *testing.T) {
	load := func(w int) float64 {
		if w%6 >= 3 {
			return 3
		}
		return 1
	}
	got := tradedIn(tradeTraffic(2, 30, load, load))
	if got.Better+got.Worse != 0 || got.Judged != 29 {
		t.Errorf("%+v", got.Listed)
	}
	if c := got.Correlations[2]; c.Of != "ttft" || c.Value < .5 {
		t.Errorf("%+v", c)
	}
}

// TestTradeoffIsNoNoise: where nothing changes but by chance, hardly ever a window is listed.
func TestTradeoffIsNoNoise(t *testing.T) {
	found := 0
	for seed := range 100 {
		got := tradedIn(tradeTraffic(uint64(seed)+100, 11, unchanged, unchanged))
		if got.Better+got.Worse > 0 {
			found++
		}
	}
	if found > 3 {
		t.Errorf("%d of 100 runs", found)
	}
}

// TestTradeoffOfAWanderingLoad: where each window has a TTFT and gaps of its own, which have
// nothing to do with each other, moves in opposite directions are the usual ones.
func TestTradeoffOfAWanderingLoad(t *testing.T) {
	found := 0
	for seed := range 30 {
		random := rand.New(rand.NewPCG(uint64(seed), 3))
		own := func(spread float64) func(int) float64 {
			var factors []float64
			for range 11 {
				factors = append(factors, math.Exp(spread*random.NormFloat64()))
			}
			return func(w int) float64 { return factors[w] }
		}
		got := tradedIn(tradeTraffic(uint64(seed)+700, 11, own(.6), own(.3)))
		if got.Better+got.Worse > 0 {
			found++
		}
	}
	if found > 2 {
		t.Errorf("%d of 30 runs", found)
	}
}

// TestTradeoffNeeds says what it takes.
func TestTradeoffNeeds(t *testing.T) {
	if got := tradedIn(tradeTraffic(3, 9, unchanged, unchanged)); !strings.Contains(got.Why, "9 of 9 windows") || len(got.Points) != 9 || len(got.Correlations) != 0 {
		t.Errorf("%q", got.Why)
	}
	in := tradeTraffic(3, 12, unchanged, unchanged)
	in.ttft = in.ttft[:100]
	if got := tradedIn(in); !strings.Contains(got.Why, "1 of 12 windows") {
		t.Errorf("%q", got.Why)
	}
	none := tradedIn(&tradeInput{})
	if none.Why == "" || none.Windows != 0 {
		t.Errorf("%+v", none)
	}
}

// turns is an engine for some minutes: every second two prompts that decode for a second. In
// minutes that are heavy prompts are long, and hold the tokens of others. Where put off is
// true they wait instead.
func turns(minutes int, heavy, putOff func(minute int) bool) (out []decoder) {
	for s := range minutes * 60 {
		m := s / 60
		base := int64(s) * 1000
		for k := range int64(2) {
			d := decoder{id: uint64(s)*2 + uint64(k), engine: "a", start: base + 500*k, prompt: 500}
			length := int64(40)
			if heavy(m) {
				d.prompt, length = 4000, 200
			}
			if putOff(m) {
				length = 400
			}
			d.first = d.start + length
			d.end = d.first + 1000
			d.tokens = even(d.first, d.end, 50)
			if heavy(m) { // the prompts of the next two hold it
				d.tokens = halted(halted(d.tokens, d.start+500, d.start+700), d.start+1000, d.start+1200)
			}
			d.output = int64(len(d.tokens))
			out = append(out, d)
		}
	}
	return out
}

// TestTradeoffOfAnEngine goes by what requests record.
func TestTradeoffOfAnEngine(t *testing.T) {
	never := func(int) bool { return false }
	list := turns(14, func(m int) bool { return m >= 5 && m < 9 }, func(m int) bool { return m < 5 })
	set, engines := decoding(list)
	for i, d := range list {
		set.Requests.FirstToken[i], set.Requests.TTFT[i] = d.first*ms, (d.first-d.start)*ms
	}
	s := systemOf(set, Options{Engines: engines, Replicates: 100}.filled().on(set), CapacityOptions{})
	got := s.Tradeoff
	// From minute 5 on first tokens come sooner, and those of others later; from 9 on both are
	// as they should.
	if got.Why != "" || got.Metric != metricITL || got.Prefill != prefillSpread || got.Better != 1 || got.Worse != 0 || len(got.Listed) != 1 || got.Listed[0].FromNS != 5*tradeWindow {
		t.Fatalf("%+v, %q, %s, %q", got.Listed, got.Why, got.Metric, got.Prefill)
	}
	if m := got.Listed[0]; m.TTFT != [2]int64{400 * ms, 200 * ms} || m.Gap[0] != 50*ms || m.Gap[1] != 200*ms || m.TTFTN[1] != 120 {
		t.Errorf("%+v", m)
	}
	near(t, "prefilled tokens/s", got.Points[6].PrefillRate, 8000, 50)
	near(t, "prefilled tokens/s", got.Points[1].PrefillRate, 1000, 20)
	if c := got.Correlations[0]; c.Of != prefillRate || c.With != metricITL || c.Value < .5 {
		t.Errorf("%+v", c)
	}
	// The stalls of the same minutes are told by engine.
	if e := s.Interference.Engines; len(e) != 1 || e[0].Stalls == 0 || e[0].StallsOverlapped < e[0].Stalls/2 {
		t.Errorf("%+v", e)
	}
	// Without instants, the time per token stands in, by its name.
	for i := range list {
		list[i].tokens, list[i].output = nil, 21
	}
	set, engines = decoding(list)
	for i, d := range list {
		set.Requests.FirstToken[i], set.Requests.TTFT[i] = d.first*ms, (d.first-d.start)*ms
	}
	got = systemOf(set, Options{Engines: engines}.filled().on(set), CapacityOptions{}).Tradeoff
	if got.Metric != "tpot" || got.Substituted != noInstants || got.Why != "" || got.Better+got.Worse != 0 {
		t.Errorf("%s, %q, %q", got.Metric, got.Substituted, got.Why)
	}
	// Without lengths of prompts there is no rate of them, and the rest stands.
	for i := range list {
		set.Requests.PromptTokens[i] = -1
	}
	got = systemOf(set, Options{Engines: engines}.filled().on(set), CapacityOptions{}).Tradeoff
	if got.Prefill != "" || got.NoPrefill == "" || len(got.Correlations) != 1 || !math.IsNaN(got.Points[0].PrefillRate) {
		t.Errorf("%q, %q, %d", got.Prefill, got.NoPrefill, len(got.Correlations))
	}
	set, engines = decoding(turns(2, never, never))
	if got = systemOf(set, Options{Engines: engines}.filled().on(set), CapacityOptions{}).Tradeoff; !strings.Contains(got.Why, "first token") {
		t.Errorf("%q", got.Why)
	}
}

// TestPrefillTokensAddUp: what is spread over windows is all of it, wherever it lies in them.
func TestPrefillTokensAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := tradeInput{fromNS: 1000, toNS: 1000 + 7*50, windowNS: 50}
		into := make([]float64, in.windows())
		var over []stayAt
		at := int64(1000)
		for range rapid.IntRange(1, 4).Draw(t, "parts") {
			at += rapid.Int64Range(0, 20).Draw(t, "gap")
			to := at + rapid.Int64Range(1, 60).Draw(t, "length")
			over = append(over, stayAt{at, to})
			at = to
		}
		in.spread(into, over, 300)
		if sum := total(into); math.Abs(sum-300) > 1e-9 {
			t.Fatalf("%v: %v", over, sum)
		}
	})
}

// TestBeyondBothIsFair: of windows that are alike, with values in bursts that outlast the
// blocks, few differ; and both must, over all windows.
func TestBeyondBothIsFair(t *testing.T) {
	differ, runs := 0, 0
	for seed := range 40 {
		in := tradeTraffic(uint64(seed)+500, 4, unchanged, unchanged)
		w := in.fill(in.gaps, 4)
		for k := 1; k < 4; k++ {
			p, _ := beyondBoth(&w[k-1], &w[k], [2]int64{stat.NearestRank(w[k-1].sorted, stat.P95), stat.NearestRank(w[k].sorted, stat.P95)})
			if runs++; p < .05 {
				differ++
			}
		}
	}
	if share := float64(differ) / float64(runs); share > .2 {
		t.Errorf("%v of %d", share, runs)
	}
	// One value in either window is nothing to compare.
	single := &tradeWindowed{sorted: []int64{1}}
	single.blocks[0] = []int64{1}
	if p, _ := beyondBoth(single, single, [2]int64{1, 1}); p != 1 {
		t.Error(p)
	}
	if !strings.Contains(tradeRule(), fmt.Sprint(tradeChance)) || stat.LeastPairs != 10 {
		t.Error(tradeRule())
	}
}
