package chart

import (
	"math"
	"strings"
)

// The parts of a Ranked.
const (
	rankedLeft  = 200.0 // where bars begin, unless labels need more
	rankedWide  = 320.0
	rankedRight = 150.0
	rankedRow   = 28.0
	rankedMost  = 60
)

// SVG draws a bar for each number, in the order in which they are given, with a whisker for its
// interval and the number behind it. Bars of numbers below 0 lie left of zero.
func (r Ranked) SVG(id, title string) string {
	c := newCanvas(id)
	var notes []string
	var ranks []Rank
	var x bounds
	x.add(0)
	for _, k := range r.Ranks {
		if finite(k.Value) {
			ranks = append(ranks, k)
		}
	}
	if len(ranks) == 0 {
		return c.nothing(title, "There is nothing to draw: nothing was measured.")
	}
	if n := len(r.Ranks) - len(ranks); n > 0 {
		notes = append(notes, plural(n, "row has", "rows have")+" no number and are not drawn.")
	}
	if n := len(ranks) - rankedMost; n > 0 {
		ranks = ranks[:rankedMost]
		notes = append(notes, plural(n, "more row is", "more rows are")+" not drawn.")
	}
	for _, k := range ranks {
		x.add(k.Value)
		if k.interval() {
			x.add(k.Low, k.High)
		}
	}
	left := rankedLeft
	for _, k := range ranks {
		left = min(max(left, widthOf("small", k.Label)+16), rankedWide)
	}
	xs := x.linear(r.Unit, left, width-rankedRight)
	bottom := 4 + rankedRow*float64(len(ranks))
	end := c.xAxis(xs, 4, bottom)
	var said []string
	for i, k := range ranks {
		mid := 4 + rankedRow*(float64(i)+0.5)
		said = append(said, c.rank(k, r.Unit, xs, left, mid))
	}
	c.line("l-soft", xs.at(0), 4, xs.at(0), bottom, "")
	if len(said) > 12 {
		said = append(said[:12], "and "+plural(len(said)-12, "more", "more"))
	}
	return c.finish(c.notes(end, notes)+4, title, "Bars by size: "+strings.Join(said, "; ")+".")
}

// interval says whether a rank has one.
func (k Rank) interval() bool { return finite(k.Low) && finite(k.High) && k.Low < k.High }

// rank draws a row, whose label ends before left, and tells it.
func (c *canvas) rank(k Rank, u Unit, xs axis, left, mid float64) string {
	interval := ""
	if k.interval() {
		interval = between(k.Low, k.Value, k.High, u)
	}
	told := k.Label + ": " + value(k.Value, u) + interval
	if k.Note != "" {
		told += ", " + k.Note
	}
	c.textIn("small", atEnd, left-12, mid+4, left-12, k.Label)
	zero, at := xs.at(0), xs.at(k.Value)
	if math.Abs(at-zero) < 1 {
		at = zero + math.Copysign(1, at-zero)
	}
	if k.Stage == "" {
		c.rect("bars", zero, mid-7, at, mid+7, told)
	} else {
		c.stageRect(k.Stage, zero, mid-7, at, mid+7, told)
	}
	if k.interval() {
		low, high := xs.at(k.Low), xs.at(k.High)
		for _, class := range [...]string{"halo", "l-ink thick"} {
			c.line(class, low, mid, high, mid, "")
		}
		c.line("l-ink thick", low, mid-4, low, mid+4, "")
		c.line("l-ink thick", high, mid-4, high, mid+4, told)
	}
	number := value(k.Value, u)
	x := width - rankedRight + 14
	c.text("small bold", atStart, x, mid+4, number)
	if k.Note != "" {
		x += widthOf("small bold", number) + 8
		c.textIn("small soft", atStart, x, mid+4, width-x, k.Note)
	}
	return told
}
