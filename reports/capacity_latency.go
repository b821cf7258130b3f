package reports

import (
	"slices"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/analyze/serving"
	"github.com/tailpath/tailpath/analyze/stat"
)

// LoadLatency is how long requests took over the whole time. Requests that failed are not in
// it, unless the options said so.
type LoadLatency struct {
	N int64 `json:"n"`
	// Weighted figures are estimates for all requests, kept or not, by weights; Kept says that
	// they are of kept traces alone, empty when that is not so.
	Weighted   bool            `json:"by_weights"`
	Kept       string          `json:"kept"`
	Of         []MetricLatency `json:"metrics"`
	Generation *MetricRate     `json:"generation"` // null when no request tells
}

// MetricLatency is one metric of some requests.
type MetricLatency struct {
	Metric      string              `json:"metric"`
	Definition  string              `json:"definition"`
	N           int64               `json:"n"` // requests; of itl gaps between tokens
	Mean        *Figure             `json:"mean_ns"`
	Percentiles []LatencyPercentile `json:"percentiles"`
	Warnings    []Warning           `json:"warnings"` // of the intervals
}

// LatencyPercentile is a percentile of a time; null where it is not known. Method is that of
// its interval, empty without one.
type LatencyPercentile struct {
	P       string `json:"p"`
	ValueNS *int64 `json:"value_ns"`
	LowNS   *int64 `json:"low_ns"`
	HighNS  *int64 `json:"high_ns"`
	Need    int64  `json:"need"` // values that it takes
	Method  string `json:"method"`
}

// MetricRate is the generation_rate of some requests: tokens a second, as each saw it.
type MetricRate struct {
	Definition  string           `json:"definition"`
	N           int64            `json:"n"`
	Mean        *Figure          `json:"mean_per_s"`
	Percentiles []RatePercentile `json:"percentiles"`
	Warnings    []Warning        `json:"warnings"`
}

// RatePercentile is a percentile of a rate; null where it is not known.
type RatePercentile struct {
	P      string   `json:"p"`
	Value  *float64 `json:"value_per_s"`
	Low    *float64 `json:"low_per_s"`
	High   *float64 `json:"high_per_s"`
	Need   int64    `json:"need"`
	Method string   `json:"method"`
}

// LoadStretch is a stretch of time: how long the requests took that arrived in it, and how
// engines were used meanwhile.
type LoadStretch struct {
	FromNS     int64           `json:"from_ns"`
	ToNS       int64           `json:"to_ns"`
	N          int64           `json:"n"` // requests that arrived and were answered
	Of         []MetricLatency `json:"metrics"`
	Generation *MetricRate     `json:"generation"`
	Use        *StretchUse     `json:"use"` // of all engines; null where of none is known when it was busy
	Engines    []StretchUse    `json:"engines"`
}

// StretchUse is how an engine, or all of them, spent a stretch. Of all engines shares are of
// the time of each added up.
type StretchUse struct {
	Name    string  `json:"name"`
	Busy    float64 `json:"busy"`    // of the stretch, with work on the GPU
	Present float64 `json:"present"` // of the stretch, with work
	// IdleWaiting is of the time with work, as of an engine: without work on the GPU while a
	// request waited. It is null without any such time.
	IdleWaiting *float64 `json:"idle_while_waiting"`
	IdleLeast   bool     `json:"idle_at_least"` // there were requests of which nothing tells what they did
	N           int64    `json:"n"`             // engines
}

func loadLatency(l analyze.SystemLatency) LoadLatency {
	out := LoadLatency{N: l.N, Weighted: l.Weighted, Kept: l.Kept}
	out.Of, out.Generation = metricLatencies(l.Whole)
	return out
}

func metricLatencies(list []analyze.LatencyOf) (out []MetricLatency, rate *MetricRate) {
	out = []MetricLatency{}
	for i := range list {
		if l := &list[i]; l.Rate {
			rate = metricRate(l)
		} else {
			out = append(out, metricLatency(l))
		}
	}
	return out, rate
}

