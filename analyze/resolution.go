package analyze

import (
	"math"
	"slices"

	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/ingest/table"
)

// farOff holds durations in ns, ascending, as short and as long as the resolution of their
// records allows. Order statistics of the ones bound those of true durations from below, and
// of the others from above: each true duration lies between its own two.
type farOff struct{ shortest, longest []int64 }

// farOffOf returns the durations of rows at their limits; nil when none can be off.
func farOffOf(set *table.Set, rows []int32) *farOff {
	req := &set.Requests
	if !slices.ContainsFunc(rows, func(row int32) bool { return req.DurationError[row] > 0 }) {
		return nil
	}
	f := &farOff{make([]int64, len(rows)), make([]int64, len(rows))}
	for i, row := range rows {
		v, off := req.Duration[row], max(0, req.DurationError[row])
		f.shortest[i], f.longest[i] = min(v, max(0, v-off)), math.MaxInt64
		if v <= math.MaxInt64-off {
			f.longest[i] = v + off
		}
	}
	slices.Sort(f.shortest)
	slices.Sort(f.longest)
	return f
}

// widen moves the bounds of a percentile of the durations as far out as they can be off; a
// nil farOff moves nothing.
func (f *farOff) widen(q *stat.Quantile) {
	if f == nil {
		return
	}
	if q.HasLow {
		q.Low = min(q.Low, f.shortest[q.LowRank-1])
	}
	if q.HasHigh {
		q.High = max(q.High, f.longest[q.HighRank-1])
	}
}
