package logs

import (
	"fmt"
	"strings"

	"github.com/tailpath/tailpath/cmd/lab/simulate"
)

// sglangStamp is the time of SGLang's prefix: local, cut to seconds.
const sglangStamp = "2006-01-02 15:04:05"

// requestStyle is how SGLang's tokenizer manager words its lines of a request: what stands
// behind the prefix when it was received and when it has finished.
type requestStyle struct {
	received func(b *book, v *simulate.Visit, at int64) string
	finished func(b *book, v *simulate.Visit, at int64) string
}

// writeSGLang writes the log of SGLang's server with its request lines as text, and
// writeSGLangJSON with them as JSON.
//
// Two processes write to it. The tokenizer manager logs a request when the handler has
// parsed it and when its last output was handled, with what --enable-metrics adds; a
// request whose client went away has no Finish line. The scheduler logs one line of times
// when it is done with a request that it has run, and its batches. The access line stands
// when the headers go out.
func writeSGLang(b *book, p *replica) {
	b.sglang(p, requestStyle{
		received: func(_ *book, v *simulate.Visit, _ int64) string { return "Receive: obj=" + sglangObject(v) },
		finished: func(b *book, v *simulate.Visit, _ int64) string {
			return "Finish: obj=" + sglangObject(v) + ", out={'meta_info': " + pyDict(b.metaInfo(v)) + "}"
		},
	})
}

func writeSGLangJSON(b *book, p *replica) {
	event := func(b *book, v *simulate.Visit, at int64, name, more string) string {
		return fmt.Sprintf(`{"timestamp": "%s", "event": "%s", "rid": "%s", "obj": {"rid": "%s", "stream": %t, "return_logprob": false}%s}`,
			isoformat(b, at), name, v.EngineID, v.EngineID, v.Streaming, more)
	}
	b.sglang(p, requestStyle{
		received: func(b *book, v *simulate.Visit, at int64) string { return event(b, v, at, "request.received", "") },
		finished: func(b *book, v *simulate.Visit, at int64) string {
			return event(b, v, at, "request.finished", `, "out": {"meta_info": `+jsonDict(b.metaInfo(v))+"}")
		},
	})
}

// isoformat is Python's datetime.isoformat: microseconds, left out if they are 0.
func isoformat(b *book, at int64) string {
	text := b.local(at).Format("2006-01-02T15:04:05.000000")
	return strings.TrimSuffix(text, ".000000")
}

func sglangObject(v *simulate.Visit) string {
	stream := "False"
	if v.Streaming {
		stream = "True"
	}
	return fmt.Sprintf("GenerateReqInput(rid='%s', stream=%s, return_logprob=False)", v.EngineID, stream)
}

func (b *book) sglang(p *replica, style requestStyle) {
	for i, v := range p.visits {
		if at := max(v.Handled, v.Arrival); happened(v, at) {
			b.sglangLine(at, "", style.received(b, v, at))
		}
		if at := answeredAt(v); at > 0 {
			b.sglangLine(at, "", uvicorn(v, p.peers[i]))
		}
		if v.Scheduled == 0 {
			continue
		}
		if completed := completion(v); completed > 0 {
			b.sglangLine(completed, " TP0", b.timeStats(p, v, completed))
		}
		if finished(v) {
			b.sglangLine(p.ended[i], "", style.finished(b, v, p.ended[i]))
		}
	}
	b.sglangBatches(p)
}

// sglangLine adds a line; rank is that of the process in its prefix.
func (b *book) sglangLine(at int64, rank, text string) {
	b.add(at, "[%s%s] %s", b.local(at).Format(sglangStamp), rank, text)
}

// completion is when the scheduler was done with a visit that it has run. A server that
// only computes the prompt is done when its keys and values have arrived at the other.
func completion(v *simulate.Visit) int64 {
	switch at := gone(v); {
	case at > 0:
		return at
	case v.Role == simulate.RolePrefill:
		return v.KVEnd
	}
	return v.LastToken
}

// waitEntry is SGLang's stamp of entering the waiting queue. It sets it anew when a
// request is thrown out of the running batch and waits again, while the stamp of leaving
// the queue stays that of the first time. So the queueing time of such a request, which
// is their difference, is negative.
func waitEntry(v *simulate.Visit) int64 {
	if n := len(v.Preemptions); n > 0 {
		return v.Preemptions[n-1][0]
	}
	return v.Queued
}

