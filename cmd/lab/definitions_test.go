package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailpath/tailpath/analyze/tokens"
	"github.com/tailpath/tailpath/cmd/lab/simulate"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/engine"
	"github.com/tailpath/tailpath/ingest"
	"github.com/tailpath/tailpath/ingest/table"
)

// piece is a chunk of a response as a load generator would see it: when, in ns after the
// request was sent, and how many tokens it brought.
type piece struct{ at, tokens int64 }

// answered is one request as a load generator would see it, from the truth of a run.
type answered struct {
	end    int64 // of the response, ns after the request was sent
	pieces []piece
}

// tokens is how many the answer has.
func (a *answered) tokens() (n float64) {
	for _, p := range a.pieces {
		n += float64(p.tokens)
	}
	return n
}

// opened is when the first piece came, first and last when the first and the last did that
// brought a token, ns after the request was sent.
func (a *answered) opened() float64 { return float64(a.pieces[0].at) }
func (a *answered) first() float64 {
	return float64(a.pieces[slices.IndexFunc(a.pieces, func(p piece) bool { return p.tokens > 0 })].at)
}
func (a *answered) last() float64 { return float64(a.pieces[len(a.pieces)-1].at) }

// frameworkFormulas are the measures of a request by tool, as they compute them: times in
// ns, and rates in tokens a second. From those that divide by n - 1 answers of one token are
// left out, by the tools as well.
var frameworkFormulas = []struct {
	tool, name, id string
	least          float64 // tokens
	of             func(a *answered) float64
}{
	// A bench script stamps every chunk that has choices, and an empty one has.
	{"vLLM bench", "ttft", "ttft_any_chunk", 1, func(a *answered) float64 { return a.opened() }},
	{"vLLM bench", "tpot", "tpot_bench", 2, func(a *answered) float64 {
		latency, ttft := a.last(), a.opened()
		return (latency - ttft) / (a.tokens() - 1)
	}},
	{"vLLM bench", "e2el", "e2e_last_token", 1, func(a *answered) float64 { return a.last() }},
	// SGLang's passes over chunks without text, and its latency goes on to the last line of the
	// response.
	{"SGLang bench", "ttft", "ttft", 1, func(a *answered) float64 { return a.first() }},
	{"SGLang bench", "tpot", "tpot_to_end", 2, func(a *answered) float64 {
		latency, ttft := float64(a.end), a.first()
		return (latency - ttft) / (a.tokens() - 1)
	}},
	{"SGLang bench", "latency", "e2e", 1, func(a *answered) float64 { return float64(a.end) }},
	{"AIPerf", "time_to_first_token", "ttft", 1, func(a *answered) float64 { return a.first() }},
	// Its latency ends with the last response that has content.
	{"AIPerf", "request_latency", "e2e_last_token", 1, func(a *answered) float64 { return a.last() }},
	{"AIPerf", "inter_token_latency", "itl_request_mean", 2, func(a *answered) float64 {
		latency, ttft := a.last(), a.first()
		return (latency - ttft) / (a.tokens() - 1)
	}},
	// For endpoints of OpenAI's form genai-perf drops responses without text at either end
	// before it computes anything.
	{"genai-perf", "time_to_first_token", "ttft", 1, func(a *answered) float64 { return a.first() }},
	{"genai-perf", "request_latency", "e2e_last_token", 1, func(a *answered) float64 { return a.last() }},
	{"genai-perf", "inter_token_latency", "itl_request_mean", 2, func(a *answered) float64 {
		latency, ttft := a.last(), a.first()
		return (latency - ttft) / (a.tokens() - 1)
	}},
	{"GuideLLM", "request_latency", "e2e", 1, func(a *answered) float64 { return float64(a.end) }},
	{"GuideLLM", "time_to_first_token", "ttft", 1, func(a *answered) float64 { return a.first() }},
	{"GuideLLM", "inter_token_latency", "itl_request_mean", 2, func(a *answered) float64 { return (a.last() - a.first()) / (a.tokens() - 1) }},
	{"GuideLLM 0.4", "time_per_output_token", "tpot_llmperf", 1, func(a *answered) float64 { return a.last() / a.tokens() }},
	{"GuideLLM 0.3", "time_per_output_token", "tpot_guidellm", 1, func(a *answered) float64 { return (a.last() - a.first()) / a.tokens() }},
	{"LLMPerf", "ttft_s", "ttft", 1, func(a *answered) float64 { return a.first() }},
	// It sums the time to the first token and all gaps between chunks with text.
	{"LLMPerf", "inter_token_latency_s", "tpot_llmperf", 1, func(a *answered) float64 {
		sum, before := int64(0), int64(0)
		for _, p := range a.pieces {
			if p.tokens > 0 {
				sum, before = sum+p.at-before, p.at
			}
		}
		return float64(sum) / a.tokens()
	}},
	{"LLMPerf", "request_output_throughput_token_per_s", "output_rate", 1, func(a *answered) float64 { return a.tokens() / (float64(a.end) / 1e9) }},
	{"MLPerf", "tpot", "tpot", 2, func(a *answered) float64 { return (a.last() - a.first()) / (a.tokens() - 1) }},
	{"DistServe", "tpot", "tpot_zero", 1, func(a *answered) float64 {
		if a.tokens() == 1 {
			return 0
		}
		return (a.last() - a.first()) / (a.tokens() - 1)
	}},
}

