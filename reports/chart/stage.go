package chart

import "slices"

// unattributed is the stage of time that nothing accounts for. It is hatched, not coloured.
const unattributed = "unattributed"

// stages are those that have a colour, in path order.
var stages = func() (names []string) {
	for _, s := range Palette() {
		names = append(names, s.Stage)
	}
	return names
}()

// stageClass returns the class that fills a mark with the colour of a stage. A name that is no
// stage has the colour of secondary text, and none at all that of the ink.
func stageClass(stage string) string {
	switch {
	case stage == "":
		return "ink"
	case slices.Contains(stages, stage):
		return "s-" + stage
	}
	return "soft"
}

// stageLine is stageClass for lines.
func stageLine(stage string) string {
	switch {
	case stage == "":
		return "l-ink"
	case stage == unattributed || slices.Contains(stages, stage):
		return "l-" + stage
	}
	return "l-soft"
}

// stageRect fills a rectangle for a stage.
func (c *canvas) stageRect(stage string, x1, y1, x2, y2 float64, title string) {
	if stage != unattributed {
		c.rect(stageClass(stage), x1, y1, x2, y2, title)
		return
	}
	c.hatch = true
	c.rectWith("hatch", `fill="url(#`+c.id+`-hatch)" `, x1, y1, x2, y2, title)
}

// derivedRect is stageRect with the pattern of what was worked out over it.
func (c *canvas) derivedRect(stage string, x1, y1, x2, y2 float64, title string) {
	c.stageRect(stage, x1, y1, x2, y2, "")
	c.derived = true
	c.rectWith("derived", `fill="url(#`+c.id+`-derived)" `, x1, y1, x2, y2, title)
}

// inPathOrder returns the names that occur, those of stages in path order, others after them in
// the order in which they came.
func inPathOrder(names []string) []string {
	var out []string
	for _, s := range stages {
		if slices.Contains(names, s) {
			out = append(out, s)
		}
	}
	for _, n := range names {
		if n != unattributed && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	if slices.Contains(names, unattributed) {
		out = append(out, unattributed)
	}
	return out
}

// key is an entry of a legend: how a mark looks, and what it is.
type key struct {
	label string
	draw  func(x, y float64) // the mark, in a square of 12 px whose upper left corner this is
}

// stageKeys are the keys of stages.
func (c *canvas) stageKeys(names []string) []key {
	var keys []key
	for _, n := range inPathOrder(names) {
		keys = append(keys, key{n, func(x, y float64) { c.stageRect(n, x, y, x+12, y+12, "") }})
	}
	return keys
}

// lineKey is the key of a line.
func (c *canvas) lineKey(class, label string) key {
	return key{label, func(x, y float64) { c.line(class, x-4, y+6, x+14, y+6, "") }}
}

// legendRows is how many rows a legend may have; what has no room is counted.
const legendRows = 4

// legend draws keys in rows below y and returns where it ends.
func (c *canvas) legend(y float64, keys []key) float64 {
	const before, between, most = 20.0, 18.0, 260.0
	x, row := 4.0, 0
	for i, k := range keys {
		label := fit(k.label, most, smallSize)
		w := before + textWidth(label, smallSize)
		if x > 4 && x+w > width {
			x, row = 4, row+1
		}
		if row == legendRows {
			row--
			c.text("small soft", atEnd, width, y+float64(row)*lineHeight+11, "and "+plural(len(keys)-i, "more", "more"))
			break
		}
		top := y + float64(row)*lineHeight
		k.draw(x, top)
		c.textIn("small soft", atStart, x+before, top+11, most, k.label)
		x += w + between
	}
	if len(keys) == 0 {
		return y
	}
	return y + float64(row+1)*lineHeight
}
