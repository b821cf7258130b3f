package reports

import (
	"github.com/tailpath/tailpath/analyze"
)

// distributions writes how the duration and the time to the first token are distributed.
func distributions(a analyze.Report) []Distribution {
	out := []Distribution{}
	for _, d := range a.Distributions {
		one := Distribution{Metric: d.Metric, N: d.N, Quantiles: []Quantile{}, Edges: append([]int64{}, d.Histogram.Edges...), Counts: append([]int64{}, d.Histogram.Counts...)}
		if d.N > 0 {
			mean := d.Sum.MeanRounded(d.N)
			one.MeanNS = &mean
		}
		for _, q := range d.Quantiles {
			one.Quantiles = append(one.Quantiles, Quantile{Above: float64(q.At) / float64(d.N), NS: q.NS})
		}
		out = append(out, one)
	}
	return out
}

// leastColumn is the part of a column that must lie in the window for it to have rates: in less,
// one arrival more or less changes them.
const leastColumn = 0.5

// leastArrivals is how many requests come, at least, in a column of which only a part was
// recorded, for it to have rates.
const leastArrivals = 20

// rated reports whether a column of some seconds has rates.
func rated(c analyze.HeatColumn, length float64) bool {
	if c.Silent > 0 {
		return c.Seconds > 0 && c.Arrivals >= leastArrivals
	}
	return c.Seconds >= leastColumn*length
}

// heat writes when requests were slow; nil where they have no times.
func heat(a analyze.Report) *Heat {
	h := a.Heat
	if h == nil {
		return nil
	}
	out := &Heat{Clock: analyze.ClockName(a.Clock), Times: h.Times, Levels: h.Levels}
	length := float64(h.Times[1]-h.Times[0]) / 1e9
	for _, c := range h.Columns {
		out.Counts, out.N = append(out.Counts, c.Counts), append(out.N, c.N)
		out.P50, out.P99 = append(out.P50, valueOf(c.P50)), append(out.P99, valueOf(c.P99))
		out.Prompt, out.Output = append(out.Prompt, valueOf(c.Prompt)), append(out.Output, valueOf(c.Output))
		x := seriesOf(h, c, length)
		out.Queue, out.Rate, out.Tokens, out.Depth = append(out.Queue, x.queue), append(out.Rate, x.rate), append(out.Tokens, x.tokens), append(out.Depth, x.depth)
	}
	return out
}

// series is what a column says of its time, nil where it cannot.
type series struct{ queue, rate, tokens, depth *float64 }

// seriesOf returns the series of a column; length is that of the columns in seconds.
func seriesOf(h *analyze.Heat, c analyze.HeatColumn, length float64) (x series) {
	if c.Total.Sign() > 0 {
		x.queue = figure(c.Queue.Over(c.Total))
	}
	if rated(c, length) {
		x.rate = figure(float64(c.Arrivals) / c.Seconds)
		if h.Tokened {
			x.tokens = figure(c.Tokens.Float() / c.Seconds)
		}
	}
	if h.Waited && c.Seconds > 0 {
		x.depth = figure(c.Waiting)
	}
	return x
}

// hoursOfWeek writes how slow requests were by the hour of the week.
func hoursOfWeek(a analyze.Report) []HourOfWeek {
	out := []HourOfWeek{}
	for _, h := range a.HoursOfWeek {
		out = append(out, HourOfWeek{Day: h.Day, Hour: h.Hour, N: h.N, P50: valueOf(h.P50), P99: valueOf(h.P99)})
	}
	return out
}

// tokenStreams writes when the pieces of some responses came, beside the gaps of all.
func tokenStreams(a analyze.Report, s *Summary) []Stream {
	out := []Stream{}
	for _, t := range a.Streams {
		one := Stream{Request: *requestRef(t.Request), FirstNS: t.FirstNS, EndNS: t.EndNS, AtNS: append([]int64{}, t.AtNS...), Tokens: append([]int64{}, t.Tokens...), Gaps: s.Stalling.Gaps}
		for _, q := range s.Stalling.Percentiles {
			switch q.P {
			case "p50":
				one.P50NS = q.ValueNS
			case "p99":
				one.P99NS = q.ValueNS
			}
		}
		out = append(out, one)
	}
	return out
}
