package text

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// clean makes a text from anywhere fit for a line: escape sequences are taken out
// whole, line breaks and tabs become spaces, other control characters and the
// invisible characters that reorder or hide text are dropped, and bytes that are no
// UTF-8 become the replacement character. With ASCII, other characters are spelled.
func (p *page) clean(s string) string {
	if isPlain(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if n := escapeLength(s[i:]); n > 0 {
			i += n
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		switch {
		case r == '\n' || r == '\r' || r == '\t' || r == '\v' || r == '\f' || unicode.In(r, unicode.Zl, unicode.Zp):
			b.WriteByte(' ')
		case unicode.In(r, unicode.Cc, unicode.Cf):
		case r < utf8.RuneSelf || !p.o.ASCII:
			b.WriteRune(r)
		default:
			b.WriteString(spelled(r))
		}
	}
	return b.String()
}

// isPlain reports whether s is printable ASCII throughout.
func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
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
	case utf8.RuneError:
		return "?"
	}
	return fmt.Sprintf("\\u{%x}", r)
}

// escapeLength returns the length of the terminal control sequence that s starts
// with, 0 when it starts with none. An unfinished sequence reaches to the end.
func escapeLength(s string) int {
	intro := 0
	switch {
	case strings.HasPrefix(s, "\x1b"):
		intro = 1
	case len(s) > 1 && s[0] == 0xc2 && s[1] >= 0x80 && s[1] <= 0x9f: // a C1 control in UTF-8
		return controlString(s, 2, rune(s[1])-0x40)
	default:
		return 0
	}
	if len(s) == intro {
		return intro
	}
	return controlString(s, intro+1, rune(s[intro]))
}

// controlString returns the length of a sequence whose introducer is before from
// and is kind, in its seven-bit form.
func controlString(s string, from int, kind rune) int {
	switch kind {
	case '[': // parameters and intermediates, then a final byte
		for i := from; i < len(s); i++ {
			if s[i] >= 0x40 && s[i] <= 0x7e {
				return i + 1
			}
			if s[i] < 0x20 || s[i] > 0x3f {
				return i // broken off
			}
		}
		return len(s)
	case ']', 'P', 'X', '^', '_': // a string up to its terminator
		for i := from; i < len(s); i++ {
			switch {
			case s[i] == 0x07:
				return i + 1
			case strings.HasPrefix(s[i:], "\x1b\\"), strings.HasPrefix(s[i:], "\xc2\x9c"):
				return i + 2
			}
		}
		return len(s)
	case ' ', '#', '%', '(', ')', '*', '+', '-', '.', '/': // one more byte
		return min(from+1, len(s))
	}
	if kind < ' ' || kind > '~' {
		return from - 1 // a lone escape before something else
	}
	return from
}
