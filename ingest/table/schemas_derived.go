package table

// ConfidenceNames say how well both ends of a segment are known.
var ConfidenceNames = []string{"exact", "anchored", "residual"}

// TargetNames name the instant a critical path leads to.
var TargetNames = []string{"end", "first_token", "first_byte"}

// JoinBasisNames say what the traces and records of a request were joined by: nothing, or
// the kinds of key, strongest first.
var JoinBasisNames = []string{"alone", "trace id", "request id", "declared key", "address"}

// ClassNames say how much of a request was recorded. Only complete requests have
// durations that may be compared.
var ClassNames = []string{"complete", "incomplete", "unfinished", "broken"}

// SeverityNames grade quality issues: info costs nothing, warning may change a
// reading, error lost rows, loss lost an unknown number of rows.
var SeverityNames = []string{"info", "warning", "error", "loss"}

func stageFields(prefix, doc string, nullable bool) []Field {
	fields := make([]Field, 0, StageCount)
	for _, name := range StageNames {
		fields = append(fields, Field{Name: prefix + name + "_ns", Type: Int64, Unit: "ns", Nullable: nullable, Doc: doc + name})
	}
	return fields
}

func concat(parts ...[]Field) []Field {
	var all []Field
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

// RequestsSchema declares the requests table.
var RequestsSchema = Schema{
	Name: "requests",
	Doc:  "One row a request: one root's work, with the time of each stage on its critical path.",
	Key:  []string{"trace_id", "start_ns", "root_span_id"},
	Fields: concat([]Field{
		{Name: "trace_id", Type: ID16, Doc: "trace id"},
		{Name: "root_span_id", Type: ID8, Doc: "span id of the root"},
		{Name: "root_row", Type: Int32, Refs: "spans", Doc: "row of the root in the spans table"},
		{Name: "class", Type: Enum, Names: ClassNames, Doc: "how much of the request was recorded"},
		{Name: "class_reason", Type: Dict, Nullable: true, Doc: "why it is not complete"},
		{Name: "error", Type: Bool, Doc: "the root's status is ERROR or its HTTP status is 400 or more"},
		{Name: "aborted", Type: Bool, Doc: "who asked for it gave it up, says its root, or where that says nothing the last call that it waited for: HTTP 499, gRPC code 1, a status message or flags that say so, an engine's finish reason; no time limit of a server or gateway"},
		{Name: "start_ns", Type: Timestamp, Unit: "ns", Doc: "start of the request"},
		{Name: "end_ns", Type: Timestamp, Unit: "ns", Doc: "end of the request"},
		{Name: "clock", Type: Enum, Names: ClockNames, Doc: "what its times are measured on"},
		{Name: "resolution_ns", Type: Int64, Unit: "ns", Doc: "how far start or end may be off, by the resolution of the record of the root; 0 when they are as exact as their clock"},
		{Name: "duration_error_ns", Type: Int64, Unit: "ns", Doc: "how far the duration may be off, likewise; of a request that began and ended within one step of its clock, which lasts 0, the step"},
		{Name: "duration_ns", Type: Int64, Unit: "ns", Doc: "end - start: the sum of the stage columns"},
		{Name: "first_token_ns", Type: Timestamp, Unit: "ns", Nullable: true, Doc: "instant of the first token at the request's vantage point"},
		{Name: "ttft_ns", Type: Int64, Unit: "ns", Nullable: true, Doc: "first_token - start: the sum of the ttft_ stage columns"},
		{Name: "first_token_basis", Type: Dict, Nullable: true, Doc: "what served as the first token"},
		{Name: "first_byte_ns", Type: Timestamp, Unit: "ns", Nullable: true, Doc: "instant of the first byte of the response at the outermost place that saw it; with streams often only the headers"},
		{Name: "ttfb_ns", Type: Int64, Unit: "ns", Nullable: true, Doc: "first_byte - start"},
		{Name: "first_byte_basis", Type: Dict, Nullable: true, Doc: "what served as the first byte"},
		{Name: "name", Type: Dict, Doc: "name of the root span"},
		{Name: "service", Type: Dict, Nullable: true, Doc: "service of the root span"},
		{Name: "model", Type: Dict, Nullable: true, Doc: "model that served the request"},
		{Name: "route", Type: Dict, Nullable: true, Doc: "route of the request"},
		{Name: "request_id", Type: Text, Nullable: true, Doc: "request id, of the span nearest the engine that has one"},
		{Name: "streaming", Type: Enum, Names: []string{"unknown", "no", "yes"}, Doc: "whether the response was streamed"},
		{Name: "prompt_tokens", Type: Int64, Unit: "tokens", Nullable: true, Doc: "prompt tokens"},
		{Name: "output_tokens", Type: Int64, Unit: "tokens", Nullable: true, Doc: "output tokens"},
		{Name: "units", Type: Int32, Doc: "traces and records that tell of it; 1 when nothing was joined"},
		{Name: "join_basis", Type: Dict, Nullable: true, Doc: "the weakest key that its traces and records were joined by; absent when nothing was joined"},
		{Name: "attempts", Type: Int32, Doc: "attempts at it that were recorded"},
		{Name: "weight", Type: Float64, Nullable: true, Doc: "adjusted count from the sampling threshold in tracestate; absent when it is not given"},
	},
		stageFields("", "time on the critical path to the end in stage ", false),
		stageFields("ttft_", "time on the critical path to the first token in stage ", true),
		stageFields("drag_", "by how much the request would end earlier if its path to the end took no time in stage ", true),
		[]Field{
			{Name: "exact_ns", Type: Int64, Unit: "ns", Doc: "path time with both ends on one clock"},
			{Name: "anchored_ns", Type: Int64, Unit: "ns", Doc: "path time of durations placed by inference"},
			{Name: "residual_ns", Type: Int64, Unit: "ns", Doc: "path time that was left over"},
			{Name: "spans_in", Type: Int32, Doc: "spans of the request: on path + off path + excluded"},
			{Name: "spans_on_path", Type: Int32, Doc: "spans that own a segment"},
			{Name: "spans_off_path", Type: Int32, Doc: "spans that own none"},
			{Name: "spans_excluded", Type: Int32, Doc: "spans left out by a named reason"},
		}),
}

// SegmentsSchema declares the segments table.
var SegmentsSchema = Schema{
	Name: "segments",
	Doc:  "One row a segment of a critical path. The segments of one request and target tile it: contiguous, disjoint, not empty.",
	Key:  []string{"request_row", "target", "start_ns"},
	Fields: []Field{
		{Name: "request_row", Type: Int32, Refs: "requests", Doc: "row of the requests table"},
		{Name: "trace_id", Type: ID16, Doc: "trace id"},
		{Name: "target", Type: Enum, Names: TargetNames, Doc: "instant the path leads to"},
		{Name: "start_ns", Type: Timestamp, Unit: "ns", Doc: "start, inclusive"},
		{Name: "end_ns", Type: Timestamp, Unit: "ns", Doc: "end, exclusive"},
		{Name: "duration_ns", Type: Int64, Unit: "ns", Doc: "end - start"},
		{Name: "stage", Type: Enum, Names: StageNames[:], Doc: "stage"},
		{Name: "detail", Type: Dict, Nullable: true, Doc: "free sub-label under the stage"},
		{Name: "confidence", Type: Enum, Names: ConfidenceNames, Doc: "how well both ends are known"},
		{Name: "error_ns", Type: Int64, Unit: "ns", Doc: "bound on the misplacement of either end; 0 when exact"},
		{Name: "span_row", Type: Int32, Refs: "spans", Doc: "row of the owner in the spans table"},
		{Name: "span_id", Type: ID8, Doc: "span id of the owner"},
		{Name: "span_name", Type: Dict, Doc: "name of the owner"},
		{Name: "service", Type: Dict, Nullable: true, Doc: "service of the owner"},
		{Name: "reason", Type: Dict, Doc: "why the owner is on the path here"},
		{Name: "rule", Type: Dict, Doc: "rule that gave the stage"},
		{Name: "overlapped_by", Type: ID8, Nullable: true, Doc: "span id of a skipped child that ran meanwhile: the data cannot tell waiting from working"},
		{Name: "cause", Type: Dict, Nullable: true, Doc: "why the request waited; of queue segments only"},
	},
}

// ClocksSchema declares the clocks table.
var ClocksSchema = Schema{
	Name: "clocks",
	Doc:  "One row a clock and stretch of time: how far it is ahead of a reference, by the calls between the two. Times in other tables are never changed by it.",
	Key:  []string{"clock", "from_ns"},
	Fields: []Field{
		{Name: "clock", Type: Dict, Doc: "host, or the input of records whose host is not told"},
		{Name: "reference", Type: Dict, Doc: "clock that it is compared with; a clock that is its own reference is what others are compared with"},
		{Name: "from_ns", Type: Timestamp, Unit: "ns", Doc: "start of the stretch, by the reference's clock"},
		{Name: "to_ns", Type: Timestamp, Unit: "ns", Doc: "end of the stretch, exclusive"},
		{Name: "known", Type: Bool, Doc: "whether one offset agrees with the calls; if none does, durations alone count"},
		{Name: "offset_ns", Type: Int64, Unit: "ns", Doc: "clock - reference: 0 if the calls allow it, else the least that they allow"},
		{Name: "error_ns", Type: Int64, Unit: "ns", Doc: "bound on how far the offset may be off"},
		{Name: "calls", Type: Int64, Doc: "calls that say so"},
		{Name: "violated", Type: Int64, Doc: "calls that contradict the offset"},
		{Name: "zone_ns", Type: Int64, Unit: "ns", Nullable: true, Doc: "multiple of 30 min that alone fits: the times are likely those of another zone"},
	},
}

// QualitySchema declares the quality table.
var QualitySchema = Schema{
	Name: "quality",
	Doc:  "One row a kind of loss, repair or doubt met on the way, with its count and first place.",
	Key:  []string{"id"},
	Fields: []Field{
		{Name: "id", Type: Dict, Doc: "name of the kind"},
		{Name: "severity", Type: Enum, Names: SeverityNames, Doc: "what it costs"},
		{Name: "count", Type: Int64, Doc: "times met"},
		{Name: "source", Type: Dict, Nullable: true, Doc: "input of the first"},
		{Name: "line", Type: Int64, Nullable: true, Doc: "1-based line of the first"},
		{Name: "offset", Type: Int64, Unit: "bytes", Nullable: true, Doc: "byte offset of the first"},
		{Name: "detail", Type: Text, Nullable: true, Doc: "what the first was; never the value of an attribute"},
		{Name: "advice", Type: Text, Doc: "what to do about it"},
	},
}
