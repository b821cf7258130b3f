package analyze

import (
	"cmp"
	"slices"

	"github.com/tailpath/tailpath/analyze/serving"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/engine"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// captured is what a set tells of the system over time.
//
// All times are those of the paths, on the clock of the requests: where the spans of a host
// were moved to fit a request together, they stay moved. An engine's own clock would put its
// requests beside each other exactly, but no request inside its own start and end; on the
// paths the parts of a request tile it, so who waits and who runs adds up at every instant,
// and one request's gateway, queue and device lie on one clock. What it costs is the jitter
// of the moves, which is that of the network, at the ends of the time in which a device is
// busy. Readings of an engine are on its own clock, and are moved by the median of what its
// requests were moved by.
type captured struct {
	set  *table.Set
	opt  Options
	base timebase
	rows []int32 // of requests with a start and an end on the base
	// timeless are the rows of those with a duration where none has times that others have too.
	timeless []int32
	index    []int32 // by row of the requests table: place in capture.Requests; -1 for none
	engines  []engine.Engine
	// path are the rows of the segments that lead to the end, by request and in order of time,
	// of every request on the base; those of request r are path[first[r]:first[r+1]].
	path  []int32
	first []int32
	// Elsewhere counts requests of other clocks.
	elsewhere int64
	// visits and homes are, by engine, how many requests were there, and of how many it did the
	// most. passed is true when a request was at several without being tried again.
	visits, homes []int64
	passed        bool
	wanted        int64 // length of windows, ns, if there could be any number of them
	serving.Capture
}

// captureOf is requestsOf with what the engines were able to hold.
func captureOf(set *table.Set, opt Options) *captured {
	c := sharedRequests(set, opt)
	if len(c.rows) > 0 {
		c.slots()
		c.memory()
		c.stints()
		c.preemptions()
	}
	return c
}

// requestsOf takes in every request with a start and an end, whatever Options.Incomplete and
// Options.Errors say: each was there. Unfinished ones arrive and are not in flight. Devices are
// busy with whatever ran there: with the execution of every request on the clock, also of
// those that are left out, at engines where one is that is not.
func requestsOf(set *table.Set, opt Options) *captured {
	opt = opt.on(set)
	req := &set.Requests
	c := &captured{set: set, opt: opt, index: make([]int32, req.Len())}
	var finished []int
	for i := range req.Len() {
		c.index[i] = -1
		if c.ended(i) {
			finished = append(finished, i)
		}
	}
	if opt.Engines != nil {
		c.engines = opt.Engines.Engines()
	}
	c.visits, c.homes = make([]int64, len(c.engines)), make([]int64, len(c.engines))
	if c.base = commonBase(set, finished); len(finished) == 0 || c.base.clock == table.ClockNone {
		for _, i := range finished {
			c.timeless = append(c.timeless, int32(i))
		}
		return c
	}
	c.rows, c.Requests = make([]int32, 0, len(finished)), make([]serving.Request, 0, len(finished))
	for _, i := range finished {
		if timebaseOf(set, i) != c.base {
			c.elsewhere++
			continue
		}
		c.rows = append(c.rows, int32(i))
		c.request(i, req.End[i])
	}
	for i := range req.Len() {
		if critical.Class(req.Class[i]) == critical.Unfinished && opt.kept.holds(i) && timebaseOf(set, i) == c.base && req.Start[i] != table.Missing {
			c.request(i, serving.Unknown)
		}
	}
	c.paths()
	c.stays()
	c.tokens()
	return c
}

// ended reports whether a request that the filter keeps has a start and an end. One of which
// a part was not recorded has; what is no request, or could not be told from one, has not.
func (c *captured) ended(row int) bool {
	req := &c.set.Requests
	switch critical.Class(req.Class[row]) {
	case critical.Complete, critical.Incomplete:
		from, to := req.Start[row], req.End[row]
		return c.opt.kept.holds(row) && from != table.Missing && to != table.Missing && to >= from && to-from >= 0
	}
	return false
}

// tiled reports whether the parts of a request add up to it: if not, none of them counts.
func (c *captured) tiled(row int32) bool { return timed(&c.set.Requests, int(row)) }

// request adds a row of the requests table. Missing is Unknown.
func (c *captured) request(row int, end int64) {
	req := &c.set.Requests
	c.index[row] = int32(len(c.Requests))
	c.Requests = append(c.Requests, serving.Request{
		StartNS: req.Start[row], EndNS: end, FirstTokenNS: req.FirstToken[row], InputTokens: req.PromptTokens[row], OutputTokens: req.OutputTokens[row], Engine: serving.NoEngine,
	})
}

// paths orders the segments of the paths to the end.
func (c *captured) paths() {
	seg, n := &c.set.Segments, c.set.Requests.Len()
	on := make([]bool, n)
	for i := range on {
		on[i] = timebaseOf(c.set, i) == c.base && (!c.ended(i) || c.tiled(int32(i)))
	}
	takes := func(i int, row int32) bool {
		return critical.Target(seg.Target[i]) == critical.End && row >= 0 && int(row) < n && on[row]
	}
	c.first = make([]int32, n+1)
	for i, row := range seg.RequestRow {
		if takes(i, row) {
			c.first[row+1]++
		}
	}
	for r := range n {
		c.first[r+1] += c.first[r]
	}
	// The segments of a request mostly lie together and in order.
	c.path = make([]int32, c.first[n])
	next := slices.Clone(c.first)
	for i, row := range seg.RequestRow {
		if takes(i, row) {
			c.path[next[row]] = int32(i)
			next[row]++
		}
	}
	inTime := func(a, b int32) int {
		return cmp.Or(cmp.Compare(seg.Start[a], seg.Start[b]), cmp.Compare(seg.End[a], seg.End[b]), cmp.Compare(a, b))
	}
	for r := range n {
		if path := c.pathOf(r); !slices.IsSortedFunc(path, inTime) {
			slices.SortFunc(path, inTime)
		}
	}
}

// pathOf returns the segments of one request.
func (c *captured) pathOf(row int) []int32 { return c.path[c.first[row]:c.first[row+1]] }

// engineOf returns the engine of a segment, NoEngine where none is known.
func (c *captured) engineOf(segment int32) int {
	if c.opt.Engines == nil {
		return serving.NoEngine
	}
	if e, ok := c.opt.Engines.EngineOf(segment); ok {
		return int(e)
	}
	return serving.NoEngine
}

// whatIs returns what a request does in a segment, false for the stages that are neither a
// wait nor work of the device.
func (c *captured) whatIs(segment int32, at int) (serving.What, bool) {
	seg := &c.set.Segments
	switch stage.Stage(seg.Stage[segment]) {
	case stage.GPU:
		return serving.GPU, true
	case stage.Gateway:
		return serving.Gateway, true
	case stage.Scheduling:
		return serving.Host, true
	case stage.Transfer:
		return serving.Transfer, true
	case stage.Queue:
		// What engines do not see is a wait in front of them.
		switch detail := c.set.Symbols.Text(seg.Detail[segment]); {
		case detail == "retry_backoff":
			return serving.BackOff, true
		case at < 0 && c.opt.Engines != nil, slices.Contains(outsideEngine, detail):
			return serving.Gateway, true
		}
		return serving.Queue, true
	}
	return 0, false
}

// stays makes the intervals of the requests, and says at which engine each was.
func (c *captured) stays() {
	seg := &c.set.Segments
	used := make([]bool, len(c.engines))
	c.Intervals = make([]serving.Interval, 0, len(c.path))
	var place []int
	for row, at := range c.index {
		if at < 0 {
			continue
		}
		path := c.pathOf(row)
		c.Requests[at].Engine = c.home(path)
		c.visit(row, c.Requests[at].Engine)
		// An interval of no engine is of the one that the request goes to next, or was at last.
		place = slices.Grow(place[:0], len(path))[:len(path)]
		near := serving.NoEngine
		for k := len(path) - 1; k >= 0; k-- {
			if e := c.engineOf(path[k]); e >= 0 {
				near = e
			}
			place[k] = near
		}
		for k, i := range path {
			if place[k] < 0 && k > 0 {
				place[k] = place[k-1]
			}
			if place[k] >= 0 {
				used[place[k]] = true
			}
			if w, ok := c.whatIs(i, c.engineOf(i)); ok && seg.End[i] > seg.Start[i] {
				at := place[k]
				if w == serving.BackOff {
					at = c.Requests[c.index[row]].Engine // who backs off is missing where its request counts
				}
				c.Intervals = append(c.Intervals, serving.Interval{FromNS: seg.Start[i], ToNS: seg.End[i], Engine: at, What: w})
			}
		}
	}
	for row, at := range c.index {
		if at >= 0 {
			continue
		}
		for _, i := range c.pathOf(row) {
			if e := c.engineOf(i); e >= 0 && used[e] && stage.Stage(seg.Stage[i]) == stage.GPU && seg.End[i] > seg.Start[i] {
				c.Intervals = append(c.Intervals, serving.Interval{FromNS: seg.Start[i], ToNS: seg.End[i], Engine: e, What: serving.GPU})
			}
		}
	}
}

// visit counts a request at the engines that its path leads through.
func (c *captured) visit(row, home int) {
	var at []int
	for _, i := range c.pathOf(row) {
		if e := c.engineOf(i); e >= 0 && !slices.Contains(at, e) {
			at = append(at, e)
			c.visits[e]++
		}
	}
	if home >= 0 {
		c.homes[home]++
	}
	// Who tries again may do so at another replica.
	c.passed = c.passed || len(at) > 1 && c.set.Requests.Attempts[row] <= 1
}

// home returns the engine at which a path has the most time on the device, or else the most
// in a queue; the first of equals, and NoEngine when it leads through none.
func (c *captured) home(path []int32) int {
	seg := &c.set.Segments
	var at []int
	var gpu, queue []int64
	for _, i := range path {
		e, s := c.engineOf(i), stage.Stage(seg.Stage[i])
		if e < 0 || s != stage.GPU && s != stage.Queue {
			continue
		}
		k := slices.Index(at, e)
		if k < 0 {
			k = len(at)
			at, gpu, queue = append(at, e), append(gpu, 0), append(queue, 0)
		}
		if s == stage.GPU {
			gpu[k] += seg.Duration[i]
		} else {
			queue[k] += seg.Duration[i]
		}
	}
	best := -1
	for k := range at {
		if best < 0 || cmp.Or(cmp.Compare(gpu[k], gpu[best]), cmp.Compare(queue[k], queue[best])) > 0 {
			best = k
		}
	}
	if best < 0 {
		return serving.NoEngine
	}
	return at[best]
}

// kindInternal is the kind of a span of work inside a process, as in table.KindNames.
const kindInternal = 1

// callers returns whether a root is of who calls though it is no span of a call itself: one
// of work inside a process that made a call of the same trace, as a client's that tries again
// is around its attempts.
func (c *captured) callers() func(root int32) bool {
	spans, scopes := &c.set.Spans, &c.set.Scopes
	type process struct {
		trace                   table.TraceID
		service, host, instance table.Sym
	}
	of := func(row int) (process, bool) {
		scope := spans.ScopeRow[row]
		if scope < 0 || int(scope) >= scopes.Len() {
			return process{}, false
		}
		return process{spans.TraceID[row], scopes.Service[scope], scopes.Host[scope], scopes.Instance[scope]}, true
	}
	// Only traces with such a root are looked at: there are few, or they are short.
	made := map[process]bool{}
	for _, row := range c.rows {
		if root := c.set.Requests.RootRow[row]; root >= 0 && int(root) < spans.Len() && spans.Kind[root] == kindInternal {
			if p, ok := of(int(root)); ok {
				made[p] = false
			}
		}
	}
	for row := range spans.Len() {
		if len(made) == 0 || spans.Kind[row] != kindClient {
			continue
		}
		if p, ok := of(row); ok {
			if _, asked := made[p]; asked {
				made[p] = true
			}
		}
	}
	return func(root int32) bool {
		p, ok := of(int(root))
		return ok && spans.Kind[root] == kindInternal && made[p]
	}
}

// hiddenTime is how much of the requests' time, in request-ns, can hide a wait in front of an
// engine, and a copy.
type hiddenTime struct{ waits, copies stat.Sum }

// hidden returns the time in which a wait or a copy would not have been seen: between two
// spans, inside a service of one's own, or where nothing tells of it; a copy also in an
// execution that is told as a whole; either anywhere in a request of which a part is missing.
// It is known of requests that are seen from outside the engines. Host work can hide in any execution: of it only intervals tell.
func (c *captured) hidden(vantage serving.Maybe[string]) (h hiddenTime, known bool) {
	if !vantage.Known || vantage.Value == vantageEngine {
		return h, false
	}
	req, seg := &c.set.Requests, &c.set.Segments
	var whole stat.Sum
	for _, row := range c.rows {
		if critical.Class(req.Class[row]) != critical.Complete || !c.tiled(row) {
			h.waits.Add(req.End[row] - req.Start[row])
			continue
		}
		for _, k := range []stage.Stage{stage.Network, stage.Application, stage.Unattributed} {
			h.waits.Add(req.Stage[k][row])
		}
		for _, i := range c.pathOf(int(row)) {
			detail := c.set.Symbols.Text(seg.Detail[i])
			if stage.Stage(seg.Stage[i]) == stage.GPU && detail != "prefill" && detail != "decode" {
				whole.Add(seg.Duration[i])
			}
		}
	}
	h.copies = h.waits.Plus(whole)
	return h, true
}
