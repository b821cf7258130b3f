package chart

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// The parts of a Waterfall.
const (
	fallLeft  = 214.0
	fallRight = 74.0
	fallRow   = 20.0
	fallBar   = 12.0
	fallMost  = 200 // rows; of more, those of the critical path and the longest stay
	fallTicks = 60
)

// SVG draws a row a span, under the one that started it, from the start of the request: the
// pieces on the critical path filled with the colour of their stage, the rest of the span in
// outline, and what was worked out of an attribute or a log striped. The first row has the whole
// of the critical path in one line; where nothing tells what happened it is hatched.
func (w Waterfall) SVG(id, title string) string {
	c := newCanvas(id)
	var notes []string
	spans, cut := w.rows()
	var x bounds
	x.add(0, w.To)
	var pieces []Piece
	var derived, off bool
	for _, s := range w.Spans {
		if s.drawn() {
			x.add(s.From, s.To)
			derived = derived || s.Derived
		}
		for _, p := range s.OnPath {
			if p.drawn() {
				x.add(p.From, p.To)
				pieces = append(pieces, p)
			}
		}
	}
	if len(spans) == 0 {
		return c.nothing(title, "There is nothing to draw: the request has no span.")
	}
	if cut > 0 {
		notes = append(notes, plural(cut, "more span is", "more spans are")+" not drawn: the rows that stay are of the critical path first, then of the longest.")
	}
	slices.SortStableFunc(pieces, func(a, b Piece) int { return cmp.Compare(a.From, b.From) })
	pieces = tiled(pieces, w.To)
	var names []string
	for _, p := range pieces {
		names = append(names, p.Stage)
	}
	keys := c.stageKeys(names)
	for _, s := range spans {
		off = off || s.offPath()
	}
	if off {
		keys = append(keys, key{"not on the critical path", func(x, y float64) { c.rect("outline", x+0.5, y+0.5, x+11.5, y+11.5, "") }})
	}
	if derived {
		keys = append(keys, key{"worked out, not recorded", func(x, y float64) { c.derivedRect("", x, y, x+12, y+12, "") }})
	}
	y := c.legend(0, keys) + 8
	xs := x.linear(Nanos, fallLeft, width-fallRight)
	if hi := max(x.hi, 1); x.lo >= 0 { // the end of the request is the end of the picture
		xs.hi = hi
		xs.ticks = slices.DeleteFunc(xs.ticks, func(t tick) bool { return t.at > hi })
	}
	ticks := w.Ticks
	if n := len(ticks) - fallTicks; n > 0 {
		ticks = ticks[:fallTicks]
		notes = append(notes, plural(n, "more instant is", "more instants are")+" not drawn.")
	}
	var labels []label
	for _, m := range ticks {
		if at := xs.at(m.Value); drawable(at) {
			labels = append(labels, label{at: at, text: m.Label})
		}
	}
	rows, left := arrange(labels, "small", fallLeft, width)
	notes = unlabelled(notes, left)
	top := y + float64(rows)*15 + 6
	bottom := top + fallRow*float64(len(spans)+1) + 8
	end := c.xAxis(xs, top, bottom)
	c.fallTicks(ticks, labels, top, bottom, rows, xs)
	c.text("small bold", atStart, 0, top+15, "critical path")
	shown := seen(pieces, xs)
	if n := len(pieces) - len(shown); n > 0 {
		notes = append(notes, plural(n, "piece of the critical path is", "pieces of the critical path are")+" too short to be drawn in its row.")
	}
	for _, p := range shown {
		c.gapped(p.Stage, xs.at(p.From), xs.at(p.To), top+5, top+5+fallBar, p.told())
	}
	c.text("small", atStart, xs.at(x.hi)+6, top+15, value(w.end(x), Nanos))
	for i, s := range spans {
		c.span(s, xs, top+8+fallRow*float64(i+1))
	}
	return c.finish(c.notes(end, notes)+4, title, w.words(pieces, x))
}

// seen returns the pieces that can be drawn. Of very many, those are left out that are shorter
// than half a pixel and begin in the half in which the one before them did.
func seen(pieces []Piece, xs axis) (out []Piece) {
	const many = 400
	last := math.Inf(-1)
	for _, p := range pieces {
		if !p.drawn() {
			continue
		}
		from, to := xs.at(p.From), xs.at(p.To)
		if half := math.Floor(2 * from); len(pieces) > many && to-from < 0.5 && half == last {
			continue
		} else {
			last = half
		}
		out = append(out, p)
	}
	return out
}

// end returns how long the request took.
func (w Waterfall) end(x bounds) float64 {
	if finite(w.To) && w.To > 0 {
		return w.To
	}
	return x.hi
}

