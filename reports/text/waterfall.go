package text

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/tailpath/tailpath/reports"
	"github.com/tailpath/tailpath/reports/page"
)

// The waterfall's measures in columns: the axis in a pipe, its least and greatest
// length elsewhere, the longest label, and the levels that are indented.
const (
	axisPlain  = 64
	axisLeast  = 16
	axisMost   = 120
	labelMost  = 32
	depthShown = 8
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
func (p *paper) waterfall(w page.Waterfall) {
	labels := make([]string, len(w.Rows))
	widest, figures := len("span"), len("on path")+len("took ms")
	for i, row := range w.Rows {
		labels[i] = p.spell(indented(row))
		if p.o.Width > 0 {
			labels[i] = p.cut(labels[i], min(labelMost, p.o.Width/3))
		}
		widest = max(widest, width(labels[i]))
		figures = max(figures, len("on path")+len(row.Took), len("on path")+len(row.OnPath))
	}
	axis := axisPlain
	if p.o.Width > 0 {
		axis = min(axisMost, max(axisLeast, p.o.Width-widest-figures-3*gap-2))
	}
	t := page.Table{Columns: []page.Column{{Head: "span", Text: true}, {Head: ticks(w.LengthNS, axis), Text: true}, {Head: "took " + w.Unit}, {Head: "on path"}}}
	goesOn := false
	for i, row := range w.Rows {
		bar := drawBar(w.LengthNS, row, axis)
		goesOn = goesOn || strings.ContainsRune(bar, beyond)
		t.Rows = append(t.Rows, []string{labels[i], "|" + bar + "|", row.Took, row.OnPath})
	}
	p.table(t)
	legend := "= on the critical path, - off it, ~ on it and derived from a duration, ? on it while another span ran"
	if goesOn {
		legend += ", > goes on after the request"
	}
	p.hanging(page.Dim, "  ", legend)
}

// indented returns the label of a row behind as much space as it is deep.
func indented(row page.WaterfallRow) string {
	indent := strings.Repeat("  ", min(row.Depth, depthShown))
	if row.Depth > depthShown {
		indent += fmt.Sprintf("[%d] ", row.Depth)
	}
	return indent + row.Label
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
func drawBar(length int64, row page.WaterfallRow, n int) string {
	cells := []rune(strings.Repeat(" ", n))
	within := row.To >= 0 && row.From <= length
	if within && !row.OfStage {
		for c := cellOf(row.From, length, n); c <= lastCell(row.From, row.To, length, n); c++ {
			cells[c] = offPath
		}
	}
	best := make([]int64, n)
	for _, m := range row.Marks {
		drawMark(cells, best, signs[m.Sign], m.From, m.To, length)
	}
	if within && row.To > length {
		cells[n-1] = beyond
	}
	return string(cells)
}

// signs are the marks of the parts of a path.
var signs = [...]rune{page.OnPath: onPath, page.Derived: derived, page.Ambiguous: ambiguous}

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
