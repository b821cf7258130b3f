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
	// unseen is the part of slow requests that can be of a kind that the tail does not hold.
	unseen float64
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

// boundShare gives a share the interval of its resampled values, and room for slow requests
// of a kind that the tail holds none of: they can have all of their excess in this part, or
// none of it. No resample holds what the sample does not.
func (b *blocking) boundShare(e *stat.Estimate, values []float64) {
	if b.bound(e, values); e.HasBounds {
		e.Bounds.Low = min(e.Bounds.Low, e.Value-float64(b.unseen*max(0, e.Value)))
		e.Bounds.High = max(e.Bounds.High, e.Value+float64(b.unseen*max(0, 1-e.Value)))
	}
}

// newBlocking divides the time into blocks of equal numbers of requests, which are given in
// the order of time, and notes it. Blocks of equal length would do as well where requests
// come evenly; after a pause they would be empty.
func newBlocking(inTime []keyed, note *Blocks, o Options) *blocking {
	n := len(inTime)
	b := &blocking{n: min(n, timeBlocks), of: make([]int32, n)}
	if note.Refused != "" {
		b.warnings = []stat.Warning{{ID: DescribesOnly, Text: note.Refused}}
	}
	for i, k := range inTime {
		b.of[k.row] = int32(i * b.n / n)
	}
	note.N, note.Replicates = b.n, o.Replicates
	if note.Refused == "" {
		b.unseen = stat.Unseen(note.Worth, stat.Confidence)
	}
	note.LengthNS = int64(inTime[n-1].since(inTime[0]) / uint64(b.n))
	return b
}

// undated notes that there are no times, hence no blocks of time.
func (b *Blocks) undated() {
	b.Refused = "nothing says when the requests ran, so there are no blocks of time to resample"
	b.Need = "times that say when the requests ran"
}

// inBlocks judges what intervals from blocks of time are worth, and divides the time into
// them. It returns nil without times.
func (a *run) inBlocks() *blocking {
	if a.Start == nil {
		a.r.Blocks.undated()
		return nil
	}
	inTime := sorted(a.Start)
	a.judge(inTime)
	return newBlocking(inTime, &a.r.Blocks, a.opt)
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

// bounds gives excesses and shares their intervals and says how often each part is first.
func (a *run) bounds(b *blocking, excess [][]float64, total []float64) {
	b.bound(&a.r.Excess, total)
	first := a.timesFirst(excess)
	stat.Replicates(len(excess), a.opt.Workers, func(_, k int) {
		p := &a.r.Parts[k]
		b.bound(&p.Excess, excess[k])
		b.boundShare(&p.Share, sharesOf(excess[k], total))
		p.First = first[k]
	})
}

// timesFirst returns in which part of the resamples each part has the largest excess of
// those that may be first.
func (a *run) timesFirst(excess [][]float64) []float64 {
	first, d := make([]float64, len(excess)), make([]float64, len(excess))
	n := len(excess[0])
	for r := range n {
		for k := range d {
			d[k] = excess[k][r]
		}
		if f := a.isFirst(d); f >= 0 {
			first[f]++
		}
	}
	for k := range first {
		first[k] /= float64(n)
	}
	return first
}

// sharesOf returns the resampled shares of an excess. A resample without excess has none.
func sharesOf(excess, total []float64) []float64 {
	share := make([]float64, len(excess))
	for r, v := range excess {
		if share[r] = math.NaN(); total[r] > 0 {
			share[r] = v / total[r]
		}
	}
	return share
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
