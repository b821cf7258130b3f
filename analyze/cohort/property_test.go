package cohort

import (
	"math"
	"testing"

	"go.uber.org/goleak"
	"pgregory.net/rapid"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// anyNumber draws numbers of every size, with many that are equal and some that are none.
func anyNumber(t *rapid.T) float64 {
	switch rapid.IntRange(0, 4).Draw(t, "kind") {
	case 0:
		return float64(rapid.IntRange(-3, 3).Draw(t, "small"))
	case 1:
		return float64(rapid.IntRange(0, 100_000).Draw(t, "count"))
	case 2:
		return math.NaN()
	case 3:
		return rapid.Float64().Draw(t, "any")
	}
	return rapid.Float64Range(-1, 1).Draw(t, "fraction")
}

// TestRangesHoldWhatTheyCount: every number is in the range that it was counted in, though
// bounds are round, and ranges leave nothing between them.
func TestRangesHoldWhatTheyCount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(12, 150).Draw(t, "n")
		numbers, slow := make([]float64, n), make([]bool, n)
		var nSlow int64
		for i := range numbers {
			numbers[i], slow[i] = anyNumber(t), rapid.Bool().Draw(t, "slow")
			if slow[i] {
				nSlow++
			}
		}
		b := examine(Column{Name: "x", Numbers: numbers}, slow, Options{}.filled(), nSlow, int64(n)-nSlow)
		if b.Status != Tested {
			return
		}
		var missing int64
		for i, x := range numbers {
			v := b.Values[b.code[i]]
			switch {
			case !finite(x):
				missing++
				if v.Kind != Missing {
					t.Fatalf("%v is in %+v", x, v)
				}
			case v.Kind == Any || v.Kind == Number && x == v.Low || v.Kind == Range && v.Low <= x && x < v.High:
			default:
				t.Fatalf("%v is in %+v", x, v)
			}
		}
		var all int64
		for k, v := range b.Values {
			if all += v.Slow + v.Rest; k < b.ordered && !(b.bound[k] < b.bound[k+1]) {
				t.Fatalf("bounds are %v", b.bound)
			}
		}
		if all != int64(n) || missing != b.Missing || len(b.Values) > 2*parts+1 {
			t.Fatalf("%d of %d requests in %d values, %d missing", all, n, len(b.Values), b.Missing)
		}
	})
}

// TestRoundIsRound: the number with the fewest digits that divides as its bounds do.
func TestRoundIsRound(t *testing.T) {
	for _, c := range [][3]float64{
		{7000, 8123, 8000}, {8122, 8123, 8123}, {0, 4096, 4000}, {-3, 4, 0}, {-5, -4.5, -4.5}, {.1, .3, .3}, {.299, .3, .3}, {1e300, 2e300, 2e300},
		{12345.678, 12345.6789, 12345.6789}, {-2000, -1234, -1300}, {99, 104, 100},
	} {
		if got := round(c[0], c[1]); got != c[2] {
			t.Errorf("between %v and %v: %v, want %v", c[0], c[1], got, c[2])
		}
	}
}

