package discretion

import (
	"bytes"
	"fmt"
	"strconv"
)

// Quotes reports whether a text is an object or array, in JSON or as Python prints one,
// that has a member of which isSecret holds, in itself or in a text that is quoted in it.
// It cannot be kept in part, because it may be cut off or be no JSON after all.
func Quotes(text []byte, isSecret func(name string) bool) bool {
	text = bytes.TrimLeft(text, " \t\r\n")
	if len(text) == 0 || bytes.IndexByte([]byte(`{["'`), text[0]) < 0 {
		return false
	}
	for i := 0; i < len(text); i++ {
		quote := text[i]
		if quote != '"' && quote != '\'' {
			continue
		}
		start, escaped := i+1, false
		for i = start; i < len(text) && text[i] != quote; i++ {
			if text[i] == '\\' {
				i++
				escaped = true
			}
		}
		i = min(i, len(text))
		name := text[start:i]
		if len(name) > 0 && (name[0] <= ' ' || name[0] == '{' || name[0] == '[' || name[0] == '\\') {
			if escaped {
				name = unescaped(name)
			}
			if Quotes(name, isSecret) {
				return true
			}
			continue
		}
		if i == len(text) {
			return false
		}
		behind := bytes.TrimLeft(text[i+1:], " \t\r\n")
		if len(behind) > 0 && behind[0] == ':' && !isNumber(behind[1:]) && (len(name) > longestName || isSecret(string(name))) {
			return true
		}
	}
	return false
}

// isNumber reports whether a number, bool or nothing is the next value of a text.
func isNumber(text []byte) bool {
	text = bytes.TrimLeft(text, " \t\r\n")
	end := bytes.IndexAny(text, ",}] \t\r\n")
	if end <= 0 {
		return false
	}
	switch word := string(text[:end]); word {
	case "true", "false", "null", "True", "False", "None":
		return true
	default:
		_, err := strconv.ParseFloat(word, 64)
		return err == nil
	}
}

// unescaped takes the backslashes off a text that is quoted in another. It is shorter
// than what it is given.
func unescaped(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			out = append(out, text[i])
			continue
		}
		switch i++; text[i] {
		case 'n', 'r', 't':
			out = append(out, ' ')
		default:
			out = append(out, text[i])
		}
	}
	return bytes.TrimSuffix(out, []byte{'\\'})
}

// longestName is how long the name of a member may be, in bytes. What is longer is no
// name that a program gave, and is taken for text.
const longestName = 128

// Query returns how much of a text comes before the query of an address, with the
// question mark; -1 if the text is no address or has no query. What people ask stands in
// queries, too.
func Query(text []byte) int {
	i := bytes.IndexByte(text, '?')
	if i < 0 || i+1 == len(text) || bytes.IndexByte(text[:i], '/') < 0 {
		return -1
	}
	address := text[:i]
	if at := bytes.LastIndexByte(address, ' '); at >= 0 { // as in "GET /path"
		if bytes.IndexByte(address[:at], ' ') >= 0 {
			return -1 // a sentence
		}
		address = address[at+1:]
	}
	if len(address) == 0 || address[0] != '/' && !bytes.Contains(address, []byte("://")) {
		return -1
	}
	return i + 1
}

// LeftOut appends what stands in the place of a text of n bytes.
func LeftOut(to []byte, n int) []byte { return fmt.Appendf(to, "left out (%d bytes)", n) }
