package html

import (
	"strings"

	"github.com/tailpath/tailpath/reports"
	"github.com/tailpath/tailpath/reports/page"
)

// signs say how a part of the critical path is known.
var signs = map[page.Sign]string{page.OnPath: "recorded", page.Derived: "derived", page.Ambiguous: "ambiguous"}

// waterfall writes the spans of a request as a table. The chart of it is a figure.
func (d *drawing) waterfall(m *markup, w page.Waterfall) {
	var starts []int64
	for _, r := range w.Rows {
		starts = append(starts, r.From)
	}
	u := reports.CommonUnit(starts...)
	t := page.Table{
		ID: w.ID, Caption: "spans of the request, which took " + reports.Duration(w.LengthNS),
		Columns: []page.Column{
			{Head: "span", Text: true}, {Head: "from " + u.Name}, {Head: "took " + w.Unit},
			{Head: "on the path " + w.Unit}, {Head: "which is", Text: true},
		},
	}
	for _, r := range w.Rows {
		depth := r.Depth
		if r.OfStage {
			depth++
		}
		t.Rows = append(t.Rows, []string{strings.Repeat("  ", depth) + strings.TrimSpace(r.Label), u.Format(r.From), r.Took, r.OnPath, known(r.Marks)})
	}
	d.table(m, t)
}

// known says how the marks of a row are known, each way once.
func known(marks []page.WaterfallMark) string {
	var words []string
	for _, sign := range []page.Sign{page.OnPath, page.Derived, page.Ambiguous} {
		for _, mark := range marks {
			if mark.Sign == sign {
				words = append(words, signs[sign])
				break
			}
		}
	}
	return strings.Join(words, ", ")
}
