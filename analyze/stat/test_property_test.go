package stat

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// few draws values of which many are equal.
func few(t *rapid.T, name string, atMost int) []int64 {
	return rapid.SliceOfN(rapid.OneOf(rapid.Int64Range(-3, 3), rapid.Int64()), 1, atMost).Draw(t, name)
}

// TestMannWhitneyAgainstPairs compares U with the count of pairs, and exact P with trying
// every choice of the pooled values.
func TestMannWhitneyAgainstPairs(t *testing.T) {
	twoU := func(x, y []int64) (u int64) {
		for _, b := range y {
			for _, a := range x {
				switch {
				case b > a:
					u += 2
				case b == a:
					u++
				}
			}
		}
		return u
	}
	rapid.Check(t, func(t *rapid.T) {
		x, y := few(t, "x", 7), few(t, "y", 7)
		got := MannWhitney(x, y)
		u, pairs := twoU(x, y), int64(len(x)*len(y))
		if got.Statistic != float64(u)/2 || got.Effect != float64(u)/2/float64(pairs) {
			t.Fatalf("%+v, want U %v", got, float64(u)/2)
		}
		pooled := slices.Concat(x, y)
		off := max(u-pairs, pairs-u)
		var far, all int64
		for choice := range 1 << len(pooled) {
			var xs, ys []int64
			for i, v := range pooled {
				if choice>>i&1 == 0 {
					xs = append(xs, v)
				} else {
					ys = append(ys, v)
				}
			}
			if len(xs) != len(x) {
				continue
			}
			all++
			if d := twoU(xs, ys) - pairs; max(d, -d) >= off {
				far++
			}
		}
		if want := float64(far) / float64(all); got.Method != MethodMannWhitneyExact || !near(got.P, want, 1e-12) {
			t.Fatalf("P %v, want %d of %d", got.P, far, all)
		}
	})
}

// TestMannWhitneySymmetry: order changes nothing, exchanging the samples mirrors the
// effect, and so does turning the values round.
func TestMannWhitneySymmetry(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, y := few(t, "x", 120), few(t, "y", 120)
		got := MannWhitney(x, y)
		if got.P < 0 || got.P > 1 || got.Effect < 0 || got.Effect > 1 {
			t.Fatalf("%+v", got)
		}
		before := slices.Clone(x)
		shuffled := rapid.Permutation(x).Draw(t, "shuffled")
		if diff := cmp.Diff(got, MannWhitney(shuffled, y)); diff != "" {
			t.Fatalf("order changes the result:\n%s", diff)
		}
		if !slices.Equal(before, x) {
			t.Fatal("the sample was changed")
		}
		if other := MannWhitney(y, x); !near(other.P, got.P, 1e-12) || other.Statistic != float64(len(x)*len(y))-got.Statistic {
			t.Fatalf("%+v and the other way round %+v", got, other)
		}
		turn := func(v []int64) []int64 {
			out := make([]int64, len(v))
			for i := range v {
				out[i] = ^v[i] // -v-1, which is there for every v
			}
			return out
		}
		if other := MannWhitney(turn(x), turn(y)); !near(other.P, got.P, 1e-12) || other.Statistic != float64(len(x)*len(y))-got.Statistic {
			t.Fatalf("%+v and turned round %+v", got, other)
		}
	})
}

// TestNormalApproximatesExact compares both laws where they meet. Of six values, ties make U
// take coarser steps than the correction for continuity is made for.
func TestNormalApproximatesExact(t *testing.T) {
	for seed := range uint32(40) {
		limit := []int64{6, 40, 1_000_000}[seed%3]
		x, y := drawn(30, limit, 0, 2*seed+1), drawn(34, limit, int64(seed)*limit/150, 2*seed+2)
		exact := MannWhitney(x, y)
		more := MannWhitney(slices.Concat(x, x), slices.Concat(y, y)) // beyond the limit: only its method is of interest
		if exact.Method != MethodMannWhitneyExact || more.Method != MethodMannWhitney {
			t.Fatalf("%s and %s", exact.Method, more.Method)
		}
		slices.Sort(x)
		slices.Sort(y)
		r := rankBoth(x, y, false)
		off := math.Abs(float64(r.twoU - 30*34))
		z := (off - 1) / 2 / math.Sqrt(30*34/12.*(65-r.ties/64/63))
		if normal := math.Erfc(z / math.Sqrt2); math.Abs(normal-exact.P) > .02 {
			t.Errorf("seed %d: exact %v, normal %v", seed, exact.P, normal)
		}
	}
}

