package html

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tailpath/tailpath/reports/page"
)

// longCell is from how many characters on the texts of a column are broken into lines. Shorter
// ones and all numbers stay on one: a table that is too wide for the screen scrolls by itself.
const longCell = 36

// longHead is from how many characters on the head of a column may take several lines where the
// table would be too wide otherwise.
const longHead = 14

// narrowTable is how many characters wide a table is at most that stands beside others.
const narrowTable = 44

// tables writes the tables that blocks begin with, and returns how many blocks it wrote. Several
// that follow each other are one group: narrow ones stand side by side, and those with equal
// columns have them of equal width, so that they read as one.
func (d *drawing) tables(m *markup, blocks []page.Block) (n int) {
	var run []page.Table
	narrow, alike := true, true
	for i, b := range blocks {
		t, ok := b.(page.Table)
		if !ok {
			if _, gap := b.(page.Gap); gap {
				continue
			}
			break
		}
		n = i + 1
		run = append(run, t)
		narrow = narrow && widthOf(t) <= narrowTable
		alike = alike && sameColumns(run[0], t)
	}
	group := ""
	switch {
	case len(run) == 1:
	case narrow:
		group = "side"
	case alike:
		group = "alike"
	}
	if group != "" {
		m.open("div", "class", group)
		m.raw("\n")
	}
	columns := 0
	for _, t := range run {
		columns = max(columns, len(t.Columns))
	}
	for _, t := range run {
		wide := 0
		if group == "alike" && len(t.Columns) < columns {
			wide = lastInterval(t)
		}
		d.tableWith(m, t, wide)
	}
	if group != "" {
		m.close("div")
	}
	return n
}

// widthOf is about how many characters wide a table is.
func widthOf(t page.Table) int {
	n := 0
	for i, c := range t.Columns {
		n += max(utf8.RuneCountInString(c.Head), longest(t.Rows, i)) + 2
	}
	return n
}

// sameColumns reports whether two tables have columns that belong together: the first says what
// the rows are of, and as many as three from the end on may be another's.
func sameColumns(a, b page.Table) bool {
	n := min(len(a.Columns), len(b.Columns))
	if n < 5 || max(len(a.Columns), len(b.Columns))-n > 1 {
		return false
	}
	for i := 1; i < n-3; i++ {
		if a.Columns[i].Head != b.Columns[i].Head {
			return false
		}
	}
	return true
}

// lastInterval is the last column of numbers that belong to those before them, 0 for none.
func lastInterval(t page.Table) int {
	for i := len(t.Columns) - 1; i > 0; i-- {
		if c := t.Columns[i]; c.Join && !c.Text {
			return i
		}
	}
	return 0
}

// table writes a table in a region that scrolls.
func (d *drawing) table(m *markup, t page.Table) { d.tableWith(m, t, 0) }

// tableWith writes a table of which one column, unless that is 0, has the room of two.
func (d *drawing) tableWith(m *markup, t page.Table, wide int) {
	caption := strings.TrimSpace(t.Caption)
	name := d.unmarked(caption)
	if name == "" {
		name = d.unmarked(d.section.Title)
	}
	if name == "" {
		name = "figures"
	}
	m.raw("<div class=\"table\">\n")
	m.open("div", "class", "scroll", "tabindex", "0", "role", "region", "aria-label", d.name("Table: "+name))
	m.open("table", "id", anchor(t.ID))
	m.raw("\n")
	if caption == "" || len(t.Columns) > 0 && strings.HasPrefix(t.Columns[0].Head+" ", caption+" ") {
		// The title above, or the first head, is seen in its place.
		m.open("caption")
		m.element("span", name, "class", "hidden")
		m.close("caption")
	} else {
		m.raw("<caption><span>")
		d.marked(m, caption)
		m.raw("</span></caption>\n")
	}
	m.raw("<thead>\n<tr>")
	classes := columnClasses(t)
	for i, c := range t.Columns {
		if strings.TrimSpace(c.Head) == "" {
			m.raw("<td></td>")
			continue
		}
		name := classes[i]
		if i > 0 && i == wide {
			name += " wide"
		}
		if utf8.RuneCountInString(c.Head) > longHead {
			name += " wraps"
		}
		m.open("th", append([]string{"scope", "col"}, class(strings.TrimSpace(name))...)...)
		d.marked(m, strings.TrimSpace(c.Head))
		m.close("th")
	}
	m.raw("</tr>\n</thead>\n<tbody>\n")
	body := t.Rows
	var total []string
	if n := len(body); n > 1 && len(body[n-1]) > 0 && strings.TrimSpace(body[n-1][0]) == "total" {
		body, total = body[:n-1], body[n-1]
	}
	for _, row := range body {
		d.row(m, row, classes)
	}
	m.close("tbody")
	if total != nil {
		m.raw("<tfoot>\n")
		d.row(m, total, classes)
		m.close("tfoot")
	}
	m.raw("</table>\n</div>\n</div>\n")
}