// timeStats is the scheduler's line of one request. Durations are rounded to 10 µs, the
// entry to ms. Where two servers serve a request it begins in the queue of those that wait
// for the other one. What the first calls forward lasts until the transfer is over.
func (b *book) timeStats(p *replica, v *simulate.Visit, completed int64) string {
	entry := waitEntry(v)
	millis := func(ns int64) string { return fmt.Sprintf("%.2fms", float64(ns)/1e6) }
	room, kind, before, behind, begin := "", "unified", "", "", b.unixSeconds(entry)
	if p.role != "" {
		room, kind, begin = fmt.Sprintf("bootstrap_room=%d, ", v.BootstrapRoom), p.role, b.unixSeconds(v.BootstrapStart)
	}
	switch p.role {
	case simulate.RolePrefill:
		before = "bootstrap_queue_duration=" + millis(b.elapsed(v.BootstrapStart, v.BootstrapEnd)) + ", "
		if took := float64(b.elapsed(v.KVStart, v.KVEnd)) / 1e9; v.KVEnd > v.KVStart {
			behind = fmt.Sprintf(", transfer_speed=%.2f GB/s, transfer_total=%.2f MB", kvMiB(v)/1024/took, kvMiB(v))
		}
	case simulate.RoleDecode:
		before = "prealloc_queue_duration=" + millis(b.elapsed(v.BootstrapStart, v.BootstrapEnd)) + ", transfer_duration=" + millis(b.elapsed(v.BootstrapEnd, v.KVEnd)) + ", "
	}
	return fmt.Sprintf("ReqTimeStats(rid=%s, %sinput_len=%d, cached_input_len=%d, output_len=%d, attempts=0, type=%s): %s"+
		"queue_duration=%s, forward_duration=%s, entry_time=%.3f%s", v.EngineID, room, v.PromptTokens, v.CachedTokens, v.OutputTokens, kind, before,
		millis(b.elapsed(entry, v.Scheduled)), millis(b.elapsed(v.Scheduled, completed)), begin, behind)
}

// metaInfo is what SGLang says of a finished request with --enable-metrics. Instants are
// float64 seconds since 1970, durations differences of them.
func (b *book) metaInfo(v *simulate.Visit) []member {
	reason := []member{{"type", "stop"}, {"matched", 151645}}
	if v.OutputTokens == maxTokens(v) {
		reason = []member{{"type", "length"}, {"length", v.OutputTokens}}
	}
	seconds := func(from, to int64) float64 { return float64(b.elapsed(from, to)) / 1e9 }
	sent := v.FirstOutput
	if !v.Streaming {
		sent = v.LastOutput
	}
	info := []member{
		{"id", v.EngineID}, {"finish_reason", reason}, {"prompt_tokens", v.PromptTokens}, {"weight_version", "default"},
		{"num_retractions", len(v.Preemptions)}, {"forward_entry_time", b.unixSeconds(v.Scheduled)},
	}
	if v.Role != simulate.RoleDecode { // which has no prefill of its own
		info = append(info, member{"prefill_finished_time", b.unixSeconds(v.PrefillEnd)})
	}
	info = append(info, []member{
		{"queue_time", seconds(waitEntry(v), v.Scheduled)}, {"prefill_waiting_latency", nil}, {"prefill_launch_latency", nil},
		{"completion_tokens", v.OutputTokens}, {"cached_tokens", v.CachedTokens},
		{"e2e_latency", seconds(v.Arrival, v.LastOutput)},
		{"request_received_ts", b.unixSeconds(v.Arrival)}, {"api_server_dispatch_finish_ts", b.unixSeconds(v.Dispatched)},
		{"request_finished_ts", b.unixSeconds(v.LastOutput)},
	}...)
	if decode := seconds(v.FirstOutput, v.LastOutput); decode > 0 {
		info = append(info, member{"decode_throughput", float64(v.OutputTokens) / decode})
	}
	return append(info, member{"response_sent_to_client_ts", b.unixSeconds(sent)})
}
