package table

// The dates that a record may have, in ns since the Unix epoch: what lies beyond, before 1896 and
// after 2116, is a broken number, whatever clock it is said to be of.
const (
	EarliestDate = -1 << 61
	LatestDate   = 1 << 62
)

// Extent returns the first and the last instant that a row with a date tells of, in ns since the
// Unix epoch; ok is false when none does. Spans tell of their start and end, log records and
// readings of engines of their time. Times of a steady clock are no dates, nor are those before
// EarliestDate and after LatestDate.
func Extent(s *Set) (first, last int64, ok bool) {
	take := func(clock uint8, ns int64) {
		if clock != ClockWall || ns < EarliestDate || ns > LatestDate {
			return
		}
		if !ok {
			first, last, ok = ns, ns, true
		}
		first, last = min(first, ns), max(last, ns)
	}
	for row := range s.Spans.Len() {
		take(s.Spans.Clock[row], s.Spans.Start[row])
		if s.Spans.End[row] >= s.Spans.Start[row] { // one that was never finished has none
			take(s.Spans.Clock[row], s.Spans.End[row])
		}
	}
	for row := range s.Logs.Len() {
		take(s.Logs.Clock[row], s.Logs.Time[row])
	}
	for row := range s.EngineSamples.Len() {
		take(s.EngineSamples.Clock[row], s.EngineSamples.Time[row])
	}
	return first, last, ok
}
