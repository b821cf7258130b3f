// Command tailpath says where the time of slow requests went, and whether it is the
// queue, from files that people already have.
//
//	tailpath inspect FILE...             what is in the files, and can it be trusted
//	tailpath summary FILE...             where the time goes; the command when none is named
//	tailpath explain FILE... [TRACE]     one request, or --slowest N
//	tailpath queue FILE...               does queueing dominate, when, where, since when, and why
//	tailpath capacity FILE...            how much is carried within an objective, and what holds it up
//	tailpath compare BASE NEW            what changed from one set to another, and what did it
//	tailpath report FILE...              the weekly bottleneck report, or a post-mortem
//	tailpath render REPORT.json          a document that was written as JSON, in any format
//	tailpath export FILE...              requests and their paths in the formats of other tools
//	tailpath ingest FILE... -o DIR       the tables as Parquet, which any command reads again
//	tailpath help [COMMAND|TOPIC]
//
// # Guarantees
//
//   - Segments tile each request exactly, to the nanosecond; what nothing recorded
//     explains is printed as unattributed.
//   - The same files give the same report, byte for byte: their order, the number of
//     workers, a pipe in place of a file, or tables that were ingested before change
//     nothing but the names of the inputs. No clock and no host name goes in.
//   - Bad input never stops a run and never costs a good row. What was lost is counted,
//     with its first place and what to do about it.
//   - Standard output is data and standard error is talk. In a pipe or a file nothing
//     is cut and nothing is coloured.
//   - An output file is there whole or not at all, and is never one of the inputs.
//   - Nothing is read from the network and nothing is sent there.
//
// The examples below are run by a test. A line of three dots stands for lines that are
// left out here.
//
// # Trust
//
// Begin with what was read. The first line answers, the last names the next command:
//
//	$ tailpath inspect testdata/scenarios/queue-buildup
//	1,100 of 1,100 requests are complete; segments tile each of the 1,100 with a path exactly; 0.0 % of path time is unattributed
//	...
//	services
//	service        spans  logs
//	edge-proxy     2,200     0
//	chat-frontend  1,100     0
//	vllm-server    1,100     0
//	...
//	can it be trusted
//	...
//	  tiling     exact to the nanosecond for 1,100 requests
//	...
//	input quality: no issue was met
//
//	next: tailpath summary testdata/scenarios/queue-buildup
//
// # Where the time went
//
// The summary compares the slow requests with the usual ones, stage by stage. Its
// verdict follows a stated rule:
//
//	$ tailpath testdata/scenarios/queue-buildup
//	queue takes the largest part of what makes slow requests slow: 90.1 % of +5.75 s (p95 and above, n = 56); next is gpu with 9.8 %
//	...
//	left out
//	  requests   none: all 1,100 are used
//	...
//	next: tailpath explain testdata/scenarios/queue-buildup --slowest 5
//
// Too few requests are no reason to guess:
//
//	$ tailpath summary cmd/tailpath/testdata/small/traces.jsonl
//	too few requests to say what makes slow requests slow: 2 of the 190 needed
//	...
//	next: tailpath explain cmd/tailpath/testdata/small/traces.jsonl --slowest 5
//
// # Is it the queue
//
// The answer follows from the same verdict. What comes after it is evidence, each part with
// its own numbers: whether the slow requests are more work, when a backlog built up, in which
// hosts, models or routes, and what speaks for each cause:
//
//	$ tailpath queue testdata/scenarios/queue-buildup
//	queueing leads: it takes 90.1 % of what makes slow requests slow, of +5.75 s (p95 and above, n = 56); next is gpu with 9.8 %
//	...
//	when
//	  1 incident with 100.0 % of all waiting (n = 312 that waited; 7.03 waited on average, 134 at most); 56 of the 56 slow requests began to wait in one
//	  - 2026-08-20T12:01:01.451Z to 2026-08-20T12:01:12.936Z, 11.5 s
//	...
//
// leads says that it is so in these requests; dominates needs bounds that predict the next
// ones, and a single incident has none. tailpath help verdict states the rule.
//
// A line for every host, or for every combination of several fields:
//
//	$ tailpath summary testdata/scenarios/queue-buildup --by host
//	...
//	by host
//	host          n  slow  p50 ms   p95   p99  ttft p95 ms  own slow ones
//	gpu-a-01  1,100    56     959  6126  7032         4733  queue leads: 90.1 %
//	...
//
// Where the waiting is, by fields of one's own:
//
//	$ tailpath queue testdata/scenarios/queue-buildup --by host
//	...
//	where
//	  host            gpu-a-01, all 1,100 requests
//	...
//
// # How much it carries
//
// An objective is a percentile, or a share of the requests that keep several limits at once.
// The answer is the rate of arrivals that was carried within it, with the rate at which it
// fails if that was seen, and beside it what the system did and what holds it up:
//
//	$ tailpath capacity testdata/scenarios/queue-buildup --slo 'p90(e2e) < 2s' --window 10s
//	carries at least 7.65 requests/s and 619 output tokens/s within p90(e2e) < 2s: the limit was not seen; rates up to 27.1 were, too seldom to tell
//	...
//	objective      observed         95 %  limit  met %         95 %      n  outcome
//	p90(e2e) < 2s    4.98 s  4.54–5.34 s   < 2s  77.45  75.28–79.52  1,100  FAIL
//	...
//	what holds it up
//	  held up by the device: requests are in the engines' queues for 41 % of their time, and the GPU is busy for 100 % of the time with a queue
//	...
//
// In windows of 60 s, the length when none is given, this capture is too short to say:
//
//	$ tailpath capacity testdata/scenarios/queue-buildup --slo 'p90(e2e) < 2s'
//	misses p90(e2e) < 2s (77.45 % of 1,100 requests met it); cannot say what rate is carried within it: none of the 2 windows of 60 s is whole and without a backlog, and 5 at about the same rate are needed: a longer capture would tell
//	...
//
// That is an answer as well, and so is an objective that fails: the exit code stays 0, and
// --fail-on makes a gate. tailpath help objectives has the language and what decides.
//
// summary, queue and compare take objectives too, and say whether they are met:
//
//	$ tailpath summary testdata/scenarios/queue-buildup --slo 'p90(e2e) < 2s' --fail-on 'rate(slo) < 70%'
//	queue takes the largest part of what makes slow requests slow: 90.1 % of +5.75 s (p95 and above, n = 56); next is gpu with 9.8 %
//	misses p90(e2e) < 2s: 77.45 % of 1,100 met it
//	...
//	      condition         found            bounds      n
//	pass  rate(slo) < 70%  77.5 %  75.3 % to 79.5 %  1,100
//	...
//
// What other tools mean by the same names stands beside these figures with --define, each under
// its id. tailpath help definitions lists the ids.
//
// # What changed
//
// compare sets two captures side by side, the workload first. A difference without bounds
// that predict, or one that chance makes as well (~), fails no gate:
//
//	$ tailpath compare testdata/scenarios/healthy testdata/scenarios/healthy
//	...
//	next: tailpath explain testdata/scenarios/healthy --slowest 5
//
// Two sets of other models, of another number of GPUs (--gpus 8,4 tells it), or whose medians
// of tokens differ by more than a tenth, are not compared: what differs is told, with what the
// figures of both must be read with, and the exit code is 3. So few requests that chance alone
// may have parted their medians are no reason. --force compares them all the same:
//
//	$ tailpath compare testdata/scenarios/healthy testdata/scenarios/queue-buildup
//	not compared: the median of output tokens is 48 in base and 81 in new
//	...
//
// Two times of one capture are of one system, so nothing is refused. It is read once, and a
// request belongs to the time that it starts in:
//
//	$ tailpath compare testdata/scenarios/queue-buildup --split 12:01:01
//	slower in this capture, not proven to last: p95 of duration went from 1.24 s to 6.62 s (x5.32; n = 500 and 600), 97.0 % of it in queue; requests ask for the same as before
//	...
//
// # One request
//
// A trace is named by its id or the beginning of it. Every segment of the path has the
// reason why its span is there and, in brackets, the rule that gave the stage:
//
//	$ tailpath explain cmd/tailpath/testdata/small/traces.jsonl 4bf92f35
//	application is 100 ms of 100 ms (100.0 %); the queue is 0 ns; slower than 0 of 2 requests
//	...
//	critical path
//	at ms  took ms  stage             known  span              why on the path [rule]
//	    0     20.0  application/shop  exact  GET /cart (shop)  root of the request [application]
//	 20.0     70.0  application/shop  exact  price (shop)      last to finish in its parent [application]
//	 90.0     10.0  application/shop  exact  GET /cart (shop)  root of the request [application]
//	...
//
// # Logs
//
// Lines of logs are read like traces. Every line is used, or counted with the reason:
//
//	$ tailpath inspect cmd/tailpath/testdata/logs/haproxy.log
//	...
//	lines of logs
//	input                                   lines  used  not used, by reason
//	cmd/tailpath/testdata/logs/haproxy.log      3     2  1 unknown line
//	...
//
// What a line says of its own time is the path; a stretch that hides another server is
// unattributed. The zone is given where the log has none:
//
//	$ tailpath explain cmd/tailpath/testdata/logs/haproxy.log --slowest 1 --tz haproxy=Europe/Berlin
//	queue is 5.00 s of 6.00 s (83.3 %); slower than 1 of 2 requests
//	...
//	critical path
//	at s  took ms  stage                           known  span                                 why on the path [rule]
//	   0     5000  queue/admission                 exact  POST /v1/chat/completions (haproxy)  field Tw [recorded]
//	5.00        1  network/connect                 exact  POST /v1/chat/completions (haproxy)  field Tc [recorded]
//	5.00      411  unattributed/upstream           exact  POST /v1/chat/completions (haproxy)  field Tr [recorded]
//	5.41      588  unattributed/upstream response  exact  POST /v1/chat/completions (haproxy)  Ta - TR - Tw - Tc - Tr [recorded]
//	...
//
// tailpath help formats lists the formats, says what each cannot tell, and how to read
// one's own.
//
// # Formats, at once and later
//
// -f or the end of the name that -o gives chooses among text, json, md, csv and html. CSV is
// one table, by default the one that answers the question:
//
//	$ tailpath summary testdata/scenarios/queue-buildup -f csv --table list
//	table,rows,about
//	...
//	summary.duration.percentiles,5,"a percentile, in ns"
//	...
//
//	$ tailpath summary testdata/scenarios/queue-buildup -f csv --table summary.duration.all.stages
//	stage,mean_ns,share
//	network,37725298,0.02145473979712518
//	gateway,563359,0.00032038750579859815
//	queue,725455962,0.4125737827941261
//	...
//
// render draws a document that was written as JSON, or is in HTML, without the files behind it:
//
//	$ tailpath render reports/testdata/summary.json
//	queue takes the largest part of what makes slow requests slow: 95.2 % of +3.50 s (p99 and above, n = 20); next is gpu with 4.8 %
//	...
//	next: tailpath explain incident/ --slowest 5
//
//	$ tailpath render testdata/scenarios/README.md
//	tailpath: error: testdata/scenarios/README.md: is no document of tailpath: invalid character '#' looking for beginning of value
//	tailpath: hint: render reads what -f json or -f html wrote: tailpath summary FILE -o report.json
//	exit code 2
//
// tailpath help output says what each format is for, and how tables are named.
//
// # Week by week
//
// What comes day by day goes into a store, each file once, and a store is a FILE of any command,
// which reads the parts of the time that it is asked for:
//
//	tailpath ingest today/ --store runs
//	tailpath report --store runs --week last -o report.html
//
// The report of a week is set against the four weeks before it. tailpath help files says what a
// store is, and what else --baseline takes.
//
// # Other tools
//
// export writes critical-path time as a profile for go tool pprof or as lines for a flame graph,
// a request or an engine as a trace for Perfetto, a table as Parquet, Arrow or CSV, and the
// figures of the summary for Prometheus:
//
//	$ tailpath export testdata/scenarios/queue-buildup -f folded --where 'e2e > 7s'
//	...
//	chat-frontend:_POST;edge-proxy:_ingress;edge-proxy:_router_llm_egress;vllm-server:_llm_request;queue/engine 77569756424
//	...
//	tailpath: 14 requests; left out: 1,086 by --where e2e > 7s
//
//	$ tailpath export testdata/scenarios/queue-buildup -f openmetrics
//	...
//	tailpath_verdict{metric="e2e",tailpath_verdict="leads"} 1
//	...
//	# EOF
//
// tailpath help exports says what each format has.
//
// # Some of the requests, and gates
//
// --where keeps the requests that match an expression such as model=llama3 AND e2e>2s.
// What it leaves out is counted, and if that is all, the hint says what there is:
//
//	$ tailpath testdata/scenarios/queue-buildup --where engine=vllm-server-1
//	no request to analyse: all 1,100 were left out: 1,100 by --where engine=vllm-server-1
//	...
//	tailpath: error: testdata/scenarios/queue-buildup: no request matches --where engine=vllm-server-1
//	tailpath: hint: engine is vllm-server-0 (1,100)
//	exit code 3
//
// --since and --until keep those that start in a time, which may be a date, a time of the day of
// the last record, or one before it:
//
//	$ tailpath testdata/scenarios/queue-buildup --since 12:01 --until 12:01:30
//	...
//	requests     432 of 1,100, starting from 2026-08-20T12:01:00Z up to 2026-08-20T12:01:30Z
//	...
//
// A gate fails only when the data leave no doubt:
//
//	$ tailpath summary testdata/scenarios/queue-buildup --fail-on verdict=dominates
//	...
//	conditions to fail on
//	      condition                  found  bounds   n
//	pass  verdict = dominates  queue leads          56
//	...
//
// --fail-on ends with exit code 1 if a condition such as p99(e2e) > 5s is true, and with 3
// if the data leave that open. --require says what must hold of the data for anything to be
// judged. tailpath help filters has the language of all.
//
// # Exit codes
//
// Finding nothing is not success: 1 says that a condition is true, 2 that tailpath could
// not run, 3 that it ran and cannot judge. An error is one line that says where and what, and one that
// says what next.
//
//	$ tailpath summary cmd/tailpath/testdata/small/fragment.jsonl
//	no request to analyse: the only one was left out: 1 by --incomplete exclude, the default (a part is missing)
//	...
//	tailpath: error: cmd/tailpath/testdata/small/fragment.jsonl: none of 1 request can be judged; left out: 1 by --incomplete exclude, the default (a part is missing)
//	tailpath: hint: --incomplete include takes fragments in; tailpath inspect says what was read
//	exit code 3
//
//	$ tailpath sumary testdata
//	tailpath: error: sumary: is no command, and there is no such file
//	tailpath: hint: did you mean tailpath summary? see tailpath help
//	exit code 2
//
// tailpath help exit-codes lists all of them, and tailpath help environment the
// variables that are read.
package main
