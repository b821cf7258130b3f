package engine

import (
	"cmp"
	"slices"

	"github.com/tailpath/tailpath/ingest/table"
)

// Requests are put together from spans of several hosts, and those of a host whose clock
// disagrees are moved, each request by what fits it. At an engine the requests are set
// beside each other on the engine's own clock instead, where they are exact: what its
// spans were moved by is taken back.

// leastShift is how much later than its start a path may enter a span, in ns, because the
// two overlap by a little: less is no shift, unless the end is moved by the same.
const leastShift = 5_000_000

// shifts knows by how much the spans of a place were moved on a path.
type shifts struct {
	set  *table.Set
	by   map[shiftKey]int64
	ids  []int32 // place of the owner, by row of scopes
	seen []int32 // path that met a span last, by row of spans
	slot []int32 // place of the span in the list then
	path int32
	list []shifted
}

type shiftKey struct {
	request, place int32
	target         uint8
}

// shifted is how much later than recorded a path enters one span, and leaves it.
type shifted struct {
	place     int32
	in, out   int64
	wholesale bool // both are the same
}

// moved reports whether a span was moved that a path enters and leaves differently. A path
// never enters a span before its start, nor leaves it after its end: if it seems to, the
// span was moved, and where both ends tell nearly the same, by what the start tells.
func (v *shifted) moved() bool {
	return v.in > leastShift || v.in < -leastShift || (v.in < 0 || v.out > 0) && v.in-v.out <= leastShift
}

func newShifts(set *table.Set) *shifts {
	return &shifts{set: set, by: map[shiftKey]int64{}, seen: make([]int32, set.Spans.Len()), slot: make([]int32, set.Spans.Len())}
}

// find notes the shifts of one path. Of a place, it is what most of its spans show that the
// path enters and leaves alike; if it has none, what most show that it enters: it may enter
// one late that has children, but not most of them.
func (s *shifts) find(t *Timelines, d *directory, from, to int) {
	seg, spans := &s.set.Segments, &s.set.Spans
	s.ids = d.ofScope
	s.path++
	s.list = s.list[:0]
	for k := from; k < to; k++ {
		i := t.row(k)
		row := seg.SpanRow[i]
		scope, ok := scopeOf(s.set, row)
		if !ok || spans.Clock[row] == table.ClockNone {
			continue
		}
		if s.seen[row] != s.path {
			s.seen[row], s.slot[row] = s.path, int32(len(s.list))
			s.list = append(s.list, shifted{place: d.ofScope[scope], in: seg.Start[i] - spans.Start[row]})
		}
		s.list[s.slot[row]].out = seg.End[i] - spans.End[row]
	}
	moved := false
	for i := range s.list {
		v := &s.list[i]
		v.wholesale = v.in == v.out
		moved = moved || v.wholesale && v.in != 0 || !v.wholesale && v.moved()
	}
	if !moved {
		return
	}
	slices.SortFunc(s.list, func(a, b shifted) int { return cmp.Or(cmp.Compare(a.place, b.place), cmp.Compare(a.in, b.in)) })
	for i := 0; i < len(s.list); {
		n := 1
		for i+n < len(s.list) && s.list[i+n].place == s.list[i].place {
			n++
		}
		if ns := common(s.list[i : i+n]); ns != 0 {
			s.by[shiftKey{seg.RequestRow[t.row(from)], s.list[i].place, seg.Target[t.row(from)]}] = ns
		}
		i += n
	}
}

// common returns the shift of one place, whose spans are in order of in.
func common(list []shifted) int64 {
	best, most := int64(0), 0
	for _, wholesale := range []bool{true, false} {
		n, last := 0, int64(0)
		for _, v := range list {
			if v.wholesale != wholesale || !wholesale && !v.moved() {
				continue
			}
			if n == 0 || v.in != last {
				n, last = 0, v.in
			}
			n++
			if n > most || n == most && max(v.in, -v.in) < max(best, -best) {
				best, most = v.in, n
			}
		}
		if most > 0 {
			break
		}
	}
	return best
}

// of returns by how much the owner of a segment was moved, in ns.
func (s *shifts) of(segment int32) int64 {
	if len(s.by) == 0 {
		return 0
	}
	scope, ok := scopeOf(s.set, s.set.Segments.SpanRow[segment])
	if !ok {
		return 0
	}
	return s.at(segment, s.ids[scope])
}

// at returns by how much the spans of a place were moved on the path of a segment.
func (s *shifts) at(segment, place int32) int64 {
	seg := &s.set.Segments
	return s.by[shiftKey{seg.RequestRow[segment], place, seg.Target[segment]}]
}

// Local returns what an engine's own clock shows at an instant of the path that a segment
// is part of. All times of engines, and of Snapshots, Stalls and Batches, are on it.
func (t *Timelines) Local(engine, segment int32, at int64) int64 {
	return at - t.shifts.at(segment, t.keys[engine].place)
}
