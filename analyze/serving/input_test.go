package serving

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRefusedIsCountedByReason has one of everything that cannot be used, beside one request
// and one interval that can.
func TestRefusedIsCountedByReason(t *testing.T) {
	good := Request{0, second, 100 * ms, 5, 2, 0}
	with := func(f func(*Request)) Request {
		q := good
		f(&q)
		return q
	}
	c := Capture{FromNS: 0, ToNS: 10 * second, Requests: []Request{
		good,
		with(func(q *Request) { q.StartNS = Unknown }),
		with(func(q *Request) { q.EndNS = math.MaxInt64 }),
		with(func(q *Request) { q.EndNS = -1 }),
		with(func(q *Request) { q.StartNS, q.EndNS, q.FirstTokenNS = 10*second, 11*second, Unknown }),
		with(func(q *Request) { q.StartNS, q.EndNS, q.FirstTokenNS = -second, 0, Unknown }),
		with(func(q *Request) { q.EndNS = Unknown }),
		with(func(q *Request) { q.InputTokens, q.OutputTokens = -1, math.MinInt64+1 }),
		with(func(q *Request) { q.FirstTokenNS = second + 1 }),
	}, Intervals: []Interval{
		{0, second, 0, GPU}, {Unknown, 0, 0, GPU}, {0, math.MaxInt64, 0, GPU}, {2, 1, 0, GPU}, {1, 1, 0, GPU}, {0, 1, 0, 77}, {-2, 0, 0, GPU}, {10 * second, 11 * second, 0, GPU},
	}, Emissions: []Emission{
		{0, second, 1}, {99, 0, 1}, {-1, 0, 1}, {0, 1, 0}, {0, -1, 1}, {0, second + 1, 1}, {1, 0, 1},
	}, Slots: []Sample{{0, 0, 0}, {0, 0, math.NaN()}, {0, -1, 1}}, KV: []Sample{{math.MaxInt64, 0, .5}, {0, 0, 1.01}, {0, 0, -.1}}}
	r := Of(c, Options{})
	want := Refused{RequestTimes: 2, RequestsReversed: 1, RequestsOutside: 2, Unfinished: 1, TokenCounts: 2, FirstTokens: 1,
		IntervalTimes: 2, IntervalsReversed: 1, IntervalsEmpty: 1, IntervalKinds: 1, IntervalsOutside: 2, Emissions: 6, EmittedOther: 1, Samples: 6}
	if d := cmp.Diff(want, r.Refused); d != "" {
		t.Error(d)
	}
	if r.Whole.Output.Emitted.Sign() != 0 {
		t.Errorf("one of two tokens has a time, and %v are counted by time", r.Whole.Output.Emitted.Int())
	}
	if r.Requests != 4 || r.Whole.Arrivals != 4 || r.Whole.Completions != 3 || r.Engines[0].BusyNS != second {
		t.Errorf("%+v", r)
	}
	if r := Of(Capture{FromNS: math.MinInt64, ToNS: 0, Requests: []Request{good}}, Options{}); r.Refused.Windows != 1 || r.ToNS != second {
		t.Errorf("%+v", r)
	}
	if r := Of(Capture{FromNS: 0, ToNS: 10 * second}, Options{WindowNS: 1}); len(r.Windows) != 0 || len(r.Warnings) != 1 || r.Warnings[0].ID != TooManyWindows {
		t.Errorf("%+v", r)
	}
}

// TestTokensByDefinition: when one completed request with tokens does not tell when they
// came, the capture counts by completion.
func TestTokensByDefinition(t *testing.T) {
	told := Request{0, 20 * second, Unknown, 7, 4, 0}
	c := Capture{Requests: []Request{told}, Emissions: []Emission{{0, second, 3}, {0, 15 * second, 1}}}
	r := Of(c, Options{})
	if r.Output != TokensEmitted || r.Input != TokensEmitted {
		t.Errorf("%s, %s", r.Output, r.Input)
	}
	w := r.Windows
	got := [][4]float64{
		{w[0].OutputRate(TokensEmitted), w[1].OutputRate(TokensEmitted), w[0].OutputRate(TokensOfCompleted), w[1].OutputRate(TokensOfCompleted)},
		{w[0].InputRate(TokensEmitted), w[1].InputRate(TokensEmitted), w[0].InputRate(TokensOfCompleted), w[1].InputRate(TokensOfCompleted)},
	}
	if d := cmp.Diff([][4]float64{{.3, .1, 0, .4}, {.7, 0, 0, .7}}, got); d != "" {
		t.Error(d)
	}
	// (4 - 1) tokens from the 1st to the 15th second.
	near(t, "generation rate", r.Whole.Generation.P50, 3./14, 1e-12)

	c.Requests = append(c.Requests, Request{0, second, Unknown, 1, 0, 0})
	if r = Of(c, Options{}); r.Output != TokensEmitted || r.Input != TokensOfCompleted {
		t.Errorf("no token comes at no time, but when a prompt was read nobody tells: %s, %s", r.Output, r.Input)
	}
	c.Requests = append(c.Requests, Request{0, second, Unknown, Unknown, 1, 0})
	if r = Of(c, Options{}); r.Output != TokensOfCompleted {
		t.Errorf("%s", r.Output)
	}
	if r = Of(Capture{Requests: []Request{plain(0, 1, 0)}}, Options{}); r.Output != TokensOfCompleted || r.Whole.Output.Counted != 0 {
		t.Errorf("no counts at all: %s", r.Output)
	}
}

// TestLastReadingOfOneInstant: of two samples at one time the greater holds, and a reading
// of the cache is nothing any more after a minute.
func TestLastReadingOfOneInstant(t *testing.T) {
	c := Capture{Requests: []Request{plain(0, 100*second, 0)}, Intervals: []Interval{{0, 100 * second, 0, Queue}},
		Slots: []Sample{{0, 0, 5}, {0, 0, 3}}, KV: []Sample{{-10 * second, 0, .95}, {-10 * second, 0, .2}}}
	e := Of(c, Options{}).Engines[0]
	if e.SlotsMayNS != 0 || e.KVFullNS != 50*second || e.KVMayNS != 100*second {
		t.Errorf("%+v", e)
	}
}

// TestReadingsOfBothKindsInOrder has a limit that falls while a reading of the cache holds.
func TestReadingsOfBothKindsInOrder(t *testing.T) {
	c := Capture{Requests: []Request{plain(0, 100*second, 0), plain(0, 100*second, 0)}, Intervals: []Interval{{0, 100 * second, 0, Queue}},
		Slots: []Sample{{0, 0, 5}, {50 * second, 0, 1}}, KV: []Sample{{10 * second, 0, .95}}}
	e := Of(c, Options{}).Engines[0]
	if e.SlotsFullNS != 50*second || e.SlotsMayNS != 50*second || e.KVFullNS != 40*second || e.KVMayNS != 50*second {
		t.Errorf("%+v", e)
	}
}
