package analyze

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/tailpath/tailpath/analyze/attribution"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/ingest/table"
)

// metric is one latency that stages tile: the duration, or the time to the first
// token.
type metric struct {
	name   string
	value  []int64 // ns, by row of the requests table
	stages *[StageCount][]int64
	target critical.Target
}

// durationName is the metric whose values the records' resolution shifts.
const durationName = "duration"

func durationMetric(set *table.Set) metric {
	return metric{durationName, set.Requests.Duration, &set.Requests.Stage, critical.End}
}

func ttftMetric(set *table.Set) metric {
	return metric{"ttft", set.Requests.TTFT, &set.Requests.TTFTStage, critical.FirstToken}
}

// Exemplar is a real request that stands for a figure.
type Exemplar struct {
	TraceID    table.TraceID
	RootSpanID table.SpanID
	NS         int64 // the value of the metric
}

// Percentile is a percentile of a metric with the request that has it.
type Percentile struct {
	stat.Quantile
	Exemplar Exemplar // when Known
	// Weighted is the percentile estimated for all requests, kept or not, when every
	// request has a sampling weight and the weights differ; nil otherwise.
	Weighted         *stat.Weighted
	WeightedExemplar Exemplar
}

// Undefined counts requests for which a metric is not defined, for one reason.
type Undefined struct {
	Reason string
	N      int64
}

// Percentiles are the percentiles of one metric over the requests that have it.
type Percentiles struct {
	Metric    string // "duration", "ttft" or "tpot"
	N         int64
	Undefined []Undefined // N and these add up to the population
	Quantiles []Percentile
	Slowest   Exemplar // when N > 0
}

// Latency is the analysis of one metric that stages tile.
type Latency struct {
	Percentiles
	All   Group
	Bands []BandMix
	Tail  Tail
	// Attribution sees the tail from more sides and bounds its shares; its parts are the
	// stages in path order. It is nil when the tail is too small.
	Attribution *attribution.Result
	// ForAll is the same for all requests, kept or not; nil unless weights differ.
	ForAll *ForAll
	// Strata splits the tail's excess by kinds of request; empty when it has none, or all
	// requests are of one kind.
	Strata []Strata
}

// BandMix is the stage mix of the requests in one band.
type BandMix struct {
	Band        Band
	First, Last int64 // 1-based ranks; Last is below First when the band is empty
	Group
}

// rank orders rows by (value, trace id, root span id), so that equal values keep
// one order whatever the order of the table. Rows that agree on these but differ
// otherwise are ordered by what they hold, and only then by their place.
func rank(set *table.Set, rows []int32, value []int64) {
	req := &set.Requests
	slices.SortFunc(rows, func(a, b int32) int {
		if c := cmp.Compare(value[a], value[b]); c != 0 {
			return c
		}
		if c := cmp.Or(bytes.Compare(req.TraceID[a][:], req.TraceID[b][:]),
			bytes.Compare(req.RootSpanID[a][:], req.RootSpanID[b][:]),
			cmp.Compare(req.Start[a], req.Start[b])); c != 0 {
			return c
		}
		for k := range req.Stage {
			if c := cmp.Or(cmp.Compare(req.Stage[k][a], req.Stage[k][b]), cmp.Compare(req.TTFTStage[k][a], req.TTFTStage[k][b])); c != 0 {
				return c
			}
		}
		return cmp.Compare(a, b)
	})
}

// exemplar names the request in a row.
func exemplar(set *table.Set, row int32, ns int64) Exemplar {
	return Exemplar{set.Requests.TraceID[row], set.Requests.RootSpanID[row], ns}
}

