package chart

import (
	"math"
	"strings"
)

// The parts of Panels.
const (
	panelLeft  = 62.0
	panelRight = 104.0 // where lines have names behind their ends
	panelBare  = 18.0  // where none has
	panelHead  = 30.0  // above a panel, for its name, clear of the labels of its axis
	panelHigh  = 84.0
	panelMost  = 12
	pointsMost = 200 // with more, they have no titles of their own
)

// lineStyles tell the lines of a panel apart.
var lineStyles = [...]string{"l-ink thick", "l-ink dash", "l-soft dots", "l-accent dashdots", "l-warn", "l-soft thick dash"}

// SVG draws the panels one above the other over one axis of time. Each has one axis of its own,
// which begins at 0, so that no two numbers are read off one picture; and its lines break where
// there is no number.
func (p Panels) SVG(id, title string) string {
	c := newCanvas(id)
	var notes []string
	panels := p.Panels
	if n := len(panels) - panelMost; n > 0 {
		panels = panels[:panelMost]
		notes = append(notes, plural(n, "more panel is", "more panels are")+" not drawn.")
	}
	var x bounds
	x.add(p.X...)
	anything := false
	right := width - panelBare
	for _, panel := range panels {
		for _, l := range panel.Lines {
			if l.Label != "" {
				right = width - panelRight
			}
			for i, v := range l.Values {
				anything = anything || i+1 < len(p.X) && finite(v)
			}
		}
	}
	if !anything {
		return c.nothing(title, "There is nothing to draw: no time has a number.")
	}
	xs := x.exact(p.XUnit, panelLeft, right)
	y, notes := c.brackets(p.Brackets, 0, xs, p.XUnit, notes)
	c.hits(p, panels, xs, y+(panelHead+panelHigh+6)*float64(len(panels)))
	var said []string
	for i, panel := range panels {
		top := y + panelHead
		bottom := top + panelHigh
		c.textIn("small bold", atStart, 0, top-15, width, panel.Label)
		if i == len(panels)-1 {
			y = c.xAxis(xs, top, bottom)
		} else {
			bare := xs
			bare.ticks = nil
			for _, t := range xs.ticks {
				c.line("l-rule", xs.at(t.at), top, xs.at(t.at), bottom, "")
			}
			c.xAxis(bare, top, bottom)
			y = bottom + 6
		}
		said = append(said, c.panel(p.X, panel, xs, top, bottom))
		c.bracketLines(p.Brackets, top, bottom, xs)
		if n := len(panel.Lines) - len(lineStyles); n > 0 {
			notes = append(notes, fit(panel.Label, 200, smallSize)+": "+plural(n, "more line is", "more lines are")+" not drawn.")
		}
	}
	return c.finish(c.notes(y, notes)+4, title, "Numbers over time, from "+value(x.lo, p.XUnit)+" to "+value(x.hi, p.XUnit)+". "+strings.Join(said, "; ")+".")
}

// panel draws a panel's lines, and tells its range.
func (c *canvas) panel(x []float64, panel Panel, xs axis, top, bottom float64) (said string) {
	lines := panel.Lines[:min(len(panel.Lines), len(lineStyles))]
	var y bounds
	y.add(0)
	for _, l := range lines {
		y.add(l.Values[:max(0, min(len(l.Values), len(x)-1))]...)
	}
	ys := y.linear(panel.Unit, bottom, top)
	c.yAxis(ys, panelLeft, xs.to)
	var names, classes, told []string
	var ends []float64
	for i, l := range lines {
		var points []point
		var of bounds
		last := math.NaN()
		n := 0
		for j, v := range l.Values {
			if j+1 >= len(x) {
				break
			}
			q := point{xs.at(x[j]/2 + x[j+1]/2), ys.at(v)}
			if drawable(q.x, q.y) {
				of.add(v)
				last = q.y
				n++
			}
			points = append(points, q)
		}
		if !of.any {
			continue
		}
		class := lineStyles[i]
		if l.Stage != "" {
			class = stageLine(l.Stage) + strings.TrimPrefix(class, strings.Fields(class)[0])
		}
		name := l.Label
		if name == "" {
			name = panel.Label
		}
		words := name + ": " + value(of.lo, panel.Unit) + " to " + value(of.hi, panel.Unit)
		c.series(class, points, words+", "+nOf(int64(n)))
		told = append(told, words)
		if l.Label != "" {
			names, ends, classes = append(names, l.Label), append(ends, last), append(classes, "")
		}
	}
	c.endLabels(xs.to+8, top, bottom, names, ends, classes)
	if len(told) == 0 {
		c.text("small soft", atMiddle, (xs.from+xs.to)/2, (top+bottom)/2+4, "no numbers")
		told = append(told, panel.Label+": no numbers")
	}
	return strings.Join(told, ", ")
}

