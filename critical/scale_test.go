package critical

import (
	"runtime"
	"testing"

	"github.com/tailpath/tailpath/ingest/table"
)

// The shapes that break tree walks: many children of one parent, in series or all at
// once; one long chain; a chain in which every span follows its ended parent; a long
// chain of hand-offs.
var shapes = []struct {
	name string
	make func(n int) []testSpan
	want func(r *Request, n int) bool
}{
	{"wide", func(n int) []testSpan {
		spans := []testSpan{{id: 1, kind: 2, start: 0, end: int64(n) * 10}}
		for i := 1; i < n; i++ {
			spans = append(spans, testSpan{id: uint64(i + 1), parent: 1, kind: 1, start: int64(i) * 10, end: int64(i)*10 + 9})
		}
		return spans
	}, func(r *Request, n int) bool { return len(r.EndPath) == 2*n-1 }},
	{"parallel", func(n int) []testSpan {
		spans := []testSpan{{id: 1, kind: 2, start: 0, end: int64(n) * 10}}
		for i := 1; i < n; i++ {
			spans = append(spans, testSpan{id: uint64(i + 1), parent: 1, kind: 1, start: 5, end: int64(i) * 10})
		}
		return spans
	}, func(r *Request, n int) bool { return len(r.EndPath) == 3 }},
	{"deep", func(n int) []testSpan {
		spans := make([]testSpan, n)
		for i := range spans {
			spans[i] = testSpan{id: uint64(i + 1), parent: uint64(i), kind: 1, start: int64(i), end: int64(2*n - i)}
		}
		return spans
	}, func(r *Request, n int) bool { return len(r.EndPath) == 2*n-1 }},
	{"successors", func(n int) []testSpan {
		spans := []testSpan{{id: 1, kind: 2, start: 0, end: int64(n) * 10}}
		for i := 1; i < n; i++ {
			spans = append(spans, testSpan{id: uint64(i + 1), parent: uint64(i), kind: 1, start: int64(i) * 10, end: int64(i)*10 + 9})
		}
		return spans
	}, func(r *Request, n int) bool { return len(r.EndPath) >= n }},
	{"hand-offs", func(n int) []testSpan {
		spans := []testSpan{{id: 1, kind: 2, start: 0, end: int64(n) * 10}}
		for i := 1; i < n; i++ {
			kind := uint8(kindConsumer)
			if i%2 == 1 {
				kind = kindProducer
			}
			spans = append(spans, testSpan{id: uint64(i + 1), parent: uint64(i), kind: kind, start: int64(i) * 10, end: int64(i)*10 + 5})
		}
		return spans
	}, func(r *Request, n int) bool { return len(r.EndPath) > 0 }},
	{"containers", func(n int) []testSpan {
		spans := []testSpan{{id: 1, kind: 2, start: 0, end: int64(n) * 10}}
		for i := 1; i < n; i++ { // each begins before its parent, so that it is met first
			spans = append(spans, testSpan{
				id: uint64(i + 1), parent: uint64(i), kind: 1, start: int64(n-i) * 5, end: int64(n) * 9, scope: "sglang server", name: "Scheduler",
			})
		}
		return spans
	}, func(r *Request, n int) bool { return len(r.EndPath) == 1 }},
	{"first tokens", func(n int) []testSpan {
		spans := make([]testSpan, n)
		for i := range spans {
			spans[i] = testSpan{
				id: uint64(i + 1), parent: uint64(i), kind: 1, start: int64(i), end: int64(2*n - i), scope: "sglang server", name: "prefill_forward",
			}
		}
		return spans
	}, func(r *Request, n int) bool { return r.TokenPath != nil }},
	{"outside below", func(n int) []testSpan { // half a chain, half leaves that only the root holds
		spans := []testSpan{{id: 1, kind: 2, start: 0, end: int64(n) * 10}}
		for i := 1; i < n; i++ {
			s := testSpan{id: uint64(i + 1), parent: uint64(min(i, n/2)), kind: 1, start: int64(n) * 5, end: int64(n)*5 + int64(n-i) + 1}
			if i > n/2 {
				s.start, s.end = int64(i), int64(i)+1
			}
			spans = append(spans, s)
		}
		return spans
	}, func(r *Request, n int) bool { return len(r.EndPath) > n/2 }},
	{"alternating ancestors", func(n int) []testSpan {
		wide := int64(n) * 10
		spans := []testSpan{{id: 1, kind: 2, start: 0, end: 12 * wide}}
		for i := 1; i < n; i++ {
			s := testSpan{id: uint64(i + 1), parent: uint64(min(i, n/2)), kind: 1, start: 0, end: wide}
			switch {
			case i > n/2:
				s.start, s.end = wide*12/10, wide*13/10+int64(i)
			case i%2 == 0:
				s.start, s.end = 2*wide, 10*wide
			}
			spans = append(spans, s)
		}
		return spans
	}, func(r *Request, n int) bool { return len(r.EndPath) > 0 }},
}

