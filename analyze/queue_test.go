package analyze

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// surge is a line with a time of three times the arrivals.
func surge(seed uint64) []given {
	l := line{seed: seed, n: 1500, servers: 8, service: 1000 * ms, load: .6, surge: surgeBetween(60_000*ms, 80_000*ms, 3)}
	return l.requests()
}

func TestQueueOfASurge(t *testing.T) {
	q := QueueOf(tables(surge(1)), Options{Replicates: 200}, nil)
	if v := q.Summary.Verdict; v.Stage != stage.Queue || v.Kind != KindLeads {
		t.Errorf("the verdict is %s of %s", v.Kind, v.Stage)
	}
	if len(q.When.Incidents) != 1 || q.When.Inside.Over(q.When.Total) < .9 {
		t.Fatalf("%d incidents with %g of the waiting", len(q.When.Incidents), q.When.Inside.Over(q.When.Total))
	}
	if q.Busy.Kind != BusyContention || !q.Busy.ByIncident {
		t.Errorf("busy times are %s", q.Busy.Kind)
	}
	want := map[CandidateName]Speaks{MoreArrivals: SpeaksFor, SlowerService: SpeaksAgainst}
	for _, c := range q.Candidates {
		if side, ok := want[c.Name]; ok && c.Speaks != side {
			t.Errorf("%s speaks %s: %+v", c.Name, c.Speaks, c)
		}
		delete(want, c.Name)
	}
	if len(want) > 0 {
		t.Errorf("no candidates %v", want)
	}
	w := q.WhatIf
	if !w.Known || w.AtMedian.Serial >= w.NowNS || float64(w.NowNS-w.AtMedian.Serial) != w.Gain.Value || !w.HasOffPeak {
		t.Errorf("what if: %+v", w)
	}
}

// TestWhatIfIsBoundedByDrag: a request whose wait runs beside another branch gets no shorter
// than that allows; without known drag both figures are the same. Each is what the percentile
// falls by.
func TestWhatIfIsBoundedByDrag(t *testing.T) {
	for _, c := range []struct {
		name string
		drag func(waited int64) int64
		most int64 // gain, ns; -1 for as much as without the bound
	}{
		{"in series", func(waited int64) int64 { return waited }, -1},
		{"nothing beside it is known", func(int64) int64 { return Missing }, -1},
		{"a branch that ends 30 ms earlier", func(waited int64) int64 { return min(waited, 30*ms) }, 30 * ms},
	} {
		set := tables(surge(1))
		for row, waited := range set.Requests.Stage[stage.Queue] {
			for k := range set.Requests.Drag {
				set.Requests.Drag[k][row] = c.drag(set.Requests.Stage[k][row])
			}
			set.Requests.Drag[stage.Queue][row] = c.drag(waited)
		}
		w := QueueOf(set, Options{Replicates: 20}, nil).WhatIf
		if c.most < 0 {
			c.most = w.NowNS - w.AtMedian.Serial
		}
		if w.N != 1500 || w.NowNS-w.AtMedian.Bounded > c.most || w.AtMedian.Bounded >= w.NowNS || float64(w.NowNS-w.AtMedian.Bounded) != w.Bounded.Value {
			t.Errorf("%s: %+v", c.name, w)
		}
		if float64(w.NowNS-w.AtMedian.Serial) != w.Gain.Value || w.AtMedian.Serial > w.AtMedian.Bounded || w.AtOffPeak.Serial > w.AtOffPeak.Bounded {
			t.Errorf("%s: without the bound %+v", c.name, w)
		}
	}
}

