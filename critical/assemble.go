package critical

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/tailpath/tailpath/ingest/table"
)

// requests makes the requests of a group: of every unit one for every root that stands
// on its own, or, where no root was recorded, one for every fragment. What joining has
// put below another unit is part of the request there.
func (t *trace) requests() []*Request {
	type topList struct{ roots, rest []int32 }
	units := make([]topList, len(t.group.Units))
	for i := range t.nodes {
		n := &t.nodes[i]
		u := &units[n.unit]
		if n.open && n.record && !n.left {
			t.count(issueUnfinished, n.row, "")
		}
		switch {
		case n.left:
		case n.top == topRoot:
			u.roots = append(u.roots, int32(i))
		case n.top == topRemote, n.top == topOrphan, n.top == topCycle:
			u.rest = append(u.rest, int32(i))
		}
	}
	var out []*Request
	made := map[int32]*Request{} // by top
	build := func(top int32, class Class, reason string) *Request {
		r := t.request(top, class, reason)
		out, made[top] = append(out, r), r
		return r
	}
	type loose struct {
		unit int
		tops []int32
	}
	var orphans []loose // fragments of units whose root has become part of another's request
	for u, list := range units {
		switch {
		case len(list.roots) > 0:
			t.rooted(list.roots, list.rest, build)
		case len(list.rest) > 0 && t.isJoined(int32(u)):
			orphans = append(orphans, loose{u, list.rest})
		default:
			t.fragments(list.rest, build)
		}
	}
	for _, o := range orphans {
		r := made[t.topOfUnit(int32(o.unit))]
		if r == nil {
			t.fragments(o.tops, build)
			continue
		}
		for _, top := range o.tops {
			t.attach(r, top, issueMissingParent.ID)
			t.count(issueMissingParent, t.nodes[top].row, "")
			if r.Class == Complete {
				r.Class, r.ClassReason = Incomplete, "missing parent"
			}
		}
	}
	if len(out) > 0 {
		out[0].Excluded = append(out[0].Excluded, t.excluded...)
	}
	id := t.groupID()
	for _, r := range out {
		r.TraceID = id
	}
	slices.SortStableFunc(out, func(a, b *Request) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), bytes.Compare(a.Spans[0].ID[:], b.Spans[0].ID[:]))
	})
	return out
}

// groupID returns the trace id that a group goes by: that of its first trace, or of its
// first record where there is no trace.
func (t *trace) groupID() table.TraceID {
	spans := &t.set.Spans
	for _, u := range t.group.Units {
		if row := t.units[u]; spans.Origin[row] == table.OriginSpan {
			return spans.TraceID[row]
		}
	}
	return spans.TraceID[t.units[t.group.Units[0]]]
}

// isJoined reports whether a top of a unit has become part of another unit's request.
func (t *trace) isJoined(unit int32) bool { return t.topOfUnit(unit) >= 0 }

// topOfUnit returns the top of the tree that joining has put a unit in, or -1.
func (t *trace) topOfUnit(unit int32) int32 {
	for k := range t.nodes {
		if n := &t.nodes[k]; n.unit == unit && (n.joined || n.try) {
			top := int32(k)
			for t.nodes[top].parent >= 0 {
				top = t.nodes[top].parent
			}
			return top
		}
	}
	return -1
}

// rooted makes the requests of a trace with roots. Other roots and fragments belong to
// one of them.
func (t *trace) rooted(roots, rest []int32, build func(int32, Class, string) *Request) {
	primaries, others := t.choose(roots)
	var out []*Request
	for _, p := range primaries {
		out = append(out, build(p, Complete, ""))
	}
	for _, o := range others {
		t.attach(out[o.of], o.root, issueSeveralRoots.ID)
		t.count(issueSeveralRoots, t.nodes[o.root].row, "")
	}
	for _, top := range rest {
		of := out[t.nearest(primaries, top)]
		t.attach(of, top, issueMissingParent.ID)
		t.count(issueMissingParent, t.nodes[top].row, "")
		if of.Class == Complete {
			of.Class, of.ClassReason = Incomplete, "missing parent"
		}
	}
}

