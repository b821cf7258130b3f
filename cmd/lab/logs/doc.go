// Package logs answers: which log files would the programs of this incident have left?
//
// From a [simulate.Capture] it writes the access log of the gateway and the log of each
// engine, line by line as the real programs write them: their wording, their units and
// rounding, their idea of which instant a line is stamped with, and the clock and time
// zone of the host they run on. The same simulated gateway is written as nginx, Envoy and
// HAProxy would log it, so that each of them can be read alone or with the others.
//
// # Kinds
//
//	kind        format       program and setting
//	nginx       nginx        log_format: combined, then rt, uct, uht, urt, ua, us, msec, rid, tp
//	envoy       envoy        the default access log
//	envoy-json  envoy-json   JSON with the durations of Envoy's operators and %TRACE_ID%
//	haproxy     haproxy      option httplog, capture of traceparent and x-request-id, syslog
//	vllm        vllm         --enable-log-requests; V0 words it differently
//	sglang      sglang       --log-requests, --enable-metrics, --enable-request-time-stats-logging
//	sglang-json sglang       the same with --log-requests-format json
//	triton      triton-log   --log-verbose=1
//	tgi         tgi          the router's text log, with traces exported
//	tgi-json    tgi          --json-output
//
// The first four exist for every capture; of the others, those of its server. The second
// column is the format of package ingest/serverlog that reads the file.
//
// # Guarantees
//
//   - One capture gives the same bytes each time.
//   - Lines stand in the order in which the program writes them, which is by the true
//     time of writing, not by the stamp in the line. Lines of one instant keep the order
//     in which the program comes to them.
//   - Every stamp is what the host's clock shows ([simulate.Capture.Shown]), with what its
//     log adds to UTC (Capture.Zone) where the program writes local time. Envoy, Triton
//     and TGI always write UTC. Durations are differences of what the clock shows, as one
//     oscillator drives both clocks of a host.
//   - A number is cut or rounded where the program does it; see the comments of each kind.
//   - One attempt of a client is one line of the gateway. What a gateway never heard of
//     has no line, and an engine logs nothing of a request that did not reach it.
//   - Nothing comes from the truth: a log says what its program saw.
//
// # What a program would know and a visit does not
//
// Sampling parameters are those of every simulated client, its limit of tokens is the next
// power of two above its answer, sizes in bytes follow from numbers of tokens, and the
// ports of the gateway's connections to a server are handed out lowest first. tailpath
// reads none of them. How two SGLang servers of one request met is taken from the spans
// of the capture, into which SGLang prints the same stamps as into its log.
//
// # Example
//
//	c, err := simulate.Run(sc, 1, simulate.Options{Server: simulate.SGLang})
//	if err != nil {
//		return err
//	}
//	for _, kind := range logs.Names(c) { // nginx, envoy, envoy-json, haproxy, sglang, ...
//		files, err := logs.Write(c, kind)
//		...
//	}
package logs
