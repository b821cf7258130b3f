package filter

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// required are the words of requirements.
var required = Vocabulary{Metrics: words.Metrics, Stages: words.Stages, Verdicts: words.Verdicts, StageVerdicts: words.StageVerdicts, Samplings: []string{"unknown", "none", "suspected"}}

func TestRequirements(t *testing.T) {
	for text, want := range map[string]Condition{
		"n >= 1k":                   {Quantity: N, Op: GreaterEqual, Limit: 1000},
		"incomplete<2%":             {Quantity: Incomplete, Op: Less, Limit: 0.02},
		"errors <= 5 %":             {Quantity: Errors, Op: LessEqual, Limit: 0.05},
		"unattributed < 5%":         {Quantity: Unattributed, Op: Less, Limit: 0.05},
		"residual < 10%":            {Quantity: Residual, Op: Less, Limit: 0.1},
		"lost < 0.1%":               {Quantity: Lost, Op: Less, Limit: 0.001},
		"excluded <= 0%":            {Quantity: Excluded, Op: LessEqual, Limit: 0},
		"joined > 90%":              {Quantity: Joined, Op: Greater, Limit: 0.9},
		"clock < 5ms":               {Quantity: Clock, Op: Less, Limit: 5e6},
		"sampling != suspected":     {Quantity: Sampling, Op: NotEqual, Words: []string{"suspected"}},
		"sampling = (none unknown)": {Quantity: Sampling, Op: Equal, Words: []string{"none", "unknown"}},
	} {
		got, err := ParseRequirement(text, required)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Condition{})); diff != "" {
			t.Errorf("%s:\n%s", text, diff)
		}
		again, err := ParseRequirement(got.String(), required)
		if err != nil || again.String() != got.String() {
			t.Errorf("%s is printed as %s, which is %v, %v", text, got, again, err)
		}
	}
}

// TestEveryRequirementHasAnExample: what a hint shows is right.
func TestEveryRequirementHasAnExample(t *testing.T) {
	for _, name := range Requirements() {
		if _, err := ParseRequirement(name+" "+requiredOf[Quantity(name)], required); err != nil {
			t.Errorf("%s %s: %v", name, requiredOf[Quantity(name)], err)
		}
	}
	if len(requiredOf) != len(Requirements()) {
		t.Errorf("%d examples of %d quantities", len(requiredOf), len(Requirements()))
	}
}

func TestRequirementErrors(t *testing.T) {
	all := "n, incomplete, errors, unattributed, residual, lost, excluded, joined, clock, sampling"
	for _, c := range []struct{ text, carets, what, hint string }{
		{"", "^", "the quantity is missing", "write one of " + all + ", an operator and a limit"},
		{"clok < 5ms", "^^^^", "there is no quantity clok", "did you mean clock? it is one of " + all},
		{"e2e < 5s", "^^^", "there is no quantity e2e", "it is one of " + all},
		{"p99(e2e) < 5s", "^^^", "p99 does not tell how good the data are", "--fail-on judges it; --require takes " + all},
		{"rate(slo) > 99%", "^^^^", "rate does not tell how good the data are", "--fail-on judges it; --require takes " + all},
		{"verdict = none", "^^^^^^^", "verdict does not tell how good the data are", "--fail-on judges it; --require takes " + all},
		{"unattributed", "            ^", "the limit is missing", "write unattributed < 5%"},
		{"unattributed > 5%", "             ^", "this asks for worse data than the limit", "--require says what must hold, such as unattributed < 5%"},
		{"clock >= 5ms", "      ^^", "this asks for worse data than the limit", "--require says what must hold, such as clock < 5ms"},
		{"n < 100", "  ^", "this asks for worse data than the limit", "--require says what must hold, such as n >= 1000"},
		{"joined <= 90%", "       ^^", "this asks for worse data than the limit", "--require says what must hold, such as joined > 90%"},
		{"n = 100", "  ^", "a measured number hardly ever equals another", "write < <= > or >="},
		{"clock < 5", "        ^", "the limit of clock is a time", "write 5s, 5ms or 5us"},
		{"lost < 1", "       ^", "the limit of lost is in per cent", "write 1%"},
		{"joined(logs) > 90%", "      ^^^^^^", "joined takes nothing in parentheses", "write joined alone"},
		{"sampling < none", "         ^", "sampling has no size", "write sampling != suspected"},
		{"sampling = suspect", "           ^^^^^^^", "there is no kind of sampling suspect", "did you mean suspected? it is one of unknown, none, suspected"},
		{"lost < 1% and n > 9", "          ^^^^^^^^^", "nothing is expected after the limit", "give each condition a --require of its own"},
		{"n >= +10%", "     ^^^^", "only percentiles have limits of change", "leave the sign out; a change is p99(e2e) > +10%"},
	} {
		_, err := ParseRequirement(c.text, required)
		refused(t, c.text, err, c.carets, c.what, c.hint)
	}
}

// TestConditionsToFailOnAreOfOtherThings: what only tells how good the data are is no reason to
// fail, and the error says where it belongs.
func TestConditionsToFailOnAreOfOtherThings(t *testing.T) {
	for _, name := range []string{"residual", "lost", "excluded", "joined", "clock", "sampling"} {
		_, err := ParseCondition(name+" > 5%", required)
		refused(t, name+" > 5%", err, strings.Repeat("^", len(name)), name+" tells how good the data are, and is for --require", "write --require '"+name+" "+requiredOf[Quantity(name)]+"'")
	}
}
