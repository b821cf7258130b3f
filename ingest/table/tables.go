package table

// Scopes is the scopes table in columns; row i of every column is one scope.
type Scopes struct {
	Rows
	Service            []Sym `col:"service"`
	Host               []Sym `col:"host"`
	Instance           []Sym `col:"instance"`
	Scope              []Sym `col:"scope"`
	ScopeVersion       []Sym `col:"scope_version"`
	ResourceSchemaURL  []Sym `col:"resource_schema_url"`
	ScopeSchemaURL     []Sym `col:"scope_schema_url"`
	ResourceAttributes Attrs `col:"resource_attributes"`
	ScopeAttributes    Attrs `col:"scope_attributes"`
}

// Spans is the spans table in columns; row i of every column is one span.
type Spans struct {
	Rows
	TraceID       []TraceID `col:"trace_id"`
	SpanID        []SpanID  `col:"span_id"`
	ParentID      []SpanID  `col:"parent_id"`
	Name          []Sym     `col:"name"`
	Kind          []uint8   `col:"kind"`
	Start         []int64   `col:"start_ns"`
	End           []int64   `col:"end_ns"`
	Clock         []uint8   `col:"clock"`
	Error         []int64   `col:"error_ns"`
	LengthError   []int64   `col:"length_error_ns"`
	Origin        []uint8   `col:"origin"`
	Status        []uint8   `col:"status"`
	StatusMessage []string  `col:"status_message"`
	TraceState    []Sym     `col:"trace_state"`
	Flags         []int64   `col:"flags"`
	ScopeRow      []int32   `col:"scope_row"`
	RequestID     []string  `col:"request_id"`
	Model         []Sym     `col:"model"`
	Operation     []Sym     `col:"operation"`
	Route         []Sym     `col:"route"`
	HTTPStatus    []int64   `col:"http_status"`
	PromptTokens  []int64   `col:"prompt_tokens"`
	OutputTokens  []int64   `col:"output_tokens"`
	CachedTokens  []int64   `col:"cached_tokens"`
	TTFT          []int64   `col:"ttft_ns"`
	E2E           []int64   `col:"e2e_ns"`
	Queue         []int64   `col:"queue_ns"`
	Prefill       []int64   `col:"prefill_ns"`
	Decode        []int64   `col:"decode_ns"`
	Inference     []int64   `col:"inference_ns"`
	Dropped       []int64   `col:"dropped"`
	Attributes    Attrs     `col:"attributes"`
	Source        []Sym     `col:"source"`
	Line          []int64   `col:"line"`
	Offset        []int64   `col:"offset"`
}

// SpanEvents is the span_events table in columns.
type SpanEvents struct {
	Rows
	SpanRow    []int32 `col:"span_row"`
	Time       []int64 `col:"time_ns"`
	Name       []Sym   `col:"name"`
	Dropped    []int64 `col:"dropped"`
	Attributes Attrs   `col:"attributes"`
}

// Parts is the parts table in columns.
type Parts struct {
	Rows
	SpanRow    []int32 `col:"span_row"`
	Start      []int64 `col:"start_ns"`
	End        []int64 `col:"end_ns"`
	Stage      []uint8 `col:"stage"`
	Detail     []Sym   `col:"detail"`
	Confidence []uint8 `col:"confidence"`
	Error      []int64 `col:"error_ns"`
	Basis      []Sym   `col:"basis"`
}

// SpanLinks is the span_links table in columns.
type SpanLinks struct {
	Rows
	SpanRow    []int32   `col:"span_row"`
	TraceID    []TraceID `col:"trace_id"`
	SpanID     []SpanID  `col:"span_id"`
	TraceState []Sym     `col:"trace_state"`
	Flags      []int64   `col:"flags"`
	Dropped    []int64   `col:"dropped"`
	Attributes Attrs     `col:"attributes"`
}

// Logs is the logs table in columns.
type Logs struct {
	Rows
	Time         []int64   `col:"time_ns"`
	Clock        []uint8   `col:"clock"`
	Observed     []int64   `col:"observed_ns"`
	TraceID      []TraceID `col:"trace_id"`
	SpanID       []SpanID  `col:"span_id"`
	Flags        []int64   `col:"flags"`
	Severity     []int64   `col:"severity"`
	SeverityText []Sym     `col:"severity_text"`
	EventName    []Sym     `col:"event_name"`
	Body         Attrs     `col:"body"`
	ScopeRow     []int32   `col:"scope_row"`
	Dropped      []int64   `col:"dropped"`
	Attributes   Attrs     `col:"attributes"`
	Source       []Sym     `col:"source"`
	Line         []int64   `col:"line"`
	Offset       []int64   `col:"offset"`
}

