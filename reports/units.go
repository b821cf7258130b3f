package reports

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/tailpath/tailpath/analyze/stat"
)

// Unit is a unit of time with the number of decimals that a column shows.
type Unit struct {
	Name     string // "ns", "µs", "ms" or "s"
	NS       int64
	Decimals int
}

var units = []Unit{{"ns", 1, 0}, {"µs", 1e3, 0}, {"ms", 1e6, 0}, {"s", 1e9, 0}}

// CommonUnit chooses the unit and decimals of a column of durations in ns. The unit
// is the largest in which the smallest value is at least 1, raised until the
// largest is below 10,000; the decimals give the largest value three significant
// digits. In a column of seconds that holds less than one, two decimals tell the small
// values apart.
func CommonUnit(values ...int64) Unit {
	var low, high uint64
	for _, v := range values {
		v := magnitude(v)
		if v > 0 && (low == 0 || v < low) {
			low = v
		}
		high = max(high, v)
	}
	u := units[0]
	for _, next := range units[1:] {
		if low >= uint64(next.NS) || high >= 9_999_500*uint64(u.NS)/1000 {
			u = next
		}
	}
	if u.NS == 1 {
		return u
	}
	switch x := float64(high) / float64(u.NS); {
	case x < 9.995:
		u.Decimals = 2
	case x < 99.95:
		u.Decimals = 1
	}
	if u.NS == 1e9 && low < 1e9 {
		u.Decimals = 2
	}
	return u
}

func magnitude(v int64) uint64 {
	if v < 0 {
		return uint64(-(v + 1)) + 1
	}
	return uint64(v)
}

// steps returns the number of steps of the last decimal in one unit.
func (u Unit) steps() int64 {
	steps := int64(1)
	for range u.Decimals {
		steps *= 10
	}
	return steps
}

// Steps returns a duration as a number of steps of the last decimal, rounded.
func (u Unit) Steps(ns int64) int64 {
	x := big.NewRat(ns, u.NS)
	return stat.RoundRat(x.Mul(x, big.NewRat(u.steps(), 1)))
}

// Split returns parts as numbers of steps that add up to whole steps. It is for parts
// of a sum that is written as whole steps: each is written as the step below or
// above it, also when parts cancel out.
func (u Unit) Split(parts []int64, whole int64) []int64 {
	rats := make([]*big.Rat, len(parts))
	for i, p := range parts {
		x := big.NewRat(p, u.NS)
		rats[i] = x.Mul(x, big.NewRat(u.steps(), 1))
	}
	return stat.RoundParts(rats, whole)
}

// Text writes a number of steps without the unit's name. A duration ns that is not 0
// but has no steps is written as "<" and one step, unless it is as long as that: a
// difference of two numbers of steps may be 0 for more.
func (u Unit) Text(steps, ns int64) string {
	if steps != 0 || ns == 0 || magnitude(ns) >= uint64(u.NS/u.steps()) {
		if steps == 0 {
			return "0"
		}
		return new(big.Rat).SetFrac64(steps, u.steps()).FloatString(u.Decimals)
	}
	sign := ""
	if ns < 0 {
		sign = "-"
	}
	return sign + "<" + strconv.FormatFloat(1/float64(u.steps()), 'f', u.Decimals, 64)
}

// Format writes a duration without the unit's name.
func (u Unit) Format(ns int64) string { return u.Text(u.Steps(ns), ns) }

// Duration writes a duration with three significant digits in a unit of its own. One
// that rounds to 1000 of a unit is written as 1.00 of the next.
func Duration(ns int64) string {
	u := CommonUnit(ns)
	for _, next := range units {
		if next.NS == 1000*u.NS && magnitude(u.Steps(ns)) >= uint64(1000*u.steps()) {
			u = Unit{next.Name, next.NS, 2}
			break
		}
	}
	return u.Format(ns) + " " + u.Name
}

// Signed is Duration with its sign, also when positive.
func Signed(ns int64) string {
	if ns > 0 {
		return "+" + Duration(ns)
	}
	return Duration(ns)
}

// Tenths returns shares in tenths of a per cent. They add up to 1000 when the shares
// add up to 1; otherwise each is rounded for itself.
func Tenths(shares []float64) []int64 {
	var sum float64
	for _, s := range shares {
		sum += s
	}
	if math.Abs(sum-1) < 1e-6 {
		return SplitTenths(shares, 1000)
	}
	out := make([]int64, len(shares))
	for i, s := range shares {
		out[i] = stat.RoundRat(tenthsOf(s))
	}
	return out
}

// SplitTenths returns parts in tenths of a per cent that add up to whole tenths. Each
// is the tenth below or above the part, also when parts cancel out.
func SplitTenths(parts []float64, whole int64) []int64 {
	rats := make([]*big.Rat, len(parts))
	for i, p := range parts {
		rats[i] = tenthsOf(p)
	}
	return stat.RoundParts(rats, whole)
}

