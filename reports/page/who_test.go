package page

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tailpath/tailpath/reports"
)

func bounded(value, low, high float64) reports.Figure {
	return reports.Figure{Value: value, Low: &low, High: &high, N: 1000, Method: "newcombe"}
}

// differing is an answer with everything in it.
func differing() reports.Who {
	lift, few := 12.04, 2.8
	input := reports.Contrast{Slow: 58, Rest: 44, SlowShare: .6022, RestShare: .05, Difference: bounded(.5522, .4466, .6443), Lift: &lift, Fraction: bounded(.5531, .4374, .645), P: 1e-40}
	plain := input
	plain.SlowShare, plain.Difference = .6, bounded(.55, .45, .64)
	replica := reports.Contrast{Slow: 70, Rest: 225, SlowShare: .7, RestShare: .25, Difference: bounded(.45, .3401, .5399), Lift: &few, Fraction: reports.Figure{Value: .57}, P: 1e-19}
	endless := replica
	endless.Lift = nil
	version := reports.Contrast{Slow: 80, Rest: 90, SlowShare: .8, RestShare: .1, Difference: bounded(.7, .6, .8), Fraction: bounded(.1, 0, .2)}
	same := version
	same.Difference = bounded(.004, -.0123, .0199)
	value := func(slow, rest int64) reports.WhoValue {
		return reports.WhoValue{Kind: "category", Slow: slow, Rest: rest}
	}
	return reports.Who{
		Sentence: "slow requests differ most in prompt_tokens >= 8,123", Slow: 100, Rest: 900, Enough: true, Rule: "lift >= 1.5",
		Strata: reports.WhoStrata{N: 40, WidthNS: 30_000_000_000, Both: 30, SlowCompared: 96, RestCompared: 700},
		Counts: []reports.Count{{Name: "tested", N: 12}, {Name: "presence", N: 1}, {Name: "id", N: 2}, {Name: "constant", N: 3}, {Name: "scattered", N: 0}, {Name: "left_out", N: 14}},
		Findings: []reports.WhoFinding{
			{Words: "prompt_tokens >= 8,123", Value: value(60, 45), Crude: plain, Adjusted: &input, Same: []reports.WhoSame{{Words: "gen_ai.usage.input_tokens >= 8,123"}, {Words: "chars >= 40,000"}}},
			{Words: "replica=r1", Value: value(70, 225), Crude: replica, Adjusted: &endless},
		},
		TimeOnly: []reports.WhoFinding{
			{Words: "version=v2", Crude: version, Adjusted: &same, Why: "same_time"},
			{Words: "flag=on", Crude: version, Adjusted: &same, Why: "no_overlap"},
			{Words: "cron=yes", Crude: version, Adjusted: &same, Why: "one_moment"},
		},
		Warnings: []reports.Warning{{ID: "few-buckets", Text: "compared in 5 buckets"}},
	}
}

func whoText(w reports.Who, o Options) string {
	b := newBuilder(o)
	b.who(w)
	return textOf(b)
}

func TestWho(t *testing.T) {
	want := `
who differs: slow requests (n = 100) against the rest (n = 900)
                        slow %  rest %  difference          95 %  any time  lift  would go %  n slow  n rest
prompt_tokens >= 8,123    60.2     5.0       +55.2  44.6 to 64.5     +55.0  12.0        55.3      60      45
replica=r1                70.0    25.0       +45.0  34.0 to 54.0     +45.0     ∞        57.0      70     225
  prompt_tokens >= 8,123 is the same as gen_ai.usage.input_tokens >= 8,123, chars >= 40,000
  against requests of the same 30 s; any time: difference regardless of time; what goes together, not what causes what; would go: if these were slow no more often than the others
  version=v2 has +70.0 points more of the slow requests, but +0.4 among requests of the same time (95 %: -1.3 to 2.0): it goes with the time
  flag=on has +70.0 points more of the slow requests, but hardly any others ran at the same time: it cannot be told from the time
  cron=yes has +70.0 points more of the slow requests, but in one or two moments alone: it cannot be told from the time
  13 attributes tested; not tested: 1 id but for being there, 2 ids, 3 that hardly vary, 14 that tell how slow a request is, or which one
  few-buckets: compared in 5 buckets
`
	if diff := cmp.Diff(want[1:], whoText(differing(), Options{})); diff != "" {
		t.Error(diff)
	}
}

