package text

import "github.com/tailpath/tailpath/reports"

// conditions writes what became of conditions, one a line in the order in which they were
// given.
func (p *page) conditions(list []reports.Condition) {
	if len(list) == 0 {
		return
	}
	bounded := false
	for _, c := range list {
		bounded = bounded || c.Interval() != ""
	}
	title := "conditions to fail on"
	if bounded {
		title += " " + mark(p.notes+1)
	}
	p.title(title)
	g := grid{columns: []column{{text: true}, {head: "condition", text: true, flex: true}, {head: "found"}, {head: "bounds"}, {head: "n"}, {text: true, flex: true, below: true}}}
	for _, c := range list {
		g.rows = append(g.rows, []string{c.Outcome(), c.Condition, c.Found(), c.Interval(), reports.Integer(c.N), c.Why})
	}
	p.table(g)
	if bounded {
		p.footnotes([]note{{"bounds", reports.BoundWords(list)}})
	}
}
