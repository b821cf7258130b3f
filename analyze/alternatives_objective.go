package analyze

import (
	"cmp"
	"fmt"
	"math"

	"github.com/tailpath/tailpath/analyze/capacity"
	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/analyze/tokens"
)

// noObjective is why figures of objectives are missing.
const noObjective = "no objective was given"

// byObjective takes the figures of every objective by a definition.
func (a *alternates) byObjective(d Definition) (out []Alternative) {
	for i := range a.capacity.Objectives {
		o := &a.capacity.Objectives[i]
		list := []Alternative(nil)
		switch d.Metric {
		case ofGoodput:
			list = []Alternative{a.goodput(d.ID, o)}
		case ofAttainment:
			list = a.attainment(d.ID, o)
		case ofCapacity:
			list = []Alternative{carriedWithin(d.ID, o)}
		case ofFluidity:
			list = a.fluidity(d.ID, o)
		}
		for _, x := range list {
			x.Of = cmp.Or(x.Of, o.Objective.String())
			out = append(out, x)
		}
	}
	if out == nil {
		out = []Alternative{{Undefined: noObjective}}
	}
	return out
}

// boundsAt returns the bounds of a share that hold with some confidence each, as
// [attained.estimate] has those of 95 %.
func (s *attained) boundsAt(confidence float64) stat.Bounds {
	if s.n == 0 {
		return stat.Bounds{Low: 0, High: 1}
	}
	sure, might, worthSure, worthMight := s.sure, s.might, s.n, s.n
	if s.weighted {
		sure, worthSure = s.worth(func(m limited) bool { return m.sure }, false)
		might, worthMight = s.worth(func(m limited) bool { return m.might }, true)
	}
	return stat.Bounds{Low: stat.ClopperPearsonLower(sure, worthSure, confidence), High: stat.ClopperPearsonUpper(might, worthMight, confidence)}
}

// worth returns how many requests of equal weight the share for which something holds is worth,
// and of how many; whole numbers below, or above when up is true.
func (s *attained) worth(holds func(m limited) bool, up bool) (good, of int64) {
	const rounding = 1e-6 // of products whose exact value is whole
	part, of := s.part(holds)
	if up {
		return int64(math.Ceil(float64(part*float64(of)) - rounding)), of
	}
	return int64(math.Floor(float64(part*float64(of)) + rounding)), of
}

// earlyStopping is the confidence of MLPerf's bounds, each.
const earlyStopping = 0.99

// attainment judges every term by itself.
func (a *alternates) attainment(id string, o *Objective) (out []Alternative) {
	for i := range o.Terms {
		t := &o.Terms[i]
		x := Alternative{Of: t.Term.String(), Counts: t.Of, Estimate: t.Attainment, Outcome: t.Outcome, Apart: t.Undefined}
		x.Unbounded = unboundedBy(x.Estimate)
		p := stat.Prob(t.Term.P)
		switch {
		case x.N == 0:
			x.Undefined = "nothing can be asked"
		case id == defAttainmentPoint:
			x.HasBounds, x.Bounds, x.Warnings, x.Unbounded = false, stat.Bounds{}, nil, "a point estimate: how far chance may have it off is not asked"
			// By nearest rank a percentile keeps its limit when so many do.
			if x.Outcome = tokens.Fail; x.Value >= p.Float() {
				x.Outcome = tokens.Pass
			}
		case id == defAttainmentMLPerf && pooledGaps(t.Term):
			x.Undefined = "the bounds are of independent requests, and gaps of one request are alike"
		case id == defAttainmentMLPerf && x.HasBounds:
			x.Bounds = a.earlyStopping(t.Term)
			x.Outcome = decided(x.Estimate, p)
		}
		if x.Undefined != "" {
			x.Outcome = tokens.Inconclusive
		}
		out = append(out, x)
	}
	return out
}

