package analyze

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/tailpath/tailpath/analyze/serving"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest"
	"github.com/tailpath/tailpath/ingest/table"
)

// scenarioSet reads a capture of the repository as the program does.
func scenarioSet(t *testing.T, name string) (*table.Set, Options) {
	t.Helper()
	set, account, _, err := ingest.Read(context.Background(), []string{"../testdata/scenarios/" + name}, ingest.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	b := critical.NewBuilder(set, account, critical.Options{})
	if err := b.Build(context.Background()); err != nil {
		t.Fatal(err)
	}
	return set, Options{Engines: b.Engines()}.filled()
}

// TestSystemOfScenarios: the system over time is that of the load, and its queue that of the
// queue; the windows add up to the whole. In the incident the device is what holds it up.
func TestSystemOfScenarios(t *testing.T) {
	for _, c := range []struct {
		name    string
		verdict serving.Kind
	}{{"healthy", serving.NoneFits}, {"queue-buildup", serving.DeviceBusy}} {
		set, opt := scenarioSet(t, c.name)
		s := systemOf(set, opt, CapacityOptions{GPUs: 2})
		l, w := load(set, opt), s.Serving.Whole
		if s.Refused != "" || w.Arrivals != l.Requests || w.Completions != l.Requests || w.Output.OfCompleted != l.Tokens.Output || w.Output.Counted != l.Tokens.Known {
			t.Errorf("%s: %q, %+v, want those of %+v", c.name, s.Refused, w, l)
		}
		if w.InFlight.Integral != l.InFlight.Integral || w.InFlight.Peak != l.InFlight.Peak || w.InFlight.P95 != l.InFlight.Quantile(stat.P95) {
			t.Errorf("%s: in flight %+v, want %+v", c.name, w.InFlight, l.InFlight)
		}
		var came, went int64
		var tokens stat.Sum
		for _, x := range s.Serving.Windows {
			came, went, tokens = came+x.Arrivals, went+x.Completions, tokens.Plus(x.Output.OfCompleted)
		}
		if came != l.Requests || went != l.Requests || tokens != l.Tokens.Output {
			t.Errorf("%s: the windows have %d arrivals, %d completions, %v tokens", c.name, came, went, tokens.Int())
		}
		if wait := waitingOf(set, opt); s.Serving.Engines[0].Spent[serving.Queue] != wait.total {
			t.Errorf("%s: %v in the queue, want %v", c.name, s.Serving.Engines[0].Spent[serving.Queue].Int(), wait.total.Int())
		}
		if own := opt.Engines.Occupancy(0); s.Serving.Engines[0].BusyNS != own.BusyNS {
			t.Errorf("%s: busy for %d ns, by the engine's own clock for %d", c.name, s.Serving.Engines[0].BusyNS, own.BusyNS)
		}
		if len(s.Names) != 1 || s.Names[0] != "vllm-server@gpu-a-01/vllm-server-0" || s.Serving.Engines[0].Requests != l.Requests {
			t.Errorf("%s: engines %q %+v", c.name, s.Names, s.Serving.Engines)
		}
		if v := s.Serving.Table.Verdict; v.Kind != c.verdict {
			t.Errorf("%s: %+v", c.name, v)
		}
		x := s.Context
		if x.Vantage.Value != vantageClient || x.Engine.Value != "vLLM" || x.Model.Known || x.GPUCount.Value != 2 || x.Replicas.Value != 1 || x.Sampling.Known || x.LoadMode.Known || !x.FailureRate.Known {
			t.Errorf("%s: %+v", c.name, x)
		}
		sum := 0.0
		for _, k := range s.Stages {
			sum += k.InFlight
		}
		near(t, c.name+": in all stages", sum, w.InFlight.Mean(), 1e-9)
		if c.name != "queue-buildup" {
			continue
		}
		// The queue grows in busy windows, and what runs is no more than there are slots.
		at := map[string]StageLoad{}
		for _, k := range s.Stages {
			at[k.Stage] = k
		}
		if q, g := at["queue"], at["gpu"]; q.Windows != 2 || q.Quiet > .1 || q.Busy < 30 || g.Busy > 32 {
			t.Errorf("%+v %+v", q, g)
		}
	}
}

// TestG6System: four requests of [0,4), [1,3), [3,6) and [8,10) s, as tables tell them.
func TestG6System(t *testing.T) {
	var requests []given
	for i, at := range [][2]int64{{0, 4}, {1, 3}, {3, 6}, {8, 10}} {
		requests = append(requests, given{id: uint64(i), start: at[0] * 1000 * ms, times: times(stage.GPU, int((at[1]-at[0])*1000*ms))})
	}
	s := systemOf(tables(requests), Options{}.filled(), CapacityOptions{})
	w := s.Serving.Whole
	near(t, "L", w.InFlight.Mean(), 1.1, 1e-12)
	near(t, "λ", w.ArrivalRate(), .4, 1e-12)
	if w.InFlight.Peak != 2 || w.InFlight.P50 != 1 || w.InFlight.P95 != 2 {
		t.Errorf("%+v", w.InFlight)
	}
	if len(s.Stages) != 1 || s.Stages[0].Stage != "gpu" || s.Stages[0].Windows != 0 {
		t.Fatalf("%+v", s.Stages)
	}
	near(t, "W", s.Stages[0].MeanNS, 2.75e9, 0)
	near(t, "λW", s.Stages[0].InFlight, 1.1, 1e-12)
	if len(s.Serving.Engines) != 0 || s.Serving.Unplaced.Requests != 4 {
		t.Errorf("without timelines there are no engines: %+v", s.Serving.Unplaced)
	}
}

// TestG19System: in 100 ms the device works for 30, and somebody waits for 80 of which 20
// lie beside that. Four replicas are busy for 95, 5, 10 and 10 %.
func TestG19System(t *testing.T) {
	p := plant{engines: 1, visitors: []visitor{
		{legs: append(legs(0, stage.GPU, "prefill", 30), legs(atClient, stage.Network, "hop", 70)...)},
		{start: 10 * ms, legs: legs(0, stage.Queue, "engine", 80), err: true},
	}}
	for _, p.ahead = range []int64{0, 3_600_000 * ms} { // paths are put right whatever the engine's clock shows
		e := systemIn(p, Options{}, CapacityOptions{}).Serving.Engines[0]
		if e.WindowNS != 100*ms || e.BusyNS != 30*ms || e.WaitingNS != 80*ms || e.IdleWaitingNS != 60*ms || e.PresentNS != 100*ms {
			t.Errorf("%+v", e)
		}
	}
	p = plant{engines: 4}
	for e, busy := range []int64{95, 5, 10, 10} {
		p.visitors = append(p.visitors, visitor{legs: []leg{{e, stage.GPU, "decode", busy * ms}, {atClient, stage.Network, "hop", (100 - busy) * ms}}})
	}
	r := systemIn(p, Options{}, CapacityOptions{}).Serving
	near(t, "mean busy", r.Skew.Mean, .30, 1e-12)
	near(t, "busiest over mean", r.Skew.Ratio, 3.17, .005)
}

// TestSystemOverClocks: requests of other clocks are counted and in no figure; durations
// alone tell nothing.
func TestSystemOverClocks(t *testing.T) {
	set := tables(many(20, 0, given{times: times(stage.GPU, int(ms))}))
	for i := range 5 {
		set.Requests.Clock[i] = table.ClockNone
	}
	s := systemOf(set, Options{}.filled(), CapacityOptions{})
	if s.Refused != "" || s.Elsewhere != 5 || s.Serving.Whole.Arrivals != 15 || !hasWarning(s.Serving.Warnings, OtherClocks) {
		t.Errorf("%+v", s)
	}
	for i := range set.Requests.Clock {
		set.Requests.Clock[i] = table.ClockNone
	}
	if s := systemOf(set, Options{}.filled(), CapacityOptions{GPUs: 4}); !strings.Contains(s.Refused, "on a clock") || s.Serving.Requests != 0 || s.Curves != nil || s.Context.GPUCount.Value != 4 {
		t.Errorf("%+v", s)
	}
	if s := systemOf(tables(nil), Options{}.filled(), CapacityOptions{}); s.Refused == "" {
		t.Errorf("of nothing: %+v", s)
	}
}

// TestSystemOfSamples: of traces that a sampler chose no rate is told, unless each stands for
// as many; then it is that of the kept ones, a warning says so, and nothing is told of what holds
// the system up.
func TestSystemOfSamples(t *testing.T) {
	for _, c := range []struct {
		name    string
		weights []float64
		refused string
	}{
		{"all kept", []float64{1, 1}, ""},
		{"uniform", []float64{4, 4}, ""},
		{"weighted", []float64{1, 4}, "different numbers"},
		{"partial", []float64{4, 0}, "only some"},
	} {
		requests := many(40, 0, given{times: times(stage.GPU, int(ms))})
		for i := range requests {
			requests[i].weight = c.weights[i%2]
		}
		s := systemOf(tables(requests), Options{}.filled(), CapacityOptions{})
		if (s.Refused != "") != (c.refused != "") || !strings.Contains(s.Refused, c.refused) {
			t.Errorf("%s: %q", c.name, s.Refused)
		}
		if warned := hasWarning(s.Serving.Warnings, UniformWeights); warned != (c.name == "uniform") {
			t.Errorf("%s: %v", c.name, s.Serving.Warnings)
		}
		v := s.Serving.Table.Verdict
		if text := strings.Contains(v.Text, "traces were not kept"); text != (c.name == "uniform") || text && v.Kind != serving.CannotSay {
			t.Errorf("%s: %+v", c.name, v)
		}
		if !s.Context.Sampling.Known || c.refused == "" && s.Serving.Whole.Arrivals != 40 {
			t.Errorf("%s: %+v", c.name, s.Context.Sampling)
		}
	}
}

// TestUnfinishedArrive: a request that had not ended is no load that can be measured, and it
// came.
func TestUnfinishedArrive(t *testing.T) {
	p := plant{engines: 1, visitors: []visitor{{legs: legs(0, stage.GPU, "prefill", 100)}, {start: 50 * ms, open: true}}}
	s := systemIn(p, Options{}, CapacityOptions{})
	if w := s.Serving.Whole; w.Arrivals != 2 || w.Completions != 1 || w.InFlight.Integral != stat.SumOf(100*ms) || s.Serving.Refused.Unfinished != 1 {
		t.Errorf("%+v", w)
	}
}

// TestIncompleteAreLoad: half of the requests lack a part, and all were there, whatever the
// population leaves out.
func TestIncompleteAreLoad(t *testing.T) {
	visitors := together(30, 1, 1000*ms, legs(0, stage.GPU, "prefill", 100, stage.GPU, "decode", 1100))
	for i := range visitors {
		visitors[i].incomplete = i%2 == 0
	}
	for _, choice := range []Inclusion{Exclude, Include, Only} {
		s := systemIn(plant{engines: 1, visitors: visitors}, Options{Incomplete: choice}, CapacityOptions{})
		if w := s.Serving.Whole; w.Arrivals != 30 || w.Completions != 30 || w.InFlight.Integral != stat.SumOf(30*1200*ms) {
			t.Errorf("%s: %+v", choice, w)
		}
		if e := s.Serving.Engines[0]; e.BusyNS != 30_200*ms || e.Requests != 30 {
			t.Errorf("%s: %+v", choice, e)
		}
		if missing := silenced(s); missing != nil {
			t.Errorf("%s: nothing is decided without %q", choice, missing)
		}
	}
}

// TestTokensByTheirInstants: an engine that tells when each token came has tokens counted
// when they came; instants that are not one a token tell nothing.
func TestTokensByTheirInstants(t *testing.T) {
	v := visitor{legs: append(legs(0, stage.GPU, "prefill", 100), legs(0, stage.GPU, "decode", 20_000)...), first: 100 * ms, prompt: 50}
	for at := range int64(8) {
		v.instants = append(v.instants, (200+2000*at)*ms)
	}
	short := make([]visitor, 200) // so that windows are of 10 s; nothing tells their tokens
	for i := range short {
		short[i] = visitor{start: int64(i) * 100 * ms, legs: legs(atClient, stage.Application, "", 1)}
	}
	for _, c := range []struct {
		name   string
		output int64
		by     serving.Definition
	}{
		{"one a token", 8, serving.TokensEmitted}, {"the first is told apart", 9, serving.TokensEmitted}, {"chunks", 20, serving.TokensOfCompleted},
	} {
		v.output = c.output
		for _, ahead := range []int64{0, 7_200_000 * ms} {
			s := systemIn(plant{engines: 1, ahead: ahead, visitors: append(short, v)}, Options{}, CapacityOptions{})
			if s.Serving.Output != c.by || s.Serving.Refused.EmittedOther != 0 || s.Serving.Refused.Emissions != 0 {
				t.Errorf("%s, %d ns ahead: %s, %+v", c.name, ahead, s.Serving.Output, s.Serving.Refused)
			}
			if c.by != serving.TokensEmitted {
				continue
			}
			// By 10 s the tokens of 200, 2200, 4200, 6200 and 8200 ms had come.
			want := int64(5)
			if c.output == 9 {
				want = 6
			}
			if got := s.Serving.Windows[0].Output.Emitted; got != stat.SumOf(want) {
				t.Errorf("%s: %v tokens in the first window, want %d", c.name, got.Int(), want)
			}
			if x := s.Context.ITL.P95; x.Known {
				t.Errorf("seven gaps have a p95 of %v", x)
			}
		}
	}
}

// TestLittleIsOfTheQueue: traces and readings are compared as the queue does it.
func TestLittleIsOfTheQueue(t *testing.T) {
	requests := line{seed: 4, n: 2000, servers: 4, service: 1000 * ms, load: .92}.requests()
	set := tables(requests)
	gauge(set, requests, "waiting", "0", 500*ms, 1)
	s := systemOf(set, Options{}.filled(), CapacityOptions{})
	if s.Little == nil || !s.Little.Agrees || unequal(littleIn(set).Readings, s.Little) != "" {
		t.Errorf("%+v, want %+v", s.Little, littleIn(set).Readings)
	}
	if kept := systemOf(set, Options{Where: where(t, "e2e>0ms")}.filled(), CapacityOptions{}); kept.Little != nil {
		t.Error("readings of all requests are set against those that a filter keeps")
	}
	if math.Abs(s.Context.Concurrency.Mean.Value-load(set, Options{}).InFlight.Mean()) > 1e-9 {
		t.Errorf("%+v", s.Context.Concurrency)
	}
}

// TestFilteredSystem: with a filter the requests are those that it keeps, and the device is
// busy, and its slots are taken, with all.
func TestFilteredSystem(t *testing.T) {
	queue := leg{0, stage.Queue, "engine", 0}
	visitors := inTurn(0, 2, 200, 0, 45*ms, queue, nil, runLegs(0, 20, 60, 20), nil)
	for i := range visitors {
		visitors[i].prompt = int64(1 + i%4)
	}
	p := plant{engines: 1, visitors: visitors}
	all, some := systemIn(p, Options{}, CapacityOptions{}), systemIn(p, Options{Where: where(t, "prompt_tokens<=2")}, CapacityOptions{})
	if some.Serving.Whole.Arrivals != 100 || !hasWarning(some.Serving.Warnings, FilteredLoad) || hasWarning(all.Serving.Warnings, FilteredLoad) {
		t.Errorf("%+v %v", some.Serving.Whole, some.Serving.Warnings)
	}
	a, b := all.Serving.Engines[0], some.Serving.Engines[0]
	if a.BusyNS-b.BusyNS > 200*ms || b.Requests != 100 {
		t.Errorf("busy for %d ns of %d; %+v", b.BusyNS, a.BusyNS, b)
	}
	// Of all, the slots are full whenever somebody queues. Of half of them all those that are
	// there wait at some time, while others fill the slots: whether they are full is unknown.
	if a.SlotsFullNS == 0 || a.SlotsFullNS != a.QueueNS || b.SlotsFullNS != 0 || b.QueueNS == 0 || b.SlotsMayNS != b.QueueNS {
		t.Errorf("%+v\n%+v", a, b)
	}
	if v := all.Serving.Table.Verdict; v.Signature != serving.SlotsFull {
		t.Errorf("%+v", v)
	}
	if v := some.Serving.Table.Verdict; v.Kind != serving.CannotSay || !strings.Contains(v.Text, "the filter leaves out") {
		t.Errorf("%+v", v)
	}
}

// TestSystemOfSkewedClocks: an engine whose clock is off by half a second is busy for as long,
// and as full, as one whose is not, but for what its spans are misplaced by.
func TestSystemOfSkewedClocks(t *testing.T) {
	want, _ := scenarioSystem(t, 0)
	for _, ahead := range []int64{-500 * ms} {
		got, shifted := scenarioSystem(t, ahead)
		if shifted == 0 {
			t.Fatal("no span was moved")
		}
		near(t, "busy", float64(got.BusyNS)/float64(want.BusyNS), 1, .001)
		near(t, "slots full", share(got.SlotsFullNS, got.QueueNS), share(want.SlotsFullNS, want.QueueNS), .02)
	}
}

func share(part, whole int64) float64 { return float64(part) / float64(whole) }

// scenarioSystem returns the engine of the incident with its clock moved, and how many of its
// requests were moved back.
func scenarioSystem(t *testing.T, ahead int64) (serving.Engine, int64) {
	t.Helper()
	set, account, _, err := ingest.Read(context.Background(), []string{"../testdata/scenarios/queue-buildup"}, ingest.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	on := make([]bool, set.Spans.Len())
	for i, scope := range set.Spans.ScopeRow {
		if on[i] = set.Symbols.Text(set.Scopes.Service[scope]) == "vllm-server"; on[i] {
			set.Spans.Start[i], set.Spans.End[i] = set.Spans.Start[i]+ahead, set.Spans.End[i]+ahead
		}
	}
	for i, row := range set.SpanEvents.SpanRow {
		if on[row] {
			set.SpanEvents.Time[i] += ahead
		}
	}
	for i, row := range set.Parts.SpanRow {
		if on[row] {
			set.Parts.Start[i], set.Parts.End[i] = set.Parts.Start[i]+ahead, set.Parts.End[i]+ahead
		}
	}
	b := critical.NewBuilder(set, account, critical.Options{Clock: critical.Raw})
	if err := b.Build(context.Background()); err != nil {
		t.Fatal(err)
	}
	s := systemOf(set, Options{Engines: b.Engines()}.filled(), CapacityOptions{})
	return s.Serving.Engines[0], b.Engines().Engines()[0].Shifted
}
