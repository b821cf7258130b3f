package table

// KindNames are the OpenTelemetry span kinds by wire value.
var KindNames = []string{"UNSPECIFIED", "INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER"}

// StatusNames are the OpenTelemetry status codes by wire value.
var StatusNames = []string{"UNSET", "OK", "ERROR"}

// ClockNames say what the times of a row are measured on. Times of a steady clock
// count from an origin that nobody knows: only differences between times of one
// source mean anything, and no date may be made of them. With none, durations alone
// were recorded, and the row starts at 0.
var ClockNames = []string{"wall", "steady", "none"}

// Clocks, by their place in ClockNames.
const (
	ClockWall   = 0 // nanoseconds since the Unix epoch, UTC
	ClockSteady = 1 // nanoseconds since an unknown origin of the row's source
	ClockNone   = 2 // nanoseconds since the start of the row itself
)

// OriginNames say what a span was read from. The ids of one that was read from a
// record are made from its place, and lead to nothing else.
var OriginNames = []string{"span", "record"}

// Origins, by their place in OriginNames.
const (
	OriginSpan   = 0
	OriginRecord = 1 // a line of a log, or a record of a server's own about one request
)

// placeFields stand at the end of every raw table: where the row was read.
var placeFields = []Field{
	{Name: "source", Type: Dict, Doc: "input the row was read from, as it was named on the command line"},
	{Name: "line", Type: Int64, Nullable: true, Doc: "1-based line in the decompressed input; absent for binary framings"},
	{Name: "offset", Type: Int64, Unit: "bytes", Doc: "byte offset in the decompressed input of the document or frame that holds the row"},
}

func withPlace(fields ...Field) []Field {
	return append(fields[:len(fields):len(fields)], placeFields...)
}

// ScopesSchema declares the table of instrumentation scopes.
var ScopesSchema = Schema{
	Name: "scopes",
	Doc:  "One row an instrumentation scope of one resource: what every span or log of it shares.",
	Key:  []string{"service", "host", "instance", "scope", "scope_version"},

	Merged: true,
	Fields: []Field{
		{Name: "service", Type: Dict, Nullable: true, Doc: "service.name"},
		{Name: "host", Type: Dict, Nullable: true, Doc: "host the process ran on: host.id, host.name, k8s.pod.name or k8s.node.name, the first that is there"},
		{Name: "instance", Type: Dict, Nullable: true, Doc: "service.instance.id, else the process id"},
		{Name: "scope", Type: Dict, Nullable: true, Doc: "instrumentation scope name"},
		{Name: "scope_version", Type: Dict, Nullable: true, Doc: "instrumentation scope version"},
		{Name: "resource_schema_url", Type: Dict, Nullable: true, Doc: "schema URL of the resource"},
		{Name: "scope_schema_url", Type: Dict, Nullable: true, Doc: "schema URL of the scope"},
		{Name: "resource_attributes", Type: Map, Doc: "resource attributes, as recorded"},
		{Name: "scope_attributes", Type: Map, Doc: "scope attributes, as recorded"},
	},
}

