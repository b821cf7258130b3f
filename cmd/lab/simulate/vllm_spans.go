package simulate

import (
	"math/rand/v2"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

const (
	vllmService = "vllm-server"
	// serverHost is the host of a server that is alone.
	serverHost = "gpu-a-01"
	vllmModel  = "meta-llama/Llama-3.1-8B-Instruct"
)

var (
	vllmScope   = scope{name: "vllm.tracing.otel"}
	vllmV0Scope = scope{name: "vllm.llm_engine"}
)

// bootNS is when the engine's host booted, the origin of its monotonic clock.
const bootNS = epochNS - 412_345_678_901_234

// wallSeconds is Python's time.time() at instant t: float64 seconds.
func wallSeconds(t int64) float64 { return float64(t) / 1e9 }

// steadySeconds is Python's time.monotonic() at instant t.
func steadySeconds(t int64) float64 { return float64(t-bootNS) / 1e9 }

// fromSeconds is the int(x * 1e9) with which vLLM and SGLang turn their float
// seconds into a span's timestamp.
func fromSeconds(x float64) int64 { return int64(x * 1e9) }

// vllmResource describes one of vLLM's processes.
func vllmResource(module, pid string, more func(pcommon.Map)) func(pcommon.Map) {
	return func(attrs pcommon.Map) {
		sdk(attrs, "python")
		attrs.PutStr("vllm.instrumenting_module_name", module)
		attrs.PutStr("vllm.process_id", pid)
		if more != nil {
			more(attrs)
		}
	}
}

// vllmID is the llm_request span of a request: from the rounded arrival to the
// exact end.
func (x *exporter) vllmID(p *process, r *request) spanID {
	id := p.within(r.arrival, r.spanEnd)
	id.trace, id.parent, id.name, id.kind = r.traceID, r.egressSpan, "llm_request", ptrace.SpanKindServer
	id.start = fromSeconds(wallSeconds(id.start))
	fill(x.ids, id.span[:])
	return id
}

// mostTokens is the limit that reaches the engine: a server that only prefills is
// asked for a single token.
func (r *request) mostTokens() int64 {
	if r.role == RolePrefill {
		return 1
	}
	return int64(r.class.MaxTokens)
}

// vllm writes the V1 engine's span of a request, which there is only if it was
// served to its end.
func (x *exporter) vllm(p *process, r *request) {
	r.engineID = "chatcmpl-" + r.requestID
	if r.spanEnd == 0 {
		return
	}
	p.add(vllmScope, x.vllmID(p, r), func(sp ptrace.Span) {
		wall, steady := wallClock(p), steadyClock(p)
		arrival := wall(r.arrival)
		scheduled, first, last := steady(r.scheduled), steady(r.firstToken), steady(r.lastToken)
		a := sp.Attributes()
		a.PutDouble("gen_ai.latency.time_to_first_token", wall(r.firstOutput)-arrival)
		a.PutDouble("gen_ai.latency.e2e", wall(r.lastOutput)-arrival)
		a.PutDouble("gen_ai.latency.time_in_queue", scheduled-steady(r.queued))
		a.PutInt("gen_ai.usage.prompt_tokens", int64(r.prompt))
		a.PutInt("gen_ai.usage.completion_tokens", int64(r.output))
		a.PutDouble("gen_ai.latency.time_in_model_prefill", first-scheduled)
		a.PutDouble("gen_ai.latency.time_in_model_decode", last-first)
		a.PutDouble("gen_ai.latency.time_in_model_inference", last-scheduled)
		a.PutStr("gen_ai.request.id", r.engineID)
		a.PutDouble("gen_ai.request.top_p", 0.95)
		a.PutInt("gen_ai.request.max_tokens", r.mostTokens())
		if !r.greedy {
			a.PutDouble("gen_ai.request.temperature", 0.7)
		}
		a.PutInt("gen_ai.request.n", 1)
	})
}

// wallClock and steadyClock are the two clocks of a process's host, in float seconds
// of a true instant.
func wallClock(p *process) func(int64) float64 {
	return func(t int64) float64 { return wallSeconds(p.at(t)) }
}

func steadyClock(p *process) func(int64) float64 {
	return func(t int64) float64 { return steadySeconds(p.at(t) - p.clock.OffsetNS) }
}

// loading is the worker process behind an engine that loads, with the spans of that.
func (x *exporter) loading(api *process) *process {
	worker := &process{service: api.service, host: api.host, instance: api.instance, clock: api.clock,
		resource: vllmResource("vllm.worker", "455", func(attrs pcommon.Map) {
			attrs.PutStr("vllm.process_kind", "worker")
			attrs.PutStr("vllm.process_name", "Worker_TP0")
		})}
	addLoading(worker, &x.sc.Cold, x.ids)
	return worker
}

// addLoading writes the spans with which a worker reports its start: internal
// spans of traces of their own, which belong to no request.
func addLoading(p *process, cold *Cold, ids *rand.Rand) {
	loaded := epochNS + cold.LoadNS
	var load, warm spanID
	load = p.within(epochNS, loaded)
	load.name, load.kind = "Load model", ptrace.SpanKindInternal
	fill(ids, load.trace[:])
	fill(ids, load.span[:])
	weights := p.within(epochNS+cold.LoadNS/50, loaded-cold.LoadNS/50)
	weights.trace, weights.parent, weights.name, weights.kind = load.trace, load.span, "Load weights", ptrace.SpanKindInternal
	fill(ids, weights.span[:])
	warm = p.within(loaded, cold.readyNS())
	warm.name, warm.kind = "Warmup (GPU)", ptrace.SpanKindInternal
	fill(ids, warm.trace[:])
	fill(ids, warm.span[:])
	for _, x := range []struct {
		id                        spanID
		namespace, function, file string
		line                      int64
	}{
		{load, "vllm.v1.worker.gpu_model_runner", "GPUModelRunner.load_model", "vllm/v1/worker/gpu_model_runner.py", 4871},
		{weights, "vllm.model_executor.model_loader.default_loader", "DefaultModelLoader.load_weights", "vllm/model_executor/model_loader/default_loader.py", 292},
		{warm, "vllm.v1.worker.gpu_worker", "Worker.compile_or_warm_up_model", "vllm/v1/worker/gpu_worker.py", 488},
	} {
		p.add(vllmScope, x.id, func(sp ptrace.Span) {
			a := sp.Attributes()
			a.PutStr("code.namespace", x.namespace)
			a.PutStr("code.function", x.function)
			a.PutStr("code.filepath", x.file)
			a.PutInt("code.lineno", x.line)
		})
	}
}

// vllmV0 writes the V0 engine's span of a request, which there is only if it was
// served to its end. All its latencies are differences of wall-clock float seconds and
// its queue counts from arrival.
func (x *exporter) vllmV0(p *process, r *request) {
	r.engineID = "chatcmpl-" + r.requestID
	if r.spanEnd == 0 {
		return
	}
	p.add(vllmV0Scope, x.vllmID(p, r), func(sp ptrace.Span) {
		wall := wallClock(p)
		arrival := wall(r.arrival)
		temperature := 0.7
		if r.greedy {
			temperature = 0
		}
		a := sp.Attributes()
		a.PutStr("gen_ai.response.model", vllmModel)
		a.PutStr("gen_ai.request.id", r.engineID)
		a.PutDouble("gen_ai.request.temperature", temperature)
		a.PutDouble("gen_ai.request.top_p", 0.95)
		a.PutInt("gen_ai.request.max_tokens", r.mostTokens())
		a.PutInt("gen_ai.request.n", 1)
		a.PutInt("gen_ai.usage.num_sequences", 1)
		a.PutInt("gen_ai.usage.prompt_tokens", int64(r.prompt))
		a.PutInt("gen_ai.usage.completion_tokens", int64(r.output))
		a.PutDouble("gen_ai.latency.time_in_queue", wall(r.scheduled)-arrival)
		a.PutDouble("gen_ai.latency.time_to_first_token", wall(r.firstOutput)-arrival)
		a.PutDouble("gen_ai.latency.e2e", wall(r.lastOutput)-arrival)
		a.PutDouble("gen_ai.latency.time_in_scheduler", float64(r.scheduleNS)/1e9)
		a.PutDouble("gen_ai.latency.time_in_model_forward", float64(r.forwardNS)/1e9)
		a.PutDouble("gen_ai.latency.time_in_model_execute", float64(r.executeNS)/1e9)
	})
}
