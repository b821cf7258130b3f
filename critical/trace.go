package critical

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/tailpath/tailpath/critical/join"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// Span kinds, by wire value.
const (
	kindServer   = 2
	kindClient   = 3
	kindProducer = 4
	kindConsumer = 5
)

// node is one span while its request is assembled. Nodes of a trace lie in one
// slice, ordered by start, end and id, and point at each other by index.
type node struct {
	row        int32
	parent     int32 // recorded parent, containers skipped; -1 for none
	host       int32 // the span that waits for it; -1 when none does
	from       int32 // what a hand-off leads back to: its producer, or what that lies in; -1 for none
	handed     int64 // instant of the hand-off
	start, end int64 // effective
	ended      int64 // end before the span was extended to the end of a stream
	slack      int64 // how far off its inferred place may be
	early      int64 // start of the first attempt at what it is the answer to; Missing for none
	recorded   int64 // start of the leading attempt itself, where there is an earlier one
	lent       int32 // a record of the same work that cuts its own time finer; -1 for none
	unit       int32 // place in its group of the trace or record that it belongs to
	prompt     int64 // prompt tokens of the engine it holds; Missing when unknown
	id         table.SpanID
	kind       uint8
	role       Role
	peer       stage.Peer
	engine     bool // it, or what it waits for, is a model answering
	holder     bool // owns no time: its children are its parent's
	open       bool // it never ended
	clamped    bool // it ended before it started, or never
	record     bool // it was read from a record, not from a span
	joined     bool // its place below its parent was found by joining
	fronts     bool // a record of a proxy: it tells of an upstream
	left       bool // it is left out of its request
	given      bool // it, or one above it, says that it stopped before its work was done
	try        bool // an attempt at the request beside the one that its parent is
	alone      bool // a request of its own whatever else is in the trace
	placed     bool // its place was inferred, as its clock disagrees with its caller's
	prefill    bool // of a model's work, it holds the prefill for another engine alone
	decodes    bool // it holds an engine that answers
	top        topKind
	repair     string
	rule       *stage.Rule
	reading    *reading
}

// compareID orders nodes by span id, the last tie-break of every choice.
func (n *node) compareID(m *node) int { return bytes.Compare(n.id[:], m.id[:]) }

// topKind says why a span has no parent in its request.
type topKind uint8

const (
	notTop    topKind = iota
	topRoot           // recorded without a parent
	topRemote         // its parent is in another process, outside the capture
	topOrphan         // its parent was lost
	topCycle          // it was its own ancestor
)

// trace is the spans of one trace id while requests are made of them.
type trace struct {
	*worker
	nodes    []node
	excluded []Exclusion
	group    join.Group
	kids     [][]int32 // recorded children by node, in node order

	// Notes by node. Requests of one trace share no node, so each uses its own part.
	index   []int32   // place in the order of its request
	waits   [][]int32 // what it waits for, last end first
	visited []bool    // the last walk went through it
}

// load reads the units of a group and links children to parents, first within every
// unit, then between them.
func (w *worker) load(g join.Group) *trace {
	t := &trace{worker: w, group: g}
	size := int32(0)
	for _, u := range g.Units {
		size += w.units[u+1] - w.units[u]
	}
	t.nodes = make([]node, 0, size)
	for i, u := range g.Units {
		t.loadUnit(int32(i), w.units[u], w.units[u+1])
	}
	if len(g.Units) > 1 {
		t.sortNodes()
	}
	t.cutCycles()
	t.skipHolders()
	t.linkChildren()
	if len(g.Units) > 1 && !t.opt.Jaeger {
		t.joinUnits()
		t.linkChildren()
	}
	t.observe()
	t.index = make([]int32, len(t.nodes))
	t.waits = make([][]int32, len(t.nodes))
	t.visited = make([]bool, len(t.nodes))
	return t
}

// loadUnit reads the spans of rows [lo, hi), which have one trace id.
func (t *trace) loadUnit(number, lo, hi int32) {
	from := len(t.nodes)
	byID := t.readNodes(lo, hi)
	spans := &t.set.Spans
	for i := from; i < len(t.nodes); i++ {
		n := &t.nodes[i]
		n.unit = number
		parentID := spans.ParentID[n.row]
		if n.parent >= 0 { // the server half of a shared id
			continue
		}
		p, known := byID[parentID]
		switch {
		case parentID == table.SpanID{}:
			n.top = topRoot
		case known && int(p) == i:
			n.top = topCycle
			t.count(issueCycle, n.row, "")
		case known:
			n.parent = p
		case t.entry(n):
			n.top = topRemote
		default:
			n.top = topOrphan
		}
	}
}

