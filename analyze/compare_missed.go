package analyze

import (
	"github.com/tailpath/tailpath/analyze/change"
	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/ingest/table"
)

// Missed is the share of the requests that missed an objective: broke a limit of any of its
// terms, as [Objective] counts them, by requests and not by what sampling weights say that they
// stand for. One whose limits cannot be asked is in neither share. It is one of the rates of its
// comparison, too.
type Missed struct {
	Objective filter.Objective
	Undefined [2][]Undefined // requests that some limit cannot be asked of
	*change.Rate
}

// missedPrefix is before the objective in the name of a rate.
const missedPrefix = "missed "

// missedBy compares how many requests of the sides missed each objective.
func missedBy(sides [2]sideOf, populations [2]Population, objectives []filter.Objective, o change.Options) []Missed {
	if len(objectives) == 0 {
		return nil
	}
	var asks [2]*asking
	for s, x := range sides {
		asks[s] = newAsking(x.set, x.rows, populations[s], x.opt.ofSide(s), CapacityOptions{Objectives: objectives})
	}
	out := make([]Missed, len(objectives))
	for i, objective := range objectives {
		out[i].Objective = objective
		var events [2]change.Events
		for s, x := range sides {
			events[s], out[i].Undefined[s] = asks[s].misses(objective, x.one)
		}
		out[i].Rate = change.RateOf(missedPrefix+objective.String(), events[change.Base], events[change.New], o)
	}
	return out
}

// misses returns the requests that an objective can be asked of, each with whether it missed it,
// and counts the others by reason. timed says that the requests which ended are on one clock; those
// which did not may be on another.
func (a *asking) misses(o filter.Objective, timed bool) (e change.Events, undefined []Undefined) {
	joint := a.unlimited()
	for _, t := range o.Terms {
		for i, m := range a.meets(t) {
			joint[i] = joint[i].and(m)
		}
	}
	_, undefined = a.count(joint)
	var rows []int32
	for i, m := range joint {
		if m.why == 0 {
			rows, e.Hit = append(rows, a.asked[i]), append(e.Hit, !m.good)
		}
	}
	if timed && oneClock(a.set, rows) {
		e.Start, e.Value = gather(a.set.Requests.Start, rows), gather(a.set.Requests.Duration, rows)
	}
	for i, ns := range e.Value {
		if ns < 0 {
			e.Value[i] = table.Missing
		}
	}
	return e, undefined
}