// TestPermutationIsStable: order within the samples changes nothing, the seed decides the
// deals, and drawn deals come near to all of them.
func TestPermutationIsStable(t *testing.T) {
	value := rapid.Float64Range(-1000, 1000)
	rapid.Check(t, func(t *rapid.T) {
		x, y := rapid.SliceOfN(value, 1, 7).Draw(t, "x"), rapid.SliceOfN(value, 1, 7).Draw(t, "y")
		exact := Permutation(x, y, 3432, 1)
		if exact.Method != MethodPermutationExact || exact.P <= 0 || exact.P > 1 {
			t.Fatalf("%+v", exact)
		}
		seed := rapid.Uint64().Draw(t, "seed")
		got := Permutation(x, y, 50, seed)
		shuffled := Permutation(rapid.Permutation(x).Draw(t, "shuffled"), y, 50, seed)
		if diff := cmp.Diff(got, shuffled); diff != "" {
			t.Fatalf("order changes the result:\n%s", diff)
		}
		if got.Method == MethodPermutationExact {
			if got.P != exact.P {
				t.Fatalf("P %v, want %v", got.P, exact.P)
			}
		} else if sd := math.Sqrt(exact.P*(1-exact.P)/50) + .02; math.Abs(got.P-exact.P) > 6*sd {
			t.Fatalf("P of 50 deals %v, of all %v", got.P, exact.P)
		}
		if other := Permutation(y, x, 3432, 1); !near(other.P, exact.P, 1e-9) || !near(other.Statistic, -exact.Statistic, 1e-9) {
			t.Fatalf("%+v and the other way round %+v", exact, other)
		}
	})
}

// TestDrawnDealsComeNearToAll: 20,000 of 48,620 deals, within five standard deviations.
func TestDrawnDealsComeNearToAll(t *testing.T) {
	x, y := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9}, []float64{4, 4, 5, 6, 7, 9, 11, 12, 13}
	all, some := Permutation(x, y, 48620, 0), Permutation(x, y, 20_000, 4)
	if all.Method != MethodPermutationExact || some.Method != MethodPermutation {
		t.Fatalf("%s and %s", all.Method, some.Method)
	}
	if sd := math.Sqrt(all.P * (1 - all.P) / 20_000); math.Abs(all.P-some.P) > 5*sd {
		t.Errorf("P %v of all deals, %v of some", all.P, some.P)
	}
}

// TestHypergeometricAgainstFractions compares every probability with its fraction.
func TestHypergeometricAgainstFractions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first, second := rapid.Int64Range(0, 150).Draw(t, "first"), rapid.Int64Range(0, 150).Draw(t, "second")
		if rapid.Bool().Draw(t, "alike") {
			second = first // tables and their mirror images are equally probable
		}
		k := rapid.Int64Range(0, first+second).Draw(t, "drawn")
		law := newHypergeometric(first, second, k)
		all := new(big.Int).Binomial(first+second, k)
		waysOf := func(x int64) *big.Int {
			return new(big.Int).Mul(new(big.Int).Binomial(first, x), new(big.Int).Binomial(second, k-x))
		}
		at := law.first + rapid.Int64Range(0, int64(len(law.weight))-1).Draw(t, "at")
		atLeast, noMore := new(big.Int), new(big.Int)
		var total float64
		for i, w := range law.weight {
			total += w
			x := law.first + int64(i)
			ways := waysOf(x)
			if x >= at {
				atLeast.Add(atLeast, ways)
			}
			if ways.Cmp(waysOf(at)) <= 0 {
				noMore.Add(noMore, ways)
			}
			if want, _ := new(big.Rat).SetFrac(ways, all).Float64(); !near(w, want, 1e-12) {
				t.Fatalf("%d of %d: %v, want %v", x, k, w, want)
			}
		}
		if math.Abs(total-1) > 1e-12 || int64(len(law.weight)) != min(k, first)-max(0, k-second)+1 {
			t.Fatalf("%d probabilities add to %v", len(law.weight), total)
		}
		if want, _ := new(big.Rat).SetFrac(atLeast, all).Float64(); !near(law.atLeast(at), want, 1e-12) {
			t.Fatalf("%d or more: %v, want %v", at, law.atLeast(at), want)
		}
		if want, _ := new(big.Rat).SetFrac(noMore, all).Float64(); !near(law.noMoreProbable(at), want, 1e-12) {
			t.Fatalf("no more probable than %d: %v, want %v", at, law.noMoreProbable(at), want)
		}
	})
}

