package tokens

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/stat"
)

// drawChunks draws the chunks of a response that starts at an instant, in any order.
func drawChunks(t *rapid.T, start int64) []Chunk {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Chunk {
		return Chunk{start + rapid.Int64Range(0, 5000).Draw(t, "at"), rapid.Int64Range(0, 5).Draw(t, "tokens"), rapid.Bool().Draw(t, "reasoning")}
	}), 0, 20).Draw(t, "chunks")
}

// TestGapsAddUp holds what the gaps of a request are: one fewer than the tokens, the time
// from the first to the last in all, and even within a chunk.
func TestGapsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := NewStream(0, Absent, drawChunks(t, 0))
		m := s.Times()
		gaps, sum := s.Gaps(), int64(0)
		for _, g := range gaps {
			if sum += g; g < 0 {
				t.Fatalf("a gap of %d ns", g)
			}
		}
		if m.Tokens == 0 {
			if gaps != nil || m.TPOT().Defined() || m.TTFT().Defined() {
				t.Fatalf("no tokens, yet gaps %v", gaps)
			}
			return
		}
		if int64(len(gaps)) != m.Tokens-1 || sum != m.LastTokenNS-m.FirstTokenNS {
			t.Fatalf("%d gaps of %d ns in all, of %d tokens from %d to %d", len(gaps), sum, m.Tokens, m.FirstTokenNS, m.LastTokenNS)
		}
		var p Pool
		p.Add(s)
		if m.Tokens > 1 && math.Abs(p.ITLMeanNS()-m.TPOT().V) > 1e-9*m.TPOT().V {
			t.Fatalf("the mean gap %v of one request is not its TPOT %v", p.ITLMeanNS(), m.TPOT().V)
		}
		k := 0
		for i, c := range s.chunks {
			n := int(c.Tokens)
			if i == 0 || n == 0 || s.chunks[i-1].Tokens == 0 {
				k += n
				if m.FirstTokenNS == c.AtNS && n > 0 {
					k-- // the first token has no gap
				}
				continue
			}
			if part := gaps[k : k+n]; slices.Max(part)-slices.Min(part) > 1 || !slices.IsSorted(part) {
				t.Fatalf("the gaps of one chunk are %v", part)
			}
			k += n
		}
	})
}

// TestChunkOrderAndStartChangeNothing permutes the chunks and shifts the clock.
func TestChunkOrderAndStartChangeNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		chunks := drawChunks(t, 0)
		want := NewStream(0, 6000, chunks)
		shift := rapid.Int64Range(-1e18, 1e18).Draw(t, "shift")
		moved := rapid.Permutation(chunks).Draw(t, "moved")
		for i := range moved {
			moved[i].AtNS += shift
		}
		got := NewStream(shift, shift+6000, moved)
		if d := cmp.Diff(want.Times(), got.Times()); d != "" {
			t.Fatal(d)
		}
		if d := cmp.Diff(want.Runs(), got.Runs()); d != "" {
			t.Fatal(d)
		}
		if d := cmp.Diff(want.AnyChunkGaps(), got.AnyChunkGaps()); d != "" {
			t.Fatal(d)
		}
	})
}

// TestDefinitionsScale doubles all times: what is in ns doubles, and rates halve.
func TestDefinitionsScale(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		chunks := drawChunks(t, 0)
		end := rapid.Int64Range(0, 6000).Draw(t, "end")
		one := NewStream(0, end, chunks).Times()
		for i := range chunks {
			chunks[i].AtNS *= 2
		}
		two := NewStream(0, 2*end, chunks).Times()
		for _, d := range Definitions() {
			a, b := d.Of(one), d.Of(two)
			if d.Unit != "ns" {
				a, b = b, a
			}
			if a.Undefined != b.Undefined || 2*a.V != b.V {
				t.Fatalf("%s: %+v and %+v", d.ID, a, b)
			}
		}
	})
}

// TestPoolAgainstAllGaps compares a pool with the list of all gaps, and with the mean of
// the requests' own values.
func TestPoolAgainstAllGaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var streams []*Stream
		for range rapid.IntRange(0, 8).Draw(t, "requests") {
			streams = append(streams, NewStream(0, Absent, drawChunks(t, 0)))
		}
		var p, q Pool
		var all []int64
		var sum float64
		var with int64
		for i, s := range streams {
			p.Add(s)
			q.Add(streams[len(streams)-1-i])
			all = append(all, s.Gaps()...)
			if v := s.Times().TPOT(); v.Defined() {
				sum += v.V
				with++
			}
		}
		slices.Sort(all)
		mean, n := p.TPOTMeanNS()
		if n != with || with > 0 && math.Abs(mean-sum/float64(with)) > 1e-9*(1+mean) {
			t.Fatalf("mean TPOT %v of %d, want %v of %d", mean, n, sum/float64(with), with)
		}
		for _, u := range p.Undefined() {
			n += u.N
		}
		if n != int64(len(streams)) || p.Gaps() != int64(len(all)) {
			t.Fatalf("%d of %d requests, %d of %d gaps", n, len(streams), p.Gaps(), len(all))
		}
		for _, at := range []stat.Prob{stat.P50, stat.P95, stat.P999} {
			got, _ := p.ITLQuantile(at)
			if len(all) > 0 && got != stat.NearestRank(all, at) || len(all) == 0 && got != 0 {
				t.Fatalf("%s: %d", at, got)
			}
			if other, _ := q.ITLQuantile(at); other != got {
				t.Fatalf("%s depends on the order of requests", at)
			}
		}
		if other, _ := q.TPOTMeanNS(); other != mean || q.ITLMeanNS() != p.ITLMeanNS() || q.SumNS() != p.SumNS() {
			t.Fatal("means depend on the order of requests")
		}
	})
}

