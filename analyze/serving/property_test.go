package serving

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/stat"
)

// TestWindowsAddUp holds that the windows follow each other from start to end, all but the
// last of one length, and that their sums are those of the whole.
func TestWindowsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, opt := drawn(t, rapid.SampledFrom(scales).Draw(t, "scale"))
		r := Of(c, opt)
		var sum Window
		at := r.FromNS
		plus := func(to *Tokens, of Tokens) {
			to.Emitted, to.OfCompleted, to.Counted = to.Emitted.Plus(of.Emitted), to.OfCompleted.Plus(of.OfCompleted), to.Counted+of.Counted
		}
		level := func(to *Level, of Level) {
			to.NS, to.Integral, to.Peak = to.NS+of.NS, to.Integral.Plus(of.Integral), max(to.Peak, of.Peak)
		}
		for i, w := range r.Windows {
			cut := w.ToNS-w.FromNS < opt.WindowNS
			if w.FromNS != at || w.Partial != cut || cut && i != len(r.Windows)-1 || w.ToNS-w.FromNS > opt.WindowNS || w.Edge != (i == 0 || i == len(r.Windows)-1) {
				t.Fatalf("window %d: %+v", i, w)
			}
			at = w.ToNS
			sum.Arrivals, sum.Completions, sum.Generation.N = sum.Arrivals+w.Arrivals, sum.Completions+w.Completions, sum.Generation.N+w.Generation.N
			plus(&sum.Output, w.Output)
			plus(&sum.Input, w.Input)
			level(&sum.InFlight, w.InFlight)
			level(&sum.Waiting, w.Waiting)
			level(&sum.Running, w.Running)
		}
		want := r.Whole
		if at != r.ToNS {
			t.Fatalf("windows end at %d of %d", at, r.ToNS)
		}
		want.FromNS, want.ToNS, want.Edge, want.Generation.P50 = 0, 0, false, 0
		for _, l := range []*Level{&want.InFlight, &want.Waiting, &want.Running} {
			l.P50, l.P95, l.P99, l.P999 = 0, 0, 0, 0
		}
		if d := cmp.Diff(want, sum, bySum); d != "" {
			t.Fatal(d)
		}
	})
}

// TestWindowHoldsEveryRequest holds that the capture's own window begins with the first
// request and ends with the last, and that all that came went or is unfinished.
func TestWindowHoldsEveryRequest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, opt := drawn(t, rapid.SampledFrom(scales).Draw(t, "scale"))
		c.FromNS, c.ToNS = 0, 0
		if len(c.Requests) == 0 {
			return
		}
		r := Of(c, opt)
		first := int64(math.MaxInt64)
		for _, q := range c.Requests {
			first = min(first, q.StartNS)
		}
		w := r.Whole
		if r.FromNS != first || w.Arrivals != int64(len(c.Requests)) || w.Arrivals != w.Completions+r.Refused.Unfinished || r.Refused.RequestsOutside != 0 || r.Requests != w.Arrivals {
			t.Fatalf("%+v", r)
		}
		if r.Output == TokensEmitted && r.Refused.Unfinished == 0 && w.Output.Emitted != w.Output.OfCompleted {
			t.Fatalf("%v tokens emitted and %v of completed requests", w.Output.Emitted.Int(), w.Output.OfCompleted.Int())
		}
		if r.Input == TokensEmitted && r.Refused.Unfinished == 0 && w.Input.Emitted != w.Input.OfCompleted {
			t.Fatalf("%v tokens read and %v of completed requests", w.Input.Emitted.Int(), w.Input.OfCompleted.Int())
		}
	})
}

// same returns how results differ, but for what was refused.
func same(a, b Result) string {
	a.Refused, b.Refused = Refused{}, Refused{}
	return cmp.Diff(a, b, bySum)
}

// TestOrderChangesNothing permutes all that is put in.
func TestOrderChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, opt := drawn(t, rapid.SampledFrom(scales).Draw(t, "scale"))
		want := Of(c, opt)
		o := c
		places := make([]int, len(c.Requests))
		for i := range places {
			places[i] = i
		}
		places = rapid.Permutation(places).Draw(t, "places")
		o.Requests = make([]Request, len(places))
		for i, p := range places {
			o.Requests[p] = c.Requests[i]
		}
		o.Emissions = rapid.Permutation(c.Emissions).Draw(t, "emissions")
		for i := range o.Emissions {
			o.Emissions[i].Request = places[o.Emissions[i].Request]
		}
		o.Intervals = rapid.Permutation(c.Intervals).Draw(t, "intervals")
		o.Slots, o.KV = rapid.Permutation(c.Slots).Draw(t, "slots"), rapid.Permutation(c.KV).Draw(t, "kv")
		if d := same(want, Of(o, opt)); d != "" {
			t.Fatal(d)
		}
	})
}

