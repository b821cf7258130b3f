package critical

import (
	"cmp"
	"slices"

	"github.com/tailpath/tailpath/ingest/table"
)

// joinAttempts makes one request of the tops that carry one request id and that nothing
// recorded holds together: a client that tried again, a hedge, or the halves of an answer
// that two engines gave. The one that the caller got its answer from leads; the others
// become its children, and its time begins with the first of them.
//
//	first      |------x|                        failed
//	second                  |-----------|       answered: it leads
//	request    |first  |wait|second     |
func (j *joiner) joinAttempts() {
	var classes []int32
	for class, list := range j.classes {
		if len(list) <= mostNear { // more are no attempts at one request
			classes = append(classes, class)
		}
	}
	slices.Sort(classes)
	roots := j.rootsOf()
	for _, class := range classes {
		var tries []int32
		seen := map[int32]bool{}
		for _, k := range j.classes[class] {
			for k = roots[k]; j.nodes[k].parent >= 0; {
				k = j.nodes[k].parent // it became an attempt by another id
			}
			if n := &j.nodes[k]; (n.top == topRoot || n.top == topRemote) && !n.left && !n.alone && !n.clamped && !seen[k] {
				tries = append(tries, k)
				seen[k] = true
			}
		}
		for len(tries) > 1 {
			tries = j.joinTries(tries)
		}
	}
}

// mostUnderWay is how long an answer may be under way to a caller that sends another attempt
// meanwhile. What begins later than that is another request.
const mostUnderWay = 1_000_000_000 // ns

// joinTries makes one request of attempts, and returns those that began after it had its
// answer: they are of further requests under the same id.
func (j *joiner) joinTries(tries []int32) (later []int32) {
	first := &j.nodes[tries[0]]
	for _, k := range tries[1:] {
		n := &j.nodes[k]
		if !j.oneClock(first, n) && !j.dated(first, n) {
			j.count(issueMixedClocks, n.row, "")
			return nil
		}
		if n.record != first.record || n.executes() != first.executes() {
			return nil // they are of different places, and did not fit together
		}
	}
	lead := j.leading(tries)
	l := &j.nodes[lead]
	if !l.executes() { // nothing begins after the last of attempts that all failed
		tries = slices.DeleteFunc(tries, func(k int32) bool {
			after := j.nodes[k].start > l.end+mostUnderWay
			if after {
				later = append(later, k)
			}
			return after
		})
		if len(tries) == 1 {
			return later
		}
	}
	j.count(issueAttempts, l.row, "")
	start := l.start
	for _, k := range tries {
		n := &j.nodes[k]
		if k == lead {
			continue
		}
		start = min(start, n.start)
		n.parent, n.top, n.try = lead, notTop, true
		j.kids[lead] = append(j.kids[lead], k)
	}
	if start < l.start {
		l.early = start
	}
	return later
}

// leading returns the attempt that the answer came from: of those that did not fail the
// first to end, as a caller goes on with the first answer; of engines the last, as they
// answer together; if all failed, the last to end.
func (j *joiner) leading(tries []int32) int32 {
	best := tries[0]
	for _, k := range tries[1:] {
		n, m := &j.nodes[k], &j.nodes[best]
		x, y := truth(j.gaveUp(n)), truth(j.gaveUp(m))
		order := cmp.Compare(n.end, m.end)
		if x == 1 || n.executes() {
			order = -order
		}
		if cmp.Or(cmp.Compare(x, y), order, cmp.Compare(n.start, m.start), n.compareID(m), cmp.Compare(n.row, m.row)) < 0 {
			best = k
		}
	}
	return best
}

// relateTry gives an attempt its role: what ended before the leading attempt began was
// waited for, and so was an engine's part of the answer that ended before the other; what
// ran beside it was not.
func (b *tree) relateTry(k int32) {
	n := &b.nodes[k]
	l := &b.nodes[n.parent]
	began := b.began(l)
	switch {
	case n.end == n.start && n.end <= began+b.tolerance(l):
		n.role = Blocking // a mark: it took no time that was measured
	case n.end <= began+b.tolerance(l):
		n.role, n.host = Blocking, n.parent
	case n.executes():
		n.role = Async // another part of the same answer
	default:
		n.role = Abandoned
	}
}

// began returns the start of a span itself, without the attempts before it.
func (b *tree) began(n *node) int64 {
	if n.early == table.Missing {
		return n.start
	}
	return n.recorded
}
