package chart

import (
	"math"
	"strings"
)

// The parts of a Change.
const (
	changeLeft  = 180.0
	changeRight = 150.0
	changeRow   = 30.0
	changeMost  = 60
)

// The directions of a change.
const (
	same   = "soft"
	worse  = "worse"
	better = "better"
)

// direction says what a pair's change is: what its word says, and where that does not tell, what
// its numbers do: more is worse.
func (p Pair) direction() string {
	switch strings.ToLower(p.Word) {
	case "~", "same", "unchanged":
		return same
	case "slower", "worse", "more", "higher", "new":
		return worse
	case "faster", "better", "less", "fewer", "lower", "gone":
		return better
	}
	switch {
	case p.New > p.Old:
		return worse
	case p.New < p.Old:
		return better
	}
	return same
}

// words writes a change: an arrow, the difference with its sign, and the word.
func (p Pair) words(u Unit) string {
	d := p.New - p.Old
	if !finite(d) {
		return p.Word
	}
	arrow, sign := "", ""
	switch {
	case d > 0:
		arrow, sign = "↑ ", "+"
	case d < 0:
		arrow = "↓ "
	}
	if p.direction() == same {
		arrow = ""
	}
	return strings.TrimSpace(arrow + sign + difference(d, u) + " " + p.Word)
}

// difference writes a difference of two numbers; of two shares in percentage points.
func difference(d float64, u Unit) string {
	switch u {
	case Share:
		return digits(d*100) + " pp"
	case UnixTime:
		return value(d, Nanos)
	}
	return value(d, u)
}

// SVG draws a row for each pair: a hollow dot for what it was, a full one for what it is, and an
// arrow from the one to the other; behind it the change as an arrow, a number with its sign and a
// word, in amber or blue for worse or better.
func (ch Change) SVG(id, title string) string {
	c := newCanvas(id)
	var notes []string
	var x bounds
	x.add(0)
	var pairs []Pair
	for _, p := range ch.Pairs {
		if finite(p.Old) || finite(p.New) {
			pairs = append(pairs, p)
		}
	}
	if len(pairs) == 0 {
		return c.nothing(title, "There is nothing to draw: nothing was measured on either side.")
	}
	if n := len(pairs) - changeMost; n > 0 {
		pairs = pairs[:changeMost]
		notes = append(notes, plural(n, "more row is", "more rows are")+" not drawn.")
	}
	for _, p := range pairs {
		x.add(p.Old, p.New)
	}
	before, after := ch.Old, ch.New
	if before == "" {
		before = "before"
	}
	if after == "" {
		after = "after"
	}
	y := c.legend(0, []key{
		{before, func(x, y float64) { c.circle("hollow l-soft", x+6, y+6, 5, "") }},
		{after, func(x, y float64) { c.circle("ink", x+6, y+6, 5, "") }},
	}) + 6
	xs := x.linear(ch.Unit, changeLeft, width-changeRight)
	bottom := y + changeRow*float64(len(pairs))
	end := c.xAxis(xs, y, bottom)
	c.line("l-soft", xs.at(0), y, xs.at(0), bottom, "")
	var said []string
	for i, p := range pairs {
		mid := y + changeRow*(float64(i)+0.5)
		c.pair(p, ch.Unit, before, after, xs, mid)
		if len(said) < 12 {
			said = append(said, p.Label+" "+p.told(ch.Unit))
		}
	}
	return c.finish(c.notes(end, notes)+4, title, "From "+before+" to "+after+": "+strings.Join(said, "; ")+".")
}

// told writes both sides of a pair and its change.
func (p Pair) told(u Unit) string {
	side := func(v float64) string {
		if !finite(v) {
			return "not measured"
		}
		return value(v, u)
	}
	return strings.TrimRight(side(p.Old)+" to "+side(p.New)+", "+p.words(u), ", ")
}

// pair draws a row.
func (c *canvas) pair(p Pair, u Unit, before, after string, xs axis, mid float64) {
	if p.Stage != "" {
		c.stageRect(p.Stage, 0, mid-6, 12, mid+6, "")
		c.textIn("small", atStart, 20, mid+4, changeLeft-36, p.Label)
	} else {
		c.textIn("small", atStart, 0, mid+4, changeLeft-16, p.Label)
	}
	direction := p.direction()
	told := p.Label + ": " + p.told(u)
	from, to := xs.at(p.Old), xs.at(p.New)
	if drawable(from, to) && math.Abs(to-from) > 20 {
		step := 1.0
		if to < from {
			step = -1
		}
		tip := to - 7*step
		c.line("l-"+direction+" thick", from+5*step, mid, tip, mid, told)
		c.outline(direction, []point{{tip + 1*step, mid}, {tip - 6*step, mid - 4.5}, {tip - 6*step, mid + 4.5}}, true, "")
	} else {
		c.line("l-"+direction+" thick", from, mid, to, mid, told)
	}
	c.circle("hollow l-soft", from, mid, 5, p.Label+", "+before+": "+value(p.Old, u))
	c.circle(direction, to, mid, 5, p.Label+", "+after+": "+value(p.New, u))
	c.textIn("small "+direction, atStart, width-changeRight+14, mid+4, changeRight-14, p.words(u))
}
