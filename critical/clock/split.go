package clock

import (
	"math"
	"sort"
)

// lopsided is the largest share of a stretch that a cut may leave on one side, as
// 1 - 1/lopsided; nearer to an end it is cut in the middle, which keeps the number of
// cuts through one point small.
const lopsided = 16

// split cuts the points of a pair, which are sorted by time, into stretches. Over a time
// without calls only a constant offset is carried on: a line there would take a clock that
// was set for one that drifts.
func split(points []point) []stretch {
	if s, _ := read(points, 0); s.known && s.lines.level() {
		return []stretch{s}
	}
	var all []stretch
	var cutUp func(from, to int)
	cutUp = func(from, to int) {
		n := to - from
		s, cut := read(points[from:to], from)
		if s.known {
			all = append(all, s)
			return
		}
		if least := max(fewestCalls, n/lopsided); cut < least || cut > n-least {
			cut = n / 2
		}
		cut = between(points[from:to], cut)
		if cut == 0 {
			all = append(all, s)
			return
		}
		cutUp(from, from+cut)
		cutUp(from+cut, to)
	}
	from := 0
	for i := 1; i <= len(points); i++ {
		if i == len(points) || silent(points[i-1].at, points[i].at) {
			cutUp(from, i)
			from = i
		}
	}
	return join(points, all)
}

// silent says whether two calls are too far apart in time to tell a drift from a step.
func silent(before, after int64) bool { return after-before > reachNS }

// between returns the place nearest to cut, the earlier of two, that leaves enough calls on
// both sides and calls of one instant together, or 0 where there is none.
func between(points []point, cut int) int {
	fits := func(i int) bool {
		return fewestCalls <= i && i <= len(points)-fewestCalls && points[i-1].at < points[i].at
	}
	for away := range len(points) {
		if fits(cut - away) {
			return cut - away
		}
		if fits(cut + away) {
			return cut + away
		}
	}
	return 0
}

// join puts neighbours together again that the cuts came between.
func join(points []point, parts []stretch) []stretch {
	for {
		joined := parts[:0:0]
		for _, next := range parts {
			if n := len(joined); n > 0 && mayJoin(&joined[n-1], &next) {
				last := &joined[n-1]
				both, _ := read(points[last.first:next.first+len(next.points)], last.first)
				far := silent(last.points[len(last.points)-1].at, next.points[0].at)
				if both.known && (both.lines.level() || !far && !last.bridges && !next.bridges) {
					both.bridges = far || last.bridges || next.bridges
					*last = both
					continue
				}
			}
			joined = append(joined, next)
		}
		if len(joined) == len(parts) {
			return joined
		}
		parts = joined
	}
}

// mayJoin says whether two neighbours are worth trying together: they agree where they
// meet, or one of them is a handful that could be the other's violations.
func mayJoin(a, b *stretch) bool {
	if a.known && b.known {
		at := a.points[len(a.points)-1].at
		lowA, highA := a.interval(at)
		lowB, highB := b.interval(at)
		return lowA <= highB && lowB <= highA
	}
	return a.known != b.known
}

// pane is a Window with the interval behind it.
type pane struct {
	Window
	low, high int64 // what is feasible, ns
}

// settle sets Offset and Error by the interval, and by where the offset may lie in it.
func (p *pane) settle(low, high int64) {
	p.Known = true
	p.Offset = max(low, min(high, 0))
	p.Error = max(add(p.high, -p.Offset), add(p.Offset, -p.low))
}

// panes cuts the stretches of a pair into windows. first and last are the instants of
// the pair's first and last call, kept or not.
func panes(stretches []stretch, first, last int64) []pane {
	var all []pane
	for i := range stretches {
		s := &stretches[i]
		from, to := s.extent()
		if i == 0 && from == s.points[0].at {
			from = min(from, first)
		}
		if i == len(stretches)-1 && to == s.points[len(s.points)-1].at+1 {
			to = max(to, last+1)
		}
		if n := len(all); n > 0 {
			from = max(from, all[n-1].To)
		}
		if from >= to {
			continue // all of it is within the instant of the one before
		}
		all = s.panes(all, from, to)
	}
	return all
}

// extent returns the time of a stretch without violated ends: there the clock may
// have been changed already.
func (s *stretch) extent() (from, to int64) {
	low, high := 0, len(s.points)-1
	if s.known {
		v := s.violated
		for len(v) > 0 && v[0] == low {
			low, v = low+1, v[1:]
		}
		for len(v) > 0 && v[len(v)-1] == high {
			high, v = high-1, v[:len(v)-1]
		}
	}
	return s.points[low].at, s.points[high].at + 1
}

func (s *stretch) panes(all []pane, from, to int64) []pane {
	if !s.known {
		return append(all, pane{Window: Window{From: from, To: to}})
	}
	if s.lines.level() {
		p := pane{Window: Window{From: from, To: to}}
		p.low, p.high = s.over(from, to)
		low, high := s.lines.constants(0)
		p.settle(max(p.low, s.whole(math.Floor(low+0.5))), min(p.high, s.whole(math.Floor(high+0.5))))
		return append(all, p)
	}
	length := to - from
	low, high := s.interval(from + length/2)
	count := int64(max(1, min(
		math.Ceil(2*s.lines.rate()*float64(length)/float64(max(1, high-low))),
		float64(len(s.points)/fewestCalls),
		float64(length))))
	for i := range count {
		p := pane{Window: Window{From: from + part(length, i, count), To: from + part(length, i+1, count)}}
		p.low, p.high = s.over(p.From, p.To)
		p.settle(p.low, p.high)
		all = append(all, p)
	}
	return all
}

// over returns the interval that holds the lines all through [from, to). What lines
// span is widest, both ways, at an end.
func (s *stretch) over(from, to int64) (low, high int64) {
	low, high = s.interval(from)
	l, h := s.interval(to - 1)
	return min(low, l), max(high, h)
}

// part returns length·i/count without passing the range of int64.
func part(length, i, count int64) int64 {
	return length/count*i + length%count*i/count
}

// tally counts calls by time: of a pair, or of a part of it.
type tally struct {
	at                    []int64
	calls, kept, violated []int64 // sums over the points before each, one longer than at
}

func tallyOf(stretches []stretch) tally {
	t := tally{calls: []int64{0}, kept: []int64{0}, violated: []int64{0}}
	for _, s := range stretches {
		wrong := s.violated
		for i, p := range s.points {
			n := len(t.at)
			t.at = append(t.at, p.at)
			t.calls = append(t.calls, t.calls[n]+p.calls)
			t.kept = append(t.kept, t.kept[n]+1)
			v := t.violated[n]
			switch {
			case !s.known:
				v++
			case len(wrong) > 0 && wrong[0] == i:
				wrong = wrong[1:]
				v++
			}
			t.violated = append(t.violated, v)
		}
	}
	return t
}

// count fills in the numbers of a window for the points in [from, to).
func (t *tally) count(w *Window, from, to int64) {
	i := sort.Search(len(t.at), func(i int) bool { return t.at[i] >= from })
	j := sort.Search(len(t.at), func(i int) bool { return t.at[i] >= to })
	w.Calls = t.calls[j] - t.calls[i]
	w.Kept = t.kept[j] - t.kept[i]
	w.Violated = t.violated[j] - t.violated[i]
}
