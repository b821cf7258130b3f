package tracefile

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/tailpath/tailpath/ingest/table"
)

const benchSpans = 20000

// benchJaeger makes an answer of the query API with traces of four spans, as an inference
// server behind a gateway would send them.
func benchJaeger() []byte {
	var b bytes.Buffer
	b.WriteString(`{"data":[`)
	for i := range benchSpans {
		id, trace := uint64(i+1), uint64(i/4+1)*0x9e3779b97f4a7c15
		if i%4 == 0 {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, `{"traceID":"%016x%016x","spans":[`, trace, trace)
		} else {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"traceID":"%016x%016x","spanID":"%016x","flags":1,"operationName":%q,"references":[{"refType":"CHILD_OF","traceID":"%016x%016x","spanID":"%016x"}],`+
			`"startTime":%d,"duration":%d,"tags":[{"key":"span.kind","type":"string","value":"server"},{"key":"gen_ai.operation.name","type":"string","value":"chat"},`+
			`{"key":"gen_ai.request.model","type":"string","value":"meta-llama/Llama-3.1-70B-Instruct"},{"key":"gen_ai.request.id","type":"string","value":"chatcmpl-%016x"},`+
			`{"key":"gen_ai.usage.prompt_tokens","type":"int64","value":%d},{"key":"gen_ai.usage.completion_tokens","type":"int64","value":%d},`+
			`{"key":"gen_ai.latency.time_to_first_token","type":"float64","value":%g},{"key":"gen_ai.latency.e2e","type":"float64","value":%g},`+
			`{"key":"http.response.status_code","type":"int64","value":200},{"key":"http.route","type":"string","value":"/v1/chat/completions"},`+
			`{"key":"otel.scope.name","type":"string","value":"vllm"},{"key":"stream","type":"bool","value":true}],"logs":[],"processID":"p%d","warnings":null}`,
			trace, trace, id, []string{"llm_request", "POST", "router egress", "prefill"}[i%4], trace, trace, id/2,
			1787227200000000+i, i%9000*1000, id, i%4096, i%512, float64(i%900)/1000, float64(i%9000)/1000, i%2+1)
		if i%4 == 3 {
			b.WriteString(`],"processes":{"p1":{"serviceName":"vllm","tags":[{"key":"host.name","type":"string","value":"node-7"}]},"p2":{"serviceName":"router","tags":[{"key":"host.name","type":"string","value":"node-8"}]}},"warnings":null}`)
		}
	}
	b.WriteString(`],"total":0,"limit":0,"offset":0,"errors":null}`)
	return b.Bytes()
}

func benchmark(b *testing.B, data []byte, f Format) {
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		set := table.NewSet()
		d := NewDecoder(set, &table.Account{}, "input")
		if err := d.Read(bytes.NewReader(data), f); err != nil {
			b.Fatal(err)
		}
		if set.Spans.Len() != benchSpans {
			b.Fatalf("read %d spans", set.Spans.Len())
		}
	}
	b.ReportMetric(float64(b.N)*benchSpans/b.Elapsed().Seconds(), "spans/s")
}

func BenchmarkJaeger(b *testing.B) { benchmark(b, benchJaeger(), JaegerJSON) }

// BenchmarkJaegerIndented reads the same spans as the UI saves them.
func BenchmarkJaegerIndented(b *testing.B) {
	benchmark(b, indented(b, benchJaeger()), JaegerJSON)
}