// traces are shapes of many requests in one trace.
var traces = []struct {
	name string
	make func(n int) []testSpan
}{
	{"roots in turn", func(n int) []testSpan {
		var spans []testSpan
		for i := range n {
			spans = append(spans, testSpan{id: uint64(i + 1), kind: 2, start: int64(i) * 10, end: int64(i)*10 + 9})
		}
		return spans
	}},
	{"requests under a start-up span", func(n int) []testSpan {
		var spans []testSpan
		for i := range n {
			spans = append(spans, testSpan{id: uint64(i + 1), parent: 1, kind: 2, start: int64(i) + 1, end: int64(i + n), scope: "vllm.tracing.otel", name: "llm_request"})
		}
		spans[0] = testSpan{id: 1, kind: 1, start: 0, end: 5, scope: "vllm.tracing.otel", name: "Load model"}
		return spans
	}},
	{"orphans", func(n int) []testSpan {
		spans := []testSpan{{id: 1, kind: 2, start: 0, end: 100}}
		for i := 1; i < n; i++ {
			spans = append(spans, testSpan{id: uint64(i + 1), parent: uint64(n + i), kind: 1, start: int64(i), end: int64(i) + 5})
		}
		return spans
	}},
}

// TestManyRequests builds traces of 100,000 spans that are many requests.
func TestManyRequests(t *testing.T) {
	if raceEnabled {
		t.Skip("too slow with the race detector")
	}
	for _, shape := range traces {
		t.Run(shape.name, func(t *testing.T) {
			const n = 100_000
			set := setOf(shape.make(n))
			requests, err := buildAll(set, Options{Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			spans := 0
			for _, r := range requests {
				spans += len(r.Spans) + len(r.Excluded)
			}
			if want := map[string]int{"orphans": 1}[shape.name]; spans != n || want > 0 && len(requests) != want || want == 0 && len(requests) != n {
				t.Errorf("%d requests with %d spans", len(requests), spans)
			}
		})
	}
}

// TestShapes builds each shape, and checks that memory grows with the number of spans
// and no faster. Work in squares would take minutes here; BenchmarkBuild has figures.
func TestShapes(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector slows this down and changes what is allocated")
	}
	for _, shape := range shapes {
		t.Run(shape.name, func(t *testing.T) {
			allocated := func(n int) uint64 {
				set := setOf(shape.make(n))
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				requests, err := buildAll(set, Options{Workers: 1})
				runtime.ReadMemStats(&after)
				if err != nil {
					t.Fatal(err)
				}
				if len(requests) != 1 || !shape.want(requests[0], n) {
					t.Errorf("n=%d: %d requests, %d segments", n, len(requests), len(requests[0].EndPath))
				}
				return after.TotalAlloc - before.TotalAlloc
			}
			small, large := allocated(25_000), allocated(100_000)
			if large > 6*small {
				t.Errorf("25,000 spans take %d bytes, 100,000 take %d", small, large)
			}
		})
	}
}

func BenchmarkBuild(b *testing.B) {
	for _, shape := range shapes {
		b.Run(shape.name+"-100k", func(b *testing.B) {
			set := setOf(shape.make(100_000))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := buildAll(set, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("small-20k-traces", func(b *testing.B) {
		set := table.NewSet()
		for n := range 20_000 {
			addTrace(set, 1, away([]testSpan{
				{id: uint64(5*n + 1), kind: kindClient, start: 0, end: 1000, service: "client"},
				{id: uint64(5*n + 2), parent: uint64(5*n + 1), kind: kindServer, start: 10, end: 990, service: "gateway"},
				{id: uint64(5*n + 3), parent: uint64(5*n + 2), kind: kindClient, start: 20, end: 980, service: "gateway"},
				{id: uint64(5*n + 4), parent: uint64(5*n + 3), kind: kindServer, start: 30, end: 970, service: "engine"},
				{id: uint64(5*n + 5), parent: uint64(5*n + 4), kind: 1, start: 40, end: 960, service: "engine"},
			}, int64(n)))
			for i := set.Spans.Len() - 5; i < set.Spans.Len(); i++ {
				set.Spans.TraceID[i] = table.TraceID{12: byte(n >> 16), 13: byte(n >> 8), 14: byte(n), 15: 1}
			}
		}
		set.Canonicalize()
		b.ReportAllocs()
		for b.Loop() {
			if _, err := buildAll(set, Options{}); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(20_000*float64(b.N)/b.Elapsed().Seconds(), "requests/s")
	})
}
