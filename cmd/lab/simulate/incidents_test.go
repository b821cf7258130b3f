package simulate

import (
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace"
)

// spansOf groups a capture's spans of one service by trace.
func spansOf(c *Capture, service int) map[string][]ptrace.Span {
	out := make(map[string][]ptrace.Span)
	for _, batch := range c.Services[service].Batches {
		eachSpan(batch, func(_ ptrace.ResourceSpans, sp ptrace.Span) {
			id := sp.TraceID()
			key := hex.EncodeToString(id[:])
			out[key] = append(out[key], sp)
		})
	}
	return out
}

// TestQueuesHaveTheirPlantedCause requires that what mostly keeps the requests with
// the longest queue stage is what the scenario is about.
func TestQueuesHaveTheirPlantedCause(t *testing.T) {
	for name, want := range map[string]string{"queue-buildup": "slots", "skewed-clocks": "slots", "wrong-clock": "slots", "aborted": "slots",
		"retry-storm": "retry", "hedging": "retry", "kv-full": "kv_memory", "long-prompt-ahead": "prefill"} {
		sc := lookup(t, name)
		for _, server := range serversOf(sc) {
			truth := mustRun(t, sc, 1, Options{Server: server}).Truth
			slices.SortFunc(truth, func(a, b Truth) int { return int(b.StagesNS[StageQueue] - a.StagesNS[StageQueue]) })
			right := 0
			tail := truth[:len(truth)/20]
			for _, x := range tail {
				if x.QueueCause == want {
					right++
				}
			}
			if right < len(tail)*3/4 {
				t.Errorf("%s on %s: %d of the %d longest waits are for %s", name, server, right, len(tail), want)
			}
		}
	}
}

// TestPausesShow requires that requests which hit a pause of their replica, and were
// not sent elsewhere, were stuck.
func TestPausesShow(t *testing.T) {
	for _, server := range []Server{VLLMV0, Triton, TGI} {
		stuck := 0
		for _, x := range mustRun(t, lookup(t, "hedging"), 1, Options{Server: server}).Truth {
			if x.QueueCause == "stuck" {
				stuck++
				if x.ServerHost != "gpu-a-02" {
					t.Errorf("%s: stuck on %s, which never pauses", server, x.ServerHost)
				}
			}
		}
		if stuck == 0 {
			t.Errorf("%s: nothing was stuck", server)
		}
	}
}

// TestRetriesAreASeries checks the storm: failures at the gateway, one attempt after
// the other, the same request id, and a back-off that is in the truth to the ns.
func TestRetriesAreASeries(t *testing.T) {
	for _, server := range Servers() {
		c := mustRun(t, lookup(t, "retry-storm"), 1, Options{Server: server})
		clients := spansOf(c, 0)
		refused, expired := 0, 0
		for i, v := range c.Visits {
			x := c.Truth[v.Request]
			switch v.Status {
			case 503:
				refused++
				if v.UpstreamStart != 0 || v.Arrival != 0 {
					t.Fatalf("%s: a refused attempt reached the server", server)
				}
			case 504:
				expired++
			}
			if v.Attempt == 0 {
				continue
			}
			before := c.Visits[i-1]
			if before.Status == 200 || before.RequestID != v.RequestID || before.TraceID != v.TraceID || before.CallerSpan == v.CallerSpan ||
				v.GatewayStart < before.GatewayEnd || x.QueueCausesNS.Get("retry") == 0 {
				t.Fatalf("%s: an attempt follows %+v as %+v", server, before, v)
			}
		}
		if refused == 0 || expired == 0 && server != Triton {
			t.Errorf("%s: %d attempts refused, %d expired", server, refused, expired)
		}
		for _, x := range c.Truth {
			tr := &trace{spans: clients[x.TraceID], own: true}
			attempts := tr.under(tr.root(), "")
			if len(attempts) != x.Attempts {
				t.Fatalf("%s: %d spans of %d attempts", server, len(attempts), x.Attempts)
			}
			gaps := int64(0)
			for i := 1; i < len(attempts); i++ {
				gaps += start(attempts[i]) - end(attempts[i-1])
			}
			if got := x.DetailsNS.Get("queue/retry_backoff"); got != gaps {
				t.Fatalf("%s: %d ns of back-off, the attempts lie %d ns apart", server, got, gaps)
			}
		}
	}
}

