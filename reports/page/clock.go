package page

import (
	"fmt"

	"github.com/tailpath/tailpath/reports"
)

// The clocks as documents name them.
const (
	wall   = "wall"
	steady = "steady"
	none   = "none" // durations alone
)

// moment writes when something started, with a comma behind it. Only the wall clock
// has dates.
func moment(clock string, ns int64) string {
	switch clock {
	case steady:
		return "at an unknown date (steady clock), "
	case none:
		return "at a time that is not recorded, "
	}
	return reports.TimeMilli(ns) + ", "
}

// window writes from when to when something lasted.
func window(clock string, from, to int64) string {
	if clock == steady {
		return fmt.Sprintf("%s, on a steady clock: no dates", reports.Period(to-from))
	}
	return fmt.Sprintf("%s to %s, %s", reports.TimeMilli(from), reports.TimeMilli(to), reports.Period(to-from))
}

// loadWindow writes the window of a load, and how much of it was not recorded.
func loadWindow(l reports.Load) string {
	text := window(l.Clock, l.StartNS, l.EndNS)
	if s := l.Silence; s != nil {
		text += fmt.Sprintf("; nothing was recorded for %s of it, in %s", reports.Period(s.NS), plural(s.Gaps, "gap"))
	}
	return text
}

// elsewhere says which requests the load leaves out.
func elsewhere(l reports.Load) string {
	if l.Requests == 0 {
		return "durations alone are recorded, no times: no load can be told"
	}
	return fmt.Sprintf("%s on other clocks, or without times: not in the load", plural(l.Elsewhere, "request"))
}
