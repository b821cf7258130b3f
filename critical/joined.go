package critical

import (
	"cmp"
	"encoding/hex"
	"slices"

	"github.com/tailpath/tailpath/ingest/table"
)

// joiner puts the units of one group together: what a gateway's log, a trace and an
// engine's log tell of one request becomes one tree. It goes by who can have waited for
// whom, which is a matter of durations: of two that belong together the longer holds the
// shorter, whatever their clocks say. Where two clocks can be compared, they decide too.
type joiner struct {
	*trace
	byID    map[table.SpanID]int32 // spans of all units
	classes map[int32][]int32      // nodes by the request id that they carry
	tops    []int32                // spans before records, the longest first

	byTime     map[int32]*byTime // children by time, of nodes that have many
	topsByTime []*byTime         // tops likewise, if there are many: of spans, of records
}

// joinUnits finds for the tops of every unit their place among the others: spans first,
// as they are exact, the longest first.
func (t *trace) joinUnits() {
	j := &joiner{trace: t, byID: map[table.SpanID]int32{}, classes: map[int32][]int32{}, byTime: map[int32]*byTime{}}
	var tops []int32
	fronts := map[program]bool{} // programs of which a line tells of an upstream
	for k := range t.nodes {
		if n := &t.nodes[k]; n.record && t.frontsUpstream(n) {
			fronts[j.programOf(n)] = true
		}
	}
	for k := range t.nodes {
		n := &t.nodes[k]
		n.fronts = n.record && fronts[j.programOf(n)]
		n.engine = n.engine || n.record && !n.fronts && t.tellsExecution(n)
		if !n.record {
			j.byID[n.id] = int32(k)
		}
		if class := t.plan.Requests(n.row); class != 0 {
			j.classes[class] = append(j.classes[class], int32(k))
		}
		if n.top != notTop && !n.alone && !n.rule.Startup {
			tops = append(tops, int32(k))
		}
	}
	slices.SortStableFunc(tops, func(a, b int32) int {
		x, y := &t.nodes[a], &t.nodes[b]
		return cmp.Or(cmp.Compare(truth(x.record), truth(y.record)), cmp.Compare(y.length(), x.length()))
	})
	j.tops = tops
	for _, k := range tops[1:] {
		j.place(k) // what a longer one was put around may belong deeper
	}
	j.joinAttempts()
}

// place finds where a top belongs, and hangs it there or what it holds below it.
func (j *joiner) place(f int32) {
	n := &j.nodes[f]
	near, sure, all := j.relatives(f)
	best, doubtful, tied := j.choose(f, near, sure)
	doubtful = doubtful || !all
	if p, ok := j.caller(n); ok && best < 0 && !j.below(p, f) && j.nodes[p].kind == kindClient {
		best = p // it is cut to its caller's time
	}
	switch {
	case best >= 0 && (doubtful && !j.carries(f, best) || tied):
		if n.record && !j.holdsAny(f) {
			j.leaveOut(f, issueNoPlace)
		}
	case best >= 0 && n.record && !j.tellsTime(n):
		j.adopt(best, f)
		j.beside(best, f)
	case best >= 0:
		if of := j.sameWork(best, f); of >= 0 {
			j.lend(of, f)
			return
		}
		j.hang(best, f)
		j.insert(best, f, near)
	case n.top == topRoot || n.top == topRemote:
		if of := j.onlyAlike(f, near); of >= 0 && !sure {
			j.lend(of, f)
			return
		}
		j.wrap(f, near, sure)
	}
}

// choose returns which of those near a top waited for it, or -1: the one that fits best, and
// of those that fit alike the one that is no longer than it must be. It is doubtful where
// others below it fit as well, and tied where two do of which neither waited for the other.
func (j *joiner) choose(f int32, near []int32, sure bool) (best int32, doubtful, tied bool) {
	best = -1
	for _, a := range near {
		at, unsure := j.holder(a, f)
		if at < 0 || !sure && !j.meets(at, f) || j.elsewhen(at, f, near) {
			continue
		}
		doubtful = doubtful || unsure
		if best < 0 {
			best = at
			continue
		}
		order := j.fitter(at, best, f)
		rivals := order == 0 && j.rivals(at, best)
		if rivals {
			order = cmp.Compare(j.outside(at, f), j.outside(best, f))
		}
		tied = rivals && order == 0 || tied && order >= 0
		if cmp.Or(order, cmp.Compare(j.nodes[at].length(), j.nodes[best].length())) < 0 {
			best = at
		}
	}
	return best, doubtful, tied
}

