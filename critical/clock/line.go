package clock

import (
	"cmp"
	"math"
	"slices"
	"sort"
)

// maxRate is how fast two clocks may drift apart, in ns each ns: quartz keeps within
// 100 ppm, and two of them within twice that.
const maxRate = 200e-6

// touching is by how much bounds may miss each other and still count as touching, in
// ns; it is more than rounding costs.
const touching = 1

// ceiling is the lower hull of points (x, y), which bound a line y = a + rate·x from
// above: all that such points say. A line is bounded from below by the ceiling of the
// points mirrored, (x, -y).
type ceiling []vertex

type vertex struct{ x, y float64 }

// ceilingOf returns the ceiling of points, and reorders them.
func ceilingOf(points []vertex) ceiling {
	slices.SortFunc(points, func(a, b vertex) int { return cmp.Or(cmp.Compare(a.x, b.x), cmp.Compare(a.y, b.y)) })
	var c ceiling
	for _, v := range points {
		c = c.push(v)
	}
	return c
}

// push adds a point at the right end; points come by rising x.
func (c ceiling) push(v vertex) ceiling {
	if n := len(c); n > 0 && c[n-1].x == v.x {
		if c[n-1].y <= v.y {
			return c
		}
		c = c[:n-1]
	}
	for len(c) >= 2 {
		p, q := c[len(c)-2], c[len(c)-1]
		// q stays only if it lies below the line from p to v. The products are rounded
		// one by one, so that every machine finds the same.
		if float64((q.y-p.y)*(v.x-p.x)) < float64((v.y-p.y)*(q.x-p.x)) {
			break
		}
		c = c[:len(c)-1]
	}
	return append(c, v)
}

// intercept returns the largest a with which a line of this rate keeps to the bounds.
func (c ceiling) intercept(rate float64) float64 {
	// Along the hull y - rate·x falls and then rises.
	i := sort.Search(len(c)-1, func(i int) bool {
		return c[i+1].y-c[i].y >= float64(rate*(c[i+1].x-c[i].x))
	})
	return c[i].y - float64(rate*c[i].x)
}

// reach returns the largest value at x of all lines that keep to the bounds and have a
// rate in [least, most].
func (c ceiling) reach(x, least, most float64) float64 {
	// The value at x is a concave function of the rate, greatest at the rate of the
	// hull at x; beyond the hull, at the steepest.
	i := sort.Search(len(c), func(i int) bool { return c[i].x > x })
	var rate float64
	switch {
	case i == 0:
		rate = least
	case i == len(c) && c[i-1].x < x:
		rate = most
	case i == len(c) && len(c) == 1:
		rate = least
	default:
		i = min(i, len(c)-1)
		rate = (c[i].y - c[i-1].y) / (c[i].x - c[i-1].x)
	}
	rate = max(least, min(most, rate))
	return c.intercept(rate) + float64(rate*x)
}

// lines are all lines that keep to a set of bounds.
type lines struct {
	above, below ceiling // below is mirrored
	least, most  float64 // rates that some line has, ns each ns
}

// constants returns the interval of a for lines of this rate; it is empty if the
// first is larger.
func (l *lines) constants(rate float64) (low, high float64) {
	return -l.below.intercept(-rate), l.above.intercept(rate)
}

func (l *lines) room(rate float64) float64 {
	low, high := l.constants(rate)
	return high - low
}

// settle finds the rates of the lines, and says whether there is any line.
func (l *lines) settle() bool {
	some := 0.0
	if l.room(0) < 0 {
		// room is concave.
		some = highest(l.room, -maxRate, maxRate)
	}
	if l.room(some) < -touching {
		return false
	}
	l.least, l.most = l.edge(some, -maxRate), l.edge(some, maxRate)
	return true
}

// edge returns the rate nearest to far that a line has, given one that has. The error of
// halving is on the far side, so that no line is lost.
func (l *lines) edge(some, far float64) float64 {
	if l.room(far) >= 0 {
		return far
	}
	for range 60 {
		mid := some + (far-some)/2
		if l.room(mid) >= 0 {
			some = mid
		} else {
			far = mid
		}
	}
	return far
}

// at returns the interval that the lines span at x.
func (l *lines) at(x float64) (low, high float64) {
	low = -l.below.reach(x, -l.most, -l.least)
	high = l.above.reach(x, l.least, l.most)
	return min(low, high), max(low, high)
}

// level says whether a constant offset keeps to the bounds.
func (l *lines) level() bool { return l.least <= 0 && 0 <= l.most && l.room(0) >= 0 }

// rate returns the smallest rate of a line, without its sign.
func (l *lines) rate() float64 {
	if l.least <= 0 && 0 <= l.most {
		return 0
	}
	return min(math.Abs(l.least), math.Abs(l.most))
}

// golden is the share of an interval that a golden section keeps.
const golden = 0.6180339887498949

// highest returns where a concave function is largest in [low, high], by golden
// section to 1e-13 of the interval.
func highest(f func(float64) float64, low, high float64) float64 {
	a, b := high-float64(golden*(high-low)), low+float64(golden*(high-low))
	fa, fb := f(a), f(b)
	for range 62 {
		if fa >= fb {
			high, b, fb = b, a, fa
			a = high - float64(golden*(high-low))
			fa = f(a)
		} else {
			low, a, fa = a, b, fb
			b = low + float64(golden*(high-low))
			fb = f(b)
		}
	}
	return low + (high-low)/2
}
