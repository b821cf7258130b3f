package match

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// JSONMatcher reads the fields of a JSON object. It is a Matcher.
type JSONMatcher struct {
	prefix *PatternMatcher
	set    *fieldSet
}

// JSON compiles a matcher of texts that are a JSON object, behind what prefix matches,
// which is a pattern or empty. The path of a field is keys with dots between them, and
// indexes of arrays from 0: tries.0.ip. A dot may be part of a key: first the longest
// key is looked for. A key in quotes is taken as it is: "a.b".c.
//
// One pass is made over the text. It ends as soon as all fields are found, and what
// stands behind is not looked at. Of two equal keys the first counts. A text with none
// of the fields does not match, nor does one that is cut off while a field is missing.
// null is no value. An object or array read as text is the JSON of it.
func JSON(prefix string, fields []Field, slots *Slots, absent []string) (*JSONMatcher, error) {
	m := &JSONMatcher{}
	var err error
	if m.prefix, err = newPrefix(prefix, slots, absent); err != nil {
		return nil, err
	}
	if m.set, err = newFieldSet(fields, slots, absent); err != nil {
		return nil, err
	}
	return m, nil
}

// newPrefix compiles the pattern of what stands before the fields; nil if it is empty.
func newPrefix(spec string, slots *Slots, absent []string) (*PatternMatcher, error) {
	if spec == "" {
		return nil, nil
	}
	m, _, err := Pattern(spec, slots, absent)
	return m, err
}

// Match reports whether text holds any of the fields.
func (m *JSONMatcher) Match(text []byte, into []Value) bool {
	at := 0
	if m.prefix != nil {
		var ok bool
		if at, ok = m.prefix.MatchHead(text, into); !ok {
			return false
		}
	}
	if at = skipSpace(text, at); at >= len(text) || text[at] != '{' {
		return false
	}
	var w walk
	m.set.begin(&w, text, into)
	end := w.object(at, m.set.root)
	if end < 0 {
		return w.left == 0
	}
	return w.found && skipSpace(text, end) == len(text)
}

// broken is where a walk ends that found something wrong, or all that it looked for.
const broken = -1

// skipSpace returns the first place from at on that is not JSON's white space.
func skipSpace(text []byte, at int) int {
	for at < len(text) && text[at] <= ' ' && (text[at] == ' ' || text[at] == '\t' || text[at] == '\n' || text[at] == '\r') {
		at++
	}
	return at
}

// object reads the object whose brace is text[at] and returns its end.
func (w *walk) object(at int, n *node) int {
	text := w.text
	at = skipSpace(text, at+1)
	if at < len(text) && text[at] == '}' {
		return at + 1
	}
	for {
		if at >= len(text) || text[at] != '"' {
			return broken
		}
		end, escaped := jsonString(text, at+1)
		if end < 0 {
			return broken
		}
		m := n.key(text[at+1:end], escaped)
		if at = skipSpace(text, end+1); at >= len(text) || text[at] != ':' {
			return broken
		}
		if at = w.value(skipSpace(text, at+1), m); at < 0 {
			return broken
		}
		at = skipSpace(text, at)
		if at >= len(text) {
			return broken
		}
		switch text[at] {
		case ',':
			at = skipSpace(text, at+1)
		case '}':
			return at + 1
		default:
			return broken
		}
	}
}

// key is find for a key as it stands in JSON.
func (n *node) key(key []byte, escaped bool) *member {
	if !escaped {
		return n.find(key)
	}
	var plain [64]byte
	if len(key) > len(plain) {
		return nil
	}
	return n.find(unescape(plain[:0], key, runeEscapes))
}

// value reads the value at text[at] into the leaves of m, and returns its end.
func (w *walk) value(at int, m *member) int {
	text := w.text
	if at >= len(text) {
		return broken
	}
	end := broken
	switch text[at] {
	case '"':
		stop, escaped := jsonString(text, at+1)
		if stop < 0 {
			return broken
		}
		if m != nil {
			w.str(m, text[at+1:stop], escaped, runeEscapes)
		}
		end = stop + 1
	case '{', '[':
		switch {
		case m == nil || m.child == nil:
			end = skipNested(text, at)
		case text[at] == '{':
			end = w.object(at, m.child)
		default:
			end = w.array(at, m.child)
		}
		if end < 0 {
			return broken
		}
		if m != nil && len(m.leaves) > 0 {
			w.nested(m, text[at:end])
		}
	case '}', ']', ',', ':':
		return broken
	default:
		for end = at; end < len(text) && !delimiter[text[end]]; end++ {
		}
		if end == len(text) {
			return broken // the value may be cut off
		}
		if m != nil && len(m.leaves) > 0 {
			w.scalar(m, text[at:end], string(text[at:end]) == "null", true)
		}
	}
	if w.left == 0 {
		return broken
	}
	return end
}

