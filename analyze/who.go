package analyze

import (
	"slices"

	"github.com/tailpath/tailpath/analyze/cohort"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/ingest/table"
)

// WhoDiffers finds what goes together with being slow: fields and attributes that slow
// requests have more often than the rest. Both are rows of the requests table; one in both
// counts as slow. Requests are compared with others that started at about the same time, on
// one clock, so that the time of an incident alone does not pass for a property of the
// requests in it.
//
// Every name of f is accounted for among the result's attributes. Times are never tested:
// they are what slow means. Nor is what a sampler left, as it may have looked at them.
func WhoDiffers(set *table.Set, f *Fields, slow, rest []int32, workers int) cohort.Result {
	isSlow := make([]bool, set.Requests.Len())
	for _, row := range slow {
		isSlow[row] = true
	}
	rows := slices.Grow(slices.Clone(slow), len(rest))
	for _, row := range rest {
		if !isSlow[row] {
			rows = append(rows, row)
		}
	}
	slices.Sort(rows) // what a request recorded lies where that of its neighbours does
	sample := cohort.Sample{Slow: make([]bool, len(rows))}
	for i, row := range rows {
		sample.Slow[i] = isSlow[row]
	}
	sample.Start, sample.Clock = startsOf(set, rows)
	w := newWho(f, rows, mostSpots)
	sample.Columns, sample.Column = len(w.names), w.column
	r := cohort.Of(&sample, cohort.Options{Workers: max(1, workers)})
	if sampling(set, rows).Biased() {
		r.Warnings = append(r.Warnings, stat.Warning{ID: KeptTraces, Text: "traces were not all kept alike: shares, and what would go, hold among kept traces"})
	}
	return r
}

// startsOf returns when each of the rows started, with the number of its clock; -1 for one
// of which only durations are known.
func startsOf(set *table.Set, rows []int32) (start []int64, clock []int32) {
	bases := make([]timebase, len(rows))
	seen := map[timebase]int32{}
	for i, row := range rows {
		bases[i] = timebaseOf(set, int(row))
		seen[bases[i]] = -1
	}
	order := make([]timebase, 0, len(seen))
	for base := range seen {
		order = append(order, base)
	}
	slices.SortFunc(order, timebase.compare)
	for i, base := range order {
		if base.clock != table.ClockNone {
			seen[base] = int32(i)
		}
	}
	clock = make([]int32, len(rows))
	for i := range rows {
		clock[i] = seen[bases[i]]
	}
	return gather(set.Requests.Start, rows), clock
}