func metricLatency(l *analyze.LatencyOf) MetricLatency {
	out := MetricLatency{Metric: l.Metric, Definition: l.Definition, N: l.N, Mean: asked(l.Mean), Percentiles: []LatencyPercentile{}, Warnings: intervalWarnings(l)}
	for i := range l.Quantiles {
		q := &l.Quantiles[i]
		p := LatencyPercentile{P: q.P.String(), ValueNS: valueOf(q.Quantile), Need: q.Need, Method: q.Bounds}
		if q.HasLow {
			p.LowNS = &q.Low
		}
		if q.HasHigh {
			p.HighNS = &q.High
		}
		out.Percentiles = append(out.Percentiles, p)
	}
	return out
}

func metricRate(l *analyze.LatencyOf) *MetricRate {
	out := &MetricRate{Definition: l.Definition, N: l.N, Mean: asked(l.Mean), Percentiles: []RatePercentile{}, Warnings: intervalWarnings(l)}
	perSecond := func(v int64) *float64 { return figure(float64(v) / analyze.RateScale) }
	if m := out.Mean; m != nil {
		m.Value /= analyze.RateScale
		for _, p := range []**float64{&m.Low, &m.High} {
			if *p != nil {
				*p = figure(**p / analyze.RateScale)
			}
		}
	}
	for i := range l.Quantiles {
		q := &l.Quantiles[i]
		p := RatePercentile{P: q.P.String(), Need: q.Need, Method: q.Bounds}
		if q.Known {
			p.Value = perSecond(q.Value)
		}
		if q.HasLow {
			p.Low = perSecond(q.Low)
		}
		if q.HasHigh {
			p.High = perSecond(q.High)
		}
		out.Percentiles = append(out.Percentiles, p)
	}
	return out
}

// intervalWarnings are the warnings of the intervals of a metric, each once. That there are
// too few values for a percentile is in what it needs.
func intervalWarnings(l *analyze.LatencyOf) []Warning {
	out := warnings(l.Mean.Warnings)
	for i := range l.Quantiles {
		for _, w := range warnings(l.Quantiles[i].Warnings) {
			if w.ID != stat.TooFew && !slices.Contains(out, w) {
				out = append(out, w)
			}
		}
	}
	return out
}

// loadStretches are the stretches of time.
func loadStretches(s *analyze.System) []LoadStretch {
	out := []LoadStretch{}
	r := &s.Serving
	for i := range s.Latency.Stretches {
		l := &s.Latency.Stretches[i]
		t := LoadStretch{FromNS: l.FromNS, ToNS: l.ToNS, N: l.N, Engines: []StretchUse{}}
		t.Of, t.Generation = metricLatencies(l.Of)
		var all serving.Use
		for k := range r.Engines {
			e := &r.Engines[k]
			if !e.GPUKnown || i >= len(e.Over) {
				continue
			}
			u := e.Over[i]
			t.Engines = append(t.Engines, stretchUse(engineName(e, s.Names), u, l.ToNS-l.FromNS, 1))
			all.BusyNS, all.PresentNS, all.IdleWaitingNS = all.BusyNS+u.BusyNS, all.PresentNS+u.PresentNS, all.IdleWaitingNS+u.IdleWaitingNS
			all.UnseenNS += u.UnseenNS
		}
		if n := int64(len(t.Engines)); n > 0 {
			use := stretchUse("", all, l.ToNS-l.FromNS, n)
			t.Use = &use
		}
		out = append(out, t)
	}
	return out
}

// stretchUse is the use of so many engines over a stretch of a length.
func stretchUse(name string, u serving.Use, ns, engines int64) StretchUse {
	of := func(part int64) float64 { return stat.SumOf(part).Over(stat.SumOf(ns).Times(engines)) }
	out := StretchUse{Name: name, Busy: of(u.BusyNS), Present: of(u.PresentNS), IdleLeast: u.UnseenNS > 0, N: engines}
	if u.PresentNS > 0 {
		out.IdleWaiting = figure(stat.SumOf(u.IdleWaitingNS).Over(stat.SumOf(u.PresentNS)))
	}
	return out
}

// Stretch returns the stretch from one instant to another, nil when there is none.
func (s *System) Stretch(fromNS, toNS int64) *LoadStretch {
	for i := range s.Stretches {
		if t := &s.Stretches[i]; t.FromNS == fromNS && t.ToNS == toNS {
			return t
		}
	}
	return nil
}
