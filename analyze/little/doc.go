// Package little says whether the traces tell of the whole load, and how unevenly it came.
//
// Little's law, L = λW, ties the number in flight L to the arrival rate λ and the mean
// time W. Between figures of the same traces it holds whatever was recorded, so it checks
// nothing. Against a rate and a number in flight from another source (an engine's gauge, a
// gateway's counter) the two ratios say what the traces lack: [Read].
//
// # Guarantees
//
//   - Sums of time are exact, and the order of requests changes nothing.
//   - Two ratios count as different only when chance does not explain it, by the number of
//     requests and by how much their times vary. Too few requests are no reading.
//
// # Example
//
// A sampler keeps every slow request and a tenth of the others. 19 of 100 requests a
// second are kept, and 109 of 190 in flight:
//
//	r := little.Read(.19, .5737, 1900, 1)
//	r.Kind // slow-over-represented: percentiles of these traces are too high
package little
