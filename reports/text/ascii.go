package text

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// spell writes what is outside ASCII in ASCII where nothing else may be.
func (p *paper) spell(s string) string {
	if !p.o.ASCII || isASCII(s) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if r < utf8.RuneSelf {
			b.WriteRune(r)
			continue
		}
		b.WriteString(spelled(r))
	}
	return b.String()
}

// isASCII reports whether s has no character outside ASCII.
func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// spelled writes a character outside ASCII in ASCII.
func spelled(r rune) string {
	switch r {
	case 'µ', 'μ':
		return "u"
	case '–', '—', '−', '‐', '‑':
		return "-"
	case '±':
		return "+/-"
	case '…':
		return "..."
	case '∞':
		return "inf"
	case '×':
		return "x"
	case '▲':
		return "^"
	case '▼':
		return "v"
	case utf8.RuneError:
		return "?"
	}
	return fmt.Sprintf("\\u{%x}", r)
}