func TestWhoOfNothing(t *testing.T) {
	w := reports.Who{Sentence: "too few requests to say how slow ones differ", Slow: 3, Rest: 20, Findings: []reports.WhoFinding{}}
	want := "who differs: slow requests (n = 3) against the rest (n = 20)\n  too few requests to say how slow ones differ\n"
	if diff := cmp.Diff(want, whoText(w, Options{})); diff != "" {
		t.Error(diff)
	}
}

func TestBucketWidth(t *testing.T) {
	for seconds, want := range map[int64]string{1: "1 s", 30: "30 s", 60: "1 min", 300: "5 min", 3600: "1 h", 7200: "2 h"} {
		if got := bucketWidth(seconds * 1_000_000_000); got != want {
			t.Errorf("%d s is %q, want %q", seconds, got, want)
		}
	}
}

func TestWhoCountsWhatItLeavesOut(t *testing.T) {
	w := differing()
	for range 14 {
		w.Findings, w.TimeOnly = append(w.Findings, w.Findings[1]), append(w.TimeOnly, w.TimeOnly[0])
	}
	text := whoText(w, Options{})
	for _, want := range []string{"and 6 more\n", "and 7 more that may be no more than the time"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

// TestWhoNamesAFewOfTheSame: thousands of attributes that the same requests have are counted,
// and a name as long as a screen is cut in sentences.
func TestWhoNamesAFewOfTheSame(t *testing.T) {
	w := differing()
	w.Findings[0].Same = nil
	for i := range 2000 {
		w.Findings[0].Same = append(w.Findings[0].Same, reports.WhoSame{Attribute: "k", Words: fmt.Sprintf("k=%d", i)})
	}
	w.Findings[1].Words, w.Findings[1].Value.Name = "replica="+strings.Repeat("r ", 5000), strings.Repeat("r ", 5000)
	w.Findings[1].Same = []reports.WhoSame{{Words: "b=" + strings.Repeat("b", 10_000)}}
	w.TimeOnly[0].Words = "version=" + strings.Repeat("v ", 5000)
	if text := whoText(w, Options{}); !strings.Contains(text, " k=6, k=7, and 1,992 more\n") || !strings.Contains(text, strings.Repeat("b", 10_000)) {
		t.Errorf("in a pipe %d bytes", len(text))
	}
	text := whoText(w, Options{Brief: true})
	_, sentences, _ := strings.Cut(text, "is the same as")
	if n := len(sentences); n > 4000 {
		t.Errorf("%d bytes of sentences", n)
	}
	flat := strings.Join(strings.Fields(text), " ")
	for _, want := range []string{"characters cut] …bbb", "characters cut] …v v", "it goes with the time"} {
		if !strings.Contains(flat, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

// TestValuesThatLookLikeNothingAreQuoted: a value of blanks, or of nothing but an escape
// sequence, is no empty label.
func TestValuesThatLookLikeNothingAreQuoted(t *testing.T) {
	w := differing()
	for value, want := range map[string]string{"\x1b[2J": `replica="\x1b[2J" `, " ": `replica=" " `, "\u200b": `replica=\u{200b} `, "r1": "replica=r1 "} {
		w.Findings[1].Words, w.Findings[1].Value.Name = "replica="+value, value
		w.Findings[0].Same = []reports.WhoSame{{Attribute: "a", Words: "a=" + value}}
		text := whoText(w, Options{})
		if !strings.Contains(text, "\n"+want) || !strings.Contains(text, strings.Replace(strings.TrimSuffix(want, " "), "replica", "the same as a", 1)+"\n") {
			t.Errorf("%q:\n%s", value, text)
		}
	}
	p := newBuilder(Options{})
	p.where([]reports.Where{{Key: "host", Kind: "uneven", Values: 1, Places: []reports.Place{{Value: "\x1b[2J"}}}})
	if text := textOf(p); !strings.Contains(text, "\n\"\\x1b[2J\" ") {
		t.Errorf("where:\n%s", text)
	}
}
