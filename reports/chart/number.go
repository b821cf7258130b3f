package chart

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// finite says whether a number can be drawn.
func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// unit is a name for some number of what is counted.
type unit struct {
	name string
	size float64
}

// durations are the units of times in ns.
var durations = []unit{{"ns", 1}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"min", 60e9}, {"h", 3600e9}}

// durationUnit returns the unit for times up to a longest one. Seconds go on to 600 and minutes
// to 600, because "90 s" is read more easily than "1.5 min".
func durationUnit(longest float64) unit {
	u := durations[0]
	for _, next := range durations[1:] {
		from := next.size
		if next.size > 1e9 {
			from *= 10
		}
		if math.Abs(longest) >= from {
			u = next
		}
	}
	return u
}

// value writes a number with its unit and three significant digits, as marks tell it.
func value(v float64, u Unit) string {
	if !finite(v) {
		return "no number"
	}
	switch u {
	case Nanos:
		if v == 0 {
			return "0 s"
		}
		d := durationUnit(v)
		for _, next := range durations {
			if next.size == 1000*d.size && math.Abs(v)/d.size >= 999.5 {
				d = next
			}
		}
		return digits(v/d.size) + " " + d.name
	case Share:
		return digits(v*100) + " %"
	case PerS:
		return digits(v) + " /s"
	case UnixTime:
		return stamp(v)
	}
	return digits(v)
}

// short is value without zeros that tell nothing, for the round numbers of an axis.
func short(v float64, u Unit) string {
	s := value(v, u)
	number, name, _ := strings.Cut(s, " ")
	if u == UnixTime || !strings.Contains(number, ".") || strings.Contains(number, "e") {
		return s
	}
	return strings.TrimSpace(strings.TrimRight(strings.TrimRight(number, "0"), ".") + " " + name)
}

// digits writes a number with three significant digits. Whole numbers are written in full.
func digits(v float64) string {
	switch a := math.Abs(v); {
	case !finite(v):
		return "no number"
	case v == 0:
		return "0"
	case a >= 1e15 || a < 1e-4:
		return exponent(v)
	case math.Abs(v-math.Round(v)) < 1e-9*a || a >= 999.5:
		return grouped(strconv.FormatFloat(v, 'f', 0, 64))
	default:
		decimals := 2 - int(math.Floor(math.Log10(a)))
		if a >= math.Pow10(3-decimals)-math.Pow10(-decimals)/2 {
			decimals-- // it is rounded up to another digit
		}
		return strconv.FormatFloat(v, 'f', max(0, decimals), 64)
	}
}

// exponent writes a number as a figure and a power of ten.
func exponent(v float64) string {
	mantissa, power, _ := strings.Cut(strconv.FormatFloat(v, 'e', 2, 64), "e")
	if strings.Contains(mantissa, ".") {
		mantissa = strings.TrimRight(strings.TrimRight(mantissa, "0"), ".")
	}
	n, _ := strconv.Atoi(power)
	return mantissa + "e" + strconv.Itoa(n)
}

// grouped puts commas between the thousands of a decimal number.
func grouped(s string) string {
	whole, rest, _ := strings.Cut(s, ".")
	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "-", whole[1:]
	}
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if rest != "" {
		whole += "." + rest
	}
	return sign + whole
}

// count writes how many there are of something.
func count(n int64) string { return grouped(strconv.FormatInt(n, 10)) }

// plural writes a number of things.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return count(int64(n)) + " " + many
}

// nOf writes the size of a sample.
func nOf(n int64) string { return "n = " + count(n) }

// total adds counts, and stops at the greatest there is.
func total(a, b int64) int64 {
	if b > math.MaxInt64-a {
		return math.MaxInt64
	}
	return a + b
}

// between writes an interval, and nothing where there is none.
func between(low, v, high float64, u Unit) string {
	if !finite(low) || !finite(high) || low == v && high == v {
		return ""
	}
	return " (" + value(low, u) + " to " + value(high, u) + ")"
}

// inTime says whether a number of ns since the epoch is an instant that can be written.
func inTime(v float64) bool { return finite(v) && math.Abs(v) < 9e18 }

// stamp writes an instant.
func stamp(v float64) string {
	if !inTime(v) {
		return digits(v)
	}
	t := time.Unix(0, int64(v)).UTC().Round(time.Millisecond)
	layout := "2006-01-02 15:04:05.000 UTC"
	switch {
	case t.Second() == 0 && t.Nanosecond() == 0:
		layout = "2006-01-02 15:04 UTC"
	case t.Nanosecond() == 0:
		layout = "2006-01-02 15:04:05 UTC"
	}
	return t.Format(layout)
}

// nan is no number.
func nan() float64 { return math.NaN() }
