package change

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tailpath/tailpath/analyze/stat"
)

const ms = int64(1_000_000)

// flat is a side whose requests come one a second from a start, with values from a
// function in ms.
func flat(n int, from int64, value func(i int) int64) (Sample, Clock) {
	type request struct{ value, start int64 }
	var all []request
	for i := range n {
		all = append(all, request{value(i) * ms, from + int64(i)*1_000*ms})
	}
	slices.SortStableFunc(all, func(a, b request) int { return int(a.value - b.value) })
	s := Sample{}
	for _, r := range all {
		s.Value, s.Start = append(s.Value, r.value), append(s.Start, r.start)
	}
	return s, Clock{Starts: s.Start}
}

func judged(base, new *Sample, from, to Clock, rule Rule) *Result {
	r := Of(base, new, Options{Blocks: Cut(from, to, rule), Replicates: 200, Rule: rule})
	Judge([]*Result{r}, nil, rule)
	return r
}

// TestRule takes one part of the rule after the other away.
func TestRule(t *testing.T) {
	around := func(middle int64) func(int) int64 { return func(i int) int64 { return middle + int64(i*7919%41) - 20 } }
	at := func(r *Result, p stat.Prob) Percentile {
		return r.Percentiles[slices.IndexFunc(r.Percentiles, func(q Percentile) bool { return q.P == p })]
	}
	for _, c := range []struct {
		name      string
		n         int
		base, new int64
		rule      func(*Rule)
		p         stat.Prob
		want      Outcome
		reason    string
	}{
		{"a fifth longer", 2000, 1000, 1200, nil, stat.P99, Slower, "every part"},
		{"a fifth shorter", 2000, 1200, 1000, nil, stat.P50, Faster, "every part"},
		{"six per cent counts at the median", 2000, 1000, 1060, nil, stat.P50, Slower, "every part"},
		{"and not above", 2000, 1000, 1060, nil, stat.P99, Same, "below what counts"},
		{"unless asked for", 2000, 1000, 1060, func(r *Rule) { r.Tail = .05 }, stat.P99, Slower, "every part"},
		{"15 ms of 100 are below the floor", 2000, 100, 115, nil, stat.P50, Same, "below what counts"},
		{"30 ms are not", 2000, 100, 130, nil, stat.P50, Slower, "every part"},
		{"p99 takes 1000 requests", 999, 1000, 1500, nil, stat.P99, TooFew, "takes 1000 requests on either side, and there are 999 and 999"},
		{"p90 takes fewer", 999, 1000, 1500, nil, stat.P90, Slower, "every part"},
	} {
		rule := DefaultRule()
		if c.rule != nil {
			c.rule(&rule)
		}
		base, from := flat(c.n, 0, around(c.base))
		new, to := flat(c.n, week, around(c.new))
		if got := at(judged(&base, &new, from, to, rule), c.p); got.Outcome != c.want || !strings.Contains(got.Reason, c.reason) {
			t.Errorf("%s: %s is %s: %s", c.name, c.p, got.Outcome, got.Reason)
		}
	}
}

// TestOneIncidentPredictsNothing makes the slow requests of new one after another.
func TestOneIncidentPredictsNothing(t *testing.T) {
	base, from := flat(2000, 0, func(i int) int64 { return 500 + int64(i*7919%101) })
	new, to := flat(2000, week, func(i int) int64 {
		if i >= 800 && i < 900 {
			return 4000
		}
		return 500 + int64(i*7919%101)
	})
	for _, s := range []*Sample{&base, &new} {
		s.Waited = slices.Repeat([]int64{5_000 * ms}, len(s.Value))
	}
	r := judged(&base, &new, from, to, DefaultRule())
	if p := r.Percentiles[3]; p.Outcome != Describes || p.Incidents[New] != 1 {
		t.Errorf("p99 is %s with %v incidents: %s", p.Outcome, p.Incidents, p.Reason)
	}
	if p := r.Percentiles[0]; p.Outcome != Same {
		t.Errorf("p50 is %s: %s", p.Outcome, p.Reason)
	}
}

