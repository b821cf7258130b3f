package analyze

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/change"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// capture is an hour of requests, whose times are stretched by a factor.
func capture(seed uint64, n int, factor float64) *table.Set {
	random := rand.New(rand.NewPCG(seed, 1))
	var requests []given
	for i := range n {
		ns := int64(factor * (100 + 400*random.ExpFloat64()) * float64(ms))
		requests = append(requests, given{
			id: uint64(i), start: houseBegan + int64(i)*3600*1000*ms/int64(n), times: times(stage.GPU, int(ns)), decode: ns / 2, ttft: true, tokens: 20,
		})
	}
	return tables(requests)
}

func TestChangesAreJudged(t *testing.T) {
	base, same, slower, faster := capture(1, 3000, 1), capture(2, 3000, 1), capture(2, 3000, 1.5), capture(2, 3000, 0.6)
	known := map[string]*Comparison{} // by what is compared and how: conditions that ask for the same share it
	for _, c := range []struct {
		name      string
		new       *table.Set
		condition string
		outcome   Outcome
		why       string
	}{
		{"slower", slower, "p99(e2e) > +10% @0.05", Failed, ""},
		{"slower", slower, "p50(ttft) > +10%", Failed, ""},
		{"slower", slower, "p50(tpot) > +10% @0.01", Failed, ""},
		{"slower, within the limit", slower, "p50(e2e) > +100%", Passed, ""},
		{"slower, and faster was feared", slower, "p50(e2e) < -10%", Passed, ""},
		{"faster", faster, "p50(e2e) < -10%", Failed, ""},
		{"faster, and slower was feared", faster, "p50(e2e) > +10%", Passed, ""},
		{"the same", same, "p50(e2e) > +10%", Passed, ""},
		{"perhaps slower", capture(5, 3000, 1.02), "p99(e2e) > +0.1% @0.0001", Inconclusive, "the limit lies between the bounds; about"},
		{"the same, and the bounds reach beyond the limit", same, "p99(e2e) > +2%", Inconclusive, "the limit lies between the bounds"},
		{"slower, and the bounds reach below the limit", slower, "p50(e2e) > +47%", Inconclusive, "the limit lies between the bounds"},
		{"few", capture(2, 50, 1.5), "p99(e2e) > +10%", Inconclusive, "p99 takes 1000 requests on either side"},
		{"none", table.NewSet(), "p50(e2e) > +10%", Inconclusive, "requests on either side"},
		{"not compared", slower, "p99.9(e2e) > +10%", Inconclusive, "p99.9 was not compared"},
	} {
		conditions := conditions(t, c.condition)
		options := Options{Replicates: 400}.WithPercentiles(conditions)
		asked := fmt.Sprintf("%p %+v", c.new, options)
		if known[asked] == nil {
			comparison := Compare(base, c.new, options, change.Rule{})
			known[asked] = &comparison
		}
		got := JudgeChange(known[asked], conditions[0])
		if got.Outcome != c.outcome || !strings.Contains(got.Why, c.why) || (got.Why == "") != (c.why == "") {
			t.Errorf("%s: %s is %s (%+.3f, %+.3f to %+.3f, %s), want %s", c.name, c.condition, got.Outcome, got.Observed, got.Low, got.High, got.Why, c.outcome)
		}
		if got.Known && got.HasLow && got.HasHigh && (got.Observed < got.Low || got.Observed > got.High) {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

// comparedAs is a comparison with one percentile of the duration, of which the ratio is known.
func comparedAs(value, low, high float64) *Comparison {
	p := change.Percentile{P: stat.P99, Incidents: [2]int64{50, 50}, Outcome: change.Same}
	p.Ratio = stat.Estimate{Value: value, HasBounds: true, Bounds: stat.Bounds{Low: low, High: high}}
	r := &change.Result{N: [2]int64{1200, 1500}, Blocks: change.Blocks{Kind: change.Stretches, N: [2]int{30, 30}}, Percentiles: []change.Percentile{p}}
	return &Comparison{Metrics: []MetricChange{{Metric: "duration", Result: r}}, Rule: change.DefaultRule()}
}

// TestChangesAreJudgedByTheirBounds: a gate of a change fails when the lower bound is above
// the limit, passes when the upper bound is not, and is open in between, whatever the change
// is; and says with how many requests it would not be.
func TestChangesAreJudgedByTheirBounds(t *testing.T) {
	got := JudgeChange(comparedAs(1.026, 0.794, 1.368), conditions(t, "p99(e2e) > +10%")[0])
	if want := "the limit lies between the bounds; about 21000 requests on either side, over as much more time, would decide if the change stays what it is"; got.Outcome != Inconclusive || got.Why != want {
		t.Errorf("+2.6 %%, -20.6 %% to +36.8 %% is %s: %s", got.Outcome, got.Why)
	}
	rapid.Check(t, func(t *rapid.T) {
		draw := rapid.Float64Range(0.05, 8)
		at := []float64{draw.Draw(t, "a"), draw.Draw(t, "b"), draw.Draw(t, "c")}
		slices.Sort(at)
		more, less := rapid.IntRange(0, 700).Draw(t, "more"), rapid.IntRange(1, 95).Draw(t, "less")
		above, below := float64(more)/100, -float64(less)/100
		for text, want := range map[string]Outcome{
			fmt.Sprintf("> +%d%%", more): outcomeOf(at[0]-1 > above, at[2]-1 <= above),
			fmt.Sprintf("< -%d%%", less): outcomeOf(at[2]-1 < below, at[0]-1 >= below),
		} {
			got := JudgeChange(comparedAs(at[1], at[0], at[2]), conditions(t, "p99(e2e) "+text)[0])
			if got.Outcome != want || (got.Outcome == Inconclusive) != (got.Why != "") {
				t.Fatalf("%v %s: %s (%s), want %s", at, text, got.Outcome, got.Why, want)
			}
		}
	})
}

func outcomeOf(failed, passed bool) Outcome {
	switch {
	case failed:
		return Failed
	case passed:
		return Passed
	}
	return Inconclusive
}

// TestLevelsOfChanges: a stricter level never decides what a looser one leaves open, and is
// seen in the bounds.
func TestLevelsOfChanges(t *testing.T) {
	base, new := capture(1, 3000, 1), capture(2, 3000, 1.2)
	comparison := Compare(base, new, Options{Replicates: 400}, change.Rule{})
	levels := []float64{0.5, 0.2, 0.05, 0.01, 0.0001}
	decided := map[Outcome]bool{}
	for limit := 0; limit <= 80; limit += 2 {
		before := Judgement{Outcome: Failed}
		for k, level := range levels {
			j := JudgeChange(&comparison, conditions(t, fmt.Sprintf("p99(e2e) > +%d%% @%g", limit, level))[0])
			if k > 0 && (before.Outcome == Inconclusive && j.Outcome != Inconclusive || j.Low >= before.Low || j.High <= before.High) {
				t.Errorf("%+d %%: %s, %.3f to %.3f at %g; %s, %.3f to %.3f before", limit, j.Outcome, j.Low, j.High, level, before.Outcome, before.Low, before.High)
			}
			if j.Confidence != 1-level {
				t.Errorf("a confidence of %g at level %g", j.Confidence, level)
			}
			decided[j.Outcome], before = true, j
		}
	}
	if len(decided) != 3 {
		t.Errorf("only %v", decided)
	}
}

// TestOneIncidentIsNoChange: slow requests that all fall into one stretch of time tell of an
// incident, and not of what the next capture will be like.
func TestOneIncidentIsNoChange(t *testing.T) {
	base, new := capture(1, 3000, 1), capture(2, 3000, 1)
	for row := range new.Requests.Len() {
		if row < 300 {
			new.Requests.Stage[stage.Queue][row] += 60_000 * ms
			new.Requests.Duration[row] += 60_000 * ms
			new.Requests.End[row] += 60_000 * ms
		}
	}
	conditions := conditions(t, "p95(e2e) > +10%")
	comparison := Compare(base, new, Options{Replicates: 400}, change.Rule{})
	if got := JudgeChange(&comparison, conditions[0]); got.Outcome != Inconclusive || got.Observed < 1 {
		t.Fatalf("%+v", got)
	}
}
