package analyze

import (
	"slices"
	"strings"
	"testing"

	"github.com/tailpath/tailpath/analyze/serving"
	"github.com/tailpath/tailpath/critical/stage"
)

// TestWindowLength: windows are as long as a request takes, and hold five that end.
func TestWindowLength(t *testing.T) {
	for _, c := range []struct {
		name       string
		every, dur int64 // ms
		want       int64 // s
		fits       bool
	}{
		{"short and many", 100, 50, 10, true}, {"few", 3000, 50, 20, true}, {"long", 100, 35_000, 40, true},
		{"very long", 100, 55_000, 60, true}, {"too long", 100, 61_000, 60, false}, {"too few", 13_000, 50, 60, false},
	} {
		var requests []given
		for i := range int64(1000) {
			requests = append(requests, given{id: uint64(i), start: i * c.every * ms, times: times(stage.GPU, int(c.dur*ms)), tokens: 3})
		}
		s := systemOf(tables(requests), Options{}.filled(), CapacityOptions{})
		if s.WindowNS != c.want*1000*ms || strings.Contains(s.Curves[0].Reason, "too short") == c.fits {
			t.Errorf("%s: windows of %d ns, %q", c.name, s.WindowNS, s.Curves[0].Reason)
		}
	}
}

// TestWindowsOfALongTime: there are windows however long the time is, longer ones where they
// would be too many, and a warning says so.
func TestWindowsOfALongTime(t *testing.T) {
	for _, c := range []struct {
		days      int64
		each      int // requests at either end
		want      int64
		fits      bool
		stretched bool
	}{
		{1, 40_000, 10, true, false}, {15, 500_000, 10, true, false}, {16, 500_000, 20, true, true}, {16, 100, 60, false, false}, {100, 100, 120, false, true}, {50_000, 100, 61_440, false, true},
	} {
		at := tables([]given{{id: 1, times: times(stage.GPU, int(50*ms))}, {id: 2, start: c.days * 86_400_000 * ms, times: times(stage.GPU, int(50*ms))}})
		short := captureOf(at, Options{}.filled())
		short.rows = slices.Repeat(short.rows, c.each)
		if ns, fits := short.window(); ns != c.want*1000*ms || fits != c.fits || (short.longWindows(ns) != "") != c.stretched {
			t.Errorf("%d days: windows of %d ns, %t, %q", c.days, ns, fits, short.longWindows(ns))
		}
		if c.each > 100 || c.days > 1000 {
			continue // few requests, and few windows, are enough for the rest
		}
		s := systemOf(at, Options{}.filled(), CapacityOptions{})
		if len(s.Serving.Windows) == 0 || s.WindowNS != c.want*1000*ms || hasWarning(s.Serving.Warnings, serving.TooManyWindows) || hasWarning(s.Serving.Warnings, LongWindows) != c.stretched {
			t.Errorf("%d days: %d windows of %d ns, %v", c.days, len(s.Serving.Windows), s.WindowNS, s.Serving.Warnings)
		}
	}
}
