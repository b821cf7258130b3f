package text

import (
	"strings"
	"testing"

	"github.com/tailpath/tailpath/reports"
)

// differing is an answer with every column in it.
func differing() reports.Who {
	bounded := func(value, low, high float64) reports.Figure {
		return reports.Figure{Value: value, Low: &low, High: &high, N: 1000}
	}
	lift := 12.04
	c := reports.Contrast{Slow: 58, Rest: 44, SlowShare: .6022, RestShare: .05, Difference: bounded(.5522, .4466, .6443), Lift: &lift, Fraction: bounded(.5531, .4374, .645)}
	value := reports.WhoValue{Kind: "category", Slow: 60, Rest: 45}
	return reports.Who{
		Sentence: "slow requests differ", Slow: 100, Rest: 900, Enough: true, Rule: "lift >= 1.5", Strata: reports.WhoStrata{N: 40, WidthNS: 30_000_000_000},
		Findings: []reports.WhoFinding{
			{Words: "prompt_tokens >= 8,123", Value: value, Crude: c, Adjusted: &c, Same: []reports.WhoSame{{Words: "chars >= 40,000"}}},
			{Words: "replica=r1", Value: value, Crude: c},
		},
		TimeOnly: []reports.WhoFinding{{Words: "version=v2", Crude: c, Adjusted: &c, Why: "same_time"}},
	}
}

// whoText writes who differs, as the command about queues does.
func whoText(t *testing.T, w reports.Who, o Options) string {
	d := fixed(t)["queue"]
	d.Queue.Who = w
	return strings.Join(section(t, render(t, d, o), "who differs"), "\n") + "\n"
}

func TestWhoFitsThePage(t *testing.T) {
	for _, o := range []Options{{Width: 80}, {Width: 48, Verbose: true}, {Width: 60, ASCII: true}, {Width: 132, Verbose: true}} {
		text := whoText(t, differing(), o)
		for line := range strings.SplitSeq(text, "\n") {
			if width(line) > o.Width {
				t.Errorf("at %d: %q", o.Width, line)
			}
			if o.ASCII && !isASCII(line) {
				t.Errorf("not ASCII: %q", line)
			}
		}
		if o.Verbose && !strings.Contains(text, "rule: lift >= 1.5") {
			t.Errorf("no rule in %s", text)
		}
	}
}

// TestWhoNamesAreToldWhole: on a narrow page findings that begin alike can be told apart, and
// nothing is wider than it.
func TestWhoNamesAreToldWhole(t *testing.T) {
	w := differing()
	names := []string{"gen_ai.usage.prompt_tokens >= 8,123", "gen_ai.usage.prompt_tokens_details.cached = 0"}
	for i, name := range names {
		w.Findings[i].Words, w.Findings[i].Same = name, nil
	}
	for _, limit := range []int{48, 60, 80, 100, 130} {
		text := whoText(t, w, Options{Width: limit})
		for _, name := range names {
			if !strings.Contains(strings.Join(strings.Fields(text), " "), name) { // it may be wrapped
				t.Errorf("at %d %q is not in\n%s", limit, name, text)
			}
		}
		for line := range strings.SplitSeq(text, "\n") {
			if width(line) > limit {
				t.Errorf("at %d: %q", limit, line)
			}
		}
	}
	if heads := strings.Count(whoText(t, w, Options{Width: 80}), names[0]+" "); heads != 2 {
		t.Errorf("at 80 columns %q has its room in %d of the 2 parts", names[0], heads)
	}
}
