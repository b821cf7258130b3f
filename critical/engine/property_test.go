package engine

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// drawn is one request of a random set, to be written in any order.
type drawn struct {
	start, prompt int64
	pieces        []piece
	early         int // pieces of its path to the first token
	weight        float64
}

// reading is one random reading.
type drawnReading struct {
	host, engine, metric string
	at                   int64
	value                float64
}

type drawnSet struct {
	requests []drawn
	readings []drawnReading
	events   []int64 // instants of tokens, of the first piece of every request
}

var drawnSets = rapid.Custom(func(t *rapid.T) drawnSet {
	var d drawnSet
	for range rapid.IntRange(1, 25).Draw(t, "requests") {
		r := drawn{start: rapid.Int64Range(0, 3000).Draw(t, "start"), prompt: rapid.SampledFrom([]int64{0, 10, 100, 4000}).Draw(t, "prompt")}
		if rapid.IntRange(0, 40).Draw(t, "sampled") == 0 {
			r.weight = 4
		}
		at := r.start
		for range rapid.IntRange(1, 7).Draw(t, "pieces") {
			at += rapid.OneOf(rapid.Int64Range(1, 80), rapid.Int64Range(1, 2000)).Draw(t, "length")
			what := rapid.SampledFrom([]piece{
				{stage: stage.Queue, detail: "engine"}, {stage: stage.Queue, detail: "engine"}, {stage: stage.GPU, detail: "prefill"},
				{stage: stage.GPU, detail: "prefill"}, {stage: stage.GPU, detail: "decode"}, {stage: stage.GPU, detail: "decode"}, {stage: stage.GPU, detail: "compute"},
				{stage: stage.Queue, detail: "preempted"}, {stage: stage.Queue, detail: "admission"}, {stage: stage.Queue, detail: "retry_backoff"}, {stage: stage.Queue},
				{stage: stage.Transfer, detail: "h2d"}, {stage: stage.Scheduling}, {stage: stage.Network, detail: "hop"},
			}).Draw(t, "piece")
			what.scope, what.until = int32(rapid.SampledFrom([]int{0, 0, 0, 0, 1, 2, 3}).Draw(t, "scope")), at
			if rapid.IntRange(0, 3).Draw(t, "misplaced") == 0 {
				what.error = rapid.Int64Range(0, 50).Draw(t, "error")
			}
			r.pieces = append(r.pieces, what)
		}
		r.early = rapid.IntRange(0, len(r.pieces)).Draw(t, "early")
		d.requests = append(d.requests, r)
	}
	for range rapid.IntRange(0, 20).Draw(t, "readings") {
		d.readings = append(d.readings, drawnReading{
			host: rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "host"), engine: rapid.SampledFrom([]string{"", "0", "1"}).Draw(t, "engine"),
			metric: rapid.SampledFrom([]string{"running", "waiting", "kv_usage", "preemptions", "batch_prefill_requests"}).Draw(t, "metric"),
			at:     rapid.Int64Range(0, 5000).Draw(t, "at"), value: rapid.SampledFrom([]float64{0, .5, .95, 1, 2, 3}).Draw(t, "value"),
		})
	}
	d.events = rapid.SliceOfN(rapid.Int64Range(0, 6000), 0, 40).Draw(t, "events")
	return d
})

// build writes the set with its requests and readings in an order. rows[i] is the row of
// request i; by moves all times, in ms.
func (d drawnSet) build(requests, readings []int, shuffled bool, by int64) (set *table.Set, rows []int32) {
	g := newGiven()
	g.scope("vllm", "a", "0", "")
	g.scope("vllm", "b", "1", "")
	g.scope("triton", "a", "", scopeTriton)
	g.scope("haproxy", "g", "", "haproxy")
	rows = make([]int32, len(d.requests))
	for _, i := range requests {
		r := d.requests[i]
		pieces := slices.Clone(r.pieces)
		for k := range pieces {
			pieces[k].until += by
		}
		rows[i] = g.row(r.start+by, r.prompt, pieces)
		q := &g.set.Requests
		q.TraceID[rows[i]] = table.TraceID{14: byte(i >> 8), 15: byte(i)}
		if r.weight > 0 {
			q.Weight[rows[i]] = r.weight
		}
		first := int32(g.set.Spans.Len())
		g.target(targetEnd, rows[i], r.start+by, pieces)
		if r.early > 0 {
			g.target(1, rows[i], r.start+by, pieces[:r.early])
		}
		for _, at := range d.events {
			g.event(first, "token", at+by)
		}
	}
	for _, i := range readings {
		r := d.readings[i]
		g.sample("", r.host, r.engine, r.metric, r.at+by, r.value)
	}
	if shuffled {
		shuffle(&g.set.Segments)
	}
	return g.set, rows
}

