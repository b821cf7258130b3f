package critical

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/ingest/table"
)

// stampedSpans is a set of n traces of one span each, of one scope, whose starts and ends
// are cut to a step of ns. The first of them lasts nothing.
func stampedSpans(n int, start, end int64) *table.Set {
	set := table.NewSet()
	scope := int32(set.Scopes.Grow())
	const second = 1_000_000_000
	for i := range int64(n) {
		at := second + i*7_777_777_777/start*start
		until := at
		if i > 0 {
			until = (at + i*300_000_001 + end) / end * end
		}
		addTrace(set, byte(i+1), []testSpan{{id: uint64(i + 1), name: "POST", service: "gw", kind: kindServer, start: at, end: until}})
		set.Spans.ScopeRow[i] = scope
	}
	return set
}

// TestSpansWithoutLength: a span whose start and end are one instant took less than the
// step of its clock, if all of its scope's times show one; else it has no length.
func TestSpansWithoutLength(t *testing.T) {
	const second, ms, us = 1_000_000_000, 1_000_000, 1000
	for _, c := range []struct {
		name       string
		n          int
		start, end int64
		step       int64 // 0: broken
	}{
		{"seconds", 40, second, second, second},
		{"ms", 40, ms, ms, ms},
		{"starts of seconds, ends of 10 ms", 40, second, 10 * ms, 10 * ms},
		{"µs", 40, us, us, 0},
		{"ns", 40, 1, 1, 0},
		{"starts of seconds, ends of ns", 40, second, 1, 0},
		{"few", 19, second, second, 0},
	} {
		set := stampedSpans(c.n, c.start, c.end)
		set.Canonicalize()
		if err := NewBuilder(set, nil, Options{}).Build(context.Background()); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		q := &set.Requests
		want := Complete
		if c.step == 0 {
			want = Broken
		}
		if got := Class(q.Class[0]); got != want || q.Duration[0] != 0 || q.DurationError[0] != c.step || q.Resolution[0] != c.step {
			t.Errorf("%s: %s: %q, duration %d ± %d", c.name, got, set.Symbols.Text(q.ClassReason[0]), q.Duration[0], q.DurationError[0])
		}
		for i := 1; i < q.Len(); i++ {
			if Class(q.Class[i]) != Complete || q.DurationError[i] != 0 {
				t.Errorf("%s: request %d is %s, its duration ± %d", c.name, i, Class(q.Class[i]), q.DurationError[i])
			}
		}
	}
}

// TestSecondsOfOneScopeAreNotThoseOfAnother: what one scope's clock shows says nothing of
// another's.
func TestSecondsOfOneScopeAreNotThoseOfAnother(t *testing.T) {
	const second = 1_000_000_000
	set := stampedSpans(40, second, second)
	addTrace(set, 200, []testSpan{{id: 200, name: "POST", service: "other", kind: kindServer, start: 3 * second, end: 3 * second}})
	set.Canonicalize()
	if err := NewBuilder(set, nil, Options{}).Build(context.Background()); err != nil {
		t.Fatal(err)
	}
	q := &set.Requests
	if last := q.Len() - 1; Class(q.Class[0]) != Complete || Class(q.Class[last]) != Broken || set.Symbols.Text(q.ClassReason[last]) != "root has no length" {
		t.Errorf("%s and %s: %s", Class(q.Class[0]), Class(q.Class[last]), set.Symbols.Text(q.ClassReason[last]))
	}
}

// TestRecordWithoutLength: a record that says how coarse its times are took less than that,
// and one that does not has no length.
func TestRecordWithoutLength(t *testing.T) {
	for resolution, want := range map[int64]Class{0: Broken, 1_000_000_000: Complete} {
		set := table.NewSet()
		addRecord(set, 1000, 1000, 0)
		set.Spans.LengthError[0] = resolution
		r, _ := buildRecords(t, set)
		if r.Class != want || len(r.EndPath) > 0 || (want == Broken) != (r.ClassReason == "root has no length") {
			t.Errorf("resolution %d: %s: %s, %d segments", resolution, r.Class, r.ClassReason, len(r.EndPath))
		}
	}
}

// TestWithoutLengthAndYetLonger: what a root of no length holds says that it took time; how
// much is not known.
func TestWithoutLengthAndYetLonger(t *testing.T) {
	const second = 1_000_000_000
	set := stampedSpans(40, second, second)
	addTrace(set, 1, []testSpan{{id: 300, parent: 1, name: "inner", service: "gw", start: second, end: second + 300}})
	set.Canonicalize()
	requests, err := buildAll(set, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r := requests[0]; r.Class != Broken || r.ClassReason != "shorter than the resolution of its record" {
		t.Errorf("%s: %s", r.Class, r.ClassReason)
	}
}

// TestStepsOfScopes: a step is found if and only if all times of enough spans lie on it,
// and no coarser one.
func TestStepsOfScopes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		step := rapid.SampledFrom(append([]int64{1, 1000, 500_000}, timeSteps[:]...)).Draw(t, "step")
		n := rapid.IntRange(1, 60).Draw(t, "spans")
		set := table.NewSet()
		scope := int32(set.Scopes.Grow())
		starts := map[int64]bool{}
		for i := range n {
			at := rapid.Int64Range(1, 50).Draw(t, "start") * step
			starts[at] = true
			addTrace(set, byte(i), []testSpan{{id: uint64(i + 1), start: at, end: at + rapid.Int64Range(0, 50).Draw(t, "length")*step}})
			set.Spans.ScopeRow[i] = scope
		}
		want := int64(0)
		for _, s := range timeSteps {
			all := n >= stepSpans && len(starts) >= stepStarts
			for i := range n {
				all = all && set.Spans.Start[i]%s == 0 && set.Spans.End[i]%s == 0
			}
			if all {
				want = s
				break
			}
		}
		if got := stepsOf(set)[scope]; got != want {
			t.Fatalf("%d spans in steps of %d: %d, want %d", n, step, got, want)
		}
	})
}
