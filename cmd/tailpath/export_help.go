package main

// exportsPage says what each format of export has, and what to do with it.
const exportsPage = `Exports

tailpath export FILE... -f FORMAT, or the end of the name that -o gives:

  pprof        .pb.gz .pprof   a profile of critical-path time
  folded       .folded         the same, a line a stack
  perfetto     .json           requests, or an engine for a while, as a trace
  parquet      .parquet        one table
  arrow        .arrow          one table, as a stream
  csv          .csv            one table
  openmetrics  .prom .om       the figures of summary, for Prometheus

What --where, --since, --incomplete and --errors leave out is told on standard
error. If they leave nothing, nothing is written, and the exit code is 3.

pprof and folded

A stack is the spans from the root of a request to the one that the path is in,
each as "service: span name", and below them the stage. So flat time is that of
a stage, and cumulative time is what requests spent in a span and in all that it
waited for. All stacks add up to the durations of the requests, to the ns.

  tailpath export logs/ -o new.pb.gz
  go tool pprof -top new.pb.gz
  go tool pprof -http=: -diff_base old.pb.gz new.pb.gz
  go tool pprof -sample_index=requests -top new.pb.gz

A difference is one of sums: where the profiles have different numbers of
requests, -normalize brings the new one to the total of the old one.

The second value of a stack is how many requests have it on their path; one
request counts for each of its stacks. The time of a profile is that of the
first request. At most 256 spans of a stack are kept. In folded stacks white
space in names is an underscore, and a semicolon a comma.

perfetto

For ui.perfetto.dev or chrome://tracing, as JSON of the Trace Event format.

  tailpath export logs/ --slowest 1 -o slow.json
  tailpath export logs/ --request 4bf92f3577b34da6 -o one.json
  tailpath export logs/ --engine vllm-0 --at 14:10 --for 60s -o engine.json

A request has its critical path to the end and to the first token as tracks of
their own, and a track or more for each service, with spans, their events and
the log records that name them. Arrows lead along the path into each span, and
along links. --slowest N, of 1,000 at most, and traces of several requests draw
each in processes of its own.

--engine names an engine by its name, service, host or instance. Every request
that was there is drawn in whole, stage by stage, beside counters of who ran and
who waited, by the requests' own times and by the engine's readings. --at takes
what --since takes; without it the engine is shown from its first request on.
Without --for it is 60s; at most 10,000 requests may have been there.

Times count from the origin that stands in otherData: the first instant that is
drawn, up to an hour before a request or the time that is shown. What a wrong
clock puts before that, Perfetto leaves out.

Tables

--table list prints the names; tailpath help files says what the columns are.
requests and segments have the chosen requests, and count them anew from 0; all
other tables have all rows. tailpath ingest writes all tables at once. In CSV
times are whole ns, attributes are JSON, text that begins with = + - or @ gets a
' before it, and control characters are spelled; Parquet and Arrow have text as
it was.

openmetrics

Gauges in seconds and ratios, each group with the number of its requests: e2e,
ttft and tpot by quantile with the ends of their 95 % intervals, stages of all
requests, of the tail and of each band, errors, rates, and the verdict as a set
of states. What is not known has no sample, and no sample has a timestamp.
`
