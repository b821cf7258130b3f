package serving

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/little"
	"github.com/tailpath/tailpath/analyze/stat"
)

var bySum = cmp.AllowUnexported(stat.Sum{})

// scale is a unit of time of drawn captures, and a step by which the oracle sees all of
// them: it divides units, buckets and how long a reading of the KV cache holds.
type scale struct{ unit, step int64 }

var scales = []scale{{1, 1}, {30 * ms, 10 * ms}, {20 * second, 100 * ms}}

// drawn returns a capture of a few requests, intervals and samples, all of which can be, and
// options.
func drawn(t *rapid.T, s scale) (Capture, Options) {
	at := func(name string) int64 { return rapid.Int64Range(-3, 12).Draw(t, name) * s.unit }
	engine := func() int { return rapid.IntRange(-1, 2).Draw(t, "engine") }
	count := func(name string) int64 {
		return rapid.OneOf(rapid.Just[int64](Unknown), rapid.Int64Range(0, 5)).Draw(t, name)
	}
	var c Capture
	for i := range rapid.IntRange(0, 6).Draw(t, "requests") {
		a, b := at("start"), at("end")
		q := Request{StartNS: min(a, b), EndNS: max(a, b), FirstTokenNS: Unknown, InputTokens: count("input"), OutputTokens: count("output"), Engine: engine()}
		if rapid.Bool().Draw(t, "first") {
			q.FirstTokenNS = rapid.Int64Range(0, (q.EndNS-q.StartNS)/s.unit).Draw(t, "first")*s.unit + q.StartNS
		}
		if n := q.OutputTokens; n > 0 && rapid.Bool().Draw(t, "emits") {
			for range n {
				c.Emissions = append(c.Emissions, Emission{i, rapid.Int64Range(0, (q.EndNS-q.StartNS)/s.unit).Draw(t, "emitted")*s.unit + q.StartNS, 1})
			}
		}
		if rapid.IntRange(0, 9).Draw(t, "unfinished") == 0 {
			q.EndNS = Unknown
		}
		c.Requests = append(c.Requests, q)
	}
	for range rapid.IntRange(0, 10).Draw(t, "intervals") {
		a, b := at("from"), at("to")
		c.Intervals = append(c.Intervals, Interval{min(a, b), max(a, b), engine(), What(rapid.IntRange(0, whats).Draw(t, "what"))})
	}
	for range rapid.IntRange(0, 4).Draw(t, "slots") {
		c.Slots = append(c.Slots, Sample{at("at"), engine(), float64(rapid.IntRange(1, 3).Draw(t, "limit"))})
	}
	for range rapid.IntRange(0, 4).Draw(t, "kv") {
		c.KV = append(c.KV, Sample{at("at"), engine(), rapid.SampledFrom([]float64{.5, .85, .9, .95}).Draw(t, "full")})
	}
	if rapid.Bool().Draw(t, "window") {
		if a, b := at("from"), at("to"); a != b {
			c.FromNS, c.ToNS = min(a, b), max(a, b)
		}
	}
	opt := Options{WindowNS: rapid.Int64Range(1, 9).Draw(t, "length") * s.unit, Recorded: Kinds(rapid.IntRange(0, int(Everything)).Draw(t, "recorded")), Replicas: maybe(t)}
	if rapid.IntRange(0, 4).Draw(t, "coarse") == 0 {
		opt.StampNS = second
	}
	for _, w := range []What{Gateway, Queue, Host, Transfer} {
		if rapid.IntRange(0, 3).Draw(t, "hidden") == 0 {
			opt.Hidden[w] = Is(stat.SumOf(rapid.Int64Range(0, 9).Draw(t, "at most") * s.unit))
		}
	}
	return c, opt
}

// maybe returns what may be known of replicas.
func maybe(t *rapid.T) Maybe[bool] {
	return rapid.SampledFrom([]Maybe[bool]{{}, Is(true), Is(true), Is(false)}).Draw(t, "replicas")
}

// holds reports whether an interval holds an instant.
func holds(from, to, at int64) bool { return from <= at && at < to }

// slowCounts counts what holds an instant; of all engines when engine is nil.
func slowCounts(c *Capture, engine *int, at int64) (n counts) {
	for _, q := range c.Requests {
		if (engine == nil || q.Engine == *engine) && q.EndNS != Unknown && holds(q.StartNS, q.EndNS, at) {
			n[present]++
		}
	}
	for _, iv := range c.Intervals {
		if (engine == nil || iv.Engine == *engine) && holds(iv.FromNS, iv.ToNS, at) {
			n[iv.What]++
		}
	}
	return n
}

// slowRead returns the reading that holds at an instant.
func slowRead(samples []Sample, engine int, at, old int64) (v float64, ok bool) {
	latest := int64(Unknown)
	for _, x := range samples {
		if x.Engine != engine || x.AtNS > at || x.AtNS < latest {
			continue
		}
		if x.AtNS > latest {
			v = 0
		}
		latest, v = x.AtNS, max(v, x.Value)
	}
	return v, latest != Unknown && at-latest < old
}

