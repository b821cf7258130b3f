package chart

import "strings"

// The parts of a Multiples.
const (
	smallAcross = 3
	smallWide   = 214.0
	smallGap    = 19.0
	smallHigh   = 92.0
	smallLeft   = 60.0 // of a small chart, for the labels of its axis
	smallMost   = 24
	pointsShown = 60 // the last of more
)

// SVG draws a small chart a series, all over the same times: a dot for each with a whisker for
// its interval, on an axis of its own from 0. A dot of an incomplete time is hollow and no line
// leads to it.
func (m Multiples) SVG(id, title string) string {
	c := newCanvas(id)
	var notes []string
	var of []Series
	partial := false
	for _, s := range m.Of {
		any := false
		for _, p := range s.Points {
			any = any || finite(p.Value)
			partial = partial || p.Partial && finite(p.Value)
		}
		if any {
			of = append(of, s)
		}
	}
	if len(of) == 0 {
		return c.nothing(title, "There is nothing to draw: no time has a number.")
	}
	if n := len(of) - smallMost; n > 0 {
		of = of[:smallMost]
		notes = append(notes, plural(n, "more chart is", "more charts are")+" not drawn.")
	}
	y := 0.0
	if partial {
		y = c.legend(0, []key{
			{"complete", func(x, y float64) { c.circle("ink", x+6, y+6, 4, "") }},
			{"incomplete, not to be compared", func(x, y float64) { c.circle("hollow l-soft", x+6, y+6, 4, "") }},
		}) + 4
	}
	var said []string
	end := y
	for i, s := range of {
		x := float64(i%smallAcross) * (smallWide + smallGap)
		if i > 0 && i%smallAcross == 0 {
			y = end + 8
		}
		told, bottom, left := c.small(s, x, y)
		said = append(said, told)
		end = max(end, bottom)
		if left > 0 {
			notes = append(notes, fit(s.Label, 200, smallSize)+": the last "+count(pointsShown)+" of "+count(int64(left+pointsShown))+" points are drawn.")
		}
	}
	return c.finish(c.notes(end, notes)+4, title, "Small charts over the same times. "+strings.Join(said, "; ")+".")
}

// small draws one of the charts with its upper left corner at a place. It returns what it shows,
// where it ends and how many points it left out.
func (c *canvas) small(s Series, x, y float64) (told string, bottom float64, left int) {
	points := s.Points
	if n := len(points) - pointsShown; n > 0 {
		points, left = points[n:], n
	}
	name := x
	if s.Stage != "" {
		c.stageRect(s.Stage, x, y+6, x+12, y+18, "")
		name += 18
	}
	c.textIn("small bold", atStart, name, y+16, x+smallWide-name, s.Label)
	var b bounds
	b.add(0)
	for _, p := range points {
		b.add(p.Value)
		if finite(p.Value) && p.interval() {
			b.add(p.Low, p.High)
		}
	}
	top := y + 30
	foot := top + smallHigh
	ys := b.linear(s.Unit, foot, top)
	c.yAxis(ys, x+smallLeft, x+smallWide)
	slot := (smallWide - smallLeft) / float64(max(len(points), 1))
	at := func(i int) float64 { return x + smallLeft + slot*(float64(i)+0.5) }
	var line []point
	for i, p := range points {
		q := point{at(i), ys.at(p.Value)}
		if p.Partial {
			q = point{nan(), nan()}
		}
		line = append(line, q)
	}
	c.path(stageLine(s.Stage), line, "")
	r := min(4, max(1.5, slot/3))
	first, last := "", ""
	for i, p := range points {
		if !finite(p.Value) {
			continue
		}
		words := s.Label + ", " + p.Label + ": " + value(p.Value, s.Unit)
		if p.interval() {
			words += between(p.Low, p.Value, p.High, s.Unit)
			c.line(stageLine(s.Stage), at(i), ys.at(p.Low), at(i), ys.at(p.High), words)
		}
		if p.Partial {
			words += ", incomplete"
			c.circle("hollow l-soft", at(i), ys.at(p.Value), r, words)
		} else {
			c.circle(stageClass(s.Stage), at(i), ys.at(p.Value), r, words)
		}
		if first == "" {
			first = value(p.Value, s.Unit) + " in " + p.Label
		}
		last = value(p.Value, s.Unit) + " in " + p.Label
	}
	c.line("l-soft", x+smallLeft, foot, x+smallWide, foot, "")
	c.pointLabels(points, at, x, foot)
	told = s.Label + " from " + first + " to " + last
	if first == last {
		told = s.Label + " " + first
	}
	return told, foot + axisHeight, left
}

// interval says whether a point has one.
func (p Point) interval() bool { return finite(p.Low) && finite(p.High) && p.Low < p.High }

// pointLabels names the last point, the first, and those between them that have room.
func (c *canvas) pointLabels(points []Point, at func(int) float64, x, y float64) {
	const gap = 8.0
	lo, hi := x+smallLeft-20, x+smallWide
	place := func(i int) (from, to float64) {
		w := min(widthOf("small", points[i].Label), hi-lo)
		from = min(max(at(i)-w/2, lo), hi-w)
		return from, from + w
	}
	if len(points) == 0 {
		return
	}
	lastFrom, _ := place(len(points) - 1)
	end := lo - gap
	for i, p := range points {
		from, to := place(i)
		if i < len(points)-1 && to+gap > lastFrom || from < end+gap {
			if i < len(points)-1 || from < end {
				continue
			}
		}
		c.textIn("small soft", atStart, from, y+17, hi-lo, p.Label)
		c.line("l-soft", at(i), y, at(i), y+4, "")
		end = to
	}
}
