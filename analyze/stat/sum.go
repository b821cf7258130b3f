package stat

import (
	"math"
	"math/big"
	"math/bits"
)

// Sum is an exact sum of int64 values: 128 bits hold 2^64 of them. The zero value
// is an empty sum. Sums compare with ==.
type Sum struct {
	hi int64
	lo uint64
}

// SumOf returns the sum of values.
func SumOf(values ...int64) Sum {
	var s Sum
	for _, v := range values {
		s.Add(v)
	}
	return s
}

// Add adds one value.
func (s *Sum) Add(v int64) {
	var carry uint64
	s.lo, carry = bits.Add64(s.lo, uint64(v), 0)
	s.hi += v>>63 + int64(carry) // v>>63 extends the sign
}

// Times returns s * n, which must fit in 128 bits, and n not be negative.
func (s Sum) Times(n int64) Sum {
	hi, lo := bits.Mul64(s.lo, uint64(n))
	return Sum{s.hi*n + int64(hi), lo}
}

// Minus returns s - t.
func (s Sum) Minus(t Sum) Sum {
	lo, borrow := bits.Sub64(s.lo, t.lo, 0)
	return Sum{s.hi - t.hi - int64(borrow), lo}
}

// Plus returns s + t.
func (s Sum) Plus(t Sum) Sum {
	lo, carry := bits.Add64(s.lo, t.lo, 0)
	return Sum{s.hi + t.hi + int64(carry), lo}
}

// Int returns the sum as a big integer.
func (s Sum) Int() *big.Int {
	i := new(big.Int).Lsh(big.NewInt(s.hi), 64)
	return i.Add(i, new(big.Int).SetUint64(s.lo))
}

// Sign returns -1, 0 or 1.
func (s Sum) Sign() int {
	switch {
	case s.hi < 0:
		return -1
	case s.hi == 0 && s.lo == 0:
		return 0
	}
	return 1
}

// Mean returns the sum divided by n, exactly. It returns nil when n is 0.
func (s Sum) Mean(n int64) *big.Rat {
	if n == 0 {
		return nil
	}
	return new(big.Rat).SetFrac(s.Int(), big.NewInt(n))
}

// MeanRounded returns the sum divided by n, rounded to the nearest integer, halves
// away from zero. It returns 0 when n is 0.
func (s Sum) MeanRounded(n int64) int64 {
	if n == 0 {
		return 0
	}
	return RoundRat(s.Mean(n))
}

// Over returns s/t as a floating-point number, 0 when t is 0.
func (s Sum) Over(t Sum) float64 {
	if t.Sign() == 0 {
		return 0
	}
	f, _ := new(big.Rat).SetFrac(s.Int(), t.Int()).Float64()
	return f
}

// RoundRat rounds r to the nearest integer, halves away from zero.
func RoundRat(r *big.Rat) int64 {
	num, den := new(big.Int).Abs(r.Num()), r.Denom()
	twice := num.Lsh(num, 1)
	twice.Add(twice, den)
	q := twice.Quo(twice, new(big.Int).Lsh(den, 1)).Int64()
	if r.Sign() < 0 {
		return -q
	}
	return q
}

// Float returns the nearest floating-point number to the sum.
func (s Sum) Float() float64 {
	negative := s.hi < 0
	if negative {
		s = Sum{}.Minus(s)
	}
	top, over := s.lo, 0
	if hi := uint64(s.hi); hi != 0 {
		// The 64 highest digits, the last of which says whether any below is set, round as all
		// of them do.
		over = bits.Len64(hi)
		top = hi<<(64-over) | s.lo>>over
		if s.lo<<(64-over) != 0 {
			top |= 1
		}
	}
	f := math.Ldexp(float64(top), over)
	if negative {
		return -f
	}
	return f
}

// DivRound returns a/b rounded to the nearest integer, halves up, for a >= 0 and
// b > 0.
func DivRound(a, b int64) int64 {
	q, rest := a/b, a%b
	if rest >= b-rest {
		q++
	}
	return q
}
