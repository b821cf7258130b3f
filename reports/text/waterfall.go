package text

import (
	"fmt"
	"math/bits"
	"path"
	"strings"

	"github.com/tailpath/tailpath/reports"
)

// The waterfall's measures in columns: the axis in a pipe, its least and greatest
// length elsewhere, the longest label, and the levels that are indented.
const (
	axisPlain  = 64
	axisLeast  = 16
	axisMost   = 120
	labelMost  = 32
	depthShown = 8
	spansMost  = 200 // spans with a line of their own on a terminal
)

// The marks of the waterfall.
const (
	onPath    = '='
	offPath   = '-'
	derived   = '~'
	ambiguous = '?'
	beyond    = '>' // the span goes on after the request
)

// waterfall draws one line a span: where it ran, and where it was on the path.
func (p *page) waterfall(r reports.Request) {
	p.blank()
	omitted := r.RowsOmitted
	if p.o.Width > 0 {
		rows, cut := rowsShown(r.Rows, spansMost)
		r.Rows, omitted = rows, omitted+cut
	}
	labels := make([]string, len(r.Rows))
	widest := len("span")
	for i, row := range r.Rows {
		labels[i] = p.clean(rowLabel(row, r.Units > 1))
		if p.o.Width > 0 {
			labels[i] = p.cut(labels[i], min(labelMost, p.o.Width/3))
		}
		widest = max(widest, width(labels[i]))
	}
	var lengths []int64
	for _, row := range r.Rows {
		lengths = append(lengths, row.EndNS-row.StartNS, row.OnPathNS)
	}
	u := reports.CommonUnit(lengths...)
	columns := []column{{head: "span", text: true}, {}, {head: "took " + u.Name}, {head: "on path"}}
	axis := axisPlain
	if p.o.Width > 0 {
		figures := len("on path") + len("took ms")
		for _, l := range lengths {
			figures = max(figures, len("on path")+len(u.Format(l)))
		}
		axis = min(axisMost, max(axisLeast, p.o.Width-widest-figures-3*gap-2))
	}
	columns[1] = column{head: ticks(r.DurationNS, axis), text: true}
	g := grid{columns: columns}
	goesOn := false
	for i, row := range r.Rows {
		bar := drawBar(r, row, axis)
		goesOn = goesOn || strings.ContainsRune(bar, beyond)
		took, path := u.Format(row.EndNS-row.StartNS), absent
		if row.OnPathNS > 0 {
			path = u.Format(row.OnPathNS)
		}
		if row.OfStage {
			took = ""
		}
		g.rows = append(g.rows, []string{labels[i], "|" + bar + "|", took, path})
	}
	p.table(g)
	legend := "= on the critical path, - off it, ~ on it and derived from a duration, ? on it while another span ran"
	if goesOn {
		legend += ", > goes on after the request"
	}
	p.hanging(dim, "  ", legend)
	if omitted > 0 {
		p.hanging(plain, "  ", plural(omitted, "span")+" off the path not drawn")
	}
	p.blank()
}

// rowLabel indents a row by its depth and names what is unusual about it. With places a
// row that was made of a record says where that is.
func rowLabel(row reports.Row, places bool) string {
	label := strings.Repeat("  ", min(row.Depth, depthShown))
	if row.Depth > depthShown {
		label += fmt.Sprintf("[%d] ", row.Depth)
	}
	label += row.Label
	if row.Error {
		label += " !"
	}
	switch row.Role {
	case "", "root", "blocking", "clipped":
	default:
		label += " (" + row.Role + ")"
	}
	if places && row.Source != "" {
		label += " [" + placeOfLine(path.Base(row.Source), row.Line) + "]"
	}
	return label
}

// cellOf returns the cell of an axis of n cells over length ns in which an offset
// falls. Offsets outside are moved to the nearest end.
func cellOf(offset, length int64, n int) int {
	if offset <= 0 || length <= 0 {
		return 0
	}
	if offset >= length {
		return n - 1
	}
	hi, lo := bits.Mul64(uint64(offset), uint64(n))
	cell, _ := bits.Div64(hi, lo, uint64(length)) // offset < length, so the quotient is below n
	return int(cell)
}

