package stat

import (
	"fmt"
	"math"
	"math/big"
)

// Confidence is the confidence of every interval and minimum here.
const Confidence = 0.95

// The methods of a Quantile.
const (
	MethodNearestRank = "nearest-rank" // the value at rank ceil(p*n); interval from order statistics
	MethodWeighted    = "weighted-nearest-rank"
)

// Warning is a doubt about a result: an id to select it by and a sentence.
type Warning struct{ ID, Text string }

// The ids of warnings.
const (
	TooFew  = "too-few" // the percentile is absent
	LowN    = "low-n"   // the percentile stands on few values
	NoUpper = "no-upper-bound"
)

// MinimumN says how many values a percentile needs.
type MinimumN struct {
	OneSided int64 // so that the maximum exceeds the true percentile with 95 % confidence
	TwoSided int64 // so that the interval has an upper bound
	Ample    int64 // so that ten values lie beyond the percentile
}

// Minimum returns the numbers of values that the percentile p needs. The first two
// solve 1 - p^n >= confidence, one-sided and two-sided.
func Minimum(p Prob) MinimumN {
	if p.Num <= 0 || p.Num >= p.Den {
		return MinimumN{1, 1, 1}
	}
	beyond := p.Den - p.Num
	return MinimumN{
		OneSided: leastN(p, 1-Confidence),
		TwoSided: leastN(p, (1-Confidence)/2),
		Ample:    (10*p.Den + beyond - 1) / beyond,
	}
}

func leastN(p Prob, alpha float64) int64 {
	n := max(1, int64(math.Log(alpha)/math.Log(p.Float()))-1)
	for math.Pow(p.Float(), float64(n)) > alpha {
		n++
	}
	return n
}

// Quantile is a percentile of n values with what it is worth.
type Quantile struct {
	P      Prob
	N      int64
	Method string
	// Known is false when n is below Minimum(P).OneSided: Value is then absent and
	// Need says how many values it takes.
	Known           bool
	Rank            int64 // 1-based rank of Value
	Value           int64
	HasLow, HasHigh bool
	LowRank         int64 // ranks of Low and High; the interval is absent where Has is false
	HighRank        int64
	Low, High       int64
	Coverage        float64 // probability that the interval holds the quantile
	Need            int64
	Warnings        []Warning
}

// QuantileOf returns the percentile p of sorted values by nearest rank.
func QuantileOf(sorted []int64, p Prob) Quantile {
	n := int64(len(sorted))
	minimum := Minimum(p)
	q := Quantile{P: p, N: n, Method: MethodNearestRank, Need: minimum.OneSided}
	if n < minimum.OneSided {
		q.Warnings = []Warning{{TooFew, fmt.Sprintf("%s needs at least %d values and there are %d", p, minimum.OneSided, n)}}
		return q
	}
	q.Known, q.Rank = true, max(1, p.Rank(n))
	q.Value = NearestRank(sorted, p)
	r := OrderInterval(n, p, Confidence)
	q.LowRank, q.HighRank, q.Coverage = r.Low, r.High, r.Coverage
	if q.HasLow = r.Low >= 1; q.HasLow {
		q.Low = sorted[r.Low-1]
	}
	if q.HasHigh = r.High <= n; q.HasHigh {
		q.High = sorted[r.High-1]
	}
	if !q.HasHigh {
		q.Warnings = append(q.Warnings, Warning{NoUpper, fmt.Sprintf("%s of %d values has no upper bound; that takes %d", p, n, minimum.TwoSided)})
	}
	if n < minimum.Ample {
		q.Warnings = append(q.Warnings, Warning{LowN, fmt.Sprintf("%s stands on few values: %d of %d lie beyond it, ten would take %d", p, n-q.Rank, n, minimum.Ample)})
	}
	return q
}

// Weighted is a percentile of weighted values.
type Weighted struct {
	P         Prob
	N         int64
	Known     bool
	Rank      int64 // 1-based rank of Value among the values
	Value     int64
	Effective float64 // (sum w)^2 / sum w^2: how many unweighted values are worth as much
	Need      int64   // Effective must reach it
}

// weightBits is a precision at which sums of adjusted counts, which lie between 1
// and 2^56, are exact.
const weightBits = 320

// WeightedQuantileOf returns the least value whose cumulated weight reaches p times
// the total weight. weights[i] belongs to sorted[i] and must be positive and finite.
// The value is absent when the effective number of values is below what the
// percentile needs. Its interval is not known: order statistics of weighted values
// have no binomial law.
func WeightedQuantileOf(sorted []int64, weights []float64, p Prob) Weighted {
	q := Weighted{P: p, N: int64(len(sorted)), Need: Minimum(p).OneSided}
	total, squares := new(big.Float).SetPrec(weightBits), new(big.Float).SetPrec(weightBits)
	w, square := new(big.Float).SetPrec(weightBits), new(big.Float).SetPrec(weightBits)
	for _, weight := range weights {
		w.SetFloat64(weight)
		total.Add(total, w)
		squares.Add(squares, square.Mul(w, w))
	}
	if total.Sign() <= 0 {
		return q
	}
	effective := new(big.Float).SetPrec(weightBits).Mul(total, total)
	q.Effective, _ = effective.Quo(effective, squares).Float64()
	if q.Effective < float64(q.Need) {
		return q
	}
	q.Known, q.Rank = true, WeightedRank(weights, p)
	q.Value = sorted[q.Rank-1]
	return q
}

// WeightedRank returns the 1-based rank of the first value whose cumulated weight
// reaches p times the total, 0 for no weight. With equal weights it is p.Rank(n).
func WeightedRank(weights []float64, p Prob) int64 {
	total, w := new(big.Float).SetPrec(weightBits), new(big.Float).SetPrec(weightBits)
	for _, weight := range weights {
		total.Add(total, w.SetFloat64(weight))
	}
	// sum*Den >= total*Num, in numbers that are exact.
	goal := total.Mul(total, new(big.Float).SetInt64(p.Num))
	den := new(big.Float).SetInt64(p.Den)
	sum, scaled := new(big.Float).SetPrec(weightBits), new(big.Float).SetPrec(weightBits)
	for i, weight := range weights {
		sum.Add(sum, w.SetFloat64(weight))
		if scaled.Mul(sum, den).Cmp(goal) >= 0 {
			return int64(i) + 1
		}
	}
	return int64(len(weights))
}

// NearestRank returns the value at rank ceil(p*n), the rule of every percentile
// here, whether or not n supports it. sorted must not be empty.
func NearestRank(sorted []int64, p Prob) int64 {
	return sorted[max(1, p.Rank(int64(len(sorted))))-1]
}
