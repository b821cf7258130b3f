package analyze

import (
	"math"
	"slices"

	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/analyze/tokens"
	"github.com/tailpath/tailpath/ingest/table"
)

// Measures are figures by the definitions that were asked for.
type Measures struct {
	Values []Measure // in the order in which they were asked for
	Rules  []ByRule  // likewise; of each duration, ttft and tpot of the report
}

// Measure is a measure by one definition over the requests of the population: of each of
// them, or of their gaps between tokens, pooled.
type Measure struct {
	Definition Definition
	// Percentiles are in parts of the unit, Scale of which are one: of N requests, or gaps.
	// Those of gaps have no exemplars.
	Percentiles
	Unit     string  // "ns" or "tokens/s"
	Scale    float64 // 1 of ns
	Of       string  // what N counts: "requests", or "gaps"
	Requests int64   // with a value, or with gaps; with the undefined ones they are the population
	Mean     stat.Estimate
	// ByRule has for each rule that was asked for its percentiles, which count in parts of the
	// unit as well.
	ByRule []NamedBy
	// MeanForAll is the mean of all requests, kept or not; nil unless the weights of the
	// requests differ.
	MeanForAll *float64
}

// NamedBy are percentiles of a measure by another rule, in the order of its own, whose bounds
// are theirs too.
type NamedBy struct {
	Rule  Definition
	Named []stat.Named
}

// ByRule are percentiles of a figure of the report by another rule.
type ByRule struct {
	Rule   Definition
	Metric string // "duration", "ttft" or "tpot"
	// Quantiles are those by nearest rank, whose bounds are of the percentile and not of the
	// rule; Named are those by the rule, in the same order.
	Quantiles []stat.Quantile
	Named     []stat.Named
}

// rateScale is how many parts of a token a second rates are counted in.
const rateScale = 1e6

// measuresOf takes the figures by the definitions of the options over rows, those of the
// population; nil when none is asked for. The options must be filled, and on the set.
func measuresOf(set *table.Set, rows []int32, sampling Sampling, opt Options) *Measures {
	out := &Measures{}
	var m *measured
	var blocks timeBlocks
	for _, d := range opt.defined() {
		switch d.Scope() {
		case ScopeRequest, ScopeGaps:
			if m == nil {
				m, blocks = newMeasured(set), blocksOf(set, rows)
			}
			if d.Scope() == ScopeGaps {
				out.Values = append(out.Values, m.pooled(d, rows, blocks, sampling, opt))
			} else {
				out.Values = append(out.Values, m.measure(d, rows, blocks, sampling, opt))
			}
		case ScopePercentile:
			out.Rules = append(out.Rules, byRule(set, d, rows, opt)...)
		}
	}
	if out.Values == nil && out.Rules == nil {
		return nil
	}
	return out
}

// defined returns the definitions of the options, each once.
func (o Options) defined() (list []Definition) {
	all := Definitions()
	with := func(in []Definition, id string) int {
		return slices.IndexFunc(in, func(d Definition) bool { return d.ID == id })
	}
	for _, id := range o.Define {
		if k := with(all, id); k >= 0 && with(list, id) < 0 {
			list = append(list, all[k])
		}
	}
	return list
}

// namedBy takes the percentiles of n values in order by every rule of the options; value returns
// that of a rank.
func (o Options) namedBy(n int64, value func(rank int64) int64) (out []NamedBy) {
	for _, d := range o.defined() {
		if rule, err := stat.RuleNamed(d.ID); err == nil {
			by := NamedBy{Rule: d}
			for _, p := range o.Percentiles {
				by.Named = append(by.Named, rule.OfRanks(n, value, p))
			}
			out = append(out, by)
		}
	}
	return out
}

// measure takes one measure of every request that has it.
func (m *measured) measure(d Definition, rows []int32, blocks timeBlocks, sampling Sampling, opt Options) Measure {
	def, _ := tokens.Define(d.ID)
	out := Measure{Definition: d, Unit: def.Unit, Scale: 1, Of: OfRequests}
	if def.Unit == unitRate {
		out.Scale = rateScale
	}
	exact := make([]float64, m.set.Requests.Len()) // by row, before it is rounded
	with, value, without := m.scaled(def, rows, out.Scale, exact)
	rank(m.set, with, value)
	weighted := sampling.Kind == SamplingWeighted
	name := d.ID
	if name == metricE2E { // its bounds leave room for the resolution of the records
		name = durationName
	}
	out.Percentiles = percentiles(m.set, name, with, value, weighted, opt)
	out.Metric = d.ID
	out.Undefined, out.Requests = without, int64(len(with))
	out.ByRule = opt.namedBy(out.Requests, func(rank int64) int64 { return value[with[rank-1]] })
	mean := blocks.mean()
	var all, weight float64
	for _, row := range with {
		v := exact[row]
		mean.add(row, v, 1)
		if weighted {
			all, weight = all+float64(v*m.set.Requests.Weight[row]), weight+m.set.Requests.Weight[row]
		}
	}
	out.Mean = mean.estimate(opt)
	if weighted && weight > 0 {
		all /= weight
		out.MeanForAll = &all
	}
	if sampling.Biased() {
		out.Mean.Warnings = append(out.Mean.Warnings, stat.Warning{ID: KeptTraces, Text: keptTraces})
	}
	return out
}

