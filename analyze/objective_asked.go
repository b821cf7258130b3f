package analyze

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/tailpath/tailpath/analyze/capacity"
	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/ingest/table"
)

// asking holds what the objectives of one set share.
type asking struct {
	set        *table.Set
	opt        Options
	ask        CapacityOptions
	rows       []int32 // of the population
	sampling   Sampling
	asked      []int32            // rows of the load, of whatever clock
	standings  []standing         // of each of them
	ended      int                // how many of them did, with all parts recorded
	askedFrom  Sampling           // of these
	unit       float64            // of weights
	last       map[timebase]int64 // last instants; nil where every request has ended
	firstToken bool               // some request has a first token
	load       Load
	base       timebase
	gaps       ownGaps
	reasons    []string // for which a limit cannot be asked, by number less 1
	numbers    map[string]uint16
	requests   []capacity.Request // on the clock of the load, for every term to fill in
	places     []int32            // in asked of each of them
	loadRows   []int32            // of the requests table
	loadFrom   Sampling
	elsewhere  int64                     // requests of other clocks
	outputs    struct{ known, of int64 } // requests that ended, and those of them with a count of output tokens
	noRate     string
	lengths    LengthMix
	perRequest float64   // how many requests each stands for
	taken      *measured // nil until a measure by another definition is asked for
}

// limited says what became of limits in one request.
type limited struct {
	good bool
	// sure says that they are met however far off the record may be, and might that they may be.
	sure, might bool
	why         uint16 // number of the reason for which they cannot be asked; 0 when they can
}

// bad says that the limits are broken, whatever else is not known.
func (m limited) bad() bool { return m.why == 0 && !m.might }

// and says what became of two sets of limits together. What breaks one of them is bad, also
// where another cannot be asked.
func (m limited) and(n limited) limited {
	if m.bad() || n.bad() {
		return limited{}
	}
	return limited{m.good && n.good, m.sure && n.sure, m.might && n.might, cmp.Or(m.why, n.why)}
}

func newAsking(set *table.Set, rows []int32, population Population, opt Options, ask CapacityOptions) *asking {
	a := &asking{set: set, opt: opt, ask: ask, rows: rows, sampling: population.Sampling, numbers: map[string]uint16{}, load: load(set, opt)}
	a.gatherAsked()
	a.gaps = a.gather()
	a.gatherLoad()
	return a
}

// onBase says that the times of a request can be set against those of the load.
func (a *asking) onBase(row int32) bool {
	return a.base.clock != table.ClockNone && timebaseOf(a.set, int(row)) == a.base
}

// number returns that of a reason.
func (a *asking) number(reason string) uint16 {
	n, known := a.numbers[reason]
	if !known {
		a.reasons = append(a.reasons, reason)
		n = uint16(len(a.reasons))
		a.numbers[reason] = n
	}
	return n
}

// within says whether a value keeps a limit.
func within(l *filter.MetricLimit, ns int64) bool { return ns < l.NS || ns == l.NS && !l.Below }

// valueOf returns the metric of a request in ns, or why it has none. It is none of itl.
func (a *asking) valueOf(metric string, row int32) (ns int64, why string) {
	req := &a.set.Requests
	ttft := req.TTFT[row]
	switch {
	case metric == metricE2E:
		return req.Duration[row], ""
	case metric == metricTTFT && ttft == table.Missing:
		return 0, "no first token recorded"
	case metric == metricTTFT && (ttft < 0 || !addsUp(&req.TTFTStage, int(row), ttft)):
		return 0, "stage times do not add up to the time to first token"
	case metric == metricTTFT:
		return ttft, ""
	case metric == metricTPOT:
		return tpotOf(req, row)
	}
	return valueOfMeasure(a.streams(), metric, row)
}

// streams returns what events tell of the answers.
func (a *asking) streams() *measured {
	if a.taken == nil {
		a.taken = newMeasured(a.set)
	}
	return a.taken
}

// compare says whether the value of a metric keeps a limit.
func (a *asking) compare(l *filter.MetricLimit, row int32, ns int64) limited {
	good := within(l, ns)
	m := limited{good: good, sure: good, might: good}
	if off := a.farOff(l.Metric, row); off > 0 {
		m.sure = good && off <= l.NS-ns && within(l, ns+off)
		m.might = good || within(l, max(0, ns-off))
	}
	return m
}

