package stat

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// exactLaw returns the binomial probabilities as fractions.
func exactLaw(n int64, p Prob) []*big.Rat {
	success, failure := big.NewRat(p.Num, p.Den), big.NewRat(p.Den-p.Num, p.Den)
	power := func(x *big.Rat, k int64) *big.Rat {
		out := big.NewRat(1, 1)
		for range k {
			out.Mul(out, x)
		}
		return out
	}
	law := make([]*big.Rat, n+1)
	for k := range n + 1 {
		law[k] = new(big.Rat).SetInt(new(big.Int).Binomial(n, k))
		law[k].Mul(law[k], power(success, k))
		law[k].Mul(law[k], power(failure, n-k))
	}
	return law
}

// TestOrderIntervalAgainstFractions tries every rank with exact fractions.
func TestOrderIntervalAgainstFractions(t *testing.T) {
	half := big.NewRat(1, 40) // (1 - 0.95) / 2
	for _, p := range []Prob{P50, P90, P95, P99, {1, 10}, {1, 3}, {7, 100}} {
		for n := int64(1); n <= 60; n++ {
			law := exactLaw(n, p)
			atMost := func(k int64) *big.Rat {
				sum := new(big.Rat)
				for i := int64(0); i <= k && i <= n; i++ {
					sum.Add(sum, law[i])
				}
				return sum
			}
			var low, high int64 = -1, -1
			for l := int64(0); l <= n+1; l++ {
				if atMost(l-1).Cmp(half) <= 0 {
					low = l
				}
			}
			enough := new(big.Rat).Sub(big.NewRat(1, 1), half)
			for u := n + 1; u >= 0; u-- {
				if atMost(u-1).Cmp(enough) >= 0 {
					high = u
				}
			}
			got := OrderInterval(n, p, Confidence)
			if got.Low != low || got.High != high {
				t.Fatalf("%s of %d: ranks %d,%d, want %d,%d", p, n, got.Low, got.High, low, high)
			}
			covered, _ := new(big.Rat).Sub(atMost(high-1), atMost(low-1)).Float64()
			if math.Abs(got.Coverage-covered) > 1e-12 || got.Coverage < Confidence {
				t.Fatalf("%s of %d: coverage %v, want %v and at least %v", p, n, got.Coverage, covered, Confidence)
			}
		}
	}
}

// TestOrderIntervalCovers checks the promise at sizes that fractions cannot reach:
// coverage holds, and moving either end inwards would break its tail's share.
func TestOrderIntervalCovers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(1, 200_000).Draw(t, "n")
		den := rapid.Int64Range(2, 1000).Draw(t, "den")
		p := Prob{rapid.Int64Range(1, den-1).Draw(t, "num"), den}
		got := OrderInterval(n, p, Confidence)
		if got.Low < 0 || got.Low > got.High || got.High > n+1 {
			t.Fatalf("ranks %d,%d of %d values", got.Low, got.High, n)
		}
		if got.Coverage < Confidence-1e-9 {
			t.Fatalf("coverage %v", got.Coverage)
		}
		if r := p.Rank(n); got.Low > r || got.High < r {
			t.Fatalf("the percentile's own rank %d is outside %d,%d", r, got.Low, got.High)
		}
		law := newBinomial(n, p.Float())
		if law.atMost(got.Low) <= 0.025-1e-9 {
			t.Fatalf("the lower rank %d could be higher", got.Low)
		}
		if law.atLeast(got.High-1) <= 0.025-1e-9 {
			t.Fatalf("the upper rank %d could be lower", got.High)
		}
	})
}

// TestBinomialAgainstLogGamma checks the normalised law at large n.
func TestBinomialAgainstLogGamma(t *testing.T) {
	logGamma := func(x float64) float64 { l, _ := math.Lgamma(x); return l }
	for _, n := range []int64{10, 1000, 1_000_000, 20_000_000} {
		for _, p := range []float64{.5, .9, .99, .999, .0001} {
			law := newBinomial(n, p)
			var total float64
			for i, w := range law.weight {
				total += w
				k := law.first + int64(i)
				x := float64(k)
				log := logGamma(float64(n)+1) - logGamma(x+1) - logGamma(float64(n)-x+1) + x*math.Log(p) + (float64(n)-x)*math.Log1p(-p)
				if want := math.Exp(log); want > 1e-12 && math.Abs(w/want-1) > 1e-5 {
					t.Fatalf("n %d p %v k %d: %v, want %v", n, p, k, w, want)
				}
			}
			if math.Abs(total-1) > 1e-9 {
				t.Fatalf("n %d p %v: the law adds to %v", n, p, total)
			}
		}
	}
}

