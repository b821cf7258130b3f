package logs

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/cmd/lab/simulate"
)

// TestDeterminism writes each kind of two runs of one seed.
func TestDeterminism(t *testing.T) {
	for _, server := range simulate.Servers() {
		sc, err := simulate.Lookup("queue-buildup")
		if err != nil {
			t.Fatal(err)
		}
		a, b := run(t, sc, server, 90), run(t, sc, server, 90)
		for _, kind := range Names(a) {
			if diff := cmp.Diff(write(t, a, kind), write(t, b, kind)); diff != "" {
				t.Errorf("%s of %s differs: %s", kind, server, diff)
			}
		}
	}
}

// TestOrderOfVisits says that a log does not depend on the order of the visits of a
// capture but where lines are of one instant.
func TestOrderOfVisits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawCapture(t)
		shuffled := *c
		shuffled.Visits = rapid.Permutation(c.Visits).Draw(t, "visits")
		for _, kind := range []string{"nginx", "envoy", "haproxy"} {
			a, b := textLines(write(t, c, kind)[0]), textLines(write(t, &shuffled, kind)[0])
			slices.Sort(a)
			slices.Sort(b)
			if diff := cmp.Diff(a, b); diff != "" {
				t.Fatalf("%s differs: %s", kind, diff)
			}
		}
	})
}

// TestOrderOfLines says that lines with a stamp of their writing are in its order, on
// hosts whose clocks run.
func TestOrderOfLines(t *testing.T) {
	everyCapture(t, 150, func(t *testing.T, c *simulate.Capture) {
		for _, x := range []struct{ kind, field string }{{"nginx", "msec"}, {"triton", "time"}, {"tgi", "time"}, {"tgi-json", "time"}} {
			if !slices.Contains(Names(c), x.kind) {
				continue
			}
			format := builtin(t, formatOf[x.kind])
			scratch := format.NewScratch()
			for _, f := range write(t, c, x.kind) {
				last := int64(0)
				for _, line := range textLines(f) {
					_, fields := values(t, format, scratch, line)
					if at := fields[x.field].Int; at < last {
						t.Fatalf("%s: a line is %d ns before the one above it\n%s", f.Name, last-at, line)
					} else {
						last = at
					}
				}
			}
		}
	})
}

func TestNames(t *testing.T) {
	for server, engines := range map[simulate.Server][]string{
		simulate.VLLM: {"vllm"}, simulate.VLLMV0: {"vllm"}, simulate.SGLang: {"sglang", "sglang-json"}, simulate.Triton: {"triton"}, simulate.TGI: {"tgi", "tgi-json"},
	} {
		c := &simulate.Capture{Header: simulate.Header{Server: server}}
		want := append([]string{"nginx", "envoy", "envoy-json", "haproxy"}, engines...)
		if diff := cmp.Diff(want, Names(c)); diff != "" {
			t.Errorf("%s: %s", server, diff)
		}
		for _, kind := range []string{"", "apache", "ollama"} {
			if _, err := Write(c, kind); err == nil || !strings.Contains(err.Error(), "choose one of nginx, ") {
				t.Errorf("%s: kind %q: %v", server, kind, err)
			}
		}
	}
	if _, err := Write(&simulate.Capture{Header: simulate.Header{Server: simulate.VLLM}}, "tgi"); err == nil {
		t.Error("a capture of vLLM has a log of TGI")
	}
}

