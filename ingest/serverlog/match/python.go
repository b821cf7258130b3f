package match

import "bytes"

// PythonMatcher reads the repr of Python objects. It is a Matcher.
type PythonMatcher struct {
	prefix *PatternMatcher
	set    *fieldSet
}

// Python compiles a matcher of texts that are the repr of a call, a dict, or keyword
// arguments, behind what prefix matches, which is a pattern or empty. The path of a
// field is as in JSON; keyword arguments and keys of dicts are keys, and what has none
// has an index: obj.rid and out.meta_info.queue_time in
//
//	obj=Req(rid='a', stream=True), out={'meta_info': {'queue_time': 0.6}}
//
// One pass is made over the text, which ends as soon as all fields are found. None is
// no value. What stands behind a value up to the next comma, as in 'abc' ... 'xyz' for
// a shortened string, does not count. A text that is cut off matches if any field was
// found before; a value that is cut off is not taken. Of two equal keys the first
// counts.
func Python(prefix string, fields []Field, slots *Slots, absent []string) (*PythonMatcher, error) {
	m := &PythonMatcher{}
	var err error
	if m.prefix, err = newPrefix(prefix, slots, absent); err != nil {
		return nil, err
	}
	if m.set, err = newFieldSet(fields, slots, absent); err != nil {
		return nil, err
	}
	return m, nil
}

// Match reports whether text holds any of the fields.
func (m *PythonMatcher) Match(text []byte, into []Value) bool {
	at := 0
	if m.prefix != nil {
		var ok bool
		if at, ok = m.prefix.MatchHead(text, into); !ok {
			return false
		}
	}
	var w walk
	m.set.begin(&w, text, into)
	at = skipSpace(text, at)
	if name := nameEnd(text, at); name < len(text) && (text[name] == '(' || text[name] == '{' && name == at) {
		w.items(name+1, m.set.root, text[name] == '{', true)
	} else {
		w.items(at, m.set.root, false, false)
	}
	return w.found
}

// nameEnd returns the end of the dotted name at text[at].
func nameEnd(text []byte, at int) int {
	for at < len(text) && (isWord(text[at]) || text[at]-'0' <= 9 || text[at] == '_' || text[at] == '.') {
		at++
	}
	return at
}

// items reads what stands between commas from text[at] on, up to behind the bracket
// that closes it or, if it is not closed, up to the end of the text.
func (w *walk) items(at int, n *node, dict, closed bool) int {
	text := w.text
	for i := 0; ; {
		at = skipSpace(text, at)
		if at >= len(text) {
			return broken
		}
		switch text[at] {
		case ',':
			at++
			continue
		case ')', ']', '}':
			at++
			if closed {
				return at
			}
			continue
		}
		key, next := pythonKey(text, at, dict)
		var m *member
		if next < 0 {
			m = n.index(i)
			i++
		} else {
			m = n.find(key)
			at = skipSpace(text, next)
		}
		if at = w.pythonValue(at, m, closed); at < 0 {
			return broken
		}
	}
}

// pythonKey reads a key with the = or : behind it; next is -1 if there is none.
func pythonKey(text []byte, at int, dict bool) (key []byte, next int) {
	if !dict {
		end := nameEnd(text, at)
		if end == at || end >= len(text) || text[end] != '=' || end+1 < len(text) && text[end+1] == '=' {
			return nil, -1
		}
		return text[at:end], end + 1
	}
	end := at
	if c := text[at]; c == '\'' || c == '"' {
		if end = stringEnd(text, at+1, c); end < 0 {
			return nil, -1
		}
		key = text[at+1 : end]
		end++
	} else {
		end = nameEnd(text, at)
		key = text[at:end]
	}
	if end = skipSpace(text, end); end < len(text) && text[end] == ':' {
		return key, end + 1
	}
	return nil, -1
}

// pythonValue reads the value at text[at] into the leaves of m, and returns the place
// of the comma or bracket behind it. closed says that there must be one.
func (w *walk) pythonValue(at int, m *member, closed bool) int {
	text := w.text
	if at >= len(text) {
		return broken
	}
	inner, end, how := pythonString(text, at)
	switch {
	case end == broken:
		return broken
	case end > at:
	default:
		if end = nameEnd(text, at); end < len(text) && (text[end] == '(' || end == at && (text[end] == '[' || text[end] == '{')) {
			if m != nil && m.child != nil {
				end = w.items(end+1, m.child, text[end] == '{', true)
			} else {
				end = skipPython(text, end, true)
			}
			if end < 0 {
				return broken
			}
			if m != nil && len(m.leaves) > 0 {
				w.nested(m, text[at:end])
			}
			m = nil
		}
	}
	stop := skipPython(text, end, false)
	if stop < 0 {
		if closed {
			return broken // the value may be cut off
		}
		stop = len(text)
	}
	if m != nil && len(m.leaves) > 0 {
		if inner != nil {
			w.str(m, inner, bytes.IndexByte(inner, '\\') >= 0, how)
		} else if raw := bytes.TrimRight(text[at:stop], " \t"); len(raw) > 0 {
			w.scalar(m, raw, string(raw) == "None", true)
		}
	}
	if w.left == 0 {
		return broken
	}
	return stop
}

// pythonString reads the string or bytes at text[at]. end is at if there is none, and
// broken if it is never closed.
func pythonString(text []byte, at int) (inner []byte, end int, how escapes) {
	i, how := at, runeEscapes
	if i+1 < len(text) && (text[i] == 'b' || text[i] == 'r' || text[i] == 'u' || text[i] == 'f') {
		if text[i] == 'b' {
			how = byteEscapes
		}
		i++
	}
	if c := text[i]; c != '\'' && c != '"' {
		return nil, at, how
	}
	end = stringEnd(text, i+1, text[i])
	if end < 0 {
		return nil, broken, how
	}
	return text[i+1 : end : end], end + 1, how
}

// pythonNesting is nesting with both quotes, round brackets and the comma.
var pythonNesting = [256]uint8{'"': 1, '\'': 1, '{': 2, '[': 2, '(': 2, '}': 3, ']': 3, ')': 3, ',': 4}

// skipPython goes from text[at] to the next comma or closing bracket that is not inside
// of brackets of its own, and returns its place. With nested, text[at] is an opening
// bracket, and the place is that behind the one that closes it. It returns broken if
// the text ends first.
func skipPython(text []byte, at int, nested bool) int {
	depth := 0
	for ; at < len(text); at++ {
		switch pythonNesting[text[at]] {
		case 1:
			if text[at] == '\'' && at >= 2 && isWord(text[at-1]) && (isWord(text[at-2]) || text[at-2] == '_') {
				continue // an apostrophe in a word that is not quoted
			}
			if at = stringEnd(text, at+1, text[at]); at < 0 {
				return broken
			}
		case 2:
			depth++
		case 3:
			if depth--; depth == 0 && nested {
				return at + 1
			}
			if depth < 0 {
				return at
			}
		case 4:
			if depth == 0 {
				return at
			}
		}
	}
	return broken
}
