package main

import (
	"cmp"
	"slices"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/cmd/lab/simulate"
	"github.com/tailpath/tailpath/critical/engine"
)

// hardlyNS is the mean wait of slow requests, in ns, below which a run has no cause of it.
const hardlyNS = 20_000_000

// plantedCause is what slow requests truly waited for, most of their queue time in all:
// those at or above a percentile of the requests that were served. It is empty when they
// hardly waited, and when the simulator itself cannot say.
func plantedCause(c *simulate.Capture, from sources, q stat.Prob) string {
	type served struct {
		t  *simulate.Truth
		ns int64
	}
	var all []served
	for i := range c.Truth {
		if t := &c.Truth[i]; t.Status < 400 && !t.Aborted {
			v := vantageOf(t, from)
			all = append(all, served{t, v.EndNS - v.StartNS})
		}
	}
	slices.SortStableFunc(all, func(a, b served) int { return cmp.Compare(a.ns, b.ns) })
	n := int64(len(all))
	slow := all[max(0, min(n, q.Rank(n)-1)):]
	var waited int64
	sums := map[string]int64{}
	for _, s := range slow {
		for _, cause := range s.t.QueueCausesNS {
			sums[cause.Name] += cause.NS
			waited += cause.NS
		}
	}
	best := ""
	for name, ns := range sums {
		if ns > sums[best] || ns == sums[best] && name < best {
			best = name
		}
	}
	if len(slow) == 0 || waited < hardlyNS*int64(len(slow)) || best == engine.Unknown.String() {
		return ""
	}
	return best
}

// slowCause compares the cause that slow requests of a run waited for most with the
// planted one.
func (s *score) slowCause(c *simulate.Capture, said *analyze.Summary) {
	want := plantedCause(c, s.Sources, said.Queueing.Q)
	if want == "" {
		return
	}
	s.SlowCauses++
	got := engine.Unknown.String()
	if causes := said.Queueing.Slow.Causes; len(causes) > 0 {
		got = causes[0].Cause
	}
	switch got {
	case want:
		s.SlowCauseGood++
		return
	case engine.Unknown.String():
		s.SlowCauseMute++
	}
	s.SlowCauseMisses = append(s.SlowCauseMisses, got+", not "+want)
}