// chunkEvent is what the engine's spans call the chunks of a response, and chunkTokens the
// attribute with the tokens of one.
const chunkEvent, chunkTokens = "llm.chunk", "llm.chunk.tokens"

// answerForm is how the tokens of an answer are packed into chunks.
type answerForm bool

const (
	bundled answerForm = false // the first chunk is empty, and some have two tokens
	single  answerForm = true  // each chunk is one token
)

// seenAnswers tells what a load generator would have seen of every request of a run: a token at
// the end of each step of the engine. Of bundled ones an empty chunk comes half-way through the
// prefill, and every fourth token waits and comes with the next. Every tenth answer ends after
// its first token.
func seenAnswers(c *simulate.Capture, form answerForm) []answered {
	all := make([]answered, len(c.Truth))
	for _, v := range c.Visits {
		a := &all[v.Request]
		send := c.Truth[v.Request].StartNS
		a.end = c.Truth[v.Request].EndNS - send
		a.pieces = []piece{{v.FirstToken - send, 1}}
		if form == bundled {
			a.pieces = slices.Insert(a.pieces, 0, piece{v.Scheduled + (v.FirstToken-v.Scheduled)/2 - send, 0})
		}
		if v.Request%10 == 0 {
			continue
		}
		held := int64(0)
		for i, s := range c.Engines[v.Replica].Log.Steps {
			if s.EndNS <= v.FirstToken || s.EndNS > v.LastToken {
				continue
			}
			if held++; form == single || i%4 > 0 || s.EndNS == v.LastToken {
				a.pieces = append(a.pieces, piece{s.EndNS - send, held})
				held = 0
			}
		}
	}
	return all
}

// engineSpans visits the spans of a run's engine.
func engineSpans(c *simulate.Capture, visit func(ptrace.Span)) {
	for _, service := range c.Services {
		for _, batch := range service.Batches {
			for _, resource := range batch.ResourceSpans().All() {
				for _, scope := range resource.ScopeSpans().All() {
					for _, span := range scope.Spans().All() {
						if span.Name() == "llm_request" {
							visit(span)
						}
					}
				}
			}
		}
	}
}

// onlyChunksTell takes the engine's own time to the first token out of a run. It counts before
// the chunks, and ends when the frontend had the token.
func onlyChunksTell(c *simulate.Capture) {
	engineSpans(c, func(span ptrace.Span) { span.Attributes().Remove("gen_ai.latency.time_to_first_token") })
}

// withChunks writes the chunks into the engine's spans of a run, and how many tokens they have
// in all.
func withChunks(c *simulate.Capture, all []answered) {
	at := map[string]int{}
	for i := range c.Truth {
		at[c.Truth[i].TraceID] = i
	}
	engineSpans(c, func(span ptrace.Span) {
		id := span.TraceID()
		i := at[hex.EncodeToString(id[:])]
		span.Attributes().PutInt("gen_ai.usage.completion_tokens", int64(all[i].tokens()))
		if all[i].tokens() == 1 {
			span.Attributes().PutDouble("gen_ai.latency.time_in_model_decode", 0)
		}
		for _, p := range all[i].pieces {
			event := span.Events().AppendEmpty()
			event.SetName(chunkEvent)
			event.SetTimestamp(pcommon.Timestamp(c.Truth[i].StartNS + p.at))
			event.Attributes().PutInt(chunkTokens, p.tokens)
		}
	})
}

