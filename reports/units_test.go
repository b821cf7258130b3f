package reports_test

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/reports"
)

func TestDuration(t *testing.T) {
	for ns, want := range map[int64]string{
		0: "0 ns", 1: "1 ns", 999: "999 ns", 1500: "1.50 µs", 41_000_000: "41.0 ms", 999_499_999: "999 ms", 999_600_000: "1.00 s", 999_999: "1.00 ms", -999_700: "-1.00 ms",
		6_412_345_678: "6.41 s", -41_000_000: "-41.0 ms", 123_456_789_012: "123 s", math.MaxInt64: "9223372037 s", math.MinInt64: "-9223372037 s",
	} {
		if got := reports.Duration(ns); got != want {
			t.Errorf("%d ns: %q, want %q", ns, got, want)
		}
	}
	if got := reports.Signed(4_550_000_000); got != "+4.55 s" {
		t.Errorf("signed: %q", got)
	}
}

func TestCommonUnit(t *testing.T) {
	for _, c := range []struct {
		values []int64
		want   string
	}{
		{[]int64{12_000_000, 6_412_000_000}, "12 6412 ms"},
		{[]int64{1_200_000_000, 6_412_000_000}, "1.20 6.41 s"},
		{[]int64{2_000, 6_412_000_000}, "<1 6412 ms"},
		{[]int64{-2_000, 6_412_000_000}, "-<1 6412 ms"},
		{[]int64{0, 25_333_333}, "0 25.3 ms"},
		{[]int64{400_000, 12_300_000_000}, "<0.01 12.30 s"},
		{[]int64{800_000_000, 18_500_000_000}, "0.80 18.50 s"},
		{[]int64{5, 7}, "5 7 ns"},
		{nil, "ns"},
	} {
		u := reports.CommonUnit(c.values...)
		var parts []string
		for _, v := range c.values {
			parts = append(parts, u.Format(v))
		}
		if got := strings.Join(append(parts, u.Name), " "); got != c.want {
			t.Errorf("%v: %s, want %s", c.values, got, c.want)
		}
	}
}

func TestPeriodNumberInteger(t *testing.T) {
	for got, want := range map[string]string{
		reports.Period(60_454_000_000):           "60.5 s",
		reports.Period(2_000_600_000_000):        "33 min 21 s",
		reports.Period(2 * 3600_000_000_000):     "2 h",
		reports.Period(7 * 86400_000_000_000):    "7 d",
		reports.Period(120_000_000_000):          "2 min",
		reports.Period(120_239_000_000):          "2 min 0 s",
		reports.Period(60_000_000_000):           "60 s",
		reports.Period(0):                        "0 ns",
		reports.Period(49*3600_000_000_000 + 1):  "2 d 1 h",
		reports.Number(0):                        "0",
		reports.Number(1.9e-7):                   "<0.000001",
		reports.Number(-1.9e-7):                  "-<0.000001",
		reports.Number(6e-7):                     "0.000001",
		reports.Number(0.00012345):               "0.000123",
		reports.Number(0.9768):                   "0.977",
		reports.Number(9.996):                    "10.0",
		reports.Number(212.44):                   "212",
		reports.Number(-48213.6):                 "-48,214",
		reports.Number(math.NaN()):               "unknown",
		reports.Number(math.Inf(1)):              "unknown",
		reports.Integer(48213):                   "48,213",
		reports.Integer(-1000):                   "-1,000",
		reports.Integer(math.MinInt64):           "-9,223,372,036,854,775,808",
		reports.Percent(0.71249):                 "71.2",
		reports.Percent(math.NaN()):              "0.0",
		reports.Time(0):                          "1970-01-01T00:00:00Z",
		reports.TimeMilli(1_772_460_000_623_885): "1970-01-21T12:21:00.000Z",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestFormatIsCloseEnough reads numbers back: they are within half a step, and the
// largest of a column has three significant digits.
func TestFormatIsCloseEnough(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Int64(), 1, 8).Draw(t, "values")
		u := reports.CommonUnit(values...)
		step := new(big.Rat).SetFrac64(u.NS, 1)
		for range u.Decimals {
			step.Quo(step, big.NewRat(10, 1))
		}
		for _, v := range values {
			text := u.Format(v)
			if strings.Contains(text, "<") {
				if limit := new(big.Rat).Quo(step, big.NewRat(2, 1)); v == 0 || new(big.Rat).Abs(big.NewRat(v, 1)).Cmp(limit) > 0 {
					t.Fatalf("%d ns was written as %s %s", v, text, u.Name)
				}
				continue
			}
			read, ok := new(big.Rat).SetString(text)
			if !ok {
				t.Fatalf("%q is no number", text)
			}
			off := read.Mul(read, big.NewRat(u.NS, 1))
			off.Sub(off, big.NewRat(v, 1)).Abs(off)
			if off.Mul(off, big.NewRat(2, 1)).Cmp(step) > 0 {
				t.Fatalf("%d ns was written as %s %s", v, text, u.Name)
			}
			digits := strings.TrimLeft(strings.Replace(strings.TrimPrefix(text, "-"), ".", "", 1), "0")
			if isLargest(values, v) && u.NS > 1 && len(digits) < 3 {
				t.Fatalf("the largest value %d ns was written as %s %s", v, text, u.Name)
			}
		}
	})
}

