package simulate

import (
	"fmt"
	"math/rand/v2"
	"sort"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// A batch processor exports what has ended every exportNS, and earlier when
// exportSpans have gathered. These are the defaults of the OpenTelemetry SDKs.
const (
	exportNS    = 5 * s
	exportSpans = 512
)

// scope is an instrumentation scope.
type scope struct{ name, version string }

// span is a finished span of a process: when it ended, which is when it is handed
// to the exporter, and how to write it.
type span struct {
	end   int64
	scope scope
	write func(ptrace.Span)
}

// process is one process that exports spans: its resource and what it finished.
type process struct {
	service  string
	host     string
	instance string
	// resource adds attributes beyond the service's and the host's names.
	resource func(pcommon.Map)
	clock    HostClock
	spans    []span
}

// at is what the clock of the process's host shows at a true instant.
func (p *process) at(t int64) int64 { return p.clock.shown(t) }

// within returns a span of the process over [start, end) of true time.
func (p *process) within(start, end int64) spanID {
	return spanID{start: p.at(start), end: p.at(end), ended: end}
}

// add books a finished span.
func (p *process) add(sc scope, id spanID, write func(ptrace.Span)) {
	p.spans = append(p.spans, span{end: id.ended, scope: sc, write: func(sp ptrace.Span) {
		sp.SetTraceID(id.trace)
		sp.SetSpanID(id.span)
		sp.SetParentSpanID(id.parent)
		sp.SetName(id.name)
		sp.SetKind(id.kind)
		sp.SetStartTimestamp(pcommon.Timestamp(id.start))
		sp.SetEndTimestamp(pcommon.Timestamp(id.end))
		write(sp)
	}})
}

// spanID is what every span has: identifiers, name, kind and bounds in ns. The bounds
// are what the host's clock showed; ended is the true end, which decides when the
// span is exported.
type spanID struct {
	trace        [16]byte
	span, parent [8]byte
	name         string
	kind         ptrace.SpanKind
	start, end   int64
	ended        int64
}

// batches returns what the process exported, with the instant of each export.
func (p *process) batches() (out []ptrace.Traces, at []int64) {
	sort.SliceStable(p.spans, func(i, j int) bool { return p.spans[i].end < p.spans[j].end })
	for i := 0; i < len(p.spans); {
		tick := (p.spans[i].end-epochNS)/exportNS + 1
		n := 0
		for i+n < len(p.spans) && n < exportSpans && (p.spans[i+n].end-epochNS)/exportNS+1 == tick {
			n++
		}
		exported := epochNS + tick*exportNS
		if n == exportSpans {
			exported = p.spans[i+n-1].end
		}
		out, at = append(out, p.batch(p.spans[i:i+n])), append(at, exported)
		i += n
	}
	return out, at
}

// batch writes spans of the process as one export.
func (p *process) batch(spans []span) ptrace.Traces {
	traces := ptrace.NewTraces()
	rs := traces.ResourceSpans().AppendEmpty()
	attrs := rs.Resource().Attributes()
	attrs.PutStr("service.name", p.service)
	attrs.PutStr("host.name", p.host)
	attrs.PutStr("service.instance.id", p.instance)
	p.resource(attrs)
	var seen []scope
	for _, x := range spans {
		i := 0
		for i < len(seen) && seen[i] != x.scope {
			i++
		}
		if i == len(seen) {
			seen = append(seen, x.scope)
			ss := rs.ScopeSpans().AppendEmpty()
			ss.Scope().SetName(x.scope.name)
			ss.Scope().SetVersion(x.scope.version)
		}
		x.write(rs.ScopeSpans().At(i).Spans().AppendEmpty())
	}
	return traces
}

// service merges the exports of a service's processes in order of time.
func service(processes []*process) Service {
	out := Service{Name: processes[0].service}
	var at []int64
	for _, p := range processes {
		batches, exported := p.batches()
		out.Batches, at = append(out.Batches, batches...), append(at, exported...)
	}
	sort.Stable(byTime{out.Batches, at})
	return out
}

// byTime sorts batches by their instant of export.
type byTime struct {
	batches []ptrace.Traces
	at      []int64
}

func (b byTime) Len() int           { return len(b.at) }
func (b byTime) Less(i, j int) bool { return b.at[i] < b.at[j] }
func (b byTime) Swap(i, j int) {
	b.batches[i], b.batches[j] = b.batches[j], b.batches[i]
	b.at[i], b.at[j] = b.at[j], b.at[i]
}

// export writes every span of the finished calls. Visits are all their attempts.
func export(sc *Scenario, seed uint64, server Server, calls []*call, visits []*request) []Service {
	clocks := hostClocks(sc.Clocks)
	clients := make([]*process, len(sc.Routes))
	for i := range sc.Routes {
		clients[i] = newClient(&sc.Routes[i], i, clocks)
	}
	gateway := newGateway(clocks)
	for _, c := range calls {
		p := clients[c.attempts[0].region]
		if sc.Client.repeats() {
			addCall(p, c)
		}
		for _, r := range c.attempts {
			addClient(p, sc, r, server)
			addGateway(gateway, sc, r, server)
		}
	}
	x := &exporter{sc: sc, ids: stream(seed, sc.Name, "ids/"+string(server))}
	var resource func(pcommon.Map)
	var add func(*process, *request)
	switch server {
	case Triton:
		resource, add = language("cpp"), x.triton
	case SGLang:
		resource, add = language("python"), x.sglang
	case TGI:
		resource, add = language("rust"), x.tgi
	case VLLMV0:
		resource, add = language("python"), x.vllmV0
	default:
		resource, add = vllmResource("vllm.llm_engine", "417", nil), x.vllm
	}
	var servers []*process
	for i, place := range sc.replicas() {
		servers = append(servers, &process{service: serverService(server), host: place.Host, instance: serverInstance(server, i),
			resource: resource, clock: clocks.of(place.Host)})
	}
	for _, r := range visits {
		if r.egressStart > 0 && (r.arrival > 0 || server == Triton) {
			add(servers[r.replica], r)
		}
	}
	if server == VLLM && sc.Cold.readyNS() > epochNS {
		for _, p := range servers {
			servers = append(servers, x.loading(p))
		}
	}
	return []Service{service(clients), service([]*process{gateway}), service(servers)}
}

// exporter writes the spans of a server's requests. Each visit is given to it once,
// in order.
type exporter struct {
	sc  *Scenario
	ids *rand.Rand
}

// language is a resource that says no more than the language of its SDK.
func language(name string) func(pcommon.Map) {
	return func(attrs pcommon.Map) { sdk(attrs, name) }
}

// sdk writes the telemetry.sdk attributes.
func sdk(attrs pcommon.Map, language string) {
	attrs.PutStr("telemetry.sdk.language", language)
	attrs.PutStr("telemetry.sdk.name", "opentelemetry")
}

// instance is a stable service.instance.id.
func instance(service string, i int) string { return fmt.Sprintf("%s-%d", service, i) }
