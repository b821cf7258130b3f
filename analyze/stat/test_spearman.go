package stat

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// MethodSpearman is the method of a rank correlation of series: Student's t for P, and
// Fisher's z for the bounds, both with the effective number of pairs.
const MethodSpearman = "spearman-effective-n"

// LeastPairs is how many pairs a rank correlation takes, for which Student's law is a good
// approximation.
const LeastPairs = 10

// Correlation is how far two series go up and down together.
type Correlation struct {
	Estimate // Spearman's rho of N pairs, -1 to 1
	// P is the two-sided probability of a rho as far from 0 if neither had to do with the
	// other; 1 where there is none.
	P float64
	// Effective is how many independent pairs the N are worth: successive values of a series
	// that wanders are nearly the same, and two such series agree by chance.
	Effective float64
}

// Spearman correlates the ranks of pairs in order of time; equal values have the mean of
// their ranks. The effective number of pairs is by the autocorrelations of both (Bartlett;
// Pyper and Peterman 1998): 1/n* = 1/n + 2/n Σ (1-k/n) rx(k) ry(k), over lags k up to a fifth
// of n, and no more than n. Without LeastPairs, or where all values of one are equal, there is
// no rho: it is NaN, with a warning.
func Spearman(x, y []float64) Correlation {
	n := min(len(x), len(y))
	c := Correlation{Estimate: Estimate{Value: math.NaN(), N: int64(n), Method: MethodSpearman}, P: 1}
	refuse := func(format string, args ...any) Correlation {
		c.Warnings = append(c.Warnings, Warning{TooFew, fmt.Sprintf(format, args...)})
		return c
	}
	if n < LeastPairs {
		return refuse("a rank correlation takes %d pairs and there are %d", LeastPairs, n)
	}
	rx, ry := centredRanks(x[:n]), centredRanks(y[:n])
	xx, yy := product(rx, rx, 0), product(ry, ry, 0)
	if xx == 0 || yy == 0 {
		return refuse("all values of one of the two are equal")
	}
	// Rounding must not take it beyond 1.
	c.Value = min(1, max(-1, product(rx, ry, 0)/math.Sqrt(xx*yy)))
	inverse := 1.0
	for k := 1; k <= n/5; k++ {
		inverse += 2 * (1 - float64(k)/float64(n)) * (product(rx, rx, k) / xx) * (product(ry, ry, k) / yy)
	}
	c.Effective = float64(n)
	if inverse > 1 {
		c.Effective = float64(n) / inverse
	}
	if c.Effective <= 4 {
		c.Warnings = append(c.Warnings, Warning{TooFew, fmt.Sprintf("%d pairs in succession are so alike that they are worth %.1f", n, c.Effective)})
		return c
	}
	const certain = 1 - 1e-15
	rho := min(certain, max(-certain, c.Value))
	t := rho * math.Sqrt((c.Effective-2)/((1-rho)*(1+rho)))
	c.P = StudentTwoSided(t, c.Effective-2)
	// The variance of z is 1.06/(n-3) for ranks (Fieller, Hartley and Pearson 1957).
	half := distuv.UnitNormal.Quantile((1+Confidence)/2) * math.Sqrt(1.06/(c.Effective-3))
	z := math.Atanh(rho)
	c.HasBounds, c.Bounds = true, Bounds{math.Tanh(z - half), math.Tanh(z + half)}
	return c
}

// centredRanks returns the ranks of values less their mean; equal values share theirs.
func centredRanks(values []float64) []float64 {
	n := len(values)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case values[a] < values[b]:
			return -1
		case values[a] > values[b]:
			return 1
		}
		return 0
	})
	ranks := make([]float64, n)
	for from := 0; from < n; {
		to := from + 1
		for to < n && values[order[to]] == values[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			ranks[i] = float64(from+to-1)/2 - float64(n-1)/2
		}
		from = to
	}
	return ranks
}

// product adds up the products of values so many places apart.
func product(x, y []float64, apart int) (sum float64) {
	for i := range len(x) - apart {
		sum += float64(x[i] * y[i+apart])
	}
	return sum
}

// StudentTwoSided returns the two-sided P of Student's t with df degrees of freedom, which
// must be above 0.
func StudentTwoSided(t, df float64) float64 {
	return 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.CDF(-math.Abs(t))
}
