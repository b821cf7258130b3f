// Package analyze answers the questions people ask of their slow requests. It reads
// the requests and segments tables and returns plain Go values with their warnings
// attached; it draws and prints nothing.
//
// # Questions
//
//   - Summarize: how fast, how busy, where does the time go, which stage makes the slow
//     requests slow, and what did they wait for? Why are gaps between tokens long?
//   - Judge and JudgeChange: does a condition hold, as far as the data can say?
//   - QueueOf: does queueing dominate, when did requests wait, where, and why?
//   - WhoDiffers: what do slow requests have more often than others of the same time?
//   - Explain: what happened in this one request, who held the engine meanwhile, and how
//     do its peers differ?
//   - Compare: did it get slower or faster from one set to another, or from one time of a set to
//     another, which stage moved, and was it the workload or the server?
//   - CapacityOf: are objectives met, which rate of arrivals was carried within them, and what
//     holds the system up?
//   - ReportOf: which stages make some requests slow, of which requests and since when, and
//     whom did it hit?
//   - Inspect: what was read, which sources tell of the same requests, how far is each
//     clock off, and can it be trusted?
//
// # Guarantees
//
//   - Sums are exact integers. The stage times of any group of requests add up to
//     the group's time; means and shares are divided last and rounded so that they
//     still add up.
//   - The order of the rows changes nothing. Requests are ranked by (value, trace
//     id, root span id).
//   - No request is mixed in silently: each is used or counted under one named
//     exclusion, what a filter leaves out first. Failed requests are left out of the
//     shares by default, and counted, because failures have other shapes than served
//     requests.
//   - Stage percentiles are never shown as if they added up. A band's mix is the mix
//     of the requests in that band.
//   - What others are blamed for in a wait is at most the wait, and each of them is
//     another request.
//   - Clocks that are off, and logs in another zone, are told with what would make them
//     right. Nothing is moved by it.
//   - What a log leaves open and another source answers is told as answered, with its
//     count: an end that the log does not tell, a zone that clocks confirm.
//   - A rate that was carried is asked of every request of the load: one that failed, or that
//     had not ended and is over its limit, met none.
//   - What cannot be said is not said: too small a tail has no shares, and
//     unattributed time is a stage like any other.
//   - A share of the tail has an interval only where it holds for captures like this one.
//     Where requests came in too few incidents for that, the share is exact for these
//     requests, and the verdict says that it predicts nothing.
//
// # Example
//
// 190 requests, of which 20 waited for 900 ms; the others took 100 ms on the GPU:
//
//	s := analyze.Summarize(set, analyze.Options{})
//	s.Verdict.Kind   // leads
//	s.Verdict.Stage  // queue
//	s.Verdict.Share  // 1: the whole excess of the p90 tail over the body
//	s.Duration.Tail.Q, s.Duration.Tail.Tail.N // p90, 20: p99 and p95 have too few
package analyze
