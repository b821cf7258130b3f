package markdown

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tailpath/tailpath/reports"
	"github.com/tailpath/tailpath/reports/page"
)

var update = flag.Bool("update", false, "write the golden files")

func written(t interface{ Fatal(...any) }, d reports.Document, p page.Page) string {
	var b bytes.Buffer
	if err := Write(&b, d, p); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// document is what every page of these tests is of.
var document = reports.Document{
	Kind: reports.KindSummary, Tool: reports.Tool{Name: "tailpath", Version: "1.2.3"}, Command: []string{"tailpath", "summary", "my logs/", "-f", "md", "-o", "a.md"},
	Inputs: []reports.Input{{Name: "my logs/a.jsonl", Bytes: 12345, SHA256: strings.Repeat("ab", 32)}},
}

// everyBlock is a page with each kind of block.
var everyBlock = page.Page{
	Headline: "queue takes the largest part: 90.1 % of +5.75 s (p95 and above, n = 56)",
	Sections: []page.Section{
		{ID: "answer", Blocks: []page.Block{
			page.Paragraph{Tone: page.Strong, Text: "misses p90(e2e) < 2s: 77 % met it"},
			page.Labelled{Label: "requests     ", Text: "1,100 of 1,100"}, page.Labelled{Label: "errors       ", Text: "0 of 1,100"},
			page.Labelled{Label: "traces       ", Text: "c2955e13, 5.05 s"}, page.Labelled{Label: "             ", Text: "e07762ac, 7.11 s"},
			page.Gap{}, page.Paragraph{Tone: page.Dim, Text: "a remark"},
			page.Paragraph{Text: "p95     791057c7", Line: true}, page.Paragraph{Text: "slowest e5cefc08", Line: true},
		}},
		{ID: "stages", Title: "why slow requests are slow", Blocks: []page.Block{
			page.Figure{ID: "f", Answer: "most of it is the queue"},
			page.Figure{ID: "g", Answer: "said already", Silent: true},
			page.Table{Caption: "of the silent chart", Silent: true, Columns: []page.Column{{Head: "n"}}, Rows: [][]string{{"77"}}},
			page.Table{Caption: "mean ms", Columns: []page.Column{{Text: true}, {Head: "slow"}, {Head: "usual"}, {Head: "why", Text: true}},
				Rows: [][]string{{"queue/engine", "5182", "<1", "a|b"}, {"  decode [1]", "1451", "896", "prompt_tokens"}, {"gpu", "", " 3", "*bold*"}}},
			page.Note{Mark: "[1]", ID: "too-few", Text: "too few requests"}, page.Note{Mark: "[2]", Text: "another"},
		}},
		{ID: "more", Title: "all of <it>", Folded: true, Blocks: []page.Block{
			page.Labelled{Label: "  - ", Text: "2026-08-20T12:01:01Z, 11.5 s"}, page.Labelled{Tone: page.Strong, Label: "verdict: ", Text: "leads"},
			page.Waterfall{LengthNS: 20_000_000, Unit: "ms", Rows: []page.WaterfallRow{{Label: "POST <b> (edge)", To: 20_000_000, Took: "20", OnPath: "1"}, {Label: "queue|1", Depth: 2, From: 1_000_000, To: 20_000_000, Took: "19", OnPath: "-"}}},
			page.Table{Columns: []page.Column{{Head: "n"}}},
		}},
		{ID: "open", Title: "lessons", Blocks: []page.Block{page.Blank{Prompt: "what went well"}, page.Blank{Prompt: "owner:"}}},
	},
	Next: "tailpath explain 'my logs/' --slowest 5",
}

func TestGoldenMarkdown(t *testing.T) {
	got, path := written(t, document, everyBlock), filepath.Join("testdata", "every_block.md")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNamesAreText(t *testing.T) {
	for given, want := range map[string]string{
		"plain": "plain", "": "", " \t\n ": "", "a\nb": "a b", "prompt_tokens": "prompt_tokens", "_slow_": `\_slow\_`, "a__b": `a\_\_b`,
		"a|b": "a&#124;b", `a\|b`: `a\\&#124;b`, "`x`": "\\`x\\`", "<img src=x onerror=y>": "&lt;img src=x onerror=y>", "a < 2s <1": "a < 2s <1", "</b> <!-- <?": "&lt;/b> &lt;!-- &lt;?",
		"&lt; &#60; a & b": "&amp;lt; &amp;#&#8203;60; a & b", "*a* **b**": `\*a\* \*\*b\*\*`, "~~a~~ ~": `\~\~a\~\~ ~`, "~ slow": "~ slow", "p99 [1] [12]": "p99 [1] [12]", "[a] [x]": "[a] [x]", "[a [b] c](d)": `[a [b] c\](d)`, "[[a]]": `\[[a]]`, "[1](b)": `[1\](b)`, "[1]: b": `[1\]: b`, "[1][2]": `[1\][2]`,
		"![x](y)": `![x\](y)`, "[^1]: x": `[^1\]: x`, "$x$": "&#36;x&#36;", "a # b": "a # b", "10.5 - 3": "10.5 - 3",
		"@team": "@&#8203;team", "a@b.c": "a@&#8203;b.c", "a @ b": "a @ b", "x/y#12": "x/y#&#8203;12", "GH-12": "GH-&#8203;12",
		"https://a.b/c": "https:&#8203;//a.b/c", "WWW.a.b": "WWW&#8203;.a.b", ":bug: 12:00:05": ":&#8203;bug: 12:00:05", ":100:": ":&#8203;100:", "T12:01:02Z: 68": "T12:01:02Z: 68", "a::b": "a::b",
	} {
		if got := inline(given); got != want {
			t.Errorf("%q is %q, want %q", given, got, want)
		}
	}
	for given, want := range map[string]string{
		"# a": `\# a`, "#12": `\#&#8203;12`, "- a": `\- a`, "-": `\-`, "-5": "-5", "---": `\---`, "- - -": `\- - -`, "+ a": `\+ a`, "+5.75 s": "+5.75 s", "1. a": `1\. a`, "12) a": `12\) a`, "1.": `1\.`, "1.5 s": "1.5 s", "3": "3",
		"> a": `\> a`, "===": `\===`, "* a": `\* a`, "[x] a": `\[x] a`, "[ ] a": `\[ ] a`, "[1] a": "[1] a", "[12] a": "[12] a", "[x](y)": `\[x\](y)`, "": "", "plain": "plain",
	} {
		if got := opening(given); got != want {
			t.Errorf("%q begins a line as %q, want %q", given, got, want)
		}
	}
	for given, want := range map[string]string{"a #": `a \#`, "a ##": `a #\#`, "#": `\#`, "a": "a", "1. a": "1. a"} {
		if got := heading(given); got != want {
			t.Errorf("%q is the heading %q, want %q", given, got, want)
		}
	}
	if got, want := markup("<b>@x & #1</b> a_b"), "&lt;b&gt;@&#8203;x &amp; #&#8203;1&lt;/b&gt; a_b"; got != want {
		t.Errorf("between tags it is %q, want %q", got, want)
	}
	if got, want := code("echo ```` `a`\nx"), "`````sh\necho ```` `a` x\n`````"; got != want {
		t.Errorf("a command is %q, want %q", got, want)
	}
}

func TestCommandThatPrintsAllOfIt(t *testing.T) {
	for given, want := range map[string]string{
		"":                                    "tailpath render REPORT.json -f text",
		"tailpath x.jsonl":                    "tailpath x.jsonl -f text",
		"tailpath summary x -f md -o a.md -v": "tailpath summary x -v -f text",
		"tailpath queue -fmd -oa.md x":        "tailpath queue x -f text",
		"tailpath queue --format=md x --output=a": "tailpath queue x -f text",
		"tailpath queue --format md --output a x": "tailpath queue x -f text",
		"tailpath summary -o a.md -- -f":          "tailpath summary -f text -- -f",
		"tailpath " + strings.Repeat("x ", 2000):  "tailpath render REPORT.json -f text",
	} {
		if got := wholeCommand(strings.Fields(given)); got != want {
			t.Errorf("%q: %q, want %q", given, got, want)
		}
	}
}

// TestGoldenDocumentsAreMarkdown draws every document that package reports keeps.
func TestGoldenDocumentsAreMarkdown(t *testing.T) {
	paths, err := filepath.Glob("../testdata/*.json")
	if err != nil || len(paths) == 0 {
		t.Fatal("no documents: ", err)
	}
	tables := 0
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		d, err := reports.ReadJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatal(path, ": ", err)
		}
		got := written(t, d, page.Of(d, page.Options{Brief: true}))
		if !strings.HasPrefix(got, "# "+heading(d.Headline)+"\n") || len(got) > MaxBytes || strings.Contains(got, "\n\n\n") {
			t.Errorf("%s: %d bytes, without the headline or with empty lines that nothing is between", path, len(got))
		}
		if d.Next != "" && !strings.HasSuffix(got, "\n```sh\n"+d.Next+"\n```\n") {
			t.Errorf("%s does not end with the next command", path)
		}
		bars := 0
		for i, line := range strings.Split(got, "\n") {
			n := strings.Count(line, "|")
			switch {
			case !strings.HasPrefix(line, "|"):
				bars = 0
			case bars == 0:
				bars = n
				tables++
			case n != bars:
				t.Errorf("%s:%d has another number of cells: %s", path, i+1, line)
			}
		}
	}
	if tables < len(paths) {
		t.Errorf("there are %d tables in %d documents", tables, len(paths))
	}
}
