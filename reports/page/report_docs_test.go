package page

import (
	"math"
	"strings"
	"testing"

	"github.com/tailpath/tailpath/reports"
)

// to returns a pointer to a value.
func to[T any](v T) *T { return &v }

const (
	millis = int64(1e6)
	second = int64(1e9)
	minute = 60 * second
)

// richReport is a report of a week that has everything: it stands on documents that package
// reports keeps, and has a baseline of three weeks of which one is incomplete.
func richReport(t testing.TB) reports.Document {
	d := readDocument(t, "queue")
	d.Kind = reports.KindReport
	d.Command = []string{"tailpath", "report", "incident/", "--slo", "p99(e2e) < 2s"}
	d.Capacity, d.Inspect, d.Compare = readDocument(t, "capacity").Capacity, readDocument(t, "inspect").Inspect, readDocument(t, "compare").Compare
	d.Requests = append(readDocument(t, "explain_two").Requests, readDocument(t, "explain_joined").Requests...)
	for _, r := range d.Requests {
		for i := range r.Rows { // what is done about escape sequences in names is not the matter here
			r.Rows[i].Label = strings.ReplaceAll(r.Rows[i].Label, "\x1b[31m", "")
		}
	}
	d.Conditions = readDocument(t, "summary_gated").Conditions
	d.Queue.Summary.Objectives = readDocument(t, "summary_slo").Summary.Objectives
	s := &d.Queue.Summary
	start := s.Load.StartNS
	slow, stalled := d.Requests[0], d.Requests[2]
	ref := func(r reports.Request) reports.RequestRef {
		return reports.RequestRef{TraceID: r.TraceID, RootSpanID: r.RootSpanID, NS: r.DurationNS}
	}
	d.Report = &reports.Report{
		Kind: reports.Weekly, Scope: "1,983 of 2,001 requests",
		Week: &reports.Week{
			Name: "2026-W10", Zone: "Europe/Berlin", StartNS: start - 14*3600*second, EndNS: start + 154*3600*second,
			Start: "2026-03-02T00:00:00+01:00", End: "2026-03-09T00:00:00+01:00", CoveredNS: 160 * 3600 * second, Complete: true,
		},
		Banner:       []reports.Warning{{ID: "sampled-traces", Text: "traces are a sample, each for the same number of requests"}},
		Before:       richBefore(s),
		BaselineFrom: "tables",
		Verdicts:     richVerdicts(s),
		Moved:        &reports.Moved{Q: "p99", OldNS: 3_700_000_000, NewNS: s.Duration.Tail.Tail.MeanNS, OldN: 22, NewN: s.Duration.Tail.Tail.N},
		Bottlenecks: []reports.Bottleneck{
			{
				ID: "queue-engine-1a2b3c", Stage: "queue", Detail: "engine", Scope: []reports.ScopeField{{Field: "model", Values: []string{"llama3-70b"}}, {Field: "host", Values: []string{"gpu-1", "gpu-2"}}},
				Words: "queue/engine of model llama3-70b, of host gpu-1 or gpu-2: 71.2 request-seconds above the median", FromNS: start + 26*minute, ToNS: start + 28*minute,
				From: "2026-03-02T14:26:00.623885685Z", To: "2026-03-02T14:28:00.623885685Z", Hit: 15, Of: 612, Excess: 71.25, Share: 0.7125, Q: "p99", GainNS: to(847 * millis),
				Confidence: "leads", Why: "queue is the largest, and few incidents speak", Exemplars: []reports.RequestRef{ref(d.Requests[1]), ref(d.Requests[1]), ref(slow)},
				Check: "look at the slots of the engine: vllm --max-num-seqs", Weeks: 3, Since: "2026-W08",
			},
			{
				ID: "gpu-prefill-4d5e6f", Stage: "gpu", Detail: "prefill", Words: "gpu/prefill: 20.1 request-seconds above the median", Hit: 40, Of: 1983, Excess: 20.1, Share: 0.201, Q: "p99",
				Confidence: "describes", Exemplars: []reports.RequestRef{ref(slow)}, Check: "look at the lengths of prompts", Weeks: 1, Since: "2026-W10",
			},
		},
		OpenItems: []reports.OpenItem{
			{ID: "queue-engine-1a2b3c", Words: "queue/engine of model llama3-70b", State: "worse", Before: 30.5, Now: to(71.25), Why: "0.116 request-seconds a request against 0.05"},
			{ID: "network-hop-778899", Words: "network/hop", State: "gone", Before: 12.25},
			{ID: "transfer-aabbcc", Words: "transfer", State: "unknown", Before: 3, Why: "the stage is not recorded now"},
		},
		Distribution:      richDistributions(s),
		Heat:              richHeat(start),
		Hours:             []reports.HourOfWeek{{Day: 0, Hour: 14, N: 1200, P50: to(2100 * millis), P99: to(4140 * millis)}, {Day: 0, Hour: 15, N: 40, P50: to(2 * second)}, {Day: 1, Hour: 14, N: 743, P50: to(2 * second), P99: to(3 * second)}},
		TimelineIncidents: 1,
		Timeline: []reports.Moment{
			{AtNS: start, At: "2026-03-02T14:00:00.623885685Z", What: "the first stage to deviate: queue"},
			{AtNS: start + 26*minute, At: "2026-03-02T14:26:00.623885685Z", What: "onset: more requests wait in the queue than in quiet"},
		},
		Impact: reports.Impact{
			Over:   []reports.Over{{Objective: s.Objectives[0].Objective, Missed: 60, Asked: 1983, BudgetNS: to(61 * minute), Budget: to(0.1513)}},
			Excess: 100, Requests: 1995, Failed: 12, GivenUp: 3, UserField: "enduser.id", Users: to(int64(17)), UsersOf: to(int64(420)),
		},
		Streams: []reports.Stream{
			{Request: ref(slow), FirstNS: 500 * millis, EndNS: 900 * millis, AtNS: []int64{500 * millis, 520 * millis, 541 * millis}, P50NS: to(20 * millis), P99NS: to(45 * millis), Gaps: 157_000},
			{
				Request: ref(stalled), FirstNS: 610 * millis, EndNS: 1248 * millis, AtNS: []int64{610 * millis, 630 * millis, 652 * millis, 1040 * millis, 1060 * millis, 1081 * millis},
				Tokens: []int64{1, 1, 1, 2, 1, 1}, P50NS: to(20 * millis), P99NS: to(45 * millis), Gaps: 157_000,
			},
		},
		Exemplars:   []reports.Exemplar{{Request: ref(slow), Role: "worst"}, {Request: ref(slow), Role: "worst", Of: "queue-engine-1a2b3c"}, {Request: ref(d.Requests[1]), Role: "p99"}},
		Definitions: []reports.Definition{{Metric: "change", ID: "mover_95", Text: "now less before; the interval combines the two separate ones"}},
	}
	m := d.Report.Moved
	rest := m.NewNS - m.OldNS
	for _, x := range []struct {
		stage    string
		old, new int64
	}{{"queue", 1_400_000_000, 3_358_417_647}, {"gpu", 2_290_000_000, 2_226_777_456}, {"network", 4_000_000, 9_000_000}, {"application", 0, 0}} {
		m.Stages = append(m.Stages, reports.MovedStage{Stage: x.stage, OldNS: x.old, NewNS: x.new, Change: x.new - x.old, Share: to(float64(x.new-x.old) / float64(rest))})
	}
	// What is left of either sum is unattributed.
	last := reports.MovedStage{Stage: "unattributed", OldNS: m.OldNS, NewNS: m.NewNS}
	for _, x := range m.Stages {
		last.OldNS, last.NewNS = last.OldNS-x.OldNS, last.NewNS-x.NewNS
	}
	last.Change = last.NewNS - last.OldNS
	last.Share = to(float64(last.Change) / float64(rest))
	m.Stages = append(m.Stages, last)
	return d
}

