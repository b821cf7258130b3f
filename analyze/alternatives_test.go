package analyze

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/curve"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/analyze/tokens"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// figuresBy returns the figures of a set by a definition.
func figuresBy(t interface{ Fatalf(string, ...any) }, set *table.Set, ask CapacityOptions, id string) (out []Alternative) {
	for _, x := range CapacityOf(set, Options{Define: []string{id}, Replicates: 20}, ask).Alternatives {
		if x.Definition.ID == id {
			out = append(out, x)
		}
	}
	if out == nil {
		t.Fatalf("%s: no figure", id)
	}
	return out
}

// one returns the only figure of a set by a definition.
func one(t interface{ Fatalf(string, ...any) }, set *table.Set, ask CapacityOptions, id string) Alternative {
	list := figuresBy(t, set, ask, id)
	if len(list) != 1 {
		t.Fatalf("%s: %d figures: %+v", id, len(list), list)
	}
	return list[0]
}

// TestSystemDefinitions: every metric has one own definition, the first of it, and ids are unique.
func TestSystemDefinitions(t *testing.T) {
	ids, metrics := map[string]bool{}, map[string]bool{}
	last := ""
	for _, d := range systemDefinitions() {
		if ids[d.ID] || d.Text == "" || d.Own != (d.Metric != last) || d.Metric != last && metrics[d.Metric] {
			t.Errorf("%+v", d)
		}
		ids[d.ID], metrics[d.Metric], last = true, true, d.Metric
	}
	for _, id := range []string{"throughput", "tokens_of_completed", "peak_1s", "little_sum", "goodput_vllm", "kneedle", "usl_nstar", "max_passing_window", "fluidity"} {
		if d, err := DefinitionNamed(id); err != nil || d.ID != id {
			t.Errorf("%s: %+v, %v", id, d, err)
		}
	}
}

// TestNothingUnlessAsked: what was not asked for is not there, and ids of other figures, such as
// those of requests, bring nothing of the system.
func TestNothingUnlessAsked(t *testing.T) {
	set := tables(lasting(100, 10))
	for _, ids := range [][]string{nil, {"tpot"}, {"nearest_rank"}} {
		if got := CapacityOf(set, Options{Define: ids}, CapacityOptions{}).Alternatives; got != nil {
			t.Errorf("%v: %+v", ids, got)
		}
	}
	got := CapacityOf(set, Options{Define: []string{"offered_rate"}}, CapacityOptions{}).Alternatives
	if len(got) != 2 || got[0].Definition.ID != "throughput" || !got[0].Definition.Own || got[1].Definition.ID != "offered_rate" {
		t.Errorf("%+v", got)
	}
}

// g6 is the requests of golden G6, a unit of time being a second: [0,4) [1,3) [3,6) [8,10).
func g6() []given {
	var out []given
	for i, x := range [][2]int64{{0, 4}, {1, 3}, {3, 6}, {8, 10}} {
		out = append(out, given{id: uint64(i + 1), start: x[0] * 1000 * ms, times: times(stage.GPU, int((x[1]-x[0])*1000*ms)), tokens: 10})
	}
	return out
}

// TestG6Alternatives: L is 1.1 by the sweep and by the sum of durations, and the peak is 2.
func TestG6Alternatives(t *testing.T) {
	set := tables(g6())
	for id, want := range map[string]float64{
		"in_flight": 1.1, "little_sum": 1.1, "peak_in_flight": 2, "throughput": .4, "throughput_run": .4, "throughput_answered": .4,
		"offered_rate": .4, "tokens_of_completed": 4, "tokens_of_answered": 4,
	} {
		x := one(t, set, CapacityOptions{}, id)
		if x.Undefined != "" || math.Abs(x.Value-want) > 1e-12 || x.N != 4 || x.HasBounds || x.Unbounded == "" || x.AtLeast {
			t.Errorf("%s: %+v", id, x)
		}
	}
	// They find none, one, one and none: that which ends as another starts is not there.
	if x := figuresBy(t, set, CapacityOptions{}, "in_flight_at_arrival"); x[0].Value != .5 || x[0].Figure != "mean" || x[0].N != 4 || x[1].Undefined == "" || x[1].Figure != "p50" {
		t.Errorf("%+v", x)
	}
	if x := one(t, set, CapacityOptions{}, "tokens_emitted"); x.Undefined != noTokenTimes || x.Value != 0 {
		t.Errorf("%+v", x)
	}
	if x := one(t, set, CapacityOptions{}, "peak_1s"); x.Undefined != noTokenTimes || x.Value != 0 {
		t.Errorf("%+v", x)
	}
}

