package simulate

import (
	"encoding/hex"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// inOrder requires that instants that happened are in order.
func inOrder(t rapid.TB, what string, instants ...int64) {
	t.Helper()
	last := int64(0)
	for i, at := range instants {
		if at == 0 {
			continue
		}
		if at < last {
			t.Fatalf("%s: instant %d lies %d ns before one that causes it", what, i, last-at)
		}
		last = at
	}
}

// TestCausesPrecedeEffects checks the instants of every visit.
func TestCausesPrecedeEffects(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawRun(t, 120)
		for _, v := range c.Visits {
			x := c.Truth[v.Request]
			inOrder(t, "gateway", x.StartNS, v.GatewayStart, v.UpstreamStart, v.Connected, v.FirstByte, v.UpstreamEnd, max(v.GatewayEnd, v.UpstreamEnd))
			inOrder(t, "body", v.GatewayStart, v.UploadEnd)
			inOrder(t, "server", v.UpstreamStart, v.Received, v.Arrival, v.Handled, v.Tokenized, v.Dispatched)
			prefilled := v.PrefillEnd
			if v.Role == RoleDecode && c.Header.Server == SGLang {
				inOrder(t, "first token", prefilled, v.KVStart, v.KVEnd, v.Queued) // the other engine's
				prefilled = 0
			}
			inOrder(t, "engine", v.Tokenized, v.Queued, v.Scheduled, prefilled, v.LastToken)
			inOrder(t, "outputs", v.FirstOutput, v.LastOutput, v.ServerEnd)
			inOrder(t, "triton", v.Received, v.RequestStart, v.QueueStart, v.ComputeStart, v.InputEnd, v.OutputStart, v.ComputeEnd,
				v.RequestEnd, v.SendStart, v.SendEnd, v.ServerEnd)
			inOrder(t, "transfer", v.KVStart, v.KVEnd)
			if v.FirstOutput > 0 && v.FirstOutput < v.FirstToken || v.LastOutput > 0 && v.LastOutput < v.LastToken {
				t.Fatalf("the host has a token before the engine: %+v", v)
			}
			sum, last := int64(0), v.Scheduled
			for _, p := range v.Preemptions {
				inOrder(t, "preemption", last, p[0], p[1])
				sum, last = sum+p[1]-p[0], p[1]
			}
			if sum != v.PreemptedNS {
				t.Fatalf("preempted for %d ns, the intervals have %d", v.PreemptedNS, sum)
			}
			if v.Aborted != (v.Status == 499 || v.AbortedAt > 0 || v.Status == 504 && v.ServerEnd > 0) && c.Header.Server != Triton {
				t.Fatalf("status %d, aborted %t at %d", v.Status, v.Aborted, v.AbortedAt)
			}
		}
	})
}

// TestVisitsAreOfTheirRequests checks that the visits are those of the truth: in
// order, as many as there were attempts, and of its hosts and sizes.
func TestVisitsAreOfTheirRequests(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawRun(t, 120)
		attempts := make([]int, len(c.Truth))
		request, next := 0, 0
		for _, v := range c.Visits {
			if v.Request != request {
				request, next = v.Request, 0
			}
			x := c.Truth[v.Request]
			if v.Attempt != next || v.Request < request || v.Attempt >= x.Attempts {
				t.Fatalf("attempt %d of request %d comes after %d attempts of request %d", v.Attempt, v.Request, next, request)
			}
			if v.Role != RolePrefill {
				next++
				attempts[request]++
			}
			if hex.EncodeToString(v.TraceID[:]) != x.TraceID || v.Region != x.Region || v.PromptTokens != x.PromptTokens ||
				v.GatewayHost != x.GatewayHost || v.OutputTokens > x.OutputTokens {
				t.Fatalf("visit and truth differ: %+v, %+v", v, x)
			}
			if e := c.Engines[v.Replica]; e.Host != v.ServerHost {
				t.Fatalf("served on %s, the engine is on %s", v.ServerHost, e.Host)
			}
			host := x.ServerHost
			if v.Role == RolePrefill {
				host = x.PrefillHost
			}
			if v.Status == 200 && !v.Aborted && v.ServerHost != host {
				t.Fatalf("served on %s, the truth has %s", v.ServerHost, host)
			}
		}
		for i, x := range c.Truth {
			if attempts[i] != x.Attempts {
				t.Fatalf("request %d has %d visits of %d attempts", i, attempts[i], x.Attempts)
			}
		}
	})
}

