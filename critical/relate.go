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
		if links.SpanID[l] != parent || links.TraceID[l] != b.set.Spans.TraceID[n.row] {
			continue
		}
		if v, ok := links.Attributes.Get(int(l), b.refType); ok && b.refType != 0 && string(v.Text) == "follows_from" {
			return true
		}
	}
	return false
}

// linkHandOffs finds the producer of every consumer that has one, its parent or one it
// links to, the last to end where there are several. Only producers that the consumer's
// host waits for count; a producer of no length is stood for by what it lies in.
func (b *tree) linkHandOffs() {
	var byID map[table.SpanID]int32
	var within *nesting
	links := &b.set.SpanLinks
	for _, k := range b.order[1:] {
		n := &b.nodes[k]
		first, last := b.links[n.row], b.links[n.row+1]
		if n.kind != kindConsumer || n.host < 0 || n.from < 0 && first == last {
			n.from = -1
			continue
		}
		if within == nil {
			within = b.nest()
		}
		parent := n.from
		n.from = -1
		offer := func(p int32) {
			producer := &b.nodes[p]
			if producer.kind != kindProducer || producer.end > n.start+b.tolerance(producer) || producer.end >= n.end {
				return
			}
			way := p
			for b.nodes[way].host < 0 && b.nodes[way].end == b.nodes[way].start && b.nodes[way].parent >= 0 {
				way = b.nodes[way].parent
			}
			if way != n.host && !within.holds(b.index[n.host], b.index[way]) {
				return
			}
			if w := &b.nodes[way]; producer.end < w.start || producer.end > w.end {
				return // it was recorded as a part of what was not running then
			}
			if n.from < 0 || producer.end > n.handed {
				n.from, n.handed, n.role = way, producer.end, HandOff
			}
		}
		if parent >= 0 {
			offer(parent)
		}
		for l := first; l < last; l++ {
			if links.TraceID[l] != b.set.Spans.TraceID[n.row] {
				continue
			}
			if byID == nil {
				byID = make(map[table.SpanID]int32, len(b.order))
				for _, j := range b.order {
					byID[b.nodes[j].id] = j
				}
			}
			if p, ok := byID[links.SpanID[l]]; ok {
				offer(p)
			}
		}
		if n.from < 0 && n.role == HandOff {
			n.role = Successor // it is waited for, but not through its producer
		}
	}
}

// nesting numbers the spans of a request so that those that a span waits for, directly
// or not, are a range. Places the root does not wait for have none.
type nesting struct{ first, last []int32 }

// nest walks the tree of who waits for whom.
func (b *tree) nest() *nesting {
	t := &nesting{make([]int32, len(b.order)), make([]int32, len(b.order))}
	type step struct {
		node int32
		next int
	}
	number := int32(1)
	stack := []step{{b.top, 0}}
	t.first[0] = number
	for len(stack) > 0 {
		s := &stack[len(stack)-1]
		if s.next < len(b.waits[s.node]) {
			k := b.waits[s.node][s.next]
			s.next++
			number++
			t.first[b.index[k]] = number
			stack = append(stack, step{k, 0})
			continue
		}
		t.last[b.index[s.node]] = number
		stack = stack[:len(stack)-1]
	}
	return t
}

// holds reports whether the span at place up waits for the one at place k.
func (t *nesting) holds(up, k int32) bool {
	return t.first[k] > t.first[up] && t.first[up] > 0 && t.first[k] <= t.last[up]
}

// markPrefill finds the spans whose part in a model's answer is the prefill for
// another engine: an engine asked for a single token, and what holds only such.
func (b *tree) markPrefill() {
	spans := &b.set.Spans
	for i := len(b.order) - 1; i >= 0; i-- {
		n := &b.nodes[b.order[i]]
		if n.reading != nil && n.reading.firstToken != table.Missing && n.reading.rank > 0 {
			single := spans.OutputTokens[n.row] == 1 || spans.OutputTokens[n.row] == table.Missing && spans.Decode[n.row] == 0
			n.prefill, n.decodes = single, !single
			n.prompt = spans.PromptTokens[n.row]
		}
		n.prefill = n.prefill && !n.decodes
		if i > 0 && n.host >= 0 {
			h := &b.nodes[n.host]
			h.prefill, h.decodes = h.prefill || n.prefill, h.decodes || n.decodes
			if n.prefill || n.decodes {
				h.prompt = n.prompt
			}
		}
	}
}

// waitForPrefill lets the wait of an engine for the cache of a prompt be a wait for the
// engine that computed it, where that is recorded in the same request: both were called
// at once, and only the spans of the first say what the wait was for.
//
//	decodes    |-----|wait for the cache      |decode          |
//	prefills   |------|queue |prefill  |transfer|
func (b *tree) waitForPrefill() {
	var waits []int32
	for _, k := range b.order[1:] {
		if n := &b.nodes[k]; n.rule.Sections == "kv-wait" && n.host >= 0 {
			waits = append(waits, k)
		}
	}
	if len(waits) == 0 {
		return
	}
	// The spans that prefill, and hold none that decodes.
	prefills, decodes := make([]bool, len(b.order)), make([]bool, len(b.order))
	for i := len(b.order) - 1; i > 0; i-- {
		n := &b.nodes[b.order[i]]
		prefills[i] = prefills[i] || n.rule.Sections == "prefill"
		decodes[i] = decodes[i] || n.rule.Sections == "kv-wait" || n.rule.Sections == "sglang-decode"
		if n.host >= 0 {
			h := b.index[n.host]
			prefills[h], decodes[h] = prefills[h] || prefills[i], decodes[h] || decodes[i]
		}
	}
	for _, k := range waits {
		if p := b.prefillFor(k, prefills, decodes); p >= 0 {
			b.nodes[p].host, b.nodes[p].role = k, Clipped
			prefills[b.index[p]] = false // it is waited for once
		}
	}
	b.sortWaits()
}

// prefillFor returns what prefilled for the wait of an engine: of the spans at other hosts
// that do nothing else and ran meanwhile, the first under the nearest caller of both.
func (b *tree) prefillFor(k int32, prefills, decodes []bool) int32 {
	n := &b.nodes[k]
	from, to := int(b.index[k]), int(b.index[k]) // what has been looked at
	for h := n.host; h >= 0; h = b.nodes[h].host {
		first := int(b.index[h])
		last := max(first, to) + 1
		for last < len(b.order) && b.depth[last] > b.depth[first] {
			last++
		}
		for i := first + 1; i < last; i++ {
			if i == from {
				i = to
				continue
			}
			m := &b.nodes[b.order[i]]
			if prefills[i] && !decodes[i] && m.host >= 0 && b.elsewhere(&b.nodes[m.host], m) && m.start < n.end && m.end > n.start {
				return b.order[i]
			}
		}
		from, to = min(from, first), max(to, last-1)
	}
	return -1
}

// sortWaits lists for every node what it waits for: the last to end first, then the
// first to start, then by id.
func (b *tree) sortWaits() {
	sizes := make([]int32, len(b.order))
	total := 0
	for _, k := range b.order {
		if h := b.nodes[k].host; h >= 0 {
			sizes[b.index[h]]++
			total++
		}
	}
	pool := make([]int32, total)
	for i, k := range b.order {
		b.waits[k], pool = pool[:0:sizes[i]], pool[sizes[i]:]
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
