package analyze

import (
	"fmt"

	"github.com/tailpath/tailpath/analyze/capacity"
	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/analyze/tokens"
	"github.com/tailpath/tailpath/ingest/table"
)

// Objective is one --slo with what became of it.
type Objective struct {
	Objective filter.Objective
	Terms     []ObjectiveTerm
	// Outcome passes when every term does and fails when one does.
	Outcome tokens.Outcome
	// Good is how many of Asked requests met every limit of every term, all in one request
	// (joint): a failed or given-up request met none, and one that broke a limit is not good
	// whatever else is not known of it. They are the requests of the load, of whatever clock:
	// those of the population, those that failed or were given up, those that had not ended
	// and those of which a part was not recorded.
	//
	// A request that had not ended broke a limit when it had been there for longer, by the last
	// instant of its clock. The others that had not ended cannot be asked, and nothing of
	// those that lack a part.
	Good, Asked int64
	Undefined   []Undefined   // requests that some limit cannot be asked of; with Asked they are all
	Attainment  stat.Estimate // the share of Asked that is good; its bounds hold with 95 % each
	// Goodput is good requests a second of the window of the load, on its clock: a lower bound
	// where some cannot be asked. NoGoodput says why it is not known; "" when it is.
	Goodput   float64
	NoGoodput string
	// Limiting is the place in Terms of the term that Capacity is of: the least; -1 without terms.
	// It and Capacity are not asked for by [Summarize].
	Limiting int
	Capacity ObjectiveCapacity
}

// ObjectiveTerm is one term of an objective: a percentile, or a share of requests that meet
// some limits all at once.
//
// A percentile is about the requests of the population, or about all of their gaps between
// tokens, pooled. A share is about these and the requests that failed or were given up, which
// met nothing, and those that had not ended and are known to have broken a limit.
type ObjectiveTerm struct {
	Term filter.ObjectiveTerm
	// Observed is the percentile that was seen, ns, by nearest rank; of a percentile only.
	// Where sampling weights differ it is that of all requests, kept or not, without bounds.
	Observed stat.Quantile
	// Attainment is the share of Of that met the limits; its bounds hold with 95 % each. A
	// duration that the resolution of its record may put on either side of a limit counts by
	// what was recorded, in the lower bound as missing it and in the upper as meeting it. The
	// lower bound of a percentile counts requests that had not ended and are known to have
	// broken its limit, too.
	Attainment stat.Estimate
	Of         string // what N of Attainment counts: "requests", or "gaps" between tokens
	Undefined  []Undefined
	// Outcome passes when the lower bound of Attainment reaches the share that is wanted, and
	// fails when the upper bound is below it.
	Outcome  tokens.Outcome
	Need     int64 // requests, or gaps, in all that would decide at this share, more than there are; 0 when more would not
	Capacity ObjectiveCapacity
}

// What a share is of.
const (
	OfRequests = "requests"
	OfGaps     = "gaps"
)

// ObjectiveCapacity is the rate that was carried within a term. It is of all requests with a
// start and an end on the clock of the load, and of those that had not ended; those that the
// term cannot be asked of are load. The limits are per request: a percentile of gaps is that
// of the request's own.
type ObjectiveCapacity struct {
	capacity.Result
	// Refused says why no rate can be told although windows could be judged; "" when one can.
	Refused string
	// PerGPU and TokensPerGPU are Rate and TokenRate for each GPU; 0 where their number is unknown.
	PerGPU, TokensPerGPU float64
	// Mix is what requests were like in the windows of the bin that limits, the first that
	// fails or else the last that passes, and All in all of them: the capacity holds for that mix.
	Mix, All LengthMix
}

// LengthMix is how long requests are, in tokens.
type LengthMix struct{ Prompt, Output Lengths }

// Lengths are percentiles of a count of tokens over N requests that have one.
type Lengths struct {
	N        int64
	P50, P95 stat.Quantile
}

