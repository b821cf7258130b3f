package serverlog

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tailpath/tailpath/ingest/serverlog/format"
	"github.com/tailpath/tailpath/ingest/serverlog/line"
)

// sole returns the formats that claim a line, each asked alone, without those that
// another of them is declared to win over.
func sole(f *Formats, text string) []string {
	ids := claimants(f, text)
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		return slices.ContainsFunc(ids, func(other string) bool {
			own, _ := f.Lookup(other)
			return other != id && slices.Contains(own.Over, id)
		})
	})
}

// TestExamplesAreClaimedOnce is the detection matrix: the example of every record is
// claimed by its own format and by no other one.
func TestExamplesAreClaimedOnce(t *testing.T) {
	f := Builtin()
	for _, own := range f.List() {
		for _, r := range own.Records {
			for _, l := range line.Sample([]byte(r.Example + "\n")) {
				got := sole(f, string(l.Text))
				if r.Weak {
					if len(got) > 1 || slices.Contains(got, own.ID) {
						t.Errorf("the example of %s, which says nothing of its format, is claimed by %v\n%s", r.Name, got, l.Text)
					}
				} else if !slices.Equal(got, []string{own.ID}) {
					t.Errorf("the example of %s is claimed by %v\n%s", r.Name, got, l.Text)
				}
			}
		}
	}
}

// TestLogsAreDetected says that every log of the tests is taken for what its folder is
// called, and that no line of it is claimed by more than one format.
func TestLogsAreDetected(t *testing.T) {
	f := Builtin()
	logs, err := filepath.Glob("testdata/*/*.log")
	if err != nil || len(logs) == 0 {
		t.Fatalf("no logs: %v", err)
	}
	for _, log := range logs {
		data, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		id := filepath.Base(filepath.Dir(log))
		own, ok := f.Lookup(id)
		if !ok || !slices.ContainsFunc(own.Records, func(r *format.Record) bool { return !r.Weak }) {
			continue // the log is of no single format, or of one that other programs' logs hold too
		}
		var got *format.Format
		if got = Detect(data, f).Format; got == nil || got.ID != id {
			t.Errorf("%s is taken for %v", log, name(got))
		}
		for _, l := range line.Sample(data) {
			if ids := sole(f, string(l.Text)); len(ids) > 1 {
				t.Errorf("%s:%d is claimed by %v\n%s", log, l.Line, ids, l.Text)
			}
		}
	}
}

func name(f *format.Format) string {
	if f == nil {
		return "nothing"
	}
	return f.ID
}

