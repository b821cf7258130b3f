package serving

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/stat"
)

// sure are lengths whose median is known as well as can be.
func sure(p50 int64) Lengths {
	return Lengths{P50: Is(p50), Low: Is(p50), High: Is(p50), N: Is[int64](1000)}
}

// TestComparable has the reasons of section 10, in words, and what is not one.
func TestComparable(t *testing.T) {
	base := Context{Model: Is("a"), GPUCount: Is[int64](2)}
	base.InputTokens, base.OutputTokens = sure(1000), sure(100)
	for _, c := range []struct {
		name           string
		change         func(*Context)
		unlike, untold string
	}{
		{"nothing", func(c *Context) {}, "", ""},
		{"model", func(c *Context) { c.Model = Is("b") }, "the model is a in the first and b in the second", ""},
		{"GPUs", func(c *Context) { c.GPUCount = Is[int64](4) }, "the GPU count is 2 in the first and 4 in the second", ""},
		{"10 % more", func(c *Context) { c.InputTokens = sure(1100) }, "", ""},
		{"above 10 % more", func(c *Context) { c.InputTokens = sure(1101) }, "the median of input tokens is 1000 in the first and 1101 in the second", ""},
		{"10 % less", func(c *Context) { c.OutputTokens = sure(91) }, "", ""},
		{"above 10 % less", func(c *Context) { c.OutputTokens = sure(90) }, "the median of output tokens is 100 in the first and 90 in the second", ""},
		{"none", func(c *Context) { c.OutputTokens = sure(0) }, "the median of output tokens is 100 in the first and 0 in the second", ""},
		{"far beyond", func(c *Context) { c.OutputTokens = sure(math.MaxInt64) }, "the median of output tokens is 100 in the first and 9223372036854775807 in the second", ""},
		{"unknown", func(c *Context) { c.Model = Maybe[string]{} }, "", "the model of the second is unknown, that of the first is a"},
		{"another load", func(c *Context) { c.Replicas, c.ArrivalRate, c.LoadMode = Is[int64](9), Is(3.), Is(Closed) }, "", ""},
	} {
		other := base
		c.change(&other)
		l := Comparable(base, other)
		if got := strings.Join(l.Unlike, "; "); got != c.unlike || l.Alike() != (c.unlike == "") {
			t.Errorf("%s: unlike %q", c.name, got)
		}
		if got := strings.Join(l.Untold, "; "); got != c.untold {
			t.Errorf("%s: untold %q", c.name, got)
		}
	}
	if l := Comparable(Context{}, Context{}); len(l.Untold) != 4 || !l.Alike() {
		t.Errorf("%+v", l)
	}
}

// TestMediansThatChanceLeavesOpen: medians that are more than 10 % apart are unlike only if the
// nearest ends of their intervals are, too.
func TestMediansThatChanceLeavesOpen(t *testing.T) {
	of := func(p50, low, high int64) Lengths {
		return Lengths{P50: Is(p50), Low: Is(low), High: Is(high), N: Is[int64](20)}
	}
	bare := Lengths{P50: Is[int64](150), N: Is[int64](5)}
	const by = ", and by chance alone medians within 10 % may come out so"
	for _, c := range []struct {
		name           string
		a, b           Lengths
		unlike, untold string
	}{
		{"within 10 %, whatever the intervals", of(100, 90, 110), of(110, 90, 200), "", ""},
		{"closest ends 10 % apart", of(100, 90, 110), of(150, 121, 180), "", "the median of output tokens is 100 (95 % 90 to 110; n = 20) in a and 150 (95 % 121 to 180; n = 20) in b" + by},
		{"closest ends above 10 % apart", of(100, 90, 110), of(150, 122, 180), "the median of output tokens is 100 in a and 150 in b", ""},
		{"one in the other", of(100, 10, 900), of(150, 122, 180), "", "the median of output tokens is 100 (95 % 10 to 900; n = 20) in a and 150 (95 % 122 to 180; n = 20) in b" + by},
		{"too few for an interval", of(100, 90, 110), bare, "", "the median of output tokens is 100 (95 % 90 to 110; n = 20) in a and 150 (no interval; n = 5) in b" + by},
	} {
		x, y := Context{OutputTokens: c.a}, Context{OutputTokens: c.b}
		for _, swapped := range []bool{false, true} {
			l := ComparableAs(x, y, "a", "b")
			if swapped {
				l = ComparableAs(y, x, "b", "a")
			}
			untold := slices.DeleteFunc(l.Untold, func(text string) bool { return strings.Contains(text, "neither") })
			if swapped {
				if (len(l.Unlike) == 0) != (c.unlike == "") || (len(untold) == 0) != (c.untold == "") {
					t.Errorf("%s: swapped it is %+v", c.name, l)
				}
			} else if strings.Join(l.Unlike, "; ") != c.unlike || strings.Join(untold, "; ") != c.untold {
				t.Errorf("%s: %+v", c.name, l)
			}
		}
	}
}

