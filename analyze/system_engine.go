package analyze

import (
	"cmp"
	"slices"

	"github.com/tailpath/tailpath/analyze/serving"
	"github.com/tailpath/tailpath/critical/chunk"
	"github.com/tailpath/tailpath/critical/engine"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// stayAt is a time of one request, or of a batch, in ns.
type stayAt struct{ from, to int64 }

// tokens adds when output tokens came, of requests whose events say how many each chunk brought,
// or whose instants are as many as their output tokens. Where an instant may be a chunk of
// several tokens, it tells nothing.
func (c *captured) tokens() {
	if c.opt.Engines == nil {
		return
	}
	told := c.chunks()
	instants := map[int32][]int64{}
	whole := map[int32]bool{}
	c.opt.Engines.Streams(func(s *engine.Stream) {
		if c.index[s.Request] < 0 || c.set.Requests.OutputTokens[s.Request] < 0 || told[s.Request] {
			return
		}
		path := c.pathOf(int(s.Request))
		if len(path) == 0 {
			return
		}
		if _, seen := whole[s.Request]; !seen {
			whole[s.Request] = true
		}
		if len(s.Gaps) == 0 {
			whole[s.Request] = false // it has instants that are not told
			return
		}
		// From the engine's clock to that of the path.
		by := -c.opt.Engines.Local(s.Engine, path[0], 0)
		at := append(instants[s.Request], s.Gaps[0].Start+by)
		for i := range s.Gaps {
			at = append(at, s.Gaps[i].End+by)
		}
		instants[s.Request] = at
	})
	for row, at := range instants {
		if !whole[row] {
			continue
		}
		k := c.index[row]
		q := &c.Requests[k]
		slices.Sort(at)
		if first := q.FirstTokenNS; int64(len(at))+1 == q.OutputTokens && first != serving.Unknown && first <= at[0] {
			at = append(at, first)
		}
		if int64(len(at)) != q.OutputTokens {
			continue
		}
		for _, ns := range at {
			ns = max(ns, q.StartNS)
			if q.EndNS != serving.Unknown {
				ns = min(ns, q.EndNS) // a token may be stamped a little after the end of what sent it
			}
			c.Emissions = append(c.Emissions, serving.Emission{Request: int(k), AtNS: ns, Tokens: 1})
		}
	}
	slices.SortFunc(c.Emissions, func(a, b serving.Emission) int {
		return cmp.Or(cmp.Compare(a.Request, b.Request), cmp.Compare(a.AtNS, b.AtNS))
	})
}

// chunks adds the tokens of the requests whose events say how many each chunk brought, and
// returns which these are; nil for none.
func (c *captured) chunks() (told map[int32]bool) {
	if !chunk.Of(c.set).Counted() {
		return nil
	}
	m, req := newMeasured(c.set), &c.set.Requests
	told = map[int32]bool{}
	for row, at := range c.index {
		if at < 0 || req.OutputTokens[row] < 0 {
			continue
		}
		answer := m.stream(int32(row))
		if !answer.counted {
			continue
		}
		told[int32(row)] = true
		for _, piece := range answer.Chunks() {
			if piece.Tokens > 0 {
				c.Emissions = append(c.Emissions, serving.Emission{Request: int(at), AtNS: req.Start[row] + piece.AtNS, Tokens: piece.Tokens})
			}
		}
	}
	return told
}

// runs returns, by engine, when requests held a slot there: from the start of an execution,
// or of the copies to the device, to the end, with host work between two of them. Of a
// server that runs batches they are those of batches: of requests that began together by
// the engine's own clock.
func (c *captured) runs() [][]stayAt {
	type run struct {
		stayAt
		local int64 // start on the engine's clock
	}
	seg := &c.set.Segments
	list := make([][]run, len(c.engines))
	for row := range c.index {
		now := -1
		for _, i := range c.pathOf(row) {
			e, s, detail := c.engineOf(i), stage.Stage(seg.Stage[i]), c.set.Symbols.Text(seg.Detail[i])
			switch {
			case e >= 0 && (s == stage.GPU || s == stage.Transfer && (detail == "h2d" || detail == "d2h")):
				if now != e {
					list[e] = append(list[e], run{stayAt{seg.Start[i], seg.End[i]}, c.opt.Engines.Local(int32(e), i, seg.Start[i])})
					now = e
				}
				list[e][len(list[e])-1].to = seg.End[i]
			case s == stage.Scheduling && now >= 0:
			default:
				now = -1
			}
		}
	}
	out := make([][]stayAt, len(list))
	for e, runs := range list {
		slices.SortFunc(runs, func(a, b run) int {
			return cmp.Or(cmp.Compare(a.local, b.local), cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
		})
		for k, r := range runs {
			if n := len(out[e]); c.engines[e].Batching && k > 0 && r.local-runs[k-1].local <= batchTogether {
				out[e][n-1] = stayAt{min(out[e][n-1].from, r.from), max(out[e][n-1].to, r.to)}
				continue
			}
			out[e] = append(out[e], r.stayAt)
		}
	}
	return out
}

// batchTogether is how far apart the members of a batch may begin, in ns.
const batchTogether = 20_000

// slots adds the most requests that an engine runs at a time, where it is known. An engine
// that once ran more than it nearly ever did with somebody in its queue had slots free then,
// whatever their number: that many serve for the limit.
//
// That limit is of requests that hold a slot, or of batches, of whatever requests there
// are, while what is measured counts every request that is there and waits for no place:
// also while it is on its way, and only those that are kept. So the limit is told at every
// instant as the number of those with which the slots are full: the limit itself where the
// two agree. Where the slots are full and none of those is there at all, no number says so,
// and the engine has no limit. Nor has one of which not all requests are known.
func (c *captured) slots() {
	if len(c.engines) == 0 {
		return
	}
	n := len(c.engines)
	present, waits, queues := make([][]stayAt, n), make([][]stayAt, n), make([][]stayAt, n)
	for i := range c.Requests {
		if q := &c.Requests[i]; q.Engine >= 0 && q.EndNS != serving.Unknown && q.EndNS > q.StartNS {
			present[q.Engine] = append(present[q.Engine], stayAt{q.StartNS, q.EndNS})
		}
	}
	for _, iv := range c.Intervals {
		if iv.Engine < 0 {
			continue
		}
		s := stayAt{iv.FromNS, iv.ToNS}
		switch iv.What {
		case serving.Queue:
			queues[iv.Engine] = append(queues[iv.Engine], s)
			waits[iv.Engine] = append(waits[iv.Engine], s)
		case serving.Gateway, serving.BackOff: // neither takes a slot
			waits[iv.Engine] = append(waits[iv.Engine], s)
		}
	}
	runs := c.runs()
	for e := range c.engines {
		about := &c.engines[e]
		if about.Partial {
			continue
		}
		limit := about.SlotLimit.Value
		if limit == 0 && !about.Batching {
			limit = spare(queues[e], runs[e])
		}
		if limit > 0 {
			c.Slots = append(c.Slots, slotsOf(e, limit, present[e], waits[e], queues[e], runs[e])...)
		}
	}
}

// Slots are free for certain below 90 % of the most that ran: times that are misplaced a
// little lift the most by a few. It must be so for 90 % of the time with somebody in the queue.
const (
	surelyFree  = 0.9
	nearlyEver  = 0.1
	leastSpares = 2 // of one that takes one at a time nothing is free
)

// spare returns the most that ran at a time, if nearly ever fewer did while others were in the
// queue; else 0.
func spare(queues, runs []stayAt) int64 {
	most := int64(0)
	eachStep([][]stayAt{runs}, func(_, _ int64, n []int64) { most = max(most, n[0]) })
	var queued, near int64
	eachStep([][]stayAt{queues, runs}, func(from, to int64, n []int64) {
		if n[0] == 0 {
			return
		}
		queued += to - from
		if float64(n[1]) > surelyFree*float64(most) {
			near += to - from
		}
	})
	if most < leastSpares || queued == 0 || float64(near) > nearlyEver*float64(queued) {
		return 0
	}
	return most
}

// eachStep calls f for successive times between the changes of some lists of stays, with how
// many of each list hold all of the time; the last, after all of them, has no length.
func eachStep(lists [][]stayAt, f func(from, to int64, n []int64)) {
	edges := make([]edge, 0, 2*len(lists)) // in order of time within a list, not over all of them
	for list, stays := range lists {
		begin, end := make([]int64, 0, len(stays)), make([]int64, 0, len(stays))
		for _, s := range stays {
			if s.from < s.to {
				begin, end = append(begin, s.from), append(end, s.to)
			}
		}
		slices.Sort(begin)
		slices.Sort(end)
		edges = append(edges, edge{begin, list, 1}, edge{end, list, -1})
	}
	next := func() (at int64, is bool) {
		for _, e := range edges {
			if len(e.at) > 0 && (!is || e.at[0] < at) {
				at, is = e.at[0], true
			}
		}
		return at, is
	}
	n := make([]int64, len(lists))
	for at, is := next(); is; {
		for k := range edges {
			e := &edges[k]
			for len(e.at) > 0 && e.at[0] == at {
				n[e.list] += e.by
				e.at = e.at[1:]
			}
		}
		from := at
		if at, is = next(); !is {
			at = from
		}
		f(from, at, n)
	}
}

// edge is when the stays of a list begin, or end, and what that adds to how many there are.
type edge struct {
	at   []int64
	list int
	by   int64
}

// slotsOf returns how many requests that wait for no place fill the slots of an engine, from
// each instant on at which that changes; nothing when no number says so at some time with
// somebody in the queue. waits are all waits for a place, and the times in which clients back
// off, and queues those of the waits in the engine's queue.
func slotsOf(e int, limit int64, present, waits, queues, runs []stayAt) (out []serving.Sample) {
	last, told := int64(0), true
	eachStep([][]stayAt{present, waits, queues, runs}, func(from, _ int64, n []int64) {
		running, full := max(0, n[0]-n[1]), n[3] >= limit
		value := limit
		switch {
		case full && running < limit:
			value = running
		case !full && running >= limit:
			value = running + 1
		}
		if value == 0 {
			told = told && n[2] == 0
			value = limit
		}
		if value != last {
			out = append(out, serving.Sample{AtNS: from, Engine: e, Value: float64(value)})
			last = value
		}
	})
	if !told {
		return nil
	}
	return out
}

// metricKVUsage is the reading of how full an engine's KV cache is.
const metricKVUsage = "kv_usage"

// memory adds the readings of KV caches that are known to be of an engine. They are on the
// wall clock.
func (c *captured) memory() {
	if len(c.engines) == 0 || c.base.clock != table.ClockWall {
		return
	}
	shift := c.shifts()
	for e := range c.engines {
		c.opt.Engines.Readings(int32(e), metricKVUsage, func(at int64, value float64) {
			c.KV = append(c.KV, serving.Sample{AtNS: at + shift[e], Engine: e, Value: value})
		})
	}
}

// shifts returns, by engine, the median of what its requests were moved by, in ns.
func (c *captured) shifts() []int64 {
	list := make([][]int64, len(c.engines))
	for row := range c.index {
		last := -1
		for _, i := range c.pathOf(row) {
			if e := c.engineOf(i); e >= 0 && e != last {
				list[e] = append(list[e], -c.opt.Engines.Local(int32(e), i, 0))
				last = e
			}
		}
	}
	out := make([]int64, len(list))
	for e := range list {
		if len(list[e]) > 0 {
			out[e] = medianOf(list[e])
		}
	}
	return out
}
