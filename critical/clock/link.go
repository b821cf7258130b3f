package clock

import (
	"cmp"
	"slices"
	"sort"
)

// reachNS is how far from the calls of a pair an offset is still given, in ns: ten
// minutes, in which it can have drifted by 120 ms.
const reachNS = 600_000_000_000

// link is what is known of two clocks: other minus axis, by the time of axis.
type link struct {
	axis, other string
	points      []point // by time
	panes       []pane  // by time, apart from each other
	turned      []pane  // the same by the time of other; offsets are as in panes
	tally       tally
	first, last int64    // of all calls on axis, ns
	ways        [2]calls // by axis, by other
}

type calls struct{ made, broken int64 }

// newLink solves two clocks by the calls that each made of the other; either may be nil.
// The axis is the one that made more.
func newLink(a, b string, fromA, fromB *pairLog) *link {
	if made(fromB) > made(fromA) {
		a, b, fromA, fromB = b, a, fromB, fromA
	}
	l := &link{axis: a, other: b}
	l.take(fromA, 0)
	l.take(fromB, 1)
	if len(l.points) == 0 {
		return l
	}
	slices.SortFunc(l.points, comparePoints)
	stretches := split(l.points)
	l.panes = panes(stretches, l.first, l.last)
	l.tally = tallyOf(stretches)
	l.turned = turn(l.panes)
	return l
}

func made(p *pairLog) int64 {
	if p == nil {
		return 0
	}
	return p.calls
}

// take takes in the calls that the axis made (way 0), or the other clock (way 1): of
// those the offset turns its sign, and the instant is moved to the axis by the middle
// of the call's own bounds, which is as far off as the call took on the way.
func (l *link) take(p *pairLog, way int) {
	if p == nil {
		return
	}
	l.ways[way] = calls{p.calls, p.broken}
	for _, number := range sortedSlots(p.slots) {
		s := p.slots[number]
		if s.calls == 0 {
			continue
		}
		start := len(l.points)
		first, last := s.first, s.last
		for _, b := range s.kept {
			q := point{at: b.at, low: b.low, high: b.high, lowAt: b.until, highAt: b.at, calls: 1}
			if way == 1 {
				by := middle(b.low, b.high)
				start, end := moved(b.at, by), moved(b.until, by)
				q = point{at: start, low: -b.high, high: -b.low, lowAt: start, highAt: end, calls: 1}
			}
			l.points = append(l.points, q)
		}
		if way == 1 {
			by := middle(s.kept[0].low, s.kept[0].high)
			first, last = moved(first, by), moved(last, by)
		}
		of := l.points[start:]
		slices.SortFunc(of, comparePoints)
		of[0].calls += s.calls - int64(len(of))
		if start == 0 {
			l.first, l.last = first, last
		}
		l.first, l.last = min(l.first, first), max(l.last, last)
	}
}

func sortedSlots(slots map[int64]*slot) []int64 {
	numbers := make([]int64, 0, len(slots))
	for number := range slots {
		numbers = append(numbers, number)
	}
	slices.Sort(numbers)
	return numbers
}

func middle(low, high int64) int64 { return low + (high-low)/2 }

// moved returns an instant moved by an offset, within the instants that count.
func moved(at, by int64) int64 {
	return max(1-farthestInstant, min(farthestInstant-1, add(at, by)))
}

// turn moves windows to the other clock's time. A window of no known offset goes with
// its neighbour. Where the other clock was set back, its time comes twice, and the
// later window begins when the earlier one ends.
func turn(from []pane) []pane {
	out := make([]pane, 0, len(from))
	by := int64(0)
	if i := slices.IndexFunc(from, func(p pane) bool { return p.Known }); i >= 0 {
		by = from[i].Offset
	}
	for _, p := range from {
		if p.Known {
			by = p.Offset
		}
		p.From, p.To = add(p.From, by), add(p.To, by)
		out = append(out, p)
	}
	slices.SortStableFunc(out, func(a, b pane) int { return cmp.Compare(a.From, b.From) })
	apart := out[:0]
	for _, p := range out {
		if n := len(apart); n > 0 {
			p.From = max(p.From, apart[n-1].To)
		}
		if p.From < p.To {
			apart = append(apart, p)
		}
	}
	return apart
}

// from returns the windows by the time of one of the two clocks, and the sign that turns
// their offsets into the clock at the far end minus that clock.
func (l *link) from(name string) (by []pane, sign int64) {
	if name == l.axis {
		return l.panes, 1
	}
	return l.turned, -1
}

// far returns the other end.
func (l *link) far(name string) string {
	if name == l.axis {
		return l.other
	}
	return l.axis
}

// drift is how far two clocks can have drifted apart in a time, in ns.
func drift(ns int64) int64 { return ns/5000 + 1 }

// lookup returns the offset at an instant. Between windows it is the nearer one's, its
// error grown by what clocks drift, if the two agree; where they do not, the clock was
// set somewhere in between. Beyond reachNS nothing is known.
func lookup(panes []pane, at int64) (offset, errorNS int64, known bool) {
	next := sort.Search(len(panes), func(i int) bool { return panes[i].From > at })
	var before, after grown
	if next > 0 {
		p := &panes[next-1]
		if at < p.To {
			return p.Offset, p.Error, p.Known
		}
		before = grow(p, at-(p.To-1))
	}
	if next < len(panes) {
		p := &panes[next]
		after = grow(p, p.From-at)
	}
	near := before
	switch {
	case after.pane == nil && before.pane == nil:
		return 0, 0, false
	case before.pane == nil:
		near = after
	case after.pane == nil:
	default:
		if !agree(before, after) {
			return 0, 0, false
		}
		if after.away < before.away {
			near = after
		}
	}
	if near.away > reachNS || near.away < 0 || !near.pane.Known {
		return 0, 0, false
	}
	return near.pane.Offset, near.err, true
}

// grown is a window away from an instant.
type grown struct {
	pane *pane
	away int64 // ns; below zero where it passes the range
	err  int64
}

func grow(p *pane, away int64) grown {
	return grown{pane: p, away: away, err: add(p.Error, drift(max(0, away)))}
}

// agree says whether two windows leave one offset possible.
func agree(a, b grown) bool {
	if !a.pane.Known || !b.pane.Known {
		return false
	}
	apart := a.pane.Offset - b.pane.Offset
	return max(apart, -apart) <= add(a.err, b.err)
}

// weight is the mean error of the pair if it stands for all of span ns, in ns: the mean
// width of its windows, and what the clocks drift while the pair made no calls. ok is false
// where no window is known.
func (l *link) weight(span int64) (mean float64, ok bool) {
	width, n := 0.0, 0.0
	for _, p := range l.panes {
		if !p.Known {
			continue
		}
		share := float64(max(1, p.Calls))
		width += float64(share * (float64(p.high) - float64(p.low)))
		n += share
	}
	if n == 0 {
		return 0, false
	}
	return width/n + float64(drift(max(0, span-(l.last-l.first)))), true
}
