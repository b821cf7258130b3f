package filter

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

var objectiveMetrics = []string{"e2e", "ttft", "tpot", "itl"}

func TestObjectives(t *testing.T) {
	p99, p95 := Percent{99, 100}, Percent{95, 100}
	below := func(metric string, ns int64) MetricLimit { return MetricLimit{Metric: metric, Below: true, NS: ns} }
	of := func(p Percent, l MetricLimit) ObjectiveTerm { return ObjectiveTerm{P: p, Limits: []MetricLimit{l}} }
	share := func(p Percent, l ...MetricLimit) ObjectiveTerm { return ObjectiveTerm{P: p, Joint: true, Limits: l} }
	gaps := MetricLimit{Metric: "itl", P: p95, NS: 5e7}
	for _, c := range []struct {
		text, printed string
		want          []ObjectiveTerm
	}{
		{"p99(e2e) < 2s", "", []ObjectiveTerm{of(p99, below("e2e", 2e9))}},
		{" p99.9 ( ttft )<=1500ms ", "p99.9(ttft) <= 1500ms", []ObjectiveTerm{of(Percent{999, 1000}, MetricLimit{Metric: "ttft", NS: 15e8})}},
		{"p99.999999(e2e) < 1m30s", "", []ObjectiveTerm{of(Percent{99999999, 1e8}, below("e2e", 9e10))}},
		{"p0.5(tpot) < 30µs", "", []ObjectiveTerm{of(Percent{5, 1000}, below("tpot", 3e4))}},
		{"p95(ttft) < 1s AND p95(itl) < 50ms", "p95(ttft) < 1s and p95(itl) < 50ms", []ObjectiveTerm{of(p95, below("ttft", 1e9)), of(p95, below("itl", 5e7))}},
		{"p95(ttft)<1s&&p99(e2e)<2s And p50(e2e)<1s", "p95(ttft) < 1s and p99(e2e) < 2s and p50(e2e) < 1s",
			[]ObjectiveTerm{of(p95, below("ttft", 1e9)), of(p99, below("e2e", 2e9)), of(Percent{5, 10}, below("e2e", 1e9))}},
		{"95%(ttft < 500ms and e2e < 5s)", "", []ObjectiveTerm{share(p95, below("ttft", 5e8), below("e2e", 5e9))}},
		{"99.5 % ( p95(itl)<=50ms and itl_like < 1s )", "99.5%(p95(itl) <= 50ms and itl_like < 1s)",
			[]ObjectiveTerm{share(Percent{995, 1000}, gaps, below("itl_like", 1e9))}},
		{"99%(e2e < 5s and e2e <= 5s and p95(itl) <= 50ms and p95(itl) <= 50ms)", "",
			[]ObjectiveTerm{share(p99, below("e2e", 5e9), MetricLimit{Metric: "e2e", NS: 5e9}, gaps, gaps)}},
		{"99%(e2e < 5s) and p50(tpot) < 20ms", "", []ObjectiveTerm{share(p99, below("e2e", 5e9)), of(Percent{5, 10}, below("tpot", 2e7))}},
		{"ttft=500ms,e2e=5s", "99%(ttft <= 500ms and e2e <= 5s)",
			[]ObjectiveTerm{share(p99, MetricLimit{Metric: "ttft", NS: 5e8}, MetricLimit{Metric: "e2e", NS: 5e9})}},
		{" e2e = 5s ", "99%(e2e <= 5s)", []ObjectiveTerm{share(p99, MetricLimit{Metric: "e2e", NS: 5e9})}},
		{"p99(e2e) < 0.5ns", "p99(e2e) < 1ns", []ObjectiveTerm{of(p99, below("e2e", 1))}},
		{"p99(e2e) < 1.0004us", "p99(e2e) < 1us", []ObjectiveTerm{of(p99, below("e2e", 1000))}},
		{"p99(e2e) < 0.0000015s", "", []ObjectiveTerm{of(p99, below("e2e", 1500))}},
		{"p99(e2e) < 9007199254740993ns", "", []ObjectiveTerm{of(p99, below("e2e", 1<<53+1))}},
		{"p99(e2e) < 4611686018427387904ns", "", []ObjectiveTerm{of(p99, below("e2e", 1<<62))}},
		{"p99(e2e) < " + strings.Repeat("0", 80) + "1ms", "p99(e2e) < 1ms", []ObjectiveTerm{of(p99, below("e2e", 1e6))}},
		{"p99(e2e) < 53375d", "", []ObjectiveTerm{of(p99, below("e2e", 53375*86400*1e9))}},
	} {
		got, err := ParseObjective(c.text, append([]string{"itl_like"}, objectiveMetrics...))
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if diff := cmp.Diff(c.want, got.Terms, cmpopts.IgnoreUnexported(MetricLimit{})); diff != "" {
			t.Errorf("%s:\n%s", c.text, diff)
		}
		if c.printed == "" {
			c.printed = c.text
		}
		if got.String() != c.printed || got.Text() != c.text {
			t.Errorf("%q is printed as %q, want %q; its text is %q", c.text, got, c.printed, got.Text())
		}
	}
}

