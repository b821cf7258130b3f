// Package stat computes quantiles, intervals, shares and tests, and says how far each
// result can be trusted.
//
// It reads no tables, files or reports: numbers in, values out. A result
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
//   - Rules of other tools (Rule) are taken by name only, and their results are of
//     another type than percentiles by nearest rank. A Sketch names its error.
//   - A test that cannot be made finds nothing: P is 1 and a warning says why. No test result
//     is NaN; KullbackLeibler alone may be infinite.
//   - Tests of small samples count every case: Mann-Whitney with ties, Fisher of any size.
//     The order of the values changes nothing.
//   - Same input, same output: what is drawn is drawn by a seed, no map order, and products
//     that are added are rounded before the addition. Logarithms and exponentials may
//     differ between platforms in the last bits; percentiles by rank and sums do not.
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
// Sixty of 100 slow requests have a long input, and 45 of 900 others do:
//
//	stat.GTest([][]int64{{60, 40}, {45, 855}})        // P 5e-41, Effect .54 (Cramer's V)
//	stat.JensenShannon([]float64{60, 40}, []float64{45, 855}) // .281 bits
//	stat.AttributableFraction(60, 45, 40, 855)        // .55, between .44 and .64
//
// Intervals and tests assume that the values are independent. Requests that waited in one
// queue are not: an interval that spans such an incident is too narrow, and a test of
// them finds differences where there are none. Resampling blocks of time keeps such
// requests together.
package stat
