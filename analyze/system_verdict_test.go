package analyze

import (
	"math"
	"strings"
	"testing"

	"github.com/tailpath/tailpath/analyze/serving"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical/stage"
)

// inTurn puts requests through an engine with so many slots, in turn: the legs before a slot
// is needed, the wait, and the legs in it and after it.
func inTurn(at, slots, n int, from, every int64, wait leg, before, in, after []leg) (out []visitor) {
	free := make([]int64, slots)
	length := func(list []leg) (ns int64) { return visitor{legs: list}.duration() }
	for i := range n {
		start := from + int64(i)*every
		k := 0
		for s := range free {
			if free[s] < free[k] {
				k = s
			}
		}
		comes := start + length(before)
		takes := max(free[k], comes)
		free[k] = takes + length(in)
		v := visitor{start: start, legs: append([]leg{}, before...)}
		if wait.ns = takes - comes; wait.ns > 0 {
			v.legs = append(v.legs, wait)
		}
		v.legs = append(append(v.legs, in...), after...)
		out = append(out, v)
	}
	return out
}

// together puts so many equal requests at each of some instants.
func together(groups, each int, every int64, path []leg) (out []visitor) {
	for i := range groups * each {
		out = append(out, visitor{start: int64(i/each)*every + int64(i%each)*ms, legs: path})
	}
	return out
}

// runLegs are executions that hold a slot, with host work between them.
func runLegs(at int, prefill, host, decode int) []leg {
	return legs(at, stage.GPU, "prefill", prefill, stage.Scheduling, "batch", host, stage.GPU, "decode", decode)
}

// TestSignatures makes systems that are slow for one reason each, all seen by their clients,
// with all of the requests' time told. Host work can hide in an execution, so what is asked
// after it takes some that was recorded.
func TestSignatures(t *testing.T) {
	queue, admission := leg{0, stage.Queue, "engine", 0}, leg{atGateway, stage.Queue, "admission", 0}
	// Two slots, and after a minute a memory that holds one request. Those that are through
	// are with their clients for 1 s, and hold no slot.
	slots := inTurn(0, 2, 400, 0, 45*ms, queue, nil, runLegs(0, 20, 60, 20), nil)
	memory := inTurn(0, 2, 300, 0, 45*ms, queue, nil, runLegs(0, 20, 60, 20), nil)
	memory = append(memory, inTurn(0, 1, 60, 60_000*ms, 500*ms, queue, nil, runLegs(0, 200, 600, 200), legs(atClient, stage.Scheduling, "render", 1000))...)
	var readings []planted
	for at := int64(0); at < 125_000; at += 5000 {
		used := .2
		if at >= 55_000 {
			used = .97
		}
		readings = append(readings, planted{at * ms, 0, metricKVUsage, used})
	}
	uneven := inTurn(0, 3, 300, 0, 100*ms, queue, legs(0, stage.Scheduling, "tokenize", 1), legs(0, stage.GPU, "decode", 299), nil)
	for e := 1; e < 3; e++ {
		uneven = append(uneven, inTurn(e, 1, 10, int64(e)*7*ms, 3000*ms, queue, nil, legs(e, stage.GPU, "decode", 300), nil)...)
	}
	for _, c := range []struct {
		want serving.Signature
		p    plant
	}{
		{serving.NoSaturation, plant{engines: 1, visitors: together(30, 1, 1000*ms, legs(0, stage.GPU, "prefill", 100, stage.GPU, "decode", 700))}},
		{serving.GatewayLimit, plant{engines: 1, visitors: inTurn(0, 4, 300, 0, 20*ms, admission, append(legs(atGateway, stage.Gateway, "edge", 1), legs(0, stage.Scheduling, "tokenize", 1)...), legs(0, stage.GPU, "decode", 99), nil)}},
		{serving.SlotsFull, plant{engines: 1, visitors: slots}},
		{serving.KVFull, plant{engines: 1, visitors: memory, readings: readings}},
		{serving.TransferBound, plant{engines: 1, visitors: together(200, 1, 30*ms, legs(0, stage.Transfer, "kv", 60, stage.GPU, "decode", 50))}},
		{serving.HostBound, plant{engines: 1, visitors: together(60, 4, 200*ms, legs(0, stage.Scheduling, "tokenize", 100, stage.GPU, "prefill", 20))}},
		{serving.ReplicaSkew, plant{engines: 3, visitors: uneven}},
		{serving.Bursts, plant{engines: 1, visitors: together(20, 6, 2000*ms, legs(0, stage.Scheduling, "tokenize", 1, stage.GPU, "decode", 500))}},
	} {
		for _, ahead := range []int64{0, -40_000 * ms} {
			c.p.ahead = ahead
			s := systemIn(c.p, Options{}, CapacityOptions{})
			if v := s.Serving.Table.Verdict; v.Kind != serving.Answered || v.Signature != c.want {
				t.Errorf("%s, %d ns ahead: %+v", c.want, ahead, v)
				for _, r := range s.Serving.Table.Rows {
					t.Log(r.Signature, r.Speaks, r.Figures)
				}
			}
		}
	}
}