// fragments makes the requests of a trace without a root. A fragment that enters its
// process from elsewhere is a whole request, seen from there, if it stands alone or
// in turn with others like it; an engine that only prefilled for another one is not.
func (t *trace) fragments(tops []int32, build func(int32, Class, string) *Request) {
	whole, end := true, int64(earliest)
	for _, top := range tops {
		n := &t.nodes[top]
		single := t.set.Spans.OutputTokens[n.row] == 1 || t.set.Spans.Decode[n.row] == 0
		whole = whole && n.top == topRemote && n.start >= end && (len(tops) == 1 || !single)
		end = max(end, n.end)
	}
	for _, top := range tops {
		n := &t.nodes[top]
		switch {
		case n.top == topCycle: // counted when it was cut
			build(top, Incomplete, "parent cycle")
		case whole:
			t.count(issueRemoteParent, n.row, "")
			build(top, Complete, "")
		default:
			t.count(issueMissingParent, n.row, "")
			build(top, Incomplete, "no root")
		}
	}
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
	taken := t.newTimeline(roots)
	var spares []int32
	for _, r := range order {
		n := &t.nodes[r]
		switch {
		case n.alone || n.rule.Startup || t.opt.Jaeger:
			picked = append(picked, r)
		case taken.overlapping(r) >= 0:
			spares = append(spares, r)
		default:
			taken.take(r)
			picked = append(picked, r)
		}
	}
	slices.Sort(picked)
	slices.Sort(spares)
	for _, r := range spares {
		of, _ := slices.BinarySearch(picked, taken.overlapping(r))
		others = append(others, spare{r, of})
	}
	return picked, others
}

func rootRank(n *node) int {
	switch {
	case n.open || n.rule.Startup:
		return 2
	case n.kind == kindServer || n.kind == kindClient || n.engine:
		return 0
	}
	return 1
}

// nearest returns which request a fragment most likely belongs to: the last that
// began before it ended, else the first.
func (t *trace) nearest(primaries []int32, top int32) int {
	i, _ := slices.BinarySearchFunc(primaries, t.nodes[top].end, func(p int32, end int64) int {
		return cmp.Compare(t.nodes[p].start, end)
	})
	return max(i-1, 0)
}

// timeline holds spans that share no time, and finds the one that a further span
// would share time with. It is a Fenwick tree over all spans that may be put in it.
type timeline struct {
	*trace
	all  []int32 // by start, as nodes are
	sums []int32
}

func (t *trace) newTimeline(all []int32) *timeline {
	return &timeline{t, all, make([]int32, len(all)+1)}
}

// take puts a span in. Spans of no length share no time with any, and stay out.
func (l *timeline) take(r int32) {
	if l.nodes[r].end == l.nodes[r].start {
		return
	}
	at, _ := slices.BinarySearch(l.all, r)
	for at++; at < len(l.sums); at += at & -at {
		l.sums[at]++
	}
}

// overlapping returns the span put in that shares time with r, the last to start of
// several, or -1.
func (l *timeline) overlapping(r int32) int32 {
	n := &l.nodes[r]
	at, _ := slices.BinarySearchFunc(l.all, n.end, func(k int32, end int64) int {
		return cmp.Compare(l.nodes[k].start, end)
	})
	count := int32(0) // of those put in that start before r ends
	for ; at > 0; at -= at & -at {
		count += l.sums[at]
	}
	if count == 0 {
		return -1
	}
	at = 0 // the place of the last of them
	step := 1
	for step*2 < len(l.sums) {
		step *= 2
	}
	for ; step > 0; step /= 2 {
		if at+step < len(l.sums) && l.sums[at+step] < count {
			at += step
			count -= l.sums[at]
		}
	}
	if k := l.all[at]; l.nodes[k].end > n.start && n.end > n.start {
		return k
	}
	return -1
}

