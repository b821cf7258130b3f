package chart

import (
	"math"
	"strconv"
	"strings"
)

// width is that of every drawing, in px.
const width = 680.0

// deepest is how far down a drawing may reach, in px.
const deepest = 20000.0

// point is a place in a drawing, in px from its upper left corner.
type point struct{ x, y float64 }

// canvas collects the elements of a drawing. It lets no number through that is not finite or
// lies outside of the drawing: an element with a place that is NaN is left out, others are moved
// to the edge.
type canvas struct {
	id      string
	body    strings.Builder
	bottom  float64 // the lowest place that was drawn to
	hatch   bool    // the pattern of time that nothing accounts for is used
	derived bool    // so is that of spans that were worked out
}

// newCanvas starts a drawing. What cannot be part of an id becomes a hyphen.
func newCanvas(id string) *canvas {
	id = strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '-', r == '_':
			return r
		}
		return '-'
	}, id)
	if id == "" {
		id = "chart"
	}
	return &canvas{id: id}
}

// finish returns the drawing, which is at least h high, with its name and description.
func (c *canvas) finish(h float64, title, desc string) string {
	h = math.Ceil(max(h, c.bottom, 1))
	if strings.TrimSpace(clean(title)) == "" {
		title = "chart"
	}
	var b strings.Builder
	size := `width="680" height="` + px(h) + `"`
	b.WriteString(`<svg class="chart" ` + size + ` viewBox="0 0 680 ` + px(h) + `" role="img" aria-labelledby="` + c.id + `-title ` + c.id + `-desc">`)
	b.WriteString("\n" + `<title id="` + c.id + `-title">` + escape(title) + `</title>`)
	b.WriteString("\n" + `<desc id="` + c.id + `-desc">` + escape(desc) + `</desc>`)
	if c.hatch {
		b.WriteString("\n" + `<pattern id="` + c.id + `-hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="ground" width="6" height="6"/><line class="l-unattributed" x1="1" y1="0" x2="1" y2="6"/></pattern>`)
	}
	if c.derived {
		b.WriteString("\n" + `<pattern id="` + c.id + `-derived" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(-45)"><line class="l-ground thick" x1="1" y1="0" x2="1" y2="5"/></pattern>`)
	}
	b.WriteString(c.body.String())
	b.WriteString("\n</svg>\n")
	return b.String()
}

