package critical

import (
	"slices"
	"strings"

	"github.com/tailpath/tailpath/ingest/table"
)

// attempt is what makes calls of one parent attempts at the same thing.
type attempt struct {
	parent int32
	name   table.Sym
}

// isAttempt reports whether a span is a call by its caller's own account.
func (n *node) isAttempt() bool { return n.kind == kindClient && n.end > n.start }

// failed reports whether a span says that it did not succeed.
func (b *tree) failed(n *node) bool {
	spans := &b.set.Spans
	return spans.Status[n.row] == statusError || spans.HTTPStatus[n.row] >= 500 || spans.HTTPStatus[n.row] == 429
}

// gaveUp reports whether a span says that it stopped before its work was done.
func (b *tree) gaveUp(n *node) bool { return b.failed(n) || b.cancelled(n) }

// cancelled reports whether a span says that it was given up: by its status, by HTTP's
// 499 or by gRPC's code 1.
func (b *tree) cancelled(n *node) bool {
	spans := &b.set.Spans
	if spans.HTTPStatus[n.row] == 499 || strings.Contains(strings.ToLower(spans.StatusMessage[n.row]), "cancel") {
		return true
	}
	v, ok := spans.Attributes.Get(int(n.row), b.grpcStatus)
	return ok && b.grpcStatus != 0 && v.Type == table.ValueInt && v.Int() == 1
}

// abandon takes hedged calls off the path: one that was cancelled although it ends
// last was not waited for, if another attempt at the same call had answered while it
// ran. A call that failed by itself was waited for, like the others of a fan-out.
//
//	parent     |---------------------|
//	first        |-----------------x|     cancelled
//	second             |----------|       answered
func (b *tree) abandon() {
	var answered map[attempt][]int64 // ends of the attempts that succeeded
	for _, k := range b.order[1:] {
		n := &b.nodes[k]
		if !n.isAttempt() || n.host < 0 || !b.cancelled(n) {
			continue
		}
		if answered == nil {
			answered = b.answeredAttempts()
		}
		ends := answered[attempt{n.parent, b.set.Spans.Name[n.row]}]
		if i, _ := slices.BinarySearch(ends, n.start+1); i < len(ends) && ends[i] <= n.end {
			n.role, n.host = Abandoned, -1
		}
	}
}

func (b *tree) answeredAttempts() map[attempt][]int64 {
	ends := map[attempt][]int64{}
	for _, k := range b.order[1:] {
		if n := &b.nodes[k]; n.isAttempt() && !b.failed(n) && !b.cancelled(n) {
			key := attempt{n.parent, b.set.Spans.Name[n.row]}
			ends[key] = append(ends[key], n.end)
		}
	}
	for _, list := range ends {
		slices.Sort(list)
	}
	return ends
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