// richBefore are three weeks, the first incomplete, each a bit faster than the next.
func richBefore(s *reports.Summary) (out []reports.Before) {
	for i, name := range []string{"2026-W07", "2026-W08", "2026-W09"} {
		b := reports.Before{Name: name, Complete: i > 0, Requests: 1500 + int64(i)*100, SlowQ: "p99"}
		for _, m := range []reports.Percentiles{s.Duration.Percentiles, s.TTFT.Percentiles} {
			earlier := m
			earlier.Percentiles = nil
			for _, p := range m.Percentiles {
				for _, v := range []**int64{&p.ValueNS, &p.LowNS, &p.HighNS} {
					if *v != nil {
						*v = to(**v * int64(6+i) / 10)
					}
				}
				earlier.Percentiles = append(earlier.Percentiles, p)
			}
			b.Metrics = append(b.Metrics, earlier)
		}
		if i > 0 {
			slow := s.Duration.Tail.Tail
			slow.MeanNS, slow.Stages = slow.MeanNS*int64(6+i)/10, nil
			for _, x := range s.Duration.Tail.Tail.Stages {
				x.MeanNS = x.MeanNS * int64(6+i) / 10
				slow.Stages = append(slow.Stages, x)
			}
			b.Slow = &slow
		}
		out = append(out, b)
	}
	return out
}

