package line

import (
	"bytes"
	"unicode/utf8"
)

const (
	escape = 0x1b
	bell   = 0x07
)

// clean removes, in place, NUL bytes and the escape sequences of a terminal. No escape
// byte is left. A sequence that has no end costs its introducer alone, so that no
// record is taken for the title of a window.
func clean(text []byte) []byte {
	text = dropNul(text)
	i := bytes.IndexByte(text, escape)
	if i < 0 {
		return text
	}
	out := text[:i]
	for i < len(text) {
		i += sequence(text[i:])
		next := bytes.IndexByte(text[i:], escape)
		if next < 0 {
			next = len(text) - i
		}
		out = append(out, text[i:i+next]...)
		i += next
	}
	return out
}

// sequence returns the length of the escape sequence that text begins with.
func sequence(text []byte) int {
	if len(text) < 2 {
		return len(text)
	}
	switch c := text[1]; {
	case c == '[': // a control sequence, as of colours
		i := 2
		for i < len(text) && text[i] >= 0x20 && text[i] <= 0x3f {
			i++
		}
		if i < len(text) && text[i] >= 0x40 && text[i] <= 0x7e {
			i++
		}
		return i
	case c == ']' || c == 'P' || c == 'X' || c == '^' || c == '_': // a string, as of titles and hyperlinks
		for i := 2; i < len(text); i++ {
			if text[i] == bell {
				return i + 1
			}
			if text[i] == escape {
				if i+1 < len(text) && text[i+1] == '\\' {
					return i + 2
				}
				break
			}
		}
		return 2
	case c >= 0x20 && c <= 0x2f:
		i := 2
		for i < len(text) && text[i] >= 0x20 && text[i] <= 0x2f {
			i++
		}
		if i < len(text) && text[i] >= 0x30 && text[i] <= 0x7e {
			i++
		}
		return i
	case bytes.IndexByte([]byte("78=>cM"), c) >= 0: // cursor and keypad; other letters may begin a record
		return 2
	}
	return 1
}

// dropNul removes NUL bytes in place.
func dropNul(text []byte) []byte {
	i := bytes.IndexByte(text, 0)
	if i < 0 {
		return text
	}
	out := text[:i]
	for i < len(text) {
		for i < len(text) && text[i] == 0 {
			i++
		}
		next := bytes.IndexByte(text[i:], 0)
		if next < 0 {
			next = len(text) - i
		}
		out = append(out, text[i:i+next]...)
		i += next
	}
	return out
}

// trimTorn removes the first bytes of a character at the end of a text that was cut.
func trimTorn(text []byte) []byte {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if tail := text[len(text)-n:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				return text[:len(text)-n]
			}
			break
		}
	}
	return text
}
