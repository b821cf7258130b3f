package simulate

import (
	"fmt"
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

const (
	clientService  = "chat-frontend"
	gatewayService = "edge-proxy"
	publicHost     = "llm.example"
	gatewayHost    = "edge-1"
	grpcService    = "inference.GRPCInferenceService"
	modelName      = "llm"
)

var (
	callScope       = scope{"llm.example/chat-frontend/client", "1.4.0"}
	httpClientScope = scope{"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp", "0.63.0"}
	grpcClientScope = scope{"go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc", "0.63.0"}
	envoyScope      = scope{"envoy", "1.36.2"}
)

// requestPath is the path that a client calls on a server.
func requestPath(r *request, server Server) string {
	switch {
	case server == Triton && r.grpc:
		return "/" + grpcService + "/ModelInfer"
	case server == Triton:
		return "/v2/models/" + modelName + "/infer"
	}
	return "/v1/chat/completions"
}

// clientHost is the host of the clients of one region.
func clientHost(region string) string { return fmt.Sprintf("web-%s-1", region) }

// newClient is the client process of one route.
func newClient(route *Route, i int, clocks hostClocks) *process {
	host := clientHost(route.Region)
	return &process{
		service: clientService, host: host, instance: instance(clientService, i), clock: clocks.of(host),
		resource: func(attrs pcommon.Map) {
			attrs.PutStr("cloud.region", route.Region)
			sdk(attrs, "go")
		},
	}
}

// addCall writes the span that a client which repeats has around its attempts.
func addCall(p *process, c *call) {
	r := c.last()
	id := p.within(c.attempts[0].sent, r.clientEnd)
	id.trace, id.span, id.name, id.kind = r.traceID, c.root, "complete", ptrace.SpanKindInternal
	p.add(callScope, id, func(sp ptrace.Span) {
		sp.Attributes().PutInt("attempts", int64(len(c.attempts)))
		if r.status != 0 {
			sp.Status().SetCode(ptrace.StatusCodeError)
		}
	})
}

// addClient writes the client's span of an attempt: from issuing the request to the
// last byte of its response, or to when it gave up.
func addClient(p *process, sc *Scenario, r *request, server Server) {
	end := r.clientEnd
	if sc.Gateway.EndAtHeaders {
		end = r.firstAtClient
	}
	id := p.within(r.sent, end)
	id.trace, id.span, id.name, id.kind = r.traceID, r.clientSpan, "POST", ptrace.SpanKindClient
	if sc.Client.repeats() {
		id.parent = r.call.root
	}
	if r.grpc && server == Triton {
		id.name = grpcService + "/ModelInfer"
		p.add(grpcClientScope, id, func(sp ptrace.Span) {
			a := sp.Attributes()
			a.PutStr("rpc.system", "grpc")
			a.PutStr("rpc.service", grpcService)
			a.PutStr("rpc.method", "ModelInfer")
			a.PutStr("server.address", publicHost)
			a.PutInt("server.port", 443)
			a.PutInt("rpc.grpc.status_code", r.grpcStatus())
			failClient(sp, r)
		})
		return
	}
	p.add(httpClientScope, id, func(sp ptrace.Span) {
		a := sp.Attributes()
		a.PutStr("http.request.method", "POST")
		a.PutStr("server.address", publicHost)
		a.PutInt("server.port", 443)
		a.PutStr("url.full", "https://"+publicHost+requestPath(r, server))
		if r.abandoned == 0 {
			a.PutInt("http.response.status_code", int64(r.answeredWith()))
		}
		if r.attempt > 0 && sc.Client.HedgeAfterNS == 0 {
			a.PutInt("http.request.resend_count", int64(r.attempt))
		}
		failClient(sp, r)
	})
}

// failClient marks the span of an attempt that did not succeed for its client. Hedges
// are cancelled and patience ends at a deadline, which Go tells apart.
func failClient(sp ptrace.Span, r *request) {
	switch {
	case r.abandoned > 0 && r.call.winner != nil:
		sp.Status().SetMessage("context canceled")
	case r.abandoned > 0:
		sp.Status().SetMessage("context deadline exceeded")
	case r.status == 0:
		return
	}
	sp.Status().SetCode(ptrace.StatusCodeError)
}

// grpcStatus is the client's status code: cancelled, deadline exceeded or unavailable.
func (r *request) grpcStatus() int64 {
	switch {
	case r.abandoned > 0 && r.call.winner != nil:
		return 1
	case r.abandoned > 0:
		return 4
	case r.status != 0:
		return 14
	}
	return 0
}

// newGateway is the Envoy process.
func newGateway(clocks hostClocks) *process {
	return &process{service: gatewayService, host: gatewayHost, instance: instance(gatewayService, 0), clock: clocks.of(gatewayHost),
		resource: func(pcommon.Map) {}}
}

// addGateway writes Envoy's spans of an attempt: the downstream one, and under it one
// for each upstream request, from choosing the cluster to the last upstream byte.
func addGateway(p *process, sc *Scenario, r *request, server Server) {
	end := r.ingressEnd
	if sc.Gateway.EndAtHeaders {
		end = r.firstForwarded
	}
	ingress := p.within(r.ingressStart, end)
	ingress.trace, ingress.span, ingress.parent, ingress.name, ingress.kind = r.traceID, r.ingressSpan, r.clientSpan, "ingress", ptrace.SpanKindServer
	p.add(envoyScope, ingress, func(sp ptrace.Span) {
		a := sp.Attributes()
		a.PutStr("component", "proxy")
		a.PutStr("http.method", "POST")
		a.PutStr("http.url", "https://"+publicHost+requestPath(r, server))
		a.PutStr("http.protocol", "HTTP/2")
		a.PutStr("http.status_code", strconv.Itoa(r.answeredWith()))
		a.PutStr("upstream_cluster", "llm")
		a.PutStr("upstream_cluster.name", "llm")
		a.PutStr("guid:x-request-id", r.requestID)
		a.PutStr("response_flags", responseFlags[r.status])
		a.PutStr("request_size", strconv.Itoa(r.prompt*promptBytes))
		if r.status >= 500 {
			sp.Status().SetCode(ptrace.StatusCodeError)
		}
	})
	if r.other != nil {
		addUpstream(p, r.other, "router llm-prefill egress")
	}
	if r.egressStart > 0 {
		addUpstream(p, r, "router llm egress")
	}
}

// addUpstream writes the span of an upstream request.
func addUpstream(p *process, r *request, name string) {
	egress := p.within(r.egressStart, r.egressEnd)
	egress.trace, egress.span, egress.parent, egress.name, egress.kind = r.traceID, r.egressSpan, r.ingressSpan, name, ptrace.SpanKindClient
	cluster := strings.Fields(name)[1]
	p.add(envoyScope, egress, func(sp ptrace.Span) {
		a := sp.Attributes()
		a.PutStr("component", "proxy")
		a.PutStr("upstream_cluster", cluster)
		a.PutStr("upstream_cluster.name", cluster)
		a.PutStr("upstream_address", serverAddress(r.replica))
		if r.closed && r.firstAtGateway == 0 {
			a.PutStr("response_flags", responseFlags[r.status])
			sp.Status().SetCode(ptrace.StatusCodeError)
			return
		}
		a.PutStr("http.status_code", "200")
	})
}

// responseFlags are Envoy's reasons by the status that it answered: none, the client
// went away, too many requests upstream, and no answer from upstream in time.
var responseFlags = map[int]string{0: "-", 499: "DC", 503: "UO", 504: "UT"}
