package page

import (
	"fmt"

	"github.com/tailpath/tailpath/reports"
)

// missedBySide writes how many requests missed each objective on both sides.
func (b *builder) missedBySide(c *reports.Compare, why *reasons) {
	g := Table{Columns: []Column{{Text: true, Flex: true}, {Head: "base"}, {Head: "%", Join: true}, {Head: "new"}, {Head: "%", Join: true}, {Head: "difference"}, {Head: "95 %", Join: true}, {Text: true}}}
	var notes []note
	var unasked []string
	for _, r := range c.Rates {
		if r.Objective == "" {
			continue
		}
		row := rateCells(r.Objective, r, why.mark(b, &notes, r.Difference.NoInterval))
		row[1] += " of " + reports.Integer(r.BaseOf)
		row[3] += " of " + reports.Integer(r.NewOf)
		g.Rows = append(g.Rows, row)
		if r.Unasked == nil {
			continue
		}
		for s, name := range []string{"base", "new"} {
			for _, u := range r.Unasked[s] {
				unasked = append(unasked, fmt.Sprintf("%s: %s of %s, %s", r.Objective, plural(u.N, "request"), name, u.Name))
			}
		}
	}
	if len(g.Rows) == 0 {
		return
	}
	b.section("missed", "requests that missed an objective, failed ones among them")
	b.table(g)
	b.footnotes(notes)
	for _, text := range distinct(unasked) {
		b.hanging(Dim, "  ", "not asked: "+text)
	}
}
