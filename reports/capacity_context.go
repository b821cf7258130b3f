package reports

import (
	"github.com/tailpath/tailpath/analyze/serving"
)

// Context is what the figures must be read with. What is unknown is null.
type Context struct {
	Vantage       *string       `json:"vantage"` // where requests are seen from: client, gateway or engine
	WindowNS      *int64        `json:"window_ns"`
	N             *int64        `json:"n"` // completed requests
	Sampling      *string       `json:"sampling"`
	Model         *string       `json:"model"`
	Engine        *string       `json:"engine"`
	EngineVersion *string       `json:"engine_version"`
	GPUType       *string       `json:"gpu_type"`
	GPUCount      *int64        `json:"gpu_count"`
	Replicas      *int64        `json:"replicas"`
	Concurrency   ContextLevel  `json:"concurrency"`
	ArrivalRate   *float64      `json:"arrivals_per_s"`
	Waiting       ContextLevel  `json:"waiting"` // for a place
	InputTokens   ContextCounts `json:"input_tokens"`
	OutputTokens  ContextCounts `json:"output_tokens"`
	TTFT          ContextTimes  `json:"ttft"`
	ITL           ContextTimes  `json:"itl"`
	TPOT          ContextTimes  `json:"tpot"`
	E2E           ContextTimes  `json:"e2e"`
	FailureRate   *float64      `json:"failure_rate"` // errors and requests that were given up
	CacheHit      *float64      `json:"cache_hit"`
	LoadMode      *string       `json:"load_mode"` // open or closed
	Definitions   []string      `json:"definition_ids"`
}

// ContextLevel is a number of requests over time.
type ContextLevel struct {
	Mean *float64 `json:"mean"`
	P95  *int64   `json:"p95"`
	Peak *int64   `json:"peak"`
}

// ContextCounts are percentiles of a number of tokens over N requests that tell it, with the ends
// of the 95 % interval of P50.
type ContextCounts struct {
	P50  *int64 `json:"p50"`
	P95  *int64 `json:"p95"`
	Low  *int64 `json:"p50_low"`
	High *int64 `json:"p50_high"`
	N    *int64 `json:"n"`
}

func contextCounts(l serving.Lengths) ContextCounts {
	return ContextCounts{maybe(l.P50), maybe(l.P95), maybe(l.Low), maybe(l.High), maybe(l.N)}
}

// ContextTimes are percentiles of a time, those that the context asks for.
type ContextTimes struct {
	P50NS *int64 `json:"p50_ns"`
	P95NS *int64 `json:"p95_ns"`
	P99NS *int64 `json:"p99_ns"`
}

func context(c serving.Context) Context {
	return Context{
		Vantage: maybe(c.Vantage), WindowNS: maybe(c.WindowNS), N: maybe(c.N), Sampling: maybe(c.Sampling), Model: maybe(c.Model),
		Engine: maybe(c.Engine), EngineVersion: maybe(c.EngineVersion), GPUType: maybe(c.GPUType), GPUCount: maybe(c.GPUCount), Replicas: maybe(c.Replicas),
		Concurrency: ContextLevel{number(c.Concurrency.Mean), maybe(c.Concurrency.P95), maybe(c.Concurrency.Peak)}, ArrivalRate: number(c.ArrivalRate),
		Waiting:     ContextLevel{number(c.Waiting.Mean), maybe(c.Waiting.P95), nil},
		InputTokens: contextCounts(c.InputTokens), OutputTokens: contextCounts(c.OutputTokens),
		TTFT: ContextTimes{P50NS: maybe(c.TTFT.P50), P95NS: maybe(c.TTFT.P95)}, ITL: ContextTimes{P95NS: maybe(c.ITL.P95), P99NS: maybe(c.ITL.P99)},
		TPOT: ContextTimes{P95NS: maybe(c.TPOT.P95)}, E2E: ContextTimes{P50NS: maybe(c.E2E.P50), P99NS: maybe(c.E2E.P99)},
		FailureRate: number(c.FailureRate), CacheHit: number(c.CacheHit), LoadMode: loadMode(c.LoadMode), Definitions: append([]string{}, c.Definitions...),
	}
}

// maybe returns a value, nil when it is unknown.
func maybe[T any](m serving.Maybe[T]) *T {
	if !m.Known {
		return nil
	}
	return &m.Value
}

// number is maybe of a value that must be a number to be known.
func number(m serving.Maybe[float64]) *float64 {
	if !m.Known {
		return nil
	}
	return figure(m.Value)
}

func loadMode(m serving.Maybe[serving.LoadMode]) *string {
	if !m.Known {
		return nil
	}
	text := string(m.Value)
	return &text
}
