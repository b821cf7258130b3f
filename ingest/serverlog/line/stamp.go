package line

import (
	"math"

	"github.com/tailpath/tailpath/ingest/table"
)

// stamp is a time as RFC 3339 writes it, with "T".
type stamp struct {
	ns   int64 // since the epoch; table.Missing if that does not fit 64 bits
	size int   // of its text in bytes, 0 if there is none
	form int   // says how many digits its fraction has and how its zone is written
}

// parseStamp reads a time at the beginning of text. The zone may be written without a
// colon, as journalctl does, and the fraction behind a comma. Digits beyond ns are
// passed over. A leap second is the second after it.
func parseStamp(text []byte) (s stamp) {
	const date = len("2006-01-02T15:04:05")
	if len(text) < date+1 || text[4] != '-' || text[7] != '-' || text[10] != 'T' || text[13] != ':' || text[16] != ':' {
		return s
	}
	year, month, day := number(text[:4]), number(text[5:7]), number(text[8:10])
	hour, minute, second := number(text[11:13]), number(text[14:16]), number(text[17:19])
	if year < 0 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month) ||
		uint(hour) > 23 || uint(minute) > 59 || uint(second) > 60 {
		return s
	}
	i, ns, digits := date, 0, 0
	if text[i] == '.' || text[i] == ',' {
		for i++; i < len(text) && isDigit(text[i]); i++ {
			if digits < 9 {
				ns = 10*ns + int(text[i]-'0')
			}
			digits++
		}
		if digits == 0 {
			return s
		}
		for n := digits; n < 9; n++ {
			ns *= 10
		}
	}
	offset, zone := parseZone(text[i:])
	if zone == 0 {
		return s
	}
	seconds := int64(daysSinceEpoch(year, month, day))*86400 + int64(hour*3600+minute*60+second-offset)
	return stamp{nanoseconds(seconds, int64(ns)), i + zone, 16*digits + zone}
}

// parseZone reads Z, or an offset in hours and minutes, which it returns in seconds,
// with the length of its text.
func parseZone(text []byte) (offset, size int) {
	if len(text) == 0 {
		return 0, 0
	}
	if text[0] == 'Z' {
		return 0, 1
	}
	if text[0] != '+' && text[0] != '-' || len(text) < len("+0000") {
		return 0, 0
	}
	size = len("+0000")
	minutes := text[3:]
	if text[3] == ':' {
		size, minutes = size+1, text[4:]
	}
	if len(minutes) < 2 {
		return 0, 0
	}
	h, m := number(text[1:3]), number(minutes[:2])
	if uint(h) > 23 || uint(m) > 59 {
		return 0, 0
	}
	offset = 3600*h + 60*m
	if text[0] == '-' {
		offset = -offset
	}
	return offset, size
}

// nanoseconds returns a time in ns since the epoch, or table.Missing if it does not fit.
func nanoseconds(seconds, ns int64) int64 {
	const most = math.MaxInt64/1_000_000_000 - 1
	if seconds < -most || seconds > most {
		return table.Missing
	}
	return seconds*1e9 + ns
}

// daysSinceEpoch counts the days from 1970-01-01 to a date of the Gregorian calendar. A
// year begins in March here, so that the leap day is its last.
func daysSinceEpoch(year, month, day int) int {
	if month <= 2 {
		year, month = year-1, month+12
	}
	return 365*year + floorDiv(year, 4) - floorDiv(year, 100) + floorDiv(year, 400) + (153*(month-3)+2)/5 + day - 1 - 719468
}

func floorDiv(a, b int) int {
	if a < 0 {
		return -((b - 1 - a) / b)
	}
	return a / b
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

// number returns the value of digits, or -1 if there are other bytes.
func number(digits []byte) int {
	n := 0
	for _, c := range digits {
		if !isDigit(c) {
			return -1
		}
		n = 10*n + int(c-'0')
	}
	return n
}

func isDigit(c byte) bool { return c-'0' < 10 }

// parseDecimal reads the seconds, milliseconds or the like that text begins with, of
// which perSecond are a second, as ns. It returns table.Missing if text is none.
func parseDecimal(text []byte, perSecond int64) int64 {
	whole, i := int64(0), 0
	for ; i < len(text) && isDigit(text[i]); i++ {
		if whole > math.MaxInt64/10-1 {
			return table.Missing
		}
		whole = 10*whole + int64(text[i]-'0')
	}
	if i == 0 {
		return table.Missing
	}
	unit := 1_000_000_000 / perSecond // ns
	rest := whole % perSecond * unit
	if i < len(text) && text[i] == '.' {
		for i++; i < len(text) && isDigit(text[i]); i++ {
			unit /= 10
			rest += unit * int64(text[i]-'0')
		}
	}
	return nanoseconds(whole/perSecond, rest)
}