// SpansSchema declares the spans table.
var SpansSchema = Schema{
	Name: "spans",
	Doc:  "One row a span, exactly as recorded. Rows are never edited or dropped after reading.",
	Key:  []string{"trace_id", "start_ns", "end_ns", "span_id"},
	Fields: withPlace(
		Field{Name: "trace_id", Type: ID16, Doc: "trace id; a 64-bit id has eight leading zero bytes"},
		Field{Name: "span_id", Type: ID8, Doc: "span id"},
		Field{Name: "parent_id", Type: ID8, Nullable: true, Doc: "span id of the parent; absent for a root"},
		Field{Name: "name", Type: Dict, Doc: "span name"},
		Field{Name: "kind", Type: Enum, Names: KindNames, Doc: "span kind"},
		Field{Name: "start_ns", Type: Timestamp, Unit: "ns", Doc: "start; 0 is a legal time"},
		Field{Name: "end_ns", Type: Timestamp, Unit: "ns", Doc: "end as recorded; 0 with a later start means the span was never finished"},
		Field{Name: "clock", Type: Enum, Names: ClockNames, Doc: "what start and end are measured on; times of a steady clock are no dates"},
		Field{Name: "error_ns", Type: Int64, Unit: "ns", Doc: "how far start or end may be off by the resolution of what it was read from; 0 when they are as exact as their clock"},
		Field{Name: "length_error_ns", Type: Int64, Unit: "ns", Doc: "how far end - start may be off, likewise; less than error_ns where the record gives the duration itself"},
		Field{Name: "origin", Type: Enum, Names: OriginNames, Doc: "what the row was read from; the ids of a record's span are made from its place"},
		Field{Name: "status", Type: Enum, Names: StatusNames, Doc: "status code"},
		Field{Name: "status_message", Type: Text, Nullable: true, Doc: "status description"},
		Field{Name: "trace_state", Type: Dict, Nullable: true, Doc: "W3C tracestate"},
		Field{Name: "flags", Type: Int64, Doc: "W3C trace flags and context-is-remote bits"},
		Field{Name: "scope_row", Type: Int32, Refs: "scopes", Doc: "row of the scopes table"},
		Field{Name: "request_id", Type: Text, Nullable: true, Doc: "gen_ai.request.id, triton.request_id, rid, x_request_id, request_id or guid:x-request-id, the first that is there"},
		Field{Name: "model", Type: Dict, Nullable: true, Doc: "gen_ai.request.model, gen_ai.response.model, triton.model_name or model, the first that is there"},
		Field{Name: "operation", Type: Dict, Nullable: true, Doc: "gen_ai.operation.name"},
		Field{Name: "route", Type: Dict, Nullable: true, Doc: "http.route, url.path, http.target, or the path of url.full or http.url, without its query"},
		Field{Name: "http_status", Type: Int64, Nullable: true, Doc: "http.response.status_code or http.status_code, number or text"},
		Field{Name: "prompt_tokens", Type: Int64, Unit: "tokens", Nullable: true, Doc: "gen_ai.usage.input_tokens or gen_ai.usage.prompt_tokens or input_tokens"},
		Field{Name: "output_tokens", Type: Int64, Unit: "tokens", Nullable: true, Doc: "gen_ai.usage.output_tokens or gen_ai.usage.completion_tokens or output_tokens"},
		Field{Name: "cached_tokens", Type: Int64, Unit: "tokens", Nullable: true, Doc: "gen_ai.usage.cached_tokens or gen_ai.usage.cache_read.input_tokens"},
		Field{Name: "ttft_ns", Type: Int64, Unit: "ns", Nullable: true, Doc: "gen_ai.latency.time_to_first_token, seconds turned to ns, as recorded (may be negative or absurd)"},
		Field{Name: "e2e_ns", Type: Int64, Unit: "ns", Nullable: true, Doc: "gen_ai.latency.e2e, likewise"},
		Field{Name: "queue_ns", Type: Int64, Unit: "ns", Nullable: true, Doc: "gen_ai.latency.time_in_queue, likewise"},
		Field{Name: "prefill_ns", Type: Int64, Unit: "ns", Nullable: true, Doc: "gen_ai.latency.time_in_model_prefill, likewise"},
		Field{Name: "decode_ns", Type: Int64, Unit: "ns", Nullable: true, Doc: "gen_ai.latency.time_in_model_decode, likewise"},
		Field{Name: "inference_ns", Type: Int64, Unit: "ns", Nullable: true, Doc: "gen_ai.latency.time_in_model_inference, likewise"},
		Field{Name: "dropped", Type: Int64, Doc: "attributes, events and links the SDK says it dropped"},
		Field{Name: "attributes", Type: Map, Doc: "every attribute, as recorded, in recorded order"},
	),
}

// SpanEventsSchema declares the span_events table.
var SpanEventsSchema = Schema{
	Name: "span_events",
	Doc:  "One row an event of a span, in recorded order within the span.",
	Key:  []string{"span_row"},

	Recorded: true,
	Fields: []Field{
		{Name: "span_row", Type: Int32, Refs: "spans", Doc: "row of the spans table"},
		{Name: "time_ns", Type: Timestamp, Unit: "ns", Doc: "time of the event"},
		{Name: "name", Type: Dict, Doc: "event name"},
		{Name: "dropped", Type: Int64, Doc: "attributes the SDK says it dropped"},
		{Name: "attributes", Type: Map, Doc: "every attribute, as recorded"},
	},
}

