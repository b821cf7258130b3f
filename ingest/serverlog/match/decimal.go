package match

import (
	"math"
	"strconv"
	"unsafe"
)

// decimal is a number as it was written: (-1)^neg * mant * 10^exp. Digits that mant
// has no room for are cut off. Go holds structs of up to four fields in registers.
type decimal struct {
	mant  uint64
	exp   int
	neg   bool
	notes notes
}

// notes are what is known of a decimal beyond its value.
type notes uint8

const (
	point   notes = 1 << iota // it was written with a point or an exponent
	roundUp                   // the digits that are cut off come to half a unit or more
)

// maxDigits is how many digits a number may have, so that trying one at many places of
// a text takes no more than a multiple of its length.
const maxDigits = 128

// scanDecimal reads [+-]digits[.digits][e[+-]digits] at text[at]. The exponent is read
// only if powers is set.
func scanDecimal(text []byte, at int, powers bool) (d decimal, end int, ok bool) {
	if d, end = shortDecimal(text, at); end > at {
		return d, end, true
	}
	return longDecimal(text, at, powers)
}

// longDecimal is scanDecimal for any number.
func longDecimal(text []byte, at int, powers bool) (d decimal, end int, ok bool) {
	i := at
	if i < len(text) && (text[i] == '-' || text[i] == '+') {
		d.neg = text[i] == '-'
		i++
	}
	first, cut := i, false
	for ; i < len(text) && i-first <= maxDigits && text[i]-'0' <= 9; i++ {
		if digit := text[i] - '0'; cut || d.mant > (math.MaxUint64-9)/10 {
			if !cut && digit >= 5 {
				d.notes |= roundUp
			}
			d.exp++
			cut = true
		} else {
			d.mant = d.mant*10 + uint64(digit)
		}
	}
	digits := i - first
	if i+1 < len(text) && text[i] == '.' && text[i+1]-'0' <= 9 {
		d.notes |= point
		for i++; i < len(text) && digits <= maxDigits && text[i]-'0' <= 9; i++ {
			digits++
			if digit := text[i] - '0'; cut || d.mant > (math.MaxUint64-9)/10 {
				if !cut && digit >= 5 {
					d.notes |= roundUp
				}
				cut = true
			} else {
				d.mant = d.mant*10 + uint64(digit)
				d.exp--
			}
		}
	}
	if digits == 0 || digits > maxDigits {
		return d, at, false
	}
	if powers && i+1 < len(text) && text[i]|0x20 == 'e' {
		i = d.power(text, i)
	}
	return d, i, true
}

// shortDecimal is scanDecimal for what most numbers are: not more than 18 digits, and
// no exponent. end is at if it is not that.
func shortDecimal(text []byte, at int) (d decimal, end int) {
	const mostDigits = 18
	i := at
	if i < len(text) && (text[i] == '-' || text[i] == '+') {
		d.neg = text[i] == '-'
		i++
	}
	first := i
	if len(text)-i > mostDigits+2 {
		text = text[:i+mostDigits+2] // a digit too many, or what stands behind the last
	}
	for ; i < len(text) && text[i]-'0' <= 9; i++ {
		d.mant = d.mant*10 + uint64(text[i]-'0')
	}
	last := first + mostDigits
	if i == first || i > last {
		return decimal{}, at
	}
	if i+1 < len(text) && text[i] == '.' && text[i+1]-'0' <= 9 {
		dot := i
		for i++; i < len(text) && text[i]-'0' <= 9; i++ {
			d.mant = d.mant*10 + uint64(text[i]-'0')
		}
		d.exp, d.notes = dot+1-i, point
		last++
	}
	if i > last || i < len(text) && text[i]|0x20 == 'e' {
		return decimal{}, at
	}
	return d, i
}

// power reads the exponent whose e stands at text[at], if there is one.
func (d *decimal) power(text []byte, at int) (end int) {
	i, neg := at+1, false
	if text[i] == '-' || text[i] == '+' {
		neg = text[i] == '-'
		i++
	}
	first, n := i, 0
	for ; i < len(text) && text[i]-'0' <= 9; i++ {
		n = min(n*10+int(text[i]-'0'), 10_000)
		if i-first > maxDigits {
			return at
		}
	}
	if i == first {
		return at
	}
	if neg {
		n = -n
	}
	d.exp += n
	d.notes |= point
	return i
}

