package html

import (
	"strings"
	"testing"

	"github.com/tailpath/tailpath/reports"
	"github.com/tailpath/tailpath/reports/page"
)

// The index leads to each request, not to the parts of each, whose titles are the same; these have
// a heading of a lower level.
func TestThePartsOfASectionAreNotInTheIndex(t *testing.T) {
	d := stored(t, "explain_two")
	root := read(t, d, page.Of(d, page.Options{}))
	index := root.all("nav")[0].content()
	if strings.Count(index, "equest 1 of 2") != 1 || strings.Count(index, "equest 2 of 2") != 1 || strings.Contains(index, "ritical path") {
		t.Errorf("the index is %q", index)
	}
	for _, id := range []string{"critical-path", "request-2-critical-path"} {
		if s := root.byID(id); s == nil || len(s.all("h3")) != 1 || len(s.all("h2")) != 0 {
			t.Errorf("%s has no heading of a part", id)
		}
	}
	one := stored(t, "explain")
	root = read(t, one, page.Of(one, page.Options{}))
	if index := root.all("nav")[0].content(); !strings.Contains(index, "ritical path") {
		t.Errorf("of one request the index is %q", index)
	}
}

// Texts behind a dash are a list, each with what goes on with it, and what comes after is none of it.
func TestTextsBehindADashAreAList(t *testing.T) {
	p := page.Page{Headline: "h", Sections: []page.Section{{ID: "a", Title: "a", Blocks: []page.Block{
		page.Labelled{Label: "first ", Text: "of fields"},
		page.Labelled{Label: "  - ", Text: "one"}, page.Labelled{Label: "    ", Tone: page.Dim, Text: "more of one"}, page.Labelled{Label: "  - ", Text: "two"},
		page.Labelled{Label: "last ", Text: "of fields"},
	}}}}
	s := read(t, reports.Document{Kind: reports.KindQueue}, p).byID("a")
	lists := s.all("ul")
	if len(lists) != 1 || len(lists[0].all("li")) != 2 || strings.Join(strings.Fields(lists[0].all("li")[0].content()), " ") != "one more of one" {
		t.Fatalf("the list is %q", s.content())
	}
	if fields := s.all("dt"); len(fields) != 2 || fields[0].content() != "first" || fields[1].content() != "last" {
		t.Errorf("the fields are %q", s.content())
	}
}

// A headline ends without the mark that leads on to its second line.
func TestTheFirstLineOfAHeadlineEndsWithoutAMark(t *testing.T) {
	for _, mark := range []string{";", ":"} {
		m := &markup{}
		m.sentence("h1", strings.Repeat("a ", 40)+"b"+mark+" "+strings.Repeat("c ", 80))
		if text := m.out.String(); !strings.Contains(text, `b<span class="hidden">`+mark+`</span><span class="more">`) {
			t.Errorf("%s: %s", mark, text)
		}
	}
}

// What the first head of a table says is not said above it again.
func TestACaptionIsNotSaidTwice(t *testing.T) {
	for caption, hidden := range map[string]bool{"ttft": true, "ttf": false, "percentiles": false} {
		m := &markup{}
		(&drawing{}).table(m, page.Table{ID: "a", Caption: caption, Columns: []page.Column{{Head: "ttft ms", Text: true}}, Rows: [][]string{{"p50"}}})
		if got := strings.Contains(m.out.String(), `<caption><span class="hidden">`); got != hidden {
			t.Errorf("%q is hidden: %v", caption, got)
		}
	}
}
