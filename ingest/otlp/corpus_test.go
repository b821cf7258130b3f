package otlp

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/tailpath/tailpath/ingest/table"
)

// corpus reads a file of the folder that TAILPATH_CORPUS names, decompressed if it is
// one zstd stream.
func corpus(t *testing.T, name string) []byte {
	t.Helper()
	dir := os.Getenv("TAILPATH_CORPUS")
	if dir == "" {
		t.Skip("TAILPATH_CORPUS is not set")
	}
	data, err := os.ReadFile(filepath.Join(dir, "cases", name))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(data, zstdMagic) {
		return data
	}
	r, err := zstd.NewReader(bytes.NewReader(data), zstd.WithDecoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if data, err = io.ReadAll(r); err != nil {
		t.Fatal(err)
	}
	return data
}

// What one collector wrote in several forms at once comes to the same rows.
func TestCollectorForms(t *testing.T) {
	for _, group := range [][]string{
		{"collector/traces.json.zst.framed", "collector/traces.pb.zst.framed"},
		{"collector/native-traces.json.zst", "collector/native-traces.pb.zst"},
		{"collector/logs.json.zst.framed", "collector/logs.pb.zst.framed", "collector/logs.pb"},
	} {
		want := read(t, corpus(t, group[0]))
		if want.stats.Spans+want.stats.Logs < 100 || len(want.issues()) > 0 {
			t.Fatalf("%s: %+v, issues %v", group[0], want.stats, want.issues())
		}
		for _, name := range group[1:] {
			diff(t, name, want.rows(), read(t, corpus(t, name)).rows())
		}
	}
}

func TestCorpusCounts(t *testing.T) {
	for _, tc := range []struct {
		name        string
		docs        int64
		spans, logs int64
		issues      []string
	}{
		{"collector/sdk-traces.pb.zst.framed", 23, 13200, 0, nil},
		{"collector/native-logs.pb.zst", 1, 0, 500, nil},
		{"collector/killed-traces.json", 4, 370, 0, []string{"otlp-cut-last=1"}},
		{"collector/killed-traces.pb", 3, 360, 0, nil},
		{"real/otlp_proto_example_trace.binpb", 1, 1, 0, nil},
		{"real/otlp_proto_example_logs.json", 1, 0, 1, nil},
		{"real/otlp_snake_case_pabot.jsonl", 6, 18, 0, nil},
		{"real/otlp_snake_case_malformed_lines.jsonl", 3, 3, 0, []string{"otlp-bad-document=2", "otlp-unknown-document=1"}},
		{"real/jaeger_apiv3_result_wrapper.json", 1, 1, 0, nil},
		{"real/otlp_fileexporter_java_be.jsonl", 1, 51, 0, nil},
		{"real/otlp_fileexporter_java_be_logs.jsonl", 2, 0, 13, nil},
		{"real/jaeger_skill_n_plus_one_full_serial.json", 1, 40, 0, nil},
		{"servers/vllm-v0-otlp.json", 1, 1, 0, nil},
		{"servers/llmd-vllm-pd-otlp.json", 1, 9, 0, nil},
		{"servers/sglang-otlp.json", 1, 11, 0, nil},
		{"servers/triton-otlp.json", 1, 3, 0, nil},
		{"servers/envoy-otlp.json", 1, 2, 0, nil},
	} {
		got := read(t, corpus(t, tc.name))
		if got.stats.Documents != tc.docs || got.stats.Spans != tc.spans || got.stats.Logs != tc.logs {
			t.Errorf("%s: %+v", tc.name, got.stats)
		}
		diff(t, tc.name, tc.issues, got.issues())
	}
}

func TestMalformedLinesHaveTheirPlaces(t *testing.T) {
	got := read(t, corpus(t, "real/otlp_snake_case_malformed_lines.jsonl"))
	var lines []int64
	for _, f := range got.stats.Faults {
		lines = append(lines, f.At.Line)
	}
	diff(t, "bad lines", []int64{2, 5}, lines)
	diff(t, "lines of spans", []int64{1, 4, 6}, got.set.Spans.Line)
}

func TestKilledCollectorLosesTheLastDocumentOnly(t *testing.T) {
	got := read(t, corpus(t, "collector/killed-traces.json"))
	e := got.account.Entries()[0]
	if e.First.Line != 4 || got.set.Spans.Line[359] != 3 {
		t.Errorf("%+v", e)
	}
}

func TestProtoExampleIsTheSameInJSON(t *testing.T) {
	diff(t, "rows", read(t, corpus(t, "real/otlp_proto_example_trace.json")).rows(), read(t, corpus(t, "real/otlp_proto_example_trace.binpb")).rows())
}

func TestLinesOfOneTraceJoin(t *testing.T) {
	got := read(t, corpus(t, "real/jaegerui_otlp_multi.jsonl"))
	if got.stats.Spans != 4 || got.stats.Documents != 4 {
		t.Fatalf("%+v", got.stats)
	}
	for _, id := range got.set.Spans.TraceID {
		diff(t, "trace", got.set.Spans.TraceID[0], id)
	}
}

func TestVLLMSample(t *testing.T) {
	got := read(t, corpus(t, "servers/vllm-v1-otlp.json"))
	s := got.set
	i := 0
	for s.Symbols.Text(s.Spans.Name[i]) != "llm_request" {
		i++
	}
	t1 := &s.Spans
	diff(t, "columns", []any{"chatcmpl-7d1c0a5e9b7f4f0b8a6c2d3e4f506172", int64(1842), int64(96), int64(912e6), int64(3415e6), int64(604e6), int64(291e6), int64(2498e6), int64(2789e6), int64(table.Missing)},
		[]any{t1.RequestID[i], t1.PromptTokens[i], t1.OutputTokens[i], t1.TTFT[i], t1.E2E[i], t1.Queue[i], t1.Prefill[i], t1.Decode[i], t1.Inference[i], t1.CachedTokens[i]})
	diff(t, "instance", "417", s.Symbols.Text(s.Scopes.Instance[t1.ScopeRow[i]]))
	diff(t, "route of the client", "/v1/chat/completions", s.Symbols.Text(t1.Route[1-i]))
	diff(t, "status of the client", int64(200), t1.HTTPStatus[1-i])
	diff(t, "start", int64(1787227200108200192), t1.Start[i])
	diff(t, "envoy status", int64(200), read(t, corpus(t, "servers/envoy-otlp.json")).set.Spans.HTTPStatus[0])
}
