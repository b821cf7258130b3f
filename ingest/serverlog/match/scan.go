package match

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// outcome says what came of reading a text as a type.
type outcome uint8

const (
	failed  outcome = iota // it is not of the type
	good                   // it is a value
	noValue                // it stands for no value
	bad                    // it is of the type and does not fit
)

// maxWord bounds how many bytes a hole of type word or hex reads, so that trying one
// at many places of a text takes no more than a multiple of its length.
const maxWord = 256

// scan reads the longest text of type t at text[at], which is not beyond its end. If v
// is not nil, it is set, with kind None unless the outcome is good. bare says that a
// number stands without quotes in JSON or Python.
func scan(t Type, text []byte, at int, v *Value, bare bool) (end int, o outcome) {
	if t&listOf != 0 {
		return scanList(t&^listOf, text, at, v)
	}
	switch t {
	case TypeText:
		end, o = len(text), good
	case TypeToken:
		if end = blankAt(text, at); end > at {
			o = good
		}
	case TypeWord:
		for end = at; end < len(text) && end-at < maxWord && isWord(text[end]); end++ {
		}
		if end > at {
			o = good
		}
	case TypeHex:
		for end = at; end < len(text) && end-at < maxWord && isHex(text[end]); end++ {
		}
		if end > at {
			o = good
		}
	case TypeUUID:
		if end = uuidEnd(text, at); end > at {
			o = good
		}
	case TypeInt, TypeFloat, TypeS, TypeMS, TypeUS, TypeNS:
		return scanNumber(t, text, at, v, bare)
	case TypeRust, TypeGo, TypeGinLatency:
		ns, res, end, fits, ok := scanUnits(text, at)
		if !ok {
			return at, failed
		}
		o = bad
		if fits {
			o = good
		}
		if v != nil {
			if t == TypeGinLatency {
				res = max(res, ginCut(ns))
			}
			v.Text, v.Kind, v.Int, v.Res = text[at:end], Duration, ns, res
		}
		return end, v.settle(o)
	case TypeQuoted, TypePython:
		if t == TypeQuoted {
			end, o = scanQuoted(text, at, v)
		} else {
			end, o = scanPython(text, at, v)
		}
		if v != nil {
			v.Kind = Text
		}
		return end, v.settle(o)
	default:
		var cache *dateCache
		if v != nil {
			cache = &v.keep().date
		}
		in, end, o := scanInstant(t, text, at, cache, bare)
		if o == failed {
			return at, failed
		}
		if v != nil {
			v.Text, v.Kind, v.Int, v.Res, v.Flags = text[at:end], Instant, in.ns, in.res, in.flags
		}
		return end, v.settle(o)
	}
	if o == good && v != nil {
		v.Text, v.Kind = text[at:end], Text
		if end == at {
			v.Kind = None
		}
	}
	return end, o
}

// uuidEnd returns where the UUID at text[at] ends, which is at if there is none: 32
// hexadecimal digits, with dashes behind the 8th, 12th, 16th and 20th of them or without,
// that are not the beginning of a longer word.
func uuidEnd(text []byte, at int) (end int) {
	digits, dashes := 0, 0
	for end = at; end < len(text) && digits < 32; end++ {
		switch c := text[end]; {
		case isHex(c):
			digits++
		case c == '-' && digits == 8+4*dashes && dashes < 4:
			dashes++
		default:
			return at
		}
	}
	if digits < 32 || dashes%4 != 0 || end < len(text) && (isWord(text[end]) || text[end]-'0' <= 9 || text[end] == '-') {
		return at
	}
	return end
}

// settle makes v agree with the outcome, which it returns.
func (v *Value) settle(o outcome) outcome {
	if v == nil || o == good {
		return o
	}
	v.Kind = None
	v.Int, v.Float, v.Res = 0, 0, 0
	v.Flags &= Quoted
	if o == bad {
		v.Flags |= Bad
	}
	return o
}

// scanNumber reads a number, which for a duration counts in the unit t.
func scanNumber(t Type, text []byte, at int, v *Value, bare bool) (end int, o outcome) {
	d, end := shortDecimal(text, at)
	ok := end > at
	if !ok {
		d, end, ok = longDecimal(text, at, t != TypeInt || bare)
	}
	if !ok {
		if end, ok = scanNotANumber(text, at); !ok || t == TypeInt {
			return at, failed
		}
		if v != nil {
			v.Text = text[at:end]
		}
		return end, v.settle(noValue)
	}
	if t == TypeInt && d.notes&point != 0 && !bare {
		// A pattern has the point behind an integer as a literal.
		end = at + bytes.IndexByte(text[at:end], '.')
		if d, end, ok = scanDecimal(text[:end], at, false); !ok {
			return at, failed
		}
	}
	if v == nil {
		return end, good
	}
	v.Text = text[at:end]
	o = good
	switch t {
	case TypeInt:
		v.Kind = Int
		if v.Int, ok = d.integer(); !ok {
			o = bad
		}
		v.Float = float64(v.Int)
	case TypeFloat:
		v.Kind, v.Float = Float, d.float(v.Text)
		if v.Float-v.Float != 0 { // beyond the range of doubles
			o = bad
		}
	default:
		power := unitPower(t)
		v.Kind, v.Res = Duration, numberWorth(&d, power, bare)
		if v.Int, ok = d.scaled(power); !ok {
			o = bad
		}
	}
	return end, v.settle(o)
}

// blankAt returns the place of the first blank from text[at] on, or the end of text. It
// looks at eight bytes at a time, as jsonString does.
func blankAt(text []byte, at int) int {
	const (
		ones     = 0x0101010101010101
		spaces   = ' ' * ones
		tabs     = '\t' * ones
		highBits = 0x80 * ones
	)
	for ; at+8 <= len(text); at += 8 {
		x := binary.LittleEndian.Uint64(text[at:])
		s, t := x^spaces, x^tabs
		if hit := ((s-ones)&^s | (t-ones)&^t) & highBits; hit != 0 {
			return at + bits.TrailingZeros64(hit)/8
		}
	}
	for ; at < len(text); at++ {
		if isBlank(text[at]) {
			break
		}
	}
	return at
}

// trimBlanks returns text without the blanks around it.
func trimBlanks(text []byte) []byte {
	for len(text) > 0 && isBlank(text[0]) {
		text = text[1:]
	}
	for len(text) > 0 && isBlank(text[len(text)-1]) {
		text = text[:len(text)-1]
	}
	return text
}

// read sets v to the whole of text as type t. A text that is not of the type makes it
// Bad; an absent one, None. Blanks around anything but text do not count.
func read(t Type, text []byte, v *Value, bare bool, absent absentTexts) {
	quoted := v.Flags & Quoted
	if absent.has(text) {
		v.Text, v.Kind = text, None
		return
	}
	if t == TypeQuoted || t == TypePython {
		if end, o := scan(t, text, 0, v, bare); o != failed && end == len(text) {
			v.Flags |= quoted
			return
		}
		v.Text, v.Kind, v.Flags = text, None, quoted
		if len(text) > 0 {
			v.Kind = Text
		}
		return
	}
	whole := text
	if t != TypeText {
		text = trimBlanks(text)
	}
	if len(text) == 0 {
		v.Text, v.Kind = whole[:0], None
		return
	}
	end, o := scan(t, text, 0, v, bare || t == TypeInt)
	v.Flags |= quoted
	switch {
	case o == failed || end < len(text):
		v.Text = text
		v.settle(bad)
	case o == good && absent.has(text):
		v.settle(noValue)
	}
}
