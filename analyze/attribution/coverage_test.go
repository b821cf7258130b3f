package attribution

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/tailpath/tailpath/analyze/stat"
)

// traffic is a kind of load and whether its requests know nothing of each other.
type traffic struct {
	name        string
	load        load
	independent bool
}

var traffics = []traffic{
	{"independent, no wait", independentLoad{gap: 50 * millisecond}, true},
	{"independent, heavy tail", independentLoad{gap: 50 * millisecond, sigma: .9}, true},
	{"independent, some wait", independentLoad{gap: 20000 * millisecond, wait: 300 * millisecond}, true},
	{"independent, with nights", independentLoad{gap: 20000 * millisecond, wait: 300 * millisecond, night: 150}, true},
	{"one server at .5", queueLoad{rate: .5}, false},
	{"one server at .7", queueLoad{rate: .7}, false},
	{"one server at .8", queueLoad{rate: .8}, false},
	{"one server at .9", queueLoad{rate: .9}, false},
	{"one server at .7, heavy", queueLoad{rate: .7, heavy: true}, false},
	{"four servers at .85", queueLoad{rate: .85, servers: 4}, false},
	{"eight servers at .7", queueLoad{rate: .7, servers: 8}, false},
	{"bursts of 60 in 600", burstLoad{.4, 1.5, 60, 600}, false},
	{"bursts of 200 in 3000", burstLoad{.4, 1.5, 200, 3000}, false},
	{"slow decode, 30 in 300", regimeLoad{30, 300, 2}, false},
	{"slow decode, 300 in 3000", regimeLoad{300, 3000, 2}, false},
	{"two causes, 30 in 300", mixedLoad{30, 300}, false},
	{"two causes, 300 in 3000", mixedLoad{300, 3000}, false},
}

// farTail is the furthest percentile whose tail is large enough.
func farTail(n int) stat.Prob {
	for _, q := range []stat.Prob{stat.P99, stat.P95} {
		if groupsOf(q, int64(n)).tailN(int64(n)) >= leastTail {
			return q
		}
	}
	return stat.P90
}

// tally counts what intervals of captures did.
type tally struct {
	captures, refused int
	covered           int // intervals of the largest part's share that held the truth
	second            int // of the second part's share
	gain              int // of the largest part's gain
	misled            int // captures that were not refused and whose share was missed
}

// truth is what a very long capture says: the two largest parts, and what they are.
type truth struct {
	part  [2]int
	share [2]float64
	gain  float64
}

func truthOf(s *Sample, q stat.Prob) (t truth) {
	r := Of(&Sample{Value: s.Value, Parts: s.Parts}, Options{Q: q, Workers: 2})
	t.part[0], t.part[1] = 0, 1
	for k, p := range r.Parts {
		switch {
		case p.Share.Value > r.Parts[t.part[0]].Share.Value:
			t.part[0], t.part[1] = k, t.part[0]
		case k != t.part[0] && p.Share.Value > r.Parts[t.part[1]].Share.Value:
			t.part[1] = k
		}
	}
	t.share = [2]float64{r.Parts[t.part[0]].Share.Value, r.Parts[t.part[1]].Share.Value}
	t.gain = r.Parts[t.part[0]].Gain.Value
	return t
}

func holds(e stat.Estimate, v float64) bool {
	return e.HasBounds && e.Bounds.Low <= v && v <= e.Bounds.High
}

// measure attributes captures of n requests and compares the intervals with the truth.
func measure(l load, want truth, n, captures, replicates int) (t tally) {
	var lock sync.Mutex
	stat.Replicates(captures, 2, func(_, c int) {
		s := sampleOf(l.requests(rand.New(rand.NewPCG(uint64(c), uint64(n))), n), false)
		r := Of(s, Options{Q: farTail(n), Replicates: replicates, Seed: uint64(c)})
		lock.Lock()
		defer lock.Unlock()
		if t.captures++; r.Blocks.Refused != "" {
			t.refused++
			return
		}
		first := r.Parts[want.part[0]]
		if holds(first.Share, want.share[0]) {
			t.covered++
		} else {
			t.misled++
		}
		if holds(r.Parts[want.part[1]].Share, want.share[1]) {
			t.second++
		}
		if holds(first.Gain, want.gain) {
			t.gain++
		}
	})
	return t
}

// TestCoverage holds the intervals to their word on a small scale, where chance leaves
// room: those of independent requests cover and are hardly ever refused, those of a busy
// queue are refused.
func TestCoverage(t *testing.T) {
	const captures, n = 50, 1000
	for _, c := range traffics {
		if c.name != "independent, some wait" && c.name != "one server at .7" && c.name != "four servers at .85" {
			continue
		}
		long := sampleOf(c.load.requests(rand.New(rand.NewPCG(99, 1)), 100_000), false)
		got := measure(c.load, truthOf(long, farTail(n)), n, captures, 200)
		given := captures - got.refused
		switch {
		case c.independent && (got.refused > 6 || got.covered < given*86/100):
			t.Errorf("%s: %d of %d refused, %d of %d covered", c.name, got.refused, captures, got.covered, given)
		case !c.independent && got.misled > 6:
			t.Errorf("%s: %d of %d misled", c.name, got.misled, captures)
		}
	}
}

// BenchmarkCoverage prints the table that the package comment puts in words. One run
// takes many minutes: go test -bench Coverage -benchtime 1x -run xxx -timeout 1h
func BenchmarkCoverage(b *testing.B) {
	for b.Loop() {
		for _, c := range traffics {
			long := sampleOf(c.load.requests(rand.New(rand.NewPCG(99, 1)), 2_000_000), false)
			known := map[stat.Prob]truth{}
			for _, n := range []int{200, 300, 1000, 2000, 3000, 10000, 30000} {
				captures := 300
				if n > 3000 {
					captures = 150
				}
				want, ok := known[farTail(n)]
				if !ok {
					want = truthOf(long, farTail(n))
					known[farTail(n)] = want
				}
				got := measure(c.load, want, n, captures, 500)
				given := max(1, got.captures-got.refused)
				percent := func(k, of int) float64 { return 100 * float64(k) / float64(of) }
				fmt.Printf("%-26s n %5d %s share %.3f | refused %5.1f %% of %d | covered %5.1f, second %5.1f, gain %5.1f %% of %d | misled %4.1f %%\n",
					c.name, n, farTail(n), want.share[0], percent(got.refused, got.captures), got.captures,
					percent(got.covered, given), percent(got.second, given), percent(got.gain, given), got.captures-got.refused, percent(got.misled, got.captures))
			}
		}
	}
}
