package match

import "bytes"

// near is a pattern with one typed hole replaced by one that takes any text.
type near struct {
	name string
	ops  []op
}

// nears makes them, for all typed holes outside of groups whose end can be told
// otherwise.
func (c *compiler) nears(ops []op, rest bool) []near {
	var all []near
	for i := range ops {
		if ops[i].code != opHole {
			continue
		}
		loose := withoutSlots(ops)
		loose[i].code, loose[i].typ, loose[i].number, loose[i].slot = opStretch, TypeText, false, 0
		name := ops[i].name
		if name == "_" {
			name = ops[i].typ.String()
		}
		// What stands in groups is linked already, and this does not change it.
		if c.linkTop(loose, rest) {
			all = append(all, near{name: name, ops: loose})
		}
	}
	return all
}

// withoutSlots copies ops without the slots of their holes.
func withoutSlots(ops []op) []op {
	ops = append([]op(nil), ops...)
	for i := range ops {
		ops[i].slot = noSlot
		ops[i].group = withoutSlots(ops[i].group)
	}
	return ops
}

// linkTop links the elements outside of groups; ok is false if they make no pattern.
func (c *compiler) linkTop(ops []op, rest bool) (ok bool) {
	for i := range ops {
		if ops[i].code == opStretch && c.linkStretch(ops, i, true, rest, follow{open: !rest}) != nil {
			return false
		}
	}
	return true
}

// Near reports whether text would match if one hole could hold any text, and which:
// the record is one of this shape, and that field cannot be read. place is where it
// stands in text. It is slower than Match, and meant for texts that do not match.
func (m *PatternMatcher) Near(text []byte) (name string, place int, near bool) {
	if !bytes.Contains(text, m.must) {
		return "", 0, false
	}
	var v [1]Value
	for i := range m.nears {
		n := &m.nears[i]
		v[0].reset()
		if _, ok := m.run(n.ops, text, 0, v[:], !m.rest); ok {
			return n.name, cap(text) - cap(v[0].Text), true
		}
	}
	return "", 0, false
}

// longestLiteral is the longest literal outside of optional groups, without the blanks
// that the end of a text need not have.
func longestLiteral(ops []op) (longest []byte) {
	for i := range ops {
		lit := ops[i].lit
		if i == len(ops)-1 {
			lit = ops[i].short
		}
		if ops[i].code == opLiteral && len(lit) > len(longest) {
			longest = lit
		}
	}
	return longest
}

// open finds the bytes with which a text that matches may begin.
func (m *PatternMatcher) open() {
	for i := range m.ops {
		blanks := i == len(m.ops)-1 && m.ops[i].code == opLiteral && len(m.ops[i].short) == 0
		if !m.opens(&m.ops[i]) && !blanks {
			return
		}
	}
	for b := range m.first {
		m.first[b] = true // all elements may take nothing
	}
}

// opens adds the bytes with which o may begin, and reports whether it may be empty.
func (m *PatternMatcher) opens(o *op) (empty bool) {
	switch o.code {
	case opLiteral:
		m.first[o.lit[0]] = true
		return false
	case opGroup:
		for i := range o.group {
			if !m.opens(&o.group[i]) {
				break
			}
		}
		return true
	case opBlanks:
		m.first[' '], m.first['\t'] = true, true
		return true
	}
	for _, t := range m.absent {
		m.first[t[0]] = true
	}
	for b := range 256 {
		m.first[b] = m.first[b] || o.begins(byte(b))
	}
	return o.code == opStretch && o.typ == TypeText
}

// begins reports whether the text of a hole may begin with b.
func (o *op) begins(b byte) bool {
	if o.typ == typeWords {
		for _, w := range o.words {
			if w[0] == b {
				return true
			}
		}
		return false
	}
	digit, signed := b-'0' <= 9, b == '-' || b == '+'
	switch t := o.typ; {
	case t&listOf != 0 || t == TypeText:
		return true
	case t == TypeToken:
		return !isBlank(b)
	case t == TypeWord, t == TypeSyslog:
		return isWord(b)
	case t == TypeHex:
		return isHex(b)
	case t == TypeQuoted:
		return b == '"' || b == '-'
	case t == TypePython:
		return b == '"' || b == '\'' || b == 'b' || b == 'r' || b == 'u' || b == 'N'
	case t == TypeInt, t == TypeRust, t == TypeGo, t == TypeGinLatency:
		return digit || signed
	case t == TypeFloat, t.Kind() == Duration, t == TypeEpochS, t == TypeEpochMS, t == TypeEpochUS, t == TypeEpochNS, t == TypeSteadyS:
		return digit || signed || b|0x20 == 'n' || b|0x20 == 'i'
	}
	return digit
}