// earlyStopping returns the bounds of a term as MLPerf would have them. The lower one of a
// percentile holds also with those counted as bad that had not ended and have broken the limit.
func (a *alternates) earlyStopping(t filter.ObjectiveTerm) stat.Bounds {
	q := a.asking()
	if t.Joint || len(t.Limits) != 1 {
		s, _ := q.count(q.meets(t))
		return s.boundsAt(earlyStopping)
	}
	s, _ := q.measured(t.Limits[0])
	b := s.boundsAt(earlyStopping)
	if worst := q.withOpen(s, &t.Limits[0]); worst.open > 0 {
		b.Low = min(b.Low, worst.boundsAt(earlyStopping).Low)
	}
	return b
}

// unboundedBy says why an estimate has no bounds.
func unboundedBy(e stat.Estimate) string {
	if e.HasBounds {
		return ""
	}
	for _, w := range e.Warnings {
		if w.ID == NoInterval {
			return w.Text
		}
	}
	return "nothing bounds it"
}

// BiasedHigh is the id of the warning that a capacity is more than the system carries.
const BiasedHigh = "biased-high"

// carriedWithin takes the capacity within an objective.
func carriedWithin(id string, o *Objective) Alternative {
	if id == defCapacity {
		return rateWithin(&o.Capacity, o.Capacity.Rate, unitRequestsS)
	}
	x := Alternative{Unit: unitRequestsS, Counts: countsWindows, Unbounded: "it is the highest of many windows, and says nothing of the next", Estimate: stat.Estimate{Method: defMaxPassing}}
	if len(o.Terms) == 0 {
		x.Undefined = "the objective has no terms"
		return x
	}
	for i := range o.Terms {
		if why := o.Terms[i].Capacity.Refused; why != "" {
			x.Undefined = why
			return x
		}
	}
	windows := o.Terms[0].Capacity.Windows
	most := 0.0
	for i := range windows {
		w := &windows[i]
		if w.LeftOut == capacity.AtEdge || w.LeftOut == capacity.AtGap {
			continue // it is recorded in part, so its rate is not known
		}
		x.N++
		most = max(most, w.Rate)
		if w.Rate > x.Value && allPass(o.Terms, i) {
			x.Value = w.Rate
		}
	}
	switch {
	case x.N == 0:
		x.Undefined = "no window is whole"
	case x.Value == 0:
		x.Undefined = fmt.Sprintf("none of %s keeps it", plural(x.N, "window"))
	default:
		x.Words = fmt.Sprintf("the highest rate of all is %.4g", most)
		x.Warnings = []stat.Warning{{ID: BiasedHigh, Text: "chance lets some windows of a rate that fails pass: in simulation this was 6 % too high with windows of 60 s, and up to 16 % with 10 s"}}
	}
	return x
}

// allPass says that a share as large as is wanted was good in a window, by every term.
func allPass(terms []ObjectiveTerm, window int) bool {
	for i := range terms {
		if c := &terms[i].Capacity; window >= len(c.Windows) {
			return false
		} else if w := &c.Windows[window]; w.Eligible == 0 || w.Good < max(1, c.Target.Rank(w.Eligible)) {
			return false
		}
	}
	return true
}

// rateWithin makes a figure of what was carried.
func rateWithin(c *ObjectiveCapacity, rate float64, unit string) Alternative {
	x := Alternative{Unit: unit, Counts: countsWindows, Estimate: stat.Estimate{Value: rate, Method: c.Method}, AtLeast: c.Kind == capacity.NotReached}
	x.Warnings = c.Warnings
	for i := range c.Windows {
		if c.Windows[i].LeftOut == capacity.Kept {
			x.N++
		}
	}
	switch {
	case c.Refused != "":
		x.Undefined = c.Refused
	case c.Kind != capacity.Reached && c.Kind != capacity.NotReached:
		x.Undefined = cmp.Or(c.Text, "it cannot be told")
	case x.AtLeast:
		x.Unbounded = "the limit was not reached"
	default:
		x.Unbounded = fmt.Sprintf("it is a lower bound; %.4g pass and %.4g fail", c.Pass, c.Fail)
	}
	return x
}
