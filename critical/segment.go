package critical

import (
	"cmp"
	"slices"

	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// paths walks both targets of a request.
func (b *tree) paths(r *Request) {
	w := b.newWalk([]int32{b.top}, b.nodes[b.top].end)
	w.run()
	r.EndPath = b.segments(w)
	if b.opt.Jaeger {
		return
	}
	holder, at, basis := b.firstToken()
	if holder < 0 {
		return
	}
	r.FirstToken, r.Basis = at, basis
	w = b.newWalk(b.chain(holder), at)
	w.run()
	r.TokenPath = b.segments(w)
}

// chain returns the spans that wait for a node, the root first, the node last.
func (b *tree) chain(node int32) []int32 {
	var chain []int32
	for k := node; k >= 0; k = b.nodes[k].host {
		chain = append(chain, k)
	}
	slices.Reverse(chain)
	return chain
}

// firstToken finds the span that saw the first token of the answer that the request
// ended with: of the recorded first tokens on spans that the root waits for, those
// seen by a caller come before those an engine sent, then the latest comes first. An engine that only prefills for
// another one sees its token first and never sends it to the caller.
func (b *tree) firstToken() (holder int32, at int64, basis string) {
	holder = -1
	bestRank := 0
	for _, k := range b.order {
		n := &b.nodes[k]
		if n.reading == nil || n.reading.firstToken == table.Missing || k != b.top && !b.reaches(k, b.top) {
			continue
		}
		t := n.reading.firstToken
		if t <= b.lower(k) || t > n.end {
			continue
		}
		rank := n.reading.rank
		if holder < 0 || rank < bestRank || rank == bestRank && t > at {
			holder, at, basis, bestRank = k, t, n.reading.basis, rank
		}
	}
	return holder, at, basis
}

// lower returns the earliest instant the walk can reach inside a node.
func (b *tree) lower(k int32) int64 {
	lo := b.nodes[k].start
	for k = b.nodes[k].host; k >= 0; k = b.nodes[k].host {
		lo = max(lo, b.nodes[k].start)
	}
	return lo
}

// segments turns the sections of a walk into a path: own time is cut where the span
// has finer times, every piece gets its stage, and neighbours that say the same are
// joined.
func (b *tree) segments(w *walk) Path {
	path := make(Path, 0, len(w.sections)*2)
	doubt := overlaps{}
	for i := len(w.sections) - 1; i >= 0; i-- {
		s := w.sections[i]
		if s.why == whyHandOff {
			path = append(path, Segment{
				Start: s.start, End: s.end, Span: b.index[s.owner], Stage: stage.Queue, Detail: "handoff",
				Confidence: Residual, Reason: reasons[s.why], Rule: "handoff", OverlappedBy: -1,
			})
			continue
		}
		path = b.cut(path, s, doubt.during(w, s), w.betweenEngines(i))
	}
	if b.opt.Jaeger {
		return path
	}
	return join(path)
}

// betweenEngines reports whether a section is own time between an engine that only
// prefilled and the one that decodes. The cache moves between them then, and nothing
// says how long that took: the time is not taken for the owner's work.
func (w *walk) betweenEngines(i int) bool {
	if i == 0 || i == len(w.sections)-1 {
		return false
	}
	owner := w.sections[i].owner
	if !w.nodes[w.sections[i+1].owner].prefill {
		return false
	}
	before, after := w.childOf(owner, w.sections[i+1].owner), w.childOf(owner, w.sections[i-1].owner)
	return before >= 0 && after >= 0 && w.nodes[before].prefill && w.nodes[after].engine && !w.nodes[after].prefill
}

// childOf returns which of the spans that owner waits for holds a node, or -1. What
// lies under owner comes after it in the order of the tree, which ends the climb.
func (w *walk) childOf(owner, k int32) int32 {
	for ; k >= 0 && w.index[k] > w.index[owner]; k = w.nodes[k].host {
		if w.nodes[k].host == owner {
			return k
		}
	}
	return -1
}

// cut appends the pieces of one section.
func (b *tree) cut(path Path, s section, overlapped int32, between bool) Path {
	n := &b.nodes[s.owner]
	own := Segment{
		Span: b.index[s.owner], Stage: n.rule.Stage, Detail: b.matcher.Detail(n.rule, n.row),
		Reason: reasons[s.why], Rule: n.rule.ID, OverlappedBy: overlapped,
	}
	switch {
	case between:
		own.Stage, own.Detail, own.Confidence = stage.Unattributed, "between prefill and decode", Residual
	case n.rule.Residual:
		own.Confidence = Residual
	}
	at := s.start
	put := func(seg Segment, from, to int64) {
		if from < to {
			if n.placed && seg.Confidence != Residual {
				seg.Confidence, seg.Error = Anchored, seg.Error+n.slack
			}
			seg.Start, seg.End = from, to
			path = append(path, seg)
		}
	}
	plain := func(to int64) {
		if at < to && n.ended < to && n.end > n.ended {
			recorded := min(max(n.ended, at), to)
			put(own, at, recorded)
			after := own
			after.Stage, after.Detail, after.Confidence = stage.Unattributed, "after the span's recorded end", Residual
			put(after, recorded, to)
			return
		}
		put(own, at, to)
	}
	if n.reading != nil {
		for _, p := range n.reading.pieces {
			from, to := max(p.start, at), min(p.end, s.end)
			if from >= to {
				continue
			}
			plain(from)
			put(Segment{
				Span: own.Span, Stage: p.stage, Detail: p.detail, Confidence: p.confidence, Error: p.error,
				Reason: p.reason, Rule: n.rule.ID, OverlappedBy: -1,
			}, from, to)
			at = to
		}
	}
	plain(s.end)
	return path
}

// join merges neighbours that differ in their times alone.
func join(path Path) Path {
	out := path[:0]
	for _, s := range path {
		if k := len(out) - 1; k >= 0 {
			last := out[k]
			last.Start, last.End = s.Start, s.End
			if last == s {
				out[k].End = s.End
				continue
			}
		}
		out = append(out, s)
	}
	return out
}

// overlaps finds, for the own time of a span, a child that ran meanwhile although
// the path does not run through it. Whether the span waited for it or worked, the
// data cannot say. The children of a span are looked through once.
type overlaps map[int32]skipped

// skipped is the children of one span that the path does not run through.
type skipped struct {
	byStart []int32
	last    []int32 // last[i] is, of byStart[:i+1], the one to end last
}

// during returns the index of the skipped child that ends last of those that ran
// in a section, or -1.
func (o overlaps) during(w *walk, s section) int32 {
	if w.opt.Jaeger {
		return -1
	}
	kids, ok := o[s.owner]
	if !ok {
		kids = w.skipped(s.owner)
		o[s.owner] = kids
	}
	i, _ := slices.BinarySearchFunc(kids.byStart, s.end, func(k int32, t int64) int {
		return cmp.Compare(w.nodes[k].start, t)
	})
	if i == 0 || w.nodes[kids.last[i-1]].end <= s.start {
		return -1
	}
	return w.index[kids.last[i-1]]
}

func (w *walk) skipped(owner int32) skipped {
	var kids skipped
	for _, k := range w.kids[owner] {
		if n := &w.nodes[k]; !w.visited[k] && n.end > n.start && !n.holder {
			kids.byStart = append(kids.byStart, k)
		}
	}
	slices.SortFunc(kids.byStart, func(x, y int32) int {
		return cmp.Or(cmp.Compare(w.nodes[x].start, w.nodes[y].start), w.nodes[x].compareID(&w.nodes[y]), cmp.Compare(x, y))
	})
	for i, k := range kids.byStart {
		if i > 0 && w.nodes[kids.last[i-1]].end >= w.nodes[k].end {
			k = kids.last[i-1]
		}
		kids.last = append(kids.last, k)
	}
	return kids
}