func isLargest(values []int64, v int64) bool {
	abs := func(x int64) *big.Int { return new(big.Int).Abs(big.NewInt(x)) }
	for _, w := range values {
		if abs(w).Cmp(abs(v)) > 0 {
			return false
		}
	}
	return true
}

// TestSplitAddsUpAsWritten checks that parts of a sum add up to it as printed.
func TestSplitAddsUpAsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.Int64Range(-1<<40, 1<<45), 1, 9).Draw(t, "parts")
		var total int64
		if rapid.Bool().Draw(t, "cancelling") { // the parts are large and their sum is small
			for _, p := range parts {
				total -= p
			}
			parts = append(parts, total+rapid.Int64Range(-1<<22, 1<<22).Draw(t, "rest"))
			total = 0
		}
		for _, p := range parts {
			total += p
		}
		u := reports.CommonUnit(append(parts, total)...)
		whole := u.Steps(total)
		sum := int64(0)
		for i, steps := range u.Split(parts, whole) {
			sum += steps
			if d := steps - u.Steps(parts[i]); d > 1 || d < -1 {
				t.Fatalf("part %d is written %d steps off", i, d)
			}
		}
		if sum != whole {
			t.Fatalf("parts add to %d steps, the total is %d", sum, whole)
		}
	})
}

func TestPercentsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		weights := rapid.SliceOfN(rapid.IntRange(0, 1000), 1, 9).Draw(t, "weights")
		total := 0
		for _, w := range weights {
			total += w
		}
		if total == 0 {
			return
		}
		shares := make([]float64, len(weights))
		for i, w := range weights {
			shares[i] = float64(w) / float64(total)
		}
		texts := reports.Percents(shares)
		if sum := sumOf(t, texts); sum != "100.0" {
			t.Fatalf("%v add to %s", texts, sum)
		}
		for i, text := range texts {
			read, err := strconv.ParseFloat(text, 64)
			if err != nil || math.Abs(read-100*shares[i]) > 0.1 {
				t.Fatalf("share %v was written as %s", shares[i], text)
			}
		}
	})
}

// TestOffset: the seconds of a long offset have the decimals that its error leaves.
func TestOffset(t *testing.T) {
	const s = 1_000_000_000
	for _, c := range []struct {
		ns, errorNS int64
		want        string
	}{
		{0, s, "0 ns"},
		{-35_900_000, s, "-35.9 ms"},
		{119 * s, s, "119 s"},
		{120 * s, s, "2 min 0 s"},
		{-11262 * s, 1_520_000_000, "-3 h 7 min 42 s"},
		{-11262*s - 40_000_000, 110_000_000, "-3 h 7 min 42.0 s"},
		{-11262 * s, 11_000_000, "-3 h 7 min 42.00 s"},
		{-11262 * s, 0, "-3 h 7 min 42.000 s"},
		{19800*s - 1, s, "5 h 30 min 0 s"},
		{math.MinInt64, s, "-2562047 h 47 min 17 s"},
	} {
		if got := reports.Offset(c.ns, c.errorNS); got != c.want {
			t.Errorf("%d ns ± %d: %q, want %q", c.ns, c.errorNS, got, c.want)
		}
	}
}