// TestFiles says which files there are: one a gateway host and one an engine, with names
// that differ.
func TestFiles(t *testing.T) {
	c := example(simulate.VLLM)
	other := c.Visits[0]
	other.GatewayHost, other.Replica, other.RequestID = "edge-0", 1, "other"
	c.Visits = append(c.Visits, other)
	c.Engines = append(c.Engines, simulate.EngineState{Host: "gpu-a-01", Name: "vllm-server-1", Blocks: 10})
	var names []string
	for _, kind := range Names(c) {
		for _, f := range write(t, c, kind) {
			names = append(names, f.Name)
			if f.Kind != kind || !strings.HasPrefix(f.Name, f.Host) {
				t.Errorf("file %s of kind %s and host %s", f.Name, f.Kind, f.Host)
			}
			if mine := bytes.Contains(f.Data, []byte("other")); mine != (f.Host == "edge-0") && strings.Contains(f.Name, "edge") {
				t.Errorf("%s holds the visit of the other gateway: %v", f.Name, mine)
			}
		}
	}
	want := []string{"edge-0.nginx.log", "edge-1.nginx.log", "edge-0.envoy.log", "edge-1.envoy.log", "edge-0.envoy-json.log", "edge-1.envoy-json.log",
		"edge-0.haproxy.log", "edge-1.haproxy.log", "gpu-a-01.vllm-server-0.vllm.log", "gpu-a-01.vllm-server-1.vllm.log"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
}

// TestZone says that the zone of a host shows in its local times, and nowhere else.
func TestZone(t *testing.T) {
	for _, server := range simulate.Servers() {
		c := example(server)
		c.Zone = map[string]int64{"edge-1": 2 * 3600 * s, "gpu-a-01": -9000 * s}
		for _, kind := range Names(c) {
			data := string(write(t, c, kind)[0].Data)
			local := map[string]string{"nginx": "14:00:01 +0200", "haproxy": "14:00:00.100", "vllm": "08-20 09:30:00", "sglang": "2026-08-20 09:30:00", "sglang-json": "2026-08-20T09:30:00"}[kind]
			utc := strings.Contains(data, "12:00:0")
			if local != "" && (utc || !strings.Contains(data, local)) || local == "" && !utc {
				t.Errorf("%s: in UTC: %v, want %q in\n%s", kind, utc, local, data)
			}
		}
	}
}

// TestAborted says what is left of a request whose client went away while it waited.
func TestAborted(t *testing.T) {
	for _, x := range []struct {
		server simulate.Server
		kind   string
		want   string // ends of lines
	}{
		{simulate.VLLM, "vllm", "lora_request: None.|Added request chatcmpl-r1-7277a583.|Aborted request(s) chatcmpl-r1-7277a583.|Request chatcmpl-r1 aborted."},
		{simulate.VLLMV0, "vllm", "prompt_adapter_request: None.|Added request chatcmpl-r1.|Aborted request chatcmpl-r1.|CPU KV cache usage: 0.0%."},
		{simulate.SGLang, "sglang", "stream=True, return_logprob=False)"},
		{simulate.Triton, "triton", `"HTTP request: 2 /v2/models/llm/infer"|INITIALIZED to INITIALIZED"|INITIALIZED to PENDING"|PENDING to RELEASED"`},
		{simulate.TGI, "tgi", ""},
	} {
		c := example(x.server)
		v := &c.Visits[0]
		v.Aborted, v.AbortedAt, v.GatewayEnd, v.ServerEnd, v.Status = true, epochNS+s, epochNS+s, epochNS+s+ms, 499
		for _, at := range []*int64{&v.Scheduled, &v.PrefillEnd, &v.FirstToken, &v.LastToken, &v.FirstOutput, &v.LastOutput, &v.FirstByte, &v.UpstreamEnd,
			&v.ComputeStart, &v.InputEnd, &v.OutputStart, &v.ComputeEnd, &v.RequestEnd, &v.SendStart, &v.SendEnd} {
			*at = 0
		}
		data := string(write(t, c, x.kind)[0].Data)
		for _, end := range strings.Split(x.want, "|") {
			line, rest, _ := strings.Cut(data, "\n")
			if data = rest; !strings.HasSuffix(line, end) || end == "" && line != "" {
				t.Errorf("%s: a line is %q, want one that ends in %q", x.kind, line, end)
			}
		}
		if data != "" {
			t.Errorf("%s: more lines:\n%s", x.kind, data)
		}
	}
}

// TestRetracted has the negative queueing time that SGLang tells of a request which had to
// make room: 300 ms of wait, then thrown out 50 ms after it began to run.
func TestRetracted(t *testing.T) {
	c := example(simulate.SGLang)
	v := &c.Visits[0]
	v.Queued, v.Scheduled = epochNS+110*ms, epochNS+410*ms
	v.Preemptions = [][2]int64{{epochNS + 460*ms, epochNS + 500*ms}}
	data := string(write(t, c, "sglang")[0].Data)
	for _, want := range []string{"queue_duration=-50.00ms", "entry_time=1787227200.460", "'queue_time': -0.05,", "'num_retractions': 1,"} {
		if !strings.Contains(data, want) {
			t.Errorf("%s is not in\n%s", want, data)
		}
	}
}

// example is a capture of one request whose instants are easy to read.
func example(server simulate.Server) *simulate.Capture {
	at := func(n int64) int64 { return epochNS + n*ms }
	v := simulate.Visit{
		RequestID: "r1", EngineID: "r1", ClientAddr: "10.20.0.7:32768", ServerAddr: "10.0.1.5:8000", GatewayHost: "edge-1", ServerHost: "gpu-a-01",
		Region: "eu-west-1", Model: "llm", Path: "/v1/chat/completions", Streaming: server != simulate.Triton && server != simulate.TGI, Status: 200,
		GatewayStart: at(100), UpstreamStart: at(101), Connected: at(102), UploadEnd: at(103), FirstByte: at(500), UpstreamEnd: at(1099), GatewayEnd: at(1100),
		Received: at(104), Arrival: at(104), Handled: at(105), Tokenized: at(107), Dispatched: at(108), Queued: at(110), Scheduled: at(210),
		PrefillEnd: at(490), FirstToken: at(490), LastToken: at(1090), FirstOutput: at(492), LastOutput: at(1092), ServerEnd: at(1093),
		RequestStart: at(106), QueueStart: at(110), ComputeStart: at(210), InputEnd: at(211), OutputStart: at(1088), ComputeEnd: at(1090),
		RequestEnd: at(1091), SendStart: at(1092), SendEnd: at(1093), PromptTokens: 400, OutputTokens: 60,
	}
	v.TraceID, v.CallerSpan = [16]byte{0xa1, 15: 1}, [8]byte{0xb2, 7: 2}
	switch server {
	case simulate.VLLM, simulate.VLLMV0:
		v.EngineID = "chatcmpl-r1"
	case simulate.Triton:
		v.Path = "/v2/models/llm/infer"
	}
	return &simulate.Capture{Header: simulate.Header{Server: server, EpochNS: epochNS}, Visits: []simulate.Visit{v},
		Engines: []simulate.EngineState{{Host: "gpu-a-01", Name: "vllm-server-0", Slots: 8, Blocks: 1000}}}
}

// Example prints the lines of some kinds of log of one request.
func Example() {
	for _, x := range []struct {
		server simulate.Server
		kind   string
	}{{simulate.VLLM, "nginx"}, {simulate.VLLM, "envoy"}, {simulate.VLLM, "haproxy"}, {simulate.Triton, "triton"}} {
		files, err := Write(example(x.server), x.kind)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s\n%s", files[0].Name, files[0].Data)
	}
	// Output:
	// edge-1.nginx.log
	// 10.20.0.7 - - [20/Aug/2026:12:00:01 +0000] "POST /v1/chat/completions HTTP/2.0" 200 13800 "-" "Go-http-client/2.0" rt=1.000 uct="0.001" uht="0.399" urt="0.998" ua="10.0.1.5:8000" us="200" msec=1787227201.100 rid=r1 tp=00-a1000000000000000000000000000001-b200000000000002-01
	// edge-1.envoy.log
	// [2026-08-20T12:00:00.100Z] "POST /v1/chat/completions HTTP/2" 200 - 1780 13800 1000 397 "10.20.0.7" "Go-http-client/2.0" "r1" "llm.example" "10.0.1.5:8000"
	// edge-1.haproxy.log
	// Aug 20 12:00:01 edge-1 haproxy[1187]: 10.20.0.7:32768 [20/Aug/2026:12:00:00.100] public llm/llm1 0/1/1/398/1000 200 13950 - - ---- 1/1/1/1/0 0/0 {00-a1000000000000000000000000000001-b200000000000002-01|r1} "POST /v1/chat/completions HTTP/2.0"
	// gpu-a-01.triton.log
	// I0820 12:00:00.104000 1 http_server.cc:4857] "HTTP request: 2 /v2/models/llm/infer"
	// I0820 12:00:00.106000 1 infer_request.cc:133] "[request id: r1] Setting state from INITIALIZED to INITIALIZED"
	// I0820 12:00:00.110000 1 infer_request.cc:133] "[request id: r1] Setting state from INITIALIZED to PENDING"
	// I0820 12:00:00.210000 1 infer_request.cc:133] "[request id: r1] Setting state from PENDING to EXECUTING"
	// I0820 12:00:01.091000 1 infer_request.cc:133] "[request id: r1] Setting state from EXECUTING to RELEASED"
}
