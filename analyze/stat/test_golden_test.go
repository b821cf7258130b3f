package stat

import (
	"math"
	"testing"
)

// near reports whether got is want to the given relative error; of 0 the error is absolute.
func near(got, want, within float64) bool {
	return math.Abs(got-want) <= within*max(math.Abs(want), math.SmallestNonzeroFloat64) || want == 0 && math.Abs(got) <= within
}

// drawn returns n whole numbers below limit plus offset, from a generator of few lines, so
// that other programs can draw the same.
func drawn(n int, limit, offset int64, seed uint32) []int64 {
	out := make([]int64, n)
	state := uint64(seed)
	for i := range out {
		state = (state*1103515245 + 12345) % (1 << 31)
		out[i] = int64(state>>8)%limit + offset
	}
	return out
}

func counting(from, step int64, n int) []int64 {
	out := make([]int64, n)
	for i := range out {
		out[i] = from + step*int64(i)
	}
	return out
}

// TestMannWhitneyGolden has U from scipy 1.17; exact P from counting all deals in whole
// numbers, which scipy's exact P confirms where there are no ties; the other P from scipy's
// asymptotic method with correction for continuity.
func TestMannWhitneyGolden(t *testing.T) {
	for _, c := range []struct {
		name   string
		x, y   []int64
		method string
		u, p   float64
	}{
		{"three and four", []int64{10, 12, 14}, []int64{11, 13, 15, 16}, MethodMannWhitneyExact, 9, .4},
		{"least P of four and four", counting(1, 1, 4), counting(5, 1, 4), MethodMannWhitneyExact, 16, .02857142857142857},
		{"ties", []int64{1, 2, 2, 3, 3, 3, 9}, []int64{2, 3, 3, 4, 9, 9, 9, 9, 12}, MethodMannWhitneyExact, 50, .05410839160839161},
		{"ties at one end", []int64{0, 0, 0, 0, 0, 1}, []int64{0, 0, 1, 2, 3}, MethodMannWhitneyExact, 22.5, .15151515151515152},
		{"all equal", []int64{5, 5, 5}, []int64{5, 5}, MethodMannWhitneyExact, 3, 1},
		{"one against eight", []int64{7}, []int64{1, 2, 3, 4, 5, 6, 8, 9}, MethodMannWhitneyExact, 2, .6666666666666666},
		{"one against one", []int64{1}, []int64{2}, MethodMannWhitneyExact, 1, 1},
		{"interleaved", counting(0, 2, 20), counting(1, 2, 20), MethodMannWhitneyExact, 210, .799407187161697},
		{"31 and 33", drawn(31, 1_000_000, 0, 1), drawn(33, 1_000_000, 0, 2), MethodMannWhitneyExact, 508, .9680808553066482},
		{"many ties", drawn(200, 50, 0, 3), drawn(300, 50, 0, 4), MethodMannWhitney, 27381, .09795031085032725},
		{"large, shifted", drawn(1000, 1_000_000, 0, 5), drawn(900, 1_000_000, 30_000, 6), MethodMannWhitney, 488609.5, .0012230246584493446},
		{"large, mostly ties", drawn(2000, 20, 0, 7), drawn(3000, 22, 0, 8), MethodMannWhitney, 3247425, 7.291987566665712e-07},
		{"large, all equal", make([]int64, 100), make([]int64, 200), MethodMannWhitney, 10000, 1},
		{"five against many", drawn(5, 1_000_000, 0, 9), drawn(900, 1_000_000, 0, 10), MethodMannWhitney, 1668, .31845826480900064},
	} {
		got := MannWhitney(c.x, c.y)
		if got.Method != c.method || got.Statistic != c.u || !near(got.P, c.p, 1e-11) {
			t.Errorf("%s: %s U %v P %v, want %s U %v P %v", c.name, got.Method, got.Statistic, got.P, c.method, c.u, c.p)
		}
		if pairs := float64(len(c.x) * len(c.y)); got.Effect != c.u/pairs || got.N1 != int64(len(c.x)) || got.N2 != int64(len(c.y)) {
			t.Errorf("%s: %+v", c.name, got)
		}
		if poor := c.method == MethodMannWhitney && len(c.x) < 8; poor != (len(got.Warnings) == 1) {
			t.Errorf("%s: warnings %v", c.name, got.Warnings)
		}
	}
	if got := MannWhitney([]int64{10, 12, 14}, []int64{11, 13, 15, 16}).Effect; got != .75 {
		t.Errorf("the probability that y exceeds x is %v, want .75", got)
	}
}

