package filter

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

var words = Vocabulary{
	Metrics: []string{"e2e", "ttft", "tpot"}, Stages: []string{"network", "queue", "gpu"},
	Verdicts: []string{"dominates", "leads", "mixed", "none", "too_few"}, StageVerdicts: []string{"dominates", "leads"},
}

func TestConditions(t *testing.T) {
	p99, p100 := Percent{99, 100}, Percent{1, 1}
	for text, want := range map[string]Condition{
		"p99(e2e) > 5s":                    {Quantity: Percentile, P: p99, Metric: "e2e", Op: Greater, Limit: 5e9},
		"p99.9(ttft)>=200ms":               {Quantity: Percentile, P: Percent{999, 1000}, Metric: "ttft", Op: GreaterEqual, Limit: 2e8},
		"p50(tpot) < 300us":                {Quantity: Percentile, P: Percent{5, 10}, Metric: "tpot", Op: Less, Limit: 3e5},
		"p99(ttft) > +10% @0.05":           {Quantity: Percentile, P: p99, Metric: "ttft", Op: Greater, Limit: 0.1, Relative: true, Alpha: 0.05},
		"p99(ttft) < -10%":                 {Quantity: Percentile, P: p99, Metric: "ttft", Op: Less, Limit: -0.1, Relative: true, Alpha: 0.05},
		"share(queue) > 50%":               {Quantity: Share, Stage: "queue", Op: Greater, Limit: 0.5},
		"share(queue, p99-100) > 50 %":     {Quantity: Share, Stage: "queue", Banded: true, From: p99, To: p100, Op: Greater, Limit: 0.5},
		"share( gpu ,p0-p50 )<=0.5%":       {Quantity: Share, Stage: "gpu", Banded: true, From: Percent{0, 1}, To: Percent{5, 10}, Op: LessEqual, Limit: 0.005},
		"unattributed > 5%":                {Quantity: Unattributed, Op: Greater, Limit: 0.05},
		"incomplete > 2%":                  {Quantity: Incomplete, Op: Greater, Limit: 0.02},
		"errors > 1%":                      {Quantity: Errors, Op: Greater, Limit: 0.01},
		"n < 100":                          {Quantity: N, Op: Less, Limit: 100},
		"n<10k":                            {Quantity: N, Op: Less, Limit: 10000},
		"verdict(queue) = dominates":       {Quantity: Verdict, Stage: "queue", Op: Equal, Words: []string{"dominates"}},
		"verdict(queue)=(dominates leads)": {Quantity: Verdict, Stage: "queue", Op: Equal, Words: []string{"dominates", "leads"}},
		"verdict != none":                  {Quantity: Verdict, Op: NotEqual, Words: []string{"none"}},
	} {
		got, err := ParseCondition(text, words)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Condition{})); diff != "" {
			t.Errorf("%s:\n%s", text, diff)
		}
	}
}

func TestConditionErrors(t *testing.T) {
	for _, c := range []struct{ text, carets, what, hint string }{
		{"", "^", "the quantity is missing", "write one of " + quantities + ", an operator and a limit"},
		{"p99(e2e)", "        ^", "the limit is missing", "write p99(e2e) > 5s"},
		{"p99(e2e) >", "          ^", "the limit is missing", "write p99(e2e) > 5s"},
		{"p99(e2e) 5s", "         ^", "an operator is missing", "write p99(e2e) > 5s"},
		{"p99(e2e) = 5s", "         ^", "a measured number hardly ever equals another", "write < <= > or >="},
		{"p99(e2e) > 5", "           ^", "the limit of p99(e2e) is a time", "write 5s, 5ms or 5us"},
		{"p99(e2e) > fast", "           ^^^^", "the limit of p99(e2e) is a time", "write a time such as 5s, 200ms or 300us"},
		{"p99(e2e) > 5s AND n < 3", "              ^^^^^^^^^", "nothing is expected after the limit", "give each condition a --fail-on of its own"},
		{"p99(e3e) > 5s", "    ^^^", "there is no metric e3e", "did you mean e2e? it is one of e2e, ttft, tpot"},
		{"p99 > 5s", "^^^^", "p99 wants one metric", "write p99(e2e), p99(ttft), p99(tpot)"},
		{"p99() > 5s", "    ^", "a metric is missing", "it is one of e2e, ttft, tpot"},
		{"p99(e2e > 5s", "   ^", "this parenthesis is not closed", "write ) behind what it holds"},
		{"p101(e2e) > 5s", "^^^^", "there is no quantity p101", "percentiles lie between 0 and 100 and have up to six decimals, such as p99.9(e2e)"},
		{"ttft > 5s", "^^^^", "there is no quantity ttft", "write p99(ttft) for a percentile of it"},
		{"rate(slo:e2e) < 99%", "^^^^", "there is no quantity rate", "it is one of " + quantities},
		{"eror > 1%", "^^^^", "there is no quantity eror", "did you mean errors? it is one of " + quantities},
		{"share(quue) > 50%", "      ^^^^", "there is no stage quue", "did you mean queue? it is one of network, queue, gpu"},
		{"share(queue, p99) > 50%", "             ^^^", "there is no such band", "write two percentiles from 0 to 100, the lower first, such as p99-100"},
		{"share(queue, 100-99) > 50%", "             ^^^^^^", "there is no such band", "write two percentiles from 0 to 100, the lower first, such as p99-100"},
		{"share > 50%", "^^^^^^", "share takes a stage, and a band if it is to be of that", "write share(queue) or share(queue, p99-100)"},
		{"share(queue) > 50", "               ^^", "the limit of share(queue) is in per cent", "write 50%"},
		{"share(queue) > 0.5", "               ^^^", "the limit of share(queue) is in per cent", "write 50%"},
		{"errors > 1s", "         ^^", "the limit of errors is in per cent", "write a part of 100 %, such as 5%"},
		{"errors > 101%", "         ^^^^", "the limit of errors is in per cent", "write a part of 100 %, such as 5%"},
		{"errors(all) > 1%", "      ^^^^^", "errors takes nothing in parentheses", "write errors alone"},
		{"n < many", "    ^^^^", "the limit of n is a number of requests", "write 100, or 10k"},
		{"verdict(queue) = mixed", "                 ^^^^^", "there is no kind of verdict mixed", "it is one of dominates, leads"},
		{"verdict = bad", "          ^^^", "there is no kind of verdict bad", "it is one of dominates, leads, mixed, none, too_few"},
		{"verdict(queue) > leads", "               ^", "a verdict has no size", "write verdict(queue) = dominates"},
		{"p99(e2e) > +5s", "           ^^^", "a limit with a sign is a change in per cent", "write +10%, or leave the sign out"},
		{"errors > +10%", "         ^^^^", "only percentiles have limits of change", "write p99(e2e) > +10%"},
		{"p99(e2e) > -10%", "           ^^^^", "the sign and the operator contradict each other", "write > +10% for what gets slower, < -10% for what gets faster"},
		{"p99(e2e) > +10% @5", "                 ^", "the level is a probability", "write @0.05"},
		{"p99(e2e) > 5s @0.05", "              ^", "a level goes with a change against a baseline", "write p99(e2e) > +10% @0.05, or leave it out"},
	} {
		_, err := ParseCondition(c.text, words)
		var wrong *Error
		if !errors.As(err, &wrong) {
			t.Errorf("%q is taken", c.text)
			continue
		}
		_, carets := wrong.Excerpt()
		if diff := cmp.Diff([]string{c.carets, c.what, c.hint}, []string{carets, wrong.What, wrong.Hint}); diff != "" {
			t.Errorf("%q:\n%s", c.text, diff)
		}
	}
}

