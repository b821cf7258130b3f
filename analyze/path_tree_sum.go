package analyze

import (
	"cmp"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/tailpath/tailpath/analyze/attribution"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/ingest/table"
)

// pathBlocks are the blocks of time that are resampled.
type pathBlocks struct {
	cuts []int64 // where the second and the later ones begin
	n    int     // 0 for none
	// requests counts those of each side by block, and ns is the time of each step, in both: by
	// block, then step.
	requests [2][]int64
	ns       [2][]int64
}

// newPathBlocks divides the time as the attribution does, into blocks of about equal numbers of
// requests. Where that has no interval that predicts there are no blocks.
func newPathBlocks(set *table.Set, ranked []int32, b attribution.Blocks) *pathBlocks {
	out := &pathBlocks{}
	if b.Refused != "" || b.N < 2 {
		return out
	}
	starts := gather(set.Requests.Start, ranked)
	slices.Sort(starts)
	out.n = b.N
	for k := 1; k < b.N; k++ {
		out.cuts = append(out.cuts, starts[(k*len(starts)+b.N-1)/b.N])
	}
	return out
}

// of returns the block of a request that starts at an instant.
func (b *pathBlocks) of(start int64) int {
	at, found := slices.BinarySearch(b.cuts, start)
	for found && at < len(b.cuts) && b.cuts[at] == start {
		at++
	}
	return at
}

// pathSum is what is added up of a step on one side.
type pathSum struct {
	PathTime
	offset int64 // sum of how long after their start the requests first came to it, ns
	last   int32 // request that was added last, + 1
	began  int64 // when that came to it
}

// sum adds up the steps that were kept, puts them in order, and notes their times by block.
func (p *pathTrie) sum(t *PathTree, b *pathBlocks) {
	p.blocks = b
	sums := [2][]pathSum{make([]pathSum, len(p.kept)), make([]pathSum, len(p.kept))}
	for side := range b.ns {
		b.requests[side], b.ns[side] = make([]int64, b.n), make([]int64, b.n*len(p.kept))
	}
	seg, request := &p.set.Segments, int32(0)
	p.sides(func(side int, row, from, to int32) {
		request++
		var times []int64 // of the steps, in the request's block
		if b.n > 0 {
			at := b.of(p.set.Requests.Start[row])
			b.requests[side][at]++
			times = b.ns[side][at*len(p.kept) : (at+1)*len(p.kept)]
		}
		for k := from; k < to; k++ {
			i, self := p.segments[k], p.step[p.leaf[k]]
			ns, began := seg.Duration[i], seg.Start[i]-p.set.Requests.Start[row]
			sums[side][self].SelfNS += ns
			for at := self; at >= 0; at = p.kept[at].parent {
				s := &sums[side][at]
				s.TotalNS += ns
				if times != nil {
					times[at] += ns
				}
				switch {
				case s.last != request:
					s.N, s.last, s.began = s.N+1, request, began
					s.offset += began
				case began < s.began:
					s.offset += began - s.began
					s.began = began
				}
			}
		}
	})
	p.arrange(t, sums)
}

// arrange puts the steps in the order of the tree.
func (p *pathTrie) arrange(t *PathTree, sums [2][]pathSum) {
	below := map[int32][]int32{}
	for i, k := range p.kept {
		below[k.parent] = append(below[k.parent], int32(i))
	}
	offset := func(i int32) float64 {
		for side := range sums {
			if s := &sums[side][i]; s.N > 0 {
				return float64(s.offset) / float64(s.N)
			}
		}
		return 0
	}
	for _, list := range below {
		slices.SortFunc(list, func(a, b int32) int {
			if x, y := p.kept[a].other, p.kept[b].other; x != y {
				return cmp.Or(map[bool]int{true: 1, false: -1}[x])
			}
			return cmp.Or(cmp.Compare(offset(a), offset(b)), p.compare(p.kept[a].node, p.kept[b].node))
		})
	}
	var put func(i int32, parent, depth int)
	put = func(i int32, parent, depth int) {
		k := p.kept[i]
		s := PathStep{Parent: parent, Depth: depth, Kind: PathOther, Folded: k.folded, Slow: sums[0][i].PathTime, Usual: sums[1][i].PathTime}
		if n := k.node; !k.other && p.nodes[n].frame >= 0 {
			s.Kind, s.Service, s.Name = PathSpan, strings.Clone(p.frames[p.nodes[n].frame].service), strings.Clone(p.frames[p.nodes[n].frame].name)
		} else if !k.other {
			s.Kind, s.Stage, s.Detail = PathStage, p.nodes[n].stage, p.set.Symbols.Text(p.nodes[n].detail)
		}
		at := len(t.Steps)
		t.Steps = append(t.Steps, s)
		p.order = append(p.order, i)
		for _, c := range below[i] {
			put(c, at, depth+1)
		}
	}
	for _, i := range below[-1] {
		put(i, -1, 0)
	}
}

// bound sets slow requests against usual ones at every step, with the interval of resampled blocks.
func (t *PathTree) bound(p *pathTrie, opt Options) {
	for k := range t.Steps {
		s := &t.Steps[k]
		d := s.Slow.MeanOf(t.Slow.N)
		d.Sub(d, s.Usual.MeanOf(t.Usual.N))
		s.Difference = stat.Estimate{N: t.Slow.N, Method: attribution.MethodTailBody}
		s.Difference.Value, _ = new(big.Rat).Set(d).Float64()
	}
	b := p.blocks
	if b.n < 2 {
		return
	}
	replicates := t.Blocks.Replicates
	count := make([]int32, replicates*b.n)
	stat.Replicates(replicates, opt.Workers, func(_, r int) { stat.Draw(opt.Seed, r, b.n, count[r*b.n:(r+1)*b.n]) })
	confidence := stat.ExpandedConfidence(b.n, stat.Confidence)
	stat.Replicates(len(t.Steps), opt.Workers, func(_, k int) {
		values := make([]float64, replicates)
		for r := range values {
			var mean [2]float64
			for side := range mean {
				var n, ns float64
				for at, times := range count[r*b.n : (r+1)*b.n] {
					n += float64(times) * float64(b.requests[side][at])
					ns += float64(times) * float64(b.ns[side][at*len(p.kept)+int(p.order[k])])
				}
				mean[side] = ns / n // NaN without requests
			}
			values[r] = mean[0] - mean[1]
		}
		if bounds := stat.PercentileBounds(values, confidence); !math.IsNaN(bounds.Low) {
			d := &t.Steps[k].Difference
			d.HasBounds, d.Bounds, d.Method = true, bounds, attribution.MethodBlocks
		}
	})
}