// TestInputIsNotChanged holds that what is put in stays as it is.
func TestInputIsNotChanged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, opt := drawn(t, scales[0])
		before := Capture{c.FromNS, c.ToNS, slices.Clone(c.Requests), slices.Clone(c.Intervals), slices.Clone(c.Emissions), slices.Clone(c.Slots), slices.Clone(c.Stints), c.StintsOf, slices.Clone(c.Preemptions), slices.Clone(c.KV)}
		Of(c, opt)
		if d := cmp.Diff(before, c); d != "" {
			t.Fatal(d)
		}
	})
}

// TestTouchingPiecesChangeNothing splits intervals.
func TestTouchingPiecesChangeNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SampledFrom(scales).Draw(t, "scale")
		c, opt := drawn(t, s)
		o := c
		o.Intervals = nil
		for _, iv := range c.Intervals {
			at := iv.FromNS + rapid.Int64Range(0, (iv.ToNS-iv.FromNS)/s.step).Draw(t, "cut")*s.step
			left, right := iv, iv
			left.ToNS, right.FromNS = at, at
			o.Intervals = append(o.Intervals, left, right)
		}
		if d := same(Of(c, opt), Of(o, opt)); d != "" {
			t.Fatal(d)
		}
	})
}

// TestShiftChangesNothing moves all times by the same amount.
func TestShiftChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, opt := drawn(t, rapid.SampledFrom(scales).Draw(t, "scale"))
		by := rapid.Int64Range(-1e18, 1e18).Draw(t, "by")
		want := Of(c, opt)
		shift := func(ns *int64) {
			if *ns != Unknown {
				*ns += by
			}
		}
		shift(&c.FromNS)
		shift(&c.ToNS)
		for i := range c.Requests {
			shift(&c.Requests[i].StartNS)
			shift(&c.Requests[i].EndNS)
			shift(&c.Requests[i].FirstTokenNS)
		}
		for i := range c.Intervals {
			shift(&c.Intervals[i].FromNS)
			shift(&c.Intervals[i].ToNS)
		}
		for i := range c.Emissions {
			shift(&c.Emissions[i].AtNS)
		}
		for _, list := range [][]Sample{c.Slots, c.KV} {
			for i := range list {
				shift(&list[i].AtNS)
			}
		}
		got := Of(c, opt)
		if got.ToNS > got.FromNS {
			for _, ns := range []*int64{&got.FromNS, &got.ToNS, &got.Whole.FromNS, &got.Whole.ToNS} {
				*ns -= by
			}
		}
		for i := range got.Windows {
			got.Windows[i].FromNS -= by
			got.Windows[i].ToNS -= by
		}
		if d := same(want, got); d != "" {
			t.Fatal(d)
		}
	})
}

// TestAbsurdInput draws anything at all. Nothing panics, every row is used or counted, and
// no figure is NaN or out of its bounds.
func TestAbsurdInput(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ns := rapid.OneOf(rapid.SampledFrom([]int64{Unknown, Unknown + 1, -1, 0, 1, math.MaxInt64 - 1, math.MaxInt64, reach - 1, reach, -reach, -reach - 1}),
			rapid.Int64(), rapid.Int64Range(-1000, 1000))
		engine := rapid.OneOf(rapid.Int(), rapid.IntRange(-1, 1))
		var c Capture
		c.FromNS, c.ToNS = ns.Draw(t, "from"), ns.Draw(t, "to")
		for range rapid.IntRange(0, 5).Draw(t, "requests") {
			c.Requests = append(c.Requests, Request{ns.Draw(t, "start"), ns.Draw(t, "end"), ns.Draw(t, "first"), ns.Draw(t, "in"), ns.Draw(t, "out"), engine.Draw(t, "engine")})
		}
		for range rapid.IntRange(0, 6).Draw(t, "intervals") {
			c.Intervals = append(c.Intervals, Interval{ns.Draw(t, "from"), ns.Draw(t, "to"), engine.Draw(t, "engine"), What(rapid.Uint8Range(0, 6).Draw(t, "what"))})
		}
		for range rapid.IntRange(0, 4).Draw(t, "emissions") {
			c.Emissions = append(c.Emissions, Emission{rapid.OneOf(rapid.Int(), rapid.IntRange(0, 5)).Draw(t, "request"), ns.Draw(t, "at"), ns.Draw(t, "tokens")})
		}
		value := rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, 1}))
		for range rapid.IntRange(0, 3).Draw(t, "samples") {
			c.Slots = append(c.Slots, Sample{ns.Draw(t, "at"), engine.Draw(t, "engine"), value.Draw(t, "slots")})
			c.KV = append(c.KV, Sample{ns.Draw(t, "at"), engine.Draw(t, "engine"), value.Draw(t, "kv")})
		}
		r := Of(c, Options{WindowNS: ns.Draw(t, "length"), Recorded: Kinds(rapid.Uint8().Draw(t, "recorded")), StampNS: ns.Draw(t, "stamp"), Replicas: maybe(t)})
		f := r.Refused
		if used := r.Requests + f.RequestTimes + f.RequestsReversed + f.RequestsOutside; used != int64(len(c.Requests)) {
			t.Fatalf("%d of %d requests are accounted for", used, len(c.Requests))
		}
		lost := f.IntervalTimes + f.IntervalsReversed + f.IntervalsEmpty + f.IntervalKinds + f.IntervalsOutside
		if lost > int64(len(c.Intervals)) || f.Samples > int64(len(c.Slots)+len(c.KV)) || f.Emissions > int64(len(c.Emissions)) {
			t.Fatalf("%+v", f)
		}
		if (len(r.Windows) == 0) != (r.ToNS <= r.FromNS || len(r.Warnings) > 0) {
			t.Fatalf("%d windows, %v", len(r.Windows), r.Warnings)
		}
		fit := func(name string, v float64) {
			if !(v >= 0 && v <= 1) {
				t.Fatalf("%s %v", name, v)
			}
		}
		tables := []Table{r.Table}
		for i := range r.Engines {
			e := &r.Engines[i]
			tables = append(tables, e.Table)
			fit("busy", e.Busy())
			fit("present", e.Present())
			fit("idle", e.IdleWaiting())
			if e.BusyNS+e.IdleWaitingNS+e.UnseenNS != e.PresentNS || e.IdleWaitingNS > e.WaitingNS || e.HostTogetherNS > e.IdleWaitingNS ||
				e.SlotsFullNS > e.SlotsMayNS || e.KVFullNS > e.KVMayNS || e.SlotsMayNS > e.QueueNS || e.KVMayNS+e.SlotsFullNS > e.QueueNS {
				t.Fatalf("%+v", e)
			}
		}
		for _, table := range tables {
			wellFormed(t, table)
		}
	})
}

