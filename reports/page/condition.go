package page

import (
	"slices"

	"github.com/tailpath/tailpath/reports"
)

// conditions writes what became of conditions, one a line in the order in which they were
// given.
func (b *builder) conditions(list []reports.Condition) {
	b.outcomes(aCondition, "conditions to fail on", list, reports.BoundWords(list))
}

// requiredTitle stands above what became of requirements.
const requiredTitle = "required of the data"

// requirements writes what became of requirements, as conditions does.
func (b *builder) requirements(list []reports.Condition) {
	b.outcomes(aRequirement, requiredTitle, list, reports.RequiredWords(list))
}

// What a list of conditions is of, as the head of a column; the plural is the id of its section.
const (
	aCondition   = "condition"
	aRequirement = "requirement"
)

// outcomes writes a section with what became of conditions; words say what their bounds are.
func (b *builder) outcomes(one, title string, list []reports.Condition, words string) {
	if len(list) == 0 {
		return
	}
	bounded := isBounded(list)
	if bounded {
		title += " " + mark(b.notes+1)
	}
	b.section(one+"s", title)
	g := outcomeTable(one, list)
	g.Columns[0].Head, g.Columns[len(g.Columns)-1] = "", Column{Text: true, Flex: true, Below: true}
	b.table(g)
	if bounded {
		b.footnotes([]note{{"bounds", words}})
	}
}

// outcomeTable returns the table of what became of conditions, with the side that each is of where
// any says so.
func outcomeTable(one string, list []reports.Condition) Table {
	g := Table{Columns: []Column{
		{Head: "outcome", Text: true}, {Head: one, Text: true, Flex: true}, {Head: "found"}, {Head: "bounds"}, {Head: "n"}, {Head: "why", Text: true, Below: true},
	}}
	sided := slices.ContainsFunc(list, func(c reports.Condition) bool { return c.Side != "" })
	if sided {
		g.Columns = slices.Insert(g.Columns, 2, Column{Head: "of", Text: true})
	}
	for _, c := range list {
		row := []string{c.Outcome(), c.Condition, c.Found(), c.Interval(), reports.Integer(c.N), c.Why}
		if sided {
			row = slices.Insert(row, 2, c.Side)
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

// isBounded reports whether a figure of any condition has an interval.
func isBounded(list []reports.Condition) bool {
	return slices.ContainsFunc(list, func(c reports.Condition) bool { return c.Interval() != "" })
}
