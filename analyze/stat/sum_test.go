package stat

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// anySum draws sums whose multiples by up to 2^31 fit in 128 bits.
func anySum(t *rapid.T, label string) Sum {
	edge := rapid.SampledFrom([]int64{0, 1, -1, 1<<53 - 1, 1<<53 + 1, math.MaxInt64, math.MinInt64})
	values := rapid.SliceOfN(rapid.OneOf(rapid.Int64(), rapid.Int64Range(-9, 9), edge), 0, 5).Draw(t, label)
	s := SumOf(values...)
	if rapid.Bool().Draw(t, label+" many") {
		s = s.Times(rapid.Int64Range(0, 1<<31).Draw(t, label+" times"))
	}
	return s
}

func TestSumArithmetic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := anySum(t, "a"), anySum(t, "b")
		n := rapid.Int64Range(0, 1<<29).Draw(t, "n")
		equal := func(what string, got Sum, want *big.Int) {
			if got.Int().Cmp(want) != 0 {
				t.Fatalf("%s of %v and %v, %d, is %v, want %v", what, a.Int(), b.Int(), n, got.Int(), want)
			}
		}
		equal("sum", a.Plus(b), new(big.Int).Add(a.Int(), b.Int()))
		equal("difference", a.Minus(b), new(big.Int).Sub(a.Int(), b.Int()))
		equal("multiple", a.Times(n), new(big.Int).Mul(a.Int(), big.NewInt(n)))
		want, _ := new(big.Float).SetInt(a.Int()).Float64()
		if got := a.Float(); got != want {
			t.Fatalf("%v as a number is %v, want %v", a.Int(), got, want)
		}
	})
}
