package simulate

import (
	"fmt"
	"strconv"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

const (
	clientService  = "chat-frontend"
	gatewayService = "edge-proxy"
	publicHost     = "llm.example"
	grpcService    = "inference.GRPCInferenceService"
	modelName      = "llm"
)

var (
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

// newClient is the client process of one route.
func newClient(route *Route, i int) *process {
	return &process{
		service: clientService, host: fmt.Sprintf("web-%s-1", route.Region), instance: instance(clientService, i),
		resource: func(attrs pcommon.Map) {
			attrs.PutStr("cloud.region", route.Region)
			sdk(attrs, "go")
		},
	}
}

// addClient writes the client's span: from issuing the request to the last byte
// of its response.
func addClient(p *process, r *request, server Server) {
	id := spanID{trace: r.traceID, span: r.clientSpan, name: "POST", kind: ptrace.SpanKindClient, start: r.sent, end: r.clientEnd}
	if r.grpc && server == Triton {
		id.name = grpcService + "/ModelInfer"
		p.add(grpcClientScope, id, func(sp ptrace.Span) {
			a := sp.Attributes()
			a.PutStr("rpc.system", "grpc")
			a.PutStr("rpc.service", grpcService)
			a.PutStr("rpc.method", "ModelInfer")
			a.PutStr("server.address", publicHost)
			a.PutInt("server.port", 443)
			a.PutInt("rpc.grpc.status_code", 0)
		})
		return
	}
	p.add(httpClientScope, id, func(sp ptrace.Span) {
		a := sp.Attributes()
		a.PutStr("http.request.method", "POST")
		a.PutStr("server.address", publicHost)
		a.PutInt("server.port", 443)
		a.PutStr("url.full", "https://"+publicHost+requestPath(r, server))
		a.PutInt("http.response.status_code", 200)
	})
}

// newGateway is the Envoy process.
func newGateway() *process {
	return &process{service: gatewayService, host: "edge-1", instance: instance(gatewayService, 0),
		resource: func(pcommon.Map) {}}
}

// addGateway writes Envoy's two spans: the downstream one, and under it the
// upstream one from choosing the cluster to the last upstream byte.
func addGateway(p *process, r *request, server Server) {
	ingress := spanID{trace: r.traceID, span: r.ingressSpan, parent: r.clientSpan, name: "ingress",
		kind: ptrace.SpanKindServer, start: r.ingressStart, end: r.ingressEnd}
	p.add(envoyScope, ingress, func(sp ptrace.Span) {
		a := sp.Attributes()
		a.PutStr("component", "proxy")
		a.PutStr("http.method", "POST")
		a.PutStr("http.url", "https://"+publicHost+requestPath(r, server))
		a.PutStr("http.protocol", "HTTP/2")
		a.PutStr("http.status_code", "200")
		a.PutStr("upstream_cluster", "llm")
		a.PutStr("upstream_cluster.name", "llm")
		a.PutStr("guid:x-request-id", r.requestID)
		a.PutStr("response_flags", "-")
		a.PutStr("request_size", strconv.Itoa(r.prompt*promptBytes))
	})
	egress := spanID{trace: r.traceID, span: r.egressSpan, parent: r.ingressSpan, name: "router llm egress",
		kind: ptrace.SpanKindClient, start: r.egressStart, end: r.egressEnd}
	p.add(envoyScope, egress, func(sp ptrace.Span) {
		a := sp.Attributes()
		a.PutStr("component", "proxy")
		a.PutStr("upstream_cluster", "llm")
		a.PutStr("upstream_cluster.name", "llm")
		a.PutStr("upstream_address", "10.0.1.5:8000")
		a.PutStr("http.status_code", "200")
	})
}
