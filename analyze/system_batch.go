package analyze

import (
	"math"
	"slices"

	"github.com/tailpath/tailpath/analyze/serving"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical/engine"
)

// SystemBatches is how many requests engines execute at a time.
type SystemBatches struct {
	// Refused says why there is nothing: no engine has work on the GPU that is told.
	Refused string
	// Executing is the number of requests on the GPU of an engine at a time, while there is any:
	// weighted by time, over all engines, the busy time of each for itself.
	Executing serving.Level
	Engines   []EngineBatches // those with work on the GPU, or readings; by number
}

// EngineBatches is how many requests one engine executes at a time.
type EngineBatches struct {
	ID        int
	Name      string
	Executing serving.Level
	// Batches is nil where nothing tells which requests were executed together.
	Batches *BatchSizes
	// Readings are the engine's own, of the metrics that it tells.
	Readings []BatchReading
}

// BatchSizes is how many requests batches have, as recorded: each batch counts once, however
// long it took.
type BatchSizes struct {
	N     int64 // batches
	Basis string
	Mean  float64
	// Quantiles are p50, p95 and p99, by nearest rank. Their intervals take batches for
	// independent.
	Quantiles []stat.Quantile
	Peak      int64
}

// BatchReading sums up an engine's own readings of how many requests it executes at a time:
// each counts once, whenever it was taken.
type BatchReading struct {
	Metric              string
	N                   int64
	Mean, P50, P95, P99 float64 // nearest rank
	Peak                float64
}

// batchMetrics are the metrics that say how many requests are executed at a time.
var batchMetrics = []string{"running", "batch_size", "batch_decode_requests", "batch_prefill_requests"}

// batches measures how many requests engines execute at a time.
func (c *captured) batches(r *serving.Result) SystemBatches {
	out := SystemBatches{Executing: r.Executing}
	for i := range r.Engines {
		e := &r.Engines[i]
		if e.ID < 0 || e.ID >= len(c.engines) {
			continue
		}
		x := EngineBatches{ID: e.ID, Name: c.engines[e.ID].Name, Executing: e.Executing, Batches: sizesOf(c.opt.Engines.Batches(int32(e.ID)))}
		for _, metric := range batchMetrics {
			if reading, ok := c.batchReading(int32(e.ID), metric); ok {
				x.Readings = append(x.Readings, reading)
			}
		}
		if x.Executing.NS > 0 || x.Batches != nil || x.Readings != nil {
			out.Engines = append(out.Engines, x)
		}
	}
	if out.Engines == nil {
		out.Refused = "nothing tells what an engine executed"
	}
	return out
}

func sizesOf(list []engine.Batch) *BatchSizes {
	if len(list) == 0 {
		return nil
	}
	b := &BatchSizes{N: int64(len(list)), Basis: list[0].Basis}
	sizes := make([]int64, len(list))
	for i := range list {
		sizes[i] = max(0, list[i].Size)
	}
	slices.Sort(sizes)
	b.Mean, b.Peak = stat.SumOf(sizes...).Float()/float64(b.N), sizes[len(sizes)-1]
	for _, p := range []stat.Prob{stat.P50, stat.P95, stat.P99} {
		b.Quantiles = append(b.Quantiles, stat.QuantileOf(sizes, p))
	}
	return b
}

// batchReading sums up the readings of one metric, false without any.
func (c *captured) batchReading(e int32, metric string) (out BatchReading, ok bool) {
	var values []float64
	c.opt.Engines.Readings(e, metric, func(_ int64, value float64) {
		if value >= 0 && !math.IsInf(value, 0) {
			values = append(values, value)
		}
	})
	n := int64(len(values))
	if n == 0 {
		return out, false
	}
	slices.Sort(values)
	at := func(p stat.Prob) float64 { return values[max(1, p.Rank(n))-1] }
	out = BatchReading{Metric: metric, N: n, P50: at(stat.P50), P95: at(stat.P95), P99: at(stat.P99), Peak: values[n-1]}
	for _, v := range values {
		out.Mean += v / float64(n)
	}
	return out, true
}
