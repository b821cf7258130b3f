package clock

import (
	"cmp"
	"math"
	"slices"
)

const (
	// fewestCalls is how many calls a window that is cut off must hold.
	fewestCalls = 3
	// changeRun is how many violations in a row on one side mean that the clock was
	// changed.
	changeRun = 3
	// oneViolation is the number of calls from which on one may be violated.
	oneViolation = 8
	// violatedShare is the number of calls of which one more may be violated.
	violatedShare = 20
	// mostRefinements is how often a better rate is tried.
	mostRefinements = 4
	// sampleSize is about how many points of a long stretch tell whether it is hopeless.
	sampleSize = 1024
)

// point is an exchange of a pair on the pair's axis: the clock of the other end minus
// the axis was at least low ns when the axis showed lowAt ns, and at most high ns when it
// showed highAt ns: at the two ends of the call.
type point struct {
	at            int64 // where the call began, ns
	low, high     int64
	lowAt, highAt int64
	calls         int64 // it stands for: itself, and those of its slot that were not kept
}

func comparePoints(a, b point) int {
	return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.low, b.low), cmp.Compare(a.high, b.high),
		cmp.Compare(a.lowAt, b.lowAt), cmp.Compare(a.highAt, b.highAt))
}

// stretch is a run of points by time and what they say together.
type stretch struct {
	points   []point
	first    int // number of the first point within the pair
	known    bool
	lines    lines
	time     int64 // ns where x is 0
	base     int64 // ns where y is 0
	violated []int // points, by time
	bridges  bool  // a time without calls lies within
}

// x and y turn instants and offsets into floats relative to the stretch. Differences
// are exact up to 2^53 ns, 104 days.
func (s *stretch) x(at int64) float64 { return float64(at - s.time) }
func (s *stretch) y(by int64) float64 { return float64(by - s.base) }

// interval returns what the lines say at an instant, in whole ns, rounded outward.
func (s *stretch) interval(at int64) (low, high int64) {
	a, b := s.lines.at(s.x(at))
	return s.whole(math.Floor(a)), s.whole(math.Ceil(b))
}

func (s *stretch) whole(y float64) int64 {
	return add(s.base, int64(max(-farthestInstant, min(farthestInstant, y))))
}

// read finds the lines of points that are sorted by time. Where it finds none, known is
// false, and cut is the number of points before the place to try and cut them at, or 0
// where none is better than another.
func read(points []point, first int) (s stretch, cut int) {
	s = stretch{points: points, first: first}
	n := len(points)
	s.time = points[0].at + (points[n-1].at-points[0].at)/2
	lows := make([]int64, n)
	for i, p := range points {
		lows[i] = p.low
	}
	slices.Sort(lows)
	s.base = lows[n/2] // among the good ones, so floats stay small where it matters

	s.fill(nil)
	if s.lines.settle() {
		s.known = true
		return s, 0
	}
	if n < oneViolation {
		return s, 0
	}
	if n > 2*sampleSize {
		if cut, hopeless := s.sample(); hopeless {
			return s, cut
		}
	}
	side, floor, ceil := s.violations()
	for i, v := range side {
		if v != 0 {
			s.violated = append(s.violated, i)
		}
	}
	if from, to := longestRun(side); to-from >= changeRun {
		cut = from
		if cut < fewestCalls {
			cut = to
		}
		return s, cut
	}
	if len(s.violated) > 1+n/violatedShare {
		return s, 0
	}
	s.fill(spare(side, floor, ceil, 1+len(s.violated)/8))
	s.known = s.lines.settle()
	return s, 0
}

// sample reads evenly spread points of a long stretch. It is hopeless if a fifth of them is
// violated; cut is then the place where the longest run of violations begins, or ends.
func (s *stretch) sample() (cut int, hopeless bool) {
	every := len(s.points) / sampleSize
	few := stretch{time: s.time, base: s.base}
	for i := 0; i < len(s.points); i += every {
		few.points = append(few.points, s.points[i])
	}
	side, _, _ := few.violations()
	if violated(side) < len(side)/5 {
		return 0, false
	}
	from, to := longestRun(side)
	if from == 0 {
		from = to
	}
	return from * every, true
}

// fill draws the lines of all points but those left out.
func (s *stretch) fill(out []int8) {
	highs, lows := make([]vertex, 0, len(s.points)), make([]vertex, 0, len(s.points))
	for i, p := range s.points {
		if out == nil || out[i] == 0 {
			highs = append(highs, vertex{s.x(p.highAt), s.y(p.high)})
			lows = append(lows, vertex{s.x(p.lowAt), -s.y(p.low)})
		}
	}
	s.lines = lines{above: ceilingOf(highs), below: ceilingOf(lows)}
}

