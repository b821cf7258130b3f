package change

import (
	"math"
	"slices"

	"github.com/tailpath/tailpath/analyze/stat"
)

// Of compares two ranked samples of the same latency. The rule is applied by Judge,
// which sees everything that is tested together.
func Of(base, new *Sample, o Options) *Result {
	o = o.filled()
	if len(base.Value) == 0 || len(new.Value) == 0 {
		return Bare(base, new, o)
	}
	c := comparison{o: o, samples: [sides]*Sample{base, new}}
	r := &Result{N: [sides]int64{int64(len(base.Value)), int64(len(new.Value))}, Blocks: o.Blocks, rule: o.Rule}
	c.prepare()
	c.plan()
	c.resample()
	for i, p := range o.Percentiles {
		q := percentile(base, new, p, o)
		c.ratio(&q, c.atPercentile+i, c.ofQuantile[i])
		r.Percentiles = append(r.Percentiles, q)
	}
	if c.even != nil {
		r.Matched = c.even.n
		c.workload(r.Percentiles)
	}
	k := c.parts()
	r.Mean = c.split(c.atMean, k, c.ofMean, min(r.N[Base], r.N[New]) >= enough)
	for i, p := range o.At {
		ample := min(r.N[Base], r.N[New]) >= stat.Minimum(p).Ample
		r.At = append(r.At, AtPercentile{P: p, Ample: ample, Split: c.split(c.atRank+i*(k+1), k, c.ofRank[i], ample)})
	}
	for i, b := range o.Bands {
		change := BandChange{Band: b}
		for s, n := range r.N {
			below, upto := b.edges(n)
			change.N[s] = upto - below
		}
		change.Ample = min(change.N[Base], change.N[New]) >= enough
		change.Split = c.split(c.atBand+i*(k+1), k, c.ofMean, change.Ample)
		r.Bands = append(r.Bands, change)
	}
	if base.Parts == nil {
		r.At, r.Bands, r.Mean.Parts = nil, nil, nil
	}
	r.Effect = stat.MannWhitney(base.Value, new.Value)
	return r
}

// Bare is Of without any resample, for samples of too few requests to tell anything from chance:
// it has their percentiles, and nothing else.
func Bare(base, new *Sample, o Options) *Result {
	o = o.filled()
	r := &Result{N: [sides]int64{int64(len(base.Value)), int64(len(new.Value))}, Blocks: o.Blocks, rule: o.Rule}
	for _, p := range o.Percentiles {
		r.Percentiles = append(r.Percentiles, percentile(base, new, p, o))
	}
	return r
}

// enough is the number of requests on either side that a mean takes, and that lie
// beyond a percentile that is judged.
const enough = 10

// percentile fills in what a percentile is without any resample.
func percentile(base, new *Sample, p stat.Prob, o Options) Percentile {
	q := Percentile{P: p, Base: stat.QuantileOf(base.Value, p), New: stat.QuantileOf(new.Value, p), Chance: 1, Adjusted: 1, least: o.Rule.least(p)}
	n := min(q.Base.N, q.New.N)
	q.Ratio = stat.Estimate{Value: 1, N: n, Method: MethodExact}
	q.bothValues = q.Base.Known && q.New.Known && q.Base.Value > 0 && q.New.Value > 0
	if q.bothValues {
		q.Ratio.Value = float64(q.New.Value) / float64(q.Base.Value)
	}
	q.Incidents = [2]int64{incidents(base, p), incidents(new, p)}
	return q
}

// incidents counts groups of slow requests, those at or above the rank of p: requests
// whose starts are no further apart than the longest wait among them are one. It is 0
// when nothing says when they started.
func incidents(s *Sample, p stat.Prob) int64 {
	n := int64(len(s.Value))
	if n == 0 || s.Start == nil {
		return 0
	}
	from := max(1, p.Rank(n)) - 1
	starts := slices.Clone(s.Start[from:])
	slices.Sort(starts)
	var gap int64
	if s.Waited != nil {
		gap = slices.Max(s.Waited[from:])
	}
	count := int64(1)
	for i := 1; i < len(starts); i++ {
		if starts[i]-starts[i-1] > gap {
			count++
		}
	}
	return count
}

