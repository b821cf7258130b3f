package text

import (
	"slices"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// column describes a column of a grid.
type column struct {
	head string
	text bool // left-aligned; numbers are right-aligned
	flex bool // may be cut when the table is too wide
	path bool // is cut at its front
	join bool // stays with the column before when the table is split
	// below moves the column to lines of its own under each row when the table is
	// too wide.
	below bool
	// told, of the first column, gives it the room that is left when the table is split, and
	// writes the names that are cut all the same under their rows: what cannot be told apart
	// says nothing.
	told bool
}

// grid is a table.
type grid struct {
	columns []column
	rows    [][]string
}

// gap is the space between columns; flexMin the least width a column is cut to.
const (
	gap     = 2
	flexMin = 16
)

// table draws a grid as wide as the page allows: first as it is, then with long
// texts under their rows, then with texts cut, then split into several tables that
// repeat the first column. Without a width it is drawn as it is.
func (p *page) table(g grid) {
	for i := range g.columns {
		g.columns[i].head = p.clean(g.columns[i].head)
	}
	for _, row := range g.rows {
		for i := range row {
			row[i] = p.clean(row[i])
		}
	}
	limit := p.o.Width
	if limit == 0 || g.width() <= limit {
		p.draw(g, nil)
		return
	}
	g, under := g.lifted()
	names := g.names()
	if g.width() > limit {
		p.shrink(g, limit)
	}
	split := g.width() > limit
	if g.columns[0].told {
		if split {
			p.widen(g, names, limit)
		}
		for r, row := range g.rows {
			if row[0] != names[r] {
				under[r] = append(under[r], p.name(names[r]))
			}
		}
	}
	if !split {
		p.draw(g, under)
		return
	}
	for _, part := range g.split(limit) {
		p.shrink(part, limit)
		p.cutHard(part, limit)
		p.draw(part, under)
		under = nil
	}
}

func (g grid) widths() []int {
	w := make([]int, len(g.columns))
	for i, c := range g.columns {
		w[i] = width(c.head)
		for _, row := range g.rows {
			w[i] = max(w[i], width(row[i]))
		}
	}
	return w
}

func (g grid) width() int {
	total := gap * (len(g.columns) - 1)
	for _, w := range g.widths() {
		total += w
	}
	return total
}

// lifted takes out the columns that go below their rows.
func (g grid) lifted() (rest grid, under [][]string) {
	rest.rows = make([][]string, len(g.rows))
	under = make([][]string, len(g.rows))
	for i, c := range g.columns {
		if !c.below {
			rest.columns = append(rest.columns, c)
		}
		for r, row := range g.rows {
			switch {
			case !c.below:
				rest.rows[r] = append(rest.rows[r], row[i])
			case row[i] != "":
				under[r] = append(under[r], row[i])
			}
		}
	}
	return rest, under
}

// shrink cuts the flexible columns, the widest first, until the grid fits or each is
// at its least width.
func (p *page) shrink(g grid, limit int) {
	w := g.widths()
	over := g.width() - limit
	for over > 0 {
		widest := -1
		for i, c := range g.columns {
			if c.flex && w[i] > max(flexMin, width(c.head)) && (widest < 0 || w[i] > w[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			break
		}
		w[widest]--
		over--
	}
	for i, c := range g.columns {
		if !c.flex {
			continue
		}
		for _, row := range g.rows {
			row[i] = p.cutCell(c, row[i], w[i])
		}
	}
}

// names returns the first column.
func (g grid) names() []string {
	out := make([]string, len(g.rows))
	for r, row := range g.rows {
		out[r] = row[0]
	}
	return out
}

// widen cuts the names of the first column, instead of to its least width, to the most with
// which the table is split into no more parts.
func (p *page) widen(g grid, names []string, limit int) {
	fits := func(w int) bool {
		parts := len(g.split(limit))
		old := g.names()
		for r, row := range g.rows {
			row[0] = p.cutCell(g.columns[0], names[r], w)
		}
		wider := g.split(limit)
		if len(wider) <= parts && !slices.ContainsFunc(wider, func(part grid) bool { return part.width() > limit }) {
			return true
		}
		for r, row := range g.rows {
			row[0] = old[r]
		}
		return false
	}
	for w := g.widths()[0] + 1; w < limit && fits(w); w++ {
	}
}

// cutCell shortens a cell of a column.
func (p *page) cutCell(c column, s string, limit int) string {
	if c.path {
		return p.cutFront(s, limit)
	}
	return p.cut(s, limit)
}

// cutHard cuts the first column, and then the others, of a part that is still too wide.
func (p *page) cutHard(g grid, limit int) {
	for i := range g.columns {
		over := g.width() - limit
		if over <= 0 {
			return
		}
		to := max(1, g.widths()[i]-over)
		g.columns[i].head = p.cut(g.columns[i].head, to)
		for _, row := range g.rows {
			row[i] = p.cutCell(g.columns[i], row[i], to)
		}
	}
}

// split returns parts that each hold the first column and as many others as fit.
// Joined columns stay with the one before.
func (g grid) split(limit int) []grid {
	w := g.widths()
	var parts []grid
	for at := 1; at < len(g.columns); {
		used, end := w[0], at
		for end < len(g.columns) {
			next := end + 1
			for next < len(g.columns) && g.columns[next].join {
				next++
			}
			need := 0
			for _, x := range w[end:next] {
				need += gap + x
			}
			if end > at && used+need > limit {
				break
			}
			used, end = used+need, next
		}
		part := grid{columns: append([]column{g.columns[0]}, g.columns[at:end]...)}
		for _, row := range g.rows {
			part.rows = append(part.rows, append([]string{row[0]}, row[at:end]...))
		}
		parts = append(parts, part)
		at = end
	}
	if parts == nil {
		parts = []grid{g}
	}
	return parts
}

// draw renders a grid, with the texts of under beneath their rows.
func (p *page) draw(g grid, under [][]string) {
	if len(g.rows) == 0 {
		return
	}
	for i, line := range renderLines(g) {
		style := plain
		if i == 0 {
			style = dim
		}
		p.emit(style, line)
		if i == 0 || under == nil {
			continue
		}
		for _, text := range under[i-1] {
			p.hanging(plain, "    ", text)
		}
	}
}

// renderLines returns the header line and one line a row.
func renderLines(g grid) []string {
	fixedWidths()
	align := make([]tw.Align, len(g.columns))
	head := make([]string, len(g.columns))
	for i, c := range g.columns {
		align[i], head[i] = tw.AlignRight, c.head
		if c.text {
			align[i] = tw.AlignLeft
		}
	}
	cell := tw.CellConfig{
		Formatting: tw.CellFormatting{AutoFormat: tw.Off, AutoWrap: tw.WrapNone},
		Alignment:  tw.CellAlignment{PerColumn: align},
		Padding:    tw.CellPadding{Global: tw.Padding{Right: strings.Repeat(" ", gap), Overwrite: true}},
	}
	var b strings.Builder
	t := tablewriter.NewTable(&b,
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
			Borders:  tw.BorderNone,
			Symbols:  tw.NewSymbols(tw.StyleNone),
			Settings: tw.Settings{Lines: tw.LinesNone, Separators: tw.SeparatorsNone},
		})),
		tablewriter.WithConfig(tablewriter.Config{Header: cell, Row: cell, Behavior: tw.Behavior{TrimSpace: tw.Off, AutoHide: tw.Off}}),
	)
	t.Header(head)
	// Bulk and Render fail only when the writer does, and a Builder does not.
	_ = t.Bulk(g.rows)
	_ = t.Render()
	return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
}
