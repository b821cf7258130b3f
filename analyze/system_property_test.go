package analyze

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/curve"
	"github.com/tailpath/tailpath/analyze/serving"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical/stage"
)

// drawPlant makes requests that go through gateways, queues and engines in any order, with
// readings and instants of tokens.
func drawPlant(t *rapid.T) plant {
	p := plant{engines: rapid.IntRange(1, 3).Draw(t, "engines"), ahead: rapid.SampledFrom([]int64{0, 3_600_000 * ms}).Draw(t, "ahead")}
	seed := rapid.Uint64().Draw(t, "seed")
	next := func(below uint64) int64 { // a small generator: drawing each field would take too long
		seed = seed*6364136223846793005 + 1442695040888963407
		return int64((seed >> 33) % below)
	}
	kinds := []struct {
		stage  stage.Stage
		detail string
	}{
		{stage.Queue, "engine"}, {stage.GPU, "prefill"}, {stage.GPU, "decode"}, {stage.Scheduling, "batch"}, {stage.Queue, "preempted"},
		{stage.Transfer, "h2d"}, {stage.Queue, "admission"}, {stage.GPU, "decode"},
	}
	at := int64(0)
	for i := range rapid.SampledFrom([]int{1, 2, 15, 40}).Draw(t, "n") {
		at += (1 + next(400)) * ms
		v := visitor{start: at, prompt: next(50), output: next(5), err: next(9) == 0, incomplete: next(12) == 0, open: i > 0 && next(15) == 0}
		v.legs = legs(atClient, stage.Network, "hop", int(next(5)), stage.Application, "", int(1+next(20)))
		v.legs = append(v.legs, legs(atGateway, stage.Queue, "admission", int(next(2)*next(300)), stage.Gateway, "edge", int(1+next(3)))...)
		e, before := int(next(uint64(p.engines))), v.duration()
		for range 1 + next(5) {
			k := kinds[next(uint64(len(kinds)))]
			v.legs = append(v.legs, legs(e, k.stage, k.detail, int(1+next(500)))...)
		}
		v.first = before + (v.duration()-before)/2
		v.legs = append(v.legs, legs(atClient, stage.Network, "hop", int(next(8)))...)
		p.visitors = append(p.visitors, v)
	}
	for k := range next(20) {
		p.readings = append(p.readings, planted{k * 1000 * ms, int(next(uint64(p.engines))), metricKVUsage, float64(next(11)) / 10})
	}
	return p
}

var exactly = cmp.Options{cmp.Comparer(func(a, b stat.Sum) bool { return a == b }), cmpopts.EquateNaNs()}

// TestSystemHasNoOrder: the order of rows changes nothing, and what was counted adds up.
func TestSystemHasNoOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlant(t)
		want := systemIn(p, Options{}, CapacityOptions{})
		other := p
		other.visitors = rapid.Permutation(p.visitors).Draw(t, "order")
		other.readings = slices.Clone(p.readings)
		slices.Reverse(other.readings)
		if d := unequal(want, systemIn(other, Options{}, CapacityOptions{}), exactly); d != "" {
			t.Fatalf("(-want +other order):\n%s", d)
		}
		set, engines := p.build()
		opt := Options{Engines: engines, Incomplete: Include}.filled()
		l, r := load(set, opt), &want.Serving
		if l.Requests == 0 {
			if want.Refused == "" {
				t.Fatal("there is no request, and there are figures")
			}
			return
		}
		if r.Whole.Completions != l.Requests || r.Whole.Arrivals != l.Requests+l.Unfinished || r.Whole.InFlight.Integral != l.InFlight.Integral || r.Whole.Output.OfCompleted != l.Tokens.Output {
			t.Fatalf("%+v is not the load %+v", r.Whole, l)
		}
		// All parts of the requests are at some engine, or at none, by what they are.
		var spent serving.ByWhat
		for i := range r.Engines {
			e := &r.Engines[i]
			for w := range spent {
				spent[w] = spent[w].Plus(e.Spent[w])
			}
			if e.BusyNS > e.PresentNS || e.IdleWaitingNS > e.WaitingNS || e.WaitingNS > e.PresentNS || e.SlotsFullNS > e.SlotsMayNS || e.SlotsMayNS > e.QueueNS {
				t.Fatalf("%+v", e)
			}
		}
		for w := range spent {
			spent[w] = spent[w].Plus(r.Unplaced.Spent[w])
		}
		var by [stage.Count]stat.Sum
		var sum float64
		for k := range by {
			for _, row := range captureOf(set, opt).rows {
				by[k].Add(set.Requests.Stage[k][row])
			}
		}
		for _, k := range want.Stages {
			sum += k.InFlight
		}
		if mean := r.Whole.InFlight.Mean(); math.Abs(sum-mean) > 1e-9*max(1, sum) {
			t.Fatalf("%g in all stages, %g in flight", sum, mean)
		}
		if spent[serving.Host] != by[stage.Scheduling] || spent[serving.Transfer] != by[stage.Transfer] || spent[serving.Gateway].Plus(spent[serving.Queue]) != by[stage.Gateway].Plus(by[stage.Queue]) {
			t.Fatalf("%v in intervals, %v in stages", spent, by)
		}
		if spent[serving.GPU].Minus(by[stage.GPU]).Sign() < 0 {
			t.Fatal("executions are missing")
		}
		for _, c := range want.Curves {
			windows := int64(0)
			for _, x := range c.LeftOut {
				windows += x.N
			}
			for _, x := range c.Points {
				windows += x.Windows
			}
			if c.Reason == "" && windows != int64(len(r.Windows)) {
				t.Fatalf("%s: %d of %d windows are told of", c.Of, windows, len(r.Windows))
			}
		}
	})
}