// tenthsOf returns a share in tenths of a per cent, exactly.
func tenthsOf(share float64) *big.Rat {
	r := rational(share)
	return r.Mul(r, big.NewRat(1000, 1))
}

// rational returns x exactly, 0 for what is no number.
func rational(x float64) *big.Rat {
	if r := new(big.Rat).SetFloat64(x); r != nil {
		return r
	}
	return new(big.Rat)
}

// PercentText writes tenths of a per cent.
func PercentText(tenths int64) string { return big.NewRat(tenths, 10).FloatString(1) }

// Percents writes shares of one whole in per cent with one decimal. They add up to
// 100.0 when the shares add up to 1.
func Percents(shares []float64) []string {
	out := make([]string, len(shares))
	for i, t := range Tenths(shares) {
		out[i] = PercentText(t)
	}
	return out
}

// Percent writes one share in per cent with one decimal.
func Percent(share float64) string { return Percents([]float64{share})[0] }

// PercentRange writes the bounds of an interval of a share in per cent with one
// decimal: the lower rounded down and the upper up, so that what is written holds
// the interval. The upper is 0.0 only for a bound of exactly 0.
func PercentRange(low, high float64) (from, to string) {
	down, up := tenthsOf(low), tenthsOf(high)
	floor := new(big.Int).Div(down.Num(), down.Denom())
	ceiling := new(big.Int).Neg(new(big.Int).Div(new(big.Int).Neg(up.Num()), up.Denom()))
	return PercentText(floor.Int64()), PercentText(ceiling.Int64())
}

// Period writes the length of a window: like Duration below two minutes, unless it is whole
// seconds; else in the two largest of days, hours, minutes and seconds, or in the largest alone
// where that is all of it.
func Period(ns int64) string {
	seconds := stat.RoundRat(big.NewRat(ns, 1e9))
	switch {
	case seconds < 120 && (ns <= 0 || ns%1e9 != 0):
		return Duration(ns)
	case seconds < 120:
		return fmt.Sprintf("%d s", seconds)
	case seconds < 2*3600:
		return largest(ns, seconds, 60, "min", 1, "s")
	case seconds < 2*86400:
		return largest(ns, seconds, 3600, "h", 60, "min")
	}
	return largest(ns, seconds, 86400, "d", 3600, "h")
}

// largest writes a length of ns, which are so many seconds, in a unit and a lesser one, whose
// lengths are in seconds.
func largest(ns, seconds, unit int64, name string, lesser int64, lesserName string) string {
	text := Integer(seconds/unit) + " " + name
	if ns%(unit*1e9) != 0 {
		text += fmt.Sprintf(" %d %s", seconds%unit/lesser, lesserName)
	}
	return text
}

// Offset writes by how much a clock is off: like Duration below two minutes, else in
// hours, minutes and seconds, with as many decimals of a second as errorNS, the bound on
// its error in ns, leaves a meaning.
func Offset(ns, errorNS int64) string {
	const minute, hour = 60_000_000_000, 3_600_000_000_000
	whole := magnitude(ns)
	if whole < 2*minute {
		return Duration(ns)
	}
	u := Unit{"s", 1e9, 3}
	for _, at := range []int64{10_000_000, 100_000_000, 1_000_000_000} {
		if errorNS >= at {
			u.Decimals--
		}
	}
	step := uint64(u.NS / u.steps())
	whole = (whole + step/2) / step * step
	text := fmt.Sprintf("%d min %s s", whole%hour/minute, u.Format(int64(whole%minute)))
	if whole >= hour {
		text = fmt.Sprintf("%d h ", whole/hour) + text
	}
	if ns < 0 {
		return "-" + text
	}
	return text
}

// Number writes a rate or a count that is not whole with three significant digits, and six
// decimals at most: what they cannot show is below the least, and not 0.
func Number(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "unknown"
	}
	decimals := 0
	switch x := math.Abs(v); {
	case x == 0 || x >= 99.95:
	case x >= 9.995:
		decimals = 1
	case x >= 0.9995:
		decimals = 2
	default:
		decimals = min(6, 2-int(math.Floor(math.Log10(x))))
	}
	text := strconv.FormatFloat(v, 'f', decimals, 64)
	whole, negative := strings.CutPrefix(text, "-")
	if v != 0 && strings.Trim(whole, "0.") == "" {
		whole = "<0.000001"
	}
	if negative {
		return "-" + grouped(whole)
	}
	return grouped(whole)
}

// Integer writes a count with thousands separated by commas.
func Integer(n int64) string {
	text := strconv.FormatInt(n, 10)
	if whole, ok := strings.CutPrefix(text, "-"); ok {
		return "-" + grouped(whole)
	}
	return grouped(text)
}

// grouped puts commas between the thousands of an unsigned decimal number.
func grouped(text string) string {
	whole, fraction, dotted := strings.Cut(text, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if dotted {
		return whole + "." + fraction
	}
	return whole
}
