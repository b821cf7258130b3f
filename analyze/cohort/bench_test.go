package cohort

import (
	"fmt"
	"testing"
)

// BenchmarkOf compares a million requests in 30 attributes: 20 of categories, from 2 to
// 150 of them, 9 of numbers and an id.
func BenchmarkOf(b *testing.B) {
	const n = 1_000_000
	l := newLoad(n, second/50, 1, oneIn(20))
	for a := range 20 {
		l.noise(fmt.Sprintf("category %d", a), []int{2, 3, 8, 60, 150}[a%5])
	}
	for a := range 9 {
		l.number(fmt.Sprintf("number %d", a), func(i int) float64 { return float64(int(1000 * l.random.ExpFloat64())) })
	}
	ids := make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprint(i)
	}
	l.add("id", ids, func(i int) int { return i })
	b.ResetTimer()
	for b.Loop() {
		if r := Of(l.Sample, Options{}); r.Count(Tested) != 29 {
			b.Fatalf("%d tested", r.Count(Tested))
		}
	}
}