// TestHedgesRace checks that the answer that came first is kept, that the other
// attempt was cancelled when that came, and that the two had different replicas.
func TestHedgesRace(t *testing.T) {
	for _, server := range Servers() {
		c := mustRun(t, lookup(t, "hedging"), 1, Options{Server: server})
		first, second := 0, 0
		for i, v := range c.Visits {
			if v.Attempt == 0 {
				continue
			}
			x, a, b := c.Truth[v.Request], c.Visits[i-1], v
			if x.Attempts != 2 || a.ServerHost == b.ServerHost || a.AbortedAt > 0 == (b.AbortedAt > 0) {
				t.Fatalf("%s: hedged as %+v and %+v", server, a, b)
			}
			waited := x.DetailsNS.Get("queue/retry_backoff")
			if b.AbortedAt > 0 {
				first++
				if waited != 0 {
					t.Fatalf("%s: the first attempt won, after a wait of %d ns for the second", server, waited)
				}
				continue
			}
			second++
			if waited != 2*s || x.ServerHost != b.ServerHost {
				t.Fatalf("%s: the second attempt won after %d ns on %s", server, waited, x.ServerHost)
			}
		}
		if first+second == 0 || second == 0 {
			t.Errorf("%s: the first attempt won %d times, the second %d times", server, first, second)
		}
	}
}

// TestWhatAbortedRequestsLeaveBehind checks each server's habit.
func TestWhatAbortedRequestsLeaveBehind(t *testing.T) {
	for _, server := range Servers() {
		c := mustRun(t, lookup(t, "aborted"), 1, Options{Server: server})
		spans, hits := spansOf(c, 2), 0
		for _, v := range c.Visits {
			x := c.Truth[v.Request]
			if !v.Aborted || v.Status != 499 {
				continue
			}
			hits++
			left := spans[x.TraceID]
			if !x.Aborted || v.AbortedAt != x.EndNS || v.GatewayEnd <= v.AbortedAt {
				t.Fatalf("%s: aborted as %+v, in truth %+v", server, v, x)
			}
			switch server {
			case VLLM, VLLMV0:
				if len(left) != 0 || x.HiddenNS.Sum() == 0 {
					t.Fatalf("%s: %d spans and %d ns hidden", server, len(left), x.HiddenNS.Sum())
				}
			case SGLang:
				if len(left) < 3 || x.HiddenNS.Sum() != 0 {
					t.Fatalf("sglang: %d spans and %d ns hidden", len(left), x.HiddenNS.Sum())
				}
				for _, sp := range left {
					if strings.HasPrefix(sp.Name(), " Req") && sp.Status().Code() != ptrace.StatusCodeError || end(sp) > v.ServerEnd+wallStampNS {
						t.Fatalf("sglang: %q ends %d ns after the abort", sp.Name(), end(sp)-v.ServerEnd)
					}
				}
			case TGI:
				for _, sp := range left {
					if _, ok := sp.Attributes().Get("inference_time"); ok {
						t.Fatal("tgi: a request that was given up has durations")
					}
				}
			case Triton:
				if len(left) != 3 || v.ServerEnd < v.GatewayEnd {
					t.Fatalf("triton: %d spans, the last ends %d ns before the gateway's", len(left), v.GatewayEnd-v.ServerEnd)
				}
			}
		}
		if hits < 5 {
			t.Errorf("%s: only %d requests are given up", server, hits)
		}
	}
}

// TestEarlyGatewayEndsWithTheHeaders checks that root and gateway end long before the
// stream that they answer with.
func TestEarlyGatewayEndsWithTheHeaders(t *testing.T) {
	sc := lookup(t, "early-gateway")
	for _, server := range serversOf(sc) {
		c := mustRun(t, sc, 1, Options{Server: server, Requests: 100})
		spans := spansOf(c, 0)
		for _, x := range c.Truth {
			root := spans[x.TraceID][0]
			if end(root) != *x.FirstTokenNS || x.EndNS-end(root) < x.DetailsNS.Get("gpu/decode")/2 {
				t.Fatalf("%s: the root ends %d ns before the stream", server, x.EndNS-end(root))
			}
		}
	}
}

