package otlp

import (
	"bytes"
	"strings"

	"github.com/tailpath/tailpath/ingest/table"
)

// part is what of a point a series is read from.
type part uint8

const (
	partNumber part = iota
	partCount       // how many values a histogram or summary saw
	partSum         // what they add up to
)

// series is one reading that a metric gives.
type series struct {
	of       *exporter
	name     string // of the metric, as its exporter spells it
	part     part
	metric   string // name in table.Metrics
	scale    float64
	where    string // attribute that must have the value is; "" for none
	is       string
	total    bool   // of the metric
	unit     string // of the metric
	interval string // metric of readings with delta temporality; "" for none
}

// exporter is what series of one source have in common.
type exporter struct {
	engine [][]string // attributes that name the engine together; of each group the first that is there
	ranks  [][]string // attributes of the workers of one engine, who all report the same
	host   [][]string // attributes that name the host before the resource does
	device bool       // the engine is a device
	series []series
}

const (
	second      = 1e9 // in ns
	millisecond = 1e6
	microsecond = 1e3
	mebibyte    = 1 << 20 // in bytes
	percent     = 1e-2    // in ratio
)

var byModelAndEngine = [][]string{{"model_name", "model"}, {"engine", "dp_rank"}}

// exporters lists the series that are read, by who exports them. What the scale turns
// a value into is the unit of the metric.
var exporters = []*exporter{vllm, sglang, triton, tritonGPU, dcgm, hardware, tgi, trtllm, llamacpp, lmdeploy}

var vllm = &exporter{engine: byModelAndEngine, series: []series{
	{name: "vllm:num_requests_running", metric: "running"},
	{name: "vllm:num_requests_waiting", metric: "waiting"},
	{name: "vllm:num_requests_waiting_by_reason", metric: "deferred", where: "reason", is: "deferred"},
	{name: "vllm:num_requests_swapped", metric: "swapped"},
	{name: "vllm:kv_cache_usage_perc", metric: "kv_usage"},
	{name: "vllm:gpu_cache_usage_perc", metric: "kv_usage"},
	{name: "vllm:cpu_cache_usage_perc", metric: "cpu_kv_usage"},
	{name: "vllm:gpu_prefix_cache_hit_rate", metric: "prefix_hit_rate"},
	{name: "vllm:prefix_cache_queries_total", metric: "queried_tokens_total"},
	{name: "vllm:prefix_cache_hits_total", metric: "cached_tokens_total"},
	{name: "vllm:gpu_prefix_cache_queries_total", metric: "queried_tokens_total"},
	{name: "vllm:gpu_prefix_cache_hits_total", metric: "cached_tokens_total"},
	{name: "vllm:num_preemptions_total", metric: "preemptions_total"},
	{name: "vllm:prompt_tokens_total", metric: "prompt_tokens_total"},
	{name: "vllm:generation_tokens_total", metric: "generation_tokens_total"},
	{name: "vllm:request_success_total", metric: "requests_total"},
	{name: "vllm:avg_prompt_throughput_toks_per_s", metric: "prompt_throughput"},
	{name: "vllm:avg_generation_throughput_toks_per_s", metric: "generation_throughput"},
	{name: "vllm:e2e_request_latency_seconds", part: partSum, metric: "request_time_total", scale: second},
	{name: "vllm:request_queue_time_seconds", part: partSum, metric: "queue_time_total", scale: second},
	{name: "vllm:request_inference_time_seconds", part: partSum, metric: "compute_time_total", scale: second},
	{name: "vllm:request_prefill_time_seconds", part: partSum, metric: "prefill_time_total", scale: second},
	{name: "vllm:request_decode_time_seconds", part: partSum, metric: "decode_time_total", scale: second},
}}

