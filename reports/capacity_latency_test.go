package reports_test

import (
	"testing"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/analyze/serving"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/reports"
)

// latencyOver returns a metric of n values of 1 to n steps, with an interval of its mean.
func latencyOver(metric, definition string, n int, step int64, bounds bool) analyze.LatencyOf {
	values := make([]int64, n)
	for i := range values {
		values[i] = int64(i+1) * step
	}
	l := analyze.LatencyOf{Metric: metric, Definition: definition, Rate: metric == "generation_rate", N: int64(n)}
	l.Mean = stat.Estimate{Value: float64(step) * float64(n+1) / 2, N: int64(n), Method: analyze.MethodBlocks, HasBounds: bounds}
	if l.Mean.Bounds = (stat.Bounds{Low: l.Mean.Value * .9, High: l.Mean.Value * 1.2}); !bounds {
		l.Mean.Method, l.Mean.Bounds = "exact", stat.Bounds{}
		l.Mean.Warnings = []stat.Warning{{ID: analyze.NoInterval, Text: "the time divides into 8 blocks of ten mean durations and five requests, resampling takes 10"}}
	}
	for _, p := range []stat.Prob{stat.P50, stat.P95, stat.P99, stat.P999} {
		q := analyze.LatencyQuantile{Quantile: stat.QuantileOf(values, p)}
		if q.HasLow || q.HasHigh {
			q.Bounds = analyze.MethodOrder
		}
		l.Quantiles = append(l.Quantiles, q)
	}
	return l
}

// overTime gives a system what it tells of latency, levels, rates and batches over time.
func overTime(s *analyze.System) {
	r := &s.Serving
	half := r.FromNS + (r.ToNS-r.FromNS)/2
	all := func(n int, bounds bool) []analyze.LatencyOf {
		return []analyze.LatencyOf{
			latencyOver("e2e", "e2e", n, 5*ms, bounds), latencyOver("ttft", "ttft", n, ms, bounds), latencyOver("tpot", "tpot_to_end", n, ms/10, bounds),
			latencyOver("generation_rate", "generation_rate", n, analyze.RateScale/4, bounds),
		}
	}
	s.Latency = analyze.SystemLatency{N: 400, Whole: all(400, true), Stretches: []analyze.LatencyStretch{
		{Stretch: serving.Stretch{FromNS: r.FromNS, ToNS: half}, N: 380, Of: all(380, false)}, {Stretch: serving.Stretch{FromNS: half, ToNS: r.ToNS}, N: 20, Of: all(20, false)},
	}}
	for i := range r.Engines {
		e := &r.Engines[i]
		e.Over = []serving.Use{{BusyNS: e.BusyNS, PresentNS: e.PresentNS, IdleWaitingNS: e.IdleWaitingNS, UnseenNS: e.UnseenNS}, {}}
	}
	level := analyze.SystemLevel{Of: "in_flight", Level: r.Whole.InFlight, Mean: stat.Estimate{Value: r.Whole.InFlight.Mean(), N: 30, Method: analyze.MethodBlocks, HasBounds: true, Bounds: stat.Bounds{Low: .5, High: 9}}}
	level.Percentiles = []analyze.LevelPercentile{{P: stat.P50, Value: r.Whole.InFlight.P50, HasBounds: true, Low: 0, High: 7}, {P: stat.P999, Value: r.Whole.InFlight.P999, Why: "neighbouring times are alike"}}
	s.Levels = []analyze.SystemLevel{level}
	s.Rates = []analyze.SystemRate{
		{Of: "arrivals", Rate: stat.Estimate{Value: r.Whole.ArrivalRate(), N: r.Whole.Arrivals, Method: analyze.MethodBlocks, HasBounds: true, Bounds: stat.Bounds{Low: 1, High: 4}}},
		{Of: "output_tokens", Definition: string(r.Output), AtLeast: true, Rate: stat.Estimate{Value: r.Whole.OutputRate(r.Output), N: r.Whole.Output.Counted, Method: "exact",
			Warnings: []stat.Warning{{ID: analyze.NoInterval, Text: "neighbouring times are alike"}}}},
	}
	sizes := []int64{1, 2, 2, 4, 4, 4, 8, 8}
	s.Batches = analyze.SystemBatches{Executing: r.Executing, Engines: []analyze.EngineBatches{{
		Name: "vllm-0 on gpu-a", Executing: r.Executing, Batches: &analyze.BatchSizes{N: 8, Basis: "equal start of execution", Mean: 4.125, Quantiles: []stat.Quantile{stat.QuantileOf(sizes, stat.P50), stat.QuantileOf(sizes, stat.P95), stat.QuantileOf(sizes, stat.P99)}, Peak: 8},
		Readings: []analyze.BatchReading{{Metric: "running", N: 24, Mean: 3.5, P50: 3, P95: 7, P99: 8, Peak: 8}},
	}}}
}

