package analyze

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"github.com/tailpath/tailpath/analyze/serving"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical/stage"
)

// Readings that count requests which were preempted: since the last reading, and those that
// wait to be computed again.
const (
	metricPreemptions = "preemptions"
	metricRetracted   = "retracted"
)

// preemptions counts how often requests were preempted, by engine. SGLang's spans tell every
// time. Readings of counts do once there is one, for the time that they are of: lines without it
// then say none. vLLM's spans do not: a request that gave its place up decodes for longer than those beside it, which
// bounds how many did. Other engines are asked only where something tells.
func (c *captured) preemptions() {
	seg := &c.set.Segments
	told := make([]int64, len(c.engines))
	products := make([]string, len(c.engines))
	for row, at := range c.index {
		if at < 0 {
			continue
		}
		for _, i := range c.pathOf(row) {
			e := c.engineOf(i)
			if e < 0 {
				continue
			}
			switch stage.Stage(seg.Stage[i]) {
			case stage.GPU:
				products[e] = cmp.Or(products[e], productOf(c.set.Symbols.Text(seg.Rule[i])))
			case stage.Queue:
				if c.set.Symbols.Text(seg.Detail[i]) == "preempted" {
					told[e]++
				}
			}
		}
	}
	shift := c.shifts()
	paces := sync.OnceValue(c.paces)
	slowed := func(e int) int64 { return paces()[e].slowed() }
	for e := range c.engines {
		x := serving.Preemptions{Engine: e, Low: told[e], High: told[e]}
		n, counted := c.countedOf(e, shift[e])
		retracted, read := c.mostRead(e, metricRetracted)
		switch {
		case counted:
			x.Low = max(x.Low, n.low)
			if x.High = max(x.Low, n.high); !n.whole && products[e] != "SGLang" {
				x.High = max(x.High, slowed(e))
			}
		case told[e] > 0:
			x.Low, x.High = max(x.Low, retracted), max(x.Low, retracted)
		case products[e] == "SGLang" && !read:
		case products[e] == "vLLM" || read:
			x.Low = retracted
			x.High = max(x.Low, slowed(e))
		default:
			continue
		}
		c.Preemptions = append(c.Preemptions, x)
	}
}

// tally are the preemptions that an engine counted while requests were there: at least and
// at most, while it counted. whole is true when that was nearly all the time.
type tally struct {
	low, high int64
	whole     bool
}

// readEvery is how far apart readings are at most that leave nothing out, in ns: half as long
// again as vLLM's lines.
const readEvery = 15_000_000_000

// countedOf adds up the preemptions that an engine counted in the time of the requests. A reading
// is of the time since the one before: the first may count some from before the requests, and the
// one after their end some from within.
func (c *captured) countedOf(e int, shift int64) (n tally, ok bool) {
	from, to := c.extent()
	first, last := int64(0), int64(0)
	c.opt.Engines.Readings(int32(e), metricPreemptions, func(at int64, value float64) {
		at += shift
		k := int64(min(max(value, 0), 1<<40))
		if at >= from && (!ok || last < to) {
			n.high += k
			if ok && last >= from && at <= to {
				n.low += k
			}
		}
		if !ok {
			first = at
		}
		last, ok = at, true
	})
	n.whole = first-from <= readEvery && to-last <= readEvery
	return n, ok
}

func (c *captured) mostRead(e int, metric string) (most int64, ok bool) {
	c.opt.Engines.Readings(int32(e), metric, func(_ int64, value float64) {
		most, ok = max(most, int64(min(max(value, 0), 1<<40))), true
	})
	return most, ok
}

// extent is from the first start of a request to the last end.
func (c *captured) extent() (from, to int64) {
	from, to = math.MaxInt64, math.MinInt64
	for i := range c.Requests {
		q := &c.Requests[i]
		from, to = min(from, q.StartNS), max(to, q.StartNS, q.EndNS)
	}
	return from, to
}

// A request may have been preempted when it took a seventh longer for each token than a quarter
// of those that decoded beside it: starting values. In simulated captures without preemptions 3 %
// of the requests did at most, and where every third was preempted 13 % did at least. One that was and
// took no longer lost nothing that matters.
const (
	paceLonger  = 1.15
	paceFastest = 4  // one in so many beside it was as fast, or faster
	pacePieces  = 8  // of the median decoding: what decodes beside what is told by piece of that length
	paceMost    = 64 // pieces of a decoding, on average
)

// pace is the decoding of one request.
type pace struct {
	from, to int64
	each     float64 // ns for a token
}

// pieces returns the first of the pieces of time that a decoding fills, which are width ns long
// from an instant on, and the one behind the last.
func (p *pace) pieces(from, width int64) (low, high int64) {
	return (p.from - from + width - 1) / width, (p.to - from) / width
}

