package analyze

import "testing"

// BenchmarkSummarize analyses 100,000 requests with their segments.
func BenchmarkSummarize(b *testing.B) {
	var requests []given
	for i := range 100_000 {
		g := given{id: uint64(i * 7919 % 100_000), start: int64(i) * 10 * ms, tokens: 50, ttft: true, decode: 20 * ms}
		for k := range g.times {
			g.times[k] = int64(i*(k+3)%97) * ms
		}
		g.times[4] += 20 * ms
		requests = append(requests, g)
	}
	set := tables(requests)
	b.ReportAllocs()
	b.ResetTimer()
	for b.Loop() {
		Summarize(set, Options{})
	}
}
