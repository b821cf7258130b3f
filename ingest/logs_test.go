package ingest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tailpath/tailpath/ingest/serverlog"
	"github.com/tailpath/tailpath/ingest/table"
)

// statsLine is a statistics line of vLLM, whose times have no year and no zone.
func statsLine(stamp string, waiting int) string {
	return fmt.Sprintf("(APIServer pid=4) INFO %s [loggers.py:310] Engine 000: Avg prompt throughput: 1.0 tokens/s, "+
		"Avg generation throughput: 2.0 tokens/s, Running: 18 reqs, Waiting: %d reqs, GPU KV cache usage: 44.2%%, Prefix cache hit rate: 37.5%%\n", stamp, waiting)
}

// when returns the time of the first reading.
func when(t *testing.T, r result) string {
	t.Helper()
	s := &r.set.EngineSamples
	if s.Len() == 0 {
		t.Fatal("there are no readings")
	}
	if s.Clock[0] != table.ClockWall {
		return "no date"
	}
	return time.Unix(0, s.Time[0]).UTC().Format("2006-01-02T15:04:05Z")
}

func has1(issues []string, id string) bool {
	for _, i := range issues {
		if strings.HasPrefix(i, id+"=") {
			return true
		}
	}
	return false
}

// TestYearOfALog finds the year of a log that has none, from the best source there is.
func TestYearOfALog(t *testing.T) {
	log := statsLine("08-20 12:00:10", 3)
	dated := func(year int) string {
		path := file(t, "vllm.log", []byte(log))
		at := time.Date(year, 9, 1, 0, 0, 0, 0, time.UTC)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
		return path
	}
	trace := file(t, "trace.json", []byte(line(1, 1))) // of 2026
	for name, c := range map[string]struct {
		opt   Options
		paths []string
		want  string
		issue string
	}{
		"the flag":             {Options{Logs: Logs{Year: 2019}}, []string{dated(2024), trace}, "2019-08-20T12:00:10Z", ""},
		"what is read beside":  {Options{}, []string{dated(2024), trace}, "2026-08-20T12:00:10Z", "log-year-inferred"},
		"the date of the file": {Options{}, []string{dated(2024)}, "2024-08-20T12:00:10Z", "log-year-inferred"},
		"a dated line in it": {Options{}, []string{file(t, "mixed.log", []byte("[2023-08-20 11:59:00] INFO:     10.0.3.14:51822 - \"POST /v1/chat HTTP/1.1\" 200 OK\n"+log))},
			"2023-08-20T12:00:10Z", "log-year-inferred"},
		"nothing": {Options{Stdin: strings.NewReader(log)}, []string{"-"}, "no date", "log-no-year"},
	} {
		for _, workers := range []int{1, 3} {
			c.opt.Workers = workers
			if c.opt.Stdin != nil {
				c.opt.Stdin = strings.NewReader(log)
			}
			got := read(t, c.opt, c.paths...)
			if at := when(t, got); at != c.want {
				t.Errorf("%s: %s, want %s", name, at, c.want)
			}
			if c.issue != "" && !has1(got.issues(), c.issue) {
				t.Errorf("%s: %v, which do not tell of %s", name, got.issues(), c.issue)
			}
		}
	}
}

func TestZoneOfALog(t *testing.T) {
	path := file(t, "node7.log", []byte(statsLine("08-20 12:00:10", 3)))
	shanghai := time.FixedZone("UTC+08:00", 8*3600)
	for source, want := range map[string]string{
		"vllm": "04:00:10", "node7.log": "04:00:10", "node*.log": "04:00:10", path: "04:00:10", filepath.Dir(path): "04:00:10",
		"*": "04:00:10", "sglang": "12:00:10", "other.log": "12:00:10",
	} {
		got := read(t, Options{Logs: Logs{Year: 2026, Zones: []Zone{{source, shanghai}}}}, path)
		if at := when(t, got); at != "2026-08-20T"+want+"Z" {
			t.Errorf("--tz %s: %s, want %s", source, at, want)
		}
		if assumed := has1(got.issues(), "log-assumed-utc"); assumed != (want == "12:00:10") {
			t.Errorf("--tz %s: %v", source, got.issues())
		}
	}
}

// TestFlagsWithoutEffectAreSaid names the patterns that match no input and no format.
func TestFlagsWithoutEffectAreSaid(t *testing.T) {
	path := file(t, "node7.log", []byte(statsLine("08-20 12:00:10", 3)))
	vllm, _ := serverlog.Builtin().Lookup("vllm")
	got := read(t, Options{Logs: Logs{Year: 2026,
		Rules: []LogRule{{"node*.log", vllm}, {"mode*.log", vllm}},
		Zones: []Zone{{"sglang", time.UTC}, {"haporxy", time.UTC}, {"*", time.UTC}},
	}}, path)
	for _, e := range got.account.Entries() {
		if e.ID == FlagUnused.ID {
			if e.Count != 2 || e.Detail != "pattern haporxy" {
				t.Errorf("%+v", e)
			}
			return
		}
	}
	t.Error("nothing is said of the patterns that match nothing")
}

