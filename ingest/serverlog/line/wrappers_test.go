package line

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const vllmLine = "(APIServer pid=4) INFO 08-20 12:00:00 [async_llm.py:439] Added request cmpl-1."

// Each wrapper around a record, alone.
func TestWrappers(t *testing.T) {
	cases := []struct{ name, in, want string }{
		{"none", "INFO:     10.0.0.1:5 - \"GET /health HTTP/1.1\" 200 OK", "1+0.0: INFO:     10.0.0.1:5 - \"GET /health HTTP/1.1\" 200 OK"},
		{"CRI", "2026-08-20T14:00:00.123456789+02:00 stderr F " + vllmLine, "1+0.0 2026-08-20T12:00:00.123456789 err: " + vllmLine},
		{"CRI, empty", "2026-08-20T12:00:00Z stdout F ", "1+0.0 2026-08-20T12:00:00 out: "},
		{"CRI, no text", "2026-08-20T12:00:00Z stdout F", "1+0.0 2026-08-20T12:00:00 out: "},
		{"CRI, more tags", "2026-08-20T12:00:00Z stdout F:x_y-1 hello", "1+0.0 2026-08-20T12:00:00 out: hello"},
		{"CRI, colours", "2026-08-20T12:00:00Z stdout F \x1b[32mINFO\x1b[0m ok", "1+0.0 2026-08-20T12:00:00 out: INFO ok"},
		{"CRI, progress bar", "2026-08-20T12:00:00Z stdout F \r 10%\r 20%", "1+0.0 2026-08-20T12:00:00 out:  20%"},
		{"no CRI: another tag", "2026-08-20T12:00:00Z stdout X hello", "1+0.0: 2026-08-20T12:00:00Z stdout X hello"},
		{"Docker", `{"log":"a \"b\"\u00e9\ud83d\ude00\n","stream":"stdout","time":"2026-08-20T12:00:00.5Z"}`, "1+0.0 2026-08-20T12:00:00.5 out: a \"b\"é😀"},
		{"Docker, colours", `{"log":"\u001b[32mINFO\u001b[0m ok\r\n","stream":"stderr","time":"2026-08-20T12:00:00Z","attrs":{"a":"b"}}`, "1+0.0 2026-08-20T12:00:00 err: INFO ok"},
		{"Docker around JSON", `{"log":"{\"log\":\"x\",\"level\":\"info\"}\n","stream":"stdout","time":"2026-08-20T12:00:00Z"}`, `1+0.0 2026-08-20T12:00:00 out: {"log":"x","level":"info"}`},
		{"time of kubectl", "2026-08-20T12:00:00.123456789Z " + vllmLine, "1+0.0 2026-08-20T12:00:00.123456789: " + vllmLine},
		{"time of kubectl, SGLang", "2026-08-20T12:00:00.1Z [2026-08-20 12:00:00] Prefill batch", "1+0.0 2026-08-20T12:00:00.1: [2026-08-20 12:00:00] Prefill batch"},
		{"time of kubectl, klog", "2026-08-20T12:00:00.1Z I0820 12:00:00.123456 1 infer.cc:1] x", "1+0.0 2026-08-20T12:00:00.1: I0820 12:00:00.123456 1 infer.cc:1] x"},
		{"time of kubectl, JSON", `2026-08-20T12:00:00.1Z {"level":"info"}`, `1+0.0 2026-08-20T12:00:00.1: {"level":"info"}`},
		{"time of kubectl, TGI", "2026-08-20T12:00:00.1Z 2026-08-20T12:00:00.012345Z  INFO generate{a=1}: s: Success", "1+0.0 2026-08-20T12:00:00.1: 2026-08-20T12:00:00.012345Z  INFO generate{a=1}: s: Success"},
		{"time of kubectl, uvicorn", "2026-08-20T12:00:00.1Z INFO:     1.2.3.4:5 - \"GET", "1+0.0 2026-08-20T12:00:00.1: INFO:     1.2.3.4:5 - \"GET"},
		{"time of kubectl, nginx", `2026-08-20T12:00:00.1Z 10.0.0.1 - - [20/Aug/2026:12:00:00 +0000] "GET / HTTP/1.1" 200`, `1+0.0 2026-08-20T12:00:00.1: 10.0.0.1 - - [20/Aug/2026:12:00:00 +0000] "GET / HTTP/1.1" 200`},
		{"TGI's own time", "2026-08-20T12:00:00.012345Z  INFO generate{a=1}: s: Success", "1+0.0: 2026-08-20T12:00:00.012345Z  INFO generate{a=1}: s: Success"},
		{"TGI's own time, error", "2026-08-20T12:00:00.012345Z ERROR generate{a=1}: s: failed", "1+0.0: 2026-08-20T12:00:00.012345Z ERROR generate{a=1}: s: failed"},
		{"Rust's own time, a target", "2026-08-20T12:00:00.012345Z ERROR text_generation_router::server: x", "1+0.0: 2026-08-20T12:00:00.012345Z ERROR text_generation_router::server: x"},
		{"own time, level in brackets", "2026-08-20T12:00:00Z [INFO] x", "1+0.0: 2026-08-20T12:00:00Z [INFO] x"},
		{"ALB", "https 2026-08-20T12:00:03.512345Z app/x/1 10.0.0.1:1 10.0.0.2:2 0.000 3.4 0.0 200", "1+0.0: https 2026-08-20T12:00:03.512345Z app/x/1 10.0.0.1:1 10.0.0.2:2 0.000 3.4 0.0 200"},
		{"pod prefix", "[pod/vllm-0/server] " + vllmLine, "1+0.0 /server/vllm-0: " + vllmLine},
		{"pod prefix and time", "[pod/vllm-0/server] 2026-08-20T12:00:00.1Z " + vllmLine, "1+0.0 2026-08-20T12:00:00.1 /server/vllm-0: " + vllmLine},
		{"compose", "vllm-1  | " + vllmLine, "1+0.0 /vllm-1/: " + vllmLine},
		{"compose, colours and time", "\x1b[36mvllm-1  | \x1b[0m2026-08-20T12:00:00.123456789Z " + vllmLine, "1+0.0 2026-08-20T12:00:00.123456789 /vllm-1/: " + vllmLine},
		{"compose, empty", "vllm-1  |", "1+0.0 /vllm-1/: "},
		{"service", "vllm.1.8ab3@node7    | hello", "1+0.0 node7/vllm.1.8ab3/: hello"},
		{"compose around Docker", `web | {"log":"x\n","stream":"stdout","time":"2026-08-20T12:00:00Z"}`, "1+0.0 2026-08-20T12:00:00 out /web/: x"},
		{"no compose: address", "10.0.0.1 | - | x", "1+0.0: 10.0.0.1 | - | x"},
		{"no compose: level", "INFO | x", "1+0.0: INFO | x"},
		{"no compose: words", "slot print_timing: id  0 | task 0 | x", "1+0.0: slot print_timing: id  0 | task 0 | x"},
		{"stern", "vllm-7d9f8c6b5d-x2x4z server " + vllmLine, "1+0.0 /server/vllm-7d9f8c6b5d-x2x4z: " + vllmLine},
		{"no stern", "some-words here " + vllmLine, "1+0.0: some-words here " + vllmLine},
		{"syslog file", "Aug 20 12:00:03 lb1 haproxy[14389]: 10.0.3.14:51822 [20/Aug/2026:12:00:00.101] a b/c 0/0", "1+0.0 lb1//haproxy: 10.0.3.14:51822 [20/Aug/2026:12:00:00.101] a b/c 0/0"},
		{"journal, no pid", "Aug  2 12:00:03 gpu7 vllm: hello", "1+0.0 gpu7//vllm: hello"},
		{"journal, fraction", "Aug 20 12:00:03.123456 gpu7 vllm[1]: hello", "1+0.0 gpu7//vllm: hello"},
		{"no syslog file", "Aug 20 12:00:03 gpu7 hello world", "1+0.0: Aug 20 12:00:03 gpu7 hello world"},
		{"journal, short-iso", "2026-08-20T12:00:03+0200 gpu7 vllm[12]: hello", "1+0.0 2026-08-20T10:00:03 gpu7//vllm: hello"},
		{"journal, short-full", "Thu 2026-08-20 12:00:03.5 UTC gpu7 vllm[12]: hello", "1+0.0 2026-08-20T12:00:03.5 gpu7//vllm: hello"},
		{"journal, short-full, zone", "Thu 2026-08-20 12:00:03 CEST gpu7 vllm[12]: hello", "1+0.0 gpu7//vllm: hello"},
		{"journal, short-unix", "1787227200.123456 gpu7 vllm[12]: hello", "1+0.0 2026-08-20T12:00:00.123456 gpu7//vllm: hello"},
		{"RFC 3164", "<134>Aug 20 12:00:03 lb1 haproxy[1]: hello", "1+0.0 lb1//haproxy: hello"},
		{"RFC 3164, no host", "<134>Aug 20 12:00:03 haproxy[1]: hello", "1+0.0 //haproxy: hello"},
		{"RFC 3164, ISO time", "<134>2026-08-20T12:00:03Z lb1 haproxy: hello", "1+0.0 2026-08-20T12:00:03 lb1//haproxy: hello"},
		{"RFC 3164, tag alone", "<134>haproxy[1]: hello", "1+0.0 //haproxy: hello"},
		{"RFC 5424", `<165>1 2026-08-20T12:00:03.003Z lb1 haproxy 12 ID47 [a@1 b="x ] \" y"][c] ` + "\xef\xbb\xbfhello", "1+0.0 2026-08-20T12:00:03.003 lb1//haproxy: hello"},
		{"RFC 5424, nothing known", "<165>1 - - - - - - hello", "1+0.0: hello"},
		{"RFC 5424 over TCP", "53 <165>1 2026-08-20T12:00:03Z lb1 haproxy - - - hello", "1+0.0 2026-08-20T12:00:03 lb1//haproxy: hello"},
		{"no syslog: priority", "<999>Aug 20 12:00:03 lb1 haproxy[1]: hello", "1+0.0: <999>Aug 20 12:00:03 lb1 haproxy[1]: hello"},
		{"journal JSON", `{"_HOSTNAME":"gpu7","MESSAGE":"hello","__REALTIME_TIMESTAMP":"1787227200123456","_SYSTEMD_UNIT":"vllm.service"}`, "1+0.0 2026-08-20T12:00:00.123456 gpu7//vllm.service: hello"},
		{"journal JSON, bytes", `{"MESSAGE":[27,91,51,50,109,104,105],"__REALTIME_TIMESTAMP":"1787227200000000","SYSLOG_IDENTIFIER":"vllm"}`, "1+0.0 2026-08-20T12:00:00 //vllm: hi"},
		{"journal JSON, too long", `{"MESSAGE":null,"__REALTIME_TIMESTAMP":"1787227200000000"}`, "1+0.0 2026-08-20T12:00:00: "},
		{"Fluent Bit", `{"log":"hello\n","kubernetes":{"pod_name":"vllm-0","container_name":"server","host":"gpu7"},"stream":"stdout","time":"2026-08-20T12:00:00Z"}`, "1+0.0 2026-08-20T12:00:00 out gpu7/server/vllm-0: hello"},
		{"Fluent Bit, date", `{"date":1787227200.25,"log":"hello"}`, "1+0.0 2026-08-20T12:00:00.25: hello"},
		{"FireLens", `{"container_id":"a1","container_name":"vllm","log":"hello","source":"stdout"}`, "1+0.0 /vllm/: hello"},
		{"Stackdriver", `{"insertId":"x","textPayload":"hello","timestamp":"2026-08-20T12:00:00Z","resource":{"type":"k8s","labels":{"pod_name":"p","container_name":"c"}}}`, "1+0.0 2026-08-20T12:00:00 /c/p: hello"},
		{"Stackdriver, JSON", `{"insertId":"x","logName":"l","jsonPayload":{"level":"info"},"timestamp":"2026-08-20T12:00:00Z"}`, `1+0.0 2026-08-20T12:00:00: {"level":"info"}`},
		{"Loki", `{"labels":{"a":"b"},"line":"hello","timestamp":"2026-08-20T12:00:00.5Z"}`, "1+0.0 2026-08-20T12:00:00.5: hello"},
		{"CloudWatch", `{"logStreamName":"s","timestamp":1787227200500,"message":"hello","ingestionTime":1787227200900,"eventId":"1"}`, "1+0.0 2026-08-20T12:00:00.5: hello"},
		{"Filebeat", `{"@timestamp":"2026-08-20T12:00:00.5Z","agent":{"type":"filebeat"},"message":"hello"}`, "1+0.0 2026-08-20T12:00:00.5: hello"},
		{"own JSON: message", `{"timestamp":"2026-08-20T12:00:00Z","level":"INFO","message":"Success"}`, `1+0.0: {"timestamp":"2026-08-20T12:00:00Z","level":"INFO","message":"Success"}`},
		{"own JSON: log, stream, time and more", `{"log":"x","stream":"stdout","time":"2026-08-20T12:00:00Z","level":"info"}`, `1+0.0: {"log":"x","stream":"stdout","time":"2026-08-20T12:00:00Z","level":"info"}`},
		{"own JSON: no text", `{"log":{"a":1},"stream":"stdout","time":"2026-08-20T12:00:00Z"}`, `1+0.0: {"log":{"a":1},"stream":"stdout","time":"2026-08-20T12:00:00Z"}`},
		{"broken JSON", `{"log":"x","stream":"stdout","time":"2026`, `1+0.0: {"log":"x","stream":"stdout","time":"2026`},
		{"no pod prefix", "[pod/a b/c] x", "1+0.0: [pod/a b/c] x"},
		{"no pod prefix: no end", "[pod/abc", "1+0.0: [pod/abc"},
		{"no journal: zone", "Thu 2026-08-20 12:00:03 gpu7", "1+0.0: Thu 2026-08-20 12:00:03 gpu7"},
		{"no journal: clock", "Aug 20 12:00 gpu7 vllm[12]: hello", "1+0.0: Aug 20 12:00 gpu7 vllm[12]: hello"},
		{"no journal: date", "Thu 2026-13-20 12:00:03 UTC gpu7 vllm[12]: hello", "1+0.0 gpu7//vllm: hello"},
		{"no syslog file: day", "Aug xx 12:00:03 gpu7 vllm[12]: hello", "1+0.0: Aug xx 12:00:03 gpu7 vllm[12]: hello"},
		{"no syslog: RFC 5424 cut", "<165>1 2026-08-20T12:00:03Z lb1", "1+0.0: <165>1 2026-08-20T12:00:03Z lb1"},
		{"no syslog: RFC 5424, data cut", `<165>1 - - - - - [a b="`, `1+0.0: <165>1 - - - - - [a b="`},
		{"no CRI: tag cut", "2026-08-20T12:00:00Z stdout F:! x", "1+0.0: 2026-08-20T12:00:00Z stdout F:! x"},
		{"no number", "1787227200.123456 hello world", "1+0.0: 1787227200.123456 hello world"},
		{"no length of syslog", "53 <x> y", "1+0.0: 53 <x> y"},
		{"no stern: no record", "vllm-7d9f8c6b5d-x2x4z server hello", "1+0.0: vllm-7d9f8c6b5d-x2x4z server hello"},
		{"time of kubectl, gin", "2026-08-20T12:00:00.1Z [GIN] 2026/08/20 - 12:00:03 | 200", "1+0.0 2026-08-20T12:00:00.1: [GIN] 2026/08/20 - 12:00:03 | 200"},
		{"time of kubectl, logfmt", "2026-08-20T12:00:00.1Z time=2026-08-20T12:00:00.120Z level=INFO", "1+0.0 2026-08-20T12:00:00.1: time=2026-08-20T12:00:00.120Z level=INFO"},
		{"time of kubectl, Ray", "2026-08-20T12:00:00.1Z INFO 2026-08-20 12:00:03,512 proxy", "1+0.0 2026-08-20T12:00:00.1: INFO 2026-08-20 12:00:03,512 proxy"},
		{"journal JSON, twice", `{"MESSAGE":["a","b"],"__REALTIME_TIMESTAMP":"1787227200000000"}`, "1+0.0 2026-08-20T12:00:00: a"},
		{"journal JSON, odd", `{"MESSAGE":[["a"]],"__REALTIME_TIMESTAMP":"1787227200000000"}`, `1+0.0: {"MESSAGE":[["a"]],"__REALTIME_TIMESTAMP":"1787227200000000"}`},
		{"Vector", `{"kubernetes":{"pod_name":"p","container_name":"c","pod_node_name":"n"},"message":"hello","stream":"stderr","timestamp":"2026-08-20T12:00:00Z"}`, "1+0.0 2026-08-20T12:00:00 err n/c/p: hello"},
		{"Filebeat, pod", `{"@timestamp":"2026-08-20T12:00:00Z","kubernetes":{"pod":{"name":"p"},"container":{"name":"c"}},"message":"hello"}`, "1+0.0 2026-08-20T12:00:00 /c/p: hello"},
		{"four wrappers", `a | b | c | d | e`, "1+0.0 /d/: e"},
		{"five wrappers", `a | b | c | d | e | f`, "1+0.0 /d/: e | f"},
		{"CRI around Docker", `2026-08-20T12:00:00Z stdout F {"log":"x\n","stream":"stderr","time":"2026-08-20T12:00:01Z"}`, "1+0.0 2026-08-20T12:00:01 err: x"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for _, end := range []string{"\n", "\r\n", ""} {
				res := read(c.in+end, Options{})
				want := []string{c.want}
				if got := res.spelled(); !cmp.Equal(want, got) {
					t.Errorf("%q behind it: (-want +got)\n%s", end, cmp.Diff(want, got))
				}
				conserved(t, []byte(c.in+end), res)
				if issues := res.issues(); issues != "" {
					t.Errorf("issues: %s", issues)
				}
			}
		})
	}
}

// What kubectl writes before a line is taken off all lines once one has shown it.
func TestTimesOfKubectl(t *testing.T) {
	stamp := "2026-08-20T12:00:00.123456789Z "
	res := read(stamp+"plain\n"+stamp+vllmLine+"\n"+stamp+"   eval time = 3 ms\n2026-08-20T12:00:00.123456Z plain\n", Options{})
	want := []string{stamp + "plain", vllmLine, "   eval time = 3 ms", "2026-08-20T12:00:00.123456Z plain"}
	if diff := cmp.Diff(want, res.bodies()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	// Begins can say it too, but not for the time of a record.
	opt := Options{Begins: func(text []byte, from int) (int, int) {
		at := from + strings.Index(string(text[from:]), "MY ")
		return at, at + 3
	}}
	res = read(stamp+"MY record\n", opt)
	if diff := cmp.Diff([]string{"MY record"}, res.bodies()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	opt = Options{Begins: func(text []byte, from int) (int, int) { return from, len(text) }}
	res = read("2026-08-20T12:00:00Z x", opt)
	if got := strings.Join(res.bodies(), ""); got != "2026-08-20T12:00:00Z x" {
		t.Errorf("%q", got)
	}
}