// TestUnseen compares with the exact interval of no success, and looks at what has no such
// interval.
func TestUnseen(t *testing.T) {
	for _, n := range []int64{1, 2, 3, 12, 20, 35, 1000, 1_000_000} {
		if got, want := Unseen(float64(n), .95), ClopperPearson(0, n, .95).High; math.Abs(got-want) > 1e-9 {
			t.Errorf("of %d: %v, want %v", n, got, want)
		}
	}
	if lower, between, upper := Unseen(21, .95), Unseen(20.5, .95), Unseen(20, .95); !(lower < between && between < upper) {
		t.Errorf("of 20 %v, of 20.5 %v, of 21 %v", upper, between, lower)
	}
	for _, n := range []float64{0, -1, math.NaN(), math.Inf(-1)} {
		if got := Unseen(n, .95); got != 1 {
			t.Errorf("of %v: %v", n, got)
		}
	}
	if got := Unseen(math.Inf(1), .95); got != 0 {
		t.Errorf("of endless trials: %v", got)
	}
}

func TestClopperPearsonHoldsItsConfidence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(1, 3000).Draw(t, "n")
		k := rapid.Int64Range(0, n).Draw(t, "k")
		b := ClopperPearson(k, n, .95)
		share := float64(k) / float64(n)
		if b.Low > share || b.High < share {
			t.Fatalf("%d/%d is outside [%v, %v]", k, n, b.Low, b.High)
		}
		if k > 0 && math.Abs(newBinomial(n, b.Low).atLeast(k)-.025) > 1e-6 {
			t.Fatalf("lower bound %v", b.Low)
		}
		if k < n && math.Abs(newBinomial(n, b.High).atMost(k)-.025) > 1e-6 {
			t.Fatalf("upper bound %v", b.High)
		}
		mirror := ClopperPearson(n-k, n, .95)
		if math.Abs(mirror.Low-(1-b.High)) > 1e-9 || math.Abs(mirror.High-(1-b.Low)) > 1e-9 {
			t.Fatalf("successes and failures are not treated alike: %v %v", b, mirror)
		}
	})
}

func TestRankIsTheLeast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		den := rapid.Int64Range(1, math.MaxInt32).Draw(t, "den")
		p := Prob{rapid.Int64Range(0, den).Draw(t, "num"), den}
		n := rapid.Int64Range(0, math.MaxInt64).Draw(t, "n")
		r := p.Rank(n)
		need := new(big.Int).Mul(big.NewInt(p.Num), big.NewInt(n))
		has := func(r int64) bool { return new(big.Int).Mul(big.NewInt(r), big.NewInt(p.Den)).Cmp(need) >= 0 }
		if !has(r) || r > 0 && has(r-1) {
			t.Fatalf("rank %d of %v among %d", r, p, n)
		}
	})
}

// TestQuantileAgreesWithAttainment checks why nearest rank was chosen: P99 <= T
// exactly when at least 99 % of the values are <= T.
func TestQuantileAgreesWithAttainment(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Int64Range(0, 50), 1, 400).Draw(t, "values")
		slices.Sort(values)
		p := rapid.SampledFrom([]Prob{P50, P90, P95, P99, P999, {7, 100}}).Draw(t, "p")
		limit := rapid.Int64Range(0, 50).Draw(t, "limit")
		var within int64
		for _, v := range values {
			if v <= limit {
				within++
			}
		}
		attained := within*p.Den >= int64(len(values))*p.Num
		if (NearestRank(values, p) <= limit) != attained {
			t.Fatalf("%s is %d, %d of %d within %d", p, NearestRank(values, p), within, len(values), limit)
		}
	})
}

// TestWeightedIsRepetition checks that a weight of k is k values, and that equal
// weights change nothing, whatever their size.
func TestWeightedIsRepetition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Int64Range(0, 100), 1, 60).Draw(t, "values")
		slices.Sort(values)
		p := rapid.SampledFrom([]Prob{P50, P90, P95, P99}).Draw(t, "p")
		var repeated []int64
		weights, equal := make([]float64, len(values)), make([]float64, len(values))
		same := rapid.Float64Range(1, 1e6).Draw(t, "same")
		for i, v := range values {
			k := rapid.IntRange(1, 9).Draw(t, "weight")
			weights[i], equal[i] = float64(k), same
			for range k {
				repeated = append(repeated, v)
			}
		}
		if got, want := values[WeightedRank(weights, p)-1], NearestRank(repeated, p); got != want {
			t.Fatalf("weighted %s %d, repeated %d", p, got, want)
		}
		if got, want := WeightedRank(equal, p), p.Rank(int64(len(values))); got != want {
			t.Fatalf("equal weights %v: rank %d, want %d", same, got, want)
		}
		q := WeightedQuantileOf(values, equal, p)
		if math.Abs(q.Effective-float64(len(values))) > 1e-9*q.Effective || q.Known != (int64(len(values)) >= q.Need) && math.Abs(q.Effective-float64(q.Need)) > 1e-6 {
			t.Fatalf("effective number of %d equal weights: %+v", len(values), q)
		}
	})
}

func TestSumIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOf(rapid.Int64()).Draw(t, "values")
		want := new(big.Int)
		for _, v := range values {
			want.Add(want, big.NewInt(v))
		}
		got := SumOf(values...)
		if got.Int().Cmp(want) != 0 || got.Sign() != want.Sign() {
			t.Fatalf("%v, want %v", got.Int(), want)
		}
		at := rapid.IntRange(0, len(values)).Draw(t, "split")
		if SumOf(values[:at]...).Plus(SumOf(values[at:]...)) != got {
			t.Fatal("a sum of sums differs")
		}
		n := int64(len(values))
		if n == 0 {
			return
		}
		rounded := big.NewRat(got.MeanRounded(n), 1)
		off := rounded.Sub(rounded, got.Mean(n))
		if off.Abs(off).Cmp(big.NewRat(1, 2)) > 0 {
			t.Fatalf("mean %v was rounded to %d", got.Mean(n), got.MeanRounded(n))
		}
	})
}

func TestDivRoundIsMeanRounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.Int64Range(0, math.MaxInt64).Draw(t, "a")
		b := rapid.Int64Range(1, math.MaxInt64).Draw(t, "b")
		if got, want := DivRound(a, b), SumOf(a).MeanRounded(b); got != want {
			t.Fatalf("%d/%d was rounded to %d, want %d", a, b, got, want)
		}
	})
}

func TestApportionAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Int64Range(-1_000_000, math.MaxInt64/4), 1, 12).Draw(t, "values")
		units := rapid.SampledFrom([]int64{0, 1, 100, 1000, 123_456_789}).Draw(t, "units")
		sums := make([]Sum, len(values))
		total := new(big.Rat)
		for i, v := range values {
			sums[i] = SumOf(v)
			total.Add(total, big.NewRat(v, 1))
		}
		got := ApportionSums(sums, units)
		if total.Sign() == 0 {
			if got != nil {
				t.Fatalf("shares of nothing: %v", got)
			}
			return
		}
		var sum int64
		for i, g := range got {
			sum += g
			exact := new(big.Rat).Quo(big.NewRat(values[i], 1), total)
			exact.Mul(exact, big.NewRat(units, 1))
			off := exact.Sub(exact, big.NewRat(g, 1))
			if off.Abs(off).Cmp(big.NewRat(1, 1)) >= 0 {
				t.Fatalf("part %d is a unit or more off: %v", i, got)
			}
		}
		if sum != units {
			t.Fatalf("%v adds to %d, want %d", got, sum, units)
		}
	})
}

// TestRoundPartsMovesNoPartByAUnit rounds parts that may cancel out to their sum
// rounded either way.
func TestRoundPartsMovesNoPartByAUnit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var parts []*big.Rat
		sum := new(big.Rat)
		for range rapid.IntRange(1, 9).Draw(t, "n") {
			p := big.NewRat(rapid.Int64Range(-1<<40, 1<<40).Draw(t, "num"), rapid.Int64Range(1, 1<<20).Draw(t, "den"))
			parts = append(parts, p)
			sum.Add(sum, p)
		}
		if rapid.Bool().Draw(t, "cancelling") {
			parts = append(parts, new(big.Rat).Neg(sum))
			sum.SetInt64(0)
		}
		whole := new(big.Int).Div(sum.Num(), sum.Denom()).Int64()
		if !sum.IsInt() && rapid.Bool().Draw(t, "up") {
			whole++
		}
		got := RoundParts(parts, whole)
		for i, x := range got {
			whole -= x
			off := new(big.Rat).Sub(parts[i], big.NewRat(x, 1))
			if off.Abs(off).Cmp(big.NewRat(1, 1)) >= 0 {
				t.Fatalf("%v was rounded to %d", parts[i], x)
			}
		}
		if whole != 0 {
			t.Fatalf("the parts miss the whole by %d", whole)
		}
	})
}

// TestRoundPartsReachesEveryWhole: a whole that is not the sum is reached too.
func TestRoundPartsReachesEveryWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := make([]*big.Rat, rapid.IntRange(1, 5).Draw(t, "n"))
		for i := range parts {
			parts[i] = big.NewRat(rapid.Int64Range(-100, 100).Draw(t, "num"), 7)
		}
		whole := rapid.Int64Range(-1000, 1000).Draw(t, "whole")
		left := whole
		for _, x := range RoundParts(parts, whole) {
			left -= x
		}
		if left != 0 {
			t.Fatalf("the parts miss %d by %d", whole, left)
		}
	})
	if got := RoundParts(nil, 3); len(got) != 0 {
		t.Errorf("no parts were rounded to %v", got)
	}
}
