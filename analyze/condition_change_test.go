package analyze

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tailpath/tailpath/analyze/change"
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
	base := capture(1, 3000, 1)
	for _, c := range []struct {
		name      string
		new       *table.Set
		condition string
		outcome   Outcome
		why       string
	}{
		{"slower", capture(2, 3000, 1.5), "p99(e2e) > +10% @0.05", Failed, ""},
		{"slower", capture(2, 3000, 1.5), "p50(ttft) > +10%", Failed, ""},
		{"slower", capture(2, 3000, 1.5), "p50(tpot) > +10% @0.01", Failed, ""},
		{"slower, within the limit", capture(2, 3000, 1.5), "p50(e2e) > +100%", Passed, ""},
		{"slower, and faster was feared", capture(2, 3000, 1.5), "p50(e2e) < -10%", Passed, ""},
		{"faster", capture(2, 3000, 0.6), "p50(e2e) < -10%", Failed, ""},
		{"faster, and slower was feared", capture(2, 3000, 0.6), "p50(e2e) > +10%", Passed, ""},
		{"the same", capture(2, 3000, 1), "p50(e2e) > +10%", Passed, ""},
		{"perhaps slower", capture(5, 3000, 1.02), "p99(e2e) > +0.1% @0.0001", Inconclusive, "chance makes such a change with a probability of"},
		{"few", capture(2, 50, 1.5), "p99(e2e) > +10%", Inconclusive, "p99 takes 1000 requests on either side"},
		{"none", table.NewSet(), "p50(e2e) > +10%", Inconclusive, "requests on either side"},
		{"not compared", capture(2, 3000, 1.5), "p99.9(e2e) > +10%", Inconclusive, "p99.9 was not compared"},
	} {
		conditions := conditions(t, c.condition)
		comparison := Compare(base, c.new, Options{Replicates: 400}.WithPercentiles(conditions), change.Rule{})
		got := JudgeChange(&comparison, conditions[0])
		if got.Outcome != c.outcome || !strings.Contains(got.Why, c.why) || (got.Why == "") != (c.why == "") {
			t.Errorf("%s: %s is %s (%+.3f, %+.3f to %+.3f, %s), want %s", c.name, c.condition, got.Outcome, got.Observed, got.Low, got.High, got.Why, c.outcome)
		}
		if got.Known && got.HasLow && got.HasHigh && (got.Observed < got.Low || got.Observed > got.High) {
			t.Errorf("%s: %+v", c.name, got)
		}
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