// shuffle turns the rows of the segments around.
func shuffle(s *table.Segments) {
	slices.Reverse(s.RequestRow)
	slices.Reverse(s.TraceID)
	slices.Reverse(s.Target)
	slices.Reverse(s.Start)
	slices.Reverse(s.End)
	slices.Reverse(s.Duration)
	slices.Reverse(s.Stage)
	slices.Reverse(s.Detail)
	slices.Reverse(s.Error)
	slices.Reverse(s.SpanRow)
}

func upTo(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// told is what is said of one segment, in words that do not depend on rows.
func told(t *Timelines, rows []int32, i int32) string {
	back := map[int32]int{}
	for r, row := range rows {
		back[row] = r
	}
	f := t.Finding(i)
	blame := ""
	for _, h := range t.Blame(i) {
		blame += fmt.Sprint(back[h.Request], ":", h.NS, h.Why, " ")
	}
	e, _ := t.EngineOf(i)
	return fmt.Sprintf("%+v|%s|%d|%v", f, blame, e, t.Stalls(i))
}

func TestOrderOfRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawnSets.Draw(t, "set")
		set, rows := d.build(upTo(len(d.requests)), upTo(len(d.readings)), false, 0)
		by := rapid.SampledFrom([]int64{0, 1_800_000_000_000}).Draw(t, "later")
		other, otherRows := d.build(rapid.Permutation(upTo(len(d.requests))).Draw(t, "order"),
			rapid.Permutation(upTo(len(d.readings))).Draw(t, "order of readings"), rapid.Bool().Draw(t, "shuffled"), by)
		a, b := Build(set), Build(other)
		a.Annotate(set)
		b.Annotate(other)
		type key struct {
			request int
			target  uint8
			start   int64
		}
		all := func(t *Timelines, s *table.Set, rows []int32, by int64) map[key]string {
			out := map[key]string{}
			for i := range s.Segments.Len() {
				request := slices.Index(rows, s.Segments.RequestRow[i])
				out[key{request, s.Segments.Target[i], s.Segments.Start[i] - by*ms}] = s.Symbols.Text(s.Segments.Cause[i])
				if by == 0 {
					out[key{request, s.Segments.Target[i], s.Segments.Start[i]}] += told(t, rows, int32(i))
				}
			}
			return out
		}
		if by != 0 {
			a, b = Build(set), Build(other)
		}
		x, y := all(a, set, rows, 0), all(b, other, otherRows, by)
		for k, v := range x {
			if by != 0 {
				v = set.Symbols.Text(set.Segments.Cause[segmentAt(set, rows[k.request], k.target, k.start)])
			}
			if y[k] != v {
				t.Fatalf("%+v:\n%s\n%s", k, v, y[k])
			}
		}
		if by == 0 && fmt.Sprintf("%+v", a.Engines()) != fmt.Sprintf("%+v", b.Engines()) {
			t.Fatalf("%+v\n%+v", a.Engines(), b.Engines())
		}
	})
}

func segmentAt(s *table.Set, request int32, target uint8, start int64) int {
	for i := range s.Segments.Len() {
		if s.Segments.RequestRow[i] == request && s.Segments.Target[i] == target && s.Segments.Start[i] == start {
			return i
		}
	}
	panic("no such segment")
}

