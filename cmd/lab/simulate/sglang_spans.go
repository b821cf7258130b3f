package simulate

import (
	"encoding/hex"
	"math/rand/v2"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

var sglangScope = scope{name: "sglang server"}

const sglangHost = "3f2a9c11"

// slice is one stage of a request as SGLang reports it.
type slice struct {
	name     string
	from, to int64
	// scheduler puts the slice under the scheduler's thread span, not the
	// tokeniser's.
	scheduler bool
}

// sglangSlices are the slices of a request at trace level 2, in order. A request
// with a single token has no decode slices.
func sglangSlices(r *request) []slice {
	list := []slice{
		{"tokenize", r.arrival, r.tokenized, false},
		{"api_server_dispatch", r.dispatchBegin, r.dispatched, false},
		{"request_process", r.taken, r.queued, true},
		{"prefill_waiting", r.queued, r.scheduled, true},
		{"prefill_forward", r.scheduled, r.firstToken, true},
	}
	if r.output > 1 {
		list = append(list,
			slice{"decode_waiting", r.firstToken, r.decodeBegin, true},
			slice{"decode_forward", r.decodeBegin, r.lastToken, true})
	}
	return list
}

// sglangSpans writes the spans of unified mode, all of kind internal: a root, a
// span per thread, and the slices, each linked to the one before. Their stamps
// are float64 seconds.
func sglangSpans(requests []*request, ids *rand.Rand) []*process {
	p := &process{service: "sglang", host: "gpu-a-01", instance: instance("sglang", 0),
		resource: func(attrs pcommon.Map) { sdk(attrs, "python") }}
	round := func(t int64) int64 { return fromSeconds(wallSeconds(t)) }
	for _, r := range requests {
		var rid [16]byte
		fill(ids, rid[:])
		text := hex.EncodeToString(rid[:])
		newID := func(parent [8]byte, name string, from, to int64) spanID {
			id := spanID{trace: r.traceID, parent: parent, name: name, kind: ptrace.SpanKindInternal,
				start: round(from), end: round(to)}
			fill(ids, id.span[:])
			return id
		}
		root := newID(r.egressSpan, " Req "+text[:8], r.arrival, r.spanEnd)
		p.add(sglangScope, root, func(sp ptrace.Span) { sglangRoot(sp, r, text) })

		tokenizer := newID(root.span, "Tokenizer(host:"+sglangHost+" | pid:400)", r.arrival, r.dispatched)
		p.add(sglangScope, tokenizer, func(sp ptrace.Span) { sglangThread(sp, "Tokenizer", 400) })
		scheduler := newID(root.span, "Scheduler [TP 0] (host:"+sglangHost+" | pid:455)", r.taken, r.lastToken)
		p.add(sglangScope, scheduler, func(sp ptrace.Span) {
			sp.Attributes().PutInt("tp_rank", 0)
			sglangThread(sp, "Scheduler", 455)
		})

		var before *spanID
		for _, sl := range sglangSlices(r) {
			parent := tokenizer.span
			if sl.scheduler {
				parent = scheduler.span
			}
			id, previous := newID(parent, sl.name, sl.from, sl.to), before
			p.add(sglangScope, id, func(sp ptrace.Span) {
				if previous != nil {
					link := sp.Links().AppendEmpty()
					link.SetTraceID(previous.trace)
					link.SetSpanID(previous.span)
				}
			})
			before = &id
		}
	}
	return []*process{p}
}

// sglangThread writes a thread span's attributes.
func sglangThread(sp ptrace.Span, label string, pid int64) {
	a := sp.Attributes()
	a.PutStr("host_id", sglangHost)
	a.PutInt("pid", pid)
	a.PutStr("thread_label", label)
}

// sglangRoot writes the root's attributes. They are set before the request is
// marked finished, so of the latencies only two are there, and
// time_in_model_prefill counts from dispatch and so contains the queue.
func sglangRoot(sp ptrace.Span, r *request, rid string) {
	a := sp.Attributes()
	a.PutStr("rid", rid)
	a.PutStr("module", "sglang::request")
	a.PutInt("gen_ai.usage.completion_tokens", int64(r.output))
	a.PutInt("gen_ai.usage.prompt_tokens", int64(r.prompt))
	a.PutInt("gen_ai.usage.cached_tokens", 0)
	a.PutStr("gen_ai.request.id", rid)
	a.PutInt("gen_ai.request.max_tokens", int64(r.class.MaxTokens))
	a.PutStr("gen_ai.response.model", "Qwen/Qwen3-8B")
	reason := `["stop"]`
	if r.output == r.class.MaxTokens {
		reason = `["length"]`
	}
	a.PutStr("gen_ai.response.finish_reasons", reason)
	a.PutDouble("gen_ai.latency.time_to_first_token", wallSeconds(r.firstOutput)-wallSeconds(r.arrival))
	a.PutDouble("gen_ai.latency.time_in_model_prefill", wallSeconds(r.firstOutput)-wallSeconds(r.dispatched))
}
