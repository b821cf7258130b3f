package reports

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tailpath/tailpath/analyze"
)

// TimelineIncidents is of how many incidents a timeline tells, unless more are asked for: those in
// which most was waited.
const TimelineIncidents = 5

// A stage is told to have deviated when it has a tenth of the excess of the slow requests, or of all
// where these are too few, and 90 % of its excess fell into less than a third of the time: else it
// was so all the time, as far as chance lets one say.
const (
	leastDeviating = 0.1
	mostDeviating  = 1.0 / 3
)

// timeline lists what happened when, the first first: incidents of the queue, the first request
// that missed each objective, and the stage that deviated first.
func (r Run) timeline(q *Queue, a analyze.Report) []Moment {
	out := []Moment{}
	add := func(at int64, what string) { out = append(out, Moment{AtNS: at, At: instant(a.Clock, at), What: what}) }
	for _, in := range q.When.MostWaited(r.mostIncidents(len(q.When.Incidents), TimelineIncidents)) {
		onset := "onset: more requests wait in the queue than in quiet"
		if in.Begun {
			onset = "more requests wait in the queue than in quiet when the capture begins"
		}
		add(in.OnsetNS, onset)
		add(in.PeakNS, fmt.Sprintf("peak: %s wait at once", plural(in.Depth, "request")))
		recovery := fmt.Sprintf("recovery: the queue is as in quiet again, after %s that waited %s on average", plural(in.Hit, "request"), Duration(in.MeanNS))
		if !in.Recovered {
			recovery = "requests still wait in the queue when the capture ends"
		}
		add(in.RecoveryNS, recovery)
	}
	for _, m := range a.FirstMissed {
		if m.Known {
			add(m.AtNS, fmt.Sprintf("the first request that misses %s begins (%s)", m.Objective, requestRef(m.Request).TraceID))
		}
	}
	if b := firstDeviating(a); b != nil {
		add(b.From, fmt.Sprintf("the first stage to deviate: 90 %% of the excess of %s is of requests that begin from here on, within %s",
			partName(b.Stage.String(), b.Detail), Period(b.To-b.From)))
	}
	slices.SortStableFunc(out, func(x, y Moment) int { return cmp.Or(cmp.Compare(x.AtNS, y.AtNS), cmp.Compare(x.What, y.What)) })
	return out
}

// firstDeviating returns the bottleneck whose excess rises first; nil when none rises.
func firstDeviating(a analyze.Report) (first *analyze.Bottleneck) {
	for i, b := range a.Bottlenecks {
		share := a.Share(b)
		if a.Enough {
			share = a.SlowShare(b)
		}
		if share >= leastDeviating && confined(a, b) && (first == nil || b.From < first.From) {
			first = &a.Bottlenecks[i]
		}
	}
	return first
}

// confined reports whether most of a bottleneck falls into a part of the time.
func confined(a analyze.Report, b analyze.Bottleneck) bool {
	return b.Timed && float64(b.To-b.From) < mostDeviating*float64(a.To-a.From)
}

// impact says whom it hit, and how hard.
func impact(s *Summary, a analyze.Report) Impact {
	e := s.Population.ErrorRate
	out := Impact{Over: []Over{}, Excess: a.Late.Float() / 1e9, Requests: e.Of, Failed: e.N, GivenUp: e.Aborted, UserField: a.Users.Field}
	for _, o := range s.Objectives {
		one := Over{Objective: o.Objective, Missed: o.Asked - o.Good, Asked: o.Asked}
		if b := budgetOf(o, a); b != nil {
			one = *b
		}
		for _, m := range a.FirstMissed {
			if m.Known && m.Objective.String() == o.Objective {
				one.FirstNS = &m.AtNS
			}
		}
		out.Over = append(out.Over, one)
	}
	if a.Users.Known {
		out.UsersOf = &a.Users.Of
		if len(s.Objectives) > 0 || a.Enough { // else no request is called slow
			out.Users = &a.Users.Hit
		}
	}
	return out
}
