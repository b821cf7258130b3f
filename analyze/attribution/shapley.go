package attribution

import (
	"math/big"
	"slices"

	"github.com/tailpath/tailpath/analyze/stat"
)

// maxPlayers bounds the parts that Shapley's value is computed for each by itself: the
// subsets double with every one. The parts beyond are capped together.
const maxPlayers = 16

// player is a part, or the parts beyond maxPlayers, with the time above its cap.
type player struct {
	parts []int
	over  []int64 // by contender, ns
}

// contender is a request that can reach the percentile. With some parts capped and
// others undecided, high is its value if no undecided one is capped, low if all are.
type contender struct {
	high, low int64
	at        int32 // in player.over
}

// game holds the percentile in ns for every subset of players that is capped.
type game struct {
	players []player
	// reach is the rank from above: the percentile is the reach-th largest value.
	reach int
	// percentile[s] belongs to the subset whose bits are set in s.
	percentile []int64
	scratch    []int64
}

// shapley splits what the percentile would fall by with all parts capped, which is
// now-least ns, among the parts: each gets the mean of what capping it gains after the
// parts before it, over all orders of the parts. gain is what every part gains alone.
// The result adds up to now-least exactly.
func (w *whatIf) shapley(now, least int64, gain []int64) []*big.Rat {
	out := make([]*big.Rat, len(w.caps))
	for k := range out {
		out[k] = new(big.Rat)
	}
	if now == least {
		return out
	}
	g := w.newGame(least, gain)
	pool := make([]contender, 0, len(g.players[0].over))
	first, _ := slices.BinarySearch(w.s.Value, least+1)
	for i := first; i < len(w.s.Value); i++ {
		c := contender{w.s.Value[i], w.s.Value[i], int32(i - first)}
		for _, p := range g.players {
			c.low -= p.over[c.at]
		}
		pool = append(pool, c)
	}
	g.solve(0, 0, pool, least)
	for p, value := range g.values() {
		w.divide(g.players[p], value, out)
	}
	return out
}

// newGame returns the game of the parts that are above their cap in some contender.
// Those that gain most come first: capping them or not soon leaves few contenders.
func (w *whatIf) newGame(least int64, gain []int64) *game {
	n := len(w.s.Value)
	first, _ := slices.BinarySearch(w.s.Value, least+1)
	g := &game{reach: n - int(w.rank) + 1, scratch: make([]int64, n-first)}
	for k := range w.caps {
		p := player{parts: []int{k}, over: make([]int64, n-first)}
		any := false
		for i := first; i < n; i++ {
			p.over[i-first] = w.over(k, i)
			any = any || p.over[i-first] > 0
		}
		if any {
			g.players = append(g.players, p)
		}
	}
	slices.SortStableFunc(g.players, func(a, b player) int { return -compare(gain[a.parts[0]], gain[b.parts[0]]) })
	for len(g.players) > maxPlayers {
		last := g.players[len(g.players)-1]
		g.players = g.players[:len(g.players)-1]
		with := &g.players[len(g.players)-1]
		with.parts = append(with.parts, last.parts...)
		for i := range with.over {
			with.over[i] += last.over[i]
		}
	}
	g.percentile = make([]int64, 1<<len(g.players))
	return g
}

func compare(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// solve fills in the percentiles of all subsets that agree with capped on the players
// before next. The percentile with all the others capped is least; no contender whose
// high is at or below it can lie above the percentile of such a subset, so pool holds
// only the others.
func (g *game) solve(next int, capped uint, pool []contender, least int64) {
	if next == len(g.players) {
		g.percentile[capped] = least
		return
	}
	over := g.players[next].over
	in := make([]contender, 0, len(pool))
	for _, c := range pool {
		if c.high -= over[c.at]; c.high > least {
			in = append(in, c)
		}
	}
	g.solve(next+1, capped|1<<next, in, least)
	// The player is left alone: every contender takes its time back.
	above := g.scratch[:0]
	for i := range pool {
		if pool[i].low += over[pool[i].at]; pool[i].low > least {
			above = append(above, pool[i].low)
		}
	}
	if len(above) >= g.reach {
		least = kth(above, len(above)-g.reach+1)
	}
	kept := pool[:0]
	for _, c := range pool {
		if c.high > least {
			kept = append(kept, c)
		}
	}
	g.solve(next+1, capped, kept, least)
}

// values returns Shapley's value of every player: the mean over all orders of players
// of what the percentile falls by when the player is capped after those before it. A
// subset of s of m players comes before it in s! (m-s-1)! of the m! orders.
func (g *game) values() []*big.Rat {
	m := len(g.players)
	out := make([]*big.Rat, m)
	for p := range out {
		bySize := make([]stat.Sum, m)
		for s := range g.percentile {
			if s>>p&1 == 0 {
				size := &bySize[ones(s)]
				size.Add(g.percentile[s] - g.percentile[s|1<<p])
			}
		}
		value := new(big.Rat)
		for size, sum := range bySize {
			// s! (m-s-1)! / m! = 1 / (m * binomial(m-1, s))
			orders := new(big.Int).Binomial(int64(m-1), int64(size))
			orders.Mul(orders, big.NewInt(int64(m)))
			value.Add(value, new(big.Rat).SetFrac(sum.Int(), orders))
		}
		out[p] = value
	}
	return out
}

func ones(s int) (n int) {
	for ; s != 0; s &= s - 1 {
		n++
	}
	return n
}

// divide gives a player's value to its parts: to one part all of it, to several in
// proportion to the time above their caps.
func (w *whatIf) divide(p player, value *big.Rat, out []*big.Rat) {
	if len(p.parts) == 1 {
		out[p.parts[0]].Set(value)
		return
	}
	var total stat.Sum
	over := make([]stat.Sum, len(p.parts))
	for j, k := range p.parts {
		for i := len(w.s.Value) - len(p.over); i < len(w.s.Value); i++ {
			over[j].Add(w.over(k, i))
		}
		total = total.Plus(over[j])
	}
	for j, k := range p.parts {
		share := new(big.Rat).SetFrac(over[j].Int(), total.Int())
		out[k].Mul(value, share)
	}
}
