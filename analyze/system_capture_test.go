package analyze

import (
	"fmt"
	"math"
	"testing"

	"github.com/tailpath/tailpath/analyze/serving"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/engine"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// capturedOf returns what is captured of a plant.
func capturedOf(p plant, opt Options) *captured {
	set, engines := p.build()
	opt.Engines = engines
	return captureOf(set, opt.filled().on(set))
}

// TestHomes: a request is of the engine that worked for it most, and if none did of that in
// whose queue it was longest.
func TestHomes(t *testing.T) {
	for _, c := range []struct {
		name string
		legs []leg
		want int
	}{
		{"most work", append(legs(0, stage.GPU, "prefill", 10), legs(1, stage.Queue, "engine", 100, stage.GPU, "decode", 5)...), 0},
		{"several parts", append(legs(0, stage.GPU, "prefill", 10), legs(1, stage.GPU, "decode", 6, stage.Scheduling, "batch", 1, stage.GPU, "decode", 6)...), 1},
		{"equals", append(legs(1, stage.GPU, "prefill", 10), legs(0, stage.GPU, "decode", 10)...), 1},
		{"queues alone", append(legs(0, stage.Queue, "engine", 10), legs(1, stage.Queue, "engine", 20)...), 1},
		{"nowhere", legs(atClient, stage.Application, "", 10), serving.NoEngine},
	} {
		p := plant{engines: 2, visitors: []visitor{{legs: c.legs}, {legs: append(legs(0, stage.GPU, "decode", 1), legs(1, stage.GPU, "decode", 1)...)}}}
		if got := capturedOf(p, Options{}).Requests[0].Engine; got != c.want {
			t.Errorf("%s: engine %d, want %d", c.name, got, c.want)
		}
	}
}

// TestPlacesOfWaits: what a request waits for on its way is of the engine to which it goes,
// and after the last engine of that one.
func TestPlacesOfWaits(t *testing.T) {
	var path []leg
	path = append(path, legs(atGateway, stage.Gateway, "edge", 1)...)
	path = append(path, legs(0, stage.GPU, "prefill", 10)...)
	path = append(path, legs(atGateway, stage.Transfer, "kv", 20)...)
	path = append(path, legs(1, stage.GPU, "decode", 40)...)
	path = append(path, legs(atClient, stage.Scheduling, "detokenize", 80)...)
	s := systemIn(plant{engines: 2, visitors: []visitor{{legs: path}}}, Options{}, CapacityOptions{})
	var want [2]serving.ByWhat
	want[0][serving.Gateway], want[0][serving.GPU] = stat.SumOf(ms), stat.SumOf(10*ms)
	want[1][serving.Transfer], want[1][serving.GPU], want[1][serving.Host] = stat.SumOf(20*ms), stat.SumOf(40*ms), stat.SumOf(80*ms)
	for e := range want {
		if s.Serving.Engines[e].Spent != want[e] {
			t.Errorf("engine %d: %v, want %v", e, s.Serving.Engines[e].Spent, want[e])
		}
	}
	if s.Serving.Unplaced.Spent != (serving.ByWhat{}) {
		t.Errorf("%v", s.Serving.Unplaced)
	}
}

// TestBatchesHoldOneSlot: of a server that runs batches, requests that begin together are in
// one, and a request holds its slot while the host works between two executions.
func TestBatchesHoldOneSlot(t *testing.T) {
	visitors := append(together(1, 1, 0, runLegs(0, 10, 5, 10)), visitor{legs: runLegs(0, 10, 5, 30)}, visitor{start: 20 * ms, legs: runLegs(0, 10, 5, 10)})
	for product, want := range map[string][]stayAt{
		"vllm.llm_engine": {{0, 25 * ms}, {0, 45 * ms}, {20 * ms, 45 * ms}},
		"triton-server":   {{0, 45 * ms}, {20 * ms, 45 * ms}},
	} {
		if got := capturedOf(plant{engines: 1, product: product, visitors: visitors}, Options{}).runs(); unequal([][]stayAt{want}, got) != "" {
			t.Errorf("%s: %v, want %v", product, got, want)
		}
	}
}

// TestPartialEnginesHaveNoLimit: an engine that once ran eight at a time, and two while others
// were in its queue, had slots free; but where requests are missing nothing shows it.
func TestPartialEnginesHaveNoLimit(t *testing.T) {
	visitors := together(1, 8, 1000*ms, legs(0, stage.GPU, "decode", 5000))
	visitors = append(visitors, inTurn(0, 2, 40, 10_000*ms, 500*ms, leg{0, stage.Queue, "engine", 0}, nil, runLegs(0, 400, 400, 400), nil)...)
	for weight, partial := range map[float64]bool{1: false, 4: true} {
		for i := range visitors {
			visitors[i].weight = weight
		}
		s := systemIn(plant{engines: 1, visitors: visitors}, Options{}, CapacityOptions{})
		e := s.Serving.Engines[0]
		if hasWarning(s.Serving.Warnings, PartialEngines) != partial || e.QueueNS == 0 || (e.SlotsMayNS == e.QueueNS) != partial || e.SlotsFullNS != 0 {
			t.Errorf("weight %g: %v %+v", weight, s.Serving.Warnings, e)
		}
	}
}

// TestReadingsLieOnThePath: readings by the clock of an engine that is ahead lie where its
// requests do.
func TestReadingsLieOnThePath(t *testing.T) {
	p := plant{engines: 2, visitors: together(30, 1, 1000*ms, append(legs(atClient, stage.Application, "", 20), legs(1, stage.GPU, "decode", 500)...))}
	p.visitors = append(p.visitors, visitor{legs: legs(0, stage.GPU, "decode", 500)})
	p.readings = []planted{{5000 * ms, 1, metricKVUsage, .5}, {8000 * ms, 0, metricKVUsage, .25}, {9000 * ms, 1, "running", 1}}
	for _, p.ahead = range []int64{0, 3_600_000 * ms, -70_000 * ms} {
		got := capturedOf(p, Options{}).KV
		if len(got) == 2 && got[0].Engine == 0 {
			got[0], got[1] = got[1], got[0]
		}
		if unequal([]serving.Sample{{AtNS: 5000 * ms, Engine: 1, Value: .5}, {AtNS: 8000 * ms, Engine: 0, Value: .25}}, got) != "" {
			t.Errorf("%d ns ahead: %v", p.ahead, got)
		}
	}
}

// TestReadingsAreOfOneEngine: each reading is put to its own engine alone, and one that is no
// number takes none of the others with it.
func TestReadingsAreOfOneEngine(t *testing.T) {
	const engines, each = 60, 20
	p := plant{engines: engines}
	for e := range engines {
		p.visitors = append(p.visitors, visitor{start: int64(e), legs: legs(e, stage.GPU, "decode", 1000)})
		for k := range int64(each) {
			value := float64(e) / 100
			if k == 0 {
				value = []float64{math.Inf(1), math.NaN(), .99}[e%3]
			}
			p.readings = append(p.readings, planted{k * 100 * ms, e, metricKVUsage, value})
		}
	}
	c := capturedOf(p, Options{})
	got := c.KV
	if want := engines*each - 2*engines/3; len(got) != want {
		t.Fatalf("%d readings, want %d", len(got), want)
	}
	for _, r := range got {
		var e int
		if _, err := fmt.Sscanf(c.engines[r.Engine].Host, "gpu-%d", &e); err != nil {
			t.Fatal(err)
		}
		if r.AtNS > 0 && r.Value != float64(e)/100 || r.AtNS == 0 && (e%3 != 2 || r.Value != .99) {
			t.Errorf("%+v", r)
		}
	}
}

// TestTokensOfUnfinished: tokens of a request that had not ended came when they did.
func TestTokensOfUnfinished(t *testing.T) {
	v := visitor{legs: legs(0, stage.GPU, "prefill", 100, stage.GPU, "decode", 20_000), first: 200 * ms, output: 8}
	for at := range int64(8) {
		v.instants = append(v.instants, (200+2000*at)*ms)
	}
	var visitors []visitor
	for i := range int64(20) {
		visitors = append(visitors, v)
		visitors[i].start = i * 1000 * ms
	}
	set, engines := plant{engines: 1, visitors: visitors}.build()
	opt := Options{Engines: engines}.filled()
	whole := captureOf(set, opt).Emissions
	for i := range 5 {
		set.Requests.Class[i], set.Requests.End[i], set.Requests.Duration[i] = uint8(critical.Unfinished), table.Missing, table.Missing
	}
	c := captureOf(set, opt)
	if len(whole) != 160 || len(c.Emissions) != 160 {
		t.Fatalf("%d emissions, and %d of unfinished requests too", len(whole), len(c.Emissions))
	}
	for _, e := range c.Emissions {
		if q := c.Requests[e.Request]; q.EndNS == serving.Unknown && (e.AtNS < q.StartNS+200*ms || (e.AtNS-q.StartNS-200*ms)%(2000*ms) != 0) {
			t.Errorf("%d ns after the start", e.AtNS-q.StartNS)
		}
	}
	if s := systemOf(set, opt, CapacityOptions{}); s.Serving.Output != serving.TokensEmitted || s.Serving.Whole.Output.Emitted != stat.SumOf(160) || s.Serving.Refused.Emissions != 0 {
		t.Errorf("%s %+v %+v", s.Serving.Output, s.Serving.Whole.Output, s.Serving.Refused)
	}
}

// TestEnginesThatRequestsPass: an engine that only prefills for another has the requests that
// were there, is no replica of it, and who is tried again elsewhere does not make it one.
func TestEnginesThatRequestsPass(t *testing.T) {
	var path []leg
	path = append(path, legs(0, stage.GPU, "prefill", 20)...)
	path = append(path, legs(1, stage.Transfer, "kv", 5, stage.GPU, "decode", 900)...)
	set, engines := plant{engines: 2, visitors: together(40, 1, 300*ms, path)}.build()
	opt := Options{Engines: engines}.filled()
	s, c := systemOf(set, opt, CapacityOptions{}), captureOf(set, opt)
	if e := s.Serving.Engines; e[0].Requests != 40 || e[1].Requests != 40 || s.Context.Replicas != serving.Is[int64](1) {
		t.Errorf("%d and %d requests, %v replicas", e[0].Requests, e[1].Requests, s.Context.Replicas)
	}
	if got := c.replicas(); got != serving.Is(false) {
		t.Errorf("replicas: %v", got)
	}
	for i := range set.Requests.Attempts {
		set.Requests.Attempts[i] = 2
	}
	if got := captureOf(set, opt).replicas(); got != serving.Is(true) {
		t.Errorf("replicas of requests that were tried twice: %v", got)
	}
}

// TestReplicas: engines do the same work when they share service and model; of one whose
// service is not known nothing says so.
func TestReplicas(t *testing.T) {
	model := func(names ...string) func(set *table.Set) {
		return func(set *table.Set) {
			for i := range set.Requests.Model {
				set.Requests.Model[i] = set.Symbols.Intern(names[i%len(names)])
			}
		}
	}
	for _, c := range []struct {
		name   string
		change func(set *table.Set)
		want   serving.Maybe[bool]
		served serving.Maybe[int64]
	}{
		{"alike", func(*table.Set) {}, serving.Is(true), serving.Is[int64](2)},
		{"one model", model("a"), serving.Is(true), serving.Is[int64](2)},
		{"two models, one at each", model("a", "b"), serving.Is(false), serving.Maybe[int64]{}},
		{"two models, both at each", model("a", "a", "b", "b"), serving.Is(true), serving.Is[int64](2)},
		{"two services", func(set *table.Set) { set.Scopes.Service[3] = set.Symbols.Intern("embedder") }, serving.Is(false), serving.Maybe[int64]{}},
		{"no service", func(set *table.Set) { set.Scopes.Service[2], set.Scopes.Service[3] = 0, 0 }, serving.Maybe[bool]{}, serving.Maybe[int64]{}},
	} {
		p := plant{engines: 2}
		for i := range 40 {
			p.visitors = append(p.visitors, visitor{start: int64(i) * 100 * ms, legs: legs(i%2, stage.GPU, "decode", 500)})
		}
		set, _ := p.build()
		c.change(set)
		got := captureOf(set, Options{Engines: engine.Build(set)}.filled())
		if r, n := got.replicas(), got.served(); r != c.want || n != c.served {
			t.Errorf("%s: %v, want %v; %v served", c.name, r, c.want, n)
		}
	}
	if c := captureOf(tables(many(3, 0, given{times: times(stage.GPU, 5)})), Options{}.filled()); c.replicas().Known || c.served().Known {
		t.Error("there are no engines")
	}
}

// TestPartsThatAreMissing: anywhere in a request of which a part is missing somebody may have
// waited, no part counts of one whose parts do not add up, and a fragment does not say where
// requests are seen from.
func TestPartsThatAreMissing(t *testing.T) {
	path := append(legs(atClient, stage.Application, "", 0), legs(0, stage.GPU, "decode", 1000)...)
	set, engines := plant{engines: 1, visitors: together(20, 1, 1500*ms, path)}.build()
	for i := range 5 {
		set.Requests.Class[i] = uint8(critical.Incomplete)
		set.Requests.RootRow[i]++ // that of the engine
	}
	set.Requests.Stage[stage.GPU][19] += ms
	c := captureOf(set, Options{Engines: engines}.filled())
	if v := c.vantage(); v != serving.Is(vantageClient) {
		t.Errorf("seen from %v", v)
	}
	if h, known := c.hidden(c.vantage()); !known || h.waits != stat.SumOf(6000*ms) || h.copies != h.waits {
		t.Errorf("%v and %v ns can hide a wait and a copy", h.waits.Int(), h.copies.Int())
	}
	s := systemOf(set, Options{Engines: engines}.filled(), CapacityOptions{})
	if got := s.Serving.Engines[0].Spent[serving.GPU]; got != stat.SumOf(19_000*ms) || s.Serving.Unplaced.Requests != 1 {
		t.Errorf("%v ns executed, %d requests of no engine", got.Int(), s.Serving.Unplaced.Requests)
	}
}

// TestInFlightAtAnInstant: half-open, and a request of no length is never in flight.
func TestInFlightAtAnInstant(t *testing.T) {
	set := tables([]given{
		{id: 1, start: 0, times: times(stage.GPU, 10)}, {id: 2, start: 10, times: times(stage.GPU, 10)}, {id: 3, start: 10}, {id: 4, start: 15, times: times(stage.GPU, 10)},
	})
	a := captureOf(set, Options{}.filled()).arrivals()
	for at, want := range map[int64]int64{0: 0, 1: 1, 10: 0, 11: 1, 15: 1, 16: 2, 20: 1, 25: 0} {
		if got := a.inFlight(at); got != want {
			t.Errorf("%d in flight at %d, want %d", got, at, want)
		}
	}
}
