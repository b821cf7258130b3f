package match

import "encoding/binary"

const (
	second int64 = 1_000_000_000
	minute       = 60 * second
	hour         = 60 * minute
	day          = 24 * hour
)

// The years that ns since the epoch in an int64 reach as a whole.
const minYear, maxYear = 1678, 2261

// dateCache remembers the date that a slot met last: lines behind each other are
// mostly of one day.
type dateCache struct {
	first, last uint64 // the first and last 8 bytes of its text
	ns          int64
}

// days returns the days from 1970-01-01 to a date of the Gregorian calendar. Years
// begin in March here, so that the leap day is the last of its year; 153 days are any
// five months from March or August on.
func days(year, month, dayOfMonth int) int64 {
	if month <= 2 {
		year--
		month += 12
	}
	era := year / 400
	yearOfEra := year - era*400
	dayOfYear := (153*(month-3)+2)/5 + dayOfMonth - 1
	return int64(era*146_097 + yearOfEra*365 + yearOfEra/4 - yearOfEra/100 + dayOfYear - 719_468)
}

func daysIn(year, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

// validDate reports whether the calendar has the date.
func validDate(year, month, dayOfMonth int) bool {
	return month >= 1 && month <= 12 && dayOfMonth >= 1 && dayOfMonth <= daysIn(year, month)
}

// two reads two digits at text[at], which has them; -1 if they are none.
func two(text []byte, at int) int {
	a, b := text[at]-'0', text[at+1]-'0'
	if a > 9 || b > 9 {
		return -1
	}
	return int(a)*10 + int(b)
}

// four reads four digits at text[at], which has them; -1 if they are none.
func four(text []byte, at int) int {
	a, b := two(text, at), two(text, at+2)
	if a < 0 || b < 0 {
		return -1
	}
	return a*100 + b
}

// monthNamed returns the month whose English name of three letters stands at text[at],
// which has them; 0 if there is none.
func monthNamed(text []byte, at int) int {
	const names = "janfebmaraprmayjunjulaugsepoctnovdec"
	a, b, c := text[at]|0x20, text[at+1]|0x20, text[at+2]|0x20
	for i := 0; i < len(names); i += 3 {
		if names[i] == a && names[i+1] == b && names[i+2] == c {
			return i/3 + 1
		}
	}
	return 0
}

// scanDate reads the date of 10 bytes, 2026-08-20 or 2026/08/20, or of 11 bytes,
// 20/Aug/2026, at text[at]. It gives noValue for a year that ns do not reach.
func scanDate(text []byte, at, width int, cache *dateCache) (ns int64, o outcome) {
	if at+width > len(text) {
		return 0, failed
	}
	t := text[at : at+width]
	first, last := binary.LittleEndian.Uint64(t), binary.LittleEndian.Uint64(t[width-8:])
	if cache != nil && cache.first == first && cache.last == last {
		return cache.ns, good
	}
	var year, month, dayOfMonth int
	if width == 10 {
		if t[4] != '-' && t[4] != '/' || t[7] != t[4] {
			return 0, failed
		}
		year, month, dayOfMonth = four(t, 0), two(t, 5), two(t, 8)
	} else {
		if t[2] != '/' || t[6] != '/' {
			return 0, failed
		}
		year, month, dayOfMonth = four(t, 7), monthNamed(t, 3), two(t, 0)
	}
	if year < 0 || !validDate(year, month, dayOfMonth) {
		return 0, failed
	}
	if year < minYear || year > maxYear {
		if year <= 1 {
			return 0, noValue // the zero time of Go and of others
		}
		return 0, bad
	}
	ns = days(year, month, dayOfMonth) * day
	if cache != nil {
		*cache = dateCache{first: first, last: last, ns: ns}
	}
	return ns, good
}

// leapYear stands for the year of a date that was written without one.
const leapYear = 2000

// dayOfLeapYear returns the ns of a date of the leap year.
func dayOfLeapYear(month, dayOfMonth int) (ns int64, o outcome) {
	if dayOfMonth < 0 || month < 0 || !validDate(leapYear, month, dayOfMonth) {
		return 0, failed
	}
	return days(leapYear, month, dayOfMonth) * day, good
}

// scanClock reads 12:00:03 at text[at]. A second of 60, a leap second, is the first of
// the next minute.
func scanClock(text []byte, at int) (ns int64, end int, ok bool) {
	if at+8 > len(text) || text[at+2] != ':' || text[at+5] != ':' {
		return 0, at, false
	}
	h, m, s := two(text, at), two(text, at+3), two(text, at+6)
	if uint(h) > 23 || uint(m) > 59 || uint(s) > 60 {
		return 0, at, false
	}
	return int64(h)*hour + int64(m)*minute + int64(s)*second, at + 8, true
}

// scanFraction reads the fraction of a second at text[at], if there is one behind a
// point or comma. Digits below one ns are rounded half up.
func scanFraction(text []byte, at int) (ns, res int64, end int) {
	if at+1 >= len(text) || text[at] != '.' && text[at] != ',' || text[at+1]-'0' > 9 {
		return 0, second, at
	}
	i, n := at+1, 0
	for ; i < len(text) && text[i]-'0' <= 9 && n < maxDigits; i++ {
		if n++; n <= 9 {
			ns = ns*10 + int64(text[i]-'0')
		} else if n == 10 && text[i] >= '5' {
			ns++
		}
	}
	res = int64(powersOf10[9-min(n, 9)])
	return ns * res, res, i
}

// scanOffset reads Z, +02:00, +0200 or +02 at text[at]; ok is false if there is none.
// With blank, only +0200 is read, behind one blank.
func scanOffset(text []byte, at int, blank bool) (ns int64, end int, ok bool) {
	i := at
	if blank {
		if i+6 > len(text) || text[i] != ' ' || i+6 < len(text) && text[i+6]-'0' <= 9 {
			return 0, at, false
		}
		i++
	}
	if i >= len(text) {
		return 0, at, false
	}
	sign := int64(1)
	switch text[i] {
	case 'Z', 'z':
		if i+1 < len(text) && (isWord(text[i+1]) || text[i+1]-'0' <= 9) {
			return 0, at, false
		}
		return 0, i + 1, !blank
	case '-':
		sign = -1
	case '+':
	default:
		return 0, at, false
	}
	if i+3 > len(text) {
		return 0, at, false
	}
	h, m := two(text, i+1), 0
	if uint(h) > 23 {
		return 0, at, false
	}
	end = i + 3
	switch {
	case end+3 <= len(text) && text[end] == ':':
		m = two(text, end+1)
		end += 3
	case end+2 <= len(text) && text[end]-'0' <= 9:
		m = two(text, end)
		end += 2
	case blank:
		return 0, at, false
	}
	if uint(m) > 59 {
		return 0, at, false
	}
	return sign * (int64(h)*hour + int64(m)*minute), end, true
}
