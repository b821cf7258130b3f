package page

import (
	"strings"
	"testing"

	"github.com/tailpath/tailpath/reports"
)

func pointer(v int64) *int64 { return &v }

// metricOf returns a metric with its p50 and p95; what is 0 is not known.
func metricOf(name string, n, p50, low, high, p95 int64) reports.MetricLatency {
	m := reports.MetricLatency{Metric: name, Definition: name, N: n, Mean: &reports.Figure{Value: float64(p50), N: n}}
	for _, x := range []struct {
		p             string
		value, lo, hi int64
		need          int64
	}{{"p50", p50, low, high, 5}, {"p95", p95, 0, 0, 59}} {
		q := reports.LatencyPercentile{P: x.p, Need: x.need}
		if x.value > 0 {
			q.ValueNS = pointer(x.value)
		}
		if x.lo > 0 {
			q.LowNS = pointer(x.lo)
		}
		if x.hi > 0 {
			q.HighNS = pointer(x.hi)
		}
		m.Percentiles = append(m.Percentiles, q)
	}
	return m
}

const msNS = 1_000_000

// TestLatencyTables has one row for each metric and each stretch, with what is not known and
// why intervals are narrow.
func TestLatencyTables(t *testing.T) {
	d := fixed(t)["capacity"]
	s := &d.Capacity.System
	e2e := metricOf("e2e", 40, 800*msNS, 700*msNS, 0, 0)
	e2e.Warnings = []reports.Warning{{ID: independence, Text: "the interval takes values for independent: too short"}}
	s.Latency = reports.LoadLatency{N: 40, Of: []reports.MetricLatency{e2e, metricOf("ttft", 40, 50*msNS, 45*msNS, 60*msNS, 0)}}
	from := s.FromNS
	s.Stretches = []reports.LoadStretch{
		{FromNS: from, ToNS: from + 60_000*msNS, N: 38, Of: []reports.MetricLatency{metricOf("e2e", 38, 800*msNS, 0, 0, 1700*msNS)}},
		{FromNS: from + 60_000*msNS, ToNS: from + 120_000*msNS, N: 2, Of: []reports.MetricLatency{metricOf("e2e", 2, 0, 0, 0, 0)}},
	}
	text := render(t, d, Options{Verbose: true})
	for title, want := range map[string][]string{
		"how long requests took, of the whole time: 40 requests that were answered": {
			"       n     mean     p50        95 %  p95", "e2e   40   800 ms  800 ms   >= 700 ms    -", "ttft  40  50.0 ms  50.0 ms  45.0–60.0 ms    -",
			"  -: a p95 needs 59", "  95 %: the interval takes values for independent: too short",
		},
		"how long requests took, by when they came, in stretches of 60 s": {
			"arrived    n  e2e p50 ms  e2e p95 s", "+0 s      38         800       1.70", "+60 s    2           -          -",
		},
	} {
		got := section(t, text, title)
		for i, line := range want {
			if i >= len(got) || strings.Join(strings.Fields(got[i]), " ") != strings.Join(strings.Fields(line), " ") {
				t.Errorf("line %d of %q:\n%s\nwant %s", i, title, strings.Join(got, "\n"), line)
				break
			}
		}
	}
	s.Latency.Kept = "of the kept traces: a sampler may have chosen"
	s.Refused = "a sampler chose"
	text = render(t, d, Options{Verbose: true})
	if !strings.Contains(text, "of the whole time: of the kept traces: a sampler may have chosen\n") || !strings.Contains(text, "by when they came") {
		t.Error("latencies of kept traces are not told")
	}
	s.Latency.Weighted, s.Latency.Kept = true, ""
	if text = render(t, d, Options{}); !strings.Contains(text, "estimates for all requests, by the weights of 40 traces\n") || !strings.Contains(text, "nothing bounds percentiles by weights") {
		t.Error("weights are not told")
	}
}

