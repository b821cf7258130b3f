package serverlog

import (
	"strings"
	"testing"
)

// TestWhoAskedWentAway: each format's own words for a client that went away, beside those
// for a time limit and for a failure, which are none.
func TestWhoAskedWentAway(t *testing.T) {
	const (
		received   = "INFO 08-20 12:00:00 [logger.py:39] Received request chatcmpl-1: prompt: 'x', params: SamplingParams(n=1)\n"
		receivedV0 = "INFO 08-20 12:00:00 logger.py:37] Received request cmpl-1-0: prompt: 'x', params: SamplingParams(n=1), prompt_token_ids: [1], lora_request: None, prompt_adapter_request: None.\n"
		launched   = "1.02.000.000 I slot launch_slot_: id  1 | task 9 | processing task, is_child = 0\n"
	)
	haproxy := func(flags string) string {
		return "192.0.2.10:40001 [20/Aug/2026:12:00:00.101] front pool/srv1 0/12/1/602/2750 200 9426 - - " + flags + ` 9/9/8/3/0 0/2 "POST /v1/chat/completions HTTP/1.1"` + "\n"
	}
	envoy := func(status, flags string) string {
		return `[2026-08-20T12:00:00.101Z] "POST /v1/chat/completions HTTP/1.1" ` + status + " " + flags + ` 812 9120 2750 614 "192.0.2.10" "client/1.0" "3d5e0c1a-7b52-4c1e-9a55-0f2f6b1c8d90" "llm.example" "192.0.2.50:8000"` + "\n"
	}
	alb := func(status string) string {
		return `https 2026-08-20T12:00:08.040000Z app/llm/0123456789abcdef 192.0.2.11:51900 - -1 -1 -1 ` + status + ` - 1010 200 "POST https://llm.example:443/v1/chat/completions HTTP/1.1" "client/1.0" TLS_AES_128_GCM_SHA256 TLSv1.3 arn:aws:elasticloadbalancing:eu-west-1:000000000000:targetgroup/llm/0 "Root=1-66c48680-0123456789abcdef01234567" "llm.example" "arn:aws:acm:eu-west-1:000000000000:certificate/0" 0 2026-08-20T12:00:00.001000Z "forward" "-" "-" "-" "-" "-" "-"` + "\n"
	}
	dynamo := func(status string) string {
		return `{"time": "2026-08-20T12:00:01.000000Z", "level": "INFO", "target": "dynamo_llm::http::service::metrics", "message": "request completed", "elapsed_ms": "500", "endpoint": "completions", "request_id": "five", "span_id": "00000000000000a5", "status": "` + status + `"}` + "\n"
	}
	ray := func(outcome string) string {
		return "INFO 2026-08-20 12:00:04,000 default_LLMDeployment 4kq1c9zt 0b1c2d3e-4f50-4617-8283-94a5b6c7d8e9 -- CALL predict " + outcome + " 12.5ms\n"
	}
	for _, c := range []struct {
		name, log    string
		failed, left bool
	}{
		{"vLLM aborted", received + "INFO 08-20 12:00:02 [async_llm.py:623] Request chatcmpl-1 aborted.\n", true, true},
		{"vLLM failed", received + "INFO 08-20 12:00:02 [async_llm.py:643] Request chatcmpl-1 failed (bad request): secret.\n", true, false},
		{"vLLM 0.6 aborted", receivedV0 + "INFO 08-20 12:00:12 async_llm_engine.py:189] Aborted request cmpl-1-0.\n", true, true},
		{"vLLM 0.6 finished", receivedV0 + "INFO 08-20 12:00:12 async_llm_engine.py:177] Finished request cmpl-1-0.\n", false, false},
		{"llama.cpp", launched + "1.03.500.000 W srv          stop: cancel task, id_task = 9\n1.03.500.900 I slot      release: id  1 | task 9 | stop processing: n_tokens = 9, truncated = 0\n", true, true},
		{"HAProxy CH", haproxy("CH--"), true, true},
		{"HAProxy CD", haproxy("CD--"), true, true},
		{"HAProxy cD", haproxy("cD--"), true, false},
		{"HAProxy sD", haproxy("sD--"), true, false},
		{"HAProxy --", haproxy("----"), false, false},
		{"Envoy DC", envoy("0", "DC"), true, true},
		{"Envoy DC in the answer", envoy("200", "DC"), true, true},
		{"Envoy DR", envoy("0", "DR"), true, true},
		{"Envoy UT", envoy("504", "UT"), true, false},
		{"Envoy UT and DC", envoy("0", "UT,DC"), true, false},
		{"Envoy -", envoy("200", "-"), false, false},
		{"ALB 460", alb("460"), true, true},
		{"ALB 408", alb("408"), true, false},
		{"Dynamo cancelled", dynamo("cancelled"), true, true},
		{"Dynamo error", dynamo("error"), true, false},
		{"Ray Serve CANCELLED", ray("CANCELLED"), true, true},
		{"Ray Serve ERROR", ray("ERROR"), true, false},
	} {
		_, set, _ := readLog(t, strings.NewReader(c.log), Options{Year: 2026})
		if set.Spans.Len() != 1 {
			t.Errorf("%s: %d requests", c.name, set.Spans.Len())
			continue
		}
		if failed, message := set.Spans.Status[0] == statusError, set.Spans.StatusMessage[0]; failed != c.failed || (message == cancelled) != c.left {
			t.Errorf("%s: failed %t, message %q", c.name, failed, message)
		}
	}
}
