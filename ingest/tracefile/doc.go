// Package tracefile answers one question: which spans and records does this file hold,
// if it is no OTLP and no log? It turns the JSON of Jaeger and Zipkin, and the records
// that inference servers keep of their requests, into rows of a table.Set.
//
// # Formats
//
// Jaeger: answers of the query API ({"data": [...]}), one trace or an array of them as
// the UI saves it, spans one a line or in an array with their process in them, hits of
// Elasticsearch with or without what stands around them, and the JSON of Jaeger's
// protobuf as its Kafka topics have it. What Jaeger answers under /api/v3 is OTLP.
//
// Zipkin: spans of version 2 or 1 in an array, in an array of traces, in several arrays
// behind each other, or one a line.
//
// Triton's own trace file, Dynamo's request trace, TensorRT-LLM's perf metrics, and
// response bodies with the times of their request, also as the server-sent events of a
// streamed one: see records_formats.go.
//
// Sniff tells the format. Compression is the caller's business.
//
// # Guarantees
//
//   - Bad input never stops the reading. A span or record that cannot be read is left
//     out and counted with its place. One whose brackets or quotes are wrong costs
//     itself only: reading goes on at the next object that is an element of the format.
//   - A text that is cut off anywhere gives every element that ends before the cut.
//   - Nothing is passed over in silence. Details name fields and never values.
//   - The order of members, blanks, and how a stream is cut into reads do not matter.
//   - Beside the rows, memory is bounded by the largest element, of 64 MiB at most, and
//     what has to wait for what may follow: a few words for each span of Jaeger's trace
//     that is being read, the ids and times of Triton's array that is being read, and
//     65,536 halves of disaggregated requests. Larger elements are passed over and counted.
//   - Times, ids and tags are kept as recorded, µs turned into ns. Only a start that is
//     missing, or times that are none or do not fit int64 ns, make a span bad.
//
// The line and offset of a row are those of its own object.
//
// # What becomes of the spans of Jaeger and Zipkin
//
// The same spans come to the same rows whether they are written as Jaeger, as Zipkin or
// as OTLP, but for what a format cannot say. Where a format has no field, OpenTelemetry
// writes it as a tag; such a tag fills the column and is no attribute: span.kind,
// otel.status_code, otel.status_description, otel.scope.name and .version (or
// otel.library.*), w3c.tracestate, and error with the value true. An error tag with
// another text, but false, gives the status ERROR and is its description, and stays.
//
// Jaeger: the parent is the first CHILD_OF in the own trace, else parentSpanID, else the
// first FOLLOWS_FROM in the own trace. Every reference but the CHILD_OF of the parent is
// a link with the attribute opentracing.ref_type, child_of or follows_from. The tags of
// a process are the attributes of the resource, serviceName its service.name; host and
// instance are hostname, ip and client-uuid where OpenTelemetry's attributes tell none.
// A log is an event, named by its field event.
//
// Zipkin: localEndpoint is the resource: service.name, network.local.address and .port;
// the address is the host and with the port the instance. remoteEndpoint is peer.service
// and network.peer.address and .port. Annotations are events; attributes that an exporter
// of OpenTelemetry wrote behind the name of one are its attributes. Client
// and server of one id stay two spans of that id, with shared: true or without. A
// span of version 1 that both halves of a call are in becomes two. Without a timestamp a
// span begins with its first annotation, or stands at 0 of a steady clock; without a
// duration it has no end.
//
// Ids may lack leading zeros, have 64 bits, or be base64 in the JSON of protobuf. An id
// that is neither becomes a hash of its text.
//
// # Why JSON is taken apart here
//
// A scanner finds the end of each element, so that files of any size can be read and
// broken ones can be gone on with, and has seen to the structure of what it hands out.
// What is left to do is to walk over a sound text once. A library would check it all
// again, and refuse or change what people's files hold: bare NaN, control characters in
// strings, wrong UTF-8.
//
// # Issues
//
//	tracefile-bad-span        error    a span or record could not be read
//	tracefile-bad-part        error    a tag, log, annotation or reference could not be read; its span was
//	tracefile-bad-document    loss     a document or line has a fault of its own
//	tracefile-cut-last        loss     the input ends inside a document
//	tracefile-cut-first       loss     the input begins inside a document
//	tracefile-unused-value    warning  a value is none of the format
//	tracefile-repaired-value  warning  a tag is of another JSON type than it says
//	tracefile-empty-id        warning  a span has no trace id or no span id
//	tracefile-foreign-id      info     an id is not in hex of full length
//	tracefile-text-left-out   info     a prompt or an output was not stored
//	jaeger-no-process         warning  a span's process is not in its trace
//	jaeger-adjusted-clock     warning  Jaeger has changed times of spans
//	jaeger-warning            info     Jaeger has other warnings of spans
//	zipkin-no-start           warning  a span has a duration alone
//	zipkin-no-end             warning  a span has no duration
//
// Those of the records of servers stand in issues_records.go.
//
// # Example
//
//	set, account := table.NewSet(), &table.Account{}
//	d := tracefile.NewDecoder(set, account, "traces.json")
//	err := d.Read(file, tracefile.Sniff(head, false))
package tracefile
