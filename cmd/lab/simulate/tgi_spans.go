package simulate

import (
	"fmt"
	"strings"

	"go.opentelemetry.io/collector/pdata/ptrace"
)

const tgiService = "text-generation-inference.router"

var tgiScope = scope{name: "opentelemetry-otlp"}

// tgi writes the router's two spans of a request: the HTTP layer's, and under it the
// handler's, whose three durations chain from its start and are texts in mixed units.
// They are recorded at the end: a request that was given up has bare spans.
func (x *exporter) tgi(p *process, r *request) {
	http := p.within(r.arrival, max(r.rootEnd, r.gone))
	http.trace, http.parent, http.name, http.kind = r.traceID, r.egressSpan, "POST /v1/chat/completions", ptrace.SpanKindServer
	fill(x.ids, http.span[:])
	handler := p.within(r.handled, max(r.spanEnd, r.gone))
	handler.trace, handler.parent, handler.name, handler.kind = r.traceID, http.span, "chat_completions", ptrace.SpanKindInternal
	fill(x.ids, handler.span[:])
	p.add(tgiScope, http, func(sp ptrace.Span) {
		a := sp.Attributes()
		a.PutStr("http.request.method", "POST")
		a.PutStr("http.route", "/v1/chat/completions")
		a.PutStr("url.path", "/v1/chat/completions")
		a.PutStr("url.scheme", "http")
		if r.spanEnd > 0 {
			a.PutInt("http.response.status_code", 200)
		}
	})
	if r.handled == 0 {
		return
	}
	p.add(tgiScope, handler, func(sp ptrace.Span) {
		seed, temperature := "None", "None"
		if !r.greedy {
			seed, temperature = fmt.Sprintf("Some(%d)", r.seed), "Some(0.7)"
		}
		a := sp.Attributes()
		a.PutStr("parameters", fmt.Sprintf("GenerateParameters { best_of: None, temperature: %s, max_new_tokens: Some(%d) }",
			temperature, r.class.MaxTokens))
		if r.spanEnd == 0 {
			return
		}
		spent := func(from, to int64) string { return rustDuration(p.at(to) - p.at(from)) }
		a.PutStr("total_time", spent(r.handled, r.spanEnd))
		a.PutStr("validation_time", spent(r.handled, r.queued))
		a.PutStr("queue_time", spent(r.queued, r.scheduled))
		a.PutStr("inference_time", spent(r.scheduled, r.spanEnd))
		a.PutStr("time_per_token", rustDuration((p.at(r.spanEnd)-p.at(r.scheduled))/int64(r.output)))
		a.PutStr("seed", seed)
	})
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
