package reports

import (
	"fmt"
	"math"
	"slices"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/analyze/stat"
)

// The outcomes of a row.
const (
	outcomeHigher  = "higher"
	outcomeLower   = "lower"
	outcomeSame    = "same"
	outcomeUnknown = "unknown"
)

// MethodMover is the method of the interval of a difference of two figures that have intervals
// of their own: the method of variance estimates recovery. (Zou and Donner, Construction of
// confidence limits about effect measures: a general approach, Statistics in Medicine 27, 2008.)
const MethodMover = "mover"

// mover returns the interval of a - b from those of a and b, which must be of independent data.
func mover(a, lowA, highA, b, lowB, highB float64) (low, high float64) {
	d := a - b
	return d - math.Hypot(a-lowA, highB-b), d + math.Hypot(highA-a, b-lowB)
}

// rowPercentiles are the percentiles that a report sets side by side.
var rowPercentiles = []string{"p50", "p90", "p99", "p99.9"}

// budgetDays is how long an error budget is of.
const budgetDays = 28

// dayNS is a day in ns.
const dayNS = int64(24 * 3600 * 1e9)

// verdictRows sets the figures of now beside those of the times before, the latest last.
func verdictRows(now Before, before []Before, objectives []Objective, a analyze.Report) []VerdictRow {
	out := []VerdictRow{}
	for _, m := range now.Metrics {
		for _, p := range rowPercentiles {
			row := VerdictRow{Metric: m.Metric, P: p, Unit: "ns"}
			row.compare(now, before, func(b Before) Compact { return percentileOf(b, m.Metric, p) })
			if row.Now.Value == nil {
				row.Why = refusedPercentile(now, m.Metric, p)
			}
			out = append(out, row)
		}
	}
	row := VerdictRow{Metric: "requests", Unit: "requests"}
	row.compare(now, before, func(b Before) Compact {
		n := float64(b.Requests)
		return Compact{Value: &n, Low: &n, High: &n, N: b.Requests}
	})
	out = append(out, row)
	row = VerdictRow{Metric: "errors", Unit: "share"}
	row.compare(now, before, func(b Before) Compact {
		e := b.Errors
		if e.Of == 0 {
			return Compact{}
		}
		return Compact{Value: &e.Share, Low: &e.Low, High: &e.High, N: e.Of}
	})
	out = append(out, row)
	for _, o := range objectives {
		row := VerdictRow{Metric: "slo", Of: o.Objective, Unit: "share"}
		row.compare(now, before, func(b Before) Compact { return keptShare(b, o.Objective) })
		out = append(out, row)
		if b := budgetOf(o, a); b != nil {
			out = append(out, budgetRow(o, *b, now, before, a))
		}
	}
	return out
}

// compare fills in a row from the same figure of each time. Times that are incomplete are shown
// and not ranked.
func (r *VerdictRow) compare(now Before, before []Before, of func(b Before) Compact) {
	r.Now, r.Outcome = of(now), outcomeUnknown
	var earlier []float64
	for _, b := range before[max(0, len(before)-4):] {
		if c := of(b); b.Complete && c.Value != nil {
			earlier = append(earlier, *c.Value)
		}
	}
	if n := len(earlier); n > 0 {
		slices.Sort(earlier)
		// Of two in the middle the lower one, which was measured: the mean of two percentiles is
		// the percentile of nothing.
		middle := earlier[(n-1)/2]
		r.Median, r.Of4 = &middle, int64(n)
	}
	if len(before) == 0 {
		r.Why = "there is nothing to compare with"
		return
	}
	last := before[len(before)-1]
	r.Last = of(last)
	switch {
	case r.Now.Value == nil:
		r.Why = "it is not known now"
		return
	case r.Last.Value == nil:
		r.Why = "it was not known before"
		return
	}
	change := *r.Now.Value - *r.Last.Value
	r.Change = &Figure{Value: change, N: min(r.Now.N, r.Last.N), Method: MethodMover}
	if was := *r.Last.Value; was != 0 {
		percent := change / math.Abs(was)
		r.Percent = &percent
	}
	if r.Now.Low == nil || r.Now.High == nil || r.Last.Low == nil || r.Last.High == nil {
		r.Why = "one of the two has no interval"
		return
	}
	low, high := mover(*r.Now.Value, *r.Now.Low, *r.Now.High, *r.Last.Value, *r.Last.Low, *r.Last.High)
	r.Change.Low, r.Change.High = &low, &high
	switch {
	case !now.Complete:
		r.Why = now.Name + " is incomplete"
	case !last.Complete:
		r.Why = last.Name + " is incomplete"
	case low > 0:
		r.Outcome = outcomeHigher
	case high < 0:
		r.Outcome = outcomeLower
	default:
		r.Outcome = outcomeSame
	}
}

// percentileOf returns a percentile of a time.
func percentileOf(b Before, metric, p string) Compact {
	for _, m := range b.Metrics {
		for _, q := range m.Percentiles {
			if m.Metric != metric || q.P != p {
				continue
			}
			number := func(ns *int64) *float64 {
				if ns == nil {
					return nil
				}
				v := float64(*ns)
				return &v
			}
			return Compact{Value: number(q.ValueNS), Low: number(q.LowNS), High: number(q.HighNS), N: q.N}
		}
	}
	return Compact{}
}