// TestBounds: no time is negative or longer than the wait, blame names others and never
// more than there is, and what Annotate writes is what is found.
func TestBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawnSets.Draw(t, "set")
		set, _ := d.build(upTo(len(d.requests)), upTo(len(d.readings)), rapid.Bool().Draw(t, "shuffled"), 0)
		tl := Build(set)
		tl.Annotate(set)
		long := tl.longPrefills()
		for k := range tl.queue {
			if w := &tl.queue[k]; w.engine >= 0 && long[k] != tl.longPrefill(w) {
				t.Fatalf("segment %d: %d ns of long prompts painted, %d counted", w.segment, long[k], tl.longPrefill(w))
			}
		}
		seg := &set.Segments
		for i := range int32(seg.Len()) {
			f := tl.Finding(i)
			isQueue := stage.Stage(seg.Stage[i]) == stage.Queue
			if name := set.Symbols.Text(seg.Cause[i]); isQueue && name != f.Cause.String() || !isQueue && name != "" {
				t.Fatalf("segment %d: %q, %+v", i, name, f)
			}
			for _, ns := range []int64{f.FullNS, f.FreeNS, f.IdleNS, f.KeptNS, f.PrefillNS, f.LongPrefillNS, f.PreemptedNS} {
				if ns < 0 || ns > f.WaitNS {
					t.Fatalf("segment %d: %+v", i, f)
				}
			}
			if f.LongPrefillNS > f.PrefillNS || f.FullNS > f.KeptNS || f.FullNS+f.IdleNS > f.WaitNS {
				t.Fatalf("segment %d: %+v", i, f)
			}
			sum, last := int64(0), seg.Duration[i]
			seen := map[int32]bool{}
			for _, h := range tl.Blame(i) {
				if h.NS <= 0 || h.NS > last || h.Request == seg.RequestRow[i] || seen[h.Request] || h.Why == "" {
					t.Fatalf("segment %d: %+v", i, tl.Blame(i))
				}
				sum, last, seen[h.Request] = sum+h.NS, h.NS, true
			}
			if sum > seg.Duration[i] {
				t.Fatalf("segment %d of %d ns: %d ns are blamed", i, seg.Duration[i], sum)
			}
		}
		for e := range int32(len(tl.engines)) {
			o := tl.Occupancy(e)
			if o.BusyNS > o.PresentNS || o.IdleWhileWaitingNS > o.WaitingNS || o.PresentNS > o.To-o.From || o.WaitingNS > o.PresentNS || o.IdleWhileWaitingNS < 0 {
				t.Fatalf("%+v", o)
			}
		}
	})
}

// TestSweep compares the counts and sums with a plain look at all segments.
func TestSweep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawnSets.Draw(t, "set")
		set, _ := d.build(upTo(len(d.requests)), nil, false, 0)
		tl := Build(set)
		for e := range int32(len(tl.engines)) {
			l := &tl.engines[e]
			at := rapid.Int64Range(0, 8000).Draw(t, "at") * ms
			count := func(list []interval) (rows []int32) {
				for _, v := range list {
					if v.start <= at && at < v.end {
						rows = append(rows, v.request)
					}
				}
				slices.Sort(rows)
				return slices.Compact(rows)
			}
			s := tl.At(e, at)
			if !slices.Equal(s.Running, count(l.runs)) || !slices.Equal(s.Waiting, count(l.waits)) || !slices.Equal(s.Preempted, count(l.preempts)) {
				t.Fatalf("at %d: %+v", at, s)
			}
			from := rapid.Int64Range(-100, 8000).Draw(t, "from") * ms
			to := from + rapid.Int64Range(1, 4000).Draw(t, "length")*ms
			idle, prefill := int64(0), int64(0)
			for x := from; x < to; x += ms { // everything begins and ends at whole ms
				open := func(v interval) bool { return v.start <= x && x < v.end }
				if !slices.ContainsFunc(l.units(), open) {
					idle += ms
				}
				if slices.ContainsFunc(l.prefills, open) {
					prefill += ms
				}
			}
			st := &l.steps
			if got := st.within(st.idle, l.isIdle, from, to, true); got != idle {
				t.Fatalf("idle for %d ns of [%d, %d), not %d", got, from, to, idle)
			}
			if got := st.within(st.prefill, l.isPrefilling, from, to, false); got != prefill {
				t.Fatalf("prefilling for %d ns of [%d, %d), not %d", got, from, to, prefill)
			}
			if !slices.IsSortedFunc(l.runs, func(a, b interval) int { return cmp.Compare(a.start, b.start) }) {
				t.Fatal("runs are out of order")
			}
		}
	})
}

// TestUnrelated: an engine of which nothing is known but itself changes no other.
func TestUnrelated(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawnSets.Draw(t, "set")
		d.readings = nil
		set, rows := d.build(upTo(len(d.requests)), nil, false, 0)
		more := drawnSet{requests: slices.Clone(d.requests), events: d.events}
		other, _ := more.build(upTo(len(d.requests)), nil, false, 0)
		g := &given{other}
		e := g.scope("zz", "z", "", "")
		g.request(0, 0, waited(e, 500), prefilled(e, 1000), decoded(e, 4000))
		a, b := Build(set), Build(other)
		for i := range int32(set.Segments.Len()) {
			if x, y := told(a, rows, i), told(b, rows, i); x != y {
				t.Fatalf("segment %d:\n%s\n%s", i, x, y)
			}
		}
	})
}
