package export

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// unnamed stands for a span whose name is empty.
const unnamed = "(no name)"

// stageLabel names a stage with its detail, such as "gpu/decode".
func stageLabel(s stage.Stage, detail string) string {
	if detail == "" {
		return s.String()
	}
	return s.String() + "/" + visible(detail)
}

// spanLabel names a span with its service, such as "vllm-server: llm_request".
func spanLabel(service, name string) string {
	if name == "" {
		name = unnamed
	}
	if service == "" {
		return visible(name)
	}
	return visible(service) + ": " + visible(name)
}

// labelOf is spanLabel of a row of the spans table.
func labelOf(set *table.Set, row int32) string {
	return spanLabel(set.Symbols.Text(set.Scopes.Service[set.Spans.ScopeRow[row]]), set.Symbols.Text(set.Spans.Name[row]))
}

// visible spells what is not seen, or would steer a terminal, and bytes that are no UTF-8.
func visible(text string) string {
	plain := true
	for i := range len(text) {
		plain = plain && text[i] >= ' ' && text[i] <= '~'
	}
	if plain {
		return text
	}
	var out strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&out, "\\x{%x}", text[i])
		case hidden(r):
			fmt.Fprintf(&out, "\\u{%x}", r)
		default:
			out.WriteRune(r)
		}
		i += size
	}
	return out.String()
}

// hidden reports whether a character is not seen, breaks a line, or may reorder or hide text.
func hidden(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp, unicode.Noncharacter_Code_Point,
		unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}
