package page

import (
	"cmp"
	"slices"

	"github.com/tailpath/tailpath/reports"
)

// rowsShown chooses the rows of a waterfall that has more than limit spans: those on
// the path and their ancestors always stay, the longest of the others fill what is
// left with their ancestors, and the rest are counted. The rows are depth first, and
// the rows of a span's stages stay with it.
func rowsShown(rows []reports.Row, limit int) (shown []reports.Row, omitted int64) {
	parent := parents(rows)
	keep := make([]bool, len(rows))
	count := 0
	show := func(i int) {
		for ; i >= 0 && !keep[i]; i = parent[i] {
			keep[i] = true
			count++
		}
	}
	var spans []int
	for i, row := range rows {
		if !row.OfStage {
			spans = append(spans, i)
		}
	}
	if len(spans) <= limit {
		return rows, 0
	}
	for _, i := range spans {
		if rows[i].OnPathNS > 0 {
			show(i)
		}
	}
	slices.SortStableFunc(spans, func(a, b int) int {
		return cmp.Compare(rows[b].EndNS-rows[b].StartNS, rows[a].EndNS-rows[a].StartNS)
	})
	for _, i := range spans {
		if count >= limit {
			break
		}
		show(i)
	}
	for i, row := range rows {
		if of := parent[i]; keep[i] || row.OfStage && of >= 0 && keep[of] {
			shown = append(shown, row)
		} else if !row.OfStage {
			omitted++
		}
	}
	return shown, omitted
}

// parents returns for every row the row of the span above it, -1 for none: the last
// one before it that is less deep. Rows of stages have nothing below them.
func parents(rows []reports.Row) []int {
	parent := make([]int, len(rows))
	var open []int // spans whose rows are not over, each deeper than the one before
	for i, row := range rows {
		for len(open) > 0 && rows[open[len(open)-1]].Depth >= row.Depth {
			open = open[:len(open)-1]
		}
		parent[i] = -1
		if len(open) > 0 {
			parent[i] = open[len(open)-1]
		}
		if !row.OfStage {
			open = append(open, i)
		}
	}
	return parent
}
