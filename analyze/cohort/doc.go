// Package cohort says in which attributes slow requests differ from the rest. It knows
// columns of categories and numbers and nothing of tables, spans or reports.
//
// # Method
//
// An attribute's values are its categories, with those that are too rare to pass the gates
// taken as one; or ranges of numbers that divide the rest in about ten equal parts. Having
// no value is a value. Left out, and counted by reason, are ids (more than half of the values
// are distinct), attributes in which hardly any request differs from most, and those that
// have rare values only. Where only some requests have an id, having one is tested.
//
// The score of an attribute is the Jensen-Shannon divergence of its values among the slow
// requests and among the rest, in bits: 0 when they are alike, 1 when they share no value.
//
// Slow requests are compared with others of the same time, so that what merely came and
// went with an incident does not pass for a property of the requests in it. Time is cut
// into buckets, the narrowest that hold 20 requests on average; shares, their difference, their
// ratio (lift) and the rate at which requests are slow are those of Mantel and Haenszel over
// all buckets. The test of an attribute is theirs for general association, or, where fewer
// than 5 are expected of some value, the least probability of its values times their number,
// each by the exact law of the counts. The same is given regardless of time, from a G-test, or
// Fisher's exact test where fewer than 5 are expected: it decides nothing unless there is
// but one bucket.
//
// A value is reported when its attribute's probability, adjusted for the number of
// attributes by Benjamini and Hochberg, is at most 0.05; its own is too; at least 5 slow
// requests have it; lift is at least 1.5 and the difference at least 0.10, with bounds that
// leave out 0; at least half of the slow requests that have it are compared with others of
// the same time; and its excess stands on three buckets or more, since an incident has two
// ends. Neighbouring ranges that are all lifted are one. Findings of different attributes
// that nearly the same requests have (Cramer's V of having the one and the other above 0.9)
// are one, under the name of that with the highest score.
//
// # Guarantees
//
//   - Every attribute is in the result with what became of it. Nothing is dropped silently.
//   - The order of the requests, of the attributes and of the numbers of categories changes
//     no byte of the result, and neither does the number of workers. Names decide ties.
//   - Every finding carries counts, bounds, the ids of its methods and the figures regardless
//     of time. What stands out only regardless of time is listed apart, with the reason.
//   - Nothing here says that an attribute makes requests slow.
//
// Tests take requests for independent, given their time. Those that waited for each other are
// not, so probabilities within an incident are too small; the gates do not rest on them.
//
// # Example
//
// 60 of 100 slow requests have long inputs, and 45 of 900 others. Nothing says when they ran:
//
//	r := cohort.Of(&sample, cohort.Options{})
//	f := r.Findings[0]           // input, category "long"
//	f.Score                      // 0.281 bits
//	f.Adjusted.Lift              // 12: 60 % against 5 %
//	f.Adjusted.Difference.Bounds // 0.45 to 0.64 (Newcombe)
//	f.Adjusted.Fraction.Value    // 0.553 of the slow requests would go, were long ones as often slow as short ones
//	r.Warnings                   // undated: what differs may be no more than when they ran
package cohort