const ownFormat = `id: own
title: our own service
doc: one line a request
kind: engine
service: own
records:
  - id: done
    example: |
      done a1 at 2026-08-20T12:00:03Z after 900 ms, 350 of them waiting
    pattern: 'done {request_id:token} at {time:rfc3339} after {total:ms} ms, {wait:ms} of them waiting'
    span:
      start: time - total
      end: time
      parts:
        - {until: start + wait, stage: queue, detail: engine}
`

// TestRulesForLogs reads inputs as a rule for their names says, whatever they look like.
func TestRulesForLogs(t *testing.T) {
	own, err := serverlog.Load([]byte(ownFormat), "own.yaml")
	if err != nil {
		t.Fatal(err)
	}
	formats, err := serverlog.Builtin().With(own)
	if err != nil {
		t.Fatal(err)
	}
	path := file(t, "app.log", []byte("starting\ndone a1 at 2026-08-20T12:00:03Z after 900 ms, 350 of them waiting\n"))
	byRule := Options{Logs: Logs{Formats: formats, Rules: []LogRule{{"other*", formats.List()[1]}, {"app*.log", own}}}}
	for name, opt := range map[string]Options{"by rule": byRule, "by content": {Logs: Logs{Formats: formats}}} {
		got := read(t, opt, path)
		in := got.report.Inputs[0]
		if in.Spans != 1 || in.Format != "own log" || in.Lines.In != 2 || in.Lines.Used != 1 || got.set.Spans.RequestID[0] != "a1" {
			t.Errorf("%s: %+v, %+v", name, in, in.Lines)
		}
		checkLines(t, name, in)
	}
	if e := refuse(t, Options{}, path); !strings.Contains(e.What, "text") {
		t.Errorf("without the format: %v", e)
	}
	trace := file(t, "app.log", []byte(line(1, 1)))
	if e := refuse(t, byRule, trace); !strings.Contains(e.What, "none of its 1 lines is a record of own") || e.Hint == "" {
		t.Errorf("a trace that is named a log: %v", e)
	}
}

func TestUTF16IsRead(t *testing.T) {
	text := statsLine("08-20 12:00:10", 3) + statsLine("08-20 12:00:20", 4)
	want := read(t, Options{Logs: Logs{Year: 2026}}, file(t, "a.log", []byte(text)))
	for _, mark := range []bool{true, false} {
		got := read(t, Options{Logs: Logs{Year: 2026}}, file(t, "a.log", utf16Of(text, mark)))
		if c := got.report.Inputs[0].Compression; c != "UTF-16" {
			t.Errorf("mark %v: read as %q", mark, c)
		}
		if got.set.EngineSamples.Len() != want.set.EngineSamples.Len() || when(t, got) != when(t, want) {
			t.Errorf("mark %v: %d readings", mark, got.set.EngineSamples.Len())
		}
	}
	trace := read(t, Options{}, file(t, "t.json", utf16Of(line(1, 1), true)))
	if trace.set.Spans.Len() != 1 {
		t.Errorf("%d spans of a trace in UTF-16", trace.set.Spans.Len())
	}
}

// TestBodiesOfRecordsAreLines reads the bodies of OTLP log records as the lines of logs
// that they are, the same for any number of workers, although a request is told by two.
func TestBodiesOfRecordsAreLines(t *testing.T) {
	var docs strings.Builder
	record := func(i int, body string) {
		fmt.Fprintf(&docs, `{"resourceLogs":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"llm"}},{"key":"host.name","value":{"stringValue":"node-7"}}]},`+
			`"scopeLogs":[{"logRecords":[{"timeUnixNano":"%d","body":{"stringValue":%q}}]}]}]}`+"\n", 1787227200_000000000+int64(i)*1e9, body)
	}
	for i := range 3000 { // more than a chunk
		record(i, fmt.Sprintf("INFO 08-20 12:00:%02d [request_logger.py:63] Received request chatcmpl-%d: params: SamplingParams(n=1), lora_request: None.", i%60, i))
		record(i, strings.TrimSpace(statsLine("08-20 12:00:10", i)))
		record(i, "an application says something")
	}
	for i := range 3000 {
		record(i+60, fmt.Sprintf("INFO 08-20 12:01:%02d [async_llm.py:623] Request chatcmpl-%d aborted.", i%60, i))
	}
	path := file(t, "logs.jsonl", []byte(docs.String()))
	want := read(t, Options{Workers: 1}, path)
	in := want.report.Inputs[0]
	if in.Spans != 3000 || in.Logs < 12000 || in.Samples != 6*3000 || in.Lines.In != 12000 || in.Lines.Used != 9000 {
		t.Errorf("%+v, lines %+v", in, in.Lines)
	}
	checkLines(t, "bodies", in)
	if s := want.set; s.Symbols.Text(s.Scopes.Service[s.Spans.ScopeRow[0]]) != "llm" || s.Symbols.Text(s.Scopes.Host[s.Spans.ScopeRow[0]]) != "node-7" {
		t.Error("the span is not of the service and host of its record")
	}
	for _, workers := range []int{2, 5} {
		got := read(t, Options{Workers: workers}, path)
		if d := table.Difference(want.set, got.set); d != "" {
			t.Errorf("%d workers: %s", workers, d)
		}
	}
}
