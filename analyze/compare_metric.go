package analyze

import (
	"slices"

	"github.com/tailpath/tailpath/analyze/change"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// tokenFloor is by how much the least difference in ns that counts is divided for a time
// per token: a difference that small adds up over twenty tokens.
const tokenFloor = 20

// metricChanges compares the three latencies.
func metricChanges(sides [2]sideOf, work change.Workload, o change.Options) []MetricChange {
	duration := MetricChange{Metric: "duration"}
	ttft, tpot := MetricChange{Metric: "ttft"}, MetricChange{Metric: "tpot"}
	var values [3][2][]int64
	var rows [3][2][]int32
	stat.Replicates(2, o.Workers, func(_, s int) {
		x := sides[s]
		rows[0][s], values[0][s] = x.rows, x.set.Requests.Duration
		rows[1][s], ttft.Undefined[s] = ttftRows(x.set, x.rows)
		values[1][s] = x.set.Requests.TTFT
		rows[2][s], values[2][s], tpot.Undefined[s] = tpotRows(x.set, x.rows)
		ranked := rankingsOf(x.set, x.rows)
		for m := range rows {
			rows[m][s] = ranked.by(values[m][s], rows[m][s])
		}
	})
	out := []MetricChange{duration, ttft, tpot}
	for m := range out {
		out[m].compare(sides, rows[m], values[m], work, o)
	}
	return out
}

// compare compares the values of ranked rows.
func (c *MetricChange) compare(sides [2]sideOf, rows [2][]int32, values [2][]int64, work change.Workload, o change.Options) {
	var samples [2]*change.Sample
	stat.Replicates(2, o.Workers, func(_, s int) { samples[s] = sides[s].sample(rows[s], values[s], work.Cells[s]) })
	switch c.Metric {
	case "duration":
		c.compose(sides, samples, rows, durationMetric, o.Workers)
	case "ttft":
		c.compose(sides, samples, rows, ttftMetric, o.Workers)
	default:
		o.Rule.FloorNS /= tokenFloor
	}
	o.At = nil
	for _, p := range o.Percentiles {
		if min(len(rows[0]), len(rows[1])) >= int(stat.Minimum(p).Ample) {
			o.At = append(o.At, p)
		}
	}
	if o.At == nil {
		o.At = []stat.Prob{stat.P50}
	}
	c.Result = change.Of(samples[change.Base], samples[change.New], o)
}

// sample gathers the columns of ranked rows but for the parts. cells are by place in the
// population; nil where the workload is not compared.
func (x *sideOf) sample(ranked []int32, value []int64, cells []int32) *change.Sample {
	s := &change.Sample{Value: gather(value, ranked), Waited: make([]int64, len(ranked))}
	req := &x.set.Requests
	for i, row := range ranked {
		s.Waited[i] = req.Stage[stage.Queue][row] + req.Stage[stage.Scheduling][row]
	}
	if cells != nil {
		of := x.places
		if of == nil {
			of = make([]int32, req.Len())
		}
		for i, row := range x.rows {
			of[row] = cells[i]
		}
		s.Cell = make([]int32, len(ranked))
		for i, row := range ranked {
			s.Cell[i] = of[row]
		}
	}
	if x.one {
		s.Start = gather(req.Start, ranked)
	}
	return s
}

// compose gives both samples the parts of their time. Stages that one side does not
// record go into one part with what is unattributed, where that side has them.
func (c *MetricChange) compose(sides [2]sideOf, samples [2]*change.Sample, rows [2][]int32, of func(*table.Set) metric, workers int) {
	var metrics [2]metric
	var seen [2][StageCount]int64 // requests
	var sums [2]StageTimes
	stat.Replicates(2, workers, func(_, s int) {
		metrics[s] = of(sides[s].set)
		for k, column := range metrics[s].stages {
			for _, row := range rows[s] {
				if column[row] > 0 {
					seen[s][k]++
				}
				sums[s][k].Add(column[row])
			}
		}
	})
	n := [2]int64{int64(len(rows[0])), int64(len(rows[1]))}
	c.Blind, c.partly = blind(seen, sums, n), partly(seen, sums, n)
	pool := ChangePart{}
	for _, s := range stage.All() {
		isBlind := slices.ContainsFunc(c.Blind, func(b Blind) bool { return b.Stage == s })
		if isBlind || s == stage.Unattributed && len(c.Blind) > 0 {
			pool.Stages = append(pool.Stages, s)
			continue
		}
		c.Parts = append(c.Parts, ChangePart{[]stage.Stage{s}})
	}
	if pool.Stages != nil {
		c.Parts = append(c.Parts, pool)
	}
	stat.Replicates(2, workers, func(_, s int) {
		for _, p := range c.Parts {
			column := gather(metrics[s].stages[p.Stages[0]], rows[s])
			for _, k := range p.Stages[1:] {
				for i, row := range rows[s] {
					column[i] += metrics[s].stages[k][row]
				}
			}
			samples[s].Parts = append(samples[s].Parts, column)
		}
	})
}

// leastSeen is the share of the requests of a side, as one in so many, that have time in
// a stage before its absence on the other side says anything.
const leastSeen = 20

// blind finds the stages that one side does not record: none of its requests has time
// there, of the other's one in twenty or more do, and more of its time is unattributed.
// Where no more is unattributed, the stage has nowhere to hide and is truly absent.
func blind(seen [2][StageCount]int64, sums [2]StageTimes, n [2]int64) (out []Blind) {
	if n[0] == 0 || n[1] == 0 {
		return nil
	}
	for k := range StageCount {
		for s := range n {
			other := 1 - s
			if stage.Stage(k) == stage.Unattributed || seen[s][k] > 0 || seen[other][k]*leastSeen < n[other] {
				continue
			}
			here, there := sums[s][stage.Unattributed].Mean(n[s]), sums[other][stage.Unattributed].Mean(n[other])
			if here.Cmp(there) <= 0 {
				continue
			}
			out = append(out, Blind{
				Stage: stage.Stage(k), Side: s, SeenNS: sums[other][k].MeanRounded(n[other]),
				UnattributedNS: sums[s][stage.Unattributed].MeanRounded(n[s]),
			})
		}
	}
	return out
}

// partlySeen is by how much the shares of the requests that have time in a stage differ,
// before the side that has it in fewer is told to record it in part.
const partlySeen = 0.5

// partly finds the stages that one side records for far fewer of its requests, and has
// more unattributed time: Side is that side.
func partly(seen [2][StageCount]int64, sums [2]StageTimes, n [2]int64) (out []Blind) {
	if n[0] == 0 || n[1] == 0 {
		return nil
	}
	u := int(stage.Unattributed)
	for k := range StageCount {
		for s := range n {
			other := 1 - s
			less, more := float64(seen[s][k])/float64(n[s]), float64(seen[other][k])/float64(n[other])
			if k != u && seen[s][k] > 0 && more-less >= partlySeen && sums[s][u].Mean(n[s]).Cmp(sums[other][u].Mean(n[other])) > 0 {
				out = append(out, Blind{Stage: stage.Stage(k), Side: s})
			}
		}
	}
	return out
}

// The names of what requests ask for.
const (
	MixPrompt    = "prompt_tokens"
	MixOutput    = "output_tokens"
	MixModel     = "model"
	MixRoute     = "route"
	MixStreaming = "streaming"
)

// fewLabels is how many different texts are never taken for ids.
const fewLabels = 20

// workloadColumns gathers what the requests of both populations ask for.
func workloadColumns(sides [2]sideOf) []change.Column {
	numbers := func(name string, of func(*table.Requests) []int64) change.Column {
		c := change.Column{Name: name, Numeric: true}
		for s, x := range sides {
			c.Rows[s] = gather(of(&x.set.Requests), x.rows)
		}
		return c
	}
	texts := func(name string, of func(set *table.Set, row int32) string) change.Column {
		c := change.Column{Name: name}
		found := map[string]int64{}
		for _, x := range sides {
			for _, row := range x.rows {
				if text := of(x.set, row); text != "" {
					found[text] = 0
				}
			}
		}
		if n := len(sides[0].rows) + len(sides[1].rows); len(found) > fewLabels && 2*len(found) > n {
			clear(found) // ids: they tell requests apart and nothing about them
		}
		for text := range found {
			c.Labels = append(c.Labels, text)
		}
		slices.Sort(c.Labels)
		for i, text := range c.Labels {
			found[text] = int64(i)
		}
		for s, x := range sides {
			c.Rows[s] = make([]int64, len(x.rows))
			for i, row := range x.rows {
				c.Rows[s][i] = change.Missing
				if label, ok := found[of(x.set, row)]; ok {
					c.Rows[s][i] = label
				}
			}
		}
		return c
	}
	return []change.Column{
		numbers(MixPrompt, func(r *table.Requests) []int64 { return r.PromptTokens }),
		numbers(MixOutput, func(r *table.Requests) []int64 { return r.OutputTokens }),
		texts(MixModel, func(set *table.Set, row int32) string { return set.Symbols.Text(set.Requests.Model[row]) }),
		texts(MixRoute, func(set *table.Set, row int32) string { return set.Symbols.Text(set.Requests.Route[row]) }),
		texts(MixStreaming, func(set *table.Set, row int32) string {
			return [...]string{"", "no", "yes"}[set.Requests.Streaming[row]]
		}),
	}
}