var sglang = &exporter{engine: byModelAndEngine, ranks: [][]string{{"tp_rank"}, {"pp_rank"}}, series: []series{
	{name: "sglang:num_running_reqs", metric: "running"},
	{name: "sglang:num_queue_reqs", metric: "waiting"},
	{name: "sglang:num_used_tokens", metric: "kv_tokens"},
	{name: "sglang:token_usage", metric: "kv_usage"},
	{name: "sglang:gen_throughput", metric: "generation_throughput"},
	{name: "sglang:cache_hit_rate", metric: "prefix_hit_rate"},
	{name: "sglang:spec_accept_length", metric: "accept_length"},
	{name: "sglang:num_retracted_reqs", metric: "retracted"},
	{name: "sglang:num_retracted_requests_total", metric: "preemptions_total"},
	{name: "sglang:num_prefill_bootstrap_queue_reqs", metric: "bootstrap_requests"},
	{name: "sglang:num_prefill_inflight_queue_reqs", metric: "inflight_requests"},
	{name: "sglang:num_prefill_prealloc_queue_reqs", metric: "bootstrap_requests"},
	{name: "sglang:num_decode_prealloc_queue_reqs", metric: "prealloc_requests"},
	{name: "sglang:num_decode_transfer_queue_reqs", metric: "inflight_requests"},
	{name: "sglang:prompt_tokens_total", metric: "prompt_tokens_total"},
	{name: "sglang:generation_tokens_total", metric: "generation_tokens_total"},
	{name: "sglang:cached_tokens_total", metric: "cached_tokens_total"},
	{name: "sglang:num_requests_total", metric: "requests_total"},
	{name: "sglang:num_aborted_requests_total", metric: "requests_failed_total"},
	{name: "sglang:e2e_request_latency_seconds", part: partSum, metric: "request_time_total", scale: second},
	{name: "sglang:queue_time_seconds", part: partSum, metric: "queue_time_total", scale: second},
}}

var triton = &exporter{engine: [][]string{{"model"}, {"version"}}, series: []series{
	{name: "nv_inference_request_success", metric: "requests_total"},
	{name: "nv_inference_request_failure", metric: "requests_failed_total"},
	{name: "nv_inference_count", metric: "inferences_total"},
	{name: "nv_inference_exec_count", metric: "executions_total"},
	{name: "nv_inference_pending_request_count", metric: "pending_requests"},
	{name: "nv_inference_request_duration_us", metric: "request_time_total", scale: microsecond},
	{name: "nv_inference_queue_duration_us", metric: "queue_time_total", scale: microsecond},
	{name: "nv_inference_compute_input_duration_us", metric: "compute_input_time_total", scale: microsecond},
	{name: "nv_inference_compute_infer_duration_us", metric: "compute_time_total", scale: microsecond},
	{name: "nv_inference_compute_output_duration_us", metric: "compute_output_time_total", scale: microsecond},
	{name: "nv_trt_llm_request_metrics", metric: "running", where: "request_type", is: "scheduled"},
	{name: "nv_trt_llm_request_metrics", metric: "waiting", where: "request_type", is: "waiting"},
	{name: "nv_trt_llm_kv_cache_block_metrics", metric: "kv_usage", where: "kv_cache_block_type", is: "fraction"},
}}

var tritonGPU = &exporter{engine: [][]string{{"gpu_uuid"}}, device: true, series: []series{
	{name: "nv_gpu_utilization", metric: "gpu_utilization"},
	{name: "nv_gpu_memory_used_bytes", metric: "gpu_memory_used"},
	{name: "nv_gpu_power_usage", metric: "gpu_power"},
}}

// A part of a GPU that has been divided is a device of its own.
var dcgm = &exporter{engine: [][]string{{"gpu", "UUID", "device"}, {"GPU_I_ID"}}, host: [][]string{{"Hostname"}}, device: true, series: []series{
	{name: "DCGM_FI_DEV_GPU_UTIL", metric: "gpu_utilization", scale: percent},
	{name: "DCGM_FI_DEV_FB_USED", metric: "gpu_memory_used", scale: mebibyte},
	{name: "DCGM_FI_DEV_FB_FREE", metric: "gpu_memory_free", scale: mebibyte},
	{name: "DCGM_FI_DEV_POWER_USAGE", metric: "gpu_power"},
	{name: "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", metric: "gpu_tensor_active"},
	{name: "DCGM_FI_PROF_GR_ENGINE_ACTIVE", metric: "gpu_engine_active"},
	{name: "DCGM_FI_PROF_DRAM_ACTIVE", metric: "gpu_memory_active"},
}}