// wellFormed holds what every table must be.
func wellFormed(t *rapid.T, table Table) {
	order := []Signature{NoSaturation, GatewayLimit, SlotsFull, KVFull, TransferBound, HostBound, ReplicaSkew, Bursts, Device}
	silent, answer := false, Signature("")
	for i, row := range table.Rows {
		if row.Signature != order[i] || row.Means == "" || len(row.Figures) == 0 || (row.Speaks == Silent) != (len(row.Missing) > 0) {
			t.Fatalf("%+v", row)
		}
		for _, f := range row.Figures {
			if math.IsNaN(f.Low) || math.IsInf(f.High, 0) || f.Low > f.High || f.Low < 0 || f.Of == "" || (f.Says == Silent) != (len(f.Missing) > 0) || slices.Contains(f.Missing, "") {
				t.Fatalf("%s: %+v", row.Signature, f)
			}
		}
		if answer == "" {
			silent = silent || row.Speaks == Silent
		}
		if answer == "" && row.Speaks == For {
			answer = row.Signature
		}
	}
	v := table.Verdict
	if len(table.Rows) != len(order) || v.Text == "" || (v.Kind == CannotSay) != silent || silent != (len(v.Missing) > 0) {
		t.Fatalf("%+v", table)
	}
	if !silent && (v.Kind == DeviceBusy) != (answer == Device) {
		t.Fatalf("%+v: the first that speaks is %q", v, answer)
	}
	if v.Kind == DeviceBusy {
		answer = ""
	}
	if v.Signature != "" && silent || !silent && v.Signature != answer || silent && v.Otherwise != answer {
		t.Fatalf("%+v: the first that speaks is %q", v, answer)
	}
}

// TestMoreIsKnownNeverContradicts holds that a row that decides without a kind of interval
// being declared, of engines that may not be replicas, or by coarse stamps, decides the same
// once all is known: only what is unknown may change.
func TestMoreIsKnownNeverContradicts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, opt := drawn(t, rapid.SampledFrom(scales).Draw(t, "scale"))
		before := Of(c, opt).Table
		opt.Recorded, opt.StampNS = Everything, 0
		if !opt.Replicas.Known {
			opt.Replicas = Is(true)
		}
		after := Of(c, opt).Table
		for i, row := range before.Rows {
			if row.Speaks != Silent && row.Speaks != after.Rows[i].Speaks {
				t.Fatalf("%+v, then %+v", row, after.Rows[i])
			}
		}
	})
}

// TestLevelsOfWholeAgree holds Little's law in its exact form: the request-ns in flight are
// those of all requests, clipped.
func TestLevelsOfWholeAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, opt := drawn(t, rapid.SampledFrom(scales).Draw(t, "scale"))
		r := Of(c, opt)
		var want stat.Sum
		for _, q := range c.Requests {
			if from, to := max(q.StartNS, r.FromNS), min(q.EndNS, r.ToNS); q.EndNS != Unknown && from < to {
				want.Add(to - from)
			}
		}
		sum := r.Unplaced.InFlight
		for _, e := range r.Engines {
			sum = sum.Plus(e.InFlight.Integral)
		}
		if r.Whole.InFlight.Integral != want || sum != want {
			t.Fatalf("in flight %v, of engines %v, want %v", r.Whole.InFlight.Integral.Int(), sum.Int(), want.Int())
		}
	})
}