// readRun reads a run back from its files, with what the engines did.
func readRun(t *testing.T, c *simulate.Capture) (*table.Set, *engine.Timelines) {
	t.Helper()
	dir := t.TempDir()
	for _, service := range c.Services {
		var file bytes.Buffer
		if err := service.WriteJSON(&file); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, service.Name+".jsonl"), file.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	set, account, _, err := ingest.Read(context.Background(), []string{dir}, ingest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b := critical.NewBuilder(set, account, critical.Options{})
	if err := b.Build(context.Background()); err != nil {
		t.Fatal(err)
	}
	return set, b.Engines()
}

// chunksOf returns the chunks of every request of the requests table, whose events say how many
// tokens each has.
func chunksOf(t *testing.T, set *table.Set) []*tokens.Stream {
	t.Helper()
	chunks := map[table.TraceID][]tokens.Chunk{}
	name, _ := set.Symbols.Lookup(chunkEvent)
	key, _ := set.Symbols.Lookup(chunkTokens)
	for i, row := range set.SpanEvents.SpanRow {
		if set.SpanEvents.Name[i] != name {
			continue
		}
		n, ok := set.SpanEvents.Attributes.Get(i, key)
		if !ok {
			t.Fatalf("event %d has no number of tokens", i)
		}
		id := set.Spans.TraceID[row]
		chunks[id] = append(chunks[id], tokens.Chunk{AtNS: set.SpanEvents.Time[i], Tokens: int64(n.Bits)})
	}
	streams := make([]*tokens.Stream, set.Requests.Len())
	for i := range streams {
		streams[i] = tokens.NewStream(set.Requests.Start[i], set.Requests.End[i], chunks[set.Requests.TraceID[i]])
	}
	return streams
}

// TestFrameworkDefinitions computes what load generators print from the times of a
// simulated run, each by its own formula, and holds it against the named measures of the
// same requests when they are read back from traces.
func TestFrameworkDefinitions(t *testing.T) {
	if raceEnabled {
		t.Skip("one goroutine at work")
	}
	sc, err := simulate.Lookup("queue-buildup")
	if err != nil {
		t.Fatal(err)
	}
	c, err := simulate.Run(sc, 1, simulate.Options{Server: simulate.VLLM, Requests: 200})
	if err != nil {
		t.Fatal(err)
	}
	all := seenAnswers(c, bundled)
	withChunks(c, all)
	set, engines := readRun(t, c)
	streams := chunksOf(t, set)
	if len(streams) != len(all) {
		t.Fatalf("%d requests are read of %d", len(streams), len(all))
	}
	row := map[string]int{}
	for i, id := range set.Requests.TraceID {
		row[hex.EncodeToString(id[:])] = i
	}

	var compared, left, several int
	var gaps, anyGaps, read, readAny []int64 // of all requests
	var pool tokens.Pool
	var decode, between, perToken, requests float64
	for i := range all {
		a, s := &all[i], streams[row[c.Truth[i].TraceID]]
		for _, f := range frameworkFormulas {
			d, ok := tokens.Define(f.id)
			if !ok {
				t.Fatalf("there is no measure %s", f.id)
			}
			got := d.Of(s.Times())
			if a.tokens() < f.least {
				if got.Undefined != tokens.OneToken {
					t.Errorf("%s of an answer of one token is %+v", f.id, got)
				}
				left++
				continue
			}
			if want := f.of(a); !got.Defined() || math.Abs(got.V-want) > 1e-12*want {
				t.Errorf("request %d: %s has %s at %g, and %s is %+v", i, f.tool, f.name, want, f.id, got)
			}
			compared++
		}
		for k, p := range a.pieces[1:] {
			anyGaps = append(anyGaps, p.at-a.pieces[k].at) // what vLLM's bench calls ITL, by chunk
			if k > 0 {
				gaps = append(gaps, p.at-a.pieces[k].at)
			}
			if p.tokens > 1 {
				several++
			}
		}
		read, readAny = append(read, s.ChunkGaps()...), append(readAny, s.AnyChunkGaps()...)
		pool.Add(s)
		if n := a.tokens(); n > 1 {
			decode, between = decode+a.last()-a.first(), between+n-1
			perToken, requests = perToken+(a.last()-a.first())/(n-1), requests+1
		}
	}
	if compared < 3000 || left < 100 || several < 1000 {
		t.Errorf("%d values are compared, %d answers left out, %d chunks have several tokens: the run shows too little", compared, left, several)
	}
	if !slices.Equal(sorted(gaps), sorted(read)) || !slices.Equal(sorted(anyGaps), sorted(readAny)) {
		t.Error("gaps between chunks are not those of the run")
	}
	// GuideLLM's mean ITL weighs a request by its gaps, and vLLM's mean TPOT each request alike.
	if got, want := pool.ITLMeanNS(), decode/between; math.Abs(got-want) > 1e-12*want || pool.Gaps() != int64(between) {
		t.Errorf("mean gap of %d is %g ns, want %g of %g", pool.Gaps(), got, want, between)
	}
	if got, n := pool.TPOTMeanNS(); math.Abs(got-perToken/requests) > 1e-12*got || n != int64(requests) {
		t.Errorf("mean tpot of %d requests is %g ns, want %g of %g", n, got, perToken/requests, requests)
	}

	// What objectives of itl are asked of: the gaps that the engine's streams have.
	var streamed, long []int64
	engines.Streams(func(s *engine.Stream) {
		for _, g := range s.Gaps {
			streamed = append(streamed, g.End-g.Start)
		}
	})
	for i := range all {
		if p := all[i].pieces[1:]; len(p) > 5 { // that have five gaps
			for k := range p[1:] {
				long = append(long, p[k+1].at-p[k].at)
			}
		}
	}
	if !slices.Equal(sorted(streamed), sorted(long)) {
		t.Errorf("the engine's streams have %d gaps, the run has %d in answers of six chunks or more, or they differ", len(streamed), len(long))
	}
}

func sorted(values []int64) []int64 { return slices.Sorted(slices.Values(values)) }