// TestFailedByDefinition: failed requests are load, and in no figure of answered ones.
func TestFailedByDefinition(t *testing.T) {
	list := g6()
	list[3].err = true
	set := tables(list)
	for id, want := range map[string]float64{
		"in_flight": 1.1, "little_sum": .9, "throughput": .4, "throughput_run": .3, "throughput_answered": .5, "tokens_of_completed": 4, "tokens_of_answered": 3,
	} {
		if x := one(t, set, CapacityOptions{}, id); math.Abs(x.Value-want) > 1e-12 || x.Undefined != "" {
			t.Errorf("%s: %+v", id, x)
		}
	}
	for i := range list {
		list[i].err, list[i].tokens = true, 0
	}
	for id, want := range map[string]string{"little_sum": noneAnswered, "throughput_run": noneAnswered, "throughput_answered": noneAnswered, "tokens_of_completed": noTokenCounts} {
		if x := one(t, tables(list), CapacityOptions{}, id); x.Undefined != want {
			t.Errorf("%s: %+v", id, x)
		}
	}
	for _, id := range []string{"throughput", "tokens_emitted", "in_flight", "kneedle"} {
		if x := figuresBy(t, tables(nil), CapacityOptions{}, id)[0]; x.Undefined == "" {
			t.Errorf("%s of nothing: %+v", id, x)
		}
	}
}

// nimPoints is the sweep of golden G7.
func nimPoints() (out []curve.Point) {
	x := []float64{51.67, 218.48, 623.4, 814.37, 917.26, 920.9, 920.54, 920.12}
	for i, n := range []float64{1, 5, 25, 50, 100, 150, 200, 250} {
		out = append(out, curve.Point{InFlight: n, Throughput: x[i]})
	}
	return out
}

// TestG7Alternatives: one real sweep has its knee at 25 to 156 in flight, by the name of the rule.
func TestG7Alternatives(t *testing.T) {
	got := Knees(nimPoints(), "output tokens", []string{"usl_nstar", "plateau95", "kneedle", "power_max"})
	want := []struct {
		id           string
		inFlight, at float64
	}{{"broken_stick", 33.0, 848.4}, {"power_max", 25, 623.4}, {"kneedle", 50, 814.37}, {"plateau95", 100, 917.26}, {"usl_nstar", 155.9, 933.2}}
	if len(got) != 2*len(want) {
		t.Fatalf("%d figures: %+v", len(got), got)
	}
	for i, w := range want {
		n, x := got[2*i], got[2*i+1]
		if n.Definition.ID != w.id || math.Abs(n.Value-w.inFlight) > .05 || n.N != 8 || n.Unit != "requests" || n.Of != "output tokens" || n.Undefined != "" || n.Unbounded == "" {
			t.Errorf("%s: %+v", w.id, n)
		}
		if x.Definition.ID != w.id || math.Abs(x.Value-w.at) > .05 || x.Unit != "output tokens/s" || x.N != 8 {
			t.Errorf("%s: %+v", w.id, x)
		}
	}
	if !got[0].Definition.Own || !strings.Contains(got[8].Words, "lambda 51.79/s, sigma 0.04327, kappa 3.936e-05") {
		t.Errorf("%+v, %+v", got[0], got[8])
	}
}

