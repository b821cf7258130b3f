package analyze

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/tailpath/tailpath/analyze/serving"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical/engine"
)

// SystemLatency is how long requests took, over the whole time and by when they came.
//
// It is of the requests that an analysis of latency is of: those that were answered and of
// which every part is known, unless the options say otherwise; the load also has failed ones.
// A request counts for the stretch in which it arrived, with all that it met later.
type SystemLatency struct {
	N         int64 // requests
	Whole     []LatencyOf
	Stretches []LatencyStretch
	// Weighted says that figures are estimates for all requests, kept or not, by their weights.
	Weighted bool
	// Kept says that figures are of the kept traces alone, which may be other than those that
	// were not; "" when that is not so.
	Kept string
}

// LatencyStretch is the requests that arrived in a stretch of time.
type LatencyStretch struct {
	serving.Stretch
	N  int64
	Of []LatencyOf
}

// LatencyOf is one metric of some requests. There is one of every metric that any request has.
type LatencyOf struct {
	Metric     string // e2e, ttft, itl, tpot or generation_rate
	Definition string // its id
	// Rate says that values are tokens a second, in units of 1/RateScale, and not ns.
	Rate bool
	// N is how many values there are: of itl gaps between tokens, pooled; else requests.
	N int64
	// Mean is arithmetic. Its interval is of resampled blocks of time; a warning says why it has
	// none.
	Mean      stat.Estimate
	Quantiles []LatencyQuantile // p50, p95, p99 and p99.9
}

// LatencyQuantile is a percentile by nearest rank. Of the whole time its interval is the wider
// of that of resampled blocks of time and that of order statistics, by MethodBlocksOrOrder; or
// else of order statistics alone, by MethodOrder, which takes values for independent. It has no
// upper end where what lies above the percentile came in too few separate times.
type LatencyQuantile struct {
	stat.Quantile
	Bounds string // the method of the interval; "" without one
}

// RateScale is how many units of a rate are one a second.
const RateScale = 1_000_000

// MethodBlocksOrOrder is the method of the wider of two intervals.
const MethodBlocksOrOrder = MethodBlocks + " or " + MethodOrder

// metricGeneration is the rate at which a request got its tokens.
const metricGeneration = "generation_rate"

// stretchesOfTime is how many stretches of time there are at most. They are the windows joined
// into 240, as many as a document has, and those into as many as a table has rows.
var stretchesOfTime = []int{240, 12}

// latencyPercentiles are those of every metric.
var latencyPercentiles = []stat.Prob{stat.P50, stat.P95, stat.P99, stat.P999}

// arrivedValue is a value of a request that came at an instant, with the request's weight.
type arrivedValue struct {
	at, value int64
	weight    float64
}

// valuesOf are the values of one metric in the order in which requests came.
type valuesOf struct {
	LatencyOf
	list []arrivedValue
}

// latencies measures how long requests took. Stretches are those of the time.
func (c *captured) latencies(s Sampling, stretches []serving.Stretch, b blocking) SystemLatency {
	rows := c.answered()
	out := SystemLatency{N: int64(len(rows)), Weighted: s.Kind == SamplingWeighted}
	switch s.Kind {
	case SamplingPartial, SamplingSuspected:
		out.Kept = "of the kept traces: a sampler may have chosen among them by how long they took"
	}
	if len(rows) == 0 {
		return out
	}
	metrics := c.latencyValues(rows, out.Weighted)
	arrivals := make([]int64, len(rows))
	for i, row := range rows {
		arrivals[i] = c.set.Requests.Start[row]
	}
	for _, t := range stretches {
		from, _ := slices.BinarySearch(arrivals, t.FromNS)
		to, _ := slices.BinarySearch(arrivals, t.ToNS)
		out.Stretches = append(out.Stretches, LatencyStretch{Stretch: t, N: int64(to - from), Of: make([]LatencyOf, len(metrics))})
	}
	out.Whole = make([]LatencyOf, len(metrics))
	stat.Replicates(len(metrics), c.opt.Workers, func(_, k int) {
		m := &metrics[k]
		for i := range out.Stretches {
			t := &out.Stretches[i]
			t.Of[k], _ = m.figures(m.between(t.FromNS, t.ToNS), out.Weighted)
		}
		var sorted []int64
		out.Whole[k], sorted = m.figures(m.list, out.Weighted)
		m.bound(&out.Whole[k], sorted, cutsOf(arrivals, b.n), b, c.opt)
	})
	return out
}

// stretches returns the stretches of the time in which requests came and ended.
func (c *captured) stretches() []serving.Stretch {
	if len(c.rows) == 0 {
		return nil
	}
	from, to := int64(math.MaxInt64), int64(math.MinInt64)
	for _, row := range c.rows {
		from, to = min(from, c.set.Requests.Start[row]), max(to, c.set.Requests.End[row], c.set.Requests.Start[row]+1)
	}
	length, _ := c.window()
	return serving.Stretches(from, to, length, stretchesOfTime...)
}

// answered returns the rows that latencies are of, in the order in which they came.
func (c *captured) answered() (rows []int32) {
	for _, row := range c.rows {
		if _, out := exclusion(c.set, int(row), c.opt); !out {
			rows = append(rows, row)
		}
	}
	start := c.set.Requests.Start
	slices.SortFunc(rows, func(a, b int32) int { return cmp.Or(cmp.Compare(start[a], start[b]), cmp.Compare(a, b)) })
	return rows
}

