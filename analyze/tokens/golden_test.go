package tokens

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tailpath/tailpath/analyze/stat"
)

const ms = int64(1_000_000)

// stream is a response whose chunks come at some ms, with tokens of each.
func stream(at, tokens []int64) *Stream {
	var chunks []Chunk
	for i := range at {
		chunks = append(chunks, Chunk{AtNS: at[i] * ms, Tokens: tokens[i]})
	}
	return NewStream(0, Absent, chunks)
}

// ones is a response of one token a chunk.
func ones(at ...int64) *Stream {
	tokens := make([]int64, len(at))
	for i := range tokens {
		tokens[i] = 1
	}
	return stream(at, tokens)
}

func near(t *testing.T, name string, got, want, within float64) {
	t.Helper()
	if !(math.Abs(got-want) <= within) {
		t.Errorf("%s: %v, want %v", name, got, want)
	}
}

func gapsMS(s *Stream) []int64 {
	var out []int64
	for _, g := range s.Gaps() {
		out = append(out, g/ms)
	}
	return out
}

// TestG1DocumentTokens has the first token at 600 ms and gaps of 25, 27 and 24 ms.
func TestG1DocumentTokens(t *testing.T) {
	s := ones(600, 625, 652, 676)
	m := s.Times()
	var p Pool
	p.Add(s)
	if m.Tokens != 4 {
		t.Errorf("%d tokens", m.Tokens)
	}
	for id, want := range map[string]float64{
		"ttft": 600, "e2e": 676, "tpot": 25.3333, "tpot_guidellm": 19, "tpot_llmperf": 169, "norm_latency": 169,
		"tpot_to_end": 25.3333, "tpot_bench": 25.3333, "ttft_any_chunk": 600, "e2e_last_token": 676,
	} {
		d, ok := Define(id)
		if v := d.Of(m); !ok || !v.Defined() || d.Unit != "ns" {
			t.Errorf("%s: %+v", id, v)
		} else {
			near(t, id, v.V/1e6, want, 5e-5)
		}
	}
	near(t, "mean ITL", p.ITLMeanNS()/1e6, 25.3333, 5e-5)
	near(t, "decode rate", m.GenerationRate().V, 39.4737, 5e-5)
	near(t, "n/E2E", m.OutputRate().V, 5.9172, 5e-5)
	// 20 ms a token are 50 tokens a second to each reader, 5000 to a hundred.
	each := ones(0, 20, 40).Times().GenerationRate().V
	near(t, "rate of one", each, 50, 1e-9)
	near(t, "rate of a hundred", 100*each, 5000, 1e-6)
}

// TestG5Weighting has a request of one gap of 100 ms and one of a hundred gaps of 20 ms.
func TestG5Weighting(t *testing.T) {
	long := make([]int64, 101)
	for i := range long {
		long[i] = 500 + 20*int64(i)
	}
	var p Pool
	p.Add(ones(500, 600))
	p.Add(ones(long...))
	mean, n := p.TPOTMeanNS()
	near(t, "mean TPOT", mean/1e6, 60, 1e-9)
	near(t, "mean ITL", p.ITLMeanNS()/1e6, 20.7921, 5e-5)
	if n != 2 || p.Gaps() != 101 || p.SumNS() != stat.SumOf(2100*ms) {
		t.Errorf("%d requests, %d gaps of %v ns", n, p.Gaps(), p.SumNS().Int())
	}
}

// TestG5ChunkWeighting has chunks of 1, 3 and 2 tokens at 600, 650 and 700 ms.
func TestG5ChunkWeighting(t *testing.T) {
	s := stream([]int64{600, 650, 700}, []int64{1, 3, 2})
	if d := cmp.Diff([]int64{50 * ms, 50 * ms}, s.ChunkGaps()); d != "" {
		t.Error("chunk gaps", d)
	}
	if d := cmp.Diff([]int64{50 * ms, 50 * ms}, s.AnyChunkGaps()); d != "" {
		t.Error("gaps of vLLM's bench", d)
	}
	if d := cmp.Diff([]int64{16666666, 16666667, 16666667, 25 * ms, 25 * ms}, s.Gaps()); d != "" {
		t.Error("token gaps", d)
	}
	near(t, "16.667", float64(s.Gaps()[0])/1e6, 16.667, 5e-4)
	var p Pool
	p.Add(s)
	near(t, "mean", p.ITLMeanNS(), 20e6, 0)
	near(t, "TPOT", s.Times().TPOT().V, 20e6, 0)
}

