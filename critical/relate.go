package critical

import (
	"cmp"
	"slices"

	"github.com/tailpath/tailpath/ingest/table"
)

// followsFrom reports whether a span says of its own parent that it only follows
// from it, as translations from OpenTracing do.
func (b *tree) followsFrom(n *node) bool {
	links, parent := &b.set.SpanLinks, b.nodes[n.parent].id
	for l := b.links[n.row]; l < b.links[n.row+1]; l++ {
		if links.SpanID[l] != parent {
			continue
		}
		if v, ok := links.Attributes.Get(int(l), b.refType); ok && b.refType != 0 && string(v.Text) == "follows_from" {
			return true
		}
	}
	return false
}

// linkHandOffs finds the producer of every consumer that links to one, and drops
// hand-offs whose producer is not waited for under the consumer's host.
func (b *tree) linkHandOffs() {
	var byID map[table.SpanID]int32
	links := &b.set.SpanLinks
	for _, k := range b.order[1:] {
		n := &b.nodes[k]
		if n.kind == kindConsumer && n.from < 0 && n.host >= 0 {
			for l := b.links[n.row]; l < b.links[n.row+1]; l++ {
				if links.TraceID[l] != b.set.Spans.TraceID[n.row] {
					continue
				}
				if byID == nil {
					byID = make(map[table.SpanID]int32, len(b.order))
					for _, j := range b.order {
						byID[b.nodes[j].id] = j
					}
				}
				if p, ok := byID[links.SpanID[l]]; ok && b.nodes[p].kind == kindProducer && b.nodes[p].end <= n.start {
					n.from, n.role = p, HandOff
					break
				}
			}
		}
		if n.from >= 0 && !b.reaches(n.from, n.host) {
			n.from = -1
		}
	}
}

// reaches reports whether up waits, directly or not, for a node.
func (b *tree) reaches(node, up int32) bool {
	if up < 0 {
		return false
	}
	for at := b.nodes[node].host; at >= 0; at = b.nodes[at].host {
		if at == up {
			return true
		}
	}
	return false
}

// markPrefill finds the spans whose part in a model's answer is the prefill for
// another engine: an engine asked for a single token, and what holds only such.
func (b *tree) markPrefill() {
	spans := &b.set.Spans
	other := make([]bool, len(b.nodes)) // holds an engine that decodes
	for i := len(b.order) - 1; i >= 0; i-- {
		k := b.order[i]
		n := &b.nodes[k]
		if n.reading != nil && n.reading.firstToken != table.Missing && n.reading.rank > 0 {
			single := spans.OutputTokens[n.row] == 1 || spans.OutputTokens[n.row] == table.Missing && spans.Decode[n.row] == 0
			n.prefill, other[k] = single, !single
		}
		n.prefill = n.prefill && !other[k]
		if i > 0 && n.host >= 0 {
			h := &b.nodes[n.host]
			h.prefill = h.prefill || n.prefill
			other[n.host] = other[n.host] || other[k]
		}
	}
}

// sortWaits lists for every node what it waits for: the last to end first, then the
// first to start, then by id.
func (b *tree) sortWaits() {
	sizes := make([]int32, len(b.nodes))
	total := 0
	for _, k := range b.order {
		if h := b.nodes[k].host; h >= 0 {
			sizes[h]++
			total++
		}
	}
	pool := make([]int32, total)
	b.waits = make([][]int32, len(b.nodes))
	for _, k := range b.order {
		b.waits[k], pool = pool[:0:sizes[k]], pool[sizes[k]:]
	}
	for _, k := range b.order {
		if h := b.nodes[k].host; h >= 0 {
			b.waits[h] = append(b.waits[h], k)
		}
	}
	for _, k := range b.order {
		slices.SortFunc(b.waits[k], func(x, y int32) int {
			a, c := &b.nodes[x], &b.nodes[y]
			return cmp.Or(cmp.Compare(c.end, a.end), cmp.Compare(a.start, c.start), a.compareID(c), cmp.Compare(x, y))
		})
	}
}

// relateJaeger cuts every span to its parent, as the Jaeger UI does before it draws
// a path: what lies outside is dropped with all below it, and consumers of a
// producer are not followed.
func (b *tree) relateJaeger() {
	gone := make(map[int32]bool)
	for _, k := range b.order[1:] {
		n := &b.nodes[k]
		p := &b.nodes[n.parent]
		switch {
		case gone[n.parent], p.kind == kindProducer && n.kind == kindConsumer, n.start >= p.end, n.end <= p.start && n.start < p.start:
			gone[k] = true
			n.role = Detached
			continue
		}
		n.role, n.host = Blocking, n.parent
		if n.start < p.start {
			n.start = p.start
		}
		if n.end > p.end {
			n.end, n.role = p.end, Clipped
		}
	}
	b.sortWaits()
}
