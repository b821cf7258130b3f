package analyze

import (
	"github.com/tailpath/tailpath/analyze/attribution"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// attribute resamples a tail: which stage makes the requests at and above t.Q slow, seen
// from several sides and with intervals. It returns nil for a tail that is too small.
// Unattributed time is never first: it is no answer.
func attribute(set *table.Set, m metric, ranked []int32, t Tail, opt Options) *attribution.Result {
	if !t.Enough {
		return nil
	}
	r := attribution.Of(sample(set, m, ranked), attribution.Options{
		Q: t.Q, Seed: opt.Seed, Replicates: opt.Replicates, Workers: opt.Workers, NeverFirst: []int{int(stage.Unattributed)},
	})
	return &r
}

// sample gathers the columns of ranked rows. Requests of different clocks have no common
// time, and the sample then has none.
func sample(set *table.Set, m metric, ranked []int32) *attribution.Sample {
	s := &attribution.Sample{Value: gather(m.value, ranked), Parts: make([][]int64, StageCount), Waited: make([]int64, len(ranked))}
	for k := range s.Parts {
		s.Parts[k] = gather(m.stages[k], ranked)
	}
	for i := range s.Waited {
		s.Waited[i] = s.Parts[stage.Queue][i] + s.Parts[stage.Scheduling][i]
	}
	if m.target == critical.End {
		s.Drag = drags(set, ranked)
	}
	if oneClock(set, ranked) {
		s.Start = gather(set.Requests.Start, ranked)
	}
	return s
}

// drags gathers the drag columns; nil when that of some request is not known.
func drags(set *table.Set, ranked []int32) [][]int64 {
	out := make([][]int64, StageCount)
	for k, column := range set.Requests.Drag {
		for _, row := range ranked {
			if column[row] == Missing {
				return nil
			}
		}
		out[k] = gather(column[:], ranked)
	}
	return out
}

func gather(column []int64, rows []int32) []int64 {
	out := make([]int64, len(rows))
	for i, row := range rows {
		out[i] = column[row]
	}
	return out
}

// oneClock reports whether the times of all rows can be set against each other.
func oneClock(set *table.Set, rows []int32) bool {
	for i, row := range rows {
		base := timebaseOf(set, int(row))
		if base.clock == table.ClockNone || i > 0 && base != timebaseOf(set, int(rows[0])) {
			return false
		}
	}
	return len(rows) > 0
}
