package analyze

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical/stage"
)

// keptSlow are what a sampler leaves of 100,000 requests of 1 ms to 1000 ms, one in a
// hundred of which takes two seconds more in the queue: all of those, and a few of the others.
func keptSlow(seed uint64, keep float64) (kept []given, p99 int64) {
	random := rand.New(rand.NewPCG(seed, 7))
	var all []int64
	for i := range 100_000 {
		g := given{id: uint64(i), start: int64(i) * 10 * ms, times: times(stage.GPU, int(1+random.Int64N(1000))*int(ms)), weight: 1}
		if slow := i%100 == 99; slow {
			g.times[stage.Queue] = 2000 * ms
		} else {
			g.weight = 1 / keep
		}
		all = append(all, g.duration())
		if g.weight == 1 || random.Float64() < keep {
			kept = append(kept, g)
		}
	}
	slices.Sort(all)
	return kept, stat.NearestRank(all, stat.P99)
}

// TestGatesOfWeightedSamplesAreOfAllRequests: a sampler that keeps what is slow makes the
// percentiles of kept traces long, and gates judge those of all requests.
func TestGatesOfWeightedSamplesAreOfAllRequests(t *testing.T) {
	kept, p99 := keptSlow(1, 0.02)
	set := tables(kept)
	for text, want := range map[string]Outcome{"p99(e2e) > 2500ms": Passed, "p95(e2e) > 1500ms": Passed, "p99(e2e) > 900ms": Failed, "p50(e2e) > 300ms": Failed} {
		got := judged(t, set, Options{}, text)
		if got.Outcome != want || got.Why != allRequests || got.Method != MethodWeighted || got.N != int64(len(kept)) {
			t.Errorf("%s: %+v", text, got)
		}
	}
	if p99 > 1500*ms {
		t.Fatalf("the p99 of all is %d", p99)
	}
	if open := judged(t, set, Options{}, fmt.Sprintf("p99(e2e) > %dns", p99)); open.Outcome != Inconclusive || !strings.HasPrefix(open.Why, allRequests+": ") {
		t.Errorf("a limit that is the p99: %+v", open)
	}
	if few := judged(t, set, Options{}, "p99.9(e2e) < 5s"); few.Outcome == Passed || few.HasHigh && few.Known {
		t.Errorf("p99.9 of few: %+v", few)
	}
	// Without a weight on some, or without any but with marks, figures are those of kept traces.
	kept[0].weight = 0
	for _, text := range []string{"p99(e2e) > 900ms", "share(queue) > 50%", "share(queue, p90-100) > 5%", "unattributed > 5%", "errors > 50%", "verdict(queue) = dominates", "p50(e2e) > 5s"} {
		if got := judged(t, tables(kept), Options{}, text); !strings.HasPrefix(got.Why, keptTraces) || strings.Contains(got.Why, allRequests) {
			t.Errorf("weights of some: %s: %+v", text, got)
		}
	}
	if got := judged(t, tables(kept), Options{}, "n > 5"); got.Why != "" {
		t.Errorf("a number of traces: %+v", got)
	}
}

// TestSharesOfWeightedSamples: the share of a stage is that of all requests where their
// weights tell, also where the interval describes them alone; else it says of which it is.
func TestSharesOfWeightedSamples(t *testing.T) {
	kept, _ := keptSlow(2, 0.05)
	s := Summarize(tables(kept), Options{Replicates: 50})
	if s.Duration.ForAll == nil || s.Duration.ForAll.Attribution == nil {
		t.Fatalf("%+v", s.Duration.ForAll)
	}
	got := Judge(tables(kept), &s, conditions(t, "share(queue) > 50%"), Options{Replicates: 50})[0]
	if e := s.Duration.ForAll.Attribution.Parts[stage.Queue].Share; !got.Known || got.Observed != e.Value || got.N != s.Duration.ForAll.Tail.N || !strings.HasPrefix(got.Why, allRequests) {
		t.Errorf("%+v, and for all requests it is %v", got, e)
	}
	s.Duration.ForAll = &ForAll{Refused: "too few"}
	got = Judge(tables(kept), &s, conditions(t, "share(queue) > 50%"), Options{Replicates: 50})[0]
	if !strings.HasPrefix(got.Why, "among kept traces; of all requests it cannot be said: too few") {
		t.Errorf("%+v", got)
	}
}

// TestEqualWeightsAreNone: requests that all stand for as many are judged by the bounds of
// requests without weights.
func TestEqualWeightsAreNone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var requests []given
		for i := range rapid.IntRange(1, 500).Draw(t, "n") {
			requests = append(requests, given{id: uint64(i), times: times(stage.GPU, rapid.IntRange(1, 30).Draw(t, "ns"))})
		}
		plain := Judge(tables(requests), &Summary{}, conditions(t, "p90(e2e) > 20ns"), Options{})[0]
		weight := rapid.Float64Range(0.5, 100).Draw(t, "weight")
		for i := range requests {
			requests[i].weight = weight
		}
		s := Summary{Population: Population{Sampling: Sampling{Kind: SamplingWeighted}}}
		got := Judge(tables(requests), &s, conditions(t, "p90(e2e) > 20ns"), Options{})[0]
		if got.Outcome != plain.Outcome || got.HasLow != plain.HasLow || got.HasHigh != plain.HasHigh || got.Low != plain.Low || got.High != plain.High {
			t.Fatalf("%+v with weights of %g, %+v without", got, weight, plain)
		}
	})
}

// TestWeightedBoundsHold: of many samples of one traffic no more than one in twenty has a
// bound of a percentile on the wrong side, as near as chance lets that be told.
func TestWeightedBoundsHold(t *testing.T) {
	if raceEnabled {
		t.Skip("one goroutine at work for long")
	}
	const runs = 120
	for _, keep := range []struct {
		name string
		of   func(ns int64) float64
	}{
		{"slow ones", func(ns int64) float64 {
			if ns > 3000 {
				return 1
			}
			return 0.05
		}},
		{"fast ones", func(ns int64) float64 {
			if ns > 3000 {
				return 0.1
			}
			return 0.5
		}},
	} {
		for _, p := range []stat.Prob{stat.P50, stat.P95} {
			truth := int64(-1000 * math.Log(1-p.Float()))
			low, high := 0, 0
			random := rand.New(rand.NewPCG(3, 4))
			for range runs {
				var requests []given
				for i := range 2500 {
					ns := int64(1000 * random.ExpFloat64())
					if k := keep.of(ns); random.Float64() < k {
						requests = append(requests, given{id: uint64(i), times: times(stage.GPU, int(ns)), weight: 1 / k})
					}
				}
				s := Summary{Population: Population{Sampling: Sampling{Kind: SamplingWeighted}}}
				got := Judge(tables(requests), &s, conditions(t, p.String()+"(e2e) > 1ns"), Options{})[0]
				if got.HasLow && got.Low > float64(truth+1) {
					low++
				}
				if got.HasHigh && got.High < float64(truth) {
					high++
				}
			}
			const most = 0.05*runs + 3*2.4 // three standard deviations
			if float64(low) > most || float64(high) > most {
				t.Errorf("%s kept: of %d bounds of %s %d lower and %d upper ones are wrong", keep.name, runs, p, low, high)
			}
		}
	}
}
