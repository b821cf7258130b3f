package reports

// suggestion is what to look at when a stage, or a sub-label of one, takes long: a command over
// the same inputs, and what of the server tells more.
type suggestion struct {
	command []string // the first word is the command, the others go behind the operands
	look    string   // what to do beside it
}

// suggestions are those of sub-labels, as STAGE/DETAIL, and of stages. Names of settings and
// metrics are those that the servers document.
var suggestions = map[string]suggestion{
	"queue": {[]string{"queue"},
		"look at the queue length and the concurrency limit of the server that requests waited for"},
	"queue/engine": {[]string{"queue", "--by", "host,model"},
		"look at vllm:num_requests_waiting and vllm:kv_cache_usage_perc, which say whether slots (--max-num-seqs) or KV cache blocks run out, or for SGLang at #queue-req and token usage against --max-running-requests"},
	"queue/admission": {[]string{"queue", "--by", "route"},
		"look at the limits of the gateway: HAProxy maxconn and qcur, Envoy max_pending_requests, nginx limit_conn and limit_req"},
	"queue/preempted": {[]string{"capacity"},
		"look at vllm:num_preemptions_total: the KV cache is too small for what runs at once; try fewer --max-num-seqs or more --gpu-memory-utilization"},
	"queue/batch_delay": {[]string{"queue", "--by", "model"},
		"look at max_queue_delay_microseconds and preferred_batch_size of Triton's dynamic_batching"},
	"queue/retry_backoff": {[]string{"queue", "--by", "attempts"},
		"look at the retry policy of who calls, and at why the first attempts failed"},
	"network": {[]string{"summary", "--by", "route"},
		"see where the callers are, and look at loss and round trips on the way: ss -ti shows retransmits and rtt of a connection"},
	"network/connect": {[]string{"summary", "--by", "service"},
		"see whether connections are kept alive: nginx keepalive of the upstream, and the pool of the client"},
	"network/upload": {[]string{"summary", "--by", "route"},
		"look at the size of request bodies, and nginx client_body_buffer_size and proxy_request_buffering"},
	"gateway": {[]string{"summary", "--by", "route"},
		"look at the log of the gateway: nginx $request_time against $upstream_response_time, Envoy %DURATION% against %RESPONSE_DURATION%; plugins, authentication and filters are the difference"},
	"scheduling": {[]string{"summary", "--by", "host"},
		"look at the CPU of the engine's host: whether the processes that tokenize, schedule and detokenize are throttled or at 100 %"},
	"scheduling/frontend": {[]string{"queue", "--by", "host"},
		"look at the log of the API server from its start on, and its CPU: loading and compiling at the start, or a process at 100 % (vLLM: --api-server-count)"},
	"scheduling/ipc": {[]string{"queue", "--by", "host"},
		"look at the log of the engine from its start on: it takes no request while it loads or compiles; else the CPU of the engine's process"},
	"scheduling/tokenize": {[]string{"summary", "--by", "model"},
		"look at the length of prompts and the CPU of the API server, which tokenizes"},
	"scheduling/route": {[]string{"summary", "--by", "service"},
		"look at the log and the CPU of the router or endpoint picker, and at how old its metrics of the engines are"},
	"gpu": {[]string{"capacity"},
		"see whether slow requests have more tokens or each token takes longer; then look at clocks and throttling: nvidia-smi -q -d PERFORMANCE"},
	"gpu/prefill": {[]string{"queue"},
		"see whether prompts are longer or a token of them takes longer; look at --max-num-batched-tokens, chunked prefill and the hit rate of the prefix cache (vllm:prefix_cache_hits_total)"},
	"gpu/decode": {[]string{"capacity"},
		"see whether answers are longer or a token takes longer as more requests run at once: --max-num-seqs trades one for the other"},
	"transfer": {[]string{"summary", "--by", "host"},
		"look at the way that the payload takes: PCIe, the network between instances, or a client that reads slowly"},
	"transfer/kv": {[]string{"summary", "--by", "host"},
		"look at the log of the KV connector on both instances, and the bandwidth between them"},
	"transfer/response": {[]string{"summary", "--by", "route"},
		"look for clients that read slowly: nginx $request_time far above $upstream_response_time, and proxy_buffering"},
	"application": {[]string{"summary", "--by", "service"},
		"look at the spans of that service in the slow requests, and what it waits for itself"},
	unattributed: {[]string{"inspect"},
		"see which instrumentation is missing; engines tell of queue, prefill and decode if asked to (vLLM: --otlp-traces-endpoint), and logs of gateway and engine fill gaps"},
}

// check says what to look at next for a bottleneck.
func (r Run) check(b Bottleneck) string {
	s, ok := suggestions[b.Stage+"/"+b.Detail]
	if !ok {
		s = suggestions[b.Stage]
	}
	if len(s.command) == 0 {
		return ""
	}
	command := r.command(s.command[0], s.command[1:]...)
	if s.command[0] != "inspect" { // which is about all that was recorded
		command += r.Choice
	}
	return command + "; " + s.look
}
