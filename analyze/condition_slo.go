package analyze

import (
	"cmp"
	"fmt"

	"github.com/tailpath/tailpath/analyze/capacity"
	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/analyze/stat"
)

// notAsked says of a condition that its objective is none of those that were asked.
const notAsked = "its objective was not asked"

// objectiveOf returns the objective that a condition is about; nil when it was not asked.
func objectiveOf(c filter.Condition, objectives []Objective) *Objective {
	asked := make([]filter.Objective, len(objectives))
	for i := range objectives {
		asked[i] = objectives[i].Objective
	}
	at, err := c.ObjectiveIn(asked)
	if err != nil {
		return nil
	}
	return &objectives[at]
}

// objective judges what met an objective. What was carried within one is not for a summary:
// see [JudgeCapacity].
func (j *judge) objective(r *Judgement) {
	o := objectiveOf(r.Condition, j.s.Objectives)
	switch {
	case o == nil:
		r.Why = notAsked
	case r.Condition.Quantity == filter.Rate:
		failed := j.s.Population.Errors.N + j.s.Population.Errors.Aborted
		r.attainment(o, failed)
	case r.Condition.Quantity == filter.Goodput:
		r.goodput(o)
	default:
		r.Why = "what was carried within an objective was not asked"
	}
}

// attainment judges the share of the requests that met an objective in full, as a rate of which
// these are a sample: by its exact bounds, each of 95 %. For one percentile of requests of
// which none failed this decides as the percentile itself does. failed is how many requests
// did, or were given up.
func (r *Judgement) attainment(o *Objective, failed int64) {
	e := &o.Attainment
	r.N, r.Method = e.N, e.Method
	if e.N == 0 {
		r.Why = "no request could be asked"
		return
	}
	r.Known, r.Observed = true, e.Value
	if e.HasBounds {
		r.Low, r.High, r.HasLow, r.HasHigh, r.Confidence = e.Bounds.Low, e.Bounds.High, true, true, confidence
	}
	unknown := r.unasked(o)
	if r.failedAlone(o, failed) {
		r.Why = fmt.Sprintf("%s may be of those that the limit cannot be asked of: the upper bound leaves them out", plural(failed, "failed request"))
	}
	if e.Method == methodWeightedBinom {
		r.Why = allRequests
	}
	if r.decide(); r.Outcome == Inconclusive {
		r.also("the limit lies between the bounds")
	}
	if unknown > 0 {
		takes := "nothing bounds it by weights"
		if r.HasLow {
			takes = "the lower bound takes them for bad, the upper for good"
		}
		r.also(fmt.Sprintf("of %s some limit cannot be asked: %s", plural(unknown, "other request"), takes))
	}
	for _, w := range e.Warnings {
		switch w.ID {
		case CoarseTimes, Survivorship:
			r.also(w.Text)
		case OwnGaps:
			r.also("a request keeps a limit of itl by its own gaps")
		}
	}
}

// unasked widens the bounds of a share by the requests which may have met it or not, and returns
// how many these are: those that had not ended, and of several limits all of which one cannot be
// asked. A request that is known to have broken a limit counts as bad all the same, so that
// those which are counted are no sample of all: the worse are among them.
func (r *Judgement) unasked(o *Objective) (n int64) {
	for _, u := range o.Undefined {
		if !o.single() || u.Reason == stillOpen {
			n += u.N
		}
	}
	if n == 0 || !r.HasLow || !r.HasHigh || o.single() && o.Attainment.Method == methodWeightedBinom {
		return 0
	}
	if o.Attainment.Method == methodWeightedBinom {
		r.HasLow, r.HasHigh, r.Low, r.High, r.Confidence = false, false, 0, 0, 0
		return n
	}
	r.Low = min(r.Low, stat.ClopperPearsonLower(o.Good, o.Asked+n, stat.Confidence))
	r.High = max(r.High, stat.ClopperPearsonUpper(o.Good+n, o.Asked+n, stat.Confidence))
	return n
}

// failedAlone widens the bounds of a share that met one limit, which some requests cannot be
// asked of, by those that failed: they count as bad, though nothing says that the limit could
// have been asked of them. It reports whether there are any.
func (r *Judgement) failedAlone(o *Objective, failed int64) bool {
	failed = min(failed, o.Asked-o.Good)
	if failed <= 0 || !o.single() || len(o.Undefined) == 0 || !r.HasHigh || o.Attainment.Method == methodWeightedBinom {
		return false
	}
	high := 1.0
	if rest := o.Asked - failed; rest > 0 {
		high = stat.ClopperPearsonUpper(o.Good, rest, stat.Confidence)
	}
	r.High = max(r.High, high)
	return true
}

// single says that an objective has one limit.
func (o *Objective) single() bool { return len(o.Terms) == 1 && len(o.Terms[0].Term.Limits) == 1 }

// also adds to what is said of a judgement.
func (r *Judgement) also(text string) {
	if r.Why != "" {
		r.Why += "; "
	}
	r.Why += text
}

// goodput judges good requests a second. It is exact for the window of these requests, and
// predicts nothing. Where some cannot be asked it is known from below only.
func (r *Judgement) goodput(o *Objective) {
	r.N = o.Asked
	switch {
	case o.Asked == 0:
		r.Method, r.Why = MethodExact, "no request could be asked"
		return
	case o.NoGoodput != "":
		r.Method, r.Why = MethodExact, o.NoGoodput
		return
	}
	r.exact(o.Goodput, o.Asked)
	for _, w := range o.Attainment.Warnings {
		if w.ID == PartialGoodput {
			r.Outcome, r.HasLow, r.Low = Inconclusive, true, o.Goodput
			r.decide()
			r.also(w.Text)
		}
	}
}

// JudgeCapacity says of a condition about the rate that is carried within an objective whether
// it holds.
//
// The rate that is told bounds the capacity from below, whether or not a limit was reached. The
// least rate at which some term fails bounds it from above, also where that of another term
// cannot be told.
func JudgeCapacity(c *Capacity, cond filter.Condition) Judgement {
	r := Judgement{Condition: cond, Outcome: Inconclusive, Unit: unitOf(cond.Quantity)}
	o := objectiveOf(cond, c.Objectives)
	if o == nil {
		r.Why = notAsked
		return r
	}
	of := &o.Capacity
	for _, b := range of.Bins {
		r.N += b.Requests
	}
	r.Method = cmp.Or(of.Method, capacity.MethodBins)
	if of.Refused != "" {
		r.Why = of.Refused
		return r
	}
	if of.Kind != capacity.CannotSay {
		r.HasLow, r.Low, r.Confidence = true, of.Rate, confidence
	}
	if r.Known = of.Kind == capacity.Reached; r.Known {
		r.Observed = of.Rate
	}
	r.fails(of)
	for i := range o.Terms {
		r.fails(&o.Terms[i].Capacity)
	}
	if r.decide(); r.Outcome != Inconclusive {
		return r
	}
	if r.Why = of.Text; r.HasLow && r.HasHigh {
		r.Why = "the limit lies between the rate that is carried and the one at which it fails"
	}
	return r
}

// fails bounds a capacity by the rate at which a term was seen to fail, if it was.
func (r *Judgement) fails(c *ObjectiveCapacity) {
	if c.Fail > 0 && (!r.HasHigh || c.Fail < r.High) {
		r.HasHigh, r.High, r.Confidence = true, max(c.Fail, r.Low), confidence
	}
}
