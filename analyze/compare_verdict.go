package analyze

import (
	"math"
	"slices"

	"github.com/tailpath/tailpath/analyze/change"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical/stage"
)

// ChangeKind is the answer of a comparison.
type ChangeKind string

// The kinds of answer.
const (
	ChangeSlower    ChangeKind = "slower"
	ChangeFaster    ChangeKind = "faster"
	ChangeMixed     ChangeKind = "mixed"     // some percentiles of the latency are slower and others faster
	ChangeSame      ChangeKind = "same"      // nothing that stands out from chance and is large enough to count
	ChangeDescribes ChangeKind = "describes" // a change in these captures that predicts nothing
	ChangeTooFew    ChangeKind = "too_few"
)

// ChangeCause says what made the change.
type ChangeCause string

// The causes.
const (
	CauseServer   ChangeCause = "server"   // requests that ask for the same take another time
	CauseWorkload ChangeCause = "workload" // requests ask for something else
	CauseBoth     ChangeCause = "both"
	CauseUnknown  ChangeCause = "unknown" // the workloads have too little in common, or are not recorded
)

// ChangeVerdict answers whether the requests got slower, in which stage, and why.
type ChangeVerdict struct {
	Kind ChangeKind
	// Metric and P say where: the first latency that changed, at p99 if that changed and else
	// at its highest percentile that did.
	Metric string
	P      stat.Prob
	// Part is the part of the time that contributes most to the change at P, and Share its
	// share of it. HasPart is false when nothing changed, or when the latency has no parts.
	Part    ChangePart
	Share   float64
	HasPart bool
	// Stands says that the contribution of the part stands out from chance for itself.
	Stands  bool
	Cause   ChangeCause
	Shifted []string // properties of the workload whose mix has shifted
	Reason  string
}

// changeVerdict answers from the judged metrics.
func changeVerdict(c *Comparison) ChangeVerdict {
	v := ChangeVerdict{Kind: ChangeTooFew}
	for _, m := range c.Mix {
		if m.Shifted {
			v.Shifted = append(v.Shifted, m.Column)
		}
	}
	for _, among := range [][]change.Outcome{{change.Slower, change.Faster}, {change.Describes}} {
		for i := range c.Metrics {
			m := &c.Metrics[i]
			if p := told(m, among); p != nil {
				v.Metric, v.P, v.Reason = m.Metric, p.P, p.Reason
				v.Kind = kindOfChange(m, p)
				v.part(m)
				v.cause(p)
				return v
			}
		}
	}
	for i := range c.Metrics {
		if p := told(&c.Metrics[i], []change.Outcome{change.Same}); p != nil {
			v.Kind, v.Metric, v.P, v.Reason = ChangeSame, c.Metrics[i].Metric, p.P, p.Reason
			return v
		}
	}
	if len(c.Metrics) > 0 && len(c.Metrics[0].Percentiles) > 0 {
		v.Metric, v.P, v.Reason = c.Metrics[0].Metric, c.Metrics[0].Percentiles[0].P, c.Metrics[0].Percentiles[0].Reason
	}
	return v
}

// told returns the percentile of a metric to tell of: p99 if it came out as one of
// the outcomes, else the highest that did; nil for none.
func told(m *MetricChange, among []change.Outcome) (found *change.Percentile) {
	for i := range m.Percentiles {
		p := &m.Percentiles[i]
		if slices.Contains(among, p.Outcome) && (found == nil || found.P != stat.P99) {
			found = p
		}
	}
	return found
}

func kindOfChange(m *MetricChange, p *change.Percentile) ChangeKind {
	if p.Outcome == change.Describes {
		return ChangeDescribes
	}
	for _, q := range m.Percentiles {
		if q.Outcome != p.Outcome && (q.Outcome == change.Slower || q.Outcome == change.Faster) {
			return ChangeMixed
		}
	}
	return ChangeKind(p.Outcome)
}

// part finds the part that contributes most to the change, in its direction.
func (v *ChangeVerdict) part(m *MetricChange) {
	at := slices.IndexFunc(m.At, func(a change.AtPercentile) bool { return a.P == v.P })
	if at < 0 {
		return
	}
	total := m.At[at].Total.Difference.Value
	best := -1
	for i, f := range m.At[at].Parts {
		if d := f.Difference.Value; d*total > 0 && (best < 0 || math.Abs(d) > math.Abs(m.At[at].Parts[best].Difference.Value)) {
			best = i
		}
	}
	if best < 0 {
		return
	}
	v.HasPart, v.Part, v.Share = true, m.Parts[best], m.At[at].Parts[best].Difference.Value/total
	v.Stands = m.At[at].Parts[best].Stands
}

// KnownStage reports whether the part of the verdict is one stage with a name.
func (v ChangeVerdict) KnownStage() bool {
	return v.HasPart && !v.Part.Pooled() && v.Part.Stages[0] != stage.Unattributed
}

// mostlyOne is the share of a change from which on it is put down to one cause, when the
// mix has shifted.
const mostlyOne = 0.8

// cause tells workload and server apart at the percentile.
func (v *ChangeVerdict) cause(p *change.Percentile) {
	w := p.Workload
	total := float64(p.New.Value - p.Base.Value)
	switch {
	case w == nil || total == 0:
		v.Cause = CauseUnknown
	case len(v.Shifted) == 0:
		v.Cause = CauseServer
	case w.Server/total >= mostlyOne:
		v.Cause = CauseServer
	case (w.Workload+w.Unmatched)/total >= mostlyOne, w.Ratio.HasBounds && w.Outcome == change.Same:
		v.Cause = CauseWorkload
	default:
		v.Cause = CauseBoth
	}
}
