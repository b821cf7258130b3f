package stat

import (
	"fmt"
	"math/bits"
)

// Test is the outcome of a test of the hypothesis that two groups, or all groups of a
// table, follow one law.
type Test struct {
	// Method is the id of the test, such as MethodMannWhitney.
	Method string
	// N1 and N2 are the sizes of the groups. Of a table, N1 counts the first row and N2
	// all others.
	N1, N2 int64
	// Statistic is what the test compares; each says what that is.
	Statistic float64
	// P is the probability of a Statistic at least as far off, if the hypothesis holds. It is
	// two-sided unless Method says otherwise, and 1 where nothing could be tested: Warnings
	// then say why.
	P float64
	// Effect is the size of the difference, which does not grow with N1 and N2.
	Effect float64
	// DF is the number of degrees of freedom, 0 of a test that has none.
	DF       int64
	Warnings []Warning
}

// The methods of a Test.
const (
	MethodMannWhitneyExact = "mann-whitney-exact" // all ways to deal the ranks are counted
	MethodMannWhitney      = "mann-whitney"       // normal approximation, corrected for ties and continuity
	MethodPermutationExact = "permutation-exact"  // all ways to deal the values are counted
	MethodPermutation      = "permutation"        // some ways to deal the values, drawn by seed
	MethodChiSquared       = "chi-squared"
	MethodG                = "g-test"
	MethodFisherGreater    = "fisher-greater" // one-sided: the first cell is larger than by chance
	MethodFisher           = "fisher"
)

// The ids of the warnings of tests and of what is derived from tables.
const (
	NotFinite     = "not-finite"     // values that are no numbers were left out
	SmallExpected = "small-expected" // the law of the statistic is approximate, and some cell expects few
	ZeroCell      = "zero-cell"      // a cell of the table is 0, so there is no interval
)

// untested returns the warning that a group is empty.
func untested(n1, n2 int64) []Warning {
	return []Warning{{TooFew, fmt.Sprintf("a test takes two groups and there are %d and %d values", n1, n2)}}
}

// mulAddDiv returns quotient and remainder of (a*b + c) / d, computed in 128 bits. The
// quotient must fit into 64.
func mulAddDiv(a, b, c, d uint64) (quotient, remainder uint64) {
	hi, lo := bits.Mul64(a, b)
	lo, carry := bits.Add64(lo, c, 0)
	return bits.Div64(hi+carry, lo, d)
}
