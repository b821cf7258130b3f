package chart

import (
	"cmp"
	"math"
	"slices"
)

// Tile is a step of an Icicle.
type Tile struct {
	Label string
	Depth int     // 0 for those on top
	From  float64 // where it begins, in the unit of the chart; it lies within that above it
	Value float64 // how long it is, with what is beneath it
	Stage string  // whose colour it has; empty for a step that only holds those beneath it
	Note  string  // "n = 11 of 11"
}

// Layers is one of the panels of an Icicle.
type Layers struct {
	Label string // "slow", with how many requests it is of
	Total float64
	Tiles []Tile
}

// Icicle shows of what a whole is made, step under step: each as wide as its part, those beneath
// one within it. All panels are over one axis.
type Icicle struct {
	Unit Unit
	Of   []Layers
}

// The parts of an Icicle.
const (
	icicleRow   = 34.0
	icicleStage = 12.0 // height of a stage; its label is below it
	icicleSpan  = 24.0 // height of what only holds others; its label is in it
	icicleDeep  = 16   // layers; deeper ones are counted
	icicleMost  = 400  // tiles of a panel
)

// SVG draws each panel from the top down: what only holds others in outline with its name in it,
// and stages filled with their colour, with their name beneath where that has room. Tiles that
// are too narrow to be seen are counted.
func (g Icicle) SVG(id, title string) string {
	c := newCanvas(id)
	var notes []string
	var names []string
	var x bounds
	x.add(0)
	any := false
	for _, l := range g.Of {
		x.add(l.Total)
		for _, t := range l.Tiles {
			if t.drawn() {
				any = true
				x.add(t.From + t.Value)
				if t.Stage != "" {
					names = append(names, t.Stage)
				}
			}
		}
	}
	if !any {
		return c.nothing(title, "There is nothing to draw: no step takes time.")
	}
	y := c.legend(0, c.stageKeys(names)) + 6
	xs := x.exact(g.Unit, 4, width-4)
	deep, narrow, over := 0, 0, 0
	said := ""
	for _, l := range g.Of {
		told := l.Label + ": " + value(l.Total, g.Unit)
		c.textIn("bold small", atStart, 0, y+14, width, told)
		top := y + 22
		rows := 0
		ends := [icicleDeep]float64{} // where the last tile of each row ends
		tiles := l.Tiles
		if n := len(tiles) - icicleMost; n > 0 {
			tiles, narrow = tiles[:icicleMost], narrow+n
		}
		for _, t := range tiles {
			switch {
			case !t.drawn():
			case t.Depth >= icicleDeep:
				deep++
			case t.From < ends[t.Depth]*(1-1e-9):
				over++
			default:
				ends[t.Depth] = t.From + t.Value
				if xs.at(t.From+t.Value)-xs.at(t.From) < 0.5 {
					narrow++
				}
				rows = max(rows, t.Depth+1)
				c.tile(t, l, xs, top, g.Unit)
			}
		}
		if said != "" {
			said += " "
		}
		said += told + ", " + l.words(g.Unit) + "."
		y = top + icicleRow*float64(rows) + 10
	}
	y = c.xAxis(xs, y-6, y-6)
	if narrow > 0 {
		notes = append(notes, plural(narrow, "step is", "steps are")+" too narrow to be seen; the table has them.")
	}
	if deep > 0 {
		notes = append(notes, plural(deep, "deeper step is", "deeper steps are")+" not drawn; the table has them.")
	}
	if over > 0 {
		notes = append(notes, plural(over, "step that begins before another ends is", "steps that begin before others end are")+" not drawn.")
	}
	return c.finish(c.notes(y, notes)+4, title, "Steps of the critical path from the top down, as wide as the time in them, in the order in which requests come to them. "+said)
}

func (t Tile) drawn() bool {
	return finite(t.From) && finite(t.Value) && t.From >= 0 && t.Value > 0 && t.Depth >= 0 && finite(t.From+t.Value)
}

// words names the largest stages of a panel.
func (l Layers) words(u Unit) string {
	var list []Tile
	for _, t := range l.Tiles {
		if t.drawn() && t.Stage != "" {
			list = append(list, t)
		}
	}
	slices.SortStableFunc(list, func(a, b Tile) int { return cmp.Compare(b.Value, a.Value) })
	const most = 4
	text := "of which"
	for i, t := range list[:min(len(list), most)] {
		if i > 0 {
			text += ","
		}
		text += " " + t.Label + " " + value(t.Value, u)
	}
	if len(list) == 0 {
		return "of which no stage is drawn"
	}
	return text
}

// tile draws a step in the row of its depth.
func (c *canvas) tile(t Tile, l Layers, xs axis, top float64, u Unit) {
	from, to := xs.at(t.From), xs.at(t.From+t.Value)
	top += icicleRow * float64(t.Depth)
	told := l.Label + ": " + t.Label + ", " + value(t.Value, u)
	if l.Total > 0 {
		told += ", " + partValue(t.Value/l.Total, Share)
	}
	if t.Note != "" {
		told += " (" + t.Note + ")"
	}
	if t.Stage == "" {
		c.rect("outline", from+0.5, top+0.5, max(to-0.5, from+1), top+icicleSpan, told)
		c.fitted(from+6, top+16, to-from-12, t.Label)
		return
	}
	c.gapped(t.Stage, from, to, top, top+icicleStage, told)
	c.fitted(from, top+icicleStage+12, to-from-4, t.Label)
}

// fitted writes a label where most of it has room.
func (c *canvas) fitted(x, y, room float64, label string) {
	const least = 44.0
	if room >= math.Min(least, widthOf("small", label)) {
		c.textIn("small", atStart, x, y, room, label)
	}
}