// TestFindingsPassTheirGates draws loads of any kind and checks what every result promises.
func TestFindingsPassTheirGates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newLoad(rapid.IntRange(0, 300).Draw(t, "n"), rapid.Int64Range(0, 3*second).Draw(t, "interval"), rapid.Uint64().Draw(t, "seed"), oneIn(rapid.IntRange(1, 9).Draw(t, "one in")))
		if rapid.Bool().Draw(t, "undated") {
			l.Start = nil
		}
		l.add("host", hosts, func(i int) int {
			if l.Slow[i] {
				return l.random.IntN(2) - 1
			}
			return l.random.IntN(5) - 1
		}).noise("noise", 40)
		l.number("x", func(i int) float64 {
			x := l.random.ExpFloat64() * 1000
			if l.Slow[i] {
				x *= 3
			}
			return math.Trunc(x)
		}).number("nothing", func(int) float64 { return math.NaN() })
		l.column(Column{Name: "skipped", LeftOut: "for a reason"})
		r := Of(l.Sample, Options{})
		if slow, rest := l.sizes(); r.Slow != slow || r.Rest != rest || r.Enough != (min(slow, rest) >= 5) {
			t.Fatalf("%d and %d, enough %v", r.Slow, r.Rest, r.Enough)
		}
		if !r.Enough {
			return
		}
		if len(r.Attributes) != l.Columns {
			t.Fatalf("%d attributes", len(r.Attributes))
		}
		for _, a := range r.Attributes {
			var slow, rest int64
			for _, v := range a.Values {
				slow, rest = slow+v.Slow, rest+v.Rest
			}
			if a.Status == Tested && (slow != r.Slow || rest != r.Rest) || a.Q < a.P || !(a.P >= 0 && a.P <= 1 && a.CrudeP >= 0 && a.CrudeP <= 1 && a.Score >= 0 && a.Score <= 1) {
				t.Fatalf("attribute %+v", a)
			}
		}
		for k, f := range r.Findings {
			c := f.Adjusted
			if c.Slow < 5 || c.Lift < 1.5 || c.Difference.Value < .1 || !(c.Difference.Bounds.Low > 0) || c.P > .05 || f.Why != WhyNotDecided || k > 0 && r.Findings[k-1].Score < f.Score {
				t.Fatalf("finding %+v", f)
			}
			for _, c := range []Contrast{f.Crude, f.Adjusted} {
				for name, e := range map[string]struct {
					value, low, high float64
					has              bool
				}{
					"difference": {c.Difference.Value, c.Difference.Bounds.Low, c.Difference.Bounds.High, c.Difference.HasBounds},
					"risk":       {c.RelativeRisk.Value, c.RelativeRisk.Bounds.Low, c.RelativeRisk.Bounds.High, c.RelativeRisk.HasBounds},
					"fraction":   {c.Fraction.Value, c.Fraction.Bounds.Low, c.Fraction.Bounds.High, c.Fraction.HasBounds},
				} {
					if e.has && !(e.low <= e.value+1e-12 && e.value <= e.high+1e-12) || math.IsNaN(e.value) {
						t.Fatalf("%s of %+v", name, c)
					}
				}
				if c.Fraction.Value > 1 {
					t.Fatalf("more than all would go: %+v", c)
				}
			}
		}
		for _, f := range r.TimeOnly {
			if f.Why == WhyNotDecided || r.Strata.N == 1 {
				t.Fatalf("put down to time: %+v", f)
			}
		}
	})
}

// TestTestAndIntervalAgree: of few requests the exact test may see a difference where the
// interval of it has 0 in it. That is no finding.
func TestTestAndIntervalAgree(t *testing.T) {
	const nRest = 120
	apart, both := 0, 0
	for nSlow := int64(5); nSlow <= 12; nSlow++ {
		for slow := int64(5); slow <= nSlow; slow++ {
			for rest := int64(0); rest <= nRest; rest++ {
				g := gate{o: Options{}.filled(), nSlow: nSlow, nRest: nRest}
				c := crude(slow, rest, nSlow, nRest)
				differs := c.P <= alpha && c.Lift >= g.o.MinLift && c.Difference.Value >= g.o.MinDifference
				low := c.Difference.Bounds.Low
				if got, want := g.passes(&c), differs && low > 0; got != want {
					t.Errorf("%d of %d against %d of %d: passes %v, with p = %g and at least %g", slow, nSlow, rest, nRest, got, c.P, low)
				}
				if differs && low <= 0 {
					apart++
				} else if differs {
					both++
				}
			}
		}
	}
	if apart == 0 || both == 0 {
		t.Errorf("%d of the tables tell the two apart, and %d do not", apart, both)
	}
}
