package otlp

import (
	"bytes"

	"github.com/tailpath/tailpath/ingest/table"
)

// keyCache remembers what stood at each position of the last list of attributes. Spans
// of one kind repeat the same keys in the same order, so most attributes are known
// after one comparison of bytes.
type keyCache [64]keySlot

type keySlot struct {
	text string
	key  table.Sym
	// begin is how the last attribute began that was read well, from its brace to its
	// value, if key and value stood in this order. The same bytes mean the same key and
	// type again, which are foreseen and typ.
	begin    []byte
	foreseen table.Sym
	typ      table.ValueType
}

func (k *keySlot) intern(symbols *table.Symbols, text []byte) table.Sym {
	if k.text != string(text) {
		k.key = symbols.InternBytes(text)
		k.text = symbols.Text(k.key)
	}
	return k.key
}

func (k *keySlot) internString(symbols *table.Symbols, text string) table.Sym {
	if k.text != text {
		k.key = symbols.Intern(text)
		k.text = symbols.Text(k.key)
	}
	return k.key
}

// learn remembers how an attribute began. An empty text is one that does not tell.
func (k *keySlot) learn(begin []byte, a table.Attr) {
	if a.Value.Type < table.ValueString || a.Value.Type > table.ValueDouble {
		begin = nil
	}
	if len(k.begin) != len(begin) || !bytes.Equal(k.begin, begin) {
		k.begin = append(k.begin[:0], begin...)
	}
	k.foreseen, k.typ = a.Key, a.Value.Type
}

// foreseen takes the attribute at pos if it begins as slot expects, is a plain scalar
// of the type that it had, and nothing else stands in it. Otherwise it takes nothing.
func (s *stream) foreseen(slot *keySlot) (a table.Attr, ok bool) {
	n := len(slot.begin)
	if n == 0 || len(s.buf)-s.pos < n+8 || !bytes.Equal(s.buf[s.pos:s.pos+n], slot.begin) {
		return a, false
	}
	buf, i := s.buf, s.pos+n
	a.Key, a.Value.Type = slot.foreseen, slot.typ
	switch slot.typ {
	case table.ValueString:
		if buf[i] != '"' {
			return a, false
		}
		end := special(buf, i+1)
		if end >= len(buf) || buf[end] != '"' {
			return a, false
		}
		a.Value.Text = buf[i+1 : end]
		i = end + 1
	case table.ValueBool:
		switch {
		case string(buf[i:i+4]) == "true":
			a.Value.Bits = 1
			i += 4
		case string(buf[i:i+5]) == "false":
			i += 5
		default:
			return a, false
		}
	case table.ValueInt:
		end, value := shortInt(buf, i)
		if end == 0 {
			return a, false
		}
		a.Value.Bits = uint64(value)
		i = end
	default:
		end := i
		for end < len(buf) && bareByte[buf[end]] {
			end++
		}
		value, f := readDoubleValue(buf[i:end], false)
		if f != exact || value.Type != table.ValueDouble {
			return a, false
		}
		a.Value = value
		i = end
	}
	if i+1 < len(buf) && buf[i] == '}' && buf[i+1] == '}' {
		s.pos = i + 2
		return a, true
	}
	return a, s.closeTwice(i)
}

// shortInt reads an integer of up to 18 digits, in quotes or not, at byte i. It returns
// where it ends, 0 if there is none.
func shortInt(buf []byte, i int) (end int, value int64) {
	quoted := buf[i] == '"'
	if quoted {
		i++
	}
	neg := i < len(buf) && buf[i] == '-'
	if neg {
		i++
	}
	start := i
	for ; i < len(buf) && i-start < 19 && buf[i]-'0' < 10; i++ {
		value = value*10 + int64(buf[i]-'0')
	}
	if i == start || i-start > 18 || i >= len(buf) || (buf[i] == '"') != quoted || !quoted && bareByte[buf[i]] {
		return 0, 0
	}
	if quoted {
		i++
	}
	if neg {
		value = -value
	}
	return i, value
}

// closeTwice takes two closing braces with blanks between, or nothing.
func (s *stream) closeTwice(i int) bool {
	start := s.pos
	s.pos = i
	for range 2 {
		if s.pos >= len(s.buf) || s.peek() != '}' {
			s.fault, s.pos = noFault, start
			return false
		}
		s.pos++
	}
	return true
}
