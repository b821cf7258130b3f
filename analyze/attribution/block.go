package attribution

import (
	"math"
	"slices"

	"github.com/tailpath/tailpath/analyze/stat"
)

// timeBlocks is how many blocks the time is divided into. Few blocks are long ones,
// and requests of neighbouring blocks then know little of each other; but few blocks
// tell less of their own spread, and the intervals get wider.
const timeBlocks = 24

// DescribesOnly is the id of the warning of bounds that predict nothing.
const DescribesOnly = "describes-only"

// blocking is a division of the time into blocks, with the resamples of them.
type blocking struct {
	n  int
	of []int32 // block of a row
	// count[r*n+b] is how often resample r has block b.
	count []int32
	// percentile is the value at the percentile in ns, and rank its rank, by resample.
	percentile []float64
	rank       []int64
	// warnings go with every estimate.
	warnings []stat.Warning
}

func (b *blocking) times(r int) []int32 { return b.count[r*b.n : (r+1)*b.n] }

// bound gives an estimate the interval of its resampled values.
func (b *blocking) bound(e *stat.Estimate, values []float64) {
	e.Warnings = b.warnings
	if b.n < 2 {
		return
	}
	bounds := stat.PercentileBounds(values, stat.ExpandedConfidence(b.n, stat.Confidence))
	if math.IsNaN(bounds.Low) {
		return
	}
	e.HasBounds, e.Bounds, e.Method = true, bounds, MethodBlocks
}

// inBlocks divides the time into blocks of equal numbers of requests and judges what
// intervals from them are worth. Blocks of equal length would do as well where requests
// come evenly; after a pause they would be empty. It returns nil without times.
func (a *run) inBlocks() *blocking {
	n := len(a.Value)
	if a.Start == nil {
		a.r.Blocks.Refused = "nothing says when the requests ran, so there are no blocks of time to resample"
		a.r.Blocks.Need = "times that say when the requests ran"
		return nil
	}
	inTime := sorted(a.Start)
	a.judge(inTime)
	b := &blocking{n: min(n, timeBlocks), of: make([]int32, n)}
	if a.r.Blocks.Refused != "" {
		b.warnings = []stat.Warning{{ID: DescribesOnly, Text: a.r.Blocks.Refused}}
	}
	for i, k := range inTime {
		b.of[k.row] = int32(i * b.n / n)
	}
	a.r.Blocks.N, a.r.Blocks.Replicates = b.n, a.opt.Replicates
	a.r.Blocks.LengthNS = int64(inTime[n-1].since(inTime[0]) / uint64(b.n))
	return b
}

// resample draws the resamples and returns the excess of every part, and the total one,
// in each of them.
func (a *run) resample(b *blocking) (excess [][]float64, total []float64) {
	n := a.opt.Replicates
	// Parts that took no time in any request have no excess in any resample.
	var column [][]int64
	var held []int
	for k, part := range a.Parts {
		if slices.ContainsFunc(part, func(ns int64) bool { return ns != 0 }) {
			column, held = append(column, part), append(held, k)
		}
	}
	l := newLadder(b.of, b.n, append(column, a.Value)...)
	b.count, b.percentile, b.rank = make([]int32, n*b.n), make([]float64, n), make([]int64, n)
	size := make([]int64, b.n)
	for _, at := range b.of {
		size[at]++
	}
	excess, total = make([][]float64, len(a.Parts)), make([]float64, n)
	for k := range excess {
		excess[k] = make([]float64, n)
	}
	stat.Replicates(n, a.opt.Workers, func(_, r int) {
		times := b.times(r)
		stat.Draw(a.opt.Seed, r, b.n, times)
		var requests int64
		for i, t := range times {
			requests += int64(t) * size[i]
		}
		d := a.resampled(l, times, requests, b, r)
		for j, k := range held {
			excess[k][r] = d[j]
		}
		total[r] = d[len(held)]
	})
	return excess, total
}

// bounds gives excesses and shares their intervals and says how often each part is
// first. A resample without excess has no shares.
func (a *run) bounds(b *blocking, excess [][]float64, total []float64) {
	b.bound(&a.r.Excess, total)
	n := len(total)
	first := make([]int, len(excess))
	d := make([]float64, len(excess))
	for r := range n {
		for k := range d {
			d[k] = excess[k][r]
		}
		if f := a.isFirst(d); f >= 0 {
			first[f]++
		}
	}
	stat.Replicates(len(excess), a.opt.Workers, func(_, k int) {
		p := &a.r.Parts[k]
		b.bound(&p.Excess, excess[k])
		share := make([]float64, n)
		for r, v := range excess[k] {
			if share[r] = math.NaN(); total[r] > 0 {
				share[r] = v / total[r]
			}
		}
		b.bound(&p.Share, share)
		p.First = float64(first[k]) / float64(n)
	})
}

// resampled returns the excesses of the parts, and last that of the value, in a resample
// of so many requests, and notes its percentile. Sums of times are exact, and what tail and
// body are compared by is so too, so that parts that tie do so whatever the unit of time,
// and no excess is 0.
func (a *run) resampled(l *ladder, times []int32, requests int64, b *blocking, r int) []float64 {
	k := len(l.column)
	d := make([]float64, k)
	g := groupsOf(a.opt.Q, requests)
	b.rank[r] = g.tail
	b.percentile[r] = math.NaN()
	if requests == 0 {
		return d
	}
	from := l.find(times, g.tail)
	b.percentile[r] = float64(a.Value[from.item])
	sum := make([]stat.Sum, 4*k)
	upTo := func(i int, at place) []stat.Sum {
		out := sum[i*k : (i+1)*k]
		l.upTo(times, at, out)
		return out
	}
	// The rank before that of the percentile has one copy less of the same request, or none.
	before := place{from.item, from.take - 1}
	all, rest := upTo(0, place{len(l.block) - 1, int64(times[l.block[len(l.block)-1]])}), upTo(1, before)
	high, low := upTo(2, l.find(times, g.last)), upTo(3, l.find(times, g.first-1))
	tail, body := g.tailN(requests), g.bodyN()
	for j := range d {
		if slow := all[j].Minus(rest[j]); body == 0 {
			d[j] = slow.Float() / float64(tail)
		} else {
			d[j] = slow.Times(body).Minus(high[j].Minus(low[j]).Times(tail)).Float() / float64(tail*body)
		}
	}
	return d
}
