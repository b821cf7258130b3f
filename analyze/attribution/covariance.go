package attribution

import (
	"math/big"
	"math/bits"
)

// products is an exact sum of products of times, which are not negative: 192 bits.
type products [3]uint64

func (p *products) add(x, y int64) {
	hi, lo := bits.Mul64(uint64(x), uint64(y))
	var carry uint64
	p[0], carry = bits.Add64(p[0], lo, 0)
	p[1], carry = bits.Add64(p[1], hi, carry)
	p[2] += carry
}

func (p *products) int() *big.Int {
	sum := new(big.Int)
	for i := len(p) - 1; i >= 0; i-- {
		sum.Lsh(sum, 64)
		sum.Or(sum, new(big.Int).SetUint64(p[i]))
	}
	return sum
}

// covariance returns n^2 times the covariance of two columns of n, exactly.
func covariance(x, y []int64) *big.Int {
	var xy, sx, sy products
	for i := range x {
		xy.add(x[i], y[i])
		sx.add(x[i], 1)
		sy.add(y[i], 1)
	}
	c := xy.int()
	c.Mul(c, big.NewInt(int64(len(x))))
	return c.Sub(c, new(big.Int).Mul(sx.int(), sy.int()))
}

// doubledRanks returns twice the rank of every row of ordered values: equal values
// share the mean of their ranks, which may be a half.
func doubledRanks(ordered []keyed) []int64 {
	rank := make([]int64, len(ordered))
	for i := 0; i < len(ordered); {
		j := i + 1
		for j < len(ordered) && ordered[j].key == ordered[i].key {
			j++
		}
		for _, k := range ordered[i:j] {
			rank[k.row] = int64(i + 1 + j)
		}
		i = j
	}
	return rank
}

// shares returns what every part is of their sum, 0 for all when that is not positive.
func shares(parts []*big.Int) []float64 {
	total := new(big.Int)
	for _, p := range parts {
		total.Add(total, p)
	}
	out := make([]float64, len(parts))
	if total.Sign() > 0 {
		for k, p := range parts {
			out[k] = float(new(big.Rat).SetFrac(p, total))
		}
	}
	return out
}
