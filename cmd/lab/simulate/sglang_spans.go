package simulate

import (
	"encoding/hex"
	"fmt"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

const sglangService = "sglang"

var sglangScope = scope{name: "sglang server"}

// sglangHostID is the host id that a replica's processes report.
func sglangHostID(replica int) string { return fmt.Sprintf("%08x", 0x3f2a9c11+replica) }

// slice is one stage of a request as SGLang reports it.
type slice struct {
	name     string
	from, to int64
	// scheduler puts the slice under the scheduler's thread span, not the
	// tokeniser's.
	scheduler bool
	// under is the number of the slice that it lies in, less than 0 for none.
	under int
	// retract is when the request lost its place during the slice, 0 for never.
	retract int64
}

// sglangSlices are the slices of a request at trace level 2, in order. A request
// with a single token has no decode slices. One that was given up has those that had
// begun, and the last is closed by force.
func sglangSlices(r *request) []slice {
	list := []slice{
		{"tokenize", r.arrival, r.tokenized, false, -1, 0},
		{"api_server_dispatch", r.dispatchBegin, r.dispatched, false, -1, 0},
	}
	add := func(name string, from, to int64) { list = append(list, slice{name, from, to, true, -1, 0}) }
	switch r.role {
	case RolePrefill:
		add("prefill_prepare", r.taken, r.bootBegin)
		add("prefill_bootstrap", r.bootBegin, r.queued)
		add("prefill_waiting", r.queued, r.scheduled)
		add("prefill_forward", r.scheduled, r.firstToken)
		add("prefill_transfer_kv_cache", r.kvBegin, r.kvEnd)
	case RoleDecode:
		add("decode_prepare", r.taken, r.bootBegin)
		add("decode_bootstrap", r.bootBegin, r.allocated)
		add("decode_transferred", r.allocated, r.kvEnd)
		add("decode_waiting", r.kvEnd, r.decodeBegin)
		add("decode_forward", r.decodeBegin, r.finished(r.lastToken))
	default:
		add("request_process", r.taken, r.queued)
		add("prefill_waiting", r.queued, r.scheduled)
		add("prefill_forward", r.scheduled, r.firstToken)
		if r.output > 1 {
			add("decode_waiting", r.firstToken, r.decodeBegin)
			add("decode_forward", r.decodeBegin, r.finished(r.lastToken))
		}
	}
	return closeByForce(retractions(list, r), r.gone)
}

// retractions adds what follows each retraction: the slice of decoding stays open, and
// the second prefill and all after it lie in it.
func retractions(list []slice, r *request) []slice {
	for _, p := range r.preemptions {
		open := len(list) - 1
		list[open].retract = p.from
		if p.to == 0 {
			break
		}
		list = append(list, slice{"prefill_forward", p.to, p.prefilled, true, open, 0})
		if p.prefilled == 0 || p.prefilled == r.lastToken && r.gone == 0 {
			break
		}
		list = append(list, slice{"decode_waiting", p.prefilled, p.decoding, true, open, 0})
		if p.decoding == 0 {
			break
		}
		list = append(list, slice{"decode_forward", p.decoding, r.finished(r.lastToken), true, open, 0})
	}
	return list
}

// closeByForce drops slices that have not begun and ends those that have not ended.
func closeByForce(list []slice, gone int64) []slice {
	if gone == 0 {
		return list
	}
	n := 0
	for _, sl := range list {
		if sl.from == 0 || sl.from > gone {
			break // what follows comes later still
		}
		if sl.to == 0 || sl.to > gone {
			sl.to = gone
		}
		list[n] = sl
		n++
	}
	return list[:n]
}

// sglang writes the spans of a request, all of kind internal: a root, a span per
// thread, and the slices, each linked to the one before. Their stamps are float64
// seconds.
func (x *exporter) sglang(p *process, r *request) {
	round := func(t int64) int64 { return fromSeconds(wallSeconds(t)) }
	var rid [16]byte
	fill(x.ids, rid[:])
	r.engineID = hex.EncodeToString(rid[:])
	newID := func(parent [8]byte, name string, from, to int64) spanID {
		id := spanID{trace: r.traceID, parent: parent, name: name, kind: ptrace.SpanKindInternal,
			start: round(p.at(from)), end: round(p.at(to)), ended: round(to)}
		fill(x.ids, id.span[:])
		return id
	}
	root := newID(r.egressSpan, r.role+" Req "+r.engineID[:8], r.arrival, max(r.spanEnd, r.gone))
	p.add(sglangScope, root, func(sp ptrace.Span) { sglangRoot(p, sp, r) })

	hostID := sglangHostID(r.replica)
	thread := func(label, rank string, pid int64, from, to int64) spanID {
		id := newID(root.span, fmt.Sprintf("%s%s(host:%s | pid:%d)", label, rank, hostID, pid), from, to)
		p.add(sglangScope, id, func(sp ptrace.Span) {
			a := sp.Attributes()
			if rank != "" {
				a.PutInt("tp_rank", 0)
			}
			a.PutStr("host_id", hostID)
			a.PutInt("pid", pid)
			a.PutStr("thread_label", label)
			if r.gone > 0 {
				sp.Status().SetCode(ptrace.StatusCodeError)
				a.PutStr("reason", "have unclosed span, auto closed")
			}
		})
		return id
	}
	slices := sglangSlices(r)
	tokenizer := thread("Tokenizer", "", 400, r.arrival, orGone(r.dispatched, r))
	var scheduler spanID
	if r.taken > 0 {
		label := "Scheduler"
		switch r.role {
		case RolePrefill:
			label = "Prefill Scheduler"
		case RoleDecode:
			label = "Decode Scheduler"
		}
		scheduler = thread(label, " [TP 0] ", 455, r.taken, orGone(max(r.finished(r.lastToken), r.kvEnd), r))
	}
	before := make([]spanID, len(slices))
	for i, sl := range slices {
		parent := tokenizer.span
		switch {
		case sl.under >= 0:
			parent = before[sl.under].span
		case sl.scheduler:
			parent = scheduler.span
		}
		before[i] = newID(parent, sl.name, sl.from, sl.to)
		p.add(sglangScope, before[i], func(sp ptrace.Span) {
			if i > 0 {
				link := sp.Links().AppendEmpty()
				link.SetTraceID(before[i-1].trace)
				link.SetSpanID(before[i-1].span)
			}
			if sl.retract > 0 {
				event := sp.Events().AppendEmpty()
				event.SetName("retract")
				event.SetTimestamp(pcommon.Timestamp(round(p.at(sl.retract))))
			}
		})
	}
}

// orGone is an instant of a request, or when the server let go of it instead.
func orGone(at int64, r *request) int64 {
	if at == 0 || r.gone > 0 && at > r.gone {
		return r.gone
	}
	return at
}

// sglangRoot writes the root's attributes. They are set before the request is
// marked finished, so of the latencies only two are there, and
// time_in_model_prefill counts from dispatch and so contains the queue.
func sglangRoot(p *process, sp ptrace.Span, r *request) {
	a := sp.Attributes()
	a.PutStr("rid", r.engineID)
	a.PutStr("module", "sglang::request")
	if r.gone > 0 {
		sp.Status().SetCode(ptrace.StatusCodeError)
		return
	}
	if r.role != "" { // the number under which the two servers of a request meet
		a.PutStr("bootstrap_room", fmt.Sprintf("0x%x", r.seed))
	}
	a.PutInt("gen_ai.usage.completion_tokens", int64(r.output))
	a.PutInt("gen_ai.usage.prompt_tokens", int64(r.prompt))
	a.PutInt("gen_ai.usage.cached_tokens", 0)
	a.PutStr("gen_ai.request.id", r.engineID)
	a.PutInt("gen_ai.request.max_tokens", int64(r.class.MaxTokens))
	a.PutStr("gen_ai.response.model", "Qwen/Qwen3-8B")
	reason := `["stop"]`
	if r.output == r.class.MaxTokens {
		reason = `["length"]`
	}
	a.PutStr("gen_ai.response.finish_reasons", reason)
	wall := wallClock(p)
	a.PutDouble("gen_ai.latency.time_to_first_token", wall(r.firstOutput)-wall(r.arrival))
	a.PutDouble("gen_ai.latency.time_in_model_prefill", wall(r.firstOutput)-wall(r.dispatched))
}
