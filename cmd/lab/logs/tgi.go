package logs

import (
	"fmt"
	"strings"

	"github.com/tailpath/tailpath/cmd/lab/simulate"
)

// tgiStamp is the time of TGI's lines: UTC, cut to microseconds.
const tgiStamp = "2006-01-02T15:04:05.000000Z"

const (
	tgiTarget     = "text_generation_router::server"
	tgiFile       = "router/src/server.rs"
	tgiLine       = 432
	tgiParameters = "GenerateParameters { best_of: None, temperature: Some(0.7), repetition_penalty: None, frequency_penalty: None, " +
		"top_k: None, top_p: Some(0.95), typical_p: None, do_sample: true, max_new_tokens: Some(%d), return_full_text: None, " +
		"stop: [], truncate: None, watermark: false, details: true, decoder_input_details: false, seed: None, " +
		"top_n_tokens: None, grammar: None, adapter_id: None }"
)

// tgiTimes are the durations of a handler's span, which follow each other from its
// beginning: until the request is in the queue, in it, and from there to the end.
type tgiTimes struct{ parameters, total, validation, queue, inference, perToken string }

func (b *book) tgiTimes(v *simulate.Visit) tgiTimes {
	end := serverEnd(v)
	inference := b.elapsed(v.Scheduled, end)
	return tgiTimes{
		parameters: fmt.Sprintf(tgiParameters, maxTokens(v)),
		total:      rustDuration(b.elapsed(v.Handled, end)),
		validation: rustDuration(b.elapsed(v.Handled, v.Queued)),
		queue:      rustDuration(b.elapsed(v.Queued, v.Scheduled)),
		inference:  rustDuration(inference),
		perToken:   rustDuration(inference / int64(max(1, v.OutputTokens))),
	}
}

// writeTGI writes the log of TGI's router: one line for a request that was answered, at
// the end of its handler, with the handler's span and the one of the HTTP layer around it.
// A request that was given up or failed has no such line.
func writeTGI(b *book, p *replica) {
	for i, v := range p.visits {
		if !finished(v) {
			continue
		}
		t := b.tgiTimes(v)
		b.add(p.ended[i], `%s  INFO HTTP request{otel.name=POST %s http.client_ip= http.flavor=1.1 http.host=%s http.method=POST http.route=%s `+
			`http.scheme=HTTP http.target=%s http.user_agent=%s otel.kind=server trace_id=%x}:%s{parameters=%s total_time="%s" validation_time="%s" `+
			`queue_time="%s" inference_time="%s" time_per_token="%s" seed="None"}: %s: %s:%d: Success`,
			b.utc(p.ended[i]).Format(tgiStamp), v.Path, publicHost, v.Path, v.Path, userAgent(v), v.TraceID, tgiHandler,
			t.parameters, t.total, t.validation, t.queue, t.inference, t.perToken, tgiTarget, tgiFile, tgiLine)
	}
}

// tgiHandler is the handler of the path that the clients call.
const tgiHandler = "chat_completions"

// writeTGIJSON writes the same lines as --json-output does. The trace id is in the span of
// the HTTP layer, the first of the spans.
func writeTGIJSON(b *book, p *replica) {
	type handler struct {
		Parameters string `json:"parameters"`
		Total      string `json:"total_time"`
		Validation string `json:"validation_time"`
		Queue      string `json:"queue_time"`
		Inference  string `json:"inference_time"`
		PerToken   string `json:"time_per_token"`
		Seed       string `json:"seed"`
		Name       string `json:"name"`
	}
	type outer struct {
		OTelName string `json:"otel.name"`
		Flavor   string `json:"http.flavor"`
		Host     string `json:"http.host"`
		Method   string `json:"http.method"`
		Route    string `json:"http.route"`
		Target   string `json:"http.target"`
		Agent    string `json:"http.user_agent"`
		Kind     string `json:"otel.kind"`
		TraceID  string `json:"trace_id"`
		Name     string `json:"name"`
	}
	for i, v := range p.visits {
		if !finished(v) {
			continue
		}
		t := b.tgiTimes(v)
		h := handler{t.parameters, t.total, t.validation, t.queue, t.inference, t.perToken, "None", tgiHandler}
		b.add(p.ended[i], "%s", mustJSON(struct {
			Timestamp string  `json:"timestamp"`
			Level     string  `json:"level"`
			Message   string  `json:"message"`
			Target    string  `json:"target"`
			Filename  string  `json:"filename"`
			Line      int     `json:"line_number"`
			Span      handler `json:"span"`
			Spans     []any   `json:"spans"`
		}{b.utc(p.ended[i]).Format(tgiStamp), "INFO", "Success", tgiTarget, tgiFile, tgiLine, h, []any{
			outer{"POST " + v.Path, "1.1", publicHost, "POST", v.Path, v.Path, userAgent(v), "server", fmt.Sprintf("%x", v.TraceID), "HTTP request"}, h}}))
	}
}

// rustDuration is the Debug text of a Rust Duration of ns: the largest of s, ms, µs and ns
// that leaves a whole part, with as many decimals as it needs.
func rustDuration(ns int64) string {
	for _, unit := range []struct {
		name   string
		size   int64
		digits int
	}{{"s", s, 9}, {"ms", ms, 6}, {"µs", us, 3}} {
		if ns < unit.size {
			continue
		}
		text := fmt.Sprintf("%d.%0*d", ns/unit.size, unit.digits, ns%unit.size)
		return strings.TrimSuffix(strings.TrimRight(text, "0"), ".") + unit.name
	}
	return fmt.Sprintf("%dns", ns)
}
