package simulate

import (
	"bytes"
	"encoding/hex"
	"math"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"pgregory.net/rapid"
)

// TestSpansAreNestedAndUnique checks every exported span against its parent.
// Children lie within their parents, up to the rounding of float seconds and
// Triton's receive events, which no span covers; unless clocks differ, the gateway's
// span ends with the headers, or the caller did not wait for the end.
func TestSpansAreNestedAndUnique(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawRun(t, 80)
		spans := make(map[pcommon.SpanID]ptrace.Span)
		requests, given := make(map[string]bool), make(map[string]bool)
		for _, x := range c.Truth {
			requests[x.TraceID] = true
		}
		for _, v := range c.Visits {
			given[hex.EncodeToString(v.TraceID[:])] = given[hex.EncodeToString(v.TraceID[:])] || v.Aborted || v.Status != 200
		}
		for _, sv := range c.Services {
			for _, batch := range sv.Batches {
				eachSpan(batch, func(_ ptrace.ResourceSpans, sp ptrace.Span) {
					if _, ok := spans[sp.SpanID()]; ok || sp.SpanID().IsEmpty() || sp.TraceID().IsEmpty() {
						t.Fatalf("span id %s is empty or used twice", sp.SpanID())
					}
					spans[sp.SpanID()] = sp
				})
			}
		}
		sc, _ := Lookup(c.Header.Scenario)
		for _, sp := range spans {
			if sp.EndTimestamp() < sp.StartTimestamp() {
				t.Fatalf("span %q ends before it begins", sp.Name())
			}
			id := sp.TraceID()
			trace := hex.EncodeToString(id[:])
			if !requests[trace] {
				if sp.Kind() != ptrace.SpanKindInternal || c.Header.Scenario != "cold-start" {
					t.Fatalf("span %q belongs to no request", sp.Name())
				}
				continue
			}
			if sp.ParentSpanID().IsEmpty() {
				if (sp.Kind() == ptrace.SpanKindInternal) != sc.Client.repeats() {
					t.Fatalf("root %q of kind %s", sp.Name(), sp.Kind())
				}
				continue
			}
			parent, ok := spans[sp.ParentSpanID()]
			if !ok || parent.TraceID() != sp.TraceID() {
				t.Fatalf("span %q has no parent in its trace", sp.Name())
			}
			early := given[trace] || sc.Gateway.EndAtHeaders && strings.HasPrefix(sp.Name(), "router")
			if c.Header.Clocks == nil && (start(sp) < start(parent)-wallStampNS || !early && end(sp) > end(parent)+wallStampNS) {
				t.Fatalf("%s: %q [%d, %d] is outside its parent %q [%d, %d]", c.Header.Server, sp.Name(), start(sp), end(sp), parent.Name(), start(parent), end(parent))
			}
		}
	})
}

// TestBatchesAreExportsOfOneProcess checks the shape of the files: one resource a
// line, no more spans than a batch processor sends, in order of end, and later
// lines of a process after earlier ones.
func TestBatchesAreExportsOfOneProcess(t *testing.T) {
	mixed := false
	for _, server := range Servers() {
		sc, err := Lookup("queue-buildup")
		if err != nil {
			t.Fatal(err)
		}
		c := mustRun(t, sc, 3, Options{Server: server})
		for _, sv := range c.Services {
			ended := make(map[string]pcommon.Timestamp)
			for _, batch := range sv.Batches {
				if batch.ResourceSpans().Len() != 1 || batch.SpanCount() == 0 || batch.SpanCount() > exportSpans {
					t.Fatalf("%s: a batch of %d resources and %d spans", sv.Name, batch.ResourceSpans().Len(), batch.SpanCount())
				}
				attrs := batch.ResourceSpans().At(0).Resource().Attributes()
				name, _ := attrs.Get("service.name")
				id, _ := attrs.Get("service.instance.id")
				host, _ := attrs.Get("host.name")
				if name.Str() != sv.Name || id.Str() == "" || host.Str() == "" {
					t.Fatalf("%s: resource %v", sv.Name, attrs.AsRaw())
				}
				traces := make(map[pcommon.TraceID]bool)
				latest := make(map[string]pcommon.Timestamp)
				var ends []pcommon.Timestamp
				for _, ss := range batch.ResourceSpans().At(0).ScopeSpans().All() {
					for _, sp := range ss.Spans().All() {
						traces[sp.TraceID()] = true
						if sp.EndTimestamp() < latest[ss.Scope().Name()] {
							t.Fatalf("%s: a batch is not in order of end", sv.Name)
						}
						latest[ss.Scope().Name()] = sp.EndTimestamp()
						ends = append(ends, sp.EndTimestamp())
					}
				}
				mixed = mixed || len(traces) > 1
				sort.Slice(ends, func(i, j int) bool { return ends[i] < ends[j] })
				if ends[0] < ended[id.Str()] {
					t.Fatalf("%s: a batch goes back in time", sv.Name)
				}
				ended[id.Str()] = ends[len(ends)-1]
			}
		}
	}
	if !mixed {
		t.Error("no batch holds spans of several traces")
	}
}

