package format

import (
	"testing"

	"pgregory.net/rapid"
)

// TestMarks says that a line has all pairs of bytes of any text in it, and not those of
// another line.
func TestMarks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var m marks
		for range rapid.IntRange(1, 600).Draw(t, "lines") {
			line := rapid.SliceOfN(rapid.ByteRange('a', 'p'), 0, 40).Draw(t, "line")
			m.set([]byte("XYZ"))
			m.set(line)
			from := rapid.IntRange(0, len(line)).Draw(t, "from")
			part := textPairs(line[from:rapid.IntRange(from, len(line)).Draw(t, "to")])
			if !m.hold(&part) {
				t.Fatalf("%q lacks a part of itself", line)
			}
			// No pair of a to p shares its bit with YZ.
			if other := textPairs([]byte("YZ")); m.hold(&other) {
				t.Fatalf("%q has YZ", line)
			}
		}
	})
}