// hardware is OpenTelemetry's own convention. The utilization of encoders and decoders
// is not that of the GPU.
var hardware = &exporter{engine: [][]string{{"hw.id", "hw.name"}}, device: true, series: []series{
	{name: "hw.gpu.utilization", metric: "gpu_utilization", where: "hw.gpu.task", is: "general"},
	{name: "hw.gpu.utilization", metric: "gpu_utilization", where: "hw.gpu.task", is: ""},
	{name: "hw.gpu.memory.usage", metric: "gpu_memory_used"},
	{name: "hw.power", metric: "gpu_power", where: "hw.type", is: "gpu"},
}}

var tgi = &exporter{engine: [][]string{{"model_id", "model"}}, series: []series{
	{name: "tgi_queue_size", metric: "waiting"},
	{name: "tgi_batch_current_size", metric: "running"},
	{name: "tgi_request_success", metric: "requests_total"},
	{name: "tgi_request_failure", metric: "requests_failed_total"},
	{name: "tgi_request_duration", part: partSum, metric: "request_time_total", scale: second},
	{name: "tgi_request_queue_duration", part: partSum, metric: "queue_time_total", scale: second},
	{name: "tgi_request_inference_duration", part: partSum, metric: "compute_time_total", scale: second},
	{name: "tgi_request_input_length", part: partSum, metric: "prompt_tokens_total"},
	{name: "tgi_request_generated_tokens", part: partSum, metric: "generation_tokens_total"},
}}

var trtllm = &exporter{engine: byModelAndEngine, series: []series{
	{name: "trtllm_num_requests_running", metric: "running"},
	{name: "trtllm_num_requests_waiting", metric: "waiting"},
	{name: "trtllm_kv_cache_utilization", metric: "kv_usage"},
	{name: "trtllm_kv_cache_hit_rate", metric: "prefix_hit_rate"},
	{name: "trtllm_request_success_total", metric: "requests_total"},
	{name: "trtllm_e2e_request_latency_seconds", part: partSum, metric: "request_time_total", scale: second},
	{name: "trtllm_request_queue_time_seconds", part: partSum, metric: "queue_time_total", scale: second},
}}

var llamacpp = &exporter{engine: [][]string{{"model"}}, series: []series{
	{name: "llamacpp:requests_processing", metric: "running"},
	{name: "llamacpp:requests_deferred", metric: "waiting"},
	{name: "llamacpp:kv_cache_usage_ratio", metric: "kv_usage"},
	{name: "llamacpp:kv_cache_tokens", metric: "kv_tokens"},
	{name: "llamacpp:prompt_tokens_total", metric: "prompt_tokens_total"},
	{name: "llamacpp:tokens_predicted_total", metric: "generation_tokens_total"},
	{name: "llamacpp:prompt_tokens_seconds", metric: "prompt_throughput"},
	{name: "llamacpp:predicted_tokens_seconds", metric: "generation_throughput"},
	{name: "llamacpp:prompt_seconds_total", metric: "prefill_time_total", scale: second},
	{name: "llamacpp:tokens_predicted_seconds_total", metric: "decode_time_total", scale: second},
}}

var lmdeploy = &exporter{engine: byModelAndEngine, series: []series{
	{name: "lmdeploy:num_requests_running", metric: "running"},
	{name: "lmdeploy:num_requests_waiting", metric: "waiting"},
	{name: "lmdeploy:num_api_requests_waiting", metric: "pending_requests"},
	{name: "lmdeploy:gpu_cache_usage_perc", metric: "kv_usage"},
	{name: "lmdeploy:prompt_tokens_total", metric: "prompt_tokens_total"},
	{name: "lmdeploy:generation_tokens_total", metric: "generation_tokens_total"},
	{name: "lmdeploy:e2e_request_latency_seconds", part: partSum, metric: "request_time_total", scale: second},
	{name: "lmdeploy:request_queue_time_seconds", part: partSum, metric: "queue_time_total", scale: second},
	{name: "lmdeploy:request_prefill_time_seconds", part: partSum, metric: "prefill_time_total", scale: second},
	{name: "lmdeploy:request_decode_time_seconds", part: partSum, metric: "decode_time_total", scale: second},
}}

