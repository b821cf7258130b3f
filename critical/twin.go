package critical

import (
	"slices"

	"github.com/tailpath/tailpath/ingest/table"
)

// onlyAlike returns, for a record whose date fits nothing in its trace, the one span there
// that took as long, or -1: its clock is off, and its length is what is left to go by.
func (j *joiner) onlyAlike(f int32, near []int32) int32 {
	m := &j.nodes[f]
	best := int32(-1)
	if !m.record {
		return best
	}
	for _, top := range near {
		if !j.dated(&j.nodes[top], m) || j.overlap(&j.nodes[top], m) {
			return -1
		}
		order, _ := j.subtree(top)
		for _, k := range order {
			n := &j.nodes[k]
			above := n.parent >= 0 && j.nodes[n.parent].executes() && n.executes()
			if n.record || n.left || n.kind == kindClient || n.executes() != m.executes() || above || m.fronts && n.inServer() ||
				!j.alike(n.length(), m.length(), n, m) {
				continue
			}
			if best >= 0 {
				return -1
			}
			best = k
		}
	}
	return best
}

// sameWork returns the span at, above or right below a place that tells of the same work as
// a record: a server's span and its log line. It is -1 when the record is a layer of its own.
func (j *joiner) sameWork(at, f int32) int32 {
	m := &j.nodes[f]
	if !m.record {
		return -1
	}
	if m.executes() {
		for k, steps := at, 0; k >= 0 && steps < farthestClimb; k, steps = j.nodes[k].parent, steps+1 {
			if n := &j.nodes[k]; n.inServer() && !n.record {
				at = k // the outermost: an engine's line tells of all that it did
			}
		}
		if n := &j.nodes[at]; n.inServer() && !n.record {
			return at
		}
	}
	best, gap := int32(-1), int64(0)
	consider := func(k int32, length int64) {
		n := &j.nodes[k]
		off := max(length-m.length(), m.length()-length)
		if n.record || n.kind == kindClient || n.kind == kindProducer || n.executes() != m.executes() || m.fronts && n.inServer() ||
			!j.alike(length, m.length(), n, m) || best >= 0 && off >= gap {
			return
		}
		best, gap = k, off
	}
	for k, steps := at, 0; k >= 0 && steps < farthestClimb; k, steps = j.nodes[k].parent, steps+1 {
		n := &j.nodes[k]
		if n.length() > m.length() && !j.alike(n.length(), m.length(), n, m) {
			break
		}
		consider(k, n.length())
	}
	kids, _ := j.kidsNear(at, f)
	for _, c := range kids {
		if n := &j.nodes[c]; c != f && n.parent == at && (!j.dated(n, m) || j.overlap(n, m)) {
			consider(c, j.streamed(c))
		}
	}
	return best
}

// mostStreamed bounds how far below a span its stream is looked for.
const mostStreamed = 64

// streamed returns how long a span took with what it left running: a proxy's span may end
// with the headers of the answer, while its call and its log line go on.
func (j *joiner) streamed(k int32) int64 {
	n := &j.nodes[k]
	end := n.end
	order := []int32{k}
	for i := 0; i < len(order); i++ {
		for _, c := range j.kids[order[i]] {
			if len(order) == mostStreamed {
				return end - n.start
			}
			if m := &j.nodes[c]; m.parent == order[i] && j.oneClock(n, m) {
				end = max(end, m.end)
				order = append(order, c)
			}
		}
	}
	return end - n.start
}

// lend has a record of the same work cut the own time of a span finer, unless the span
// has finer times already.
func (j *joiner) lend(of, f int32) {
	n, m := &j.nodes[of], &j.nodes[f]
	if n.rule.Sections != "" || n.lent >= 0 || n.inServer() && len(j.kids[of]) > 0 || j.parts[m.row] == j.parts[m.row+1] {
		j.count(issueToldTwice, m.row, "")
	} else {
		n.lent = f
	}
	j.adopt(of, f)
	j.beside(of, f)
}

// beside hangs a record on the span of the work that it tells of.
func (j *joiner) beside(of, f int32) {
	j.hang(of, f)
	j.nodes[f].role = Record
}

// leaveOut excludes a record from its request.
func (j *joiner) leaveOut(f int32, why table.Issue) {
	n := &j.nodes[f]
	n.left, n.parent, n.top = true, -1, notTop
	j.exclude(n.row, why)
}

// holdsAny reports whether something was hung below a node.
func (j *joiner) holdsAny(f int32) bool {
	return slices.ContainsFunc(j.kids[f], func(c int32) bool { return j.nodes[c].parent == f })
}

// adopt hangs what was hung below a record on the span that does the same work.
func (j *joiner) adopt(of, f int32) {
	for _, c := range j.kids[f] {
		if j.nodes[c].parent == f {
			j.nodes[c].parent = of
			j.kids[of] = append(j.kids[of], c)
		}
	}
}
