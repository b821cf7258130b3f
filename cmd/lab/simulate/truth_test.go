package simulate

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func mustRun(t testing.TB, sc Scenario, seed uint64, opts Options) *Capture {
	t.Helper()
	c, err := Run(sc, seed, opts)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// lookup returns the scenario of that name.
func lookup(t testing.TB, name string) Scenario {
	t.Helper()
	sc, err := Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return sc
}

// serversOf are the servers that a scenario exists on.
func serversOf(sc Scenario) []Server {
	return slices.DeleteFunc(Servers(), func(server Server) bool { return !sc.On(server) })
}

// drawRun draws a scenario, a server and a seed, and runs it small. Sometimes the
// host process is so slow that it, not the GPU, holds requests up.
func drawRun(t *rapid.T, most int) *Capture {
	sc := Scenarios()[rapid.IntRange(0, len(Scenarios())-1).Draw(t, "scenario")]
	if rapid.Bool().Draw(t, "slow host") {
		sc.Frontend.DetokenizeNS = 2 * ms
		sc.Load.Phases = []Phase{{Share: 1, PerSecond: 20}}
	}
	server := rapid.SampledFrom(serversOf(sc)).Draw(t, "server")
	seed := rapid.Uint64().Draw(t, "seed")
	n := rapid.IntRange(1, most).Draw(t, "requests")
	c, err := Run(sc, seed, Options{Server: server, Requests: n})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Truth) != n {
		t.Fatalf("%d truths for %d requests", len(c.Truth), n)
	}
	return c
}

// checkDetails requires that the details of each stage add up to it.
func checkDetails(t *rapid.T, stages StageNS, details DetailNS) {
	var sums StageNS
	for _, d := range details {
		stage, _, _ := strings.Cut(d.Name, "/")
		found := false
		for i, name := range StageNames {
			if name == stage {
				sums[i] += d.NS
				found = true
			}
		}
		if !found || d.NS < 0 {
			t.Fatalf("detail %q of %d ns", d.Name, d.NS)
		}
	}
	if diff := cmp.Diff(stages, sums); diff != "" {
		t.Fatalf("details do not add up to the stages (-stages +details):\n%s", diff)
	}
}

func TestTruthAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawRun(t, 150)
		for _, x := range c.Truth {
			if x.EndNS <= x.StartNS || x.ArrivalNS != 0 && (x.ArrivalNS < x.StartNS || x.ArrivalNS > x.EndNS) || x.ArrivalNS == 0 && x.Status == 200 && !x.Aborted {
				t.Fatalf("instants out of order: %+v", x)
			}
			if got := x.StagesNS.Sum(); got != x.EndNS-x.StartNS {
				t.Fatalf("stages add up to %d ns of %d", got, x.EndNS-x.StartNS)
			}
			checkDetails(t, x.StagesNS, x.DetailsNS)
			checkVantage(t, x)
			checkCauses(t, x)
			shown := x.Status == 200 && !x.Aborted
			if streams := c.Header.Server.streams(); (shown || !streams) && ((x.FirstTokenNS != nil) != streams || (x.TTFTStagesNS != nil) != streams) {
				t.Fatalf("%s: first token %v, stages %v", c.Header.Server, x.FirstTokenNS, x.TTFTStagesNS)
			}
			if x.FirstTokenNS == nil {
				continue
			}
			if x.TTFTErrorNS == nil || x.TTFTBeyondNS == nil || x.TTFTHiddenNS == nil {
				t.Fatalf("a first token without all that belongs to it: %+v", x)
			}
			if *x.FirstTokenNS <= x.StartNS || *x.FirstTokenNS > x.EndNS {
				t.Fatalf("first token outside the request: %+v", x)
			}
			if got := x.TTFTStagesNS.Sum(); got != *x.FirstTokenNS-x.StartNS {
				t.Fatalf("first-token stages add up to %d ns of %d", got, *x.FirstTokenNS-x.StartNS)
			}
			checkDetails(t, *x.TTFTStagesNS, x.TTFTDetailsNS)
			for i, ns := range x.TTFTBeyondNS {
				if ns < 0 || ns > x.TTFTStagesNS[i] {
					t.Fatalf("%s beyond the server's first token: %d of %d ns", StageNames[i], ns, x.TTFTStagesNS[i])
				}
			}
		}
	})
}

// checkVantage requires that what the gateway saw is a part of the whole that adds up.
func checkVantage(t *rapid.T, x Truth) {
	g := x.Gateway
	if got := g.StagesNS.Sum(); got != g.EndNS-g.StartNS || g.StartNS < x.StartNS {
		t.Fatalf("the gateway's stages add up to %d ns of %d", got, g.EndNS-g.StartNS)
	}
	checkDetails(t, g.StagesNS, g.DetailsNS)
	if g.EndNS > x.EndNS {
		return // the client did not wait for it, or its span does not show it
	}
	for i, ns := range g.StagesNS {
		// Of the client's wait to try again, the gateway sees the ways there and back too.
		if i != StageQueue && ns > x.StagesNS[i] {
			t.Fatalf("%s: the gateway saw %d ns of %d", StageNames[i], ns, x.StagesNS[i])
		}
	}
}