// told tells a piece.
func (p Piece) told() string {
	return p.Stage + ": " + value(p.To-p.From, Nanos) + " on the critical path, from " + value(p.From, Nanos) + " to " + value(p.To, Nanos)
}

func (p Piece) drawn() bool { return finite(p.From) && finite(p.To) && p.To > p.From }
func (s Span) drawn() bool  { return finite(s.From) && finite(s.To) && s.To >= s.From }

// onPath returns how much of a span is on the critical path.
func (s Span) onPath() (ns float64) {
	for _, p := range s.OnPath {
		if p.drawn() {
			ns += p.To - p.From
		}
	}
	return ns
}

// offPath says whether part of a span is not on the critical path.
func (s Span) offPath() bool { return s.drawn() && s.To-s.From > s.onPath()*(1+1e-9) }

// rows returns the spans that are drawn, in their order, and how many are not.
func (w Waterfall) rows() (spans []Span, cut int) {
	var order []int
	for i, s := range w.Spans {
		if s.drawn() || s.onPath() > 0 {
			order = append(order, i)
		}
	}
	if len(order) > fallMost {
		cut = len(order) - fallMost
		path := make([]float64, len(w.Spans))
		for _, i := range order {
			path[i] = w.Spans[i].onPath()
		}
		slices.SortStableFunc(order, func(a, b int) int {
			return cmp.Or(cmp.Compare(path[b], path[a]), cmp.Compare(w.Spans[b].To-w.Spans[b].From, w.Spans[a].To-w.Spans[a].From))
		})
		order = order[:fallMost]
		slices.Sort(order)
	}
	for _, i := range order {
		spans = append(spans, w.Spans[i])
	}
	return spans, cut
}

// tiled returns pieces in order, with a piece of unattributed time wherever there is none up to
// the end, so that a gap is seen.
func tiled(pieces []Piece, end float64) []Piece {
	var out []Piece
	at := 0.0
	gap := func(to float64) {
		if to > at {
			out = append(out, Piece{at, to, unattributed})
		}
	}
	for _, p := range pieces {
		gap(p.From)
		if n := len(out); n > 0 && out[n-1].Stage == p.Stage && out[n-1].To == p.From {
			out[n-1].To = p.To
		} else {
			out = append(out, p)
		}
		at = max(at, p.To)
	}
	if finite(end) {
		gap(end)
	}
	return out
}

// span draws the row of a span.
func (c *canvas) span(s Span, xs axis, y float64) {
	const indent, deepest = 9.0, 8
	left := indent * float64(min(max(s.Depth, 0), deepest))
	class := "small"
	if s.onPath() == 0 {
		class = "small soft"
	}
	c.textIn(class, atStart, left, y+10, fallLeft-left-10, s.Label)
	if s.drawn() {
		from, to := xs.at(s.From), xs.at(s.To)
		told := s.Label + ": " + value(s.To-s.From, Nanos) + ", from " + value(s.From, Nanos) + " to " + value(s.To, Nanos)
		if s.Derived {
			told += ", worked out of an attribute or a log"
		}
		c.rect("outline", from, y+0.5, max(to, from+1), y+fallBar-0.5, told)
		c.text("small soft", atStart, max(to, from+1)+5, y+10, value(s.To-s.From, Nanos))
	}
	for _, p := range seen(s.OnPath, xs) {
		from, to := xs.at(p.From), xs.at(p.To)
		told := s.Label + ", " + p.told()
		if s.Derived {
			c.derivedRect(p.Stage, from, y, max(to, from+0.5), y+fallBar, told)
		} else {
			c.stageRect(p.Stage, from, y, max(to, from+0.5), y+fallBar, told)
		}
	}
}

// fallTicks draws instants through all rows.
func (c *canvas) fallTicks(marks []Mark, labels []label, top, bottom float64, rows int, xs axis) {
	for _, m := range marks {
		class := "l-ink dots"
		if m.Limit {
			class = "l-warn thick"
		}
		x := xs.at(m.Value)
		c.line(class, x, top, x, bottom, m.Label+": "+value(m.Value, Nanos))
	}
	c.leaders(labels, "small", top, rows)
}

// words tells the critical path.
func (w Waterfall) words(pieces []Piece, x bounds) string {
	sums := map[string]float64{}
	var names []string
	for _, p := range pieces {
		if _, seen := sums[p.Stage]; !seen {
			names = append(names, p.Stage)
		}
		sums[p.Stage] += p.To - p.From
	}
	var told []string
	for _, n := range inPathOrder(names) {
		told = append(told, n+" "+value(sums[n], Nanos))
	}
	if len(told) > 12 {
		told = append(told[:12], "and "+plural(len(told)-12, "more", "more"))
	}
	return plural(len(w.Spans), "span", "spans") + " of a request that took " + value(w.end(x), Nanos) + "; on its critical path: " + strings.Join(told, ", ") + "."
}
