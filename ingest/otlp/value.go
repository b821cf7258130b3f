package otlp

import (
	"math"
	"strconv"

	"github.com/tailpath/tailpath/ingest/table"
)

// maxDepth is how deep arrays and lists may be nested in a value of JSON, which bounds
// the stack. The decoder of protobuf has a limit of its own, which is lower.
const maxDepth = 100

const tooDeep = "a value is nested too deeply"

// attributes appends the attributes of the array at pos.
func (s *stream) attributes(to []table.Attr, keys *keyCache) ([]table.Attr, bool) {
	switch c := s.peek(); {
	case s.fault != noFault:
		return to, false
	case c == '{':
		return s.attributeMap(to, keys)
	case c != '[' && c != 'n':
		return to, s.emptyText() || s.leaveOut()
	}
	if !s.opens('[', "") {
		return to, s.fault == noFault
	}
	for first := true; s.element(first); first = false {
		if c := s.peek(); c != '{' && c != 'n' && s.fault == noFault {
			if !s.leaveOut() {
				return to, false
			}
			continue
		}
		slot := &keys[len(to)&(len(keys)-1)]
		if a, ok := s.foreseen(slot); ok {
			to = append(to, a)
			continue
		}
		a, ok := s.attribute(slot)
		if !ok {
			return to, false
		}
		to = append(to, a)
	}
	return to, s.fault == noFault
}

// attribute takes one key and its value, and teaches slot how the next one at the same
// place of a list is likely to begin.
func (s *stream) attribute(slot *keySlot) (a table.Attr, ok bool) {
	s.peek()
	start, repaired := s.pos, s.repaired
	if !s.opens('{', "") {
		return a, s.fault == noFault
	}
	s.scalarAt = 0
	for first := true; ; first = false {
		name, ok := s.member(first)
		if !ok {
			break
		}
		switch string(name) {
		case "key":
			text, ok := s.textValue()
			if !ok {
				return a, false
			}
			a.Key = slot.intern(s.d.set.Symbols, text)
			s.scalarAt = 0
		case "value":
			if !s.anyValue(&a.Value) {
				return a, false
			}
		default:
			if !s.passMember(name) {
				return a, false
			}
		}
	}
	if s.fault != noFault {
		return a, false
	}
	if s.repaired != repaired {
		s.scalarAt = 0
	}
	slot.learn(s.buf[start:max(start, s.scalarAt)], a)
	return a, true
}

// textValue takes a text: a string, null for the empty one, or another scalar as it is
// written. Objects and arrays are kept as their JSON text.
func (p *parser) textValue() ([]byte, bool) {
	switch p.peek() {
	case '"':
		return p.str()
	case '{', '[':
		return p.raw()
	}
	word, ok := p.bare()
	if !ok || string(word) == "null" {
		return nil, ok
	}
	p.repaired++
	return word, true
}

// raw takes any value as the JSON text that it is.
func (p *parser) raw() ([]byte, bool) {
	p.repaired++
	start := p.pos
	if !p.skip() {
		return nil, false
	}
	return p.buf[start:p.pos], true
}

// anyValue takes an AnyValue. A member that follows another replaces it, as in
// protobuf; an empty object leaves v as it is. A bare scalar is taken for what it is.
func (p *parser) anyValue(v *table.Value) bool {
	if p.peek() != '{' {
		return p.plainValue(v)
	}
	p.pos++
	for first := true; ; first = false {
		name, ok := p.member(first)
		if !ok {
			return p.fault == noFault
		}
		if !p.valueMember(name, v) {
			return false
		}
	}
}

func (p *parser) valueMember(name []byte, v *table.Value) (ok bool) {
	p.scalarAt = 0
	switch string(name) {
	case "stringValue", "string_value":
		p.markScalar()
		text, ok := p.textValue()
		*v = table.Value{Type: table.ValueString, Text: text}
		return ok
	case "intValue", "int_value":
		p.markScalar()
		return p.scalar(v, readIntValue)
	case "doubleValue", "double_value":
		p.markScalar()
		return p.scalar(v, readDoubleValue)
	case "boolValue", "bool_value":
		p.markScalar()
		return p.scalar(v, readBoolValue)
	case "bytesValue", "bytes_value":
		return p.bytesValue(v)
	case "arrayValue", "array_value":
		return p.listValue(v, table.ValueArray)
	case "kvlistValue", "kvlist_value":
		return p.listValue(v, table.ValueKvlist)
	}
	return p.passMember(name)
}

func (p *parser) markScalar() {
	p.peek()
	p.scalarAt = p.pos
}

