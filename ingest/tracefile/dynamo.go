package tracefile

import (
	"bytes"

	"github.com/tailpath/tailpath/ingest/table"
)

// dynamoShape is the shape of Dynamo's request trace: one object a line.
var dynamoShape = shape{is: isDynamo}

// Schemas that records name. The older one has the same request in it.
var dynamoSchemas = []string{"dynamo.request.trace.v1", "dynamo.agent.trace.v1"}

// A dynamoReader makes spans of the request_end records of Dynamo's request trace. A
// record may be wrapped as the event of a line: {"timestamp":..., "event":{...}}.
type dynamoReader struct {
	lone
	*recorder
}

var dynamoScope = recordScope{scope: "dynamo-request-trace", service: "dynamo"}

// dynamoRecord is one record as it stands there. Times are ms: since the epoch where the
// name has unix or received in it, durations else.
type dynamoRecord struct {
	schema, eventType, eventTime, agent, request               []byte
	id, outerID, model, inputTokens, outputTokens, cached      []byte
	received, wait, prefill, ttft, total, itl, hitRate, kv     []byte
	depth, worker, prefillWorker, prefillRank, decodeWorker    []byte
	decodeRank, session, parentSession, finish, finishMetadata []byte
}

// dynamoEvent reads a record or the one that is wrapped in it; ok is false if it is none.
func dynamoEvent(raw []byte) (e dynamoRecord, whole, ok bool) {
	for range 2 {
		var inner []byte
		e = dynamoRecord{}
		whole = members(raw, func(name, value []byte) {
			switch string(name) {
			case "schema":
				e.schema = value
			case "event_type":
				e.eventType = value
			case "event_time_unix_ms":
				e.eventTime = value
			case "agent_context":
				e.agent = value
			case "request":
				e.request = value
			case "event":
				inner = value
			}
		})
		if e.schema != nil || inner == nil {
			break
		}
		raw = inner
	}
	return e, whole, isDynamoSchema(e.schema)
}

// isDynamo reports whether an object, or the beginning of one, is a record, wrapped or
// not: it names its schema.
func isDynamo(raw []byte) bool {
	if isDynamoSchema(objectMember(raw, "schema")) {
		return true
	}
	return isDynamoSchema(objectMember(objectOrNil(objectMember(raw, "event")), "schema"))
}

func isDynamoSchema(value []byte) bool {
	text, ok := jsonText(value)
	return ok && contains(dynamoSchemas, text)
}

// element takes one record.
func (d *dynamoReader) element(raw []byte, at table.Place) bool {
	e, whole, ok := dynamoEvent(raw)
	if !ok {
		return false
	}
	if text, _ := jsonText(e.eventType); string(text) != "request_end" {
		d.passOver(RecordOther, 1, at, "an event that is not the end of a request")
		return true
	}
	if whole {
		members(e.agent, func(name, value []byte) {
			switch string(name) {
			case "session_id":
				e.session = value
			case "parent_session_id":
				e.parentSession = value
			}
		})
		whole = members(e.request, e.requestMember)
	}
	if !whole {
		d.leaveOut(BadRecord, at, "the request of a record is no object")
		return true
	}
	members(e.worker, e.workerMember)
	members(e.finishMetadata, func(name, value []byte) {
		if string(name) == "finish_reason" {
			e.finish = value
		}
	})
	d.emit(&e, at)
	return true
}

func (e *dynamoRecord) requestMember(name, value []byte) {
	if to := e.requestField(string(name)); to != nil && !bytes.Equal(value, []byte("null")) {
		*to = value
	}
}

func (e *dynamoRecord) requestField(name string) *[]byte {
	switch name {
	case "request_id":
		return &e.id
	case "x_request_id":
		return &e.outerID
	case "model":
		return &e.model
	case "input_tokens":
		return &e.inputTokens
	case "output_tokens":
		return &e.outputTokens
	case "cached_tokens":
		return &e.cached
	case "request_received_ms":
		return &e.received
	case "prefill_wait_time_ms":
		return &e.wait
	case "prefill_time_ms":
		return &e.prefill
	case "ttft_ms":
		return &e.ttft
	case "total_time_ms":
		return &e.total
	case "avg_itl_ms":
		return &e.itl
	case "kv_hit_rate":
		return &e.hitRate
	case "kv_transfer_estimated_latency_ms":
		return &e.kv
	case "queue_depth":
		return &e.depth
	case "worker":
		return &e.worker
	case "finish_reason_metadata":
		return &e.finishMetadata
	}
	return nil
}

func (e *dynamoRecord) workerMember(name, value []byte) {
	switch string(name) {
	case "prefill_worker_id":
		e.prefillWorker = value
	case "prefill_dp_rank":
		e.prefillRank = value
	case "decode_worker_id":
		e.decodeWorker = value
	case "decode_dp_rank":
		e.decodeRank = value
	}
}

// Shifts of ten that turn a unit into ns.
const (
	shiftSeconds = 9
	shiftMillis  = 6
	shiftNanos   = 0
)

// millisecond is the resolution of Dynamo's dates, in ns.
const millisecond = 1_000_000