// TestTruthAgreesWithTheVisit compares the stages with differences of the visit's
// instants, for requests that were sent once and served by one server.
func TestTruthAgreesWithTheVisit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawRun(t, 120)
		server := c.Header.Server
		for _, v := range c.Visits {
			x := c.Truth[v.Request]
			if x.Attempts > 1 || v.Role != "" || v.Aborted || v.Status != 200 {
				continue
			}
			queue, gpu := v.Scheduled-v.Queued, v.LastToken-v.Scheduled
			switch server {
			case VLLMV0:
				queue = v.Scheduled - v.Arrival
			case TGI:
				gpu = x.StagesNS[StageGPU]
				if gpu < v.LastToken-v.Scheduled {
					t.Fatalf("%d ns on the GPU, of %d that it computed", gpu, v.LastToken-v.Scheduled)
				}
			case Triton:
				queue, gpu = v.ComputeStart-v.QueueStart, v.OutputStart-v.InputEnd
			case SGLang:
				gpu = x.StagesNS[StageGPU] + x.PreemptedNS // less the waits to decode
				queue += x.PreemptedNS
				if gpu > v.LastToken-v.Scheduled {
					t.Fatalf("%d ns on the GPU or preempted, of %d", gpu, v.LastToken-v.Scheduled)
				}
				gpu -= x.PreemptedNS
			}
			if got := x.StagesNS[StageQueue]; got != queue {
				t.Fatalf("%s: %d ns in queues, by the visit %d", server, got, queue)
			}
			if got := x.StagesNS[StageGPU]; got != gpu {
				t.Fatalf("%s: %d ns on the GPU, by the visit %d", server, got, gpu)
			}
			if g := x.Gateway; g.StartNS != v.GatewayStart || g.EndNS != v.GatewayEnd {
				t.Fatalf("the gateway had the request from %d to %d, by the visit from %d to %d", g.StartNS, g.EndNS, v.GatewayStart, v.GatewayEnd)
			}
		}
	})
}

// TestVisitsRepeat requires the same visits and engine logs from the same seed.
func TestVisitsRepeat(t *testing.T) {
	for _, name := range []string{"retry-storm", "hedging", "aborted", "preemption"} {
		sc := lookup(t, name)
		a, b := mustRun(t, sc, 2, Options{Requests: 300}), mustRun(t, sc, 2, Options{Requests: 300})
		if diff := cmp.Diff(a.Visits, b.Visits); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if !slices.EqualFunc(a.Engines, b.Engines, func(x, y EngineState) bool { return slices.Equal(x.Log.Steps, y.Log.Steps) }) {
			t.Errorf("%s: the engines' steps differ", name)
		}
	}
}

// TestAddressesAreOfOneVisit requires that no two visits that overlap at the gateway
// share a client's address and port.
func TestAddressesAreOfOneVisit(t *testing.T) {
	c := mustRun(t, lookup(t, "retry-storm"), 1, Options{})
	seen := make(map[string]bool)
	for _, v := range c.Visits {
		if seen[v.ClientAddr] {
			t.Fatalf("%s is used twice", v.ClientAddr)
		}
		seen[v.ClientAddr] = true
	}
}

// TestAbortsArriveBehindTheirRequests checks that a server learns of no client's
// leave before it has the request: the end of a connection travels behind what was
// sent on it. The hedge given up while its body is on its way is one of these.
func TestAbortsArriveBehindTheirRequests(t *testing.T) {
	t.Parallel()
	sc := lookup(t, "hedging")
	sc.Frontend.DetokenizeNS = 2 * ms
	sc.Load.Phases = []Phase{{Share: 1, PerSecond: 20}}
	aborted := 0
	for seed := range uint64(20) {
		for _, v := range mustRun(t, sc, seed, Options{Server: VLLMV0, Requests: 80}).Visits {
			if v.AbortedAt == 0 || v.UpstreamStart == 0 {
				continue
			}
			aborted++
			inOrder(t, "upload", v.UploadEnd, v.GatewayEnd)
			inOrder(t, "abort", v.Received, v.ServerEnd)
		}
	}
	if aborted == 0 {
		t.Fatal("no attempt was given up")
	}
}
