package critical

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/critical/stage"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// messy draws what real captures hold: several roots, lost parents, shared and
// repeated ids, cycles, negative, empty, endless and absurd times.
func messy(most int) *rapid.Generator[[]testSpan] {
	return rapid.Custom(func(t *rapid.T) []testSpan {
		n := rapid.IntRange(1, most).Draw(t, "n")
		spans := make([]testSpan, n)
		for i := range spans {
			at := rapid.OneOf(rapid.Int64Range(0, 40), rapid.Int64Range(0, 4e9),
				rapid.SampledFrom([]int64{0, 1, 17e17, 1<<62 - 1, math.MaxInt64, math.MinInt64, -6e18})).Draw(t, "start")
			spans[i] = testSpan{
				id:     uint64(rapid.IntRange(1, n+1).Draw(t, "id")),
				parent: uint64(rapid.IntRange(0, n+2).Draw(t, "parent")),
				kind:   uint8(rapid.IntRange(0, 5).Draw(t, "kind")),
				start:  at,
				end: rapid.OneOf(rapid.Just(int64(0)), rapid.Just(at), rapid.Int64Range(0, 60),
					rapid.Int64Range(at, max(at, at+4e9)), rapid.SampledFrom([]int64{math.MaxInt64, 6e18, -1})).Draw(t, "end"),
				service: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "service"),
				name:    rapid.SampledFrom([]string{"x", "llm_request", "Scheduler"}).Draw(t, "name"),
				scope:   rapid.SampledFrom([]string{"", "vllm.tracing.otel", "sglang server"}).Draw(t, "scope"),
			}
		}
		return spans
	})
}

// TestConservation checks Validate on anything, and that every span in is on a
// path, off it, or excluded by a reason, once.
func TestConservation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spans := messy(12).Draw(t, "spans")
		for _, jaeger := range []bool{false, true} {
			requests, err := buildAll(setOf(spans), Options{Jaeger: jaeger, Workers: 1})
			if err != nil {
				t.Fatalf("%+v: %v", spans, err)
			}
			seen := map[int32]bool{}
			for _, r := range requests {
				for _, s := range r.Spans {
					seen[s.Row] = true
				}
				for _, e := range r.Excluded {
					seen[e.Row] = true
				}
			}
			if len(seen) != len(spans) {
				t.Fatalf("%d spans in, %d accounted for: %+v", len(spans), len(seen), spans)
			}
		}
	})
}

// spell is a full spelling of what was built, for comparing.
func spell(requests []*Request) string {
	var out strings.Builder
	for _, r := range requests {
		fmt.Fprintf(&out, "%+v\n", *r)
	}
	return out.String()
}

// TestOrder checks that neither the order of spans nor the number of workers
// changes anything.
func TestOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spans := messy(12).Draw(t, "spans")
		requests, _ := buildAll(setOf(spans), Options{Workers: 1})
		want := spell(requests)
		for seed := range uint64(50) {
			shuffled := slices.Clone(spans)
			rand.New(rand.NewPCG(seed, 1)).Shuffle(len(shuffled), func(i, j int) {
				shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
			})
			requests, _ := buildAll(setOf(shuffled), Options{Workers: int(seed%3) + 1})
			if got := spell(requests); got != want {
				t.Fatalf("order matters: %+v\ngot  %s\nwant %s", shuffled, got, want)
			}
		}
	})
}

