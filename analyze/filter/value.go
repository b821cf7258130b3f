package filter

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Value is one value of an expression, as it was written.
type Value struct {
	Text   string
	Quoted bool // it is text, whatever it looks like
	at     place
}

// place is the bytes [start, end) of the text that something was read from.
type place struct{ start, end int }

// none is the word for no value.
const none = "none"

// None reports whether the value is the word for no value.
func (v Value) None() bool { return !v.Quoted && v.Text == none }

// String returns the value as it is written.
func (v Value) String() string {
	if !v.Quoted {
		return v.Text
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(v.Text) + `"`
}

// number returns the number that the value is.
func (v Value) number() (float64, bool) {
	if v.Quoted {
		return 0, false
	}
	return readNumber(v.Text)
}

// scales are the letters behind a number.
var scales = map[byte]float64{'k': 1e3, 'M': 1e6, 'G': 1e9}

// readNumber reads a decimal number, with k, M or G behind it or not.
func readNumber(text string) (float64, bool) {
	scale := 1.0
	if n := len(text); n > 0 && scales[text[n-1]] != 0 {
		scale, text = scales[text[n-1]], text[:n-1]
	}
	n, ok := decimal(text)
	return n * scale, ok && n*scale-n*scale == 0
}

// decimal reads a plain decimal number, without what only Go takes for one.
func decimal(text string) (float64, bool) {
	if strings.Trim(text, "+-.eE0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil
}

// units are the units of time in ns, those that begin like a shorter one before it.
var units = []struct {
	name string
	ns   float64
}{{"ns", 1}, {"us", 1e3}, {"µs", 1e3}, {"μs", 1e3}, {"ms", 1e6}, {"min", 60e9}, {"m", 60e9}, {"s", 1e9}, {"h", 3600e9}, {"d", 86400e9}}

// time returns the time in ns that the value is; a zero needs no unit.
func (v Value) time() (float64, bool) {
	if v.Quoted {
		return 0, false
	}
	return readTime(v.Text)
}

// readTime reads a time such as 20ms or 1m30s, in ns.
func readTime(text string) (float64, bool) {
	rest, sign := text, 1.0
	if strings.HasPrefix(rest, "-") || strings.HasPrefix(rest, "+") {
		if rest[0] == '-' {
			sign = -1
		}
		rest = rest[1:]
	}
	if strings.Trim(rest, "0.") == "" {
		_, ok := decimal(rest)
		return 0, ok
	}
	ns := 0.0
	for rest != "" {
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789."))
		n, ok := decimal(rest[:digits])
		if !ok {
			return 0, false
		}
		rest = rest[digits:]
		known := false
		for _, u := range units {
			if tail, is := strings.CutPrefix(rest, u.name); is {
				ns, rest, known = ns+n*u.ns, tail, true
				break
			}
		}
		if !known {
			return 0, false
		}
	}
	if !(ns < math.MaxInt64) {
		return 0, false
	}
	return sign * math.Round(ns), true
}

// dates are the forms of a date, the zone of which is UTC when it has none.
var dates = []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02T15:04Z07:00", "2006-01-02T15:04", "2006-01-02"}

// date returns the instant in ns since the Unix epoch that the value is.
func (v Value) date() (float64, bool) {
	for _, form := range dates {
		if t, err := time.Parse(form, v.Text); err == nil && t.Year() >= 1678 && t.Year() < 2262 {
			return float64(t.UnixNano()), true
		}
	}
	return 0, false
}
