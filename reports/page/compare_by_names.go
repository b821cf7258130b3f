package page

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/tailpath/tailpath/reports"
)

// groupNames name the groups of a comparison in its tables. A group goes by its value where that is
// one and short. Otherwise groups have numbers, which no page cuts however narrow it is, and a
// column a key that has the whole values.
type groupNames struct {
	keys     []string
	values   [][]string // of each group, one a key
	numbered bool
}

// longestValue is the longest value, in characters, that a group goes by: it has room beside the
// figures of a page of 60 columns.
const longestValue = 16

func groupNamesOf(by *reports.CompareBy, shown []reports.ComparedRows) *groupNames {
	n := &groupNames{keys: by.Keys, numbered: len(by.Keys) > 1}
	for _, g := range shown {
		var values []string
		for i, v := range g.Values {
			text := "(not recorded)"
			if v != nil {
				text = value(reports.FieldText(by.Keys[i], *v))
			}
			values = append(values, text)
			n.numbered = n.numbered || utf8.RuneCountInString(text) > longestValue
		}
		n.values = append(n.values, values)
	}
	return n
}

// columns are those that name the groups, before others.
func (n *groupNames) columns(rest ...Column) []Column {
	if !n.numbered {
		return append([]Column{{Head: strings.Join(n.keys, ", "), Text: true, Flex: true, Told: true}}, rest...)
	}
	out := []Column{{Head: "group", Text: true}}
	for _, key := range n.keys {
		out = append(out, Column{Head: key, Text: true, Below: true})
	}
	return append(out, rest...)
}

// row is the row of a group, whose name stands behind a text in every one of them, so that a table
// that is split can be read. Its values are told where they are asked for. A group below 0 has none.
func (n *groupNames) row(before string, group int, told bool, rest ...string) []string {
	switch {
	case !n.numbered && group < 0:
		return append([]string{before}, rest...)
	case !n.numbered:
		return append([]string{before + n.values[group][0]}, rest...)
	}
	out := []string{fmt.Sprintf("%s#%d", before, group+1)}
	for k := range n.keys {
		text := ""
		if told {
			text = n.values[group][k]
		}
		out = append(out, text)
	}
	return append(out, rest...)
}