// percentiles computes the percentiles of ranked rows. value is indexed by row. Bounds of the
// duration leave room for the resolution of the records.
func percentiles(set *table.Set, name string, ranked []int32, value []int64, weighted bool, opt Options) Percentiles {
	p := Percentiles{Metric: name, N: int64(len(ranked))}
	sorted := make([]int64, len(ranked))
	for i, row := range ranked {
		sorted[i] = value[row]
	}
	var weights []float64
	if weighted {
		weights = make([]float64, len(ranked))
		for i, row := range ranked {
			weights[i] = set.Requests.Weight[row]
		}
	}
	var off *farOff
	if name == durationName {
		off = farOffOf(set, ranked)
	}
	for _, at := range opt.Percentiles {
		q := Percentile{Quantile: stat.QuantileOf(sorted, at)}
		off.widen(&q.Quantile)
		if q.Known {
			q.Exemplar = exemplar(set, ranked[q.Rank-1], q.Value)
		}
		if weighted {
			w := stat.WeightedQuantileOf(sorted, weights, at)
			if q.Weighted = &w; w.Known {
				q.WeightedExemplar = exemplar(set, ranked[w.Rank-1], w.Value)
			}
		}
		p.Quantiles = append(p.Quantiles, q)
	}
	if n := len(ranked); n > 0 {
		p.Slowest = exemplar(set, ranked[n-1], sorted[n-1])
	}
	return p
}

// latency analyses a metric over rows, which it orders.
func latency(set *table.Set, m metric, rows []int32, s Sampling, opt Options) Latency {
	rank(set, rows, m.value)
	l := Latency{Percentiles: percentiles(set, m.name, rows, m.value, s.Kind == SamplingWeighted, opt)}
	for _, row := range rows {
		l.All.add(&m, row)
	}
	for _, band := range opt.Bands {
		mix := BandMix{Band: band}
		mix.First, mix.Last = band.ranks(l.N)
		for r := mix.First; r <= mix.Last; r++ {
			mix.add(&m, rows[r-1])
		}
		l.Bands = append(l.Bands, mix)
	}
	l.Tail = tail(set, m, rows, opt)
	l.Attribution = attribute(set, m, rows, l.Tail, opt)
	l.ForAll = forAll(set, m, rows, s, opt)
	l.Strata = strata(set, m, rows, l.Tail)
	return l
}

// ttftRows returns the rows whose time to the first token is known and tiled, and
// counts the others.
func ttftRows(set *table.Set, rows []int32) (with []int32, without []Undefined) {
	var c undefinedCounter
	req := &set.Requests
	for _, row := range rows {
		switch ttft := req.TTFT[row]; {
		case ttft == table.Missing:
			c.count("no first token recorded")
		case ttft < 0 || !addsUp(&req.TTFTStage, int(row), ttft):
			c.count("stage times do not add up to the time to first token")
		default:
			with = append(with, row)
		}
	}
	return with, c.list()
}

// tpotRows returns the rows whose time per output token is defined, with the values
// by row, and counts the others. It is (end - first token) / (n - 1) in ns, rounded,
// for n output tokens: undefined for fewer than two, never 0.
func tpotRows(set *table.Set, rows []int32) (with []int32, value []int64, without []Undefined) {
	var c undefinedCounter
	req := &set.Requests
	value = make([]int64, req.Len())
	for _, row := range rows {
		ns, why := tpotOf(req, row)
		if why != "" {
			c.count(why)
			continue
		}
		value[row] = ns
		with = append(with, row)
	}
	return with, value, c.list()
}

// tpotOf returns the time per output token of a request in ns, or why it has none.
func tpotOf(req *table.Requests, row int32) (ns int64, why string) {
	tokens, first := req.OutputTokens[row], req.FirstToken[row]
	switch {
	case tokens == table.Missing:
		return 0, "no output tokens recorded"
	case tokens < 2:
		return 0, "fewer than two output tokens"
	case first == table.Missing:
		return 0, "no first token recorded"
	case first > req.End[row]:
		return 0, "first token after the end"
	case first < req.Start[row]:
		return 0, "first token before the start"
	}
	return stat.DivRound(req.End[row]-first, tokens-1), ""
}

type undefinedCounter map[string]int64

func (c *undefinedCounter) count(reason string) {
	if *c == nil {
		*c = undefinedCounter{}
	}
	(*c)[reason]++
}

func (c undefinedCounter) list() []Undefined {
	var out []Undefined
	for reason, n := range c {
		out = append(out, Undefined{reason, n})
	}
	slices.SortFunc(out, func(a, b Undefined) int { return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Reason, b.Reason)) })
	return out
}
