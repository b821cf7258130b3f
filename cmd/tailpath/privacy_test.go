package main

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/tailpath/tailpath/ingest/table"
)

// planted is the text that stands for prompts and outputs: nothing that tailpath writes
// may hold it.
const planted = "XyzzyPlanted"

// textInputs are inputs of every kind that carry text of prompts or outputs. Kept says
// that --keep-text keeps it.
var textInputs = map[string]struct {
	data string
	kept bool
}{
	"otlp.json": {`{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"llm"}}]},"scopeSpans":[{"spans":[{
		"traceId":"0102030405060708090a0b0c0d0e0f10","spanId":"0102030405060708","name":"GET /chat?prompt=XyzzyPlanted","kind":2,"startTimeUnixNano":"1787227200000000000","endTimeUnixNano":"1787227201000000000",
		"attributes":[{"key":"gen_ai.prompt.0.content","value":{"stringValue":"XyzzyPlanted"}},{"key":"url.full","value":{"stringValue":"https://llm/v1/chat?prompt=XyzzyPlanted"}},{"key":"url.query","value":{"stringValue":"prompt=XyzzyPlanted"}},{"key":"gen_ai.input.messages","value":{"arrayValue":{"values":[{"stringValue":"XyzzyPlanted"}]}}},{"key":"llm.output_messages.0.message.content","value":{"stringValue":"XyzzyPlanted"}}],
		"events":[{"timeUnixNano":"1787227200000000001","name":"gen_ai.content.prompt","attributes":[{"key":"gen_ai.prompt","value":{"stringValue":"XyzzyPlanted"}}]}]}]}]}]}`, true},
	"otlplogs.json": {`{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":"1787227200000000000","body":{"stringValue":"the user asks XyzzyPlanted"}},
		{"timeUnixNano":"1787227200000000000","body":{"kvlistValue":{"values":[{"key":"content","value":{"stringValue":"XyzzyPlanted"}}]}}},
		{"timeUnixNano":"1787227200000000000","body":{"stringValue":"INFO 08-20 12:00:00 [logger.py:39] Received request cmpl-1: prompt: 'XyzzyPlanted', params: SamplingParams(n=1), prompt_token_ids: None, lora_request: None."}}]}]}]}`, true},
	"jaeger.json": {`{"data":[{"traceID":"006c3cf93508f205","spans":[{"traceID":"006c3cf93508f205","spanID":"006c3cf93508f205","operationName":"GET /chat?prompt=XyzzyPlanted","startTime":1787227200000000,"duration":1000000,
		"tags":[{"key":"gen_ai.completion.0.content","type":"string","value":"XyzzyPlanted"}],"logs":[{"timestamp":1787227200000001,"fields":[{"key":"event","type":"string","value":"gen_ai.content.prompt"},{"key":"gen_ai.prompt","type":"string","value":"XyzzyPlanted"}]}],"processID":"p1"}],
		"processes":{"p1":{"serviceName":"llm","tags":[]}}}]}`, true},
	"zipkin.json": {`[{"traceId":"1e223ff1f80f1c69","id":"1e223ff1f80f1c69","name":"get /chat?prompt=XyzzyPlanted","kind":"SERVER","timestamp":1787227200000000,"duration":1000000,"localEndpoint":{"serviceName":"llm"},"tags":{"http.path":"/chat?prompt=XyzzyPlanted","gen_ai.prompt":"XyzzyPlanted"}}]`, true},
	"vllm.log": {"(APIServer pid=4) INFO 08-20 12:00:00 [logger.py:39] Received request chatcmpl-1: prompt: '<|im_start|>user\\nXyzzyPlanted, INFO 08-20 12:00:01 [x.py:1] Received request XyzzyPlanted: hi', params: SamplingParams(n=1), prompt_token_ids: None, lora_request: None.\n" +
		"(APIServer pid=4) INFO 08-20 12:00:03 [request_logger.py:98] Generated response chatcmpl-1 (streaming complete): output: 'XyzzyPlanted', finish_reason: streaming_complete\n" +
		"XyzzyPlanted on a line of its own\n(APIServer pid=4) INFO 08-20 12:00:04 [x.py:1] XyzzyPlanted\n" +
		"(APIServer pid=4) INFO 08-20 12:00:05 [loggers.py:310] Engine 000: Avg prompt throughput: XyzzyPlanted tokens/s, Avg generation throughput: 2.0 tokens/s, Running: 18 reqs, Waiting: 3 reqs, GPU KV cache usage: 44.2%\n", false},
	"sglang.log": {"[2026-08-20 12:00:00] Receive: obj=GenerateReqInput(rid='9c0f', text='XyzzyPlanted', stream=True)\n" +
		"[2026-08-20 12:00:03] Finish: obj=GenerateReqInput(rid='9c0f', text='XyzzyPlanted', stream=True), out={'text': 'XyzzyPlanted', 'meta_info': {'id': '9c0f', 'finish_reason': {'type': 'length', 'length': 96}, 'prompt_tokens': 1842, 'e2e_latency': 3.4123}}\n", false},
	"sglang.jsonl": {`[2026-08-20 12:00:03] {"timestamp": "2026-08-20T12:00:03.513000", "event": "request.finished", "rid": "9c0f", "obj": {"rid": "9c0f", "text": "XyzzyPlanted"}, "out": {"text": "XyzzyPlanted", "meta_info": {"id": "9c0f", "prompt_tokens": 18, "e2e_latency": 3.4}}}` + "\n", false},
	"nginx.log":    {`10.0.3.14 - - [20/Aug/2026:12:00:03 +0000] "GET /v1/chat?prompt=XyzzyPlanted HTTP/1.1" 200 18234 "http://x/?q=XyzzyPlanted" "XyzzyPlanted" rt=3.418 uct="0.001" uht="0.915" urt="3.417"` + "\n", false},
	"envoy.log":    {`[2026-08-20T12:00:00.101Z] "GET /v1/chat?prompt=XyzzyPlanted HTTP/1.1" 200 - 812 18234 3418 914 "10.0.3.14" "XyzzyPlanted" "cc21d9b0" "llm.example" "10.0.1.5:8000"` + "\n", false},
	"haproxy.log":  {`10.0.3.14:51822 [20/Aug/2026:12:00:00.101] llm_front vllm_back/vllm1 0/12/1/902/3418 200 18540 - - ---- 24/24/23/12/0 0/3 "GET /v1/chat?q=XyzzyPlanted HTTP/1.1"` + "\n", false},
	"traefik.json": {`{"ClientAddr":"10.0.3.14:51822","DownstreamStatus":200,"Duration":3418123456,"OriginDuration":3417011222,"Overhead":1112234,"RequestMethod":"GET","RequestPath":"/v1/chat?q=XyzzyPlanted","StartUTC":"2026-08-20T12:00:00.101Z","level":"info","msg":"","time":"2026-08-20T12:00:03Z"}` + "\n", false},
	"kong.json":    {`{"request":{"id":"f2c0","method":"POST","uri":"/v1/chat?q=XyzzyPlanted","querystring":{"q":"XyzzyPlanted"}},"response":{"status":200},"latencies":{"kong":4,"proxy":911,"request":3418,"receive":2502},"started_at":1787227200101,"upstream_uri":"/v1/chat?q=XyzzyPlanted"}` + "\n", false},
	"ollama.json":  {`{"model":"llama3","created_at":"2026-08-20T12:00:03Z","response":"XyzzyPlanted","message":{"role":"assistant","content":"XyzzyPlanted"},"done":true,"total_duration":3412345678,"load_duration":1000000,"prompt_eval_count":26,"prompt_eval_duration":291000000,"eval_count":96,"eval_duration":2498000000}` + "\n", false},
	"llama.json":   {`{"content":"XyzzyPlanted","prompt":"XyzzyPlanted","timings":{"prompt_n":18,"prompt_ms":291.04,"predicted_n":96,"predicted_ms":2498.11}}` + "\n", false},
	"triton.json": {`[{"id":1,"timestamps":[{"name":"HTTP_RECV_START","ns":100}]},{"id":1,"timestamps":[{"name":"HTTP_RECV_END","ns":200}]},{"id":1,"model_name":"simple","model_version":1},
		{"id":1,"timestamps":[{"name":"REQUEST_START","ns":300}]},{"id":1,"timestamps":[{"name":"QUEUE_START","ns":310}]},{"id":1,"timestamps":[{"name":"COMPUTE_START","ns":400}]},{"id":1,"timestamps":[{"name":"COMPUTE_INPUT_END","ns":500}]},{"id":1,"timestamps":[{"name":"COMPUTE_OUTPUT_START","ns":600}]},{"id":1,"timestamps":[{"name":"COMPUTE_END","ns":700}]},{"id":1,"timestamps":[{"name":"REQUEST_END","ns":800}]},
		{"id":1,"activity":"TENSOR_QUEUE_INPUT","tensor":{"name":"TEXT","data":"XyzzyPlanted","shape":"1","dtype":"BYTES"}}]`, false},
}

