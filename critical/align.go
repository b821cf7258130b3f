package critical

import "github.com/tailpath/tailpath/ingest/table"

// align places a server span that lies outside its caller's span by its duration: the
// clocks of the two hosts disagree, and a duration needs no agreement. The shift is
// the least that is possible, and takes along everything below.
//
//	caller     |------------|
//	server                      |-----|      recorded
//	server            |-----|                used
//
// A server that goes on after its caller, or one above it, failed is left where it is: the
// caller gave up. One that is longer than its caller and shares no time with it is put at
// the caller's start, and cut to it.
func (b *tree) align() {
	if b.opt.Jaeger {
		return
	}
	b.nodes[b.top].given = b.gaveUp(&b.nodes[b.top])
	shift := make(map[int32]int64) // of nodes that do not lie where they were recorded
	for _, k := range b.order[1:] {
		n := &b.nodes[k]
		p := &b.nodes[n.parent]
		by := shift[n.parent]
		if n.role == Record {
			n.start, n.end, n.ended = p.start, p.end, p.end
			continue
		}
		n.placed, n.slack = p.placed, p.slack
		if offset, bound, known := b.ahead(p, n); known && offset != 0 {
			by -= offset
			n.placed, n.slack = true, p.slack+bound
			n.repair = "moved by its clock's offset"
		}
		by = n.move(by)
		n.given = p.given || b.gaveUp(n)
		if b.isCall(p, n) && !n.clamped {
			if move, bound := b.misplaced(p, n); move != 0 {
				by += n.move(move)
				n.placed, n.slack = true, p.slack+bound
				n.repair = "placed by its duration"
				if max(move, -move) > mostRounding || n.joined {
					b.count(issueShifted, n.row, "")
				}
			}
		}
		if by != 0 {
			shift[k] = by
			n.reading.shift(by)
		}
	}
}

// move shifts a node in time, but for its reading, and returns by how much: no further than
// times can be dates.
func (n *node) move(by int64) int64 {
	by = min(max(by, earliest-n.start), latest-n.end)
	n.start, n.end, n.ended, n.recorded = n.start+by, n.end+by, n.ended+by, n.recorded+by
	return by
}

// ahead returns by how much a span's clock is ahead of its parent's, if that is known.
func (b *tree) ahead(p, n *node) (offset, bound int64, known bool) {
	if b.clocks == nil || !b.dated(p, n) {
		return 0, 0, false
	}
	caller, server := b.clockOf(p), b.clockOf(n)
	if caller == server {
		return 0, 0, true
	}
	return b.clocks.Between(caller, server, b.set.Spans.Start[p.row])
}

// mostRounding is how far the far end of a call may stick out of the near end and be left
// there: stamps are rounded, and clocks on one host are read at slightly different times.
// It is cut to its caller's time then, and loses as much.
const mostRounding = 10_000 // ns

// misplaced returns by how much the far end of a call must be moved to lie within
// the near end, beyond the tolerance, 0 when it need not; and how far off its new place
// may be.
func (b *tree) misplaced(p, n *node) (move, bound int64) {
	from, to := b.slot(p)
	length := n.end - n.start
	bound = max(to-from-length, 0)
	eps := min(b.tolerance(p), mostRounding)
	if n.joined || b.clocks != nil {
		eps = 0
	}
	// A record in whole milliseconds may seem shorter than what happened within it.
	longer := length > to-from
	if e := b.set.Spans.LengthError; n.joined && longer && length-(to-from) <= e[p.row]+e[n.row]+mostRounding {
		return from + (to-from-length)/2 - n.start, (length - (to - from) + 1) / 2
	}
	apart := n.start >= to || n.end <= from
	switch {
	case !b.dated(p, n) || n.joined && apart && !longer:
		// Nothing says where in the gap it lies. In the middle it is off by half of it.
		return from + (to-from-length)/2 - n.start, (bound + 1) / 2
	case longer && apart:
		return from - n.start, bound
	case longer:
		return 0, 0
	case n.start < from-eps:
		return from - n.start, bound
	case n.start >= to || n.end > to+eps && !p.given:
		return to - n.end, bound
	}
	return 0, 0
}

// slot returns when a span was waiting for what it called: all of its time, or, where
// its record tells, from when its last call was sent until the answer was there.
func (b *tree) slot(p *node) (from, to int64) {
	from, to = p.start, p.end
	if p.early != table.Missing {
		from = p.recorded
	}
	if p.reading == nil {
		return from, to
	}
	found := false
	for i := len(p.reading.pieces) - 1; i >= 0; i-- {
		piece := &p.reading.pieces[i]
		if !piece.upstream {
			if found {
				break
			}
			continue
		}
		if !found {
			to = piece.end
		}
		found, from = true, piece.start
	}
	return from, to
}
