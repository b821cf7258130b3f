package engine

import (
	"cmp"
	"slices"

	"github.com/tailpath/tailpath/critical/chunk"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// tokens knows where instants of tokens are recorded: as events of spans that own a part
// of the path, each of a piece of an answer.
type tokens struct {
	chunks *chunk.Events
	events []int32 // events of span row i are rows events[i] to events[i+1]; nil without pieces
}

// fewestGaps is how many gaps between tokens a request must have before one of them can
// be called long.
const fewestGaps = 5

// findTokens finds the events.
func findTokens(set *table.Set) tokens {
	found := tokens{chunks: chunk.Of(set)}
	if found.chunks.Pieces() {
		found.events = stage.EventIndex(set)
	}
	return found
}

// decode is a stretch of a path in which a request decodes at one engine.
type decode struct {
	engine     int32
	request    int32
	start, end int64
	rows       []int32 // its segments of execution
	path       []int32 // all segments of the path
}

// decodes cuts one path into stretches. Preemption and host work do not end a stretch,
// prefill and other engines do.
func (t *Timelines) decodes(from, to int) []decode {
	seg := &t.set.Segments
	var out []decode
	path := make([]int32, 0, to-from)
	for k := from; k < to; k++ {
		path = append(path, t.row(k))
	}
	var now *decode
	for _, i := range path {
		s := stage.Stage(seg.Stage[i])
		switch {
		case s == stage.GPU && t.at[i] >= 0 && seg.Detail[i] == t.words.decode:
			if now == nil || now.engine != t.at[i] {
				out = append(out, decode{engine: t.at[i], request: seg.RequestRow[i], start: t.Local(t.at[i], i, seg.Start[i]), path: path})
				now = &out[len(out)-1]
			}
			now.end, now.rows = t.Local(t.at[i], i, seg.End[i]), append(now.rows, i)
		case s == stage.GPU, s == stage.Queue && t.at[i] < 0:
			now = nil
		}
	}
	return out
}

// instants returns when the tokens of a stretch came, in order: by events of the span
// nearest to the engine that has enough of them, or else as the ends of spans of single
// steps. Nil when neither is recorded.
func (t *Timelines) instants(d *decode) []int64 {
	seg := &t.set.Segments
	for _, rows := range [][]int32{d.rows, d.path} {
		if at := t.marked(d, rows); len(at) > fewestGaps {
			return at
		}
	}
	if len(d.rows) <= fewestGaps {
		return nil
	}
	at := []int64{d.start}
	for k, i := range d.rows {
		if k+1 == len(d.rows) || seg.SpanRow[i] != seg.SpanRow[d.rows[k+1]] {
			at = append(at, t.Local(d.engine, i, seg.End[i]))
		}
	}
	if len(at) <= fewestGaps {
		return nil
	}
	return at
}

// marked returns the instants that events of one of the owners of some segments mark: of
// the owner with most of them.
func (t *Timelines) marked(d *decode, segments []int32) (best []int64) {
	if t.tokens.events == nil {
		return nil
	}
	events := &t.set.SpanEvents
	seen := map[int32]bool{}
	for _, i := range segments {
		row := t.set.Segments.SpanRow[i]
		if row < 0 || int(row) >= t.set.Spans.Len() || seen[row] {
			continue
		}
		seen[row] = true
		var at []int64
		// An event is on the clock of its span: it goes by way of the path to the engine's.
		shift := t.shifts.of(i)
		for e := t.tokens.events[row]; e < t.tokens.events[row+1]; e++ {
			if v := t.Local(d.engine, i, events.Time[e]+shift); t.tokens.chunks.IsPiece(e) && v >= d.start && v <= d.end {
				at = append(at, v)
			}
		}
		if len(at) > len(best) {
			best = at
		}
	}
	slices.Sort(best)
	return slices.Compact(best)
}

// Stall is a gap between two tokens of a request that is long beside its others.
type Stall struct {
	Start, End int64
	MedianNS   int64 // of the request's gaps
	ExcessNS   int64 // its length less the median
	OverlapNS  int64 // others prefilled on the same engine meanwhile
	// AttributedNS is the lesser of excess and overlap, if the overlap is half of the gap
	// or more; else 0.
	AttributedNS int64
}

// What makes a gap a stall.
const (
	stallRatio  = 3          // times the median
	stallExcess = 20_000_000 // ns above it
)

// gap is a gap between two tokens.
type gap struct {
	start, end, median, overlap int64
	stalled                     bool
}

// gaps measures the gaps between the tokens of a stretch against what others prefilled
// meanwhile; nil when there are too few.
func (t *Timelines) gaps(d *decode) []gap {
	at := t.instants(d)
	if len(at) <= fewestGaps {
		return nil
	}
	lengths := make([]int64, len(at)-1)
	for i := range lengths {
		lengths[i] = at[i+1] - at[i]
	}
	m := median(slices.Clone(lengths))
	out := make([]gap, len(lengths))
	for i, length := range lengths {
		out[i] = gap{start: at[i], end: at[i+1], median: m, stalled: length >= stallRatio*m && length-m >= stallExcess}
		until := at[i]
		t.engines[d.engine].prefillsIn.each(at[i], at[i+1], func(v interval) {
			if start, end := max(v.start, until), min(v.end, at[i+1]); v.request != d.request && start < end {
				out[i].overlap, until = out[i].overlap+end-start, end
			}
		})
	}
	return out
}

// overlapped reports whether others prefilled for half of the gap or more.
func (g *gap) overlapped() bool { return g.overlap > 0 && 2*g.overlap >= g.end-g.start }

// attributed returns the part of the gap that is put down to the prefills of others.
func (g *gap) attributed() int64 {
	if !g.stalled || !g.overlapped() {
		return 0
	}
	return min(g.end-g.start-g.median, g.overlap)
}

// stretch returns the stretch of decoding that a segment is part of.
func (t *Timelines) stretch(segment int32) *decode {
	from, to := t.path(segment)
	for _, d := range t.decodes(from, to) {
		if slices.Contains(d.rows, segment) {
			return &d
		}
	}
	return nil
}

// path returns the places in order of the path that holds a segment.
func (t *Timelines) path(segment int32) (from, to int) {
	seg := &t.set.Segments
	at := int(segment)
	if t.order != nil {
		at, _ = slices.BinarySearchFunc(t.order, segment, func(i, s int32) int {
			return cmp.Or(cmp.Compare(seg.RequestRow[i], seg.RequestRow[s]), cmp.Compare(seg.Target[i], seg.Target[s]), cmp.Compare(seg.Start[i], seg.Start[s]))
		})
	}
	same := func(k int) bool {
		i := t.row(k)
		return seg.RequestRow[i] == seg.RequestRow[segment] && seg.Target[i] == seg.Target[segment]
	}
	for from = at; from > 0 && same(from-1); from-- {
	}
	for to = at; to < seg.Len() && same(to); to++ {
	}
	return from, to
}

// Stalls returns the stalls between the tokens of a request that reach into a segment of
// its decoding. Without instants of tokens there are none.
func (t *Timelines) Stalls(segment int32) []Stall {
	seg := &t.set.Segments
	if stage.Stage(seg.Stage[segment]) != stage.GPU || t.at[segment] < 0 || !t.engines[t.at[segment]].timed() {
		return nil
	}
	d := t.stretch(segment)
	if d == nil {
		return nil
	}
	var out []Stall
	from, to := t.Local(d.engine, segment, seg.Start[segment]), t.Local(d.engine, segment, seg.End[segment])
	for _, g := range t.gaps(d) {
		if g.stalled && g.start < to && g.end > from {
			out = append(out, Stall{g.start, g.end, g.median, g.end - g.start - g.median, g.overlap, g.attributed()})
		}
	}
	return out
}

// blameStalls divides what is attributed of the stalls of a segment among the requests
// that prefilled meanwhile.
func (t *Timelines) blameStalls(segment int32) []Holder {
	seg := &t.set.Segments
	var held []interval
	var share []float64
	for _, s := range t.Stalls(segment) {
		if s.AttributedNS == 0 {
			continue
		}
		e := t.at[segment]
		from, to := max(s.Start, t.Local(e, segment, seg.Start[segment])), min(s.End, t.Local(e, segment, seg.End[segment]))
		scale := float64(s.AttributedNS) / float64(s.OverlapNS)
		list, parts := t.divide(&t.engines[t.at[segment]].prefillsIn, from, to, seg.RequestRow[segment], nil)
		for i := range parts {
			held, share = append(held, list[i]), append(share, parts[i]*scale)
		}
	}
	return t.rank(held, share, heldPrefill, seg.End[segment]-seg.Start[segment])
}
