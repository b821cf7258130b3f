package chart

import (
	"strings"
)

// The parts of a Tail.
const (
	tailLeft    = 62.0
	tailRight   = 18.0
	tailHigh    = 230.0
	tailBars    = 84.0
	tailBetween = 44.0 // for the name of the lower panel, clear of the labels of both axes
	tailCurves  = 6
	tailCells   = 170
	tailMarks   = 60
)

// curveStyles tell curves apart by colour and by how they are drawn.
var curveStyles = [tailCurves]string{"l-accent thick", "l-ink dash", "l-soft thick dots", "l-warn dashdots", "l-ink", "l-soft thick dash"}

// SVG draws the share of requests above a value against the value, both logarithmic and in steps
// as the numbers are, without smoothing; and beneath it, over the same axis, how many requests
// lie in each cell of a histogram.
func (t Tail) SVG(id, title string) string {
	c := newCanvas(id)
	var notes []string
	var x, y bounds
	unplaced, points := 0, 0
	curves := t.Curves
	if n := len(curves) - tailCurves; n > 0 {
		curves = curves[:tailCurves]
		notes = append(notes, plural(n, "more curve is", "more curves are")+" not drawn.")
	}
	for _, k := range curves {
		for i := range min(len(k.Values), len(k.Above)) {
			v, above := k.Values[i], k.Above[i]
			switch {
			case !finite(v) || !finite(above):
			case v < least:
				unplaced++
			default:
				x.add(v)
				y.addPositive(min(above, 1))
				points++
			}
		}
	}
	cells, together := t.cells()
	var n, highest int64
	for _, k := range cells {
		x.addPositive(k.lo, k.hi)
		n = total(n, k.n)
		highest = max(highest, k.n)
	}
	if together > 1 {
		notes = append(notes, "Cells of the histogram are put together, "+count(int64(together))+" at a time.")
	}
	if n := len(t.Marks) - tailMarks; n > 0 {
		t.Marks = t.Marks[:tailMarks]
		notes = append(notes, plural(n, "more mark is", "more marks are")+" not drawn.")
	}
	if !x.any {
		return c.nothing(title, "There is nothing to draw: no value is above 0.")
	}
	for _, m := range t.Marks {
		x.addPositive(m.Value)
	}
	if unplaced > 0 {
		notes = append(notes, plural(unplaced, "value is", "values are")+" 0 or less, for which a logarithmic axis has no place.")
	}
	y.add(1)
	y.lo = min(y.lo, 0.1)
	xs := x.logarithmic(t.Unit, tailLeft, width-tailRight)

	var keys []key
	if len(curves) > 1 {
		for i, k := range curves {
			keys = append(keys, c.lineKey(curveStyles[i], k.Label))
		}
	}
	top := c.legend(0, keys)
	labels, said := tailLabels(t.Marks, t.Unit, xs.scale)
	rows, left := arrange(labels, "small", tailLeft, width)
	notes = unlabelled(notes, left)
	top += float64(rows)*15 + 32
	bottom := top // of the upper panel
	if points > 0 {
		bottom += tailHigh
	}
	end := bottom // of the lower one
	if n > 0 {
		end += tailBetween + tailBars
	}
	last := c.xAxis(xs, top, end)
	if points > 0 {
		ys := logAxis(y.lo, 1, Share, bottom, top)
		c.text("small bold", atStart, 0, top-float64(rows)*15-12, "share of requests above")
		c.yAxis(ys, tailLeft, width-tailRight)
		c.drawCurves(curves, xs, ys, t.Unit)
	}
	if n > 0 {
		bottom = end - tailBars
		c.text("small bold", atStart, 0, bottom-16, "requests, "+nOf(n))
		var h bounds
		h.add(0, float64(highest))
		hs := h.linear(Plain, end, bottom)
		hs.ticks = wholeTicks(hs.ticks)
		c.yAxis(hs, tailLeft, width-tailRight)
		c.histogram(cells, xs, hs, t.Unit)
	}
	c.droplines(t.Marks, labels, top, end, rows, xs, t.Unit)
	desc := "The share of requests above each value, both axes logarithmic"
	if n > 0 {
		desc += ", and a histogram of " + plural(int(n), "request", "requests") + " over the same values"
	}
	if len(said) > 0 {
		desc += ". " + strings.Join(said, ", ")
	}
	return c.finish(c.notes(last, notes)+4, title, desc+".")
}

