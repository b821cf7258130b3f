package stat

import (
	"cmp"
	"math/big"
	"slices"
)

// Apportion rounds parts to integers that add up to exactly units, in proportion:
// with units 1000 the result is in tenths of a per cent and adds to 100.0 %. It
// uses largest remainders: every part is rounded down, and the units left over go
// to the largest remainders, ties to the earlier part. Negative parts are allowed.
// Each result is less than one unit away from the exact share. It returns nil when
// the parts add to 0, since then there are no shares.
func Apportion(parts []*big.Rat, units int64) []int64 {
	total := new(big.Rat)
	for _, p := range parts {
		total.Add(total, p)
	}
	if total.Sign() == 0 {
		return nil
	}
	type rest struct {
		part      int
		remainder *big.Rat
	}
	out := make([]int64, len(parts))
	rests := make([]rest, len(parts))
	left := units
	scale := new(big.Rat).Quo(new(big.Rat).SetInt64(units), total)
	for i, p := range parts {
		share := new(big.Rat).Mul(p, scale)
		floor := new(big.Int).Div(share.Num(), share.Denom()) // Euclidean: rounds down, since the denominator is positive
		out[i] = floor.Int64()
		left -= out[i]
		rests[i] = rest{i, share.Sub(share, new(big.Rat).SetInt(floor))}
	}
	slices.SortStableFunc(rests, func(a, b rest) int {
		return cmp.Or(b.remainder.Cmp(a.remainder), cmp.Compare(a.part, b.part))
	})
	for i := range left { // 0 <= left < len(parts): every remainder is below 1
		out[rests[i].part]++
	}
	return out
}

// ApportionSums is Apportion of exact sums.
func ApportionSums(parts []Sum, units int64) []int64 {
	rats := make([]*big.Rat, len(parts))
	for i, p := range parts {
		rats[i] = new(big.Rat).SetInt(p.Int())
	}
	return Apportion(rats, units)
}
