package ingest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// whole is what a file of the corpus comes to: its rows, and its format or what is said
// in the place of reading it.
type whole struct {
	spans, logs, bad int64
	is               string
}

// The whole corpus is one directory to read: everything in it is read by one reader, or
// refused by the name of what it is.
func TestCorpus(t *testing.T) {
	dir := os.Getenv("TAILPATH_CORPUS")
	if dir == "" {
		t.Skip("TAILPATH_CORPUS is not set")
	}
	got := read(t, Options{}, filepath.Join(dir, "cases"))
	want := map[string]whole{
		"collector/killed-traces.json":                               {370, 0, 0, "OTLP JSON lines"},
		"collector/killed-traces.pb":                                 {360, 0, 0, "OTLP protobuf, length-prefixed"},
		"collector/logs.json.zst.framed":                             {0, 500, 0, "OTLP JSON, length-prefixed, zstd per message"},
		"collector/logs.pb":                                          {0, 500, 0, "OTLP protobuf, length-prefixed"},
		"collector/logs.pb.zst.framed":                               {0, 500, 0, "OTLP protobuf, length-prefixed, zstd per message"},
		"collector/native-logs.pb.zst":                               {0, 500, 0, "OTLP protobuf, length-prefixed"},
		"collector/native-traces.json.zst":                           {2648, 0, 0, "OTLP JSON lines"},
		"collector/native-traces.pb.zst":                             {2648, 0, 0, "OTLP protobuf, length-prefixed"},
		"collector/sdk-traces.pb.zst.framed":                         {13200, 0, 0, "OTLP protobuf, length-prefixed, zstd per message"},
		"collector/traces.json.zst.framed":                           {2548, 0, 0, "OTLP JSON, length-prefixed, zstd per message"},
		"collector/traces.pb.zst.framed":                             {2548, 0, 0, "OTLP protobuf, length-prefixed, zstd per message"},
		"real/aws_alb.log":                                           {14, 0, 0, "aws-alb log"},
		"real/crisp_15.json":                                         {7, 0, 0, "Jaeger JSON"},
		"real/envoy_gateway_cri.log":                                 {10, 0, 0, "envoy-json, envoy log"},
		"real/haproxy_httplog.log":                                   {2, 0, 0, "haproxy log"},
		"real/jaeger_apiv3_result_wrapper.json":                      {1, 0, 0, "OTLP JSON"},
		"real/jaeger_skill_n_plus_one_full_concurrent.json":          {40, 0, 0, "OTLP JSON"},
		"real/jaeger_skill_n_plus_one_full_serial.json":              {40, 0, 0, "OTLP JSON"},
		"real/jaegerui_genai_trace.json":                             {57, 0, 0, "Jaeger JSON"},
		"real/jaegerui_otlp_multi.jsonl":                             {4, 0, 0, "OTLP JSON lines"},
		"real/jaegerui_overlapping_children_longer_than_parent.json": {4, 0, 0, "Jaeger JSON"},
		"real/mooncake_conversation_head.jsonl":                      {0, 0, 0, "this looks like a workload of Mooncake's, which has arrivals and lengths and no durations; it is not read"},
		"real/otlp_fileexporter_java_be.jsonl":                       {51, 0, 0, "OTLP JSON"},
		"real/otlp_fileexporter_java_be_logs.jsonl":                  {0, 13, 0, "OTLP JSON lines"},
		"real/otlp_proto_example_logs.json":                          {0, 1, 0, "OTLP JSON"},
		"real/otlp_proto_example_trace.binpb":                        {1, 0, 0, "OTLP protobuf"},
		"real/otlp_proto_example_trace.json":                         {1, 0, 0, "OTLP JSON"},
		"real/otlp_snake_case_malformed_lines.jsonl":                 {3, 0, 2, "OTLP JSON lines"},
		"real/otlp_snake_case_pabot.jsonl":                           {18, 0, 0, "OTLP JSON lines"},
		"real/sglang_laguna_single_user.log":                         {0, 84, 0, "sglang, uvicorn log"},
		"real/vllm_v1_longprefill_waiting.log":                       {0, 105, 0, "uvicorn, vllm log"},
		"real/zipkin_skew.json":                                      {4, 0, 0, "Zipkin JSON"},
		"real/zipkin_yelp.json":                                      {16, 0, 0, "Zipkin JSON"},
		"servers/README.md":                                          {0, 0, 0, "this looks like a text log of a program that is not known, which is not read"},
		"servers/aws-alb.log":                                        {2, 0, 0, "aws-alb log"},
		"servers/dynamo-request-trace.jsonl":                         {1, 0, 0, "Dynamo request trace"},
		"servers/dynamo.jsonl":                                       {1, 0, 0, "dynamo log"},
		"servers/envoy-access.jsonl":                                 {1, 0, 0, "envoy-json log"},
		"servers/envoy-access.log":                                   {2, 0, 0, "envoy log"},
		"servers/envoy-otlp.json":                                    {2, 0, 0, "OTLP JSON"},
		"servers/haproxy.log":                                        {3, 0, 0, "haproxy log"},
		"servers/istio-access.log":                                   {1, 0, 0, "istio log"},
		"servers/kong-access.log":                                    {0, 0, 0, "this is Kong's access log, which holds no duration"},
		"servers/kong-log-serializer.jsonl":                          {1, 0, 0, "kong log"},
		"servers/kserve.log":                                         {1, 0, 0, "kserve log"},
		"servers/llamacpp-server-2025-02.log":                        {1, 1, 0, "llamacpp log"},
		"servers/llamacpp-server.log":                                {1, 0, 0, "llamacpp log"},
		"servers/llmd-vllm-pd-otlp.json":                             {9, 0, 0, "OTLP JSON"},
		"servers/lmdeploy.log":                                       {1, 0, 0, "lmdeploy log"},
		"servers/nginx-access.format":                                {0, 0, 0, "this looks like plain text, which is not read"},
		"servers/nginx-access.log":                                   {4, 0, 0, "nginx log"},
		"servers/ollama-response.json":                               {1, 0, 0, "response body"},
		"servers/ollama-server.log":                                  {1, 0, 0, "ollama log"},
		"servers/rayserve.log":                                       {2, 0, 0, "rayserve log"},
		"servers/sglang-otlp.json":                                   {11, 0, 0, "OTLP JSON"},
		"servers/sglang-request-log.jsonl":                           {1, 0, 0, "sglang log"},
		"servers/sglang-server.log":                                  {4, 1, 0, "sglang, uvicorn log"},
		"servers/tgi-json.log":                                       {1, 0, 0, "tgi log"},
		"servers/tgi-text.log":                                       {2, 0, 0, "tgi log"},
		"servers/traefik-access-clf.log":                             {1, 0, 0, "traefik-clf log"},
		"servers/traefik-access.jsonl":                               {1, 0, 0, "traefik log"},
		"servers/triton-otlp.json":                                   {3, 0, 0, "OTLP JSON"},
		"servers/triton-server.log":                                  {1, 2, 0, "triton-log"},
		"servers/triton-trace.json":                                  {9, 0, 0, "Triton trace"},
		"servers/trtllm-perf-metrics.json":                           {1, 0, 0, "TensorRT-LLM perf metrics"},
		"servers/vllm-per-request-metrics.json":                      {1, 0, 0, "response body"},
		"servers/vllm-rust-frontend.log":                             {1, 0, 0, "vllm log"},
		"servers/vllm-v0-otlp.json":                                  {1, 0, 0, "OTLP JSON"},
		"servers/vllm-v0-server.log":                                 {1, 2, 0, "vllm, uvicorn log"},
		"servers/vllm-v1-0.8-0.10.log":                               {1, 2, 0, "vllm, uvicorn log"},
		"servers/vllm-v1-otlp.json":                                  {2, 0, 0, "OTLP JSON"},
		"servers/vllm-v1-server.log":                                 {1, 3, 0, "vllm, uvicorn log"},
	}
	for _, in := range got.report.Inputs {
		rel, err := filepath.Rel(filepath.Join(dir, "cases"), in.Name)
		if err != nil {
			t.Fatal(err)
		}
		is := whole{in.Spans, in.Logs, in.Bad, in.Format}
		if in.Problem != nil {
			is.is = in.Problem.What
			if in.Problem.Hint == "" || strings.Contains(is.is, "no spans") {
				t.Errorf("%s: %+v", rel, in.Problem)
			}
		}
		if w, ok := want[rel]; !ok {
			t.Logf("%s is new: %+v", rel, is)
		} else if is != w {
			t.Errorf("%s is %+v, want %+v", rel, is, w)
		}
		delete(want, rel)
		checkLines(t, rel, in)
	}
	for name := range want {
		t.Errorf("%s was not met", name)
	}
}

// checkLines fails unless every line of a log was used, or not for a reason.
func checkLines(t *testing.T, name string, in Input) {
	t.Helper()
	if in.Lines == nil {
		return
	}
	sum := in.Lines.Used
	for _, r := range in.Lines.Unused {
		sum += r.Count
		if r.Why == "" || r.Count <= 0 {
			t.Errorf("%s: %d lines are not used for the reason %q", name, r.Count, r.Why)
		}
	}
	if sum != in.Lines.In {
		t.Errorf("%s: %d lines, but %d used or not", name, in.Lines.In, sum)
	}
}
