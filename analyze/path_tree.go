package analyze

import (
	"math"
	"math/big"

	"github.com/tailpath/tailpath/analyze/attribution"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// PathTree is what the critical path of a slow request looks like, with that of usual ones beside
// it: the paths of all of them, laid over each other step by step. Slow and usual are the
// requests of the tail and the body of the duration.
//
// A span on the path is a step under the span that called it, and steps of the same service and
// name under the same step are one. Its own time is in the stages beneath it, so that the times
// of the stages add up to those of the requests to the nanosecond, and none is counted twice.
type PathTree struct {
	Q           stat.Prob
	Slow, Usual PathGroup
	// Steps are in the order of the tree: each is followed by what is beneath it. Steps beneath
	// the same one are in the order in which slow requests come to them, by the mean of how long
	// after its start a request first did; those put together come last.
	Steps []PathStep
	// Distinct counts the steps before the smallest were put together.
	Distinct int64
	// Blocks says how the intervals were made, or why there are none: as those of the attribution,
	// but that which requests are slow and usual stays as it is.
	Blocks attribution.Blocks
	// Refused says why there are no steps; empty when there are.
	Refused string
}

// PathGroup is the requests of one side of a tree.
type PathGroup struct{ N, NS int64 }

// PathStep is a step of a tree.
type PathStep struct {
	// Parent is the place of the step above it, which comes before it; -1 for none.
	Parent int
	Depth  int
	Kind   PathKind
	// Service and Name are those of the span, for a span. In a name the parts that are ids are
	// stars where many names under one service differ in these alone.
	Service, Name string
	Stage         stage.Stage // of PathStage
	Detail        string
	Folded        int64 // steps that PathOther stands for
	Slow, Usual   PathTime
	// Difference is the mean time of slow requests in it, and in what is beneath it, less that of
	// usual ones, in ns. Requests that do not come to it have no time in it.
	Difference stat.Estimate
}

// PathKind says what a step is.
type PathKind string

// The kinds of steps.
const (
	PathSpan  PathKind = "span"  // it has no time but that of what is beneath it
	PathStage PathKind = "stage" // the span's own time in a stage
	PathOther PathKind = "other" // the smallest steps beneath a step, and all beneath these
)

// PathTime is what the requests of one side have of a step.
type PathTime struct {
	N       int64 // requests that come to it
	SelfNS  int64 // of all of them
	TotalNS int64 // the same with what is beneath it
}

// MeanOf is the mean time of the n requests of its side, in ns, exactly; 0 without requests.
func (t PathTime) MeanOf(n int64) *big.Rat {
	if n == 0 {
		return new(big.Rat)
	}
	return big.NewRat(t.TotalNS, n)
}

// The bounds of a tree.
const (
	// pathSteps is how many steps a tree has unless more are asked for, and mostPathSteps how many
	// if all are.
	pathSteps, mostPathSteps = 48, 2000
	// pathDepth is how many spans lie under each other at most. Only hostile traces nest deeper,
	// and their trees would take the square of their size.
	pathDepth = 64
)

// pathTree lays the paths of the slow and the usual ones of ranked rows over each other. It returns
// nil for a tail that is too small, and where nothing says which span called which.
func pathTree(set *table.Set, ranked []int32, l Latency, opt Options) *PathTree {
	if opt.Callers == nil || !l.Tail.Enough || l.Attribution == nil {
		return nil
	}
	n := int64(len(ranked))
	first, last := bodyRanks(n)
	t := &PathTree{Q: l.Tail.Q, Blocks: l.Attribution.Blocks}
	p := &pathTrie{set: set, callers: opt.Callers, rows: [2][]int32{ranked[tailFrom(t.Q, n)-1:], ranked[first-1 : last]}}
	for side, g := range [2]*Group{&l.Tail.Tail, &l.Tail.Body} {
		ns := g.Total.Int()
		if !ns.IsInt64() {
			t.Refused = "the requests take more than 292 years together"
			return t
		}
		*[2]*PathGroup{&t.Slow, &t.Usual}[side] = PathGroup{g.N, ns.Int64()}
	}
	if p.gather(); p.ns != [2]int64{t.Slow.NS, t.Usual.NS} {
		t.Refused = "the segments do not add up to the requests"
		return t
	}
	p.name()
	p.lay()
	t.Distinct = int64(len(p.nodes))
	most := max(pathSteps, opt.Listed)
	if opt.Listed < 0 || most > mostPathSteps {
		most = mostPathSteps
	}
	p.fold(most)
	p.sum(t, newPathBlocks(set, ranked, t.Blocks))
	t.bound(p, opt)
	return t
}

// gather lists the segments of the requests of both sides, those of each together, and adds them up.
func (p *pathTrie) gather() {
	seg := &p.set.Segments
	at := make([]int32, p.set.Requests.Len()) // which of the requests it is + 1; 0 for none of them
	n := int32(0)
	for _, rows := range p.rows {
		for _, row := range rows {
			n++
			at[row] = n
		}
	}
	p.from = make([]int32, n+1)
	each := func(do func(request, segment int32)) {
		for i, row := range seg.RequestRow {
			if row >= 0 && int(row) < len(at) && at[row] > 0 && critical.Target(seg.Target[i]) == critical.End {
				do(at[row]-1, int32(i))
			}
		}
	}
	each(func(request, _ int32) { p.from[request+1]++ })
	for i := range n {
		p.from[i+1] += p.from[i]
	}
	p.segments = make([]int32, p.from[n])
	next := append([]int32(nil), p.from[:n]...)
	slow := int32(len(p.rows[0]))
	each(func(request, i int32) {
		p.segments[next[request]] = i
		next[request]++
		side := 0
		if request >= slow {
			side = 1
		}
		if ns := seg.Duration[i]; ns < 0 || p.ns[side] > math.MaxInt64-ns {
			p.ns[side] = math.MaxInt64 // it is not what the requests take
		} else {
			p.ns[side] += ns
		}
	})
}

// sides calls do for every request of both sides with its segments, as places in p.segments.
func (p *pathTrie) sides(do func(side int, row int32, from, to int32)) {
	k := 0
	for side, rows := range p.rows {
		for _, row := range rows {
			do(side, row, p.from[k], p.from[k+1])
			k++
		}
	}
}
