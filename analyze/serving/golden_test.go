package serving

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tailpath/tailpath/analyze/little"
	"github.com/tailpath/tailpath/analyze/stat"
)

const (
	ms     = int64(1_000_000)
	second = 1000 * ms
)

func near(t *testing.T, name string, got, want, within float64) {
	t.Helper()
	if !(math.Abs(got-want) <= within) {
		t.Errorf("%s: %v, want %v", name, got, want)
	}
}

// plain returns a request of which only its stay is known.
func plain(from, to int64, engine int) Request {
	return Request{StartNS: from, EndNS: to, FirstTokenNS: Unknown, InputTokens: Unknown, OutputTokens: Unknown, Engine: engine}
}

// TestG1DocumentRates has 500 requests in 10 s, 100 that decode a token every 20 ms at once,
// and 10 a second of 10 s each.
func TestG1DocumentRates(t *testing.T) {
	var c Capture
	for i := range int64(500) {
		c.Requests = append(c.Requests, plain(i*20*ms, (i+1)*20*ms, NoEngine))
	}
	w := Of(c, Options{}).Whole
	near(t, "req/s", w.CompletionRate(), 50, 0)
	near(t, "arrivals", w.ArrivalRate(), 50, 0)

	// 1000 tokens each, one every 20 ms: for 20 s.
	c = Capture{}
	for i := range 100 {
		q := plain(0, 20*second, 0)
		q.FirstTokenNS, q.OutputTokens = 20*ms, 1000
		c.Requests = append(c.Requests, q)
		for k := range int64(1000) {
			c.Emissions = append(c.Emissions, Emission{i, (k + 1) * 20 * ms, 1})
		}
	}
	r := Of(c, Options{})
	if r.Output != TokensEmitted || len(r.Windows) != 2 {
		t.Fatalf("%s, %d windows", r.Output, len(r.Windows))
	}
	near(t, "tok/s per request", r.Whole.Generation.P50, 50, 0)
	near(t, "aggregate tok/s", r.Whole.OutputRate(TokensEmitted), 5000, 0)
	for i, w := range r.Windows {
		// A token at the 10th second is of the second window, and the last one of the capture
		// of its last ns.
		near(t, "aggregate tok/s of a window", w.OutputRate(TokensEmitted), 5000, 10)
		near(t, "of completed", w.OutputRate(TokensOfCompleted), float64(i*10_000), 0)
	}

	c = Capture{FromNS: 0, ToNS: 100 * second}
	for i := range int64(1100) {
		c.Requests = append(c.Requests, plain((i-100)*100*ms, (i-100)*100*ms+10*second, 0))
	}
	w = Of(c, Options{}).Whole
	near(t, "QPS", w.ArrivalRate(), 10, 0)
	near(t, "L", w.InFlight.Mean(), 100, 0)

	q := plain(0, 676*ms, 0)
	q.FirstTokenNS, q.OutputTokens = 600*ms, 4
	r = Of(Capture{Requests: []Request{q}}, Options{})
	near(t, "decode rate", r.Whole.Generation.P50, 39.4737, 5e-5)
	near(t, "n/E2E", r.Whole.OutputRate(TokensOfCompleted), 5.9172, 5e-5)
}

