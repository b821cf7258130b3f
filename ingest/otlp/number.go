package otlp

import (
	"bytes"
	"math"
	"strconv"
)

// integer is a whole number read from text, as sign and magnitude so that both
// int64 and uint64 fit.
type integer struct {
	mag  uint64
	neg  bool
	frac bool // a fraction was cut off
	wrap bool // mag is the two's complement of a signed integer
}

func (n integer) int64() (int64, bool) {
	switch {
	case n.wrap || !n.neg && n.mag <= math.MaxInt64:
		return int64(n.mag), true
	case n.neg && n.mag <= 1<<63:
		return -int64(n.mag), true
	}
	return 0, false
}

// readInteger reads decimal text, with fraction and exponent if need be, without
// ever going through a float. ok is false when the text is no number or does not
// fit 64 bits.
func readInteger(text []byte) (n integer, ok bool) {
	i := 0
	if i < len(text) && (text[i] == '-' || text[i] == '+') {
		n.neg = text[i] == '-'
		i++
	}
	digits, scale, point := 0, 0, false
	for ; i < len(text); i++ {
		c := text[i]
		if c == '.' && !point {
			point = true
			continue
		}
		if c < '0' || c > '9' {
			break
		}
		digits++
		switch {
		case n.mag > (math.MaxUint64-9)/10 && point:
			n.frac = n.frac || c != '0'
			continue
		case n.mag > (math.MaxUint64-uint64(c-'0'))/10:
			return n, false
		}
		n.mag = n.mag*10 + uint64(c-'0')
		if point {
			scale--
		}
	}
	if digits == 0 {
		return n, false
	}
	if i < len(text) {
		exp, err := strconv.Atoi(string(text[i+1:]))
		if text[i]|0x20 != 'e' || err != nil || exp > 400 || exp < -400 {
			return n, false
		}
		scale += exp
	}
	for ; scale > 0 && n.mag > 0; scale-- {
		if n.mag > math.MaxUint64/10 {
			return n, false
		}
		n.mag *= 10
	}
	for ; scale < 0 && n.mag > 0; scale++ {
		n.frac = n.frac || n.mag%10 != 0
		n.mag /= 10
	}
	return n, true
}

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
func (p *parser) number(what string) (n integer, bare, ok bool) {
	switch c := p.peek(); c {
	case '"':
		text, ok := p.str()
		if !ok {
			return n, false, false
		}
		if n, ok = readInteger(text); !ok {
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
	if n, ok = readInteger(text); !ok {
		return n, true, p.fail(badValue, what)
	}
	return n, true, true
}

// halves takes {"low": l, "high": h}, each 32 bits, of either sign.
func (p *parser) halves(what string) (n integer, ok bool) {
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
			return integer{mag: bits, wrap: true}, p.fault == noFault
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
		if *part, ok = half.int64(); !ok {
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
	if bare && lostDigits(n.mag) || n.frac {
		p.imprecise++
	}
	if n.neg && n.mag != 0 || n.mag > math.MaxInt64 {
		return 0, p.fail(badValue, what)
	}
	return int64(n.mag), true
}

// count takes an unsigned 32-bit integer.
func (p *parser) count(what string) (int64, bool) {
	n, _, ok := p.number(what)
	if !ok {
		return 0, false
	}
	if n.neg && n.mag != 0 || n.mag > math.MaxUint32 {
		return 0, p.fail(badValue, what)
	}
	return int64(n.mag), true
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
	if n, ok := readInteger(text); ok {
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

func knownEnum(n integer, names []string) (uint8, bool) {
	if n.neg && n.mag != 0 || n.mag >= uint64(len(names)) || n.frac {
		return 0, false
	}
	return uint8(n.mag), true
}