// violations returns for each point on which side of the best line it lies wholly: 1
// above, -1 below, 0 on the line, and the bounds without the line's rate. The rate is
// first that of the line with the least sum of violations, which few wrong bounds cannot
// pull far, and the offset at this rate the one with the fewest. That line touches good
// bounds, and may pass some by; so the rate with the most room among those it keeps to
// is tried, as long as it keeps to more.
func (s *stretch) violations() (side []int8, floor, ceil []float64) {
	n := len(s.points)
	floor, ceil, both := make([]float64, n), make([]float64, n), make([]float64, 2*n)
	rate := highest(func(rate float64) float64 {
		s.flatten(rate, floor, ceil)
		// The sum of violations is least at the median of all ends: as many floors
		// lie above it as ceilings below.
		copy(both, floor)
		copy(both[n:], ceil)
		a := nth(both, n)
		sum := 0.0
		for i := range floor {
			sum += max(0, floor[i]-a) + max(0, a-ceil[i])
		}
		return -sum
	}, -maxRate, maxRate)
	side = s.sides(rate, floor, ceil)
	for range mostRefinements {
		s.fill(side)
		if s.lines.above == nil {
			break
		}
		turned := highest(s.lines.room, -maxRate, maxRate)
		better := s.sides(turned, floor, ceil)
		if violated(better) >= violated(side) {
			break
		}
		side, rate = better, turned
	}
	s.flatten(rate, floor, ceil)
	return side, floor, ceil
}

// flatten fills in the bounds of the points without a rate.
func (s *stretch) flatten(rate float64, floor, ceil []float64) {
	for i, p := range s.points {
		floor[i] = s.y(p.low) - float64(rate*s.x(p.lowAt))
		ceil[i] = s.y(p.high) - float64(rate*s.x(p.highAt))
	}
}

// sides returns on which side of the line with this rate, and the fewest violations, each
// point lies.
func (s *stretch) sides(rate float64, floor, ceil []float64) []int8 {
	s.flatten(rate, floor, ceil)
	low, high := densest(floor, ceil)
	side := make([]int8, len(floor))
	for i := range side {
		switch {
		case floor[i] > low:
			side[i] = 1
		case ceil[i] < high:
			side[i] = -1
		}
	}
	return side
}

func violated(side []int8) (n int) {
	for _, v := range side {
		if v != 0 {
			n++
		}
	}
	return n
}

// densest returns the interval that lies in most of the given ones; of several, the
// widest, and of those the lowest (Marzullo's algorithm). Intervals that end before they
// start, as those of long calls do at another rate, count for none.
func densest(floor, ceil []float64) (low, high float64) {
	var starts, ends []float64
	for i := range floor {
		if floor[i] <= ceil[i] {
			starts, ends = append(starts, floor[i]), append(ends, ceil[i])
		}
	}
	slices.Sort(starts)
	slices.Sort(ends)
	best, open, done := 0, 0, 0
	for i, start := range starts {
		for ends[done] < start {
			done++
			open--
		}
		open++
		if i+1 < len(starts) && starts[i+1] <= ends[done] {
			continue // the next start lies in all of these, and in one more
		}
		if open > best || open == best && ends[done]-start > high-low {
			best, low, high = open, start, ends[done]
		}
	}
	return low, high
}

// longestRun returns the longest run of violations on one side, the first of several.
func longestRun(side []int8) (from, to int) {
	for i := 0; i < len(side); {
		j := i + 1
		for j < len(side) && side[j] == side[i] {
			j++
		}
		if side[i] != 0 && j-i > to-from {
			from, to = i, j
		}
		i = j
	}
	return from, to
}

// spare marks, besides the violated points, the tightest few bounds of each side: what is
// wrong by little does not show, and would cut the truth off. At least one point is left.
func spare(side []int8, floor, ceil []float64, few int) []int8 {
	var good []int
	for i, v := range side {
		if v == 0 {
			good = append(good, i)
		}
	}
	few = min(few, (len(good)-1)/2)
	slices.SortFunc(good, func(a, b int) int { return cmp.Or(cmp.Compare(floor[b], floor[a]), cmp.Compare(a, b)) })
	for _, i := range good[:few] {
		side[i] = 1
	}
	good = good[few:]
	slices.SortFunc(good, func(a, b int) int { return cmp.Or(cmp.Compare(ceil[a], ceil[b]), cmp.Compare(a, b)) })
	for _, i := range good[:few] {
		side[i] = -1
	}
	return side
}

// nth returns the k-th smallest value, k from 0, and reorders values.
func nth(values []float64, k int) float64 {
	low, high := 0, len(values)-1
	for low < high {
		pivot := median3(values[low], values[low+(high-low)/2], values[high])
		i, j := low, high
		for i <= j {
			for values[i] < pivot {
				i++
			}
			for values[j] > pivot {
				j--
			}
			if i <= j {
				values[i], values[j] = values[j], values[i]
				i++
				j--
			}
		}
		switch {
		case k <= j:
			high = j
		case k >= i:
			low = i
		default:
			return values[k]
		}
	}
	return values[k]
}

func median3(a, b, c float64) float64 { return max(min(a, b), min(max(a, b), c)) }