// relatives returns the nodes of other units that a top is known to belong to: what its
// record names as the caller, or what carries the same request id. Where there is none,
// they are the tops of the other units, if they are not too many, and it is not sure.
func (j *joiner) relatives(f int32) (near []int32, sure, all bool) {
	n := &j.nodes[f]
	if p, ok := j.caller(n); ok {
		return []int32{p}, true, true
	}
	for _, k := range j.carriers(f) {
		if j.nodes[k].unit != n.unit {
			near = append(near, k)
		}
	}
	if len(near) > 0 {
		return near, true, true
	}
	tops, all := j.topsNear(f)
	for _, k := range tops {
		m := &j.nodes[k]
		switch {
		case m.unit == n.unit || m.parent >= 0 || m.left:
		case j.sameProgram(m, n): // what one line of a proxy holds may have called the proxy again
			kids, whole := j.kidsNear(k, f)
			near, all = append(near, kids...), all && whole
		default:
			near = append(near, k)
		}
	}
	return near, false, all
}

// caller returns the span that the traceparent in a record names.
func (j *joiner) caller(n *node) (int32, bool) {
	if !n.record || j.parentID == 0 {
		return 0, false
	}
	v, ok := j.set.Spans.Attributes.Get(int(n.row), j.parentID)
	if !ok || v.Type != table.ValueString || len(v.Text) != 2*len(table.SpanID{}) {
		return 0, false
	}
	var id table.SpanID
	if n, err := hex.Decode(id[:], v.Text); err != nil || n != len(id) {
		return 0, false
	}
	p, ok := j.byID[id]
	return p, ok
}

// carries reports whether something shows that f belongs right below at: the traceparent
// or the request id.
func (j *joiner) carries(f, at int32) bool {
	if p, ok := j.caller(&j.nodes[f]); ok {
		return p == at
	}
	return j.plan.SameRequest(j.nodes[f].row, j.nodes[at].row)
}

// farthestClimb bounds how far up and down a place is looked for.
const farthestClimb = 1_000

// holder returns the shortest span near a relative that can have waited for f, or -1, and
// whether others could as well.
func (j *joiner) holder(a, f int32) (at int32, unsure bool) {
	at = a
	for steps := 0; at >= 0 && !j.canHold(at, f); steps++ {
		if at = j.nodes[at].parent; steps > farthestClimb || at == f {
			return -1, false
		}
	}
	if at < 0 {
		return -1, false
	}
	if j.below(at, f) {
		return -1, false
	}
	for range farthestClimb {
		next, n := int32(-1), 0
		kids, all := j.kidsNear(at, f)
		for _, c := range kids {
			if c != f && c != next && j.nodes[c].parent == at && j.canHold(c, f) && j.maybeWithin(c, f) {
				next = c
				n++
			}
		}
		if n != 1 || !all {
			return at, n > 1 || !all
		}
		at = next
	}
	return at, false
}

// hang puts f below another node.
func (j *joiner) hang(at, f int32) {
	m := &j.nodes[f]
	if m.parent != at {
		j.kids[at] = append(j.kids[at], f)
	}
	m.parent, m.top, m.joined = at, notTop, true
	if m.record && m.open {
		m.open = false // its format writes no end
	}
}

// insert gives f what its holder waited for through it: the calls that carry the request
// id of f, or all below the one call that f answers, or what lies in the time of f, or
// else the one call that it can hold.
func (j *joiner) insert(at, f int32, near []int32) {
	if j.nodes[f].executes() {
		return
	}
	var inner []int32
	for _, a := range near {
		k := a
		for steps := 0; k >= 0 && j.nodes[k].parent != at && steps < farthestClimb; steps++ {
			k = j.nodes[k].parent
		}
		if k >= 0 && k != f && j.nodes[k].parent == at && j.canHold(f, k) && !slices.Contains(inner, k) {
			inner = append(inner, k)
		}
	}
	if len(inner) == 0 {
		inner = j.behind(at, f)
	}
	for _, k := range inner {
		j.nodes[k].parent, j.nodes[k].joined = f, true
		j.kids[f] = append(j.kids[f], k)
	}
}

// behind returns what a holder waited for that may have gone through f.
func (j *joiner) behind(at, f int32) []int32 {
	var can, inside []int32
	kids, all := j.kidsNear(at, f)
	if !all {
		return nil
	}
	for _, c := range kids {
		n := &j.nodes[c]
		if c == f || n.parent != at || n.kind == kindClient || n.end == n.start || !j.canHold(f, c) {
			continue
		}
		can = append(can, c)
		if j.dated(&j.nodes[f], n) && j.within(&j.nodes[f], n) {
			inside = append(inside, c)
		}
	}
	switch {
	case j.nodes[at].kind == kindClient, len(can) == 1 && j.maybeWithin(f, can[0]):
		return can
	}
	return inside
}

// wrap puts the tops that f was the caller of below it.
func (j *joiner) wrap(f int32, near []int32, sure bool) {
	for _, a := range near {
		for steps := 0; j.nodes[a].parent >= 0 && steps < farthestClimb; steps++ {
			a = j.nodes[a].parent
		}
		n := &j.nodes[a]
		if a == f || n.top == notTop || n.left || n.kind == kindClient || n.kind == kindProducer || !j.canHold(f, a) || !sure && !j.meets(f, a) {
			continue
		}
		j.hang(f, a)
	}
}