// TestChangeGolden is a change without overlap: ten times from 1705 to 1774 against ten
// from 1411 to 1447, whose medians, as benchstat takes them, fall by 17.20 %.
func TestChangeGolden(t *testing.T) {
	before := []int64{1705, 1706, 1707, 1710, 1713, 1723, 1725, 1730, 1740, 1774}
	after := []int64{1411, 1413, 1416, 1420, 1422, 1423, 1425, 1430, 1440, 1447}
	got := MannWhitney(before, after)
	if got.Effect != 0 || got.Statistic != 0 || !near(got.P, 2.0/184756, 1e-12) {
		t.Errorf("%+v, want no pair above and two deals of 184756", got)
	}
	r8, err := RuleNamed("r8")
	if err != nil {
		t.Fatal(err)
	}
	if change := r8.At(after, P50)/r8.At(before, P50) - 1; math.Abs(change+.1720) > .00005 {
		t.Errorf("the median changed by %.4f, want -.1720", change)
	}
}

// TestTablesGolden has the figures of scipy 1.17: chi2_contingency without correction.
func TestTablesGolden(t *testing.T) {
	for _, c := range []struct {
		table              [][]int64
		df                 int64
		chi2, chi2P, g, gP float64
		v                  float64
	}{
		{[][]int64{{60, 45}, {40, 855}}, 1, 289.7047086991221, 5.766306560025588e-65, 179.93465729478135, 5.008264932674461e-41, .5382422397946134},
		{[][]int64{{52, 48}, {450, 450}}, 1, .14400230403686434, .7043341595240474, .1440426513298778, .7042946924212724, .012000096001152006},
		{[][]int64{{70, 10, 10, 10}, {225, 225, 225, 225}}, 3, 87.6307248467364, 7.069227043204607e-19, 78.76007503364784, 5.662039623952761e-17, .2960248720069589},
		{[][]int64{{8, 2}, {20, 170}}, 1, 38.08358104563735, 6.777808648825386e-10, 24.10895767307555, 9.103583782196145e-07, .43636900122280314},
		{[][]int64{{10, 20, 30}, {6, 9, 17}}, 2, .27157465150403504, .873028283380073, .2740265420246606, .8719586542812721, .05433137570422292},
		{[][]int64{{3, 1}, {1, 3}}, 1, 2, .15729920705028105, 2.0929925750581915, .14797595938502317, .5},
		{[][]int64{{100_000, 900_000}, {100_500, 899_500}}, 1, 1.3858102728729718, .23911392043883106, 1.3858115672299505, .23911370106383398, .0008324092361552014},
		{[][]int64{{12, 5, 7, 0, 3}, {9, 14, 2, 1, 1}, {30, 2, 2, 2, 8}}, 8, 33.32084361139621, 5.390589781422556e-05, 33.23873487028883, 5.5776862592941434e-05, .41231578206488356},
		{[][]int64{{5000, 1}, {1, 5000}}, 1, 9994.001599680065, 0, 13827.647027182147, 0, .9996000799840032},
	} {
		chi2, g := ChiSquared(c.table), GTest(c.table)
		if chi2.Method != MethodChiSquared || chi2.DF != c.df || !near(chi2.Statistic, c.chi2, 1e-12) || !near(chi2.P, c.chi2P, 1e-9) || !near(chi2.Effect, c.v, 1e-12) {
			t.Errorf("%v: %+v, want chi2 %v P %v V %v", c.table, chi2, c.chi2, c.chi2P, c.v)
		}
		// G is a difference of large sums where the table is nearly even: 1e-9 of it is left.
		if g.Method != MethodG || g.DF != c.df || !near(g.Statistic, c.g, 1e-8) || !near(g.P, c.gP, 1e-7) || g.Effect != chi2.Effect {
			t.Errorf("%v: %+v, want G %v P %v", c.table, g, c.g, c.gP)
		}
	}
}

