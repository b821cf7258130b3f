package html

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// markup collects HTML. What comes from a document reaches it by text or as the value of an
// attribute, which escape it; raw takes what this package or a chart has written.
type markup struct{ out strings.Builder }

// raw writes markup as it is.
func (m *markup) raw(markup string) { m.out.WriteString(markup) }

// text writes a text that may hold anything.
func (m *markup) text(s string) { m.out.WriteString(escape(s)) }

// open writes the start of an element. Attributes are names and values in turn; one whose
// name is empty is left out.
func (m *markup) open(tag string, attributes ...string) {
	m.raw("<" + tag)
	for i := 0; i+1 < len(attributes); i += 2 {
		if attributes[i] != "" {
			m.raw(" " + attributes[i] + `="` + escape(attributes[i+1]) + `"`)
		}
	}
	m.raw(">")
}

// close writes the end of an element. Ends of blocks end a line, for those who read the file.
func (m *markup) close(tag string) {
	m.raw("</" + tag + ">")
	if !inline[tag] {
		m.raw("\n")
	}
}

// element writes an element that holds a text.
func (m *markup) element(tag, text string, attributes ...string) {
	m.open(tag, attributes...)
	m.text(text)
	m.close(tag)
}

// inline are the elements that stand within a line.
var inline = map[string]bool{"a": true, "code": true, "span": true, "strong": true, "sup": true, "td": true, "th": true}

// class returns the attribute for classes, none for an empty list.
func class(names ...string) []string {
	var all []string
	for _, n := range names {
		if n != "" {
			all = append(all, n)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return []string{"class", strings.Join(all, " ")}
}

// escape makes any text fit for the content of an element and for a quoted attribute. A page
// is clean already, a document is not: control characters and those that hide or reorder text
// are spelled, and bytes that are no UTF-8 become the replacement character.
func escape(s string) string {
	plain := true
	for i := 0; i < len(s) && plain; i++ {
		c := s[i]
		plain = c >= ' ' && c <= '~' && c != '&' && c != '<' && c != '>' && c != '"' && c != '\''
	}
	if plain {
		return s
	}
	var b strings.Builder
	for _, r := range s { // bytes that are no UTF-8 arrive as utf8.RuneError
		switch {
		case r == '&':
			b.WriteString("&amp;")
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '"':
			b.WriteString("&#34;")
		case r == '\'':
			b.WriteString("&#39;")
		case r == '\n', r == '\t', r == '\r':
			b.WriteByte(' ')
		case r != utf8.RuneError && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp, unicode.Noncharacter_Code_Point, unicode.Other_Default_Ignorable_Code_Point):
			fmt.Fprintf(&b, `\u{%x}`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