// TestG6Windows has requests of [0,4), [1,3), [3,6) and [8,10) s.
func TestG6Windows(t *testing.T) {
	var c Capture
	for _, iv := range [][2]int64{{0, 4}, {1, 3}, {3, 6}, {8, 10}} {
		c.Requests = append(c.Requests, plain(iv[0]*second, iv[1]*second, 0))
	}
	r := Of(c, Options{})
	w := r.Whole
	if w.FromNS != 0 || w.ToNS != 10*second || w.Partial {
		t.Fatalf("%+v", w)
	}
	want := Level{NS: 10 * second, Integral: stat.SumOf(11 * second), P50: 1, P95: 2, P99: 2, P999: 2, Peak: 2}
	if d := cmp.Diff(want, w.InFlight, cmp.AllowUnexported(stat.Sum{})); d != "" {
		t.Error(d)
	}
	near(t, "L", w.InFlight.Mean(), 1.1, 1e-12)
	near(t, "λ", w.ArrivalRate(), .4, 1e-12)
	near(t, "X", w.CompletionRate(), .4, 1e-12)
	near(t, "λW", w.ArrivalRate()*2.75, 1.1, 1e-12)
	// The times at 0, 1 and 2 are 2, 5 and 3 s: 2 of them are seen on a grid of 1 s.
	at := map[int64]int64{}
	for _, w := range Of(c, Options{WindowNS: second}).Windows {
		if w.InFlight.P50 != w.InFlight.Peak || w.Partial {
			t.Errorf("%+v", w)
		}
		at[w.InFlight.Peak]++
	}
	if d := cmp.Diff(map[int64]int64{0: 2, 1: 5, 2: 3}, at); d != "" {
		t.Error(d)
	}
	// Closed intervals, which last a thousandth longer, would overlap at 3 s.
	for i := range c.Requests {
		c.Requests[i].EndNS += ms
	}
	if peak := Of(c, Options{}).Whole.InFlight.Peak; peak != 3 {
		t.Errorf("peak of closed intervals %d", peak)
	}
	for i := range c.Requests {
		c.Requests[i].EndNS -= ms
	}
	c.FromNS, c.ToNS = 2*second, 5*second
	w = Of(c, Options{}).Whole
	if w.InFlight.Integral != stat.SumOf(5*second) || w.Arrivals != 1 || w.Completions != 2 {
		t.Errorf("%+v", w)
	}
	near(t, "clipped L", w.InFlight.Mean(), 1.6667, 5e-5)
}

// TestG11TritonTrace has the request of Triton's documentation. Input that is copied takes
// 72 % of it and inference 11 %, and the answer is that.
func TestG11TritonTrace(t *testing.T) {
	parts := []struct {
		ns   int64
		what What
		none bool // of no kind
	}{
		{44864, 0, true}, {191969, Host, false}, {107829, Host, false}, {95681, Queue, false}, {2265710, Transfer, false},
		{344855, GPU, false}, {43226, Transfer, false}, {31413, 0, true},
	}
	c := Capture{Slots: []Sample{{0, 0, 1}}}
	at := int64(0)
	for _, p := range parts {
		if !p.none {
			c.Intervals = append(c.Intervals, Interval{at, at + p.ns, 0, p.what})
		}
		at += p.ns
	}
	c.Requests = []Request{plain(0, at, 0)}
	if at != 3125547 {
		t.Fatal(at)
	}
	r := Of(c, Options{Recorded: Everything})
	e := r.Engines[0]
	copied := e.Spent[Transfer].Minus(stat.SumOf(43226))
	near(t, "compute_input", 100*copied.Over(stat.SumOf(at)), 72.49, 5e-3)
	near(t, "infer", e.Busy(), .11, 5e-3)
	if compute := e.Spent[Transfer].Plus(e.Spent[GPU]); compute != stat.SumOf(2653791) {
		t.Error(compute.Int())
	}
	if handler := stat.SumOf(107829 + 95681).Plus(e.Spent[Transfer]).Plus(e.Spent[GPU]); handler != stat.SumOf(2857301) {
		t.Error(handler.Int())
	}
	if e.UnseenNS != 44864+31413 || e.IdleWaitingNS != at-44864-31413-344855 {
		t.Errorf("%+v", e)
	}
	if v := r.Table.Verdict; v.Kind != Answered || v.Signature != TransferBound {
		t.Errorf("%+v", r.Table)
	}
	// Nothing says that a gateway would have told of waits there: that row is not skipped.
	v := Of(c, Options{}).Table.Verdict
	if d := cmp.Diff(Verdict{Kind: CannotSay, Otherwise: TransferBound, Missing: []string{"intervals of kind gateway"},
		Text: "cannot say: gateway-limit cannot be decided without intervals of kind gateway; if none of them holds it is transfer-bound"}, v); d != "" {
		t.Error(d)
	}
}

// TestG14OtherEngine: work of another engine does nothing to this one.
func TestG14OtherEngine(t *testing.T) {
	c := Capture{Requests: []Request{plain(1000*ms, 1325*ms, 0), plain(1080*ms, 1260*ms, 1)}, Intervals: []Interval{
		{1075 * ms, 1275 * ms, 0, Host}, {1080 * ms, 1260 * ms, 1, GPU},
	}}
	r := Of(c, Options{Recorded: Everything})
	if r.Engines[0].IdleWaitingNS != 200*ms || r.Engines[1].IdleWaitingNS != 0 {
		t.Errorf("another engine: %+v", r.Engines)
	}
	c.Requests[1].Engine, c.Intervals[1].Engine = 0, 0
	if e := Of(c, Options{}).Engines[0]; e.IdleWaitingNS != 20*ms || e.WaitingNS != 200*ms || e.BusyNS != 180*ms {
		t.Errorf("the same engine: %+v", e)
	}
}

