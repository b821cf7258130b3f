package critical

import (
	"bytes"
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/ingest/table"
)

// richSpan is a span with all that the assembly of requests reads.
type richSpan struct {
	testSpan
	host, message, operation          string
	ttft, e2e, queue, prefill, decode int64 // ns
	status                            uint8
	tokens, prompt, http, flags       int64
	marks                             []string // attributes, see markValues
	events                            []string
	times                             []int64 // of events, ns
	links                             []uint64
	follows                           bool // its links say that it only follows
}

// markValues are the attributes that rules and recipes look at.
var markValues = map[string]table.Value{
	"gen_ai.latency.time_in_model_prefill": table.DoubleValue(1),
	"gen_ai.latency.time_in_queue":         table.DoubleValue(1),
	"gen_ai.response.time_to_first_chunk":  table.DoubleValue(20e-9),
	"gen_ai.operation.name":                table.StringValue("chat"),
	"triton.model_name":                    table.StringValue("m"),
	"code.function":                        table.StringValue("load"),
	"rpc.grpc.status_code":                 table.IntValue(1),
	"queue_time":                           table.StringValue("20ns"),
	"inference_time":                       table.StringValue("15ns"),
	"validation_time":                      table.StringValue("2ns"),
}

// engineRoles are names, scopes and services that have rules of their own: what a span of
// an engine or a gateway is called together with the attributes its rule asks for.
var engineRoles = []struct {
	name, scope, service string
	marks, events        []string
}{
	{name: "x", service: "a"}, {name: "x", service: "b"}, {name: "x", service: "b", marks: []string{"rpc.grpc.status_code"}},
	{name: "llm_request", service: "v", marks: []string{"gen_ai.latency.time_in_model_prefill"}},
	{name: "llm_request", service: "v", marks: []string{"gen_ai.latency.time_in_queue"}},
	{name: "load", service: "v", scope: "vllm.tracing.otel", marks: []string{"code.function"}},
	{name: "InferRequest", service: "t", scope: "triton-server", events: []string{"HTTP_RECV_START", "HTTP_RECV_END", "HTTP_SEND_START", "HTTP_SEND_END"}},
	{name: "InferRequest", service: "t", scope: "triton-server", events: []string{"GRPC_WAITREAD_END", "GRPC_SEND_START", "GRPC_SEND_END"}},
	{name: "m", service: "t", scope: "triton-server", marks: []string{"triton.model_name"}, events: []string{"QUEUE_START"}},
	{name: "compute", service: "t", scope: "triton-server", events: []string{"COMPUTE_START", "COMPUTE_INPUT_END", "COMPUTE_OUTPUT_START", "COMPUTE_END"}},
	{name: "Scheduler 0", service: "s", scope: "sglang server"}, {name: "Req", service: "s", scope: "sglang server"},
	{name: "prefill_forward", service: "s", scope: "sglang server"},
	{name: "decode_forward", service: "s", scope: "sglang server", events: []string{"retract", "retract"}},
	{name: "generate", service: "text-generation", marks: []string{"queue_time", "inference_time", "validation_time"}},
	{name: "waiting", service: "text-generation"},
	{name: "egress", service: "envoy", scope: "envoy", events: []string{"last_downstream_rx_byte_received", "first_upstream_tx_byte_sent",
		"first_upstream_rx_byte_received", "last_upstream_rx_byte_received", "last_downstream_tx_byte_sent"}},
	{name: "route", service: "my-ai-gateway", events: []string{"First Token Stream Event"}},
	{name: "chat", service: "a", marks: []string{"gen_ai.operation.name", "gen_ai.response.time_to_first_chunk"}},
	{name: "prefill", service: "v"}, {name: "decode", service: "v"},
}

// engines draws spans of engines, gateways and their callers, mostly nested, with
// times that fit, times that contradict each other, and times that cannot be.
func engines(most int) *rapid.Generator[[]richSpan] {
	return rapid.Custom(func(t *rapid.T) []richSpan {
		n := rapid.IntRange(1, most).Draw(t, "n")
		spans := make([]richSpan, n)
		unit := rapid.SampledFrom([]int64{1, 1, 1_000_000}).Draw(t, "unit")
		odd := rapid.IntRange(0, 3).Draw(t, "odd") == 0 // ids, parents and times that cannot be
		rare := func(label string) bool { return rapid.IntRange(0, 5).Draw(t, label) == 0 }
		for i := range spans {
			s, role := &spans[i], rapid.SampledFrom(engineRoles).Draw(t, "role")
			s.id, s.parent, s.kind = uint64(i+1), uint64(rapid.IntRange(0, i).Draw(t, "parent")), uint8(rapid.IntRange(0, 5).Draw(t, "kind"))
			s.start = 1000 + rapid.Int64Range(0, 100).Draw(t, "start")
			s.end = s.start + rapid.Int64Range(0, 60).Draw(t, "length")
			if odd && rare("odd") {
				s.id, s.parent = uint64(rapid.IntRange(1, n).Draw(t, "id")), uint64(rapid.IntRange(0, n+2).Draw(t, "any parent"))
				s.end = rapid.SampledFrom([]int64{s.end, s.start, 0, s.start - 7, 1 << 40}).Draw(t, "odd end")
			}
			s.start, s.end = s.start*unit, s.end*unit
			s.name, s.scope, s.service = role.name, role.scope, role.service
			s.host = rapid.SampledFrom([]string{"", "h", "g"}).Draw(t, "host")
			s.marks = slices.Clone(role.marks)
			for _, d := range []*int64{&s.ttft, &s.e2e, &s.queue, &s.prefill, &s.decode} {
				*d = rapid.OneOf(rapid.Just(int64(table.Missing)), rapid.Map(rapid.Int64Range(0, 60), func(v int64) int64 { return v * unit }),
					rapid.SampledFrom([]int64{0, -1, math.MaxInt64})).Draw(t, "duration")
			}
			s.tokens = rapid.SampledFrom([]int64{table.Missing, 0, 1, 9}).Draw(t, "tokens")
			s.prompt = rapid.SampledFrom([]int64{table.Missing, 7, 8}).Draw(t, "prompt")
			s.operation = rapid.SampledFrom([]string{"", "", "chat", "embeddings"}).Draw(t, "operation")
			s.flags = rapid.SampledFrom([]int64{0, 0x100, 0x300}).Draw(t, "flags")
			if rare("failed") {
				s.status, s.message = statusError, rapid.SampledFrom([]string{"", "cancelled"}).Draw(t, "message")
				s.http = rapid.SampledFrom([]int64{0, 429, 499, 503}).Draw(t, "http")
			}
			at := s.start
			for _, name := range role.events {
				if !rare("lost event") {
					at += rapid.Int64Range(-2, 20).Draw(t, "event") * unit
					s.events, s.times = append(s.events, name), append(s.times, at)
				}
			}
			s.follows = rapid.Bool().Draw(t, "follows")
			for rare("link") {
				s.links = append(s.links, uint64(rapid.IntRange(0, n).Draw(t, "to")))
			}
		}
		return spans
	})
}