// series draws a line through points, and those as dots that have no neighbour to be joined to.
// Of more points than there are pixels the lowest and the highest of each stay.
func (c *canvas) series(class string, points []point, title string) {
	points = thin(points)
	c.path(class, points, title)
	for i, p := range points {
		alone := drawable(p.x, p.y) && (i == 0 || !drawable(points[i-1].x, points[i-1].y)) && (i == len(points)-1 || !drawable(points[i+1].x, points[i+1].y))
		if alone {
			c.spot(class, p, title)
		}
	}
}

// spot draws a point that no line leads to: a ring in the colour of the line, filled by its own
// stroke.
func (c *canvas) spot(class string, p point, title string) {
	const r = 1.0
	var ring []point
	for i := range 9 {
		a := float64(i) * math.Pi / 4
		ring = append(ring, point{p.x + r*math.Cos(a), p.y + r*math.Sin(a)})
	}
	c.path(strings.TrimSpace(undashed.Replace(class)), ring, title)
}

// undashed takes the dashes off a class: a spot is shorter than one of them.
var undashed = strings.NewReplacer(" dashdots", "", " dash", "", " dots", "")

// thin leaves out points that share a pixel column with others, but the first, the lowest, the
// highest and the last of it, and those that part the line.
func thin(points []point) []point {
	if len(points) <= 2*width {
		return points
	}
	var out []point
	for i := 0; i < len(points); {
		if !drawable(points[i].x, points[i].y) {
			if len(out) == 0 || drawable(out[len(out)-1].x, out[len(out)-1].y) {
				out = append(out, points[i])
			}
			i++
			continue
		}
		end, low, high := i, i, i
		for end < len(points) && drawable(points[end].x, points[end].y) && math.Floor(points[end].x) == math.Floor(points[i].x) {
			if points[end].y < points[low].y {
				low = end
			}
			if points[end].y > points[high].y {
				high = end
			}
			end++
		}
		last := -1
		for _, k := range [...]int{i, min(low, high), max(low, high), end - 1} {
			if k != last {
				out = append(out, points[k])
				last = k
			}
		}
		i = end
	}
	return out
}

// hits lays an invisible mark under each time, whose title has the numbers of that time.
func (c *canvas) hits(p Panels, panels []Panel, xs axis, bottom float64) {
	if len(p.X) > pointsMost {
		return
	}
	for i := range max(0, len(p.X)-1) {
		var told []string
		for _, panel := range panels {
			for _, l := range panel.Lines {
				if i < len(l.Values) && finite(l.Values[i]) {
					name := panel.Label
					if l.Label != "" && len(panel.Lines) > 1 {
						name += ", " + l.Label
					}
					told = append(told, name+": "+value(l.Values[i], panel.Unit))
				}
			}
		}
		if len(told) > 0 {
			c.rect("hit", xs.at(p.X[i]), 0, xs.at(p.X[i+1]), bottom, value(p.X[i], p.XUnit)+"; "+strings.Join(told, "; "))
		}
	}
}