// drawCurves draws the curves in steps: a share holds from its value to the next.
func (c *canvas) drawCurves(curves []Curve, xs, ys axis, u Unit) {
	for i := len(curves) - 1; i >= 0; i-- { // the first above the others
		k := curves[i]
		var points []point
		seen := 0
		low, high := 0.0, 0.0
		before := ys.at(1)
		for j := range min(len(k.Values), len(k.Above)) {
			v, above := k.Values[j], k.Above[j]
			if !finite(v) || !finite(above) || v < least {
				continue
			}
			px, py := xs.at(v), ys.at(max(above, ys.lo))
			if seen == 0 {
				low = v
				points = append(points, point{xs.from, before})
			}
			high = v
			seen++
			if last := points[len(points)-1]; px-last.x < 0.3 && last.y-py < 0.3 && last.y-py > -0.3 && j > 0 {
				continue
			}
			points = append(points, point{px, before}, point{px, py})
			before = py
		}
		if seen == 0 {
			continue
		}
		name := k.Label
		if name == "" {
			name = "requests"
		}
		c.path(curveStyles[i], points, name+": "+plural(seen, "quantile", "quantiles")+" from "+value(low, u)+" to "+value(high, u))
	}
}

// bin is a cell of a histogram.
type bin struct {
	lo, hi float64
	n      int64
}

// cells returns the cells with a request, of which so many of the given ones make one each.
func (t Tail) cells() (out []bin, together int) {
	all := max(0, min(len(t.Counts), len(t.Edges)-1))
	together = (all + tailCells - 1) / tailCells
	for i := 0; i < all; i += together {
		end := min(i+together, all)
		k := bin{t.Edges[i], t.Edges[end], 0}
		for _, n := range t.Counts[i:end] {
			k.n = total(k.n, max(n, 0))
		}
		if k.n > 0 && finite(k.lo) && finite(k.hi) && k.hi >= least && k.hi >= k.lo {
			out = append(out, k)
		}
	}
	return out, together
}

// histogram draws cells.
func (c *canvas) histogram(cells []bin, xs, hs axis, u Unit) {
	for _, k := range cells {
		from, to := xs.from, xs.at(k.hi)
		if k.lo >= least {
			from = xs.at(k.lo)
		}
		if to-from > 2 {
			to--
		}
		c.rect("bars", from, hs.at(float64(k.n)), max(to, from+0.5), hs.at(0), value(k.lo, u)+" to "+value(k.hi, u)+": "+plural(int(k.n), "request", "requests"))
	}
}

// tailLabels returns the labels of marks, and the same in words.
func tailLabels(marks []Mark, u Unit, xs scale) (labels []label, said []string) {
	for _, m := range marks {
		if at := xs.at(m.Value); drawable(at) {
			text := m.Label + " " + value(m.Value, u)
			labels = append(labels, label{at: at, text: text})
			if len(said) < 12 {
				said = append(said, text)
			}
		}
	}
	return labels, said
}

// droplines draws marks down through both panels, each from its label.
func (c *canvas) droplines(marks []Mark, labels []label, top, bottom float64, rows int, xs axis, u Unit) {
	for _, m := range marks {
		x := xs.at(m.Value)
		if !drawable(x) {
			continue
		}
		class := "l-ink dots"
		if m.Limit {
			class = "l-warn thick"
		}
		told := m.Label + ": " + value(m.Value, u) + between(m.Low, m.Value, m.High, u)
		c.line(class, x, top, x, bottom, told)
		if finite(m.Low) && finite(m.High) && m.Low != m.High {
			low, high := xs.at(max(m.Low, xs.lo)), xs.at(max(m.High, xs.lo))
			c.line("l-ink thick", low, top, high, top, told)
			c.line("l-ink", low, top-3, low, top+3, "")
			c.line("l-ink", high, top-3, high, top+3, "")
		}
	}
	c.leaders(labels, "small", top, rows)
}

// leaders writes arranged labels in rows above y and draws from each to its place.
func (c *canvas) leaders(labels []label, class string, y float64, rows int) {
	base := func(l label) float64 { return y - 8 - float64(rows-1-l.row)*15 }
	for _, l := range labels {
		if l.row < 0 {
			continue
		}
		// The lines of upper rows pass behind the labels of lower ones, whose edges cut them.
		half := widthOf(class, l.text) / 2
		foot := min(max(l.at, l.x-half), l.x+half)
		c.path("l-soft", []point{{foot, base(l) + 3}, {l.at, y}}, "")
	}
	for _, l := range labels {
		if l.row >= 0 {
			c.text(class, atMiddle, l.x, base(l), l.text)
		}
	}
}
