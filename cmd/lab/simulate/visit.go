package simulate

import "fmt"

// Visit is one attempt at one request as the gateway and the server saw it, the
// material of their logs. Instants are ns since 1970 on the one true clock; 0 is
// what did not happen or what the server does not do. What a host's own clock
// showed is [Capture.Shown] of it.
type Visit struct {
	// Request is the index into Capture.Truth; Attempt counts its attempts from 0.
	Request, Attempt int
	// Role is empty, or which part this server had in a request that two serve:
	// RolePrefill or RoleDecode. Both visits of such an attempt are of one request
	// to the gateway, with one line in its log, of which the decoding one has all.
	Role    string
	TraceID [16]byte
	// CallerSpan is the span id in the traceparent that reaches the gateway.
	CallerSpan [8]byte
	// RequestID is the x-request-id; EngineID is the engine's own name of the
	// request, as its spans and logs have it, empty if it has none.
	RequestID, EngineID string

	// ClientAddr and ServerAddr are ip:port as the gateway sees them.
	ClientAddr, ServerAddr  string
	GatewayHost, ServerHost string
	// Replica is the index into Capture.Engines.
	Replica             int
	Region, Model, Path string
	// Streaming says that tokens reach the client as they are produced; GRPC that
	// the request came over gRPC rather than HTTP.
	Streaming, GRPC bool
	// Status is the HTTP status that the gateway answered or logged.
	Status int
	// Aborted says that the attempt was given up before its answer was complete: by
	// the client at AbortedAt, or by the gateway, which leaves that 0. The server
	// learns of it later, at ServerEnd, unless it goes on regardless.
	Aborted   bool
	AbortedAt int64

	// The gateway's view. FirstByte is when the response's headers were at the
	// gateway, UploadEnd when the last byte of the request was.
	GatewayStart, UploadEnd, UpstreamStart, Connected int64
	FirstByte, UpstreamEnd, GatewayEnd                int64

	// The server's view. Received is the last byte of the request at the server
	// and ServerEnd the end of its outermost span, or when it let go of the request.
	// LastToken is the last so far, where that happened. With SGLang, PrefillEnd and
	// FirstToken of a decoding visit are those of the engine that prefilled. PrefillEnd, FirstToken and
	// LastToken are the engine's own instants, FirstOutput and LastOutput those of
	// its host process.
	Received, Arrival, Handled, Tokenized, Dispatched, Queued, Scheduled  int64
	PrefillEnd, FirstToken, LastToken, FirstOutput, LastOutput, ServerEnd int64

	// Triton's own stamps.
	RequestStart, QueueStart, ComputeStart, InputEnd, OutputStart int64
	ComputeEnd, RequestEnd, SendStart, SendEnd                    int64

	// BootstrapStart and BootstrapEnd bound the wait of either server of a request for the
	// other one and for memory, and BootstrapRoom is the number under which they meet.
	BootstrapStart, BootstrapEnd int64
	BootstrapRoom                uint64

	// KVStart and KVEnd bound the transfer of keys and values between two servers.
	KVStart, KVEnd int64

	// OutputTokens are those that were computed.
	PromptTokens, CachedTokens, OutputTokens int
	// PreemptedNS is the sum of Preemptions, the intervals [from, to) during which
	// the request was thrown out of the running batch.
	PreemptedNS int64
	Preemptions [][2]int64
}

// EngineState is one engine of the capture: where it runs, what it has room for,
// and its own log.
type EngineState struct {
	// Host is the host's name and Name the instance's.
	Host, Name string
	// Slots is the most requests that run at once (of Triton: model instances) and
	// Blocks the number of key-value blocks (of Triton: 0).
	Slots, Blocks int
	Log           EngineLog
}

// clientAddress is a client's address and port: one address a region, and a port
// of its own for every attempt until the range is used up.
func clientAddress(region, visit int) string {
	const first, ports = 32_768, 28_232 // Linux's ephemeral range
	return fmt.Sprintf("10.20.%d.7:%d", region, first+visit%ports)
}

// serverAddress is where the gateway reaches a replica.
func serverAddress(replica int) string { return fmt.Sprintf("10.0.1.%d:8000", 5+replica) }