// TestLatencyInADocument: what is not known is null with what it takes, and rates are a second.
func TestLatencyInADocument(t *testing.T) {
	s := systemServed(true)
	d := run("capacity").Capacity(analyze.Capacity{System: s})
	x := d.Capacity.System
	e2e := x.Latency.Of[0]
	if e2e.Metric != "e2e" || e2e.N != 400 || e2e.Mean.Value != float64(1002*ms+ms/2) || *e2e.Mean.High != e2e.Mean.Value*1.2 || len(x.Latency.Of) != 3 {
		t.Errorf("%+v", e2e)
	}
	if p := e2e.Percentiles[2]; p.P != "p99" || *p.ValueNS != 1980*ms || p.LowNS == nil || p.Method != analyze.MethodOrder {
		t.Errorf("%+v", p)
	}
	if p := e2e.Percentiles[3]; p.P != "p99.9" || p.ValueNS != nil || p.LowNS != nil || p.Need != 2995 || p.Method != "" {
		t.Errorf("%+v", p)
	}
	if g := x.Latency.Generation; g.N != 400 || g.Mean.Value != 50.125 || *g.Percentiles[0].Value != 50 || g.Percentiles[3].Value != nil {
		t.Errorf("%+v", g)
	}
	if len(x.Stretches) != 2 || x.Stretches[0].Of[0].Mean.Low != nil || len(x.Stretches[0].Of[0].Warnings) == 0 {
		t.Errorf("%+v", x.Stretches)
	}
	first, second := x.Stretches[0].Use, x.Stretches[1].Use
	if first == nil || first.N != 2 || first.Busy <= 0 || first.IdleWaiting == nil || second.Busy != 0 || second.IdleWaiting != nil {
		t.Errorf("%+v, %+v", first, second)
	}
	if x.Stretch(x.FromNS, x.Stretches[0].ToNS) == nil || x.Stretch(x.FromNS, x.ToNS) != nil {
		t.Error("a stretch is found by its times")
	}
	in := x.Levels[0]
	if in.Bounds == nil || *in.Bounds.High != 9 || *in.Percentiles[0].High != 7 || in.Percentiles[1].Low != nil || in.Percentiles[1].Why == "" || x.Levels[1].Bounds != nil {
		t.Errorf("%+v", x.Levels)
	}
	if r := x.Rates; *r[0].Rate.Low != 1 || r[1].Rate.Low != nil || r[1].Why != "neighbouring times are alike" || !r[1].AtLeast {
		t.Errorf("%+v", r)
	}
	b := x.Batches.Engines[0]
	if b.Batches.N != 8 || *b.Batches.Percentiles[0].Value != 4 || b.Batches.Percentiles[1].Value != nil || b.Readings[0] != (reports.BatchReading{Metric: "running", N: 24, Mean: 3.5, P50: 3, P95: 7, P99: 8, Peak: 8}) {
		t.Errorf("%+v", b)
	}
}