// comparison is the work of Of: every figure is a column, of which the last resample is
// the captures as they are.
type comparison struct {
	o       Options
	samples [sides]*Sample
	tiles   [sides][][]int64 // the parts, or the value as its only part
	ladders [sides]*ladder
	curves  [sides][]curve
	exact   [sides][]stat.Weights
	even    *evened
	draws   draws
	known   bool // there are blocks
	// The steps of time of the requests, and by what factor intervals are wider because
	// noise carries over between blocks: of the mean, and of each percentile.
	step       [sides][]int32
	stepCount  [sides]int
	lasting    [][sides][]float64
	ofMean     float64
	ofQuantile []float64
	ofRank     []float64

	// The columns: for each figure the difference (of logarithms, for ratios) in each resample.
	columns                                      [][]float64
	point                                        [sides][]float64 // as captured
	atPercentile, atMean, atRank, atBand, atWork int
	width                                        int
}

func (c *comparison) parts() int { return len(c.tiles[Base]) }

func (c *comparison) prepare() {
	b := &c.o.Blocks
	c.known = b.Known() && c.samples[Base].Start != nil && c.samples[New].Start != nil
	var marks [sides]uint64
	stat.Replicates(int(sides), c.o.Workers, func(_, s int) { // the sides have nothing in common to write to
		x := c.samples[s]
		c.tiles[s] = x.Parts
		if x.Parts == nil {
			c.tiles[s] = [][]int64{x.Value}
		}
		block, n := make([]int32, len(x.Value)), 1
		if c.known {
			block, n = b.of(s, x.Start), b.N[s]
		}
		marks[s] = mark(n, block, x.Value)
		c.ladders[s] = newLadder(x.Value, c.tiles[s], block, nil, n)
		for _, p := range c.o.At {
			curve, w := newCurve(int64(len(x.Value)), p)
			c.curves[s], c.exact[s] = append(c.curves[s], curve), append(c.exact[s], w)
		}
	})
	c.draws = newDraws(b, c.o.Seed, marks)
	c.carry()
	c.even = newEvened(c.samples, c.ladders)
}

// carry finds how far noise carries over from block to block.
func (c *comparison) carry() {
	if !c.known {
		c.ofMean, c.ofQuantile, c.ofRank = 1, ones(len(c.o.Percentiles)), ones(len(c.o.At))
		return
	}
	for s, x := range c.samples {
		c.step[s], c.stepCount[s] = c.o.Blocks.steps(s, x.Start)
	}
	ranks := func(p stat.Prob) (n [sides]int64) {
		for s, x := range c.samples {
			n[s] = max(1, p.Rank(int64(len(x.Value))))
		}
		return n
	}
	// How long noise lasts shows where all requests are seen, and not in the few of a tail.
	mean := c.series(func(s, row int) float64 { return float64(c.samples[s].Value[row]) })
	c.lasting = [][sides][]float64{mean, c.above(ranks(stat.P50))}
	c.ofMean = c.o.Blocks.carried(mean, c.lasting...)
	at := func(p stat.Prob) float64 { return c.carriedAt(ranks(p)) }
	for _, p := range c.o.Percentiles {
		c.ofQuantile = append(c.ofQuantile, at(p))
	}
	for _, p := range c.o.At {
		c.ofRank = append(c.ofRank, at(p))
	}
}

// plan numbers the columns.
func (c *comparison) plan() {
	k := c.parts() + 1
	c.atPercentile = 0
	c.atMean = c.atPercentile + len(c.o.Percentiles)
	c.atRank = c.atMean + k
	c.atBand = c.atRank + k*len(c.o.At)
	c.atWork = c.atBand + k*len(c.o.Bands)
	c.width = c.atWork
	if c.even != nil {
		c.width += len(c.o.Percentiles)
	}
}

// figures computes every figure of one side in one resample.
func (c *comparison) figures(s int, m []float64, curves bool, out []float64) {
	l, k := c.ladders[s], c.parts()+1
	total := l.total(m)
	for i, p := range c.o.Percentiles {
		out[c.atPercentile+i] = math.Log(l.quantile(m, p))
	}
	mean := out[c.atMean : c.atMean+k]
	l.sumsTo(m, total, mean)
	for i := range mean {
		mean[i] /= total
	}
	below, upto := make([]float64, k), make([]float64, k)
	for i, b := range c.o.Bands {
		from, to := b.edges(int64(total))
		l.sumsTo(m, float64(from), below)
		l.sumsTo(m, float64(to), upto)
		for j := range below {
			out[c.atBand+i*k+j] = (upto[j] - below[j]) / float64(max(1, to-from))
		}
	}
	if curves {
		for i := range c.o.At {
			l.around(m, c.curves[s][i], out[c.atRank+i*k:c.atRank+(i+1)*k])
		}
	}
}

