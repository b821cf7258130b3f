package serverlog

import (
	"strings"
	"testing"
)

// TestHardEngineLines reads lines of engines that are easily taken for something else:
// what must come of them, and what must not.
func TestHardEngineLines(t *testing.T) {
	const (
		vllm    = "INFO 08-20 12:00:00 [logger.py:39] Received request chatcmpl-1: prompt: 'x', params: SamplingParams(n=1)\n"
		success = `generate{parameters=GenerateParameters { best_of: None } total_time="1s" validation_time="1ms" queue_time="200ms" inference_time="799ms" time_per_token="14.827082ms" seed="None"}: text_generation_router::server: router/src/server.rs:289: Success` + "\n"
		launch  = "1.02.000.000 I slot launch_slot_: id  1 | task 9 | processing task, is_child = 0\n"
		receive = "[2026-08-20 12:00:00] Receive: obj=GenerateReqInput(rid='h', stream=True)\n"
	)
	for _, c := range []struct{ name, log, want, never string }{
		{
			"an unknown reason of vLLM ends a request and is not kept",
			vllm + "INFO 08-20 12:00:02 [request_logger.py:98] Generated response chatcmpl-1: output: 'x', finish_reason: secret\n",
			"span 2 vllm \"request\" 2026-08-20T12:00:00Z +2s error=1s id=\"chatcmpl-1\"\n", "secret",
		}, {
			"a record behind the reason without a line feed is read",
			vllm + "INFO 08-20 12:00:02 [request_logger.py:98] Generated response chatcmpl-1: output: 'x', finish_reason: stop(APIServer pid=4) INFO 08-20 12:00:03 [async_llm.py:271] Added request chatcmpl-2.\n",
			"finish_reason=\"stop\"\nlog 2 vllm vllm.added 2026-08-20T12:00:03Z INFO request_id=\"chatcmpl-2\"\n", "issue error",
		}, {
			"what is no id of vLLM is no request",
			vllm + "INFO 08-20 12:00:01 [x.py:1] Request body failed validation: secret\nINFO 08-20 12:00:02 [async_llm.py:643] Request chatcmpl-1 failed (bad request): secret.\n",
			"span 3 vllm \"request\" 2026-08-20T12:00:00Z +2s error=1s ERROR id=\"chatcmpl-1\" reason=\"failed\"\n", "body",
		}, {
			"the engine of vLLM is in the name of its process",
			"(EngineCore_1 pid=9) INFO 08-20 12:00:02 [core.py:371] Iteration(2): 0 context requests, 0 context tokens, 1 generation requests, 1 generation tokens, iteration elapsed time: 9.10 ms\n(EngineCore_DP2 pid=9) INFO 08-20 12:00:02 [core.py:371] Iteration(2): 0 context requests, 0 context tokens, 1 generation requests, 1 generation tokens, iteration elapsed time: 9.10 ms\n",
			"sample 2 vllm#2 2026-08-20T12:00:02Z batch_prefill_requests", "vllm 2026",
		}, {
			"KServe writes no process id in its request timing",
			"2026-08-20 12:00:18.000 kserve.trace requestId: r-4, preprocess_ms: 1.5, explain_ms: 0, predict_ms: 20.25, postprocess_ms: 0.25\n",
			"span 1 kserve \"request\" 2026-08-20T12:00:17.978Z +22ms error=1ms id=\"r-4\"\n", "unknown",
		}, {
			"KServe's access lines have a name and a process id",
			"2026-08-20 12:00:18.001 uvicorn.access INFO:     10.0.0.1:4123 1 - \"POST /v1/models/m:predict HTTP/1.1\" 200 OK\n",
			"uvicorn.access 2026-08-20T12:00:18.001Z INFO route=\"/v1/models/m:predict\" status=\"200\" method=\"POST\" client=\"10.0.0.1:4123\"\n", "unknown",
		}, {
			"a cancelled request of llama.cpp has failed and has an end",
			launch + "1.03.500.000 W srv          stop: cancel task, id_task = 9\n1.03.500.900 I slot      release: id  1 | task 9 | stop processing: n_tokens = 9, truncated = 0\n",
			"span 2 llamacpp \"request\" steady:1m2s +1.5s error=1µs ERROR task=\"9\" reason=\"cancel\"\n", "unfinished",
		}, {
			"several rids of SGLang are one request and are not kept",
			"[2026-08-20 12:00:00] Receive: obj=GenerateReqInput(rid=['a secret', 'b'], stream=False)\n[2026-08-20 12:00:03] Finish: obj=GenerateReqInput(rid=['a secret', 'b'], stream=False), out=[{'meta_info': {'id': 'a secret'}}]\n",
			"span 2 sglang \"request\" 2026-08-20T12:00:00Z +3s error=1s\n", "secret",
		}, {
			"a reason of SGLang that is no word is not kept",
			receive + "[2026-08-20 12:00:01] Finish: obj=GenerateReqInput(rid='h', stream=True), out={'meta_info': {'id': 'h', 'finish_reason': {'message': 'a secret'}, 'e2e_latency': 1.0}}\n",
			"span 2 sglang \"request\" 2026-08-20T12:00:00Z +1s error=1s id=\"h\"\n", "secret",
		}, {
			"retracted requests of SGLang are counted once for all ranks",
			"[2026-08-20 12:00:02 TP0] KV cache pool is full. Retract requests. #retracted_reqs: 2, #new_tokens_gained: 6, #new_token_ratio: 0.1 -> 0.3\n[2026-08-20 12:00:02 TP1] KV cache pool is full. Retract requests. #retracted_reqs: 2, #new_tokens_gained: 6, #new_token_ratio: 0.1 -> 0.3\n",
			"sample 1 sglang 2026-08-20T12:00:02Z preemptions 2 requests\nunused 1 copy of another rank: sglang.retract\n", "sample 2",
		}, {
			"a duration of SGLang that was never set makes no request of years",
			receive + "[2026-08-20 12:00:03 TP0] ReqTimeStats(rid=h, input_len=12, cached_input_len=0, output_len=96, attempts=0, type=unified): queue_duration=0.00ms, forward_duration=1787227203000.00ms, entry_time=1787227200.100\n",
			"+2.9s error=1s prompt=12 output=96 cached=0 id=\"h\"\n  +0s +2.9s unattributed/recorded times conflict residual [what is left over]\n", "gpu",
		}, {
			"an entry of SGLang that was never set leaves what is known",
			receive + "[2026-08-20 12:00:03 TP0] ReqTimeStats(rid=h, input_len=12, cached_input_len=0, output_len=96, attempts=0, type=unified): queue_duration=0.00ms, forward_duration=500.00ms, entry_time=0.000\n",
			"2026-08-20T12:00:00Z +3s error=1s prompt=12 output=96 cached=0 id=\"h\"\n", "1970",
		}, {
			"the HTTP request around a span of TGI",
			"2026-08-20T12:00:01.000000Z  INFO HTTP request{otel.name=POST / http.user_agent=curl/8 }: x: otel.kind=server trace_id=0af7651916cd43dd8448eb211c80319c}:" + success,
			"span 1 tgi \"generate\" 2026-08-20T12:00:00Z +1s error=1ms trace_id=\"0af7651916cd43dd8448eb211c80319c\"\n", "curl",
		}, {
			"and without a trace id, with a prompt in it",
			"2026-08-20T12:00:01.000000Z  INFO HTTP request{otel.name=POST /}:compat_generate{req=Json(CompatGenerateRequest { inputs: \"a secret total_time=\" })}:" + success,
			"span 1 tgi \"compat_generate\" 2026-08-20T12:00:00Z +1s error=1ms\n", "secret",
		}, {
			"the trace id of TGI's JSON is in the outermost span",
			`{"timestamp": "2026-08-20T12:00:01.000000Z", "level": "INFO", "message": "Success", "target": "text_generation_router::server", "span": {"total_time": "1s", "validation_time": "1ms", "queue_time": "200ms", "inference_time": "799ms", "name": "generate"}, "spans": [{"otel.name": "POST /", "http.user_agent": "curl/8", "trace_id": "0af7651916cd43dd8448eb211c80319c", "name": "HTTP request"}, {"total_time": "1s", "trace_id": "0af7651916cd43dd8448eb211c80319d", "name": "generate"}]}` + "\n",
			"span 1 tgi \"generate\" 2026-08-20T12:00:00Z +1s error=1ms trace_id=\"0af7651916cd43dd8448eb211c80319c\"\n", "curl",
		}, {
			"or in the handler's own span",
			`{"timestamp": "2026-08-20T12:00:01.000000Z", "level": "INFO", "message": "Success", "target": "text_generation_router::server", "span": {"total_time": "1s", "validation_time": "1ms", "queue_time": "200ms", "inference_time": "799ms", "trace_id": "0af7651916cd43dd8448eb211c80319c", "name": "generate"}, "spans": [{"total_time": "1s", "name": "generate"}]}` + "\n",
			"span 1 tgi \"generate\" 2026-08-20T12:00:00Z +1s error=1ms trace_id=\"0af7651916cd43dd8448eb211c80319c\"\n", "issue warning log-bad",
		}, {
			"and is not there without traces",
			`{"timestamp": "2026-08-20T12:00:01.000000Z", "level": "INFO", "message": "Success", "target": "text_generation_router::server", "span": {"total_time": "1s", "validation_time": "1ms", "queue_time": "200ms", "inference_time": "799ms", "name": "generate"}, "spans": [{"trace_id": "", "name": "HTTP request"}]}` + "\n",
			"span 1 tgi \"generate\" 2026-08-20T12:00:00Z +1s error=1ms\n", "log-bad",
		}, {
			"whatever is no success of Dynamo has failed",
			`{"time": "2026-08-20T12:00:01.000000Z", "level": "INFO", "target": "dynamo_llm::http::service::metrics", "message": "request completed", "elapsed_ms": "500", "endpoint": "completions", "request_id": "five", "span_id": "00000000000000a5", "status": "cancelled"}` + "\n",
			"+500ms error=1ms ERROR id=\"five\"", "unused",
		},
	} {
		got := explain([]byte(c.log), Options{Year: 2026})
		if !strings.Contains(got, c.want) || strings.Contains(got, c.never) {
			t.Errorf("%s: want %q and no %q in\n%s", c.name, c.want, c.never, got)
		}
	}
}