// TestCandidatesAreRanked: for, cannot tell, against, and in each the strongest first; equals
// keep the order of their names.
func TestCandidatesAreRanked(t *testing.T) {
	list := []Candidate{
		{Name: MoreArrivals, Speaks: SpeaksNothing, Quiet: 1, Busy: 9},
		{Name: SlowerService, Speaks: SpeaksFor, Quiet: 10, Busy: 12},
		{Name: LongerPrompts, Speaks: SpeaksAgainst, Quiet: 10, Busy: 10},
		{Name: LongerOutputs, Speaks: SpeaksAgainst, Quiet: 7, Busy: 7},
		{Name: LessCapacity, Speaks: SpeaksFor, Quiet: 4, Busy: 1},
		{Name: MemoryPressure, Speaks: SpeaksFor, Quiet: .1, Busy: .6}, // 2.5 times
		{Name: MoreRetries, Speaks: SpeaksFor, Quiet: 0, Busy: .2},
	}
	want := []CandidateName{MoreRetries, LessCapacity, MemoryPressure, SlowerService, MoreArrivals, LongerPrompts, LongerOutputs}
	var got []CandidateName
	for _, c := range ranked(list) {
		got = append(got, c.Name)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestSlowServiceSpeaksForItself plants slow service instead of more arrivals.
func TestSlowServiceSpeaksForItself(t *testing.T) {
	l := line{seed: 2, n: 2000, servers: 8, service: 1000 * ms, load: .6, slower: surgeBetween(100_000*ms, 130_000*ms, 4)}
	q := QueueOf(tables(l.requests()), Options{Replicates: 200}, nil)
	if len(q.When.Incidents) != 1 {
		t.Fatalf("%d incidents", len(q.When.Incidents))
	}
	for _, c := range q.Candidates {
		if c.Name == MoreArrivals && c.Speaks == SpeaksFor || c.Name == SlowerService && c.Speaks != SpeaksFor {
			t.Errorf("%s speaks %s: %+v", c.Name, c.Speaks, c)
		}
	}
}

// TestQueueDoesNotDependOnRowsOrTheClock also checks what must add up.
func TestQueueDoesNotDependOnRowsOrTheClock(t *testing.T) {
	exact := cmp.Options{
		cmp.Comparer(func(a, b stat.Sum) bool { return a == b }), cmpopts.EquateNaNs(), cmpopts.IgnoreFields(Queue{}, "Summary", "Who"),
		cmpopts.IgnoreUnexported(BusyGroup{}), cmpopts.IgnoreFields(When{}, "From", "To"), cmpopts.IgnoreFields(Traffic{}, "From", "To"),
		cmpopts.IgnoreFields(Incident{}, "Onset", "Peak", "Recovery"), cmpopts.IgnoreFields(Concurrency{}, "From", "To"),
	}
	rapid.Check(t, func(t *rapid.T) {
		var requests []given
		if rapid.Bool().Draw(t, "any") {
			requests = drawRequests(t)
		} else {
			requests = surge(rapid.Uint64Range(0, 50).Draw(t, "seed"))[300:rapid.IntRange(301, 600).Draw(t, "to")]
		}
		opt := Options{Replicates: 20}
		want := QueueOf(tables(requests), opt, nil)
		by := rapid.Int64Range(0, 1<<50).Draw(t, "by")
		moved := make([]given, len(requests))
		for i, g := range requests {
			g.start += by
			moved[i] = g
		}
		if diff := unequal(want, QueueOf(shuffled(t, moved), opt, nil), exact); diff != "" {
			t.Fatalf("(-want +moved):\n%s", diff)
		}
		if w := want.When; w.Known {
			var length int64
			for _, ns := range w.Depth.At {
				length += ns
			}
			if length != w.To-w.From || w.Depth.Integral != w.Total {
				t.Fatalf("the depth is over %d of %d ns", length, w.To-w.From)
			}
		}
		for _, s := range want.Work.Speeds {
			if s.Work+s.Slower != s.Excess {
				t.Fatalf("%d + %d is not %d", s.Work, s.Slower, s.Excess)
			}
		}
	})
}

// TestDepthIsASweep compares the waiting line with the sweep over its waits.
func TestDepthIsASweep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := waitingOf(tables(drawRequests(t)), Options{})
		var list []Interval
		for _, q := range w.waits {
			list = append(list, Interval{q.start, q.end})
		}
		if w.to <= w.from {
			return
		}
		got, want := w.depth, Sweep(list, w.from, w.to)
		want.Arrivals = got.Arrivals // those at the very end are not in a half-open window
		if diff := unequal(want, got, cmp.Comparer(func(a, b stat.Sum) bool { return a == b })); diff != "" {
			t.Fatalf("(-sweep +got):\n%s", diff)
		}
	})
}

