package otlp

import "github.com/tailpath/tailpath/ingest/table"

// The quality issues of this package. A place is the span, log record, document or
// frame that was met; a detail names fields, never values.
var (
	// BadSpan counts spans that could not be read and were left out.
	BadSpan = table.Issue{ID: "otlp-bad-span", Severity: table.Error,
		Advice: "look at the span at the place given and at the exporter that wrote it; every other span was read"}
	// BadLog counts log records that could not be read and were left out.
	BadLog = table.Issue{ID: "otlp-bad-log", Severity: table.Error,
		Advice: "look at the log record at the place given and at the exporter that wrote it; every other record was read"}
	// BadMetric counts metrics that could not be read and were left out.
	BadMetric = table.Issue{ID: "otlp-bad-metric", Severity: table.Error,
		Advice: "look at the metric at the place given and at the exporter that wrote it; every other metric was read"}
	// BadPoint counts points of metrics that could not be read and were left out.
	BadPoint = table.Issue{ID: "otlp-bad-point", Severity: table.Error,
		Advice: "look at the metric at the place given; its other points were read"}
	// BadPart counts events and links that could not be read and were left out of their span.
	BadPart = table.Issue{ID: "otlp-bad-part", Severity: table.Error,
		Advice: "look at the event or link at the place given; its span was read without it"}
	// BadDocument counts documents, lines and frames that could not be read to their end.
	BadDocument = table.Issue{ID: "otlp-bad-document", Severity: table.Loss,
		Advice: "look at the line or frame at the place given; what stood before the fault was kept and reading went on behind it"}
	// CutLast counts inputs that end inside a document, as those of a killed collector do.
	CutLast = table.Issue{ID: "otlp-cut-last", Severity: table.Loss,
		Advice: "the writer was stopped or the file was still being written; copy the file again once it is complete, or accept that its last batch is lost"}
	// CutFirst counts inputs that begin inside a document, as those of a size-based rotation may do.
	CutFirst = table.Issue{ID: "otlp-cut-first", Severity: table.Loss,
		Advice: "give the file that was rotated before this one as well; the batch across the cut is lost"}
	// UnknownDocument counts JSON documents and protobuf messages that are no OTLP.
	UnknownDocument = table.Issue{ID: "otlp-unknown-document", Severity: table.Warning,
		Advice: "check that the input holds OTLP only; documents of other shapes were passed over"}
	// OtherSignal counts documents of OTLP profiles, and of metrics that hold no reading.
	OtherSignal = table.Issue{ID: "otlp-other-signal", Severity: table.Info,
		Advice: "nothing to do: tailpath reads traces, logs and the metrics of inference servers and GPUs; what else there is was passed over"}
	// UnknownMetric counts points of series that are not known.
	UnknownMetric = table.Issue{ID: "otlp-unknown-metric", Severity: table.Info,
		Advice: "nothing to do: known series are those of vLLM, SGLang, Triton, TensorRT-LLM, TGI, llama.cpp, LMDeploy, the DCGM exporter and hw.gpu; the others were passed over"}
	// UnusedPoint counts points of known series that hold something else than what is read of them.
	UnusedPoint = table.Issue{ID: "otlp-unused-point", Severity: table.Info,
		Advice: "nothing to do: such points have an attribute or a type that is not needed, as the limits beside the values of a series"}
	// RepeatedPoint counts points that say what another one of the same engine and time says.
	RepeatedPoint = table.Issue{ID: "otlp-repeated-point", Severity: table.Info,
		Advice: "nothing to do: several workers of one engine report the same, and one of them was read"}
	// EmptyPoint counts points without a time or a finite number.
	EmptyPoint = table.Issue{ID: "otlp-empty-point", Severity: table.Info,
		Advice: "nothing to do: such points mark the end of a series, or stand for a scrape that failed"}
	// DeltaPoint counts points of totals that only tell of the time since the point before.
	DeltaPoint = table.Issue{ID: "otlp-delta-point", Severity: table.Warning,
		Advice: "export metrics with cumulative temporality, or put the deltatocumulative processor into the collector; such totals were passed over"}
	// TextLeftOut counts texts of prompts, outputs and logs that were not stored.
	TextLeftOut = table.Issue{ID: "otlp-text-left-out", Severity: table.Info,
		Advice: "nothing to do: prompts, outputs and the bodies of logs are left out to keep them private; run with --keep-text to keep them"}
	// BadResource counts resources and scopes that could not be read; their rows were kept without them.
	BadResource = table.Issue{ID: "otlp-bad-resource", Severity: table.Warning,
		Advice: "rows under it have no service, host or scope name; look at the resource or scope at the place given"}
	// MissingResource counts cut documents whose spans were kept before their resource was seen.
	MissingResource = table.Issue{ID: "otlp-missing-resource", Severity: table.Warning,
		Advice: "spans of the cut document have no service name, because it stood behind the cut"}
	// RepairedValue counts values of an unexpected JSON type that were kept in the nearest form.
	RepairedValue = table.Issue{ID: "otlp-repaired-value", Severity: table.Warning,
		Advice: "the exporter writes values that OTLP does not allow; they were kept as text or as the nearest type"}
	// LeftOut counts values, lists and attributes that could not be read and were left out.
	LeftOut = table.Issue{ID: "otlp-left-out", Severity: table.Error,
		Advice: "the exporter writes a list, object or attribute in a form that could not be read; look at the place given, what stands around it was read"}
	// UnknownMember counts resources and scopes without a list that is known, but with one
	// of another name.
	UnknownMember = table.Issue{ID: "otlp-unknown-member", Severity: table.Warning,
		Advice: "no span or log record was found there; check the name of the list against OTLP's scopeSpans, spans, scopeLogs, logRecords, scopeMetrics and metrics"}
	// UnknownEnum counts span kinds, status codes and severities that are none of OTLP's.
	UnknownEnum = table.Issue{ID: "otlp-unknown-enum", Severity: table.Warning,
		Advice: "the exporter writes a kind, status or severity that OTLP does not have; it was read as unspecified"}
	// EmptyID counts spans without a trace id or a span id.
	EmptyID = table.Issue{ID: "otlp-empty-id", Severity: table.Warning,
		Advice: "such spans cannot be joined to a request; check the exporter or the conversion that wrote the input"}
	// ForeignID counts ids that are not written as OTLP asks, but could be read.
	ForeignID = table.Issue{ID: "otlp-foreign-id", Severity: table.Info,
		Advice: "nothing to do: ids in base64, with 0x or of 64 bits were turned into OTLP's form"}
	// Imprecise counts times written as JSON numbers with the digits of a double.
	Imprecise = table.Issue{ID: "otlp-imprecise-time", Severity: table.Info,
		Advice: "times may be off by up to 256 ns, because the exporter wrote them as JSON numbers; write them as strings"}
)
