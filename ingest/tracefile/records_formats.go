// # What becomes of the records of servers
//
// A record makes spans of kind SERVER and origin record, whose ids come from its place.
// What it says of its own time becomes events, by which the stage rules cut the span, or
// parts. A time that cannot be true (negative, -1, 0 for a date, longer than the whole,
// out of order) is counted and placed nowhere. Prompts and answers are never looked at.
//
// Triton's trace file (trace mode triton; steady clock) comes to the spans that Triton
// exports to OpenTelemetry:
//
//	InferRequest    HTTP_RECV_START or GRPC_WAITREAD_END to the last time of the request
//	  <model>       REQUEST_START to REQUEST_END
//	    compute     COMPUTE_START to COMPUTE_END, as often as there are such pairs
//	    <activity>  <activity>_START to <activity>_END, of a backend's own
//
// Objects may stand in any order. The ids of every array are its own, and so are those
// behind a place where ids begin again. A call whose parent_id is in no trace of the
// array is a request of its own. A model without REQUEST_END is unfinished. A cached
// response has no compute. COMPUTE times are the batch's: equal ones tell one batch. A
// model that is scheduled step by step has a compute for each, and a streamed response
// times of sending for each piece.
//
// Dynamo's request trace (wall clock, dates of 1 ms): prefill_wait_time_ms is gateway,
// prefill_time_ms unattributed "queue and prefill", and from ttft_ms to total_time_ms is
// decode, off by no more than kv_transfer_estimated_latency_ms. In a disaggregated
// deployment ttft_ms is the first token of the prefill worker.
//
// TensorRT-LLM's GET /perf_metrics (steady clock): server_arrival_time, arrival_time,
// first_scheduled_time, first_token_time and last_token_time bound scheduling, queue,
// prefill and decode; the transfer of the cache is cut out of what it lies in. The two
// halves of a disaggregated request, in one record or in two with one ctx_request_id,
// hang under a span of their own, if their clocks agree; a half alone is counted.
//
// Response bodies: vLLM's metrics (queue, prefill, decode) and llama.cpp's timings
// (prefill, decode) are durations that follow each other, from 0 of a clock of their own.
// When one is not known the response is unfinished: what is left is not its length.
// Ollama's end at created_at: load_duration is queue "load", from the start on; prefill
// and decode end with the response, and the rest of total_duration bounds how far they
// may be off. Pieces of streamed responses that hold no times are passed over; the
// markup of server-sent events is read as blanks.
//
// # Issues of the records of servers
//
//	record-bad           error    a record or an object could not be read
//	record-no-times      error    a record has no time that can be used
//	record-bad-time      warning  a time of a record cannot be true
//	record-no-start      info     the start was taken from end and duration
//	record-lone-half     warning  a half of a disaggregated request was read alone
//	record-other         info     a record is not about a finished request
//	triton-no-times      error    a trace has no times
//	triton-bad-time      warning  a time is 0, no number, or a day away from its request
//	triton-lost-parent   warning  the trace that called a model is not in the array
//	triton-no-metadata   warning  no object names the model of a trace
//	triton-reused-id     warning  ids begin again within an array
//	triton-repeated      info     a time stands twice
//	triton-tensor        info     a tensor was passed over
//	triton-other-object  info     an object is of a kind that is not known
package tracefile

// The formats of records that servers keep of their requests.
const (
	TritonTrace        Format = ZipkinJSON + 1 + iota // Triton's own trace file, trace mode triton
	DynamoRequestTrace                                // Dynamo's request trace, one record a line
	TensorRTMetrics                                   // body of TensorRT-LLM's GET /perf_metrics
	ResponseBody                                      // response bodies with the times of their request
)

// recordLayouts are the formats above, in order.
var recordLayouts = []layout{
	{"Triton trace", tritonShape, sniffRecords(&tritonShape), newTriton},
	{"Dynamo request trace", dynamoShape, sniffRecords(&dynamoShape), newDynamo},
	{"TensorRT-LLM perf metrics", trtllmShape, sniffRecords(&trtllmShape), newTRTLLM},
	{"response body", responseShape, sniffResponse, newResponse},
}

// sniffRecords knows a format by its elements alone.
func sniffRecords(s *shape) func(head []byte, whole bool) bool {
	return func(head []byte, whole bool) bool { return sniffElements(head, whole, s, s.is) }
}

func newDynamo(d *Decoder) handler   { return &dynamoReader{recorder: newRecorder(d)} }
func newResponse(d *Decoder) handler { return &responseReader{recorder: newRecorder(d)} }
