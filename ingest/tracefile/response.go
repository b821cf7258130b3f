package tracefile

import (
	"bytes"
	"time"

	"github.com/tailpath/tailpath/ingest/table"
)

// responseShape is the shape of response bodies: one object, several, or one a line.
var responseShape = shape{is: isResponse}

// A responseReader makes spans of response bodies that carry the times of their request:
// vLLM's metrics, Ollama's durations, llama.cpp's timings. What was asked and answered
// is in them too, and is never looked at.
type responseReader struct {
	lone
	*recorder
}

// responseBody is one body as it stands there: what is kept of it.
type responseBody struct {
	id, model, created, createdAt, object, stop, done []byte
	choices, usage, metrics, timings                  []byte
	content                                           bool // it has a text of some kind

	total, load, promptCount, promptEval, evalCount, eval []byte // Ollama's
}

func (b *responseBody) member(name, value []byte) {
	if bytes.Equal(value, []byte("null")) {
		return
	}
	switch string(name) {
	case "id":
		b.id = value
	case "model":
		b.model = value
	case "created":
		b.created = value
	case "created_at":
		b.createdAt = value
	case "object":
		b.object = value
	case "stop":
		b.stop = value
	case "done":
		b.done = value
	case "choices":
		b.choices = value
	case "usage":
		b.usage = value
	case "metrics":
		b.metrics = value
	case "timings":
		b.timings = value
	case "total_duration":
		b.total = value
	case "load_duration":
		b.load = value
	case "prompt_eval_count":
		b.promptCount = value
	case "prompt_eval_duration":
		b.promptEval = value
	case "eval_count":
		b.evalCount = value
	case "eval_duration":
		b.eval = value
	case "message", "response", "content":
		b.content = true
	}
}

// responseKind is the server that a body is of.
type responseKind uint8

const (
	noResponse responseKind = iota
	vllmResponse
	ollamaResponse
	llamaResponse
	pieceOfResponse // a streamed piece without times
)

// The times by which the bodies of the servers are known.
var (
	vllmTimes   = []string{"time_to_first_token_ms", "generation_time_ms", "queue_time_ms"}
	timingTimes = []string{"prompt_ms", "predicted_ms"}
)

func hasMember(value []byte, names []string) bool {
	found := false
	members(value, func(name, _ []byte) { found = found || contains(names, name) })
	return found
}

func (b *responseBody) kind() responseKind {
	piece := string(unquoted(b.stop)) == "false" || b.unended()
	switch {
	case b.total != nil && (b.eval != nil || b.load != nil || b.promptEval != nil) && b.createdAt != nil:
		return ollamaResponse
	case hasMember(b.metrics, vllmTimes) && !piece:
		return vllmResponse
	case hasMember(b.timings, timingTimes) && !piece:
		return llamaResponse
	case b.done != nil && b.createdAt != nil && b.model != nil && b.content:
		return pieceOfResponse
	case hasMember(b.metrics, vllmTimes), hasMember(b.timings, timingTimes):
		return pieceOfResponse
	case b.choices != nil && bytes.HasSuffix(unquoted(b.object), []byte("completion.chunk")):
		return pieceOfResponse
	case b.choices != nil && bytes.HasSuffix(unquoted(b.object), []byte("completion")):
		return pieceOfResponse
	}
	return noResponse
}

// unended says whether a body has choices of which none has finished: it is a piece of a
// streamed response, and times in it count only so far.
func (b *responseBody) unended() bool {
	choices, unended := 0, 0
	entries(b.choices, func(choice []byte) {
		choices++
		reason := objectMember(choice, "finish_reason")
		if reason == nil && bytes.HasSuffix(unquoted(b.object), []byte(".chunk")) || string(reason) == "null" {
			unended++
		}
	})
	return choices > 0 && unended == choices
}

// isResponse reports whether an object, or the beginning of one, is a response body with
// times, or a piece of a streamed one, of which the last of thousands may have them.
func isResponse(raw []byte) bool {
	var b responseBody
	members(raw, b.member)
	switch b.kind() {
	case noResponse:
		return false
	case pieceOfResponse:
		return b.done != nil || b.metrics != nil || b.timings != nil || bytes.HasSuffix(unquoted(b.object), []byte(".chunk"))
	}
	return true
}

