package ingest

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"
)

func utf16Of(text string, mark bool) []byte {
	var out []byte
	if mark {
		out = append(out, 0xff, 0xfe)
	}
	for _, u := range utf16.Encode([]rune(text)) {
		out = append(out, byte(u), byte(u>>8))
	}
	return out
}

// Every known shape that is not read gets one clear sentence, and one that says what to
// do. None says that there are no spans.
func TestLookalikes(t *testing.T) {
	for want, data := range map[string]string{
		"the file is empty":              "",
		"nothing but blanks":             "\n\n  ",
		"nothing but NUL":                strings.Repeat("\x00", 4096),
		"single JSON value":              "null",
		"single JSON value ":             "123\n",
		"no document in it":              "[]",
		"not known: it has neither":      `{"a":1}`,
		"looks like the JSON of Jaeger,": `{"data":[{"traceID":"006c3cf93508f205","spans":[{"traceID":"006c3cf93508f205","spanID":"01","operationName":"send","startTime":100}]}]}`,
		"Elasticsearch":                  `{"traceID":"1","spanID":"2","startTimeMillis":1,"duration":3}`,
		"looks like the JSON of Zipkin,": `[{"traceId":"1e223ff1f80f1c69","id":"43210ae0c10d1234","name":"async","timestamp":1470150004008762,"duration":65000,"localEndpoint":{"serviceName":"b"}}]`,
		"ConsoleSpanExporter":            "{\n    \"name\": \"x\",\n    \"context\": {\n        \"trace_id\": \"0x1\",\n        \"span_id\": \"0x2\"\n    },\n    \"start_time\": \"2026-08-20T12:00:00Z\"\n}\n",
		"stdouttrace":                    `{"Name":"x","SpanContext":{"TraceID":"0102","SpanID":"01"}}`,
		"Chrome or Perfetto":             `{"traceEvents":[{"ph":"X","ts":1,"pid":1}]}`,
		"Triton's own":                   `[{"id":1,"model_name":"simple","timestamps":[{"name":"REQUEST_START","ns":1}]}]`,
		"metrics or profiles":            `{"resourceMetrics":[{"scopeMetrics":[]}]}`,
		"an error that a server":         `{"error":"unauthorized"}`,
		"JSON log lines":                 `{"time":"2026-08-20T12:00:00Z","level":"info","message":"x"}` + "\n",
		"no document could be read":      `{"resourceSpans":[}`,
		"UTF-16":                         string(utf16Of(line(1, 1), true)),
		"UTF-16 text, which":             string(utf16Of(line(1, 1), false)),
		"access log of nginx":            `198.51.100.1 - - [20/Aug/2026:12:00:03 +0000] "POST / HTTP/1.1" 200 5` + "\n",
		"log of HAProxy":                 `198.51.100.112:14853 [14/Jan/2015:12:48:57.127] https-in~ be/node 170/0/0/3/173 200 739 - - --NN 0/0/0/0/0 0/0 "GET / HTTP/1.1"`,
		"Envoy or Istio":                 `[2026-08-20T12:00:00.100Z] "POST /v1/chat HTTP/1.1" 200 - 10 20 30 29`,
		"log of vLLM":                    `(APIServer pid=37727) INFO 08-02 09:19:29 [api_server.py:339] started`,
		"log of SGLang":                  `[2026-08-02 00:03:56] INFO:     127.0.0.1:38818 - "POST / HTTP/1.1" 200 OK`,
		"log of Triton":                  `I0820 12:00:00.123456 1 server.cc:1] "started"`,
		"a text log":                     "12:00:00 hello\n",
		"plain text":                     "hello world\n",
		"a web page":                     "<!DOCTYPE html><html>",
		"Prometheus":                     "# HELP x y\n# TYPE x counter\nx 1\n",
		"compressed by xz":               "\xfd7zXZ\x00\x00\x04",
		"zip archive":                    "PK\x03\x04\x14\x00",
		"tar archive":                    strings.Repeat("n", 257) + "ustar\x0000",
		"Parquet":                        "PAR1\x15\x04\x15",
		"SQLite":                         "SQLite format 3\x00",
		"a program":                      "\x7fELF\x02\x01\x01\x00",
		"binary data of a kind that is not known":    "\x01\x02\x03\x04\x99\xfe\xff\x00\x10",
		"nothing in it once it is decompressed":      string(gzipOf(t, nil)),
		"looks like the JSON of Jaeger, which this ": string(zstdOf(t, []byte(`{"traceID":"1","operationName":"x"}`))),
	} {
		path := file(t, "input", []byte(data))
		e := refuse(t, Options{}, path)
		if e == nil || !strings.Contains(e.What, strings.TrimSpace(want)) || e.Hint == "" || !strings.HasPrefix(e.Where, path) || strings.Contains(e.Error(), "no spans") {
			t.Errorf("%s: %+v", want, e)
		}
	}
}

