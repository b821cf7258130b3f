package simulate

import (
	"math/rand/v2"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

var tritonScope = scope{name: "triton-server"}

// stamp is a span event without attributes.
type stamp struct {
	at   int64
	name string
}

// stampEvents appends events to a span.
func stampEvents(sp ptrace.Span, stamps []stamp) {
	for _, st := range stamps {
		e := sp.Events().AppendEmpty()
		e.SetTimestamp(pcommon.Timestamp(st.at))
		e.SetName(st.name)
	}
}

// tritonSpans writes Triton's three nested spans per request. The root's receive
// events precede its start; GRPC_WAITREAD_START is when the handler began to wait
// for any request, so it may lie far before it; and the compute events are those
// of the batch.
func tritonSpans(requests []*request, ids *rand.Rand) []*process {
	p := &process{service: "triton-inference-server", host: "gpu-a-01", instance: instance("triton-inference-server", 0),
		resource: func(attrs pcommon.Map) { sdk(attrs, "cpp") }}
	for _, r := range requests {
		root := spanID{trace: r.traceID, parent: r.egressSpan, name: "InferRequest", kind: ptrace.SpanKindServer,
			start: r.rootStart, end: r.rootEnd}
		fill(ids, root.span[:])
		model := spanID{trace: r.traceID, parent: root.span, name: modelName, kind: ptrace.SpanKindServer,
			start: r.requestStart, end: r.requestEnd}
		fill(ids, model.span[:])
		compute := spanID{trace: r.traceID, parent: model.span, name: "compute", kind: ptrace.SpanKindServer,
			start: r.computeStart, end: r.computeEnd}
		fill(ids, compute.span[:])

		p.add(tritonScope, root, func(sp ptrace.Span) {
			if r.grpc {
				stampEvents(sp, []stamp{{r.readBegin, "GRPC_WAITREAD_START"}, {r.received, "GRPC_WAITREAD_END"},
					{r.responseComplete, "INFER_RESPONSE_COMPLETE"}, {r.sendStart, "GRPC_SEND_START"}, {r.sendEnd, "GRPC_SEND_END"}})
				return
			}
			stampEvents(sp, []stamp{{r.firstByte, "HTTP_RECV_START"}, {r.received, "HTTP_RECV_END"},
				{r.responseComplete, "INFER_RESPONSE_COMPLETE"}, {r.sendStart, "HTTP_SEND_START"}, {r.sendEnd, "HTTP_SEND_END"}})
		})
		p.add(tritonScope, model, func(sp ptrace.Span) {
			a := sp.Attributes()
			a.PutStr("triton.model_name", modelName)
			a.PutInt("triton.model_version", 1)
			a.PutInt("triton.trace_id", r.serial)
			a.PutInt("triton.trace_parent_id", 0)
			a.PutStr("triton.request_id", r.requestID)
			stampEvents(sp, []stamp{{r.requestStart, "REQUEST_START"}, {r.queueStart, "QUEUE_START"}, {r.requestEnd, "REQUEST_END"}})
		})
		p.add(tritonScope, compute, func(sp ptrace.Span) {
			stampEvents(sp, []stamp{{r.computeStart, "COMPUTE_START"}, {r.inputEnd, "COMPUTE_INPUT_END"},
				{r.outputStart, "COMPUTE_OUTPUT_START"}, {r.computeEnd, "COMPUTE_END"}})
		})
	}
	return []*process{p}
}
