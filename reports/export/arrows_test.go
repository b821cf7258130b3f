package export

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/critical"
)

// TestArrowsOfThePathEndInTheirOwners looks up both ends of each arrow as viewers do: as the
// innermost slice around the instant, and, as Perfetto has it, as what began last on the thread.
func TestArrowsOfThePathEndInTheirOwners(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		set := traces(trees().Draw(r, "traces")...)
		for range rapid.IntRange(0, 4).Draw(r, "events") {
			row, event := rapid.IntRange(0, set.Spans.Len()-1).Draw(r, "span"), set.SpanEvents.Grow()
			set.SpanEvents.SpanRow[event], set.SpanEvents.Name[event] = int32(row), set.Symbols.Intern("event")
			set.SpanEvents.Time[event] = set.Spans.Start[row] + rapid.SampledFrom([]int64{0, 0, ms, 2 * ms}).Draw(r, "after")
		}
		b := build(t, set)
		for _, req := range b.requests(t) {
			_, p := drawn(t, b, []*critical.Request{req})
			owner, before := map[int64]string{}, map[int64]string{} // by start of the segment, of it and of the one before
			last := ""
			for _, e := range p.TraceEvents {
				if e.Phase == "X" && e.Process == 1 && e.Thread == 1 {
					at := ns(t, e.Time)
					owner[at], before[at] = e.Args["span_id"].(string), last
					last = owner[at]
				}
			}
			leaves := map[string]event{}
			for _, e := range p.TraceEvents {
				if e.Category != "path" {
					continue
				}
				inner, newest := ends(t, p, e)
				if inner.Args["span_id"] != newest.Args["span_id"] {
					t.Fatalf("the arrow %+v ends in %v by its time, and in %v by what began last", e, inner, newest)
				}
				if e.Phase == "s" {
					leaves[e.ID] = newest
					continue
				}
				at, from := ns(t, e.Time), leaves[e.ID]
				if from.Args["span_id"] != before[at] || newest.Args["span_id"] != owner[at] || ns(t, from.Time) > ns(t, newest.Time) {
					t.Fatalf("an arrow at %d leads from %v to %v, its segments are of %s and %s", at, from, newest, before[at], owner[at])
				}
			}
		}
	})
}

// TestAnEventAtTheStartOfASpanTakesNoArrow: what servers tell at once is no reason to leave the
// arrow out, nor what it ends in.
func TestAnEventAtTheStartOfASpanTakesNoArrow(t *testing.T) {
	set := traces(shop)
	for _, row := range []int32{1, 3} {
		event := set.SpanEvents.Grow()
		set.SpanEvents.SpanRow[event], set.SpanEvents.Time[event], set.SpanEvents.Name[event] = row, set.Spans.Start[row], set.Symbols.Intern("begun")
	}
	b := build(t, set)
	_, p := drawn(t, b, b.requests(t))
	arrows := 0
	for _, e := range p.TraceEvents {
		if e.Phase == "s" || e.Phase == "f" {
			arrows++
			if _, newest := ends(t, p, e); newest.Phase != "X" {
				t.Errorf("%+v is bound to %+v", e, newest)
			}
		}
	}
	if arrows != 6 {
		t.Errorf("%d ends of arrows, want those of three", arrows)
	}
}

// ends returns the slice that an end of an arrow is in, and what began last on its thread.
func ends(t testing.TB, p parsed, e event) (inner, newest event) {
	t.Helper()
	at, began, length, passed := ns(t, e.Time), int64(-1<<62), int64(0), false
	for _, x := range p.TraceEvents {
		if passed = passed || x.Phase == e.Phase && x.ID == e.ID; passed && x.Phase == "i" && ns(t, x.Time) == at {
			continue // of one time it is met in the order of the file
		}
		if x.Phase != "X" && x.Phase != "i" || x.Process != e.Process || x.Thread != e.Thread || ns(t, x.Time) > at {
			continue
		}
		from, long := ns(t, x.Time), int64(-1)
		if x.Phase == "X" {
			if long = ns(t, x.Duration); at < from+long {
				inner = x // what comes later is nested deeper
			}
		}
		if from > began || from == began && long <= length {
			newest, began, length = x, from, long
		}
	}
	return inner, newest
}

// TestEveryEntryOfASpanOnThePathHasAnArrow: shop answers, waits and ranks; the ways back have none.
func TestEveryEntryOfASpanOnThePathHasAnArrow(t *testing.T) {
	b := build(t, traces(shop))
	_, p := drawn(t, b, b.requests(t))
	var at []int64
	for _, e := range p.TraceEvents {
		if e.Phase == "f" {
			at = append(at, ns(t, e.Time)/ms)
		}
	}
	if want := []int64{10, 20, 30}; !slices.Equal(at, want) {
		t.Errorf("arrows end at %d ms, want %d", at, want)
	}
}
