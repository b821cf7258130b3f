package analyze

import (
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

func has(list []stat.Warning, id string) bool {
	return slices.ContainsFunc(list, func(w stat.Warning) bool { return w.ID == id })
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.Abs(got-want) > tolerance {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// TestDocumentLatencies: five requests, 500 requests in 10 s, tokens and TPOT.
func TestDocumentLatencies(t *testing.T) {
	var five []given
	for i, d := range []int{100, 110, 120, 130, 2540} {
		five = append(five, given{id: uint64(i), times: times(stage.GPU, d*int(ms))})
	}
	s := Summarize(tables(five), Options{})
	if got := s.Duration.All.MeanNS(); got != 600*ms {
		t.Errorf("mean %d, want 600 ms", got)
	}
	if q := s.Duration.Quantiles[0]; !q.Known || q.Value != 120*ms {
		t.Errorf("p50 %+v, want 120 ms", q)
	}
	if q := s.Duration.Quantiles[3]; q.Known || q.Need != 299 {
		t.Errorf("p99 of five requests: %+v", q)
	}

	var stream []given
	for i := range 500 {
		stream = append(stream, given{id: uint64(i), start: int64(i) * 20 * ms, times: times(stage.GPU, 20*int(ms)), tokens: 10})
	}
	s = Summarize(tables(stream), Options{})
	near(t, "requests/s", s.Load.ArrivalRate(), 50, 1e-9)
	near(t, "tokens/s", s.Load.TokenRate(), 500, 1e-9)
	near(t, "concurrency", s.Load.InFlight.Mean(), 1, 1e-9)

	one := []given{{id: 1, times: times(stage.Queue, 500*int(ms), stage.GPU, 176*int(ms)), decode: 76 * ms, ttft: true, tokens: 4}}
	s = Summarize(tables(one), Options{})
	if got := s.TTFT.Slowest.NS; got != 600*ms {
		t.Errorf("TTFT %d, want 600 ms", got)
	}
	if got := s.TPOT.Slowest.NS; got != 25_333_333 {
		t.Errorf("TPOT %d ns, want 25333333", got)
	}
}

func TestPerOutputTokenIsUndefinedNotZero(t *testing.T) {
	base := given{times: times(stage.GPU, int(10*ms)), decode: 5 * ms}
	with := func(id uint64, tokens int64, ttft bool) given {
		g := base
		g.id, g.tokens, g.ttft = id, tokens, ttft
		return g
	}
	set := tables([]given{with(1, 0, true), with(2, 1, true), with(3, 2, false), with(4, 2, true), with(5, 2, true)})
	set.Requests.FirstToken[4] = set.Requests.End[4] + 1
	s := Summarize(set, Options{})
	if s.TPOT.N != 1 || s.TPOT.Slowest.NS != 5*ms {
		t.Errorf("TPOT: %+v", s.TPOT)
	}
	want := []Undefined{{"fewer than two output tokens", 1}, {"first token after the end", 1}, {"no first token recorded", 1}, {"no output tokens recorded", 1}}
	if diff := cmp.Diff(want, s.TPOT.Undefined); diff != "" {
		t.Errorf("undefined (-want +got):\n%s", diff)
	}
}

func TestSweepGolden(t *testing.T) {
	in := []Interval{{0, 4}, {1, 3}, {3, 6}, {8, 10}}
	c := Sweep(in, 0, 10)
	if c.Integral != stat.SumOf(11) || c.Peak != 2 || c.Arrivals != 4 {
		t.Errorf("whole window: %+v", c)
	}
	near(t, "mean", c.Mean(), 1.1, 1e-12)
	if diff := cmp.Diff([]int64{2, 5, 3}, c.At); diff != "" {
		t.Errorf("time at each concurrency (-want +got):\n%s", diff)
	}
	if c.Quantile(stat.P50) != 1 || c.Quantile(stat.P90) != 2 {
		t.Errorf("time-weighted P50 %d and P90 %d, want 1 and 2", c.Quantile(stat.P50), c.Quantile(stat.P90))
	}
	c = Sweep(in, 2, 5)
	if c.Integral != stat.SumOf(5) || c.Arrivals != 1 {
		t.Errorf("clipped window: %+v", c)
	}
	near(t, "clipped mean", c.Mean(), 1.6667, 5e-5)
}

// TestStagePercentilesDoNotAddUp shows why bands are used: the P99s of the stages
// add to 200 where the P99 of the total is 1000, and the band's mix adds up.
func TestStagePercentilesDoNotAddUp(t *testing.T) {
	requests := many(98, 0, given{times: times(stage.Queue, 100, stage.GPU, 100)})
	requests = append(requests, given{id: 98, times: times(stage.Queue, 900, stage.GPU, 100)}, given{id: 99, times: times(stage.Queue, 100, stage.GPU, 900)})
	set := tables(requests)
	var total, queue, gpu []int64
	for i := range set.Requests.Len() {
		total = append(total, set.Requests.Duration[i])
		queue = append(queue, set.Requests.Stage[stage.Queue][i])
		gpu = append(gpu, set.Requests.Stage[stage.GPU][i])
	}
	for _, c := range []struct {
		name   string
		values []int64
		want   int64
	}{{"total", total, 1000}, {"queue", queue, 100}, {"gpu", gpu, 100}} {
		if got := stat.QuantileOf(sorted(c.values), stat.P99); got.Known {
			t.Errorf("%s: a P99 of 100 requests was given", c.name)
		}
		if got := stat.NearestRank(sorted(c.values), stat.P99); got != c.want {
			t.Errorf("P99 of %s: %d, want %d", c.name, got, c.want)
		}
	}
	s := Summarize(set, Options{})
	top := s.Duration.Bands[3]
	if top.N != 2 || top.MeanNS() != 1000 || top.MeansNS() != times(stage.Queue, 500, stage.GPU, 500) {
		t.Errorf("p99-100: %+v", top)
	}
}

// tailCase is 170 usual requests and 20 slow ones: the smallest table whose p90
// tail has enough requests.
func tailCase(usual, slow [StageCount]int64) []given {
	requests := many(170, 0, given{times: usual})
	return append(requests, many(20, 1000, given{times: slow})...)
}

func TestAttributionGolden(t *testing.T) {
	usual := times(stage.Network, 10, stage.Gateway, 5, stage.Queue, 20, stage.Scheduling, 5, stage.GPU, 200, stage.Transfer, 10)
	slow := times(stage.Network, 12, stage.Gateway, 6, stage.Queue, 1520, stage.Scheduling, 20, stage.GPU, 230, stage.Transfer, 12)
	s := Summarize(tables(tailCase(usual, slow)), Options{})
	tail := s.Duration.Tail
	if !tail.Enough || tail.Q != stat.P90 || tail.Tail.N != 20 || tail.Body.N != 38 {
		t.Fatalf("tail %s of %d, body of %d", tail.Q, tail.Tail.N, tail.Body.N)
	}
	excess, total := tail.ExcessNS()
	if total != 1550 || excess != times(stage.Network, 2, stage.Gateway, 1, stage.Queue, 1500, stage.Scheduling, 15, stage.GPU, 30, stage.Transfer, 2) {
		t.Errorf("excess %v of %d", excess, total)
	}
	for k, want := range map[stage.Stage]float64{stage.Network: .13, stage.Gateway: .06, stage.Queue: 96.77, stage.Scheduling: .97, stage.GPU: 1.94, stage.Transfer: .13, stage.Application: 0} {
		near(t, "share of "+k.String(), 100*tail.Shares()[k], want, .005)
	}
	v := s.Verdict
	if v.Kind != KindLeads || v.Stage != stage.Queue || v.RunnerUp != stage.GPU || v.ExcessNS != 1550 || v.TailNS != 1800 || v.BodyNS != 250 {
		t.Errorf("verdict %+v", v)
	}
	if tail.Clusters != 20 || has(v.Caveats, FewIncidents) {
		t.Errorf("20 slow requests a second apart are 20 incidents, yet: %d, %v", tail.Clusters, v.Caveats)
	}
	if !has(v.Caveats, NoInterval) || v.Predicts || v.Interval.HasBounds {
		t.Errorf("slow requests that come all at the end have an interval: %+v", v)
	}
}

func TestTailStepsDown(t *testing.T) {
	for _, c := range []struct {
		n      int
		q      stat.Prob
		tail   int64
		enough bool
	}{
		{1, stat.P90, 1, false}, {189, stat.P90, 19, false}, {190, stat.P90, 20, true},
		{379, stat.P90, 38, true}, {380, stat.P95, 20, true}, {1899, stat.P95, 95, true}, {1900, stat.P99, 20, true},
	} {
		s := Summarize(tables(many(c.n, 0, given{times: times(stage.GPU, 100)})), Options{})
		tail := s.Duration.Tail
		if tail.Q != c.q || tail.Tail.N != c.tail || tail.Enough != c.enough || tail.Need != 190 {
			t.Errorf("n %d: %s tail of %d, enough %v, need %d; want %s, %d, %v, 190", c.n, tail.Q, tail.Tail.N, tail.Enough, tail.Need, c.q, c.tail, c.enough)
		}
		if s.Unattributed.TailQ != c.q || s.Unattributed.TailN != c.tail {
			t.Errorf("n %d: unattributed is not given for the tail: %+v", c.n, s.Unattributed)
		}
		if !c.enough && (tail.Shares() != nil || tail.Details != nil || s.Verdict.Kind != KindTooFew || !strings.Contains(s.Verdict.Reason, "190")) {
			t.Errorf("n %d: too few requests, yet %+v", c.n, s.Verdict)
		}
	}
}

func TestVerdictKinds(t *testing.T) {
	usual := times(stage.Queue, 10, stage.GPU, 90)
	for _, c := range []struct {
		name  string
		slow  [StageCount]int64
		kind  Kind
		stage stage.Stage
	}{
		{"queue alone", times(stage.Queue, 910, stage.GPU, 90), KindLeads, stage.Queue},
		{"gpu alone", times(stage.Queue, 10, stage.GPU, 990), KindLeads, stage.GPU},
		{"40 % and a lead of 10 points", times(stage.Queue, 10+400, stage.GPU, 90+300, stage.Transfer, 300), KindLeads, stage.Queue},
		{"just below 40 %", times(stage.Queue, 10+399, stage.GPU, 90+289, stage.Transfer, 289, stage.Network, 23), KindMixed, stage.Queue},
		{"lead of less than 10 points", times(stage.Queue, 10+451, stage.GPU, 90+352, stage.Transfer, 197), KindMixed, stage.Queue},
		{"a tie names the queue first", times(stage.Queue, 10+500, stage.GPU, 90+500), KindMixed, stage.Queue},
		{"excess just below 5 %", times(stage.Queue, 15, stage.GPU, 90), KindNone, 0},
		{"no excess", usual, KindNone, 0},
		{"unattributed at 20 % of the tail", times(stage.Queue, 10+700, stage.GPU, 90, stage.Unattributed, 200), KindUnattributed, stage.Queue},
		{"unattributed just below 20 %", times(stage.Queue, 10+701, stage.GPU, 90, stage.Unattributed, 200), KindLeads, stage.Queue},
		{"unattributed has the largest excess", times(stage.Queue, 10+10, stage.GPU, 90, stage.Unattributed, 20), KindUnattributed, stage.Queue},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := Summarize(tables(tailCase(usual, c.slow)), Options{}).Verdict
			if v.Kind != c.kind || v.HasShares && v.Stage != c.stage {
				t.Errorf("%s, %s (%s)", v.Kind, v.Stage, v.Reason)
			}
			if v.Reason == "" || v.Rule != DefaultRule() {
				t.Errorf("the verdict does not state its rule: %+v", v)
			}
		})
	}
}

// TestExcessAtTheLimit: 5 of 100 is 5 %, and enough.
func TestExcessAtTheLimit(t *testing.T) {
	v := Summarize(tables(tailCase(times(stage.Queue, 5, stage.GPU, 90), times(stage.Queue, 10, stage.GPU, 90))), Options{}).Verdict
	if v.Kind != KindLeads || v.Stage != stage.Queue {
		t.Errorf("%s (%s)", v.Kind, v.Reason)
	}
}

// TestUnattributedAboveTheLargestShare spreads an excess over seven stages: 17.6 % of
// the tail's time is unattributed, below the limit, but no stage has as much of the
// excess.
func TestUnattributedAboveTheLargestShare(t *testing.T) {
	usual := times(stage.Unattributed, 150)
	var slow [StageCount]int64
	for k := range slow {
		slow[k] = 100
	}
	slow[stage.Unattributed] = 150
	if v := Summarize(tables(tailCase(usual, slow)), Options{}).Verdict; v.Kind != KindUnattributed {
		t.Errorf("%s (%s)", v.Kind, v.Reason)
	}
}

func TestIncidentsAreCountedByGap(t *testing.T) {
	var requests []given
	for i, start := range []int64{50, 0, 10, 21, 31, 50} { // gaps of 10, 11, 10, 19 and 0
		requests = append(requests, given{id: uint64(i), start: start})
	}
	if got := clusters(tables(requests), []int32{0, 1, 2, 3, 4, 5}, 10); got != 3 {
		t.Errorf("%d incidents, want 3: a gap of 10 joins, one of 11 parts", got)
	}
	// 20 slow requests of 1000 ns in ten or nine incidents.
	for _, c := range []struct {
		incidents int
		few       bool
	}{{10, false}, {9, true}} {
		requests := tailCase(times(stage.GPU, 100), times(stage.Queue, 900, stage.GPU, 100))
		for i := range requests[170:] {
			requests[170+i].start = int64(i%c.incidents) * 10_000
		}
		s := Summarize(tables(requests), Options{})
		if s.Duration.Tail.Clusters != int64(c.incidents) || has(s.Verdict.Caveats, FewIncidents) != c.few {
			t.Errorf("%d incidents: %d were counted, caveats %v", c.incidents, s.Duration.Tail.Clusters, s.Verdict.Caveats)
		}
	}
}

func TestFewIncidentsAreACaveat(t *testing.T) {
	requests := tailCase(times(stage.GPU, 100), times(stage.Queue, 900, stage.GPU, 100))
	for i := range requests {
		if requests[i].times[stage.Queue] > 0 {
			requests[i].start = int64(i%3)*10_000 + int64(i) // three groups, each within 1000 ns
		}
	}
	s := Summarize(tables(requests), Options{})
	if s.Duration.Tail.Clusters != 3 {
		t.Fatalf("%d incidents, want 3", s.Duration.Tail.Clusters)
	}
	if len(s.Verdict.Caveats) != 1 || s.Verdict.Caveats[0].ID != FewIncidents || !strings.Contains(s.Verdict.Caveats[0].Text, "overlap in time and form 3 incidents: this describes them; it does not predict") {
		t.Errorf("caveats %v", s.Verdict.Caveats)
	}
}

func TestPopulation(t *testing.T) {
	gpu := times(stage.GPU, 100)
	set := tables([]given{
		{id: 1, times: gpu}, {id: 2, times: gpu}, {id: 3, times: gpu, err: true},
		{id: 4, class: critical.Incomplete, reason: "missing parent", times: gpu},
		{id: 5, class: critical.Incomplete, reason: "missing parent", times: gpu, err: true},
		{id: 6, class: critical.Incomplete, reason: "no root", times: gpu},
		{id: 7, class: critical.Unfinished, reason: "root never ended"},
		{id: 8, class: critical.Broken, reason: "cycle"},
		{id: 9, times: gpu},
	})
	set.Requests.Stage[stage.Queue][8] = 1 // breaks the sum
	for _, c := range []struct {
		name string
		opt  Options
		n    int64
		out  []Exclusion
	}{
		{"default", Options{}, 2, []Exclusion{
			{"incomplete", "missing parent", 2}, {"incomplete", "no root", 1}, {"unfinished", "root never ended", 1}, {"broken", "cycle", 1},
			{ExcludedError, "", 1}, {ExcludedInvalid, "stage times do not add up to the duration", 1}}},
		{"with incomplete", Options{Incomplete: Include}, 4, []Exclusion{
			{"unfinished", "root never ended", 1}, {"broken", "cycle", 1}, {ExcludedError, "", 2}, {ExcludedInvalid, "stage times do not add up to the duration", 1}}},
		{"only incomplete, with errors", Options{Incomplete: Only, Errors: Include}, 3, []Exclusion{
			{"complete", "", 4}, {"unfinished", "root never ended", 1}, {"broken", "cycle", 1}}},
		{"only errors", Options{Errors: Only}, 1, []Exclusion{
			{"incomplete", "missing parent", 2}, {"incomplete", "no root", 1}, {"unfinished", "root never ended", 1}, {"broken", "cycle", 1},
			{ExcludedSuccess, "", 2}, {ExcludedInvalid, "stage times do not add up to the duration", 1}}},
	} {
		p := Summarize(set, c.opt).Population
		if p.N != c.n || p.Requests != 9 {
			t.Errorf("%s: %d of %d requests, want %d of 9", c.name, p.N, p.Requests, c.n)
		}
		if diff := cmp.Diff(c.out, p.Excluded); diff != "" {
			t.Errorf("%s: excluded (-want +got):\n%s", c.name, diff)
		}
		if p.Errors.N != 1 || p.Errors.Of != 4 {
			t.Errorf("%s: errors %+v, want 1 of 4 complete", c.name, p.Errors)
		}
	}
	if got := Summarize(table.NewSet(), Options{}); got.Verdict.Kind != KindTooFew || len(got.Warnings) != 1 || got.Warnings[0].ID != NoRequests {
		t.Errorf("no requests: %+v %+v", got.Verdict, got.Warnings)
	}
}

func TestSampling(t *testing.T) {
	weights := func(w ...float64) *table.Set {
		var requests []given
		for i := range 300 {
			requests = append(requests, given{id: uint64(i), times: times(stage.GPU, 100+i), weight: w[i%len(w)]})
		}
		return tables(requests)
	}
	for _, c := range []struct {
		set    *table.Set
		kind   SamplingKind
		biased bool
	}{
		{weights(0), SamplingUnknown, false}, {weights(1), SamplingNone, false}, {weights(4), SamplingUniform, false},
		{weights(1, 10), SamplingWeighted, true}, {weights(4, 0), SamplingPartial, true},
	} {
		s := Summarize(c.set, Options{})
		if got := s.Population.Sampling; got.Kind != c.kind || got.Biased() != c.biased {
			t.Errorf("sampling %+v, want %s", got, c.kind)
		}
		if has := s.Duration.Quantiles[0].Weighted != nil; has != (c.kind == SamplingWeighted) {
			t.Errorf("%s: weighted percentile %v", c.kind, has)
		}
		if has := len(s.Verdict.Caveats) > 0 && s.Verdict.Caveats[0].ID == KeptTraces; has != c.biased {
			t.Errorf("%s: caveats %v", c.kind, s.Verdict.Caveats)
		}
	}
	set := weights(0)
	scope := set.Scopes.Grow()
	set.Scopes.ScopeAttributes.Add(set.Symbols.Intern("tailsampling.policy"), table.StringValue("slow"))
	if got := Summarize(set, Options{}).Population.Sampling; scope != 0 || got.Kind != SamplingSuspected || got.Mark != "tailsampling.policy" {
		t.Errorf("a tail sampler's mark was not seen: %+v", got)
	}
	// Odd rows count for ten: the weighted median is a slower request than the plain one.
	var slowHeavy []given
	for i := range 300 {
		w := 1.0
		if i >= 150 {
			w = 10
		}
		slowHeavy = append(slowHeavy, given{id: uint64(i), times: times(stage.GPU, 1+i), weight: w})
	}
	q := Summarize(tables(slowHeavy), Options{}).Duration.Quantiles[0]
	if q.Value != 150 || !q.Weighted.Known || q.Weighted.Value != 150+68 || q.WeightedExemplar.TraceID[15] != 150+67 {
		t.Errorf("median %d, weighted %+v", q.Value, q.Weighted)
	}
}

func TestConservationIsReported(t *testing.T) {
	set := tables(many(3, 0, given{times: times(stage.GPU, 5)}))
	want := Conservation{In: 12, OnPath: 6, OffPath: 3, Excluded: 3, Requests: 3, Balanced: true}
	if got := Summarize(set, Options{}).Conservation; got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	set.Requests.SpansOffPath[1]++
	s := Summarize(set, Options{})
	if s.Conservation.Balanced || s.Conservation.OutOfSync != 1 || s.Warnings[len(s.Warnings)-1].ID != SpanAccount {
		t.Errorf("a span too many went unnoticed: %+v", s.Conservation)
	}
}

func TestExcessIsExact(t *testing.T) {
	third := times(stage.Queue, 1, stage.GPU, 1)
	requests := tailCase(third, times(stage.Queue, 5, stage.GPU, 2))
	requests[0].times[stage.GPU] = 0 // makes thirds in neither group's favour
	tail := Summarize(tables(requests), Options{}).Duration.Tail
	sum := new(big.Rat)
	for _, d := range tail.Excess() {
		sum.Add(sum, d)
	}
	if sum.Cmp(tail.Total()) != 0 {
		t.Errorf("excesses add to %v, the total is %v", sum, tail.Total())
	}
}
