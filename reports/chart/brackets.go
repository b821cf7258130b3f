package chart

import (
	"cmp"
	"math"
	"slices"
)

// bracketRows is how many brackets may lie above each other.
const bracketRows = 3

// brackets draws brackets below y, those that would touch in rows of their own, and returns where
// they end. Those without room are counted in a note.
func (c *canvas) brackets(all []Bracket, y float64, xs axis, u Unit, notes []string) (float64, []string) {
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b Bracket) int { return cmp.Compare(a.From, b.From) })
	const high = 24.0
	ends := []float64{}
	left := 0
	for _, b := range sorted {
		x1, x2 := xs.at(b.From), xs.at(b.To)
		if !drawable(x1, x2) || b.To < b.From || b.To < xs.lo || b.From > xs.hi {
			continue
		}
		text := fit(b.Label, 260, smallSize)
		w := widthOf("small", text)
		from, to := held((x1+x2)/2, w)
		from, to = min(from, x1), max(to, x2)
		row := slices.IndexFunc(ends, func(end float64) bool { return from >= end+8 })
		if row < 0 && len(ends) < bracketRows {
			ends = append(ends, math.Inf(-1))
			row = len(ends) - 1
		}
		if row < 0 {
			left++
			continue
		}
		ends[row] = to
		top := y + float64(row)*high
		told := b.Label + ": " + value(b.From, u) + " to " + value(b.To, u)
		c.text("small", atMiddle, (x1+x2)/2, top+12, text)
		x2 = max(x2, x1+2)
		c.path("l-warn thick", []point{{x1, top + 22}, {x1, top + 17}, {x2, top + 17}, {x2, top + 22}}, told)
	}
	if left > 0 {
		notes = append(notes, plural(left, "more bracket has", "more brackets have")+" no room.")
	}
	return y + float64(len(ends))*high, notes
}

// bracketLines draws the ends of brackets down through a panel.
func (c *canvas) bracketLines(all []Bracket, top, bottom float64, xs axis) {
	for i, b := range all {
		if i == 24 || !finite(b.From) || !finite(b.To) || b.To < b.From || b.To < xs.lo || b.From > xs.hi {
			continue
		}
		for _, v := range [...]float64{b.From, b.To} {
			if v >= xs.lo && v <= xs.hi {
				c.line("l-warn dots", xs.at(v), top, xs.at(v), bottom, "")
			}
		}
	}
}
