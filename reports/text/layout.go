package text

import (
	"strings"
	"sync"

	"github.com/olekukonko/tablewriter/pkg/twwidth"
)

// fixedWidths takes the width of ambiguous East Asian characters from here instead
// of from the environment, which the table library would read: the same document
// must give the same bytes everywhere.
var fixedWidths = sync.OnceFunc(func() { twwidth.SetOptions(twwidth.Options{}) })

// width returns the columns a spelled text takes.
func width(s string) int {
	if isASCII(s) {
		return len(s)
	}
	fixedWidths()
	return twwidth.Width(s)
}

// cut shortens a spelled text to at most limit columns, with an ellipsis.
func (p *paper) cut(s string, limit int) string {
	if width(s) <= limit {
		return s
	}
	ellipsis := p.spell("…")
	head, _ := splitAt(s, limit-width(ellipsis))
	return head + ellipsis
}

// cutFront shortens a spelled text to at most limit columns at its front: what tells
// paths of one directory apart is their end.
func (p *paper) cutFront(s string, limit int) string {
	if width(s) <= limit {
		return s
	}
	ellipsis := p.spell("…")
	for i := range s {
		if i > 0 && width(s[i:]) <= limit-width(ellipsis) {
			return ellipsis + s[i:]
		}
	}
	return p.cut(ellipsis, limit)
}

// splitAt splits a text after at most limit columns, and after one character at least.
func splitAt(s string, limit int) (head, rest string) {
	used := 0
	for i, r := range s {
		w := width(string(r))
		if used += w; used > limit && i > 0 {
			// Widths of single characters may add to more than their cluster's; never less.
			return s[:i], s[i:]
		}
	}
	return s, ""
}

// wrap breaks a text at spaces into lines of at most limit columns, and breaks words
// that are longer. Limit 0 is no limit.
func wrap(s string, limit int) []string {
	if limit <= 0 || width(s) <= limit {
		return []string{s}
	}
	var lines []string
	line := ""
	for _, word := range words(s) {
		if line != "" && width(line)+1+width(word) <= limit {
			line += " " + word
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		for width(word) > limit {
			var head string
			if head, word = splitAt(word, limit); word == "" {
				word = head
				break
			}
			lines = append(lines, head)
		}
		line = word
	}
	return append(lines, line)
}

// words splits a text at spaces, but keeps a number with its unit.
func words(s string) []string {
	var out []string
	for word := range strings.FieldsSeq(s) {
		last := len(out) - 1
		if last >= 0 && isUnit(word) && out[last][len(out[last])-1] >= '0' && out[last][len(out[last])-1] <= '9' {
			out[last] += " " + word
			continue
		}
		out = append(out, word)
	}
	return out
}

// isUnit reports whether a word is a unit, with or without punctuation after it.
func isUnit(word string) bool {
	switch strings.TrimRight(word, ",.;:)") {
	case "s", "ms", "µs", "us", "ns", "%":
		return true
	}
	return false
}

// shellWords splits a command at spaces outside single quotes.
func shellWords(s string) []string {
	var words []string
	start, quoted := 0, false
	for i := range len(s) {
		switch {
		case s[i] == '\'':
			quoted = !quoted
		case s[i] == ' ' && !quoted:
			words = append(words, s[start:i])
			start = i + 1
		}
	}
	return append(words, s[start:])
}
