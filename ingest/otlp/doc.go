// Package otlp answers one question: which spans and log records does this OTLP hold? It
// turns OTLP traces and logs, in JSON and in protobuf, into rows of a table.Set.
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
//   - Bad input never stops the reading. A span or log record that cannot be read is
//     left out and counted with its place; every other row of the same line, message or
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
//     largest span or log record, of 64 MiB at most, and a message of protobuf by 256
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
// # Issues
//
//	otlp-bad-span          error    a span could not be read
//	otlp-bad-log           error    a log record could not be read
//	otlp-bad-part          error    an event or link could not be read; its span was
//	otlp-bad-document      loss     a document, line or message has a fault of its own
//	otlp-cut-last          loss     the input ends inside a document or message
//	otlp-cut-first         loss     the input begins inside a document
//	otlp-unknown-document  warning  a document or message is no OTLP
//	otlp-other-signal      info     it is OTLP metrics or profiles
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
