package serving

import (
	"fmt"
	"slices"

	"github.com/tailpath/tailpath/analyze/stat"
)

// Maybe is a value that may be unknown, which is the zero value.
type Maybe[T any] struct {
	Known bool
	Value T
}

// Is returns a known value.
func Is[T any](v T) Maybe[T] { return Maybe[T]{true, v} }

// String returns the value, or "unknown".
func (m Maybe[T]) String() string {
	if !m.Known {
		return "unknown"
	}
	return fmt.Sprint(m.Value)
}

// LoadMode says who decides when a request comes.
type LoadMode string

// The modes. A closed load sends the next request when one has ended.
const (
	Open   LoadMode = "open"
	Closed LoadMode = "closed"
)

// Context is what a figure must be read with. Every field may be unknown; times are in ns.
type Context struct {
	Vantage       Maybe[string] // where requests are seen from: client, gateway, engine
	WindowNS      Maybe[int64]
	N             Maybe[int64]  // completed requests
	Sampling      Maybe[string] // what weights rest on
	Model         Maybe[string]
	Engine        Maybe[string]
	EngineVersion Maybe[string]
	GPUType       Maybe[string]
	GPUCount      Maybe[int64]
	Replicas      Maybe[int64]
	Concurrency   struct {
		Mean      Maybe[float64]
		P95, Peak Maybe[int64]
	}
	// ArrivalRate is in requests a second, unknown unless the window is as long as ten requests
	// on average.
	ArrivalRate Maybe[float64]
	Waiting     struct { // for a place
		Mean Maybe[float64]
		P95  Maybe[int64]
	}
	InputTokens, OutputTokens Lengths
	TTFT                      struct{ P50, P95 Maybe[int64] }
	ITL                       struct{ P95, P99 Maybe[int64] }
	TPOT                      struct{ P95 Maybe[int64] }
	E2E                       struct{ P50, P99 Maybe[int64] }
	FailureRate               Maybe[float64] // errors and aborts, 0 to 1
	CacheHit                  Maybe[float64] // 0 to 1
	LoadMode                  Maybe[LoadMode]
	Definitions               []string // ids of the definitions that were used, in order
}

// context fills in what the requests tell.
func (r *reader) context() {
	c := &r.Context
	if r.ToNS > r.FromNS {
		c.WindowNS = Is(r.ToNS - r.FromNS)
		if r.rated() {
			c.ArrivalRate = Is(r.Whole.ArrivalRate())
		}
	}
	c.N = Is(int64(len(r.durations)))
	if n := int64(len(r.Engines)); n > 0 {
		c.Replicas = Is(n)
	}
	if l := r.Whole.InFlight; l.NS > 0 && l.Integral.Sign() > 0 {
		c.Concurrency.Mean, c.Concurrency.P95, c.Concurrency.Peak = Is(l.Mean()), Is(l.P95), Is(l.Peak)
	}
	if l := r.Whole.Waiting; l.NS > 0 && r.recorded.Has(Gateway) && r.recorded.Has(Queue) && len(r.partial) == 0 {
		c.Waiting.Mean, c.Waiting.P95 = Is(l.Mean()), Is(l.P95)
	}
	c.InputTokens, c.OutputTokens = LengthsOf(r.input), LengthsOf(r.output)
	c.TTFT.P50, c.TTFT.P95 = percentiles(r.first, stat.P95)
	c.E2E.P50, c.E2E.P99 = percentiles(r.durations, stat.P99)
	c.Definitions = slices.Compact(slices.Sorted(slices.Values([]string{string(r.Output), string(r.Input)})))
}

// leastDurations is the least length of a window in mean durations of requests. In a shorter
// one an arrival more or less changes the rate.
const leastDurations = 10

// rated reports whether the window is long enough for a rate of arrivals.
func (r *reader) rated() bool {
	n := int64(len(r.durations))
	window := stat.SumOf(r.ToNS - r.FromNS)
	return n > 0 && window.Times(n).Minus(stat.SumOf(r.durations...).Times(leastDurations)).Sign() >= 0
}

// percentiles returns the median and another percentile, each unknown when there are too
// few values for it. It moves the values about.
func percentiles(values []int64, p stat.Prob) (median, high Maybe[int64]) {
	of := func(p stat.Prob) Maybe[int64] {
		if int64(len(values)) < stat.Minimum(p).OneSided {
			return Maybe[int64]{}
		}
		return Is(stat.SelectRank(values, p))
	}
	return of(stat.P50), of(p)
}
