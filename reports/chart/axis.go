package chart

import "math"

// scale places numbers between two places of a drawing.
type scale struct {
	lo, hi   float64 // numbers
	from, to float64 // their places in px
	log      bool
}

// at returns the place of a number; one outside of the scale is at its end, and one that cannot
// be drawn has no place.
func (s scale) at(v float64) float64 {
	if !finite(v) || s.log && v <= 0 {
		return math.NaN()
	}
	v = min(max(v, s.lo), s.hi)
	f := 0.0
	if s.log {
		f = math.Log(v/s.lo) / math.Log(s.hi/s.lo)
	} else if s.hi > s.lo {
		f = (v - s.lo) / (s.hi - s.lo)
	}
	return s.from + f*(s.to-s.from)
}

// axis is a scale with named places.
type axis struct {
	scale
	ticks []tick
}

// bounds collects the least and the greatest of numbers.
type bounds struct {
	lo, hi float64
	any    bool
}

// add takes numbers that can be drawn into account.
func (b *bounds) add(vs ...float64) {
	for _, v := range vs {
		if !finite(v) {
			continue
		}
		if v = onAxis(v); !b.any {
			b.lo, b.hi, b.any = v, v, true
		}
		b.lo, b.hi = min(b.lo, v), max(b.hi, v)
	}
}

// addPositive takes those numbers into account that a logarithmic axis can show.
func (b *bounds) addPositive(vs ...float64) {
	for _, v := range vs {
		if finite(v) && v >= least {
			b.add(v)
		}
	}
}

// linear returns an axis that begins and ends at round numbers. Vertical axes have room for more
// labels than horizontal ones.
func (b bounds) linear(u Unit, from, to float64) axis {
	length := math.Abs(to - from)
	apart := 38.0
	if to > from {
		apart = 66
	}
	lo, hi, ticks := linearTicks(b.lo, b.hi, max(1, int(length/apart)), u)
	return axis{scale{lo: lo, hi: hi, from: from, to: to}, ticks}
}

// exact returns a linear axis that begins and ends with its numbers.
func (b bounds) exact(u Unit, from, to float64) axis {
	lo, hi := b.lo, b.hi
	if hi <= lo {
		hi = lo + max(1, math.Abs(lo)*1e-9)
	}
	s := scale{lo: lo, hi: hi, from: from, to: to}
	length := math.Abs(to - from)
	if u == UnixTime {
		if ticks := timeTicks(lo, hi, max(1, int(length/80))); ticks != nil {
			return axis{s, ticks}
		}
	}
	_, _, all := linearTicks(lo, hi, max(1, int(length/66)), u)
	var ticks []tick
	for _, t := range all {
		if t.at >= lo && t.at <= hi {
			ticks = append(ticks, t)
		}
	}
	return axis{s, ticks}
}

// logarithmic returns a logarithmic axis with some air at its ends. Its numbers are positive.
func (b bounds) logarithmic(u Unit, from, to float64) axis {
	lo, hi := b.lo, b.hi
	if lo <= 0 {
		lo, hi = 1, max(hi, 10)
	}
	air := math.Pow(hi/lo, 0.04)
	if air < 1+1e-4 { // all are equal
		air = 1.25
	}
	return logAxis(lo/air, hi*air, u, from, to)
}

// logAxis returns a logarithmic axis that begins and ends with numbers.
func logAxis(lo, hi float64, u Unit, from, to float64) axis {
	apart := 30.0
	if to > from {
		apart = 62
	}
	s := scale{lo: lo, hi: hi, from: from, to: to, log: true}
	return axis{s, logTicks(lo, hi, max(2, int(math.Abs(to-from)/apart)), u)}
}

// axisHeight is how much room the labels below a horizontal axis take, and datesHeight how much
// more those of instants do.
const (
	axisHeight  = 22.0
	datesHeight = 16.0
)

// xAxis draws a horizontal axis at y with lines up to top, and its labels below. It returns where
// they end. A label that would touch the one before it is left out; its line stays.
func (c *canvas) xAxis(a axis, top, y float64) float64 {
	const gap = 8.0
	end, endUnder := math.Inf(-1), math.Inf(-1)
	bottom := y + axisHeight
	c.line("l-soft", a.from, y, a.to, y, "")
	for _, t := range a.ticks {
		x := a.at(t.at)
		if !drawable(x) {
			continue
		}
		c.line("l-rule", x, top, x, y, "")
		c.line("l-soft", x, y, x, y+4, "")
		if left, right := held(x, widthOf("small", t.label)); left >= end+gap {
			c.text("small soft", atMiddle, x, y+17, t.label)
			end = right
		}
		if t.under == "" {
			continue
		}
		bottom = y + axisHeight + datesHeight
		if left, right := held(x, widthOf("small", t.under)); left >= endUnder+gap {
			c.text("small soft", atMiddle, x, y+17+datesHeight, t.under)
			endUnder = right
		}
	}
	return bottom
}

// held returns where a text that is centred at x begins and ends once it is kept inside of the
// drawing.
func held(x, w float64) (left, right float64) {
	left = min(max(x-w/2, 0), max(0, width-w))
	return left, left + w
}

// yAxis draws the labels of a vertical axis left of x, and lines from there to right.
func (c *canvas) yAxis(a axis, x, right float64) {
	last := math.Inf(1)
	for _, t := range a.ticks {
		y := a.at(t.at)
		if !drawable(y) {
			continue
		}
		class := "l-rule"
		if t.at == 0 && !a.log {
			class = "l-soft"
		}
		c.line(class, x, y, right, y, "")
		if math.Abs(last-y) >= fontSize {
			c.textIn("small soft", atEnd, x-6, y+4, x-6, t.label)
			last = y
		}
	}
}