// TestScheduleAgainstEveryToken counts the tokens one by one.
func TestScheduleAgainstEveryToken(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := NewStream(0, Absent, drawChunks(t, 0))
		due := Schedule{rapid.Int64Range(0, 3000).Draw(t, "first"), rapid.Int64Range(0, 500).Draw(t, "gap")}
		var want Fluidity
		for _, c := range s.chunks {
			for range c.Tokens {
				late := c.AtNS - due.FirstNS - want.Tokens*due.GapNS
				want.Tokens++
				if late <= 0 {
					want.OnTime++
				}
				want.LatestNS = max(want.LatestNS, late)
			}
		}
		got := s.OnSchedule(due)
		if d := cmp.Diff(want, got); d != "" {
			t.Fatal(d)
		}
		if wider := s.OnSchedule(Schedule{due.FirstNS + 1, due.GapNS + 1}); wider.OnTime < got.OnTime || wider.LatestNS > got.LatestNS {
			t.Fatalf("a wider schedule is kept less: %+v, %+v", got, wider)
		}
	})
}

// TestEtalonReadings holds what both of Etalon's readings have in common: all in time in
// one is all in time in the other, and the code never counts fewer deadlines than tokens.
func TestEtalonReadings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		times := rapid.SliceOfN(rapid.Int64Range(0, 2000), 0, 20).Draw(t, "times")
		due := Schedule{rapid.Int64Range(0, 1000).Draw(t, "first"), rapid.Int64Range(0, 300).Draw(t, "gap")}
		missed, deadlines := EtalonMisses(times, due)
		onTime, n := EtalonOnTime(times, due)
		if n != int64(len(times)) || deadlines < n || missed > deadlines || (missed == 0) != (onTime == n) || deadlines-missed != onTime {
			t.Fatalf("code: %d of %d missed; document: %d of %d on time", missed, deadlines, onTime, n)
		}
	})
}

// TestJudgeCountsEveryRequest holds the account of an objective, and how its rules and its
// terms differ.
func TestJudgeCountsEveryRequest(t *testing.T) {
	terms := []Term{{Metric: "a", LimitNS: 5}, {Metric: "b", LimitNS: 5, Below: true}}
	values := rapid.Custom(func(t *rapid.T) Value {
		if rapid.IntRange(0, 4).Draw(t, "kind") == 0 {
			return Value{Undefined: rapid.SampledFrom([]string{OneToken, NoFirst}).Draw(t, "reason")}
		}
		return Value{V: float64(rapid.IntRange(0, 9).Draw(t, "value"))}
	})
	rapid.Check(t, func(t *rapid.T) {
		served := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Served {
			return Served{[]Value{values.Draw(t, "a"), values.Draw(t, "b")}, rapid.IntRange(0, 5).Draw(t, "failed") == 0}
		}), 0, 30).Draw(t, "served")
		by := map[Rule]Goodput{}
		for _, rule := range []Rule{RuleApart, RuleVLLM, RuleAIPerf} {
			g := Judge(terms, served, 1e9, rule)
			n := g.Eligible + g.Failed
			for _, u := range g.Ineligible {
				n += u.N
			}
			if n != g.N || g.N != int64(len(served)) {
				t.Fatalf("%s: %d of %d requests", rule, n, len(served))
			}
			for _, m := range g.Marginals {
				if m.Good < g.Good || m.Good > m.Eligible {
					t.Fatalf("%s: %d meet all terms and %d of %d the term %s", rule, g.Good, m.Good, m.Eligible, m.Metric)
				}
			}
			if g.Bounds.Low > g.Attainment || g.Bounds.High < g.Attainment || g.PerSecond != float64(g.Good) {
				t.Fatalf("%s: %+v", rule, g)
			}
			by[rule] = g
		}
		if by[RuleAIPerf].Good != by[RuleApart].Good || by[RuleVLLM].Good < by[RuleApart].Good || by[RuleAIPerf].Eligible < by[RuleVLLM].Eligible {
			t.Fatalf("%+v", by)
		}
		strict := Judge([]Term{{Metric: "a", LimitNS: 5, Below: true}, terms[1]}, served, 1e9, RuleApart)
		if strict.Good > by[RuleApart].Good {
			t.Fatal("a stricter term is met more often")
		}
	})
}
