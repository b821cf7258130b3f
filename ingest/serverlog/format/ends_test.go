package format

import (
	"strings"
	"testing"
)

// TestLengthError says how far a duration may be off: a stamp that stands in both ends
// cancels out, and what is left is the resolution of the fields that do not.
func TestLengthError(t *testing.T) {
	const ends = "      start: time\n      end: start + total\n"
	for _, c := range []struct {
		start, end string
		stamp      string
		error      int64
		length     int64
	}{
		{"time", "start + total", "1787227200", 1_000_000_000, 1_000_000},
		{"time - total", "time", "1787227200", 1_000_000_000, 1_000_000},
		{"end - total", "time", "1787227200", 1_000_000_000, 1_000_000},
		{"time - total", "time - a", "1787227200.000", 1_000_000, 1_000_000},
		{"time - total - a", "time - a", "1787227200", 1_000_000_000, 1_000_000},
		{"time - total", "time", "1787227200.000", 1_000_000, 1_000_000},
	} {
		text := strings.Replace(gateway, ends, "      start: "+c.start+"\n      end: "+c.end+"\n", 1)
		text = text[:strings.Index(text, "      first_token:")]
		_, out := evaluate(t, compile(t, text), "t="+c.stamp+" total=900 a=5 b=- c=- status=200 flags=ok")
		if out.Error != c.error || out.Length != c.length {
			t.Errorf("start %s, end %s at %s: error %d, of the length %d, want %d and %d", c.start, c.end, c.stamp, out.Error, out.Length, c.error, c.length)
		}
	}
}
