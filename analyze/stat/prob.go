package stat

import (
	"math/bits"
	"strconv"
	"strings"
)

// Prob is a probability as a fraction, so that a rank is computed in integers:
// in floating point the rank of 7 % of 100 values comes out as 8.
type Prob struct{ Num, Den int64 }

// The usual probabilities of percentiles.
var (
	P50  = Prob{1, 2}
	P90  = Prob{9, 10}
	P95  = Prob{19, 20}
	P99  = Prob{99, 100}
	P999 = Prob{999, 1000}
)

// Float returns p as a floating-point number.
func (p Prob) Float() float64 { return float64(p.Num) / float64(p.Den) }

// Percent returns p in per cent without needless zeros, such as "99.9".
func (p Prob) Percent() string {
	text := strconv.FormatFloat(100*p.Float(), 'f', 6, 64)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// String returns the percentile's name, such as "p99.9".
func (p Prob) String() string { return "p" + p.Percent() }

// Rank returns the nearest rank of p among n values: the least r with r >= p*n,
// 0 when p or n is 0. It is exact for every n.
func (p Prob) Rank(n int64) int64 {
	hi, lo := bits.Mul64(uint64(p.Num), uint64(n))
	lo, carry := bits.Add64(lo, uint64(p.Den-1), 0)
	rank, _ := bits.Div64(hi+carry, lo, uint64(p.Den))
	return int64(rank)
}
