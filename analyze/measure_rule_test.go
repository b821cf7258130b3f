package analyze

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/stat"
)

// TestMeasuresByRules: a rule for percentiles is that of all values of a measure, and of all
// gaps, with the bounds of the percentile.
func TestMeasuresByRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var list []spoken
		var gaps, tpot []int64
		for i := range rapid.IntRange(30, 60).Draw(t, "n") {
			gap, tokens := rapid.Int64Range(1, 90).Draw(t, "gap"), rapid.Int64Range(1, 4).Draw(t, "tokens")
			list = append(list, spoken{id: uint64(i), start: int64(i) * 1000 * ms, length: 900 * ms, chunks: pieces(100, 1, 100+gap*tokens, tokens)})
			for range tokens {
				gaps = append(gaps, gap*ms)
			}
			tpot = append(tpot, gap*ms)
		}
		slices.Sort(gaps)
		slices.Sort(tpot)
		rules := []string{"linear_r7", "mlperf_floor", "r8"}
		opt := Options{Define: append([]string{"tpot", "itl"}, rules...), Replicates: 20}
		values := Summarize(answers(list), opt).Measures.Values
		for i, sorted := range [][]int64{tpot, gaps} {
			if len(values[i].ByRule) != len(rules) {
				t.Fatalf("%+v", values[i])
			}
			for k, by := range values[i].ByRule {
				rule, err := stat.RuleNamed(rules[k])
				if err != nil || by.Rule.ID != rules[k] || len(by.Named) != len(values[i].Quantiles) {
					t.Fatalf("%v: %+v", err, by)
				}
				for j, q := range by.Named {
					if want := rule.Of(sorted, values[i].Quantiles[j].P); unequal(want, q) != "" {
						t.Fatalf("%s of %s: %s", rules[k], values[i].Definition.ID, unequal(want, q))
					}
				}
			}
		}
	})
}

// TestRunToTheLastToken: the time of answered requests goes to the last token of them where it
// is known, and else to their end, which is said.
func TestRunToTheLastToken(t *testing.T) {
	list := []spoken{
		{id: 1, start: 0, length: 1000 * ms, chunks: pieces(100, 1, 600, 3)},
		{id: 2, start: 1000 * ms, length: 5000 * ms, chunks: pieces(100, 1, 4000, 3)},
	}
	for _, c := range []struct {
		rate  float64
		words string
	}{{2. / 5, ""}, {3. / 6, "the end stands for the last token in 1 request that does not tell it"}} {
		x := one(t, answers(list), CapacityOptions{}, "throughput_answered")
		if math.Abs(x.Value-c.rate) > 1e-12 || x.N != int64(len(list)) || x.Words != c.words {
			t.Errorf("%+v, want %+v", x, c)
		}
		list = append(list, spoken{id: 3, start: 2000 * ms, length: 4000 * ms})
	}
	x := one(t, answers(list[2:3]), CapacityOptions{}, "throughput_answered")
	if x.Value != .25 || !strings.HasPrefix(x.Words, "no request tells its last token") {
		t.Errorf("%+v", x)
	}
	list = nil
	for i := range 20 {
		list = append(list, spoken{id: uint64(i), start: int64(i) * 1000 * ms, length: 500 * ms, chunks: pieces(100, 1, 200, 1)})
	}
	if x := one(t, answers(list), slo(t, "90%(itl_request_mean < 1s)"), "goodput_aiperf"); math.Abs(x.Value-20/19.2) > 1e-12 || x.Words != "" {
		t.Errorf("%+v", x)
	}
}

// TestPeakCountsTheTokensOfChunks: chunks of several tokens count for as many, those that are
// empty for none, and a request without chunks makes it a lower bound.
func TestPeakCountsTheTokensOfChunks(t *testing.T) {
	list := []spoken{
		{id: 1, start: 0, length: 2000 * ms, chunks: pieces(100, 0, 900, 5, 1000, 7, 1999, 2)},
		{id: 2, start: 500 * ms, length: 2000 * ms, chunks: pieces(300, 4, 700, 1)},
	}
	x := one(t, answers(list), CapacityOptions{}, "peak_1s")
	if x.Value != 10 || x.N != 2 || x.AtLeast || x.Undefined != "" {
		t.Errorf("%+v", x)
	}
	list = append(list, spoken{id: 3, start: 600 * ms, length: 900 * ms, tokens: 30})
	if x := one(t, answers(list), CapacityOptions{}, "peak_1s"); x.Value != 10 || x.N != 2 || !x.AtLeast {
		t.Errorf("%+v", x)
	}
}
