package attribution

import (
	"math/big"

	"github.com/tailpath/tailpath/analyze/stat"
)

// The body's ranks lie above the first and up to the second.
var bodyFrom, bodyTo = stat.Prob{Num: 2, Den: 5}, stat.Prob{Num: 3, Den: 5}

// groups are the ranks, from 1, that are compared: the tail from tail on, and the body
// from first to last.
type groups struct{ tail, first, last int64 }

// groupsOf returns the ranks of tail and body among n requests.
func groupsOf(q stat.Prob, n int64) groups {
	floor := func(p stat.Prob) int64 { // n - ceil(n(1-p)) = floor(n p)
		return n - stat.Prob{Num: p.Den - p.Num, Den: p.Den}.Rank(n)
	}
	return groups{max(1, q.Rank(n)), floor(bodyFrom) + 1, floor(bodyTo)}
}

func (g groups) tailN(n int64) int64 { return max(0, n-g.tail+1) }

func (g groups) bodyN() int64 { return max(0, g.last-g.first+1) }

// excess returns the mean of a column in the tail less that in the body, exactly. A
// group without requests has mean 0.
func (g groups) excess(column []int64) *big.Rat {
	n := int64(len(column))
	var tail, body stat.Sum
	for i := g.tail - 1; i < n; i++ {
		tail.Add(column[i])
	}
	for i := g.first - 1; i < g.last; i++ {
		body.Add(column[i])
	}
	d := new(big.Rat)
	if m := tail.Mean(g.tailN(n)); m != nil {
		d.Set(m)
	}
	if m := body.Mean(g.bodyN()); m != nil {
		d.Sub(d, m)
	}
	return d
}

func float(r *big.Rat) float64 {
	f, _ := r.Float64()
	return f
}
