package table

import (
	"os"
	"path/filepath"
	"testing"
)

// TestExtent: rows with a date tell of their times, and neither those of a steady clock nor ends
// that were never recorded do.
func TestExtent(t *testing.T) {
	s := NewSet()
	if _, _, ok := Extent(s); ok {
		t.Error("no row has a time")
	}
	span := func(clock uint8, start, end int64) {
		row := s.Spans.Grow()
		s.Spans.Clock[row], s.Spans.Start[row], s.Spans.End[row] = clock, start, end
	}
	span(ClockSteady, 1, 900)
	if _, _, ok := Extent(s); ok {
		t.Error("a steady clock gives a date")
	}
	span(ClockWall, 300, 400)
	span(ClockWall, 350, 0)                         // never finished
	span(ClockWall, 350, LatestDate+1)              // a broken end
	span(ClockWall, EarliestDate-2, EarliestDate-1) // both
	span(ClockWall, LatestDate+1, 1<<63-1)          // both
	row := s.Logs.Grow()
	s.Logs.Time[row] = Missing
	if first, last, ok := Extent(s); first != 300 || last != 400 || !ok {
		t.Errorf("spans: %d to %d, %v", first, last, ok)
	}
	row = s.Logs.Grow()
	s.Logs.Time[row] = 200
	row = s.EngineSamples.Grow()
	s.EngineSamples.Time[row] = 500
	if first, last, ok := Extent(s); first != 200 || last != 500 || !ok {
		t.Errorf("all: %d to %d, %v", first, last, ok)
	}
}

// TestDirDigest: the same tables have the same digest, others another.
func TestDirDigest(t *testing.T) {
	digest := func(text string) string {
		s := NewSet()
		s.Logs.Grow()
		s.Scopes.Grow()
		s.Logs.ScopeRow[0], s.Logs.SeverityText[0] = 0, s.Symbols.Intern(text)
		dir := filepath.Join(t.TempDir(), "run")
		if err := WriteDir(dir, s); err != nil {
			t.Fatal(err)
		}
		out, err := DirDigest(dir)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	if a, again, b := digest("a"), digest("a"), digest("b"); a != again || a == b || len(a) != 64 {
		t.Errorf("%s, %s and %s", a, again, b)
	}
	if _, err := DirDigest(t.TempDir()); !os.IsNotExist(err) {
		t.Errorf("an empty directory: %v", err)
	}
}
