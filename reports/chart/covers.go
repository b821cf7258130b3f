package chart

import (
	"strconv"
	"strings"
)

// Known says how a part of a Coverage is known. It is drawn as a pattern, not as a colour.
type Known uint8

// The ways in which something is known.
const (
	Recorded  Known = iota // as it was recorded: filled
	WorkedOut              // placed by inference: hatched, as in a Waterfall
	LeftOver               // what is left between the others: in outline
	Nothing                // nothing says what it is: hatched, as unattributed time is
)

// Covered is a part of a bar of a Coverage.
type Covered struct {
	Label string // "exact"
	Value float64
	Known Known
}

// Covers is a bar of a Coverage: parts of one whole, each 0 or more.
type Covers struct {
	Label string // what the whole is: "path time"
	Note  string // "n = 1,100"
	Unit  Unit   // of the values; Share where they add up to 1
	Parts []Covered
}

// Coverage shows how much of several things is known how: one bar each, as long as all of it.
type Coverage struct{ Bars []Covers }

// The parts of a Coverage.
const (
	coverLeft = 132.0
	coverRow  = 48.0
	coverMost = 20 // bars, and parts of one; more are counted
)

// SVG draws a bar for each whole, with the larger parts named above it.
func (v Coverage) SVG(id, title string) string {
	c := newCanvas(id)
	var said, notes []string
	y := 0.0
	more, moreParts := 0, 0
	for _, b := range v.Bars {
		parts, sum := []Covered(nil), 0.0
		for _, p := range b.Parts {
			if finite(p.Value) && p.Value > 0 {
				parts, sum = append(parts, p), sum+p.Value
			}
		}
		if !finite(sum) || sum <= 0 {
			continue
		}
		if len(said) == coverMost {
			more++
			continue
		}
		if n := len(parts) - coverMost; n > 0 {
			parts, moreParts = parts[:coverMost], moreParts+n
		}
		b.Parts = parts
		said = append(said, c.covers(b, sum, y))
		y += coverRow
	}
	if moreParts > 0 {
		notes = append(notes, plural(moreParts, "more part is", "more parts are")+" not drawn.")
	}
	if more > 0 {
		notes = append(notes, plural(more, "more bar is", "more bars are")+" not drawn.")
	}
	if len(said) == 0 {
		return c.nothing(title, "There is nothing to draw: nothing was measured.")
	}
	return c.finish(c.notes(y, notes)+4, title, "Bars by how well their parts are known. "+strings.Join(said, "; ")+".")
}

// covers draws a bar below y, and tells it.
func (c *canvas) covers(b Covers, sum, y float64) string {
	top, bottom := y+20, y+40
	c.textIn("bold small", atStart, 0, top+8, coverLeft-10, b.Label)
	c.textIn("small soft", atStart, 0, top+22, coverLeft-10, b.Note)
	at, free := coverLeft, coverLeft // px: where the next part begins, and the next name may
	var told []string
	for _, p := range b.Parts {
		number := value(p.Value, b.Unit)
		if b.Unit == Share {
			number = partValue(p.Value, Share)
		}
		text := p.Label + " " + number
		told = append(told, text)
		to := at + (width-coverLeft)*p.Value/sum
		end := to
		if to-at > 2 {
			end-- // a gap to the part behind it
		}
		c.known(p.Known, at, top, max(end, at+0.5), bottom, b.Label+": "+text)
		// A name stands where its part begins, or as near as there is room, but over it.
		size := widthOf("small", text)
		if x := min(max(at, free), width-size); x >= free && x <= to && x+size >= at {
			c.text("small", atStart, x, top-5, text)
			free = x + size + 12
		}
		at = to
	}
	if n := len(told); n > 12 {
		told = append(told[:12], "and "+strconv.Itoa(n-12)+" more")
	}
	return b.Label + ": " + strings.Join(told, ", ")
}

// known fills a rectangle with the pattern of how something is known.
func (c *canvas) known(k Known, x1, y1, x2, y2 float64, title string) {
	switch k {
	case WorkedOut:
		c.rect("bars", x1, y1, x2, y2, "")
		c.derived = true
		c.rectWith("derived", `fill="url(#`+c.id+`-derived)" `, x1, y1, x2, y2, title)
	case LeftOver:
		c.rect("outline", x1, y1, x2, y2, title)
	case Nothing:
		c.stageRect(unattributed, x1, y1, x2, y2, title)
	default:
		c.rect("bars", x1, y1, x2, y2, title)
	}
}
