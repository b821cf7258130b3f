package simulate

import (
	"fmt"
	"strings"
)

// Server is the inference server behind the gateway. It decides how the engine
// schedules, which spans exist and what their fields mean.
type Server string

// The servers that can be simulated.
const (
	// VLLM is vLLM's V1 engine: chunked prefill mixed into decode steps, one
	// llm_request span whose latency attributes are differences of engine stamps.
	VLLM Server = "vllm"
	// VLLMV0 is vLLM's V0 engine: prefill before decode, attributes in wall-clock
	// differences, time_in_queue counted from arrival.
	VLLMV0 Server = "vllm-v0"
	// Triton is a dynamic batcher with instances; the response is one message.
	Triton Server = "triton"
	// SGLang is prefill before decode with chunks, one span per slice.
	SGLang Server = "sglang"
	// TGI is prefill before decode, three chained durations on one span; the
	// response is one message.
	TGI Server = "tgi"
)

// Servers returns all servers, the default first.
func Servers() []Server { return []Server{VLLM, VLLMV0, Triton, SGLang, TGI} }

// ParseServer returns the server of that name; the empty name is the default.
// The error lists the names.
func ParseServer(name string) (Server, error) {
	if name == "" {
		return VLLM, nil
	}
	for _, server := range Servers() {
		if string(server) == name {
			return server, nil
		}
	}
	return "", fmt.Errorf("unknown server %q: choose one of %s", name, serverList(Servers()))
}

// serverList is the names of servers, for a message.
func serverList(servers []Server) string {
	names := make([]string, len(servers))
	for i, server := range servers {
		names[i] = string(server)
	}
	return strings.Join(names, ", ")
}

// streams reports whether tokens reach the client as they are produced.
func (server Server) streams() bool { return server != Triton && server != TGI }

// Cause is where a scenario's planted cause shows: a stage of the path and the
// detail under it.
type Cause struct {
	Stage  string `json:"stage"`
	Detail string `json:"detail"`
}

// Key returns the cause as a key of [Truth.DetailsNS].
func (c Cause) Key() string { return detailKey(c.Stage, c.Detail) }

// CauseOn returns where the planted cause shows on the given server, or nil when
// none is planted. Scenarios declare the cause as vLLM's V1 engine shows it. The
// others put two things elsewhere: a wait for a busy or loading engine before its
// scheduler takes note is inside the queue of V0, Triton and TGI, and the last
// two do not tell prefill from decode. [Scenario.Causes] names what is special to
// a scenario.
func (sc Scenario) CauseOn(server Server) *Cause {
	if sc.Cause == nil {
		return nil
	}
	c := *sc.Cause
	if other, ok := sc.Causes[server]; ok {
		return &other
	}
	opaque := server == Triton || server == TGI
	switch {
	case c == causeEngineBusy && (opaque || server == VLLMV0):
		c = causeQueue
	case (c == causePrefill || c == causeDecode) && opaque:
		c.Detail = "compute"
	}
	return &c
}

var (
	causeQueue      = Cause{"queue", "engine"}
	causePrefill    = Cause{"gpu", "prefill"}
	causeDecode     = Cause{"gpu", "decode"}
	causeBackoff    = Cause{"queue", "retry_backoff"}
	causeNetwork    = Cause{"network", "hop"}
	causeEngineBusy = Cause{"scheduling", "ipc"}
)
