package table

import (
	"cmp"
	"slices"
)

// Metric is one kind of reading in the engine_samples table.
type Metric struct {
	Name  string
	Unit  string // as in the unit column; empty for a plain number
	Total bool   // counts up since the engine started, in contrast to a reading of the moment
	Doc   string
}

// Metrics lists every metric that a reader may put into engine_samples, by name. The
// names are tailpath's own: what engines call by different names and units is one
// thing here.
func Metrics() []Metric { return slices.Clone(metrics) }

// MetricByName returns the declaration of a metric.
func MetricByName(name string) (Metric, bool) {
	i, ok := slices.BinarySearchFunc(metrics, name, func(m Metric, name string) int { return cmp.Compare(m.Name, name) })
	if !ok {
		return Metric{}, false
	}
	return metrics[i], true
}

var metrics = []Metric{
	{"accept_length", "tokens", false, "tokens accepted a step of speculative decoding, on average"},
	{"batch_cached_tokens", "tokens", false, "prompt tokens of one step that were found in the cache"},
	{"batch_decode_requests", "requests", false, "requests that decoded in one step"},
	{"batch_decode_tokens", "tokens", false, "tokens decoded in one step"},
	{"batch_prefill_requests", "requests", false, "requests that prefilled in one step"},
	{"batch_prefill_tokens", "tokens", false, "prompt tokens prefilled in one step"},
	{"batch_size", "requests", false, "requests in one batch"},
	{"bootstrap_requests", "requests", false, "requests that wait for the handshake between prefill and decode instances"},
	{"cached_tokens_total", "tokens", true, "prompt tokens found in the prefix cache"},
	{"compute_input_time_total", "ns", true, "time batches spent in copying their inputs"},
	{"compute_output_time_total", "ns", true, "time batches spent in copying their outputs"},
	{"compute_time_total", "ns", true, "time requests spent in execution"},
	{"cpu_kv_usage", "ratio", false, "share of the host's KV cache in use"},
	{"decode_time_total", "ns", true, "time requests spent from their first output token to their last"},
	{"deferred", "requests", false, "waiting requests that cannot be scheduled yet for another reason than capacity"},
	{"executions_total", "batches", true, "batches executed"},
	{"external_prefix_hit_rate", "ratio", false, "share of prompt tokens found in a cache outside the engine"},
	{"generation_throughput", "tokens/s", false, "output tokens a second"},
	{"generation_tokens_total", "tokens", true, "output tokens"},
	{"gpu_engine_active", "ratio", false, "share of time in which the compute engine of a GPU, or of a part of one, was busy"},
	{"gpu_memory_active", "ratio", false, "share of cycles in which a GPU's memory moved data"},
	{"gpu_memory_free", "bytes", false, "free memory of a GPU"},
	{"gpu_memory_used", "bytes", false, "memory of a GPU in use"},
	{"gpu_power", "W", false, "power draw of a GPU"},
	{"gpu_tensor_active", "ratio", false, "share of cycles in which a GPU's tensor cores worked"},
	{"gpu_utilization", "ratio", false, "share of time in which anything ran on a GPU"},
	{"inferences_total", "inferences", true, "inferences done, one for each item of a batch"},
	{"inflight_requests", "requests", false, "requests whose KV cache is on its way to another instance"},
	{"kv_tokens", "tokens", false, "tokens held in the KV cache"},
	{"kv_transfer_bytes_mean", "bytes", false, "size of a transfer of the KV cache, on average"},
	{"kv_transfer_time_mean", "ns", false, "time of a transfer of the KV cache, on average"},
	{"kv_transfer_time_p90", "ns", false, "90th percentile of the time of a transfer of the KV cache"},
	{"kv_transfers", "transfers", false, "transfers of the KV cache since the last reading"},
	{"kv_usage", "ratio", false, "share of the KV cache in use"},
	{"mm_hit_rate", "ratio", false, "share of multi-modal inputs found in the cache"},
	{"pending_requests", "requests", false, "requests that wait inside the server to be executed"},
	{"pending_tokens", "tokens", false, "prompt tokens that wait to be prefilled"},
	{"prealloc_requests", "requests", false, "requests that wait for room in the KV cache of the decode instance"},
	{"preemptions", "requests", false, "requests preempted since the last reading"},
	{"preemptions_total", "requests", true, "requests preempted"},
	{"prefill_time_total", "ns", true, "time requests spent from the start of their execution to their first output token"},
	{"prefix_hit_rate", "ratio", false, "share of prompt tokens found in the prefix cache"},
	{"prompt_throughput", "tokens/s", false, "prompt tokens a second"},
	{"prompt_tokens_total", "tokens", true, "prompt tokens"},
	{"queried_tokens_total", "tokens", true, "prompt tokens looked up in the prefix cache"},
	{"queue_time_total", "ns", true, "time requests spent waiting in the server"},
	{"request_time_total", "ns", true, "time requests spent in the server"},
	{"requests_failed_total", "requests", true, "requests that failed"},
	{"requests_total", "requests", true, "requests that succeeded"},
	{"retracted", "requests", false, "requests that were taken out of their batch again and wait"},
	{"running", "requests", false, "requests that are being executed"},
	{"step_time", "ns", false, "time of one step of the engine"},
	{"swapped", "requests", false, "requests whose KV cache was moved to the host's memory"},
	{"waiting", "requests", false, "requests that wait to be executed"},
}

// Whereabouts returns what the attributes of a resource say of where a process runs, as
// the scopes table has it; 0 for what they do not tell.
func (s *Set) Whereabouts(resource []Attr) (service, host, instance Sym) {
	return s.firstOf(resource, "service.name"), s.firstOf(resource, hostKeys...), s.firstOf(resource, instanceKeys...)
}

// Target returns host and instance of what a collector scraped, by the attributes that
// it gives the resource of a target; 0 for what they do not tell.
func (s *Set) Target(resource []Attr) (host, instance Sym) {
	return s.firstOf(resource, "server.address", "net.host.name"), s.firstOf(resource, "service.instance.id")
}
