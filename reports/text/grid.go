package text

import (
	"slices"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"

	"github.com/tailpath/tailpath/reports/page"
)

// grid is a table that is being laid out.
type grid struct {
	columns []page.Column
	rows    [][]string
}

// gap is the space between columns; flexMin the least width a column is cut to.
const (
	gap     = 2
	flexMin = 16
)

// table draws a table as wide as the page allows: first as it is, then with long
// texts under their rows, then with texts cut, then split into several tables that
// repeat the first column. Without a width it is drawn as it is.
func (p *paper) table(t page.Table) {
	g := p.grid(t)
	limit := p.o.Width
	if limit == 0 || g.width() <= limit {
		p.lines(g, nil)
		return
	}
	g, under := g.lifted()
	names := g.names()
	if g.width() > limit {
		p.shrink(g, limit)
	}
	split := g.width() > limit
	if g.columns[0].Told {
		if split {
			p.widen(g, names, limit)
		}
		for r, row := range g.rows {
			if row[0] != names[r] {
				under[r] = append(under[r], p.cutMiddle(names[r], nameLongest))
			}
		}
	}
	if !split {
		p.lines(g, under)
		return
	}
	for _, part := range g.split(limit) {
		p.shrink(part, limit)
		p.cutHard(part, limit)
		p.lines(part, under)
		under = nil
	}
}

// grid spells the texts of a table, which stays as it is.
func (p *paper) grid(t page.Table) grid {
	g := grid{columns: make([]page.Column, len(t.Columns)), rows: make([][]string, len(t.Rows))}
	for i, c := range t.Columns {
		c.Head = p.spell(c.Head)
		g.columns[i] = c
	}
	for i, row := range t.Rows {
		g.rows[i] = make([]string, len(row))
		for k, cell := range row {
			g.rows[i][k] = p.spell(cell)
		}
	}
	return g
}

func (g grid) widths() []int {
	w := make([]int, len(g.columns))
	for i, c := range g.columns {
		w[i] = width(c.Head)
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
		if !c.Below {
			rest.columns = append(rest.columns, c)
		}
		for r, row := range g.rows {
			switch {
			case !c.Below:
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
func (p *paper) shrink(g grid, limit int) {
	w := g.widths()
	over := g.width() - limit
	for over > 0 {
		widest := -1
		for i, c := range g.columns {
			if c.Flex && w[i] > max(flexMin, width(c.Head)) && (widest < 0 || w[i] > w[widest]) {
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
		if !c.Flex {
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
func (p *paper) widen(g grid, names []string, limit int) {
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
func (p *paper) cutCell(c page.Column, s string, limit int) string {
	if c.Path {
		return p.cutFront(s, limit)
	}
	return p.cut(s, limit)
}

// cutHard cuts the first column, and then the others, of a part that is still too wide.
func (p *paper) cutHard(g grid, limit int) {
	for i := range g.columns {
		over := g.width() - limit
		if over <= 0 {
			return
		}
		to := max(1, g.widths()[i]-over)
		g.columns[i].Head = p.cut(g.columns[i].Head, to)
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
			for next < len(g.columns) && g.columns[next].Join {
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
		part := grid{columns: append([]page.Column{g.columns[0]}, g.columns[at:end]...)}
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

// lines renders a grid, with the texts of under beneath their rows.
func (p *paper) lines(g grid, under [][]string) {
	if len(g.rows) == 0 {
		return
	}
	for i, line := range renderLines(g) {
		tone := page.Plain
		if i == 0 {
			tone = page.Dim
		}
		p.emit(tone, line)
		if i == 0 || under == nil {
			continue
		}
		for _, text := range under[i-1] {
			p.hanging(page.Plain, "    ", text)
		}
	}
}

// renderLines returns the header line and one line a row.
func renderLines(g grid) []string {
	fixedWidths()
	align := make([]tw.Align, len(g.columns))
	head := make([]string, len(g.columns))
	for i, c := range g.columns {
		align[i], head[i] = tw.AlignRight, c.Head
		if c.Text {
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
