package critical

import (
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// tree is one request while it is assembled.
type tree struct {
	*trace
	top   int32
	order []int32   // nodes, depth first, parents before children
	index []int32   // place in order by node; -1 for nodes of other requests
	waits [][]int32 // what each node waits for, last end first
}

// read takes the times that spans carry in attributes and events.
func (b *tree) read() {
	for _, k := range b.order {
		n := &b.nodes[k]
		n.peer = b.peerOf(k)
		n.rule = b.matcher.Rule(n.row, n.peer)
		if n.rule.Sections == "" || b.opt.Jaeger {
			continue
		}
		n.reading = b.readTimes(k)
		if n.reading != nil && n.reading.start != table.Missing && n.reading.start < n.start {
			n.start = n.reading.start
			n.repair = "begins with its first event"
		}
	}
}

// peerOf finds what is recorded at the other end of a span's calls.
func (b *tree) peerOf(k int32) stage.Peer {
	n := &b.nodes[k]
	peer := stage.PeerNone
	if n.kind == kindClient {
		peer = stage.PeerMissing
	}
	for _, c := range b.kids[k] {
		child := &b.nodes[c]
		if b.elsewhere(n, child) {
			return stage.PeerRemote
		}
		if n.kind == kindClient && child.kind == kindServer {
			peer = stage.PeerLocal
		}
	}
	return peer
}

// elsewhere reports whether two spans come from different processes.
func (b *tree) elsewhere(n, m *node) bool {
	scopes := &b.set.Scopes
	x, y := b.set.Spans.ScopeRow[n.row], b.set.Spans.ScopeRow[m.row]
	return scopes.Service[x] != scopes.Service[y] || scopes.Host[x] != scopes.Host[y] || scopes.Instance[x] != scopes.Instance[y]
}

// isCall reports whether a parent and child are the two ends of one call. Such a
// child is waited for whatever the clocks say. Kinds are trusted little: engines mark
// the server's end INTERNAL, and some proxies the client's end.
func (b *tree) isCall(parent, child *node) bool {
	caller := parent.kind == kindClient || parent.rule.Stage == stage.Network
	switch child.kind {
	case kindServer:
		return caller
	case kindClient, kindProducer, kindConsumer:
		return false
	}
	return caller && b.elsewhere(parent, child)
}

// align places a server span that lies outside its client span by its duration: the
// clocks of the two hosts disagree, and a duration needs no agreement. The shift is
// the least that is possible, and takes along everything below.
//
//	client     |------------|
//	server                      |-----|      recorded
//	server            |-----|                used
func (b *tree) align() {
	if b.opt.Jaeger {
		return
	}
	shift := make(map[int32]int64)
	for _, k := range b.order[1:] {
		n := &b.nodes[k]
		by := shift[n.parent]
		n.start, n.end, n.ended = n.start+by, n.end+by, n.ended+by
		p := &b.nodes[n.parent]
		n.placed, n.slack = p.placed, p.slack
		if b.isCall(p, n) && n.end-n.start <= p.end-p.start && (n.start < p.start || n.start >= p.end && p.end > p.start) {
			by2 := p.start - n.start
			if n.start >= p.end {
				by2 = p.end - n.end
			}
			n.start, n.end, n.ended = n.start+by2, n.end+by2, n.ended+by2
			by += by2
			n.placed, n.slack = true, max(n.slack, p.end-p.start-(n.end-n.start))
			n.repair = "placed by its duration"
			b.count(issueShifted, n.row, "")
		}
		if by != 0 {
			shift[k] = by
			n.reading.shift(by)
		}
	}
}

// extend moves the end of a span that a model's answer outlives to the end of that
// answer: proxies and handlers often end their span with the response headers while
// the stream goes on. CLIENT spans are not moved: what their caller waited for
// is what they recorded.
//
//	root     |--|                 recorded
//	model      |----------|       goes on
//	root     |------------|       used
func (b *tree) extend() {
	if b.opt.Jaeger {
		return
	}
	for i := len(b.order) - 1; i > 0; i-- {
		n := &b.nodes[b.order[i]]
		p := &b.nodes[n.parent]
		if !n.engine || n.holder || n.open || n.kind == kindConsumer || p.kind == kindProducer {
			continue
		}
		inside := n.start < p.end && n.end > n.start
		if (inside || n.parent == b.top && n.start-p.end <= maxPlausibleGap) && n.start >= p.start {
			p.engine = true
		} else {
			continue
		}
		if p.kind == kindClient || p.open || n.end <= p.ended+b.tolerance(p) {
			continue
		}
		if p.end == p.ended {
			b.count(issueExtended, p.row, "")
		}
		p.end = max(p.end, n.end)
		p.repair = "ended before the stream it answers with"
	}
}

func (b *tree) tolerance(n *node) int64 { return b.opt.tolerance(n.ended - n.start) }

// relate gives every span its role and the span that waits for it.
func (b *tree) relate() {
	b.nodes[b.top].role = Root
	if b.opt.Jaeger {
		b.relateJaeger()
		return
	}
	later := b.laterAncestors()
	for _, k := range b.order[1:] {
		n := &b.nodes[k]
		p := &b.nodes[n.parent]
		eps := b.tolerance(p)
		outside := n.start >= p.end || n.end <= p.start || n.end > p.end+eps && p.end-n.start <= eps
		switch {
		case n.holder:
			n.role = Container
		case p.kind == kindProducer && n.kind == kindConsumer:
			n.role = Async
			if n.start >= p.end {
				n.role, n.from = HandOff, n.parent
				n.host = b.enclosing(k, later)
				b.noteOutside(n, p)
			}
		case b.followsFrom(n):
			n.role = Async
			if outside {
				n.role = Successor
				n.host = b.enclosing(k, later)
				b.noteOutside(n, p)
			}
		case outside && !b.isCall(p, n):
			n.role = Successor
			if p.end > p.start && n.end == n.start {
				n.role = Blocking // a mark at the parent's end
			}
			if n.end > n.start {
				n.host = b.enclosing(k, later)
				b.noteOutside(n, p)
			}
		case b.isCall(p, n):
			n.role, n.host = Blocking, n.parent
			if n.end > p.end+eps {
				n.role = Clipped
			}
		case n.end > p.end+eps:
			n.role = Detached
		case n.start >= p.ended && p.end > p.ended: // the stream that the parent was extended to
			n.role, n.host = Successor, n.parent
		default:
			n.role, n.host = Blocking, n.parent
		}
		if n.end == n.start {
			n.host = -1 // a span of no length owns no time
		}
	}
	b.linkHandOffs()
	b.markPrefill()
	b.sortWaits()
}

func (b *tree) noteOutside(n, p *node) {
	gap := max(n.start-p.end, p.start-n.end)
	switch {
	case gap > maxPlausibleGap:
		b.count(issueImplausible, n.row, "")
		n.repair = "its clock is not the date"
	case n.host < 0:
		b.count(issueAfterEnd, n.row, "")
	}
}

// laterAncestors returns, for every node, its nearest ancestor that ends later, so
// that a search for an enclosing span does not climb one by one.
func (b *tree) laterAncestors() map[int32]int32 {
	later := make(map[int32]int32, len(b.order))
	later[b.top] = -1
	for _, k := range b.order[1:] {
		p := b.nodes[k].parent
		for p >= 0 && b.nodes[p].end <= b.nodes[k].end {
			p = later[p]
		}
		later[k] = p
	}
	return later
}

// enclosing returns the nearest ancestor, beyond the parent, that holds a span
// within its tolerance, or -1.
func (b *tree) enclosing(k int32, later map[int32]int32) int32 {
	n := &b.nodes[k]
	at := b.nodes[n.parent].parent
	if n.parent == b.top {
		return -1
	}
	for at >= 0 {
		a := &b.nodes[at]
		eps := b.tolerance(a)
		if a.start-eps <= n.start && n.end <= a.end+eps && a.end > a.start {
			return at
		}
		if at == b.top {
			return -1
		}
		if n.end > a.end+eps {
			if up := later[at]; up >= 0 {
				at = up
				continue
			}
			return -1
		}
		at = a.parent
	}
	return -1
}
