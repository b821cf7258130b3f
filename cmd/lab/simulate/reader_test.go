package simulate

import (
	"bytes"
	"encoding/hex"
	"math"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace"
	"pgregory.net/rapid"
)

// request of spans: what a reader has. trace collects one request's spans by
// name, as they come out of the files.
type trace map[string]ptrace.Span

// readSpans writes every service out as OTLP JSON, reads it back and groups the
// spans by trace id.
func readSpans(t *rapid.T, c *Capture) map[string]trace {
	byTrace := make(map[string]trace)
	for _, sv := range c.Services {
		var b bytes.Buffer
		if err := sv.WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(b.Bytes()) {
			traces, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(line)
			if err != nil {
				t.Fatal(err)
			}
			eachSpan(traces, func(_ ptrace.ResourceSpans, sp ptrace.Span) {
				id := sp.TraceID()
				key := hex.EncodeToString(id[:])
				if byTrace[key] == nil {
					byTrace[key] = make(trace)
				}
				name := sp.Name()
				if sp.ParentSpanID().IsEmpty() {
					name = "client"
				}
				byTrace[key][name] = sp
			})
		}
	}
	return byTrace
}

func eachSpan(traces ptrace.Traces, do func(ptrace.ResourceSpans, ptrace.Span)) {
	for _, rs := range traces.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, sp := range ss.Spans().All() {
				do(rs, sp)
			}
		}
	}
}

func start(sp ptrace.Span) int64 { return int64(sp.StartTimestamp()) }
func end(sp ptrace.Span) int64   { return int64(sp.EndTimestamp()) }

// seconds is a float attribute of seconds, in ns.
func seconds(t *rapid.T, sp ptrace.Span, key string) int64 {
	v, ok := sp.Attributes().Get(key)
	if !ok {
		t.Fatalf("span %q has no %s", sp.Name(), key)
	}
	return int64(math.Round(v.Double() * 1e9))
}

func eventAt(sp ptrace.Span, name string) int64 {
	for _, e := range sp.Events().All() {
		if e.Name() == name {
			return int64(e.Timestamp())
		}
	}
	return 0
}

// reading is a reader's account of a request: boundaries in order, each with the
// stage that ends there; from is its beginning and shown the first token's instant.
type reading struct {
	from  int64
	until []int64
	stage []int
	shown int64
}

func (r *reading) to(at int64, stage int) {
	r.until, r.stage = append(r.until, at), append(r.stage, stage)
}

// sums adds up the stages up to instant limit. Boundaries that are out of order
// are moved to the latest before them.
func (r *reading) sums(limit int64) (out StageNS) {
	at := r.from
	for i, until := range r.until {
		until = min(max(until, at), limit)
		out[r.stage[i]] += until - at
		at = until
	}
	return out
}

// read is a perfect reader: it knows each server's conventions and sees nothing
// but spans.
func read(t *rapid.T, tr trace, server Server) *reading {
	client, ingress, egress := tr["client"], tr["ingress"], tr["router llm egress"]
	r := &reading{from: start(client)}
	r.to(start(ingress), StageNetwork)
	r.to(start(egress), StageGateway)
	switch server {
	case VLLM, VLLMV0:
		readVLLM(t, r, tr["llm_request"], server)
	case SGLang:
		readSGLang(t, r, tr)
	case Triton:
		readTriton(r, tr)
	case TGI:
		readTGI(t, r, tr)
	}
	r.to(end(egress), StageNetwork)
	r.to(end(ingress), StageGateway)
	r.to(end(client), StageNetwork)
	return r
}

func readVLLM(t *rapid.T, r *reading, sp ptrace.Span, server Server) {
	r.to(start(sp), StageNetwork)
	first := start(sp) + seconds(t, sp, "gen_ai.latency.time_to_first_token")
	queue := seconds(t, sp, "gen_ai.latency.time_in_queue")
	r.shown = first
	if server == VLLMV0 {
		r.to(start(sp)+queue, StageQueue)
		r.to(first, StageGPU)
		r.to(start(sp)+seconds(t, sp, "gen_ai.latency.e2e"), StageGPU)
	} else {
		scheduled := first - seconds(t, sp, "gen_ai.latency.time_in_model_prefill")
		r.to(scheduled-queue, StageScheduling)
		r.to(scheduled, StageQueue)
		r.to(first, StageGPU)
		r.to(min(first+seconds(t, sp, "gen_ai.latency.time_in_model_decode"), end(sp)), StageGPU)
	}
	r.to(end(sp), StageScheduling)
}

