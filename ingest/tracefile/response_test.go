package tracefile

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tailpath/tailpath/ingest/table"
)

const vllmExample = `{"id":"chatcmpl-1","object":"chat.completion","created":1787227200,"model":"q","choices":[{"index":0,"message":{"role":"assistant","content":"THE-PROMPT \"}]"},"finish_reason":"stop"}],
"usage":{"prompt_tokens":12,"total_tokens":15,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":4}},"metrics":{"time_to_first_token_ms":291.5,"generation_time_ms":2498.0,"queue_time_ms":604.000001,"mean_itl_ms":26.29,"tokens_per_second":34.4},"prompt":"THE-PROMPT"}`

const llamaExample = `{"choices":[{"finish_reason":"stop","index":0,"message":{"content":"THE-PROMPT"}}],"created":1787227200,"model":"l","object":"chat.completion","id":"chatcmpl-2",
"timings":{"cache_n":100,"prompt_n":20,"prompt_ms":35.5,"prompt_per_token_ms":1.775,"predicted_n":7,"predicted_ms":70.125,"predicted_per_second":99.8,"draft_n":6,"draft_n_accepted":5}}`

const ollamaExample = `{"model":"o:8b","created_at":"2026-08-20T12:00:03.512Z","message":{"role":"assistant","content":"THE-PROMPT"},"done":true,"done_reason":"stop","context":[1,2,3],
"total_duration":3412345678,"load_duration":18345678,"prompt_eval_count":1842,"prompt_eval_duration":291040000,"eval_count":96,"eval_duration":2498110000}`

// columns are the columns of a span that a response fills.
type columns struct {
	Service, RequestID, Model string
	Start, Duration, TTFT     int64
	Clock                     uint8
	Prompt, Output, Cached    int64
}

func columnsOf(set *table.Set, row int) columns {
	s, text := &set.Spans, set.Symbols.Text
	return columns{text(set.Scopes.Service[s.ScopeRow[row]]), s.RequestID[row], text(s.Model[row]), s.Start[row], s.End[row] - s.Start[row], s.TTFT[row],
		s.Clock[row], s.PromptTokens[row], s.OutputTokens[row], s.CachedTokens[row]}
}

func TestResponses(t *testing.T) {
	none := int64(table.Missing)
	for name, c := range map[string]struct {
		text   string
		want   columns
		parts  []string
		issues map[string]int64
	}{
		"vllm": {vllmExample, columns{"vllm", "chatcmpl-1", "q", 0, 604000001 + 291500000 + 2498000000, 604000001 + 291500000, table.ClockNone, 12, 3, 4}, []string{
			"0..604000001 queue/engine anchored ±0 metrics.queue_time_ms",
			"604000001..895500001 gpu/prefill anchored ±0 metrics.time_to_first_token_ms",
			"895500001..3393500001 gpu/decode anchored ±0 metrics.generation_time_ms"}, nil},
		"vllm, one token": {`{"id":"a","usage":{"completion_tokens":1},"metrics":{"queue_time_ms":1,"time_to_first_token_ms":2,"generation_time_ms":null}}`,
			columns{"vllm", "a", "", 0, 3000000, 3000000, table.ClockNone, none, 1, none}, []string{
				"0..1000000 queue/engine anchored ±0 metrics.queue_time_ms", "1000000..3000000 gpu/prefill anchored ±0 metrics.time_to_first_token_ms"}, nil},
		"vllm, one of two choices has ended": {`{"id":"a","object":"chat.completion.chunk","choices":[{"finish_reason":"stop"},{"finish_reason":null}],"metrics":{"queue_time_ms":1,"time_to_first_token_ms":2,"generation_time_ms":3}}`,
			columns{"vllm", "a", "", 0, 6000000, 3000000, table.ClockNone, none, none, none}, []string{
				"0..1000000 queue/engine anchored ±0 metrics.queue_time_ms", "1000000..3000000 gpu/prefill anchored ±0 metrics.time_to_first_token_ms",
				"3000000..6000000 gpu/decode anchored ±0 metrics.generation_time_ms"}, nil},
		"vllm, decode unknown": {`{"id":"a","metrics":{"queue_time_ms":1,"time_to_first_token_ms":2,"generation_time_ms":null}}`,
			columns{"vllm", "a", "", 0, 0, 3000000, table.ClockNone, none, none, none}, nil, nil},
		"vllm, negative prefill": {`{"id":"a","metrics":{"queue_time_ms":1,"time_to_first_token_ms":-17000000,"generation_time_ms":4}}`,
			columns{"vllm", "a", "", 0, 0, none, table.ClockNone, none, none, none}, nil, map[string]int64{"record-bad-time": 2}},
		"llama.cpp": {llamaExample, columns{"llama.cpp", "chatcmpl-2", "l", 0, 105625000, 35500000, table.ClockNone, 120, 7, 100}, []string{
			"0..35500000 gpu/prefill anchored ±0 timings.prompt_ms", "35500000..105625000 gpu/decode anchored ±0 timings.predicted_ms"}, nil},
		"ollama": {ollamaExample, columns{"ollama", "", "o:8b", 1787227203512000000 - 3412345678, 3412345678, 3412345678 - 2498110000, table.ClockWall, 1842, 96, none}, []string{
			"0..18345678 queue/load exact ±0 field load_duration",
			"623195678..914235678 gpu/prefill anchored ±604850000 field prompt_eval_duration",
			"914235678..3412345678 gpu/decode anchored ±604850000 field eval_duration"}, nil},
		"ollama without a date": {`{"model":"o","created_at":"0001-01-01T00:00:00Z","done":true,"total_duration":100,"load_duration":10,"eval_duration":60}`,
			columns{"ollama", "", "o", 0, 100, 40, table.ClockNone, none, none, none}, []string{
				"0..10 queue/load exact ±0 field load_duration", "40..100 gpu/decode anchored ±30 field eval_duration"}, nil},
		"ollama, parts longer than the whole": {`{"model":"o","created_at":"2026-08-20T12:00:03Z","done":true,"total_duration":100,"load_duration":70,"eval_duration":60}`,
			columns{"ollama", "", "o", 1787227203000000000 - 100, 100, none, table.ClockWall, none, none, none}, nil, map[string]int64{"record-bad-time": 1}},
		"ollama, one part longer than the whole": {`{"model":"o","created_at":"2026-08-20T12:00:03Z","done":true,"total_duration":100,"load_duration":170,"eval_duration":60}`,
			columns{"ollama", "", "o", 1787227203000000000 - 100, 100, 40, table.ClockWall, none, none, none},
			[]string{"40..100 gpu/decode anchored ±40 field eval_duration"}, map[string]int64{"record-bad-time": 1}},
	} {
		t.Run(name, func(t *testing.T) {
			set, account, stats := recordsOf(t, ResponseBody, c.text)
			checkRecords(t, set, stats)
			checkSecret(t, set, account)
			if set.Spans.Len() != 1 {
				t.Fatalf("%d spans, account %+v", set.Spans.Len(), account.Entries())
			}
			if d := cmp.Diff(c.want, columnsOf(set, 0)); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(c.parts, partsOf(set, 0)); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(c.issues, issueCounts(account)); d != "" {
				t.Error(d)
			}
		})
	}
}

