package analyze

import (
	"testing"

	"github.com/tailpath/tailpath/analyze/stat"
)

// TestG6Sweep has requests of [0,4), [1,3), [3,6) and [8,10) s. Over a window that holds
// them whole, Little's law is an identity; one that cuts them is off by what it cuts.
func TestG6Sweep(t *testing.T) {
	in := []Interval{{0, 4}, {1, 3}, {3, 6}, {8, 10}}
	var work stat.Sum
	for _, iv := range in {
		work.Add(iv.End - iv.Start)
	}
	c := Sweep(in, 0, 10)
	arrivals := float64(c.Arrivals)
	near(t, "integral", c.Integral.Float(), 11, 0)
	near(t, "L", c.Mean(), 1.1, 1e-12)
	near(t, "λ", arrivals/10, .4, 1e-12)
	near(t, "W", work.Float()/arrivals, 2.75, 1e-12)
	near(t, "λW", arrivals/10*(work.Float()/arrivals), 1.1, 1e-12)
	if c.Integral != work {
		t.Errorf("integral %v, sum of the durations %v", c.Integral.Int(), work.Int())
	}
	if len(c.At) != 3 || c.At[0] != 2 || c.At[1] != 5 || c.At[2] != 3 || c.Peak != 2 {
		t.Errorf("time at each number in flight %v, peak %d", c.At, c.Peak)
	}
	if c.Quantile(stat.P50) != 1 || c.Quantile(stat.P90) != 2 {
		t.Errorf("time-weighted P50 %d, P90 %d", c.Quantile(stat.P50), c.Quantile(stat.P90))
	}
	// A request that ends at 3 and one that starts at 3 overlap if intervals are closed:
	// in units of a thousandth, ends a thousandth later.
	var closed []Interval
	for _, iv := range in {
		closed = append(closed, Interval{1000 * iv.Start, 1000*iv.End + 1})
	}
	if peak := Sweep(closed, 0, 10_001).Peak; peak != 3 {
		t.Errorf("peak of closed intervals %d", peak)
	}
	c = Sweep(in, 2, 5)
	near(t, "clipped integral", c.Integral.Float(), 5, 0)
	near(t, "clipped L", c.Mean(), 1.6667, 5e-5)
	if c.Arrivals != 1 {
		t.Fatalf("%d arrivals in the clipped window", c.Arrivals)
	}
	var arrived stat.Sum // of those that start in the window
	for _, iv := range in {
		if iv.Start >= c.From && iv.Start < c.To {
			arrived.Add(iv.End - iv.Start)
		}
	}
	near(t, "clipped λ times W of arrivals", float64(c.Arrivals)/3*arrived.Float()/float64(c.Arrivals), 1.0, 1e-12)
}
