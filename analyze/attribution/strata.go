package attribution

import (
	"math/big"

	"github.com/tailpath/tailpath/analyze/stat"
)

// Group is the requests of a stratum in the tail or in the body: how many, and the sum
// of what is compared.
type Group struct {
	N   int64
	Sum stat.Sum
}

// Add adds the value of one request.
func (g *Group) Add(v int64) {
	g.N++
	g.Sum.Add(v)
}

// Strata splits an excess, the mean of the tail less that of the body, into what the
// requests of one stratum are slower by, and what the tail has more of slow strata.
// Excess = Within + Between, exactly.
type Strata struct {
	Excess, Within, Between *big.Rat
	Each                    []Stratum // in the order given
}

// Stratum is one stratum's part of both. Those of all strata add up to them exactly.
type Stratum struct {
	Tail, Body Group
	// Within is the difference of the stratum's means, weighted with the mean of its
	// shares of tail and body.
	Within *big.Rat
	// Between is the difference of its shares, weighted with how much slower than all
	// requests its requests are, in the mean of tail and body. Weighting with their means
	// themselves would add up to the same, but would count a fast stratum that the tail
	// has more of as slowness.
	Between *big.Rat
}

// Stratify splits the excess of a tail over a body whose strata are given in one order
// (the formula of Kitagawa). A stratum that one group lacks has no mean there; it takes
// that of the other group, so that all of its part is Between. Without requests in
// either group there is no excess, and all of the result is 0.
func Stratify(tail, body []Group) Strata {
	out := Strata{new(big.Rat), new(big.Rat), new(big.Rat), make([]Stratum, len(tail))}
	allTail, allBody := total(tail), total(body)
	for h := range tail {
		out.Each[h] = Stratum{tail[h], body[h], new(big.Rat), new(big.Rat)}
	}
	if allTail.N == 0 || allBody.N == 0 {
		return out
	}
	meanTail, meanBody := allTail.Sum.Mean(allTail.N), allBody.Sum.Mean(allBody.N)
	out.Excess.Sub(meanTail, meanBody)
	usual := mid(meanTail, meanBody)
	for h := range out.Each {
		s := &out.Each[h]
		slow, normal := s.Tail.Sum.Mean(s.Tail.N), s.Body.Sum.Mean(s.Body.N)
		switch {
		case slow == nil && normal == nil:
			continue
		case slow == nil:
			slow = normal
		case normal == nil:
			normal = slow
		}
		inTail, inBody := big.NewRat(s.Tail.N, allTail.N), big.NewRat(s.Body.N, allBody.N)
		s.Within.Mul(mid(inTail, inBody), new(big.Rat).Sub(slow, normal))
		slower := mid(slow, normal)
		s.Between.Mul(new(big.Rat).Sub(inTail, inBody), slower.Sub(slower, usual))
		out.Within.Add(out.Within, s.Within)
		out.Between.Add(out.Between, s.Between)
	}
	return out
}

func total(groups []Group) (all Group) {
	for _, g := range groups {
		all.N += g.N
		all.Sum = all.Sum.Plus(g.Sum)
	}
	return all
}

// mid returns the mean of two numbers.
func mid(a, b *big.Rat) *big.Rat {
	m := new(big.Rat).Add(a, b)
	return m.Mul(m, big.NewRat(1, 2))
}

// GroupsOf sums a column of the sample, such as one of its parts, over the tail and the
// body at the percentile q by stratum: request i is in stratum of[i], from 0 to
// strata-1. Requests with another number are left out.
func (s *Sample) GroupsOf(q stat.Prob, column []int64, of []int32, strata int) (tail, body []Group) {
	tail, body = make([]Group, strata), make([]Group, strata)
	g := groupsOf(q, int64(len(column)))
	add := func(to []Group, first, last int64) {
		for i := first - 1; i < last; i++ {
			if h := of[i]; h >= 0 && int(h) < strata {
				to[h].Add(column[i])
			}
		}
	}
	add(tail, g.tail, int64(len(column)))
	add(body, g.first, g.last)
	return tail, body
}
