package line

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// looksObject reports whether text begins as a JSON object does.
func looksObject(text []byte) bool {
	if len(text) < 2 || text[0] != '{' {
		return false
	}
	i := skipSpace(text, 1)
	return i < len(text) && (text[i] == '"' || text[i] == '}')
}

func skipSpace(text []byte, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\t' || text[i] == '\n' || text[i] == '\r') {
		i++
	}
	return i
}

// skipString returns the end of the JSON string that begins at i, or -1 if it has none.
func skipString(text []byte, i int) int {
	for i++; ; {
		n := bytes.IndexByte(text[i:], '"')
		if n < 0 {
			return -1
		}
		i += n + 1
		slashes := 0
		for text[i-2-slashes] == '\\' {
			slashes++ // the quote at the beginning ends the run
		}
		if slashes%2 == 0 {
			return i
		}
	}
}

// skipValue returns the end of the JSON value that begins at i, or -1 if it has none.
// It looks at strings and at the depth of brackets, not at what is between.
func skipValue(text []byte, i int) int {
	depth := 0
	for i < len(text) {
		switch c := text[i]; c {
		case '"':
			if i = skipString(text, i); i < 0 {
				return -1
			}
			if depth == 0 {
				return i
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth < 0 {
				return i
			}
			if depth == 0 {
				return i + 1
			}
		case ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return i
			}
		}
		i++
	}
	if depth > 0 {
		return -1
	}
	return i
}

// members calls visit with the name, without quotes, and the value of every member of
// a JSON object, until it returns false. It returns the end of the object, or -1 if that
// is not well-formed up to where it was read.
func members(object []byte, visit func(name, value []byte) bool) int {
	i := skipSpace(object, 0)
	if i == len(object) || object[i] != '{' {
		return -1
	}
	for i++; ; {
		i = skipSpace(object, i)
		if i == len(object) {
			return -1
		}
		if object[i] == '}' {
			return i + 1
		}
		if object[i] != '"' {
			return -1
		}
		end := skipString(object, i)
		if end < 0 {
			return -1
		}
		name := object[i+1 : end-1]
		if i = skipSpace(object, end); i == len(object) || object[i] != ':' {
			return -1
		}
		i = skipSpace(object, i+1)
		if end = skipValue(object, i); end <= i {
			return -1
		}
		if !visit(name, object[i:end]) {
			return -1
		}
		if i = skipSpace(object, end); i < len(object) && object[i] == ',' {
			i++
		} else if i == len(object) || object[i] != '}' {
			return -1
		}
	}
}

// isString reports whether a JSON value is a string.
func isString(value []byte) bool { return len(value) >= 2 && value[0] == '"' }

// unquote decodes a JSON string in place. What is no escape of JSON stays as it is, and
// half a surrogate pair becomes U+FFFD.
func unquote(value []byte) []byte {
	text := value[1 : len(value)-1]
	i := bytes.IndexByte(text, '\\')
	if i < 0 {
		return text
	}
	out := text[:i]
	for i < len(text) {
		if text[i] != '\\' || i+1 == len(text) {
			n := bytes.IndexByte(text[i+1:], '\\') + 1
			if n == 0 {
				n = len(text) - i
			}
			out = append(out, text[i:i+n]...)
			i += n
			continue
		}
		switch c := text[i+1]; c {
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case '"', '\\', '/':
			out = append(out, c)
		case 'u':
			if char, n := unquoteUnit(text[i:]); n > 0 {
				out = utf8.AppendRune(out, char)
				i += n
				continue
			}
			out = append(out, '\\', 'u')
		default:
			out = append(out, '\\', c)
		}
		i += 2
	}
	return out
}

// unquoteUnit decodes the escape of one or two UTF-16 units that text begins with, and
// returns its length, or 0 if it is none.
func unquoteUnit(text []byte) (rune, int) {
	c := hexUnit(text)
	if c < 0 {
		return 0, 0
	}
	if utf16.IsSurrogate(c) {
		if low := hexUnit(text[6:]); low >= 0 {
			if char := utf16.DecodeRune(c, low); char != utf8.RuneError {
				return char, 12
			}
		}
		return utf8.RuneError, 6
	}
	return c, 6
}

// hexUnit returns the value of \uXXXX, or -1.
func hexUnit(text []byte) rune {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return -1
	}
	var c rune
	for _, d := range text[2:6] {
		switch {
		case isDigit(d):
			c = c<<4 | rune(d-'0')
		case (d|0x20)-'a' < 6:
			c = c<<4 | rune((d|0x20)-'a'+10)
		default:
			return -1
		}
	}
	return c
}

// unquoteBytes decodes, in place, a JSON array of bytes, as journalctl writes text that is
// not UTF-8. It returns false, and leaves value alone, if it is none.
func unquoteBytes(value []byte) ([]byte, bool) {
	if len(value) < 2 || value[0] != '[' || value[len(value)-1] != ']' {
		return nil, false
	}
	list := value[1 : len(value)-1]
	for rest, more := list, len(list) > 0; more; {
		var item []byte
		item, rest, more = bytes.Cut(rest, []byte(","))
		if item = bytes.TrimSpace(item); len(item) == 0 || len(item) > 3 || uint(number(item)) > 255 {
			return nil, false
		}
	}
	out := value[:0]
	for rest, more := list, len(list) > 0; more; {
		var item []byte
		item, rest, more = bytes.Cut(rest, []byte(","))
		out = append(out, byte(number(bytes.TrimSpace(item))))
	}
	return out, true
}
