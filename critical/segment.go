package critical

import (
	"cmp"
	"slices"

	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// ruleHandOff gives the time between a producer's end and its consumer's start.
const ruleHandOff = "handoff"

// paths walks both targets of a request.
func (b *tree) paths(r *Request) {
	w := b.newWalk([]int32{b.top}, b.nodes[b.top].end)
	w.run()
	r.EndPath = b.segments(w)
	if b.opt.Jaeger {
		return
	}
	r.Drag = b.drag(r.EndPath)
	if holder, at, basis := b.firstToken(); holder >= 0 {
		r.FirstToken, r.Basis = at, basis
		w = b.newWalk(b.chain(holder), at)
		w.run()
		r.TokenPath = b.segments(w)
	}
	if holder, at, basis := b.firstByte(); holder >= 0 {
		r.FirstByte, r.ByteBasis = at, basis
		w = b.newWalk(b.chain(holder), at)
		w.run()
		r.BytePath = b.segments(w)
	}
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
				Confidence: Residual, Reason: reasons[s.why], Rule: ruleHandOff, OverlappedBy: -1,
			})
			continue
		}
		path = w.cut(path, s, doubt, i)
	}
	if b.opt.Jaeger {
		return path
	}
	return merge(path)
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
	if before < 0 || after < 0 {
		return false
	}
	x, y := &w.nodes[before], &w.nodes[after]
	samePrompt := x.prompt == table.Missing || y.prompt == table.Missing || x.prompt == y.prompt
	return x.prefill && y.decodes && samePrompt
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
func (w *walk) cut(path Path, s section, doubt overlaps, i int) Path {
	n := &w.nodes[s.owner]
	own := Segment{
		Span: w.index[s.owner], Stage: n.rule.Stage, Detail: w.matcher.Detail(n.rule, n.row),
		Reason: reasons[s.why], Rule: n.rule.ID, OverlappedBy: -1,
	}
	between, again := w.betweenEngines(i), w.backOff(i) && !w.opt.Jaeger
	switch {
	case between:
		own.Stage, own.Detail, own.Confidence = stage.Unattributed, "between prefill and decode", Residual
	case again:
		own.Stage, own.Detail, own.Confidence = stage.Queue, "retry_backoff", Residual
		own.Reason, own.Rule = "between a failed attempt and the next", "retry"
	case n.rule.Residual, n.peer == stage.PeerRemote && !w.opt.Jaeger:
		own.Confidence = Residual // what a span in another process leaves over
	}
	put := func(seg Segment, from, to int64) {
		if from >= to {
			return
		}
		if n.placed && seg.Confidence != Residual {
			seg.Confidence, seg.Error = Anchored, seg.Error+n.slack
		}
		seg.Start, seg.End = from, to
		path = append(path, seg)
	}
	// plain appends own time, split where a child ran that the path does not go through.
	plain := func(seg Segment, from, to int64) {
		for _, part := range doubt.split(w, s.owner, from, to) {
			seg := seg
			if w.hedged(i, part.by) {
				seg.Stage, seg.Detail, seg.Confidence = stage.Queue, "retry_backoff", Residual
				seg.Reason, seg.Rule = "before the next attempt was sent", "retry"
			}
			seg.OverlappedBy = part.by
			put(seg, part.from, part.to)
		}
	}
	before := w.beforeAttempt(own, s, i)
	after := own
	after.Stage, after.Detail, after.Confidence = stage.Unattributed, "after the span's recorded end", Residual
	uncovered := func(from, to int64) {
		began := min(max(w.began(n), from), to)
		recorded := to
		if n.end > n.ended {
			recorded = min(max(n.ended, began), to)
		}
		plain(before, from, began)
		plain(own, began, recorded)
		plain(after, recorded, to)
	}
	at := s.start
	if n.reading != nil {
		first, _ := slices.BinarySearchFunc(n.reading.pieces, s.start, func(p piece, at int64) int { return cmp.Compare(p.end, at+1) })
		for _, p := range n.reading.pieces[first:] {
			from, to := max(p.start, at), min(p.end, s.end)
			if from >= to {
				break // they are in order, and none is empty
			}
			uncovered(at, from)
			seg := Segment{
				Span: own.Span, Stage: p.stage, Detail: p.detail, Confidence: p.confidence, Error: p.error,
				Reason: p.reason, Rule: cmp.Or(n.reading.rule, n.rule.ID), OverlappedBy: -1,
			}
			if p.by >= 0 {
				seg.Span = w.index[p.by]
			}
			switch {
			case p.upstream && (between || again):
				seg = own
			case p.upstream && n.peer == stage.PeerRemote && !w.unresolved(s.owner, to-from):
				seg.Stage, seg.Detail, seg.Confidence, seg.Error = stage.Network, "hop", Residual, 0
				seg.Reason = "waiting for the upstream, less what is recorded of it"
			}
			put(seg, from, to)
			at = to
		}
	}
	uncovered(at, s.end)
	return path
}

