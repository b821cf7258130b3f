package analyze

import (
	"math"

	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/analyze/tokens"
)

// methodRequests is that of bounds that come of resampling whole requests.
const methodRequests = "request-bootstrap"

// dueTokens is what one request had due and on time, by a definition.
type dueTokens struct{ onTime, due int64 }

// scheduleOf returns when tokens are due by an objective: by its limits of ttft and of itl,
// the strictest of each, false where it lacks one.
func scheduleOf(o *Objective) (due tokens.Schedule, ok bool) {
	due = tokens.Schedule{FirstNS: math.MaxInt64, GapNS: math.MaxInt64}
	for _, t := range o.Objective.Terms {
		for k := range t.Limits {
			switch l := &t.Limits[k]; l.Metric {
			case metricTTFT:
				due.FirstNS = min(due.FirstNS, l.NS)
			case metricITL:
				due.GapNS = min(due.GapNS, l.NS)
			}
		}
	}
	return due, due.FirstNS < math.MaxInt64 && due.GapNS < math.MaxInt64
}

// fluidity takes the tokens that came when they were due, of the requests of the population that
// tell when each of theirs came.
func (a *alternates) fluidity(id string, o *Objective) []Alternative {
	due, ok := scheduleOf(o)
	if !ok {
		return []Alternative{{Undefined: "it takes a limit of ttft and one of itl, and the objective has not both"}}
	}
	if a.population.Sampling.Kind == SamplingWeighted {
		return []Alternative{{Undefined: "traces stand for different numbers of requests, and it is of those that were kept"}}
	}
	var list []dueTokens
	var latest int64
	var without undefinedCounter
	for _, row := range a.rows {
		s := a.streams().stream(row)
		if !s.counted {
			without.count(s.why)
			continue
		}
		x, late := dueBy(id, s.Stream, due)
		if x.due == 0 {
			without.count(tokens.ZeroToken)
			continue
		}
		list, latest = append(list, x), max(latest, late)
	}
	x := fluent(list, a.opt)
	x.Counts, x.Apart = countsTokens, without.list()
	switch id {
	case defFluidityCode:
		x.Counts = countsDues
	case defFluidityDoc:
		x.Counts = countsChunks
	}
	if a.population.Sampling.Biased() {
		x.Warnings = append(x.Warnings, stat.Warning{ID: KeptTraces, Text: keptTraces})
	}
	if id != defFluidity || x.Undefined != "" {
		return []Alternative{x}
	}
	x.Figure = figureOnTime
	most := x
	most.Figure, most.Unit, most.HasBounds, most.Bounds, most.Warnings = figureLatest, unitNS, false, stat.Bounds{}, nil
	most.Value, most.Method, most.Unbounded = float64(latest), "maximum", "it is the largest of those that were seen"
	most.Apart = nil
	return []Alternative{x, most}
}

// dueBy compares the tokens of a request with what was due, and says by how much the latest was
// late, ns.
func dueBy(id string, s *tokens.Stream, due tokens.Schedule) (x dueTokens, late int64) {
	switch id {
	case defFluidityCode:
		missed, deadlines := tokens.EtalonMisses(s.InterTokenTimes(), due)
		return dueTokens{deadlines - missed, deadlines}, 0
	case defFluidityDoc:
		onTime, n := tokens.EtalonOnTime(s.InterTokenTimes(), due)
		return dueTokens{onTime, n}, 0
	}
	f := s.OnSchedule(due)
	return dueTokens{f.OnTime, f.Tokens}, f.LatestNS
}

// fluent returns the share that is on time. Tokens of one request are late together, so whole
// requests are resampled for its bounds.
func fluent(list []dueTokens, opt Options) Alternative {
	x := Alternative{Estimate: stat.Estimate{Method: methodRequests}}
	share := func(count []int32) (float64, int64) {
		var onTime, due stat.Sum
		for i, d := range list {
			times := int64(1)
			if count != nil {
				times = int64(count[i])
			}
			onTime, due = onTime.Plus(stat.SumOf(d.onTime).Times(times)), due.Plus(stat.SumOf(d.due).Times(times))
		}
		return onTime.Over(due), due.MeanRounded(1)
	}
	if x.Value, x.N = share(nil); x.N == 0 {
		x.Undefined = "no request tells when each of its tokens came"
		return x
	}
	if len(list) < fewestBlocks {
		x.Unbounded = "there are too few requests to resample"
		return x
	}
	n := opt.Replicates
	if n <= 0 {
		n = 200
	}
	values := make([]float64, n)
	counts := make([][]int32, max(1, opt.Workers))
	stat.Replicates(n, len(counts), func(worker, replicate int) {
		if counts[worker] == nil {
			counts[worker] = make([]int32, len(list))
		}
		stat.Draw(opt.Seed, replicate, len(list), counts[worker])
		values[replicate], _ = share(counts[worker])
	})
	b := stat.PercentileBounds(values, stat.ExpandedConfidence(len(list), stat.Confidence))
	if b.Low == b.High {
		x.Unbounded = "all requests have the same share, and resamples show nothing of others"
		return x
	}
	x.HasBounds, x.Bounds = true, b
	x.Warnings = independent(stat.Estimate{HasBounds: true}).Warnings
	return x
}
