package change

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tailpath/tailpath/analyze/stat"
)

// noise is what the hours of a simulated week share: a level with a standard deviation
// and a correlation from hour to hour, as logarithm.
type noise struct{ sd, rho float64 }

// weekOf simulates a week of requests, so many an hour: lognormal latencies around 400 ms
// of which a share is four times as long, times a factor and a level that each hour has.
func weekOf(seed, number uint64, perHour int, share, factor float64, n noise) (Sample, Clock) {
	random := rand.New(rand.NewPCG(seed, number))
	type request struct{ value, start int64 }
	var all []request
	level := n.sd * random.NormFloat64()
	for h := range int64(168) {
		level = n.rho*level + n.sd*math.Sqrt(1-n.rho*n.rho)*random.NormFloat64()
		for range perHour {
			v := 4e8 * math.Exp(0.5*random.NormFloat64()+level) * factor
			if random.Float64() < share {
				v *= 4
			}
			all = append(all, request{int64(v), monday + int64(number)*week + h*hour + random.Int64N(hour)})
		}
	}
	slices.SortFunc(all, func(a, b request) int { return cmp.Compare(a.value, b.value) })
	s := Sample{}
	for _, r := range all {
		s.Value, s.Start = append(s.Value, r.value), append(s.Start, r.start)
	}
	return s, Clock{Starts: s.Start, Wall: true}
}

// alarms counts the pairs of weeks in which some percentile counts as changed.
func alarms(t *testing.T, pairs, perHour int, n noise, share, factor float64) (count int) {
	t.Helper()
	for seed := range uint64(pairs) {
		base, from := weekOf(seed+1, 1, perHour, 0.01, 1, n)
		new, to := weekOf(seed+1, 2, perHour, share, factor, n)
		blocks := Cut(from, to, DefaultRule())
		if blocks.Kind != Days || !blocks.Paired || blocks.N != [2]int{7, 7} {
			t.Fatalf("two weeks are cut into %v", blocks)
		}
		r := Of(&base, &new, Options{Blocks: blocks, Replicates: 400, Seed: seed, Workers: 2, At: []stat.Prob{stat.P50}, Bands: []Band{{stat.P50, stat.P90}}})
		Judge([]*Result{r}, nil, DefaultRule())
		if slices.ContainsFunc(r.Percentiles, func(p Percentile) bool { return p.Outcome == Slower || p.Outcome == Faster }) {
			count++
		}
	}
	return count
}

// TestWeeks holds the mistakes against which the rule was made: it must not alarm on the
// noise that hours share, which raw tests take for a change, and must see both a change of
// all requests and one of the tail alone.
func TestWeeks(t *testing.T) {
	if raceEnabled {
		t.Skip("one goroutine at work for long")
	}
	const pairs = 40
	for _, c := range []struct {
		name          string
		n             noise
		share, factor float64
		least, most   int // alarms
	}{
		{"no change, independent", noise{}, .01, 1, 0, 2},
		{"no change, hours correlated", noise{.1, .7}, .01, 1, 0, 2},
		{"no change, noise of a day and more", noise{.1, .95}, .01, 1, 0, 3},
		{"ten per cent on all", noise{.1, .7}, .01, 1.1, 23, pairs},
		{"slow share from 1 to 3 %", noise{.1, .7}, .03, 1, 39, pairs},
	} {
		if got := alarms(t, pairs, 120, c.n, c.share, c.factor); got < c.least || got > c.most {
			t.Errorf("%s: %d of %d pairs alarm, want %d to %d", c.name, got, pairs, c.least, c.most)
		}
	}
}

// TestRawTestsAlarmOnNoise shows why Mann-Whitney is beside the rule and not in it.
func TestRawTestsAlarmOnNoise(t *testing.T) {
	var alarmed int
	for seed := range uint64(20) {
		base, _ := weekOf(seed+1, 1, 50, .01, 1, noise{.1, .7})
		new, _ := weekOf(seed+1, 2, 50, .01, 1, noise{.1, .7})
		if stat.MannWhitney(base.Value, new.Value).P < .05 {
			alarmed++
		}
	}
	if alarmed < 8 {
		t.Errorf("Mann-Whitney alarms on %d of 20 pairs without a change; the rule would need no blocks", alarmed)
	}
}
