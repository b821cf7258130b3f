package tracefile

import (
	"bytes"
	"fmt"
	"testing"
)

// benchZipkin makes an answer of the query API with spans as an inference server behind
// a gateway would report them.
func benchZipkin() []byte {
	var b bytes.Buffer
	b.WriteByte('[')
	for i := range benchSpans {
		id, trace := uint64(i+1), uint64(i/4+1)*0x9e3779b97f4a7c15
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"traceId":"%016x%016x","parentId":"%016x","id":"%016x","kind":"SERVER","name":%q,"timestamp":%d,"duration":%d,`+
			`"localEndpoint":{"serviceName":"vllm","ipv4":"10.0.12.%d"},"remoteEndpoint":{"ipv4":"10.0.3.7","port":50412},"annotations":[{"timestamp":%d,"value":"first token"}],`+
			`"tags":{"gen_ai.operation.name":"chat","gen_ai.request.model":"meta-llama/Llama-3.1-70B-Instruct","gen_ai.request.id":"chatcmpl-%016x","gen_ai.usage.prompt_tokens":"%d",`+
			`"gen_ai.usage.completion_tokens":"%d","gen_ai.latency.time_to_first_token":"%g","http.status_code":"200","http.path":"/v1/chat/completions"}}`,
			trace, trace, id/2, id, []string{"llm_request", "post", "router egress", "prefill"}[i%4], 1787227200000000+i, i%9000*1000, i%8,
			1787227200000900+i, id, i%4096, i%512, float64(i%900)/1000)
	}
	b.WriteByte(']')
	return b.Bytes()
}

func BenchmarkZipkin(b *testing.B) { benchmark(b, benchZipkin(), ZipkinJSON) }

// BenchmarkZipkinIndented reads the same spans as tools that fold the JSON save them.
func BenchmarkZipkinIndented(b *testing.B) {
	benchmark(b, indented(b, benchZipkin()), ZipkinJSON)
}