// TestSlowReplicaIsSlow compares the two hosts.
func TestSlowReplicaIsSlow(t *testing.T) {
	for _, server := range Servers() {
		var sum, n [2]float64
		for _, x := range mustRun(t, lookup(t, "slow-replica"), 1, Options{Server: server}).Truth {
			i := 0
			if x.ServerHost == "gpu-a-02" {
				i = 1
			}
			sum[i] += float64(x.StagesNS[StageGPU])
			n[i]++
		}
		if ratio := sum[1] / n[1] / (sum[0] / n[0]); n[0] != n[1] || ratio < 1.8 || ratio > 3.5 {
			t.Errorf("%s: %v requests, %.2f times as long on the GPU", server, n, ratio)
		}
	}
}

// TestSplitPrefillHasTwoEngines checks the spans of both and where the transfer is.
func TestSplitPrefillHasTwoEngines(t *testing.T) {
	sc := lookup(t, "split-prefill")
	c := mustRun(t, sc, 1, Options{Requests: 150})
	spans := spansOf(c, 2)
	for i, v := range c.Visits {
		if v.Role != RoleDecode {
			continue
		}
		leg, x := c.Visits[i-1], c.Truth[v.Request]
		if leg.Role != RolePrefill || leg.ServerHost != "gpu-p-01" || v.ServerHost != "gpu-d-01" || leg.OutputTokens != 1 || leg.UpstreamEnd > v.UpstreamStart {
			t.Fatalf("%+v and %+v", leg, v)
		}
		list := spans[x.TraceID]
		if len(list) != 2 {
			t.Fatalf("%d spans of two engines", len(list))
		}
		tokens, _ := list[0].Attributes().Get("gen_ai.request.max_tokens")
		wait := seconds(t, list[1], "gen_ai.latency.time_in_queue")
		if tokens.Int() != 1 || x.KVTransferNS <= 0 || wait < x.KVTransferNS || x.KVTransferNS != v.KVEnd-v.KVStart {
			t.Fatalf("the decoding engine's queue of %d ns does not contain the transfer of %d ns", wait, x.KVTransferNS)
		}
	}
	both := mustRun(t, sc, 1, Options{Server: SGLang, Requests: 150})
	for _, list := range spansOf(both, 2) {
		names := make(map[string]int)
		for _, sp := range list {
			names[strings.Fields(sp.Name())[0]]++
		}
		for _, name := range []string{"prefill_bootstrap", "prefill_transfer_kv_cache", "decode_bootstrap", "decode_transferred", "decode_waiting", "decode_forward"} {
			if names[name] != 1 {
				t.Fatalf("%d slices %s of %v", names[name], name, names)
			}
		}
	}
}

// TestPreemptedSlicesAreNested checks SGLang's retractions: as many events as times
// that a request lost its place, and what follows under the open slice.
func TestPreemptedSlicesAreNested(t *testing.T) {
	c := mustRun(t, lookup(t, "preemption"), 1, Options{Server: SGLang})
	spans, hits := spansOf(c, 2), 0
	for _, v := range c.Visits {
		events, nested := 0, 0
		byID := make(map[[8]byte]string)
		for _, sp := range spans[c.Truth[v.Request].TraceID] {
			byID[sp.SpanID()] = sp.Name()
		}
		for _, sp := range spans[c.Truth[v.Request].TraceID] {
			events += sp.Events().Len()
			if sp.Name() == "prefill_forward" && byID[sp.ParentSpanID()] == "decode_forward" {
				nested++
			}
		}
		if events != len(v.Preemptions) || nested != events {
			t.Fatalf("%d preemptions, %d events and %d prefills under slices of decoding", len(v.Preemptions), events, nested)
		}
		hits += events
	}
	if hits < 50 {
		t.Errorf("only %d preemptions", hits)
	}
}

// TestScenariosNameTheirServers checks the refusal.
func TestScenariosNameTheirServers(t *testing.T) {
	sc := lookup(t, "split-prefill")
	if _, err := Run(sc, 1, Options{Server: Triton}); !errors.Is(err, ErrServer) || !strings.Contains(err.Error(), "choose one of vllm, sglang") {
		t.Errorf("error %v, want the servers in it", err)
	}
	if sc.On(TGI) || !sc.On(SGLang) || !lookup(t, "healthy").On(TGI) {
		t.Error("a scenario exists on the wrong servers")
	}
}
