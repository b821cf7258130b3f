package analyze

import (
	"cmp"
	"strings"

	"github.com/tailpath/tailpath/ingest/table"
)

// timebase is what the times of a request are measured on. Times of different
// timebases cannot be set against each other: a steady clock counts from an origin of
// its own, and where durations alone were recorded there are no times at all.
type timebase struct {
	clock  uint8  // as in table.ClockNames
	source string // of a steady clock
}

// timebaseOf returns the timebase of a row of the requests table. Without the spans
// table the sources of steady clocks are not known, and count as one.
func timebaseOf(set *table.Set, row int) timebase {
	t := timebase{clock: set.Requests.Clock[row]}
	if root := set.Requests.RootRow[row]; t.clock == table.ClockSteady && int(root) < set.Spans.Len() {
		t.source = series(set.Symbols.Text(set.Spans.Source[root]))
	}
	return t
}

// series returns the name of the series that a file belongs to: Triton writes FILE.0,
// FILE.1 and so on, all on one clock.
func series(name string) string {
	base := strings.TrimRight(name, "0123456789")
	if len(base) < len(name) && len(base) > 1 && base[len(base)-1] == '.' {
		return base[:len(base)-1]
	}
	return name
}

// compare orders timebases: the wall clock first, then steady clocks by their source.
func (t timebase) compare(u timebase) int {
	return cmp.Or(cmp.Compare(t.clock, u.clock), cmp.Compare(t.source, u.source))
}

// ClockName returns the word for a clock.
func ClockName(clock uint8) string { return table.ClockNames[clock] }

// commonBase returns the timebase of most of the rows of the requests table; the wall
// clock if any is on it.
func commonBase(set *table.Set, rows []int) timebase {
	counts := map[timebase]int{}
	for _, row := range rows {
		counts[timebaseOf(set, row)]++
	}
	var best timebase
	for base, n := range counts {
		if counts[best] == 0 || best.clock != table.ClockWall && (base.clock < best.clock ||
			base.clock == best.clock && cmp.Or(cmp.Compare(n, counts[best]), best.compare(base)) > 0) {
			best = base
		}
	}
	return best
}
