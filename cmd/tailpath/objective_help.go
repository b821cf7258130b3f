package main

const objectivesPage = `Objectives

--slo OBJECTIVE asks summary whether it is met, queue also what would have met it
without the queue, compare how many requests missed it on either side, and
capacity how much is carried within it. Several may be given; each is answered by
itself, and the headline of capacity is about the first.

  p99(e2e) < 2s                        percentile of e2e, ttft, tpot or itl
  p95(ttft) < 1s and p95(itl) <= 50ms  all of them
  95%(ttft < 500ms and e2e < 5s)       share of requests that keep every limit
  99%(ttft < 1s and p95(itl) < 80ms)   of a request's own gaps between tokens
  ttft=500ms,e2e=5s                    short for 99%(ttft <= 500ms and e2e <= 5s)

Times are ns us ms s m h. < and <= are kept as written. There is no or.

What is asked

  e2e    from start to end
  ttft   to the first token, seen from where the request began
  tpot   per request: from first token to end, by the tokens after the first
  itl    gaps between tokens. p95(itl) by itself is of all gaps of all requests,
         in a share of each request's own, of five at least

The measures in ns of tailpath help definitions may be limited as well.

p99(e2e) < 2s holds when at least 99 % of the requests take less than 2 s. These
are the requests that were answered. In a share, in what is met in full, and in
the capacity a request that failed or was given up was asked and met nothing. A
request that a limit is undefined for is not asked, and is counted by reason.

What decides

An objective is PASS when the lower bound of the share that met it reaches the
target, FAIL when the upper bound is below, and INCONCLUSIVE between; each bound
holds with 95 %. Without one beyond the limit p99 takes 299 requests, p95 59.

The capacity is of rates of arrivals. Windows of 60 s (--window) of about the
same rate make a bin, and a bin passes or fails by the same rule. What counts are
the last bin that passes and the first that fails: the capacity is known from
both sides. Where none fails, at least so much is carried, and the limit was not
seen. Where none passes it cannot be said, and what it takes is. It holds for the
mix of lengths that was seen. That of several terms is the least of theirs.

Where sampling weights differ, what is met is that of all requests, kept or not.
Such traces have no rate, nor have those without a common clock, or of a sampler
that does not say how many it left out: it says so.

An objective that fails, or cannot be judged, changes no exit code: that is the
job of --fail-on, such as --fail-on 'p99(e2e) >= 2s', or --fail-on 'rate(slo) < 99%'
for the share that meets an objective in full (tailpath help filters).
`