var powersOf10 = func() (p [20]uint64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = p[i-1] * 10
	}
	return p
}()

// maxFactors[i] is the largest number that times powersOf10[i] is an int64.
var maxFactors = func() (f [20]uint64) {
	for i := range f {
		f[i] = math.MaxInt64 / powersOf10[i]
	}
	return f
}()

// scaled returns the number times 10^power as an integer, rounded half away from zero;
// ok is false if it does not fit.
func (d *decimal) scaled(power int) (n int64, ok bool) {
	m, shift := d.mant, d.exp+power
	switch {
	case m == 0:
		return 0, true
	case shift >= len(powersOf10):
		return 0, false
	case shift > 0:
		if m > maxFactors[shift] {
			return 0, false
		}
		m *= powersOf10[shift]
	case shift == 0:
		if d.notes&roundUp != 0 {
			m++
		}
	case -shift >= len(powersOf10):
		return 0, true
	default:
		unit := powersOf10[-shift]
		rest := m % unit
		m /= unit
		if rest >= unit-rest {
			m++
		}
	}
	if m > math.MaxInt64 {
		return 0, false
	}
	if d.neg {
		return -int64(m), true
	}
	return int64(m), true
}

// worth is what one unit of the last digit is worth if the number is times 10^power:
// at least 1, and not more than that of a number without a point.
func (d *decimal) worth(power int) int64 {
	p := min(d.exp, 0) + power
	if p <= 0 {
		return 1
	}
	return int64(powersOf10[min(p, 18)])
}

// integer returns the number if it is an integer that fits.
func (d *decimal) integer() (n int64, ok bool) {
	if d.exp == 0 {
		return d.scaled(0)
	}
	if d.exp < 0 && (-d.exp >= len(powersOf10) && d.mant != 0 || d.exp > -len(powersOf10) && d.mant%powersOf10[-d.exp] != 0) {
		return 0, false
	}
	return d.scaled(0)
}

var floatPowers = [...]float64{
	1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
}

// float returns the double that is nearest to the number, whose text is given. A
// mantissa and a power of ten that are both exact doubles need one correctly rounded
// operation (William D. Clinger, How to read floating point numbers accurately, 1990).
func (d *decimal) float(text []byte) float64 {
	if d.mant < 1<<53 && d.exp > -len(floatPowers) && d.exp < len(floatPowers) {
		f := float64(d.mant)
		if d.exp < 0 {
			f /= floatPowers[-d.exp]
		} else {
			f *= floatPowers[d.exp]
		}
		if d.neg {
			f = -f
		}
		return f
	}
	// ParseFloat keeps the text only in an error, which is dropped here.
	f, _ := strconv.ParseFloat(unsafe.String(unsafe.SliceData(text), len(text)), 64)
	return f
}

// scanNotANumber reads nan, inf or infinity of any sign and case at text[at].
func scanNotANumber(text []byte, at int) (end int, ok bool) {
	i := at
	if i < len(text) && (text[i] == '-' || text[i] == '+') {
		i++
	}
	if i >= len(text) || text[i]|0x20 != 'n' && text[i]|0x20 != 'i' {
		return at, false
	}
	for _, word := range [...]string{"infinity", "inf", "nan"} {
		if hasFold(text[i:], word) && !(i+len(word) < len(text) && isWord(text[i+len(word)])) {
			return i + len(word), true
		}
	}
	return at, false
}

// hasFold reports whether text begins with word, which is in lower case, in any case.
func hasFold(text []byte, word string) bool {
	if len(text) < len(word) {
		return false
	}
	for i := range len(word) {
		if text[i]|0x20 != word[i] {
			return false
		}
	}
	return true
}

func isWord(c byte) bool { return c|0x20-'a' < 26 }

func isHex(c byte) bool { return c-'0' <= 9 || c|0x20-'a' < 6 }

func isBlank(c byte) bool { return c == ' ' || c == '\t' }