// element takes one body.
func (r *responseReader) element(raw []byte, at table.Place) bool {
	var b responseBody
	if !members(raw, b.member) {
		return false
	}
	switch b.kind() {
	case vllmResponse:
		r.vllm(&b, at)
	case ollamaResponse:
		r.ollama(&b, at)
	case llamaResponse:
		r.llama(&b, at)
	case pieceOfResponse:
		r.passOver(RecordOther, 1, at, "a response without the times of its request, or a piece of one")
	default:
		return false
	}
	return true
}

// row makes the span of a body.
func (r *responseReader) row(b *responseBody, service string, start, end int64, clock uint8, at table.Place) int {
	trace, id := r.ids.At(at.Offset, 0)
	row := r.span(trace, id, table.SpanID{}, "response", start, end, clock, at)
	t := &r.set.Spans
	t.ScopeRow[row] = r.scopeRow(recordScope{scope: "response-body", service: service})
	t.RequestID[row] = scalarText(b.id)
	t.Model[row] = r.set.Symbols.Intern(scalarText(b.model))
	t.PromptTokens[row] = countColumn(objectMember(objectOrNil(b.usage), "prompt_tokens"))
	t.OutputTokens[row] = countColumn(objectMember(objectOrNil(b.usage), "completion_tokens"))
	details := objectOrNil(objectMember(objectOrNil(b.usage), "prompt_tokens_details"))
	t.CachedTokens[row] = countColumn(objectMember(details, "cached_tokens"))
	r.textAttribute("id", b.id)
	r.textAttribute("model", b.model)
	r.integerAttribute("created", b.created)
	return row
}

// chain makes the span of a body that has durations alone, which follow each other from
// an unknown start. Where one is not known the next ones have no place, nor has the end:
// such a span is unfinished, so that its rest is not taken for the whole.
func (r *responseReader) chain(b *responseBody, service string, list []recordPart, firstToken int, at table.Place) (row int, ok bool) {
	var end int64
	known := 0
	ttft := int64(table.Missing)
	for i := range list {
		p := &list[i]
		d := p.end
		if d == table.Missing {
			break
		}
		p.start, p.end = end, end+d
		end += d
		if known++; known == firstToken {
			ttft = end
		}
	}
	if known == 0 {
		r.leaveOut(RecordNoTimes, at, "a response has no time that can be used")
		return 0, false
	}
	for _, p := range list[known:] {
		if p.end != table.Missing {
			r.note(RecordBadTime, 1, at, p.basis+" has no place, because the time before it is missing")
		}
	}
	whole := known == len(list)
	if tokens := countColumn(objectMember(objectOrNil(b.usage), "completion_tokens")); known == firstToken && (tokens == 0 || tokens == 1) {
		whole = true // there was nothing to decode
	}
	if !whole {
		end = 0 // never finished, as far as is known
	}
	row = r.row(b, service, 0, end, table.ClockNone, at)
	r.set.Spans.TTFT[row] = ttft
	if whole {
		r.parts(row, list[:known])
	}
	return row, true
}

// vllm reads the metrics that vLLM adds with --enable-per-request-metrics. Its
// time_to_first_token_ms counts from the moment the engine took the request up, so it is
// the prefill and not the time to first token.
func (r *responseReader) vllm(b *responseBody, at table.Place) {
	d := func(name string) int64 {
		return r.lapse(objectMember(b.metrics, name), shiftMillis, name, at)
	}
	_, ok := r.chain(b, "vllm", []recordPart{
		{0, d("queue_time_ms"), stageQueue, "engine", confidenceAnchored, 0, "metrics.queue_time_ms"},
		{0, d("time_to_first_token_ms"), stageGPU, "prefill", confidenceAnchored, 0, "metrics.time_to_first_token_ms"},
		{0, d("generation_time_ms"), stageGPU, "decode", confidenceAnchored, 0, "metrics.generation_time_ms"},
	}, 2, at)
	if ok {
		r.numberAttribute("mean_itl_ms", objectMember(b.metrics, "mean_itl_ms"))
		r.numberAttribute("tokens_per_second", objectMember(b.metrics, "tokens_per_second"))
	}
}

