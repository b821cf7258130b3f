// Package otlp answers one question: which spans, log records and readings of engines
// does this OTLP hold? It turns OTLP traces, logs and metrics, in JSON and in protobuf,
// into rows of a table.Set.
//
// # Forms
//
// JSON may be one document, one a line, indented, several behind each other with or
// without anything between, or an array of documents. Lines may be of any length.
// Protobuf may be one message, or messages with their length before them as the
// Collector's file exporter writes them, each compressed by zstd or not. Sniff tells
// the form. Compression of a stream as a whole is the caller's business.
//
// # Guarantees
//
//   - Bad input never stops the reading. A span, log record or metric that cannot be read
//     is left out and counted with its place; every other row of the same line, message or
//     document is kept. A value of the wrong type is passed over. A line or message whose
//     brackets or lengths are wrong costs what stands behind the fault in it, and
//     reading goes on at the next one. A frame ends where the next one begins, if its
//     length says otherwise; only a frame with another whole frame in a value of its
//     own may be taken for two, when what is behind it is damaged.
//   - Nothing is passed over in silence: what is no OTLP, what was cut off, and what had
//     to be bent to be read is counted. Details name fields and never values.
//   - The order of members and fields does not matter, nor how a stream is cut into
//     reads or chunks.
//   - A JSON document of any size is read record by record: memory is bounded by the
//     largest span, log record or metric, of 64 MiB at most, and a message of protobuf by 256
//     MiB. Larger ones are passed over and counted.
//   - Times, ids and attributes are kept as recorded. A span that ends before it starts,
//     or has no end, is a row like any other. Only times that do not fit int64
//     nanoseconds make a span bad.
//
// A row's line is its own, its offset that of its document or frame.
//
// # Why JSON is decoded here
//
// Protobuf is decoded by pdata, the reference implementation. For JSON it serves as the
// oracle of the tests instead: what pdata accepts comes to the same rows. It is not the
// decoder, because it takes a document as a whole and in memory, so that one bad span
// costs a batch of hundreds and a long indented file does not fit; because it gives no
// place of a fault; and because it reads a good deal of what exporters write as
// nothing at all, without an error: batches in the place of resourceSpans, the scopes
// of older protocols, traceID for traceId.
//
// Where pdata refuses a message of protobuf, the message is walked on the wire and its
// records are handed to pdata one by one.
//
// # What is read beyond the protocol
//
// Ids in hex of any case, with 0x, of 64 bits, without leading zeros, in base64, or in
// base64 of their hex. Integers as numbers, in quotes, with exponents, or as {"low",
// "high"}. Enums by name, short name or number. Names in snake_case, and as traceID and
// spanID, or in any case. Objects and arrays around the resources, as in {"result":
// {...}} and {"data": [{...}]}. Attributes as a map. {} and "" as empty lists. Doubles and bools in
// quotes, bare NaN, and null for anything.
//
// # Values of attributes
//
// An array or key-value list is stored as the OTLP JSON of its ArrayValue or
// KeyValueList, {"values":[...]}, without blanks, with members in the order of the
// protocol, integers in quotes and bytes in base64.
//
// # Metrics
//
// The points of known series become rows of engine_samples, under the names and in the
// units of table.Metrics. Known are the state and the totals that these export: vLLM,
// SGLang, Triton and its GPUs, TensorRT-LLM, TGI, llama.cpp, LMDeploy, the DCGM exporter,
// and OpenTelemetry's own hw.gpu; metricnames.go declares each series. A colon in a name
// may be written as an underscore or dot, and the endings _total, _seconds, _bytes and
// the like be there or not. Of histograms and summaries the sum is read, which is a
// total; collectors that know no types may write it as a number of its own.
//
// A row's engine is what attributes of the point name, such as the model and the
// data-parallel rank, behind the service.instance.id of the resource and a slash. A GPU
// goes by its own name alone, and by the host that the point names. Service and host are
// those of the scopes table; without a host there it is that of the scraped target.
//
// Points of one metric, time and engine that differ in other attributes are one
// reading: totals add up, as over the reasons that requests finished for, and of others
// the largest stands. Of series that say the same the first is read, and of the workers
// of one engine only the lowest rank. Points with delta temporality are read where there
// is a metric of readings since the last. Every point is part of a reading or counted by
// the reason why it is not.
//
// # Text
//
// Prompts, outputs and lines of logs are left out unless Options.KeepText is set: bodies
// of log records are not stored, and an attribute that is known to hold text has the
// value "left out (N bytes)". leaveout.go declares the keys; inside arrays and key-value
// lists they are looked for at every depth, and a string that is an object of JSON with
// such a member is left out as a whole. Numbers and bools are kept. Exception
// messages, status descriptions and the queries of URLs are kept as recorded.
//
// Options.Line is shown every body that is a line of text, before it is dropped.
//
// # Issues
//
//	otlp-bad-span          error    a span could not be read
//	otlp-bad-log           error    a log record could not be read
//	otlp-bad-metric        error    a metric could not be read
//	otlp-bad-point         error    a point could not be read; its metric was
//	otlp-bad-part          error    an event or link could not be read; its span was
//	otlp-bad-document      loss     a document, line or message has a fault of its own
//	otlp-cut-last          loss     the input ends inside a document or message
//	otlp-cut-first         loss     the input begins inside a document
//	otlp-unknown-document  warning  a document or message is no OTLP
//	otlp-other-signal      info     it is OTLP profiles, or metrics without a reading
//	otlp-unknown-metric    info     points of a series that is not known
//	otlp-unused-point      info     points of a known series with another shape or attribute
//	otlp-repeated-point    info     points that say what another one says
//	otlp-empty-point       info     points without a time or a finite number
//	otlp-delta-point       warning  points of a total with delta temporality
//	otlp-text-left-out     info     texts of prompts, outputs and logs were not stored
//	otlp-bad-resource      warning  a resource or scope could not be read
//	otlp-missing-resource  warning  a cut document has rows, but no resource
//	otlp-repaired-value    warning  a value has a type that OTLP does not allow there
//	otlp-left-out          error    a value could not be read; what stands around it was
//	otlp-unknown-member    warning  a resource or scope has a list of an unknown name alone
//	otlp-unknown-enum      warning  a kind, status or severity is none of OTLP's
//	otlp-empty-id          warning  a span has no trace id or no span id
//	otlp-foreign-id        info     an id is not in hex of full length
//	otlp-imprecise-time    info     a time has the digits of a double, or a fraction
//
// # Example
//
//	set, account := table.NewSet(), &table.Account{}
//	d := otlp.NewDecoder(set, account, "traces.json")
//	defer d.Close()
//	err := d.Read(file, otlp.Sniff(head, false), otlp.Start{Line: 1})
package otlp
