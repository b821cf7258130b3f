package table

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestBatchesAreBoundedAndWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := NewSet()
		key := s.Symbols.Intern("prompt")
		sizes := rapid.SliceOfN(rapid.IntRange(0, 30), 0, 20).Draw(t, "sizes")
		inMap := rapid.Bool().Draw(t, "in a map")
		s.Scopes.Grow()
		for _, n := range sizes {
			i := s.Spans.Grow()
			if inMap {
				s.Spans.Attributes.Add(key, StringValue(strings.Repeat("x", n)))
			} else {
				s.Spans.RequestID[i] = strings.Repeat("x", n)
			}
		}
		most, text := rapid.IntRange(1, 8).Draw(t, "rows"), rapid.Int64Range(1, 50).Draw(t, "text")
		for lo := 0; lo < len(sizes); {
			hi := s.Spans.batchEnd(lo, most, text)
			if hi <= lo || hi > len(sizes) || hi-lo > most {
				t.Fatalf("a batch of rows %d to %d", lo, hi)
			}
			total := 0
			for _, n := range sizes[lo:hi] {
				total += n
			}
			if int64(total) > text && hi-lo > 1 {
				t.Fatalf("rows %d to %d hold %d bytes", lo, hi, total)
			}
			if hi < len(sizes) && hi-lo < most && int64(total+sizes[hi]) <= text {
				t.Fatalf("rows %d to %d leave out one that fits", lo, hi)
			}
			lo = hi
		}
	})
}
