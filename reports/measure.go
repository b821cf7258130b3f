package reports

import (
	"encoding/hex"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/analyze/stat"
)

// Measures are figures by the definitions that were asked for, beside those of the report.
type Measures struct {
	Values []Measure `json:"values"` // in the order in which they were asked for
	Rules  []ByRule  `json:"rules"`  // likewise
}

// Measure is a measure over requests, or over their gaps between tokens, by one definition.
// Figures are in the unit.
type Measure struct {
	ID          string              `json:"id"`
	Metric      string              `json:"metric"` // what it is one reading of
	Text        string              `json:"text"`   // the formula
	Unit        string              `json:"unit"`   // ns or tokens/s
	Of          string              `json:"of"`     // what n counts: requests, or gaps
	N           int64               `json:"n"`
	Requests    int64               `json:"requests"` // that have a value, or gaps
	Undefined   []Count             `json:"undefined"`
	Percentiles []MeasurePercentile `json:"percentiles"`
	Mean        *Figure             `json:"mean"` // null when n is 0
	// Rules are its percentiles by the other rules that were asked for; absent without any.
	Rules []MeasureRule `json:"rules,omitempty"`
	// MeanForAll is that of all requests, kept or not; absent unless weights differ.
	MeanForAll *float64  `json:"mean_for_all_requests,omitempty"`
	Warnings   []Warning `json:"warnings"` // of the mean
}

// MeasurePercentile is a percentile in the unit of its measure; value and bounds are null
// when they are not known.
type MeasurePercentile struct {
	P        string     `json:"p"`
	N        int64      `json:"n"`
	Method   string     `json:"method"` // the rule that picks it
	Value    *float64   `json:"value"`
	Low      *float64   `json:"low"`
	High     *float64   `json:"high"`
	Need     int64      `json:"need"`
	Exemplar *RequestID `json:"exemplar"`                   // the request that has the value; null of gaps and of other rules
	Weighted *float64   `json:"for_all_requests,omitempty"` // absent unless weights differ
	Warnings []Warning  `json:"warnings"`
}

// MeasureRule are percentiles of a measure by another rule, in the unit of the measure. Their
// bounds are those of the percentile, whichever rule picks it.
type MeasureRule struct {
	Rule        string              `json:"rule"`
	Text        string              `json:"text"`
	Percentiles []MeasurePercentile `json:"percentiles"`
}

// RequestID names a request.
type RequestID struct {
	TraceID    string `json:"trace_id"`
	RootSpanID string `json:"root_span_id"`
}

// ByRule are percentiles of a figure of the report by another rule, in ns. Their bounds are
// those of the percentile, whichever rule picks it.
type ByRule struct {
	Rule        string              `json:"rule"`
	Text        string              `json:"text"`
	Metric      string              `json:"metric"` // duration, ttft or tpot
	N           int64               `json:"n"`
	Percentiles []MeasurePercentile `json:"percentiles"`
}

// measures writes the figures by other definitions; nil without any.
func measures(in *analyze.Measures) *Measures {
	if in == nil {
		return nil
	}
	out := &Measures{Values: []Measure{}, Rules: []ByRule{}}
	for _, m := range in.Values {
		out.Values = append(out.Values, measure(m))
	}
	for _, r := range in.Rules {
		out.Rules = append(out.Rules, byRule(r))
	}
	return out
}

func measure(m analyze.Measure) Measure {
	out := Measure{
		ID: m.Definition.ID, Metric: m.Definition.Metric, Text: m.Definition.Text, Unit: m.Unit, Of: m.Of, N: m.N, Requests: m.Requests,
		Undefined: undefinedCounts(m.Undefined), Percentiles: []MeasurePercentile{}, Mean: asked(m.Mean), MeanForAll: m.MeanForAll,
		Warnings: warnings(m.Mean.Warnings),
	}
	for _, q := range m.Quantiles {
		e := measurePercentile(q.Quantile, m.Scale)
		if q.Known && m.Of == analyze.OfRequests {
			e.Exemplar = &RequestID{hex.EncodeToString(q.Exemplar.TraceID[:]), hex.EncodeToString(q.Exemplar.RootSpanID[:])}
		}
		if w := q.Weighted; w != nil && w.Known {
			e.Weighted = in(w.Value, m.Scale)
		}
		out.Percentiles = append(out.Percentiles, e)
	}
	for _, by := range m.ByRule {
		r := MeasureRule{Rule: by.Rule.ID, Text: by.Rule.Text, Percentiles: []MeasurePercentile{}}
		for i, named := range by.Named {
			r.Percentiles = append(r.Percentiles, byOther(m.Quantiles[i].Quantile, named, m.Scale))
		}
		out.Rules = append(out.Rules, r)
	}
	return out
}