// TestTextIsLeftOut plants text wherever prompts and outputs stand in inputs, and looks
// for it in everything that the program writes: reports, tables and messages.
func TestTextIsLeftOut(t *testing.T) {
	for name, in := range textInputs {
		t.Run(name, func(t *testing.T) {
			if !strings.Contains(in.data, planted) {
				t.Fatal("no text is planted")
			}
			dir := t.TempDir()
			path := filepath.Join(dir, name)
			plant(t, path, in.data)
			for _, command := range [][]string{
				{"inspect", "-v"}, {"inspect", "-f", "json"}, {"summary", "-v", "--incomplete", "include"}, {"summary", "-f", "json"},
				{"explain", "--slowest", "9", "-v"}, {"explain", "--slowest", "9", "-f", "json"},
				{"queue", "-v", "--incomplete", "include"}, {"queue", "-f", "json", "--by", "name,service"},
				{"capacity", "-v", "--incomplete", "include"}, {"capacity", "-f", "json", "--slo", "p50(e2e) < 1s"},
			} {
				code, out, errs := tailpath(nil, append(command, path, "--year", "2026")...)
				if code == exitFailed {
					t.Errorf("%v: exit code %d: %s", command, code, errs)
				}
				if strings.Contains(out+errs, planted) {
					t.Errorf("%v: the text is in what it writes", command)
				}
			}
			if ingested(t, path, filepath.Join(dir, "run")) {
				t.Error("the text is in the tables")
			}
			if kept := ingested(t, path, filepath.Join(dir, "kept"), "--keep-text"); kept != in.kept {
				t.Errorf("with --keep-text the text is in the tables: %v, want %v", kept, in.kept)
			}
		})
	}
}

