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
		"the file is empty":                       "",
		"nothing but blanks":                      "\n\n  ",
		"nothing but NUL":                         strings.Repeat("\x00", 4096),
		"single JSON value":                       "null",
		"single JSON value ":                      "123\n",
		"no document in it":                       "[]",
		"not known: it has neither":               `{"a":1}`,
		"ConsoleSpanExporter":                     "{\n    \"name\": \"x\",\n    \"context\": {\n        \"trace_id\": \"0x1\",\n        \"span_id\": \"0x2\"\n    },\n    \"start_time\": \"2026-08-20T12:00:00Z\"\n}\n",
		"stdouttrace":                             `{"Name":"x","SpanContext":{"TraceID":"0102","SpanID":"01"}}`,
		"Chrome or Perfetto":                      `{"traceEvents":[{"ph":"X","ts":1,"pid":1}]}`,
		"metrics or profiles":                     `{"resourceMetrics":[{"scopeMetrics":[]}]}`,
		"an error that a server":                  `{"error":"unauthorized"}`,
		"JSON log lines":                          `{"time":"2026-08-20T12:00:00Z","level":"info","message":"x"}` + "\n",
		"no document could be read":               `{"resourceSpans":[}`,
		"access log in a format without":          `198.51.100.1 - - [20/Aug/2026:12:00:03 +0000] "POST / HTTP/1.1" 200 5` + "\n",
		"a text log":                              "12:00:00 hello\n",
		"a text log of a program":                 `(APIServer pid=37727) INFO 08-02 09:19:29 [api_server.py:339] started`,
		"a text log of a program that":            `[2026-08-20 12:00:00,123] ERROR in app: it failed`,
		"console exporter of Open":                "{\n  traceId: '0102030405060708090a0b0c0d0e0f10',\n  name: 'x',\n  startTime: [ 1, 2 ],\n  hrTime: 5\n}\n",
		"answer of a model's server":              `{"id":"chatcmpl-1","object":"chat.completion","choices":[],"usage":{"prompt_tokens":1}}`,
		"workload of Mooncake":                    `{"timestamp": 0, "input_length": 6758, "output_length": 500, "hash_ids": [0, 1]}` + "\n",
		"workload of Azure":                       "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.6805900,374,44\n",
		"PyTorch's profiler":                      `{"schemaVersion": 1, "traceEvents": [{"ph": "X", "ts": 1, "pid": 1}]}`,
		"profile of speedscope":                   `{"$schema":"https://www.speedscope.app/file-format-schema.json","profiles":[]}`,
		"profile of pprof":                        "\x0a\x04\x08\x01\x10\x02\x0a\x04\x08\x03\x10\x04",
		"folded stacks":                           "main;work;leaf 12\nmain;idle 3\n",
		"its own log_format":                      `198.51.100.1 - - [20/Aug/2026:12:00:03 +0000] 200 5 my="own"` + "\n",
		"plain text":                              "hello world\n",
		"a web page":                              "<!DOCTYPE html><html>",
		"Prometheus":                              "# HELP x y\n# TYPE x counter\nx 1\n",
		"compressed by xz":                        "\xfd7zXZ\x00\x00\x04",
		"zip archive":                             "PK\x03\x04\x14\x00",
		"tar archive":                             strings.Repeat("n", 257) + "ustar\x0000",
		"Parquet":                                 "PAR1\x15\x04\x15",
		"SQLite":                                  "SQLite format 3\x00",
		"a program":                               "\x7fELF\x02\x01\x01\x00",
		"binary data of a kind that is not known": "\x01\x02\x03\x04\x99\xfe\xff\x00\x10",
		"nothing in it once it is decompressed":   string(gzipOf(t, nil)),
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
	profile := file(t, "profile.json", []byte(`{"traceEvents":[{"ph":"X","ts":1,"pid":1}]}`))
	empty := file(t, "empty", nil)
	got := read(t, Options{}, profile, empty, "testdata/tree/vllm.json")
	diff(t, "issues", []string{"input-empty=1", "input-unread=1"}, got.issues())
	for _, e := range got.account.Entries() {
		if e.ID == Unread.ID && (e.First.Source != profile || !strings.Contains(e.Detail, "Perfetto")) {
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
