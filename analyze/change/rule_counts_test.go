package change

import (
	"testing"

	"github.com/tailpath/tailpath/analyze/stat"
)

func TestWhatCountsIsAShareAndATime(t *testing.T) {
	const ms = 1e6
	rule := DefaultRule()
	for _, c := range []struct {
		name     string
		p        stat.Prob
		from, to float64
		want     bool
	}{
		{"the same", stat.P99, 1000 * ms, 1000 * ms, false},
		{"a tenth of a second of one, in the tail", stat.P99, 1000 * ms, 1100 * ms, true},
		{"less than a tenth, in the tail", stat.P99, 1000 * ms, 1090 * ms, false},
		{"less than a tenth, at the median", stat.P50, 1000 * ms, 1090 * ms, true},
		{"19 ms of 100", stat.P99, 100 * ms, 119 * ms, false},
		{"a fifth of 10 ms", stat.P99, 10 * ms, 12 * ms, true},
		{"from nothing to 1 ms", stat.P50, 0, 1 * ms, false},
		{"from nothing to 20 ms", stat.P50, 0, 20 * ms, true},
	} {
		if got, back := rule.Counts(c.p, c.from, c.to), rule.Counts(c.p, c.to, c.from); got != c.want || back != c.want {
			t.Errorf("%s: %v, and back %v", c.name, got, back)
		}
	}
}
