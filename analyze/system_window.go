package analyze

import (
	"fmt"
	"math"

	"github.com/tailpath/tailpath/analyze/serving"
	"github.com/tailpath/tailpath/analyze/stat"
)

// The lengths of windows, ns, and how many requests must end in one on average.
const (
	leastWindow      = int64(10_000_000_000)
	mostWindow       = int64(60_000_000_000)
	leastCompletions = 5
)

// mostWindows is how many windows package serving has at most, and day a day in ns.
const (
	mostWindows = int64(1 << 17)
	day         = 86_400e9
)

// window chooses the length of the windows. fits is false when even the longest is too short:
// a request takes longer on average, or fewer end in it.
func (c *captured) window() (ns int64, fits bool) {
	var sum stat.Sum
	for _, row := range c.rows {
		sum.Add(c.lengthOf(row))
	}
	n, span := int64(len(c.rows)), c.span()
	mean := sum.MeanRounded(n)
	fit := func(ns int64) bool {
		return ns >= mean && float64(n)*float64(ns)/float64(max(1, span)) >= leastCompletions
	}
	for ns = leastWindow; ns < mostWindow && !fit(ns); {
		ns = min(2*ns, mostWindow)
	}
	for c.wanted = ns; (span-1)/ns >= mostWindows; {
		ns *= 2
	}
	return ns, fit(ns)
}

// longWindows says that windows of a length are longer than they would be in a part of the time;
// "" when they are not.
func (c *captured) longWindows(ns int64) string {
	if ns == c.wanted {
		return ""
	}
	return fmt.Sprintf("windows are of %s: of %s there would be more than %d in %.1f days; a part of the time, such as a file of one day, has shorter ones",
		inUnit(ns), inUnit(c.wanted), mostWindows, float64(c.span())/day)
}

// span returns the time that windows must cover, ns: from the first start to the last end or
// token, of times that package serving takes.
func (c *captured) span() int64 {
	const reach = int64(1) << 62
	from, to := int64(math.MaxInt64), int64(math.MinInt64)
	take := func(ns int64) {
		if ns != serving.Unknown && ns > -reach && ns < reach {
			from, to = min(from, ns), max(to, ns+1)
		}
	}
	for i := range c.Requests {
		q := &c.Requests[i]
		take(q.StartNS)
		take(q.EndNS)
		take(q.FirstTokenNS)
	}
	for i := range c.Emissions {
		take(c.Emissions[i].AtNS)
	}
	if from > to {
		return 0
	}
	return to - from
}
