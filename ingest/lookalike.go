package ingest

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/tailpath/tailpath/ingest/otlp"
	"github.com/tailpath/tailpath/ingest/table"
)

// look is a shape that input may have and that is known, but not read.
type look struct {
	what string // completes "this looks like ..."
	hint string // what to do
	is   func(head []byte) bool
}

const (
	hintOTLP = "export the traces as OTLP instead: the Collector's file exporter, an OTLP endpoint, or the OTLP JSON that the tool itself can save"
	hintLog  = "say how its lines are read: --logs PATTERN=FORMAT, with a format of tailpath help formats or a YAML file of your own"
	hintSDK  = "set OTEL_TRACES_EXPORTER=otlp, or use the OTLP exporter in its place: what is printed for a person is not read"
	hintLoad = "it is what to ask a server, not what came of it: give the traces or logs of a run"
	hintBody = "vLLM tells times in its answers with --enable-per-request-metrics, llama.cpp and Ollama always do; else give the server's traces or log"
	hintProf = "it says what one process did, not what requests waited for: give the traces or logs of the servers of the same time"
)

func has(all ...string) func([]byte) bool {
	return func(head []byte) bool {
		for _, text := range all {
			if !bytes.Contains(head, []byte(text)) {
				return false
			}
		}
		return true
	}
}

func starts(with ...string) func([]byte) bool {
	return func(head []byte) bool {
		for _, text := range with {
			if bytes.HasPrefix(head, []byte(text)) {
				return true
			}
		}
		return false
	}
}

func matches(pattern string) func([]byte) bool { return regexp.MustCompile(pattern).Match }

// jsonLooks are the known shapes of JSON, the most telling first.
var jsonLooks = []look{
	{"what Python's ConsoleSpanExporter prints", hintSDK, has(`"context"`, `"trace_id": "0x`)},
	{"what Go's stdouttrace exporter prints", hintSDK, has(`"SpanContext"`, `"TraceID"`)},
	{"a trace of PyTorch's profiler", hintProf, has(`"traceEvents"`, `"schemaVersion"`)},
	{"a trace of Chrome or Perfetto", hintProf, has(`"traceEvents"`)},
	{"a trace of Chrome or Perfetto", hintProf, has(`"ph"`, `"pid"`, `"ts"`)},
	{"a profile of speedscope", hintProf, has(`"$schema"`, `speedscope`)},
	{"a workload of Mooncake's, which has arrivals and lengths and no durations", hintLoad, has(`"hash_ids"`, `"input_length"`, `"output_length"`)},
	{"a workload, which has arrivals and lengths and no durations", hintLoad, has(`"timestamp"`, `"input_length"`, `"output_length"`)},
	{"an answer of a model's server, in which there are no times", hintBody, matches(`"object"\s*:\s*"(chat\.completion|text_completion|chat\.completion\.chunk)"`)},
	{"an answer of Tempo's search, which has no spans in it", "fetch the traces by id: /api/traces/{id}", has(`"rootServiceName"`)},
	{"an error that a server answered", "look at the message in it, and fetch the traces again", matches(`^\s*\{\s*"(error|errors|message|code|status)"`)},
	{"JSON log lines of a program that is not known", hintLog, matches(`"(level|severity|levelname|msg|response_code|status|upstream_host|DownstreamStatus)"\s*:`)},
}

