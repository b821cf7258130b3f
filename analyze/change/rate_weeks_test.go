package change

import (
	"math"
	"math/rand/v2"
	"testing"
)

// failures is how requests of simulated weeks fail.
type failures struct {
	name string
	rate float64 // of all requests, apart from incidents
	// The rate has a level that each hour shares, as logarithm, with this deviation and
	// correlation from hour to hour; latency has so much of it.
	sd, rho, shared float64
	// Incidents begin so often a day, and are on average so many failures in so many hours.
	daily, size, hours float64
}

// failing simulates a week of 200 requests an hour whose rate of failures, apart from
// incidents, is multiplied by a factor.
func failing(random *rand.Rand, number int64, f failures, factor float64) (e Events) {
	const perHour = 200
	var failed [168]float64 // probability of failing in an incident, by hour
	if f.daily > 0 {
		for at := random.ExpFloat64() * 24 / f.daily; at < 168; at += random.ExpFloat64() * 24 / f.daily {
			length := max(.1, random.ExpFloat64()*f.hours)
			size := random.ExpFloat64() * f.size
			for h := int(at); h < 168 && float64(h) < at+length; h++ {
				in := min(float64(h+1), at+length) - max(float64(h), at)
				failed[h] += min(.9, size*in/length/perHour)
			}
		}
	}
	level := f.sd * random.NormFloat64()
	for h := range int64(168) {
		level = f.rho*level + f.sd*math.Sqrt(1-f.rho*f.rho)*random.NormFloat64()
		p := f.rate*factor*math.Exp(level-f.sd*f.sd/2) + failed[h]
		for range perHour {
			e.Hit = append(e.Hit, random.Float64() < p)
			e.Start = append(e.Start, monday+number*week+h*hour+random.Int64N(hour))
			e.Value = append(e.Value, int64(4e8*math.Exp(.5*random.NormFloat64()+f.shared*level)))
		}
	}
	return e
}

// rateAlarms counts the pairs of weeks in which the rate of failures counts as changed.
func rateAlarms(pairs int, f failures, factor float64) (count int) {
	for seed := range uint64(pairs) {
		random := rand.New(rand.NewPCG(seed+1, 21))
		base, new := failing(random, 1, f, 1), failing(random, 2, f, factor)
		o := Options{Blocks: Cut(Clock{Starts: base.Start, Wall: true}, Clock{Starts: new.Start, Wall: true}, DefaultRule()), Replicates: 200, Seed: seed}
		r := RateOf("errors", base, new, o)
		if Judge(nil, []*Rate{r}, DefaultRule()); r.Outcome == Slower || r.Outcome == Faster {
			count++
		}
	}
	return count
}

// TestWeeksOfRareFailures holds what rates are judged for: failures that come in bursts, or
// whose rate stays high for hours or days, must not pass for a change, though most hours have
// none and hide it; a change must be seen where the weeks at hand can show it.
//
// A run of 400 pairs each, with 0.1, 0.4 and 2 % failing apart from incidents; alarms in per
// cent of the pairs:
//
//	                                         no change       three times the rate
//	independent                            0.0  1.8  1.0        89    98   100
//	bursts of 12 minutes, 1 a day          3.3  2.5  3.3         4    13    75
//	incidents of 8 hours, every other day  1.0  1.3  1.5         1     6    36
//	hours correlated, sd 1, rho .7         0.0  2.3  2.8        38    51    54
//	hours correlated, sd .5, rho .95       0.8  4.3  1.5        28    16    20
//	days correlated, sd 1, rho .98         2.8  3.3  2.0         5     4     5
//	sd 1, rho .95, and latency with it     0.8  1.3  1.5         6     5     5
//
// Where little is seen, little can be: a level that stays for days takes few values in a
// week. By how long noise of the rate itself lasts in neighbouring hours alone, up to 16 % of
// pairs without a change alarmed (0.4 %, sd .5, rho .95) and 12 % (0.1 and 0.4 %, rho .98).
func TestWeeksOfRareFailures(t *testing.T) {
	if raceEnabled {
		t.Skip("one goroutine at work for long")
	}
	const pairs = 30
	for _, c := range []struct {
		failures
		factor      float64
		least, most int // alarms
	}{
		{failures{name: "independent", rate: .004}, 1, 0, 2},
		{failures{name: "independent", rate: .004}, 3, 27, pairs},
		{failures{name: "bursts of minutes", rate: .004, daily: 1, size: 60, hours: .2}, 1, 0, 3},
		{failures{name: "bursts of minutes", rate: .02, daily: 1, size: 60, hours: .2}, 3, 20, pairs},
		{failures{name: "hours correlated", rate: .004, sd: .5, rho: .95}, 1, 0, 3},
		{failures{name: "days correlated", rate: .004, sd: 1, rho: .98}, 1, 0, 2},
		{failures{name: "as latency", rate: .001, sd: 1, rho: .95, shared: .1}, 1, 0, 2},
	} {
		got := rateAlarms(pairs, c.failures, c.factor)
		t.Logf("%s x%v: %d of %d pairs alarm", c.name, c.factor, got, pairs)
		if got < c.least || got > c.most {
			t.Errorf("%s x%v: %d of %d pairs alarm, want %d to %d", c.name, c.factor, got, pairs, c.least, c.most)
		}
	}
}
