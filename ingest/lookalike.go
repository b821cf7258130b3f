package ingest

import (
	"bytes"
	"fmt"
	"regexp"
	"unicode/utf8"

	"github.com/tailpath/tailpath/ingest/otlp"
)

// look is a shape that input may have and that is known, but not read.
type look struct {
	what string // completes "this looks like ..."
	hint string // what to do
	is   func(head []byte) bool
}

const (
	hintOTLP = "export the traces as OTLP instead: the Collector's file exporter, an OTLP endpoint, or the OTLP JSON that the tool itself can save"
	hintLog  = "give the OTLP traces and logs of the same time; text logs are left out"
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
	{"the JSON of Jaeger", "Jaeger answers in OTLP under /api/v3/traces/{id}: save that", has(`"traceID"`, `"operationName"`)},
	{"the JSON that Jaeger stores in Elasticsearch", hintOTLP, has(`"traceID"`, `"startTimeMillis"`)},
	{"the JSON of Zipkin", hintOTLP, has(`"traceId"`, `"localEndpoint"`)},
	{"the JSON of Zipkin, version 1", hintOTLP, has(`"traceId"`, `"binaryAnnotations"`)},
	{"the JSON of Zipkin", hintOTLP, has(`"traceId"`, `"timestamp"`, `"duration"`, `"id"`)},
	{"what Python's ConsoleSpanExporter prints", "set OTEL_TRACES_EXPORTER=otlp, or use the OTLP exporter in its place", has(`"context"`, `"trace_id": "0x`)},
	{"what Go's stdouttrace exporter prints", "use the OTLP exporter in its place", has(`"SpanContext"`, `"TraceID"`)},
	{"a trace of Chrome or Perfetto", hintOTLP, has(`"traceEvents"`)},
	{"a trace of Chrome or Perfetto", hintOTLP, has(`"ph"`, `"pid"`, `"ts"`)},
	{"Triton's own trace file", "run tritonserver with --trace-config mode=opentelemetry, or give its OTLP export", has(`"timestamps"`, `"ns"`)},
	{"an answer of Tempo's search, which has no spans in it", "fetch the traces by id: /api/traces/{id}", has(`"rootServiceName"`)},
	{"an error that a server answered", "look at the message in it, and fetch the traces again", matches(`^\s*\{\s*"(error|errors|message|code|status)"`)},
	{"JSON log lines of a server or gateway", hintLog, matches(`"(level|severity|levelname|msg|response_code|status|upstream_host|DownstreamStatus)"\s*:`)},
}

// textLooks are the known shapes of text.
var textLooks = []look{
	{"a web page", "the download gave a page, for example to log in: fetch the file again", matches(`(?i)^\s*<(!doctype html|html|head)`)},
	{"XML", hintOTLP, starts("<?xml", "<")},
	{"metrics in the text format of Prometheus", "give traces or logs in OTLP: metrics are not read", matches(`(?m)^# (HELP|TYPE) `)},
	{"an access log of nginx, Apache or alike", hintLog, matches(`(?m)^\S+ \S+ \S+ \[\d\d/[A-Z][a-z]{2}/\d{4}:`)},
	{"a log of HAProxy", hintLog, matches(`\[\d\d/[A-Z][a-z]{2}/\d{4}:[\d:.]+\] \S+ \S+/\S+ [-\d+]+/`)},
	{"an access log of Envoy or Istio", hintLog, matches(`(?m)^\[\d{4}-\d\d-\d\dT[\d:.]+Z\] "[A-Z]+ `)},
	{"a log of vLLM", hintLog, matches(`(INFO|WARNING|ERROR|DEBUG) \d\d-\d\d \d\d:\d\d:\d\d`)},
	{"a log of SGLang or LMDeploy", hintLog, matches(`(?m)^\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d( |\])`)},
	{"a log of Triton", hintLog, matches(`(?m)^[IWE]\d{4} \d\d:\d\d:\d\d`)},
	// Less sure from here on.
	{"a text log", hintLog, matches(`\d\d:\d\d:\d\d`)},
	{"plain text", "name the files that hold OTLP", func([]byte) bool { return true }},
}

// sureLooks is how many of textLooks can be told for sure.
var sureLooks = len(textLooks) - 2

// binaryLooks are the known shapes of anything else.
var binaryLooks = []look{
	{"UTF-16 text", "turn it into UTF-8: iconv -f UTF-16 -t UTF-8 IN > OUT", isUTF16},
	{"a file compressed by xz", "decompress it first: xz -d", starts("\xfd7zXZ\x00")},
	{"a file compressed by bzip2", "decompress it first: bzip2 -d", starts("BZh")},
	{"a file compressed by LZ4", "decompress it first: lz4 -d", starts("\x04\x22\x4d\x18")},
	{"a file compressed by Snappy", "decompress it first", starts("\xff\x06\x00\x00sNaPpY")},
	{"a zip archive", "unpack it first: unzip", starts("PK\x03\x04", "PK\x05\x06")},
	{"a tar archive", "unpack it first: tar -x", func(h []byte) bool { return len(h) > 262 && string(h[257:262]) == "ustar" }},
	{"a Parquet file", "give the directory that tailpath ingest wrote, not a file in it", starts("PAR1")},
	{"an Arrow file", "give the directory that tailpath ingest wrote, not a file in it", starts("ARROW1", "\xff\xff\xff\xff")},
	{"an SQLite database", "export the traces from it as OTLP", starts("SQLite format 3")},
	{"a packet capture", "packets are not read; export traces or logs as OTLP", starts("\xd4\xc3\xb2\xa1", "\xa1\xb2\xc3\xd4", "\x0a\x0d\x0d\x0a")},
	{"a program", "name the files that hold OTLP", starts("\x7fELF", "MZ", "\xcf\xfa\xed\xfe")},
	{"a picture or document", "name the files that hold OTLP", starts("\x89PNG", "\xff\xd8\xff", "GIF8", "%PDF")},
	{"nothing but NUL bytes", "the disk was full or the machine went down while it was written: the content is lost", func(h []byte) bool { return len(bytes.Trim(h, "\x00")) == 0 }},
}

// isValue knows a text that is one JSON value without brackets.
var isValue = matches(`^(null|true|false|"[^"]*"|[-+0-9.eE]+)$`)

func isUTF16(head []byte) bool {
	if starts("\xff\xfe", "\xfe\xff")(head) {
		return true
	}
	nul := bytes.Count(head[:min(len(head), 256)], []byte{0})
	return len(head) >= 8 && nul*5 > min(len(head), 256)*2 && nul*5 < min(len(head), 256)*3
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
	return &Error{Where: where, What: "this looks like " + l.what + ", which this version does not read", Hint: l.hint}
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

// notOTLP is the Error of an input that was read and had no traces or logs in it.
func notOTLP(where string, head []byte, s otlp.Stats) *Error {
	text, json := find(textLooks[:sureLooks], head), find(jsonLooks, head)
	switch {
	case s.Other > 0:
		return &Error{Where: where, What: "this holds OTLP metrics or profiles alone, and no traces or logs", Hint: "give the file of the traces pipeline"}
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