// TestFisherGolden has probabilities from whole numbers; those of a million and more from
// logarithms of factorials with 50 digits.
func TestFisherGolden(t *testing.T) {
	for _, c := range []struct {
		a, b, c, d        int64
		greater, twoSided float64
	}{
		{8, 2, 20, 170, 2.0893899174553963e-06, 2.0893899174553963e-06},
		{3, 1, 1, 3, .24285714285714285, .4857142857142857},
		{10, 0, 0, 10, 5.412544112234515e-06, 1.082508822446903e-05},
		{0, 5, 7, 2, 1, .02097902097902098},
		{1, 24, 5, 47, .9141330489564087, .6574456740282263},
		{5, 0, 1, 4, .023809523809523808, .047619047619047616},
		{60, 45, 40, 855, 1.0546908808054879e-40, 1.0546908808054879e-40},
		{400, 600, 300, 700, 1.6858498536999693e-06, 3.3716997073999386e-06},
		{3, 97, 900, 8000, .9981879375440527, .017336773805647947},
		{12, 988, 30, 8970, .0006044314442140332, .0006044314442140332},
		{50, 10000, 20, 20000, 8.877861348859488e-11, 1.0374256977942786e-10},
		{550, 999_450, 450, 999_550, .00086296408278040697, math.NaN()},
		{100_500, 899_500, 100_000, 900_000, .12002733156140702, math.NaN()},
		{3000, 997_000, 2000, 998_000, 5.0561973786798104e-46, math.NaN()},
		{60, 40, 50, 999_850, 7.176964330530501e-219, math.NaN()},
	} {
		got := FisherGreater(c.a, c.b, c.c, c.d)
		if got.Method != MethodFisherGreater || !near(got.P, c.greater, 1e-11) {
			t.Errorf("%v: %+v, want P %v", c, got, c.greater)
		}
		if got := FisherTwoSided(c.a, c.b, c.c, c.d); got.Method != MethodFisher || !math.IsNaN(c.twoSided) && !near(got.P, c.twoSided, 1e-11) {
			t.Errorf("%v: two-sided %+v, want P %v", c, got, c.twoSided)
		}
	}
	stalls := FisherGreater(8, 2, 20, 170)
	if !near(stalls.Statistic, 34, 1e-12) || stalls.N1 != 10 || stalls.N2 != 190 {
		t.Errorf("%+v, want odds of 34 among 10 and 190", stalls)
	}
	if got := FisherTwoSided(10, 0, 0, 10); !near(got.Statistic, 441, 1e-12) || got.Effect != 1 || got.Warnings[0].ID != ZeroCell {
		t.Errorf("no overlap: %+v, want odds of (10.5/.5)^2 and a warning", got)
	}
}

