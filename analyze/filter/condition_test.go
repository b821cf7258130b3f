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
		"rate(slo) < 99%":                  {Quantity: Rate, Op: Less, Limit: 0.99},
		"rate( slo:e2e )<=99.5 %":          {Quantity: Rate, Objective: "e2e", Op: LessEqual, Limit: 0.995},
		"rate(slo:2) < 0.5%":               {Quantity: Rate, Objective: "2", Op: Less, Limit: 0.005},
		"goodput(slo:ttft+itl) < 0.5":      {Quantity: Goodput, Objective: "ttft+itl", Op: Less, Limit: 0.5},
		"goodput(slo) < 0.5 /s":            {Quantity: Goodput, Op: Less, Limit: 0.5},
		"capacity(slo) < 2k/s":             {Quantity: Capacity, Op: Less, Limit: 2000},
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
		{"rate < 99%", "^^^^^", "rate wants one objective", objectiveHint("rate")},
		{"rate(slo, slo:2) < 99%", "^^^^^^^^^^^^^^^^", "rate wants one objective", objectiveHint("rate")},
		{"rate(e2e) < 99%", "     ^^^", "e2e is no objective", objectiveHint("rate")},
		{"rate() < 99%", "     ^", "an objective is missing", objectiveHint("rate")},
		{"rate(slo:) < 99%", "     ^^^^", "this names no objective", objectiveHint("rate")},
		{"rate(slo:e2e+) < 99%", "     ^^^^^^^^", "this names no objective", objectiveHint("rate")},
		{"goodput(slo:00) < 9", "        ^^^^^^", "there is no objective 0", "they are counted from 1, in the order of --slo"},
		{"rate(slo:e2e) < 99", "                ^^", "the limit of rate(slo:e2e) is in per cent", "write 99%"},
		{"rate(slo:e2e)", "             ^", "the limit is missing", "write rate(slo:e2e) < 99%"},
		{"goodput(slo) < 5s", "               ^^", "the limit of goodput(slo) is a number of requests a second", "write 12, 0.5 or 2k"},
		{"capacity(slo) =", "              ^", "a measured number hardly ever equals another", "write < <= > or >="},
		{"capacity(slo) <", "               ^", "the limit is missing", "write capacity(slo) < 12"},
		{"rate(slo) < -1%", "            ^^^", "only percentiles have limits of change", "leave the sign out; a change is p99(e2e) > +10%"},
		{"rates(slo) < 1%", "^^^^^", "there is no quantity rates", "did you mean rate? it is one of " + quantities},
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
		{"n < -5", "    ^^", "only percentiles have limits of change", "leave the sign out; a change is p99(e2e) > +10%"},
		{"goodput(slo) < 5req/s", "               ^^^^^^", "the limit of goodput(slo) is a number of requests a second", "write 12, 0.5 or 2k"},
		{"rate(slo) < 9 /s", "            ^", "the limit of rate(slo) is in per cent", "write 9%"},
		{"errors > +10%", "         ^^^^", "only percentiles have limits of change", "leave the sign out; a change is p99(e2e) > +10%"},
		{"p99(e2e) > -10%", "           ^^^^", "the sign and the operator contradict each other", "write > +10% for what gets slower, < -10% for what gets faster"},
		{"p99(e2e) > +10% @5", "                 ^", "the level is a probability", "write @0.05"},
		{"p99(e2e) > 5s @0.05", "              ^", "a level goes with a change against a baseline", "write p99(e2e) > +10% @0.05, or leave it out"},
	} {
		_, err := ParseCondition(c.text, words)
		refused(t, c.text, err, c.carets, c.what, c.hint)
	}
}

// objectiveHint is what is said of a quantity that is asked of no objective.
func objectiveHint(quantity string) string {
	return "write " + quantity + "(slo) for the first --slo, " + quantity + "(slo:2) for the second, or " + quantity + "(slo:e2e) for the one that limits e2e alone"
}

// TestObjectivesByName: a condition names an objective by its number or by what it limits.
func TestObjectivesByName(t *testing.T) {
	metrics := []string{"e2e", "ttft", "tpot", "itl"}
	var list []Objective
	for _, text := range []string{"p99(e2e) < 2s", "p99(ttft) < 1s and p95(itl) < 50ms", "95%(ttft < 1s)", "p50(ttft) < 1s", "p90(e2e) < 2s and 99%(e2e < 9s and tpot < 20ms)"} {
		o, err := ParseObjective(text, metrics)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, o)
	}
	for name, want := range map[string]int{"slo": 0, "slo:e2e": 0, "slo:1": 0, "slo:5": 4, "slo:ttft+itl": 1, "slo:itl+ttft": 1, "slo:e2e+tpot": 4, "slo:e2e+tpot+tpot": 4, "slo:02": 1} {
		c, err := ParseCondition("rate("+name+") < 99%", words)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := c.ObjectiveIn(list); err != nil || got != want {
			t.Errorf("%s is %d, want %d: %v", name, got, want, err)
		}
	}
	all := "slo:1 is p99(e2e) < 2s; slo:2 is p99(ttft) < 1s and p95(itl) < 50ms; slo:3 is 95%(ttft < 1s); slo:4 is p50(ttft) < 1s; slo:5 is p90(e2e) < 2s and 99%(e2e < 9s and tpot < 20ms)"
	for _, c := range []struct {
		name       string
		of         []Objective
		what, hint string
	}{
		{"slo:ttft", list, "2 objectives limit ttft, and nothing else", all},
		{"slo:tpot", list, "no objective limits tpot, and nothing else", all},
		{"slo:tpot+itl", list, "no objective limits itl and tpot, and nothing else", all},
		{"slo:6", list, "slo:6 is no objective", all},
		{"slo:99999999999999999999", list, "slo:99999999999999999999 is no objective", all},
		{"slo", nil, "slo is no objective: there is none", "give one, such as --slo 'p99(e2e) < 2s'"},
		{"slo:2", nil, "slo:2 is no objective: there is none", "give one, such as --slo 'p99(e2e) < 2s'"},
	} {
		text := "goodput(" + c.name + ") < 5"
		condition, err := ParseCondition(text, words)
		if err != nil {
			t.Fatal(err)
		}
		_, err = condition.ObjectiveIn(c.of)
		var wrong *Error
		if !errors.As(err, &wrong) || wrong.What != c.what || wrong.Hint != c.hint || text[wrong.Start:wrong.End] != "goodput("+c.name+")" {
			t.Errorf("%s: %+v", c.name, err)
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
