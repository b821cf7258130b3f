package analyze

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/tokens"
)

// streamOf makes the stream of a request from its inter-token times, ms.
func streamOf(gaps ...int64) *tokens.Stream {
	var chunks []tokens.Chunk
	at := int64(0)
	for _, g := range gaps {
		at += g * ms
		chunks = append(chunks, tokens.Chunk{AtNS: at, Tokens: 1})
	}
	return tokens.NewStream(0, at, chunks)
}

// TestG10Alternatives: one absolute schedule, and the two rules of Etalon.
func TestG10Alternatives(t *testing.T) {
	for _, c := range []struct {
		id          string
		first       int64
		gaps        []int64
		onTime, due int64
		lateMS      int64
	}{
		{defFluidity, 700, []int64{600, 25, 27, 24}, 4, 4, 0},
		{defFluidity, 500, []int64{600, 25, 27, 24}, 0, 4, 102},
		{defFluidityCode, 500, []int64{600, 25, 27, 24}, 2, 8, 0},
		{defFluidityDoc, 500, []int64{600, 25, 27, 24}, 2, 4, 0},
		{defFluidityCode, 500, []int64{400, 25, 27, 24}, 4, 4, 0},
		{defFluidityCode, 500, []int64{400, 25, 200, 24}, 3, 7, 0},
	} {
		x, late := dueBy(c.id, streamOf(c.gaps...), tokens.Schedule{FirstNS: c.first * ms, GapNS: 25 * ms})
		if x != (dueTokens{c.onTime, c.due}) || late != c.lateMS*ms {
			t.Errorf("%s of %v: %+v, latest %d", c.id, c.gaps, x, late)
		}
	}
}

// TestFluent: the share is that of all tokens, and its bounds hold it.
func TestFluent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var list []dueTokens
		var onTime, due int64
		for range rapid.IntRange(0, 40).Draw(t, "n") {
			d := dueTokens{due: rapid.Int64Range(1, 50).Draw(t, "due")}
			d.onTime = rapid.Int64Range(0, d.due).Draw(t, "on time")
			onTime, due = onTime+d.onTime, due+d.due
			list = append(list, d)
		}
		x := fluent(list, Options{Replicates: 20, Workers: 3})
		switch {
		case len(list) == 0:
			if x.Undefined == "" {
				t.Fatalf("%+v", x)
			}
		case x.N != due || math.Abs(x.Value-float64(onTime)/float64(due)) > 1e-12 || x.HasBounds == (x.Unbounded != "") || x.Bounds.Low > x.Bounds.High:
			t.Fatalf("%+v", x)
		}
		if d := unequal(x, fluent(list, Options{Replicates: 20, Workers: 1})); d != "" {
			t.Fatal(d)
		}
	})
}

// TestPeakIsNoLessThanTheMean: the fullest second has as many tokens as all have on average, and
// no more than all; a request that is not told makes it a lower bound.
func TestPeakIsNoLessThanTheMean(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var list []decoder
		gap := rapid.Int64Range(20, 400).Draw(t, "gap")
		for i := range uint64(rapid.IntRange(1, 6).Draw(t, "n")) {
			start := rapid.Int64Range(0, 3000).Draw(t, "start")
			d := decoder{id: i, engine: "a", start: start, first: start + 100, end: start + 100 + 8*gap, output: 8}
			for k := range int64(8) {
				d.tokens = append(d.tokens, d.first+k*gap)
			}
			list = append(list, d)
		}
		untold := rapid.Bool().Draw(t, "untold")
		if untold {
			list = append(list, decoder{id: 99, engine: "a", start: 10, first: 20, end: 40, output: 3})
		}
		set, engines := decoding(list)
		c := CapacityOf(set, Options{Engines: engines, Define: []string{"peak_1s"}}, CapacityOptions{})
		if len(c.Alternatives) != 2 || c.Alternatives[1].Definition.ID != "peak_1s" {
			t.Fatalf("%+v", c.Alternatives)
		}
		peak := c.Alternatives[1]
		whole := c.System.Serving.Whole
		tokens, seconds := float64(8*(len(list))), math.Ceil(float64(whole.ToNS-whole.FromNS)/1e9)
		if untold {
			tokens -= 8
		}
		if peak.Undefined != "" || peak.AtLeast != untold || peak.Value > tokens || peak.Value < tokens/seconds || peak.N != int64(tokens/8) {
			t.Fatalf("%v tokens in %v s: %+v", tokens, seconds, peak)
		}
		if own := c.Alternatives[0]; own.Undefined == "" && peak.Value*seconds < own.Value*float64(whole.ToNS-whole.FromNS)/1e9*(1-1e-9) {
			t.Fatalf("%+v", own)
		}
	})
}

// TestFluidityOfASet: the tokens of golden G10 with one more each, which is on time where the
// others are: 5 of 5 by one schedule and none by another.
func TestFluidityOfASet(t *testing.T) {
	var list []decoder
	for i := range uint64(30) {
		start := int64(i) * 1000
		list = append(list, decoder{id: i, engine: "a", start: start, first: start + 600, end: start + 800, output: 5, tokens: []int64{start + 600, start + 625, start + 652, start + 676, start + 699}})
	}
	list = append(list, decoder{id: 40, engine: "a", start: 90_000, first: 90_100, end: 90_200, output: 5})
	set, engines := decoding(list)
	opt := Options{Engines: engines, Define: []string{"fluidity_etalon_doc"}}
	for text, want := range map[string]float64{
		"90%(ttft < 700ms and p90(itl) <= 25ms)": 1, "p90(ttft) < 500ms and p90(itl) <= 25ms": 0, "90%(ttft < 700ms and p90(itl) <= 25ms) and p50(ttft) < 601ms": .8,
	} {
		got := CapacityOf(set, opt, slo(t, text)).Alternatives
		if len(got) != 3 || got[0].Value != want || got[0].N != 150 || got[0].Figure != "on time" || unequal([]Undefined{{noInstants, 1}}, got[0].Apart) != "" {
			t.Errorf("%s: %+v", text, got)
			continue
		}
		late := map[float64]float64{1: 0, 0: 102e6, .8: 1e6}[want]
		if got[1].Figure != "latest" || got[1].Unit != "ns" || got[1].Value != late || got[2].Definition.ID != "fluidity_etalon_doc" {
			t.Errorf("%s: %+v", text, got[1:])
		}
	}
	for _, text := range []string{"p90(ttft) < 1s", "p90(itl) < 1s"} {
		if x := CapacityOf(set, opt, slo(t, text)).Alternatives; len(x) != 2 || x[0].Undefined == "" || x[0].N != 0 {
			t.Errorf("%s: %+v", text, x)
		}
	}
}
