package curve

import (
	"fmt"
	"math"
	"testing"
)

// claims is what the gate of the broken stick said of a number of days.
type claims struct {
	days, reached int
	low, high     float64 // where, requests in flight
	kept          float64 // share of the windows that are in bins
}

func (c claims) String() string {
	text := fmt.Sprintf("%d of %d days reach a knee", c.reached, c.days)
	if c.reached > 0 {
		text += fmt.Sprintf(", at %.1f to %.1f in flight", c.low, c.high)
	}
	return text + fmt.Sprintf("; %.0f %% of the windows count", 100*c.kept)
}

// daysAt simulates days whose peak is a share of what a station keeps up.
func daysAt(s station, peak, hours, length float64, days int) claims {
	c := claims{days: days, low: math.Inf(1)}
	for seed := range uint64(days) {
		windows := windowsOf(s.day(seed+1, peak*s.top(), hours*3600), hours*3600, length)
		b := Windowed(windows)
		c.kept += float64(b.LeftOut(Kept)) / float64(len(windows)) / float64(days)
		if k := BrokenStick(b.Points()); k.Reached {
			c.reached++
			c.low, c.high = min(c.low, k.InFlight), max(c.high, k.InFlight)
		}
	}
	return c
}

// TestDays holds what the gate was found to be worth: a knee on at most 2 % of the days that
// stay away from it and on all that go beyond it, and never far from where it is. A peak of
// 95 % takes all places for minutes on end, so a knee that is seen then is one.
func TestDays(t *testing.T) {
	if raceEnabled {
		t.Skip("long, and nothing runs beside it")
	}
	away := claims{}
	for _, s := range stations {
		for _, c := range []struct {
			peak float64
			days int
		}{{.5, 17}, {.8, 17}, {.95, 3}, {1.1, 4}} {
			got := daysAt(s, c.peak, 2, 10, c.days)
			t.Logf("%s, peak at %g: %s", s.name, c.peak, got)
			if c.peak < .9 {
				away.days, away.reached = away.days+got.days, away.reached+got.reached
			}
			if c.peak > 1 && got.reached < got.days {
				t.Errorf("%s, peak at %g: %s", s.name, c.peak, got)
			}
			if got.reached > 0 && (got.low < .75*s.knee || got.high > 1.5*s.knee) {
				t.Errorf("%s, peak at %g: %s; the knee is at %.1f", s.name, c.peak, got, s.knee)
			}
		}
	}
	if 50*away.reached > away.days {
		t.Errorf("%d of %d days that stay away from the knee claim one", away.reached, away.days)
	}
}

// BenchmarkDays has more and longer days, by the length of the windows.
func BenchmarkDays(b *testing.B) {
	for _, s := range stations {
		for _, length := range []float64{10, 60} {
			for _, peak := range []float64{.5, .8, .9, .95, 1, 1.1} {
				b.Run(fmt.Sprintf("%s/%g s/%g", s.name, length, peak), func(b *testing.B) {
					for range b.N {
						b.Log(daysAt(s, peak, 4, length, 12))
					}
				})
			}
		}
	}
}
