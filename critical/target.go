package critical

import (
	"cmp"
	"slices"

	"github.com/tailpath/tailpath/ingest/table"
)

// chain returns the spans that wait for a node, the root first, the node last.
func (b *tree) chain(node int32) []int32 {
	var chain []int32
	for k := node; k >= 0; k = b.nodes[k].host {
		chain = append(chain, k)
	}
	slices.Reverse(chain)
	return chain
}

// sight is what is known of the first token where the tree is walked down to a node.
type sight struct {
	lo, hi int64  // when all that waits for the node, and it itself, ran
	seen   bool   // the node tells of a first token that the root could still be waiting for
	best   source // of all that is seen along the way: above the node, at it, and below it
	call   int32  // outermost caller on the way down that marks its first token itself; -1
}

// sights looks for first tokens at all that the root waits for, in the order of waitedFor, by
// place in the order of the tree. What is seen by a better source above or below a node is of
// the same answer.
func (b *tree) sights(waited []int32) []sight {
	all := make([]sight, len(b.order))
	const unseen = byChunk + 1
	below := make([]source, len(b.order))
	for i, k := range waited {
		n, s := &b.nodes[k], &all[b.index[k]]
		s.lo, s.hi, s.best, s.call = n.start, n.end, unseen, -1
		if i > 0 {
			h := &all[b.index[n.host]]
			s.lo, s.hi, s.best = max(s.lo, h.lo), min(s.hi, h.hi), h.best
		}
		below[b.index[k]] = unseen
		if n.reading == nil || n.reading.firstToken == table.Missing {
			continue
		}
		t := n.reading.firstToken
		if t <= s.lo || t > s.hi || n.parent >= 0 && i > 0 && b.nodes[n.parent].rule.Sections == "sglang-decode" {
			continue // not seen within the request, or a prefill again after a retraction
		}
		s.seen, s.best = true, min(s.best, n.reading.source)
		below[b.index[k]] = n.reading.source
	}
	for i := len(waited) - 1; i > 0; i-- {
		k := waited[i]
		h := b.index[b.nodes[k].host]
		below[h] = min(below[h], below[b.index[k]])
	}
	for _, k := range waited {
		s := &all[b.index[k]]
		s.best = min(s.best, below[b.index[k]])
	}
	return all
}

// firstToken finds the span that saw the first token of the answer that the request
// ended with, and when. Only first tokens that the root could still be waiting for
// count. Of these the answer that ends last is meant: an engine that only prefills for
// another one never sends its token to the caller, and an agent's earlier calls are
// not the answer. Engines of one call that run at once answer together, and the first
// of their tokens counts; a caller's own mark of the answer counts before the engine's,
// and what was measured before what events of chunks show, whoever recorded them. Of
// spans with such events the outermost counts: it sees what the request's vantage sees.
func (b *tree) firstToken() (holder int32, at int64, basis string) {
	type answer struct {
		node, call int32
		at         int64
	}
	var answers []answer
	waited := b.waitedFor()
	seen := b.sights(waited)
	for i, k := range waited {
		n, s := &b.nodes[k], &seen[b.index[k]]
		if i > 0 {
			s.call = seen[b.index[n.host]].call
		}
		if !s.seen || n.reading.source > s.best {
			continue
		}
		answers = append(answers, answer{k, s.call, n.reading.firstToken})
		if (n.reading.rank == 0 || n.reading.source != measured) && s.call < 0 {
			s.call = k
		}
	}
	if len(answers) == 0 {
		return -1, 0, ""
	}
	last := answers[0]
	for _, a := range answers[1:] {
		x, y := &b.nodes[a.node], &b.nodes[last.node]
		if c := cmp.Or(cmp.Compare(x.end, y.end), cmp.Compare(b.index[a.node], b.index[last.node])); c > 0 {
			last = a
		}
	}
	if last.call >= 0 {
		last = answer{node: last.call, call: -1, at: b.nodes[last.call].reading.firstToken}
	}
	first := last
	if y := &b.nodes[last.node]; last.node != b.top {
		eps := b.tolerance(&b.nodes[y.parent])
		for _, a := range answers {
			x := &b.nodes[a.node]
			together := x.parent == y.parent && x.start+eps < y.end && y.start+eps < x.end && !(x.prefill && y.decodes)
			if together && a.at < first.at {
				first = a
			}
		}
	}
	return first.node, first.at, b.nodes[first.node].reading.basis
}

// waitedFor returns the root and all that it waited for, directly or not, each after what
// waited for it.
func (b *tree) waitedFor() []int32 {
	order := make([]int32, 1, len(b.order))
	order[0] = b.top
	for i := 0; i < len(order); i++ {
		order = append(order, b.waits[order[i]]...)
	}
	return order
}

// firstByte finds the outermost span that saw the first byte of the answer, and when. Of
// several at one depth it is the last to start.
func (b *tree) firstByte() (holder int32, at int64, basis string) {
	holder = -1
	type window struct {
		lo, hi int64
		depth  int32
	}
	windows := make([]window, len(b.order))
	best := int32(0)
	for i, k := range b.waitedFor() {
		n, w := &b.nodes[k], &windows[b.index[k]]
		w.lo, w.hi = n.start, n.end
		if i > 0 {
			h := windows[b.index[n.host]]
			w.lo, w.hi, w.depth = max(w.lo, h.lo), min(w.hi, h.hi), h.depth+1
		}
		if n.reading == nil || n.reading.firstByte == table.Missing {
			continue
		}
		t := n.reading.firstByte
		if t <= w.lo || t > w.hi {
			continue
		}
		if holder < 0 || w.depth < best || w.depth == best && n.start >= b.nodes[holder].start {
			holder, at, basis, best = k, t, n.reading.byteBasis, w.depth
		}
	}
	return holder, at, basis
}