// textLooks are the known shapes of text.
var textLooks = []look{
	{"a web page", "the download gave a page, for example to log in: fetch the file again", matches(`(?i)^\s*<(!doctype html|html|head)`)},
	{"XML", hintOTLP, starts("<?xml", "<")},
	{"metrics in the text format of Prometheus", "it is one moment's reading: give OTLP metrics, as a Collector's Prometheus receiver records them, or the engine's log", matches(`(?m)^# (HELP|TYPE) `)},
	{"what the console exporter of OpenTelemetry for JavaScript prints", hintSDK, matches(`(?s)traceId: '[0-9a-f]{32}'.*(hrTime|timestamp: \d|duration: [\d.]+)`)},
	{"a workload of Azure's, which has arrivals and lengths and no durations", hintLoad, matches(`^\xef?\xbb?\xbf?"?TIMESTAMP"?,"?ContextTokens"?,"?GeneratedTokens`)},
	{"folded stacks of a profiler", hintProf, matches(`^([^\s;]+(;[^\n;]+)+ \d+\n){2}`)},
	{"what perf script prints", hintProf, matches(`(?m)^\S+ +\d+(/\d+)? +(\[\d+\] +)?\d+\.\d+: +\d* *(cycles|cpu-clock|instructions)`)},
	{"an access log with its own log_format, or one that records no duration", "give its log_format, as it stands in the configuration: --log-format '...'", matches(`(?m)^\S+ \S+ \S+ \[\d\d/[A-Z][a-z]{2}/\d{4}:`)},
	// Less sure from here on.
	{"a text log of a program that is not known", hintLog, matches(`\d\d:\d\d:\d\d`)},
	{"plain text", "name the files that hold traces or logs: tailpath help formats", func([]byte) bool { return true }},
}

// sureLooks is how many of textLooks can be told for sure.
var sureLooks = len(textLooks) - 2

// binaryLooks are the known shapes of anything else.
var binaryLooks = []look{
	{"a file compressed by xz", "decompress it first: xz -d", starts("\xfd7zXZ\x00")},
	{"a file compressed by bzip2", "decompress it first: bzip2 -d", starts("BZh")},
	{"a file compressed by LZ4", "decompress it first: lz4 -d", starts("\x04\x22\x4d\x18")},
	{"a file compressed by Snappy", "decompress it first", starts("\xff\x06\x00\x00sNaPpY")},
	{"a zip archive", "unpack it first: unzip", starts("PK\x03\x04", "PK\x05\x06")},
	{"a tar archive", "unpack it first: tar -x", func(h []byte) bool { return len(h) > 262 && string(h[257:262]) == "ustar" }},
	{"a Parquet file", "give the directory that tailpath ingest wrote, not a file in it", starts("PAR1")},
	{"an Arrow file", "give the directory that tailpath ingest wrote, not a file in it", starts("ARROW1", "\xff\xff\xff\xff")},
	{"an SQLite database", "export the traces from it as OTLP", starts("SQLite format 3")},
	{"a profile of pprof", hintProf, isProfile},
	{"a packet capture", "packets are not read: give traces or logs", starts("\xd4\xc3\xb2\xa1", "\xa1\xb2\xc3\xd4", "\x0a\x0d\x0d\x0a")},
	{"a program", "name the files that hold traces or logs", starts("\x7fELF", "MZ", "\xcf\xfa\xed\xfe")},
	{"a picture or document", "name the files that hold traces or logs", starts("\x89PNG", "\xff\xd8\xff", "GIF8", "%PDF")},
	{"nothing but NUL bytes", "the disk was full or the machine went down while it was written: the content is lost", func(h []byte) bool { return len(bytes.Trim(h, "\x00")) == 0 }},
}

// isValue knows a text that is one JSON value without brackets.
var isValue = matches(`^(null|true|false|"[^"]*"|[-+0-9.eE]+)$`)

// isProfile knows pprof's protobuf: fields of profile.proto in their order, sample
// types first, each a message of two varints.
func isProfile(head []byte) bool {
	return len(head) > 8 && string(head[:3]) == "\x0a\x04\x08" && head[4] == 0x10 && (head[6] == 0x0a || head[6] == 0x12)
}

func find(looks []look, head []byte) *look {
	for i := range looks {
		if looks[i].is(head) {
			return &looks[i]
		}
	}
	return nil
}

// lookSize is how much of an input is looked at to say what it looks like, in bytes.
const lookSize = 64 << 10

// problem words a look as an Error.
func (l *look) problem(where string) *Error {
	is := ", which is not read"
	if strings.Contains(l.what, ", ") { // a clause of its own
		is = "; it is not read"
	}
	return &Error{Where: where, What: "this looks like " + l.what + is, Hint: l.hint}
}

