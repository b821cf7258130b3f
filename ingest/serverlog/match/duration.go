package match

import "math"

// unitPower returns the power of ten of ns that a duration type counts in.
func unitPower(t Type) int {
	switch t {
	case TypeS, TypeEpochS, TypeSteadyS:
		return 9
	case TypeMS, TypeEpochMS:
		return 6
	case TypeUS, TypeEpochUS:
		return 3
	}
	return 0
}

// maxParts is how many numbers with units one duration may have.
const maxParts = 8

// scanUnits reads a duration with units at text[at], as Rust's Debug and Go's String
// write it: one number with a unit, or several, such as 1m2.5s. ok is false if there is
// none. fits is false if it is longer than int64 ns; res is the worth of the last
// digit in ns.
func scanUnits(text []byte, at int) (ns, res int64, end int, fits, ok bool) {
	i, neg := at, false
	if i < len(text) && (text[i] == '-' || text[i] == '+') {
		neg = text[i] == '-'
		i++
	}
	fits, end = true, at
	for parts := 0; parts < maxParts && i < len(text) && text[i]-'0' <= 9; parts++ {
		d, stop, valid := scanDecimal(text, i, false)
		if !valid {
			break
		}
		factor, power, width := unitAt(text, stop)
		if width == 0 {
			if end == at && d.mant == 0 && d.notes&point == 0 {
				return 0, 1, stop, true, true // Go writes no unit behind 0 in some places
			}
			break
		}
		part, valid := d.scaled(power)
		if !valid || part > math.MaxInt64/factor {
			fits, part = false, 0
		}
		part *= factor
		if ns > math.MaxInt64-part {
			fits, part = false, 0
		}
		ns += part
		res = max(factor*d.worth(power), 1)
		i = stop + width
		end, ok = i, true
	}
	if neg {
		ns = -ns
	}
	return ns, res, end, fits, ok
}

// ginCut is what gin cuts the latency of its log to, in ns: whole 10 s from a minute on,
// whole 10 ms from a second on, and nothing below.
func ginCut(ns int64) int64 {
	switch {
	case ns >= 60e9:
		return 10e9
	case ns >= 1e9:
		return 10e6
	}
	return 1
}

// unitAt returns the unit at text[at] as factor * 10^power ns, and how long its name is.
func unitAt(text []byte, at int) (factor int64, power, width int) {
	if at >= len(text) {
		return 0, 0, 0
	}
	followed := func(by byte) bool { return at+1 < len(text) && text[at+1] == by }
	switch text[at] {
	case 'h':
		return 3600, 9, 1
	case 'm':
		if followed('s') {
			return 1, 6, 2
		}
		return 60, 9, 1
	case 's':
		return 1, 9, 1
	case 'u':
		if followed('s') {
			return 1, 3, 2
		}
	case 'n':
		if followed('s') {
			return 1, 0, 2
		}
	case 0xC2, 0xCE: // the micro sign and the Greek letter, in UTF-8
		if at+2 < len(text) && text[at+2] == 's' && (followed(0xB5) && text[at] == 0xC2 || followed(0xBC) && text[at] == 0xCE) {
			return 1, 3, 3
		}
	}
	return 0, 0, 0
}
