package analyze

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/analyze/tokens"
	"github.com/tailpath/tailpath/critical/engine"
	"github.com/tailpath/tailpath/critical/stage"
)

// chunked is a request of which an empty chunk comes 5 ms after the start, and then chunks of
// some tokens each, 40 ms apart.
func chunked(id int, of ...int64) visitor {
	v := visitor{start: int64(id) * 1000 * ms, legs: legs(0, stage.GPU, "decode", 900), instants: []int64{5 * ms}, brought: []int64{0}}
	for i, n := range of {
		v.instants, v.brought, v.output = append(v.instants, int64(i+1)*40*ms), append(v.brought, n), v.output+n
	}
	return v
}

// TestGapsAreOfTokensWhereChunksSayTheirNumber: chunks of two tokens every 40 ms are gaps of
// 20 ms in objectives, conditions, the context and over time; and of 40 ms where they do not say
// that they are of two.
func TestGapsAreOfTokensWhereChunksSayTheirNumber(t *testing.T) {
	for _, c := range []struct {
		uncounted bool
		met       float64 // share of the gaps of less than 30 ms
		p95       int64
		name      string
	}{{false, 1, 20 * ms, "itl"}, {true, 0, 40 * ms, "icl"}} {
		p := plant{engines: 1, ahead: 77 * ms}
		for id := range 30 {
			v := chunked(id, 1, 2, 2, 2, 2, 2, 2, 2, 2)
			if c.uncounted {
				v.instants, v.brought = v.instants[1:], nil
			}
			p.visitors = append(p.visitors, v)
		}
		set, engines := p.build()
		o, err := filter.ParseObjective("p95(itl) < 30ms", ObjectiveMetrics())
		if err != nil {
			t.Fatal(err)
		}
		opt := Options{Engines: engines, Replicates: 50}
		got := CapacityOf(set, opt, CapacityOptions{Objectives: []filter.Objective{o}})
		if term := got.Objectives[0].Terms[0]; term.Attainment.Value != c.met || term.Observed.Value != c.p95 || hasWarning(term.Attainment.Warnings, Chunks) != c.uncounted {
			t.Errorf("%s: %+v", c.name, term)
		}
		x := got.System.Context
		if p := x.ITL.P95; !p.Known || p.Value != c.p95 || !slices.Contains(x.Definitions, c.name) {
			t.Errorf("%s: the context has %v by %v", c.name, p, x.Definitions)
		}
		for _, l := range got.System.Latency.Whole {
			if l.Metric == metricITL && (l.Definition != c.name || l.Quantiles[1].Value != c.p95) {
				t.Errorf("over time: %+v", l)
			}
		}
		if got.System.Serving.Output == "tokens_emitted" == c.uncounted {
			t.Errorf("%s: output tokens are counted by %s", c.name, got.System.Serving.Output)
		}
	}
}

// TestSpacingIsThatOfStreams: whatever the chunks are, the gaps of a stream are the runs of
// package tokens, begin with the first token and end with the last.
func TestSpacingIsThatOfStreams(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := visitor{start: 1000 * ms, legs: legs(0, stage.GPU, "decode", 60_000), output: 1}
		at := rapid.Int64Range(0, 100).Draw(t, "first") * ms
		v.instants, v.brought = []int64{at}, []int64{1}
		chunks := []tokens.Chunk{{AtNS: at, Tokens: 1}}
		for range rapid.IntRange(5, 30).Draw(t, "chunks") {
			at += rapid.Int64Range(1, 1_000_000_000).Draw(t, "gap")
			n := rapid.Int64Range(0, 9).Draw(t, "tokens")
			v.instants, v.brought, v.output = append(v.instants, at), append(v.brought, n), v.output+n
			chunks = append(chunks, tokens.Chunk{AtNS: at, Tokens: n})
		}
		set, engines := plant{engines: 1, ahead: rapid.Int64Range(-900, 900).Draw(t, "ahead") * ms, visitors: []visitor{v}}.build()
		stream := tokens.NewStream(0, 60_000*ms, chunks)
		want := stream.Gaps()
		seen := false
		newSpacing(set, engines).each([]bool{true}, func(s *engine.Stream, gaps []gapAt) {
			if seen = true; len(want) < leastGaps {
				if len(gaps) > 0 {
					t.Fatalf("%d gaps of %d tokens", len(gaps), v.output)
				}
				return
			}
			if len(gaps) != len(want) {
				t.Fatalf("%d gaps of %d tokens", len(gaps), v.output)
			}
			next := gaps[0].start
			for i, g := range gaps {
				if g.ns != want[i] || g.start != next {
					t.Fatalf("gap %d is %+v, want %d ns from %d on", i, g, want[i], next)
				}
				next += g.ns
			}
			if first := s.Gaps[0].Start + stream.Times().FirstTokenNS - stream.Times().FirstChunkNS; gaps[0].start != first {
				t.Fatalf("gaps begin at %d, want %d", gaps[0].start, first)
			}
		})
		if !seen {
			t.Fatal("no stream")
		}
	})
}