// drawBar draws a span over the time of its request. Every mark shows in at least
// one cell; where several share a cell, the one that fills most of it wins.
func drawBar(r reports.Request, row reports.Row, n int) string {
	cells := []rune(strings.Repeat(" ", n))
	start, end := row.StartNS-r.StartNS, row.EndNS-r.StartNS
	within := end >= 0 && start <= r.DurationNS
	if within && !row.OfStage {
		for c := cellOf(start, r.DurationNS, n); c <= lastCell(start, end, r.DurationNS, n); c++ {
			cells[c] = offPath
		}
	}
	best := make([]int64, n)
	for _, m := range row.Marks {
		drawMark(cells, best, signs[m.Sign], m.StartNS-r.StartNS, m.EndNS-r.StartNS, r.DurationNS)
	}
	if within && end > r.DurationNS {
		cells[n-1] = beyond
	}
	return string(cells)
}

// signs are the marks by their names in a document.
var signs = map[string]rune{"path": onPath, "derived": derived, "ambiguous": ambiguous}

// drawMark draws the interval [from, to) of an axis of length ns. A mark takes the
// cells at its ends only when it fills half of them, lest neighbours look as if they
// overlapped; one that fills half of no cell takes the one it fills most.
func drawMark(cells []rune, best []int64, sign rune, from, to, length int64) {
	n := len(cells)
	covered := func(c int) int64 {
		return min(to, cellStart(c+1, length, n)) - max(from, cellStart(c, length, n))
	}
	fullest, drawn := cellOf(from, length, n), false
	for c := fullest; c <= lastCell(from, to, length, n); c++ {
		x := covered(c)
		if x > covered(fullest) {
			fullest = c
		}
		if 2*x >= cellStart(c+1, length, n)-cellStart(c, length, n) && x >= best[c] {
			best[c], cells[c], drawn = x, sign, true
		}
	}
	if x := covered(fullest); !drawn && x >= best[fullest] {
		best[fullest], cells[fullest] = x, sign
	}
}

// lastCell returns the last cell that an interval reaches into.
func lastCell(from, to, length int64, n int) int {
	first := cellOf(from, length, n)
	if to >= length {
		return n - 1
	}
	if to <= 0 {
		return first
	}
	hi, lo := bits.Mul64(uint64(to), uint64(n))
	lo, carry := bits.Add64(lo, uint64(length-1), 0)
	end, _ := bits.Div64(hi+carry, lo, uint64(length)) // rounded up: the cell where the interval is over
	return max(first, int(end)-1)
}

// cellStart returns the offset at which a cell starts.
func cellStart(c int, length int64, n int) int64 {
	hi, lo := bits.Mul64(uint64(c), uint64(max(0, length)))
	at, _ := bits.Div64(hi, lo, uint64(n)) // c <= n, so the quotient is at most length
	return int64(at)
}

// ticks returns the axis' head: round times at their places, over a bar of n cells
// and its two edges.
func ticks(length int64, n int) string {
	head := []rune(strings.Repeat(" ", n+2))
	if length <= 0 {
		return string(head)
	}
	step := int64(1)
	for _, factor := range stepFactors() {
		if step = factor; length/step <= int64(n/10) {
			break
		}
	}
	u := reports.CommonUnit(step)
	u.Decimals = 0
	free := 0
	for at := int64(0); at < length; at += step {
		text := []rune(u.Format(at))
		if at == 0 {
			text = []rune("0 " + u.Name)
		}
		c := cellOf(at, length, n) + 1
		if c >= free && c+len(text) <= len(head) {
			copy(head[c:], text)
			free = c + len(text) + 1
		}
		if at > length-step { // the next would overflow or lie beyond
			break
		}
	}
	return string(head)
}

// stepFactors returns 1, 2 and 5 times the powers of ten that an int64 holds.
func stepFactors() []int64 {
	var out []int64
	for power := int64(1); power <= 1e18; power *= 10 {
		out = append(out, power)
		if power < 1e18 {
			out = append(out, 2*power, 5*power)
		} else {
			break
		}
	}
	return append(out, 2e18, 5e18)
}
