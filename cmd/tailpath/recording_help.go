package main

// The formats of access logs that help and the README recommend. A test reads a line of each.
const (
	nginxFormat = `log_format tailpath '$msec $status $request_time $upstream_connect_time '
      '$upstream_header_time $upstream_response_time $request_id "$request" '
      '$http_traceparent';`
	envoyFormat = `{start_time: "%START_TIME%", duration: "%DURATION%",
     request_duration: "%REQUEST_DURATION%", response_duration: "%RESPONSE_DURATION%",
     request_tx_duration: "%REQUEST_TX_DURATION%",
     pool: "%UPSTREAM_CONNECTION_POOL_READY_DURATION%",
     attempts: "%UPSTREAM_REQUEST_ATTEMPT_COUNT%", status: "%RESPONSE_CODE%",
     flags: "%RESPONSE_FLAGS%", path: "%REQ(:PATH)%",
     request_id: "%REQ(X-REQUEST-ID)%", traceparent: "%REQ(TRACEPARENT)%"}`
	haproxyFormat = `log-format "%ci:%cp [%tr] %ft %b/%s %TR/%Tw/%Tc/%Tr/%Ta %ST %B %tsc %ID %HM %HP"`
)

// recordingPage says what to switch on.
const recordingPage = `What to record

A report can only tell what was recorded: the rest is unattributed, or cannot be said.
These give the most for the least. Every request should carry one id through all of it:
have the gateway make X-Request-Id or traceparent, and hand both on to the engine.

vLLM
  vllm serve MODEL --otlp-traces-endpoint=URL
      A span for each request: queue, prefill, decode, tokens. Not together with
      --disable-log-stats. Name each server: OTEL_SERVICE_NAME=vllm-a.
  Keep the log. Its statistics lines say how many requests ran and waited and how full
  the KV memory was, which tells why requests waited. Requests that are given up leave
  no span at all: only the gateway's log has them.

Triton
  tritonserver --trace-config mode=opentelemetry --trace-config level=TIMESTAMPS \
      --trace-config rate=1 --trace-config opentelemetry,url=URL
      A span for each request and model: queue, compute. Or, into a file that is read
      as it is: --trace-config mode=triton --trace-config triton,file=trace.json

SGLang
  sglang.launch_server ... --enable-trace --otlp-traces-endpoint HOST:PORT
      Spans of tokenizer, queue, prefill and decode.
  --log-requests --log-requests-format json --enable-metrics
      A line for each request, with its times. Do not set
      SGLANG_LOG_REQUEST_EXCEEDED_MS: it drops the fast ones, and shares of slow ones
      then mean nothing. --enable-request-time-stats-logging has queue and forward times.

TGI
  text-generation-launcher ... --otlp-endpoint URL
      The log has validation, queue and inference times of each request as well.

TensorRT-LLM, Dynamo
  return_perf_metrics and GET /perf_metrics; DYN_REQUEST_TRACE, OTEL_EXPORT_ENABLED.

llm-d
  Its routers keep one trace in ten: set the sampler to always_on for an incident.

nginx (the format "combined" has no times)
  ` + nginxFormat + `
  access_log /var/log/nginx/tailpath.log tailpath;

Envoy, and gateways that are made of it: a JSON format of the access log with
    ` + envoyFormat + `

HAProxy ("option httplog" has the times, and no id)
  unique-id-format %[uuid()]
  unique-id-header X-Request-Id
  ` + haproxyFormat + `

  These access logs are read with the same text: tailpath summary access.log
  --log-format @FILE, where FILE holds the line or the whole configuration.

OpenTelemetry Collector: the file exporter writes what is read, in any of its formats.
  exporters: {file: {path: /var/log/otel/traces.jsonl, rotation: {max_megabytes: 500}}}
  Sampling hides the tail. Keep all traces of an incident, or sample by latency and
  keep the weights (W3C tracestate "th").

Clocks: NTP or PTP on every host. tailpath inspect says how far each clock is off.
`