// refusedPercentile says why a percentile is not known.
func refusedPercentile(b Before, metric, p string) string {
	for _, m := range b.Metrics {
		if m.Metric != metric {
			continue
		}
		if m.N == 0 {
			return "no request has it"
		}
		for _, q := range m.Percentiles {
			if q.P == p && q.ValueNS == nil {
				return fmt.Sprintf("it needs %s, n = %s", plural(q.Need, "request"), Integer(q.N))
			}
		}
	}
	return "it is not known now"
}

// keptShare returns the share of requests of a time that met an objective.
func keptShare(b Before, objective string) Compact {
	for _, k := range b.Objectives {
		if k.Objective == objective && k.Asked > 0 {
			share := float64(k.Good) / float64(k.Asked)
			bounds := stat.ClopperPearson(k.Good, k.Asked, stat.Confidence)
			return Compact{Value: &share, Low: &bounds.Low, High: &bounds.High, N: k.Asked}
		}
	}
	return Compact{}
}

// allowed returns the share of requests that may miss an objective; false where it has none, as
// it is made of several terms, or where none may.
func allowed(o Objective) (float64, bool) {
	if len(o.Terms) != 1 || !(o.Terms[0].Target < 1) {
		return 0, false
	}
	return 1 - o.Terms[0].Target, true
}

// budgetOf returns how much of the error budget of an objective was spent; nil where it has none.
func budgetOf(o Objective, a analyze.Report) *Over {
	may, ok := allowed(o)
	window := windowOf(a)
	if !ok || o.Asked == 0 || window <= 0 {
		return nil
	}
	missed := o.Asked - o.Good
	ns := int64(math.Round(float64(missed) / float64(o.Asked) * float64(window)))
	share := float64(ns) / (may * budgetDays * float64(dayNS))
	return &Over{Objective: o.Objective, Missed: missed, Asked: o.Asked, BudgetNS: &ns, Budget: &share}
}

// windowOf returns how long a time is, in ns: what is covered of a week, or from the first start
// to the last end.
func windowOf(a analyze.Report) int64 {
	if a.Week != nil {
		return a.Covered * dayNS / 24
	}
	return max(0, a.To-a.From)
}

// budgetRow sets what was spent of a budget beside what was. Both are of as long a time, as far
// as weeks are complete; else what was is not known.
func budgetRow(o Objective, b Over, now Before, before []Before, a analyze.Report) VerdictRow {
	window := float64(windowOf(a))
	row := VerdictRow{Metric: "budget", Of: o.Objective, Unit: "ns"}
	row.compare(now, before, func(x Before) Compact {
		c := keptShare(x, o.Objective)
		if c.Value == nil || x.Name != now.Name && (a.Week == nil || !x.Complete || !now.Complete) {
			return Compact{}
		}
		missed := func(kept float64) *float64 {
			v := math.Round((1 - kept) * window)
			return &v
		}
		return Compact{Value: missed(*c.Value), Low: missed(*c.High), High: missed(*c.Low), N: c.N}
	})
	if n := len(before); n > 0 && row.Last.Value == nil && keptShare(before[n-1], o.Objective).Value != nil {
		row.Why = "budgets are set beside each other of complete weeks alone, which are of the same length"
	}
	if value := float64(*b.BudgetNS); row.Now.Value != nil {
		row.Now.Value = &value
	}
	return row
}

// moved says stage by stage what the mean of the slow requests changed by.
func moved(now Tail, last Before) *Moved {
	out := &Moved{Q: now.Q, NewN: now.Tail.N, NewNS: now.Tail.MeanNS, Stages: []MovedStage{}}
	switch {
	case !now.Enough:
		out.Why = fmt.Sprintf("too few slow requests now: it takes %s", plural(now.Need, "request"))
		return out
	case last.Slow == nil:
		out.Why = "too few slow requests in " + last.Name
		return out
	}
	out.OldN, out.OldNS = last.Slow.N, last.Slow.MeanNS
	if last.SlowQ != now.Q {
		out.Why = fmt.Sprintf("slow requests are those from %s on now, and were those from %s on", now.Q, last.SlowQ)
		return out
	}
	change := out.NewNS - out.OldNS
	for _, s := range now.Tail.Stages {
		one := MovedStage{Stage: s.Stage, NewNS: s.MeanNS}
		for _, was := range last.Slow.Stages {
			if was.Stage == s.Stage {
				one.OldNS = was.MeanNS
			}
		}
		one.Change = one.NewNS - one.OldNS
		if change != 0 {
			share := float64(one.Change) / float64(change)
			one.Share = &share
		}
		out.Stages = append(out.Stages, one)
	}
	size := func(v int64) int64 { return max(v, -v) }
	slices.SortStableFunc(out.Stages, func(a, b MovedStage) int {
		switch x, y := size(a.Change), size(b.Change); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	return out
}
