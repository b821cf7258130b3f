package critical

import "cmp"

// section is a stretch of the path before stages are given: its owner, and why the
// path runs through it.
type section struct {
	owner      int32
	start, end int64
	why        reason
}

// reason says why a span is on the path.
type reason uint8

const (
	whyRoot    reason = iota
	whyLast           // last to finish of what its parent waited for
	whyCut            // running when its parent's time was cut
	whyBefore         // last to finish before the next began
	whyTarget         // holds the first token
	whyHandOff        // between a producer and its consumer
	whyBack           // led to a hand-off
)

var reasons = [...]string{
	whyRoot:    "root of the request",
	whyLast:    "last to finish in its parent",
	whyCut:     "running when its parent was cut off",
	whyBefore:  "last to finish before the next began",
	whyTarget:  "holds the first token",
	whyHandOff: "between the producer's end and the consumer's start",
	whyBack:    "led to the hand-off",
}

// frame is a span the walk is inside of.
type frame struct {
	node   int32
	lo     int64 // its start, not before that of its frame below
	cursor int64 // the walk has covered everything from here on
	next   int   // first entry of waits that may still be taken
	fresh  bool  // no child has been taken yet
	why    reason
}

// walk goes back in time from the end of the top of a chain of frames to the start
// of the root and returns the sections it passes, last first. It visits every span
// at most once, so it is linear beyond the sorting of children.
//
//	P        |------------------------|
//	A           |------|                      <- then the last to end at or before B's start
//	B                    |---------|          <- last to finish
//	path     |P |A     |P|B        |P |
type walk struct {
	*tree
	stack    []frame
	sections []section
	barred   map[int32]bool  // producers that no hand-off leads back to any more
	coarse   map[int32]int64 // ns; the coarsest resolution of what was joined below a span
}

// newWalk starts a walk at target instant t inside the last node of a chain that
// begins with the root; each node of the chain is host of the next.
func (b *tree) newWalk(chain []int32, t int64) *walk {
	w := &walk{tree: b, barred: map[int32]bool{}, coarse: map[int32]int64{}}
	for _, k := range b.order {
		w.visited[k] = false
	}
	for i, k := range chain {
		why := whyTarget
		if i == 0 {
			why = whyRoot
		}
		w.push(k, t, why)
	}
	return w
}

// push enters a span. Only the span on top of the stack is fresh: what lies under
// it is left through the child above, not through whatever else ran at the cursor.
func (w *walk) push(k int32, cursor int64, why reason) {
	lo := w.nodes[k].start
	if len(w.stack) > 0 {
		below := &w.stack[len(w.stack)-1]
		lo, below.fresh = max(lo, below.lo), false
	}
	w.visited[k] = true
	w.stack = append(w.stack, frame{node: k, lo: lo, cursor: cursor, fresh: true, why: why})
}

func (w *walk) emit(owner int32, start, end int64, why reason) {
	if start < end {
		w.sections = append(w.sections, section{owner, start, end, why})
	}
}

func (w *walk) run() {
	for len(w.stack) > 0 {
		f := &w.stack[len(w.stack)-1]
		if k, end, why, ok := w.pick(f); ok {
			w.emit(f.node, end, f.cursor, f.why)
			f.cursor = end
			w.push(k, end, why)
			continue
		}
		w.emit(f.node, f.lo, f.cursor, f.why)
		w.leave()
	}
}

// pick chooses what the span of a frame was waiting for at its cursor.
func (w *walk) pick(f *frame) (k int32, end int64, why reason, ok bool) {
	if f.cursor <= f.lo {
		return 0, 0, 0, false
	}
	waits := w.waits[f.node]
	if f.fresh {
		f.fresh, why = false, whyLast
		if k, ok := w.active(f, waits); ok {
			if w.nodes[k].end > f.cursor && f.cursor < w.nodes[f.node].end {
				why = whyCut
			}
			return k, f.cursor, why, true
		}
	} else {
		why = whyBefore
	}
	reach := f.cursor + w.tolerance(&w.nodes[f.node])
	for ; f.next < len(waits); f.next++ {
		n := &w.nodes[waits[f.next]]
		if n.start >= f.cursor || n.end > reach || w.opt.Jaeger && why == whyBefore && n.end >= f.cursor || w.visited[waits[f.next]] {
			continue
		}
		if n.end <= f.lo {
			break
		}
		f.next++
		return waits[f.next-1], min(n.end, f.cursor), why, true
	}
	return 0, 0, 0, false
}

// active returns, of the children that run at or to the cursor a frame is entered
// with, the first to start.
func (w *walk) active(f *frame, waits []int32) (best int32, ok bool) {
	best = -1
	for ; f.next < len(waits) && w.nodes[waits[f.next]].end >= f.cursor; f.next++ {
		k := waits[f.next]
		n := &w.nodes[k]
		if n.start >= f.cursor || w.visited[k] {
			continue
		}
		if best < 0 || cmp.Or(cmp.Compare(n.start, w.nodes[best].start), n.compareID(&w.nodes[best])) < 0 {
			best = k
		}
	}
	return best, best >= 0
}

// leave goes back from a span that is used up to the one that waited for it, or,
// after a consumer, to the producer that handed over to it.
func (w *walk) leave() {
	done := w.stack[len(w.stack)-1]
	w.stack = w.stack[:len(w.stack)-1]
	if len(w.stack) == 0 {
		return
	}
	f := &w.stack[len(w.stack)-1]
	f.cursor = min(f.cursor, done.lo)
	n := &w.nodes[done.node]
	if n.from < 0 || n.host != f.node {
		return
	}
	handed := min(n.handed, f.cursor)
	if handed <= f.lo || w.barred[n.from] {
		return
	}
	var chain []int32
	for k := n.from; k != f.node; k = w.nodes[k].host {
		if w.visited[k] || w.nodes[k].start >= handed {
			// The cursor only falls and spans are visited once, so this way stays shut.
			w.barred[n.from] = true
			return
		}
		chain = append(chain, k)
	}
	w.emit(done.node, handed, f.cursor, whyHandOff)
	f.cursor = handed
	for i := len(chain) - 1; i >= 0; i-- {
		w.push(chain[i], handed, whyBack)
	}
}
