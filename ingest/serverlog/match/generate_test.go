package match_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tailpath/tailpath/ingest/serverlog/match"
	"pgregory.net/rapid"
)

// piece is a part of a pattern, a text that matches it, and what it captures.
type piece struct {
	spec, text string
	want       map[string]string
}

// drawHole draws a typed hole and a text of the type.
func drawHole(t *rapid.T, name string) piece {
	typ := rapid.SampledFrom([]string{"", "token", "word", "int", "float", "hex", "uuid", "quoted", "python", "ms", "rust", "list(s)", "datetime", "clf"}).Draw(t, "type")
	shapes := map[string]string{
		"": `([a-z ,.:()"'{}]{0,8}[a-z])?`, "token": `[a-z,.:()"'{}]{1,8}`, "word": `[A-Za-z]{1,8}`, "int": `-?[0-9]{1,9}`,
		"float": `-?[0-9]{1,9}(\.[0-9]{1,5})?`, "hex": `[0-9a-f]{1,16}`, "uuid": `[0-9a-f]{32}|[0-9A-F]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`, "quoted": `"[a-z ;|]{0,8}"`, "python": `'[a-z ;|]{1,8}'`,
		"ms": `[0-9]{1,9}(\.[0-9]{1,3})?`, "rust": `[1-9][0-9]{0,3}(\.[0-9])?(ns|µs|ms|s)`, "list(s)": `[0-9]\.[0-9](( : |, )(-|[0-9]\.[0-9])){0,3}`,
		"datetime": `20[0-9]{2}-0[1-9]-[012][1-8] [01][0-9]:[0-5][0-9]:[0-5][0-9](,[0-9]{3})?`, "clf": `[012][1-8]/Mar/20[0-9]{2}:[01][0-9]:00:59 \+0[0-9]30`,
	}
	text := rapid.StringMatching(shapes[typ]).Draw(t, "text")
	p := piece{spec: "{" + name + ":" + typ + "}", text: text, want: map[string]string{name: text}}
	if typ == "" {
		p.spec = "{" + name + "}"
	}
	if strings.HasPrefix(text, `"`) && typ == "quoted" || strings.HasPrefix(text, `'`) && typ == "python" {
		p.want[name] = text[1 : len(text)-1]
	}
	return p
}

// drawPieces draws a sequence in which a literal that holds ; or | ends every hole.
func drawPieces(t *rapid.T, prefix string, depth int) piece {
	all := piece{want: map[string]string{}}
	for i := range rapid.IntRange(1, 5).Draw(t, "pieces") {
		name := fmt.Sprintf("%s%d", prefix, i)
		p := drawHole(t, name)
		if depth < 2 && rapid.Bool().Draw(t, "group") {
			inner := drawPieces(t, name+"_", depth+1)
			mark := "|" + name + "="
			p = piece{spec: "{?" + mark + inner.spec + "?}", want: map[string]string{}}
			if rapid.Bool().Draw(t, "present") {
				p.text, p.want = mark+inner.text, inner.want
			}
		}
		end := rapid.StringMatching(`;[a-z ]{0,3};`).Draw(t, "literal") + name + ";"
		all.spec += p.spec + end
		all.text += p.text + end
		for k, v := range p.want {
			all.want[k] = v
		}
	}
	return all
}

// TestGeneratedPatterns renders the values of drawn patterns and reads them back.
func TestGeneratedPatterns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPieces(t, "f", 0)
		slots := match.NewSlots()
		m, rest, err := match.Pattern(p.spec, slots, nil)
		if err != nil || rest {
			t.Fatalf("%q: %v", p.spec, err)
		}
		values := slots.NewValues()
		if !m.Match([]byte(p.text), values) {
			t.Fatalf("%q does not match %q", p.spec, p.text)
		}
		for i, name := range slots.Names() {
			want, present := p.want[name]
			if got := string(values[i].Text); got != want || !present && values[i].Kind != match.None {
				t.Fatalf("%q on %q: %s is %q, want %q", p.spec, p.text, name, got, want)
			}
		}
		if !m.First()[p.text[0]] || !strings.HasPrefix(p.text, string(m.Prefix())) || !strings.Contains(p.text, string(m.Must())) {
			t.Fatalf("%q on %q: prefix %q, must %q", p.spec, p.text, m.Prefix(), m.Must())
		}
		if end, ok := m.MatchHead([]byte(p.text+"rest"), values); !ok || end != len(p.text) {
			t.Fatalf("head of %q ends at %d of %d, %v", p.text, end, len(p.text), ok)
		}
		if m.Match([]byte(p.text+"rest"), values) {
			t.Fatalf("%q matches more than %q", p.spec, p.text)
		}
	})
}