// emit makes the span of a request. The durations follow each other from its reception:
//
//	received                                                      total
//	| prefill_wait | prefill_time: queue and prefill | decode        |
//	|                 ttft                           |
func (d *dynamoReader) emit(e *dynamoRecord, at table.Place) {
	start := d.duration(e.received, shiftMillis, "request_received_ms", at)
	eventTime := d.duration(e.eventTime, shiftMillis, "event_time_unix_ms", at)
	total := d.lapse(e.total, shiftMillis, "total_time_ms", at)
	if start == 0 {
		start = table.Missing
	}
	if eventTime == 0 {
		eventTime = table.Missing
	}
	if start == table.Missing {
		if eventTime == table.Missing || total == table.Missing {
			d.leaveOut(RecordNoTimes, at, "a record has no request_received_ms")
			return
		}
		d.note(RecordNoStart, 1, at, "a record has no request_received_ms")
		start = eventTime - total
	}
	end := int64(0) // never finished
	switch {
	case total != table.Missing:
		end = start + total
	case eventTime != table.Missing && eventTime >= start && eventTime-start <= maxRequest:
		end = eventTime
	}
	trace, id := d.ids.At(at.Offset, 0)
	row := d.span(trace, id, table.SpanID{}, "request", start, end, table.ClockWall, at)
	t := &d.set.Spans
	t.Error[row] = millisecond
	t.ScopeRow[row] = d.scopeRow(dynamoScope)
	if t.RequestID[row] = scalarText(e.outerID); t.RequestID[row] == "" {
		t.RequestID[row] = scalarText(e.id)
	}
	t.Model[row] = d.set.Symbols.Intern(scalarText(e.model))
	t.PromptTokens[row], t.OutputTokens[row] = countColumn(e.inputTokens), countColumn(e.outputTokens)
	t.CachedTokens[row] = countColumn(e.cached)
	d.attributes(e)
	d.cut(e, row, start, end, at)
}

func (d *dynamoReader) attributes(e *dynamoRecord) {
	d.textAttribute("x_request_id", e.outerID)
	d.textAttribute("request_id", e.id)
	d.textAttribute("model", e.model)
	d.integerAttribute("input_tokens", e.inputTokens)
	d.integerAttribute("output_tokens", e.outputTokens)
	d.integerAttribute("cached_tokens", e.cached)
	d.numberAttribute("ttft_ms", e.ttft)
	d.numberAttribute("avg_itl_ms", e.itl)
	d.numberAttribute("kv_hit_rate", e.hitRate)
	d.numberAttribute("kv_transfer_estimated_latency_ms", e.kv)
	d.integerAttribute("queue_depth", e.depth)
	d.integerAttribute("prefill_worker_id", e.prefillWorker)
	d.integerAttribute("prefill_dp_rank", e.prefillRank)
	d.integerAttribute("decode_worker_id", e.decodeWorker)
	d.integerAttribute("decode_dp_rank", e.decodeRank)
	d.textAttribute("finish_reason", e.finish)
	d.textAttribute("session_id", e.session)
	d.textAttribute("parent_session_id", e.parentSession)
}

// cut places the durations of a record. What is in the prefill, and in a disaggregated
// request the wait for the cache to arrive, is not told apart: the engine's own records
// do that. The transfer of the cache is known by a bound alone, which says how late
// decoding may have begun; it is never placed.
func (d *dynamoReader) cut(e *dynamoRecord, row int, start, end int64, at table.Place) {
	whole := end - start
	if end == 0 {
		whole = table.Missing
	}
	wait := d.within(d.lapse(e.wait, shiftMillis, "prefill_wait_time_ms", at), whole, "prefill_wait_time_ms", at)
	prefill := d.within(d.lapse(e.prefill, shiftMillis, "prefill_time_ms", at), whole, "prefill_time_ms", at)
	ttft := d.within(d.lapse(e.ttft, shiftMillis, "ttft_ms", at), whole, "ttft_ms", at)
	kv := d.within(d.lapse(e.kv, shiftMillis, "kv_transfer_estimated_latency_ms", at), whole, "kv_transfer_estimated_latency_ms", at)
	d.set.Spans.TTFT[row] = ttft
	if whole == table.Missing {
		return
	}
	limit := whole
	if ttft != table.Missing {
		limit = ttft
	}
	var list []recordPart
	if wait != table.Missing && wait <= limit {
		list = append(list, recordPart{start, start + wait, stageGateway, "router", confidenceExact, 0, "field prefill_wait_time_ms"})
		if prefill != table.Missing {
			// The three durations are rounded one by one.
			if over := wait + prefill - limit; over > 0 && over <= millisecond {
				prefill -= over
			}
			if wait+prefill <= limit {
				list = append(list, recordPart{start + wait, start + wait + prefill, stageUnattributed, "queue and prefill", confidenceExact, 0, "field prefill_time_ms"})
			} else {
				d.note(RecordBadTime, 1, at, "prefill_wait_time_ms and prefill_time_ms are more than ttft_ms")
			}
		}
	} else if wait != table.Missing {
		d.note(RecordBadTime, 1, at, "prefill_wait_time_ms is more than ttft_ms")
	}
	if ttft != table.Missing {
		late := min(max(kv, 0), whole-ttft)
		list = append(list, recordPart{start + ttft, end, stageGPU, "decode", confidenceAnchored, late, "fields ttft_ms and total_time_ms"})
	}
	d.parts(row, list)
}
