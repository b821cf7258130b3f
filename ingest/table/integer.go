package table

import (
	"math"
	"strconv"
)

// Integer is a whole number read from text, as sign and magnitude so that both
// int64 and uint64 fit.
type Integer struct {
	Mag  uint64
	Neg  bool
	Frac bool // a fraction was cut off
	Wrap bool // Mag is the two's complement of a signed integer
}

// Int64 returns the number if int64 can hold it.
func (n Integer) Int64() (int64, bool) {
	switch {
	case n.Wrap || !n.Neg && n.Mag <= math.MaxInt64:
		return int64(n.Mag), true
	case n.Neg && n.Mag <= 1<<63:
		return -int64(n.Mag), true
	}
	return 0, false
}

// ReadInteger reads decimal text, with fraction and exponent if need be, without
// ever going through a float. ok is false when the text is no number or does not
// fit 64 bits.
func ReadInteger(text []byte) (n Integer, ok bool) {
	i := 0
	if i < len(text) && (text[i] == '-' || text[i] == '+') {
		n.Neg = text[i] == '-'
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
		case n.Mag > (math.MaxUint64-9)/10 && point:
			n.Frac = n.Frac || c != '0'
			continue
		case n.Mag > (math.MaxUint64-uint64(c-'0'))/10:
			return n, false
		}
		n.Mag = n.Mag*10 + uint64(c-'0')
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
	for ; scale > 0 && n.Mag > 0; scale-- {
		if n.Mag > math.MaxUint64/10 {
			return n, false
		}
		n.Mag *= 10
	}
	for ; scale < 0 && n.Mag > 0; scale++ {
		n.Frac = n.Frac || n.Mag%10 != 0
		n.Mag /= 10
	}
	return n, true
}
