package ingest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The whole corpus is one directory to read: everything in it is read, or refused by
// the name of what it is.
func TestCorpus(t *testing.T) {
	dir := os.Getenv("TAILPATH_CORPUS")
	if dir == "" {
		t.Skip("TAILPATH_CORPUS is not set")
	}
	got := read(t, Options{}, filepath.Join(dir, "cases"))
	want := map[string]string{ // format, or a part of the problem
		"collector/traces.json.zst.framed":      "OTLP JSON, length-prefixed, zstd per message",
		"collector/traces.pb.zst.framed":        "OTLP protobuf, length-prefixed, zstd per message",
		"collector/native-traces.json.zst":      "OTLP JSON lines",
		"collector/native-traces.pb.zst":        "OTLP protobuf, length-prefixed",
		"collector/killed-traces.json":          "OTLP JSON lines",
		"real/otlp_proto_example_trace.binpb":   "OTLP protobuf",
		"real/otlp_snake_case_pabot.jsonl":      "OTLP JSON lines",
		"real/jaeger_apiv3_result_wrapper.json": "OTLP JSON",
		"real/jaegerui_genai_trace.json":        "the JSON of Jaeger",
		"real/crisp_15.json":                    "the JSON of Jaeger",
		"real/zipkin_yelp.json":                 "the JSON of Zipkin",
		"real/zipkin_skew.json":                 "the JSON of Zipkin",
		"real/haproxy_httplog.log":              "a log of HAProxy",
		"real/sglang_laguna_single_user.log":    "a log of SGLang",
		"real/vllm_v1_longprefill_waiting.log":  "a log of vLLM",
		"real/aws_alb.log":                      "a text log",
		"servers/vllm-v1-otlp.json":             "OTLP JSON",
		"servers/triton-trace.json":             "Triton's own trace file",
		"servers/triton-server.log":             "a log of Triton",
		"servers/nginx-access.log":              "an access log of nginx",
		"servers/envoy-access.log":              "Envoy or Istio",
		"servers/traefik-access.jsonl":          "JSON log lines",
		"servers/dynamo.jsonl":                  "JSON log lines",
		"servers/README.md":                     "which this version does not read",
	}
	for _, in := range got.report.Inputs {
		rel, err := filepath.Rel(filepath.Join(dir, "cases"), in.Name)
		if err != nil {
			t.Fatal(err)
		}
		is, found := in.Format, in.Problem == nil
		if in.Problem != nil {
			is = in.Problem.What
			if in.Problem.Hint == "" || strings.Contains(is, "no spans") {
				t.Errorf("%s: %+v", rel, in.Problem)
			}
		}
		if text, ok := want[rel]; ok {
			delete(want, rel)
			if found && is != text || !strings.Contains(is, text) {
				t.Errorf("%s is %q, want %q", rel, is, text)
			}
		}
		t.Logf("%-55s %6d spans %4d logs %3d bad  %s %s", rel, in.Spans, in.Logs, in.Bad, is, in.Compression)
	}
	for name := range want {
		t.Errorf("%s was not met", name)
	}
	if n := got.set.Spans.Len(); n < 24000 {
		t.Errorf("%d spans", n)
	}
}