func TestKeyErrors(t *testing.T) {
	for _, c := range []struct{ text, carets, what string }{
		{"", "^", "the name of a field is missing"},
		{"model,", "      ^", "the name of a field is missing"},
		{"model route", "      ^", "a comma is missing between two keys"},
		{"model@size", "      ^^^^", "there is no such order"},
		{"model@", "      ^", "there is no such order"},
		{"model@(a a)", "         ^", "a is listed twice"},
		{"model,route,model", "            ^^^^^", "model is named twice"},
		{"modle", "^^^^^", "no request has a field modle"},
	} {
		keys, err := ParseKeys(c.text)
		if err == nil {
			err = keys.Check(testFields)
		}
		var wrong *Error
		if !errors.As(err, &wrong) {
			t.Errorf("%q is taken", c.text)
			continue
		}
		if _, carets := wrong.Excerpt(); carets != c.carets || wrong.What != c.what {
			t.Errorf("%q: %q %s", c.text, carets, wrong.What)
		}
	}
}

func TestOrders(t *testing.T) {
	values := []string{"b", "", "10", "9", "a", "1e1"}
	for text, want := range map[string][]string{
		"k":          {"9", "10", "1e1", "a", "b", ""},
		"k@num":      {"9", "10", "1e1", "a", "b", ""},
		"k@alpha":    {"10", "1e1", "9", "a", "b", ""},
		"k@(b x 10)": {"b", "10", "9", "1e1", "a", ""},
	} {
		keys, err := ParseKeys(text)
		if err != nil {
			t.Fatal(err)
		}
		got := slices.Clone(values)
		slices.SortFunc(got, keys.List[0].Compare)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s:\n%s", text, diff)
		}
	}
}

// TestCompareIsAnOrder: every order is total, and the same whatever stands first.
func TestCompareIsAnOrder(t *testing.T) {
	value := rapid.SampledFrom([]string{"", "a", "b", "1", "1.0", "2", "10", "x y"})
	rapid.Check(t, func(t *rapid.T) {
		keys, err := ParseKeys(rapid.SampledFrom([]string{"k,j", "k@num,j@alpha", "k@(a 2),j@(x)"}).Draw(t, "keys"))
		if err != nil {
			t.Fatal(err)
		}
		draw := func() []string { return []string{value.Draw(t, "k"), value.Draw(t, "j")} }
		a, b, c := draw(), draw(), draw()
		ab, bc, ac := keys.Compare(a, b), keys.Compare(b, c), keys.Compare(a, c)
		if ab != -keys.Compare(b, a) || (ab == 0) != slices.Equal(a, b) || ab <= 0 && bc <= 0 && ac > 0 {
			t.Fatalf("%v %v %v: %d %d %d", a, b, c, ab, bc, ac)
		}
	})
}

func TestNearest(t *testing.T) {
	for given, want := range map[string]string{"modl": "model", "MODEL": "model", "prompt": "prompt_tokens", "e2": "e2e", "zebra": "", "x": ""} {
		if got := Nearest(given, []string{"model", "route", "prompt_tokens", "e2e"}); got != want {
			t.Errorf("nearest to %s is %q, want %q", given, got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"", "ab", 2}, {"abc", "abc", 0}, {"abc", "abd", 1}, {"abc", "acb", 1}, {"kitten", "sitting", 3}} {
		if got := distance(c.a, c.b); got != c.want || distance(c.b, c.a) != c.want {
			t.Errorf("distance of %q and %q is %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