// knownSeries has every series by the folded name of its metric.
var knownSeries = func() map[string][]*series {
	known := map[string][]*series{}
	add := func(name string, s *series) {
		known[name] = append(known[name], s)
	}
	var all []*series
	for _, e := range exporters {
		for i := range e.series {
			s := &e.series[i]
			declared, ok := table.MetricByName(s.metric)
			if !ok {
				panic("otlp: there is no metric " + s.metric) // caught by the first test
			}
			s.of, s.total, s.unit = e, declared.Total, declared.Unit
			if s.scale == 0 {
				s.scale = 1
			}
			if interval, ok := table.MetricByName(strings.TrimSuffix(s.metric, "_total")); ok && s.total && interval.Unit == s.unit {
				s.interval = interval.Name
			}
			add(foldName(s.name), s)
			all = append(all, s)
			if s.part != partNumber {
				// Without the type of a metric a collector writes its parts as numbers.
				alone := *s
				alone.part = partNumber
				add(foldName(s.name)+[...]string{partCount: "_count", partSum: "_sum"}[s.part], &alone)
			}
		}
	}
	// Names without their endings, where nothing else goes by them. What has lost the
	// lesser ending goes first.
	for _, trim := range []func(string) string{trimTotal, trimUnit} {
		short := map[string][]*series{}
		for _, s := range all {
			name := trim(foldName(s.name))
			if _, taken := known[name]; !taken {
				short[name] = append(short[name], s)
			}
		}
		for name, list := range short {
			known[name] = list
		}
	}
	return known
}()

// foldName writes a name as all its spellings come to: a colon, dot, slash or dash is
// an underscore, and case does not matter. Ray puts a word of its own before vLLM's names.
func foldName(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune(":./-", r):
			return '_'
		case r >= 'A' && r <= 'Z':
			return r | 0x20
		}
		return r
	}, name)
	if vllm, ok := strings.CutPrefix(name, "ray_vllm_"); ok {
		return "vllm_" + vllm
	}
	return name
}

func trimTotal(name string) string { return strings.TrimSuffix(name, "_total") }

// trimUnit takes off the endings that a collector adds or takes off, too.
func trimUnit(name string) string {
	name = trimTotal(name)
	for _, unit := range []string{"_seconds", "_bytes", "_ratio", "_watts"} {
		if short, ok := strings.CutSuffix(name, unit); ok {
			return short
		}
	}
	return name
}

// find returns the series that a metric of the given name has; nil when there is none.
func (d *Decoder) find(name []byte) []*series {
	found, ok := d.found[string(name)]
	if ok {
		return found
	}
	folded := foldName(string(name))
	for _, spelling := range []string{folded, trimTotal(folded), trimUnit(folded)} {
		if found = knownSeries[spelling]; found != nil {
			break
		}
	}
	if d.found == nil || len(d.found) >= maxFound {
		d.found = map[string][]*series{}
	}
	d.found[string(name)] = found
	return found
}

// maxFound is how many names of metrics are remembered.
const maxFound = 1 << 14

// unitFactors has the factor to ns or bytes of the units that a metric may be said to
// have, by the unit of the reading.
var unitFactors = map[string]map[string]float64{
	"ns": {"s": second, "seconds": second, "ms": millisecond, "milliseconds": millisecond,
		"us": microsecond, "µs": microsecond, "microseconds": microsecond, "ns": 1, "nanoseconds": 1},
	"bytes": {"by": 1, "bytes": 1, "kiby": 1 << 10, "miby": mebibyte, "mib": mebibyte, "giby": 1 << 30,
		"kby": 1e3, "mby": 1e6, "gby": 1e9},
}

// factor returns what turns a value into the unit of the reading. A unit of time or
// size that the metric itself tells goes before the one that its name implies.
func (s *series) factor(unit []byte) float64 {
	if s.part == partCount || len(unit) == 0 {
		return s.scale
	}
	if f, ok := unitFactors[s.unit][string(bytes.ToLower(unit))]; ok {
		return f
	}
	return s.scale
}
