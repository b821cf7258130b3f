package plant

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/critical/stage"
)

// attainment is the share of good requests at a constant rate, after the first hundred
// seconds.
func (s System) attainment(seed uint64, rate, seconds float64) float64 {
	limit := float64(s.LimitNS) / float64(second)
	var good, all float64
	s.run(seed, rate, seconds, Constant, func(start, _, end float64) {
		if start > 100 {
			if all++; end-start < limit {
				good++
			}
		}
	})
	return good / all
}

// truth finds the rate at which the attainment is the target, by bisection within 2 % of
// what it is taken for, with the same seed at every rate.
func (s System) truth(seed uint64, seconds float64) float64 {
	low, high := .98*s.Capacity, 1.02*s.Capacity
	for range 10 {
		mid := (low + high) / 2
		if s.attainment(seed, mid, seconds) >= s.Target.Float() {
			low = mid
		} else {
			high = mid
		}
	}
	return (low + high) / 2
}

// TestSystems holds that the capacity of each system lies between rates 5 % on either side of
// what it is said to be. [BenchmarkTruth] is what finds it.
func TestSystems(t *testing.T) {
	for _, s := range Systems() {
		t.Run(s.Name, func(t *testing.T) {
			below, above := s.attainment(1, .95*s.Capacity, 10_000), s.attainment(1, 1.05*s.Capacity, 10_000)
			if target := s.Target.Float(); below <= target || above >= target {
				t.Errorf("attainment of %.4f and %.4f at 5 %% less and more than the capacity, and the target is %.4f", below, above, target)
			}
		})
	}
}

// BenchmarkTruth finds the capacities that the systems are said to have. It fails where one
// is more than half a percent from them.
func BenchmarkTruth(b *testing.B) {
	for _, s := range Systems() {
		b.Run(s.Name, func(b *testing.B) {
			for i := range b.N {
				rate := s.truth(uint64(i)+1, 1e6)
				b.ReportMetric(rate, "requests/s")
				if math.Abs(rate/s.Capacity-1) > .005 {
					b.Errorf("%.4g requests a second, and it is said to be %.4g", rate, s.Capacity)
				}
			}
		})
	}
}

func (s System) requests(d Day) (all []Request) {
	s.Each(d, func(q *Request) { all = append(all, *q) })
	return all
}

// TestDays holds of every system and load: requests come in order and within the day, those
// that come first are served first, each at once when a server is free and else as soon as
// one is, and the same seed gives the same requests and tables.
func TestDays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SampledFrom(Systems()).Draw(t, "system")
		d := Day{
			Seed: rapid.Uint64().Draw(t, "seed"), Peak: rapid.Float64Range(.1, 1.5).Draw(t, "peak"),
			Hours: rapid.Float64Range(.01, .05).Draw(t, "hours"), Load: rapid.SampledFrom([]Load{Constant, OnePeak, TwoPeaks}).Draw(t, "load"),
		}
		all := s.requests(d)
		if !slices.Equal(all, s.requests(d)) {
			t.Fatal("the same seed gives other requests")
		}
		free := make([]int64, s.Servers)
		for i := range all {
			q := &all[i]
			if q.StartNS < 0 || q.StartNS > int64(d.Hours*3600*float64(second))+quantumNS || i > 0 && q.StartNS < all[i-1].StartNS {
				t.Fatalf("request %d of %+v starts out of order or outside of the day", i, d)
			}
			first := slices.Index(free, slices.Min(free))
			if wait := max(0, free[first]-q.StartNS); q.StagesNS[stage.Queue] != wait || q.StagesNS[stage.GPU] < 0 {
				t.Fatalf("request %d waits %d ns, and a server is free for it after %d", i, q.StagesNS[stage.Queue], wait)
			}
			free[first] = q.StartNS + q.DurationNS()
			if q.StagesNS[stage.Queue]+q.StagesNS[stage.GPU] != q.DurationNS() {
				t.Fatalf("request %d: %+v", i, q)
			}
		}
		req := &s.Draw(d).Requests
		if req.Len() != len(all) {
			t.Fatalf("%d requests in the table, drawn are %d", req.Len(), len(all))
		}
		for i := range all {
			if req.Start[i] != epochNS+all[i].StartNS || req.Duration[i] != all[i].DurationNS() || req.OutputTokens[i] != all[i].Tokens {
				t.Fatalf("request %d is not as it was drawn", i)
			}
		}
	})
}

// TestRateOfDays holds the number of requests of an hour against what is expected, and the
// peak of each load against 1.
func TestRateOfDays(t *testing.T) {
	s := Systems()[2]
	for _, c := range []struct {
		load Load
		mean float64 // as a share of the peak
	}{{Constant, 1}, {OnePeak, .55}, {TwoPeaks, .4713}} {
		d := Day{1, .5, 1, c.load}
		want := s.Expected(d)
		if math.Abs(want/(c.mean*.5*s.Capacity*3600)-1) > .002 {
			t.Errorf("%s: %g requests are expected, which is not %g of the peak", c.load.Name, want, c.mean)
		}
		if n := len(s.requests(d)); math.Abs(float64(n)-want) > 4*math.Sqrt(want) || n > s.Most(d) {
			t.Errorf("%s: %d requests in an hour, expected are %.0f and at most %d", c.load.Name, n, want, s.Most(d))
		}
		most := 0.0
		for i := range 1000 {
			most = max(most, c.load.at(float64(i)/1000))
		}
		if most < .999 || most > 1 {
			t.Errorf("%s: the peak is %g of what it is said to be", c.load.Name, most)
		}
	}
}

func TestLookupSystem(t *testing.T) {
	for _, s := range Systems() {
		if got, err := LookupSystem(s.Name); err != nil || got.Capacity != s.Capacity {
			t.Errorf("%s: %+v, %v", s.Name, got, err)
		}
	}
	if _, err := LookupSystem("nosuch"); err == nil {
		t.Error("no error for a system that is not there")
	}
}
