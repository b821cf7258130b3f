package critical

import "testing"

// TestMovedBeyondDates has a call at the end of all dates answered by a server at the
// beginning of them: what lies below the server moves along, as far as a date can be.
func TestMovedBeyondDates(t *testing.T) {
	requests, err := buildAll(setOf([]testSpan{
		{id: 1, kind: kindClient, start: latest - 1000, end: latest - 100, service: "a"},
		{id: 2, parent: 1, kind: kindServer, start: earliest, end: earliest + 500, service: "b"},
		{id: 3, parent: 2, kind: 1, start: 2_305_843_009_213_693_000, end: 2_405_843_009_213_693_951, service: "b"},
		{id: 4, parent: 3, kind: 1, start: 2_305_843_009_213_693_000, end: 2_405_843_009_213_693_951, service: "c"},
	}), Options{})
	if err != nil || len(requests) != 1 {
		t.Fatal(len(requests), err)
	}
	for _, s := range requests[0].Spans {
		if s.End < s.Start || s.End > latest {
			t.Errorf("span %x lasts from %d to %d", s.ID, s.Start, s.End)
		}
	}
}
