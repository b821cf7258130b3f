package critical

import (
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// tree is one request while it is assembled.
type tree struct {
	*trace
	top   int32
	order []int32 // nodes, depth first, parents before children
	depth []int32 // of each in order
}

// read takes the times that spans carry in attributes and events.
func (b *tree) read() {
	for i, k := range b.order {
		n := &b.nodes[k]
		b.index[k] = int32(i)
		n.peer = b.peerOf(k)
		n.rule = b.matcher.Rule(n.row, n.peer)
	}
	if b.opt.Jaeger {
		return
	}
	for _, k := range b.order {
		n := &b.nodes[k]
		switch {
		case n.role == Record:
			continue // its parent reads it
		case n.lent >= 0:
			n.reading = b.readLent(k)
		case b.parts[n.row] < b.parts[n.row+1]:
			n.reading = b.readParts(n)
		case n.rule.Sections != "":
			n.reading = b.readTimes(k)
		}
		b.readChunks(n)
		if n.reading != nil && n.reading.start != table.Missing && n.reading.start < n.start {
			n.start = n.reading.start
			n.repair = "begins with its first event"
		}
		if n.early != table.Missing {
			n.recorded, n.start = n.start, min(n.early, n.start)
			n.repair = "begins with an earlier attempt"
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
		if child.role == Record || child.try {
			continue
		}
		if child.joined {
			return stage.PeerRemote
		}
		served := n.kind == kindClient && child.kind == kindServer
		if b.elsewhere(n, child) || served && !b.together(n, child) {
			return stage.PeerRemote
		}
		if served {
			peer = stage.PeerLocal
		}
	}
	return peer
}

// elsewhere reports whether two spans come from different processes.
func (b *trace) elsewhere(n, m *node) bool {
	scopes := &b.set.Scopes
	x, y := b.set.Spans.ScopeRow[n.row], b.set.Spans.ScopeRow[m.row]
	return scopes.Service[x] != scopes.Service[y] || scopes.Host[x] != scopes.Host[y] || scopes.Instance[x] != scopes.Instance[y]
}

// together reports whether two spans are known to come from one process. When no
// host or instance is recorded, that is not known.
func (b *trace) together(n, m *node) bool {
	scopes := &b.set.Scopes
	x := b.set.Spans.ScopeRow[n.row]
	return !b.elsewhere(n, m) && (scopes.Host[x] != 0 || scopes.Instance[x] != 0)
}

// isCall reports whether a parent and child are the two ends of one call between
// processes. Such a child is waited for whatever the clocks say. Kinds are trusted
// little: engines mark the server's end INTERNAL, and some proxies have no span for
// the client's end.
func (b *trace) isCall(parent, child *node) bool {
	if parent.end == parent.start || parent.kind == kindProducer || child.try || child.role == Record {
		return false
	}
	if child.joined {
		return true
	}
	switch child.kind {
	case kindServer:
		caller := parent.kind == kindClient || parent.rule.Stage == stage.Network
		return caller && !b.together(parent, child) || b.elsewhere(parent, child)
	case kindClient, kindProducer, kindConsumer:
		return false
	}
	return b.elsewhere(parent, child)
}

// extend moves the end of a span that a model's answer outlives to the end of that
// answer: proxies and handlers often end their span with the response headers while
// the stream goes on. CLIENT spans are moved only where the far end's span has ended
// before them, too: otherwise their caller recorded what it waited for.
//
//	root     |--|                 recorded
//	model      |----------|       goes on
//	root     |------------|       used
//
// It does so only where nothing shows that the work went on without the answer: for
// the root, the far end of a call, and what ended as the last thing within one of
// these.
func (b *tree) extend() {
	if b.opt.Jaeger {
		return
	}
	streams := b.mayStream()
	for i := len(b.order) - 1; i > 0; i-- {
		n := &b.nodes[b.order[i]]
		p := &b.nodes[n.parent]
		if !n.engine || n.holder || n.clamped || p.clamped || n.kind == kindConsumer || p.kind == kindProducer ||
			n.end == n.start || n.start < p.start || b.followsFrom(n) {
			continue
		}
		// What begins after its parent ended follows from it; only a root is all there
		// is to hold it, and only if it begins at once.
		if n.start >= p.ended && (n.parent != b.top || n.start > p.ended+toleranceMax) {
			continue
		}
		p.engine = true
		if n.end <= p.ended+b.tolerance(p) {
			continue
		}
		switch {
		case b.gaveUp(p): // it stopped waiting, and says so
		case p.kind == kindClient && !(streams[b.index[n.parent]] && b.answered(p, n)):
			if b.isCall(p, n) {
				b.count(issueOutlived, n.row, "")
			}
		case streams[b.index[n.parent]]:
			if p.end == p.ended {
				b.count(issueExtended, p.row, "")
			}
			p.end = max(p.end, n.end)
			p.repair = "ended before the stream it answers with"
		}
	}
}

// answered reports whether the far end of a call ended, by its span, before the caller did,
// although the answer went on: then both end with the headers, and nobody gave up.
func (b *tree) answered(p, n *node) bool {
	return n.kind == kindServer && n.end > n.ended && n.ended <= p.ended+b.tolerance(p)
}

// mayStream finds, by place in the order, the spans that extend may move.
func (b *tree) mayStream() []bool {
	streams := make([]bool, len(b.order))
	streams[0] = true
	for i, k := range b.order[1:] {
		n := &b.nodes[k]
		p := &b.nodes[n.parent]
		streams[i+1] = b.isCall(p, n) || streams[b.index[n.parent]] && p.kind != kindClient && !b.gaveUp(p)
	}
	// Whatever its parent began after it ended, began without waiting for the stream.
	for _, k := range b.order {
		latest := int64(earliest)
		for _, c := range b.kids[k] {
			if n := &b.nodes[c]; n.end > n.start && !n.holder {
				latest = max(latest, n.start)
			}
		}
		for _, c := range b.kids[k] {
			n := &b.nodes[c]
			streams[b.index[c]] = streams[b.index[c]] && latest < n.ended
		}
	}
	return streams
}

func (b *tree) tolerance(n *node) int64 { return b.opt.tolerance(n.ended - n.start) }

// relate gives every span its role and the span that waits for it.
func (b *tree) relate() {
	b.nodes[b.top].role = Root
	if b.opt.Jaeger {
		b.relateJaeger()
		return
	}
	up := ancestors{tree: b}
	for _, k := range b.order[1:] {
		n := &b.nodes[k]
		p := &b.nodes[n.parent]
		eps := b.tolerance(p)
		outside := n.start >= p.end || n.end <= p.start || n.end > p.end+eps && p.end-n.start <= eps
		follow := func(role Role) {
			n.role = role
			if n.end > n.start {
				n.host = up.enclosing(k)
				b.noteOutside(n, p)
			}
		}
		switch {
		case n.role == Record:
			continue
		case n.try:
			b.relateTry(k)
		case n.holder:
			n.role = Container
		case p.kind == kindProducer && n.kind == kindConsumer:
			n.role = Async
			if n.start >= p.end-eps && n.end > p.end {
				follow(HandOff)
				n.from = n.parent
			}
		case b.followsFrom(n):
			n.role = Async
			if outside {
				follow(Successor)
			}
		case b.isCall(p, n):
			n.role, n.host = Blocking, n.parent
			if n.end > p.end+eps {
				n.role = Clipped
			}
		case outside && p.end > p.start && n.end == n.start:
			n.role = Blocking // a mark at the parent's end
		case outside:
			follow(Successor)
		case p.kind == kindClient && n.kind == kindServer: // one process calls itself
			n.role, n.host = Clipped, n.parent
			if n.end <= p.end+eps {
				n.role = Blocking
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
	b.abandon()
	b.sortWaits()
	b.linkHandOffs()
	b.markPrefill()
	b.waitForPrefill()
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