// TestG8Alternatives: throughput that bends at 16, and throughput that never does.
func TestG8Alternatives(t *testing.T) {
	var bent, line []curve.Point
	for i, x := range []float64{10, 20, 40, 80, 80, 80} {
		n := math.Pow(2, float64(i+1))
		bent, line = append(bent, curve.Point{InFlight: n, Throughput: x}), append(line, curve.Point{InFlight: n, Throughput: 5 * n})
	}
	for _, x := range Knees(bent, "requests", []string{"power_max"}) {
		if want := map[string]float64{"in flight": 16, "throughput": 80}[x.Figure]; math.Abs(x.Value-want) > 1e-9 {
			t.Errorf("%+v", x)
		}
	}
	got := Knees(line, "requests", []string{"broken_stick"})
	if len(got) != 1 || !strings.HasPrefix(got[0].Undefined, "not reached: most in flight seen 64; ") || got[0].Value != 0 {
		t.Errorf("%+v", got)
	}
	for _, x := range Knees(line, "requests", []string{"plateau95"})[1:] {
		if unsaturated := x.Figure == "in flight"; x.Undefined != "" || unsaturated != slices.ContainsFunc(x.Warnings, func(w stat.Warning) bool { return w.ID == Unsaturated }) {
			t.Errorf("a plateau of a straight line: %+v", x)
		}
	}
	var peaked, law []curve.Point
	for i, n := range []float64{1, 2, 4, 8, 16, 24, 32, 48, 64} {
		peaked = append(peaked, curve.Point{InFlight: n, Throughput: []float64{10, 20, 40, 80, 100, 100, 100, 100, 100}[i]})
	}
	for i, x := range []float64{10, 17.857143, 28.169014, 35.398230, 32.653061, 22.824536} {
		law = append(law, curve.Point{InFlight: math.Pow(2, float64(i)), Throughput: x})
	}
	for _, c := range []struct {
		points       []curve.Point
		id           string
		inFlight, at float64
	}{{peaked, "kneedle", 16, 100}, {law, "usl_nstar", 9.486833, 35.747907}} {
		if got := Knees(c.points, "requests", []string{c.id}); len(got) < 2 || math.Abs(got[len(got)-2].Value-c.inFlight) > 1e-4 || math.Abs(got[len(got)-1].Value-c.at) > 1e-4 {
			t.Errorf("%s: %+v", c.id, got)
		}
	}
	if got := Knees(line, "requests", []string{"throughput"}); got != nil {
		t.Errorf("%+v", got)
	}
}

// TestKneesOfASet: the figures of a set's curves are those of its points.
func TestKneesOfASet(t *testing.T) {
	var list []given
	for k, each := range []int{60, 90, 120, 180, 240, 360} {
		for i := range 30 * each {
			list = append(list, given{id: uint64(len(list)), start: int64(k)*300_000*ms + int64(i)*10_000*ms/int64(each), times: times(stage.GPU, int(100*ms)), tokens: 3})
		}
	}
	ids := []string{"kneedle", "usl_nstar"}
	c := CapacityOf(tables(list), Options{Define: ids}, CapacityOptions{})
	var want []Alternative
	for _, id := range []string{"broken_stick", "kneedle", "usl_nstar"} {
		for i := range c.System.Curves {
			s := &c.System.Curves[i]
			if s.Reason != "" || len(s.Points) < 4 {
				t.Fatalf("%+v", s)
			}
			for _, x := range Knees(s.fitted(), s.Of, ids) {
				if x.Definition.ID == id {
					want = append(want, x)
				}
			}
		}
	}
	if d := unequal(want, c.Alternatives); d != "" || c.Alternatives[0].Undefined == "" {
		t.Errorf("%s: %+v", d, c.Alternatives[0])
	}
}

// serve makes a request of ttft and n tokens after a gap each, in ms, at a time.
func serve(id uint64, start, ttft, tpot, n int64) given {
	decode := tpot * ms * (n - 1)
	return given{id: id, start: start * ms, times: times(stage.GPU, int(ttft*ms+decode)), decode: decode, ttft: true, tokens: n}
}

// goodOf returns good requests of those counted, by each of the three rules.
func goodOf(t *testing.T, list []given, text string) (out [3]Alternative) {
	for i, id := range []string{"goodput", "goodput_vllm", "goodput_aiperf"} {
		out[i] = one(t, tables(list), slo(t, text), id)
	}
	return out
}