// TestG19IdleWhileWaiting has 100 ms of which GPU spans cover 30, with a request waiting for
// 80, 20 of them beside GPU work. Batched GPU spans lie over each other.
func TestG19IdleWhileWaiting(t *testing.T) {
	c := Capture{Requests: []Request{plain(0, 100*ms, 0)}, Intervals: []Interval{
		{0, 30 * ms, 0, GPU}, {5 * ms, 25 * ms, 0, GPU}, {10 * ms, 70 * ms, 0, Queue}, {20 * ms, 90 * ms, 0, Gateway},
	}}
	e := Of(c, Options{}).Engines[0]
	if e.BusyNS != 30*ms || e.WaitingNS != 80*ms || e.IdleWaitingNS != 60*ms || e.PresentNS != 100*ms || e.UnseenNS != 10*ms {
		t.Errorf("%+v", e)
	}
	near(t, "idle_while_waiting", e.IdleWaiting(), .60, 1e-12)
	near(t, "busy", e.Busy(), .30, 1e-12)
	if e.IdleFor[Queue] != stat.SumOf(40*ms) || e.IdleFor[Gateway] != stat.SumOf(60*ms) || e.IdleFor[GPU] != (stat.Sum{}) {
		t.Errorf("idle for %v", e.IdleFor)
	}
}

// TestG19ReplicaSkew has one of four replicas busy for 95 %.
func TestG19ReplicaSkew(t *testing.T) {
	c := Capture{FromNS: 0, ToNS: 100 * second}
	for e, busy := range []int64{95, 5, 10, 10} {
		for i := range busy {
			from := i * second
			c.Requests = append(c.Requests, plain(from, from+second, e), plain(from, from+second, e))
			c.Intervals = append(c.Intervals, Interval{from, from + second, e, GPU})
		}
	}
	r := Of(c, Options{Recorded: Everything, Replicas: Is(true)})
	near(t, "mean", r.Skew.Mean, .30, 1e-12)
	near(t, "max/mean", r.Skew.Ratio, 3.17, 5e-3)
	if r.Skew.Busiest != 0 || r.Skew.Max != .95 {
		t.Errorf("%+v", r.Skew)
	}
	if v := r.Table.Verdict; v.Kind != Answered || v.Signature != ReplicaSkew {
		t.Errorf("%+v", r.Table)
	}
	for i, e := range r.Engines {
		if got := e.Table.Rows[6].Speaks == For; got != (i == 0) {
			t.Errorf("engine %d: %+v", i, e.Table.Rows[6])
		}
	}
}

// TestG19Bursts has 40 arrivals in three of ten buckets of 100 ms, in which the GPU is busy.
func TestG19Bursts(t *testing.T) {
	c := Capture{FromNS: 0, ToNS: second}
	for i, n := range []int{0, 0, 40, 0, 0, 40, 0, 0, 40, 0} {
		from := int64(i) * 100 * ms
		for range n {
			c.Requests = append(c.Requests, plain(from, from+100*ms, 0))
			c.Intervals = append(c.Intervals, Interval{from, from + 100*ms, 0, GPU})
		}
	}
	r := Of(c, Options{Recorded: Everything})
	e := r.Engines[0]
	if d := cmp.Diff(little.Dispersion{Buckets: 10, Mean: 12, Index: 28}, e.Arrivals); d != "" || e.Arrivals != r.Arrivals {
		t.Error(d)
	}
	near(t, "busy", e.Busy(), .30, 1e-12)
	near(t, "full", e.Fine.FullShare(), .30, 1e-12)
	if d := cmp.Diff(Fine{Buckets: 10, Full: 3, Idle: 7, Tenths: [11]int64{7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3}, BusyNS: 300 * ms, FullNS: 300 * ms}, e.Fine); d != "" {
		t.Error(d)
	}
	// Of ten buckets, chance alone reaches 1 + 3*sqrt(2/9).
	if f := r.Table.Rows[7].Figures; f[len(f)-1].Gate != 1+3*math.Sqrt(2./9) || f[len(f)-1].Low != 28 || f[len(f)-1].N != 10 {
		t.Errorf("%+v", f)
	}
	if v := r.Table.Verdict; v.Kind != Answered || v.Signature != Bursts {
		t.Errorf("%+v", r.Table)
	}
}
