package analyze

import (
	"cmp"
	"slices"

	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/analyze/tokens"
)

// goodput takes the requests a second that keep every limit of an objective.
func (a *alternates) goodput(id string, o *Objective) Alternative {
	q := a.asking()
	x := Alternative{Unit: unitRequestsS, Counts: OfRequests, Estimate: stat.Estimate{Method: MethodBinom}}
	joint := q.unlimited()
	for _, t := range o.Objective.Terms {
		for i, m := range q.meets(t) {
			joint[i] = joint[i].and(m)
		}
	}
	if id == defGoodputDistServe {
		return q.distServe(joint)
	}
	if x.Undefined = o.NoGoodput; x.Undefined != "" {
		return x
	}
	seconds := q.load.Seconds()
	var s attained
	switch id {
	case defGoodput:
		s, x.Apart = q.onClock(joint)
		x.AtLeast = x.Apart != nil
	default:
		rule := tokens.RuleVLLM
		if id == defGoodputAIPerf {
			rule = tokens.RuleAIPerf
			run := q.answeredRun()
			seconds, x.Words = run.ns().Float()/1e9, run.words()
		}
		served := q.served(o.Objective)
		g := tokens.Judge(limitsOf(o.Objective), served, 0, rule)
		s = attained{n: g.Eligible, good: g.Good, sure: g.Good, might: g.Good}
		for _, u := range g.Ineligible {
			x.Apart, x.AtLeast = append(x.Apart, Undefined(u)), true
		}
		if g.Failed > 0 {
			x.Apart = append(x.Apart, Undefined{"failed, or were given up", g.Failed})
		}
	}
	x.N = s.n
	switch {
	case s.n == 0:
		x.Undefined = "no request could be asked"
		return x
	case seconds <= 0:
		x.Undefined = noTimePassed
		return x
	}
	each := q.perRequest / seconds
	b := s.boundsAt(stat.Confidence)
	x.Value, x.HasBounds = float64(s.good)*each, true
	x.Bounds = stat.Bounds{Low: min(x.Value, b.Low*float64(s.n)*each), High: max(x.Value, b.High*float64(s.n)*each)}
	x.Warnings = independent(stat.Estimate{HasBounds: true}).Warnings
	if q.perRequest != 1 {
		x.Warnings = append(x.Warnings, stat.Warning{ID: UniformWeights, Text: "rates are those of the kept traces times what each stands for, and counts are of kept traces"})
	}
	return x
}

// onClock counts the requests of the load, on its clock, that are good, and those that cannot be
// asked.
func (a *asking) onClock(each []limited) (attained, []Undefined) {
	var s attained
	var without undefinedCounter
	for _, place := range a.places {
		if m := each[place]; m.why != 0 {
			without.count(a.reasons[m.why-1])
		} else {
			s.add(m, 1)
		}
	}
	return s, without.list()
}

// limitsOf returns all limits of an objective as terms of package tokens.
func limitsOf(o filter.Objective) (out []tokens.Term) {
	for _, t := range o.Terms {
		for k := range t.Limits {
			l := &t.Limits[k]
			out = append(out, tokens.Term{Metric: l.Metric, LimitNS: float64(l.NS), Below: l.Below})
		}
	}
	return out
}

// served returns what a tool's record would have of the requests on the clock of the load that
// ended: their values in the order of [limitsOf].
func (a *asking) served(o filter.Objective) []tokens.Served {
	out := make([]tokens.Served, len(a.places))
	for _, t := range o.Terms {
		for k := range t.Limits {
			own := a.ownValues(&t, &t.Limits[k])
			for i, place := range a.places {
				row := a.asked[place]
				var v tokens.Value
				switch s := a.standings[place]; {
				case s == lacksPart:
					v.Undefined = partMissing
				case s != wasAnswered:
				case own != nil:
					v = own(row)
				default:
					ns, why := a.valueOf(t.Limits[k].Metric, row)
					v = tokens.Value{V: float64(ns), Undefined: why}
				}
				out[i].Values = append(out[i].Values, v)
			}
		}
	}
	ended := out[:0]
	for i, place := range a.places {
		if a.standings[place] == notEnded {
			continue
		}
		out[i].Failed = a.standings[place] == hasFailed
		ended = append(ended, out[i])
	}
	return ended
}

// ownValues returns the percentile of a request's own gaps that a limit is of; nil for a limit
// of another metric.
func (a *asking) ownValues(t *filter.ObjectiveTerm, l *filter.MetricLimit) func(row int32) tokens.Value {
	if l.Metric != metricITL {
		return nil
	}
	p := l.P
	if p == (filter.Percent{}) {
		p = t.P
	}
	gaps := map[int32][]int64{}
	for _, s := range a.gaps.streams {
		for _, g := range a.gaps.all[s.from:s.to] {
			gaps[s.request] = append(gaps[s.request], g.ns)
		}
	}
	return func(row int32) tokens.Value {
		if why := a.gaps.lacks(row); why != "" {
			return tokens.Value{Undefined: why}
		}
		own := gaps[row]
		slices.Sort(own)
		return tokens.Value{V: float64(own[max(1, stat.Prob(p).Rank(int64(len(own))))-1])}
	}
}

// answeredRun returns the time of the answered requests on the clock of the load.
func (a *asking) answeredRun() (c contentRun) {
	for _, place := range a.places {
		if a.standings[place] == wasAnswered {
			c.add(a.streams(), a.asked[place])
		}
	}
	return c
}

// distServe takes the rate of arrivals at which nine tenths keep every limit, as the capacity
// is taken.
func (a *asking) distServe(joint []limited) Alternative {
	target := filter.Percent{Num: 9, Den: 10}
	c := a.capacity(filter.ObjectiveTerm{P: target, Joint: true}, joint)
	x := rateWithin(&c, c.Rate, unitRequestsS)
	if a.ask.GPUs > 0 {
		x.Value, x.Unit = c.PerGPU, unitRequestsS+" per GPU"
		if x.Unbounded != "" && !x.AtLeast {
			x.Unbounded += ", of all GPUs"
		}
	}
	x.Method = cmp.Or(x.Method, defGoodputDistServe)
	return x
}