// EngineSamples is the engine_samples table in columns.
type EngineSamples struct {
	Rows
	Time    []int64   `col:"time_ns"`
	Clock   []uint8   `col:"clock"`
	Service []Sym     `col:"service"`
	Host    []Sym     `col:"host"`
	Engine  []Sym     `col:"engine"`
	Metric  []Sym     `col:"metric"`
	Value   []float64 `col:"value"`
	Unit    []Sym     `col:"unit"`
	Source  []Sym     `col:"source"`
	Line    []int64   `col:"line"`
	Offset  []int64   `col:"offset"`
}

// Requests is the requests table in columns. Stage[k][i] is the time of request i
// in stage k, by the order of StageNames.
type Requests struct {
	Rows
	TraceID         []TraceID           `col:"trace_id"`
	RootSpanID      []SpanID            `col:"root_span_id"`
	RootRow         []int32             `col:"root_row"`
	Class           []uint8             `col:"class"`
	ClassReason     []Sym               `col:"class_reason"`
	Error           []bool              `col:"error"`
	Aborted         []bool              `col:"aborted"`
	Start           []int64             `col:"start_ns"`
	End             []int64             `col:"end_ns"`
	Clock           []uint8             `col:"clock"`
	Resolution      []int64             `col:"resolution_ns"`
	DurationError   []int64             `col:"duration_error_ns"`
	Duration        []int64             `col:"duration_ns"`
	FirstToken      []int64             `col:"first_token_ns"`
	TTFT            []int64             `col:"ttft_ns"`
	FirstTokenBasis []Sym               `col:"first_token_basis"`
	FirstByte       []int64             `col:"first_byte_ns"`
	TTFB            []int64             `col:"ttfb_ns"`
	FirstByteBasis  []Sym               `col:"first_byte_basis"`
	Name            []Sym               `col:"name"`
	Service         []Sym               `col:"service"`
	Model           []Sym               `col:"model"`
	Route           []Sym               `col:"route"`
	RequestID       []string            `col:"request_id"`
	Streaming       []uint8             `col:"streaming"`
	PromptTokens    []int64             `col:"prompt_tokens"`
	OutputTokens    []int64             `col:"output_tokens"`
	Units           []int32             `col:"units"`
	JoinBasis       []Sym               `col:"join_basis"`
	Attempts        []int32             `col:"attempts"`
	Weight          []float64           `col:"weight"`
	Stage           [StageCount][]int64 `col:""`
	TTFTStage       [StageCount][]int64 `col:"ttft_"`
	Drag            [StageCount][]int64 `col:"drag_"`
	ExactNS         []int64             `col:"exact_ns"`
	AnchoredNS      []int64             `col:"anchored_ns"`
	ResidualNS      []int64             `col:"residual_ns"`
	SpansIn         []int32             `col:"spans_in"`
	SpansOnPath     []int32             `col:"spans_on_path"`
	SpansOffPath    []int32             `col:"spans_off_path"`
	SpansExcluded   []int32             `col:"spans_excluded"`
}

// Segments is the segments table in columns.
type Segments struct {
	Rows
	RequestRow   []int32   `col:"request_row"`
	TraceID      []TraceID `col:"trace_id"`
	Target       []uint8   `col:"target"`
	Start        []int64   `col:"start_ns"`
	End          []int64   `col:"end_ns"`
	Duration     []int64   `col:"duration_ns"`
	Stage        []uint8   `col:"stage"`
	Detail       []Sym     `col:"detail"`
	Confidence   []uint8   `col:"confidence"`
	Error        []int64   `col:"error_ns"`
	SpanRow      []int32   `col:"span_row"`
	SpanID       []SpanID  `col:"span_id"`
	SpanName     []Sym     `col:"span_name"`
	Service      []Sym     `col:"service"`
	Reason       []Sym     `col:"reason"`
	Rule         []Sym     `col:"rule"`
	OverlappedBy []SpanID  `col:"overlapped_by"`
	Cause        []Sym     `col:"cause"`
}

// Clocks is the clocks table in columns.
type Clocks struct {
	Rows
	Clock     []Sym   `col:"clock"`
	Reference []Sym   `col:"reference"`
	From      []int64 `col:"from_ns"`
	To        []int64 `col:"to_ns"`
	Known     []bool  `col:"known"`
	Offset    []int64 `col:"offset_ns"`
	Error     []int64 `col:"error_ns"`
	Calls     []int64 `col:"calls"`
	Violated  []int64 `col:"violated"`
	Zone      []int64 `col:"zone_ns"`
}

// Quality is the quality table in columns.
type Quality struct {
	Rows
	ID       []Sym    `col:"id"`
	Severity []uint8  `col:"severity"`
	Count    []int64  `col:"count"`
	Source   []Sym    `col:"source"`
	Line     []int64  `col:"line"`
	Offset   []int64  `col:"offset"`
	Detail   []string `col:"detail"`
	Advice   []string `col:"advice"`
}
