package simulate

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

const tritonService = "triton-inference-server"

var tritonScope = scope{name: "triton-server"}

// stamp is a span event without attributes.
type stamp struct {
	at   int64
	name string
}

// stampEvents appends events to a span of a process.
func stampEvents(p *process, sp ptrace.Span, stamps []stamp) {
	for _, st := range stamps {
		e := sp.Events().AppendEmpty()
		e.SetTimestamp(pcommon.Timestamp(p.at(st.at)))
		e.SetName(st.name)
	}
}

// triton writes Triton's three nested spans of a request. The root's receive events
// precede its start; GRPC_WAITREAD_START is when the handler began to wait for any
// request, so it may lie far before it; and the compute events are those of the batch.
func (x *exporter) triton(p *process, r *request) {
	r.engineID = r.requestID
	newID := func(parent [8]byte, name string, from, to int64) spanID {
		id := p.within(from, to)
		id.trace, id.parent, id.name, id.kind = r.traceID, parent, name, ptrace.SpanKindServer
		fill(x.ids, id.span[:])
		return id
	}
	root := newID(r.egressSpan, "InferRequest", r.rootStart, r.rootEnd)
	model := newID(root.span, modelName, r.requestStart, r.requestEnd)
	compute := newID(model.span, "compute", r.computeStart, r.computeEnd)

	p.add(tritonScope, root, func(sp ptrace.Span) {
		if r.grpc {
			stampEvents(p, sp, []stamp{{r.readBegin, "GRPC_WAITREAD_START"}, {r.received, "GRPC_WAITREAD_END"},
				{r.responseComplete, "INFER_RESPONSE_COMPLETE"}, {r.sendStart, "GRPC_SEND_START"}, {r.sendEnd, "GRPC_SEND_END"}})
			return
		}
		stampEvents(p, sp, []stamp{{r.firstByte, "HTTP_RECV_START"}, {r.received, "HTTP_RECV_END"},
			{r.responseComplete, "INFER_RESPONSE_COMPLETE"}, {r.sendStart, "HTTP_SEND_START"}, {r.sendEnd, "HTTP_SEND_END"}})
	})
	p.add(tritonScope, model, func(sp ptrace.Span) {
		a := sp.Attributes()
		a.PutStr("triton.model_name", modelName)
		a.PutInt("triton.model_version", 1)
		a.PutInt("triton.trace_id", r.serial)
		a.PutInt("triton.trace_parent_id", 0)
		a.PutStr("triton.request_id", r.requestID)
		stampEvents(p, sp, []stamp{{r.requestStart, "REQUEST_START"}, {r.queueStart, "QUEUE_START"}, {r.requestEnd, "REQUEST_END"}})
	})
	p.add(tritonScope, compute, func(sp ptrace.Span) {
		stampEvents(p, sp, []stamp{{r.computeStart, "COMPUTE_START"}, {r.inputEnd, "COMPUTE_INPUT_END"},
			{r.outputStart, "COMPUTE_OUTPUT_START"}, {r.computeEnd, "COMPUTE_END"}})
	})
}
