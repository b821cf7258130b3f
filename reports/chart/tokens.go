package chart

import (
	"math"
	"slices"
)

// The parts of a Tokens.
const (
	tokensLeft  = 62.0
	tokensRight = 136.0
	tokensHigh  = 130.0
	tokensApart = 80.0 // of the two panels
	gapsMost    = 600  // of more, the longest of each pixel is drawn
)

// SVG draws the response from its start: the time to the first token as a bar, then a tick for
// each chunk; below it, on an axis of its own, a bar for the gap before each chunk, with lines
// for the gaps to compare them with. What else held the engine is bracketed.
func (t Tokens) SVG(id, title string) string {
	c := newCanvas(id)
	at, n := t.chunks()
	first := t.First
	if !finite(first) || first < 0 {
		first = nan()
	}
	if len(at) == 0 && !finite(first) {
		return c.nothing(title, "There is nothing to draw: no token was recorded.")
	}
	var x bounds
	x.add(0, first, t.End)
	x.add(at...)
	x.lo = 0
	xs := x.exact(Nanos, tokensLeft, width-tokensRight)
	var notes []string
	y, notes := c.brackets(t.Held, 0, xs, Nanos, notes)
	c.text("small bold", atStart, 0, y+15, "chunks")
	top := y + 24
	for _, h := range t.Held {
		if finite(h.From) && finite(h.To) && h.To > h.From && h.To >= 0 && h.From <= xs.hi {
			c.rect("band", xs.at(h.From), top-4, xs.at(h.To), top+tokensApart+tokensHigh-10, h.Label+": "+value(h.From, Nanos)+" to "+value(h.To, Nanos))
		}
	}
	c.line("l-soft", tokensLeft, top+22.5, width-tokensRight, top+22.5, "")
	if finite(first) {
		c.rect("accent", xs.at(0), top+6, max(xs.at(first), xs.at(0)+1), top+22, "TTFT: "+value(first, Nanos))
		label := "TTFT " + value(first, Nanos)
		c.text("small", atStart, xs.at(0), top+36, label)
	}
	var tokens int64
	for i, v := range at {
		told := "chunk " + count(int64(i+1)) + " at " + value(v, Nanos)
		if n != nil {
			told += ", " + plural(int(n[i]), "token", "tokens")
			tokens = total(tokens, n[i])
		}
		if len(at) > gapsMost && i > 0 && i < len(at)-1 && math.Floor(xs.at(v)) == math.Floor(xs.at(at[i-1])) {
			continue
		}
		c.line("l-ink", xs.at(v), top, xs.at(v), top+22, told)
	}
	if finite(t.End) && t.End >= 0 {
		c.line("l-ink thick", xs.at(t.End), top-4, xs.at(t.End), top+26, "end: "+value(t.End, Nanos))
		c.text("small", atStart, xs.at(t.End)+6, top+15, "end "+value(t.End, Nanos))
	}
	top += tokensApart
	bottom := top + tokensHigh - 10
	c.text("small bold", atStart, 0, top-16, "gap before each chunk")
	bars, longest := gaps(at, n, first)
	c.gapBars(bars, t.Marks, xs, top, bottom)
	end := c.xAxis(xs, bottom, bottom)
	desc := plural(len(at), "chunk", "chunks") + " of a response"
	if n != nil {
		desc += " with " + plural(int(tokens), "token", "tokens")
	}
	if finite(first) {
		desc += ", the first token after " + value(first, Nanos)
	}
	if len(bars) > 0 {
		desc += "; the longest gap is " + value(longest, Nanos)
	}
	if len(bars) > gapsMost {
		notes = append(notes, "There are "+count(int64(len(bars)))+" gaps: the longest of each pixel is drawn.")
	}
	if k := len(t.Marks) - len(lineStyles); k > 0 {
		notes = append(notes, plural(k, "more gap to compare with is", "more gaps to compare with are")+" not drawn.")
	}
	if slices.ContainsFunc(n, func(k int64) bool { return k > 1 }) {
		notes = append(notes, "Some chunks bring several tokens, so a gap here is between chunks, not between tokens.")
	}
	return c.finish(c.notes(end, notes)+4, title, desc+".")
}

// chunks returns the chunks that can be drawn, in order, and their tokens if those are told.
func (t Tokens) chunks() (at []float64, n []int64) {
	told := t.N != nil && len(t.N) == len(t.At)
	for i, v := range t.At {
		if !finite(v) || v < 0 {
			continue
		}
		at = append(at, v)
		if told {
			n = append(n, max(t.N[i], 0))
		}
	}
	if !slices.IsSorted(at) {
		slices.Sort(at)
		n = nil // which chunk brought which is lost
	}
	return at, n
}

// gapBar is the gap before a chunk.
type gapBar struct {
	at, gap float64
	chunk   int // from 1
	tokens  int64
}

// gaps returns the gaps between chunks, and the longest. The one before the first chunk is the
// time to the first token, which is no gap, unless the first token came before it.
func gaps(at []float64, n []int64, first float64) (bars []gapBar, longest float64) {
	for i, v := range at {
		before := first
		if i > 0 {
			before = at[i-1]
		}
		if gap := v - before; i > 0 || finite(gap) && gap > 0 {
			b := gapBar{at: v, gap: gap, chunk: i + 1}
			if n != nil {
				b.tokens = n[i]
			}
			bars = append(bars, b)
			longest = max(longest, gap)
		}
	}
	return bars, longest
}

// gapBars draws the gaps with the lines to compare them with.
func (c *canvas) gapBars(bars []gapBar, marks []Mark, xs axis, top, bottom float64) {
	var y bounds
	y.add(0)
	for _, b := range bars {
		y.add(b.gap)
	}
	for _, m := range marks {
		if m.Value >= 0 {
			y.add(m.Value)
		}
	}
	ys := y.linear(Nanos, bottom, top)
	c.yAxis(ys, tokensLeft, width-tokensRight)
	if len(bars) == 0 {
		c.text("small soft", atMiddle, (xs.from+xs.to)/2, (top+bottom)/2, "no gap: fewer than two chunks")
	}
	half := 1.5
	if n := len(bars); n > 1 {
		half = min(max((xs.to-xs.from)/float64(n)/4, 0.5), 3)
	}
	for i := 0; i < len(bars); {
		b, end := bars[i], i+1
		if len(bars) > gapsMost {
			for ; end < len(bars) && math.Floor(xs.at(bars[end].at)) == math.Floor(xs.at(bars[i].at)); end++ {
				if bars[end].gap > b.gap {
					b = bars[end]
				}
			}
		}
		i = end
		told := "gap of " + value(b.gap, Nanos) + " before chunk " + count(int64(b.chunk))
		if b.tokens > 0 {
			told += ", which brought " + plural(int(b.tokens), "token", "tokens")
		}
		x := xs.at(b.at)
		c.rect("soft", x-half, ys.at(b.gap), x+half, bottom, told)
	}
	var names, classes []string
	var places []float64
	for i, m := range marks {
		if i == len(lineStyles) || !finite(m.Value) || m.Value < 0 {
			continue
		}
		class := "l-ink dash"
		if m.Limit {
			class = "l-warn thick"
		} else if i%2 == 1 {
			class = "l-ink dots"
		}
		v := ys.at(m.Value)
		told := m.Label + " " + value(m.Value, Nanos)
		c.line(class, xs.from, v, xs.to, v, told+between(m.Low, m.Value, m.High, Nanos))
		names, places, classes = append(names, told), append(places, v), append(classes, "")
	}
	c.endLabels(width-tokensRight+6, top, bottom, names, places, classes)
}
