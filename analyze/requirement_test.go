package analyze

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// asked judges one requirement of a set.
func asked(t interface{ Fatalf(string, ...any) }, set *table.Set, beside Beside, opt Options, text string) Judgement {
	c, err := filter.ParseRequirement(text, ConditionWords())
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return Require(set, beside, []filter.Condition{c}, opt)[0]
}

// doubtful is a set with something of every kind that requirements ask for: ten requests are
// complete, of which two failed, one is a fragment.
func doubtful() *table.Set {
	of := given{times: times(stage.GPU, 80, stage.Unattributed, 20)}
	bad := of
	bad.err = true
	fragment := of
	fragment.class, fragment.reason = critical.Incomplete, "missing parent"
	set := tables(slices.Concat(many(8, 1, of), many(2, 100, bad), many(1, 200, fragment)))
	for i := range set.Requests.Len() {
		set.Requests.ResidualNS[i] = 10
		if set.Requests.Units[i] = 1; i < 6 {
			set.Requests.Units[i] = 3
		}
	}
	set.Spans.Reserve(95)
	for range 95 {
		set.Spans.Grow()
	}
	var account table.Account
	account.Add(table.Issue{ID: "bad-row", Severity: table.Error, Advice: "look at it"}, 5, table.Place{}, "")
	account.Add(table.Issue{ID: "cut-line", Severity: table.Info, Advice: "nothing to do"}, 50, table.Place{}, "")
	account.WriteTo(set)
	return set
}

func TestRequirementsAreJudged(t *testing.T) {
	empty, lossy, marked := table.NewSet(), doubtful(), doubtful()
	var account table.Account
	account.Add(table.Issue{ID: "torn-file", Severity: table.Loss, Advice: "look at it"}, 1, table.Place{}, "")
	account.WriteTo(lossy)
	marked.Scopes.Grow()
	marked.Scopes.ScopeAttributes.Add(marked.Symbols.Intern(samplerMarks[0]), table.StringValue("slow"))
	weighted := doubtful()
	for i := range weighted.Requests.Len() {
		weighted.Requests.Weight[i] = 1
	}
	for _, c := range []struct {
		name    string
		set     *table.Set
		text    string
		outcome Outcome
		found   float64
		n       int64
		why     string
	}{
		{"of the requests used", doubtful(), "n >= 8", Passed, 8, 8, ""},
		{"of the requests used", doubtful(), "n > 8", Failed, 8, 8, ""},
		{"none", empty, "n >= 1", Failed, 0, 0, ""},
		{"of all that the filter keeps", doubtful(), "incomplete < 10%", Passed, 1. / 11, 11, ""},
		{"of all that the filter keeps", doubtful(), "incomplete < 9%", Failed, 1. / 11, 11, ""},
		{"by exact bounds", doubtful(), "errors < 90%", Passed, 0.2, 10, ""},
		{"by exact bounds", doubtful(), "errors < 1%", Failed, 0.2, 10, ""},
		{"by exact bounds", doubtful(), "errors < 30%", Inconclusive, 0.2, 10, "the limit lies between the bounds"},
		{"a fifth of the time", doubtful(), "unattributed <= 20%", Passed, 0.2, 8, ""},
		{"a fifth of the time", doubtful(), "unattributed < 20%", Failed, 0.2, 8, ""},
		{"none", empty, "unattributed < 5%", Inconclusive, 0, 0, "there is no request to judge"},
		{"a tenth of the time", doubtful(), "residual < 11%", Passed, 0.1, 8, ""},
		{"a tenth of the time", doubtful(), "residual < 9%", Failed, 0.1, 8, ""},
		{"95 rows are there, and 5 are not", doubtful(), "lost <= 5%", Passed, 0.05, 100, ""},
		{"95 rows are there, and 5 are not", doubtful(), "lost < 5%", Failed, 0.05, 100, ""},
		{"more may be lost", lossy, "lost < 10%", Inconclusive, 6. / 101, 101, "of losses of unknown size there are 1, each counted as a row"},
		{"more may be lost, and this is too much", lossy, "lost < 1%", Failed, 6. / 101, 101, "of losses of unknown size there are 1, each counted as a row"},
		{"no row", empty, "lost < 10%", Inconclusive, 0, 0, "no row was read"},
		{"one in four spans", doubtful(), "excluded < 30%", Passed, 0.25, 44, ""},
		{"one in four spans", doubtful(), "excluded < 20%", Failed, 0.25, 44, ""},
		{"no span", empty, "excluded < 20%", Inconclusive, 0, 0, "there is no span of a request"},
		{"six of eight", doubtful(), "joined >= 75%", Passed, 0.75, 8, ""},
		{"six of eight", doubtful(), "joined > 75%", Failed, 0.75, 8, ""},
	} {
		got := asked(t, c.set, Beside{}, Options{}, c.text)
		if got.Outcome != c.outcome || got.Observed != c.found || got.N != c.n || got.Why != c.why {
			t.Errorf("%s: %s is %s (%v of %d, %s), want %s", c.name, c.text, got.Outcome, got.Observed, got.N, got.Why, c.outcome)
		}
	}
	for _, c := range []struct {
		set     *table.Set
		text    string
		outcome Outcome
		kind    SamplingKind
	}{
		{doubtful(), "sampling != suspected", Passed, SamplingUnknown},
		{doubtful(), "sampling = none", Inconclusive, SamplingUnknown},
		{doubtful(), "sampling = (none unknown)", Passed, SamplingUnknown},
		{doubtful(), "sampling != unknown", Failed, SamplingUnknown},
		{marked, "sampling != suspected", Failed, SamplingSuspected},
		{marked, "sampling = (none uniform)", Failed, SamplingSuspected},
		{weighted, "sampling = none", Passed, SamplingNone},
		{weighted, "sampling != (partial weighted)", Passed, SamplingNone},
	} {
		if got := asked(t, c.set, Beside{}, Options{}, c.text); got.Outcome != c.outcome || got.Verdict != string(c.kind) || (got.Outcome == Inconclusive) != (got.Why == "nothing says whether traces were dropped") {
			t.Errorf("%s is %s (%s, %s), want %s", c.text, got.Outcome, got.Verdict, got.Why, c.outcome)
		}
	}
	if got := asked(t, doubtful(), Beside{}, Options{Incomplete: Include, Errors: Include}, "n >= 11"); got.Outcome != Passed {
		t.Errorf("with all requests chosen: %+v", got)
	}
	if Require(doubtful(), Beside{}, nil, Options{}) != nil {
		t.Error("nothing was asked for")
	}
}