// The metrics of objectives.
const (
	metricE2E  = "e2e"
	metricTTFT = "ttft"
	metricTPOT = "tpot"
	metricITL  = "itl"
)

// ObjectiveMetrics returns the metrics that objectives may limit: the four of every report,
// and then the measures in ns by other definitions.
func ObjectiveMetrics() []string {
	return append([]string{metricE2E, metricTTFT, metricTPOT, metricITL}, measureNames()...)
}

// objectives answers for each objective, with the rate that was carried within it. rows are
// those of the population; the options must be filled, and on the set.
func objectives(set *table.Set, rows []int32, population Population, opt Options, ask CapacityOptions) []Objective {
	if len(ask.Objectives) == 0 {
		return nil
	}
	a := newAsking(set, rows, population, opt, ask)
	out := make([]Objective, len(ask.Objectives))
	for i, o := range ask.Objectives {
		out[i] = a.objective(o, a.capacity)
		out[i].Limiting, out[i].Capacity = least(out[i].Terms)
	}
	return out
}

// objective asks every term, and then all of them of each request. carried finds the rate that
// was carried within a term; nil where that is not asked for.
func (a *asking) objective(o filter.Objective, carried func(t filter.ObjectiveTerm, each []limited) ObjectiveCapacity) Objective {
	out := Objective{Objective: o, Outcome: tokens.Pass, Limiting: -1}
	joint := a.unlimited()
	for _, t := range o.Terms {
		each := a.meets(t)
		for i := range joint {
			joint[i] = joint[i].and(each[i])
		}
		term := a.term(t, each)
		if carried != nil {
			term.Capacity = carried(t, each)
		}
		out.Terms = append(out.Terms, term)
	}
	for _, t := range out.Terms {
		switch {
		case t.Outcome == tokens.Fail:
			out.Outcome = tokens.Fail
		case t.Outcome == tokens.Inconclusive && out.Outcome == tokens.Pass:
			out.Outcome = tokens.Inconclusive
		}
	}
	if len(o.Terms) == 0 {
		out.Outcome = tokens.Inconclusive
	}
	var s attained
	s, out.Undefined = a.count(joint)
	out.Good, out.Asked, out.Attainment = s.good, s.n, independent(s.estimate())
	for _, t := range o.Terms {
		if pooledGaps(t) {
			out.Attainment.Warnings = append(out.Attainment.Warnings, ownGapsWarning(t))
		}
	}
	var unasked int64
	if out.Goodput, unasked, out.NoGoodput = a.goodput(joint); unasked > 0 {
		out.Attainment.Warnings = append(out.Attainment.Warnings, stat.Warning{ID: PartialGoodput, Text: fmt.Sprintf(
			"%s of the load cannot be asked: good requests a second are a lower bound", plural(unasked, "request"))})
	}
	return out
}

// term asks one term. each is what became of it in the requests that are asked.
func (a *asking) term(t filter.ObjectiveTerm, each []limited) ObjectiveTerm {
	out := ObjectiveTerm{Term: t, Of: OfRequests}
	p := stat.Prob(t.P)
	switch {
	case pooledGaps(t):
		a.pooled(&out)
	case t.Joint || len(t.Limits) != 1:
		var s attained
		s, out.Undefined = a.count(each)
		out.Attainment, out.Need = independent(s.estimate()), s.need(p)
		a.warnChunks(&out)
	default:
		a.percentile(&out)
	}
	if out.Outcome = decided(out.Attainment, p); out.Outcome != tokens.Inconclusive || out.Need <= out.Attainment.N {
		out.Need = 0
	}
	return out
}

