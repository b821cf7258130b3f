package analyze

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// conditions parses conditions that must be right.
func conditions(t interface{ Fatalf(string, ...any) }, texts ...string) (out []filter.Condition) {
	for _, text := range texts {
		c, err := filter.ParseCondition(text, ConditionWords())
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		out = append(out, c)
	}
	return out
}

// judged judges one condition of all requests of a set.
func judged(t interface{ Fatalf(string, ...any) }, set *table.Set, opt Options, text string) Judgement {
	opt.Replicates = 50
	s := Summarize(set, opt)
	return Judge(set, &s, conditions(t, text), opt)[0]
}

// TestRequestsThatAVerdictTakes: with t requests beyond the limit, so many are needed in all
// until the percentile is known to be within it with 95 % confidence. These are the numbers
// of MLPerf's early stopping, which are those of the exact bound.
func TestRequestsThatAVerdictTakes(t *testing.T) {
	for _, c := range []struct {
		p    string
		need []int // by requests beyond the limit
	}{
		{"p99", []int{0: 299, 1: 473, 2: 628, 3: 773, 5: 1049, 10: 1693, 20: 2902}},
		{"p95", []int{0: 59, 1: 93, 2: 124, 3: 153, 5: 208, 10: 336, 20: 577}},
		{"p90", []int{0: 29, 1: 46, 2: 61, 3: 76, 5: 103, 10: 167, 20: 286}},
	} {
		for beyond, need := range c.need {
			if need == 0 {
				continue
			}
			for n, want := range map[int]Outcome{need: Passed, need - 1: Inconclusive} {
				set := tables(slices.Concat(many(n-beyond, 1, given{times: times(stage.GPU, 5)}), many(beyond, 1<<20, given{times: times(stage.GPU, 6)})))
				got := Judge(set, &Summary{}, conditions(t, c.p+"(e2e) > 5ns"), Options{})[0]
				if got.Outcome != want {
					t.Errorf("%s, %d of %d beyond: %s, want %s", c.p, beyond, n, got.Outcome, want)
				}
			}
		}
	}
}

// TestPercentilesAgreeWithRates: the outcome is that of the exact bounds of the share of
// requests within the limit.
func TestPercentilesAgreeWithRates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(1, 700).Draw(t, "n")
		within := rapid.Int64Range(0, n).Draw(t, "within")
		p := rapid.SampledFrom([]stat.Prob{stat.P50, stat.P90, stat.P95, stat.P99, {Num: 1, Den: 4}}).Draw(t, "p")
		set := tables(slices.Concat(many(int(within), 1, given{times: times(stage.GPU, 5)}), many(int(n-within), 1<<20, given{times: times(stage.GPU, 6)})))
		got := Judge(set, &Summary{}, conditions(t, p.String()+"(e2e) > 5ns"), Options{})[0]
		want := Inconclusive
		low, high := stat.ClopperPearsonLower(within, n, stat.Confidence), stat.ClopperPearsonUpper(within, n, stat.Confidence)
		switch {
		case min(math.Abs(low-p.Float()), math.Abs(high-p.Float())) < 1e-9:
			return // 5 % to the last digit: rounding decides
		case low >= p.Float():
			want = Passed
		case high < p.Float():
			want = Failed
		}
		if got.Outcome != want {
			t.Fatalf("%s with %d of %d within: %s, want %s", p, within, n, got.Outcome, want)
		}
		// The other way round nothing but the sides change.
		turned := Judge(set, &Summary{}, conditions(t, p.String()+"(e2e) <= 5ns"), Options{})[0].Outcome
		if back := map[Outcome]Outcome{Passed: Failed, Failed: Passed, Inconclusive: Inconclusive}[turned]; back != got.Outcome {
			t.Fatalf("%s > 5ns is %s and <= 5ns is %s", p, got.Outcome, turned)
		}
	})
}