// slowLevel returns the level of numbers that held for a step each.
func slowLevel(numbers []int64, step int64) Level {
	var l Level
	if len(numbers) == 0 {
		return l
	}
	slices.Sort(numbers)
	for _, n := range numbers {
		l.NS += step
		l.Integral = l.Integral.Plus(stat.SumOf(step).Times(n))
	}
	l.P50, l.P95, l.Peak = stat.NearestRank(numbers, stat.P50), stat.NearestRank(numbers, stat.P95), numbers[len(numbers)-1]
	l.P99, l.P999 = stat.NearestRank(numbers, stat.P99), stat.NearestRank(numbers, stat.P999)
	return l
}

// slowNext returns the greatest of the readings of an engine at the first time after an instant.
func slowNext(list []Sample, id int, at int64) (value float64, ok bool) {
	first := int64(math.MaxInt64)
	for _, x := range list {
		if x.Engine == id && x.AtNS > at && inReach(x.AtNS) {
			first = min(first, x.AtNS)
		}
	}
	for _, x := range list {
		if x.Engine == id && x.AtNS == first {
			value, ok = max(value, x.Value), true
		}
	}
	return value, ok
}

// slowEngine measures an engine by looking at every step of time.
func slowEngine(c *Capture, id int, from, to, step int64) Engine {
	e := Engine{ID: id, WindowNS: to - from, Fine: Fine{Buckets: (to - from) / Bucket}}
	var starts, durations, inFlight, executing []int64
	for i, q := range c.Requests {
		if q.Engine != id {
			continue
		}
		end := max(q.EndNS, q.StartNS+1)
		if q.EndNS == Unknown {
			// It is there as long as anything is heard of it.
			end = max(end, q.FirstTokenNS+1)
			for _, x := range c.Emissions {
				if x.Request == i {
					end = max(end, x.AtNS+1)
				}
			}
		}
		if holds(q.StartNS, end, from) || holds(from, to, q.StartNS) {
			e.Requests++
		}
		starts = append(starts, q.StartNS)
		if q.EndNS != Unknown && holds(from, to, max(q.StartNS, q.EndNS-1)) {
			durations = append(durations, q.EndNS-q.StartNS)
		}
	}
	if slices.Sort(durations); len(durations) > 0 {
		e.E2E = Spread{"request", int64(len(durations)), stat.QuantileOf(durations, stat.P50), stat.QuantileOf(durations, stat.P99)}
	}
	e.Arrivals = little.DispersionOf(little.Arrivals(starts, from, to, Bucket))
	busy := make([]int64, e.Fine.Buckets)
	for at := from; at < to; at += step {
		n := slowCounts(c, &id, at)
		inFlight = append(inFlight, n[present])
		for w := range whats {
			e.Spent[w] = e.Spent[w].Plus(stat.SumOf(step).Times(n[w]))
		}
		waits := n[Gateway] + n[Queue] + n[Host] + n[Transfer]
		add := func(to *int64, when bool) {
			if when {
				*to += step
			}
		}
		gpu := n[GPU] > 0
		if gpu {
			executing = append(executing, n[GPU])
		}
		add(&e.BusyNS, gpu)
		here := max(0, n[present]-n[BackOff])
		e.BackingOff = e.BackingOff.Plus(stat.SumOf(step).Times(n[present] - here))
		add(&e.PresentNS, gpu || waits > 0 || here > 0)
		add(&e.WaitingNS, waits > 0)
		add(&e.IdleWaitingNS, waits > 0 && !gpu)
		add(&e.UnseenNS, waits == 0 && !gpu && here > 0)
		add(&e.HostTogetherNS, n[Host] >= 2 && !gpu)
		for w := Gateway; w < whats && !gpu; w++ {
			e.IdleFor[w] = e.IdleFor[w].Plus(stat.SumOf(step).Times(n[w]))
		}
		if k := (at - from) / Bucket; gpu && k < int64(len(busy)) {
			busy[k] += step
		}
		if n[Queue] == 0 {
			continue
		}
		limit, limited := slowRead(c.Slots, id, at, 1<<62)
		kv, read := slowRead(c.KV, id, at, 60*second)
		limited = limited && e.Requests > 0
		full := float64(max(0, n[present]-n[BackOff]-n[Gateway]-n[Queue])) >= limit
		e.QueueNS += step
		add(&e.QueueBusyNS, gpu)
		add(&e.SlotsFullNS, limited && full)
		add(&e.SlotsMayNS, full || !limited)
		next, more := slowNext(c.KV, id, at)
		add(&e.KVFullNS, limited && !full && read && kv >= .9 && !(more && next < .8))
		seen := false // a reading next to it, while the queue was there
		for _, x := range c.KV {
			if x.Engine != id || !inReach(x.AtNS) || x.AtNS < from || x.AtNS >= to {
				continue
			}
			beside := true
			for k := min(x.AtNS, at); k <= max(x.AtNS, at); k += step {
				beside = beside && slowCounts(c, &id, k)[Queue] > 0
			}
			for _, y := range c.KV {
				if y.Engine == id && (x.AtNS < y.AtNS && y.AtNS <= at || at < y.AtNS && y.AtNS < x.AtNS) {
					beside = false
				}
			}
			seen = seen || beside
		}
		add(&e.KVMayNS, !(limited && full) && !(seen && read && kv < .8 && !(more && next >= .8)))
	}
	e.InFlight, e.Executing = slowLevel(inFlight, step), slowLevel(executing, step)
	for _, ns := range busy {
		e.Fine.Tenths[ns/(Bucket/10)]++
		e.Fine.BusyNS += ns
		if ns == 0 {
			e.Fine.Idle++
		}
		if ns >= 90*ms {
			e.Fine.Full++
			e.Fine.FullNS += ns
		}
	}
	return e
}

