package attribution

import (
	"testing"

	"github.com/tailpath/tailpath/analyze/stat"
)

func BenchmarkOf(b *testing.B) {
	s := queueLoad{rate: .7, drag: true}.capture(1, 1_000_000)
	b.ResetTimer()
	for b.Loop() {
		Of(s, Options{Q: stat.P99, Seed: 1, Workers: 2})
	}
}
