package reports

import (
	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/analyze/serving"
	"github.com/tailpath/tailpath/analyze/stat"
)

// LevelPercentile is the least number that was not exceeded for a share of the time; bounds
// are null where they are not known.
type LevelPercentile struct {
	P     string `json:"p"`
	Value int64  `json:"value"`
	Low   *int64 `json:"low"`
	High  *int64 `json:"high"`
	Why   string `json:"no_bounds"` // empty where there are bounds
}

// LoadRate is how many of something there were a second over the whole time.
type LoadRate struct {
	Of         string `json:"of"` // arrivals, completions, output_tokens or input_tokens
	Definition string `json:"definition"`
	Rate       Figure `json:"rate_per_s"` // its n is what was counted
	AtLeast    bool   `json:"at_least"`   // not every completed request told its tokens
	Why        string `json:"no_bounds"`
}

// Batches is how many requests engines execute at a time.
type Batches struct {
	Refused   string          `json:"refused"`   // why there is nothing; empty when there is
	Executing *ExecutingLevel `json:"executing"` // over all engines; null for no work on a GPU
	Engines   []EngineBatches `json:"engines"`
}

// ExecutingLevel is the number of requests on the GPU while there is any, weighted by time.
type ExecutingLevel struct {
	BusyNS int64   `json:"busy_ns"`
	Mean   float64 `json:"mean"`
	P50    int64   `json:"p50"`
	P95    int64   `json:"p95"`
	P99    int64   `json:"p99"`
	Peak   int64   `json:"peak"`
}

// EngineBatches is how many requests one engine executes at a time.
type EngineBatches struct {
	Name      string          `json:"name"`
	Executing *ExecutingLevel `json:"executing"`
	Batches   *BatchSizes     `json:"batches"` // null where nothing tells who was executed together
	Readings  []BatchReading  `json:"readings"`
}

// BatchSizes is how many requests batches have; each batch counts once.
type BatchSizes struct {
	N           int64            `json:"n"`
	Basis       string           `json:"basis"`
	Mean        float64          `json:"mean"`
	Percentiles []SizePercentile `json:"percentiles"`
	Peak        int64            `json:"peak"`
}

// SizePercentile is a percentile of the sizes of batches; null where they are too few.
type SizePercentile struct {
	P     string `json:"p"`
	Value *int64 `json:"value"`
	Low   *int64 `json:"low"`
	High  *int64 `json:"high"`
	Need  int64  `json:"need"`
}

// BatchReading sums up an engine's own readings of a metric; each counts once.
type BatchReading struct {
	Metric string  `json:"metric"`
	N      int64   `json:"n"`
	Mean   float64 `json:"mean"`
	P50    float64 `json:"p50"`
	P95    float64 `json:"p95"`
	P99    float64 `json:"p99"`
	Peak   float64 `json:"peak"`
}

// level makes a level, with the intervals of it where they were made.
func level(of string, l serving.Level, list []analyze.SystemLevel) Level {
	out := Level{Of: of, Mean: l.Mean(), P50: l.P50, P95: l.P95, P99: l.P99, P999: l.P999, Peak: l.Peak, Percentiles: []LevelPercentile{}}
	for i := range list {
		if list[i].Of != of {
			continue
		}
		bounds := estimate(list[i].Mean)
		out.Bounds, out.NoBounds = &bounds, whyNot(list[i].Mean.Warnings)
		for _, p := range list[i].Percentiles {
			x := LevelPercentile{P: p.P.String(), Value: p.Value, Why: p.Why}
			if p.HasBounds {
				x.Low, x.High = &p.Low, &p.High
			}
			out.Percentiles = append(out.Percentiles, x)
		}
	}
	return out
}

// whyNot returns why a figure has no interval, "" when nothing says so.
func whyNot(list []stat.Warning) string {
	for _, w := range list {
		if w.ID == analyze.NoInterval {
			return w.Text
		}
	}
	return ""
}

func loadRates(list []analyze.SystemRate) []LoadRate {
	out := []LoadRate{}
	for _, r := range list {
		out = append(out, LoadRate{Of: r.Of, Definition: r.Definition, Rate: estimate(r.Rate), AtLeast: r.AtLeast, Why: whyNot(r.Rate.Warnings)})
	}
	return out
}

func executing(l serving.Level) *ExecutingLevel {
	if l.NS == 0 {
		return nil
	}
	return &ExecutingLevel{BusyNS: l.NS, Mean: l.Mean(), P50: l.P50, P95: l.P95, P99: l.P99, Peak: l.Peak}
}

func batches(b analyze.SystemBatches) Batches {
	out := Batches{Refused: b.Refused, Executing: executing(b.Executing), Engines: []EngineBatches{}}
	for _, e := range b.Engines {
		x := EngineBatches{Name: e.Name, Executing: executing(e.Executing), Readings: []BatchReading{}}
		if s := e.Batches; s != nil {
			x.Batches = &BatchSizes{N: s.N, Basis: s.Basis, Mean: s.Mean, Peak: s.Peak, Percentiles: []SizePercentile{}}
			for _, q := range s.Quantiles {
				p := SizePercentile{P: q.P.String(), Value: valueOf(q), Need: q.Need}
				if q.HasLow {
					p.Low = &q.Low
				}
				if q.HasHigh {
					p.High = &q.High
				}
				x.Batches.Percentiles = append(x.Batches.Percentiles, p)
			}
		}
		for _, r := range e.Readings {
			x.Readings = append(x.Readings, BatchReading(r))
		}
		out.Engines = append(out.Engines, x)
	}
	return out
}

// engineName names an engine by its number where it has no name.
func engineName(e *serving.Engine, names []string) string {
	if e.ID >= 0 && e.ID < len(names) && names[e.ID] != "" {
		return names[e.ID]
	}
	return "engine " + Integer(int64(e.ID))
}
