package page

import "github.com/tailpath/tailpath/reports"

// conditions writes what became of conditions, one a line in the order in which they were
// given.
func (b *builder) conditions(list []reports.Condition) {
	if len(list) == 0 {
		return
	}
	bounded := false
	for _, c := range list {
		bounded = bounded || c.Interval() != ""
	}
	title := "conditions to fail on"
	if bounded {
		title += " " + mark(b.notes+1)
	}
	b.section("conditions", title)
	g := Table{Columns: []Column{{Text: true}, {Head: "condition", Text: true, Flex: true}, {Head: "found"}, {Head: "bounds"}, {Head: "n"}, {Text: true, Flex: true, Below: true}}}
	for _, c := range list {
		g.Rows = append(g.Rows, []string{c.Outcome(), c.Condition, c.Found(), c.Interval(), reports.Integer(c.N), c.Why})
	}
	b.table(g)
	if bounded {
		b.footnotes([]note{{"bounds", reports.BoundWords(list)}})
	}
}