// TestVLLMAttributes checks names, types and the relations between the latencies.
func TestVLLMAttributes(t *testing.T) {
	want := map[string]pcommon.ValueType{
		"gen_ai.latency.time_to_first_token":     pcommon.ValueTypeDouble,
		"gen_ai.latency.e2e":                     pcommon.ValueTypeDouble,
		"gen_ai.latency.time_in_queue":           pcommon.ValueTypeDouble,
		"gen_ai.latency.time_in_model_prefill":   pcommon.ValueTypeDouble,
		"gen_ai.latency.time_in_model_decode":    pcommon.ValueTypeDouble,
		"gen_ai.latency.time_in_model_inference": pcommon.ValueTypeDouble,
		"gen_ai.usage.prompt_tokens":             pcommon.ValueTypeInt,
		"gen_ai.usage.completion_tokens":         pcommon.ValueTypeInt,
		"gen_ai.request.id":                      pcommon.ValueTypeStr,
		"gen_ai.request.top_p":                   pcommon.ValueTypeDouble,
		"gen_ai.request.max_tokens":              pcommon.ValueTypeInt,
		"gen_ai.request.n":                       pcommon.ValueTypeInt,
	}
	for _, sc := range Scenarios() {
		if sc.Clocks != nil { // spans and durations on clocks that disagree; tested apart
			continue
		}
		warm, greedy, loading := 0, 0, 0
		for _, batch := range mustRun(t, sc, 2, Options{Requests: 300}).Services[2].Batches {
			eachSpan(batch, func(rs ptrace.ResourceSpans, sp ptrace.Span) {
				module, _ := rs.Resource().Attributes().Get("vllm.instrumenting_module_name")
				if pid, _ := rs.Resource().Attributes().Get("vllm.process_id"); pid.Type() != pcommon.ValueTypeStr {
					t.Fatalf("vllm.process_id is %v", pid.Type())
				}
				if module.Str() == "vllm.worker" {
					loading++
					return
				}
				got := make(map[string]pcommon.ValueType)
				for key, v := range sp.Attributes().All() {
					got[key] = v.Type()
				}
				if temperature, ok := sp.Attributes().Get("gen_ai.request.temperature"); ok {
					warm++
					delete(got, "gen_ai.request.temperature")
					if temperature.Double() <= 0 {
						t.Fatal("a greedy request has a temperature")
					}
				} else {
					greedy++
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatal(diff)
				}
				x := func(key string) float64 {
					v, _ := sp.Attributes().Get("gen_ai.latency." + key)
					return v.Double()
				}
				queue, prefill, decode := x("time_in_queue"), x("time_in_model_prefill"), x("time_in_model_decode")
				if queue < 0 || prefill <= 0 || decode < 0 || queue+prefill+decode > x("e2e") || queue+prefill > x("time_to_first_token") {
					t.Fatalf("latencies do not fit: %v", sp.Attributes().AsRaw())
				}
				if math.Abs(prefill+decode-x("time_in_model_inference")) > 1e-9 {
					t.Fatalf("inference is not prefill and decode: %v", sp.Attributes().AsRaw())
				}
				if own := float64(end(sp)-start(sp)) / 1e9; own < x("e2e") {
					t.Fatalf("the span of %v s is shorter than its e2e of %v s", own, x("e2e"))
				}
				if start(sp)%256 != 0 {
					t.Fatalf("start %d did not go through float seconds", start(sp))
				}
			})
		}
		if warm == 0 || greedy == 0 {
			t.Errorf("%s: %d requests with and %d without temperature", sc.Name, warm, greedy)
		}
		if (loading > 0) != (sc.Cold.LoadNS > 0) {
			t.Errorf("%s: %d spans of loading", sc.Name, loading)
		}
	}
}

