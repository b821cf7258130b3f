package analyze

import (
	"github.com/tailpath/tailpath/analyze/serving"
	"github.com/tailpath/tailpath/analyze/stat"
)

// SystemLevel is a number of requests over the whole time, weighted by time.
type SystemLevel struct {
	Of    string // in_flight, waiting or running, as of a [serving.Window]
	Level serving.Level
	// Mean has the interval of resampled blocks of time, or a warning that says why not. Its N
	// is the number of blocks, 0 without any.
	Mean        stat.Estimate
	Percentiles []LevelPercentile // p50, p95, p99 and p99.9
}

// LevelPercentile is the least number that was not exceeded for a share of the time, with the
// interval of resampled blocks of time.
type LevelPercentile struct {
	P         stat.Prob
	Value     int64
	HasBounds bool
	Low, High int64
	Why       string // there are no bounds
}

// SystemRate is how many of something there were a second over the whole time.
type SystemRate struct {
	Of         string // arrivals, completions, output_tokens or input_tokens
	Definition string // of tokens
	// Rate has the interval of resampled blocks of time, or a warning that says why not. Its N
	// is the number of what was counted: requests, those that told their tokens.
	Rate stat.Estimate
	// AtLeast says that not every completed request told its tokens.
	AtLeast bool
}

// systemLevels measures the numbers of requests over the whole time.
func systemLevels(r *serving.Result, b blocking, opt Options) (out []SystemLevel) {
	if r.ToNS <= r.FromNS {
		return nil
	}
	for _, x := range []struct {
		of    string
		level serving.Level
		held  func(*serving.Block) *serving.Held
	}{
		{"in_flight", r.Whole.InFlight, func(b *serving.Block) *serving.Held { return &b.InFlightHeld }},
		{"waiting", r.Whole.Waiting, func(b *serving.Block) *serving.Held { return &b.WaitingHeld }},
		{"running", r.Whole.Running, func(b *serving.Block) *serving.Held { return &b.RunningHeld }},
	} {
		l := SystemLevel{Of: x.of, Level: x.level, Mean: stat.Estimate{Value: x.level.Mean(), N: int64(len(r.Blocks)), Method: methodExact}}
		at := x.level
		for k, value := range []int64{at.P50, at.P95, at.P99, at.P999} {
			l.Percentiles = append(l.Percentiles, LevelPercentile{P: latencyPercentiles[k], Value: value, Why: b.why})
		}
		if len(r.Blocks) == 0 {
			l.Mean.Warnings = []stat.Warning{{ID: NoInterval, Text: b.why}}
		} else {
			l.bound(r.Blocks, x.held, opt)
		}
		out = append(out, l)
	}
	return out
}

// bound gives the mean and the percentiles their intervals.
func (l *SystemLevel) bound(blocks []serving.Block, of func(*serving.Block) *serving.Held, opt Options) {
	n := len(blocks)
	held, length, sum := make([]serving.Held, n), make([]float64, n), make([]float64, n)
	for i := range blocks {
		held[i] = *of(&blocks[i])
		length[i] = float64(held[i].Length())
		var exact stat.Sum
		for k, number := range held[i].N {
			exact = exact.Plus(stat.SumOf(held[i].NS[k]).Times(number))
		}
		sum[i] = exact.Float()
	}
	slow := boundRatio(&l.Mean, sum, length, opt)
	whole := serving.Sum(held...)
	all := whole.Length()
	for k := range l.Percentiles {
		p := &l.Percentiles[k]
		below, at := whole.UpTo(p.Value)
		if at == 0 {
			continue
		}
		tie := float64(p.P.Rank(all)-below) / float64(at)
		upTo := make([]float64, n)
		for i := range held {
			below, at := held[i].UpTo(p.Value)
			upTo[i] = float64(below) + float64(tie*float64(at))
		}
		bounds, why := percentileBounds(upTo, length, slow, opt)
		if p.Why = why; why != "" {
			continue
		}
		low, high := ranksWithin(bounds, all)
		p.HasBounds = true
		p.Low, _ = whole.AtRank(max(1, low))
		p.High, _ = whole.AtRank(min(all, high))
	}
}

// boundRatio gives a ratio of sums over blocks of time its interval, or says why it has none. It
// returns what [blockBounds] finds of slow changes.
func boundRatio(e *stat.Estimate, part, all []float64, opt Options) (slow float64) {
	bounds, slow, why := blockBounds(part, all, 0, opt)
	if why != "" {
		e.Warnings = append(e.Warnings, stat.Warning{ID: NoInterval, Text: why})
		return slow
	}
	e.HasBounds, e.Bounds, e.Method = true, bounds, MethodBlocks
	return slow
}

// systemRates measures what came and went a second over the whole time. Rates of tokens are there
// where a completed request told a number.
func systemRates(r *serving.Result, b blocking, opt Options) (out []SystemRate) {
	if r.ToNS <= r.FromNS {
		return nil
	}
	tokens := func(t serving.Tokens, d serving.Definition) float64 {
		if d == serving.TokensEmitted {
			return t.Emitted.Float()
		}
		return t.OfCompleted.Float()
	}
	w := &r.Whole
	for _, x := range []struct {
		of, definition string
		n              int64
		value          float64
		count          func(*serving.Window) float64
	}{
		{"arrivals", "", w.Arrivals, w.ArrivalRate(), func(w *serving.Window) float64 { return float64(w.Arrivals) }},
		{"completions", "", w.Completions, w.CompletionRate(), func(w *serving.Window) float64 { return float64(w.Completions) }},
		{"output_tokens", string(r.Output), w.Output.Counted, w.OutputRate(r.Output), func(w *serving.Window) float64 { return tokens(w.Output, r.Output) }},
		{"input_tokens", string(r.Input), w.Input.Counted, w.InputRate(r.Input), func(w *serving.Window) float64 { return tokens(w.Input, r.Input) }},
	} {
		if x.definition != "" && x.n == 0 {
			continue
		}
		rate := SystemRate{Of: x.of, Definition: x.definition, Rate: stat.Estimate{Value: x.value, N: x.n, Method: methodExact}, AtLeast: x.definition != "" && x.n < w.Completions}
		if len(r.Blocks) == 0 {
			rate.Rate.Warnings = []stat.Warning{{ID: NoInterval, Text: b.why}}
			out = append(out, rate)
			continue
		}
		count, seconds := make([]float64, len(r.Blocks)), make([]float64, len(r.Blocks))
		for i := range r.Blocks {
			block := &r.Blocks[i].Window
			count[i], seconds[i] = x.count(block), float64(block.ToNS-block.FromNS)/1e9
		}
		boundRatio(&rate.Rate, count, seconds, opt)
		out = append(out, rate)
	}
	return out
}
