// Package format answers one question: what does a line of a declared log format say? A
// format is declared in a YAML file; this package reads and checks such a file, and makes
// of the values that package match finds in a line the span that the line tells.
//
// # Worked example
//
//	d, err := format.Parse(data, "haproxy.yaml")
//	f, err := d.Compile()
//	s := f.NewScratch()
//	r, values, head := f.Match(&format.Line{Text: line}, s)
//	if r != nil && r.Use == format.Whole {
//		var out format.Result
//		outcome := r.Span.Evaluate(values, &out)
//		// out.Start, out.End, out.Parts ...
//	}
//
// # A declaration
//
//	id: haproxy                     # a-z, 0-9 and -; the scope of its rows
//	title: HAProxy, option httplog
//	doc: Which setting writes it, when a line is written, and what it cannot say.
//	kind: gateway                   # gateway | engine
//	service: haproxy                # unless a record has a field service
//	zone: UTC                       # of times without one, if the program fixes it
//	clock: wall                     # wall | steady: times are no dates
//	absent: ["-", "-1"]             # texts that stand for no value
//	heads: ['{level:word} {time:vllm} ']   # what stands before every message, if anything
//	engine: dp                      # fields that say which engine a record is of
//	rank: [tp, pp]                  # fields by which otherwise equal records are copies
//	over: [nginx]                   # formats that this one wins over
//	unusable: {what: ..., instead: ...}    # known and without latency: refused with this
//	records:                        # the first that matches wins
//	  - id: request
//	    example: '10.0.3.14:51822 [20/Aug/2026:12:00:00.101] ...'   # one line, with its head
//	    weak: true                  # a match does not tell the format of an input
//	    bare: true                  # it may stand without a head
//	    pattern: '{client:token} [{time:haproxy}] {Tw:ms}/{Ta:ms} ...'
//	    when: {flags: ["s*", "!sQ"]}
//	    span: ...
//	    keep: [backend, server]     # fields that are stored as attributes
//
// A record is read in exactly one way:
//
//	pattern: see package match, also for the types of fields; gin_latency is a duration
//	         that gin prints, which it cuts to 10 ms above 1 s and to 10 s above 1 min, so
//	         that it is worth no more than that
//	json:    {queue: out.meta_info.queue_time s}   # field: path, or path and type; or
//	         {queue: {path: [queue_time, queue], type: s}}: the first that is there
//	logfmt:  {took: elapsed_ms ms}                 # key=value anywhere
//	python:  {rid: obj.rid}                        # the repr of a call or a dict
//	regex:   '^(?P<name>...)$', with types: {name: ms}
//
// JSON, logfmt and python may stand behind a prefix. Where no literal text makes out the
// record, when must.
//
// A field that holds several values, in any order, is read in pieces:
//
//	split:
//	  - {field: captured, at: "|", into: ['00-{trace_id:hex}-{parent_id:hex}-{_:hex}', '{request_id:uuid}']}
//
// Each stretch of the field between the texts of at is read by the first pattern that
// matches all of it, if any does. What it sets has no value yet: the first piece counts.
//
// # When
//
// All entries of when must hold. An entry names a field and texts: "*" is any text, "x*"
// what begins with x, "*x*" what holds x, and anything else is that text; one of these
// must hold. "!x" is anything but x, "!x*" what does not begin with x, "!*" no value at
// all, and all of these must hold. A field without a value is none of the texts, but is
// not x either.
//
// # What a record is
//
//	use: ignore     known and of no use
//	log: {}         an instant
//	samples: [{metric: running, field: n, scale: 0.01}]   readings, also with log or span
//	span: {...}     a whole request
//	begin:  {key: [request_id], time: received}     the first record of a request
//	update: {key: [request_id], time: executing}    one in the middle
//	update: {key: [request_id]}, with span          likewise, or the only one
//	update: {key: []}                               one more line of the record before
//	finish: {key: [request_id]}, with span          the last one
//
// Records with the same values of their keys tell one request. Its fields are remembered,
// the time of a record under the name that the record gives to it, and are known to the
// last one, whose own win. Records of one request that begin it in several ways add up: a
// second record of one kind begins another request, and one of another kind does not.
//
// An update or finish with the key [] belongs to the request that the begin or update
// before it told of, as the lines of a message of which only the first has a head. If
// that request has ended, or the line comes from another host or container, it belongs to
// none and is counted.
//
// An update with a span is a request of its own unless a last record comes: it needs no
// begin, uses what was told before it, and becomes a span when its key is used again, when
// 4096 others wait after it, or at the end of the log. A last record that comes meanwhile
// makes the span instead, and knows the fields of the update. So a request that a
// scheduler and a front end each log is one request.
//
// A record with bare: true may also stand without a head of the format, as where a
// collector took the time off. Its text must then make it out by itself.
//
// # What is kept
//
// Fields with a meaning, those named in keep and the name of a span are stored. Text that
// clients or models wrote must not be among them, nor may it get there when processes
// write to one log without line feeds between them: give what is stored a list of words
// or a type that holds no blanks.
//
// # A span
//
//	name: '{method} {route}'
//	start: [received, time - total]   # the first whose terms are all there
//	end: start + total
//	first_token: start + ttft
//	error: 1s                         # default: the coarsest resolution of what start and end are made of
//	failed: {reason: [abort, error]}
//	aborted: {reason: [abort]}
//	untold: {queue: ["-*"]}
//	parts:
//	  - {until: last + Tw, stage: queue, detail: admission}
//	  - {when: {role: [decode]}, until: last + forwarded, stage: gpu, detail: decode}
//	  - {from: start + sent - wait, until: start + sent, cut: true, stage: queue, detail: admission}
//	  - {from: ..., until: end, stage: gpu, detail: decode, confidence: anchored, error: 1ms, basis: eval time}
//	attempts: {response: urt, header: uht, connect: uct}
//	rest: {stage: gateway, detail: haproxy}
//
// The entries of failed are as those of when, but any of them suffices, and a field
// without a value is no failure. An HTTP status of 400 or more is one in any format. Those
// of aborted are as those of when, and all must hold: they say that who asked went away
// before the answer was complete, which is a failure too. A time limit of the server or
// of the gateway is none of these, nor is what can mean either. Those of untold are as
// those of failed; they say that the program has overwritten a stamp, so that a part
// of the request is not told, which is counted and is no fault.
//
// A part with when is there if all entries hold, by the fields of the record and of those
// before it that tell the same request. With cut, what of a part would lie before the end
// of the part before it is left out; else that is a time that cannot be.
//
// An expression adds and subtracts fields, start, end, last (where the part before ended)
// and literals such as 5ms. Instant ± duration is an instant, instant - instant a
// duration; anything else is refused. A duration may be a product, such as
// "1s / 1024 * size / speed", of one duration and of numbers and fields that are numbers;
// it may be negative, and has no value if a field in it has none or it is divided by 0.
// The error of a part may be a duration by expression.
// A part with an error is anchored and one without is exact, unless it says anchored; its
// error is then that of the span.
//
// # Fields with a meaning
//
// time, level, request_id, trace_id, span_id, model, route, method, status,
// prompt_tokens, output_tokens, cached_tokens, host, instance, service, client and
// upstream are what they are called, whatever format they come from. A record without a
// time has that of what wraps its line.
//
// # What a span guarantees
//
//   - Its parts, if the declaration speaks of any, tile it: they are disjoint, in order,
//     not empty, and what lies between them is the rest, with confidence residual.
//   - A field that is absent leaves its part out. Nothing moves for it but what is
//     declared to begin where that part would end.
//   - A value that cannot be is neither subtracted nor placed: a negative duration, a
//     stamp of 0, a request of more than seven days, a part that ends before it begins,
//     before the last part's end or after the span's by more than times are exact. Its
//     field is told in Impossible, parts that hang on it are left out, and what is left
//     over is unattributed. Of several expressions for start and end, the next one is
//     taken.
//   - Times of different clocks are never subtracted from each other.
//   - A record with durations and without a time begins at 0 and is on no clock.
//
// No declaration and no line makes this package panic. A line is matched and evaluated
// without allocating, once the slices of the Result have grown.
package format