func TestObjectiveErrors(t *testing.T) {
	const forms = "write " + objectiveForms
	const alone = "nothing says how many of the requests must keep this limit"
	for _, c := range []struct{ text, carets, what, hint string }{
		{"", "^", "the objective is empty", forms},
		{"  ", "^^", "the objective is empty", forms},
		{"p99(e2e)", "        ^", "the limit is missing", "write p99(e2e) < 5s"},
		{"p99(e2e) <", "          ^", "the limit is missing", "write p99(e2e) < 5s"},
		{"p99(e2e) <=", "           ^", "the limit is missing", "write p99(e2e) <= 5s"},
		{"p99(e2e) 5s", "         ^", "an operator is missing", "write p99(e2e) < 5s"},
		{"p99(e2e) > 5s", "         ^", "an objective says what p99(e2e) may be at most", "write < or <="},
		{"p99(e2e) ≤ 5s", "         ^", "an objective says what p99(e2e) may be at most", "write < or <="},
		{"p99(e2e) =< 5s", "         ^^", "an objective says what p99(e2e) may be at most", "write < or <="},
		{"p99(e2e) < 5", "           ^", "the limit of p99(e2e) is a time", "write 5s, 5ms or 5us"},
		{"p99(e2e) < 5 s", "           ^", "the limit of p99(e2e) is a time", "write 5s, 5ms or 5us"},
		{"p99(e2e) < 5%", "           ^^", "the limit of p99(e2e) is a time", timeForm},
		{"p99(e2e) < 5e3", "           ^^^", "the limit of p99(e2e) is a time", timeForm},
		{"p99(e2e) < (5s)", "           ^", "the limit of p99(e2e) is a time", timeForm},
		{"p99(e2e) < -5s", "           ^^^", "the limit of p99(e2e) is a time without a sign", timeForm},
		{"p99(e2e) < +10%", "           ^^^^", "the limit of p99(e2e) is a time without a sign", timeForm},
		{"p99(e2e) < 0s", "           ^^", "the limit of p99(e2e) is no time at all", timeForm},
		{"p99(e2e) < 0", "           ^", "the limit of p99(e2e) is no time at all", timeForm},
		{"p99(e2e) < 0.4ns", "           ^^^^^", "the limit of p99(e2e) is no time at all", timeForm},
		{"p99(e2e) < 53376d", "           ^^^^^^", "the limit of p99(e2e) is longer than 146 years", timeForm},
		{"p99(e2e) < 4611686018427387905ns", "           ^^^^^^^^^^^^^^^^^^^^^", "the limit of p99(e2e) is longer than 146 years", timeForm},
		{"95%(p100(itl) < 1s)", "    ^^^^", "there is no percentile p100", "percentiles lie between 0 and 100, with up to six decimals, such as p99.9(e2e)"},
		{"95%(e2e < 1s and P95(itl) < 1s)", "                 ^^^", "there is no percentile P95", "write p95"},
		{"e2e<0.5ns", "^^^", alone, "write p99(e2e) < 1ns, or another percentile"},
		{"p99(e2e) < 106800d", "           ^^^^^^^", "the limit of p99(e2e) is a time", timeForm},
		{"p99(e3e) < 5s", "    ^^^", "there is no metric e3e", "did you mean e2e? it is one of e2e, ttft, tpot, itl"},
		{"95%(ttfb < 5s)", "    ^^^^", "there is no metric ttfb", "did you mean ttft? it is one of e2e, ttft, tpot, itl"},
		{"95%(p95(ilt) < 5s)", "        ^^^", "there is no metric ilt", "did you mean itl? it is one of e2e, ttft, tpot, itl"},
		{"p99 < 5s", "^^^", "p99 wants one metric", "write p99(e2e), p99(ttft), p99(tpot), p99(itl)"},
		{"p99() < 5s", "    ^", "a metric is missing", "it is one of e2e, ttft, tpot, itl"},
		{"p99(e2e, ttft) < 5s", "       ^", "p99 wants one metric", "write p99(e2e)"},
		{"p99(e2e < 5s", "   ^", "this parenthesis is not closed", "write ) behind the metric"},
		{"p100(e2e) < 5s", "^^^^", "there is no percentile p100", "percentiles lie between 0 and 100, with up to six decimals, such as p99.9(e2e)"},
		{"p0(e2e) < 5s", "^^", "there is no percentile p0", "percentiles lie between 0 and 100, with up to six decimals, such as p99.9(e2e)"},
		{"P99(e2e) < 5s", "^^^", "there is no percentile P99", "write p99"},
		{"100%(e2e < 5s)", "^^^^", "there is no such share", "shares lie between 0 and 100, with up to six decimals, such as 99.9%"},
		{"0%(e2e < 5s)", "^^", "there is no such share", "shares lie between 0 and 100, with up to six decimals, such as 99.9%"},
		{"99.1234567%(e2e < 5s)", "^^^^^^^^^^^", "there is no such share", "shares lie between 0 and 100, with up to six decimals, such as 99.9%"},
		{"99(e2e < 5s)", "^^", "nothing says what 99 is", "write p99(e2e) < 2s for a percentile, or 99%(e2e < 2s) for a share of the requests"},
		{"99th(e2e) < 5s", "^^^^", "nothing says what 99th is", forms},
		{"99% < 5s", "^^^", "99% wants limits in parentheses", "write 99%(ttft < 500ms and e2e < 5s)"},
		{"99%(e2e < 5s", "   ^", "this parenthesis is not closed", "write ) behind the last limit"},
		{"99%(", "   ^", "this parenthesis is not closed", "write limits such as e2e < 5s, and ) behind them"},
		{"99%()", "    ^", "a limit is missing", "write a metric, an operator and a time, such as e2e < 5s"},
		{"99%(e2e < 5s and)", "                ^", "a limit is missing", "write a metric, an operator and a time, such as e2e < 5s"},
		{"99%(e2e < 5s, ttft < 1s)", "            ^", "this joins nothing", "write and"},
		{"99%(e2e < 5s or ttft < 1s)", "             ^^", "an objective has no OR: every term must be met", "give each objective a --slo of its own"},
		{"99%(itl < 50ms)", "    ^^^", "a request has many gaps between its tokens, and nothing says how many must keep the limit", "write p95(itl) < 50ms"},
		{"99%(itl)", "    ^^^", "a request has many gaps between its tokens, and nothing says how many must keep the limit", "write p95(itl) and the limit"},
		{"99%(p99(e2e) < 5s)", "    ^^^^^^^^", "a request has one e2e, so it has no percentile", "write e2e alone"},
		{"p99(e2e) < 5s or p95(ttft) < 1s", "              ^^", "an objective has no OR: every term must be met", "give each objective a --slo of its own"},
		{"p99(e2e) < 5s || p95(ttft) < 1s", "              ^^", "an objective has no OR: every term must be met", "give each objective a --slo of its own"},
		{"p99(e2e) < 5s, p95(ttft) < 1s", "             ^", "this joins nothing", "write and"},
		{"p99(e2e) < 5s)", "             ^", "there is no parenthesis that this one closes", "leave it out, or open one before"},
		{"p99(e2e) < 5s p95(ttft) < 1s", "              ^^^^^^^^^^^^^^", "nothing is expected after the limit", "write and before the next one"},
		{"p99(e2e) < 5s @0.05", "              ^^^^^", "nothing is expected after the limit", "write and before the next one"},
		{"p99(e2e) < 5s and", "                 ^", "a percentile or a share is missing", forms},
		{"(e2e < 5s)", "^", "nothing says how many of the requests must keep these limits", "write their share before the parenthesis, such as 95%("},
		{"mean(e2e) < 5s", "^^^^", "there is no objective of mean", forms},
		{"e2e < 5s", "^^^", alone, "write p99(e2e) < 5s, or another percentile"},
		{"itl<=50ms", "^^^", alone, "write p99(itl) <= 50ms, or another percentile"},
		{"e2e", "^^^", alone, forms},
		{"e2e > 5s", "^^^", alone, forms},
		{"e2e < 5s and ttft<=1s", "^^^", alone, "write 95%(e2e < 5s and ttft <= 1s), or another share of the requests"},
		{"ttft:500,e2e:5000", "^^^^", alone, "write 95%(ttft < 500ms and e2e < 5000ms), or another share of the requests"},
		{"ttft:500 e2el:5000 itl:50", "^^^^", alone, "write 95%(ttft < 500ms and e2e < 5000ms and p95(itl) < 50ms), or another share of the requests"},
		{"ttft=500", "     ^^^", "the limit of ttft is a time", "write 500s, 500ms or 500us"},
		{"ttft=", "     ^", "the limit is missing", "write ttft=5s"},
		{"ttft=1s,", "        ^", "a limit is missing", "write a metric, = and a time, such as e2e=5s"},
		{"ttft=1s,e2e", "           ^", "an operator is missing", "write e2e=5s"},
		{"ttft=1s and e2e=2s", "        ^", "nothing is expected after the limit", "write , before the next one, such as ttft=500ms,e2e=5s"},
		{"ttft=1s,ttft=2s", "        ^^^^", "ttft has a limit already", "give each metric one"},
		{"ttft=1s,itl=50ms", "        ^^^", "a request has many gaps between its tokens, and nothing says how many must keep the limit", "write 99%(ttft <= 1s and p95(itl) <= 50ms), or another share of the requests"},
		{"goodness=500ms", "^^^^^^^^", "there is no metric goodness", "it is one of e2e, ttft, tpot, itl"},
		{strings.Repeat("e2e:1 ", 9), "^^^", alone, forms},
	} {
		_, err := ParseObjective(c.text, objectiveMetrics)
		refused(t, c.text, err, c.carets, c.what, c.hint)
	}
}

