package otlp

import (
	"bytes"
	"strings"
	"testing"
	"testing/iotest"
)

// TestChunksAreAsLargeAsTheyMayBe: a stream of any length is cut at the last line that fits,
// whether it is read in small pieces or at once, and nothing of it is lost.
func TestChunksAreAsLargeAsTheyMayBe(t *testing.T) {
	line := `{"resourceSpans":[]` + strings.Repeat(" ", 1000) + "}\n"
	const size = 4*firstRead + 100
	for _, length := range []int{0, 1, firstRead - 1, firstRead, firstRead + 1, 4 * firstRead, size - 1, size, size + 1, 3*size + 7} {
		data := []byte(strings.Repeat(line, length/len(line)+1)[:length])
		for name, s := range map[string]*Splitter{
			"at once":   NewSplitter(bytes.NewReader(data), JSONLines),
			"in pieces": NewSplitter(iotest.HalfReader(bytes.NewReader(data)), JSONLines),
		} {
			s.size = size
			var got []byte
			rest := 0 // what the chunk before left
			for {
				c, ok := s.Next()
				if !ok {
					break
				}
				goal := rest + size
				if n := len(c.Data); n > goal || !c.Last && n <= goal-len(line) || c.Last != (len(got)+n == length) || c.At.Offset != int64(len(got)) {
					t.Errorf("%d bytes %s: a chunk of %d bytes at %+v, last %t", length, name, n, c.At, c.Last)
				}
				rest = goal - len(c.Data)
				got = append(got, c.Data...)
			}
			if left, _ := s.Rest(); !bytes.Equal(got, data) || iotest.TestReader(left, nil) != nil {
				t.Errorf("%d bytes %s: %d of them are in chunks", length, name, len(got))
			}
		}
	}
}