// TestPercentilesOfPartsDoNotAddUp is the case in which the p99 of either part is 100 ms
// and that of both 1000: what the parts contribute adds up all the same.
func TestPercentilesOfPartsDoNotAddUp(t *testing.T) {
	side := func(slow int64) Sample {
		s := Sample{Parts: make([][]int64, 2)}
		add := func(queue, gpu int64) {
			s.Value, s.Parts[0], s.Parts[1] = append(s.Value, queue+gpu), append(s.Parts[0], queue), append(s.Parts[1], gpu)
		}
		for range 98 {
			add(100, 100)
		}
		add(slow, 100)
		add(100, slow)
		return s
	}
	base, new := side(100), side(900)
	r := Of(&base, &new, Options{Blocks: Blocks{Kind: NoBlocks}})
	if p := r.Percentiles[3]; p.New.Known || p.Base.Known {
		t.Fatalf("p99 of 100 requests is known: %+v", p)
	}
	at := r.At[1]
	sum := at.Parts[0].Difference.Value + at.Parts[1].Difference.Value
	if at.P != stat.P99 || math.Abs(sum-at.Total.Difference.Value) > 1e-6 || sum < 400 || at.Total.Base != 200 {
		t.Errorf("the parts add %v of %v", sum, at.Total)
	}
}

func TestEffectIsThatNewTakesLonger(t *testing.T) {
	base, new := Sample{Value: []int64{10, 12, 14}}, Sample{Value: []int64{11, 13, 15, 16}}
	if e := Of(&base, &new, Options{}).Effect; e.Effect != .75 || e.Statistic != 9 {
		t.Errorf("U is %v and the probability %v, want 9 and .75", e.Statistic, e.Effect)
	}
}

func TestCut(t *testing.T) {
	every := func(from, step int64, n int) []int64 {
		var out []int64
		for i := range int64(n) {
			out = append(out, from+i*step)
		}
		return out
	}
	const minute = 60_000 * ms
	for _, c := range []struct {
		name      string
		base, new Clock
		kind      string
		paired    bool
		n         [2]int
		refused   bool
	}{
		{"two weeks", Clock{Starts: every(monday, hour, 168), Wall: true}, Clock{Starts: every(monday+week, hour, 168), Wall: true}, Days, true, [2]int{7, 7}, false},
		{"weeks that begin on other days", Clock{Starts: every(monday+3*day, hour, 168), Wall: true}, Clock{Starts: every(monday+9*day+hour/2, hour, 168), Wall: true}, Days, true, [2]int{7, 7}, false},
		{"three weeks and two", Clock{Starts: every(monday, hour, 504), Wall: true}, Clock{Starts: every(monday+4*week, hour, 336), Wall: true}, Days, true, [2]int{14, 14}, false},
		{"five days each", Clock{Starts: every(monday, hour, 120), Wall: true}, Clock{Starts: every(monday+week, hour, 120), Wall: true}, HalfDays, true, [2]int{10, 10}, false},
		{"five days and six", Clock{Starts: every(monday, hour, 120), Wall: true}, Clock{Starts: every(monday+week, hour, 144), Wall: true}, HalfDays, false, [2]int{10, 12}, false},
		{"a week of a clock without date", Clock{Starts: every(0, hour, 168)}, Clock{Starts: every(monday, hour, 168), Wall: true}, Stretches, false, [2]int{30, 30}, false},
		{"half an hour each", Clock{Starts: every(5, minute/4, 120)}, Clock{Starts: every(7, minute/4, 120)}, Stretches, false, [2]int{30, 30}, false},
		{"long waits", Clock{Starts: every(5, minute/4, 120), HoldNS: 5 * minute}, Clock{Starts: every(7, minute/4, 120)}, Stretches, false, [2]int{6, 30}, true},
		{"two bursts", Clock{Starts: append(every(0, ms, 50), every(day, ms, 50)...)}, Clock{Starts: every(7, minute/4, 120)}, Stretches, false, [2]int{2, 30}, true},
		{"no times", Clock{}, Clock{Starts: every(7, minute, 30)}, NoBlocks, false, [2]int{}, true},
	} {
		b := Cut(c.base, c.new, DefaultRule())
		if b.Kind != c.kind || b.Paired != c.paired || b.N != c.n || (b.Refused != "") != c.refused {
			t.Errorf("%s: %+v", c.name, b)
		}
		if !b.Known() {
			continue
		}
		for s, clock := range []Clock{c.base, c.new} {
			seen := map[int32]bool{}
			for _, k := range b.of(s, append(clock.Starts, -1<<60, 1<<60)) {
				seen[k] = true
				if k < 0 || int(k) >= b.N[s] {
					t.Fatalf("%s: block %d of %d", c.name, k, b.N[s])
				}
			}
			if len(seen) != b.N[s] {
				t.Errorf("%s: %d of %d blocks have requests", c.name, len(seen), b.N[s])
			}
		}
	}
}

