package stat

import (
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestNamedRulesGolden(t *testing.T) {
	five := []int64{100, 110, 120, 130, 2540}
	names := []string{"nearest-rank", "linear_r7", "r8", "mlperf_floor", "pa_round", "ddsketch", "hdr"}
	if diff := cmp.Diff(names, RuleNames()); diff != "" {
		t.Fatalf("names (-want +got):\n%s", diff)
	}
	for _, c := range []struct {
		name string
		data []int64
		p    Prob
		want []float64 // by name
	}{
		{"five", five, P90, []float64{2540, 1576, 2540, 2540, 2540, 130, 2540}},
		{"five", five, P95, []float64{2540, 2058, 2540, 2540, 2540, 130, 2540}},
		{"five", five, P99, []float64{2540, 2443.6, 2540, 2540, 2540, 130, 2540}},
		{"1..100", upTo(100), P50, []float64{50, 50.5, 50.5, 51, 51, 50, 50}},
		{"1..100", upTo(100), P90, []float64{90, 90.1, 90.6333, 91, 90, 90, 90}},
		{"1..100", upTo(100), P95, []float64{95, 95.05, 95.65, 96, 95, 95, 95}},
		{"1..100", upTo(100), P99, []float64{99, 99.01, 99.6633, 100, 99, 99, 99}},
		{"1..20", upTo(20), P95, []float64{19, 19.05, 19.65, 20, 19, 19, 19}},
		{"one", []int64{7}, P99, []float64{7, 7, 7, 7, 7, 7, 7}},
		{"all", five, Prob{1, 1}, []float64{2540, 2540, 2540, 2540, 2540, 2540, 2540}},
		{"none", five, Prob{0, 1}, []float64{100, 100, 100, 100, 100, 100, 100}},
	} {
		for i, name := range names {
			rule, err := RuleNamed(name)
			if err != nil {
				t.Fatal(err)
			}
			if got := rule.At(c.data, c.p); math.Abs(got-c.want[i]) > .00005 || rule.Name() != name {
				t.Errorf("%s %s by %s: %v, want %v", c.name, c.p, name, got, c.want[i])
			}
		}
	}
	if _, err := RuleNamed("r9"); err == nil || !strings.Contains(err.Error(), "linear_r7, r8") {
		t.Errorf("an unknown rule: %v", err)
	}
}

// TestNamedRulesAgainstFractions computes every rule from its formula in fractions.
func TestNamedRulesAgainstFractions(t *testing.T) {
	half, third := big.NewRat(1, 2), big.NewRat(1, 3)
	rat := func(n int64) *big.Rat { return big.NewRat(n, 1) }
	plus := func(a, b *big.Rat) *big.Rat { return new(big.Rat).Add(a, b) }
	times := func(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }
	floor := func(r *big.Rat) *big.Rat { return new(big.Rat).SetInt(new(big.Int).Div(r.Num(), r.Denom())) }
	// Positions are 0-based.
	formulas := map[string]func(n, p *big.Rat) *big.Rat{
		"nearest-rank": func(n, p *big.Rat) *big.Rat {
			return plus(new(big.Rat).Neg(floor(new(big.Rat).Neg(times(p, n)))), rat(-1))
		},
		"linear_r7":    func(n, p *big.Rat) *big.Rat { return times(p, plus(n, rat(-1))) },
		"r8":           func(n, p *big.Rat) *big.Rat { return plus(plus(times(p, plus(n, third)), third), rat(-1)) },
		"mlperf_floor": func(n, p *big.Rat) *big.Rat { return floor(times(p, n)) },
		"pa_round":     func(n, p *big.Rat) *big.Rat { return floor(plus(times(p, plus(n, rat(-1))), half)) },
		"ddsketch":     func(n, p *big.Rat) *big.Rat { return floor(times(p, plus(n, rat(-1)))) },
		"hdr":          func(n, p *big.Rat) *big.Rat { return plus(floor(plus(times(p, n), half)), rat(-1)) },
	}
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Int64Range(-1000, 1000), 1, 60).Draw(t, "values")
		slices.Sort(values)
		den := rapid.Int64Range(1, 1000).Draw(t, "den")
		p := Prob{rapid.Int64Range(0, den).Draw(t, "num"), den}
		for _, name := range RuleNames() {
			rule, _ := RuleNamed(name)
			at := formulas[name](rat(int64(len(values))), big.NewRat(p.Num, p.Den))
			if at.Cmp(rat(int64(len(values))-1)) > 0 {
				at = rat(int64(len(values)) - 1)
			}
			if at.Sign() < 0 {
				at = rat(0)
			}
			whole := new(big.Int).Div(at.Num(), at.Denom()).Int64()
			share, _ := plus(at, rat(-whole)).Float64()
			want := float64(values[whole])
			if share > 0 {
				want += share * float64(values[whole+1]-values[whole])
			}
			if got := rule.At(values, p); math.Abs(got-want) > 1e-9 {
				t.Fatalf("%s of %v by %s: %v, want %v", p, values, name, got, want)
			}
		}
	})
}