// TestSystemMovesWithTheClock: another time of day changes no figure but times themselves.
func TestSystemMovesWithTheClock(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlant(t)
		by := rapid.Int64Range(0, 1<<50).Draw(t, "by")
		other := p
		other.visitors, other.readings = slices.Clone(p.visitors), slices.Clone(p.readings)
		for i := range other.visitors {
			other.visitors[i].start += by
		}
		for i := range other.readings {
			other.readings[i].at += by
		}
		want, got := systemIn(p, Options{}, CapacityOptions{}), systemIn(other, Options{}, CapacityOptions{})
		if want.Refused == "" {
			r := &got.Serving
			r.FromNS, r.ToNS, r.Whole.FromNS, r.Whole.ToNS = r.FromNS-by, r.ToNS-by, r.Whole.FromNS-by, r.Whole.ToNS-by
			for i := range r.Windows {
				r.Windows[i].FromNS, r.Windows[i].ToNS = r.Windows[i].FromNS-by, r.Windows[i].ToNS-by
			}
			movedBack(&got, by)
		}
		if d := unequal(want, got, exactly); d != "" {
			t.Fatalf("(-want +moved):\n%s", d)
		}
	})
}

// levels makes requests that hold numbers in flight for two minutes each, at a system that
// does 8 a second and no more: one alone takes a second.
func levels(numbers ...int64) (requests []given) {
	at := int64(0)
	for _, n := range numbers {
		each := max(1000*ms, n*1000*ms/8)
		for from := at; at < from+120_000*ms; at += each / n {
			requests = append(requests, given{id: uint64(len(requests)), start: at, times: times(stage.GPU, int(each)), tokens: 10})
		}
	}
	return requests
}