// attach counts the spans under a top as excluded from a request.
func (t *trace) attach(r *Request, top int32, reason string) {
	order, _ := t.subtree(top)
	for _, k := range order {
		r.Excluded = append(r.Excluded, Exclusion{t.nodes[k].row, reason})
	}
}

// request assembles the spans under top into one request with its paths.
func (t *trace) request(top int32, class Class, reason string) *Request {
	root := &t.nodes[top]
	order, depth := t.subtree(top)
	b := &tree{trace: t, top: top, order: order, depth: depth}
	b.read()
	b.align()
	b.extend()
	b.relate()
	r := &Request{
		TraceID: t.set.Spans.TraceID[root.row], Class: class, ClassReason: reason,
		Start: root.start, End: root.end, FirstToken: table.Missing, FirstByte: table.Missing,
	}
	b.spans(r)
	b.countUnits(r)
	switch {
	case root.rule.Startup && !b.opt.Jaeger:
		r.Class, r.ClassReason = Broken, "a server starting up, not a request"
	case root.open:
		r.Class, r.ClassReason = Unfinished, "root never ended"
	case root.repair != "" && root.ended == root.start && root.end == root.start:
		r.Class, r.ClassReason = Broken, "root "+root.repair
	case root.end == root.start && b.stepOf(root.row) == 0:
		r.Class, r.ClassReason = Broken, "root has no length"
	case root.end == root.start && b.anyLonger():
		r.Class, r.ClassReason = Broken, "shorter than the resolution of its record"
	case root.end == root.start: // shorter than a step of its clock: no segment tiles it
		if r.Class == Complete && b.anyOpen() {
			r.Class, r.ClassReason = Incomplete, issueUnfinished.ID
		}
	default:
		if r.Class == Complete && b.anyOpen() {
			r.Class, r.ClassReason = Incomplete, issueUnfinished.ID
		}
		b.paths(r)
	}
	return r
}

// spans fills Request.Spans and the index of each node in it.
func (b *tree) spans(r *Request) {
	r.Spans = make([]Span, len(b.order))
	for i, k := range b.order {
		n := &b.nodes[k]
		parent := int32(-1)
		if i > 0 {
			parent = b.index[n.parent]
		}
		r.Spans[i] = Span{
			Row: n.row, ID: n.id, Parent: parent, Depth: b.depth[i],
			Start: n.start, End: n.end, Role: n.role, Repair: n.repair,
		}
	}
}

// countUnits counts what tells of a request, and the attempts at it.
func (b *tree) countUnits(r *Request) {
	units := map[int32]bool{}
	var latest map[attempt]int64 // last start of the calls of one name
	for _, k := range b.order[1:] {
		if n := &b.nodes[k]; n.isAttempt() {
			key := attempt{n.parent, b.set.Spans.Name[n.row]}
			if latest == nil {
				latest = map[attempt]int64{}
			}
			latest[key] = max(latest[key], n.start)
		}
	}
	r.Attempts = 1
	for i, k := range b.order {
		n := &b.nodes[k]
		units[n.unit] = true
		switch {
		case n.try && !n.executes(), i > 0 && n.isAttempt() && n.role == Abandoned,
			i > 0 && n.isAttempt() && b.gaveUp(n) && latest[attempt{n.parent, b.set.Spans.Name[n.row]}] >= n.end:
			r.Attempts++
		}
	}
	if r.Units = len(units); r.Units > 1 {
		r.JoinedBy = b.group.Basis
	}
}

// anyLonger reports whether anything of the request is known to have taken time.
func (b *tree) anyLonger() bool {
	return slices.ContainsFunc(b.order, func(k int32) bool { return b.nodes[k].end > b.nodes[k].start })
}

func (b *tree) anyOpen() bool {
	return slices.ContainsFunc(b.order, func(k int32) bool { return b.nodes[k].open })
}