// paced are the decodings at an engine, and how many others there were that cannot be told by
// the token.
type paced struct {
	list   []pace
	untold int64
}

// paces returns the decodings at each engine.
func (c *captured) paces() []paced {
	seg, req := &c.set.Segments, &c.set.Requests
	all := make([]paced, len(c.engines))
	decode, _ := c.set.Symbols.Lookup("decode")
	var at []int // the engines at which a request decodes
	var of []pace
	for _, row := range c.rows {
		at, of = at[:0], of[:0]
		for _, i := range c.pathOf(int(row)) {
			if stage.Stage(seg.Stage[i]) != stage.GPU || decode == 0 || seg.Detail[i] != decode {
				continue
			}
			e := c.engineOf(i)
			if e < 0 {
				continue
			}
			k := slices.Index(at, e)
			if k < 0 {
				k = len(at)
				at, of = append(at, e), append(of, pace{from: math.MaxInt64, to: math.MinInt64})
			}
			of[k].from, of[k].to = min(of[k].from, seg.Start[i]), max(of[k].to, seg.End[i])
		}
		for k, e := range at {
			p, n := of[k], req.OutputTokens[row]
			switch {
			case p.to <= p.from || p.to-p.from < 0:
			case n < 2:
				all[e].untold++
			default:
				p.each = float64(p.to-p.from) / float64(n-1)
				all[e].list = append(all[e].list, p)
			}
		}
	}
	return all
}

// slowed counts the requests at an engine that took much longer for a token than others
// beside them, and those of which that is not told. At every step each request that decodes
// gets a token, so all that decode at one time go at one pace, whatever slows them down.
func (at *paced) slowed() int64 {
	list, n := at.list, at.untold
	if len(list) == 0 {
		return n
	}
	lengths, first, sum := make([]int64, len(list)), int64(math.MaxInt64), 0.0
	for i, p := range list {
		lengths[i], first, sum = p.to-p.from, min(first, p.from), sum+float64(p.to-p.from)
	}
	// Few very long ones must not make very many pieces.
	width := max(1, medianOf(lengths)/pacePieces, int64(sum/float64(len(list))/paceMost))
	beside := fastestOf(list, first, width)
	for i := range list {
		total, filled := 0.0, 0.0
		for _, each := range beside.of(&list[i]) {
			total, filled = total+each, filled+1
		}
		if list[i].each*filled > paceLonger*total {
			n++
		}
	}
	return n
}

// fastest is how fast a quarter of those were, or faster, that decode in a piece of time, of the
// pieces in which any do.
type fastest struct {
	first, width int64
	pieces       []int64
	fast         []float64 // ns for a token
}

func fastestOf(list []pace, first, width int64) *fastest {
	b := &fastest{first: first, width: width}
	b.fill(list)
	ends := make([]int, len(b.pieces)) // of the paces in each piece
	for i := range list {
		from, to := b.at(&list[i])
		for k := from; k < to; k++ {
			ends[k]++
		}
	}
	for k := 1; k < len(ends); k++ {
		ends[k] += ends[k-1]
	}
	var paces []float64
	if len(ends) > 0 {
		paces = make([]float64, ends[len(ends)-1])
	}
	for i := range list { // each piece is filled from its end on, which becomes its start
		from, to := b.at(&list[i])
		for k := from; k < to; k++ {
			ends[k]--
			paces[ends[k]] = list[i].each
		}
	}
	b.fast = make([]float64, len(b.pieces))
	for k, from := range ends {
		to := len(paces)
		if k+1 < len(ends) {
			to = ends[k+1]
		}
		in := paces[from:to]
		b.fast[k] = stat.Selected(in, (len(in)-1)/paceFastest)
	}
	return b
}

// fill notes the pieces that decodings fill, each once, in order.
func (b *fastest) fill(list []pace) {
	filled := make([][2]int64, 0, len(list))
	for i := range list {
		if low, high := list[i].pieces(b.first, b.width); low < high {
			filled = append(filled, [2]int64{low, high})
		}
	}
	slices.SortFunc(filled, func(a, b [2]int64) int { return cmp.Compare(a[0], b[0]) })
	next := int64(0)
	for _, f := range filled {
		for next = max(next, f[0]); next < f[1]; next++ {
			b.pieces = append(b.pieces, next)
		}
	}
}

// at returns the places of the first of the pieces that a decoding fills and of the one behind the
// last: as it fills them, they lie side by side.
func (b *fastest) at(p *pace) (from, to int) {
	low, high := p.pieces(b.first, b.width)
	if low >= high {
		return 0, 0
	}
	from, _ = slices.BinarySearch(b.pieces, low)
	return from, from + int(high-low)
}

// of returns how fast those beside a decoding were, piece by piece.
func (b *fastest) of(p *pace) []float64 {
	from, to := b.at(p)
	return b.fast[from:to]
}