// latencyValues gathers the values of every metric that some row has. Rows are in order of
// time.
func (c *captured) latencyValues(rows []int32, weighted bool) (out []valuesOf) {
	req := &c.set.Requests
	last := c.lastTokens()
	var e2e, ttft, tpot, rate []arrivedValue
	for _, list := range []*[]arrivedValue{&e2e, &ttft, &tpot, &rate} {
		*list = make([]arrivedValue, 0, len(rows))
	}
	for _, row := range rows {
		v := arrivedValue{at: req.Start[row], weight: req.Weight[row]}
		add := func(to *[]arrivedValue, value int64) {
			v.value = value
			*to = append(*to, v)
		}
		add(&e2e, req.End[row]-req.Start[row])
		if first := req.TTFT[row]; first >= 0 {
			add(&ttft, first)
		}
		if ns, why := tpotOf(req, row); why == "" {
			add(&tpot, ns)
			end := req.End[row]
			if at, ok := last[c.index[row]]; ok {
				end = at
			}
			if r, ok := rateOf(req.OutputTokens[row]-1, end-req.FirstToken[row]); ok {
				add(&rate, r)
			}
		}
	}
	gaps, chunks := c.gapsOf(rows)
	itl := LatencyOf{Metric: metricITL, Definition: "itl"}
	if chunks {
		itl.Definition = "icl"
	}
	for _, m := range []valuesOf{
		{LatencyOf{Metric: metricE2E, Definition: "e2e"}, e2e}, {LatencyOf{Metric: metricTTFT, Definition: "ttft"}, ttft}, {itl, gaps},
		{LatencyOf{Metric: metricTPOT, Definition: "tpot_to_end"}, tpot}, {LatencyOf{Metric: metricGeneration, Definition: metricGeneration, Rate: true}, rate},
	} {
		if len(m.list) == 0 {
			continue
		}
		if weighted { // sums of weights depend on their order
			slices.SortFunc(m.list, func(a, b arrivedValue) int {
				return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.value, b.value), cmp.Compare(a.weight, b.weight))
			})
		}
		out = append(out, m)
	}
	return out
}

// rateOf returns n a time as a rate in units of 1/RateScale a second, false where there is none.
func rateOf(n, ns int64) (int64, bool) {
	if n < 1 || ns < 1 {
		return 0, false
	}
	hi, lo := bits.Mul64(uint64(n), uint64(RateScale)*1e9)
	lo, carry := bits.Add64(lo, uint64(ns)/2, 0)
	if hi += carry; hi >= uint64(ns) {
		return math.MaxInt64, true
	}
	q, _ := bits.Div64(hi, lo, uint64(ns))
	return int64(min(q, math.MaxInt64)), true
}

// lastTokens returns when the last token of a request came, by its place in Requests, of those
// that tell when all of them did.
func (c *captured) lastTokens() map[int32]int64 {
	last := map[int32]int64{}
	for _, e := range c.Emissions {
		last[int32(e.Request)] = e.AtNS // they are in order
	}
	return last
}

// gapsOf returns the gaps between the tokens of some rows, in order of their arrivals. chunks
// is as captured.gaps says.
func (c *captured) gapsOf(rows []int32) (list []arrivedValue, chunks bool) {
	req := &c.set.Requests
	chunks = newSpacing(c.set, c.opt.Engines).each(c.inside(rows), func(s *engine.Stream, gaps []gapAt) {
		for _, g := range gaps {
			list = append(list, arrivedValue{req.Start[s.Request], g.ns, req.Weight[s.Request]})
		}
	})
	slices.SortFunc(list, func(a, b arrivedValue) int { return cmp.Compare(a.at, b.at) })
	return list, chunks
}

// between returns the values of requests that came in a time.
func (m *valuesOf) between(from, to int64) []arrivedValue {
	search := func(at int64) int {
		i, _ := slices.BinarySearchFunc(m.list, at, func(v arrivedValue, at int64) int { return cmp.Compare(v.at, at) })
		return i
	}
	return m.list[search(from):search(to)]
}

// figures computes the mean and the percentiles of some values. It returns the values in
// order, but for weighted ones. Nothing bounds weighted percentiles here.
func (m *valuesOf) figures(list []arrivedValue, weighted bool) (out LatencyOf, sorted []int64) {
	out = m.LatencyOf
	out.N = int64(len(list))
	out.Mean = stat.Estimate{N: out.N, Method: methodExact}
	if weighted {
		values := make([]weighed, len(list))
		var sum, all float64
		for i, v := range list {
			values[i] = weighed{v.value, v.weight}
			sum, all = sum+float64(v.weight*float64(v.value)), all+v.weight
		}
		if all > 0 {
			out.Mean.Value, out.Mean.Method = sum/all, stat.MethodWeighted
		}
		for _, p := range latencyPercentiles {
			out.Quantiles = append(out.Quantiles, LatencyQuantile{Quantile: weightedQuantile(values, p)})
		}
		return out, nil
	}
	sorted = make([]int64, len(list))
	for i, v := range list {
		sorted[i] = v.value
	}
	stat.Sort(sorted)
	if out.N > 0 {
		out.Mean.Value = stat.SumOf(sorted...).Float() / float64(out.N)
	}
	for _, p := range latencyPercentiles {
		q := LatencyQuantile{Quantile: stat.QuantileOf(sorted, p)}
		if q.HasLow || q.HasHigh {
			q.Bounds = MethodOrder
		}
		out.Quantiles = append(out.Quantiles, q)
	}
	return out, sorted
}
