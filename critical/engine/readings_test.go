package engine

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tailpath/tailpath/ingest/table"
)

// lonely is one request that waits at an engine from 0 to 60 s, and nothing else.
func lonely() (*given, int32) {
	g := newGiven()
	e := g.scope("vllm-server", "a", "0", "")
	r := g.request(0, 0, waited(e, 60_000), prefilled(e, 61_000), decoded(e, 62_000))
	return g, g.segment(r, 0)
}

// every adds readings every 10 s from 5 s on.
func (g *given) every(metric string, values ...float64) {
	for i, v := range values {
		g.sample("vllm", "", "0", metric, 5000+10_000*int64(i), v)
	}
}

func TestReadings(t *testing.T) {
	for name, c := range map[string]struct {
		readings map[string][]float64
		cause    Cause
		rule     string
	}{
		"slots":       {map[string][]float64{"running": {8, 8, 8, 8, 8, 8, 7}, "waiting": {3, 4, 5, 5, 4, 1, 0}, "kv_usage": {.5, .5, .5, .5, .5, .5, .5}}, Slots, "at-limit-read"},
		"memory":      {map[string][]float64{"running": {8, 8, 7, 6, 8, 7, 7}, "waiting": {3, 4, 5, 5, 4, 1, 0}, "kv_usage": {.99, .97, .98, .99, .99, .95, .5}}, KVMemory, "memory-full"},
		"preemptions": {map[string][]float64{"running": {8, 9, 7, 6, 8, 7, 7}, "waiting": {3, 4, 5, 5, 4, 1, 0}, "preemptions": {0, 0, 2, 0, 0, 0, 0}}, KVMemory, "memory-full"},
		"idle":        {map[string][]float64{"running": {0, 0, 0, 0, 0, 0, 1}, "waiting": {3, 4, 5, 5, 4, 1, 0}}, Stuck, "idle"},
		"budget": {map[string][]float64{"running": {1, 2, 1, 1, 2, 1, 4}, "waiting": {3, 4, 5, 5, 4, 1, 0}, "kv_usage": {.1, .1, .1, .1, .1, .1, .1},
			"prompt_throughput": {4448, 4448, 4448, 4447, 4448, 4447, 10}}, Prefill, "prefill-budget"},
		"nothing": {map[string][]float64{"running": {1, 2, 1, 1, 2, 1, 4}, "waiting": {3, 4, 5, 5, 4, 1, 0}}, Unknown, "nothing-shown"},
	} {
		g, wait := lonely()
		for metric, values := range c.readings {
			g.every(metric, values...)
		}
		tl, _ := causes(t, g)
		f := tl.Finding(wait)
		if f.Cause != c.cause || f.Rule != c.rule || f.Cause != Unknown && f.Basis != Readings {
			t.Errorf("%s: %+v", name, f)
		}
		if e := tl.Engines()[0]; e.Samples == 0 || e.Ambiguous != 0 {
			t.Errorf("%s: %+v", name, e)
		}
	}
}

// TestReadingsAround: the readings before and after a wait are asked if they agree. If one
// of them shows the cache nearly full, it takes own times that rule out all else.
func TestReadingsAround(t *testing.T) {
	for _, c := range []struct {
		first, second float64
		at            int64
		want          string
	}{
		{.95, .99, 22_000, "memory-full"}, {.95, .5, 22_000, "memory-short"}, {.5, .85, 22_000, "memory-short"},
		{.75, .5, 22_000, "nothing-shown"}, {.95, .99, 40_000, "nothing-shown"},
	} {
		g := newGiven()
		e := g.scope("vllm", "a", "", "")
		r := g.request(13_000, 0, waited(e, 18_000), decoded(e, 18_500))
		g.request(12_000, 0, decoded(e, 20_000))
		for _, at := range []int64{-18_000, -8000, 2000, 12_000} { // so far apart they usually are
			g.sample("vllm", "", "", "kv_usage", at, c.first)
		}
		g.sample("vllm", "", "", "kv_usage", c.at, c.second)
		if f := Build(g.set).Finding(g.segment(r, 0)); f.Rule != c.want {
			t.Errorf("%+v: %+v", c, f)
		}
	}
}

