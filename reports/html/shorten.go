package html

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/tailpath/tailpath/reports"
	"github.com/tailpath/tailpath/reports/page"
)

// shortened returns a page whose tables have at most so many rows besides a total, each with a
// sentence under it that says what is missing, and in how many tables and rows something is.
func shortened(p page.Page, rows int) (short page.Page, tables, missing int) {
	short = p
	short.Sections = make([]page.Section, len(p.Sections))
	for i, s := range p.Sections {
		short.Sections[i] = s
		if s.Folded { // left out as a whole by then
			continue
		}
		var blocks []page.Block
		for _, b := range s.Blocks {
			t, is := b.(page.Table)
			if w, fall := b.(page.Waterfall); fall {
				t, is = w.Table(), true
			}
			n := rowsBeside(t)
			if !is || n <= rows {
				blocks = append(blocks, b)
				continue
			}
			t.Rows = slices.Concat(t.Rows[:rows], t.Rows[n:])
			blocks = append(blocks, t, page.Paragraph{Tone: page.Dim, Text: fmt.Sprintf("%s of %s rows shown, to keep this file short", reports.Integer(int64(rows)), reports.Integer(int64(n)))})
			tables, missing = tables+1, missing+n-rows
		}
		short.Sections[i].Blocks = blocks
	}
	return short, tables, missing
}

// rowsBeside is how many rows a table has besides a total, which stands last.
func rowsBeside(t page.Table) int {
	n := len(t.Rows)
	if n > 1 && len(t.Rows[n-1]) > 0 && strings.TrimSpace(t.Rows[n-1][0]) == "total" {
		return n - 1
	}
	return n
}

// leastRows is how many rows a table keeps: those of percentiles, bands and stages have no more, and
// are no lists.
const leastRows = 12

// shorten takes the last rows out of tables, of the longest the most, until the file fits or none
// has more than the least. Folded sections and waterfalls were left out before.
func (f *file) shorten() (text string) {
	longest := max(leastRows, len(f.document.Inputs))
	for _, s := range f.body.Sections {
		for _, b := range s.Blocks {
			switch b := b.(type) {
			case page.Table:
				longest = max(longest, len(b.Rows))
			case page.Waterfall:
				longest = max(longest, len(b.Rows))
			}
		}
	}
	drawn := func(rows int) string {
		short, tables, missing := shortened(f.body, rows)
		f.left.tables, f.left.rows, f.most = tables, missing, rows
		f.sections = sectionsOf(short)
		for i := range f.sections {
			s := &f.sections[i]
			s.omitted = s.folded
			for j := range s.pieces {
				if s.pieces[j].waterfall {
					s.pieces[j].html = omittedWaterfall
				}
			}
		}
		return f.html()
	}
	// The most rows that fit are one less than the fewest that do not.
	rows := leastRows + sort.Search(longest-leastRows, func(n int) bool { return int64(len(drawn(leastRows+n+1))) > f.limit })
	return drawn(rows)
}
