package chart

import (
	"slices"
	"strings"
)

// The parts of a Knee.
const (
	kneeLeft  = 62.0
	kneeRight = 18.0
	kneeHigh  = 150.0
	keysHigh  = 42.0 // above a panel, for its name and its legend
	kneeMost  = 6
	dotsMost  = 1250 // of more, every so many-th is drawn
)

// dotFills tell dots apart together with their shapes.
var dotFills = [shapes]string{"accent", "hollow l-ink", "soft", "hollow l-accent"}

// SVG draws the panels one above the other over how many requests were in flight: a dot for each
// number with a whisker for its interval, and nothing between them, because the way from one to
// the next has no meaning. What lies at places of the axis, such as the knee, is a line with a
// band for its interval; where it was not reached the note says so.
func (k Knee) SVG(id, title string) string {
	c := newCanvas(id)
	var notes []string
	panels := k.Panels
	if n := len(panels) - kneeMost; n > 0 {
		panels = panels[:kneeMost]
		notes = append(notes, plural(n, "more panel is", "more panels are")+" not drawn.")
	}
	var x bounds
	x.add(0)
	total := 0
	panels = slices.Clone(panels)
	for i, p := range panels {
		if n := len(p.Of) - shapes; n > 0 {
			panels[i].Of = p.Of[:shapes]
			notes = append(notes, fit(p.Label, 200, smallSize)+": dots of "+plural(n, "more thing are", "more things are")+" not drawn.")
		}
		for _, of := range panels[i].Of {
			for _, d := range of.Dots {
				if d.drawn(p.Log) {
					x.add(d.X)
					total++
				}
			}
		}
	}
	if total == 0 {
		return c.nothing(title, strings.TrimSpace("There is nothing to draw: no number of requests in flight was seen. "+k.Note))
	}
	stride := (total + dotsMost - 1) / dotsMost
	if stride > 1 {
		notes = append(notes, "One in "+count(int64(stride))+" of "+count(int64(total))+" dots is drawn.")
	}
	for _, m := range k.At {
		x.add(m.Value)
	}
	xs := x.linear(Plain, kneeLeft, width-kneeRight)
	labels := []label{}
	for _, m := range k.At {
		if at := xs.at(m.Value); drawable(at) {
			labels = append(labels, label{at: at, text: m.Label + " " + value(m.Value, Plain) + between(m.Low, m.Value, m.High, Plain)})
		}
	}
	rows, left := arrange(labels, "small", kneeLeft, width)
	notes = unlabelled(notes, left)
	y := float64(rows)*15 + 10
	if k.Note != "" {
		for _, line := range firstLines(wrap(k.Note, width-kneeLeft-20, fontSize)) {
			c.text("bold", atStart, kneeLeft, y+6, line)
			y += lineHeight
		}
	}
	first := y
	// The axis and the bands lie under the dots of all panels.
	bottom := y
	for range panels {
		bottom += keysHigh + kneeHigh
	}
	end := c.xAxis(xs, first+keysHigh, bottom)
	c.kneeMarks(k.At, labels, float64(rows)*15+8, bottom, rows, xs)
	said := []string{}
	for i, p := range panels {
		top := y + keysHigh
		room := width
		if len(p.Of) > 1 {
			room = c.dotKeys(p.Of, y+14) - 10
		}
		c.textIn("small bold", atStart, 0, y+24, room, p.Label)
		said = append(said, c.against(p, xs, top, top+kneeHigh, stride))
		y = top + kneeHigh
		if i < len(panels)-1 {
			c.line("l-soft", kneeLeft, y, width-kneeRight, y, "")
		}
	}
	y = end
	c.text("small soft", atMiddle, (kneeLeft+width-kneeRight)/2, y+12, k.XLabel)
	desc := strings.Join(said, "; ") + ", against " + k.XLabel + "."
	for _, l := range labels {
		desc += " " + l.text + "."
	}
	if k.Note != "" {
		desc += " " + k.Note + "."
	}
	return c.finish(c.notes(y+16, notes)+4, title, desc)
}

// drawn says whether a dot has a place.
func (d Dot) drawn(log bool) bool {
	return finite(d.X) && finite(d.Y) && (!log || d.Y >= least)
}

// dotKeys draws the legend of a panel at its right, and returns where it begins.
func (c *canvas) dotKeys(of []Dots, y float64) float64 {
	const most = 104.0 // of a label
	x := width - kneeRight
	for i := len(of) - 1; i >= 0; i-- {
		label := fit(of[i].Label, most, smallSize)
		x -= textWidth(label, smallSize)
		c.textIn("small soft", atStart, x, y+10, most, of[i].Label)
		x -= 12
		c.dot(i, dotFills[i%shapes], x, y+6, 3.5, "")
		x -= 16
	}
	return x
}

// against draws a panel, and tells what it has.
func (c *canvas) against(p Against, xs axis, top, bottom float64, stride int) string {
	var y bounds
	if !p.Log {
		y.add(0)
	}
	for _, of := range p.Of {
		for _, d := range of.Dots {
			if !d.drawn(p.Log) {
				continue
			}
			y.add(d.Y)
			if p.Log {
				y.addPositive(d.Low, d.High)
			} else {
				y.add(d.Low, d.High)
			}
		}
	}
	ys := y.linear(p.Unit, bottom, top)
	if p.Log {
		ys = y.logarithmic(p.Unit, bottom, top)
	}
	c.yAxis(ys, kneeLeft, width-kneeRight)
	n := 0
	for i, of := range p.Of {
		name := p.Label
		if of.Label != "" && len(p.Of) > 1 {
			name += ", " + of.Label
		}
		for _, d := range of.Dots {
			if !d.drawn(p.Log) {
				continue
			}
			if n++; (n-1)%stride != 0 {
				continue
			}
			px, py := xs.at(d.X), ys.at(d.Y)
			told := name + ": " + value(d.Y, p.Unit) + between(d.Low, d.Y, d.High, p.Unit) + " at " + value(d.X, Plain) + " in flight"
			if d.N > 0 {
				told += ", " + nOf(d.N)
			}
			if finite(d.Low) && finite(d.High) {
				low := ys.from
				if !p.Log || d.Low >= least {
					low = ys.at(d.Low)
				}
				c.line("l-soft", px, low, px, ys.at(d.High), "")
			}
			c.dot(i, dotFills[i%shapes], px, py, 3.5, told)
		}
	}
	if n == 0 {
		c.text("small soft", atMiddle, (xs.from+xs.to)/2, (top+bottom)/2, "no numbers")
		return p.Label + ": no numbers"
	}
	return p.Label + " from " + value(y.lo, p.Unit) + " to " + value(y.hi, p.Unit) + " at " + plural(n, "place", "places")
}

// kneeMarks draws lines with bands through all panels, and their labels above.
func (c *canvas) kneeMarks(marks []Mark, labels []label, top, bottom float64, rows int, xs axis) {
	for _, m := range marks {
		at := xs.at(m.Value)
		if !drawable(at) {
			continue
		}
		told := m.Label + ": " + value(m.Value, Plain) + between(m.Low, m.Value, m.High, Plain)
		if finite(m.Low) && finite(m.High) && m.Low < m.High {
			c.rect("band", xs.at(m.Low), top, xs.at(m.High), bottom, told)
		}
		c.line("l-warn thick", at, top, at, bottom, told)
	}
	c.leaders(labels, "small", top, rows)
}