// TestFisherBounds: P are probabilities, greater and its mirror overlap in the table itself,
// and transposing or turning the table round changes nothing.
func TestFisherBounds(t *testing.T) {
	count := rapid.OneOf(rapid.Int64Range(0, 6), rapid.Int64Range(0, 100_000))
	rapid.Check(t, func(t *rapid.T) {
		a, b, c, d := count.Draw(t, "a"), count.Draw(t, "b"), count.Draw(t, "c"), count.Draw(t, "d")
		greater, less, both := FisherGreater(a, b, c, d), FisherGreater(b, a, d, c), FisherTwoSided(a, b, c, d)
		if both.DF != 0 || len(both.Warnings) > 0 && both.Warnings[0].ID == TooFew {
			return
		}
		one := newHypergeometric(a+b, c+d, a+c)
		var p float64
		if i := a - one.first; i >= 0 && i < int64(len(one.weight)) {
			p = one.weight[i]
		}
		if math.Abs(greater.P+less.P-1-p) > 1e-9 {
			t.Fatalf("greater %v and less %v overlap in %v", greater.P, less.P, p)
		}
		if both.P < p-1e-12 || both.P > 1 || both.P < min(greater.P, less.P)*(1-1e-9) {
			t.Fatalf("two-sided %v, one-sided %v and %v", both.P, greater.P, less.P)
		}
		for _, other := range []Test{FisherTwoSided(a, c, b, d), FisherTwoSided(d, c, b, a)} {
			if !near(other.P, both.P, 1e-8) || !near(other.Statistic, both.Statistic, 1e-9) {
				t.Fatalf("%+v and %+v", both, other)
			}
		}
	})
}

// TestTablesAreSymmetric: order of rows and columns and transposing change nothing, empty
// rows and columns neither, and twice the counts are twice the statistic at the same effect.
func TestTablesAreSymmetric(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, columns := rapid.IntRange(2, 5).Draw(t, "rows"), rapid.IntRange(2, 5).Draw(t, "columns")
		table, transposed, turned, twice := make([][]int64, rows), make([][]int64, columns), make([][]int64, rows), make([][]int64, rows)
		for j := range transposed {
			transposed[j] = make([]int64, rows)
		}
		for i := range table {
			table[i] = rapid.SliceOfN(rapid.Int64Range(0, 50), columns, columns).Draw(t, "row")
			turned[rows-1-i] = slices.Clone(table[i])
			slices.Reverse(turned[rows-1-i])
			turned[rows-1-i] = append(turned[rows-1-i], 0)
			for j, c := range table[i] {
				transposed[j][i] = c
				twice[i] = append(twice[i], 2*c)
			}
		}
		turned = append(turned, nil)
		for _, test := range []func([][]int64) Test{ChiSquared, GTest} {
			got := test(table)
			if got.P < 0 || got.P > 1 || got.Effect < 0 || got.Effect > 1 || got.Statistic < 0 {
				t.Fatalf("%+v", got)
			}
			for name, other := range map[string]Test{"transposed": test(transposed), "turned round": test(turned)} {
				if !near(other.P, got.P, 1e-7) || math.Abs(other.Statistic-got.Statistic) > 1e-9 || !near(other.Effect, got.Effect, 1e-9) || other.DF != got.DF {
					t.Fatalf("%+v, %s %+v", got, name, other)
				}
			}
			if other := test(twice); math.Abs(other.Statistic-2*got.Statistic) > 1e-9 || !near(other.Effect, got.Effect, 1e-9) || other.P > got.P+1e-9 {
				t.Fatalf("%+v, twice %+v", got, other)
			}
		}
	})
}

// TestBenjaminiHochbergTakesTheSame compares with the rule as it is told: take the k
// smallest, k the last with p(k) <= q*k/m.
func TestBenjaminiHochbergTakesTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SliceOfN(rapid.OneOf(rapid.Float64Range(0, 1), rapid.Float64Range(0, .05)), 1, 40).Draw(t, "p")
		adjusted := BenjaminiHochberg(p)
		q := rapid.Float64Range(.001, .5).Draw(t, "q")
		sorted := slices.Sorted(slices.Values(p))
		limit := -1.0
		for k, v := range sorted {
			if v <= q*float64(k+1)/float64(len(p)) {
				limit = v
			}
		}
		for i := range p {
			if adjusted[i] < p[i] || adjusted[i] > 1 {
				t.Fatalf("%v was adjusted to %v", p[i], adjusted[i])
			}
			if (p[i] <= limit) != (adjusted[i] <= q) && !near(adjusted[i], q, 1e-12) {
				t.Fatalf("%v of %v: adjusted to %v at q %v, but those up to %v are taken", p[i], p, adjusted[i], q, limit)
			}
			for j := range p {
				if p[i] < p[j] && adjusted[i] > adjusted[j] || p[i] == p[j] && adjusted[i] != adjusted[j] {
					t.Fatalf("order is lost: %v and %v became %v and %v", p[i], p[j], adjusted[i], adjusted[j])
				}
			}
		}
	})
}
