package otlp

import (
	"fmt"
	"testing"

	"github.com/tailpath/tailpath/ingest/table"
)

func spanWith(attributes string) []byte {
	return []byte(doc(`{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"0000000000000001","attributes":[` + attributes + `]}`))
}

func str(key, value string) string {
	return fmt.Sprintf(`{"key":%q,"value":{"stringValue":%q}}`, key, value)
}
func num(key, value string) string {
	return fmt.Sprintf(`{"key":%q,"value":{"intValue":%q}}`, key, value)
}
func dbl(key, value string) string {
	return fmt.Sprintf(`{"key":%q,"value":{"doubleValue":%s}}`, key, value)
}

// Each case is a list of attributes and what the promoted column must be.
func TestPromotedColumns(t *testing.T) {
	requestID := func(s *table.Set) any { return s.Spans.RequestID[0] }
	model := func(s *table.Set) any { return s.Symbols.Text(s.Spans.Model[0]) }
	operation := func(s *table.Set) any { return s.Symbols.Text(s.Spans.Operation[0]) }
	route := func(s *table.Set) any { return s.Symbols.Text(s.Spans.Route[0]) }
	code := func(s *table.Set) any { return s.Spans.HTTPStatus[0] }
	prompt := func(s *table.Set) any { return s.Spans.PromptTokens[0] }
	output := func(s *table.Set) any { return s.Spans.OutputTokens[0] }
	cached := func(s *table.Set) any { return s.Spans.CachedTokens[0] }
	ttft := func(s *table.Set) any { return s.Spans.TTFT[0] }
	const second = "gen_ai.latency.time_to_first_token"
	absent := int64(table.Missing)
	cases := []struct {
		attributes string
		get        func(*table.Set) any
		want       any
	}{
		{str("guid:x-request-id", "g") + "," + str("rid", "r"), requestID, "r"},
		{str("request_id", "q") + "," + str("x_request_id", "x"), requestID, "x"},
		{num("triton.request_id", "42"), requestID, "42"},
		{str("gen_ai.request.id", "") + "," + str("rid", "r"), requestID, "r"},
		{str("rid", "a") + "," + str("rid", "b"), requestID, "b"},
		{str("unrelated", "a"), requestID, ""},
		{str("model", "m") + "," + str("gen_ai.response.model", "resp"), model, "resp"},
		{str("triton.model_name", "tri"), model, "tri"},
		{str("gen_ai.operation.name", "chat"), operation, "chat"},
		{str("http.url", "http://h:1/a/b?c=d#e") + "," + str("http.target", "/t?x=1"), route, "/t"},
		{str("url.full", "https://host/v1/chat?x#y"), route, "/v1/chat"},
		{str("url.full", "https://host"), route, "/"},
		{str("http.url", "/v1/x?y"), route, "/v1/x"},
		{str("http.route", "/users/:id?"), route, "/users/:id?"},
		{str("url.path", "/p") + "," + str("http.route", "/r"), route, "/r"},
		{num("http.status_code", "404"), code, int64(404)},
		{str("http.status_code", "503"), code, int64(503)},
		{str("http.status_code", "-"), code, absent},
		{str("http.response.status_code", "-") + "," + num("http.status_code", "200"), code, int64(200)},
		{dbl("http.status_code", "200"), code, int64(200)},
		{num("gen_ai.usage.prompt_tokens", "7"), prompt, int64(7)},
		{num("gen_ai.usage.prompt_tokens", "7") + "," + num("gen_ai.usage.input_tokens", "8"), prompt, int64(8)},
		{str("input_tokens", "1842"), prompt, int64(1842)},
		{dbl("input_tokens", "1.5"), prompt, absent},
		{num("output_tokens", "3"), output, int64(3)},
		{num("gen_ai.usage.completion_tokens", "5") + "," + num("output_tokens", "3"), output, int64(5)},
		{num("gen_ai.usage.cache_read.input_tokens", "9"), cached, int64(9)},
		{num("gen_ai.usage.cached_tokens", "0"), cached, int64(0)},
		{dbl(second, "0.912"), ttft, int64(912_000_000)},
		{dbl(second, "1e-9"), ttft, int64(1)},
		{dbl(second, "1.4e-9"), ttft, int64(1)},
		{dbl(second, "-2.5"), ttft, int64(-2_500_000_000)},
		{str(second, " 0.25 "), ttft, int64(250_000_000)},
		{num(second, "3"), ttft, int64(3_000_000_000)},
		{dbl(second, `"NaN"`), ttft, absent},
		{dbl(second, "1e300"), ttft, absent},
		{dbl(second, "9.3e9"), ttft, absent},
		{str(second, "soon"), ttft, absent},
		{dbl("gen_ai.latency.e2e", "1"), func(s *table.Set) any { return s.Spans.E2E[0] }, int64(1e9)},
		{dbl("gen_ai.latency.time_in_queue", "1"), func(s *table.Set) any { return s.Spans.Queue[0] }, int64(1e9)},
		{dbl("gen_ai.latency.time_in_model_prefill", "1"), func(s *table.Set) any { return s.Spans.Prefill[0] }, int64(1e9)},
		{dbl("gen_ai.latency.time_in_model_decode", "1"), func(s *table.Set) any { return s.Spans.Decode[0] }, int64(1e9)},
		{dbl("gen_ai.latency.time_in_model_inference", "1"), func(s *table.Set) any { return s.Spans.Inference[0] }, int64(1e9)},
	}
	for _, tc := range cases {
		got := readAs(t, spanWith(tc.attributes), JSON)
		if got.stats.Spans != 1 {
			t.Fatalf("%s: issues %v", tc.attributes, got.issues())
		}
		diff(t, tc.attributes, tc.want, tc.get(got.set))
	}
}

