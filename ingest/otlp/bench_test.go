package otlp

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailpath/tailpath/ingest/table"
)

// batch makes a message of n spans with 12 attributes each, as an inference server
// behind a gateway would send it.
func batch(n, seed int) ptrace.Traces {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", "vllm")
	rs.Resource().Attributes().PutStr("host.name", "node-7")
	ss := rs.ScopeSpans().AppendEmpty()
	ss.Scope().SetName("vllm.tracing.otel")
	for i := range n {
		s := ss.Spans().AppendEmpty()
		id := uint64(seed)<<32 | uint64(i)
		s.SetTraceID(pcommon.TraceID(idBytes(id / 4)))
		s.SetSpanID(spanIDOf(id))
		s.SetParentSpanID(spanIDOf(id / 2))
		s.SetName([]string{"llm_request", "POST", "router egress", "prefill"}[i%4])
		s.SetKind(ptrace.SpanKind(1 + i%5))
		start := time.Unix(1787227200, int64(i)*1000)
		s.SetStartTimestamp(pcommon.NewTimestampFromTime(start))
		s.SetEndTimestamp(pcommon.NewTimestampFromTime(start.Add(time.Duration(i%9000) * time.Millisecond)))
		a := s.Attributes()
		a.PutStr("gen_ai.operation.name", "chat")
		a.PutStr("gen_ai.request.model", "meta-llama/Llama-3.1-70B-Instruct")
		a.PutStr("gen_ai.request.id", fmt.Sprintf("chatcmpl-%016x", id))
		a.PutInt("gen_ai.usage.prompt_tokens", int64(i%4096))
		a.PutInt("gen_ai.usage.completion_tokens", int64(i%512))
		a.PutDouble("gen_ai.latency.time_to_first_token", float64(i%900)/1000)
		a.PutDouble("gen_ai.latency.e2e", float64(i%9000)/1000)
		a.PutDouble("gen_ai.latency.time_in_queue", float64(i%600)/1000)
		a.PutInt("http.response.status_code", 200)
		a.PutStr("http.route", "/v1/chat/completions")
		a.PutStr("server.address", "10.0.12.7")
		a.PutBool("stream", true)
	}
	return td
}

func idBytes(id uint64) (out [16]byte) {
	for i := range 8 {
		out[15-i] = byte(id >> (8 * i))
		out[i] = byte(id * 0x9e3779b97f4a7c15 >> (8 * i))
	}
	return out
}

func spanIDOf(id uint64) pcommon.SpanID {
	b := idBytes(id)
	return pcommon.SpanID(b[8:])
}

const benchSpans, benchBatch = 20000, 500

func benchmark(b *testing.B, data []byte, form Form) {
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		set := table.NewSet()
		d := NewDecoder(set, &table.Account{}, "input")
		if err := d.Read(bytes.NewReader(data), form, Start{Line: 1}); err != nil {
			b.Fatal(err)
		}
		if set.Spans.Len() != benchSpans {
			b.Fatalf("read %d spans", set.Spans.Len())
		}
	}
	b.ReportMetric(float64(b.N)*benchSpans/b.Elapsed().Seconds(), "spans/s")
}

func BenchmarkJSONLines(b *testing.B) {
	var data []byte
	m := ptrace.JSONMarshaler{}
	for i := range benchSpans / benchBatch {
		doc, err := m.MarshalTraces(batch(benchBatch, i))
		if err != nil {
			b.Fatal(err)
		}
		data = append(append(data, doc...), '\n')
	}
	benchmark(b, data, JSONLines)
}

func BenchmarkProtobufFrames(b *testing.B) {
	var data []byte
	m := ptrace.ProtoMarshaler{}
	for i := range benchSpans / benchBatch {
		msg, err := m.MarshalTraces(batch(benchBatch, i))
		if err != nil {
			b.Fatal(err)
		}
		data = append(data, frameOf(msg)...)
	}
	benchmark(b, data, FramedProtobuf)
}

func frameOf(msg []byte) []byte {
	n := len(msg)
	return append([]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}, msg...)
}
