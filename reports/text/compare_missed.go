package text

import (
	"fmt"

	"github.com/tailpath/tailpath/reports"
)

// missedBySide writes how many requests missed each objective on both sides.
func (p *page) missedBySide(c *reports.Compare, why *reasons) {
	g := grid{columns: []column{{text: true, flex: true}, {head: "base"}, {head: "%", join: true}, {head: "new"}, {head: "%", join: true}, {head: "difference"}, {head: "95 %", join: true}, {text: true}}}
	var notes []note
	var unasked []string
	for _, r := range c.Rates {
		if r.Objective == "" {
			continue
		}
		row := rateCells(r.Objective, r, why.mark(p, &notes, r.Difference.NoInterval))
		row[1] += " of " + reports.Integer(r.BaseOf)
		row[3] += " of " + reports.Integer(r.NewOf)
		g.rows = append(g.rows, row)
		if r.Unasked == nil {
			continue
		}
		for s, name := range []string{"base", "new"} {
			for _, u := range r.Unasked[s] {
				unasked = append(unasked, fmt.Sprintf("%s: %s of %s, %s", r.Objective, plural(u.N, "request"), name, u.Name))
			}
		}
	}
	if len(g.rows) == 0 {
		return
	}
	p.title("requests that missed an objective, failed ones among them")
	p.table(g)
	p.footnotes(notes)
	for _, text := range distinct(unasked) {
		p.hanging(dim, "  ", "not asked: "+text)
	}
}
