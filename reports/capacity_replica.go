package reports

import (
	"github.com/tailpath/tailpath/analyze/serving"
	"github.com/tailpath/tailpath/analyze/stat"
)

// EngineTimes are times at one engine, by which it can be set beside its replicas. Percentiles
// are null with fewer values than they need.
type EngineTimes struct {
	Of  string   `json:"of"` // what takes the time: a request, or the device for a part of one
	P50 Observed `json:"p50"`
	P99 Observed `json:"p99"`
}

// engineTimes returns how long requests took for which an engine did the most, and how long its
// device took for the same piece of work. Without any there are none.
func engineTimes(e *serving.Engine) []EngineTimes {
	out := []EngineTimes{}
	for _, s := range []serving.Spread{e.E2E, e.Service} {
		if s.N > 0 {
			out = append(out, EngineTimes{Of: s.Of, P50: observed(s.P50), P99: observed(s.P99)})
		}
	}
	return out
}

// observed returns a percentile with its interval.
func observed(q stat.Quantile) Observed {
	out := Observed{P: q.P.String(), N: q.N, ValueNS: valueOf(q), Need: q.Need}
	if q.HasLow {
		out.LowNS = &q.Low
	}
	if q.HasHigh {
		out.HighNS = &q.High
	}
	return out
}
