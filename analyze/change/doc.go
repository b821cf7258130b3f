// Package change says whether one set of requests is slower or faster than another,
// which part of the time moved, and whether the workload or the server did it. It knows
// columns of numbers and nothing of stages, tables or reports.
//
// # What it answers
//
//   - Of: percentiles of two samples, their ratio with an interval, means of the parts by
//     band, and the parts' contributions to the change of the mean and of percentiles.
//   - RateOf: a share of requests, such as of those that failed, on both sides.
//   - Shifts: what the requests asked for, on both sides.
//   - Cells and Percentile.Workload: the change at equal workload.
//   - Judge: which of all that stands out from chance and is large enough to count.
//   - JudgeGroups: which of many groups of requests changed, with false discoveries bounded over
//     groups.
//
// # How sure it is
//
// Requests of one minute share its load, so they are not independent, and tests that
// take them so alarm on noise: Mann-Whitney on raw requests finds a change in 72 of 100
// pairs of equal weeks whose hours differ by 10 %. Intervals here come from resampling
// whole blocks of time: days when both sides have all weekdays, the same weekday of both
// sides together; half days when there are ten; else thirtieths of each capture, none
// shorter than a long wait. They are widened by Student's factor for the number of blocks,
// and by what noise that carries over from block to block makes the blocks too alike. How
// long noise of a rare property lasts is seen over many steps and in latencies. An interval
// that would say nothing is left out, with the reason. Where blocks or incidents are fewer than the rule wants, a change describes the
// two captures and predicts nothing, and is called that.
//
// What no pair of captures can show is how much their like differ when nothing changes
// for longer than a day. That takes a store of weeks, whose own week-to-week changes are
// the measure; without one, noise that lasts for days passes for a change more often than
// the interval says.
//
// # Guarantees
//
//   - The contributions of the parts add up to the change: of the mean, of the means of a
//     band, of the Harrell-Davis estimate of a percentile. Workload, Server and Unmatched
//     add up to the change of the percentile.
//   - A sample against itself differs by 0 everywhere, and stands out nowhere.
//   - Swapping the sides flips every sign and inverts every ratio.
//   - An equal mix of workloads leaves a change as it is.
//   - The same input and seed give the same bytes, with any number of workers.
//
// # Example
//
//	blocks := change.Cut(clocks[0], clocks[1], rule)
//	r := change.Of(&base, &new, change.Options{Blocks: blocks})
//	change.Judge([]*change.Result{r}, nil, rule)
//	r.Percentiles[3].Ratio   // p99: 1.42, with its interval
//	r.Percentiles[3].Outcome // slower
//	r.At[1].Parts            // what each part contributes to the change at p99
package change
