package otlp

import "github.com/tailpath/tailpath/ingest/table"

// writeList appends the value at pos, an ArrayValue or KeyValueList, to p.text as OTLP
// JSON in the one form that canon.go describes. A bare JSON array is taken for the
// values themselves.
func (p *parser) writeList(kind table.ValueType) bool {
	if p.depth++; p.depth > maxDepth {
		return p.fail(badValue, tooDeep)
	}
	p.text = append(p.text, `{"values":[`...)
	mark := len(p.text)
	var ok bool
	switch c := p.peek(); c {
	case '[':
		p.repaired++
		ok = p.writeElements(kind, mark)
	case '{':
		p.pos++
		ok = p.writeValues(kind, mark)
	default:
		if ok = p.emptyText(); !ok && c == 'n' {
			ok = p.skip()
		} else if !ok {
			ok = p.leaveOut()
		}
	}
	p.text = append(p.text, `]}`...)
	p.depth--
	return ok
}

func (p *parser) writeValues(kind table.ValueType, mark int) bool {
	for first := true; ; first = false {
		name, ok := p.member(first)
		if !ok {
			return p.fault == noFault
		}
		if string(name) != "values" {
			if !p.passMember(name) {
				return false
			}
			continue
		}
		if c := p.peek(); c != '[' {
			switch {
			case p.emptyObject(), p.emptyText():
			case c == 'n' && p.skip():
			case c != 'n' && p.leaveOut():
			default:
				return false
			}
			continue
		}
		if !p.writeElements(kind, mark) {
			return false
		}
	}
}

// writeElements appends the elements of the array at pos behind those that were
// written since mark.
func (p *parser) writeElements(kind table.ValueType, mark int) bool {
	p.pos++
	for first := true; p.element(first); first = false {
		if len(p.text) > mark {
			p.text = append(p.text, ',')
		}
		write := (*parser).writeAny
		if kind == table.ValueKvlist {
			write = (*parser).writeEntry
		}
		if !write(p) {
			return false
		}
	}
	return p.fault == noFault
}

// writeAny appends the AnyValue at pos.
func (p *parser) writeAny() bool {
	if p.peek() != '{' {
		var v table.Value
		if !p.plainValue(&v) {
			return false
		}
		p.text = appendScalar(p.text, v)
		return true
	}
	p.pos++
	mark := len(p.text)
	for first := true; ; first = false {
		name, ok := p.member(first)
		if !ok {
			if len(p.text) == mark {
				p.text = append(p.text, `{}`...)
			}
			return p.fault == noFault
		}
		if !p.writeMember(name, mark) {
			return false
		}
	}
}

// writeMember appends one member of an AnyValue in place of what stands behind mark.
func (p *parser) writeMember(name []byte, mark int) bool {
	kind, open := table.ValueArray, `{"arrayValue":`
	switch string(name) {
	case "arrayValue", "array_value":
	case "kvlistValue", "kvlist_value":
		kind, open = table.ValueKvlist, `{"kvlistValue":`
	default:
		v := table.Value{Type: notSet}
		if !p.valueMember(name, &v) {
			return false
		}
		if v.Type != notSet {
			p.text = appendScalar(p.text[:mark], v)
		}
		return true
	}
	p.text = append(p.text[:mark], open...)
	ok := p.writeList(kind)
	p.text = append(p.text, '}')
	return ok
}

// notSet marks a value that no member of an AnyValue has set.
const notSet table.ValueType = 0xff

// writeEntry appends the KeyValue at pos. Its members may come in any order and are
// written key first.
func (p *parser) writeEntry() bool {
	mark := len(p.text)
	if p.peek() != '{' {
		if p.fault == noFault && p.buf[p.pos] != 'n' {
			p.leftOut++
		}
		p.text = append(p.text, `{"key":"","value":{}}`...)
		return p.skip()
	}
	p.pos++
	var key []byte
	p.text = appendKey(p.text, key)
	from, hasValue := len(p.text), false
	for first := true; ; first = false {
		name, ok := p.member(first)
		if !ok {
			break
		}
		switch string(name) {
		case "key":
			if key, ok = p.textValue(); !ok {
				return false
			}
			var value []byte
			if hasValue {
				value = append(value, p.text[from:]...)
			}
			p.text = appendKey(p.text[:mark], key)
			from = len(p.text)
			p.text = append(p.text, value...)
		case "value":
			if !p.writeEntryValue(from, hasValue) {
				return false
			}
			hasValue = true
		default:
			if !p.passMember(name) {
				return false
			}
		}
	}
	if !hasValue {
		p.text = append(p.text, `{}`...)
	}
	p.text = append(p.text, '}')
	return p.fault == noFault
}

// writeEntryValue appends the value of an entry in place of the one that may stand
// there already, which an empty value leaves as it is.
func (p *parser) writeEntryValue(from int, hasValue bool) bool {
	if !hasValue {
		p.text = p.text[:from]
		return p.writeAny()
	}
	first := append([]byte(nil), p.text[from:]...)
	p.text = p.text[:from]
	ok := p.writeAny()
	if string(p.text[from:]) == `{}` {
		p.text = append(p.text[:from], first...)
	}
	return ok
}

func appendKey(to, key []byte) []byte {
	to = append(to, `{"key":`...)
	to = appendString(to, key)
	return append(to, `,"value":`...)
}