// engineSet returns a canonical set that holds the spans as one trace, later by a time.
func engineSet(spans []richSpan, by int64) *table.Set {
	set := table.NewSet()
	sym, sp := set.Symbols.Intern, &set.Spans
	for _, s := range spans {
		at := away([]testSpan{s.testSpan}, by)
		if s.end == 0 {
			at[0].end = 0 // endless, whatever the date
		}
		addTrace(set, 1, at)
		row := sp.Len() - 1
		set.Scopes.Host[sp.ScopeRow[row]] = sym(s.host)
		sp.TTFT[row], sp.E2E[row], sp.Queue[row], sp.Prefill[row], sp.Decode[row] = s.ttft, s.e2e, s.queue, s.prefill, s.decode
		sp.OutputTokens[row], sp.PromptTokens[row], sp.Flags[row] = s.tokens, s.prompt, s.flags
		sp.Status[row], sp.StatusMessage[row], sp.Operation[row] = s.status, s.message, sym(s.operation)
		sp.HTTPStatus[row] = s.http
		for _, mark := range s.marks {
			sp.Attributes.Add(sym(mark), markValues[mark])
		}
		for k, name := range s.events {
			i := set.SpanEvents.Grow()
			set.SpanEvents.SpanRow[i], set.SpanEvents.Name[i], set.SpanEvents.Time[i] = int32(row), sym(name), s.times[k]+by
		}
		for _, to := range s.links {
			i := set.SpanLinks.Grow()
			set.SpanLinks.SpanRow[i], set.SpanLinks.TraceID[i], set.SpanLinks.SpanID[i] = int32(row), sp.TraceID[row], spanID(to)
			if s.follows {
				set.SpanLinks.Attributes.Add(sym("opentracing.ref_type"), table.StringValue("follows_from"))
			}
		}
	}
	set.Canonicalize()
	return set
}

// TestEngines checks, with all that recipes and links may add, that every request
// is valid, that no span is lost, and that neither order nor date changes anything.
func TestEngines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spans := engines(10).Draw(t, "spans")
		opt := rapid.SampledFrom([]Options{{}, {Strict: true}, {ClockError: 3}, {Jaeger: true}}).Draw(t, "options")
		opt.Workers = 1
		requests, err := buildAll(engineSet(spans, 0), opt)
		if err != nil {
			t.Fatalf("%v: %+v", err, spans)
		}
		seen := map[int32]bool{}
		for i, r := range requests {
			if i > 0 && cmp.Or(cmp.Compare(requests[i-1].Start, r.Start), bytes.Compare(requests[i-1].Spans[0].ID[:], r.Spans[0].ID[:])) > 0 {
				t.Fatalf("requests out of order: %+v", spans)
			}
			for _, s := range r.Spans {
				seen[s.Row] = true
			}
			for _, e := range r.Excluded {
				seen[e.Row] = true
			}
		}
		if len(seen) != len(spans) {
			t.Fatalf("%d spans in, %d accounted for: %+v", len(spans), len(seen), spans)
		}
		want := spell(requests)
		for seed := range uint64(3) {
			shuffled := slices.Clone(spans)
			rand.New(rand.NewPCG(seed, 1)).Shuffle(len(spans), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
			got, _ := buildAll(engineSet(shuffled, 0), opt)
			if spell(got) != want {
				t.Fatalf("order matters: %+v\ngot  %s\nwant %s", spans, spell(got), want)
			}
		}
		moved, err := buildAll(engineSet(spans, 17e17), opt)
		if err != nil || len(moved) != len(requests) {
			t.Fatalf("%v, %d requests of %d when moved: %+v", err, len(moved), len(requests), spans)
		}
		for i, r := range moved {
			if was := requests[i]; r.EndPath.Stages() != was.EndPath.Stages() || r.TokenPath.Stages() != was.TokenPath.Stages() {
				t.Fatalf("date matters: %+v", spans)
			}
		}
	})
}