// TestStretchesOfLeastAndMost names the stretches between which a metric lay, by its p95 or
// else by its median; one stretch alone has no other to set it against.
func TestStretchesOfLeastAndMost(t *testing.T) {
	d := fixed(t)["capacity"]
	s := &d.Capacity.System
	from := s.FromNS
	s.Stretches = nil
	for i, p95 := range []int64{1700, 900, 5000, 0} {
		list := []reports.MetricLatency{metricOf("e2e", int64(100+i), 800*msNS, 0, 0, p95*msNS), metricOf("ttft", 20, int64(50+i)*msNS, 0, 0, 0)}
		if i == 1 {
			list = append(list, metricOf("tpot", 60, 10*msNS, 0, 0, 12*msNS))
		}
		s.Stretches = append(s.Stretches, reports.LoadStretch{FromNS: from + int64(i)*60_000*msNS, ToNS: from + int64(i+1)*60_000*msNS, N: 100, Of: list})
	}
	const title = "how long requests took, by when they came, in stretches of 60 s"
	got := section(t, render(t, d, Options{}), title)
	want := []string{
		"stretches least at n most at n", "e2e p95 3 of 4 900 ms +60 s 101 5.00 s +2 min 102", "ttft p50 4 of 4 50.0 ms +0 s 20 53.0 ms +3 min 20",
	}
	for i, line := range want {
		if i >= len(got) || strings.Join(strings.Fields(got[i]), " ") != line {
			t.Errorf("line %d of\n%s\nwant %s", i, strings.Join(got, "\n"), line)
			break
		}
	}
	if len(got) != len(want)+1 || !strings.Contains(got[3], "by chance") {
		t.Errorf("%q", got)
	}
	s.Stretches = s.Stretches[:1]
	if strings.Contains(render(t, d, Options{}), "by when they came") {
		t.Error("one stretch is the whole time")
	}
}

// TestBatchTable shows all engines as one, and each for itself where more is asked for.
func TestBatchTable(t *testing.T) {
	d := fixed(t)["capacity"]
	b := &d.Capacity.System.Batches
	*b = reports.Batches{Executing: &reports.ExecutingLevel{BusyNS: 90_000 * msNS, Mean: 2.5, P50: 2, P95: 4, P99: 5, Peak: 6}}
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		b.Engines = append(b.Engines, reports.EngineBatches{Name: name, Executing: b.Executing, Readings: []reports.BatchReading{{Metric: "running", N: 3, Mean: 2, P50: 2, P95: 2, P99: 2, Peak: 2}}})
	}
	got := section(t, render(t, d, Options{}), "batch size")
	if len(got) != 1+1+2 || !strings.HasPrefix(got[1], "all engines  by time") || got[2] != "  -v has 5 engines for themselves" {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
	if got = section(t, render(t, d, Options{Verbose: true}), "batch size"); len(got) != 1+1+10+1 {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
	*b = reports.Batches{Refused: "nothing tells what an engine executed"}
	if got = section(t, render(t, d, Options{}), "batch size"); len(got) != 1 || got[0] != "  unknown: nothing tells what an engine executed" {
		t.Errorf("%q", got)
	}
}

// TestReasonsOfNoInterval are said once, and of which figures they are unless of all.
func TestReasonsOfNoInterval(t *testing.T) {
	d := fixed(t)["capacity"]
	s := &d.Capacity.System
	s.Rates = []reports.LoadRate{{Of: "arrivals", Why: "too short"}, {Of: "output_tokens", Why: "too short"}}
	s.Levels = []reports.Level{{Of: "in_flight", NoBounds: "too short"}}
	if text := render(t, d, Options{}); !strings.Contains(text, "\nintervals    none can be told: too short\n") {
		t.Error(text)
	}
	low, high := .5, 2.5
	s.Rates[0] = reports.LoadRate{Of: "arrivals", Rate: reports.Figure{Low: &low, High: &high}}
	if text := render(t, d, Options{}); !strings.Contains(text, "\nintervals    none of output tokens, in flight can be told: too short\n") || !strings.Contains(text, "; 95 %: 0.500–2.50)") {
		t.Error(text)
	}
	l := reports.Level{Of: "in_flight", Bounds: &reports.Figure{Low: &low, High: &high}, Percentiles: []reports.LevelPercentile{{P: "p95", Low: pointer(1), High: pointer(3)}}}
	if got := levelText(&l); got != "mean 0 (95 %: 0.500–2.50), p50 0, p95 0, p99 0, p99.9 0, peak 0" {
		t.Error(got)
	}
	s.Levels[0] = l
	if text := render(t, d, Options{Verbose: true}); !strings.Contains(text, "in flight, 95 % of each: p95 1–3\n") {
		t.Error(text)
	}
}
