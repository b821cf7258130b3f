package critical

import (
	"cmp"
	"slices"

	"github.com/tailpath/tailpath/ingest/table"
)

// attempt is what makes calls of one parent attempts at the same thing.
type attempt struct {
	parent int32
	name   table.Sym
}

// isAttempt reports whether a span is a call by its caller's own account, or one that
// joining has found to be.
func (n *node) isAttempt() bool {
	return (n.kind == kindClient || n.joined && n.role != Record) && n.end > n.start
}

// failed reports whether a span says that it did not succeed.
func (b *trace) failed(n *node) bool {
	spans := &b.set.Spans
	return spans.Status[n.row] == statusError || spans.HTTPStatus[n.row] >= 500 || spans.HTTPStatus[n.row] == 429
}

// gaveUp reports whether a span says that it stopped before its work was done.
func (b *trace) gaveUp(n *node) bool { return b.failed(n) || b.cancelled(n) }

// cancelled reports whether a span says that it was given up by who asked for it.
func (b *trace) cancelled(n *node) bool {
	e := b.signals.of(n.row)
	return e == left || e == letGo
}

// abandon takes hedged calls off the path: one that was cancelled while another attempt
// at the same call was running, which then answered, was not waited for any more. A call
// that failed by itself was waited for, like the others of a fan-out; so was one of which
// coarse times do not show that it was still running.
//
//	parent     |---------------------|
//	first        |-----------------x|     cancelled
//	second             |----------|       answered
func (b *tree) abandon() {
	var answered map[attempt][]span // the attempts that succeeded, by their ends
	for _, k := range b.order[1:] {
		n := &b.nodes[k]
		if !n.isAttempt() || n.host < 0 || !b.cancelled(n) {
			continue
		}
		if answered == nil {
			answered = b.answeredAttempts()
		}
		others := answered[attempt{n.parent, b.set.Spans.Name[n.row]}]
		i, _ := slices.BinarySearchFunc(others, n.start+1, func(s span, at int64) int { return cmp.Compare(s.end, at) })
		if i < len(others) && others[i].first < n.end-b.set.Spans.Error[n.row] {
			n.role, n.host = Abandoned, -1
		}
	}
}

// span is when an attempt ended, and when the first of it and those that ended later began.
type span struct{ end, first int64 }

func (b *tree) answeredAttempts() map[attempt][]span {
	calls := map[attempt][]span{}
	for _, k := range b.order[1:] {
		if n := &b.nodes[k]; n.isAttempt() && !b.failed(n) && !b.cancelled(n) {
			key := attempt{n.parent, b.set.Spans.Name[n.row]}
			calls[key] = append(calls[key], span{n.end, n.start})
		}
	}
	for _, list := range calls {
		slices.SortFunc(list, func(a, b span) int { return cmp.Or(cmp.Compare(a.end, b.end), cmp.Compare(a.first, b.first)) })
		for i := len(list) - 2; i >= 0; i-- {
			list[i].first = min(list[i].first, list[i+1].first)
		}
	}
	return calls
}

// backOff reports whether a section is own time between a failed attempt at a call
// and the next attempt at the same call: the caller waited to try again.
func (w *walk) backOff(i int) bool {
	if i == 0 || i == len(w.sections)-1 {
		return false
	}
	owner := w.sections[i].owner
	before, after := w.childOf(owner, w.sections[i+1].owner), w.childOf(owner, w.sections[i-1].owner)
	if before < 0 || after < 0 {
		return false
	}
	x, y := &w.nodes[before], &w.nodes[after]
	name := w.set.Spans.Name
	return x.isAttempt() && y.isAttempt() && x.parent == y.parent && name[x.row] == name[y.row] && w.failed(x)
}

// hedged reports whether own time of a span before section i lies before an attempt at a
// call that was sent while another, which lost, was still running: the caller gave the
// first one time, and then no longer.
func (w *walk) hedged(i int, by int32) bool {
	if i == 0 || by < 0 {
		return false
	}
	after := w.childOf(w.sections[i].owner, w.sections[i-1].owner)
	if after < 0 {
		return false
	}
	x, y := &w.nodes[w.order[by]], &w.nodes[after]
	name := w.set.Spans.Name
	return x.role == Abandoned && y.isAttempt() && x.isAttempt() && x.parent == y.parent && name[x.row] == name[y.row]
}