// TestObjectiveHintsAreTaken: what a hint says to write for limits that stand alone is an
// objective.
func TestObjectiveHintsAreTaken(t *testing.T) {
	for _, text := range []string{"e2e < 5s", "itl=50ms", "ttft=500ms,itl=50ms", "ttft:500 tpot:50 itl:20", "tpot<=1ms && itl<1ms"} {
		_, err := ParseObjective(text, objectiveMetrics)
		var wrong *Error
		if !errors.As(err, &wrong) {
			t.Fatalf("%q is taken", text)
		}
		hint, _, cut := strings.Cut(strings.TrimPrefix(wrong.Hint, "write "), ", or another")
		if _, err := ParseObjective(hint, objectiveMetrics); err != nil || !cut {
			t.Errorf("%q has the hint %q: %v", text, wrong.Hint, err)
		}
	}
}

// drawObjective draws an objective without a text.
func drawObjective(t *rapid.T) Objective {
	number := rapid.Custom(func(t *rapid.T) Percent {
		den := rapid.SampledFrom([]int64{100, 1000, 1e5, 1e8}).Draw(t, "den")
		p, ok := percent(Percent{rapid.Int64Range(1, den-1).Draw(t, "num"), den}.String())
		if !ok {
			t.Fatal("a percentage does not parse")
		}
		return p
	})
	limit := rapid.Custom(func(t *rapid.T) MetricLimit {
		most := rapid.SampledFrom([]int64{10, 1e6, longestLimit / 4000}).Draw(t, "most")
		ns := rapid.Int64Range(1, most).Draw(t, "ns") * rapid.SampledFrom([]int64{1, 1000, 4000}).Draw(t, "times")
		return MetricLimit{Metric: rapid.SampledFrom(objectiveMetrics).Draw(t, "metric"), Below: rapid.Bool().Draw(t, "below"), NS: ns}
	})
	return Objective{Terms: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) ObjectiveTerm {
		term := ObjectiveTerm{P: number.Draw(t, "p"), Joint: rapid.Bool().Draw(t, "joint")}
		if term.Limits = rapid.SliceOfN(limit, 1, 3).Draw(t, "limits"); !term.Joint {
			term.Limits = term.Limits[:1]
		}
		for i := range term.Limits {
			if l := &term.Limits[i]; term.Joint && l.Metric == gapMetric {
				l.P = number.Draw(t, "own")
			}
		}
		return term
	}), 1, 4).Draw(t, "terms")}
}