// plainValue takes a JSON scalar that stands where an AnyValue is due.
func (p *parser) plainValue(v *table.Value) bool {
	switch c := p.peek(); {
	case p.fault != noFault:
		return false
	case c == '[':
		text, ok := p.raw()
		*v = table.Value{Type: table.ValueString, Text: text}
		return ok
	case c == '"':
		text, ok := p.str()
		*v = table.Value{Type: table.ValueString, Text: text}
		p.repaired++
		return ok
	}
	word, ok := p.bare()
	if !ok || string(word) == "null" {
		return ok
	}
	p.repaired++
	for _, read := range [...]readScalar{readIntValue, readDoubleValue, readBoolValue} {
		if value, fit := read(word, false); fit == exact {
			*v = value
			return true
		}
	}
	*v = table.Value{Type: table.ValueString, Text: word}
	return true
}

// fit says how a text fits a type.
type fit uint8

const (
	misfit fit = iota // it does not
	bent              // it does in a form that OTLP does not allow
	exact
)

type readScalar func(text []byte, quoted bool) (table.Value, fit)

// scalar takes a scalar that is read with read. One that does not fit is kept as the
// text that it is.
func (p *parser) scalar(v *table.Value, read readScalar) bool {
	c := p.peek()
	if c == '{' || c == '[' {
		return p.compound(v)
	}
	var text []byte
	var ok bool
	if c == '"' {
		text, ok = p.str()
	} else {
		text, ok = p.bare()
	}
	if !ok {
		return false
	}
	if c != '"' && string(text) == "null" {
		*v = table.Value{}
		return true
	}
	value, f := read(text, c == '"')
	if f == misfit {
		value = table.Value{Type: table.ValueString, Text: text}
	}
	if f != exact {
		p.repaired++
	}
	*v = value
	return true
}

// compound takes an object or array that stands where a scalar is due: the two halves
// of an integer, or else its JSON text.
func (p *parser) compound(v *table.Value) bool {
	start := p.pos
	if p.buf[start] == '{' {
		n, ok := p.halves("")
		if i, fits := n.Int64(); ok && fits {
			*v = table.IntValue(i)
			return true
		}
		if p.fault != noFault && p.fault != badValue {
			return false
		}
		p.fault, p.pos = noFault, start
	}
	text, ok := p.raw()
	*v = table.Value{Type: table.ValueString, Text: text}
	return ok
}

// readIntValue reads an integer; a number that is none is kept as a double.
func readIntValue(text []byte, _ bool) (table.Value, fit) {
	if n, ok := table.ReadInteger(text); ok && !n.Frac {
		if i, ok := n.Int64(); ok {
			return table.IntValue(i), exact
		}
	}
	if f, err := strconv.ParseFloat(string(text), 64); err == nil {
		return table.DoubleValue(f), bent
	}
	return table.Value{}, misfit
}

func readDoubleValue(text []byte, _ bool) (table.Value, fit) {
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil && !math.IsInf(f, 0) {
		return table.Value{}, misfit
	}
	if err != nil {
		return table.DoubleValue(f), bent
	}
	return table.DoubleValue(f), exact
}

func readBoolValue(text []byte, quoted bool) (table.Value, fit) {
	f := exact
	if quoted {
		f = bent
	}
	switch string(text) {
	case "true":
		return table.BoolValue(true), f
	case "false":
		return table.BoolValue(false), f
	case "True", "TRUE", "1":
		return table.BoolValue(true), bent
	case "False", "FALSE", "0":
		return table.BoolValue(false), bent
	}
	return table.Value{}, misfit
}

// bytesValue takes base64. Text that is none is kept as text.
func (p *parser) bytesValue(v *table.Value) bool {
	text, ok := p.textValue()
	if !ok {
		return false
	}
	mark := len(p.arena) // not p.text, in which an outer value may be under way
	out, ok := decodeBase64(p.arena, text)
	if !ok {
		p.repaired++
		*v = table.Value{Type: table.ValueString, Text: text}
		return true
	}
	p.arena = out
	*v = table.Value{Type: table.ValueBytes, Text: out[mark:len(out):len(out)]}
	return true
}

// listValue takes an ArrayValue or KeyValueList into its OTLP JSON.
func (p *parser) listValue(v *table.Value, kind table.ValueType) bool {
	mark := len(p.text)
	if !p.writeList(kind) {
		return false
	}
	*v = table.Value{Type: kind, Text: p.text[mark:len(p.text):len(p.text)]}
	return true
}
