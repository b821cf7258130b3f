package analyze

import (
	"cmp"
	"math/big"
	"slices"

	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// Tail compares slow requests with usual ones, stage by stage.
//
// The tail is every request at or above the rank of Q, the body the requests whose
// rank lies above 40 % and up to 60 %: both centred on what they stand for. The
// excess of a stage is its mean time in the tail minus its mean time in the body.
// The excesses add up to the difference of the mean durations exactly, which
// differences of percentiles do not. Negative ones are kept.
type Tail struct {
	Q          stat.Prob
	Tail, Body Group
	// Enough is false when not even the p90 tail has Rule.MinTail requests. The
	// groups are then those of p90, too small for shares of the excess.
	Enough bool
	// Need is the number of requests at which the p90 tail is large enough.
	Need int64
	// MinTail is Rule.MinTail: the requests that shares of a group need.
	MinTail int64
	// Clusters counts groups: tail requests whose starts are no further apart than
	// the longest wait among them, in queue and scheduling, are one. Requests that
	// wait behind each other are then together, and long ones that never waited are
	// not.
	Clusters int64
	// Undated says that no tail request has a time: Clusters is 1, and tells nothing.
	Undated bool
	Details []Detail
}

// Detail is one sub-label of a stage in the tail and in the body. The details of a
// stage add up to the stage.
type Detail struct {
	Stage      stage.Stage
	Name       string // empty for time without a sub-label
	Tail, Body stat.Sum
}

// tailSteps are the percentiles tried, from the far tail inwards.
var tailSteps = []stat.Prob{stat.P99, stat.P95, stat.P90}

// The body's ranks lie above the first and up to the second.
var bodyFrom, bodyTo = stat.Prob{Num: 2, Den: 5}, stat.Prob{Num: 3, Den: 5}

// tailFrom returns the first rank of the tail at q.
func tailFrom(q stat.Prob, n int64) int64 { return max(1, q.Rank(n)) }

// bodyRanks returns the first and the last rank of the body.
func bodyRanks(n int64) (first, last int64) {
	floor := func(p stat.Prob) int64 { // n - ceil(n(1-p)) = floor(n p)
		return n - stat.Prob{Num: p.Den - p.Num, Den: p.Den}.Rank(n)
	}
	return floor(bodyFrom) + 1, floor(bodyTo)
}

// tail compares tail and body of ranked rows.
func tail(set *table.Set, m metric, ranked []int32, opt Options) Tail {
	n := int64(len(ranked))
	t := Tail{MinTail: opt.Rule.MinTail, Need: leastForTail(tailSteps[len(tailSteps)-1], opt.Rule.MinTail)}
	for _, q := range tailSteps {
		t.Q = q
		if t.Enough = n-tailFrom(q, n)+1 >= opt.Rule.MinTail && n > 0; t.Enough {
			break
		}
	}
	if n == 0 {
		return t
	}
	first, last := bodyRanks(n)
	slow, usual := ranked[tailFrom(t.Q, n)-1:], ranked[first-1:max(last, first-1)]
	for _, row := range slow {
		t.Tail.add(&m, row)
	}
	for _, row := range usual {
		t.Body.add(&m, row)
	}
	t.Clusters = clusters(set, slow, longestWait(m, slow))
	t.Undated = len(slow) > 0 && !slices.ContainsFunc(slow, func(row int32) bool { return set.Requests.Clock[row] != table.ClockNone })
	if t.Enough {
		t.Details = details(set, m, slow, usual)
	}
	return t
}

// leastForTail returns the least n whose tail at q has want requests.
func leastForTail(q stat.Prob, want int64) int64 {
	n := max(0, (want-1)*q.Den/(q.Den-q.Num)-q.Den)
	for n-tailFrom(q, n)+1 < want || n == 0 {
		n++
	}
	return n
}

// longestWait returns the longest time in ns that one of the rows spent waiting for
// the engine: in its queue and in scheduling.
func longestWait(m metric, rows []int32) (longest int64) {
	for _, row := range rows {
		longest = max(longest, m.stages[stage.Queue][row]+m.stages[stage.Scheduling][row])
	}
	return longest
}

// clusters counts groups of rows whose starts follow each other within gap ns. What
// has no times counts as one group, as nothing says that it is more.
func clusters(set *table.Set, rows []int32, gap int64) int64 {
	type start struct {
		base timebase
		at   int64
	}
	starts := make([]start, len(rows))
	for i, row := range rows {
		starts[i] = start{timebaseOf(set, int(row)), set.Requests.Start[row]}
	}
	slices.SortFunc(starts, func(a, b start) int { return cmp.Or(a.base.compare(b.base), cmp.Compare(a.at, b.at)) })
	var n int64
	for i, s := range starts {
		if i == 0 || s.base != starts[i-1].base || s.base.clock != table.ClockNone && s.at-starts[i-1].at > gap {
			n++
		}
	}
	return n
}

// details sums the segments of both groups by stage and sub-label. It returns nil
// when the set holds no segments.
func details(set *table.Set, m metric, slow, usual []int32) []Detail {
	seg := &set.Segments
	const inTail, inBody = 1, 2
	group := make([]uint8, set.Requests.Len())
	for _, row := range slow {
		group[row] = inTail
	}
	for _, row := range usual {
		group[row] = inBody
	}
	type key struct {
		stage uint8
		name  table.Sym
	}
	sums := map[key]*Detail{}
	for i := range seg.Len() {
		row := seg.RequestRow[i]
		if seg.Target[i] != uint8(m.target) || row < 0 || int(row) >= len(group) || group[row] == 0 {
			continue
		}
		k := key{seg.Stage[i], seg.Detail[i]}
		d, ok := sums[k]
		if !ok {
			d = &Detail{Stage: stage.Stage(k.stage), Name: set.Symbols.Text(k.name)}
			sums[k] = d
		}
		if group[row] == inTail {
			d.Tail.Add(seg.Duration[i])
		} else {
			d.Body.Add(seg.Duration[i])
		}
	}
	var out []Detail
	for _, d := range sums {
		out = append(out, *d)
	}
	slices.SortFunc(out, func(a, b Detail) int {
		return cmp.Or(cmp.Compare(a.Stage, b.Stage), b.Tail.Int().Cmp(a.Tail.Int()), cmp.Compare(a.Name, b.Name))
	})
	return out
}

// excess is tail/n - body/m, exactly.
func (t Tail) excess(tail, body stat.Sum) *big.Rat {
	d := new(big.Rat)
	if t.Tail.N > 0 {
		d.Set(tail.Mean(t.Tail.N))
	}
	if t.Body.N > 0 {
		d.Sub(d, body.Mean(t.Body.N))
	}
	return d
}

// Excess returns the exact excess of every stage in ns.
func (t Tail) Excess() (d [StageCount]*big.Rat) {
	for k := range d {
		d[k] = t.excess(t.Tail.Times[k], t.Body.Times[k])
	}
	return d
}

// Total returns the exact difference of the mean durations in ns: the sum of Excess.
func (t Tail) Total() *big.Rat { return t.excess(t.Tail.Total, t.Body.Total) }

// Shares returns every stage's share of the total excess; nil when that is not
// positive or the tail is too small for shares.
func (t Tail) Shares() []float64 {
	total := t.Total()
	if !t.Enough || total.Sign() <= 0 {
		return nil
	}
	out := make([]float64, StageCount)
	for k, d := range t.Excess() {
		out[k], _ = d.Quo(d, total).Float64()
	}
	return out
}

// ExcessNS returns the excess of every stage in ns, rounded so that they add up to
// the rounded total.
func (t Tail) ExcessNS() (ns [StageCount]int64, total int64) {
	d := t.Excess()
	total = stat.RoundRat(t.Total())
	copy(ns[:], stat.RoundParts(d[:], total))
	return ns, total
}

// DetailMeans returns the mean times of a detail in tail and body and its excess,
// in ns, each rounded for itself.
func (t Tail) DetailMeans(d Detail) (tail, body, excess int64) {
	return d.Tail.MeanRounded(t.Tail.N), d.Body.MeanRounded(t.Body.N), stat.RoundRat(t.excess(d.Tail, d.Body))
}

// DetailShare returns the share of a detail of the total excess, 0 without shares.
func (t Tail) DetailShare(d Detail) float64 {
	total := t.Total()
	if !t.Enough || total.Sign() <= 0 {
		return 0
	}
	x := t.excess(d.Tail, d.Body)
	share, _ := x.Quo(x, total).Float64()
	return share
}