// TestWhatIsHiddenIsUnknown: the same wait at a gateway can be ruled out where the requests'
// time is told, and not where a tenth of it lies between spans, or where the engine is all
// that is seen.
func TestWhatIsHiddenIsUnknown(t *testing.T) {
	const against, silent = serving.Against, serving.Silent
	for _, c := range []struct {
		name          string
		hidden        int // ms of 1000
		detail        string
		waits, copies int // ms of 1000 that can hide one
		limit, copied serving.Speaks
	}{
		{"all told", 0, "decode", 0, 0, against, against},
		{"a little between spans", 99, "decode", 99, 99, against, against},
		{"room for a wait", 100, "decode", 100, 100, silent, against},
		{"room for a copy", 200, "decode", 200, 200, silent, silent},
		{"an execution told as a whole", 0, "compute", 0, 1000, against, silent},
	} {
		path := append(legs(atClient, stage.Network, "hop", c.hidden), legs(0, stage.GPU, c.detail, 1000-c.hidden)...)
		set, engines := plant{engines: 1, visitors: together(20, 3, 1500*ms, path)}.build()
		opt := Options{Engines: engines}.filled()
		got := captureOf(set, opt)
		h, known := got.hidden(got.vantage())
		requests := stat.SumOf(int64(len(got.rows)) * ms)
		if waits, copies := h.waits.Over(requests), h.copies.Over(requests); !known || waits != float64(c.waits) || copies != float64(c.copies) {
			t.Errorf("%s: %g and %g ms of each request", c.name, waits, copies)
		}
		if _, known := got.hidden(serving.Is(vantageEngine)); known {
			t.Errorf("%s: known as the engine sees it", c.name)
		}
		if _, known := got.hidden(serving.Maybe[string]{}); known {
			t.Errorf("%s: known by who knows whom", c.name)
		}
		s := systemOf(set, opt, CapacityOptions{})
		for _, row := range s.Serving.Table.Rows {
			var want serving.Speaks
			var of int
			switch row.Signature {
			case serving.GatewayLimit:
				want, of = c.limit, c.waits
			case serving.TransferBound:
				want, of = c.copied, c.copies
			default:
				continue
			}
			if row.Speaks != want {
				t.Errorf("%s: %s of %s, want %s", c.name, row.Speaks, row.Signature, want)
			}
			for _, f := range row.Figures {
				if strings.HasSuffix(f.Name, "_of_request_time") && (f.Low != 0 || math.Abs(f.High-float64(of)/1000) > 1e-9) {
					t.Errorf("%s: %s", c.name, f)
				}
			}
		}
		// Whether anybody waits is told by intervals of waits alone.
		if s.Context.Waiting.Mean.Known {
			t.Errorf("%s: %v wait", c.name, s.Context.Waiting)
		}
	}
}

// TestVantages: requests are seen from where their roots are; of several places none is told.
func TestVantages(t *testing.T) {
	for _, c := range []struct {
		name, want string
		at         []int // of the roots
		kind       uint8
	}{
		{"client", vantageClient, []int{atClient}, kindClient}, {"a service", "", []int{atClient}, 2}, {"gateway", vantageGateway, []int{atGateway}, 2},
		{"engine", vantageEngine, []int{0}, 2}, {"both", "", []int{0, atGateway}, 2}, {"client in a gateway", vantageGateway, []int{atGateway}, kindClient},
	} {
		path := append(append(legs(atClient, stage.Application, "", 1), legs(atGateway, stage.Gateway, "edge", 1)...), legs(0, stage.GPU, "decode", 5)...)
		set, engines := plant{engines: 1, visitors: together(6, 1, 20*ms, path)}.build()
		for i := range set.Requests.RootRow {
			root := set.Requests.RootRow[i] + int32(c.at[i%len(c.at)]-atClient) // the spans of a request follow each other
			set.Requests.RootRow[i], set.Spans.Kind[root] = root, c.kind
		}
		v := captureOf(set, Options{Engines: engines}.filled()).vantage()
		if v.Value != c.want || v.Known != (c.want != "") {
			t.Errorf("%s: %v", c.name, v)
		}
	}
}

