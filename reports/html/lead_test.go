package html

import (
	"strings"
	"testing"

	"github.com/tailpath/tailpath/reports"
	"github.com/tailpath/tailpath/reports/page"
)

func read(t *testing.T, d reports.Document, p page.Page) *node {
	t.Helper()
	root, err := parse(write(t, Options{}, d, p))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func (n *node) byID(id string) *node {
	var found *node
	n.walk(func(x *node) {
		if x.attrs["id"] == id {
			found = x
		}
	})
	return found
}

// What a report is of stands under its headline, once, with the field for a person's sentence.
func TestWhatAReportIsOfIsSaidOnceUnderTheHeadline(t *testing.T) {
	for _, name := range []string{"report_weekly", "report_postmortem", "report_empty"} {
		d := stored(t, name)
		p := page.Of(d, page.Options{})
		blocks := len(p.Sections[1].Blocks)
		root := read(t, d, p)
		top, main := root.all("header")[0].content(), root.all("main")[0].content()
		if scope := d.Report.Scope; strings.Count(top, scope) != 1 || strings.Contains(main, scope) {
			t.Errorf("%s: the scope is not said once on top", name)
		}
		id := p.Sections[1].ID
		where := root.byID(id)
		if where == nil {
			t.Fatalf("%s: a link to %s leads nowhere", name, id)
		}
		if weekly := d.Report.Kind == reports.Weekly; where.within("header") != weekly {
			t.Errorf("%s: section %s is in the wrong place", name, id)
		} else if weekly && len(where.all("dt")) != 1 {
			t.Errorf("%s: the field for a sentence is not on top", name)
		}
		if len(p.Sections[1].Blocks) != blocks {
			t.Errorf("%s: the page was changed", name)
		}
	}
}

// Where a section says how a report was made, the end of the file does not say it again.
func TestCommandAndInputsAreSaidOnce(t *testing.T) {
	d := stored(t, "report_weekly")
	root := read(t, d, page.Of(d, page.Options{}))
	if foot := root.all("footer")[0]; len(foot.all("table")) > 0 || strings.Contains(foot.content(), d.Inputs[0].SHA256) {
		t.Error("the inputs are at the end as well")
	}
	if !strings.Contains(root.byID("method").content(), d.Inputs[0].SHA256) {
		t.Error("the section has no inputs")
	}
	other := stored(t, "summary")
	if foot := read(t, other, page.Of(other, page.Options{})).all("footer")[0]; len(foot.all("table")) != 1 {
		t.Error("the end of another document has no inputs")
	}
}

func TestClauses(t *testing.T) {
	for _, c := range [][2]string{
		{"queue dominates: 71 % of p99; n = 482", ""},
		{"p99 e2e 7.03 s (+6.13 s, +678 %, more than chance); queue takes the largest part of what makes slow requests slow", " queue takes the largest part of what makes slow requests slow"},
		{"p99 e2e 16.8 s; scheduling takes the largest part of what makes slow requests slow: 77.3 % of +14.4 s (p95 and above, n = 56)", " 77.3 % of +14.4 s (p95 and above, n = 56)"},
		{"p95, 6.13 s, would be 4.47 s less if no request spent more in queue than the median (95 %: 689 ms; to 5.25 s): arithmetic on these requests, no forecast", " arithmetic on these requests, no forecast"},
		{strings.Repeat("no mark ", 20), ""},
		{strings.Repeat("ten times;", 20), ""},
	} {
		first, rest := clauses(c[0])
		if rest != c[1] || first+rest != c[0] {
			t.Errorf("%q is parted into %q and %q", c[0], first, rest)
		}
	}
}

func TestNamesKeepTheirLetters(t *testing.T) {
	for text, want := range map[string]string{"p99 is 4 s": "named", "/v1/chat is slow": "named", "queue dominates": "", "": ""} {
		if got := nameFirst(text); got != want {
			t.Errorf("%q has the class %q", text, got)
		}
	}
}

// The index folds what a reader opens, and no two sections have one name there.
func TestIndexFoldsDetails(t *testing.T) {
	d := stored(t, "report_postmortem")
	root := read(t, d, page.Of(d, page.Options{}))
	index := root.all("nav")[0]
	names := map[string]bool{}
	folded := 0
	for _, a := range index.all("a") {
		if name := a.content(); names[name] {
			t.Errorf("%q is there twice", name)
		} else {
			names[name] = true
		}
		if a.within("details") {
			folded++
		}
	}
	if all := len(root.all("main")[0].all("details")); folded != all || all < foldedInIndex {
		t.Errorf("%d of %d links to details are folded", folded, all)
	}
	if few := read(t, stored(t, "summary_few"), exemplars(foldedInIndex-1)); len(few.all("nav")[0].all("details")) > 0 {
		t.Error("so few are not folded")
	}
}

// Tables that follow each other are one group: beside each other where they are narrow, with
// columns of equal width where these mean the same.
func TestTablesThatFollowEachOtherAreGrouped(t *testing.T) {
	table := func(id, name string, columns int, cell string) page.Table {
		out := page.Table{ID: id, Caption: "of " + id, Columns: []page.Column{{Head: name, Text: true}}}
		row := []string{"p50"}
		for i := 1; i < columns; i++ {
			out.Columns = append(out.Columns, page.Column{Head: "now", Join: i == columns-1})
			row = append(row, cell)
		}
		out.Rows = [][]string{row}
		return out
	}
	narrow := func(id string) page.Table { return table(id, id, 4, "1.0") }
	wide := func(id string, columns int) page.Table { return table(id, id, columns, "1,234,567") }
	for name, c := range map[string]struct {
		blocks []page.Block
		group  string
		in     int
	}{
		"narrow":         {[]page.Block{narrow("a"), page.Gap{}, narrow("b"), narrow("c")}, "side", 3},
		"one":            {[]page.Block{narrow("a")}, "", 0},
		"parted":         {[]page.Block{narrow("a"), page.Paragraph{Text: "x"}, narrow("b")}, "", 0},
		"alike":          {[]page.Block{wide("a", 8), wide("b", 7)}, "alike", 2},
		"others":         {[]page.Block{wide("a", 8), table("b", "b", 5, strings.Repeat("x", 50))}, "", 0},
		"narrow and not": {[]page.Block{narrow("a"), wide("b", 8)}, "", 0},
	} {
		root := read(t, stored(t, "summary_few"), page.Page{Headline: "x", Sections: []page.Section{{ID: "s", Title: "s", Blocks: c.blocks}}})
		in, wides := 0, 0
		root.all("main")[0].walk(func(n *node) {
			if n.tag == "table" && c.group != "" && n.parent.parent.parent.attrs["class"] == c.group {
				in++
			}
			if class := n.attrs["class"]; class == "side" || class == "alike" {
				if class != c.group {
					t.Errorf("%s: a group %s", name, class)
				}
			}
			if strings.Contains(n.attrs["class"], "wide") {
				wides++
			}
		})
		if in != c.in {
			t.Errorf("%s: %d tables in a group %q, not %d", name, in, c.group, c.in)
		}
		if want := map[bool]int{true: 1}[c.group == "alike"]; wides != want {
			t.Errorf("%s: %d columns have the room of two", name, wides)
		}
	}
}
