package analyze

import (
	"fmt"

	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// attainments says of each objective of the options what met it. rows are those of the
// population; the options must be filled, and on the set.
func attainments(set *table.Set, rows []int32, population Population, opt Options) []Objective {
	if len(opt.Objectives) == 0 {
		return nil
	}
	a := newAsking(set, rows, population, opt, CapacityOptions{Objectives: opt.Objectives})
	out := make([]Objective, len(opt.Objectives))
	for i, o := range opt.Objectives {
		out[i] = a.objective(o, nil)
	}
	return out
}

// WithoutQueue is arithmetic on the requests that missed an objective: how many of them would
// have met it if they had not waited in the queue, and if nothing else had changed. It is no
// forecast, as requests that do not wait make others wait elsewhere.
type WithoutQueue struct {
	// Why says why it cannot be told; "" when it can.
	Why string
	// Met is the share of the answered requests that missed a limit, and of which each limit can
	// be asked, that would have kept every limit; its bounds hold with 95 % each. Where sampling
	// weights differ it is that of all requests, kept or not.
	Met stat.Estimate
	// Bounded says that a request gets shorter by no more than the drag of its queue: what ran
	// beside the queue would have ended it, and is taken to have come before the first token.
	Bounded bool
}

// The reasons for which it cannot be told what would be without the queue.
const (
	notQueueable = "only limits of e2e and ttft are known to hold the time in the queue"
	noneMissed   = "no request that was answered missed it"
	noneAsked    = "no request that was answered can be asked all of its limits"
)

// withoutQueue says of each objective of the options what would have met it without the queue.
// rows are those of the population; the options must be filled, and on the set.
func withoutQueue(set *table.Set, rows []int32, population Population, opt Options) []WithoutQueue {
	if len(opt.Objectives) == 0 {
		return nil
	}
	a := &asking{set: set, opt: opt, sampling: population.Sampling, unit: weightUnit(population.Sampling.High)}
	saved, bounded := a.unqueued(rows)
	out := make([]WithoutQueue, len(opt.Objectives))
	for i, o := range opt.Objectives {
		out[i] = a.notQueued(rows, o, saved)
		out[i].Bounded = bounded && out[i].Why == ""
	}
	return out
}

// sooner is by how much a request ends, and has its first token, sooner without its queue, ns.
type sooner struct{ end, first int64 }

// unqueued returns by how much each request is sooner without its time in the queue. That is no
// more than the drag of its queue, where that is known of all of them. The rest of the queue ran
// beside something else, which is taken to have come before the first token.
func (a *asking) unqueued(rows []int32) (out []sooner, bounded bool) {
	req := &a.set.Requests
	drag := drags(a.set, rows)
	out = make([]sooner, len(rows))
	for i, row := range rows {
		out[i] = sooner{req.Stage[stage.Queue][row], req.TTFTStage[stage.Queue][row]}
		if drag != nil {
			beside := max(0, out[i].end-max(0, drag[stage.Queue][i]))
			out[i].end -= beside
			out[i].first = max(0, out[i].first-beside)
		}
	}
	return out, drag != nil
}

// notQueued counts the requests that missed an objective, and those of them that would not.
func (a *asking) notQueued(rows []int32, o filter.Objective, saved []sooner) (out WithoutQueue) {
	var limits []filter.MetricLimit
	for _, t := range o.Terms {
		for _, l := range t.Limits {
			if l.Metric != metricE2E && l.Metric != metricTTFT {
				out.Why = notQueueable
				return out
			}
			limits = append(limits, l)
		}
	}
	s := attained{weighted: a.sampling.Kind == SamplingWeighted, kept: a.sampling}
	var asked, unasked int64
	for i, row := range rows {
		if a.failed(row) {
			continue
		}
		good, would, known := true, limited{good: true, sure: true, might: true}, true
		for k := range limits {
			l := &limits[k]
			ns, why := a.valueOf(l.Metric, row)
			by := saved[i].end
			if l.Metric == metricTTFT {
				by = saved[i].first
			}
			known = known && why == ""
			good, would = good && within(l, ns), would.and(a.compare(l, row, ns-by))
		}
		if !known {
			unasked++
			continue
		}
		if asked++; !good {
			s.add(would, a.weight(row))
		}
	}
	switch {
	case asked == 0 && unasked > 0:
		out.Why = noneAsked
	case s.n == 0:
		if out.Why = noneMissed; unasked > 0 {
			out.Why = fmt.Sprintf("none of %s that can be asked all of its limits missed it", plural(asked, "answered request"))
		}
	default:
		out.Met = s.estimate()
	}
	return out
}
