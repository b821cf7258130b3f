package analyze

import (
	"fmt"
	"math"
	"slices"

	"github.com/tailpath/tailpath/analyze/change"
	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/analyze/stat"
)

// JudgeChange says of a condition about a change whether it holds of a comparison. It fails
// only with both an effect and a reason to believe in it: the change is beyond the limit, and
// the chance of a change like it where there is none is at most the level of the condition.
// A change beyond the limit that chance may have made is inconclusive; one that is not beyond
// it passes.
func JudgeChange(c *Comparison, cond filter.Condition) Judgement {
	j := Judgement{Condition: cond, Outcome: Inconclusive, Unit: UnitChange, Method: MethodBlocks}
	name := cond.Metric
	if name == "e2e" {
		name = "duration"
	}
	m := slices.IndexFunc(c.Metrics, func(m MetricChange) bool { return m.Metric == name })
	if m < 0 {
		j.Why = cond.Metric + " was not compared"
		return j
	}
	r, at := c.Metrics[m].Result, stat.Prob(cond.P)
	j.N = min(r.N[change.Base], r.N[change.New])
	k := slices.IndexFunc(r.Percentiles, func(p change.Percentile) bool { return p.P.Num*at.Den == at.Num*p.P.Den })
	if k < 0 {
		j.Why = fmt.Sprintf("%s was not compared", at)
		return j
	}
	p := r.Percentiles[k]
	if p.Outcome == change.TooFew {
		j.Why = p.Reason
		return j
	}
	j.Known, j.Observed = true, p.Ratio.Value-1
	if b := p.Ratio.Bounds; p.Ratio.HasBounds {
		j.Low, j.High, j.Confidence = b.Low-1, b.High-1, stat.Confidence
		j.HasLow, j.HasHigh = true, !math.IsInf(b.High, 1)
	}
	few := min(p.Incidents[change.Base], p.Incidents[change.New])
	switch {
	case !cond.Op.Holds(j.Observed, cond.Limit):
		j.Outcome = Passed
	case !r.Blocks.Known() || !p.Ratio.HasBounds:
		j.Why = "nothing says how far chance goes: requests have no times in common"
	case r.Blocks.Refused != "":
		j.Why = r.Blocks.Refused
	case few < c.Rule.MinIncidents:
		j.Why = fmt.Sprintf("the requests at and above %s form %s on one side, and it takes %d to tell a change from an incident", at, plural(few, "incident"), c.Rule.MinIncidents)
	case p.Chance > cond.Alpha:
		j.Why = fmt.Sprintf("chance makes such a change with a probability of %.2g, more than %g", p.Chance, cond.Alpha)
	default:
		j.Outcome = Failed
	}
	return j
}