// px writes a length with a tenth of a pixel at most.
func px(v float64) string {
	v = math.Round(v*10) / 10
	if v == 0 {
		return "0" // not -0
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// in moves a place into the drawing.
func (c *canvas) in(p point) point {
	p = point{min(max(p.x, 0), width), min(max(p.y, 0), deepest)}
	c.bottom = max(c.bottom, p.y)
	return p
}

func drawable(vs ...float64) bool {
	for _, v := range vs {
		if math.IsNaN(v) {
			return false
		}
	}
	return true
}

// element writes an element that ends with its title, if it has one.
func (c *canvas) element(name, attributes, class, title string) {
	c.body.WriteString("\n<" + name + ` class="` + class + `" ` + attributes)
	if title == "" {
		c.body.WriteString("/>")
		return
	}
	c.body.WriteString("><title>" + escape(title) + "</title></" + name + ">")
}

// rect draws a rectangle; its sides may be given in any order.
func (c *canvas) rect(class string, x1, y1, x2, y2 float64, title string) {
	c.rectWith(class, "", x1, y1, x2, y2, title)
}

func (c *canvas) rectWith(class, more string, x1, y1, x2, y2 float64, title string) {
	if !drawable(x1, y1, x2, y2) {
		return
	}
	a, b := c.in(point{min(x1, x2), min(y1, y2)}), c.in(point{max(x1, x2), max(y1, y2)})
	c.element("rect", more+`x="`+px(a.x)+`" y="`+px(a.y)+`" width="`+extent(a.x, b.x)+`" height="`+extent(a.y, b.y)+`"`, class, title)
}

// extent is a length between two places as they are written, so that a mark ends where the next
// begins.
func extent(from, to float64) string {
	return px(math.Round(to*10)/10 - math.Round(from*10)/10)
}

// line draws a straight line.
func (c *canvas) line(class string, x1, y1, x2, y2 float64, title string) {
	if !drawable(x1, y1, x2, y2) {
		return
	}
	a, b := c.in(point{x1, y1}), c.in(point{x2, y2})
	c.element("line", `x1="`+px(a.x)+`" y1="`+px(a.y)+`" x2="`+px(b.x)+`" y2="`+px(b.y)+`"`, class, title)
}

// path draws lines through points. A point that cannot be drawn parts the line; points that lie
// on the one before are left out.
func (c *canvas) path(class string, points []point, title string) {
	c.outline(class, points, false, title)
}

// outline is path, and may close the line to a shape.
func (c *canvas) outline(class string, points []point, closed bool, title string) {
	var d strings.Builder
	pen, last := false, ""
	for _, p := range points {
		if !drawable(p.x, p.y) {
			pen = false
			continue
		}
		p = c.in(p)
		at := px(p.x) + " " + px(p.y)
		switch {
		case !pen:
			d.WriteString("M" + at)
		case at != last:
			d.WriteString("L" + at)
		}
		pen, last = true, at
	}
	if d.Len() == 0 {
		return
	}
	if closed {
		d.WriteString("Z")
	}
	c.element("path", `d="`+d.String()+`"`, class, title)
}

// circle draws a circle; the whole of it stays inside.
func (c *canvas) circle(class string, x, y, r float64, title string) {
	if !drawable(x, y) {
		return
	}
	x, y = min(max(x, r), width-r), max(y, r)
	p := c.in(point{x, y})
	c.bottom = max(c.bottom, y+r)
	c.element("circle", `cx="`+px(p.x)+`" cy="`+px(p.y)+`" r="`+px(r)+`"`, class, title)
}

// shapes is how many shapes of dots there are.
const shapes = 4

// dot draws a mark in one of the shapes: a circle, a square, a diamond or a triangle.
func (c *canvas) dot(shape int, class string, x, y, r float64, title string) {
	if !drawable(x, y) {
		return
	}
	x, y = min(max(x, r+1), width-r-1), max(y, r+1)
	switch shape % shapes {
	case 1:
		c.rect(class, x-r, y-r, x+r, y+r, title)
	case 2:
		r++
		c.outline(class, []point{{x, y - r}, {x + r, y}, {x, y + r}, {x - r, y}}, true, title)
	case 3:
		r++
		c.outline(class, []point{{x, y - r}, {x + r, y + 0.8*r}, {x - r, y + 0.8*r}}, true, title)
	default:
		c.circle(class, x, y, r, title)
	}
}

// The ends at which texts are held.
const (
	atStart  = "start"
	atMiddle = "middle"
	atEnd    = "end"
)

// sizeOf returns the size of a text of a class.
func sizeOf(class string) float64 {
	if strings.Contains(class, "small") {
		return smallSize
	}
	return fontSize
}

// widthOf estimates the width of a text of a class.
func widthOf(class, s string) float64 {
	w := textWidth(clean(s), sizeOf(class))
	if strings.Contains(class, "bold") {
		w *= 1.1
	}
	return w
}

// text writes a text whose baseline is at y. A text that would leave the drawing is moved, or
// cut if it is wider than that.
func (c *canvas) text(class, anchor string, x, y float64, s string) {
	c.textIn(class, anchor, x, y, width, s)
}

// textIn writes a text into so much room; what is cut has the whole of it as its title.
func (c *canvas) textIn(class, anchor string, x, y, room float64, s string) {
	s = clean(s)
	if !drawable(x, y) || strings.TrimSpace(s) == "" {
		return
	}
	room = min(room, width)
	whole := s
	if w := widthOf(class, s); w > room {
		s = fit(s, room*textWidth(s, sizeOf(class))/w, sizeOf(class))
	}
	if s == "" {
		return
	}
	w := widthOf(class, s)
	left := 0.0 // of the text, from x
	switch anchor {
	case atMiddle:
		left = w / 2
	case atEnd:
		left = w
	}
	x = max(min(x, width-(w-left)), left)
	y = max(y, sizeOf(class))
	p := c.in(point{x, y})
	c.bottom = max(c.bottom, y+sizeOf(class)/4)
	c.body.WriteString("\n<text")
	if class != "" {
		c.body.WriteString(` class="` + class + `"`)
	}
	if anchor != atStart {
		c.body.WriteString(` text-anchor="` + anchor + `"`)
	}
	c.body.WriteString(` x="` + px(p.x) + `" y="` + px(p.y) + `">` + escape(s))
	if s != whole {
		c.body.WriteString("<title>" + escape(whole) + "</title>")
	}
	c.body.WriteString("</text>")
}

// notes writes remarks below a drawing and returns where they end.
func (c *canvas) notes(y float64, notes []string) float64 {
	for _, n := range notes {
		for _, line := range firstLines(wrap(n, width-20, smallSize)) {
			y += lineHeight
			c.text("small soft", atStart, 0, y, line)
		}
	}
	return y
}

// nothing is the drawing of a chart without any number.
func (c *canvas) nothing(title, why string) string {
	c.text("soft", atStart, 0, 24, why)
	return c.finish(36, title, why)
}