// issueCounts are the counts of an account by id, nil if there are none.
func issueCounts(account *table.Account) map[string]int64 {
	var counts map[string]int64
	for _, e := range account.Entries() {
		if counts == nil {
			counts = map[string]int64{}
		}
		counts[e.ID] = e.Count
	}
	return counts
}

// TestResponsePieces holds that the pieces of a streamed response are no requests of
// their own, and that bodies that say nothing of time are passed over.
func TestResponsePieces(t *testing.T) {
	text := `{"model":"o","created_at":"2026-08-20T12:00:03Z","response":"THE-PROMPT","done":false}
{"model":"o","created_at":"2026-08-20T12:00:04Z","response":"","done":true,"total_duration":100,"load_duration":10,"eval_duration":60}
{"object":"chat.completion.chunk","choices":[{"delta":{"content":"THE-PROMPT"},"finish_reason":null}],"timings":{"prompt_ms":1,"predicted_ms":2}}
{"object":"chat.completion.chunk","choices":[{"delta":{},"finish_reason":"stop"}],"timings":{"prompt_ms":1,"predicted_ms":2}}
{"content":"THE-PROMPT","stop":false,"timings":{"prompt_ms":1,"predicted_ms":2}}
{"object":"chat.completion","choices":[{"finish_reason":"stop"}]}
{"metrics":{"queue_time_ms":null,"time_to_first_token_ms":5}}
{"something":"else"}
`
	set, account, stats := recordsOf(t, ResponseBody, text)
	checkRecords(t, set, stats)
	checkSecret(t, set, account)
	if set.Spans.Len() != 2 || stats.BadSpans != 1 || stats.Unused != 5 {
		t.Errorf("%d spans, %+v", set.Spans.Len(), stats)
	}
	if d := cmp.Diff(map[string]int64{"record-other": 4, "record-no-times": 1, "tracefile-unused-value": 1}, issueCounts(account)); d != "" {
		t.Error(d)
	}
	if line := set.Spans.Line[1]; line != 4 {
		t.Errorf("the second span is on line %d", line)
	}
}

func TestResponseSamples(t *testing.T) {
	set, _, _ := recordsOf(t, ResponseBody, corpus(t, "vllm-per-request-metrics.json")+corpus(t, "ollama-response.json"))
	if set.Spans.Len() != 2 {
		t.Fatalf("%d spans", set.Spans.Len())
	}
	none := int64(table.Missing)
	want := []columns{
		{"vllm", "chatcmpl-7d1c0a5e9b7f4f0b8a6c2d3e4f506172", "Qwen/Qwen3-8B", 0, 3393000000, 895000000, table.ClockNone, 1842, 96, none},
		{"ollama", "", "llama3.1:8b", 1787227200099654322, 3412345678, 914235678, table.ClockWall, 1842, 96, none},
	}
	if d := cmp.Diff(want, []columns{columnsOf(set, 0), columnsOf(set, 1)}); d != "" {
		t.Error(d)
	}
	for name, f := range map[string]Format{"vllm-per-request-metrics.json": ResponseBody, "ollama-response.json": ResponseBody, "trtllm-perf-metrics.json": TensorRTMetrics, "dynamo-request-trace.jsonl": DynamoRequestTrace} {
		if got := Sniff([]byte(corpus(t, name)), true); got != f {
			t.Errorf("%s is sniffed as %v", name, got)
		}
	}
	for _, name := range []string{"vllm-v1-otlp.json", "sglang-request-log.jsonl", "dynamo.jsonl", "traefik-access.jsonl", "kong-log-serializer.jsonl", "envoy-access.jsonl", "nginx-access.log", "tgi-json.log"} {
		if got := Sniff([]byte(corpus(t, name)), true); got != Unknown {
			t.Errorf("%s is sniffed as %v", name, got)
		}
	}
}
