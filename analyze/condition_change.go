package analyze

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tailpath/tailpath/analyze/change"
	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/analyze/stat"
)

// ChangeMetrics returns the metrics whose changes a comparison judges.
func ChangeMetrics() []string { return []string{metricE2E, metricTTFT, metricTPOT} }

// JudgeChange says of a condition about a change whether it holds of a comparison: it fails
// when all of the interval of the change is beyond the limit, passes when none of it is, and
// is inconclusive otherwise. The interval holds with one less the level of the condition.
// One that describes the two captures and predicts nothing decides nothing.
func JudgeChange(c *Comparison, cond filter.Condition) Judgement {
	j := Judgement{Condition: cond, Outcome: Inconclusive, Unit: UnitChange, Method: MethodBlocks}
	name := cond.Metric
	if name == metricE2E {
		name = "duration"
	}
	m := slices.IndexFunc(c.Metrics, func(m MetricChange) bool { return m.Metric == name })
	if m < 0 {
		j.Why = cond.Metric + " was not compared"
		return j
	}
	r, at := c.Metrics[m].Result, stat.Prob(cond.P)
	j.N = min(r.N[change.Base], r.N[change.New])
	if why := c.Refused(); why != nil {
		j.Why = "not compared: " + strings.Join(why, "; ")
		return j
	}
	k := slices.IndexFunc(r.Percentiles, func(p change.Percentile) bool { return p.P.Num*at.Den == at.Num*p.P.Den })
	if k < 0 {
		j.Why = fmt.Sprintf("%s was not compared", at)
		return j
	}
	p := &r.Percentiles[k]
	if p.Outcome == change.TooFew {
		j.Why = p.Reason
		return j
	}
	j.Known, j.Observed = true, p.Ratio.Value-1
	e := p.RatioAt(1 - cond.Alpha)
	if e.HasBounds {
		j.Low, j.High, j.Confidence = e.Bounds.Low-1, e.Bounds.High-1, 1-cond.Alpha
		j.HasLow, j.HasHigh = true, !math.IsInf(e.Bounds.High, 1)
	}
	if j.Why = undecided(c, r, p); j.Why != "" {
		return j
	}
	if j.decide(); j.Outcome == Inconclusive {
		j.Why = "the limit lies between the bounds" + wouldDecide(e, cond.Limit, j.N)
	} else {
		j.Why = c.provided()
	}
	return j
}

// undecided says why the interval of a percentile decides nothing; empty when it does.
func undecided(c *Comparison, r *change.Result, p *change.Percentile) string {
	few := min(p.Incidents[change.Base], p.Incidents[change.New])
	switch {
	case r.Blocks.Refused != "":
		return r.Blocks.Refused
	case !r.Blocks.Known():
		return "nothing says how far chance goes: requests have no times in common"
	case few < c.Rule.MinIncidents && 2*p.P.Num > p.P.Den: // up to the median there are requests at all times
		return fmt.Sprintf("the requests at and above %s form %s on one side, and it takes %d to tell a change from an incident", p.P, plural(few, "incident"), c.Rule.MinIncidents)
	case !p.Ratio.HasBounds && len(p.Ratio.Warnings) > 0:
		return "there are no bounds: " + p.Ratio.Warnings[0].Text
	case !p.Ratio.HasBounds:
		return "there are no bounds"
	}
	return ""
}

// mostTimes is the most times the requests that are said to decide a condition.
const mostTimes = 1000

// wouldDecide says how many requests would decide, n being those on the smaller side: bounds
// come nearer as the root of their number, while the change stays what was found.
func wouldDecide(e stat.Estimate, limit float64, n int64) string {
	value, at := math.Log(e.Value), math.Log1p(limit)
	bound := math.Log(e.Bounds.High)
	if at < value {
		bound = math.Log(e.Bounds.Low)
	}
	times := math.Pow((bound-value)/(at-value), 2)
	switch {
	case !(times <= mostTimes): // also where the change is just the limit, or one of them has no logarithm
		return fmt.Sprintf("; the change is so near the limit that more than %d times the requests would not decide", mostTimes)
	case times <= 1:
		return "; more requests would decide"
	}
	return fmt.Sprintf("; about %d requests on either side, over as much more time, would decide if the change stays what it is", roundedUp(times*float64(n)))
}

// roundedUp returns the least number of two digits and zeros that is not below v.
func roundedUp(v float64) int64 {
	step := math.Pow(10, max(0, math.Floor(math.Log10(v))-1))
	return int64(math.Ceil(v/step) * step)
}

// provided says how far a decided change goes: to the traces that were kept, and to what
// was measured in one way.
func (c *Comparison) provided() string {
	var words []string
	if c.Base.Population.Sampling.Biased() || c.New.Population.Sampling.Biased() {
		words = append(words, keptTraces)
	}
	for _, a := range c.Artefacts {
		words = append(words, fmt.Sprintf("unless it is an artefact that %s has %s", sideNames[a.Side], a.Is))
	}
	return strings.Join(words, "; ")
}