// TestG9Alternatives: two of four are good in ten seconds by every rule, and a request of one
// token is good for vLLM, not good for AIPerf, and listed apart here.
func TestG9Alternatives(t *testing.T) {
	const text = "90%(ttft <= 1s and tpot <= 50ms)"
	list := []given{serve(1, 0, 500, 30, 2), serve(2, 1000, 900, 45, 2), serve(3, 3000, 1200, 20, 2), serve(4, 9140, 800, 60, 2)}
	for i, x := range goodOf(t, list, text) {
		if math.Abs(x.Value-.2) > 1e-12 || x.N != 4 || x.Unit != "requests/s" || x.Apart != nil || x.Of != text {
			t.Errorf("rule %d: %+v", i, x)
		}
		if b := stat.ClopperPearsonLower(2, 4, stat.Confidence); !x.HasBounds || math.Abs(x.Bounds.Low-b*.4) > 1e-12 || x.Bounds.High < .2 {
			t.Errorf("rule %d: %+v", i, x.Bounds)
		}
	}
	if x := one(t, tables(list), slo(t, text), "attainment"); x.Value != .5 || x.N != 4 || x.Outcome != tokens.Fail && x.Outcome != tokens.Inconclusive {
		t.Errorf("%+v", x)
	}
	list = append(list, given{id: 5, start: 5000 * ms, times: times(stage.GPU, int(100*ms)), ttft: true, tokens: 1})
	got := goodOf(t, list, text)
	apart := []Undefined{{"tpot: fewer than two output tokens", 1}}
	for i, want := range []struct {
		good, n int64
		apart   []Undefined
	}{{2, 4, apart}, {3, 5, nil}, {2, 5, nil}} {
		if x := got[i]; math.Abs(x.Value-float64(want.good)/10) > 1e-12 || x.N != want.n || unequal(want.apart, x.Apart) != "" {
			t.Errorf("rule %d: %+v", i, x)
		}
	}
	list[0].err = true
	for i, want := range []struct{ good, n int64 }{{1, 4}, {2, 4}, {1, 4}} {
		// AIPerf's own time is that of answered requests, a second less.
		seconds := []float64{10, 10, 9}[i]
		if x := goodOf(t, list, text)[i]; math.Abs(x.Value-float64(want.good)/seconds) > 1e-12 || x.N != want.n {
			t.Errorf("rule %d, one failed: %+v", i, x)
		}
	}
	if x := one(t, tables(list), CapacityOptions{}, "goodput_vllm"); x.Undefined != noObjective {
		t.Errorf("%+v", x)
	}
}

// TestG9Joint: of ten requests nine keep each limit, and eight keep both.
func TestG9Joint(t *testing.T) {
	var list []given
	for i := range int64(10) {
		g := serve(uint64(i), 2000*i, 500, 30, 2)
		switch i {
		case 3:
			g = serve(3, 6000, 1500, 30, 2)
		case 6:
			g = serve(6, 12000, 500, 90, 2)
		}
		list = append(list, g)
	}
	const text = "p90(ttft) <= 1s and p90(tpot) <= 50ms"
	for i, x := range goodOf(t, list, text) {
		if math.Abs(x.Value-8/18.53) > 1e-12 || x.N != 10 {
			t.Errorf("rule %d: %+v", i, x)
		}
	}
	for id, outcome := range map[string]tokens.Outcome{"attainment": tokens.Inconclusive, "attainment_mlperf": tokens.Inconclusive, "attainment_point": tokens.Pass} {
		for _, x := range figuresBy(t, tables(list), slo(t, text), id) {
			if x.Value != .9 || x.N != 10 || x.Outcome != outcome || x.HasBounds == (id == "attainment_point") || x.HasBounds == (x.Unbounded != "") {
				t.Errorf("%s: %+v", id, x)
			}
		}
	}
}

