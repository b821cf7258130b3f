package critical

import (
	"cmp"
	"slices"

	"github.com/tailpath/tailpath/ingest/table"
)

// requests makes the requests of a trace: one for every root that stands on its
// own, or, where no root was recorded, one for every fragment.
func (t *trace) requests() []*Request {
	var roots, rest []int32
	for i := range t.nodes {
		switch t.nodes[i].top {
		case topRoot:
			roots = append(roots, int32(i))
		case topRemote, topOrphan, topCycle:
			rest = append(rest, int32(i))
		}
	}
	if len(roots) == 0 {
		return t.fragments(rest)
	}
	primaries, others := t.choose(roots)
	var out []*Request
	for _, p := range primaries {
		out = append(out, t.request(p, Complete, ""))
	}
	for _, o := range others {
		t.attach(out, o.of, o.root, issueSeveralRoots.ID)
		t.count(issueSeveralRoots, t.nodes[o.root].row, "")
	}
	for _, top := range rest {
		of := t.nearest(primaries, top)
		t.attach(out, of, top, issueMissingParent.ID)
		t.count(issueMissingParent, t.nodes[top].row, "")
		if out[of].Class == Complete {
			out[of].Class, out[of].ClassReason = Incomplete, "missing parent"
		}
	}
	out[0].Excluded = append(out[0].Excluded, t.excluded...)
	return out
}

// fragments makes the requests of a trace without a root. A single fragment that
// enters its process from elsewhere is a whole request, seen from there.
func (t *trace) fragments(tops []int32) []*Request {
	whole := len(tops) == 1 && t.nodes[tops[0]].top == topRemote
	var out []*Request
	for _, top := range tops {
		n := &t.nodes[top]
		switch {
		case n.top == topCycle: // counted when it was cut
			out = append(out, t.request(top, Incomplete, "parent cycle"))
		case whole:
			t.count(issueRemoteParent, n.row, "")
			out = append(out, t.request(top, Complete, ""))
		default:
			t.count(issueMissingParent, n.row, "")
			out = append(out, t.request(top, Incomplete, "no root"))
		}
	}
	if len(out) > 0 {
		out[0].Excluded = append(out[0].Excluded, t.excluded...)
	}
	return out
}

// spare is a root that overlaps a chosen one.
type spare struct {
	root int32
	of   int // index of the chosen one
}

// choose picks the roots that become requests: those of SERVER or CLIENT kind
// before others, then the longest, then the earliest. A root that overlaps one that
// was picked is not a request of its own: more likely its context was lost.
func (t *trace) choose(roots []int32) (picked []int32, others []spare) {
	order := slices.Clone(roots)
	slices.SortStableFunc(order, func(a, b int32) int {
		x, y := &t.nodes[a], &t.nodes[b]
		return cmp.Or(cmp.Compare(rootRank(x), rootRank(y)), cmp.Compare(y.end-y.start, x.end-x.start), cmp.Compare(a, b))
	})
	var spares []int32
	for _, r := range order {
		n := &t.nodes[r]
		if t.overlapping(picked, r) >= 0 && !n.alone && !n.startup() && !t.opt.Jaeger {
			spares = append(spares, r)
			continue
		}
		picked = append(picked, r)
	}
	slices.Sort(picked)
	slices.Sort(spares)
	for _, r := range spares {
		others = append(others, spare{r, t.overlapping(picked, r)})
	}
	return picked, others
}

func rootRank(n *node) int {
	switch {
	case n.open || n.startup():
		return 2
	case n.kind == kindServer || n.kind == kindClient || n.engine:
		return 0
	}
	return 1
}

// overlapping returns which of the picked roots shares time with r, or -1. Two roots
// of no length share none.
func (t *trace) overlapping(picked []int32, r int32) int {
	n := &t.nodes[r]
	for i, p := range picked {
		if o := &t.nodes[p]; n.start < o.end && o.start < n.end {
			return i
		}
	}
	return -1
}

// nearest returns which request a fragment most likely belongs to: the one whose
// root shares time with it, else the last that began before it, else the first.
func (t *trace) nearest(primaries []int32, top int32) int {
	if i := t.overlapping(primaries, top); i >= 0 {
		return i
	}
	best := 0
	for i, p := range primaries {
		if t.nodes[p].start <= t.nodes[top].start {
			best = i
		}
	}
	return best
}

// attach counts the spans under a top as excluded from a request.
func (t *trace) attach(out []*Request, of int, top int32, reason string) {
	order, _ := t.subtree(top)
	for _, k := range order {
		out[of].Excluded = append(out[of].Excluded, Exclusion{t.nodes[k].row, reason})
	}
}

// request assembles the spans under top into one request with its paths.
func (t *trace) request(top int32, class Class, reason string) *Request {
	root := &t.nodes[top]
	order, depth := t.subtree(top)
	b := &tree{trace: t, top: top, order: order}
	b.read()
	b.align()
	b.extend()
	b.relate()
	r := &Request{
		TraceID: t.set.Spans.TraceID[root.row], Class: class, ClassReason: reason,
		Start: root.start, End: root.end, FirstToken: table.Missing,
	}
	b.spans(r, depth)
	switch {
	case root.startup() && !b.opt.Jaeger:
		r.Class, r.ClassReason = Broken, "a server starting up, not a request"
	case root.open:
		r.Class, r.ClassReason = Unfinished, "root never ended"
	case root.repair != "" && root.ended == root.start && root.end == root.start:
		r.Class, r.ClassReason = Broken, "root "+root.repair
	case root.end == root.start:
		r.Class, r.ClassReason = Broken, "root has no length"
	default:
		if r.Class == Complete && b.anyOpen() {
			r.Class, r.ClassReason = Incomplete, issueUnfinished.ID
		}
		b.paths(r)
	}
	return r
}

// spans fills Request.Spans and the index of each node in it.
func (b *tree) spans(r *Request, depth []int32) {
	b.index = make([]int32, len(b.nodes))
	for i := range b.index {
		b.index[i] = -1
	}
	r.Spans = make([]Span, len(b.order))
	for i, k := range b.order {
		n := &b.nodes[k]
		b.index[k] = int32(i)
		parent := int32(-1)
		if i > 0 {
			parent = b.index[n.parent]
		}
		r.Spans[i] = Span{
			Row: n.row, ID: n.id, Parent: parent, Depth: depth[i],
			Start: n.start, End: n.end, Role: n.role, Repair: n.repair,
		}
	}
}

func (b *tree) anyOpen() bool {
	return slices.ContainsFunc(b.order, func(k int32) bool { return b.nodes[k].open })
}
