package format

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"regexp"
	"strings"

	"github.com/tailpath/tailpath/ingest/serverlog/match"
)

// fieldName is what a field may be called. "start", "end" and "last" are words of
// expressions.
var fieldName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// patternKinds returns the kinds of the fields that a pattern captures. The pattern has
// been compiled, so that it is well formed.
func patternKinds(spec string) (map[string]match.Kind, error) {
	kinds := map[string]match.Kind{}
	for i := 0; i < len(spec); {
		switch rest := spec[i:]; {
		case strings.HasPrefix(rest, "{{"), strings.HasPrefix(rest, "}}"), strings.HasPrefix(rest, "{?"):
			i += 2
		case rest[0] == '{':
			end := strings.IndexByte(rest, '}')
			if colon := strings.IndexByte(rest, ':'); colon >= 0 && colon < end && strings.HasPrefix(rest[colon:], ":(") {
				end = strings.Index(rest, ")}") + 1
			}
			if end <= 0 {
				return nil, fmt.Errorf("column %d: the hole has no end", i+1)
			}
			name, of, _ := strings.Cut(rest[1:end], ":")
			i += end + 1
			if name == "_" || name == "~" || name == "..." {
				continue
			}
			t := match.TypeText
			if !strings.HasPrefix(of, "(") {
				var err error
				if t, err = match.ParseType(of); err != nil {
					return nil, err
				}
			}
			if err := addKind(kinds, name, t.Kind()); err != nil {
				return nil, err
			}
		default:
			i++
		}
	}
	return kinds, nil
}

// pairs is a set of pairs of bytes that stand behind each other. Each pair has one of 256
// bits, which it shares with others.
type pairs [4]uint64

// pairBit is the bit of a pair. It is made so that marks finds those of eight pairs at
// once.
func pairBit(before, c byte) byte { return before<<3 ^ c }

// add adds a byte and the one before it, which is 0 if there is none.
func (b *pairs) add(before, c byte) {
	if before != 0 {
		bit := pairBit(before, c)
		b[bit>>6] |= 1 << (bit & 63)
	}
}

// marks tell which pairs of bytes a text may have. The last text's are those that hold
// the number of its turn.
type marks struct {
	turn uint8
	by   [256]uint8 // by the bits of pairs
}

// set makes m the marks of a text.
func (m *marks) set(text []byte) {
	if m.turn++; m.turn == 0 {
		*m = marks{turn: 1}
	}
	turn, i := m.turn, 1
	for ; i+8 <= len(text); i += 8 {
		before, c := binary.LittleEndian.Uint64(text[i-1:]), binary.LittleEndian.Uint64(text[i:])
		eight := before<<3&0xf8f8f8f8f8f8f8f8 ^ c
		m.by[uint8(eight)], m.by[uint8(eight>>8)] = turn, turn
		m.by[uint8(eight>>16)], m.by[uint8(eight>>24)] = turn, turn
		m.by[uint8(eight>>32)], m.by[uint8(eight>>40)] = turn, turn
		m.by[uint8(eight>>48)], m.by[uint8(eight>>56)] = turn, turn
	}
	for ; i < len(text); i++ {
		m.by[pairBit(text[i-1], text[i])] = turn
	}
}

// hold reports whether a text may have all of some pairs.
func (m *marks) hold(all *pairs) bool {
	for i, word := range all {
		for ; word != 0; word &= word - 1 {
			if m.by[i<<6+bits.TrailingZeros64(word)] != m.turn {
				return false
			}
		}
	}
	return true
}

// common keeps what is in both sets.
func (b pairs) common(o pairs) pairs {
	for i := range b {
		b[i] &= o[i]
	}
	return b
}

// join keeps what is in either set.
func (b pairs) join(o pairs) pairs {
	for i := range b {
		b[i] |= o[i]
	}
	return b
}

// patternPairs returns what every text has that matches a pattern: its literals outside
// of optional groups. A blank may be left out at the end of a text.
func patternPairs(spec string) pairs {
	var b pairs
	depth, before := 0, byte(0)
	literal := func(c byte) {
		if depth == 0 && c != ' ' {
			b.add(before, c)
		}
		before = c
	}
	for i := 0; i < len(spec); {
		switch rest := spec[i:]; {
		case strings.HasPrefix(rest, "{{"), strings.HasPrefix(rest, "}}"):
			literal(rest[0])
			i += 2
		case strings.HasPrefix(rest, "{?"):
			depth, before = depth+1, 0
			i += 2
		case strings.HasPrefix(rest, "?}") && depth > 0:
			depth, before = depth-1, 0
			i += 2
		case rest[0] == '{':
			end := strings.IndexByte(rest, '}')
			if strings.Contains(rest[:end], ":(") {
				end = strings.Index(rest, ")}") + 1
			}
			i, before = i+end+1, 0
		default:
			literal(rest[0])
			i++
		}
	}
	return b
}

// textPairs returns what a text has.
func textPairs(text []byte) pairs {
	var b pairs
	before := byte(0)
	for _, c := range text {
		b.add(before, c)
		before = c
	}
	return b
}

// addKind notes the kind of a field, which may be captured in several places as long as
// it is the same thing everywhere.
func addKind(kinds map[string]match.Kind, name string, kind match.Kind) error {
	if !fieldName.MatchString(name) || name == "start" || name == "end" || name == "last" {
		return fmt.Errorf("%q is no name of a field: want letters, digits and _, and not start, end or last", name)
	}
	if was, ok := kinds[name]; ok && was != kind {
		return fmt.Errorf("field %q is of kind %s here and %s elsewhere", name, kind, was)
	}
	kinds[name] = kind
	return nil
}

// regexKinds returns the kinds of the groups of a regular expression.
func regexKinds(expr string, types map[string]match.Type) (map[string]match.Kind, error) {
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, err
	}
	kinds := map[string]match.Kind{}
	for _, name := range re.SubexpNames() {
		if name == "" {
			continue
		}
		if err := addKind(kinds, name, types[name].Kind()); err != nil {
			return nil, err
		}
	}
	for name := range types {
		if _, ok := kinds[name]; !ok {
			return nil, fmt.Errorf("types names %q, and the expression has no group of that name", name)
		}
	}
	return kinds, nil
}

// template cuts the template of a name into text and fields.
func template(text string, slot func(string) (int, error)) ([]piece, error) {
	var pieces []piece
	for text != "" {
		open := strings.IndexByte(text, '{')
		if open < 0 {
			return append(pieces, piece{text, -1}), nil
		}
		if open > 0 {
			pieces = append(pieces, piece{text[:open], -1})
		}
		shut := strings.IndexByte(text[open:], '}')
		if shut < 0 {
			return nil, fmt.Errorf("{ without } in name %q", text)
		}
		name := text[open+1 : open+shut]
		i, err := slot(name)
		if err != nil {
			return nil, err
		}
		pieces = append(pieces, piece{name, Slot(i)})
		text = text[open+shut+1:]
	}
	return pieces, nil
}