// TestNoiseThatLasts measures how far blocks of a day are off on series of a week.
func TestNoiseThatLasts(t *testing.T) {
	mean := func(rho float64) (sum float64) {
		random := rand.New(rand.NewPCG(1, 2))
		for range 200 {
			series := make([]float64, 168)
			level := random.NormFloat64()
			for i := range series {
				level = rho*level + math.Sqrt(1-rho*rho)*random.NormFloat64()
				series[i] = level + .2*random.NormFloat64()
			}
			sum += factorOf(series, memory(series), 24, 7) / 200
		}
		return sum
	}
	for _, c := range []struct{ rho, low, high float64 }{{0, 1, 1.01}, {.7, 1.02, 1.12}, {.95, 1.3, 1.8}} {
		if got := mean(c.rho); got < c.low || got > c.high {
			t.Errorf("correlation %v from hour to hour widens by %v, want %v to %v", c.rho, got, c.low, c.high)
		}
	}
	if got := factorOf(slices.Repeat([]float64{math.NaN()}, 168), .9, 24, 7); got != 1 {
		t.Errorf("nothing known widens by %v", got)
	}
}

// TestATailOfFewTakesTheMemoryOfAll has a figure of few requests, whose noise hides that it
// lasts: it is widened by what all requests show, and only when they show something.
func TestATailOfFewTakesTheMemoryOfAll(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var alone, with, calm float64
	const runs = 200
	for range runs {
		var all, tail, still [sides][]float64
		for s := range sides {
			level := random.NormFloat64()
			for range 168 {
				level = .95*level + math.Sqrt(1-.95*.95)*random.NormFloat64()
				all[s], still[s] = append(all[s], level), append(still[s], random.NormFloat64())
				tail[s] = append(tail[s], level+2*random.NormFloat64())
			}
		}
		b := Blocks{Kind: Days, Paired: true, N: [sides]int{7, 7}}
		alone, with, calm = alone+b.carried(tail)/runs, with+b.carried(tail, all)/runs, calm+b.carried(tail, still)/runs
	}
	if with < 1.2 || with < alone+.1 || math.Abs(calm-alone) > .02 {
		t.Errorf("a tail is widened by %v alone, %v beside noise that lasts and %v beside none", alone, with, calm)
	}
}

// TestIntervalsThatSayNothing: an interval around 1 whose ends differ thirtyfold is left out,
// with the reason; one that leaves 1 out stays.
func TestIntervalsThatSayNothing(t *testing.T) {
	around := func(middle int64) func(int) int64 { return func(i int) int64 { return middle + int64(i*7919%41) - 20 } }
	base, from := flat(1200, 0, around(100))
	for _, c := range []struct {
		name  string
		value func(i int) int64
		none  bool
	}{
		{"one stretch of forty takes a thousand times as long", func(i int) int64 {
			if i/30 == 20 {
				return 100_000
			}
			return around(100)(i)
		}, true},
		{"all take forty times as long", around(4000), false},
	} {
		other, to := flat(1200, 0, c.value)
		r := judged(&base, &other, from, to, DefaultRule())
		p := r.Percentiles[len(r.Percentiles)-1]
		if p.P != stat.P99 || p.Ratio.HasBounds == c.none || c.none && (len(p.Ratio.Warnings) == 0 || p.Outcome != Describes) {
			t.Errorf("%s: %s x%.3g, bounds %v %+v, %s, warnings %v", c.name, p.P, p.Ratio.Value, p.Ratio.HasBounds, p.Ratio.Bounds, p.Outcome, p.Ratio.Warnings)
		}
	}
}
