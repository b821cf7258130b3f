package line

import "bytes"

// gather collects a record that is met in pieces, within the limits of the options. How
// the record is cut into pieces does not show in what is kept.
type gather struct {
	text  []byte
	limit int   // of len(text), 0 before the first piece
	lost  int64 // bytes that did not fit
}

// keptCapacity is how much memory a gather holds on to, in bytes.
const keptCapacity = 4 << 20

func (g *gather) reset() {
	if cap(g.text) > keptCapacity {
		g.text = nil
	}
	g.text, g.limit, g.lost = g.text[:0], 0, 0
}

// add appends a piece. When the limit is met, what no reader would see is given up
// first, and a record that must be whole gets the larger limit.
func (g *gather) add(r *Reader, piece []byte) {
	if g.limit == 0 {
		g.limit = r.opt.MaxLine
	}
	for len(piece) > 0 && g.lost == 0 {
		n := min(len(piece), g.limit-len(g.text))
		g.text = append(g.text, piece[:n]...)
		if piece = piece[n:]; len(piece) == 0 {
			return
		}
		g.text = r.compact(g.text)
		switch {
		case len(g.text) <= g.limit/2:
		case g.limit < r.opt.MaxWhole && r.mustBeWhole(g.text):
			g.limit = r.opt.MaxWhole
		default:
			g.lost = int64(len(piece))
			return
		}
	}
	g.lost += int64(len(piece))
}

// compact leaves out, in place, NUL bytes and what was overwritten behind the first
// carriage return, but for records. The text before the first one stays, because a
// wrapper may be in it.
func (r *Reader) compact(text []byte) []byte {
	if bytes.IndexByte(text, 0) >= 0 {
		text, r.hadNul = dropNul(text), true
	}
	first := bytes.IndexByte(text, '\r')
	if first < 0 {
		return text
	}
	last := bytes.LastIndexByte(text, '\r')
	out := text[:first]
	for at := first; at < last; {
		end := at + 1 + bytes.IndexByte(text[at+1:], '\r')
		segment, from := text[at:end], -1
		if r.opt.Begins != nil {
			from, _ = r.begins(segment[1:], 0)
		}
		if from >= 0 {
			out = append(out, segment...)
		} else if !blank(segment) {
			r.stats.Overwritten++
		}
		at = end
	}
	return append(out, text[last:]...)
}

// mustBeWhole reports whether the record that begins with text, wrappers included, is
// of no use without its end, or text is a part of such a record. It does not change text.
func (r *Reader) mustBeWhole(text []byte) bool {
	l := Line{Text: text}
	for range maxDepth {
		v := r.peelPrefix(&l)
		if v == bare {
			break
		}
		if i := r.find(&l, false); v != wrapped && i >= 0 && r.isWhole(r.joint[i].text) {
			return true
		}
	}
	return r.isWhole(l.Text)
}

// isWhole is mustBeWhole for a text without wrappers before it.
func (r *Reader) isWhole(text []byte) bool {
	return looksObject(text) || r.opt.Whole != nil && r.opt.Whole(text)
}
