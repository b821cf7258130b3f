package simulate

import (
	"cmp"
	"os"
	"slices"
	"testing"
)

// excess is the tail excess of a capture: the mean of every stage and detail over
// the requests from quantile q on, minus its mean over the middle fifth, in ns.
type excess struct {
	total  float64
	stage  map[string]float64
	detail map[string]float64
}

func tailExcess(truth []Truth, q float64) excess {
	sorted := slices.Clone(truth)
	slices.SortFunc(sorted, func(a, b Truth) int {
		return cmp.Or(cmp.Compare(a.EndNS-a.StartNS, b.EndNS-b.StartNS), cmp.Compare(a.TraceID, b.TraceID))
	})
	n := float64(len(sorted))
	e := excess{stage: make(map[string]float64), detail: make(map[string]float64)}
	add := func(band []Truth, sign float64) {
		w := sign / float64(len(band))
		for _, t := range band {
			for i, ns := range t.StagesNS {
				e.stage[StageNames[i]] += w * float64(ns)
				e.total += w * float64(ns)
			}
			for _, d := range t.DetailsNS {
				e.detail[d.Name] += w * float64(d.NS)
			}
		}
	}
	add(sorted[int(n*q):], 1)
	add(sorted[int(n*0.4):int(n*0.6)], -1)
	return e
}

// largest is the label with the most excess, and its share of the total.
func (e excess) largest(of map[string]float64) (string, float64) {
	best := ""
	for name, ns := range of {
		if best == "" || ns > of[best] || (ns == of[best] && name < best) {
			best = name
		}
	}
	return best, of[best] / e.total
}

// causeSeeds is how many seeds are tried on the default server, and otherSeeds on
// each other one.
const (
	causeSeeds = 5
	otherSeeds = 2
)

func TestPlantedCauseIsTheLargestPartOfTheTail(t *testing.T) {
	// All seeds where TAILPATH_WHOLE is set, as the checks of the repository do; otherwise one.
	whole := os.Getenv("TAILPATH_WHOLE") != ""
	for i, sc := range Scenarios() {
		if sc.Cause == nil {
			continue
		}
		for _, server := range serversOf(sc) {
			seeds := uint64(otherSeeds)
			if server == VLLM {
				seeds = causeSeeds
			}
			if i >= 5 { // variations of the first
				seeds = (seeds + 1) / 2
			}
			if !whole {
				seeds = 1
			}
			for seed := uint64(1); seed <= seeds; seed++ {
				c := mustRun(t, sc, seed, Options{Server: server})
				cause := sc.CauseOn(server)
				e := tailExcess(c.Truth, 0.95)
				if stage, share := e.largest(e.stage); stage != cause.Stage || share < 0.5 {
					t.Errorf("%s on %s, seed %d: tail excess is mostly %s (%.0f %%), planted is %s",
						sc.Name, server, seed, stage, 100*share, cause.Stage)
				}
				if detail, share := e.largest(e.detail); detail != cause.Key() {
					t.Errorf("%s on %s, seed %d: tail excess is mostly %s (%.0f %%), planted is %s",
						sc.Name, server, seed, detail, 100*share, cause.Key())
				}
				if server != VLLM {
					continue
				}
				far := tailExcess(c.Truth, 0.99)
				if detail, share := far.largest(far.detail); detail != cause.Key() {
					t.Errorf("%s on %s, seed %d: excess beyond p99 is mostly %s (%.0f %%), planted is %s",
						sc.Name, server, seed, detail, 100*share, cause.Key())
				}
			}
		}
	}
}

func TestNothingDominatesTheHealthyTail(t *testing.T) {
	sc, err := Lookup("healthy")
	if err != nil {
		t.Fatal(err)
	}
	for seed := uint64(1); seed <= causeSeeds; seed++ {
		e := tailExcess(mustRun(t, sc, seed, Options{}).Truth, 0.95)
		if stage, share := e.largest(e.stage); share >= 0.5 {
			t.Errorf("seed %d: %s has %.0f %% of the tail excess", seed, stage, 100*share)
		}
	}
}

// TestWaitingComesFromLoad changes nothing but the arrival rate.
func TestWaitingComesFromLoad(t *testing.T) {
	mean := func(server Server, perSecond float64) float64 {
		sc, err := Lookup("healthy")
		if err != nil {
			t.Fatal(err)
		}
		sc.Load.Phases = []Phase{{Share: 1, PerSecond: perSecond}}
		sum := 0.0
		c := mustRun(t, sc, 1, Options{Server: server})
		for _, x := range c.Truth {
			sum += float64(x.DetailsNS.Get("queue/engine"))
		}
		return sum / float64(len(c.Truth)) / float64(ms)
	}
	for _, server := range Servers() {
		idle, busy, over := mean(server, 2), mean(server, 14), mean(server, 120)
		if !(idle < busy && busy < over) {
			t.Errorf("%s: mean queue %.1f, %.1f, %.1f ms at 2, 14 and 120 requests per second", server, idle, busy, over)
		}
		if over < 1000 {
			t.Errorf("%s: mean queue of only %.1f ms far beyond capacity", server, over)
		}
	}
}
