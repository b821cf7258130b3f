package table

import (
	"fmt"
	"runtime"
	"testing"
)

// TestFootprintIsWhatTheHeapHolds fills sets and compares what they say of themselves with what
// the heap holds once they are canonical, when no slice has room to grow.
func TestFootprintIsWhatTheHeapHolds(t *testing.T) {
	heap := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	for name, fill := range map[string]func(*Set, int){
		"spans": func(s *Set, i int) {
			row := s.Spans.Grow()
			s.Spans.Start[row] = int64(i)
			s.Spans.TraceID[row] = TraceID{byte(i >> 16), byte(i >> 8), byte(i)}
			for k := range 6 {
				s.Spans.Attributes.Add(s.Symbols.Intern(fmt.Sprint("key ", k)), StringValue("a value of some length"))
			}
		},
		"symbols": func(s *Set, i int) {
			row := s.Spans.Grow()
			s.Spans.Start[row], s.Spans.Name[row] = int64(i), s.Symbols.Intern(fmt.Sprintf("GET /a/path/with/a/number/%09d", i))
		},
		"texts": func(s *Set, i int) {
			row := s.Spans.Grow()
			s.Spans.Start[row], s.Spans.StatusMessage[row] = int64(i), fmt.Sprintf("what line %09d of the log said, and so on", i)
		},
	} {
		t.Run(name, func(t *testing.T) {
			before := heap()
			set := NewSet()
			for i := range 50_000 { // from the last on, so that all are copied into their order
				fill(set, 50_000-i)
			}
			set.Canonicalize()
			held, says := heap()-before, set.Footprint()
			if ratio := float64(held) / float64(says); ratio < 0.8 || ratio > 1.25 {
				t.Errorf("the heap holds %d bytes, and the set says %d", held, says)
			}
			runtime.KeepAlive(set)
		})
	}
}

// TestFootprintAddsUp: rows of two sets that share no symbol take as much in one.
func TestFootprintAddsUp(t *testing.T) {
	empty := NewSet().Footprint()
	parts := [2]*Set{NewSet(), NewSet()}
	for k, s := range parts {
		for i := range 10 {
			row := s.Spans.Grow()
			s.Spans.StatusMessage[row] = fmt.Sprint("text ", i)
			s.Spans.Name[row] = s.Symbols.Intern(fmt.Sprint("name ", k, i))
			s.Spans.Attributes.Add(s.Symbols.Intern(fmt.Sprint("key ", k)), IntValue(int64(i)))
		}
	}
	want := parts[0].Footprint() + parts[1].Footprint() - empty
	parts[0].Append(parts[1])
	if got := parts[0].Footprint(); got != want {
		t.Errorf("together %d, want %d", got, want)
	}
}