// array reads the array whose bracket is text[at] and returns its end.
func (w *walk) array(at int, n *node) int {
	text := w.text
	if at = skipSpace(text, at+1); at < len(text) && text[at] == ']' {
		return at + 1
	}
	for i := 0; ; i++ {
		if at = w.value(at, n.index(i)); at < 0 {
			return broken
		}
		if at = skipSpace(text, at); at >= len(text) {
			return broken
		}
		switch text[at] {
		case ',':
			at = skipSpace(text, at+1)
		case ']':
			return at + 1
		default:
			return broken
		}
	}
}

// nested sets the leaves of m to the text of an object or array.
func (w *walk) nested(m *member, text []byte) {
	for _, l := range m.leaves {
		v := w.slot(l)
		if v == nil {
			continue
		}
		t := w.fields[l.field].Type
		v.Text = text
		switch {
		case t == TypeText || t == TypeQuoted || t == TypePython:
			v.Kind = Text
		case t&listOf == 0 || text[0] != '[' || !listOfArray(t&^listOf, text, v):
			v.settle(bad)
		}
	}
}

// listOfArray sets v to the scalars of an array of JSON or a list of Python.
func listOfArray(t Type, text []byte, v *Value) bool {
	at := skipSpace(text, 1)
	for at < len(text) && text[at] != ']' {
		var item Value
		end := at
		switch text[at] {
		case '"', '\'':
			stop := stringEnd(text, at+1, text[at])
			if stop < 0 || bytes.IndexByte(text[at:stop], '\\') >= 0 {
				return false
			}
			read(t, text[at+1:stop], &item, false, nil)
			end = stop + 1
		case '{', '[':
			return false
		default:
			for end < len(text) && !delimiter[text[end]] {
				end++
			}
			if item.Text = text[at:end]; string(item.Text) != "null" && string(item.Text) != "None" {
				read(t, text[at:end], &item, true, nil)
			}
		}
		if item.Flags&Bad != 0 || end == at {
			return false
		}
		v.List = append(v.List, Item{Kind: item.Kind, Text: item.Text, Int: item.Int, Float: item.Float, Res: item.Res})
		if at = skipSpace(text, end); at < len(text) && text[at] == ',' {
			at = skipSpace(text, at+1)
		}
	}
	v.Kind = List
	return true
}

// delimiter tells what ends a number or a bare word in JSON.
var delimiter = [256]bool{' ': true, '\t': true, '\n': true, '\r': true, ',': true, '}': true, ']': true, ':': true, '"': true, '{': true, '[': true}

// jsonString returns the place of the quote that ends the string whose first byte is
// text[at], and whether there is a backslash in it; -1 if it is never closed. It looks
// at eight bytes at a time: (x-1)&^x has the high bit of the lowest byte of x that is 0.
func jsonString(text []byte, at int) (end int, escaped bool) {
	const (
		ones      = 0x0101010101010101
		quotes    = '"' * ones
		slashes   = '\\' * ones
		highBits  = 0x80 * ones
		wordBytes = 8
	)
	for at+wordBytes <= len(text) {
		x := binary.LittleEndian.Uint64(text[at:])
		q, s := x^quotes, x^slashes
		hit := ((q-ones)&^q | (s-ones)&^s) & highBits
		if hit == 0 {
			at += wordBytes
			continue
		}
		at += bits.TrailingZeros64(hit) / 8
		if text[at] == '"' {
			return at, escaped
		}
		escaped = true
		at += 2
	}
	for ; at < len(text); at++ {
		switch text[at] {
		case '"':
			return at, escaped
		case '\\':
			escaped = true
			at++
		}
	}
	return -1, escaped
}

// bracket classes of bytes that matter to skipNested.
var nesting = [256]uint8{'"': 1, '{': 2, '[': 2, '}': 3, ']': 3}

// skipNested returns the end of the object or array that begins at text[at].
func skipNested(text []byte, at int) int {
	depth := 0
	for ; at < len(text); at++ {
		switch nesting[text[at]] {
		case 1:
			end, _ := jsonString(text, at+1)
			if end < 0 {
				return broken
			}
			at = end
		case 2:
			depth++
		case 3:
			if depth--; depth == 0 {
				return at + 1
			}
		}
	}
	return broken
}
