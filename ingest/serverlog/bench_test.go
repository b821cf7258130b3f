package serverlog

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/tailpath/tailpath/ingest/serverlog/format"
	"github.com/tailpath/tailpath/ingest/serverlog/line"
	"github.com/tailpath/tailpath/ingest/table"
)

// benchLines are the lines that logs are made of in the benchmarks. N in a line counts.
var benchLines = map[string]string{
	"haproxy":        `Aug 20 12:00:03 lb1 haproxy[14389]: 10.0.3.14:51822 [20/Aug/2026:12:00:00.101] llm_front vllm_back/vllm1 0/12/1/902/3418 200 18540 - - ---- 24/24/23/12/0 0/3 "POST /v1/chat/completions HTTP/1.1"`,
	"haproxy-bare":   `10.0.3.14:51822 [20/Aug/2026:12:00:00.101] llm_front vllm_back/vllm1 0/12/1/902/3418 200 18540 - - ---- 24/24/23/12/0 0/3 "POST /v1/chat/completions HTTP/1.1"`,
	"nginx":          `10.0.3.14 - - [20/Aug/2026:12:00:03 +0000] "POST /v1/chat/completions HTTP/1.1" 200 18234 "-" "curl/8.5.0" rt=3.418 uct=0.001 uht=0.915 urt=3.417 ua=10.0.1.5:8000 us=200 msec=1787227203.520 rid=7d1c0a5e9b7f4f0b8a6c2d3e4f506172 tp=00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`,
	"envoy":          `[2026-08-20T12:00:00.101Z] "POST /v1/chat/completions HTTP/1.1" 200 - 812 18234 3418 914 "10.0.3.14" "curl/8.5.0" "cc21d9b0-cf5c-432b-8c7e-98aeb7988cd2" "llm.example" "10.0.1.5:8000"`,
	"envoy-json":     `{"start_time": "2026-08-20T12:00:00.101Z", "method": "POST", "path": "/v1/chat/completions", "protocol": "HTTP/1.1", "response_code": 200, "response_flags": "-", "bytes_received": 812, "bytes_sent": 18234, "duration": 3418, "request_duration": 1, "request_tx_duration": 3, "response_duration": 917, "response_tx_duration": 2501, "upstream_service_time": "916", "us_cx_ms": 1, "x_request_id": "cc21d9b0-cf5c-432b-8c7e-98aeb7988cd2", "upstream_host": "10.0.1.5:8000", "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736"}`,
	"vllm-stats":     `(APIServer pid=402) INFO 08-20 12:00:10 [loggers.py:310] Engine 000: Avg prompt throughput: 1268.2 tokens/s, Avg generation throughput: 611.0 tokens/s, Running: 18 reqs, Waiting: 3 reqs, GPU KV cache usage: 44.2%, Prefix cache hit rate: 37.5%`,
	"vllm-unmatched": `(EngineCore_DP0 pid=411) INFO 08-20 12:00:02 [kv_cache_utils.py:1087] Maximum concurrency for 32,768 tokens per request: 12.43x, with 3 groups of layers and 2 more`,
	"uvicorn":        `(APIServer pid=402) INFO:     10.0.1.5:51822 - "POST /v1/chat/completions HTTP/1.1" 200 OK`,
	"sglang-batch":   `[2026-08-20 12:00:02 TP0] Decode batch, #running-req: 12, #token: 5342, token usage: 0.06, cuda graph: True, gen throughput (token/s): 593.31, #queue-req: 0`,
	"tgi":            `2026-08-20T12:00:02.512300Z  INFO generate{parameters=GenerateParameters { best_of: None, temperature: Some(0.7), max_new_tokens: Some(256), stop: [], details: false } total_time="3.412345678s" validation_time="412.345µs" queue_time="604.112345ms" inference_time="2.807820988s" time_per_token="14.039104ms" seed="Some(42)"}: text_generation_router::server: router/src/server.rs:457: Success`,
	"unknown":        `2026-06-30 16:00:08,963 - mod - something that no format knows, written by a program of the user's own, 12 of 13 done`,
}

// BenchmarkDecoder measures bytes of a log a second, rows included.
func BenchmarkDecoder(b *testing.B) {
	for _, name := range slices.Sorted(maps.Keys(benchLines)) {
		b.Run(name, func(b *testing.B) { benchRead(b, benchLog(name, 20000)) })
	}
}

// BenchmarkFormats measures it for every built-in format, on logs in which its examples
// repeat.
func BenchmarkFormats(b *testing.B) {
	const size = 4 << 20 // bytes
	for _, f := range Builtin().List() {
		var examples []byte
		for _, r := range f.Records {
			examples = append(append(examples, r.Example...), '\n')
		}
		b.Run(f.ID, func(b *testing.B) { benchRead(b, bytes.Repeat(examples, size/len(examples))) })
	}
}

// BenchmarkParsing measures what BenchmarkDecoder does without the rows: taking the
// lines out of a log, finding the values in them, and working out the spans that they
// tell.
func BenchmarkParsing(b *testing.B) {
	for _, name := range slices.Sorted(maps.Keys(benchLines)) {
		data := benchLog(name, 20000)
		b.Run(name, func(b *testing.B) {
			m := newMatcher(Builtin())
			if found := Detect(data[:headSize], Builtin()); found.Format != nil {
				m.first = slices.Index(m.formats.list, found.Format)
			}
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			var at format.Line
			var out format.Result
			for b.Loop() {
				lines := line.NewReader(bytes.NewReader(data), nil, "", line.Options{})
				for l, ok := lines.Next(); ok; l, ok = lines.Next() {
					at.Set(l.Text)
					if _, r, values := m.match(&at); r != nil && r.Span != nil {
						r.Span.Evaluate(values, &out)
					}
				}
			}
		})
	}
}

func benchRead(b *testing.B, data []byte) {
	Builtin() // is compiled once, and not counted
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		d := NewDecoder(table.NewSet(), &table.Account{}, "log", Options{Year: 2026, Size: int64(len(data))})
		if err := d.Read(bytes.NewReader(data), Start{Line: 1}); err != nil {
			b.Fatal(err)
		}
	}
}

// benchLog repeats a line with times that go on and ids of their own.
func benchLog(name string, lines int) []byte {
	text := benchLines[name]
	var out bytes.Buffer
	if name == "vllm-unmatched" {
		out.WriteString(benchLines["vllm-stats"] + "\n") // tells the format
	}
	for i := range lines {
		l := strings.Replace(text, "12:00:0", fmt.Sprintf("12:%02d:0", i/1000%60), -1)
		l = strings.Replace(l, "cc21d9b0", fmt.Sprintf("%08x", i), 1)
		l = strings.Replace(l, "7d1c0a5e", fmt.Sprintf("%08x", i), 1)
		out.WriteString(l + "\n")
	}
	return out.Bytes()
}
