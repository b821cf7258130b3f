package table

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/memory"
)

// benchSet makes n spans in traces of ten, with twelve attributes each as model
// servers record them: words from small vocabularies, unique ids, counts, seconds.
func benchSet(n int) *Set {
	rnd := rand.New(rand.NewPCG(1, 2))
	s := NewSet()
	for h := range 8 {
		i := s.Scopes.Grow()
		s.Scopes.Service[i] = s.Symbols.Intern("vllm")
		s.Scopes.Host[i] = s.Symbols.Intern(fmt.Sprintf("gpu-node-%d", h))
	}
	key := func(name string) Sym { return s.Symbols.Intern(name) }
	text := func(sym Sym, words ...string) {
		s.Spans.Attributes.Add(sym, StringValue(words[rnd.IntN(len(words))]))
	}
	keys := make([]Sym, 12)
	for k, name := range []string{"gen_ai.system", "gen_ai.request.model", "gen_ai.operation.name", "http.route", "http.request.method",
		"gen_ai.request.id", "user.session", "gen_ai.usage.prompt_tokens", "gen_ai.usage.completion_tokens", "http.response.status_code",
		"gen_ai.latency.time_to_first_token", "gen_ai.request.streaming"} {
		keys[k] = key(name)
	}
	source := key("traces.json")
	var trace TraceID
	at := int64(1764428645_000000000)
	for i := range n {
		if i%10 == 0 {
			binary.BigEndian.PutUint64(trace[:8], rnd.Uint64())
			binary.BigEndian.PutUint64(trace[8:], rnd.Uint64())
			at += int64(rnd.IntN(20_000_000))
		}
		r := s.Spans.Grow()
		sp := &s.Spans
		sp.TraceID[r] = trace
		binary.BigEndian.PutUint64(sp.SpanID[r][:], rnd.Uint64())
		if i%10 != 0 {
			sp.ParentID[r] = sp.SpanID[r-1]
		}
		sp.Name[r] = key([]string{"llm_request", "HTTP POST", "POST /v1/chat/completions", "route", "prefill", "decode"}[rnd.IntN(6)])
		sp.Kind[r] = uint8(rnd.IntN(4))
		sp.Start[r] = at + int64(rnd.IntN(1_000_000))
		sp.End[r] = sp.Start[r] + int64(rnd.ExpFloat64()*5e8)
		sp.ScopeRow[r] = int32(rnd.IntN(8))
		sp.Model[r] = key([]string{"llama-3-70b", "qwen3-32b"}[rnd.IntN(2)])
		if i%10 == 0 {
			sp.RequestID[r] = fmt.Sprintf("cmpl-%016x", rnd.Uint64())
			sp.HTTPStatus[r], sp.PromptTokens[r], sp.OutputTokens[r] = 200, int64(rnd.IntN(8000)), int64(rnd.IntN(900))
			sp.TTFT[r], sp.E2E[r] = int64(rnd.ExpFloat64()*2e8), sp.End[r]-sp.Start[r]
		}
		text(keys[0], "vllm")
		text(keys[1], "llama-3-70b", "qwen3-32b")
		text(keys[2], "chat", "completion", "embeddings")
		text(keys[3], "/v1/chat/completions", "/v1/completions")
		text(keys[4], "POST")
		text(keys[5], fmt.Sprintf("cmpl-%016x", rnd.Uint64()))
		text(keys[6], fmt.Sprintf("session-%d", rnd.IntN(5000)))
		sp.Attributes.Add(keys[7], IntValue(int64(rnd.IntN(8000))))
		sp.Attributes.Add(keys[8], IntValue(int64(rnd.IntN(900))))
		sp.Attributes.Add(keys[9], IntValue(200))
		sp.Attributes.Add(keys[10], DoubleValue(rnd.ExpFloat64()))
		sp.Attributes.Add(keys[11], BoolValue(rnd.IntN(2) == 1))
		sp.Source[r], sp.Line[r], sp.Offset[r] = source, int64(i/500+1), int64(i/500)*600_000
	}
	return s
}

const benchRows = 200_000

func rate(b *testing.B, rows int) {
	b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrows/s")
}

func BenchmarkCanonicalize(b *testing.B) {
	for range b.N {
		b.StopTimer()
		s := benchSet(benchRows)
		b.StartTimer()
		s.Canonicalize()
	}
	rate(b, benchRows)
}

func BenchmarkAppend(b *testing.B) {
	s := benchSet(benchRows)
	for b.Loop() {
		NewSet().Append(s)
	}
	rate(b, benchRows)
}

func BenchmarkArrowBuild(b *testing.B) {
	s := benchSet(benchRows)
	mem := memory.NewGoAllocator()
	schema := arrowSchema(&SpansSchema, true)
	for b.Loop() {
		bu := builder{mem: mem, symbols: s.Symbols}
		dicts, err := bu.dictionaries(&s.Spans.Rows, 0, s.Spans.Len())
		if err != nil {
			b.Fatal(err)
		}
		for lo := 0; lo < s.Spans.Len(); {
			hi := s.Spans.batchEnd(lo, ipcRows, textBatch)
			rec, err := bu.record(schema, &s.Spans.Rows, dicts, lo, hi)
			if err != nil {
				b.Fatal(err)
			}
			rec.Release()
			lo = hi
		}
	}
	rate(b, benchRows)
}

func BenchmarkWriteIPC(b *testing.B) {
	s := benchSet(benchRows)
	s.Canonicalize()
	var file countingWriter
	for b.Loop() {
		file = countingWriter{to: io.Discard}
		if err := WriteIPC(&file, s, &s.Spans.Rows); err != nil {
			b.Fatal(err)
		}
	}
	rate(b, benchRows)
	b.ReportMetric(float64(file.n)/benchRows, "B/row")
}

func BenchmarkReadIPC(b *testing.B) {
	s := benchSet(benchRows)
	s.Canonicalize()
	var file bytes.Buffer
	if err := WriteIPC(&file, s, &s.Spans.Rows); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		into := NewSet()
		if err := ReadIPC(bytes.NewReader(file.Bytes()), int64(file.Len()), "x", into, &into.Spans.Rows); err != nil {
			b.Fatal(err)
		}
	}
	rate(b, benchRows)
}

func BenchmarkWriteParquet(b *testing.B) {
	s := benchSet(benchRows)
	s.Canonicalize()
	var file countingWriter
	for b.Loop() {
		file = countingWriter{to: io.Discard}
		if err := WriteParquet(&file, s, &s.Spans.Rows); err != nil {
			b.Fatal(err)
		}
	}
	rate(b, benchRows)
	b.ReportMetric(float64(file.n)/benchRows, "B/row")
}

func BenchmarkReadParquet(b *testing.B) {
	s := benchSet(benchRows)
	s.Canonicalize()
	var file bytes.Buffer
	if err := WriteParquet(&file, s, &s.Spans.Rows); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		into := NewSet()
		if err := ReadParquet(bytes.NewReader(file.Bytes()), int64(file.Len()), "x", into, &into.Spans.Rows); err != nil {
			b.Fatal(err)
		}
	}
	rate(b, benchRows)
}
