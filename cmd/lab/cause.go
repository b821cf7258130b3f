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

// slowWaits are the slow requests of a run, those at or above a percentile of the requests
// that were served, and what they truly waited for.
type slowWaits struct {
	rows  map[int]bool // indices into Capture.Truth
	cause string       // of most of their queue time in all; see plantedCause
	ns    int64        // that cause's, of all of them
}

// plantedCause is what slow requests truly waited for, most of their queue time in all. The
// cause is empty when they hardly waited, and when the simulator itself cannot say.
func plantedCause(c *simulate.Capture, from sources, q stat.Prob) slowWaits {
	type served struct {
		row int
		ns  int64
	}
	var all []served
	for i := range c.Truth {
		if t := &c.Truth[i]; t.Status < 400 && !t.Aborted {
			v := vantageOf(t, from)
			all = append(all, served{i, v.EndNS - v.StartNS})
		}
	}
	slices.SortStableFunc(all, func(a, b served) int { return cmp.Compare(a.ns, b.ns) })
	n := int64(len(all))
	slow := slowWaits{rows: map[int]bool{}}
	var waited int64
	sums := map[string]int64{}
	for _, s := range all[max(0, min(n, q.Rank(n)-1)):] {
		slow.rows[s.row] = true
		for _, cause := range c.Truth[s.row].QueueCausesNS {
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
	if len(slow.rows) > 0 && waited >= hardlyNS*int64(len(slow.rows)) && best != engine.Unknown.String() {
		slow.cause, slow.ns = best, sums[best]
	}
	return slow
}

// slowCause compares the cause that slow requests of a run waited for most with the
// planted one. Of runs whose sources cannot tell the cause, only a wrong one is a miss.
func (s *score) slowCause(c *simulate.Capture, said *analyze.Summary) {
	slow := plantedCause(c, s.Sources, said.Queueing.Q)
	want := slow.cause
	if want == "" {
		return
	}
	s.SlowCauses++
	got := engine.Unknown.String()
	if causes := said.Queueing.Slow.Causes; len(causes) > 0 {
		got = causes[0].Cause
	}
	if why := slow.untold(c, s.Sources); why != "" && (got == want || got == engine.Unknown.String()) {
		s.SlowCauseOpen++
		s.SlowCauseOpens = append(s.SlowCauseOpens, got+", planted "+want+": "+why)
		return
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
