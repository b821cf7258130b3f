package critical

import "testing"

// TestTolerance overlaps two children of a second by 3 ms, and by 12 ms: the first
// counts as done before the second began if the tolerance is at least the overlap.
func TestTolerance(t *testing.T) {
	const ms = 1_000_000
	for _, c := range []struct {
		name    string
		opt     Options
		overlap int64
		series  bool
	}{
		{"1 % of the parent is more than enough", Options{}, 3 * ms, true},
		{"5 ms is the most that 1 % can give", Options{}, 6 * ms, false},
		{"nor can two clocks give more", Options{ClockError: 50 * ms}, 6 * ms, false},
		{"no tolerance at all", Options{Strict: true}, 1, false},
		{"touching needs none", Options{Strict: true}, 0, true},
	} {
		spans := []testSpan{
			{id: 1, kind: 1, start: 0, end: 1000 * ms},
			{id: 2, parent: 1, kind: 1, start: 0, end: 500*ms + c.overlap},
			{id: 3, parent: 1, kind: 1, start: 500 * ms, end: 1000 * ms},
		}
		r, _ := build(t, setOf(spans), c.opt)
		if series := idNumber(r[0].Spans[r[0].EndPath[0].Span].ID) == 2; series != c.series {
			t.Errorf("%s: in series is %v, want %v: %s", c.name, series, c.series, owners(r[0], r[0].EndPath))
		}
	}
	// In a short parent 1 % is little, and clocks that disagree count.
	short := []testSpan{
		{id: 1, kind: 1, start: 0, end: 10 * ms},
		{id: 2, parent: 1, kind: 1, start: 0, end: 6 * ms},
		{id: 3, parent: 1, kind: 1, start: 5 * ms, end: 10 * ms},
	}
	for clockError, want := range map[int64]uint64{0: 1, 2 * ms: 2} {
		r, _ := build(t, setOf(short), Options{ClockError: clockError})
		if got := idNumber(r[0].Spans[r[0].EndPath[0].Span].ID); got != want {
			t.Errorf("clock error %d: the path begins with span %d, want %d", clockError, got, want)
		}
	}
}
