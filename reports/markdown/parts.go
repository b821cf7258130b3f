package markdown

import (
	"strings"

	"github.com/tailpath/tailpath/reports/page"
)

// part is a block as Markdown: lines that stand or fall together, and rows of a table that
// may be fewer.
type part struct {
	text string   // without a line break at its end
	rows []string // lines of a table under text
	item bool     // of a list, which an item before it continues
}

// section is a section as Markdown.
type section struct {
	head, tail string // lines around its parts; empty for none
	folded     bool
	parts      []part
}

// sectionOf draws a section.
func sectionOf(s page.Section) section {
	out := section{folded: s.Folded}
	title := flat(s.Title)
	switch {
	case s.Folded:
		if title == "" {
			title = "more"
		}
		out.head, out.tail = "<details>\n<summary>"+markup(title)+"</summary>", "</details>"
	case title != "":
		out.head = "## " + heading(title)
		if s.Part {
			out.head = "#" + out.head
		}
	}
	labels := false // whether the block before is behind a label, or more behind the same
	for _, b := range s.Blocks {
		p := partOf(b)
		if l, ok := b.(page.Labelled); !ok {
			labels = false
		} else if flat(l.Label) != "" {
			labels = true
		} else if labels && p.text != "" {
			p.text = "  " + p.text
		}
		if p.text != "" {
			out.parts = append(out.parts, p)
		}
	}
	return out
}

// partOf draws a block; a part without text is nothing.
func partOf(b page.Block) part {
	switch b := b.(type) {
	case page.Paragraph:
		text := toned(b.Tone, b.Text)
		if b.Line && text != "" { // lines that belong together
			return part{text: "- " + text, item: true}
		}
		return part{text: text}
	case page.Labelled:
		if text := labelled(b); text != "" {
			return part{text: "- " + text, item: true}
		}
		return part{}
	case page.Note:
		text := b.Text
		if id := flat(b.ID); id != "" {
			text = id + ": " + text
		}
		return part{text: "- " + opening(b.Mark) + " " + inline(text), item: true}
	case page.Table:
		if b.Silent {
			return part{}
		}
		return tableOf(b)
	case page.Waterfall:
		return tableOf(b.Table())
	case page.Figure:
		if b.Silent {
			return part{}
		}
		return part{text: strong(b.Answer)}
	case page.Blank:
		return part{text: "_" + inline(strings.TrimSuffix(flat(b.Prompt), ":")+":") + "_ ____"}
	}
	return part{}
}

// toned writes a text as loud as it wants to be. A remark is written as any other text: slanted
// letters are hard to read over several lines.
func toned(t page.Tone, text string) string {
	if t == page.Strong {
		return strong(text)
	}
	return opening(text)
}

// strong writes a text in bold.
func strong(text string) string {
	if text = inline(text); text == "" {
		return ""
	}
	return "**" + text + "**"
}

// labelled writes a text behind its label. A label that is a bullet is the one of the list.
func labelled(b page.Labelled) string {
	label := flat(b.Label)
	if strings.Trim(label, "-*•·") == "" {
		return toned(b.Tone, b.Text)
	}
	text := inline(b.Text)
	if b.Tone == page.Strong {
		text = strong(b.Text)
	}
	return strings.TrimSpace(strong(label) + " " + text)
}

// tableOf draws a table.
func tableOf(t page.Table) part {
	if len(t.Columns) == 0 {
		return part{}
	}
	var b strings.Builder
	if caption := opening(t.Caption); caption != "" && t.Caption != t.Columns[0].Head {
		b.WriteString(caption + "\n\n")
	}
	heads, rules := make([]string, len(t.Columns)), make([]string, len(t.Columns))
	for i, c := range t.Columns {
		heads[i], rules[i] = inline(c.Head), "---:"
		if c.Text {
			rules[i] = "---"
		}
	}
	b.WriteString(line(heads) + "\n" + line(rules))
	out := part{text: b.String(), rows: make([]string, 0, len(t.Rows))}
	for _, row := range t.Rows {
		cells := make([]string, len(t.Columns))
		for i := range min(len(row), len(cells)) {
			cells[i] = cell(row[i], t.Columns[i].Text)
		}
		out.rows = append(out.rows, line(cells))
	}
	return out
}

// line writes a line of a table.
func line(cells []string) string { return "| " + strings.Join(cells, " | ") + " |" }

// cell writes a cell. Spaces before words say that a row is a part of the one above, so they
// are kept from being dropped.
func cell(s string, words bool) string {
	depth := len(s) - len(strings.TrimLeft(s, " "))
	text := inline(s)
	if !words || text == "" {
		return text
	}
	return strings.Repeat("&nbsp;", depth) + text
}
