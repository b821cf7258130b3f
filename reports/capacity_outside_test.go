package reports_test

import (
	"math"
	"strings"
	"testing"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/analyze/little"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/reports"
)

// ratioFrom is a ratio with bounds.
func ratioFrom(value, low, high float64, n int64) stat.Estimate {
	return stat.Estimate{Value: value, N: n, Method: analyze.MethodBlockRatio, HasBounds: true, Bounds: stat.Bounds{Low: low, High: high}}
}

// outsideOf adds what other sources tell of the load, the stage that is full, and what prefills
// cost.
func outsideOf(s *analyze.System) {
	s.Outside = []analyze.LittleAgainst{
		{
			Source: analyze.SourceReadings, Of: []string{"vllm-0 on gpu-a"}, From: began, To: began + 110_000*ms, CoveredNS: 100_000 * ms, N: 1000, Outside: 220,
			HasRates: true, RateTraced: 10, RateOutside: 10, HasInFlight: true, InFlightTraced: 80, InFlightOutside: 100,
			Rate: ratioFrom(1, .98, 1.02, 1000), InFlight: ratioFrom(.8, .77, .84, 1000), Time: ratioFrom(.8, .78, .83, 1000),
			Reading: little.Reading{Kind: little.Uncovered, MissingNS: 2e9, Text: "requests take less time in the traces than outside: a stage is in no span, 2 s a request"},
		},
		{Source: analyze.SourceLog, Of: []string{"nginx log of edge"}, Joined: 3, Why: "the log has too few lines in the time of the traces"},
	}
	grown := func(name string, quiet, busy, share float64) analyze.StageGrowth {
		return analyze.StageGrowth{Stage: name, Quiet: quiet, Busy: busy, Growth: ratioFrom(busy/quiet, .9*busy/quiet, 1.1*busy/quiet, 24), Share: ratioFrom(share, share-.1, share+.1, 24)}
	}
	s.Full = analyze.Full{
		Kind: analyze.FullFound, Stage: "gpu", Before: "queue", From: 1, Windows: 12, Blocks: 30, InFlight: grown("in_flight", 99.7, 248.6, 1), Rule: "a rule",
		Why:    "gpu holds 85.1 requests and 85.6 when 99.7 and 249 are in flight: it takes no more, and what comes beyond that waits in queue, 14.7 and 163",
		Stages: []analyze.StageGrowth{grown("queue", 14.7, 163, .99), grown("gpu", 85.05, 85.6, .01)},
	}
	p95 := func(ns, n int64) stat.Quantile { return stat.Quantile{P: stat.P95, N: n, Known: true, Value: ns} }
	rho := stat.Correlation{Estimate: stat.Estimate{Value: -.62, N: 12, Method: stat.MethodSpearman, HasBounds: true, Bounds: stat.Bounds{Low: -.89, High: -.05}}, P: .04, Effective: 10.4}
	s.Tradeoff = analyze.Tradeoff{
		WindowNS: 60_000 * ms, Metric: "itl", Prefill: "first-token", Windows: 12, Measured: 11, Judged: 10, Better: 1, Rule: "a rule",
		Points: []analyze.TradeoffPoint{
			{FromNS: began, ToNS: began + 60_000*ms, PrefillRate: 1000, TTFT: p95(400*ms, 300), Gap: p95(50*ms, 9000)},
			{FromNS: began + 60_000*ms, ToNS: began + 120_000*ms, PrefillRate: math.NaN(), TTFT: p95(200*ms, 300)},
		},
		Correlations: []analyze.TradeoffCorrelation{{Of: "ttft", With: "itl", Correlation: rho}},
		Listed: []analyze.TradeoffMove{{
			FromNS: began + 60_000*ms, TTFTBetter: true, TTFT: [2]int64{400 * ms, 200 * ms}, Gap: [2]int64{50 * ms, 200 * ms}, PrefillRate: [2]float64{1000, 8000},
			TTFTN: [2]int64{300, 310}, GapN: [2]int64{9000, 9100}, ChanceTTFT: 1e-6, ChanceGap: 1e-5, Adjusted: 1e-4,
		}},
	}
}

// TestOutsideInDocuments: what is unknown is null or says why, and never a number.
func TestOutsideInDocuments(t *testing.T) {
	docs := map[string]reports.Document{}
	capacities(docs)
	s := docs["capacity_system"].Capacity.System
	if l := s.Outside[0]; l.Reading != "stage_not_covered" || l.MissingNS == nil || *l.MissingNS != 2_000_000_000 || l.Rate == nil || *l.Rate.Low != .98 || l.SourceWords() != "readings of vllm-0 on gpu-a" {
		t.Errorf("%+v", l)
	}
	if l := s.Outside[1]; l.Reading != "cannot_say" || l.Rate != nil || l.InFlight != nil || l.RateTraced != nil || !strings.Contains(l.Words, "too few lines") || l.SourceWords() != "nginx log of edge" {
		t.Errorf("%+v", l)
	}
	if f := s.Full; f.Kind != "full" || f.Stage != "gpu" || f.InFlight == nil || len(f.Stages) != 2 || f.Stages[1].Growth == nil {
		t.Errorf("%+v", f)
	}
	tr := s.Tradeoff
	if tr.Points[1].PrefillRate != nil || tr.Points[1].GapNS != nil || *tr.Points[0].PrefillRate != 1000 || tr.Prefill != "first_token" {
		t.Errorf("%+v", tr.Points)
	}
	if m := tr.Moves[0]; m.Improved != "ttft" || m.P != 1e-5 || m.TTFT != 200*ms || m.GapN != 9100 {
		t.Errorf("%+v", m)
	}
	none := docs["capacity_refused"].Capacity.System
	if none.Full.Kind != "cannot_say" || none.Full.InFlight != nil || none.Interference.Verdict.Kind != string(analyze.KindTooFew) || len(none.Outside) != 0 {
		t.Errorf("%+v, %+v", none.Full, none.Interference.Verdict)
	}
}