// byOther writes a percentile as another rule picks it, with the bounds of the percentile.
func byOther(q stat.Quantile, named stat.Named, scale float64) MeasurePercentile {
	out := measurePercentile(q, scale)
	out.Method, out.Value = named.Method, nil
	if named.Known {
		value := named.Value / scale
		out.Value = &value
	}
	return out
}

// in returns a value that is counted in parts of a unit, scale of which are one.
func in(v int64, scale float64) *float64 {
	f := float64(v) / scale
	return &f
}

func measurePercentile(q stat.Quantile, scale float64) MeasurePercentile {
	out := MeasurePercentile{P: q.P.String(), N: q.N, Method: q.Method, Need: q.Need, Warnings: warnings(q.Warnings)}
	if q.Known {
		out.Value = in(q.Value, scale)
	}
	if q.HasLow {
		out.Low = in(q.Low, scale)
	}
	if q.HasHigh {
		out.High = in(q.High, scale)
	}
	return out
}

func byRule(r analyze.ByRule) ByRule {
	out := ByRule{Rule: r.Rule.ID, Text: r.Rule.Text, Metric: r.Metric, Percentiles: []MeasurePercentile{}}
	for i, named := range r.Named {
		out.N = named.N
		out.Percentiles = append(out.Percentiles, byOther(r.Quantiles[i], named, 1))
	}
	return out
}

// RequestMeasure is a measure of one request, null where Undefined says why.
type RequestMeasure struct {
	ID        string   `json:"id"`
	Text      string   `json:"text"`
	Unit      string   `json:"unit"` // ns or tokens/s
	Value     *float64 `json:"value"`
	Undefined string   `json:"undefined,omitempty"`
}

// RequestGaps are the gaps between the tokens of one request.
type RequestGaps struct {
	ID        string   `json:"id"`
	Text      string   `json:"text"`
	N         int64    `json:"n"`
	MeanNS    *int64   `json:"mean_ns"` // rounded; null without gaps, as are the next two
	MedianNS  *int64   `json:"median_ns"`
	MostNS    *int64   `json:"most_ns"`
	Runs      []GapRun `json:"runs"` // the samples, in the order of time
	Undefined string   `json:"undefined,omitempty"`
}

// GapRun is a number of equal gaps, one after the other.
type GapRun struct {
	GapNS int64 `json:"gap_ns"`
	N     int64 `json:"n"`
}

func requestMeasures(list []analyze.RequestMeasure) []RequestMeasure {
	out := []RequestMeasure{}
	for _, m := range list {
		out = append(out, RequestMeasure{m.Definition.ID, m.Definition.Text, m.Unit, present(m.V, m.Defined()), m.Undefined})
	}
	return out
}

func requestGaps(list []analyze.RequestGaps) []RequestGaps {
	out := []RequestGaps{}
	for _, g := range list {
		e := RequestGaps{ID: g.Definition.ID, Text: g.Definition.Text, N: g.N, Runs: []GapRun{}, Undefined: g.Undefined}
		if g.N > 0 {
			e.MeanNS, e.MedianNS, e.MostNS = wholeOrNull(g.MeanNS), &g.MedianNS, &g.MostNS
		}
		for _, r := range g.Runs {
			e.Runs = append(e.Runs, GapRun{r.GapNS, r.N})
		}
		out = append(out, e)
	}
	return out
}

// outcomeOf is the word for how a request ended.
func outcomeOf(f analyze.Facts) string {
	switch {
	case f.Aborted:
		return "aborted"
	case f.Error:
		return "error"
	case f.Class.String() != "complete":
		return f.Class.String()
	}
	return "ok"
}
