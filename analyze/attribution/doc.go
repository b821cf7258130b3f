// Package attribution says which part of their time makes slow requests slow, and how
// sure that is. It knows columns of numbers and nothing of stages, tables or reports.
//
// [Of] looks at the same requests from several sides, because each alone misleads. Tail
// minus body ([Part.Share]) says what slow requests have more of; weights around the
// percentile ([Part.AtQuantile]) what a request right at it is made of; the covariance
// what drives the whole spread; the what-if ([Part.Gain], [Part.Shapley]) what the
// percentile would gain; the count ([Part.Largest]) whether many requests or a few giants
// say so. [WorkOrSpeed] asks of a part whether it had more to do or did it slower, and
// [Stratify] whether slow requests are slow or only of a slow kind.
//
// [Weigh] does tail minus body for all requests when those of the sample stand for different
// numbers of them: ranks and means go by weight, a request at a border counts in part, and
// figures are those of as many copies of each request as it stands for.
//
// # Guarantees
//
//   - Every split adds up to what it splits: excesses, shares, [WorkOrSpeed] and [Stratify]
//     in exact arithmetic, and so are covariances, gains and Shapley's values before they are
//     rounded once. The Harrell-Davis estimates add up to rounding. Largest adds up to the
//     requests of the tail less those in which no part exceeds its median.
//   - The same sample, options and seed give the same bytes for any number of workers.
//   - A resample is computed from sums kept by block of time and rank, not request by
//     request, and is the same as if it were.
//
// # Intervals
//
// Requests that waited in one queue are not independent, and intervals that take them for
// independent are far too narrow. The requests are therefore divided in the order of time
// into 24 blocks of equal number, and whole blocks are resampled with replacement; the
// blocks are as long as 24 allow, so that neighbours know little of each other. The
// bounds are percentiles of the resamples, moved outwards for the small number of blocks
// ([stat.ExpandedConfidence]). Those of a gain hold for the caps of the sample: they
// answer what would be gained if the part took at most so many ns, not if it took at most
// a median that is itself uncertain.
//
// No resample holds what the sample does not: of twenty slow requests that one cause made,
// every resample says that it is the only cause, while one in six of all can have another
// ([stat.Unseen]). The bounds of a share therefore leave room for slow requests of a kind
// that the tail holds none of, as many as a tail worth as much ([Blocks.Worth]) can miss,
// which have all of their excess in this part or none of it.
//
// No division saves a capture that holds too little. [Blocks.Refused] is set, and the
// bounds then describe the capture and predict nothing, unless
//
//   - the tail has 20 requests;
//   - they form incidents worth 12 of equal size, n^2 over the sum of squared sizes. Slow
//     requests that start within the longest wait among them are one incident. A raw count
//     will not do: forty incidents of which one holds half of the requests tell little;
//   - the tail is worth 15 independent requests. Over 10 to 80 parts of the time, counts of
//     requests above the median, the upper quarter, the upper tenth and in the tail, sums of
//     waits if they are long enough to matter, and sums of the influence on the leading
//     share are compared with what they would vary by
//     if the requests came in no order. What they vary by more, where it is more than
//     chance, divides the tail. The lower levels matter: of a tail of 30 one can hardly
//     tell whether it comes in spells, but of the thousands of requests above the median
//     one can, and queues make spells at all levels alike.
//
// # What that was found to be worth
//
// By simulation, with captures of 200 to 30,000 requests and tails of 20 and more, of
// which BenchmarkCoverage prints the table:
//
//   - Independent requests, with and without waits, heavy tails and nights: of the
//     intervals of the largest part's share 94 to 100 % held the truth, of those of the
//     second part's as many, of those of its gain 91 to 98 %. Of the captures 0 to 3 % were
//     refused. Without room for what is not seen, shares were held in 92 to 98 %, and in
//     64 % where a second cause made one in twenty of 20 slow requests. Percentiles without
//     the move outwards held them in 92 to 96 %; bounds corrected for bias and skew (BCa) in
//     89 to 95 %, and are not used.
//   - One server at half its capacity: refused in 97 to 100 % of captures of up to 10,000
//     requests and in 1 % of those of 30,000, where 97 % held the truth. At .7 to .9 of its
//     capacity every capture of up to 10,000 requests was refused, and 99 % of those of
//     30,000: a single incident may then be a third of the tail.
//   - Four and eight servers, and bursts above capacity: 0 to 4 % of captures were given an
//     interval that missed: those few captures of bursts that hold none look independent.
//   - Spells in which one part is slower: if a capture holds many (of 30,000 requests with
//     one spell per 300), 17 to 33 % were refused, and 98 % held the truth. But a
//     capture that holds no spell cannot know that there are any: with two causes of which
//     one came in one spell per 300 (3,000) requests, 41 % (89 %) of captures of 300 were given an
//     interval that missed, and gains missed more often than not. An interval predicts
//     requests under the conditions of the capture, and no others.
//
// # Example
//
//	r := attribution.Of(sample, attribution.Options{Q: stat.P99, Seed: 1, Workers: 2})
//	p := r.Parts[queue]
//	p.Share.Value  // 0.93: the queue is 93 % of what slow requests take longer
//	p.Share.Bounds // 0.89 to 0.97, if r.Blocks.Refused is empty
//	p.First        // 1: it was the largest part in every resample
//	p.Gain.Value   // 5.4e8: p99 would fall by 540 ms if no request waited longer than the median
//	p.Shapley      // 5.8e8: its part of r.GainAll, which the gains do not add up to
//
// All of it is arithmetic on the requests at hand. That a part grows with latency does
// not say that it causes it, and a gain is no forecast: waits depend on load, and load on
// what else is changed.
package attribution
