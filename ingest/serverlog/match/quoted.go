package match

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// stringEnd returns the place of the quote that ends a string whose first byte, behind
// its opening quote, is text[at]; -1 if it is never closed.
func stringEnd(text []byte, at int, quote byte) int {
	for from := at; ; {
		n := bytes.IndexByte(text[from:], quote)
		if n < 0 {
			return -1
		}
		end := from + n
		slashes := 0
		for i := end - 1; i >= at && text[i] == '\\'; i-- {
			slashes++
		}
		if slashes%2 == 0 {
			return end
		}
		from, at = end+1, end+1
	}
}

// escapes says how \x is meant.
type escapes uint8

const (
	byteEscapes escapes = iota // \xe9 is one byte, as nginx and C write it
	runeEscapes                // \xe9 is a character, as Python's str writes it
)

// unescape appends text without its \-escapes to dst. An escape that is none stays as
// it is; it never makes the text longer.
func unescape(dst, text []byte, how escapes) []byte {
	for {
		i := bytes.IndexByte(text, '\\')
		if i < 0 || i+1 >= len(text) {
			return append(dst, text...)
		}
		dst = append(dst, text[:i]...)
		c := text[i+1]
		text = text[i:]
		width := 2
		switch c {
		case 'n':
			dst = append(dst, '\n')
		case 't':
			dst = append(dst, '\t')
		case 'r':
			dst = append(dst, '\r')
		case 'b':
			dst = append(dst, '\b')
		case 'f':
			dst = append(dst, '\f')
		case 'x', 'u', 'U':
			dst, width = unescapeHex(dst, text, how)
		case '\\', '"', '\'', '/':
			dst = append(dst, c)
		default:
			dst = append(dst, '\\', c)
		}
		text = text[width:]
	}
}

// unescapeHex appends the character of the \x, \u or \U at the start of text, or the
// two bytes as they are, and returns how many bytes of text it took.
func unescapeHex(dst, text []byte, how escapes) ([]byte, int) {
	digits := 2
	switch text[1] {
	case 'u':
		digits = 4
	case 'U':
		digits = 8
	}
	n, ok := hexNumber(text, 2, digits)
	if !ok {
		return append(dst, text[:2]...), 2
	}
	width := 2 + digits
	if digits == 2 && how == byteEscapes {
		return append(dst, byte(n)), width
	}
	r := rune(utf8.RuneError)
	if n <= utf8.MaxRune {
		r = rune(n)
	}
	if utf16.IsSurrogate(r) {
		low, ok := uint32(0), false
		if width+6 <= len(text) && text[width] == '\\' && text[width+1] == 'u' {
			low, ok = hexNumber(text, width+2, 4)
		}
		if pair := utf16.DecodeRune(r, rune(low)); ok && pair != utf8.RuneError {
			r, width = pair, width+6
		}
	}
	return utf8.AppendRune(dst, r), width
}

// hexNumber reads digits of hex at text[at].
func hexNumber(text []byte, at, digits int) (n uint32, ok bool) {
	if at+digits > len(text) {
		return 0, false
	}
	for _, c := range text[at : at+digits] {
		if !isHex(c) {
			return 0, false
		}
		if c > '9' {
			c = c | 0x20 - 'a' + 10 + '0'
		}
		n = n<<4 | uint32(c-'0')
	}
	return n, true
}

// setString makes v the text of a string without its quotes.
func (v *Value) setString(inner []byte, how escapes) {
	v.Text = inner
	v.Flags |= Quoted
	if bytes.IndexByte(inner, '\\') >= 0 {
		own := v.keep()
		own.text = unescape(own.text[:0], inner, how)
		v.Text = own.text
	}
}

// scanQuoted reads "..." or a bare - at text[at].
func scanQuoted(text []byte, at int, v *Value) (end int, o outcome) {
	if at >= len(text) {
		return at, failed
	}
	switch text[at] {
	case '-':
		if v != nil {
			v.Text = text[at : at+1]
		}
		return at + 1, noValue
	case '"':
		end = stringEnd(text, at+1, '"')
		if end < 0 {
			return at, failed
		}
		if v != nil {
			v.setString(text[at+1:end], byteEscapes)
		}
		return end + 1, good
	}
	return at, failed
}

// scanPython reads the repr of a Python string or of bytes, or None, at text[at].
func scanPython(text []byte, at int, v *Value) (end int, o outcome) {
	i, how := at, runeEscapes
	if i+1 < len(text) && (text[i] == 'b' || text[i] == 'r' || text[i] == 'u') && (text[i+1] == '\'' || text[i+1] == '"') {
		if text[i] == 'b' {
			how = byteEscapes
		}
		i++
	}
	if i >= len(text) {
		return at, failed
	}
	switch c := text[i]; c {
	case '\'', '"':
		end = stringEnd(text, i+1, c)
		if end < 0 {
			return at, failed
		}
		if v != nil {
			v.setString(text[i+1:end], how)
		}
		return end + 1, good
	case 'N':
		if end = at + len("None"); end <= len(text) && string(text[at:end]) == "None" {
			if v != nil {
				v.Text = text[at:end]
			}
			return end, noValue
		}
	}
	return at, failed
}