func TestJudgements(t *testing.T) {
	usual := given{times: times(stage.GPU, 100_000, stage.Queue, 1000), decode: 90_000, ttft: true, tokens: 10}
	slow := usual
	slow.times = times(stage.GPU, 100_000, stage.Queue, 899_000)
	failed := usual
	failed.err = true
	fragment := usual
	fragment.class = critical.Incomplete
	var requests []given
	for i := range 400 { // a slow one after every nine others, far apart: many incidents
		g := usual
		if i%10 == 9 {
			g = slow
		}
		g.id, g.start = uint64(i), int64(i)*1000*ms
		requests = append(requests, g)
	}
	requests = slices.Concat(requests, many(4, 1<<20, failed), many(6, 1<<21, fragment))
	set := tables(requests)
	for text, want := range map[string]string{
		"p50(e2e) > 1ms":                     "pass 101000 n=400",
		"p99(e2e) > 500us":                   "FAIL 999000 n=400",
		"p99(e2e) > 2ms":                     "pass 999000 n=400",
		"p99.9(e2e) > 500us":                 "FAIL ? n=400",
		"p99.9(e2e) > 2ms":                   "inconclusive ? n=400: p99.9 takes 2995 requests to be bounded from above",
		"p90(e2e) > 500us":                   "inconclusive 101000 n=400: the limit lies between the bounds",
		"p99(ttft) < 2s":                     "FAIL 909000 n=400",
		"p50(tpot) > 10us":                   "pass 10000 n=400",
		"share(queue, p90-100) > 50%":        "FAIL 0.8977 n=41",
		"share(queue, p0-50) > 50%":          "pass 0.0099 n=199",
		"share(queue, p99-100) > 50%":        "inconclusive ? n=5: the band has 5 requests, a share needs 20",
		"share(gpu) > 50%":                   "pass 0.0000",
		"share(queue) > 50%":                 "FAIL 1.0000",
		"unattributed > 5%":                  "pass 0.0000 n=400",
		"incomplete > 1%":                    "FAIL 0.0146 n=410",
		"incomplete > 2%":                    "pass 0.0146 n=410",
		"errors > 0.1%":                      "FAIL 0.0099 n=404",
		"errors > 1%":                        "inconclusive 0.0099 n=404: the limit lies between the bounds",
		"errors > 5%":                        "pass 0.0099 n=404",
		"n < 400":                            "pass 400 n=400",
		"n <= 400":                           "FAIL 400 n=400",
		"verdict = too_few":                  "pass queue",
		"verdict(gpu) = (dominates leads)":   "pass queue",
		"verdict(queue) = (leads dominates)": "FAIL queue",
		"verdict != none":                    "FAIL queue",
	} {
		r := judged(t, set, Options{}, text)
		value := "?"
		switch {
		case r.Verdict != "":
			value = r.Verdict
		case r.Known && r.Observed < 2:
			value = fmt.Sprintf("%.4f", r.Observed)
		case r.Known:
			value = fmt.Sprintf("%.0f", r.Observed)
		}
		got := fmt.Sprintf("%s %s n=%d", r.Outcome, value, r.N)
		if r.Why != "" {
			got += ": " + r.Why
		}
		if !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// TestWhatCannotBeJudged: no request is no pass.
func TestWhatCannotBeJudged(t *testing.T) {
	for _, set := range []*table.Set{table.NewSet(), tables(many(3, 1, given{class: critical.Unfinished, times: times(stage.GPU, 1)}))} {
		for _, text := range []string{"p99(e2e) > 5s", "p99(ttft) > 5s", "p99(tpot) > 5s", "share(queue) > 5%", "share(queue, p50-100) > 5%", "unattributed > 5%", "errors > 5%", "verdict(queue) = dominates"} {
			if r := judged(t, set, Options{}, text); r.Outcome != Inconclusive || r.Why == "" || r.Known {
				t.Errorf("%s of %d requests: %+v", text, set.Requests.Len(), r)
			}
		}
		if r := judged(t, set, Options{}, "n < 1"); r.Outcome != Failed {
			t.Errorf("n < 1: %+v", r)
		}
	}
}

// TestLooserLimitsFailLess: a limit that is easier to keep never turns a pass into a failure,
// whatever is observed.
func TestLooserLimitsFailLess(t *testing.T) {
	order := map[Outcome]int{Failed: 0, Inconclusive: 1, Passed: 2}
	rapid.Check(t, func(t *rapid.T) {
		set := tables(drawRequests(t))
		opt := Options{Replicates: 50}
		s := Summarize(set, opt)
		form := rapid.SampledFrom([]string{"p90(e2e) > %dns", "p50(ttft) >= %dns", "p99(tpot) > %dns", "n > %d", "errors > %d%%", "share(queue, p50-100) > %d%%", "incomplete >= %d%%", "share(queue) > %d%%"}).Draw(t, "form")
		low := rapid.IntRange(0, 99).Draw(t, "limit")
		high := rapid.IntRange(low, 100).Draw(t, "looser")
		r := Judge(set, &s, conditions(t, fmt.Sprintf(form, low), fmt.Sprintf(form, high)), opt)
		if order[r[0].Outcome] > order[r[1].Outcome] {
			t.Fatalf("%s: %d is %s and %d is %s", form, low, r[0].Outcome, high, r[1].Outcome)
		}
		for _, j := range r {
			if j.HasLow && j.HasHigh && (j.Low > j.High || j.Known && (j.Observed < j.Low || j.Observed > j.High) && j.Method != MethodBlocks) {
				t.Fatalf("%s: %+v", form, j)
			}
		}
	})
}

// TestPercentilesOfConditionsAreReported: each is among those of the report, in order, once.
func TestPercentilesOfConditionsAreReported(t *testing.T) {
	got := Options{}.WithPercentiles(conditions(t, "p99(e2e) > 5s", "p97.5(ttft) > 1s", "p99.00(tpot) > 1s", "n < 3", "p10(e2e) > 1s"))
	var names []string
	for _, p := range got.Percentiles {
		names = append(names, p.String())
	}
	if text := strings.Join(names, " "); text != "p10 p50 p90 p95 p97.5 p99 p99.9" {
		t.Fatal(text)
	}
}