// TestKeptTextIsNoField: text that --keep-text keeps in the tables stays there. Nothing that
// groups, compares or filters requests by a field may print it, nor may a hint.
func TestKeptTextIsNoField(t *testing.T) {
	dir := t.TempDir()
	path, run := filepath.Join(dir, "text.json"), filepath.Join(dir, "run")
	attribute := func(key, value string) string {
		return `{"key":"` + key + `","value":{"stringValue":"` + value + `"}}`
	}
	keys := []string{"gen_ai.prompt", "gen_ai.input.messages", "input.value", "payload", "url.full"}
	plant(t, path, `{"resourceSpans":[{"resource":{"attributes":[`+attribute("service.name", "vllm")+`]},"scopeSpans":[{"spans":[{"traceId":"4bf92f3577b34da6a3ce929d0e0e4736",
		"spanId":"00f067aa0ba902b7","name":"llm_request","kind":2,"startTimeUnixNano":"1787227200000000000","endTimeUnixNano":"1787227201000000000","attributes":[`+
		strings.Join([]string{attribute(keys[0], planted), attribute(keys[1], planted), attribute(keys[2], planted), attribute(keys[3], `{\"prompt\":\"`+planted+`\"}`),
			attribute(keys[4], "http://x/chat?prompt="+planted), attribute("enduser.id", planted)}, ",")+`]}]}]}]}`)
	if !ingested(t, path, run, "--keep-text") {
		t.Fatal("no text is kept")
	}
	for _, args := range [][]string{{path, "--keep-text"}, {run}} {
		for _, key := range keys {
			for _, command := range [][]string{{"queue", "--by", key}, {"queue", "-f", "json", "--by", key}, {"summary", "-v", "--where", key + "=x"}, {"queue", "--where", key + "=none"}} {
				if _, out, errs := tailpath(nil, append(command, args...)...); strings.Contains(out+errs, planted) {
					t.Errorf("%v %v: the text is in what it writes", command, args)
				}
			}
		}
		// A hint counts what other requests have under a key, and does not print it.
		code, out, errs := tailpath(nil, append([]string{"summary", "--where", "enduser.id=x"}, args...)...)
		if code != exitNothing || strings.Contains(out+errs, planted) || !strings.Contains(errs, "enduser.id is 1 value in 1 request") {
			t.Errorf("exit code %d: %s%s", code, out, errs)
		}
	}
}

// ingested writes tables of an input, and reports whether the text is in them.
func ingested(t *testing.T, path, dir string, flags ...string) bool {
	t.Helper()
	code, _, errs := tailpath(nil, append([]string{"ingest", path, "-o", dir, "--year", "2026"}, flags...)...)
	if code != 0 || strings.Contains(errs, planted) {
		t.Fatalf("ingest: exit code %d: %s", code, errs)
	}
	set, err := table.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i := range set.Symbols.Len() {
		if strings.Contains(set.Symbols.Text(table.Sym(i)), planted) {
			return true
		}
	}
	for _, rows := range []any{&set.Scopes, &set.Spans, &set.SpanEvents, &set.SpanLinks, &set.Parts, &set.Logs, &set.EngineSamples, &set.Requests, &set.Segments, &set.Quality} {
		v := reflect.ValueOf(rows).Elem()
		for k := range v.NumField() {
			if !v.Type().Field(k).IsExported() {
				continue
			}
			switch column := v.Field(k).Addr().Interface().(type) {
			case *[]string:
				if strings.Contains(strings.Join(*column, " "), planted) {
					return true
				}
			case *table.Attrs:
				for row := range column.Len() {
					for j := range column.Count(row) {
						if bytes.Contains(column.At(row, j).Value.Text, []byte(planted)) {
							return true
						}
					}
				}
			}
		}
	}
	return false
}

func plant(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
