// Package stat computes quantiles, intervals and shares, and says how far each
// result can be trusted.
//
// It knows nothing of requests, files or reports: numbers in, values out. A result
// is a value that carries its sample size, its interval, the id of its method and
// its warnings, so that nobody downstream has to guess which rule was used.
//
// # Guarantees
//
//   - A percentile is always one of the observed values (nearest rank), and its rank
//     is computed in integers, so P99 <= T holds exactly when at least 99 % of the
//     values are <= T.
//   - Sums of int64 are exact: Sum has 128 bits.
//   - Shares rounded by Apportion add up to the whole, always. So do parts rounded by
//     RoundParts, and each stays within one unit of itself, also when parts cancel out.
//   - A percentile that the sample cannot support is absent, and says how many
//     values it needs.
//   - Same input, same output, on every platform: no randomness, no map order, and
//     products that are added are rounded before the addition.
//
// # Example
//
// Five latencies in ms, sorted, and their median:
//
//	q := stat.QuantileOf([]int64{100, 110, 120, 130, 2540}, stat.P50)
//	q.Value       // 120, the value at rank (1*5 + 2 - 1) / 2 = 3
//	q.HasLow      // false, and HasHigh too: five values bound nothing
//	q.Warnings    // no-upper-bound: that takes 6 values; low-n: ample are 20
//
//	q = stat.QuantileOf([]int64{100, 110, 120, 130, 2540}, stat.P99)
//	q.Known // false: P99 needs 299 values
//
// The intervals assume that the values are independent. Requests that waited in one
// queue are not: an interval that spans such an incident is too narrow.
package stat