// row writes a row; its first cell says what it is of.
func (d *drawing) row(m *markup, cells, classes []string) {
	m.raw("<tr>")
	for i := range max(len(cells), len(classes)) {
		var text, name string
		if i < len(cells) {
			text = cells[i]
		}
		if i < len(classes) {
			name = classes[i]
		}
		tag, attributes := "td", class(name)
		if i == 0 && strings.TrimSpace(text) != "" {
			tag, attributes = "th", append([]string{"scope", "row"}, class(name, indent(text))...)
		}
		m.open(tag, attributes...)
		d.marked(m, strings.TrimSpace(text))
		m.close(tag)
	}
	m.close("tr")
}

// columnClasses says how the cells of each column look.
func columnClasses(t page.Table) []string {
	all := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		var names []string
		switch {
		case !c.Text:
			names = append(names, "n")
		case longest(t.Rows, i) > longCell:
			names = append(names, "long")
		}
		if c.Path {
			names = append(names, "path")
		}
		if c.Join && i > 0 {
			names = append(names, "join")
		}
		all[i] = strings.Join(names, " ")
	}
	return all
}

// longest is how many characters the longest cell of a column has.
func longest(rows [][]string, column int) int {
	n := 0
	for _, r := range rows {
		if column < len(r) {
			n = max(n, utf8.RuneCountInString(r[column]))
		}
	}
	return n
}

// name makes the name of a region unlike all before: a reader tells them apart by it.
func (d *drawing) name(wanted string) string {
	if d.names == nil {
		return wanted
	}
	d.names[wanted]++
	if n := d.names[wanted]; n > 1 {
		return wanted + " (" + strconv.Itoa(n) + ")"
	}
	return wanted
}

// marked writes a text in which the marks of footnotes at its end lead to them.
func (d *drawing) marked(m *markup, text string) {
	text, marks := d.cutMarks(text)
	m.text(text)
	for _, mark := range marks {
		n := strconv.Itoa(d.notes[mark])
		attributes := []string{"class", "mark", "href", "#note." + n, "aria-label", "Note " + mark}
		if !d.linked[mark] {
			attributes = append(attributes, "id", "mark."+n)
		}
		d.linked[mark] = true
		if text != "" {
			m.raw(" ")
		}
		m.element("a", mark, attributes...)
	}
}

// unmarked returns a text without the marks at its end.
func (d *drawing) unmarked(text string) string {
	text, _ = d.cutMarks(strings.TrimSpace(text))
	return text
}

// cutMarks parts the marks of footnotes at the end of a text from it.
func (d *drawing) cutMarks(text string) (before string, marks []string) {
	for {
		before, mark, found := cutLast(text)
		if !found || d.notes[mark] == 0 {
			return text, marks
		}
		text, marks = before, append([]string{mark}, marks...)
	}
}

// cutLast parts the last word from what is before it.
func cutLast(text string) (before, word string, found bool) {
	i := strings.LastIndexByte(text, ' ')
	word = text[i+1:]
	return strings.TrimRight(text[:max(i, 0)], " "), word, strings.HasPrefix(word, "[")
}

// footnotes writes the notes of the tables before them. Each leads back to where its mark was
// first.
func (d *drawing) footnotes(m *markup, all []page.Note) {
	m.raw("<ul class=\"notes\">\n")
	for _, n := range all {
		number := strconv.Itoa(d.notes[n.Mark])
		m.open("li", "id", "note."+number)
		if d.linked[n.Mark] {
			m.element("a", n.Mark, "href", "#mark."+number, "aria-label", "Back to "+n.Mark)
		} else {
			m.element("span", n.Mark)
		}
		m.raw(" ")
		if n.ID != "" {
			m.element("code", n.ID)
			m.raw(" ")
		}
		m.text(strings.TrimSpace(n.Text))
		m.close("li")
	}
	m.raw("</ul>\n")
}