// TestLengthsOf are those of sorted values, with the interval of package stat.
func TestLengthsOf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.OneOf(rapid.Int64Range(0, 9), rapid.Int64Min(0)), 0, 150).Draw(t, "values")
		sorted := slices.Sorted(slices.Values(values))
		p50, p95 := stat.QuantileOf(sorted, stat.P50), stat.QuantileOf(sorted, stat.P95)
		want := Lengths{P50: Maybe[int64]{p50.Known, p50.Value}, P95: Maybe[int64]{p95.Known, p95.Value}}
		if n := int64(len(values)); n > 0 {
			want.N = Is(n)
		}
		if p50.HasLow && p50.HasHigh {
			want.Low, want.High = Is(p50.Low), Is(p50.High)
		}
		if got := LengthsOf(slices.Clone(values)); got != want {
			t.Fatalf("%+v, want %+v", got, want)
		}
	})
}

// TestFewRequestsAreRarelyUnlike draws both sides from the same lengths, as wide as those of
// chats are: at most one pair in twenty may be told apart.
func TestFewRequestsAreRarelyUnlike(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	side := func(n int) Context {
		tokens := make([]int64, n)
		for i := range tokens {
			tokens[i] = int64(100 * math.Exp(random.NormFloat64()))
		}
		return Context{OutputTokens: LengthsOf(tokens)}
	}
	for _, n := range []int{5, 6, 20, 60} {
		const pairs = 1000
		unlike, apart := 0, 0
		for range pairs {
			a, b := side(n), side(n)
			if !Comparable(a, b).Alike() {
				unlike++
			}
			if !within10(a.OutputTokens.P50.Value, b.OutputTokens.P50.Value) {
				apart++
			}
		}
		if unlike > pairs/20 || apart < pairs/2 {
			t.Errorf("of %d requests on either side %d of %d pairs are unlike, and the medians of %d are more than 10 %% apart", n, unlike, pairs, apart)
		}
	}
}

// TestComparableIsSymmetric exchanges the contexts.
func TestComparableIsSymmetric(t *testing.T) {
	tokens := rapid.Custom(func(t *rapid.T) Lengths {
		return LengthsOf(rapid.SliceOfN(rapid.OneOf(rapid.Int64Range(0, 50), rapid.Int64Range(60, 70), rapid.Int64Min(0)), 0, 12).Draw(t, "tokens"))
	})
	rapid.Check(t, func(t *rapid.T) {
		var a, b Context
		a.InputTokens, b.InputTokens = tokens.Draw(t, "a"), tokens.Draw(t, "b")
		there, back := Comparable(a, b), Comparable(b, a)
		if there.Alike() != back.Alike() || len(there.Untold) != len(back.Untold) || !Comparable(a, a).Alike() {
			t.Fatalf("%+v, %+v", there, back)
		}
	})
}