// TestSlotsAreThoseThatAreHeld: an engine with two slots, of which one is taken, has one
// free however many requests are on their way back.
func TestSlotsAreThoseThatAreHeld(t *testing.T) {
	at := func(e, n int) (list []stayAt) { // from e on, n of them, 10 each
		for range n {
			list = append(list, stayAt{int64(e), int64(e + 10)})
		}
		return list
	}
	for _, c := range []struct {
		name                        string
		here, waits, queues, runs   int
		limit, want, running, after int64
	}{
		{"as many as there are slots", 3, 1, 1, 2, 2, 2, 2, 2},
		{"one on its way back", 3, 1, 1, 1, 2, 3, 2, 2},
		{"fewer than slots", 1, 0, 0, 1, 2, 2, 1, 2},
		{"others fill them", 2, 1, 1, 2, 2, 1, 1, 2},
		{"others fill them, and all that are here wait", 1, 1, 1, 2, 2, 0, 0, 0},
		{"others fill them, and nobody waits in the queue", 1, 1, 0, 2, 2, 2, 0, 2},
	} {
		got := slotsOf(4, c.limit, at(0, c.here), at(0, c.waits), at(0, c.queues), at(0, c.runs))
		if c.want == 0 {
			if got != nil {
				t.Errorf("%s: %v", c.name, got)
			}
			continue
		}
		if len(got) == 0 || got[0] != (serving.Sample{AtNS: 0, Engine: 4, Value: float64(c.want)}) || got[len(got)-1].Value != float64(c.after) {
			t.Errorf("%s: %v, want %d", c.name, got, c.want)
		}
		if full := c.running >= c.want; c.queues > 0 && full != (int64(c.runs) >= c.limit) {
			t.Errorf("%s: full %t", c.name, full)
		}
	}
}

// TestSpareSlots: an engine that ran ten at a time, and far fewer while others were in its
// queue, had slots free; one that ran nearly as many may have had none.
func TestSpareSlots(t *testing.T) {
	level := func(n int, from, to int64) (list []stayAt) {
		for range n {
			list = append(list, stayAt{from, to})
		}
		return list
	}
	queue := []stayAt{{100, 200}}
	for _, c := range []struct {
		name        string
		queues      []stayAt
		idle, while int // that run while nobody is in the queue, and while somebody is
		want        int64
	}{
		{"half of them", queue, 10, 5, 10}, {"nine of ten", queue, 10, 9, 10}, {"all", queue, 10, 10, 0}, {"all, but for a moment", []stayAt{{0, 10}, {100, 200}}, 10, 5, 10},
		{"all for long", []stayAt{{0, 20}, {100, 200}}, 10, 5, 0}, {"nobody queues", nil, 10, 5, 0}, {"one at a time", queue, 1, 0, 0}, {"nothing runs", queue, 0, 0, 0},
	} {
		if got := spare(c.queues, append(level(c.idle, 0, 100), level(c.while, 100, 200)...)); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

// TestKVFullWithoutALimit: a memory that is always too small for all slots is found although
// nothing shows how many slots there are.
func TestKVFullWithoutALimit(t *testing.T) {
	queue := leg{0, stage.Queue, "engine", 0}
	p := plant{engines: 1, visitors: together(1, 8, 1000*ms, legs(0, stage.GPU, "decode", 5000))} // eight short ones fit
	p.visitors = append(p.visitors, inTurn(0, 2, 40, 10_000*ms, 500*ms, queue, nil, legs(0, stage.GPU, "prefill", 400, stage.Scheduling, "batch", 400, stage.GPU, "decode", 400), nil)...)
	for at := int64(0); at < 40_000; at += 1000 {
		p.readings = append(p.readings, planted{at * ms, 0, metricKVUsage, map[bool]float64{false: .3, true: .95}[at >= 10_000]})
	}
	s := systemIn(p, Options{}, CapacityOptions{})
	if v := s.Serving.Table.Verdict; v.Signature != serving.KVFull {
		t.Errorf("%+v", v)
	}
	p.readings = nil
	if v := systemIn(p, Options{}, CapacityOptions{}).Serving.Table.Verdict; v.Kind != serving.CannotSay {
		t.Errorf("without readings: %+v", v)
	}
}

// TestBackOffIsNoWaitForAPlace: who waits before trying again is at no gateway, and who waits
// to be admitted is.
func TestBackOffIsNoWaitForAPlace(t *testing.T) {
	for detail, want := range map[string]int64{"retry_backoff": 0, "admission": 900 * ms, "pool": 900 * ms} {
		path := append(legs(atClient, stage.Queue, detail, 900), legs(0, stage.GPU, "decode", 100)...)
		s := systemIn(plant{engines: 1, visitors: []visitor{{legs: path}}}, Options{}, CapacityOptions{})
		if e := s.Serving.Engines[0]; e.Spent[serving.Gateway] != stat.SumOf(want) || e.Spent[serving.Queue].Sign() != 0 || s.Serving.Whole.Waiting.Integral != stat.SumOf(want) {
			t.Errorf("%s: %+v", detail, e)
		}
	}
}
