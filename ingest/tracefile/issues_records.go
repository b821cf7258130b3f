package tracefile

import "github.com/tailpath/tailpath/ingest/table"

// The quality issues of the records of servers: Triton's trace file, Dynamo's request
// trace, TensorRT-LLM's perf metrics and response bodies.
var (
	// TritonLostParent counts models whose parent_id is none of their array.
	TritonLostParent = table.Issue{ID: "triton-lost-parent", Severity: table.Warning,
		Advice: "the ensemble that called the model is in no trace of the array, so the call is read as a request of its own; look for a cut file or a trace rate that changed meanwhile"}
	// TritonNoMetadata counts ids that have times but no object that names their model.
	TritonNoMetadata = table.Issue{ID: "triton-no-metadata", Severity: table.Warning,
		Advice: "the object with the model's name is missing, as at the end of a cut file; its times were kept under the name 'model'"}
	// TritonNoTimes counts ids that have no usable time at all.
	TritonNoTimes = table.Issue{ID: "triton-no-times", Severity: table.Error,
		Advice: "a trace has no times, so it is no request; trace with the level TIMESTAMPS, or look for a cut file"}
	// TritonBadTime counts timestamps that cannot be times of their request.
	TritonBadTime = table.Issue{ID: "triton-bad-time", Severity: table.Warning,
		Advice: "Triton writes 0 for what it did not meet, such as the sending of a streamed response; such times were left out"}
	// TritonTensor counts tensors that were passed over.
	TritonTensor = table.Issue{ID: "triton-tensor", Severity: table.Info,
		Advice: "nothing to do: tensors say nothing about time; the level TIMESTAMPS alone keeps the files small"}
	// TritonOther counts objects of a kind that is not known.
	TritonOther = table.Issue{ID: "triton-other-object", Severity: table.Info,
		Advice: "objects that hold no model, time or tensor were passed over"}
	// TritonReused counts ids that begin again within one array.
	TritonReused = table.Issue{ID: "triton-reused-id", Severity: table.Warning,
		Advice: "ids begin again, as they do when a restarted server wrote on behind a cut array; what follows was read as a new array"}
	// TritonRepeated counts objects that say what another one has said.
	TritonRepeated = table.Issue{ID: "triton-repeated", Severity: table.Info,
		Advice: "nothing to do: the same fact stands in the array twice and was used once"}
	// BadRecord counts records that could not be read and were left out.
	BadRecord = table.Issue{ID: "record-bad", Severity: table.Error,
		Advice: "look at the record at the place given and at the server or tool that wrote it; every other record was read"}
	// RecordNoTimes counts records of requests without a time that can be used.
	RecordNoTimes = table.Issue{ID: "record-no-times", Severity: table.Error,
		Advice: "the record tells neither when its request began nor how long it took; look at the options of the server that turn times on"}
	// RecordBadTime counts times of a record that cannot be true.
	RecordBadTime = table.Issue{ID: "record-bad-time", Severity: table.Warning,
		Advice: "a time is negative, longer than its request or out of order; it was taken as unknown"}
	// RecordNoStart counts records without the time at which their request began.
	RecordNoStart = table.Issue{ID: "record-no-start", Severity: table.Info,
		Advice: "the start was taken from the end and the duration of the record"}
	// RecordLoneHalf counts halves of disaggregated requests that were read alone.
	RecordLoneHalf = table.Issue{ID: "record-lone-half", Severity: table.Warning,
		Advice: "the server of the other half is not in the input, or its clock does not agree; the half is read as a request of its own, which is shorter: give the perf metrics of both servers in one file"}
	// RecordOther counts records that are not about a finished request.
	RecordOther = table.Issue{ID: "record-other", Severity: table.Info,
		Advice: "nothing to do: events other than the end of a request, and pieces of a streamed response, hold no times of a request"}
)

// recordIssues lists what is declared above.
var recordIssues = []table.Issue{
	TritonLostParent, TritonNoMetadata, TritonNoTimes, TritonBadTime, TritonTensor, TritonOther, TritonReused, TritonRepeated,
	BadRecord, RecordNoTimes, RecordBadTime, RecordNoStart, RecordLoneHalf, RecordOther,
}