// richVerdicts has a row of each kind: higher, lower, no more than chance, and unknown.
func richVerdicts(s *reports.Summary) (out []reports.VerdictRow) {
	row := func(r reports.VerdictRow, now, last, median, low, high float64) {
		around := func(v float64, n int64) reports.Compact {
			c := reports.Compact{Value: to(v), Low: to(0.95 * v), High: to(1.06 * v), N: n}
			if r.Unit == "share" {
				c.High = to(min(*c.High, 1))
			}
			return c
		}
		r.Now, r.Last, r.Median, r.Of4 = around(now, 1983), around(last, 1700), to(median), 2
		r.Change, r.Percent = &reports.Figure{Value: now - last, Low: to(low), High: to(high), N: 1700, Method: "mover"}, to((now-last)/last)
		out = append(out, r)
	}
	row(reports.VerdictRow{Metric: "duration", P: "p50", Unit: "ns", Outcome: "same"}, 2_106_604_003, 2_090_000_000, 2_000_000_000, -40_000_000, 70_000_000)
	row(reports.VerdictRow{Metric: "duration", P: "p99", Unit: "ns", Outcome: "higher"}, 4_141_332_163, 3_000_000_000, 2_900_000_000, 300_000_000, 2_100_000_000)
	out = append(out, reports.VerdictRow{Metric: "duration", P: "p99.9", Unit: "ns", Now: reports.Compact{N: 1983}, Outcome: "unknown", Why: "it needs 3,688 requests, n = 1,983"})
	row(reports.VerdictRow{Metric: "ttft", P: "p50", Unit: "ns", Outcome: "lower"}, 180_400_000, 231_200_000, 222_000_000, -60_000_000, -41_000_000)
	for _, p := range s.TPOT.Percentiles[:1] {
		row(reports.VerdictRow{Metric: "tpot", P: p.P, Unit: "ns", Outcome: "same"}, 21_900_000, 22_100_000, 22_000_000, -900_000, 500_000)
	}
	requests := reports.VerdictRow{Metric: "requests", Unit: "requests", Outcome: "higher", Median: to(1650.0), Of4: 4, Percent: to(283.0 / 1700)}
	requests.Now, requests.Last = reports.Compact{Value: to(1983.0), Low: to(1983.0), High: to(1983.0), N: 1983}, reports.Compact{Value: to(1700.0), Low: to(1700.0), High: to(1700.0), N: 1700}
	requests.Change = &reports.Figure{Value: 283, Low: to(283.0), High: to(283.0)}
	out = append(out, requests)
	row(reports.VerdictRow{Metric: "errors", Unit: "share", Outcome: "same"}, 0.006015, 0.0058, 0.005, -0.003, 0.004)
	row(reports.VerdictRow{Metric: "slo", Of: s.Objectives[0].Objective, Unit: "share", Outcome: "lower"}, 0.9697, 0.9912, 0.992, -0.03, -0.013)
	row(reports.VerdictRow{Metric: "budget", Of: s.Objectives[0].Objective, Unit: "ns", Outcome: "higher"}, float64(61*minute), float64(20*minute), float64(18*minute), float64(30*minute), float64(50*minute))
	return out
}

