package clock

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// drawPoints draws exchanges by time. Often one offset keeps to all of them, often none.
func drawPoints(t *rapid.T, most int) []point {
	near := rapid.Int64Range(-50, 50)
	points := make([]point, rapid.IntRange(1, most).Draw(t, "n"))
	for i := range points {
		low := near.Draw(t, "low")
		points[i] = point{
			at:  rapid.Int64Range(0, 400_000).Draw(t, "at"),
			low: low, high: low + rapid.Int64Range(0, 120).Draw(t, "width"), calls: 1,
		}
		points[i].lowAt, points[i].highAt = points[i].at, points[i].at
		length := rapid.OneOf(rapid.Just(int64(0)), rapid.Int64Range(0, 200_000)).Draw(t, "length")
		if rapid.Bool().Draw(t, "back") {
			points[i].highAt += length
		} else {
			points[i].lowAt += length
		}
	}
	slices.SortFunc(points, comparePoints)
	return points
}

// vertices returns the rate and the value at x = 0 of every corner of the set of lines that
// keep to the points, found from each two bounds that a line can touch.
func vertices(points []point) (corners [][2]float64) {
	keeps := func(rate, a float64) bool {
		if math.Abs(rate) > maxRate*(1+1e-9) {
			return false
		}
		for _, p := range points {
			if a+rate*float64(p.lowAt) < float64(p.low)-1e-6 || a+rate*float64(p.highAt) > float64(p.high)+1e-6 {
				return false
			}
		}
		return true
	}
	type touch struct{ x, y float64 }
	var touches []touch
	for _, p := range points {
		touches = append(touches, touch{float64(p.lowAt), float64(p.low)}, touch{float64(p.highAt), float64(p.high)})
	}
	try := func(rate float64, at touch) {
		if a := at.y - rate*at.x; keeps(rate, a) {
			corners = append(corners, [2]float64{rate, a})
		}
	}
	for i, p := range touches {
		try(maxRate, p)
		try(-maxRate, p)
		for _, q := range touches[:i] {
			if p.x != q.x {
				try((p.y-q.y)/(p.x-q.x), p)
			}
		}
	}
	return corners
}

// TestLinesAgainstCorners compares the lines with all corners of their set: whether there
// is any, and what they span at instants within and beyond the points.
func TestLinesAgainstCorners(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		points := drawPoints(t, 7)
		s := stretch{points: points}
		s.fill(nil)
		some := s.lines.settle()
		corners := vertices(points)
		if len(corners) > 0 && !some {
			t.Fatalf("%v: no line, but %v", points, corners)
		}
		if len(corners) == 0 {
			if some && s.lines.room(highest(s.lines.room, -maxRate, maxRate)) > 0.01 {
				t.Fatalf("%v: lines, but no corner", points)
			}
			return
		}
		for _, at := range []int64{0, 200_000, 400_000, -1_000_000, 2_000_000, points[0].at, points[len(points)-1].at} {
			low, high := math.Inf(1), math.Inf(-1)
			for _, c := range corners {
				y := c[1] + c[0]*float64(at)
				low, high = min(low, y), max(high, y)
			}
			gotLow, gotHigh := s.interval(at)
			if float64(gotLow) > low+0.01 || float64(gotLow) < low-1.02 || float64(gotHigh) < high-0.01 || float64(gotHigh) > high+1.02 {
				t.Fatalf("%v at %d: [%d, %d], want [%v, %v]", points, at, gotLow, gotHigh, low, high)
			}
		}
	})
}

// TestDensest compares Marzullo's sweep with counting at every end.
func TestDensest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "n")
		floor, ceil := make([]float64, n), make([]float64, n)
		for i := range n {
			low := rapid.IntRange(0, 12).Draw(t, "low")
			floor[i], ceil[i] = float64(low), float64(low+rapid.IntRange(-2, 8).Draw(t, "width"))
		}
		depth := func(low, high float64) (n int) {
			for i := range floor {
				if floor[i] <= low && high <= ceil[i] {
					n++
				}
			}
			return n
		}
		most, width := 0, 0.0
		for _, low := range floor {
			for _, high := range ceil {
				if d := depth(low, high); low <= high && (d > most || d == most && d > 0 && high-low > width) {
					most, width = d, high-low
				}
			}
		}
		low, high := densest(floor, ceil)
		if depth(low, high) != most || high-low != width {
			t.Fatalf("%v %v: [%v, %v] in %d, want a width of %v in %d", floor, ceil, low, high, depth(low, high), width, most)
		}
	})
}

// TestNth compares the selection with sorting.
func TestNth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-9, 9), 1, 40).Draw(t, "values")
		if rapid.Bool().Draw(t, "ties") {
			for i := range values {
				values[i] = math.Round(values[i])
			}
		}
		k := rapid.IntRange(0, len(values)-1).Draw(t, "k")
		sorted := slices.Sorted(slices.Values(values))
		if got := nth(values, k); got != sorted[k] {
			t.Fatalf("%v: number %d is %v, want %v", values, k, got, sorted[k])
		}
	})
}

// TestLongestRun checks runs at both ends and of both sides.
func TestLongestRun(t *testing.T) {
	for _, c := range []struct {
		side     []int8
		from, to int
	}{
		{nil, 0, 0},
		{[]int8{0, 0}, 0, 0},
		{[]int8{1, 1, 0, -1, -1, -1}, 3, 6},
		{[]int8{1, -1, 1, 0, 1, 1}, 4, 6},
		{[]int8{-1, -1, 0, 1, 1}, 0, 2},
	} {
		if from, to := longestRun(c.side); from != c.from || to != c.to {
			t.Errorf("%v: [%d, %d), want [%d, %d)", c.side, from, to, c.from, c.to)
		}
	}
}
