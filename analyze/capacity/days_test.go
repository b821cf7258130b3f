package capacity

import (
	"fmt"
	"math"
	"testing"

	"github.com/tailpath/tailpath/cmd/lab/plant"
)

// walk is the rule that this package started from: up from the lowest bin as long as the
// lower bound of attainment reaches the target. It returns the mean rate of the last bin
// that does, and whether a bin ended the walk.
func walk(r *Result) (rate float64, ended bool) {
	for _, b := range r.Bins {
		switch {
		case b.Verdict == Thin:
			continue
		case b.Verdict != Passes:
			return rate, true
		}
		rate = b.Rate
	}
	return rate, false
}

// tally is what a number of days at one load gave, as shares of the capacity.
type tally struct {
	days, reached, cannotSay int
	low, high, mean          float64 // of Rate
	above                    int     // whose Rate is above the capacity
	walkEnded                int     // by the rule of [walk]
	walkLow, walkHigh        float64
}

func (t tally) String() string {
	return fmt.Sprintf("%d days, %d reached, %d cannot say: %.3f to %.3f, mean %.3f, %d above; walk: %d ended, %.3f to %.3f",
		t.days, t.reached, t.cannotSay, t.low, t.high, t.mean, t.above, t.walkEnded, t.walkLow, t.walkHigh)
}

// daysAt simulates days whose peak is a share of the capacity.
func daysAt(s system, l plant.Load, level, hours float64, days int) tally {
	t := tally{days: days, low: math.Inf(1), walkLow: math.Inf(1)}
	var requests []Request
	for seed := range uint64(days) {
		requests = s.requests(plant.Day{Seed: seed + 1, Peak: level, Hours: hours, Load: l}, requests)
		r := Of(requests, Options{Target: s.Target, Seed: seed, Workers: 2})
		switch r.Kind {
		case Reached:
			t.reached++
		case CannotSay:
			t.cannotSay++
		}
		share := r.Rate / s.Capacity
		if share > 1 {
			t.above++
		}
		t.low, t.high, t.mean = min(t.low, share), max(t.high, share), t.mean+share/float64(days)
		rate, ended := walk(&r)
		if ended {
			t.walkEnded++
		}
		t.walkLow, t.walkHigh = min(t.walkLow, rate/s.Capacity), max(t.walkHigh, rate/s.Capacity)
	}
	return t
}

// TestDays holds what the answer was found to be worth: never more than 1 % above the
// capacity, saturation claimed only where there was some, and always then, and then no
// more than 3 % below. Days are short here; [BenchmarkDays] has whole ones.
func TestDays(t *testing.T) {
	if raceEnabled {
		t.Skip("long, and workers are under the race detector in other tests")
	}
	var walks int
	for _, c := range []struct {
		level, hours float64
		reached      bool
		low, high    float64 // of Rate, as a share of the capacity
	}{
		{.5, 4, false, .48, .52},
		{.8, 4, false, .77, .83},
		{.95, 8, false, .92, .98},
		{1.1, 8, true, .97, 1.01},
	} {
		const days = 20
		got := daysAt(four, plant.OnePeak, c.level, c.hours, days)
		t.Logf("peak at %g of the capacity: %s", c.level, got)
		want := 0
		if c.reached {
			want = days
		}
		if got.reached != want || got.cannotSay != 0 {
			t.Errorf("peak at %g of the capacity: %d of %d days say that the limit was reached and %d cannot say; want %d and 0", c.level, got.reached, days, got.cannotSay, want)
		}
		if got.low < c.low || got.high > c.high {
			t.Errorf("peak at %g of the capacity: rates of %.3f to %.3f of it, want %.3f to %.3f", c.level, got.low, got.high, c.low, c.high)
		}
		if !c.reached {
			walks += got.walkEnded
		}
	}
	if walks < 2 {
		t.Errorf("the walk up the bins claims a limit on %d of 60 days without one: the upper bound would not be needed", walks)
	}
}

// TestOverload holds that a load beyond what the servers can ever do is seen: nearly every
// window of it begins with a backlog, and leaving all of those out would leave none that fails.
func TestOverload(t *testing.T) {
	if raceEnabled {
		t.Skip("long, and workers are under the race detector in other tests")
	}
	for seed := range uint64(3) {
		requests := thirtyTwo.requests(plant.Day{Seed: seed + 1, Peak: 1.25, Hours: 6, Load: plant.OnePeak}, nil)
		r := Of(requests, Options{Target: thirtyTwo.Target})
		if share := r.Rate / thirtyTwo.Capacity; r.Kind != Reached || share < .93 || share > 1.01 {
			t.Errorf("seed %d: %s at %.3f of the capacity, want it reached between .93 and 1.01", seed+1, r.Kind, share)
		}
		overloaded := 0
		for _, w := range r.Windows {
			if w.Overloaded {
				overloaded++
			}
		}
		if b := r.Bins[r.FailBin]; overloaded < 10 {
			t.Errorf("seed %d: %d windows are overloaded and %d in the failing bin; the test is of no such day", seed+1, overloaded, b.Windows)
		}
	}
}

// within fails a benchmark whose days are not what the package comment says: at least so many
// days reach the limit, and at most so many, with rates between two shares of the capacity.
func (t tally) within(b *testing.B, least, most int, low, high float64) {
	b.Log(t)
	if t.reached < least || t.reached > most || t.cannotSay > 0 || t.low < low || t.high > high {
		b.Errorf("want %d to %d reached and rates of %.3f to %.3f", least, most, low, high)
	}
}

// BenchmarkDays has the table that the package comment puts in words: whole days, by system,
// form of the day and peak. It takes minutes.
func BenchmarkDays(b *testing.B) {
	for _, c := range []struct {
		system
		plant.Load
	}{
		{sixteen, plant.OnePeak},
		{sixteen, plant.TwoPeaks},
		{eight, plant.OnePeak},
		{four, plant.TwoPeaks},
		{thirtyTwo, plant.OnePeak},
	} {
		for _, peak := range []struct {
			level       float64
			least, most int
			low, high   float64
		}{
			{.5, 0, 0, .495, .52}, {.8, 0, 0, .79, .815}, {.95, 0, 0, .93, .97},
			{1, 0, 7, .955, 1.0025}, {1.1, 20, 20, .9715, 1.0105}, {1.25, 20, 20, .95, 1.0175},
		} {
			b.Run(fmt.Sprintf("%s/%s/%g", c.About, c.Load.Name, peak.level), func(b *testing.B) {
				for range b.N {
					daysAt(c.system, c.Load, peak.level, 24, 20).within(b, peak.least, peak.most, peak.low, peak.high)
				}
			})
		}
	}
}

// BenchmarkShortDays has what the package comment says of short captures: a hundred days of
// an hour or two, by system and peak.
func BenchmarkShortDays(b *testing.B) {
	for _, s := range []system{sixteen, eight, four, thirtyTwo} {
		for _, c := range []struct {
			hours, level float64
			least, most  int
			low, high    float64
		}{
			{1, .95, 0, 0, .78, .97}, {2, .95, 0, 0, .88, .97}, {1, 1.1, 86, 100, .37, 1.03}, {2, 1.1, 100, 100, .815, 1.021},
		} {
			b.Run(fmt.Sprintf("%s/%g h/%g", s.About, c.hours, c.level), func(b *testing.B) {
				for range b.N {
					daysAt(s, plant.OnePeak, c.level, c.hours, 100).within(b, c.least, c.most, c.low, c.high)
				}
			})
		}
	}
}