// TestCurve: throughput grows up to 8 in flight and no further, in requests and in tokens,
// and latency grows beyond. Below that there is no knee, nor what lies beyond one.
func TestCurve(t *testing.T) {
	s := systemOf(tables(levels(1, 2, 3, 4, 6, 8, 12, 16, 24, 32)), Options{}.filled(), CapacityOptions{})
	for i, c := range s.Curves {
		each := []float64{1, 10}[i]
		if c.Reason != "" || !c.Knee.Reached || c.Knee.InFlight < 7 || c.Knee.InFlight > 9 || len(c.Points) < 8 || c.Power.Method != curve.MethodPower || c.USL == nil {
			t.Fatalf("%s: %+v", c.Of, c)
		}
		near(t, c.Of, c.Knee.Throughput, 8*each, .6*each)
		var n int64
		for _, p := range c.Points {
			n += p.N
			if p.From > p.InFlight || p.InFlight >= p.To || p.P50.N != p.N || p.P99.N != p.N {
				t.Errorf("%s: %+v", c.Of, p)
			}
			if p.InFlight > 15 && p.InFlight < 17 && (p.P50.Value != 2000*ms || p.MeanNS < 1900*ms) {
				t.Errorf("%s: sixteen in flight wait for %d ns, %d on average", c.Of, p.P50.Value, p.MeanNS)
			}
		}
		if n == 0 || n > int64(len(levels(1, 2, 3, 4, 6, 8, 12, 16, 24, 32))) {
			t.Errorf("%s: %d requests in points", c.Of, n)
		}
	}
	drained := systemOf(tables(levels(1, 2, 3, 32, 1)), Options{}.filled(), CapacityOptions{}).Curves[0].LeftOut
	if !slices.Contains(drained, Count{string(curve.Draining), 1}) {
		t.Errorf("the window in which 32 drain is not left out: %v", drained)
	}
	s = systemOf(tables(levels(1, 2, 3, 4, 5, 6)), Options{}.filled(), CapacityOptions{})
	if c := s.Curves[0]; c.Reason != "" || c.Knee.Reached || c.USL != nil || len(c.Points) < 4 {
		t.Errorf("below the knee: %+v", c)
	}
	none := levels(1, 2, 3)
	for i := range none {
		none[i].tokens = 0
	}
	if c := systemOf(tables(none), Options{}.filled(), CapacityOptions{}).Curves[1]; c.Reason != "no output tokens are recorded" || c.Points != nil {
		t.Errorf("%+v", c)
	}
	for i := range none[:len(none)/2] {
		none[i].tokens = 3
	}
	if c := systemOf(tables(none), Options{}.filled(), CapacityOptions{}).Curves[1]; c.Reason == "" {
		t.Errorf("half of the tokens make a curve: %+v", c)
	}
}

// TestStageThatIsFull: of a system that runs 8 at a time, what runs is the same in quiet and
// in busy windows, and what waits is not.
func TestStageThatIsFull(t *testing.T) {
	var requests []given
	for _, g := range levels(12, 16, 24, 32) {
		g.times[stage.Queue] = g.times[stage.GPU] - 1000*ms
		g.times[stage.GPU] = 1000 * ms
		requests = append(requests, g)
	}
	for _, k := range systemOf(tables(requests), Options{}.filled(), CapacityOptions{}).Stages {
		switch k.Stage {
		case "gpu":
			near(t, "quiet", k.Quiet, 8, .5)
			near(t, "busy", k.Busy, 8, .5)
		case "queue":
			near(t, "quiet", k.Quiet, 4, 1)
			near(t, "busy", k.Busy, 24, 2)
		}
	}
}

// TestSystemOfAbsurdTimes: times at the ends of what a number holds, and requests of no length,
// are no reason to fail.
func TestSystemOfAbsurdTimes(t *testing.T) {
	ends := []int64{math.MinInt64 + 1, -1 << 62, -1, 0, 1 << 61, 1<<62 - 1, 1 << 62, math.MaxInt64 - 2}
	rapid.Check(t, func(t *rapid.T) {
		p := plant{engines: 2}
		for range rapid.IntRange(1, 12).Draw(t, "n") {
			v := visitor{start: rapid.SampledFrom(ends).Draw(t, "start"), output: 1, first: 1}
			if room := math.MaxInt64 - max(0, v.start); room > 8 {
				for range rapid.IntRange(0, 3).Draw(t, "legs") {
					v.legs = append(v.legs, leg{rapid.IntRange(0, 1).Draw(t, "engine"), rapid.SampledFrom([]stage.Stage{stage.Queue, stage.GPU}).Draw(t, "stage"), "engine", rapid.SampledFrom([]int64{0, 1, room / 4}).Draw(t, "ns")})
				}
			}
			p.visitors = append(p.visitors, v)
		}
		s := systemIn(p, Options{}, CapacityOptions{})
		if got := s.Serving.Requests + s.Serving.Refused.RequestTimes + s.Serving.Refused.RequestsReversed + s.Serving.Refused.RequestsOutside; s.Refused == "" && got != int64(len(p.visitors)) {
			t.Fatalf("%d of %d requests are accounted for", got, len(p.visitors))
		}
	})
}