// TestG3Alternatives: 299 good of 299 pass p99 with 95 %, and take 459 with 99 %.
func TestG3Alternatives(t *testing.T) {
	for n, want := range map[int][2]tokens.Outcome{
		298: {tokens.Inconclusive, tokens.Inconclusive}, 299: {tokens.Pass, tokens.Inconclusive}, 458: {tokens.Pass, tokens.Inconclusive}, 459: {tokens.Pass, tokens.Pass},
	} {
		set := tables(lasting(n, 0))
		for i, id := range []string{"attainment", "attainment_mlperf"} {
			for _, text := range []string{"p99(e2e) < 1s", "99%(e2e < 1s)"} {
				if x := one(t, set, slo(t, text), id); x.Outcome != want[i] || x.N != int64(n) || x.Bounds.Low >= 1 || x.Bounds.High != 1 {
					t.Errorf("%d, %s, %s: %+v", n, id, text, x)
				}
			}
		}
	}
}

// TestG1Alternatives: 92 requests a second within the limit and 96 beyond it. The highest rate of
// all is 96, and what is usable is 92.
func TestG1Alternatives(t *testing.T) {
	var list []given
	for w := range 16 {
		rate, slow := 92, 1500
		if w >= 8 {
			rate, slow = 96, 8000
		}
		for i := range 10 * rate {
			took := 100
			if i%50 == 0 {
				took = slow
			}
			list = append(list, given{id: uint64(len(list)), start: int64(w)*10_000*ms + int64(i)*10_000*ms/int64(10*rate), times: times(stage.GPU, int(int64(took)*ms))})
		}
	}
	ask := slo(t, "p99(e2e) < 2s")
	ask.WindowNS = 10e9
	x := one(t, tables(list), ask, "max_passing_window")
	if x.Value != 92 || x.N != 14 || x.Words != "the highest rate of all is 96" || len(x.Warnings) != 1 || x.Warnings[0].ID != BiasedHigh {
		t.Errorf("%+v", x)
	}
	own := one(t, tables(list), ask, "capacity")
	if own.Value < 92 || own.Value > 96 || own.AtLeast || own.Undefined != "" || own.N == 0 {
		t.Errorf("%+v", own)
	}
	half := one(t, tables(list), ask, "goodput_distserve")
	if !half.AtLeast || half.Unit != "requests/s" || half.Value < 92 {
		t.Errorf("nine tenths keep it at every rate: %+v", half)
	}
	ask.GPUs = 4
	if x := one(t, tables(list), ask, "goodput_distserve"); math.Abs(x.Value-half.Value/4) > 1e-12 || x.Unit != "requests/s per GPU" {
		t.Errorf("%+v", x)
	}
	strict := slo(t, "p99(e2e) < 50ms")
	strict.WindowNS = 10e9
	if x := one(t, tables(list), strict, "max_passing_window"); x.Undefined != "none of 14 windows keeps it" {
		t.Errorf("%+v", x)
	}
}

// TestSumIsTheSweep: without a failed request the sum of durations over the time is the mean
// number in flight, since all start and end inside; failed ones make it less.
func TestSumIsTheSweep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var list []given
		failed := rapid.Bool().Draw(t, "failed")
		for i := range rapid.IntRange(1, 30).Draw(t, "n") {
			list = append(list, given{
				id: uint64(i), start: rapid.Int64Range(0, 1000).Draw(t, "start"), times: times(stage.GPU, rapid.IntRange(1, 300).Draw(t, "took")),
				err: failed && i%2 == 0,
			})
		}
		set := tables(list)
		sum, sweep := one(t, set, CapacityOptions{}, "little_sum"), one(t, set, CapacityOptions{}, "in_flight")
		switch {
		case failed && sum.Undefined == "" && sum.Value >= sweep.Value, !failed && math.Abs(sum.Value-sweep.Value) > 1e-12*sweep.Value:
			t.Fatalf("%v and %v", sum, sweep)
		}
		rate, peak := one(t, set, CapacityOptions{}, "throughput"), one(t, set, CapacityOptions{}, "peak_in_flight")
		if peak.Value < sweep.Value || peak.Value > float64(len(list)) || rate.N != int64(len(list)) {
			t.Fatalf("%v, %v", peak, rate)
		}
		moved := shuffled(t, list)
		for _, id := range []string{"little_sum", "throughput_answered", "in_flight_at_arrival"} {
			if d := unequal(figuresBy(t, set, CapacityOptions{}, id), figuresBy(t, moved, CapacityOptions{}, id)); d != "" {
				t.Fatal(d)
			}
		}
	})
}
