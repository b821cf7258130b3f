package critical

import (
	"cmp"
	"slices"

	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (n *node) length() int64 { return n.end - n.start }

// fitter compares two that can hold f, below 0 if f belongs rather to x: to one that is long
// enough, that shares time with it by their dates, that took as long, that ended as it did.
// Attempts at one request differ in these.
func (j *joiner) fitter(x, y, f int32) int {
	n, m, of := &j.nodes[x], &j.nodes[y], &j.nodes[f]
	short := func(n *node) int { return truth(n.length()+j.slackOf(n, of) < of.length()) }
	apart := func(n *node) int { return truth(j.dated(n, of) && !j.overlap(n, of)) }
	unlike := func(n *node) int { return truth(!j.alike(n.length(), of.length(), n, of)) }
	other := func(n *node) int { return truth(j.gaveUp(n) != j.gaveUp(of)) }
	return cmp.Or(cmp.Compare(short(n), short(m)), cmp.Compare(apart(n), apart(m)), cmp.Compare(unlike(n), unlike(m)),
		cmp.Compare(other(n), other(m)))
}

// below reports whether a node lies in the tree of f.
func (j *joiner) below(k, f int32) bool {
	if !j.holdsAny(f) {
		return k == f
	}
	for k >= 0 && k != f {
		k = j.nodes[k].parent
	}
	return k == f
}

// meets reports whether two that nothing but their trace joins can be of one request:
// dates that share no time speak against it, unless there are no others.
func (j *joiner) meets(at, f int32) bool {
	n, m := &j.nodes[at], &j.nodes[f]
	return len(j.group.Units) == 2 || !j.dated(n, m) || j.overlap(n, m)
}

// rivals reports whether neither of two can have waited for the other: what fits into both
// was in one of them, and not in both.
func (j *joiner) rivals(x, y int32) bool {
	return !j.below(x, y) && !j.below(y, x) && !j.canHold(x, y) && !j.canHold(y, x)
}

// outside is 1 if f does not lie within another by their dates.
func (j *joiner) outside(at, f int32) int {
	n, m := &j.nodes[at], &j.nodes[f]
	return truth(j.dated(n, m) && !j.within(n, m))
}

// elsewhen reports whether f is of an attempt that failed at another time than the one
// that at is of, which did not: their dates share no time, and each has others of the
// request, from elsewhere, beside it. Without these a clock may be off.
func (j *joiner) elsewhen(at, f int32, near []int32) bool {
	n, m := &j.nodes[at], &j.nodes[f]
	if !j.gaveUp(m) || j.gaveUp(n) || !j.dated(n, m) || j.overlap(n, m) {
		return false
	}
	beside := func(n, other *node) bool {
		return slices.ContainsFunc(near, func(a int32) bool {
			x := &j.nodes[a]
			return x.unit != n.unit && x.unit != other.unit && j.dated(x, x) && j.overlap(x, n) && !j.overlap(x, other)
		})
	}
	return beside(n, m) && beside(m, n)
}

// canHold reports whether a span can have waited for f, going by what they are and how
// long they took.
func (j *joiner) canHold(at, f int32) bool {
	n, m := &j.nodes[at], &j.nodes[f]
	if n.unit == m.unit || n.left || n.holder || n.kind == kindProducer || n.clamped && !n.open ||
		n.executes() && (m.executes() && n.record == m.record || !m.executes() && !m.record) || m.fronts && (n.inServer() || n.record && !n.fronts) || j.sameProgram(n, m) {
		return false
	}
	if j.oneClock(n, m) && !j.within(n, m) {
		return false
	}
	if n.length()+j.slackOf(n, m) >= m.length() {
		return n.end > n.start
	}
	// What gave up, or ended with the headers of a stream, is shorter than what it called.
	early := (n.kind == kindClient || n.fronts) && j.gaveUp(n) && m.kind != kindClient || n.fronts && m.executes()
	return early && (!j.dated(n, m) || j.overlap(n, m))
}

// executes reports whether a node is an engine's own work, which calls nothing further
// that holds a request: in contrast to a caller or a router that knows of the answer.
func (n *node) executes() bool {
	if n.record {
		return n.engine
	}
	return (n.engine || n.rule.Sections != "") && n.inServer()
}

// inServer reports whether a node is work of a model server, which has no proxy in it.
func (n *node) inServer() bool {
	if n.record {
		return n.engine
	}
	at := n.rule.Stage
	return n.kind != kindClient && (at == stage.Scheduling || at == stage.GPU || at == stage.Queue)
}

// tellsTime reports whether a record says how long it took, to a tenth of it.
func (j *joiner) tellsTime(n *node) bool {
	return n.end > n.start && !n.open && n.length()/leastResolution >= j.set.Spans.LengthError[n.row]
}

// leastResolution is how many times as long as its error a record must be to have a place
// of its own in a request.
const leastResolution = 10

// slackOf is by how much f may seem longer than what waited for it.
func (j *joiner) slackOf(n, m *node) int64 {
	e := j.set.Spans.LengthError
	return e[n.row] + e[m.row] + mostTwinGap/2
}

// program is what wrote a record. The two proxies beside a mesh's services write alike, and
// say on which side they stand.
type program struct {
	source, service table.Sym
	side            string
}

func (j *joiner) programOf(n *node) program {
	spans := &j.set.Spans
	return program{spans.Source[n.row], j.set.Scopes.Service[spans.ScopeRow[n.row]], j.side(n)}
}

// sameProgram reports whether two records are lines of one program, which are then of
// two requests or of two attempts at one.
func (j *joiner) sameProgram(n, m *node) bool {
	return n.record && m.record && j.programOf(n) == j.programOf(m)
}

// side is where a proxy of a mesh stands, empty for any other program.
func (j *joiner) side(n *node) string {
	if j.direction == 0 {
		return ""
	}
	v, _ := j.set.Spans.Attributes.Get(int(n.row), j.direction)
	return string(v.Text)
}

// oneClock reports whether the times of two spans are known to be of one clock.
func (t *trace) oneClock(n, m *node) bool {
	spans, scopes := &t.set.Spans, &t.set.Scopes
	if spans.Clock[n.row] != spans.Clock[m.row] || spans.Clock[n.row] == table.ClockNone {
		return false
	}
	if n.record || m.record {
		return n.record && m.record && spans.Source[n.row] == spans.Source[m.row]
	}
	x, y := spans.ScopeRow[n.row], spans.ScopeRow[m.row]
	return spans.Clock[n.row] == table.ClockWall && scopes.Host[x] != 0 && scopes.Host[x] == scopes.Host[y]
}

// dated reports whether both times are dates, if perhaps of clocks that disagree.
func (t *trace) dated(n, m *node) bool {
	c := t.set.Spans.Clock
	return c[n.row] == table.ClockWall && c[m.row] == table.ClockWall
}

func (j *joiner) overlap(n, m *node) bool {
	e := j.set.Spans.Error[n.row] + j.set.Spans.Error[m.row]
	return m.start < n.end+e && n.start < m.end+e
}

// within reports whether m lies in n, as far as their records are exact.
func (j *joiner) within(n, m *node) bool {
	e := j.set.Spans.Error[n.row] + j.set.Spans.Error[m.row] + j.opt.tolerance(n.length())
	if n.fronts && m.executes() {
		return m.start >= n.start-e && m.start < n.end+e
	}
	return m.start >= n.start-e && m.end <= n.end+e
}

// maybeWithin is a weaker test, for calls on other hosts: dates that share no time speak
// against a place where another is left.
func (j *joiner) maybeWithin(at, f int32) bool {
	n, m := &j.nodes[at], &j.nodes[f]
	return j.carries(f, at) || !j.dated(n, m) || j.overlap(n, m) || len(j.kids[n.parent]) == 1
}

// mostTwinGap is how much the durations may differ, beyond what their records leave
// open, by which two tell of the same piece of work.
const mostTwinGap = 2_000_000 // ns

// alike reports whether two lengths are the same as far as the records of n and m say.
func (j *joiner) alike(x, y int64, n, m *node) bool {
	e := j.set.Spans.LengthError
	return max(x-y, y-x) <= mostTwinGap+e[n.row]+e[m.row]
}
