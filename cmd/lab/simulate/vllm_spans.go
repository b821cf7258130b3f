package simulate

import (
	"math/rand/v2"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

const (
	vllmService = "vllm-server"
	vllmHost    = "gpu-a-01"
	vllmModel   = "meta-llama/Llama-3.1-8B-Instruct"
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

func newVLLM(module, pid string, more func(pcommon.Map)) *process {
	return &process{service: vllmService, host: vllmHost, instance: instance(vllmService, 0),
		resource: func(attrs pcommon.Map) {
			sdk(attrs, "python")
			attrs.PutStr("vllm.instrumenting_module_name", module)
			attrs.PutStr("vllm.process_id", pid)
			if more != nil {
				more(attrs)
			}
		}}
}

// vllmID is the llm_request span of a request: from the rounded arrival to the
// exact end.
func vllmID(r *request, ids *rand.Rand) spanID {
	id := spanID{trace: r.traceID, parent: r.egressSpan, name: "llm_request", kind: ptrace.SpanKindServer,
		start: fromSeconds(wallSeconds(r.arrival)), end: r.spanEnd}
	fill(ids, id.span[:])
	return id
}

// vllmSpans writes the V1 engine's spans: one per request, and those of a cold
// start.
func vllmSpans(sc *Scenario, requests []*request, ids *rand.Rand) []*process {
	api := newVLLM("vllm.llm_engine", "417", nil)
	for _, r := range requests {
		api.add(vllmScope, vllmID(r, ids), func(sp ptrace.Span) {
			arrival := wallSeconds(r.arrival)
			scheduled, first, last := steadySeconds(r.scheduled), steadySeconds(r.firstToken), steadySeconds(r.lastToken)
			a := sp.Attributes()
			a.PutDouble("gen_ai.latency.time_to_first_token", wallSeconds(r.firstOutput)-arrival)
			a.PutDouble("gen_ai.latency.e2e", wallSeconds(r.lastOutput)-arrival)
			a.PutDouble("gen_ai.latency.time_in_queue", scheduled-steadySeconds(r.queued))
			a.PutInt("gen_ai.usage.prompt_tokens", int64(r.prompt))
			a.PutInt("gen_ai.usage.completion_tokens", int64(r.output))
			a.PutDouble("gen_ai.latency.time_in_model_prefill", first-scheduled)
			a.PutDouble("gen_ai.latency.time_in_model_decode", last-first)
			a.PutDouble("gen_ai.latency.time_in_model_inference", last-scheduled)
			a.PutStr("gen_ai.request.id", "chatcmpl-"+r.requestID)
			a.PutDouble("gen_ai.request.top_p", 0.95)
			a.PutInt("gen_ai.request.max_tokens", int64(r.class.MaxTokens))
			if !r.greedy {
				a.PutDouble("gen_ai.request.temperature", 0.7)
			}
			a.PutInt("gen_ai.request.n", 1)
		})
	}
	if sc.Cold.readyNS() == epochNS {
		return []*process{api}
	}
	worker := newVLLM("vllm.worker", "455", func(attrs pcommon.Map) {
		attrs.PutStr("vllm.process_kind", "worker")
		attrs.PutStr("vllm.process_name", "Worker_TP0")
	})
	addLoading(worker, &sc.Cold, ids)
	return []*process{api, worker}
}

// addLoading writes the spans with which a worker reports its start: internal
// spans of traces of their own, which belong to no request.
func addLoading(p *process, cold *Cold, ids *rand.Rand) {
	loaded := epochNS + cold.LoadNS
	var load, warm spanID
	load = spanID{name: "Load model", kind: ptrace.SpanKindInternal, start: epochNS, end: loaded}
	fill(ids, load.trace[:])
	fill(ids, load.span[:])
	weights := spanID{trace: load.trace, parent: load.span, name: "Load weights", kind: ptrace.SpanKindInternal,
		start: epochNS + cold.LoadNS/50, end: loaded - cold.LoadNS/50}
	fill(ids, weights.span[:])
	warm = spanID{name: "Warmup (GPU)", kind: ptrace.SpanKindInternal, start: loaded, end: cold.readyNS()}
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

// vllmV0Spans writes the V0 engine's spans. All its latencies are differences of
// wall-clock float seconds and its queue counts from arrival.
func vllmV0Spans(requests []*request, ids *rand.Rand) []*process {
	p := &process{service: vllmService, host: vllmHost, instance: instance(vllmService, 0),
		resource: func(attrs pcommon.Map) { sdk(attrs, "python") }}
	for _, r := range requests {
		p.add(vllmV0Scope, vllmID(r, ids), func(sp ptrace.Span) {
			arrival := wallSeconds(r.arrival)
			temperature := 0.7
			if r.greedy {
				temperature = 0
			}
			a := sp.Attributes()
			a.PutStr("gen_ai.response.model", vllmModel)
			a.PutStr("gen_ai.request.id", "chatcmpl-"+r.requestID)
			a.PutDouble("gen_ai.request.temperature", temperature)
			a.PutDouble("gen_ai.request.top_p", 0.95)
			a.PutInt("gen_ai.request.max_tokens", int64(r.class.MaxTokens))
			a.PutInt("gen_ai.request.n", 1)
			a.PutInt("gen_ai.usage.num_sequences", 1)
			a.PutInt("gen_ai.usage.prompt_tokens", int64(r.prompt))
			a.PutInt("gen_ai.usage.completion_tokens", int64(r.output))
			a.PutDouble("gen_ai.latency.time_in_queue", wallSeconds(r.scheduled)-arrival)
			a.PutDouble("gen_ai.latency.time_to_first_token", wallSeconds(r.firstOutput)-arrival)
			a.PutDouble("gen_ai.latency.e2e", wallSeconds(r.lastOutput)-arrival)
			a.PutDouble("gen_ai.latency.time_in_scheduler", float64(r.scheduleNS)/1e9)
			a.PutDouble("gen_ai.latency.time_in_model_forward", float64(r.forwardNS)/1e9)
			a.PutDouble("gen_ai.latency.time_in_model_execute", float64(r.executeNS)/1e9)
		})
	}
	return []*process{p}
}