// checkCauses requires that what kept the request waiting adds up to its queue stage.
func checkCauses(t *rapid.T, x Truth) {
	sum, most := int64(0), int64(0)
	for _, d := range x.QueueCausesNS {
		if d.NS <= 0 || d.Name == "" {
			t.Fatalf("cause %q kept the request for %d ns", d.Name, d.NS)
		}
		sum, most = sum+d.NS, max(most, d.NS)
	}
	if sum != x.StagesNS[StageQueue] {
		t.Fatalf("causes add up to %d ns of %d in queues", sum, x.StagesNS[StageQueue])
	}
	if named := x.QueueCause != ""; named != (sum >= hardlyNS) || named && x.QueueCausesNS.Get(x.QueueCause) != most {
		t.Fatalf("%q kept the request waiting, of %v", x.QueueCause, x.QueueCausesNS)
	}
}

func TestTruthFileRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawRun(t, 20)
		var plain, packed bytes.Buffer
		if err := c.writeTruth(&plain); err != nil {
			t.Fatal(err)
		}
		if err := compress(&packed, c.writeTruth); err != nil {
			t.Fatal(err)
		}
		for _, data := range [][]byte{plain.Bytes(), packed.Bytes()} {
			f, err := ReadTruth(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.Header, f.Header); diff != "" {
				t.Fatal(diff)
			}
			if diff := cmp.Diff(c.Truth, f.Requests); diff != "" {
				t.Fatal(diff)
			}
		}
	})
}

func TestReadTruthRefusesWhatIsNotTruth(t *testing.T) {
	sc, err := Lookup("healthy")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := mustRun(t, sc, 1, Options{Requests: 3}).writeTruth(&b); err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(strings.TrimSpace(b.String()), "\n")
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "line 1"},
		{"another format", `{"resourceSpans":[]}`, "tailpath_truth is 0"},
		{"another version", strings.Replace(b.String(), `"tailpath_truth":2`, `"tailpath_truth":9`, 1), "tailpath_truth is 9"},
		{"cut at a line", strings.Join(lines[:3], ""), "2 requests instead of the 3"},
		{"cut in a line", b.String()[:b.Len()-40], "line 4"},
		{"a stage is missing", strings.Replace(b.String(), `"gpu":`, `"cpu":`, 1), `stage "gpu" is missing`},
	} {
		if _, err := ReadTruth(strings.NewReader(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q in it", c.name, err, c.want)
		}
	}
}

// TestTruthHasTheDocumentedKeys pins the file format: other tools read it.
func TestTruthHasTheDocumentedKeys(t *testing.T) {
	sc, err := Lookup("queue-buildup")
	if err != nil {
		t.Fatal(err)
	}
	for server, streamed := range map[Server]bool{VLLM: true, Triton: false} {
		var b bytes.Buffer
		if err := mustRun(t, sc, 1, Options{Requests: 1, Server: server}).writeTruth(&b); err != nil {
			t.Fatal(err)
		}
		dec := json.NewDecoder(&b)
		var header, request map[string]any
		if err := dec.Decode(&header); err != nil {
			t.Fatal(err)
		}
		if err := dec.Decode(&request); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(map[string]any{"tailpath_truth": 2.0, "scenario": "queue-buildup", "seed": 1.0, "server": string(server),
			"cause": map[string]any{"stage": "queue", "detail": "engine"}, "requests": 1.0, "epoch_ns": float64(epochNS), "clocks": nil}, header); diff != "" {
			t.Error(diff)
		}
		for _, key := range []string{"trace_id", "start_ns", "end_ns", "arrival_ns", "first_token_ns", "region", "class", "prompt_tokens",
			"output_tokens", "preempted_ns", "kv_transfer_ns", "attempts", "status", "aborted", "client_host", "gateway_host", "server_host",
			"prefill_host", "queue_cause", "queue_causes_ns", "stages_ns", "details_ns", "hidden_ns", "error_ns", "gateway",
			"ttft_stages_ns", "ttft_details_ns", "ttft_beyond_ns", "ttft_hidden_ns", "ttft_error_ns"} {
			value, ok := request[key]
			if !ok {
				t.Errorf("%s: key %s is missing", server, key)
			}
			if onlyStreamed := key == "first_token_ns" || strings.HasPrefix(key, "ttft_"); onlyStreamed && (value != nil) != streamed {
				t.Errorf("%s: %s is %v", server, key, value)
			}
			delete(request, key)
		}
		if len(request) != 0 {
			t.Errorf("%s: undocumented keys %v", server, request)
		}
	}
}