// visit is what the gateway and the server saw of an attempt.
func visit(sc *Scenario, r *request, server Server) Visit {
	v := Visit{
		Request: r.call.index, Attempt: r.attempt, Role: r.role, TraceID: r.traceID, CallerSpan: r.clientSpan,
		RequestID: r.requestID, EngineID: r.engineID,
		ClientAddr: clientAddress(r.region, r.index), ServerAddr: serverAddress(r.replica),
		GatewayHost: gatewayHost, ServerHost: sc.replicas()[r.replica].Host, Replica: r.replica,
		Region: r.route.Region, Model: modelName, Path: requestPath(r, server),
		Streaming: server.streams(), GRPC: server == Triton && r.grpc,
		Status: r.answeredWith(), Aborted: r.status == 499 || r.gone > 0 || r.abandoned > 0, AbortedAt: r.abandoned,

		GatewayStart: r.ingressStart, UploadEnd: max(r.bodyAtNS, r.ingressStart), UpstreamStart: r.egressStart,
		Connected: r.egressStart, FirstByte: r.firstAtGateway, UpstreamEnd: r.egressEnd, GatewayEnd: r.ingressEnd,

		Arrival: r.arrival, Handled: r.handled, Tokenized: r.tokenized, Dispatched: r.dispatched,
		Queued: r.queued, Scheduled: r.scheduled, PrefillEnd: r.firstToken, FirstToken: r.firstToken, LastToken: r.lastToken,
		FirstOutput: r.firstOutput, LastOutput: r.lastOutput, ServerEnd: max(r.spanEnd, r.rootEnd, r.gone),

		RequestStart: r.requestStart, QueueStart: r.queueStart, ComputeStart: r.computeStart, InputEnd: r.inputEnd,
		OutputStart: r.outputStart, ComputeEnd: r.computeEnd, RequestEnd: r.requestEnd, SendStart: r.sendStart, SendEnd: r.sendEnd,

		PromptTokens: r.prompt, OutputTokens: r.produced, PreemptedNS: r.preemptedNS(max(r.lastToken, r.gone)),
		KVStart: r.kvBegin, KVEnd: r.kvEnd,
	}
	if r.role != "" && server == SGLang {
		v.BootstrapStart, v.BootstrapEnd, v.BootstrapRoom = r.bootBegin, r.queued, r.seed
		if r.role == RoleDecode {
			v.BootstrapEnd = r.allocated
		}
	}
	if r.role == RolePrefill {
		v.GatewayStart, v.UploadEnd = r.other.ingressStart, max(r.bodyAtNS, r.other.ingressStart)
	}
	if r.arrival > 0 || server == Triton {
		v.Received = r.received
	}
	switch server {
	case VLLM, VLLMV0:
		v.Model = vllmModel
	case Triton:
		v.OutputTokens = r.output
	}
	for _, p := range r.preemptions {
		to := p.to
		if to == 0 {
			to = r.gone
		}
		v.Preemptions = append(v.Preemptions, [2]int64{p.from, to})
	}
	return v
}

// answeredWith is the HTTP status that the gateway logs.
func (r *request) answeredWith() int {
	if r.status == 0 {
		return 200
	}
	return r.status
}

// serverService is the service of a server's engines.
func serverService(server Server) string {
	switch server {
	case Triton:
		return tritonService
	case SGLang:
		return sglangService
	case TGI:
		return tgiService
	}
	return vllmService
}

// engineStates are the engines before their first request.
func engineStates(sc *Scenario, server Server) []EngineState {
	var out []EngineState
	for i, place := range sc.replicas() {
		e := EngineState{Host: place.Host, Name: serverInstance(server, i), Slots: sc.Engine.Slots, Blocks: sc.Engine.Blocks}
		if server == Triton {
			e.Slots, e.Blocks = sc.Batcher.Instances, 0
		}
		out = append(out, e)
	}
	return out
}

// serverInstance is the service.instance.id of a replica.
func serverInstance(server Server, replica int) string {
	if server == TGI {
		return instance("tgi", replica)
	}
	return instance(serverService(server), replica)
}
