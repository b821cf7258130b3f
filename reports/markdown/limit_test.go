package markdown

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/reports"
	"github.com/tailpath/tailpath/reports/page"
)

// rows returns a table of so many rows, each so wide.
func rows(n, width int) page.Table {
	t := page.Table{Columns: []page.Column{{Head: "name", Text: true}, {Head: "n"}}}
	for i := range n {
		t.Rows = append(t.Rows, []string{strings.Repeat("x", width), fmt.Sprint(i)})
	}
	return t
}

func TestLongPagesLoseFoldedSectionsThenRows(t *testing.T) {
	small := page.Section{ID: "a", Title: "kept", Blocks: []page.Block{rows(30, 10)}}
	folded := func(n int) page.Section {
		return page.Section{ID: "f", Title: fmt.Sprint("folded ", n), Folded: true, Blocks: []page.Block{rows(500, 40)}}
	}
	// Three folded sections of 25 kB each, the last of which must go.
	p := page.Page{Headline: "h", Next: "tailpath next", Sections: []page.Section{folded(1), small, folded(2), folded(3)}}
	got := written(t, document, p)
	for _, want := range []string{"<summary>folded 1</summary>", "<summary>folded 2</summary>", "## kept", "**left out** to stay within 60,000 bytes: 2 folded sections; this prints all of it:", "tailpath summary 'my logs/' -f text\n", "**next**\n\n```sh\ntailpath next\n```\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not there", want)
		}
	}
	if strings.Contains(got, "folded 3") || strings.Contains(got, "more row") || len(got) > MaxBytes {
		t.Errorf("%d bytes, with the last section or without rows", len(got))
	}

	// Tables that are too long without any folded section lose their last rows, the longest most.
	p = page.Page{Headline: "h", Next: "tailpath next", Sections: []page.Section{small, {ID: "b", Title: "long", Blocks: []page.Block{rows(3000, 40), rows(2500, 40)}}, folded(1)}}
	got = written(t, document, p)
	if len(got) > MaxBytes || len(got) < MaxBytes*9/10 {
		t.Errorf("%d bytes, want little less than %d", len(got), MaxBytes)
	}
	if strings.Contains(got, "folded 1") || !strings.Contains(got, "| 29 |\n\n## long") || strings.Count(got, "more rows left out_") != 2 || !strings.HasSuffix(got, "tailpath next\n```\n") {
		t.Error("not the folded section and the rows of the long tables are left out")
	}
	shown := strings.Count(got, "| xxxx") + 0
	var lost [2]int
	for i, line := range linesWith(got, "more rows left out_") {
		if _, err := fmt.Sscanf(strings.ReplaceAll(line, ",", ""), "_%d more rows", &lost[i]); err != nil {
			t.Fatal(err)
		}
	}
	if shown+lost[0]+lost[1] != 30+3000+2500 {
		t.Errorf("%d rows are shown and %v said to be left out", shown, lost)
	}
}

func linesWith(text, part string) (out []string) {
	for line := range strings.Lines(text) {
		if strings.Contains(line, part) {
			out = append(out, line)
		}
	}
	return out
}

