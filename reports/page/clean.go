package page

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// marksKept is how many combining marks a character keeps. No writing has more on one; a
// text of thousands of them is a column wide and would reach over the lines around it.
const marksKept = 8

// clean makes a text from anywhere fit for a line. Escape sequences are taken out whole, line
// breaks and tabs become spaces, bytes that are no UTF-8 become the replacement character, and
// an ellipsis stands for the combining marks of a character beyond the first marksKept.
//
// Other control characters, and the invisible ones that reorder or hide text, are spelled, as
// standard error does: two hosts that differ in a zero-width space are two hosts, and a name
// of nothing else is not blank. Variation selectors and joiners behind a character only choose
// how emoji look and are dropped. What is clean stays as it is.
func clean(s string) string {
	if isPlain(s) {
		return s
	}
	var b strings.Builder
	marks, before := 0, ' '
	for i := 0; i < len(s); {
		if n := escapeLength(s[i:]); n > 0 {
			i += n
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		switch {
		case r == '\n' || r == '\r' || r == '\t' || r == '\v' || r == '\f' || unicode.In(r, unicode.Zl, unicode.Zp):
			r = ' '
			b.WriteByte(' ')
		case unicode.Is(unicode.Variation_Selector, r) && !unicode.IsSpace(before), r == joiner && unicode.Is(unicode.So, before):
			continue
		case hides(r):
			b.WriteString(spelledOut(r))
			r = ' '
		case unicode.In(r, unicode.Mn, unicode.Me):
			if marks++; marks > marksKept {
				if marks == marksKept+1 {
					b.WriteString("…")
				}
				continue
			}
			b.WriteRune(r)
			continue
		default:
			b.WriteRune(r)
		}
		marks, before = 0, r
	}
	return b.String()
}

// joiner joins emoji into one.
const joiner = '\u200d'

// hides reports whether a character is not seen and may reorder or hide text.
func hides(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Noncharacter_Code_Point, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) || r == '\u2800'
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

// spelledOut writes the number of a character.
func spelledOut(r rune) string { return fmt.Sprintf("\\u{%x}", r) }

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
