package critical

import (
	"bytes"
	"cmp"
	"slices"

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
	from       int32 // producer of a hand-off; -1 for none
	start, end int64 // effective
	ended      int64 // end before the span was extended to the end of a stream
	slack      int64 // how far off its inferred place may be
	id         table.SpanID
	kind       uint8
	role       Role
	peer       stage.Peer
	engine     bool // it, or what it waits for, is a model answering
	holder     bool // owns no time: its children are its parent's
	open       bool // it never ended
	alone      bool // a request of its own whatever else is in the trace
	placed     bool // its place was inferred, as its clock disagrees with its caller's
	prefill    bool // of a model's work, it holds the prefill for another engine alone
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
	kids     [][]int32 // recorded children by node, in node order
}

// load reads the spans of rows [lo, hi) and links children to parents.
func (w *worker) load(lo, hi int32) *trace {
	t := &trace{worker: w, nodes: make([]node, 0, hi-lo)}
	byID := t.readNodes(lo, hi)
	spans := &w.set.Spans
	for i := range t.nodes {
		n := &t.nodes[i]
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
	t.cutCycles()
	t.skipHolders()
	t.linkChildren()
	return t
}

// readNodes makes the nodes and settles duplicate ids.
func (t *trace) readNodes(lo, hi int32) map[table.SpanID]int32 {
	spans := &t.set.Spans
	byID := make(map[table.SpanID]int32, hi-lo)
	for row := lo; row < hi; row++ {
		n := node{
			row: row, parent: -1, host: -1, from: -1, id: spans.SpanID[row], kind: spans.Kind[row],
			start: spans.Start[row], end: spans.End[row],
		}
		if at, dup := byID[n.id]; dup {
			other := &t.nodes[at]
			switch {
			case spans.Same(int(other.row), int(row), "source", "line", "offset"):
				t.exclude(row, issueRetransmission)
				continue
			case n.kind == kindServer && other.kind == kindClient, n.kind == kindConsumer && other.kind == kindProducer:
				n.parent = at
				t.count(issueSharedID, row, "")
				byID[n.id] = int32(len(t.nodes)) // children belong to the server half
			case other.kind == kindServer && n.kind == kindClient, other.kind == kindConsumer && n.kind == kindProducer:
				other.parent = int32(len(t.nodes))
				t.count(issueSharedID, row, "")
			case n.end-n.start > other.end-other.start:
				t.exclude(other.row, issueDuplicateID)
				n.parent = other.parent
				t.nodes[at] = n
				t.prepareNode(&t.nodes[at])
				continue
			default:
				t.exclude(row, issueDuplicateID)
				continue
			}
		} else {
			byID[n.id] = int32(len(t.nodes))
		}
		t.nodes = append(t.nodes, n)
		t.prepareNode(&t.nodes[len(t.nodes)-1])
	}
	return byID
}

// prepareNode repairs the times of a span and finds its rule.
func (t *trace) prepareNode(n *node) {
	switch {
	case n.end == 0 && n.start > 0:
		n.open, n.end, n.repair = true, n.start, "never ended"
		t.count(issueUnfinished, n.row, "")
	case n.end < n.start:
		n.end, n.repair = n.start, "ended before it started"
		t.count(issueNegative, n.row, "")
	}
	n.ended = n.end
	n.rule = t.matcher.Rule(n.row, stage.PeerNone)
	n.holder = n.rule.Holder && !t.opt.Jaeger
	spans := &t.set.Spans
	n.engine = spans.TTFT[n.row] != table.Missing || spans.E2E[n.row] != table.Missing ||
		spans.OutputTokens[n.row] != table.Missing || spans.Operation[n.row] != 0
}

// Bits of a span's flags that say whether its parent is in another process.
const (
	flagHasIsRemote = 0x100
	flagIsRemote    = 0x200
)

// entry reports whether a span whose parent is absent may be where the request
// entered a process: then its duration is whole, as that process saw it.
func (t *trace) entry(n *node) bool {
	if flags := t.set.Spans.Flags[n.row]; flags&flagHasIsRemote != 0 {
		return flags&flagIsRemote != 0 && (n.kind == kindServer || n.kind == kindConsumer)
	}
	return n.kind == kindServer || n.kind == kindConsumer || n.engine || n.rule.ID == "sglang.request"
}

func (t *trace) exclude(row int32, why table.Issue) {
	t.excluded = append(t.excluded, Exclusion{row, why.ID})
	t.count(why, row, "")
}

// startup reports whether a span is work of a server before it serves: it is no
// request, and what hangs under it has nothing to do with it.
func (n *node) startup() bool { return n.rule.ID == "vllm.startup" }

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
// none, and takes requests out from under the server's start-up spans.
func (t *trace) skipHolders() {
	for i := range t.nodes {
		n := &t.nodes[i]
		for n.parent >= 0 && t.nodes[n.parent].holder && t.nodes[n.parent].parent >= 0 {
			n.parent = t.nodes[n.parent].parent
		}
		if n.parent >= 0 && t.nodes[n.parent].startup() && !n.startup() {
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