func TestBadPaths(t *testing.T) {
	empty := t.TempDir()
	if err := os.WriteFile(filepath.Join(empty, ".hidden"), []byte(line(1, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"no/such/file":     "no such file",
		"testdata/*.nope":  "no file matches",
		"testdata/[":       "neither a file nor a pattern",
		empty:              "no files to read",
		"testdata/tree/a*": "access log",
	} {
		e := refuse(t, Options{}, path, "testdata/tree/access.txt")
		if !strings.Contains(e.What, want) {
			t.Errorf("%s: %v", path, e)
		}
	}
	if e := refuse(t, Options{}, "testdata/tree", "no/such"); !errors.Is(e, fs.ErrNotExist) || e.Where != "no/such" {
		t.Errorf("%+v", e)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("hello"), 0o644); err != nil {
		t.Fatal(err)
	}
	if e := refuse(t, Options{}, dir); e.Where != dir || !strings.Contains(e.What, "notes.txt") {
		t.Errorf("%+v", e)
	}
}

func TestPermission(t *testing.T) {
	path := file(t, "secret", []byte(line(1, 1)))
	if err := os.Chmod(path, 0); err != nil {
		t.Fatal(err)
	}
	if f, err := os.Open(path); err == nil {
		f.Close()
		t.Skip("this user may read everything")
	}
	if e := refuse(t, Options{}, path); !errors.Is(e, fs.ErrPermission) {
		t.Errorf("%+v", e)
	}
	got := read(t, Options{}, filepath.Dir(path), "testdata/tree/vllm.json")
	diff(t, "issues", []string{"input-skipped=1"}, got.issues())
}

// What cannot be read beside what can is counted, and reading goes on.
func TestUnreadBesideRead(t *testing.T) {
	zipkin := file(t, "zipkin.json", []byte(`[{"traceId":"1","id":"2","localEndpoint":{}}]`))
	empty := file(t, "empty", nil)
	got := read(t, Options{}, zipkin, empty, "testdata/tree/vllm.json")
	diff(t, "issues", []string{"input-empty=1", "input-unread=1"}, got.issues())
	for _, e := range got.account.Entries() {
		if e.ID == Unread.ID && (e.First.Source != zipkin || !strings.Contains(e.Detail, "Zipkin")) {
			t.Errorf("%+v", e)
		}
	}
	if got.set.Spans.Len() != 1 {
		t.Errorf("%d spans", got.set.Spans.Len())
	}
}

func TestLogsAloneAreNoError(t *testing.T) {
	got := read(t, Options{}, file(t, "logs", []byte(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":"5"}]}]}]}`)))
	if got.set.Logs.Len() != 1 || got.set.Spans.Len() != 0 {
		t.Errorf("%+v", got.report.Inputs[0])
	}
}

// failing gives some text, and then an error of the system.
type failing struct{ text *strings.Reader }

func (f failing) Read(p []byte) (int, error) {
	n, err := f.text.Read(p)
	if err == io.EOF {
		err = errors.New("input/output error")
	}
	return n, err
}

func TestReadFailure(t *testing.T) {
	for _, workers := range []int{1, 2} {
		stdin := failing{strings.NewReader(line(1, 2) + "\n" + line(2, 2)[:300])}
		got := read(t, Options{Stdin: stdin, Workers: workers}, "-")
		diff(t, "issues", []string{"input-read-failed=1"}, got.issues())
		if got.set.Spans.Len() < 2 || got.report.Inputs[0].SHA256 != "" {
			t.Errorf("%+v", got.report.Inputs[0])
		}
	}
}
