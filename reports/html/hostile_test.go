package html

import (
	"bytes"
	"html"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/reports"
	"github.com/tailpath/tailpath/reports/page"
)

// tricks are texts that have broken out of HTML somewhere.
var tricks = []string{
	`<script>alert(1)</script>`, `</script><script>alert(1)</script>`, `<!--`, `-->`, `<!--<script>`, `]]>`, `<![CDATA[`,
	`"><img src=x onerror=alert(1)>`, `' onmouseover='alert(1)`, `" autofocus onfocus=alert(1) x="`, `javascript:alert(1)`,
	`</title><h1>`, `</style>`, `</textarea>`, `</svg>`, `</table>`, `</details></section></main>`, `&lt;b&gt;`, `&#60;`, `&`, `&amp`,
	`<`, `>`, `"`, `'`, "`", `\`, `{{.}}`, `${7*7}`, `<svg/onload=alert(1)>`, `<a href=//x>`, `http://example.invalid/x`,
	"\x00", "\x1b[31m", "\x7f", "\u0085", "\u2028", "\u2029", "\u202e", "\u200b", "\ufeff", "\ufffe", "\xff\xfe", "\xc0\xbc", "\r\n", "\t",
	"[1]", "x [1]", "  [1] [2]", "-", "", " ", "total", "  below", strings.Repeat("long", 40), "é", "漢字", "🙂",
}

func hostile() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(tricks), rapid.String()), 0, 3).Draw(t, "parts"), "")
	})
}

// hostilePage draws a page in which every text is hostile.
func hostilePage(t *rapid.T) page.Page {
	text := hostile()
	draw := func() string { return text.Draw(t, "text") }
	p := page.Page{Headline: draw(), Next: draw()}
	for i := range rapid.IntRange(1, 4).Draw(t, "sections") {
		id := string(rune('a' + i))
		s := page.Section{ID: id, Title: draw(), Folded: rapid.Bool().Draw(t, "folded")}
		for j := range rapid.IntRange(0, 6).Draw(t, "blocks") {
			own := id + "-" + string(rune('a'+j))
			switch rapid.IntRange(0, 6).Draw(t, "kind") {
			case 0:
				s.Blocks = append(s.Blocks, page.Paragraph{Text: draw(), Line: rapid.Bool().Draw(t, "line"), Tone: page.Strong})
			case 1:
				s.Blocks = append(s.Blocks, page.Labelled{Label: draw(), Text: draw(), Tone: page.Dim})
			case 2:
				s.Blocks = append(s.Blocks, page.Note{Mark: "[" + string(rune('1'+j)) + "]", ID: draw(), Text: draw()})
			case 3:
				s.Blocks = append(s.Blocks, page.Gap{}, page.Blank{Prompt: draw()})
			case 4:
				s.Blocks = append(s.Blocks, page.Figure{ID: own, Answer: draw(), Drawing: sketch{draw()}})
			default:
				table := page.Table{ID: own, Caption: draw()}
				for range rapid.IntRange(1, 3).Draw(t, "columns") {
					table.Columns = append(table.Columns, page.Column{Head: draw(), Text: rapid.Bool().Draw(t, "words"), Path: rapid.Bool().Draw(t, "path")})
				}
				for range rapid.IntRange(1, 3).Draw(t, "rows") {
					var row []string
					for range table.Columns {
						row = append(row, draw())
					}
					table.Rows = append(table.Rows, row)
				}
				s.Blocks = append(s.Blocks, table)
			}
		}
		p.Sections = append(p.Sections, s)
	}
	return p
}