// richDistributions have the percentiles of the summary at their places.
func richDistributions(s *reports.Summary) (out []reports.Distribution) {
	for _, m := range []reports.Percentiles{s.Duration.Percentiles, s.TTFT.Percentiles} {
		x := reports.Distribution{Metric: m.Metric, N: m.N, MeanNS: to(s.Duration.All.MeanNS)}
		for i := range 30 {
			above := math.Pow(10, -float64(i)/10)
			x.Quantiles = append(x.Quantiles, reports.Quantile{Above: above, NS: 200*millis + int64(i)*int64(i)*9*millis})
		}
		x.Quantiles = append(x.Quantiles, reports.Quantile{Above: 1 / float64(m.N), NS: m.Slowest.NS})
		x.Edges, x.Counts = []int64{100 * millis, second, 2 * second, 4 * second, 8 * second, 16 * second}, []int64{3, 400, m.N - 423, 20, 0}
		out = append(out, x)
	}
	return out
}

// richHeat has sixteen stretches, of which the fourteenth is an incident.
func richHeat(start int64) *reports.Heat {
	h := &reports.Heat{Clock: "wall", Levels: []int64{100 * millis, second, 4 * second, 10 * second}}
	first := start / (2 * minute) * 2 * minute
	for i := range int64(17) {
		h.Times = append(h.Times, first+i*2*minute)
	}
	for i := range 16 {
		n := int64(110 + i)
		h.N = append(h.N, n)
		h.P50, h.Prompt, h.Output = append(h.P50, to(2*second+int64(i)*10*millis)), append(h.Prompt, to(int64(980+i))), append(h.Output, to(int64(80+i)))
		h.Rate, h.Tokens = append(h.Rate, to(float64(n)/120)), append(h.Tokens, to(80*float64(n)/120))
		var p99 *int64
		depth, share := 0.05, 0.013
		switch i {
		case 0: // too few for a p99
		case 13:
			p99, depth, share = to(7*second), 2.5, 0.61
		default:
			p99 = to(3*second + int64(i)*millis)
		}
		h.P99, h.Depth, h.Queue = append(h.P99, p99), append(h.Depth, to(depth)), append(h.Queue, to(share))
		h.Counts = append(h.Counts, []int64{2, n - 7, 5})
	}
	return h
}

// emptyReport is a report of no request.
func emptyReport(kind string) reports.Document {
	return reports.Document{
		Schema: reports.SchemaName, SchemaVersion: reports.SchemaVersion, Kind: reports.KindReport, Tool: reports.Tool{Name: "tailpath", Version: "0.0.0"},
		Command: []string{"tailpath", "report", "nothing/"}, Headline: "no request was found", Queue: &reports.Queue{}, Capacity: &reports.Capacity{}, Inspect: &reports.Inspect{},
		Report: &reports.Report{Kind: kind, BaselineFrom: "none"},
	}
}

// hostileReport is a report whose names look like markup, formulas and tables, and in which what
// belongs together does not fit.
func hostileReport(t testing.TB) reports.Document {
	d := richReport(t)
	const name = "</script><b>|`x`|=SUM(A)|@all"
	r := d.Report
	r.Scope, r.Week.Name, r.Banner[0].Text = name, name, name
	r.Bottlenecks[0].ID, r.Bottlenecks[0].Words, r.Bottlenecks[0].Confidence, r.Bottlenecks[0].Check = name, name, name, name
	r.Bottlenecks[0].Scope[0] = reports.ScopeField{Field: name, Values: []string{name, strings.Repeat("long ", 30)}}
	r.OpenItems[0].State, r.Verdicts[0].Outcome, r.Verdicts[1].Metric, r.Verdicts[2].Why = name, name, name, name
	r.Distribution[0].Edges = r.Distribution[0].Edges[1:]
	r.Heat.Counts, r.Heat.P99, r.Heat.N = r.Heat.Counts[1:], r.Heat.P99[:3], nil
	r.Streams[1].AtNS = []int64{-1, 0}
	r.Hours = append(r.Hours, reports.HourOfWeek{Day: 9, Hour: 99, N: 1})
	d.Queue.Candidates[0].Name, d.Queue.Candidates[0].Speaks = name, name
	d.Requests[0].TraceID, d.Requests[0].Rows[0].Depth, d.Requests[0].Rows[1].Label = name, -4, name
	d.Command, d.Inputs[0].Name, d.Quality[0].Advice = append(d.Command, name), name, name
	d.Requests = d.Requests[:1]
	return d
}