// TestPermutationGolden has deals counted by hand of a computer: all of them.
func TestPermutationGolden(t *testing.T) {
	for _, c := range []struct {
		x, y                  []float64
		difference, p, effect float64
	}{
		{[]float64{10, 12, 14}, []float64{11, 13, 15, 16}, 1.75, 14. / 35, .820412654142367},
		{[]float64{1.5, 2, 2, 9}, []float64{3, 8, 8, 8.5, 30}, 7.875, 20. / 126, .9444402477305405},
		{[]float64{0, 0, 1}, []float64{0, 5}, 2.1666666666666665, 4. / 10, 1.034224469428449},
		{[]float64{4, 4}, []float64{4, 4, 4}, 0, 1, 0},
		{[]float64{1}, []float64{math.Nextafter(1, 2)}, math.Nextafter(1, 2) - 1, 1, 0},
	} {
		got := Permutation(c.x, c.y, 1000, 1)
		if got.Method != MethodPermutationExact || !near(got.Statistic, c.difference, 1e-12) || !near(got.P, c.p, 1e-12) || !near(got.Effect, c.effect, 1e-12) {
			t.Errorf("%v against %v: %+v, want difference %v P %v effect %v", c.x, c.y, got, c.difference, c.p, c.effect)
		}
		drawn := Permutation(c.x, c.y, 1, 1)
		if drawn.Method != MethodPermutation || drawn.P != .5 && drawn.P != 1 {
			t.Errorf("one deal: %+v", drawn)
		}
	}
}

// TestPermutationFollowsItsSeed: the same seed deals the same, others deal otherwise.
func TestPermutationFollowsItsSeed(t *testing.T) {
	x, y := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 30}, []float64{5, 6, 7, 8, 9, 10, 11, 12, 13, 14}
	seen := map[float64]bool{}
	for seed := range uint64(8) {
		got := Permutation(x, y, 999, seed)
		if got.P != Permutation(x, y, 999, seed).P {
			t.Errorf("seed %d gives two results", seed)
		}
		seen[got.P] = true
	}
	if len(seen) < 2 {
		t.Errorf("eight seeds give %v", seen)
	}
}

func TestBenjaminiHochbergGolden(t *testing.T) {
	for _, c := range []struct{ p, want []float64 }{
		{[]float64{.001, .008, .039, .041, .20}, []float64{.005, .02, .05125, .05125, .20}},
		{[]float64{.5, .01, .01, .9, .04, .03}, []float64{.6, .03, .03, .9, .06, .06}},
		{[]float64{.01, math.NaN()}, []float64{.02, 1}},
		{[]float64{1, 1}, []float64{1, 1}},
		{[]float64{.3}, []float64{.3}},
		{nil, nil},
	} {
		got := BenjaminiHochberg(c.p)
		for i := range c.want {
			if len(got) != len(c.want) || !near(got[i], c.want[i], 1e-12) {
				t.Errorf("%v: %v, want %v", c.p, got, c.want)
				break
			}
		}
	}
}

// TestNothingToTest checks that what cannot be tested says so and finds nothing.
func TestNothingToTest(t *testing.T) {
	for name, got := range map[string]Test{
		"ranks of none":        MannWhitney(nil, []int64{1}),
		"values of none":       Permutation([]float64{1}, nil, 10, 1),
		"values not finite":    Permutation([]float64{math.NaN()}, []float64{-math.MaxFloat64, math.Inf(1)}, 10, 1),
		"no table":             GTest(nil),
		"one row":              ChiSquared([][]int64{{1, 2}}),
		"one row of two":       GTest([][]int64{{1, 2}, {0, 0}}),
		"one column":           GTest([][]int64{{1}, {2}}),
		"counts below 0":       ChiSquared([][]int64{{-1, 2}, {-3, 4}}),
		"fisher: an empty row": FisherGreater(0, 0, 1, 2),
		"fisher: all the same": FisherTwoSided(3, 0, 4, 0),
	} {
		if got.P != 1 || len(got.Warnings) == 0 || got.Warnings[len(got.Warnings)-1].ID != TooFew || got.DF != 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
	got := Permutation([]float64{1, math.NaN(), 2}, []float64{3}, 10, 1)
	if got.N1 != 2 || got.N2 != 1 || got.Warnings[0].ID != NotFinite {
		t.Errorf("a value that is no number: %+v", got)
	}
}