// ours are the elements of a file and the attributes that they may have.
var ours = map[string]string{
	"html": "lang", "head": "", "meta": "charset content http-equiv name", "title": "id", "style": "", "script": "id type", "body": "",
	"a": "aria-label class href id", "header": "class", "h1": "class", "h2": "class id", "p": "class id", "dl": "class", "div": "aria-label class role tabindex",
	"dt": "", "dd": "class", "section": "aria-labelledby class id", "ul": "class", "ol": "", "li": "class id", "nav": "aria-label class",
	"main": "id tabindex", "footer": "", "code": "", "span": "class", "strong": "", "figure": "id", "figcaption": "class",
	"details": "open", "summary": "", "table": "id", "caption": "", "thead": "", "tbody": "", "tfoot": "", "tr": "", "td": "class", "th": "class scope",
	"svg": "aria-labelledby class height role viewBox width", "desc": "id", "rect": "class height width x y", "text": "x y",
}

func TestHostileTextStaysText(t *testing.T) {
	base := stored(t, "summary_few")
	rapid.Check(t, func(t *rapid.T) {
		d, p := base, hostilePage(t)
		text := hostile()
		d.Command = []string{text.Draw(t, "command"), text.Draw(t, "command")}
		d.Inputs = []reports.Input{{Name: text.Draw(t, "input"), Format: text.Draw(t, "format"), SHA256: text.Draw(t, "digest")}}
		d.Tool.Version, d.Headline = text.Draw(t, "version"), p.Headline
		d.Report = &reports.Report{Kind: text.Draw(t, "kind"), Scope: text.Draw(t, "scope"), Week: &reports.Week{Name: text.Draw(t, "week"), Zone: text.Draw(t, "zone")},
			Banner: []reports.Warning{{ID: text.Draw(t, "id"), Text: text.Draw(t, "warning")}}}
		file := write(t, Options{}, d, p)
		root, err := parse(file)
		if err != nil {
			t.Fatal(err)
		}
		root.walk(func(n *node) {
			allowed, known := ours[n.tag]
			if !known {
				t.Fatalf("an element %s", n.tag)
			}
			for _, name := range n.names() {
				if !slices.Contains(strings.Fields(allowed), name) {
					t.Fatalf("<%s> has an attribute %s", n.tag, name)
				}
			}
			if href, ok := n.attrs["href"]; ok && !strings.HasPrefix(href, "#") {
				t.Fatalf("a link leads to %q", href)
			}
		})
		if scripts := root.all("script"); len(scripts) != 2 || scripts[0].text != "\n"+pageJS {
			t.Fatalf("%d scripts, or another than ours", len(scripts))
		}
		if styles := root.all("style"); len(styles) != 1 || styles[0].text != stylesheet() {
			t.Fatal("another style than ours")
		}
		if got, want := root.all("h1")[0].content(), html.UnescapeString(escape(p.Headline)); got != want {
			t.Fatalf("the headline is %q, not %q", got, want)
		}
		data, err := Island(strings.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		if i := bytes.IndexAny(data, "<>&\u2028\u2029"); i >= 0 {
			t.Fatalf("the document has %q", data[i:min(i+20, len(data))])
		}
		back, err := reports.ReadJSON(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(valid(d.Report.Scope), back.Report.Scope); diff != "" {
			t.Fatal("the document came back changed: ", diff)
		}
	})
}

// valid is a text as JSON keeps it.
func valid(s string) string {
	var b strings.Builder
	for _, r := range s {
		b.WriteRune(r)
	}
	return b.String()
}

func TestEscape(t *testing.T) {
	for _, c := range [...][2]string{
		{"plain", "plain"},
		{`<a b="c">&'`, "&lt;a b=&#34;c&#34;&gt;&amp;&#39;"},
		{"a\nb\tc\r\nd", "a b c  d"},
		{"\x00\x1b\x7f", `\u{0}\u{1b}\u{7f}`},
		{"user\u202eexe", `user\u{202e}exe`},
		{"zero\u200bwidth", `zero\u{200b}width`},
		{"a\xffb", "a\ufffdb"},
		{"µ – 漢", "µ – 漢"},
	} {
		got := escape(c[0])
		if got != c[1] {
			t.Errorf("%q becomes %q, not %q", c[0], got, c[1])
		}
		if !utf8.ValidString(got) {
			t.Errorf("%q becomes what is no UTF-8", c[0])
		}
	}
}