// TestPagesAreWithinTheLimit draws pages of any shape, whose every line has a mark at its end:
// a line that was cut would have none.
func TestPagesAreWithinTheLimit(t *testing.T) {
	const mark = " end"
	rapid.Check(t, func(t *rapid.T) {
		text := func(label string, most int) string {
			return strings.Repeat("word ", rapid.IntRange(0, most).Draw(t, label)/5) + "w" + mark
		}
		p := page.Page{Headline: text("headline", 100_000), Next: text("next", 70_000)}
		for range rapid.IntRange(0, 6).Draw(t, "sections") {
			s := page.Section{Title: text("title", 2000), Folded: rapid.Bool().Draw(t, "folded")}
			for range rapid.IntRange(0, 4).Draw(t, "blocks") {
				switch rapid.IntRange(0, 2).Draw(t, "kind") {
				case 0:
					s.Blocks = append(s.Blocks, page.Paragraph{Text: text("text", 30_000)})
				case 1:
					s.Blocks = append(s.Blocks, page.Labelled{Label: "l", Text: text("label", 20_000)})
				case 2:
					table := rows(rapid.IntRange(0, 1500).Draw(t, "rows"), 20)
					table.Columns[1].Head = text("head", 40_000)
					s.Blocks = append(s.Blocks, table)
				}
			}
			p.Sections = append(p.Sections, s)
		}
		got := written(t, document, p)
		if len(got) > MaxBytes {
			t.Fatalf("%d bytes", len(got))
		}
		if strings.Count(got, "<details>") != strings.Count(got, "</details>") || strings.Count(got, "```")%2 != 0 {
			t.Fatal("something is opened and not closed")
		}
		for line := range strings.Lines(got) {
			if strings.Contains(line, "word") && !strings.Contains(line, mark) {
				t.Fatalf("a line is cut: %.80q", line)
			}
		}
	})
}

// TestAnySizeIsKept draws a long page in any size: it fits, or it is told what would.
func TestAnySizeIsKept(t *testing.T) {
	p := page.Page{Headline: "h", Next: "tailpath next", Sections: []page.Section{
		{ID: "a", Title: "long", Blocks: []page.Block{rows(300, 40), page.Paragraph{Text: strings.Repeat("word ", 100)}}},
		{ID: "b", Title: "folded", Folded: true, Blocks: []page.Block{rows(300, 40)}},
	}}
	draw := func(most int64) (string, error) {
		var b strings.Builder
		err := Options{MaxBytes: most}.Write(&b, document, p)
		return b.String(), err
	}
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.OneOf(rapid.Int64Range(1, 500), rapid.Int64Range(500, 40_000)).Draw(t, "most")
		got, err := draw(most)
		long, is := err.(*reports.TooLongError)
		switch {
		case err == nil && int64(len(got)) > most:
			t.Fatalf("%d bytes of at most %d", len(got), most)
		case err == nil:
			if !strings.Contains(got, fmt.Sprintf("to stay within %s bytes", reports.Integer(most))) && int64(len(got)) < most-16_000 {
				t.Fatalf("%d bytes of at most %d, and nothing is told", len(got), most)
			}
		case !is || got != "" || long.Most != most || long.Least <= most:
			t.Fatalf("%v, and %d bytes were written", err, len(got))
		}
	})
	_, err := draw(10)
	long, is := err.(*reports.TooLongError)
	if !is {
		t.Fatal(err)
	}
	if _, err := draw(long.Least + 50); err != nil {
		t.Errorf("the size that was told: %v", err)
	}
	if whole, err := draw(1_000_000); err != nil || strings.Contains(whole, "left out") {
		t.Errorf("something is left out where nothing needs to be, or %v", err)
	}
}

func TestInputsAreAsManyAsAsked(t *testing.T) {
	d := document
	d.Inputs = nil
	for i := range 30 {
		d.Inputs = append(d.Inputs, reports.Input{Name: fmt.Sprint("file-", i)})
	}
	for _, c := range []struct {
		d     reports.Document
		named int
		said  string
	}{{d, 20, "10 more inputs are in the JSON"}, {d.Limited(4), 4, "26 more inputs are in the JSON"}, {d.Limited(0), 30, ""}} {
		got := written(t, c.d, page.Page{Headline: "h"})
		if n := strings.Count(got, "| file-"); n != c.named || !strings.Contains(got, c.said) || c.said == "" && strings.Contains(got, "more inputs") {
			t.Errorf("%d inputs are named, want %d:\n%s", n, c.named, got)
		}
	}
}

func TestWholeCommandHasNoSize(t *testing.T) {
	for _, made := range [][]string{
		{"tailpath", "summary", "a", "--max-size", "9KB", "-f", "md"}, {"tailpath", "summary", "--max-size=9KB", "a", "-o", "a.md"},
	} {
		if got := wholeCommand(made); got != "tailpath summary a -f text" {
			t.Errorf("%v: %s", made, got)
		}
	}
}
