package reports

import (
	"math"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/analyze/change"
	"github.com/tailpath/tailpath/analyze/stat"
)

// outcomeDescribes is a change that counts, in captures that are too short or hold too few slow
// moments to say that it is more than theirs.
const outcomeDescribes = "describes"

// belowWhatCounts is why a change is the same although its interval leaves out 0.
const belowWhatCounts = "the change is below what counts"

// noBlocks is why a change that two separate intervals tell from chance only describes.
const noBlocks = "no comparison of tables: intervals for independent requests are too narrow when requests queue behind each other"

// judged takes the outcomes of rows from the comparison of the tables, where there is one: it
// resamples blocks of time, while intervals of two separate figures take requests as independent.
// Where it does not judge a row, as against a document, a change beyond those intervals only
// describes. A change that does not count for the one counts for neither.
func judged(rows []VerdictRow, c *Compare) []VerdictRow {
	for i := range rows {
		r := &rows[i]
		if r.ranked() && r.P != "" && r.Outcome != outcomeSame && !large(r) {
			r.Outcome, r.Why = outcomeSame, belowWhatCounts
		}
		if c != nil && r.ranked() {
			r.byCompare(c)
		}
		if r.ranked() && r.Unit != "requests" && r.Change.Method == MethodMover && r.Outcome != outcomeSame && r.Outcome != outcomeDescribes {
			r.Outcome, r.Why = outcomeDescribes, noBlocks
		}
	}
	return rows
}

// ranked reports whether a row says what became of a figure.
func (r *VerdictRow) ranked() bool { return r.Change != nil && r.Outcome != outcomeUnknown }

// large reports whether the change of a percentile is one that a comparison counts.
func large(r *VerdictRow) bool {
	for _, p := range []stat.Prob{stat.P50, stat.P90, stat.P99, stat.P999} {
		if p.String() == r.P {
			return change.DefaultRule().Counts(p, *r.Last.Value, *r.Now.Value)
		}
	}
	return true
}

// byCompare takes the outcome of a row from a comparison, if that has the same two figures.
func (r *VerdictRow) byCompare(c *Compare) {
	for _, m := range c.Metrics {
		for _, q := range m.Percentiles {
			if m.Metric == r.Metric && q.P == r.P && q.BaseNS != nil && q.NewNS != nil &&
				float64(*q.BaseNS) == *r.Last.Value && float64(*q.NewNS) == *r.Now.Value {
				r.percentile(q)
			}
		}
	}
	for _, x := range c.Rates {
		switch {
		case r.Metric == "errors" && x.Name == analyze.RateErrors:
			r.rate(x, false)
		case r.Metric == "slo" && x.Objective == r.Of:
			r.rate(x, true)
		case r.Metric == "budget" && x.Objective == r.Of:
			r.Outcome, r.Why = changeOutcome(x.Outcome, r.Change.Value), ""
		}
	}
}

// percentile takes the outcome and the interval of a percentile. The interval of the ratio becomes
// that of the change by what the percentile was.
func (r *VerdictRow) percentile(q PercentileChange) {
	r.Outcome, r.Why = changeOutcome(q.Outcome, r.Change.Value), ""
	if q.Ratio == nil {
		return
	}
	r.Change.Method, r.Change.Low, r.Change.High = q.Ratio.Method, nil, nil
	if q.Ratio.Low != nil && q.Ratio.High != nil {
		was := *r.Last.Value
		r.Change.Low, r.Change.High = figure(was*(*q.Ratio.Low-1)), figure(was*(*q.Ratio.High-1))
	}
	if r.Outcome == outcomeDescribes || r.Outcome == outcomeUnknown || r.Outcome == outcomeSame && r.leavesOut0() {
		r.Why = q.Reason
	}
}

// rate takes the outcome of a share; that of the requests that met an objective is what the missed
// ones leave.
func (r *VerdictRow) rate(x RateChange, met bool) {
	r.Outcome, r.Why = changeOutcome(x.Outcome, r.Change.Value), ""
	if low, high := x.Difference.Low, x.Difference.High; low != nil && high != nil {
		r.Change.Method, r.Change.Low, r.Change.High = x.Difference.Method, low, high
		if met {
			r.Change.Low, r.Change.High = figure(-*high), figure(-*low)
		}
	}
	switch {
	case r.Outcome == outcomeUnknown:
		r.Why = "it takes more requests on either side"
	case r.Outcome == outcomeDescribes:
		r.Why = "blocks of time do not tell it from chance"
	case r.Outcome == outcomeSame && r.leavesOut0():
		r.Why = belowWhatCounts
	}
}

// leavesOut0 reports whether the interval of a change has no 0 in it.
func (r *VerdictRow) leavesOut0() bool {
	c := r.Change
	return c.Low != nil && c.High != nil && (*c.Low > 0 || *c.High < 0)
}

// changeOutcome words the outcome of a comparison for a change of such a sign.
func changeOutcome(outcome string, changed float64) string {
	switch change.Outcome(outcome) {
	case change.Same:
		return outcomeSame
	case change.Describes:
		return outcomeDescribes
	case change.Slower, change.Faster:
		if math.Signbit(changed) {
			return outcomeLower
		}
		return outcomeHigher
	}
	return outcomeUnknown
}
