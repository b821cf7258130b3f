package tracefile

import (
	"bytes"
	"math"
	"strconv"
)

// members calls visit with the name and the JSON text of the value of every member of
// the object that text is or begins with, as far as it is there. It returns false when
// text is no object. The brackets of an element are right by the time it is read; of the
// head of a stream the last value may be cut off.
func members(text []byte, visit func(name, value []byte)) bool {
	var c cursor
	if c.reset(text); !c.enter('{') {
		return false
	}
	for {
		name, ok := c.member()
		if !ok {
			return true
		}
		visit(name, c.skip())
	}
}

// entries calls visit with the JSON text of every value of the array that text is.
func entries(text []byte, visit func(value []byte)) {
	var c cursor
	if c.reset(text); c.enter('[') {
		for c.item() {
			visit(c.skip())
		}
	}
}

// objectMember returns the JSON text of the value of a member of the object that text is
// or begins with, nil without one.
func objectMember(text []byte, name string) []byte {
	var found []byte
	members(text, func(key, value []byte) {
		if string(key) == name {
			found = value
		}
	})
	return found
}

// objectOrNil returns the JSON text of an object, and nil for that of any other value.
func objectOrNil(value []byte) []byte {
	if len(value) > 0 && value[0] == '{' {
		return value
	}
	return nil
}

// jsonText returns the text of a JSON string without its quotes and escapes.
func jsonText(value []byte) ([]byte, bool) {
	if len(value) < 2 || value[0] != '"' {
		return nil, false
	}
	var c cursor
	c.reset(value)
	return c.str(), true
}

// unquoted returns the text of a number, which may stand in quotes.
func unquoted(value []byte) []byte {
	if n := len(value); n >= 2 && value[0] == '"' && value[n-1] == '"' {
		return bytes.TrimSpace(value[1 : n-1])
	}
	return value
}

// jsonInt reads a whole number, which may stand in quotes or have an exponent.
func jsonInt(value []byte) (int64, bool) {
	text := unquoted(value)
	if len(text) > 0 && len(text) < 19 {
		var n int64
		for i, c := range text {
			if c < '0' || c > '9' {
				break
			}
			n = n*10 + int64(c-'0')
			if i == len(text)-1 {
				return n, true
			}
		}
	}
	if n, exact, ok := decimal(text, 0); ok && exact {
		return n, true
	}
	return 0, false
}

// jsonFloat reads a finite number, which may stand in quotes.
func jsonFloat(value []byte) (float64, bool) {
	f, err := strconv.ParseFloat(string(unquoted(value)), 64)
	return f, err == nil && !math.IsInf(f, 0) && !math.IsNaN(f)
}

// decimal returns the decimal number of text times 10^shift, rounded to the nearest,
// halves away from zero, and whether nothing was rounded. It works on the digits, so
// that 90321.1001 s are 90321100100000 ns. It fails on what is no number and on what
// int64 cannot hold.
func decimal(text []byte, shift int) (n int64, exact, ok bool) {
	i, negative := 0, false
	if i < len(text) && (text[i] == '-' || text[i] == '+') {
		negative = text[i] == '-'
		i++
	}
	var digits [20]byte // the leading ones that are not 0
	count, point, seen, inexact := 0, 0, false, false
	add := func(c byte, whole bool) {
		seen = true
		switch {
		case count == 0 && c == '0': // a leading zero moves the point at most
			if !whole {
				point--
			}
			return
		case count < len(digits):
			digits[count] = c
			count++
		case c != '0':
			inexact = true
		}
		if whole {
			point++
		}
	}
	for ; i < len(text) && isDigit(text[i]); i++ {
		add(text[i], true)
	}
	if i < len(text) && text[i] == '.' {
		for i++; i < len(text) && isDigit(text[i]); i++ {
			add(text[i], false)
		}
	}
	if !seen {
		return 0, false, false
	}
	if i < len(text) && (text[i] == 'e' || text[i] == 'E') {
		exponent, err := strconv.Atoi(string(text[i+1:]))
		if err != nil || exponent > 1000 || exponent < -100_000 {
			return 0, false, count == 0 && err == nil
		}
		point += exponent
		i = len(text)
	}
	if i != len(text) {
		return 0, false, false
	}
	if count == 0 {
		return 0, true, true
	}
	whole := point + shift // digits before the point
	if whole > 19 {
		return 0, false, false
	}
	var u uint64
	for k := range max(whole, 0) {
		u *= 10
		if k < count {
			u += uint64(digits[k] - '0')
		}
	}
	exact = !inexact
	for k := max(whole, 0); k < count; k++ {
		exact = exact && digits[k] == '0'
	}
	if whole >= 0 && whole < count && digits[whole] >= '5' {
		u++
	}
	if u > math.MaxInt64 {
		return 0, false, false
	}
	if negative {
		return -int64(u), exact, true
	}
	return int64(u), exact, true
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