// unknown is the Error of an input whose form is none that is read. Size is that of the
// stored bytes.
func unknown(where string, head []byte, size int64) *Error {
	head = head[:min(len(head), lookSize)]
	switch {
	case len(head) == 0 && size == 0:
		return &Error{Where: where, What: "the file is empty", Hint: "check that whatever should write it has run, and has flushed"}
	case len(head) == 0:
		return &Error{Where: where, What: "there is nothing in it once it is decompressed", Hint: "check that whatever should write it has run, and has flushed"}
	case len(bytes.TrimSpace(head)) == 0:
		return &Error{Where: where, What: "there is nothing but blanks in it", Hint: "check that whatever should write it has run, and has flushed"}
	}
	if l := find(binaryLooks, head); l != nil {
		return l.problem(where)
	}
	if isText(head) {
		if isValue(bytes.TrimSpace(head)) {
			return &Error{Where: where, What: "this is a single JSON value and no document", Hint: "the query that wrote it found nothing, or failed: run it again"}
		}
		return find(textLooks, head).problem(where)
	}
	return &Error{Where: where, What: "this is binary data of a kind that is not known", Hint: "read are OTLP in JSON and protobuf, also compressed by gzip or zstd"}
}

// isText reports whether the head is UTF-8 without control characters, but for its last
// character, which may be cut.
func isText(head []byte) bool {
	for n := 0; n < utf8.UTFMax && len(head) > 0 && !utf8.Valid(head); n++ {
		head = head[:len(head)-1]
	}
	return utf8.Valid(head) && !bytes.ContainsAny(head, "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x0e\x0f")
}

// hintMetrics says of which metrics readings are made.
const hintMetrics = "metrics are read of vLLM, SGLang, Triton, TensorRT-LLM, TGI, llama.cpp, LMDeploy, the DCGM exporter and hw.gpu; what requests waited for is told by traces and logs"

// notOTLP is the Error of an input that was read and had no traces, logs or readings in
// it. What was counted meanwhile may say why.
func notOTLP(where string, head []byte, s otlp.Stats, counted []table.Entry) *Error {
	text, json := find(textLooks[:sureLooks], head), find(jsonLooks, head)
	switch {
	case s.Other > 0:
		return withoutReading(where, s, counted)
	case s.Unknown == 0 && len(s.Faults) > 0 && text != nil:
		return text.problem(where)
	case s.Unknown == 0 && len(s.Faults) > 0:
		f := s.Faults[0]
		if f.At.Line > 0 {
			where = fmt.Sprintf("%s:%d", where, f.At.Line)
		}
		return &Error{Where: where, What: fmt.Sprintf("no document could be read; the first fault: %s", f.What), Hint: "the input is damaged, or is something else: look at the line"}
	case s.Unknown == 0:
		return &Error{Where: where, What: "there is no document in it", Hint: "the query that wrote it found nothing: run it again"}
	case json != nil:
		return json.problem(where)
	}
	return &Error{Where: where, What: "this is JSON or protobuf of a shape that is not known: it has neither resourceSpans nor resourceLogs",
		Hint: "read are OTLP traces and logs; export them as OTLP"}
}

// withoutReading is the Error of OTLP of which nothing could be made, although it is
// whole: profiles, or metrics without a reading.
func withoutReading(where string, s otlp.Stats, counted []table.Entry) *Error {
	e := &Error{Where: where, What: "this holds OTLP metrics or profiles with nothing in them that is read, and no traces or logs", Hint: "give the file of the traces pipeline"}
	if n := len(s.UnknownSeries); n > 0 {
		var names []string
		for _, name := range s.UnknownSeries {
			names = append(names, fmt.Sprintf("%.60q", name))
		}
		if n > 1 {
			names = append(names[:n-2], names[n-2]+" and "+names[n-1])
		}
		e.What, e.Hint = "this holds OTLP metrics of series that are not known, such as "+strings.Join(names, ", ")+", and no traces or logs", hintMetrics
		return e
	}
	for _, is := range []table.Issue{otlp.DeltaPoint, otlp.EmptyPoint, otlp.UnusedPoint, otlp.BadPoint, otlp.BadMetric, otlp.UnknownMetric} {
		for _, c := range counted {
			if c.ID == is.ID {
				e.What, e.Hint = "this holds OTLP metrics of which no reading could be made, and no traces or logs; the first reason: "+c.Detail, is.Advice
				return e
			}
		}
	}
	return e
}
