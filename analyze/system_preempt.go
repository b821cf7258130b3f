package analyze

import (
	"cmp"
	"math"
	"slices"

	"github.com/tailpath/tailpath/analyze/serving"
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
	for e := range c.engines {
		x := serving.Preemptions{Engine: e, Low: told[e], High: told[e]}
		n, counted := c.countedOf(e, shift[e])
		retracted, read := c.mostRead(e, metricRetracted)
		switch {
		case counted:
			x.Low = max(x.Low, n.low)
			if x.High = max(x.Low, n.high); !n.whole && products[e] != "SGLang" {
				x.High = max(x.High, c.slowed(e))
			}
		case told[e] > 0:
			x.Low, x.High = max(x.Low, retracted), max(x.Low, retracted)
		case products[e] == "SGLang" && !read:
		case products[e] == "vLLM" || read:
			x.Low = retracted
			x.High = max(x.Low, c.slowed(e))
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

// through calls f for the pieces of time that a decoding fills, which are width ns long from
// an instant on.
func (p *pace) through(from, width int64, f func(piece int64)) {
	for k := (p.from - from + width - 1) / width; k < (p.to-from)/width; k++ {
		f(k)
	}
}

// paces returns the decodings at an engine, and how many others there were that cannot be
// told by the token.
func (c *captured) paces(e int) (list []pace, untold int64) {
	seg, req := &c.set.Segments, &c.set.Requests
	for _, row := range c.rows {
		p := pace{from: math.MaxInt64, to: math.MinInt64}
		for _, i := range c.pathOf(int(row)) {
			if stage.Stage(seg.Stage[i]) == stage.GPU && c.engineOf(i) == e && c.set.Symbols.Text(seg.Detail[i]) == "decode" {
				p.from, p.to = min(p.from, seg.Start[i]), max(p.to, seg.End[i])
			}
		}
		switch n := req.OutputTokens[row]; {
		case p.to <= p.from || p.to-p.from < 0:
		case n < 2:
			untold++
		default:
			p.each = float64(p.to-p.from) / float64(n-1)
			list = append(list, p)
		}
	}
	return list, untold
}

// slowed counts the requests at an engine that took much longer for a token than others
// beside them, and those of which that is not told. At every step each request that decodes
// gets a token, so all that decode at one time go at one pace, whatever slows them down.
func (c *captured) slowed(e int) int64 {
	list, n := c.paces(e)
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
		beside.each(&list[i], func(each float64) { total, filled = total+each, filled+1 })
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
	for i := range list {
		list[i].through(first, width, func(k int64) { b.pieces = append(b.pieces, k) })
	}
	slices.Sort(b.pieces)
	b.pieces = slices.Compact(b.pieces)
	ends := make([]int, len(b.pieces)) // of the paces in each piece
	for i := range list {
		b.at(&list[i], func(k int) { ends[k]++ })
	}
	for k := 1; k < len(ends); k++ {
		ends[k] += ends[k-1]
	}
	var paces []float64
	if len(ends) > 0 {
		paces = make([]float64, ends[len(ends)-1])
	}
	for i := range list { // each piece is filled from its end on, which becomes its start
		b.at(&list[i], func(k int) {
			ends[k]--
			paces[ends[k]] = list[i].each
		})
	}
	b.fast = make([]float64, len(b.pieces))
	for k, from := range ends {
		to := len(paces)
		if k+1 < len(ends) {
			to = ends[k+1]
		}
		in := paces[from:to]
		slices.Sort(in)
		b.fast[k] = in[(len(in)-1)/paceFastest]
	}
	return b
}

// at calls f for the pieces that a decoding fills: as it fills them, they lie side by side.
func (b *fastest) at(p *pace, f func(k int)) {
	k := -1
	p.through(b.first, b.width, func(piece int64) {
		if k < 0 {
			k, _ = slices.BinarySearch(b.pieces, piece)
		}
		f(k)
		k++
	})
}

// each calls f for how fast those beside a decoding were, piece by piece.
func (b *fastest) each(p *pace, f func(each float64)) {
	b.at(p, func(k int) { f(b.fast[k]) })
}
