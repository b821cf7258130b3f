package page

import (
	"fmt"
	"math"

	"github.com/tailpath/tailpath/reports"
)

// everything is the usual number of rows of lists that are written in full.
const everything = math.MaxInt

// most is how many entries a list has rows for: as many as the document was asked to show, else
// the usual number.
func (b *builder) most(usual int) int {
	switch {
	case b.limit == nil:
		return usual
	case b.limit.Rows == 0:
		return everything
	}
	return int(b.limit.Rows)
}

// unless is the usual number of rows of a list that a verbose page has in full.
func (b *builder) unless(usual int) int {
	if b.o.Verbose {
		return everything
	}
	return usual
}

// shownOf returns the entries of a list that have rows.
func shownOf[T any](b *builder, list []T, usual int) []T {
	return list[:min(len(list), b.most(usual))]
}

// rest says under a list how many of its entries have no row. Where nobody asked for a number of
// rows, usual says it; empty where something else does already.
func (b *builder) rest(tone Tone, shown, of int, usual string) {
	switch {
	case of <= shown:
	case b.limit != nil:
		b.hanging(Dim, "  ", cutWords(shown, of))
	case usual != "":
		b.hanging(tone, "  ", usual)
	}
}

// cutWords say that a list was cut because somebody asked, and how to have all of it.
func cutWords(shown, of int) string {
	return fmt.Sprintf("%s of %s shown; --limit 0 shows all", reports.Integer(int64(shown)), reports.Integer(int64(of)))
}