// percentile asks a percentile of the requests of the population. Its lower bound holds also
// with those counted as bad that had not ended and have broken the limit.
func (a *asking) percentile(out *ObjectiveTerm) {
	l, p := out.Term.Limits[0], stat.Prob(out.Term.P)
	var s attained
	s, out.Undefined = a.measured(l)
	e := s.estimate()
	out.Need = s.need(p)
	if worst := a.withOpen(s, &l); worst.open > 0 {
		least := worst.estimate()
		if e.HasBounds {
			e.Bounds.Low = min(e.Bounds.Low, least.Bounds.Low)
		}
		e.Warnings = append(e.Warnings, stat.Warning{ID: Survivorship, Text: openText(worst.open, "left out of the percentile, and counted in the lower bound as missing the limit")})
		switch {
		case least.Value > p.Float():
			out.Need = worst.need(p)
		case e.Value >= p.Float():
			out.Need = 0 // with them it is too few, and without them enough
		}
	}
	out.Attainment = independent(e)
	out.Observed = a.observed(l.Metric, p)
}

// PartialGoodput is the id of the warning that the rate of good requests is a lower bound.
const PartialGoodput = "partial-goodput"

// Independence is the id of the warning that bounds take requests for independent.
const Independence = "independence"

// independent warns of the bounds of a share of requests, if it has any.
func independent(e stat.Estimate) stat.Estimate {
	if e.HasBounds {
		e.Warnings = append(e.Warnings, stat.Warning{ID: Independence, Text: "the bounds hold for independent requests; they are too narrow when requests queue behind each other"})
	}
	return e
}

// decided compares the bounds of an attainment with the share that is wanted.
func decided(e stat.Estimate, p stat.Prob) tokens.Outcome {
	switch {
	case e.HasBounds && e.Bounds.Low >= p.Float():
		return tokens.Pass
	case e.HasBounds && e.Bounds.High < p.Float():
		return tokens.Fail
	}
	return tokens.Inconclusive
}

// least returns the place of the term with the least capacity, and that capacity. A term
// whose own cannot be told may be the lesser, so nothing can be told then; unless it is known
// to be less than all that was seen.
func least(terms []ObjectiveTerm) (int, ObjectiveCapacity) {
	best := -1
	for i := range terms {
		if best < 0 || less(&terms[i].Capacity, &terms[best].Capacity) {
			best = i
		}
	}
	if best < 0 {
		out := ObjectiveCapacity{Refused: "the objective has no terms"}
		out.refuse()
		return best, out
	}
	out := terms[best].Capacity
	if out.Kind != capacity.NotReached {
		return best, out
	}
	// A higher rate may be known to fail by another term: then the capacity lies between.
	failing := -1
	for i := range terms {
		c := &terms[i].Capacity
		if c.Kind == capacity.Reached && (failing < 0 || c.Fail < terms[failing].Capacity.Fail) {
			failing = i
		}
	}
	if failing >= 0 {
		c := &terms[failing].Capacity
		out.Warnings = append(out.Warnings[:len(out.Warnings):len(out.Warnings)], stat.Warning{ID: OtherTermLimits, Text: "below " +
			rateText(c.Fail) + ": there " + terms[failing].Term.String() + " fails"})
	}
	return best, out
}

// OtherTermLimits is the id of the warning that the objective's capacity is known from below
// by one term, and from above by another.
const OtherTermLimits = "other-term-limits"

// less says that a capacity is the lesser of two, as far as can be told; of equal ones the
// one with a limit.
func less(c, d *ObjectiveCapacity) bool {
	if rank, other := untold(c), untold(d); rank != other {
		return rank > other
	}
	switch {
	case c.Kind == capacity.CannotSay:
		return false
	case c.Rate != d.Rate:
		return c.Rate < d.Rate
	}
	return c.Kind == capacity.Reached && d.Kind != capacity.Reached
}

// untold ranks capacities that have no rate above those that have.
func untold(c *ObjectiveCapacity) int {
	switch {
	case c.Kind != capacity.CannotSay:
		return 0
	case c.Why == capacity.LowestFails:
		return 2
	}
	return 1
}
