package critical

import (
	"cmp"
	"slices"

	"github.com/tailpath/tailpath/critical/stage"
)

// stageTimes is a time in ns for every stage.
type stageTimes = [stage.Count]int64

// drag returns by how much the request would end earlier if the time of one stage on
// its critical path took none, for each stage alone. It is the stage's time where the
// path is all there is, and less where something else ran beside it, which would then
// be what is waited for.
//
// It replays the request forwards, each span from its start: a child begins as long
// after the last sibling that had ended before as it did, and its parent ends as long
// after the last child as it did; of several that had ended, the one that now ends last
// counts. Order and gaps are kept, times of the stage on the path are left out, and what
// lies off the path takes as long as it took. Between a producer and its consumer the
// hand-off alone counts, and what ran beside the producer is not looked at.
//
//	A            |qqqq|gggggggg|           path: without q it is B that is waited for,
//	B            |---------|               so the drag of q is the time from B's end to A's
func (b *tree) drag(path Path) stageTimes {
	n := len(b.order)
	d := drags{tree: b, pieces: make([]pieceOf, len(path)), own: make([][]pieceOf, n), red: make([]stageTimes, n), sum: make([]stageTimes, n),
		at: make([]stageTimes, n), begun: make([]bool, n)}
	counts := make([]int32, n)
	for _, s := range path {
		counts[d.ownerOf(s)]++
	}
	free := d.pieces
	for i, c := range counts {
		d.own[i], free = free[:0:c], free[c:]
	}
	for _, s := range path {
		i := d.ownerOf(s)
		d.own[i] = append(d.own[i], pieceOf{s.Start, s.End, s.Stage})
		d.sum[i][s.Stage] += s.Duration()
	}
	for i := len(b.order) - 1; i > 0; i-- {
		if h := b.nodes[b.order[i]].host; h >= 0 {
			addTimes(&d.sum[b.index[h]], &d.sum[i])
		}
	}
	for i := len(b.order) - 1; i >= 0; i-- {
		d.replay(int32(i))
	}
	return d.red[0]
}

// drags is the state of one replay, by place in the order of the request.
type drags struct {
	*tree
	pieces []pieceOf    // backs own
	own    [][]pieceOf  // own time on the path, in order of time
	red    []stageTimes // by how much the span gets shorter
	sum    []stageTimes // time on the path of the span and of what it waits for
	at     []stageTimes // by how much it begins earlier within what waits for it
	begun  []bool       // at is known
	starts []int32      // what the span at hand waits for, by start
}

// ownerOf returns whose time a segment is: the time of a hand-off is that of the span that
// waits for the consumer.
func (d *drags) ownerOf(s Segment) int32 {
	if h := d.nodes[d.order[s.Span]].host; s.Rule == ruleHandOff && h >= 0 {
		return d.index[h]
	}
	return s.Span
}

// pieceOf is own time of one stage.
type pieceOf struct {
	start, end int64
	stage      stage.Stage
}

// replay finds by how much one span gets shorter, from what it waits for.
func (d *drags) replay(i int32) {
	p := &d.nodes[d.order[i]]
	byEnd := d.waits[d.order[i]] // last first
	d.starts = append(d.starts[:0], byEnd...)
	slices.SortStableFunc(d.starts, func(x, y int32) int {
		return cmp.Or(cmp.Compare(d.nodes[x].start, d.nodes[y].start), cmp.Compare(d.nodes[x].end, d.nodes[y].end))
	})
	r := replayed{drags: d, p: p, own: d.own[i], byEnd: byEnd, tolerance: d.tolerance(p), end: p.start}
	for k := range r.now {
		r.now[k] = p.start
	}
	for _, c := range d.starts {
		at, ok := d.handedOver(c, r.own)
		if !ok {
			at = r.earlier(max(d.nodes[c].start, p.start))
		}
		d.at[d.index[c]], d.begun[d.index[c]] = at, true
	}
	d.red[i] = r.earlier(p.end)
}

// replayed is a span while it is replayed, up to some instant.
type replayed struct {
	*drags
	p         *node
	own       []pieceOf
	byEnd     []int32 // what has not been waited for yet, the last to end first
	tolerance int64
	end       int64      // of what has been waited for, the last end
	now       stageTimes // and that end as it would be without each stage
}

// earlier returns by how much the instant t comes earlier, if what ended by then was
// waited for. It is called with ascending instants.
func (r *replayed) earlier(t int64) (by stageTimes) {
	for n := len(r.byEnd) - 1; n >= 0; n-- {
		c := r.index[r.byEnd[n]]
		end := min(r.nodes[r.byEnd[n]].end, r.p.end)
		if end > t+r.tolerance || !r.begun[c] {
			break
		}
		r.byEnd = r.byEnd[:n]
		r.end = max(r.end, end)
		for k := range r.now {
			r.now[k] = max(r.now[k], end-min(r.at[c][k]+r.red[c][k], end-r.p.start))
		}
	}
	from := min(r.end, t)
	for k := range by {
		by[k] = max(0, from-r.now[k])
	}
	skip(&by, r.own, from, t)
	return by
}

// handedOver returns by how much a consumer begins earlier, from the child that holds its
// producer.
func (d *drags) handedOver(c int32, own []pieceOf) (earlier stageTimes, ok bool) {
	n := &d.nodes[c]
	if n.from < 0 || n.role != HandOff {
		return earlier, false
	}
	k := n.from
	for k >= 0 && d.nodes[k].host != n.host {
		k = d.nodes[k].host
	}
	if k < 0 {
		return earlier, false
	}
	i := d.index[k]
	if !d.begun[i] {
		return earlier, false
	}
	earlier = d.at[i]
	addTimes(&earlier, &d.sum[i])
	skip(&earlier, own, n.handed, n.start)
	return earlier, true
}

// skip adds own time within [from, to) to a sum.
func skip(sum *stageTimes, own []pieceOf, from, to int64) {
	first, _ := slices.BinarySearchFunc(own, from+1, func(p pieceOf, t int64) int { return cmp.Compare(p.end, t) })
	for _, piece := range own[first:] {
		if piece.start >= to {
			break
		}
		sum[piece.stage] += min(piece.end, to) - max(piece.start, from)
	}
}

func addTimes(sum, more *stageTimes) {
	for k := range sum {
		sum[k] += more[k]
	}
}
