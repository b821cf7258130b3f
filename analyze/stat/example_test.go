package stat_test

import (
	"fmt"

	"github.com/tailpath/tailpath/analyze/stat"
)

func ExampleQuantileOf() {
	sorted := []int64{100, 110, 120, 130, 2540}
	q := stat.QuantileOf(sorted, stat.P50)
	fmt.Println(q.P, q.Value, q.HasLow, q.HasHigh)
	for _, w := range q.Warnings {
		fmt.Println(w.ID+":", w.Text)
	}
	q = stat.QuantileOf(sorted, stat.P99)
	fmt.Println(q.P, q.Known, q.Warnings[0].Text)
	// Output:
	// p50 120 false false
	// no-upper-bound: p50 of 5 values has no upper bound; that takes 6
	// low-n: p50 stands on few values: 2 of 5 lie beyond it, ten would take 20
	// p99 false p99 needs at least 299 values and there are 5
}

func ExampleApportionSums() {
	parts := []stat.Sum{stat.SumOf(1), stat.SumOf(1), stat.SumOf(1)}
	fmt.Println(stat.ApportionSums(parts, 1000))
	// Output: [334 333 333]
}