// farOff returns how far off, in ns, the metric of a request may be by the resolution of its
// record. A time per output token is off by a part of that: the tokens divide it.
func (a *asking) farOff(metric string, row int32) int64 {
	req := &a.set.Requests
	switch metric {
	case metricE2E:
		return max(0, req.DurationError[row])
	case metricTTFT:
		return max(0, req.Resolution[row])
	case metricTPOT:
		between := max(1, req.OutputTokens[row]-1)
		off := max(0, req.Resolution[row])
		if off%between > 0 {
			return off/between + 1
		}
		return off / between
	}
	return 0
}

// meets says what became of a term in each request that is asked.
func (a *asking) meets(t filter.ObjectiveTerm) []limited {
	out := a.unlimited()
	for k := range t.Limits {
		l := &t.Limits[k]
		if l.Metric == metricITL {
			p := l.P
			if p == (filter.Percent{}) {
				p = t.P
			}
			a.ownMeets(l, stat.Prob(p), out)
			continue
		}
		for i, row := range a.asked {
			switch a.standings[i] {
			case wasAnswered:
				ns, why := a.valueOf(l.Metric, row)
				if why != "" {
					out[i] = out[i].and(limited{why: a.number(l.Metric + ": " + why)})
					continue
				}
				out[i] = out[i].and(a.compare(l, row, ns))
			case notEnded:
				if a.broke(l, row) {
					out[i] = limited{}
				}
			}
		}
	}
	return out
}

// count counts the requests that are good, and those that cannot be asked.
func (a *asking) count(each []limited) (attained, []Undefined) {
	s := attained{weighted: a.askedFrom.Kind == SamplingWeighted, kept: a.askedFrom}
	var without undefinedCounter
	for i, m := range each {
		if m.why != 0 {
			without.count(a.reasons[m.why-1])
			continue
		}
		if a.standings[i] == notEnded {
			s.open++
		}
		s.add(m, a.weight(a.asked[i]))
	}
	return s, without.list()
}

// measured compares a metric with its limit in the requests of the population.
func (a *asking) measured(l filter.MetricLimit) (s attained, undefined []Undefined) {
	s = attained{weighted: a.sampling.Kind == SamplingWeighted, kept: a.sampling}
	var without undefinedCounter
	for _, row := range a.rows {
		ns, why := a.valueOf(l.Metric, row)
		if why != "" {
			without.count(why)
			continue
		}
		s.add(a.compare(&l, row, ns), a.weight(row))
	}
	return s, without.list()
}

// observed returns the percentile of a metric of the requests of the population, as wide as the
// resolution of their records makes it.
func (a *asking) observed(metric string, p stat.Prob) stat.Quantile {
	if a.sampling.Kind == SamplingWeighted {
		var list []weighed
		for _, row := range a.rows {
			if ns, why := a.valueOf(metric, row); why == "" {
				list = append(list, weighed{ns, a.weight(row)})
			}
		}
		return weightedQuantile(list, p)
	}
	sorted := make([]int64, 0, len(a.rows))
	var far *farOff
	for _, row := range a.rows {
		ns, why := a.valueOf(metric, row)
		if why != "" {
			continue
		}
		off := a.farOff(metric, row)
		if off > 0 && far == nil {
			far = &farOff{slices.Clone(sorted), slices.Clone(sorted)} // which are exact
		}
		if sorted = append(sorted, ns); far == nil {
			continue
		}
		longest := int64(math.MaxInt64)
		if ns <= math.MaxInt64-off {
			longest = ns + off
		}
		far.shortest, far.longest = append(far.shortest, min(ns, max(0, ns-off))), append(far.longest, longest)
	}
	slices.Sort(sorted)
	q := stat.QuantileOf(sorted, p)
	if far != nil {
		slices.Sort(far.shortest)
		slices.Sort(far.longest)
	}
	far.widen(&q)
	return q
}

// weightedQuantile returns a percentile of weighted values, which nothing bounds.
func weightedQuantile(list []weighed, p stat.Prob) stat.Quantile {
	slices.SortFunc(list, func(a, b weighed) int { return cmp.Or(cmp.Compare(a.ns, b.ns), cmp.Compare(a.weight, b.weight)) })
	values, weights := make([]int64, len(list)), make([]float64, len(list))
	for i, w := range list {
		values[i], weights[i] = w.ns, w.weight
	}
	w := stat.WeightedQuantileOf(values, weights, p)
	q := stat.Quantile{P: p, N: w.N, Method: stat.MethodWeighted, Known: w.Known, Rank: w.Rank, Value: w.Value, Need: w.Need}
	if !w.Known {
		q.Warnings = []stat.Warning{{ID: stat.TooFew, Text: fmt.Sprintf("%s needs at least %d values of equal weight and these are worth %.0f", p, w.Need, w.Effective)}}
	}
	return q
}
