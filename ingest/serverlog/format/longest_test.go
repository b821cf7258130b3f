package format

import (
	"strings"
	"testing"
)

// TestLongest says that a request of more than seven days is none: the next expressions
// for its start and end are taken, and if there are none, it has no times at all. The
// field that makes it too long is told.
func TestLongest(t *testing.T) {
	const ends = "      start: time\n      end: start + total\n"
	for _, c := range []struct{ name, ends, line, want string }{
		{"a duration of a stamp less nothing", "start: time\n      end: start + total", "total=1787227200000 a=1", "2 0..0 ±0 impossible total"},
		{"the next end is taken", "start: time\n      end: [start + total, start + a]", "total=1787227200000 a=5", "0 1787227200000..1787227200005 ±1 impossible total"},
		{"the next start is taken", "start: [time - total, time - a]\n      end: time", "total=1787227200000 a=5", "0 1787227199995..1787227200000 ±1 impossible total"},
		{"start is given by end", "start: [end - total, end - a]\n      end: time", "total=1787227200000 a=5", "0 1787227199995..1787227200000 ±1 impossible total"},
		{"two stamps that do not go together", "start: time - total\n      end: time - a", "total=1500000000000 a=5", "2 0..0 ±0 impossible total"},
		{"seven days are possible", "start: time\n      end: start + total", "total=604800000 a=1", "0 1787227200000..1787832000000 ±1"},
		{"a ms more is not", "start: time\n      end: start + total", "total=604800001 a=1", "2 0..0 ±0 impossible total"},
	} {
		text := strings.Replace(gateway, ends, "      "+c.ends+"\n", 1)
		text = text[:strings.Index(text, "      first_token:")]
		got, _ := evaluate(t, compile(t, text), "t=1787227200.000 "+c.line+" b=- c=- status=200 flags=ok")
		if strings.Replace(got, " failed", "", 1) != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
	text := gateway[:strings.Index(gateway, "      first_token:")]
	if got, _ := evaluate(t, compile(t, text), "t=- total=604800001 a=1 b=- c=- status=200 flags=ok"); got != "2 0..0 ±0 impossible total" {
		t.Errorf("without a time: got %s", got)
	}
}