// PartsSchema declares the parts table.
var PartsSchema = Schema{
	Name: "parts",
	Doc:  "One row a part of a span that its record gives as a time of its own, such as a timer in a gateway's log line. The parts of a span are disjoint, lie within it and stand in order of time.",
	Key:  []string{"span_row"},

	Recorded: true,
	Fields: []Field{
		{Name: "span_row", Type: Int32, Refs: "spans", Doc: "row of the spans table"},
		{Name: "start_ns", Type: Timestamp, Unit: "ns", Doc: "start, inclusive"},
		{Name: "end_ns", Type: Timestamp, Unit: "ns", Doc: "end, exclusive"},
		{Name: "stage", Type: Enum, Names: StageNames[:], Doc: "stage"},
		{Name: "detail", Type: Dict, Nullable: true, Doc: "free sub-label under the stage"},
		{Name: "confidence", Type: Enum, Names: ConfidenceNames, Doc: "how well both ends are known"},
		{Name: "error_ns", Type: Int64, Unit: "ns", Doc: "bound on the misplacement of either end; 0 when exact"},
		{Name: "basis", Type: Dict, Doc: "what the record says it with, such as a field by its name"},
	},
}

// SpanLinksSchema declares the span_links table.
var SpanLinksSchema = Schema{
	Name: "span_links",
	Doc:  "One row a link from a span to another, in recorded order within the span.",
	Key:  []string{"span_row"},

	Recorded: true,
	Fields: []Field{
		{Name: "span_row", Type: Int32, Refs: "spans", Doc: "row of the spans table that holds the link"},
		{Name: "trace_id", Type: ID16, Doc: "trace id of the span it points at"},
		{Name: "span_id", Type: ID8, Doc: "span id of the span it points at"},
		{Name: "trace_state", Type: Dict, Nullable: true, Doc: "W3C tracestate of the link"},
		{Name: "flags", Type: Int64, Doc: "W3C trace flags of the link"},
		{Name: "dropped", Type: Int64, Doc: "attributes the SDK says it dropped"},
		{Name: "attributes", Type: Map, Doc: "every attribute, as recorded"},
	},
}

// LogsSchema declares the logs table.
var LogsSchema = Schema{
	Name: "logs",
	Doc:  "One row a log record, exactly as recorded.",
	Key:  []string{"time_ns", "trace_id", "span_id"},
	Fields: withPlace(
		Field{Name: "time_ns", Type: Timestamp, Unit: "ns", Nullable: true, Doc: "time of the record; absent when it has none"},
		Field{Name: "clock", Type: Enum, Names: ClockNames, Doc: "what the time is measured on"},
		Field{Name: "observed_ns", Type: Timestamp, Unit: "ns", Nullable: true, Doc: "time the collector saw the record"},
		Field{Name: "trace_id", Type: ID16, Nullable: true, Doc: "trace id"},
		Field{Name: "span_id", Type: ID8, Nullable: true, Doc: "span id"},
		Field{Name: "flags", Type: Int64, Doc: "W3C trace flags"},
		Field{Name: "severity", Type: Int64, Doc: "OpenTelemetry severity number; 0 unspecified"},
		Field{Name: "severity_text", Type: Dict, Nullable: true, Doc: "severity as the source spells it"},
		Field{Name: "event_name", Type: Dict, Nullable: true, Doc: "event name"},
		Field{Name: "body", Type: Map, Doc: "the body, under the empty key; absent when the record has none"},
		Field{Name: "scope_row", Type: Int32, Refs: "scopes", Doc: "row of the scopes table"},
		Field{Name: "dropped", Type: Int64, Doc: "attributes the SDK says it dropped"},
		Field{Name: "attributes", Type: Map, Doc: "every attribute, as recorded"},
	),
}

// EngineSamplesSchema declares the engine_samples table.
var EngineSamplesSchema = Schema{
	Name: "engine_samples",
	Doc:  "One row a reading of an engine's state: running and waiting requests, KV cache use, tokens per second.",
	Key:  []string{"time_ns", "engine", "metric"},
	Fields: withPlace(
		Field{Name: "time_ns", Type: Timestamp, Unit: "ns", Doc: "time of the reading"},
		Field{Name: "clock", Type: Enum, Names: ClockNames, Doc: "what the time is measured on"},
		Field{Name: "service", Type: Dict, Nullable: true, Doc: "service.name"},
		Field{Name: "host", Type: Dict, Nullable: true, Doc: "host of the engine"},
		Field{Name: "engine", Type: Dict, Nullable: true, Doc: "engine within the host, such as a data-parallel rank"},
		Field{Name: "metric", Type: Dict, Doc: "what was read, under tailpath's own name"},
		Field{Name: "value", Type: Float64, Doc: "the reading"},
		Field{Name: "unit", Type: Dict, Nullable: true, Doc: "unit of the reading"},
	),
}
