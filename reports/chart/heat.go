package chart

import (
	"math"
	"strconv"
)

// The parts of a Heat. Finer cells than these would be a scatter plot, so neighbours are put
// together until there are no more.
const (
	heatLeft    = 62.0
	heatRight   = 70.0
	heatHigh    = 250.0
	heatColumns = 96
	heatRows    = 32
)

func heatToken(step int) string { return "heat-" + strconv.Itoa(step) }
func heatClass(step int) string { return "h" + strconv.Itoa(step) }

// heatStep returns the step of the ramp for a count, by its logarithm.
func heatStep(n, highest int64) int {
	if n >= highest || highest <= 1 {
		return heatSteps - 1
	}
	return min(heatSteps-1, int(heatSteps*math.Log(float64(n))/math.Log(float64(highest))))
}

// SVG draws the cells, whose lightness tells the logarithm of their count, with a legend of the
// counts; the lines over them, and the brackets above.
func (h Heat) SVG(id, title string) string {
	c := newCanvas(id)
	g := h.grid()
	if g.highest == 0 {
		return c.nothing(title, "There is nothing to draw: no cell has a request.")
	}
	var notes []string
	if g.across > 1 || g.up > 1 {
		notes = append(notes, "Cells are put together, "+plural(g.across, "column", "columns")+" by "+plural(g.up, "row", "rows")+", so that they can be told apart.")
	}
	xs := g.x.exact(h.XUnit, heatLeft, width-heatRight)
	y := c.heatLegend(g.highest)
	y, notes = c.brackets(h.Brackets, y+6, xs, h.XUnit, notes)
	top := y + 8
	bottom := top + heatHigh
	ys := logAxis(g.y.lo, g.y.hi, h.YUnit, bottom, top)
	end := c.xAxis(xs, top, bottom)
	c.yAxis(ys, heatLeft, width-heatRight)
	var n int64
	for _, cell := range g.cells {
		n = total(n, cell.n)
		x1, x2 := math.Round(xs.at(cell.x1)), math.Round(xs.at(cell.x2))
		y1, y2 := math.Round(ys.at(max(cell.y1, ys.lo))), math.Round(ys.at(cell.y2))
		if x2-x1 > 3 {
			x2--
		}
		if y1-y2 > 3 {
			y1--
		}
		c.rect(heatClass(heatStep(cell.n, g.highest)), x1, y1, max(x2, x1+0.5), y2, value(cell.x1, h.XUnit)+", "+value(cell.y1, h.YUnit)+" to "+value(cell.y2, h.YUnit)+": "+plural(int(cell.n), "request", "requests"))
	}
	c.bracketLines(h.Brackets, top, bottom, xs)
	c.heatLines(h, xs, ys)
	if k := len(h.Lines) - len(lineStyles); k > 0 {
		notes = append(notes, plural(k, "more line is", "more lines are")+" not drawn.")
	}
	if g.below > 0 {
		notes = append(notes, plural(int(g.below), "request has", "requests have")+" a time for which the axis has no place.")
	}
	desc := plural(int(n), "request", "requests") + " by time and by how long they took, from " + value(g.x.lo, h.XUnit) + " to " + value(g.x.hi, h.XUnit) + "; at most " + plural(int(g.highest), "request", "requests") + " in a cell."
	return c.finish(c.notes(end, notes)+4, title, desc)
}

// cell is a cell of a heat map.
type cell struct {
	x1, x2, y1, y2 float64
	n              int64
}

// grid is what a heat map has to draw.
type grid struct {
	cells      []cell // those with a request
	x, y       bounds
	highest    int64
	below      int64 // requests of rows that have no place on the axis
	across, up int   // how many columns and rows each cell is made of
}

// grid puts cells together until they are large enough to be told apart.
func (h Heat) grid() grid {
	columns := min(len(h.Counts), len(h.X)-1)
	rows := len(h.Y) - 1
	if columns <= 0 || rows <= 0 {
		return grid{}
	}
	g := grid{across: (columns + heatColumns - 1) / heatColumns, up: (rows + heatRows - 1) / heatRows}
	for i := 0; i < columns; i += g.across {
		x1, x2 := h.X[i], h.X[min(i+g.across, columns)]
		if !finite(x1) || !finite(x2) || x2 <= x1 {
			continue
		}
		g.x.add(x1, x2)
		for j := 0; j < rows; j += g.up {
			var n int64
			for _, counts := range h.Counts[i:min(i+g.across, columns)] {
				for k := j; k < min(j+g.up, rows, len(counts)); k++ {
					n = total(n, max(counts[k], 0))
				}
			}
			y1, y2 := h.Y[j], h.Y[min(j+g.up, rows)]
			switch {
			case n == 0:
				continue
			case !finite(y1) || !finite(y2) || y2 < least || y2 <= y1:
				g.below = total(g.below, n)
				continue
			}
			g.y.addPositive(y1, y2)
			g.highest = max(g.highest, n)
			g.cells = append(g.cells, cell{x1, x2, y1, y2, n})
		}
	}
	for _, l := range h.Lines {
		g.y.addPositive(l.Values...)
	}
	if g.y.lo == g.y.hi { // one row, from 0 on
		g.y.lo /= 10
	}
	return g
}

// heatLegend draws the ramp with the counts that its steps stand for.
func (c *canvas) heatLegend(highest int64) float64 {
	c.text("small soft", atStart, heatLeft, 12, "requests in a cell")
	x := heatLeft + 130
	end := math.Inf(-1)
	for step := range heatSteps {
		if highest <= fewCounts && !stepUsed(step, highest) {
			continue
		}
		c.rect(heatClass(step), x, 2, x+33, 13, "")
		first := int64(math.Ceil(math.Pow(float64(highest), float64(step)/heatSteps) - 1e-9))
		for first > 1 && heatStep(first-1, highest) == step {
			first--
		}
		for first < highest && heatStep(first, highest) < step {
			first++
		}
		if label := count(first); first > 0 && x >= end+6 {
			c.text("small soft", atStart, x, 27, label)
			end = x + widthOf("small", label)
		}
		x += 34
	}
	c.text("small soft", atStart, x+6, 12, "at most "+count(highest))
	return 32
}

// fewCounts is up to which count some step of the ramp may have none: beyond it each is more than
// two times as wide as the one before, and so has a whole number in it.
const fewCounts = 1 << heatSteps

// stepUsed says whether some count has a step of the ramp.
func stepUsed(step int, highest int64) bool {
	for n := int64(1); n <= highest; n++ {
		if heatStep(n, highest) == step {
			return true
		}
	}
	return false
}

// heatLines draws lines over the cells, each with an edge of the ground's colour, and names them
// at their ends.
func (c *canvas) heatLines(h Heat, xs, ys axis) {
	var names, classes []string
	var ends []float64
	for i, l := range h.Lines {
		if i == len(lineStyles) {
			break
		}
		var points []point
		var b bounds
		last := math.NaN()
		for j, v := range l.Values {
			if j+1 >= len(h.X) {
				break
			}
			p := point{xs.at(h.X[j]/2 + h.X[j+1]/2), ys.at(v)}
			if drawable(p.x, p.y) {
				b.add(v)
				last = p.y
			}
			points = append(points, p)
		}
		if !b.any {
			continue
		}
		c.series("halo", points, "")
		c.series(lineStyles[i], points, l.Label+": from "+value(b.lo, h.YUnit)+" to "+value(b.hi, h.YUnit))
		names, ends, classes = append(names, l.Label), append(ends, last), append(classes, "")
	}
	c.endLabels(width-heatRight+8, ys.to, ys.from, names, ends, classes)
}
