package chart

import (
	"math"
	"slices"
	"strconv"
)

// tick is a place on an axis that is named.
type tick struct {
	at    float64
	label string
	under string // a second line, such as the date at which a time lies
}

// round125 returns the smallest of 1, 2, 5, 10, 20 ... and their fractions that is not below a
// number, which is positive.
func round125(v float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range [...]float64{1, 2, 5, 10} {
		if m*power >= v*(1-1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// longSteps are the steps, in ns, of times for which powers of ten are not round.
var longSteps = []float64{30e9, 60e9, 120e9, 300e9, 600e9, 1200e9, 1800e9, 3600e9, 2 * 3600e9, 6 * 3600e9, 12 * 3600e9, 24 * 3600e9}

// stepOf returns a round step that is not below a number.
func stepOf(v float64, u Unit) float64 {
	if u != Nanos || v <= 20e9 {
		return round125(v)
	}
	for _, s := range longSteps {
		if s >= v {
			return s
		}
	}
	return 24 * 3600e9 * round125(v/(24*3600e9))
}

// The least and the most that an axis can tell apart from nothing and from without end.
const (
	least = 1e-9
	most  = 1e30
)

// onAxis returns a number as far as an axis can show it.
func onAxis(v float64) float64 {
	if math.Abs(v) < least {
		return 0
	}
	return min(max(v, -most), most)
}

// linearTicks returns the round numbers that an axis from lo to hi has with at most n steps, and
// where it begins and ends with them.
func linearTicks(lo, hi float64, n int, u Unit) (from, to float64, ticks []tick) {
	lo, hi = onAxis(lo), onAxis(hi)
	if hi <= lo {
		lo, hi = min(lo, 0), max(lo, 0)
		if lo == hi {
			hi = 1
			if u == Nanos {
				hi = 1e6
			}
		}
	}
	step := stepOf((hi-lo)/float64(max(n, 1)), u)
	first, last := math.Floor(lo/step+1e-9), math.Ceil(hi/step-1e-9)
	for i := range int(min(last-first, 100)) + 1 {
		ticks = append(ticks, tick{at: (first + float64(i)) * step})
	}
	name(ticks, step, u)
	return first * step, last * step, ticks
}

// wholeTicks leaves out the ticks of an axis of counts that lie between whole numbers.
func wholeTicks(ticks []tick) []tick {
	ticks = slices.DeleteFunc(ticks, func(t tick) bool { return math.Abs(t.at-math.Round(t.at)) > 1e-9 })
	if len(ticks) > 1 {
		name(ticks, ticks[1].at-ticks[0].at, Plain)
	}
	return ticks
}

// name writes the labels of ticks that are a step apart, all in one unit.
func name(ticks []tick, step float64, u Unit) {
	var longest float64
	for _, t := range ticks {
		longest = max(longest, math.Abs(t.at))
	}
	of := unit{"", 1}
	switch u {
	case Nanos:
		of = durationUnit(longest)
	case Share:
		of = unit{"%", 0.01}
	case PerS:
		of = unit{"/s", 1}
	}
	if u == Plain && longest >= 1e6 && longest < 1e12 {
		of = unit{"M", 1e6}
	}
	decimals := 0
	for x := step / of.size; decimals < 9 && math.Abs(x-math.Round(x)) > 1e-6*x; x *= 10 {
		decimals++
	}
	for i, t := range ticks {
		x := t.at / of.size
		switch {
		case t.at == 0:
			ticks[i].label = "0"
			continue
		case longest/of.size >= 1e15 || decimals > 6 && longest/of.size < 1e-4:
			ticks[i].label = exponent(x)
		default:
			ticks[i].label = grouped(strconv.FormatFloat(x, 'f', decimals, 64))
		}
		if of.name != "" {
			ticks[i].label += " " + of.name
		}
	}
}

// rung is a round number of a logarithmic axis; those of a lower level are more important.
type rung struct {
	at    float64
	level int
	label string
}

// ladder returns the round numbers from lo to hi, which are positive.
func ladder(lo, hi float64, u Unit) []rung {
	var out []rung
	add := func(v float64, level int, label string) {
		if v >= lo*(1-1e-9) && v <= hi*(1+1e-9) {
			out = append(out, rung{v, level, label})
		}
	}
	up := func(low, high float64, label func(float64) string) {
		for e := math.Floor(math.Log10(max(lo, low))); e <= math.Ceil(math.Log10(min(hi, high))); e++ {
			for i, m := range [...]float64{1, 2, 5} {
				v := m * math.Pow(10, e)
				if e < 0 {
					v = m / math.Pow(10, -e) // exact where it can be
				}
				if v >= low && v < high {
					add(v, []int{0, 2, 1}[i], label(v))
				}
			}
		}
	}
	if u != Nanos {
		up(0, math.MaxFloat64, func(v float64) string { return short(v, u) })
		return out
	}
	up(0, 60e9, func(v float64) string { return short(v, Nanos) })
	for _, m := range [...]struct {
		minutes float64
		level   int
	}{{1, 0}, {2, 2}, {5, 1}, {10, 0}, {20, 2}, {30, 1}} {
		add(m.minutes*60e9, m.level, digits(m.minutes)+" min")
	}
	hours := hi / 3600e9
	for p := 1.0; p <= hours; p *= 10 {
		add(p*3600e9, 0, digits(p)+" h")
		add(2*p*3600e9, 2, digits(2*p)+" h")
		add(5*p*3600e9, 1, digits(5*p)+" h")
	}
	return out
}

// logTicks returns the round numbers of a logarithmic axis from lo to hi, at most n: powers of
// ten, with their fives and twos where there is room. An axis that is shorter than that has
// those of a linear one.
func logTicks(lo, hi float64, n int, u Unit) []tick {
	rungs := ladder(lo, hi, u)
	for level := 2; level >= 0; level-- {
		var ticks []tick
		for _, r := range rungs {
			if r.level <= level {
				ticks = append(ticks, tick{at: r.at, label: r.label})
			}
		}
		if len(ticks) < 2 || level == 2 && len(ticks) < 4 && hi < 10*lo {
			break
		}
		if len(ticks) <= n {
			return ticks
		}
		if level == 0 {
			stride := (len(ticks) + n - 1) / max(n, 1)
			var some []tick
			for i := 0; i < len(ticks); i += stride {
				some = append(some, ticks[i])
			}
			return some
		}
	}
	_, _, all := linearTicks(lo, hi, n, u)
	var inside []tick
	for _, t := range all {
		if t.at >= lo && t.at <= hi && t.at > 0 {
			inside = append(inside, t)
		}
	}
	return inside
}