// TestPrintedObjectivesParse: an objective that was put together is the same once it was
// printed and read.
func TestPrintedObjectivesParse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawObjective(t)
		again, err := ParseObjective(o.String(), objectiveMetrics)
		if err != nil {
			t.Fatalf("%s: %v", o, err)
		}
		if diff := cmp.Diff(o.Terms, again.Terms, cmpopts.IgnoreUnexported(MetricLimit{})); diff != "" || again.String() != o.String() {
			t.Fatalf("%s and %s:\n%s", o, again, diff)
		}
	})
}

func fuzzObjective(t *testing.T, text string) {
	o, err := ParseObjective(text, objectiveMetrics)
	if err != nil {
		checkError(t, text, err)
		return
	}
	again, err := ParseObjective(o.String(), objectiveMetrics)
	if err != nil || again.String() != o.String() || !cmp.Equal(o.Terms, again.Terms, cmp.AllowUnexported(MetricLimit{})) {
		t.Fatalf("%q is printed as %q: %+v, %v", text, o, again, err)
	}
	for _, term := range o.Terms {
		if p := term.P; p.Num <= 0 || p.Num >= p.Den || len(term.Limits) == 0 || !term.Joint && len(term.Limits) > 1 {
			t.Fatalf("%q has the term %+v", text, term)
		}
		for _, l := range term.Limits {
			if l.NS <= 0 || l.NS > longestLimit || (l.P != Percent{}) != (term.Joint && l.Metric == gapMetric) {
				t.Fatalf("%q has the limit %+v", text, l)
			}
		}
	}
}