// byRule takes the percentiles of the report by a rule.
func byRule(set *table.Set, d Definition, rows []int32, opt Options) (out []ByRule) {
	rule, err := stat.RuleNamed(d.ID)
	if err != nil {
		return nil
	}
	streamed, _ := ttftRows(set, rows)
	spoken, tpot, _ := tpotRows(set, rows)
	for _, m := range []struct {
		name  string
		rows  []int32
		value []int64
	}{{durationName, rows, set.Requests.Duration}, {"ttft", streamed, set.Requests.TTFT}, {"tpot", spoken, tpot}} {
		sorted := slices.Sorted(slices.Values(gather(m.value, m.rows)))
		by := ByRule{Rule: d, Metric: m.name}
		var off *farOff
		if m.name == durationName {
			off = farOffOf(set, m.rows)
		}
		for _, p := range opt.Percentiles {
			q := stat.QuantileOf(sorted, p)
			off.widen(&q)
			by.Quantiles, by.Named = append(by.Quantiles, q), append(by.Named, rule.Of(sorted, p))
		}
		out = append(out, by)
	}
	return out
}

// timeBlocks divides requests into blocks of time: means of one time are alike.
type timeBlocks struct {
	of      []int32 // block by row of the requests table
	n       int     // 0 when there are no blocks
	refused string  // why
}

// Why a mean has no interval.
const (
	meanUndated = "no interval: the requests have no clock in common, so there are no blocks of time to resample"
	meanTooFew  = "no interval: it takes requests in ten stretches of time"
)

// blocksOf divides rows into blocks of about as many requests, in the order in which they
// began.
func blocksOf(set *table.Set, rows []int32) (b timeBlocks) {
	if len(rows) < fewestBlocks {
		return timeBlocks{refused: meanTooFew}
	}
	base := timebaseOf(set, int(rows[0]))
	for _, row := range rows {
		if base.clock == table.ClockNone || timebaseOf(set, int(row)) != base {
			return timeBlocks{refused: meanUndated}
		}
	}
	inTime := slices.Clone(rows)
	rank(set, inTime, set.Requests.Start)
	b = timeBlocks{of: make([]int32, set.Requests.Len()), n: min(len(rows), mostBlocks)}
	for i, row := range inTime {
		b.of[row] = int32(i * b.n / len(inTime))
	}
	return b
}

// MethodMean is the method of a mean that nothing bounds.
const MethodMean = "mean"

// blockMean is a mean over requests or their gaps, by blocks of time.
type blockMean struct {
	blocks   timeBlocks
	sum, all []float64
	total, n float64
}

func (b timeBlocks) mean() *blockMean {
	return &blockMean{blocks: b, sum: make([]float64, b.n), all: make([]float64, b.n)}
}

// add adds n values of a request, which add up to sum.
func (m *blockMean) add(row int32, sum, n float64) {
	m.total, m.n = m.total+sum, m.n+n
	if m.blocks.n > 0 {
		at := m.blocks.of[row]
		m.sum[at], m.all[at] = m.sum[at]+sum, m.all[at]+n
	}
}

// estimate returns the mean, with the interval of resampled blocks of time.
func (m *blockMean) estimate(opt Options) stat.Estimate {
	e := stat.Estimate{N: int64(m.n), Method: MethodMean}
	if m.n == 0 {
		e.Warnings = []stat.Warning{{ID: stat.TooFew, Text: "there is nothing to take a mean of"}}
		return e
	}
	e.Value = m.total / m.n
	refused := m.blocks.refused
	held := 0
	for _, n := range m.all {
		if n > 0 {
			held++
		}
	}
	if refused == "" && held < fewestBlocks {
		refused = meanTooFew
	}
	if refused == "" {
		bounds := stat.PercentileBounds(resampledShares(m.sum, m.all, opt), stat.ExpandedConfidence(held, stat.Confidence))
		if !math.IsNaN(bounds.Low) && !math.IsNaN(bounds.High) {
			e.HasBounds, e.Bounds, e.Method = true, bounds, MethodBlocks
			return e
		}
		refused = "no interval: too few resamples have a mean"
	}
	e.Warnings = []stat.Warning{{ID: NoInterval, Text: refused}}
	return e
}
