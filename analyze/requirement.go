package analyze

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// required holds what the requirements of one set share.
type required struct {
	set    *table.Set
	rows   []int32 // of the population
	of     Population
	kept   func(row int) bool
	beside Beside
}

// Require says of each requirement, see [filter.ParseRequirement], whether the data meet it: the
// outcome is [Passed] when what it says is so, [Failed] when it is not, and [Inconclusive] when
// that cannot be told, by the bounds of the figure as far as it has any. Of the requests that opt
// chooses are n, errors, unattributed, residual, joined and sampling, the last four of those that
// are used; incomplete is of those that its filter keeps. lost, excluded and clock are of all that
// was read. Beside has the offsets of clocks, and whether times were moved by them.
func Require(set *table.Set, beside Beside, list []filter.Condition, opt Options) []Judgement {
	if len(list) == 0 {
		return nil
	}
	opt = opt.filled().on(set)
	q := &required{set: set, beside: beside, kept: opt.kept.holds}
	q.rows, q.of = population(set, opt)
	out := make([]Judgement, len(list))
	for i, c := range list {
		r := Judgement{Condition: c, Outcome: Inconclusive, Unit: unitOf(c.Quantity)}
		q.find(&r)
		switch r.Outcome { // a condition to fail on fails when it is true, and a requirement passes
		case Failed:
			r.Outcome = Passed
		case Passed:
			r.Outcome = Failed
		}
		out[i] = r
	}
	return out
}

// find judges a requirement as if it were a condition to fail on.
func (q *required) find(r *Judgement) {
	switch c := r.Condition; c.Quantity {
	case filter.N:
		r.exact(float64(q.of.N), q.of.N)
	case filter.Incomplete:
		incomplete(q.set, q.kept, r)
	case filter.Errors:
		r.errorRate(q.of.Errors)
	case filter.Unattributed:
		r.exact(q.timeShare(q.set.Requests.Stage[stage.Unattributed]), q.of.N)
	case filter.Residual:
		r.exact(q.timeShare(q.set.Requests.ResidualNS), q.of.N)
	case filter.Lost:
		q.lost(r)
	case filter.Excluded:
		in := conservation(q.set)
		r.ratio(in.Excluded, in.In, "there is no span of a request")
	case filter.Joined:
		j := joining(q.set, q.rows)
		r.ratio(j.Joined, j.Requests, "there is no request to judge")
	case filter.Clock:
		q.clock(r)
	case filter.Sampling:
		q.sampling(r)
	}
}

// timeShare returns the share of a column of times in all time of the requests in use.
func (q *required) timeShare(column []int64) float64 {
	var part, all stat.Sum
	for _, row := range q.rows {
		part.Add(column[row])
		all.Add(q.set.Requests.Duration[row])
	}
	return part.Over(all)
}

// ratio judges n of so many, exactly; none is why there is nothing to judge.
func (r *Judgement) ratio(n, of int64, none string) {
	r.exact(float64(n)/float64(max(of, 1)), of)
	if of == 0 {
		r.Why = none
	}
}

// lost judges the share of rows that are known to be missing. What was lost at places that do not
// tell how many rows they were counts once each, so that the share may be larger.
func (q *required) lost(r *Judgement) {
	var lost, places int64
	for i := range q.set.Quality.Len() {
		switch table.Severity(q.set.Quality.Severity[i]) {
		case table.Error:
			lost += q.set.Quality.Count[i]
		case table.Loss:
			places += q.set.Quality.Count[i]
		}
	}
	rows := int64(q.set.Spans.Len() + q.set.Logs.Len() + q.set.EngineSamples.Len())
	r.ratio(lost+places, rows+lost+places, "no row was read")
	if places > 0 && r.Known {
		r.Why = "of losses of unknown size there are " + fmt.Sprint(places) + ", each counted as a row"
		if r.Outcome == Failed && (r.Condition.Op == filter.Less || r.Condition.Op == filter.LessEqual) {
			r.Outcome = Inconclusive // more may be lost than the limit allows
		}
	}
}

// clock judges how far the clocks of hosts may be apart: by as much as the farthest is ahead or
// behind, and the error of that. Where times were moved by the offsets, it is the error alone.
func (q *required) clock(r *Judgement) {
	r.Method, r.Why = MethodCalls, ""
	var unknown []string
	r.HasLow, r.HasHigh, r.Known = true, true, q.beside.Clock == critical.Raw
	for _, c := range ClockOffsets(q.set, q.beside.Clocks) {
		if c.isReference() {
			continue
		}
		r.N += c.Calls
		bounded := len(c.Stretches) > 0
		for _, s := range c.Stretches {
			if bounded = bounded && s.Known; !s.Known {
				continue
			}
			off := float64(max(s.OffsetNS, -s.OffsetNS))
			if q.beside.Clock != critical.Raw {
				off = 0
			}
			r.Observed = max(r.Observed, off)
			r.Low, r.High = max(r.Low, off-float64(s.ErrorNS)), max(r.High, off+float64(s.ErrorNS))
		}
		if !bounded {
			unknown = append(unknown, c.Clock)
		}
	}
	r.HasHigh = unknown == nil
	others := r.N > 0 || unknown != nil || r.High > 0
	if r.decide(); r.Outcome == Inconclusive {
		r.Why = "the limit lies between the bounds"
	}
	if !others { // one clock is not apart from any other
		r.Known, r.Method, r.HasLow, r.HasHigh = true, MethodExact, false, false
	}
	if unknown != nil {
		r.Known = r.Known && r.Observed > 0
		r.Why = "no call bounds how far off is " + strings.Join(unknown[:min(len(unknown), zonesNamed)], ", ")
		if more := len(unknown) - zonesNamed; more > 0 {
			r.Why += fmt.Sprintf(", nor %d more", more)
		}
	}
}

// sampling judges how the traces were chosen. Where nothing says that any was dropped it may be
// that none was, which is no answer to who asks for that.
func (q *required) sampling(r *Judgement) {
	kind := string(q.of.Sampling.Kind)
	r.N, r.Method, r.Verdict = q.of.N, "rule", kind
	asked := slices.Contains(r.Condition.Words, kind)
	if kind == string(SamplingUnknown) && !asked && r.Condition.Op == filter.Equal {
		r.Why = "nothing says whether traces were dropped"
		return
	}
	if r.Outcome = Passed; asked == (r.Condition.Op == filter.Equal) {
		r.Outcome = Failed
	}
	if kind == string(SamplingSuspected) {
		r.Why = "attribute " + q.of.Sampling.Mark + " shows that a sampler chose among traces"
	}
}