// llama reads llama.cpp's timings. The wait for a slot is in none of them.
func (r *responseReader) llama(b *responseBody, at table.Place) {
	d := func(name string) int64 {
		return r.lapse(objectMember(b.timings, name), shiftMillis, name, at)
	}
	row, ok := r.chain(b, "llama.cpp", []recordPart{
		{0, d("prompt_ms"), stageGPU, "prefill", confidenceAnchored, 0, "timings.prompt_ms"},
		{0, d("predicted_ms"), stageGPU, "decode", confidenceAnchored, 0, "timings.predicted_ms"},
	}, 1, at)
	if !ok {
		return
	}
	t := &r.set.Spans
	cached, evaluated := countColumn(objectMember(b.timings, "cache_n")), countColumn(objectMember(b.timings, "prompt_n"))
	if t.CachedTokens[row] == table.Missing {
		t.CachedTokens[row] = cached
	}
	if t.PromptTokens[row] == table.Missing && evaluated != table.Missing {
		t.PromptTokens[row] = evaluated + max(cached, 0)
	}
	if t.OutputTokens[row] == table.Missing {
		t.OutputTokens[row] = countColumn(objectMember(b.timings, "predicted_n"))
	}
	r.integerAttribute("draft_n", objectMember(b.timings, "draft_n"))
	r.integerAttribute("draft_n_accepted", objectMember(b.timings, "draft_n_accepted"))
}

// ollama reads Ollama's durations. created_at is when the response was made, so it ends
// the request. Loading is from the start until a runner is ready: the model was loaded,
// or a runner was waited for. Building the prompt and waiting inside the runner come
// before the prompt is evaluated and are not recorded; that evaluation ends with the
// response is inferred, and what is left of the total bounds how far that may be off.
//
//	start                                                        created_at
//	| load: queue | not recorded | prompt_eval: prefill | eval: decode |
func (r *responseReader) ollama(b *responseBody, at table.Place) {
	total := r.lapse(b.total, shiftNanos, "total_duration", at)
	if total == table.Missing {
		r.leaveOut(RecordNoTimes, at, "a response has no total_duration that can be used")
		return
	}
	start, clock := int64(0), uint8(table.ClockNone)
	if end, ok := dateTime(b.createdAt); ok {
		start, clock = end-total, table.ClockWall
	}
	end := start + total
	row := r.row(b, "ollama", start, end, clock, at)
	t := &r.set.Spans
	t.PromptTokens[row], t.OutputTokens[row] = countColumn(b.promptCount), countColumn(b.evalCount)
	part := func(value []byte, name string) int64 {
		return r.within(r.lapse(value, shiftNanos, name, at), total, name, at)
	}
	load, prompt, eval := part(b.load, "load_duration"), part(b.promptEval, "prompt_eval_duration"), part(b.eval, "eval_duration")
	rest := total - max(load, 0) - max(prompt, 0) - max(eval, 0)
	if rest < 0 {
		r.note(RecordBadTime, 1, at, "load_duration, prompt_eval_duration and eval_duration are more than total_duration")
		return
	}
	var list []recordPart
	if load != table.Missing {
		list = append(list, recordPart{start, start + load, stageQueue, "load", confidenceExact, 0, "field load_duration"})
	}
	if eval != table.Missing {
		if prompt != table.Missing {
			list = append(list, recordPart{end - eval - prompt, end - eval, stageGPU, "prefill", confidenceAnchored, rest, "field prompt_eval_duration"})
		}
		list = append(list, recordPart{end - eval, end, stageGPU, "decode", confidenceAnchored, rest, "field eval_duration"})
		t.TTFT[row] = total - eval
	}
	r.parts(row, list)
}

// dateTime reads a date of RFC 3339 as ns since the epoch. It fails on a date that int64
// cannot hold, and on the zero time.
func dateTime(value []byte) (int64, bool) {
	text, ok := jsonText(value)
	if !ok {
		return 0, false
	}
	d, err := time.Parse(time.RFC3339Nano, string(text))
	if err != nil || d.Year() < 1971 || d.Year() > 2200 {
		return 0, false
	}
	return d.UnixNano(), true
}