// resample fills the columns.
func (c *comparison) resample() {
	whole := [sides][]float64{}
	for s, l := range c.ladders {
		whole[s] = ones(l.blocks)
		c.point[s] = make([]float64, c.width)
		c.figures(s, whole[s], false, c.point[s])
		c.ranks(s)
	}
	if c.even != nil {
		c.even.figures(whole, c.o.Percentiles, c.point[Base][c.atWork:], c.point[New][c.atWork:])
	}
	if !c.known {
		return
	}
	c.columns = make([][]float64, c.width)
	for j := range c.columns {
		c.columns[j] = make([]float64, c.o.Replicates)
	}
	type scratch struct {
		m   *multiplicities
		out [sides][]float64
	}
	workers := make([]*scratch, max(1, c.o.Workers))
	stat.Replicates(c.o.Replicates, c.o.Workers, func(worker, replicate int) {
		w := workers[worker]
		if w == nil {
			w = &scratch{c.draws.scratch(), [sides][]float64{make([]float64, c.width), make([]float64, c.width)}}
			workers[worker] = w
		}
		c.draws.draw(replicate, w.m)
		empty := false
		for s := range sides {
			if empty = empty || c.ladders[s].total(w.m.times[s]) <= 0; !empty {
				c.figures(s, w.m.times[s], true, w.out[s])
			}
		}
		if c.even != nil && !empty {
			c.even.figures(w.m.times, c.o.Percentiles, w.out[Base][c.atWork:], w.out[New][c.atWork:])
		}
		for j := range c.columns {
			d := w.out[New][j] - w.out[Base][j]
			if empty || math.IsInf(d, 0) {
				d = math.NaN()
			}
			c.columns[j][replicate] = d
		}
	})
}

// ranks writes the Harrell-Davis figures of the capture as it is, by its exact weights.
func (c *comparison) ranks(s int) {
	k := c.parts() + 1
	for i, w := range c.exact[s] {
		out := c.point[s][c.atRank+i*k : c.atRank+(i+1)*k]
		for j, part := range c.tiles[s] {
			out[j] = w.Of(part)
			out[k-1] += out[j]
		}
	}
}

// figure returns the figure in column j, whose interval is wider by a factor. It has none
// when the requests are not ample.
func (c *comparison) figure(j int, wider float64, ample bool) Figure {
	f := Figure{Base: c.point[Base][j], New: c.point[New][j]}
	if f.Difference, f.P = c.estimate(j, f.New-f.Base, wider); !ample {
		f.Difference, f.P = few(f.Difference), 1
	}
	return f
}

// split returns the figures of k parts from column j on, and their total behind them.
func (c *comparison) split(j, k int, wider float64, ample bool) Split {
	s := Split{Total: c.figure(j+k, wider, ample)}
	for i := range k {
		s.Parts = append(s.Parts, c.figure(j+i, wider, ample))
	}
	return s
}

// estimate returns the interval of the value in column j and the probability of a value
// as far from 0 by chance.
func (c *comparison) estimate(j int, value, wider float64) (e stat.Estimate, chance float64) {
	n := int64(min(len(c.samples[Base].Value), len(c.samples[New].Value)))
	e = stat.Estimate{Value: value, N: n, Method: MethodExact}
	if !c.known {
		return without(e, NoBlocksToDraw, c.o.Blocks.why()), 1
	}
	blocks := min(c.o.Blocks.N[Base], c.o.Blocks.N[New])
	return interval(c.columns[j], value, n, blocks, wider)
}

// ratio puts the interval of a ratio on a percentile.
func (c *comparison) ratio(q *Percentile, j int, wider float64) {
	if !q.bothValues {
		return
	}
	e, chance := c.estimate(j, math.Log(q.Ratio.Value), wider)
	if !q.ample() {
		e, chance = few(e), 1
	}
	q.Chance, q.excludes1 = chance, excludes0(e)
	value := q.Ratio.Value // as it is, and not by way of its logarithm
	q.Ratio = ratioOf(telling(e))
	q.Ratio.Value = value
	if q.Ratio.HasBounds {
		q.freedom = worthOf(min(c.o.Blocks.N[Base], c.o.Blocks.N[New]), wider) - 1
	}
}