// TestOtherClocks has a capture whose times are no dates, and one without times.
func TestOtherClocks(t *testing.T) {
	for _, c := range []struct {
		clock uint8
		known bool
	}{{table.ClockSteady, true}, {table.ClockNone, false}} {
		set := tables(surge(1))
		for i := range set.Requests.Clock {
			set.Requests.Clock[i] = c.clock
		}
		q := QueueOf(set, Options{Replicates: 20}, nil)
		if q.When.Known != c.known || q.Busy.Known != c.known || (len(q.When.Incidents) == 1) != c.known {
			t.Errorf("clock %s: %+v", ClockName(c.clock), q.When)
		}
		if c.known == (q.When.Why != "") {
			t.Errorf("clock %s: %q", ClockName(c.clock), q.When.Why)
		}
	}
}

// TestWorkComesFirst: slow requests with long outputs are work, not waiting.
func TestWorkComesFirst(t *testing.T) {
	var requests []given
	for i := range 1000 {
		g := given{id: uint64(i + 1), start: int64(i) * 1000 * ms, tokens: int64(50 + i%20), ttft: true}
		if i%20 == 3 {
			g.tokens = 900
		}
		g.decode = g.tokens * 10 * ms
		g.times = times(stage.GPU, int(g.decode+50*ms))
		requests = append(requests, g)
	}
	q := QueueOf(tables(requests), Options{Replicates: 20}, nil)
	if len(q.Work.Sizes) != 1 || !q.Work.Sizes[0].More || q.Work.Sizes[0].Test.Effect < .99 {
		t.Errorf("output tokens: %+v", q.Work.Sizes)
	}
	i := len(q.Work.Speeds) - 1
	if i < 0 || q.Work.Speeds[i].Detail != "decode" || q.Work.Speeds[i].Slower != 0 || math.Abs(q.Work.Speeds[i].SlowRate-float64(10*ms)) > 1 {
		t.Errorf("decode: %+v", q.Work.Speeds)
	}
}

// TestBusyTimesThatChanceMakes: own times that differ in the mean by one straggler, and in
// nothing else, are no more work in busy times.
func TestBusyTimesThatChanceMakes(t *testing.T) {
	var requests []given
	for i := range 400 {
		at := int64(i) * 1000 * ms
		own := int64(1000+(i*37)%200) * ms
		if i == 390 {
			own = 5_000 * ms
		}
		requests = append(requests, given{id: uint64(i + 1), start: at, times: times(stage.GPU, int(own))})
	}
	if few := QueueOf(tables(requests[:50]), Options{Replicates: 20}, nil).Busy; few.Known || few.Need != 20 || few.Quiet.N != 25 || few.Busy.N != 5 {
		t.Errorf("a tenth of 50: %+v", few)
	}
	b := QueueOf(tables(requests), Options{Replicates: 20}, nil).Busy
	if !b.Known || b.RiseNS < 60*ms {
		t.Fatalf("busy times are not slower on average: %+v", b)
	}
	if b.Own.P < CauseAlpha || b.Kind != BusyAlike {
		t.Errorf("p = %g, and busy times are %s", b.Own.P, b.Kind)
	}
}

// BenchmarkQueueOf analyses what a Summary does not, of 100,000 requests.
func BenchmarkQueueOf(b *testing.B) {
	set := tables(line{seed: 1, n: 100_000, servers: 40, service: 1000 * ms, load: .8}.requests())
	opt := Options{Replicates: 20}
	b.ReportAllocs()
	for b.Loop() {
		QueueOf(set, opt, nil)
	}
}