func TestSnapshotReadings(t *testing.T) {
	g, _ := lonely()
	g.every("running", 1, 2, 3)
	g.every("kv_usage", .5, .6)
	g.every("preemptions_total", 1, 2)
	got := Build(g.set).At(0, 26_000*ms).Readings
	want := []Reading{{"kv_usage", "ratio", .6, 11_000 * ms}, {"preemptions", "requests", 1, 11_000 * ms}, {"running", "requests", 3, 1000 * ms}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if got := Build(g.set).At(0, 60_000*ms).Readings; len(got) != 0 {
		t.Errorf("%+v is in force after 35 s", got)
	}
}

// TestPreemptionCounters: a total says by how much it rose, one of 0 that its engine began anew,
// and ranks that are read one after the other are not counted twice.
func TestPreemptionCounters(t *testing.T) {
	g, _ := lonely()
	for i, v := range []float64{7, 7, 9, 2, 2} {
		at := int64(10_000 * i)
		g.sample("vllm", "", "0", "preemptions_total", at, v)
		g.sample("vllm", "", "1", "preemptions_total", at+1, 3*float64(i))
	}
	var got []float64
	Build(g.set).Readings(0, "preemptions", func(_ int64, value float64) { got = append(got, value) })
	if want := []float64{0, 0, 0, 3, 2, 3, 2, 3, 0, 3}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	// An engine that tells what it counted since the last time is taken at its word.
	g.sample("vllm", "", "0", "preemptions", 5000, 4)
	got = nil
	Build(g.set).Readings(0, "preemptions", func(_ int64, value float64) { got = append(got, value) })
	if want := []float64{4}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestMatching gives readings of one source to two engines.
func TestMatching(t *testing.T) {
	for name, c := range map[string]struct {
		service, host, engine string
		used, doubt           [2]int64
	}{
		"host":     {"other", "a", "", [2]int64{3, 0}, [2]int64{0, 0}},
		"service":  {"sglang", "", "", [2]int64{0, 3}, [2]int64{0, 0}},
		"instance": {"", "", "7", [2]int64{3, 0}, [2]int64{0, 0}},
		"neither":  {"other", "", "", [2]int64{0, 0}, [2]int64{3, 3}},
		"nobody":   {"vllm", "c", "", [2]int64{0, 0}, [2]int64{0, 0}},
	} {
		g := newGiven()
		a, b := g.scope("vllm", "a", "7", ""), g.scope("sglang", "b", "8", "")
		g.request(0, 0, decoded(a, 100))
		g.request(0, 0, decoded(b, 100))
		for i := range int64(3) {
			g.sample(c.service, c.host, c.engine, "running", 10*i, 1)
		}
		got := Build(g.set).Engines() // sglang before vllm
		if used, doubt := [2]int64{got[1].Samples, got[0].Samples}, [2]int64{got[1].Ambiguous, got[0].Ambiguous}; used != c.used || doubt != c.doubt {
			t.Errorf("%s: used %v, in doubt %v", name, used, doubt)
		}
	}
}

// TestRanks: counts of ranks are added, of shares the greatest counts, and what another
// source says of the same engine is left out.
func TestRanks(t *testing.T) {
	g, _ := lonely()
	for i := range int64(4) {
		for _, rank := range []string{"0", "1"} {
			g.sample("vllm", "", rank, "running", 1000*i, float64(i))
			g.sample("vllm", "", rank, "kv_usage", 1000*i, .1*float64(i)+float64(len(rank)))
		}
	}
	g.sample("prometheus", "", "", "running", 3000, 50)
	// Two inputs that take turns under one name may be of two engines.
	for i := range int64(4) {
		g.sample("vllm", "", "0", "waiting", 1000*i, 1)
		g.set.EngineSamples.Source[g.set.EngineSamples.Len()-1] = g.set.Symbols.Intern([]string{"x", "y"}[i%2])
	}
	tl := Build(g.set)
	want := []Reading{{"kv_usage", "ratio", .1*3 + 1, 0}, {"running", "requests", 6, 0}}
	if d := cmp.Diff(want, tl.At(0, 3000*ms).Readings); d != "" {
		t.Error(d)
	}
	if e := tl.Engines()[0]; e.Samples != 16 || e.Ambiguous != 4 {
		t.Errorf("%+v", e)
	}
}

// TestJoining: SGLang's line of a prefill batch counts running requests without those
// that it adds.
func TestJoining(t *testing.T) {
	g, _ := lonely()
	g.sample("sglang", "", "", "running", 1000, 17)
	g.sample("sglang", "", "", "batch_prefill_requests", 1000, 3)
	got := Build(g.set).At(0, 1000*ms).Readings
	if len(got) != 2 || got[1].Metric != "running" || got[1].Value != 20 {
		t.Errorf("%+v", got)
	}
}

// TestShift: requests whose spans were moved to fit their callers' clocks are set beside
// each other, and beside readings, on the engine's own clock.
func TestShift(t *testing.T) {
	g := newGiven()
	e := g.scope("vllm", "a", "0", "")
	queued := busy(g, e)
	wait := g.segment(queued[9], 1)
	plain := Build(g.set)
	want, blame := plain.Finding(wait), plain.Blame(wait)
	app := g.scope("client", "", "", "")
	for i, r := range g.set.Segments.RequestRow { // each by hours, and by something else
		if s := g.set.Segments.SpanRow[i]; g.set.Spans.ScopeRow[s] == e {
			by := (3_600_000 + 40*int64(r)) * ms
			g.set.Segments.Start[i], g.set.Segments.End[i] = g.set.Segments.Start[i]+by, g.set.Segments.End[i]+by
		}
	}
	g.request(0, 0, elsewhere(app, 10))
	g.sample("vllm", "a", "0", "running", 100, 2)
	tl := Build(g.set)
	got := tl.Finding(wait)
	if got.FullNS != want.FullNS || got.Cause != Slots || !cmp.Equal(tl.Blame(wait), blame) || tl.Engines()[0].Shifted != 12 {
		t.Errorf("%+v\n%+v\n%+v", got, want, tl.Engines())
	}
	at := tl.Local(0, wait, g.set.Segments.Start[wait]+100*ms)
	if s := tl.At(0, at); at != 101*ms || len(s.Running) != 2 || len(s.Readings) != 1 {
		t.Errorf("%d: %+v", at, s)
	}
}

// TestCoverage: readings that count more than is known forbid to say that nothing ran.
func TestCoverage(t *testing.T) {
	g, wait := lonely()
	g.request(0, 0, waited(0, 100), decoded(0, 62_000))
	for i := range int64(4) {
		g.sample("vllm", "", "", "running", 61_000+100*i, 10)
	}
	tl := Build(g.set)
	if e := tl.Engines()[0]; !e.Partial || e.Coverage != .2 {
		t.Errorf("%+v", e)
	}
	if f := tl.Finding(wait); f.Cause != Unknown {
		t.Errorf("%+v", f)
	}
}

// TestSteadyClocks: engines of two traces on clocks of their own are never one engine.
func TestSteadyClocks(t *testing.T) {
	g := newGiven()
	e := g.scope("triton", "", "", "")
	g.request(0, 0, decoded(e, 10))
	g.request(0, 0, decoded(e, 10))
	g.request(0, 0, decoded(e, 10))
	for i, source := range []string{"x.0", "x.1", "y"} {
		g.set.Requests.Clock[i], g.set.Spans.Clock[i] = table.ClockSteady, table.ClockSteady
		g.set.Spans.Source[i] = g.set.Symbols.Intern(source)
	}
	got := Build(g.set).Engines()
	if len(got) != 2 || got[0].Peak != 2 || got[1].Peak != 1 || got[0].Clock != "steady" {
		t.Errorf("%+v", got)
	}
}

// TestReadingsOfAMetric: an engine's readings of one metric are visited in order of time, the
// last of each instant; one that is no number is not among them, and takes no other with it.
func TestReadingsOfAMetric(t *testing.T) {
	type reading struct {
		at    int64
		value float64
	}
	g, _ := lonely()
	for _, r := range []reading{{30_000, .3}, {10_000, math.Inf(1)}, {20_000, .25}, {20_000, .2}, {40_000, math.NaN()}, {50_000, .5}} {
		g.sample("vllm", "", "0", metricKV, r.at, r.value)
	}
	g.sample("vllm", "", "0", metricRunning, 5000, 1)
	tl := Build(g.set)
	read := func(metric string) (got [][2]float64) {
		tl.Readings(0, metric, func(at int64, value float64) { got = append(got, [2]float64{float64(at / ms), value}) })
		return got
	}
	if d := cmp.Diff([][2]float64{{20_000, .25}, {30_000, .3}, {50_000, .5}}, read(metricKV)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if got := read(metricRunning); len(got) != 1 || got[0] != [2]float64{5000, 1} {
		t.Errorf("running: %v", got)
	}
	if got := read(metricWaiting); got != nil {
		t.Errorf("nobody read who waits: %v", got)
	}
}
