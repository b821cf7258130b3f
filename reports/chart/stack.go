package chart

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// The parts of a Stack.
const (
	stackLeft  = 112.0 // where bars begin
	stackHigh  = 20.0  // of a bar
	stackRow   = 46.0  // from one bar to the next
	stackBars  = 40    // more are counted
	labelShare = 0.08  // a smaller part has no label
)

// SVG draws the bars twice, one above the other: as shares, each with the shares of its larger
// parts above it, and as amounts, each with its sum behind it. Parts are those of the mean of a
// band, so that they add up to the bar; parts below 0 lie left of zero.
func (s Stack) SVG(id, title string) string {
	c := newCanvas(id)
	var notes []string
	bars := s.Bars
	if n := len(bars) - stackBars; n > 0 {
		bars = bars[:stackBars]
		notes = append(notes, plural(n, "more bar is", "more bars are")+" not drawn.")
	}
	var names []string
	var share, amount bounds
	share.add(0, 1)
	amount.add(0)
	var said []string
	for _, b := range bars {
		var told []string
		for _, p := range b.Parts {
			if p.drawn() {
				names = append(names, p.Stage)
				told = append(told, p.Stage+" "+partValue(p.Share, Share))
			}
		}
		share.add(b.sums(Part.share))
		amount.add(b.sums(Part.value))
		if len(told) > 0 && len(said) < 12 {
			said = append(said, b.Label+": "+strings.Join(told, ", "))
		}
	}
	if len(names) == 0 {
		return c.nothing(title, "There is nothing to draw: no bar has a part.")
	}
	y := c.legend(0, c.stageKeys(names)) + 10
	c.text("bold small", atStart, 0, y+12, "share of the time")
	y = c.stack(bars, y+20, share.linear(Share, stackLeft, width-24), s.Unit, Share, Part.share)
	what := "amount"
	if s.Unit == Nanos {
		what = "time"
	}
	c.text("bold small", atStart, 0, y+30, what)
	y = c.stack(bars, y+38, amount.linear(s.Unit, stackLeft, width-84), s.Unit, s.Unit, Part.value)
	return c.finish(c.notes(y, notes)+4, title, "Stacked bars by stage. "+strings.Join(said, "; ")+".")
}

// partValue writes a part of a bar. Shares have one decimal, as those of a table that add up to
// 100.0 have: more would not be the same number.
func partValue(v float64, u Unit) string {
	if u == Share && finite(v) {
		return strconv.FormatFloat(onAxis(v)*100, 'f', 1, 64) + " %"
	}
	return value(v, u)
}

func (p Part) value() float64 { return p.Value }
func (p Part) share() float64 { return p.Share }

// drawn says whether a part has something to draw.
func (p Part) drawn() bool {
	return finite(p.Value) && finite(p.Share) && (p.Value != 0 || p.Share != 0)
}

// sums returns what the parts below and above 0 add up to.
func (b Bar) sums(of func(Part) float64) (below, above float64) {
	for _, p := range b.Parts {
		if v := of(p); p.drawn() && v < 0 {
			below += v
		} else if p.drawn() {
			above += v
		}
	}
	return below, above
}

// piece is where a part of a bar is drawn.
type piece struct {
	Part
	from, to float64 // px
}

// stack draws one of the panels of a Stack below y and returns where it ends.
// Amounts are in one unit, and what of gives in another.
func (c *canvas) stack(bars []Bar, y float64, a axis, amounts, u Unit, of func(Part) float64) float64 {
	bottom := y + stackRow*float64(len(bars))
	end := c.xAxis(a, y, bottom)
	c.line("l-soft", a.at(0), y, a.at(0), bottom, "")
	for i, b := range bars {
		top := y + stackRow*float64(i) + 18
		c.textIn("bold small", atStart, 0, top+8, stackLeft-10, b.Label)
		c.textIn("small soft", atStart, 0, top+22, stackLeft-10, b.Note)
		var pieces []piece
		var left, right float64
		for _, p := range b.Parts {
			v := of(p)
			if !p.drawn() {
				continue
			}
			at := &right
			if v < 0 {
				at = &left
			}
			pieces = append(pieces, piece{p, a.at(onAxis(*at)), a.at(onAxis(*at + v))})
			*at += v
		}
		for _, p := range pieces {
			told := b.Label + ": " + p.Stage + " " + value(p.Value, amounts) + ", " + partValue(p.Share, Share)
			if amounts == Share {
				told = b.Label + ": " + p.Stage + " " + partValue(p.Share, Share)
			}
			if b.Note != "" {
				told += " (" + b.Note + ")"
			}
			c.gapped(p.Stage, p.from, p.to, top, top+stackHigh, told)
		}
		c.partLabels(pieces, top-5, a, of, u)
		if u != Share {
			c.text("small", atStart, a.at(onAxis(right))+6, top+14, value(left+right, u))
		}
	}
	return end
}

// gapped draws a part of a bar with a gap of 1 px to the part behind it, if it is wide enough for
// one.
func (c *canvas) gapped(stage string, from, to, top, bottom float64, title string) {
	from, to = min(from, to), max(from, to)
	if to-from > 2 {
		to--
	}
	c.stageRect(stage, from, top, max(to, from+0.5), bottom, title)
}

// partLabels writes the larger parts of a bar above it: the stage with its number where that has
// room, otherwise the number alone. Where not even these have room the smallest go without.
func (c *canvas) partLabels(pieces []piece, y float64, a axis, of func(Part) float64, u Unit) {
	var named []piece
	for _, p := range pieces {
		if abs(p.Share) >= labelShare && abs(p.to-p.from) >= labelShare/2*(a.to-a.from) {
			named = append(named, p)
		}
	}
	rank := make([]int, len(named)) // by size, the smallest first
	for i := range rank {
		rank[i] = i
	}
	slices.SortStableFunc(rank, func(i, j int) int { return cmp.Compare(abs(of(named[i].Part)), abs(of(named[j].Part))) })
	texts := make([]string, len(named))
	for i, p := range named {
		texts[i] = fit(p.Stage, 110, smallSize) + " " + partValue(of(p.Part), u)
	}
	for round := range 2*len(rank) + 1 {
		if round > 0 {
			i := rank[(round-1)%len(rank)]
			texts[i] = ""
			if round <= len(rank) {
				texts[i] = partValue(of(named[i].Part), u)
			}
		}
		var centres, sizes []float64
		var shown []int
		for i, p := range named {
			if texts[i] != "" {
				shown = append(shown, i)
				centres, sizes = append(centres, (p.from+p.to)/2), append(sizes, widthOf("small", texts[i]))
			}
		}
		order := make([]int, len(shown))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(centres[i], centres[j]) })
		sorted := func(of []float64) (out []float64) {
			for _, i := range order {
				out = append(out, of[i])
			}
			return out
		}
		placed, ok := spread(sorted(centres), sorted(sizes), a.from, width, 8)
		for k, i := range order {
			p := named[shown[i]]
			// A label that was moved off the middle of its part would name another.
			ok = ok && abs(placed[k]-centres[i]) <= max(abs(p.to-p.from)/2, 16)
		}
		if !ok {
			continue
		}
		for k, i := range order {
			c.text("small", atMiddle, placed[k], y, texts[shown[i]])
		}
		return
	}
}

func abs(v float64) float64 { return max(v, -v) }