// slowWindow measures a window by looking at every step of time and every request.
func slowWindow(c *Capture, w Window, step int64) Window {
	out := Window{FromNS: w.FromNS, ToNS: w.ToNS, Partial: w.Partial, Edge: w.Edge}
	var inFlight, waiting, running []int64
	for at := w.FromNS; at < w.ToNS; at += step {
		n := slowCounts(c, nil, at)
		wait := n[Gateway] + n[Queue]
		inFlight, waiting, running = append(inFlight, n[present]), append(waiting, wait), append(running, max(0, n[present]-n[BackOff]-wait))
	}
	out.InFlight, out.Waiting, out.Running = slowLevel(inFlight, step), slowLevel(waiting, step), slowLevel(running, step)
	var rates []float64
	for i, q := range c.Requests {
		if holds(w.FromNS, w.ToNS, q.StartNS) {
			out.Arrivals++
		}
		last := q.StartNS
		if q.EndNS > q.StartNS {
			last = q.EndNS - 1
		}
		in := func(at int64) bool {
			if q.EndNS != Unknown {
				at = min(at, last)
			}
			return holds(w.FromNS, w.ToNS, at)
		}
		emitted, first, lastToken := int64(0), q.FirstTokenNS, q.EndNS
		for _, e := range c.Emissions {
			if e.Request != i {
				continue
			}
			if in(e.AtNS) {
				out.Output.Emitted.Add(1)
			}
			if q.FirstTokenNS == Unknown && (first == Unknown || e.AtNS < first) {
				first = e.AtNS
			}
			if emitted == 0 {
				lastToken = e.AtNS
			}
			emitted, lastToken = emitted+1, max(lastToken, e.AtNS)
		}
		if emitted == 0 && q.OutputTokens == 1 && first != Unknown {
			lastToken = first
			if in(first) {
				out.Output.Emitted.Add(1)
			}
		}
		if first != Unknown && q.InputTokens != Unknown && in(first) {
			out.Input.Emitted.Add(q.InputTokens)
		}
		if q.EndNS == Unknown || !holds(w.FromNS, w.ToNS, last) {
			continue
		}
		out.Completions++
		if q.OutputTokens != Unknown {
			out.Output.Counted++
			out.Output.OfCompleted.Add(q.OutputTokens)
		}
		if q.InputTokens != Unknown {
			out.Input.Counted++
			out.Input.OfCompleted.Add(q.InputTokens)
		}
		if q.OutputTokens >= 2 && first != Unknown && lastToken > first {
			rates = append(rates, float64(q.OutputTokens-1)*1e9/float64(lastToken-first))
		}
	}
	if n := len(rates); n > 0 {
		slices.Sort(rates)
		out.Generation = Generation{int64(n), rates[(n+1)/2-1]}
	}
	return out
}

// TestAgainstEveryInstant holds that all figures are those of looking at every step of time.
func TestAgainstEveryInstant(t *testing.T) {
	for _, s := range scales {
		rapid.Check(t, func(t *rapid.T) {
			c, opt := drawn(t, s)
			r := Of(c, opt)
			if over := (r.ToNS - r.FromNS) % s.step; over != 0 {
				// The last thing heard is an instant: the oracle's steps go over it.
				c.FromNS, c.ToNS = r.FromNS, r.ToNS+s.step-over
				r = Of(c, opt)
			}
			for i := range r.Engines {
				got := r.Engines[i]
				want := slowEngine(&c, got.ID, r.FromNS, r.ToNS, s.step)
				got.Table, got.GPUKnown = Table{}, false
				if d := cmp.Diff(want, got, bySum); d != "" {
					t.Fatal(d)
				}
			}
			if r.ToNS > r.FromNS {
				r.Windows = append(r.Windows, r.Whole)
			}
			for _, w := range r.Windows {
				if d := cmp.Diff(slowWindow(&c, w, s.step), w, bySum); d != "" {
					t.Fatalf("[%d, %d): %s", w.FromNS, w.ToNS, d)
				}
			}
		})
	}
}
