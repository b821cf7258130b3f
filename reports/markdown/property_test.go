package markdown

import (
	"html"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/reports"
	"github.com/tailpath/tailpath/reports/page"
)

// nasty are names that attack a page of Markdown.
var nasty = []string{
	"", "plain", "[[]", "[x] a", "](b)", "[a", "[b]: c", "| a | b |", `\|`, `a\`, "`", "```", "~~~", "<script>alert(1)</script>", "</details>", "<!--", "-->", "<b>", "&#60;b&#62;", "&lt;",
	"# h", "###### h", "- i", "* i", "+ i", "1. i", "1) i", "> q", "---", "===", "***", "___", "    code", "\tcode", "[a](javascript:b)", "![a](b)", "[a]: b", "[^1]: b",
	"<http://x>", "http://x.y", "www.x.y", "a@b.c", "@octocat", "#1", "a/b#1", "GH-1", ":bug:", "$$x$$", "**b**", "__b__", "_i_", "~~s~~", "a\n# b", "a\r\n\r\n- b", "a\n|-|",
	"|-|", "| --- |", ":--", "\x00", "\xff", "\u2028# x", " - ", "\\", "\\\\|", "a\\\\\\|b", "_", "__", "a_b_c", "*", "-", "--",
}

var (
	ownTags   = regexp.MustCompile(`^(<details>|</details>|<summary>.*</summary>)$`)
	construct = regexp.MustCompile(`^(#{1,6} |[-+*] |\d+[.)] |> ?|\x60{3,}|~{3,}|\||<[a-zA-Z/!?]| {4}|\t|=+$|-+$|_+$|\*\*)?`)
	escaped   = regexp.MustCompile("\\\\([!-/:-@\\[-\x60{-~])")
	leading   = regexp.MustCompile(`(^|[^\\])\][(\[:]`)
	tag       = regexp.MustCompile(`<[a-zA-Z/!?]`)
	linked    = regexp.MustCompile(`(?i)https?://|www\.|@[\w-]|#\d|gh-\d`)
)

// shape says what every line of a text is: how it begins, and how many cells it has. The
// lines of a command may be anything.
func shape(text string) (out []string) {
	fenced := false
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		} else if fenced {
			line = ""
		}
		if strings.HasPrefix(line, "<summary>") {
			line = "<summary>"
		}
		out = append(out, construct.FindString(line)+strings.Repeat("|", strings.Count(line, "|")))
	}
	return out
}

