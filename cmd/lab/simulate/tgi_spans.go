package simulate

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

const tgiService = "text-generation-inference.router"

var tgiScope = scope{name: "opentelemetry-otlp"}

// tgiSpans writes the router's two spans per request: the HTTP layer's, and under
// it the handler's, whose three durations chain from its start and are texts in
// mixed units.
func tgiSpans(requests []*request, ids *rand.Rand) []*process {
	p := &process{service: tgiService, host: "gpu-a-01", instance: instance("tgi", 0),
		resource: func(attrs pcommon.Map) { sdk(attrs, "rust") }}
	for _, r := range requests {
		http := spanID{trace: r.traceID, parent: r.egressSpan, name: "POST /v1/chat/completions", kind: ptrace.SpanKindServer,
			start: r.arrival, end: r.rootEnd}
		fill(ids, http.span[:])
		handler := spanID{trace: r.traceID, parent: http.span, name: "chat_completions", kind: ptrace.SpanKindInternal,
			start: r.handled, end: r.spanEnd}
		fill(ids, handler.span[:])
		p.add(tgiScope, http, func(sp ptrace.Span) {
			a := sp.Attributes()
			a.PutStr("http.request.method", "POST")
			a.PutStr("http.route", "/v1/chat/completions")
			a.PutStr("url.path", "/v1/chat/completions")
			a.PutStr("url.scheme", "http")
			a.PutInt("http.response.status_code", 200)
		})
		p.add(tgiScope, handler, func(sp ptrace.Span) {
			seed, temperature := "None", "None"
			if !r.greedy {
				seed, temperature = fmt.Sprintf("Some(%d)", r.seed), "Some(0.7)"
			}
			inference := r.spanEnd - r.scheduled
			a := sp.Attributes()
			a.PutStr("parameters", fmt.Sprintf("GenerateParameters { best_of: None, temperature: %s, max_new_tokens: Some(%d) }",
				temperature, r.class.MaxTokens))
			a.PutStr("total_time", rustDuration(r.spanEnd-r.handled))
			a.PutStr("validation_time", rustDuration(r.queued-r.handled))
			a.PutStr("queue_time", rustDuration(r.scheduled-r.queued))
			a.PutStr("inference_time", rustDuration(inference))
			a.PutStr("time_per_token", rustDuration(inference/int64(r.output)))
			a.PutStr("seed", seed)
		})
	}
	return []*process{p}
}

// rustDuration is the Debug text of a Rust Duration: the largest of s, ms, µs and
// ns that leaves a whole part, with as many decimals as needed.
func rustDuration(ns int64) string {
	unit, size, digits := "ns", int64(1), 0
	switch {
	case ns >= s:
		unit, size, digits = "s", s, 9
	case ns >= ms:
		unit, size, digits = "ms", ms, 6
	case ns >= us:
		unit, size, digits = "µs", us, 3
	}
	if ns%size == 0 {
		return fmt.Sprintf("%d%s", ns/size, unit)
	}
	return fmt.Sprintf("%d.%s%s", ns/size, strings.TrimRight(fmt.Sprintf("%0*d", digits, ns%size), "0"), unit)
}