// leastCoarse is the resolution from which a record's own error is weighed against what is
// left over beside it.
const leastCoarse = 10_000_000 // ns

// unresolved reports whether what a proxy waited for beyond what is recorded of it is less
// than the record's resolution, so that nothing says that it was the wire.
func (w *walk) unresolved(owner int32, left int64) bool {
	coarse, known := w.coarse[owner]
	if !known {
		for _, c := range w.kids[owner] {
			if n := &w.nodes[c]; n.joined {
				coarse = max(coarse, w.set.Spans.LengthError[n.row])
			}
		}
		w.coarse[owner] = coarse
	}
	return coarse >= leastCoarse && left <= coarse
}

// beforeAttempt returns what own time is before the leading attempt at a request began:
// the caller waited to try again, or, between the engines of one answer, the cache moved.
func (w *walk) beforeAttempt(own Segment, s section, i int) Segment {
	own.Confidence = Residual
	owner, before := &w.nodes[s.owner], int32(-1)
	if i+1 < len(w.sections) {
		before = w.childOf(s.owner, w.sections[i+1].owner)
	}
	switch {
	case owner.executes() && (before < 0 || !w.nodes[before].try): // another part of the answer ran meanwhile
		own.Stage, own.Detail, own.Reason = stage.Unattributed, "before the last answer", "another answer to the same request was under way"
	case owner.executes() && (w.nodes[before].prefill || w.elsewhere(owner, &w.nodes[before])):
		own.Stage, own.Detail, own.Reason = stage.Unattributed, "between prefill and decode", "between the engines of one answer"
	default:
		own.Stage, own.Detail, own.Rule = stage.Queue, "retry_backoff", "retry"
		own.Reason = "before the next attempt was sent"
	}
	return own
}

// merge joins neighbours that differ in their times alone.
func merge(path Path) Path {
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

// part is a stretch of own time, and the place of the child that ran in it, or -1.
type part struct {
	from, to int64
	by       int32
}

// split cuts [from, to) of a span's own time where skipped children ran. Of several
// at once, the one to end last is named.
func (o overlaps) split(w *walk, owner int32, from, to int64) []part {
	if from >= to {
		return nil
	}
	if w.opt.Jaeger || len(w.kids[owner]) == 0 {
		return []part{{from, to, -1}}
	}
	kids, ok := o[owner]
	if !ok {
		kids = w.skipped(owner)
		o[owner] = kids
	}
	var parts []part
	for to > from {
		i, _ := slices.BinarySearchFunc(kids.byStart, to, func(k int32, t int64) int {
			return cmp.Compare(w.nodes[k].start, t)
		})
		if i == 0 || w.nodes[kids.last[i-1]].end <= from {
			parts = append(parts, part{from, to, -1})
			break
		}
		n := &w.nodes[kids.last[i-1]]
		if n.end < to {
			parts = append(parts, part{n.end, to, -1})
		}
		parts = append(parts, part{max(from, n.start), min(n.end, to), w.index[kids.last[i-1]]})
		to = n.start
	}
	slices.Reverse(parts)
	return parts
}

func (w *walk) skipped(owner int32) skipped {
	var kids skipped
	for _, k := range w.kids[owner] {
		if n := &w.nodes[k]; !w.visited[k] && n.end > n.start && !n.holder && n.role != Record {
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