// TestNamesMakeNothingOfTheirOwn draws pages of hostile names, and finds in them the lines of
// the same page with harmless ones.
func TestNamesMakeNothingOfTheirOwn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		harmless := func(s string) string {
			if flat(s) == "" {
				return ""
			}
			return "x"
		}
		name := func(label string) string {
			return rapid.OneOf(rapid.SampledFrom(nasty), rapid.String(), rapid.StringOf(rapid.RuneFrom([]rune("\\`*_{}[]<>()#+-.!|~&@:$ 1a\n")))).Draw(t, label)
		}
		label := func() (nasty, plain string) {
			s := name("label")
			if flat(s) != "" && strings.Trim(flat(s), "-*•·") == "" {
				return s, "-"
			}
			return s, harmless(s)
		}
		hostile, plain := page.Page{Headline: "a" + name("headline"), Next: "run " + name("next")}, page.Page{Headline: "x", Next: "run x"}
		hostile.Next = strings.ReplaceAll(hostile.Next, "`", "'") // fences are longer than what is in them
		for range rapid.IntRange(1, 3).Draw(t, "sections") {
			folded, title := rapid.Bool().Draw(t, "folded"), name("title")
			a, b := page.Section{Title: title, Folded: folded}, page.Section{Title: harmless(title), Folded: folded}
			for range rapid.IntRange(0, 4).Draw(t, "blocks") {
				text, tone := name("text"), rapid.SampledFrom([]page.Tone{page.Plain, page.Strong, page.Dim}).Draw(t, "tone")
				switch rapid.IntRange(0, 5).Draw(t, "kind") {
				case 0:
					a.Blocks, b.Blocks = append(a.Blocks, page.Paragraph{Tone: tone, Text: text}), append(b.Blocks, page.Paragraph{Tone: tone, Text: harmless(text)})
				case 1:
					l, p := label()
					a.Blocks, b.Blocks = append(a.Blocks, page.Labelled{Tone: tone, Label: l, Text: text}), append(b.Blocks, page.Labelled{Tone: tone, Label: p, Text: harmless(text)})
				case 2:
					id := name("id")
					a.Blocks, b.Blocks = append(a.Blocks, page.Note{Mark: "[1]", ID: id, Text: text}), append(b.Blocks, page.Note{Mark: "[1]", ID: harmless(id), Text: harmless(text)})
				case 3:
					n := rapid.IntRange(1, 3).Draw(t, "columns")
					h, p := page.Table{Caption: text}, page.Table{Caption: strings.ReplaceAll(harmless(text), "x", "other")}
					for range n {
						head, words := name("head"), rapid.Bool().Draw(t, "words")
						if len(h.Columns) == 0 && head == text { // said once
							p.Caption = harmless(head)
						}
						h.Columns, p.Columns = append(h.Columns, page.Column{Head: head, Text: words}), append(p.Columns, page.Column{Head: harmless(head), Text: words})
					}
					for range rapid.IntRange(0, 3).Draw(t, "rows") {
						var cells, others []string
						for range n {
							cells, others = append(cells, name("cell")), append(others, "x")
						}
						h.Rows, p.Rows = append(h.Rows, cells), append(p.Rows, others)
					}
					a.Blocks, b.Blocks = append(a.Blocks, h), append(b.Blocks, p)
				case 4:
					a.Blocks, b.Blocks = append(a.Blocks, page.Figure{Answer: text}), append(b.Blocks, page.Figure{Answer: harmless(text)})
				case 5:
					a.Blocks, b.Blocks = append(a.Blocks, page.Blank{Prompt: text}), append(b.Blocks, page.Blank{Prompt: "x"})
				}
			}
			hostile.Sections, plain.Sections = append(hostile.Sections, a), append(plain.Sections, b)
		}
		file := name("file")
		d, e := document, document
		d.Inputs, e.Inputs = []reports.Input{{Name: file}}, []reports.Input{{Name: harmless(file)}}
		got := written(t, d, hostile)
		if a, b := shape(got), shape(written(t, e, plain)); strings.Join(a, "\n") != strings.Join(b, "\n") {
			t.Fatalf("other lines: %q\n%q\n%s", a, b, got)
		}
		fenced := false
		for line := range strings.Lines(got) {
			line = strings.TrimSuffix(line, "\n")
			if strings.HasPrefix(line, "```") {
				fenced = !fenced
				continue
			}
			if !fenced && tag.MatchString(line) && !ownTags.MatchString(line) {
				t.Fatalf("a tag: %q", line)
			}
			if !fenced && !strings.HasPrefix(line, "<summary>") && leading.MatchString(line) {
				t.Fatalf("brackets that lead somewhere: %q", line)
			}
			if !fenced && linked.MatchString(html.UnescapeString(strings.ReplaceAll(line, invisible, "\u200b"))) {
				t.Fatalf("a link or a mention: %q", line)
			}
		}
	})
}

// TestNamesAreReadAsTheyAre takes the escapes out again, as Markdown does.
func TestNamesAreReadAsTheyAre(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := strings.ReplaceAll(rapid.OneOf(rapid.SampledFrom(nasty), rapid.String()).Draw(t, "name"), "\u200b", "")
		for _, written := range []string{inline(s), opening(s), heading(s)} {
			got := html.UnescapeString(strings.ReplaceAll(escaped.ReplaceAllString(written, "$1"), invisible, ""))
			if want := flat(s); got != want {
				t.Fatalf("%q is read as %q", want, got)
			}
		}
	})
}