// TestServerPeculiarities requires the traps that each server's spans are known
// for; a capture without them would be easier to read than the real thing.
func TestServerPeculiarities(t *testing.T) {
	sc, err := Lookup("queue-buildup")
	if err != nil {
		t.Fatal(err)
	}
	each := func(server Server, do func(ptrace.Span)) {
		for _, batch := range mustRun(t, sc, 1, Options{Server: server}).Services[2].Batches {
			eachSpan(batch, func(_ ptrace.ResourceSpans, sp ptrace.Span) { do(sp) })
		}
	}

	before, idle, grpc := 0, 0, 0
	sharing := make(map[int64]int)
	each(Triton, func(sp ptrace.Span) {
		if at := eventAt(sp, "HTTP_RECV_START"); at > 0 && at < start(sp) {
			before++
		}
		if at := eventAt(sp, "GRPC_WAITREAD_END"); at > 0 {
			grpc++
			if eventAt(sp, "GRPC_WAITREAD_START") < at-10*ms {
				idle++
			}
		}
		if at := eventAt(sp, "COMPUTE_START"); at > 0 {
			sharing[at]++
		}
	})
	if before == 0 || grpc == 0 || idle == 0 || len(sharing) > sc.Requests*3/4 {
		t.Errorf("triton: %d roots after their receive events, %d of %d gRPC waits in idle time, %d batches of %d requests",
			before, idle, grpc, len(sharing), sc.Requests)
	}

	links, leading := 0, 0
	each(SGLang, func(sp ptrace.Span) {
		links += sp.Links().Len()
		if strings.HasPrefix(sp.Name(), " Req ") {
			leading++
		}
		if sp.Kind() != ptrace.SpanKindInternal {
			t.Errorf("sglang: span %q of kind %v", sp.Name(), sp.Kind())
		}
		if _, ok := sp.Attributes().Get("gen_ai.latency.e2e"); ok {
			t.Error("sglang: e2e is set")
		}
	})
	if leading != sc.Requests || links != 6*sc.Requests {
		t.Errorf("sglang: %d roots and %d links for %d requests", leading, links, sc.Requests)
	}

	each(VLLMV0, func(sp ptrace.Span) {
		if _, ok := sp.Attributes().Get("gen_ai.usage.num_sequences"); !ok {
			t.Fatal("vllm-v0: num_sequences is missing")
		}
		if _, ok := sp.Attributes().Get("gen_ai.latency.time_in_model_prefill"); ok {
			t.Fatal("vllm-v0: time_in_model_prefill is set")
		}
	})
}

func TestRustDuration(t *testing.T) {
	for ns, want := range map[int64]string{0: "0ns", 789: "789ns", 1000: "1µs", 812_345: "812.345µs", 604_112_345: "604.112345ms",
		604_100_000: "604.1ms", 3_410_000_000: "3.41s", 3_000_000_001: "3.000000001s", 61_000_000_000: "61s"} {
		if got := rustDuration(ns); got != want {
			t.Errorf("%d ns is %q, want %q", ns, got, want)
		}
	}
}

// TestSameSeedSameBytes covers the whole way to the files' content.
func TestSameSeedSameBytes(t *testing.T) {
	content := func(c *Capture) string {
		var b bytes.Buffer
		for _, sv := range c.Services {
			if err := sv.WriteJSON(&b); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.writeTruth(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for _, sc := range Scenarios() {
		for _, server := range serversOf(sc) {
			opts := Options{Server: server, Requests: 80}
			first := content(mustRun(t, sc, 7, opts))
			if content(mustRun(t, sc, 7, opts)) != first {
				t.Errorf("%s on %s: the same seed gave other bytes", sc.Name, server)
			}
			if content(mustRun(t, sc, 8, opts)) == first {
				t.Errorf("%s on %s: another seed gave the same bytes", sc.Name, server)
			}
		}
	}
}

// TestServersAreComparedOnTheSameRequests pairs captures of two servers.
func TestServersAreComparedOnTheSameRequests(t *testing.T) {
	for _, sc := range Scenarios() {
		base := mustRun(t, sc, 1, Options{Requests: 100}).Truth
		for _, server := range serversOf(sc) {
			for i, x := range mustRun(t, sc, 1, Options{Requests: 100, Server: server}).Truth {
				y := base[i]
				if x.TraceID != y.TraceID || x.StartNS != y.StartNS || x.Region != y.Region || x.Class != y.Class ||
					x.PromptTokens != y.PromptTokens || x.OutputTokens != y.OutputTokens {
					t.Fatalf("%s: request %d differs between %s and %s", sc.Name, i, VLLM, server)
				}
			}
		}
	}
}