// readNodes makes the nodes and settles duplicate ids. It returns the node that
// children of an id belong to.
func (t *trace) readNodes(lo, hi int32) map[table.SpanID]int32 {
	spans := &t.set.Spans
	byID := make(map[table.SpanID]int32, hi-lo)
	var twins map[table.SpanID][]int32 // the nodes of ids that came twice
	moved := false                     // a later span took the place of an earlier one
	for row := lo; row < hi; row++ {
		n := node{
			row: row, parent: -1, host: -1, from: -1, lent: -1, prompt: table.Missing, early: table.Missing,
			record: spans.Origin[row] == table.OriginRecord, id: spans.SpanID[row], kind: spans.Kind[row],
			start: spans.Start[row], end: spans.End[row],
		}
		at, dup := byID[n.id]
		if !dup {
			byID[n.id] = t.add(n)
			continue
		}
		if twins == nil {
			twins = map[table.SpanID][]int32{}
		}
		if twins[n.id] == nil {
			twins[n.id] = []int32{at}
		}
		if slices.ContainsFunc(twins[n.id], func(k int32) bool {
			return spans.Same(int(t.nodes[k].row), int(row), "source", "line", "offset")
		}) {
			t.exclude(row, issueRetransmission)
			continue
		}
		other := &t.nodes[at]
		switch {
		case len(twins[n.id]) > 1: // client and server are there already
			t.exclude(row, issueDuplicateID)
			continue
		case n.kind == kindServer && other.kind == kindClient, n.kind == kindConsumer && other.kind == kindProducer:
			n.parent = at
			byID[n.id] = t.add(n) // children belong to the server's half
			t.count(issueSharedID, row, "")
		case other.kind == kindServer && n.kind == kindClient, other.kind == kindConsumer && n.kind == kindProducer:
			k := t.add(n)
			t.nodes[at].parent = k
			t.count(issueSharedID, row, "")
		case n.end-n.start > other.end-other.start:
			t.exclude(other.row, issueDuplicateID)
			t.nodes[at] = n
			t.prepareNode(&t.nodes[at])
			moved = true
			continue
		default:
			t.exclude(row, issueDuplicateID)
			continue
		}
		twins[n.id] = append(twins[n.id], int32(len(t.nodes)-1))
	}
	if moved {
		t.reorder(byID)
	}
	return byID
}

// sortNodes puts the nodes of several units in the order of their starts.
func (t *trace) sortNodes() {
	t.arrange(func(a, b *node) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end), a.compareID(b), cmp.Compare(a.row, b.row))
	})
}

// reorder puts nodes back in the order of their rows, which is that of their starts.
func (t *trace) reorder(byID map[table.SpanID]int32) {
	where := t.arrange(func(a, b *node) int { return cmp.Compare(a.row, b.row) })
	for id, at := range byID {
		byID[id] = where[at]
	}
}

// arrange sorts the nodes and returns where each has gone.
func (t *trace) arrange(compare func(a, b *node) int) []int32 {
	order := make([]int32, len(t.nodes))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return compare(&t.nodes[a], &t.nodes[b]) })
	nodes, where := make([]node, len(order)), make([]int32, len(order))
	for to, from := range order {
		nodes[to], where[from] = t.nodes[from], int32(to)
	}
	for i := range nodes {
		if p := nodes[i].parent; p >= 0 {
			nodes[i].parent = where[p]
		}
	}
	t.nodes = nodes
	return where
}

func (t *trace) add(n node) int32 {
	t.prepareNode(&n)
	t.nodes = append(t.nodes, n)
	return int32(len(t.nodes) - 1)
}

// Times beyond these cannot be dates, and sums with them would overflow.
const (
	earliest = table.EarliestDate
	latest   = table.LatestDate
)

// prepareNode repairs the times of a span and finds its rule.
func (t *trace) prepareNode(n *node) {
	spans := &t.set.Spans
	switch {
	case n.end == 0 && n.start > 0:
		n.open, n.clamped, n.end, n.repair = true, true, n.start, "never ended"
		if !n.record { // of records those that nothing else tells the end of are counted later
			t.count(issueUnfinished, n.row, "")
		}
	case n.end < n.start:
		n.clamped, n.end, n.repair = true, n.start, "ended before it started"
		t.count(issueNegative, n.row, "")
	}
	if n.start < earliest || n.end > latest {
		n.start, n.end = min(max(n.start, earliest), latest), min(max(n.end, earliest), latest)
		n.repair = "beyond any date"
		t.count(issueImplausible, n.row, "")
	}
	n.ended = n.end
	n.rule = t.matcher.Rule(n.row, stage.PeerNone)
	n.holder = n.rule.Holder && !t.opt.Jaeger
	n.engine = spans.TTFT[n.row] != table.Missing || spans.E2E[n.row] != table.Missing ||
		spans.OutputTokens[n.row] != table.Missing
	if op := spans.Operation[n.row]; op != 0 {
		n.engine = slices.Contains(answering, t.set.Symbols.Text(op))
	}
}

