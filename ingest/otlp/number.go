package otlp

import (
	"bytes"
	"math"
	"strconv"

	"github.com/tailpath/tailpath/ingest/table"
)

// lostDigits reports whether n has the digits of a double that was printed at full
// length: 17 significant ones, and the shortest that give the double back. A nanosecond
// time with such digits was most likely rounded to a multiple of 256 ns.
func lostDigits(n uint64) bool {
	if n < 1<<53 || n%10 != 0 {
		return false
	}
	var a, b [32]byte
	exact := strconv.AppendUint(a[:0], n, 10)
	if len(bytes.TrimRight(exact, "0")) != 17 {
		return false
	}
	return bytes.Equal(exact, strconv.AppendFloat(b[:0], float64(n), 'f', -1, 64))
}

// number takes an integer in any of the forms that exporters write: a JSON number, a
// number in quotes, an exponent float, or the two halves of a 64-bit integer as an
// object. null is 0. bare says that it was a plain JSON number.
func (p *parser) number(what string) (n table.Integer, bare, ok bool) {
	switch c := p.peek(); c {
	case '"':
		text, ok := p.str()
		if !ok {
			return n, false, false
		}
		if n, ok = table.ReadInteger(text); !ok {
			return n, false, p.fail(badValue, what)
		}
		return n, false, true
	case '{':
		n, ok = p.halves(what)
		return n, false, ok
	case '[':
		p.tok = p.pos
		return n, false, p.fail(badValue, what)
	}
	text, ok := p.bare()
	if !ok {
		return n, true, false
	}
	if string(text) == "null" {
		return n, false, true
	}
	if n, ok = table.ReadInteger(text); !ok {
		return n, true, p.fail(badValue, what)
	}
	return n, true, true
}

// halves takes {"low": l, "high": h}, each 32 bits, of either sign.
func (p *parser) halves(what string) (n table.Integer, ok bool) {
	if p.depth++; p.depth > maxDepth {
		return n, p.fail(badValue, tooDeep)
	}
	defer func() { p.depth-- }()
	p.pos++
	var low, high int64
	found := false
	for first := true; ; first = false {
		key, ok := p.member(first)
		if !ok {
			if !found {
				return n, p.fail(badValue, what)
			}
			bits := uint64(uint32(high))<<32 | uint64(uint32(low))
			return table.Integer{Mag: bits, Wrap: true}, p.fault == noFault
		}
		part := &low
		switch string(key) {
		case "high":
			part = &high
		case "low":
		default:
			if !p.passMember(key) {
				return n, false
			}
			continue
		}
		half, _, ok := p.number(what)
		if !ok {
			return n, false
		}
		found = true
		if *part, ok = half.Int64(); !ok {
			return n, p.fail(badValue, what)
		}
	}
}

// time takes a time or duration in ns as it was recorded.
func (p *parser) time(what string) (int64, bool) {
	n, bare, ok := p.number(what)
	if !ok {
		return 0, false
	}
	if bare && lostDigits(n.Mag) || n.Frac {
		p.imprecise++
	}
	if n.Neg && n.Mag != 0 || n.Mag > math.MaxInt64 {
		return 0, p.fail(badValue, what)
	}
	return int64(n.Mag), true
}

// count takes an unsigned 32-bit integer.
func (p *parser) count(what string) (int64, bool) {
	n, _, ok := p.number(what)
	if !ok {
		return 0, false
	}
	if n.Neg && n.Mag != 0 || n.Mag > math.MaxUint32 {
		return 0, p.fail(badValue, what)
	}
	return int64(n.Mag), true
}

// enum takes a value of an enum: its number, its name with or without the prefix, or
// its number in quotes. A value that is none of names is 0.
func (p *parser) enum(prefix string, names []string) (uint8, bool) {
	c := p.peek()
	if c == '{' || c == '[' {
		p.unknown++
		return 0, p.skip()
	}
	var text []byte
	var ok bool
	if c == '"' {
		text, ok = p.str()
	} else {
		text, ok = p.bare()
	}
	if !ok {
		return 0, false
	}
	value, known := enumValue(text, prefix, names)
	if !known {
		p.unknown++
	}
	return value, true
}

func enumValue(text []byte, prefix string, names []string) (uint8, bool) {
	if len(text) == 0 || string(text) == "null" {
		return 0, true
	}
	if n, ok := table.ReadInteger(text); ok {
		return knownEnum(n, names)
	}
	upper := bytes.ToUpper(text)
	upper = bytes.TrimPrefix(upper, []byte(prefix))
	for i, name := range names {
		if string(upper) == name {
			return uint8(i), true
		}
	}
	return 0, false
}

func knownEnum(n table.Integer, names []string) (uint8, bool) {
	if n.Neg && n.Mag != 0 || n.Mag >= uint64(len(names)) || n.Frac {
		return 0, false
	}
	return uint8(n.Mag), true
}
