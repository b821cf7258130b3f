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
		if ops[i].code != opHole && ops[i].code != opNumber {
			continue
		}
		loose := withoutSlots(ops)
		loose[i].code, loose[i].typ, loose[i].slot = opStretch, TypeText, 0
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
		own := *ops[i].more
		ops[i].more = &own
		ops[i].slot, ops[i].slots, ops[i].shared = noSlot, nil, false
		ops[i].group = withoutSlots(ops[i].group)
	}
	return ops
}

// linkTop links the elements outside of groups; ok is false if they make no pattern.
func (c *compiler) linkTop(ops []op, rest bool) (ok bool) {
	for i := range ops {
		if ops[i].stretches() && c.linkStretch(ops, i, true, rest, follow{open: !rest}) != nil {
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
	nears := m.nears()
	for i := range nears {
		n := &nears[i]
		v[0].reset()
		whole := text
		if !m.rest {
			if whole = m.ended(n.ops, text); whole == nil {
				continue
			}
		}
		if _, ok := m.run(n.ops, whole, 0, v[:], !m.rest); ok {
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
	last := &m.ops[len(m.ops)-1]
	blanks := last.code == opLiteral && len(last.short) == 0
	empty := m.opens(m.ops, &m.first)
	if blanks && !empty {
		// The text may end before the blanks at the end of the pattern.
		empty = m.opens(m.ops[:len(m.ops)-1], &m.first)
	}
	if empty {
		for b := range m.first {
			m.first[b] = true
		}
	}
}

// openGroups finds them for the groups of ops.
func (m *PatternMatcher) openGroups(ops []op) {
	for i := range ops {
		if o := &ops[i]; o.code == opGroup {
			m.openGroups(o.group)
			var may [256]bool
			if !m.opens(o.group, &may) {
				o.may = &may
			}
		}
	}
}

// opens adds to first the bytes with which a text of ops may begin, and reports whether
// it may be empty.
func (m *PatternMatcher) opens(ops []op, first *[256]bool) (empty bool) {
	for i := range ops {
		o := &ops[i]
		switch o.code {
		case opLiteral:
			first[o.lit[0]] = true
			return false
		case opGroup:
			m.opens(o.group, first)
		case opBlanks:
			first[' '], first['\t'] = true, true
		default:
			for _, t := range m.absent {
				first[t[0]] = true
			}
			for b := range 256 {
				first[b] = first[b] || o.begins(byte(b))
			}
			if !o.stretches() || o.typ != TypeText {
				return false
			}
		}
	}
	return true
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
	case t == TypeHex, t == TypeUUID:
		return isHex(b)
	case t == TypeQuoted:
		return b == '"' || b == '-'
	case t == TypePython:
		return b == '"' || b == '\'' || b == 'b' || b == 'r' || b == 'u' || b == 'N'
	case t == TypeInt, t == TypeRust, t == TypeGo, t == TypeGinLatency:
		return digit || signed
	case t == TypeFloat, t.Kind() == Duration, t == TypeEpochS, t == TypeEpochMS, t == TypeEpochUS, t == TypeEpochNS, t == TypeSteadyS:
		return digit || signed || b == '.' || b|0x20 == 'n' || b|0x20 == 'i'
	}
	return digit
}
