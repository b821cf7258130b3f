package critical

import "math"

// ancestors finds, for spans that lie outside their parent, the nearest ancestor that
// holds them. It is built when the first is asked for. Blocks of ancestors, of lengths
// that are powers of two, know how far their spans reach, so that a search jumps over
// those that cannot hold the span.
type ancestors struct {
	*tree
	jump [][]stretch // jump[j][i] is the block of 2^j ancestors from place i's parent up
}

// stretch is a run of ancestors: where it goes on, and how far its spans reach at most.
type stretch struct {
	next   int32 // place of the last of the run; -1 when the run passes the root
	starts int64 // least start, less the tolerance
	ends   int64 // greatest end, and the tolerance
}

// reach returns how far a span may reach to be held by node k: nothing is held by a
// span of no length.
func (a *ancestors) reach(k int32) (from, to int64) {
	n := &a.nodes[k]
	if n.end == n.start {
		return math.MaxInt64, math.MinInt64
	}
	eps := a.tolerance(n)
	return n.start - eps, n.end + eps
}

func (a *ancestors) build() {
	base := make([]stretch, len(a.order))
	for i, k := range a.order {
		if i == 0 {
			base[i] = stretch{next: -1, starts: math.MaxInt64, ends: math.MinInt64}
			continue
		}
		from, to := a.reach(a.nodes[k].parent)
		base[i] = stretch{next: a.index[a.nodes[k].parent], starts: from, ends: to}
	}
	a.jump = [][]stretch{base}
	for {
		last := a.jump[len(a.jump)-1]
		wide := make([]stretch, len(last))
		more := false
		for i, b := range last {
			if b.next >= 0 {
				upper := last[b.next]
				b = stretch{upper.next, min(b.starts, upper.starts), max(b.ends, upper.ends)}
			}
			more = more || b.next >= 0
			wide[i] = b
		}
		if !more {
			return
		}
		a.jump = append(a.jump, wide)
	}
}

// mostJumps bounds a search. It takes a jump or two for every power of two on the way;
// more only where ancestors that begin early enough and ancestors that end late enough
// alternate, which spans of one request do not do hundreds of times.
const mostJumps = 256

// enclosing returns the nearest ancestor beyond the parent that holds a span within
// its tolerance, or -1. After mostJumps the root is tried and no other.
func (a *ancestors) enclosing(k int32) int32 {
	if a.jump == nil {
		a.build()
	}
	at := a.index[a.nodes[k].parent] // the search begins above the parent
	for range mostJumps {
		if at <= 0 {
			return -1
		}
		if far := a.barren(at, k); far >= 0 {
			at = a.jump[far][at].next
			continue
		}
		up := a.jump[0][at].next
		if a.holds(a.order[up], k) {
			return a.order[up]
		}
		at = up
	}
	if at > 0 && a.holds(a.top, k) {
		return a.top
	}
	return -1
}

// barren returns the longest run above a place none of whose spans can hold node k,
// as the power of two of its length, or -1.
func (a *ancestors) barren(at, k int32) int {
	n := &a.nodes[k]
	for j := len(a.jump) - 1; j >= 0; j-- {
		if run := a.jump[j][at]; run.next >= 0 && (run.starts > n.start || run.ends < n.end) {
			return j
		}
	}
	return -1
}

func (a *ancestors) holds(up, k int32) bool {
	from, to := a.reach(up)
	return from <= a.nodes[k].start && a.nodes[k].end <= to
}