// lookalikes are inputs of programs that no format is of, and which resemble some.
var lookalikes = []struct{ what, text string }{
	{"PostgreSQL", "2026-08-20 12:00:00.101 UTC [4711] LOG:  duration: 3418.211 ms  statement: select 1\n2026-08-20 12:00:01 UTC [4711] ERROR:  relation \"x\" does not exist at character 15\n"},
	{"Redis", "4711:M 20 Aug 2026 12:00:00.101 * Background saving started by pid 4712\n4711:M 20 Aug 2026 12:00:01.101 # Server initialized\n"},
	{"MongoDB", `{"t":{"$date":"2026-08-20T12:00:00.101+00:00"},"s":"I","c":"COMMAND","id":51803,"ctx":"conn7","msg":"Slow query","attr":{"type":"command","ns":"a.b","durationMillis":3418,"remote":"10.0.3.14:51822"}}` + "\n"},
	{"kubelet", "I0820 12:00:00.123456    4711 kubelet.go:2431] \"SyncLoop UPDATE\" source=\"api\" pods=[\"default/vllm-0\"]\nE0820 12:00:01.000001    4711 pod_workers.go:1300] \"Error syncing pod, skipping\" err=\"failed\"\n"},
	{"systemd", "Aug 20 12:00:00 node1 systemd[1]: Started Session 7 of user root.\nAug 20 12:00:01 node1 systemd[1]: Reached target Timers.\n"},
	{"sshd", "Aug 20 12:00:00 node1 sshd[814]: Accepted publickey for root from 10.0.3.14 port 51822 ssh2\nAug 20 12:00:01 node1 sshd[814]: pam_unix(sshd:session): session opened for user root\n"},
	{"kernel", "Aug 20 12:00:00 node1 kernel: [ 12.345678] NVRM: Xid (PCI:0000:01:00): 79, GPU has fallen off the bus.\n"},
	{"Apache error log", "[Thu Aug 20 12:00:00.101112 2026] [proxy:error] [pid 31:tid 7] (111)Connection refused: AH00957: http: attempt to connect to 10.0.1.5:8000 failed\n"},
	{"nginx error log", "2026/08/20 12:00:00 [error] 31#31: *7 upstream timed out (110: Connection timed out) while reading response header from upstream, client: 10.0.3.14, request: \"POST / HTTP/1.1\"\n"},
	{"Python logging", "2026-08-20 12:00:00,101 - my.module - INFO - request took 3418 ms\n2026-08-20 12:00:01,101 INFO my.module: done in 3.4 s\nINFO:my.module:request finished in 12 ms\n"},
	{"Spring Boot", "2026-08-20T12:00:00.101Z  INFO 4711 --- [nio-8080-exec-1] o.s.web.servlet.DispatcherServlet        : Completed initialization in 41 ms\n"},
	{"log4j", "12:00:00.101 [main] INFO  com.example.App - Started in 3.418 seconds\n"},
	{"zap", `{"level":"info","ts":1787227200.101,"caller":"http/server.go:41","msg":"request","method":"POST","path":"/v1/chat/completions","status":200,"duration":3.418}` + "\n"},
	{"logrus", `{"duration":3418,"level":"info","method":"POST","msg":"request","path":"/v1/chat/completions","status":200,"time":"2026-08-20T12:00:00Z"}` + "\ntime=\"2026-08-20T12:00:00Z\" level=info msg=request method=POST path=/ status=200 duration=3.418s\n"},
	{"zerolog", `{"level":"info","method":"POST","url":"/","status":200,"size":2,"duration":3.4,"time":"2026-08-20T12:00:00Z","message":"request"}` + "\n"},
	{"slog", `{"time":"2026-08-20T12:00:00.101Z","level":"INFO","msg":"request","method":"POST","path":"/v1/chat/completions","status":200,"duration":3418211000}` + "\ntime=2026-08-20T12:00:00.101Z level=INFO msg=request duration=3.4s\n"},
	{"bunyan", `{"name":"api","hostname":"h","pid":1,"level":30,"req":{"method":"POST","url":"/"},"res":{"statusCode":200},"latency":3418,"msg":"","time":"2026-08-20T12:00:00.101Z","v":0}` + "\n"},
	{"pino", `{"level":30,"time":1787227200101,"pid":1,"hostname":"h","req":{"id":1,"method":"POST","url":"/"},"res":{"statusCode":200},"responseTime":3418,"msg":"request completed"}` + "\n"},
	{"GELF", `{"version":"1.1","host":"h","short_message":"request","timestamp":1787227200.101,"level":6,"_duration":3418,"_status":200,"_path":"/"}` + "\n"},
	{"ECS", `{"@timestamp":"2026-08-20T12:00:00.101Z","log.level":"INFO","message":"request","event":{"duration":3418211000},"http":{"request":{"method":"POST"},"response":{"status_code":200}},"url":{"path":"/"}}` + "\n"},
	{"CloudTrail", `{"eventVersion":"1.08","eventTime":"2026-08-20T12:00:00Z","eventSource":"s3.amazonaws.com","eventName":"GetObject","awsRegion":"eu-west-1","sourceIPAddress":"10.0.3.14","requestID":"7","eventID":"8","eventType":"AwsApiCall"}` + "\n"},
	{"S3 access log", `79a59df900b949e5 bucket [20/Aug/2026:12:00:03 +0000] 10.0.3.14 - 3E57427F3EXAMPLE REST.GET.OBJECT a.txt "GET /bucket/a.txt HTTP/1.1" 200 - 113 113 7 6 "-" "S3Console/0.4" -` + "\n"},
	{"CloudFront", "#Version: 1.0\n#Fields: date time x-edge-location sc-bytes c-ip cs-method\n2026-08-20\t12:00:00\tFRA2\t2390\t10.0.3.14\tGET\td111.cloudfront.net\t/view\t200\t-\tMozilla/4.0\t-\t-\tHit\tid\td111\thttp\t25\t0.001\n"},
	{"classic ELB", `2026-08-20T12:00:00.101000Z my-elb 10.0.3.14:2817 10.0.1.5:80 0.000073 0.001048 0.000057 200 200 0 29 "GET http://www.example.com:80/ HTTP/1.1" "curl/7.38.0" - -` + "\n"},
	{"VPC flow log", "2 123456789010 eni-1235b8ca 10.0.3.14 10.0.1.5 51822 8000 6 20 4249 1787227200 1787227260 ACCEPT OK\n"},
	{"Windows event CSV", "Level,Date and Time,Source,Event ID,Task Category\nInformation,20.08.2026 12:00:00,Service Control Manager,7036,None\n"},
	{"IIS", "#Software: Microsoft Internet Information Services 10.0\n#Fields: date time s-ip cs-method cs-uri-stem s-port c-ip sc-status time-taken\n2026-08-20 12:00:00 10.0.1.5 POST /v1 443 10.0.3.14 200 3418\n"},
	{"Caddy", `{"level":"info","ts":1787227200.101,"logger":"http.log.access","msg":"handled request","request":{"remote_ip":"10.0.3.14","method":"POST","host":"llm.example","uri":"/v1"},"bytes_read":0,"duration":3.418,"size":18234,"status":200}` + "\n"},
	{"Tomcat with %D at the front", `3418 10.0.3.14 - - [20/Aug/2026:12:00:03 +0000] "POST / HTTP/1.1" 200 18234` + "\n"},
	{"Squid", "1787227200.101   3418 10.0.3.14 TCP_MISS/200 18234 POST http://llm.example/v1 - HIER_DIRECT/10.0.1.5 application/json\n"},
	{"Envoy's own log", "[2026-08-20 12:00:00.101][1][info][main] [source/server/server.cc:881] starting main dispatch loop\n"},
	{"Istio's own log", "2026-08-20T12:00:00.101112Z\tinfo\tcache\tgenerated new workload certificate\tlatency=118ms ttl=23h59m\n"},
	{"Traefik's own log", `{"level":"info","providerName":"docker","time":"2026-08-20T12:00:00Z","message":"Configuration received"}` + "\ntime=\"2026-08-20T12:00:00Z\" level=info msg=\"Starting provider\"\n"},
	{"git log", "commit f41ea94b0c0f7e0b0d5c3c0f5f4d3e2b1a09f8e7\nAuthor: A <a@example.com>\nDate:   Thu Aug 20 12:00:00 2026 +0000\n\n    a change\n"},
	{"go test -json", `{"Time":"2026-08-20T12:00:00.101Z","Action":"pass","Package":"example.com/x","Test":"TestX","Elapsed":3.418}` + "\n"},
	{"pytest", "tests/test_a.py::test_x PASSED                                  [ 50%]\n========= 2 passed in 3.41s =========\n"},
	{"TSV", "time\tmethod\tpath\tstatus\tms\n2026-08-20T12:00:00Z\tPOST\t/v1\t200\t3418\n"},
	{"CSV with times", "timestamp,duration,status\n2026-08-20T12:00:00.101Z,3418,200\n1787227200,3.418,200\n"},
	{"Azure LLM trace CSV", "TIMESTAMP,ContextTokens,GeneratedTokens\n2026-08-20 12:00:00.1011120,4808,10\n2026-08-20 12:00:00.2011120,3180,8\n"},
	{"Mooncake trace", `{"timestamp": 27482, "input_length": 6955, "output_length": 52, "hash_ids": [46, 47, 48]}` + "\n"},
	{"BurstGPT CSV", "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n5,ChatGPT,472,18,490,Conversation log\n"},
	{"ShareGPT", `{"id":"1","conversations":[{"from":"human","value":"[2026-08-20 12:00:00] what is a log?"}]}` + "\n"},
	{"Prometheus text", "# HELP http_requests_total x\n# TYPE http_requests_total counter\nhttp_requests_total{code=\"200\",method=\"post\"} 1027 1787227200101\n"},
	{"DogStatsD", "request.duration:3418|ms|@0.1|#env:prod,route:/v1\n"},
	{"InfluxDB", "http,host=a,route=/v1 duration=3.418,status=200i 1787227200101000000\n"},
	{"markdown", "# Report\n\n| start | ms |\n|---|---|\n| 12:00:00 | 3418 |\n\n`10.0.3.14 - - [20/Aug/2026:12:00:03 +0000]` is how a line begins.\n"},
	{"Go source", "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfmt.Println(\"INFO 08-20 12:00:00 [loggers.py:236] x\")\n}\n"},
	{"Python source", "import time\nlogger.info(\"Received request %s\", request_id)\nprint(f\"{time.time()} POST /v1 200\")\n"},
	{"YAML", "start_time: \"%START_TIME%\"\nduration: 3418\nresponse_code: 200\n"},
	{"nvidia-smi", "2026/08/20 12:00:00.101, NVIDIA H100 80GB HBM3, 97 %, 61440 MiB\n"},
	{"nvidia-smi dmon", "# gpu    pwr  gtemp  mtemp     sm    mem\n# Idx      W      C      C      %      %\n    0     70     41      -     99     12\n"},
	{"dcgm-exporter", "time=\"2026-08-20T12:00:00Z\" level=info msg=\"Starting dcgm-exporter\"\n"},
	{"etcd", `{"level":"warn","ts":"2026-08-20T12:00:00.101Z","caller":"etcdserver/util.go:170","msg":"apply request took too long","took":"341.8ms","expected-duration":"100ms"}` + "\n"},
	{"CoreDNS", "[INFO] 10.0.3.14:51822 - 7 \"A IN llm.example. udp 44 false 512\" NOERROR qr,rd,ra 110 0.003418211s\n"},
	{"containerd", "time=\"2026-08-20T12:00:00.101112131Z\" level=info msg=\"PullImage \\\"vllm\\\" returns image reference\"\n"},
	{"Kafka", "[2026-08-20 12:00:00,101] INFO [GroupCoordinator 1]: Preparing to rebalance group g in state Stable (kafka.coordinator.group.GroupCoordinator)\n"},
	{"RabbitMQ", "2026-08-20 12:00:00.101112+00:00 [info] <0.222.0> accepting AMQP connection <0.222.0> (10.0.3.14:51822 -> 10.0.1.5:5672)\n"},
	{"Elasticsearch slow log", "[2026-08-20T12:00:00,101][WARN ][i.s.s.query              ] [node-1] [idx][0] took[3.4s], took_millis[3418], total_hits[1 hits]\n"},
	{"MySQL slow log", "# Time: 2026-08-20T12:00:00.101112Z\n# User@Host: a[a] @ localhost []  Id:     7\n# Query_time: 3.418211  Lock_time: 0.000101 Rows_sent: 1  Rows_examined: 1\nSET timestamp=1787227200;\nselect 1;\n"},
	{"Rails", "I, [2026-08-20T12:00:00.101112 #4711]  INFO -- : Completed 200 OK in 3418ms (Views: 3.1ms | ActiveRecord: 1.2ms)\n"},
	{"morgan, dev", "POST /v1/chat/completions 200 3418.211 ms - 18234\n"},
	{"gunicorn error log", "[2026-08-20 12:00:00 +0000] [4711] [INFO] Booting worker with pid: 4711\n"},
	{"a tracing subscriber of another program", "2026-08-20T12:00:00.101112Z  INFO request{method=POST uri=/v1}: tower_http::trace::on_response: finished processing request latency=3 ms status=200\n"},
	{"Ray's own log", "2026-08-20 12:00:00,101\tINFO worker.py:1821 -- Started a local Ray instance.\n"},
	{"a Python traceback", "Traceback (most recent call last):\n  File \"/a/b.py\", line 7, in <module>\n    raise ValueError(\"x\")\nValueError: x\n"},
	{"a progress bar", "Loading safetensors checkpoint shards:  50% Completed | 2/4 [00:03<00:03,  1.70s/it]\n"},
	{"plain words", "hello\nthis is a file of words, 12:00:00, 200 OK, 3418 ms\n[] {} () \"\"\n"},
	{"curl -w", "dnslookup: 0.001 | connect: 0.002 | appconnect: 0.010 | starttransfer: 0.914 | total: 3.418 | http_code: 200\n"},
	{"an OTLP line", `{"resourceSpans":[{"resource":{},"scopeSpans":[{"spans":[{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"b7ad6b7169203331","name":"x","startTimeUnixNano":"1","endTimeUnixNano":"2"}]}]}]}` + "\n"},
}

// TestNothingClaimsLookalikes says that no line of another program is claimed, and that
// an input of nothing else is not detected.
func TestNothingClaimsLookalikes(t *testing.T) {
	f := Builtin()
	for _, c := range lookalikes {
		if d := Detect([]byte(strings.Repeat(c.text, 3)), f); d.Format != nil || d.Claimed > 0 {
			t.Errorf("%s is taken for %s", c.what, name(d.Format))
		}
		for _, l := range line.Sample([]byte(c.text)) {
			if ids := claimants(f, string(l.Text)); len(ids) > 0 {
				t.Errorf("a line of %s is claimed by %v\n%s", c.what, ids, l.Text)
			}
		}
	}
}
