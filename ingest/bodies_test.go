package ingest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// logDocument is a document of log records of one host, a second apart, with bodies
// that are strings.
func logDocument(t *testing.T, host string, from int64, bodies ...string) string {
	t.Helper()
	var records []string
	for i, body := range bodies {
		quoted, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, fmt.Sprintf(`{"timeUnixNano":"%d","body":{"stringValue":%s}}`, (1787227200+from+int64(i))*1e9, quoted))
	}
	return fmt.Sprintf(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[%s]}],"resource":{"attributes":[{"key":"host.name","value":{"stringValue":%q}}]}}]}`+"\n",
		strings.Join(records, ","), host)
}

// TestWrappedBodies reads bodies that still wear what a terminal, a container or syslog
// puts around lines, as the same lines in a file are read.
func TestWrappedBodies(t *testing.T) {
	bare := strings.TrimSpace(statsLine("08-20 12:00:10", 3))
	docker, err := json.Marshal(map[string]string{"log": bare + "\n", "stream": "stderr", "time": "2026-08-20T12:00:10Z"})
	if err != nil {
		t.Fatal(err)
	}
	want := read(t, Options{}, file(t, "a.jsonl", []byte(logDocument(t, "a", 0, bare)))).report.Inputs[0]
	if want.Samples == 0 || want.Lines.Used != 1 {
		t.Fatalf("a bare body: %+v", want)
	}
	for what, body := range map[string]string{
		"colours":                "\x1b[1;36m(APIServer pid=4)\x1b[0;0m" + strings.TrimPrefix(bare, "(APIServer pid=4)"),
		"a title and colour":     "\x1b]0;vllm\x07\x1b[32m" + bare + "\x1b[0m",
		"a carriage return":      bare + "\r",
		"a container":            "2026-08-20T12:00:10.123456789Z stdout F " + bare,
		"part of a container":    "2026-08-20T12:00:10.123456789Z stdout P " + bare,
		"colours in a container": "2026-08-20T12:00:10.123456789+08:00 stderr F \x1b[36m" + bare + "\x1b[0m",
		"Docker":                 string(docker),
		"syslog":                 "<134>Aug 20 12:00:10 node-7 vllm[12]: " + bare,
		"journal":                "Aug 20 12:00:10 node-7 vllm[12]: " + bare,
	} {
		for _, workers := range []int{1, 3} {
			got := read(t, Options{Workers: workers}, file(t, "a.jsonl", []byte(logDocument(t, "a", 0, body)))).report.Inputs[0]
			if got.Samples != want.Samples || got.Lines.In != 1 || got.Lines.Used != 1 {
				t.Errorf("%s: %d readings, want %d; lines %+v", what, got.Samples, want.Samples, got.Lines)
			}
		}
	}
	two := read(t, Options{}, file(t, "a.jsonl", []byte(logDocument(t, "a", 0, bare+"\n\x1b[0m\n"+bare, "\x1b[0m", "")))).report.Inputs[0]
	if two.Samples != 2*want.Samples || two.Lines.Used != 2 {
		t.Errorf("two lines in one body: %+v, lines %+v", two, two.Lines)
	}
	checkLines(t, "two lines", two)
}

// TestBodiesOfTwoHosts tells requests of two hosts apart that have one id and whose
// lines come between each other's.
func TestBodiesOfTwoHosts(t *testing.T) {
	states := []string{"INITIALIZED", "PENDING", "EXECUTING", "RELEASED"}
	var docs strings.Builder
	for i := range 3 {
		for k, host := range []string{"a", "b"} {
			at := i * (k + 1) // b takes twice as long
			docs.WriteString(logDocument(t, host, int64(at), fmt.Sprintf(`I0820 12:00:%02d.000000 77 infer_request.cc:133] "[request id: 1] Setting state from %s to %s"`, at, states[i], states[i+1])))
		}
	}
	path := file(t, "triton.jsonl", []byte(docs.String()))
	var want result
	for workers := 1; workers <= 8; workers++ {
		got := read(t, Options{Workers: workers}, path)
		if workers > 1 {
			same(t, fmt.Sprintf("%d workers", workers), want, got)
			continue
		}
		want = got
		took := map[string]int64{}
		for i := range got.set.Spans.Len() {
			took[got.set.Symbols.Text(got.set.Scopes.Host[got.set.Spans.ScopeRow[i]])] = (got.set.Spans.End[i] - got.set.Spans.Start[i]) / 1e9
		}
		diff(t, "seconds by host", map[string]int64{"a": 2, "b": 4}, took)
	}
}

// TestBodiesOfTwoInstances tells requests of two pods on one host apart that have one id.
func TestBodiesOfTwoInstances(t *testing.T) {
	var docs strings.Builder
	states := []string{"INITIALIZED", "PENDING", "EXECUTING", "RELEASED"}
	for i := range 3 {
		for k, pod := range []string{"p", "q"} {
			line := logDocument(t, "node", int64(i), fmt.Sprintf(`I0820 12:00:%02d.%06d 77 infer_request.cc:133] "[request id: 1] Setting state from %s to %s"`, i, k, states[i], states[i+1]))
			docs.WriteString(strings.Replace(line, `{"key":"host.name"`, `{"key":"service.instance.id","value":{"stringValue":"`+pod+`"}},{"key":"host.name"`, 1))
		}
	}
	got := read(t, Options{}, file(t, "triton.jsonl", []byte(docs.String())))
	took := map[string]int64{}
	for i := range got.set.Spans.Len() {
		took[got.set.Symbols.Text(got.set.Scopes.Instance[got.set.Spans.ScopeRow[i]])] += got.set.Spans.End[i] - got.set.Spans.Start[i]
	}
	diff(t, "ns by instance", map[string]int64{"p": 2e9, "q": 2e9}, took)
}

// TestTagsAreNoJSON takes lines that begin with numbers in brackets for text, and JSON
// for JSON.
func TestTagsAreNoJSON(t *testing.T) {
	for text, want := range map[string]bool{
		"[1,0]<stdout>: hello": false, "[12.5] hello": false, "[0]:x": false, "[2026-08-20 12:00:00 TP0] x": false, "[rank0]: x": false,
		"[1,2]": true, "[1, 2]\n[3]": true, "[1], [2]": true, "[1": true, "[[1],2]": true, `[{"a":1}]`: true, `["a"]`: true, "[]": true, "{}": true, `{"a":1}`: true,
	} {
		if got := beginsJSON([]byte(text)); got != want {
			t.Errorf("%q begins JSON: %v, want %v", text, got, want)
		}
	}
}

// TestMetricsAlone names what was seen when no reading can be made of metrics, and
// counts readings and faults when some can.
func TestMetricsAlone(t *testing.T) {
	document := func(metrics string) string {
		return `{"resourceMetrics":[{"scopeMetrics":[{"metrics":[` + metrics + `]}]}]}`
	}
	gauge := func(name string) string {
		return fmt.Sprintf(`{"name":%q,"gauge":{"dataPoints":[{"timeUnixNano":"1787227200000000000","asDouble":3}]}}`, name)
	}
	for what, c := range map[string]struct{ data, want, hint string }{
		"one unknown series":  {document(gauge("up")), `such as "up", and`, "vLLM"},
		"some unknown series": {document(gauge("up")+","+gauge("http_requests")) + "\n" + document(gauge("go_threads")), `"up", "http_requests" and "go_threads"`, "vLLM"},
		"a delta": {document(`{"name":"vllm:request_queue_time_seconds_sum","sum":{"aggregationTemporality":1,"dataPoints":[{"timeUnixNano":"1787227200000000000","asDouble":3}]}}`),
			"delta temporality", "cumulative"},
		"no time":  {document(`{"name":"vllm:num_requests_running","gauge":{"dataPoints":[{"asDouble":3}]}}`), "no time", "end of a series"},
		"no point": {document(""), "nothing in them", "traces pipeline"},
	} {
		for _, workers := range []int{1, 3} {
			e := refuse(t, Options{Workers: workers}, file(t, "metrics.json", []byte(c.data)))
			if e == nil || !strings.Contains(e.What, c.want) || !strings.Contains(e.Hint, c.hint) || strings.Contains(e.What, "\n") {
				t.Errorf("%s: %v; hint %q", what, e, e.Hint)
			}
		}
	}
	bad := `{"name":"vllm:num_requests_waiting","gauge":{"dataPoints":[{"timeUnixNano":"x","asDouble":3},{"timeUnixNano":"1787227200000000000","asDouble":{}}]}}`
	got := read(t, Options{}, file(t, "metrics.json", []byte(document(gauge("vllm:num_requests_running")+","+bad+`,{"name":7]`)+"\n"+line(1, 2))))
	in := got.report.Inputs[0]
	if in.Samples != 1 || in.Spans != 2 || in.BadMetrics < 2 || in.Bad != in.BadDocuments+in.BadSpans+in.BadLogs+in.BadMetrics {
		t.Errorf("%+v", in)
	}
	dir := t.TempDir() + "/tables"
	writeTables(t, dir, got)
	if in := read(t, Options{}, dir).report.Inputs[0]; in.Samples != 1 || in.Spans != 2 {
		t.Errorf("of the tables: %+v", in)
	}
}