// TestNamedRulesKeepOrder: a greater percentile is no smaller, values or not.
func TestNamedRulesKeepOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Int64(), 1, 50).Draw(t, "values")
		slices.Sort(values)
		for _, name := range RuleNames() {
			rule, _ := RuleNamed(name)
			last := math.Inf(-1)
			for num := range int64(201) {
				got := rule.At(values, Prob{num, 200})
				if got < last || got < float64(values[0]) || got > float64(values[len(values)-1]) {
					t.Fatalf("%s: %d/200 is %v, after %v", name, num, got, last)
				}
				last = got
			}
		}
	})
}

func TestNamedIsRefusedAsNearestRankIs(t *testing.T) {
	for _, name := range RuleNames() {
		rule, _ := RuleNamed(name)
		for _, n := range []int64{0, 298, 299} {
			got, q := rule.Of(upTo(n), P99), QuantileOf(upTo(n), P99)
			if got.Known != q.Known || got.N != n || got.Need != 299 || got.Method != name || got.Known == (len(got.Warnings) == 1) {
				t.Errorf("%s of %d: %+v", name, n, got)
			}
		}
	}
}

func TestBackFillGolden(t *testing.T) {
	const ms = 1_000_000
	values := []int64{100 * ms}
	for range 9 {
		values = append(values, 1*ms)
	}
	got, err := BackFill(values, 10*ms)
	if err != nil || len(got) != 19 {
		t.Fatalf("%d values, %v", len(got), err)
	}
	slices.Sort(values)
	for _, c := range []struct {
		p             Prob
		before, after int64
	}{{P90, 1, 90}, {P50, 1, 10}} {
		if NearestRank(values, c.p) != c.before*ms || NearestRank(got, c.p) != c.after*ms {
			t.Errorf("%s: %d ns before and %d ns after, want %d ms and %d ms", c.p, NearestRank(values, c.p), NearestRank(got, c.p), c.before, c.after)
		}
	}
	if before, after := SumOf(values...).MeanRounded(10), SumOf(got...).MeanRounded(19); before != 10_900_000 || after != 29_421_053 {
		t.Errorf("mean %d ns before and %d ns after, want 10.9 ms and 29.42 ms", before, after)
	}
	for _, interval := range []int64{0, -5} {
		if _, err := BackFill(values, interval); err == nil {
			t.Errorf("an interval of %d ns is no error", interval)
		}
	}
	if _, err := BackFill([]int64{math.MaxInt64, math.MaxInt64}, 1); err == nil || !strings.Contains(err.Error(), "longer") {
		t.Errorf("more values than memory: %v", err)
	}
}

// TestBackFillLevels checks the definition: for each value v, what is added are v less
// multiples of the interval, none below it.
func TestBackFillLevels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOf(rapid.Int64Range(-100, 3000)).Draw(t, "values")
		interval := rapid.Int64Range(1, 500).Draw(t, "interval")
		got, err := BackFill(values, interval)
		if err != nil {
			t.Fatal(err)
		}
		want := slices.Clone(values)
		for _, v := range values {
			for k := int64(1); v-k*interval >= interval; k++ {
				want = append(want, v-k*interval)
			}
		}
		slices.Sort(want)
		if !slices.Equal(got, want) || cap(got) != len(got) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}