// totals are the stage times of the end path of the first request.
func totals(t *rapid.T, spans []testSpan) [stage.Count]int64 {
	requests, err := buildAll(setOf(spans), Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	return requests[0].EndPath.Stages()
}

// away moves a graph from time 0, where an end of 0 has a meaning of its own.
func away(spans []testSpan, by int64) []testSpan {
	out := slices.Clone(spans)
	for i := range out {
		out[i].start += by
		out[i].end += by
	}
	return out
}

// TestMetamorphic checks changes that must not change stage totals.
func TestMetamorphic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spans := away(graphs(9).Draw(t, "spans"), 1000)
		want := totals(t, spans)
		check := func(what string, changed []testSpan) {
			if got := totals(t, changed); got != want {
				t.Fatalf("%s: %+v\ngot  %v\nwant %v", what, changed, got, want)
			}
		}
		check("shift", away(spans, rapid.Int64Range(0, 17e17).Draw(t, "by")))

		renamed := slices.Clone(spans)
		for i := range renamed { // ids in the same order, so that ties fall alike
			renamed[i].id *= 1000
			renamed[i].parent *= 1000
		}
		check("rename", renamed)

		zero := rapid.IntRange(0, len(spans)-1).Draw(t, "parent of zero")
		at := rapid.Int64Range(1000, 2200).Draw(t, "zero at")
		check("zero-length span", append(slices.Clone(spans), testSpan{
			id: 500, parent: spans[zero].id, kind: 1, start: at, end: at, service: "s", name: "c",
		}))
	})
}

// TestSplit checks that a span cut into two back-to-back children of its own stage
// leaves the stage totals as they are.
func TestSplit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spans := away(graphs(9).Draw(t, "spans"), 1000)
		leaf := rapid.IntRange(0, len(spans)-1).Draw(t, "leaf")
		s := spans[leaf]
		isLeaf := !slices.ContainsFunc(spans, func(c testSpan) bool { return c.parent == s.id })
		if !isLeaf || s.kind == kindClient || s.kind == kindProducer || s.end-s.start < 2 {
			t.Skip("nothing to split")
		}
		middle := rapid.Int64Range(s.start+1, s.end-1).Draw(t, "middle")
		split := append(slices.Clone(spans),
			testSpan{id: 600, parent: s.id, kind: 1, start: s.start, end: middle, service: "s", name: "c"},
			testSpan{id: 601, parent: s.id, kind: 1, start: middle, end: s.end, service: "s", name: "c"})
		if got, want := totals(t, split), totals(t, spans); got != want {
			t.Fatalf("split of %d at %d: %+v\ngot  %v\nwant %v", s.id, middle, spans, got, want)
		}
	})
}

// TestDetachedChildChangesNothing adds a child that its parent does not wait for.
func TestDetachedChildChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spans := away(graphs(9).Draw(t, "spans"), 1000)
		p := spans[rapid.IntRange(0, len(spans)-1).Draw(t, "parent")]
		if p.kind == kindClient || p.end-p.start < 100 {
			t.Skip("too short to outlive")
		}
		late := append(slices.Clone(spans), testSpan{
			id: 700, parent: p.id, kind: 1, start: p.start + 1, end: p.end + 1e9, service: "s", name: "c",
		})
		if got, want := totals(t, late), totals(t, spans); got != want {
			t.Fatalf("%+v\ngot  %v\nwant %v", late, got, want)
		}
	})
}

// FuzzBuild builds requests of spans made of any bytes: 7 bytes a span.
func FuzzBuild(f *testing.F) {
	f.Add([]byte{1, 0, 2, 0, 100, 0, 0, 2, 1, 3, 10, 50, 1, 1, 3, 2, 2, 5, 60, 2, 2})
	f.Add([]byte{1, 1, 1, 9, 3, 0, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		var spans []testSpan
		for ; len(data) >= 7 && len(spans) < 200; data = data[7:] {
			start := int64(data[3]) << (data[6] % 48)
			spans = append(spans, testSpan{
				id: uint64(data[0]), parent: uint64(data[1]), kind: data[2] % 6,
				start: start, end: start + (int64(data[4])-4)<<(data[6]/8%32),
				service: string('a' + rune(data[5]%4)), name: []string{"x", "llm_request", "Scheduler", "compute"}[data[5]/4%4],
				scope: []string{"", "vllm.tracing.otel", "sglang server", "triton-server"}[data[5]/16%4],
			})
		}
		if len(spans) == 0 {
			return
		}
		if _, err := buildAll(setOf(spans), Options{Workers: 1}); err != nil {
			t.Fatal(err)
		}
	})
}
