package main

import (
	"encoding/json"
	"fmt"
	"strings"
)

// hostileNames are values that attack a terminal, a layout or patience.
var hostileNames = []string{
	"\x1b[31mred\x1b[2J\x1b]0;title\x07\x00\x7f\u009b31m", "\u202eevil\u202c\u3164\u2800", "\u200b\u200b", " \t\n\r",
	"e" + strings.Repeat("\u0301", 5000), strings.Repeat("x", 10_000), strings.Repeat("w ", 5000), strings.Repeat("日", 3000), "none", "",
}

// hostileTraces writes 240 requests of an engine, of which every tenth waits long and carries
// a hostile name wherever one may stand, and numbers at the ends of their ranges.
func hostileTraces(name string) string {
	type attribute map[string]any
	text := func(key, value string) attribute {
		return attribute{"key": key, "value": map[string]any{"stringValue": value}}
	}
	number := func(key string, value any) attribute {
		return attribute{"key": key, "value": map[string]any{"doubleValue": value}}
	}
	var resources []any
	for _, slow := range []bool{true, false} {
		of := "usual"
		if slow {
			of = name
		}
		var spans []any
		for i := range 240 {
			if (i%10 == 0) != slow {
				continue
			}
			queue := 0.001 * float64(1+i%7)
			if slow {
				queue = 2 + float64(i%13)/10
			}
			start := int64(1_787_227_200_000_000_000) + int64(i)*137_000_001
			attributes := []attribute{
				number("gen_ai.latency.time_in_queue", queue), number("gen_ai.latency.time_in_model_prefill", 0.03), number("gen_ai.latency.time_in_model_decode", 0.5+float64(i%11)/100),
				text("gen_ai.request.model", of), text("http.route", of), text("tenant", of), text(name+"k", of), number("odd", []any{"NaN", "Infinity", "-Infinity", 1e308, -5e-324}[i%5]),
				{"key": "long", "value": map[string]any{"intValue": []string{"9223372036854775807", "-9223372036854775808", "99999999999999999999"}[i%3]}},
			}
			spans = append(spans, map[string]any{
				"traceId": fmt.Sprintf("%032x", i+1), "spanId": fmt.Sprintf("%016x", i+1), "name": "llm_request " + of, "kind": 2, "attributes": attributes,
				"startTimeUnixNano": fmt.Sprint(start), "endTimeUnixNano": fmt.Sprint(start + int64(queue*1e9) + 640_000_000),
			})
		}
		resources = append(resources, map[string]any{
			"resource":   map[string]any{"attributes": []attribute{text("service.name", "vllm"), text("host.name", of), text(of, of)}},
			"scopeSpans": []any{map[string]any{"scope": map[string]any{"name": "vllm.tracing.otel"}, "spans": spans}},
		})
	}
	out, err := json.Marshal(map[string]any{"resourceSpans": resources})
	if err != nil {
		panic(err)
	}
	return string(out)
}
