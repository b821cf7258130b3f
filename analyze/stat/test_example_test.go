package stat_test

import (
	"fmt"

	"github.com/tailpath/tailpath/analyze/stat"
)

func ExampleGTest() {
	// Sixty of 100 slow requests have a long input, and 45 of 900 others do.
	g := stat.GTest([][]int64{{60, 40}, {45, 855}})
	fmt.Printf("%s %.2f P %.0e V %.2f\n", g.Method, g.Statistic, g.P, g.Effect)
	fmt.Printf("%.3f bits\n", stat.JensenShannon([]float64{60, 40}, []float64{45, 855}))
	f := stat.AttributableFraction(60, 45, 40, 855)
	fmt.Printf("%.2f between %.2f and %.2f, n %d\n", f.Value, f.Bounds.Low, f.Bounds.High, f.N)
	// Output:
	// g-test 179.93 P 5e-41 V 0.54
	// 0.281 bits
	// 0.55 between 0.44 and 0.64, n 1000
}

func ExampleMannWhitney() {
	t := stat.MannWhitney([]int64{10, 12, 14}, []int64{11, 13, 15, 16})
	fmt.Println(t.Method, t.Statistic, t.Effect, t.P)
	// Output: mann-whitney-exact 9 0.75 0.4
}

func ExampleRuleNamed() {
	sorted := []int64{100, 110, 120, 130, 2540}
	for _, name := range []string{"nearest-rank", "linear_r7", "ddsketch"} {
		rule, err := stat.RuleNamed(name)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(name, rule.At(sorted, stat.P99))
	}
	_, err := stat.RuleNamed("median")
	fmt.Println(err)
	// Output:
	// nearest-rank 2540
	// linear_r7 2443.6
	// ddsketch 130
	// percentile rule "median" is not known; there are nearest-rank, linear_r7, r8, mlperf_floor, pa_round, ddsketch, hdr
}

func ExampleSketch() {
	morning, evening := stat.NewSketch(), stat.NewSketch()
	for i := range int64(3000) {
		morning.Add(1_000_000 + i)
		evening.Add(9_000_000 + i)
	}
	morning.Merge(evening)
	q := morning.Quantile(stat.P99)
	fmt.Printf("%s of %d by %s: %.2g ns, up to %.0f %% off\n", q.P, q.N, q.Method, q.Value, 100*q.Error)
	// Output: p99 of 6000 by ddsketch: 9e+06 ns, up to 1 % off
}