// TestG9Goodput asks for a TTFT of at most 1 s and a TPOT of at most 50 ms.
func TestG9Goodput(t *testing.T) {
	terms := []Term{{Metric: "ttft", LimitNS: 1e9}, {Metric: "tpot", LimitNS: 50e6}}
	at := func(ttft, tpot float64) Served { return Served{Values: []Value{{V: ttft * 1e9}, {V: tpot * 1e9}}} }
	g := Judge(terms, []Served{at(.5, .030), at(.9, .045), at(1.2, .020), at(.8, .060)}, 10e9, RuleApart)
	if g.Good != 2 || g.Attainment != .5 || g.PerSecond != .2 || g.Eligible != 4 {
		t.Errorf("four requests: %+v", g)
	}
	ten := []Served{at(1.5, .03), at(.5, .09)}
	for range 8 {
		ten = append(ten, at(.5, .03))
	}
	g = Judge(terms, ten, 10e9, RuleApart)
	if g.Attainment != .8 || g.Marginals[0].Attainment != .9 || g.Marginals[1].Attainment != .9 {
		t.Errorf("ten requests: %+v", g)
	}
	if g.Outcome(stat.P90) != Inconclusive || g.Outcome(stat.P999) != Fail {
		t.Errorf("8 of 10 against 90 %% and 99.9 %%: %s, %s", g.Outcome(stat.P90), g.Outcome(stat.P999))
	}
	one := ones(500).Times()
	single := []Served{{Values: []Value{one.TTFT(), one.TPOT()}}}
	if g = Judge(terms, single, 10e9, RuleVLLM); g.Good != 1 || g.Eligible != 1 {
		t.Errorf("one token, as vLLM: %+v", g)
	}
	if g = Judge(terms, single, 10e9, RuleAIPerf); g.Good != 0 || g.Eligible != 1 {
		t.Errorf("one token, as AIPerf: %+v", g)
	}
	g = Judge(terms, single, 10e9, RuleApart)
	if d := cmp.Diff([]Undefined{{"tpot: fewer than two output tokens", 1}}, g.Ineligible); d != "" || g.Eligible != 0 || g.Good != 0 {
		t.Errorf("one token: %+v", g)
	}
}

// TestG9Outcome has the attainments whose bounds lie next to 99 %.
func TestG9Outcome(t *testing.T) {
	for _, c := range []struct {
		good, n int
		want    Outcome
	}{{299, 299, Pass}, {298, 298, Inconclusive}, {996, 1000, Pass}, {995, 1000, Inconclusive}, {970, 1000, Fail}, {0, 0, Inconclusive}} {
		served := make([]Served, c.n)
		for i := range served {
			served[i] = Served{Values: []Value{{V: 1}}}
			if i >= c.good {
				served[i].Values[0].V = 3
			}
		}
		if got := Judge([]Term{{Metric: "ttft", LimitNS: 2}}, served, 0, RuleApart).Outcome(stat.P99); got != c.want {
			t.Errorf("%d of %d: %s, want %s", c.good, c.n, got, c.want)
		}
	}
}

// TestG10Fluidity has tokens that are due 500 and each 25 ms apart.
func TestG10Fluidity(t *testing.T) {
	due := Schedule{500, 25}
	for _, c := range []struct {
		times             []int64
		missed, deadlines int64
	}{
		{[]int64{600, 25, 27, 24}, 6, 8}, {[]int64{400, 25, 27, 24}, 0, 4}, {[]int64{400, 25, 200, 24}, 4, 7},
	} {
		if missed, deadlines := EtalonMisses(c.times, due); missed != c.missed || deadlines != c.deadlines {
			t.Errorf("%v: %d of %d missed, want %d of %d", c.times, missed, deadlines, c.missed, c.deadlines)
		}
	}
	if onTime, n := EtalonOnTime([]int64{600, 25, 27, 24}, due); onTime != 2 || n != 4 {
		t.Errorf("documented formula: %d of %d on time", onTime, n)
	}
	s := ones(600, 625, 652, 676)
	if d := cmp.Diff([]int64{600 * ms, 25 * ms, 27 * ms, 24 * ms}, s.InterTokenTimes()); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(Fluidity{Tokens: 4, OnTime: 4}, s.OnSchedule(Schedule{700 * ms, 25 * ms})); d != "" {
		t.Error("700/25", d)
	}
	if d := cmp.Diff(Fluidity{Tokens: 4, OnTime: 0, LatestNS: 102 * ms}, s.OnSchedule(Schedule{500 * ms, 25 * ms})); d != "" {
		t.Error("500/25", d)
	}
}
