package text

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tailpath/tailpath/reports/page"
)

// everyBlock is a page with a block of every kind.
var everyBlock = page.Page{
	Headline: "queue dominates",
	Sections: []page.Section{
		{ID: "answer", Blocks: []page.Block{
			page.Labelled{Label: "requests     ", Text: "90 of 100, among kept traces"},
			page.Gap{},
			page.Gap{},
			page.Paragraph{Tone: page.Dim, Text: "a remark of more words than a narrow page has on a line, so that it is wrapped"},
			page.Paragraph{Text: "  p99     0123456789abcdef0123456789abcdef", Line: true},
		}},
		{ID: "figures", Title: "where the time goes [1]", Folded: true, Blocks: []page.Block{
			page.Figure{ID: "chart", Answer: "most of it goes to the queue"},
			page.Figure{ID: "again", Answer: "the same once more", Silent: true},
			page.Table{Caption: "of the silent chart", Silent: true, Columns: []page.Column{{Head: "n"}}, Rows: [][]string{{"77"}}},
			page.Table{ID: "t", Caption: "not drawn", Columns: []page.Column{{Text: true}, {Head: "mean µs"}}, Rows: [][]string{{"queue", "1.0–2.0"}}},
			page.Note{Mark: "[1]", ID: "low-n", Text: "few requests"},
			page.Note{Mark: "[2]", Text: "a note without a name"},
			page.Labelled{Label: "  replica           ", Text: "uneven", Named: true},
			page.Labelled{Label: "  " + strings.Repeat("n", 40) + " ", Text: "a name that is cut where there is a width", Named: true},
			page.Waterfall{ID: "w", LengthNS: 64, Unit: "ns", Rows: []page.WaterfallRow{
				{Label: "root", To: 64, Took: "64", OnPath: "32", Marks: []page.WaterfallMark{{To: 32, Sign: page.OnPath}}},
				{Label: "leaf", Depth: 9, From: 32, To: 65, Took: "33", OnPath: "-"},
			}},
			page.Blank{Prompt: "What was done:"},
		}},
	},
	Next: "tailpath explain 'a b' --slowest 5",
}

func drawn(o Options) string {
	p := &paper{o: o}
	p.draw(everyBlock)
	return p.out.String()
}

// TestEveryBlockIsDrawn: all that text writes of each kind of block, and of none that only repeats.
func TestEveryBlockIsDrawn(t *testing.T) {
	want := `queue dominates
requests     90 of 100, among kept traces

a remark of more words than a narrow page has on a line, so that it is wrapped
  p99     0123456789abcdef0123456789abcdef

where the time goes [1]
most of it goes to the queue
       mean µs
queue  1.0–2.0
  [1] low-n: few requests
  [2] a note without a name
  replica         uneven
  nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn a name that is cut where there is a width
span                       0 ns      10        20        30        40        50        60     took ns  on path
root                      |================================--------------------------------|       64       32
                [9] leaf  |                                ------------------------------->|       33        -
  = on the critical path, - off it, ~ on it and derived from a duration, ? on it while another span ran, > goes on after the request
What was done: ________________________

next: tailpath explain 'a b' --slowest 5
`
	if diff := cmp.Diff(want, drawn(Options{Verbose: true})); diff != "" {
		t.Error(diff)
	}
}

// TestFoldedSectionsAreCounted where they are not written.
func TestFoldedSectionsAreCounted(t *testing.T) {
	brief, whole := drawn(Options{}), drawn(Options{Verbose: true})
	const count = "more with -v: where the time goes [1]\n"
	if strings.Contains(brief, "most of it goes") || !strings.Contains(brief, "\n\n"+count+"\nnext:") {
		t.Errorf("a folded section is written, or not counted:\n%s", brief)
	}
	if strings.Contains(whole, count) {
		t.Error("a section is counted that is written")
	}
	p := &paper{}
	p.draw(page.Page{Sections: []page.Section{{}, {Title: "details: a", Folded: true}, {Title: "details: b", Folded: true}}})
	if got := p.out.String(); !strings.Contains(got, "sections of detail: 2, which -v writes\n") || strings.Contains(got, "details:") {
		t.Errorf("two sections:\n%s", got)
	}
}

// TestEveryBlockFits a narrow page, in ASCII, and styles change nothing else.
func TestEveryBlockFits(t *testing.T) {
	for _, o := range []Options{{Width: 48, Verbose: true}, {Width: 48, ASCII: true, Verbose: true}, {Width: 80, Verbose: true}} {
		got := drawn(o)
		for line := range strings.Lines(got) {
			if line = strings.TrimSuffix(line, "\n"); width(line) > o.Width {
				t.Errorf("%d columns of %d: %q", width(line), o.Width, line)
			}
		}
		if o.ASCII && !isASCII(got) {
			t.Errorf("not ASCII:\n%s", got)
		}
		if label := strings.Repeat("n", 40); strings.Contains(got, label) == (o.Width < 2*len(label)+4) {
			t.Errorf("a label of 40 at %d columns:\n%s", o.Width, got)
		}
		o.Color = true
		styled := drawn(o)
		if diff := cmp.Diff(got, ownStyle.ReplaceAllString(styled, "")); diff != "" {
			t.Error(diff)
		}
		if !strings.HasPrefix(styled, "\x1b[1mqueue dominates\x1b[0m\n") || !strings.Contains(styled, "\x1b[2ma remark") || !strings.Contains(styled, "\x1b[1mwhere the time") {
			t.Errorf("%q", styled)
		}
	}
}