// offsetOf adds what is known of a clock to a set.
func offsetOf(set *table.Set, name string, known bool, offset, bound int64) {
	c := &set.Clocks
	row := c.Grow()
	c.Clock[row], c.Reference[row] = set.Symbols.Intern(name), set.Symbols.Intern("edge")
	c.Known[row], c.Offset[row], c.Error[row], c.Calls[row], c.Zone[row] = known, offset, bound, 7, table.Missing
}

func TestClocksAreRequired(t *testing.T) {
	off, open := doubtful(), doubtful()
	offsetOf(off, "edge", true, 0, 0)
	offsetOf(off, "a", true, -8*ms, 1*ms)
	offsetOf(off, "b", true, 2*ms, 3*ms)
	offsetOf(open, "a", true, 8*ms, 1*ms)
	offsetOf(open, "b", false, 0, 0)
	for _, c := range []struct {
		set     *table.Set
		mode    critical.ClockMode
		text    string
		outcome Outcome
		why     string
	}{
		{doubtful(), critical.Raw, "clock <= 0ns", Passed, ""}, // one clock is not apart from any other
		{off, critical.Raw, "clock <= 9ms", Passed, ""},
		{off, critical.Raw, "clock < 9ms", Inconclusive, "the limit lies between the bounds"},
		{off, critical.Raw, "clock < 8ms", Inconclusive, "the limit lies between the bounds"},
		{off, critical.Raw, "clock < 7ms", Failed, ""},
		{off, critical.Adjust, "clock <= 3ms", Passed, ""},
		{off, critical.Adjust, "clock < 3ms", Inconclusive, "the limit lies between the bounds"},
		{open, critical.Raw, "clock < 20ms", Inconclusive, "no call bounds how far off is b"},
		{open, critical.Raw, "clock < 7ms", Failed, "no call bounds how far off is b"},
	} {
		got := asked(t, c.set, Beside{Clock: c.mode}, Options{}, c.text)
		if got.Outcome != c.outcome || got.Why != c.why || got.Unit != UnitNS || got.HasLow != (got.Method == MethodCalls) {
			t.Errorf("%s (%v) is %s (%v, %v to %v, %s), want %s", c.text, c.mode, got.Outcome, got.Observed, got.Low, got.High, got.Why, c.outcome)
		}
	}
}

// TestRequirementsAndConditionsAgree: what both flags ask of the same figure is judged alike: a
// requirement is met exactly when the condition to fail on is true.
func TestRequirementsAndConditionsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set := tables(drawRequests(t))
		s := Summarize(set, Options{Replicates: 20})
		limit := rapid.SampledFrom([]string{"0%", "1%", "10%", "50%", "100%"}).Draw(t, "limit")
		for _, text := range []string{"incomplete < " + limit, "errors <= " + limit, "unattributed < " + limit, "n >= 3"} {
			met := asked(t, set, Beside{}, Options{}, text)
			of := Judge(set, &s, conditions(t, text), Options{})[0]
			want := map[Outcome]Outcome{Passed: Failed, Failed: Passed, Inconclusive: Inconclusive}[of.Outcome]
			if met.Outcome != want || met.Observed != of.Observed || met.N != of.N || strings.TrimPrefix(of.Why, keptTraces+"; ") != met.Why && of.Why != keptTraces {
				t.Fatalf("%s: %+v and %+v", text, met, of)
			}
		}
	})
}