func readSGLang(t *rapid.T, r *reading, tr trace) {
	var root ptrace.Span
	found := false
	for name, sp := range tr {
		if len(name) > 5 && name[:5] == " Req " {
			root, found = sp, true
		}
	}
	if !found {
		t.Fatal("no root span with a leading space")
	}
	waiting, prefill := tr["prefill_waiting"], tr["prefill_forward"]
	r.to(start(root), StageNetwork)
	r.to(start(waiting), StageScheduling)
	r.to(end(waiting), StageQueue)
	r.to(end(prefill), StageGPU)
	r.shown = end(prefill)
	if decode, ok := tr["decode_forward"]; ok {
		r.to(start(decode), StageScheduling)
		r.to(end(decode), StageGPU)
	}
	r.to(end(root), StageScheduling)
}

func readTriton(r *reading, tr trace) {
	root, model, compute := tr["InferRequest"], tr["llm"], tr["compute"]
	sendBegin, sendEnd := eventAt(root, "HTTP_SEND_START"), eventAt(root, "HTTP_SEND_END")
	if got := eventAt(root, "GRPC_WAITREAD_END"); got > 0 {
		r.to(got, StageNetwork)
		sendBegin, sendEnd = eventAt(root, "GRPC_SEND_START"), eventAt(root, "GRPC_SEND_END")
	} else {
		r.to(eventAt(root, "HTTP_RECV_START"), StageNetwork)
		r.to(eventAt(root, "HTTP_RECV_END"), StageNetwork)
	}
	r.to(eventAt(model, "QUEUE_START"), StageScheduling)
	r.to(eventAt(compute, "COMPUTE_START"), StageQueue)
	r.to(eventAt(compute, "COMPUTE_INPUT_END"), StageTransfer)
	r.to(eventAt(compute, "COMPUTE_OUTPUT_START"), StageGPU)
	r.to(eventAt(compute, "COMPUTE_END"), StageTransfer)
	r.to(sendBegin, StageScheduling)
	r.to(sendEnd, StageTransfer)
	r.to(end(root), StageScheduling)
}

func readTGI(t *rapid.T, r *reading, tr trace) {
	http, handler := tr["POST /v1/chat/completions"], tr["chat_completions"]
	text := func(key string) int64 {
		v, _ := handler.Attributes().Get(key)
		d, err := time.ParseDuration(v.Str())
		if err != nil {
			t.Fatal(err)
		}
		return int64(d)
	}
	r.to(start(http), StageNetwork)
	r.to(start(handler), StageScheduling)
	r.to(start(handler)+text("validation_time"), StageScheduling)
	r.to(start(handler)+text("validation_time")+text("queue_time"), StageQueue)
	r.to(start(handler)+text("total_time"), StageGPU)
	r.to(end(http), StageScheduling)
	if text("total_time") != text("validation_time")+text("queue_time")+text("inference_time") {
		t.Fatal("the three durations do not chain")
	}
}

// TestPerfectReaderFindsTheTruth reads the exported files as a stranger would and
// requires that it is off by no more than the truth admits. What the reader calls
// unattributed may be anything that the bounds allow.
func TestPerfectReaderFindsTheTruth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawRun(t, 60)
		spans := readSpans(t, c)
		for _, x := range c.Truth {
			r := read(t, spans[x.TraceID], c.Header.Server)
			if r.from != x.StartNS || r.until[len(r.until)-1] != x.EndNS {
				t.Fatalf("bounds differ")
			}
			got := r.sums(math.MaxInt64)
			loose := got[StageUnattributed]
			for i, want := range x.StagesNS {
				if diff := abs(got[i] - want); i != StageUnattributed && diff > x.ErrorNS[i] {
					t.Fatalf("%s on %s: reads %d ns, truth %d ns, admitted error %d ns", StageNames[i], c.Header.Server, got[i], want, x.ErrorNS[i])
				}
			}
			if most := max(x.ErrorNS[StageScheduling], x.ErrorNS[StageNetwork]); loose > most {
				t.Fatalf("%d ns without a stage, admitted are %d", loose, most)
			}
			if x.TTFTStagesNS == nil {
				continue
			}
			early := r.sums(r.shown)
			for i, ns := range x.TTFTStagesNS {
				if want := ns - x.TTFTBeyondNS[i]; abs(early[i]-want) > x.TTFTErrorNS[i] {
					t.Fatalf("first token, %s on %s: reads %d ns, truth %d ns, admitted error %d ns",
						StageNames[i], c.Header.Server, early[i], want, x.TTFTErrorNS[i])
				}
			}
		}
	})
}

func abs(x int64) int64 { return max(x, -x) }
