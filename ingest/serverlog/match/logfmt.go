package match

import (
	"bytes"
	"errors"
	"strings"
)

// LogfmtMatcher reads key=value pairs. It is a Matcher.
type LogfmtMatcher struct {
	prefix *PatternMatcher
	set    *fieldSet
}

// Logfmt compiles a matcher of texts with key=value pairs anywhere behind what prefix
// matches, which is a pattern that may stand anywhere in the text, or empty. The path
// of a field is its key, with or without quotes.
//
// A key begins behind a blank, one of ,;{([ or at the start. A value in double quotes
// may hold \-escapes; another ends at a blank, at a comma or semicolon with a blank or
// the end behind it, or at a bracket that closes none of its own. Of two equal keys the
// first counts. A text with none of the keys does not match.
func Logfmt(prefix string, fields []Field, slots *Slots, absent []string) (*LogfmtMatcher, error) {
	const anywhere = "{_}"
	added := prefix != "" && (!strings.HasPrefix(prefix, "{") || strings.HasPrefix(prefix, "{{"))
	if added {
		prefix = anywhere + prefix
	}
	whole := make([]Field, len(fields))
	for i, f := range fields {
		f.Path = `"` + strings.Trim(f.Path, `"`) + `"`
		whole[i] = f
	}
	m := &LogfmtMatcher{}
	var err error
	if m.prefix, err = newPrefix(prefix, slots, absent); err != nil {
		var fault *SyntaxError
		if added && errors.As(err, &fault) {
			fault.Column = max(fault.Column-len(anywhere), 1)
		}
		return nil, err
	}
	if m.set, err = newFieldSet(whole, slots, absent); err != nil {
		return nil, err
	}
	return m, nil
}

// Match reports whether text holds any of the keys.
func (m *LogfmtMatcher) Match(text []byte, into []Value) bool {
	at := 0
	if m.prefix != nil {
		var ok bool
		if at, ok = m.prefix.MatchHead(text, into); !ok {
			return false
		}
	}
	var w walk
	m.set.begin(&w, text, into)
	for at < len(text) && w.left > 0 {
		equals := bytes.IndexByte(text[at:], '=')
		if equals < 0 {
			break
		}
		equals += at
		if quote := bytes.IndexByte(text[at:equals], '"'); quote >= 0 {
			// A string without a key; what stands in it is no pair.
			if end := w.quoted(at + quote + 1); end >= 0 {
				at = end + 1
				continue
			}
		}
		start := equals
		for start > at && !beforeKey(text[start-1]) {
			start--
		}
		at = w.pair(m.set.root.find(text[start:equals]), equals+1)
	}
	return w.found
}

func beforeKey(c byte) bool {
	return isBlank(c) || c == ',' || c == ';' || c == '{' || c == '(' || c == '['
}

// quoted is stringEnd, which looks at the whole text only once in vain.
func (w *walk) quoted(at int) int {
	if w.open {
		return -1
	}
	end := stringEnd(w.text, at, '"')
	w.open = end < 0
	return end
}

// pair reads the value at text[at] into the leaves of m and returns its end.
func (w *walk) pair(m *member, at int) int {
	text := w.text
	if at < len(text) && text[at] == '"' {
		if end := w.quoted(at + 1); end >= 0 {
			if m != nil {
				inner := text[at+1 : end]
				w.str(m, inner, bytes.IndexByte(inner, '\\') >= 0, byteEscapes)
			}
			return end + 1
		}
	}
	end, open := at, 0
value:
	for ; end < len(text); end++ {
		switch c := text[end]; c {
		case ' ', '\t':
			break value
		case ',', ';':
			if open == 0 && (end+1 == len(text) || isBlank(text[end+1])) {
				break value
			}
		case '(', '[', '{':
			open++
		case ')', ']', '}':
			if open--; open < 0 {
				break value
			}
		}
	}
	if m != nil {
		w.scalar(m, text[at:end], false, false)
	}
	return end
}
