package page

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tailpath/tailpath/reports"
)

// fixed returns the documents that package reports keeps as golden files.
func fixed(t interface {
	Helper()
	Fatal(...any)
}) map[string]reports.Document {
	t.Helper()
	paths, err := filepath.Glob("../testdata/*.json")
	if err != nil || len(paths) == 0 {
		t.Fatal("no documents: ", err)
	}
	docs := map[string]reports.Document{}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		docs[strings.TrimSuffix(filepath.Base(path), ".json")] = read(t, string(data))
	}
	return docs
}

// read returns the document that a JSON text holds.
func read(t interface{ Fatal(...any) }, text string) reports.Document {
	d, err := reports.ReadJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// render writes the page of a document as lines, so that a test can look for what they say.
func render(_ interface{ Fatal(...any) }, d reports.Document, o Options) string {
	return drawn(Of(d, o))
}

// textOf writes what a builder has collected as lines.
func textOf(b *builder) string { return drawn(b.page) }

// drawn writes a page as lines of any length: titles behind an empty line, tables with their
// columns aligned two spaces apart.
func drawn(p Page) string {
	var out strings.Builder
	line := func(text string) { out.WriteString(strings.TrimRight(text, " ") + "\n") }
	blank := func() {
		if text := out.String(); text != "" && !strings.HasSuffix(text, "\n\n") {
			out.WriteByte('\n')
		}
	}
	if p.Headline != "" {
		line(p.Headline)
	}
	for i, s := range p.Sections {
		if i > 0 {
			blank()
			line(s.Title)
		}
		for _, b := range s.Blocks {
			switch x := b.(type) {
			case Paragraph:
				line(x.Text)
			case Labelled:
				line(x.Label + x.Text)
			case Note:
				if x.ID != "" {
					x.Text = x.ID + ": " + x.Text
				}
				line("  " + x.Mark + " " + x.Text)
			case Gap:
				blank()
			case Table:
				for _, text := range aligned(x) {
					line(text)
				}
			case Waterfall:
				for _, row := range x.Rows {
					line(strings.Repeat("  ", row.Depth) + row.Label + " " + row.Took + " " + row.OnPath)
				}
			}
		}
	}
	if p.Next != "" {
		blank()
		line("next: " + p.Next)
	}
	return out.String()
}

// aligned returns the lines of a table.
func aligned(t Table) []string {
	rows := [][]string{{}}
	widths := make([]int, len(t.Columns))
	for _, c := range t.Columns {
		rows[0] = append(rows[0], c.Head)
	}
	rows = append(rows, t.Rows...)
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var lines []string
	for _, row := range rows {
		var cells []string
		for i, cell := range row {
			space := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if t.Columns[i].Text {
				cells = append(cells, cell+space)
			} else {
				cells = append(cells, space+cell)
			}
		}
		lines = append(lines, strings.Join(cells, "  "))
	}
	return lines
}

// section returns the lines of a text from a title to the next empty line.
func section(t *testing.T, text, title string) []string {
	t.Helper()
	_, rest, ok := strings.Cut(text, "\n"+title)
	if !ok {
		t.Fatalf("there is no %q in\n%s", title, text)
	}
	rest, _, _ = strings.Cut(rest, "\n\n")
	return strings.Split(rest, "\n")[1:]
}