// A promoted attribute stays in the map as it was recorded.
func TestPromotionKeepsTheAttribute(t *testing.T) {
	got := readAs(t, spanWith(dbl("gen_ai.latency.e2e", "1e300")+","+str("http.status_code", "200")), JSON)
	s := got.set
	diff(t, "e2e", "double 1e+300", get(s, &s.Spans.Attributes, 0, "gen_ai.latency.e2e"))
	diff(t, "status", "string 200", get(s, &s.Spans.Attributes, 0, "http.status_code"))
}

func TestScopes(t *testing.T) {
	with := func(attributes string) string {
		return `{"resourceSpans":[{"scopeSpans":[{"scope":{"name":"lib","version":"1"},"spans":[` + spanText(1, "") + `]},{"spans":[` +
			spanText(2, "") + `,` + spanText(3, "") + `]},{"scope":{"name":"empty"}}],"resource":{"attributes":[` + attributes + `]},"schemaUrl":"u"}]}`
	}
	cases := []struct{ attributes, service, host, instance string }{
		{str("service.name", "a") + "," + str("host.name", "h") + "," + str("host.id", "i") + "," + num("process.pid", "12"), "a", "i", "12"},
		{str("k8s.node.name", "n") + "," + str("k8s.pod.name", "p") + "," + str("service.instance.id", "x") + "," + num("process.pid", "12"), "", "p", "x"},
		{str("host.name", "") + "," + str("k8s.node.name", "n") + "," + str("vllm.process_id", "417"), "", "n", "417"},
	}
	for _, tc := range cases {
		got := readAs(t, []byte(with(tc.attributes)+with(tc.attributes)), JSON)
		s := got.set
		if s.Scopes.Len() != 2 || s.Spans.Len() != 6 {
			t.Fatalf("%d scopes, %d spans", s.Scopes.Len(), s.Spans.Len())
		}
		diff(t, "scope rows", []int32{0, 1, 1, 0, 1, 1}, s.Spans.ScopeRow)
		for i := range 2 {
			diff(t, "service", tc.service, s.Symbols.Text(s.Scopes.Service[i]))
			diff(t, "host", tc.host, s.Symbols.Text(s.Scopes.Host[i]))
			diff(t, "instance", tc.instance, s.Symbols.Text(s.Scopes.Instance[i]))
			diff(t, "schema", "u", s.Symbols.Text(s.Scopes.ResourceSchemaURL[i]))
		}
		diff(t, "scope", "lib", s.Symbols.Text(s.Scopes.Scope[0]))
	}
}
