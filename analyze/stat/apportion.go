package stat

import (
	"cmp"
	"math/big"
	"slices"
)

// Apportion rounds parts to integers that add up to exactly units, in proportion:
// with units 1000 the result is in tenths of a per cent and adds to 100.0 %. It
// scales the parts and rounds them with RoundParts. It is for parts that are not
// negative: where parts cancel out, scaling by their small sum makes anything of
// them. It returns nil when the parts add to 0, since then there are no shares.
func Apportion(parts []*big.Rat, units int64) []int64 {
	total := new(big.Rat)
	for _, p := range parts {
		total.Add(total, p)
	}
	if total.Sign() == 0 {
		return nil
	}
	scale := new(big.Rat).Quo(new(big.Rat).SetInt64(units), total)
	scaled := make([]*big.Rat, len(parts))
	for i, p := range parts {
		scaled[i] = new(big.Rat).Mul(p, scale)
	}
	return RoundParts(scaled, units)
}

// RoundParts rounds parts to integers that add up to exactly whole, which is the
// sum of the parts rounded either way. It uses largest remainders and scales
// nothing: every part is rounded down, and what is left over goes to the largest
// remainders, ties to the earlier part. So no result is a whole unit away from its
// part, however the parts cancel out. A whole that is further from the sum is
// reached all the same, by further rounds over the parts.
func RoundParts(parts []*big.Rat, whole int64) []int64 {
	type rest struct {
		part      int
		remainder *big.Rat
	}
	out := make([]int64, len(parts))
	if len(parts) == 0 {
		return out
	}
	rests := make([]rest, len(parts))
	left := whole
	for i, p := range parts {
		floor := new(big.Int).Div(p.Num(), p.Denom()) // Euclidean: rounds down, since the denominator is positive
		out[i] = floor.Int64()
		left -= out[i]
		rests[i] = rest{i, new(big.Rat).Sub(p, new(big.Rat).SetInt(floor))}
	}
	slices.SortStableFunc(rests, func(a, b rest) int {
		return cmp.Or(b.remainder.Cmp(a.remainder), cmp.Compare(a.part, b.part))
	})
	n := int64(len(parts))
	for i := range out {
		out[i] += left / n
	}
	for i := range left % n {
		out[rests[i].part]++
	}
	for i := range -(left % n) { // the smallest remainders give back first
		out[rests[n-1-i].part]--
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
