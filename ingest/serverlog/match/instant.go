package match

// instant is a time as it was written.
type instant struct {
	ns, res int64
	flags   Flags
}

// scanInstant reads an instant of type t at text[at].
func scanInstant(t Type, text []byte, at int, cache *dateCache, bare bool) (in instant, end int, o outcome) {
	switch t {
	case TypeRFC3339, TypeDateTime:
		return scanISO(t, text, at, cache)
	case TypeCLF, TypeHAProxy:
		return scanCLF(t, text, at, cache)
	case TypeGin:
		in.ns, o = scanDate(text, at, 10, cache)
		if at+13 > len(text) || text[at+10] != ' ' || text[at+11] != '-' || text[at+12] != ' ' {
			return in, at, failed
		}
		return in.clock(text, at+13, NoZone, o)
	case TypeVLLM:
		if at+6 > len(text) || text[at+2] != '-' || text[at+5] != ' ' {
			return in, at, failed
		}
		in.ns, o = dayOfLeapYear(two(text, at), two(text, at+3))
		return in.clock(text, at+6, NoZone|NoYear, o)
	case TypeGlog:
		if at+5 > len(text) || text[at+4] != ' ' {
			return in, at, failed
		}
		in.ns, o = dayOfLeapYear(two(text, at), two(text, at+2))
		return in.clock(text, at+5, NoZone|NoYear, o)
	case TypeSyslog:
		if at+7 > len(text) || text[at+3] != ' ' || text[at+6] != ' ' {
			return in, at, failed
		}
		dayOfMonth := two(text, at+4)
		if text[at+4] == ' ' && text[at+5]-'0' <= 9 {
			dayOfMonth = int(text[at+5] - '0')
		}
		in.ns, o = dayOfLeapYear(monthNamed(text, at), dayOfMonth)
		return in.clock(text, at+7, NoZone|NoYear, o)
	case TypeUptime:
		return scanUptime(text, at)
	}
	d, end, ok := scanDecimal(text, at, true)
	if !ok {
		return in, at, failed
	}
	power := unitPower(t)
	if t == TypeSteadyS {
		in.flags = Steady
	}
	in.res = numberWorth(&d, power, bare)
	if in.ns, ok = d.scaled(power); !ok {
		return in, end, bad
	}
	return in, end, good
}

// numberWorth is the worth of the last digit of a number in ns.
func numberWorth(d *decimal, power int, bare bool) int64 {
	res := d.worth(power)
	if bare && d.notes&point != 0 {
		res = min(res, second/1000)
	}
	return res
}

// clock adds the time of day with its fraction to a date whose outcome is o.
func (in instant) clock(text []byte, at int, flags Flags, o outcome) (instant, int, outcome) {
	if o == failed {
		return in, at, failed
	}
	ns, end, ok := scanClock(text, at)
	if !ok {
		return in, at, failed
	}
	fraction, res, end := scanFraction(text, end)
	in.ns += ns + fraction
	in.res, in.flags = res, flags
	return in, end, o
}

// scanISO reads 2026-08-20T12:00:00.101Z and its like at text[at].
func scanISO(t Type, text []byte, at int, cache *dateCache) (in instant, end int, o outcome) {
	in.ns, o = scanDate(text, at, 10, cache)
	if o == failed || at+11 > len(text) {
		return in, at, failed
	}
	if c := text[at+10]; c != 'T' && c != 't' && (c != ' ' || t == TypeRFC3339) {
		return in, at, failed
	}
	in, end, o = in.clock(text, at+11, NoZone, o)
	if o == failed {
		return in, at, failed
	}
	offset, stop, ok := scanOffset(text, end, false)
	if !ok && t == TypeDateTime {
		offset, stop, ok = scanOffset(text, end, true)
	}
	if ok {
		in.ns -= offset
		in.flags = 0
		return in, stop, o
	}
	if t == TypeRFC3339 {
		return in, at, failed
	}
	return in, end, o
}

// scanCLF reads 20/Aug/2026:12:00:03 +0000, or without a zone if t is haproxy.
func scanCLF(t Type, text []byte, at int, cache *dateCache) (in instant, end int, o outcome) {
	in.ns, o = scanDate(text, at, 11, cache)
	if o == failed || at+12 > len(text) || text[at+11] != ':' {
		return in, at, failed
	}
	in, end, o = in.clock(text, at+12, NoZone, o)
	if o == failed || t == TypeHAProxy {
		return in, end, o
	}
	offset, end, ok := scanOffset(text, end, true)
	if !ok {
		return in, at, failed
	}
	in.ns -= offset
	in.flags = 0
	return in, end, o
}

// scanUptime reads minutes.SS.mmm.uuu at text[at].
func scanUptime(text []byte, at int) (in instant, end int, o outcome) {
	i, minutes := at, int64(0)
	for ; i < len(text) && text[i]-'0' <= 9; i++ {
		if i-at > 9 {
			return in, at, failed
		}
		minutes = minutes*10 + int64(text[i]-'0')
	}
	if i == at || i+11 > len(text) || text[i] != '.' || text[i+3] != '.' || text[i+7] != '.' {
		return in, at, failed
	}
	s, ms, us := two(text, i+1), three(text, i+4), three(text, i+8)
	if uint(s) > 59 || ms < 0 || us < 0 {
		return in, at, failed
	}
	in = instant{res: 1000, flags: Steady}
	end = i + 11
	const longest = (1<<63-1)/minute - 1
	if minutes > longest {
		return in, end, bad
	}
	in.ns = minutes*minute + int64(s)*second + int64(ms)*1_000_000 + int64(us)*1000
	return in, end, good
}

// three reads three digits at text[at], which has them; -1 if they are none.
func three(text []byte, at int) int {
	a, b := two(text, at), text[at+2]-'0'
	if a < 0 || b > 9 {
		return -1
	}
	return a*10 + int(b)
}
