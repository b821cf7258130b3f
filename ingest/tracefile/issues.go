package tracefile

import (
	"slices"
	"strings"

	"github.com/tailpath/tailpath/ingest/table"
)

// The quality issues that every format of this package shares. A place is that of the
// span, record or document that was met; a detail names fields, never values.
var (
	// BadSpan counts spans and records that could not be read and were left out.
	BadSpan = table.Issue{ID: "tracefile-bad-span", Severity: table.Error,
		Advice: "look at the span or record at the place given and at what wrote it; every other one was read"}
	// BadPart counts what could not be read and was left out of its span: logs, annotations,
	// references, tags, and the times and names of models in Triton's objects.
	BadPart = table.Issue{ID: "tracefile-bad-part", Severity: table.Error,
		Advice: "look at the tag, log, annotation, reference or time at the place given; its span was read without it"}
	// BadDocument counts documents and lines with a fault of their own.
	BadDocument = table.Issue{ID: "tracefile-bad-document", Severity: table.Loss,
		Advice: "look at the line at the place given; what stood before the fault was kept and reading went on behind it"}
	// CutLast counts inputs that end inside a document.
	CutLast = table.Issue{ID: "tracefile-cut-last", Severity: table.Loss,
		Advice: "the download or the writer was stopped; fetch the file again, or accept that what stood behind the cut is lost"}
	// CutFirst counts inputs that begin inside a document.
	CutFirst = table.Issue{ID: "tracefile-cut-first", Severity: table.Loss,
		Advice: "give the file that was rotated before this one as well; what lies across the cut is lost"}
	// UnusedValue counts values that are none of the format.
	UnusedValue = table.Issue{ID: "tracefile-unused-value", Severity: table.Warning,
		Advice: "check that the input holds one kind of file only; what is of another kind was passed over"}
	// RepairedValue counts values of an unexpected JSON type that were kept in the nearest form.
	RepairedValue = table.Issue{ID: "tracefile-repaired-value", Severity: table.Warning,
		Advice: "what wrote the file gives a value in a type that the format does not have there; it was kept as text or as the nearest type"}
	// ForeignID counts ids that are not in hex of full length, but could be read.
	ForeignID = table.Issue{ID: "tracefile-foreign-id", Severity: table.Info,
		Advice: "nothing to do: ids without their leading zeros, in base64 or of other characters were turned into ids of full length"}
	// EmptyID counts spans without a trace id or a span id.
	EmptyID = table.Issue{ID: "tracefile-empty-id", Severity: table.Warning,
		Advice: "such spans cannot be joined to a request; check the tool that wrote the input"}
	// TextLeftOut counts texts of prompts and outputs that were not stored.
	TextLeftOut = table.Issue{ID: "tracefile-text-left-out", Severity: table.Info,
		Advice: "nothing to do: prompts and outputs are left out to keep them private; run with --keep-text to keep them"}
	// JaegerNoProcess counts spans whose process is not in their trace.
	JaegerNoProcess = table.Issue{ID: "jaeger-no-process", Severity: table.Warning,
		Advice: "such spans have no service name; fetch the trace again, or use a dump that keeps the process in each span"}
	// JaegerWarning counts warnings that Jaeger attached to spans.
	JaegerWarning = table.Issue{ID: "jaeger-warning", Severity: table.Info,
		Advice: "Jaeger found the spans odd, such as a parent that is missing; look at their warnings in the file"}
	// JaegerAdjusted counts spans whose times Jaeger changed.
	JaegerAdjusted = table.Issue{ID: "jaeger-adjusted-clock", Severity: table.Warning,
		Advice: "Jaeger moved spans to fit into their parents, so the times are not as recorded; fetch the traces with raw=true, or set max-clock-skew-adjust to 0"}
	// ZipkinNoStart counts spans of which no more than the duration is known.
	ZipkinNoStart = table.Issue{ID: "zipkin-no-start", Severity: table.Warning,
		Advice: "the spans have no timestamp, so they cannot be placed; check the instrumentation that reported them"}
	// ZipkinNoEnd counts spans that have no duration.
	ZipkinNoEnd = table.Issue{ID: "zipkin-no-end", Severity: table.Warning,
		Advice: "the spans were never finished, or were flushed before they were; they have no end"}
)

// Issues lists every issue that this package counts, by id.
func Issues() []table.Issue {
	all := slices.Concat([]table.Issue{
		BadSpan, BadPart, BadDocument, CutLast, CutFirst, UnusedValue, RepairedValue, ForeignID, EmptyID, TextLeftOut,
		JaegerNoProcess, JaegerWarning, JaegerAdjusted, ZipkinNoStart, ZipkinNoEnd,
	}, recordIssues)
	slices.SortFunc(all, func(a, b table.Issue) int { return strings.Compare(a.ID, b.ID) })
	return all
}