// answering are the values of gen_ai.operation.name of a model that answers with a
// stream, in contrast to agents, tools and embeddings.
var answering = []string{"chat", "text_completion", "generate_content", "completion", "responses"}

// Bits of a span's flags that say whether its parent is in another process.
const (
	flagHasIsRemote = 0x100
	flagIsRemote    = 0x200
)

// entry reports whether a span whose parent is absent may be where the request
// entered a process: then its duration is whole, as that process saw it.
func (t *trace) entry(n *node) bool {
	if n.kind == kindClient || n.kind == kindProducer {
		return false // its parent is in its own process, and was lost
	}
	if flags := t.set.Spans.Flags[n.row]; flags&flagHasIsRemote != 0 {
		return flags&flagIsRemote != 0
	}
	return n.kind == kindServer || n.kind == kindConsumer || n.engine || n.rule.Entry
}

func (t *trace) exclude(row int32, why table.Issue) {
	t.excluded = append(t.excluded, Exclusion{row, why.ID})
	t.count(why, row, "")
}

// cutCycles makes the earliest span of every parent cycle a top.
func (t *trace) cutCycles() {
	const fresh, active, done = 0, 1, 2
	state := make([]uint8, len(t.nodes))
	var chain []int32
	for i := range t.nodes {
		chain = chain[:0]
		at := int32(i)
		for at >= 0 && state[at] == fresh {
			state[at] = active
			chain = append(chain, at)
			at = t.nodes[at].parent
		}
		if at >= 0 && state[at] == active {
			from := slices.Index(chain, at)
			cut := slices.MinFunc(chain[from:], func(a, b int32) int {
				x, y := &t.nodes[a], &t.nodes[b]
				return cmp.Or(cmp.Compare(x.start, y.start), x.compareID(y))
			})
			t.nodes[cut].parent, t.nodes[cut].top = -1, topCycle
			t.count(issueCycle, t.nodes[cut].row, "")
		}
		for _, k := range chain {
			state[k] = done
		}
	}
}

// skipHolders gives the children of containers to the nearest ancestor that is
// none, and takes requests out from under the server's start-up spans. What lies on
// the way up is settled too, so that a chain of containers is climbed once.
func (t *trace) skipHolders() {
	if t.opt.Jaeger {
		return
	}
	var way []int32
	for i := range t.nodes {
		way = append(way[:0], int32(i))
		up := t.nodes[i].parent
		for up >= 0 && t.nodes[up].holder && t.nodes[up].parent >= 0 {
			way = append(way, up)
			up = t.nodes[up].parent
		}
		for _, k := range way {
			t.nodes[k].parent = up
		}
	}
	for i := range t.nodes {
		n := &t.nodes[i]
		serves := n.kind == kindServer || n.kind == kindConsumer || n.engine
		if n.parent >= 0 && t.nodes[n.parent].rule.Startup && !n.rule.Startup && serves {
			n.parent, n.top, n.alone = -1, topRoot, true
			t.count(issueStartup, n.row, "")
		}
	}
}

func (t *trace) linkChildren() {
	sizes := make([]int32, len(t.nodes))
	total := 0
	for i := range t.nodes {
		if p := t.nodes[i].parent; p >= 0 {
			sizes[p]++
			total++
		}
	}
	pool := make([]int32, 0, total)
	t.kids = make([][]int32, len(t.nodes))
	for i, size := range sizes {
		t.kids[i] = pool[len(pool) : len(pool) : len(pool)+int(size)]
		pool = pool[:len(pool)+int(size)]
	}
	for i := range t.nodes {
		if p := t.nodes[i].parent; p >= 0 {
			t.kids[p] = append(t.kids[p], int32(i))
		}
	}
}

// subtree returns the nodes under top, depth first, top first, siblings in node
// order, each with its depth.
func (t *trace) subtree(top int32) (order, depth []int32) {
	type step struct{ node, depth int32 }
	stack := []step{{top, 0}}
	for len(stack) > 0 {
		s := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		order = append(order, s.node)
		depth = append(depth, s.depth)
		for k := len(t.kids[s.node]) - 1; k >= 0; k-- {
			stack = append(stack, step{t.kids[s.node][k], s.depth + 1})
		}
	}
	return order, depth
}
