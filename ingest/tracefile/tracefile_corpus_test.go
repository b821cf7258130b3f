package tracefile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tailpath/tailpath/ingest/table"
)

// corpusFile returns a file that people published.
func corpusFile(t *testing.T, name string) []byte {
	t.Helper()
	dir := os.Getenv("TAILPATH_CORPUS")
	if dir == "" {
		t.Skip("TAILPATH_CORPUS is not set")
	}
	text, err := os.ReadFile(filepath.Join(dir, "cases", name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// plainSpan is a span as encoding/json reads it: Jaeger's or Zipkin's.
type plainSpan struct {
	TraceID, SpanID, OperationName, ProcessID string
	StartTime, Duration                       int64 // µs
	References                                []struct{ RefType, SpanID string }
	Tags                                      json.RawMessage

	ID, ParentID, Name, Kind string
	Timestamp                int64 // µs
	LocalEndpoint            struct{ ServiceName string }
}

type plainTrace struct {
	Spans     []plainSpan
	Processes map[string]struct{ ServiceName string }
}

// kind returns the value of the tag span.kind.
func (p plainSpan) kind(t *testing.T) string {
	var tags []struct {
		Key   string
		Value any
	}
	if len(p.Tags) > 0 {
		if err := json.Unmarshal(p.Tags, &tags); err != nil {
			t.Fatal(err)
		}
	}
	for _, tag := range tags {
		if tag.Key == "span.kind" {
			return fmt.Sprint(tag.Value)
		}
	}
	return "unspecified"
}

// shortID writes an id without its leading zeros.
func shortID(id []byte) string { return strings.TrimLeft(fmt.Sprintf("%x", id), "0") }

// TestCorpus holds the rows of published files to what encoding/json reads of them.
func TestCorpus(t *testing.T) {
	for name, want := range map[string]struct {
		format Format
		spans  int
		ns     int64 // of the one request
	}{
		"real/crisp_15.json":                                         {JaegerJSON, 7, 100_000},
		"real/jaegerui_genai_trace.json":                             {JaegerJSON, 57, 44_000_000_000},
		"real/jaegerui_overlapping_children_longer_than_parent.json": {JaegerJSON, 4, 40_000},
		"real/zipkin_skew.json":                                      {ZipkinJSON, 4, 99_411_000},
		"real/zipkin_yelp.json":                                      {ZipkinJSON, 16, 0},
	} {
		text := corpusFile(t, name)
		if f := Sniff(text[:min(len(text), 1400)], false); f != want.format {
			t.Errorf("%s is taken for %s by its first bytes", name, f)
		}
		o := readFrom(t, bytes.NewReader(text), want.format)
		var lines []string
		for _, p := range plainSpans(t, text) {
			id, parent, span, service, kind, start := p.ID, p.ParentID, p.Name, p.LocalEndpoint.ServiceName, p.Kind, p.Timestamp
			if want.format == JaegerJSON {
				id, span, service, kind, start = p.SpanID, p.OperationName, p.ProcessID, p.kind(t), p.StartTime
				for _, r := range p.References {
					if r.RefType == "CHILD_OF" && parent == "" {
						parent = r.SpanID
					}
				}
			}
			if kind == "" {
				kind = "unspecified"
			}
			low := func(s string) string { // of what is no hex there is no more to say than that it is one id
				if strings.Trim(s, "0123456789abcdefABCDEF") != "" {
					var hashed table.SpanID
					readID(hashed[:], []byte(s))
					return shortID(hashed[:])
				}
				return strings.TrimLeft(strings.ToLower(s), "0")
			}
			lines = append(lines, fmt.Sprintf("%s %s<%s %s %s %s %d+%d", low(p.TraceID), low(id), low(parent), span, strings.ToLower(kind), service, start*1000, p.Duration*1000))
		}
		var got []string
		s := &o.set.Spans
		for i := range s.Len() {
			text := o.set.Symbols.Text
			got = append(got, fmt.Sprintf("%s %s<%s %s %s %s %d+%d", shortID(s.TraceID[i][:]), shortID(s.SpanID[i][:]), shortID(s.ParentID[i][:]), text(s.Name[i]),
				strings.ToLower(table.KindNames[s.Kind[i]]), text(o.set.Scopes.Service[s.ScopeRow[i]]), s.Start[i], s.End[i]-s.Start[i]))
		}
		same(t, name, lines, got)
		same(t, name+": spans", want.spans, len(got))
		if want.ns > 0 {
			requests := requestsOf(o)
			if len(requests) != 1 || requests[0].End-requests[0].Start != want.ns {
				t.Errorf("%s: %d requests, the first of %d ns, want one of %d", name, len(requests), requests[0].End-requests[0].Start, want.ns)
			}
		}
	}
}

// plainSpans returns the spans of a file with the names of services for process ids.
func plainSpans(t *testing.T, text []byte) (all []plainSpan) {
	t.Helper()
	if json.Unmarshal(text, &all) == nil {
		return all
	}
	var answer struct {
		Data []plainTrace
		plainTrace
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		t.Fatal(err)
	}
	for _, trace := range append(answer.Data, answer.plainTrace) {
		for _, p := range trace.Spans {
			p.ProcessID = trace.Processes[p.ProcessID].ServiceName
			all = append(all, p)
		}
	}
	return all
}

// TestSniffCorpus holds Sniff to claim no more of the corpus than is its own.
func TestSniffCorpus(t *testing.T) {
	corpusFile(t, "real/zipkin_skew.json")
	dir := filepath.Join(os.Getenv("TAILPATH_CORPUS"), "cases")
	own := map[string]Format{
		"crisp_15.json": JaegerJSON, "jaegerui_genai_trace.json": JaegerJSON, "jaegerui_overlapping_children_longer_than_parent.json": JaegerJSON,
		"zipkin_skew.json": ZipkinJSON, "zipkin_yelp.json": ZipkinJSON,
	}
	n := 0
	for _, group := range []string{"real", "servers", "collector"} {
		files, err := os.ReadDir(filepath.Join(dir, group))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			head := corpusFile(t, filepath.Join(group, f.Name()))
			whole := len(head) <= HeadSize
			got := Sniff(head[:min(len(head), HeadSize)], whole)
			if got > ZipkinJSON { // of a server's records
				continue
			}
			if want := own[f.Name()]; got != want {
				t.Errorf("%s is taken for %s, want %s", f.Name(), got, want)
			}
			n++
		}
	}
	if n < 40 {
		t.Errorf("%d files", n)
	}
}

// OTLP is never claimed, nor is anything that has no spans of these formats.
func TestSniffNothing(t *testing.T) {
	for _, text := range []string{
		"", "null", "123", "[]", "{}", `[{}]`, `{"data":[]}`, "\xff\xfe{", "plain text",
		`{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"1","spanId":"2","name":"n","kind":2,"startTimeUnixNano":"1"}]}]}]}`,
		`{"result":{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"1","spanId":"2","parentSpanId":"3","name":"n"}]}]}]}}`,
		`{"data":[{"resourceSpans":[]}]}`, `{"batches":[{"instrumentationLibrarySpans":[{"spans":[{"traceId":"AA==","spanId":"AA==","name":"n"}]}]}]}`,
		`{"traces":[{"traceID":"2f3e","rootServiceName":"s","rootTraceName":"n","startTimeUnixNano":"1","durationMs":5}]}`,
		`{"traceId":"1","spanId":"2","level":"info","msg":"a log line","timestamp":1}`,
		`{"name":"n","context":{"trace_id":"0x1","span_id":"0x2"},"kind":"SpanKind.SERVER","start_time":"2026-08-20T12:00:00Z"}`,
		`{"id":"chatcmpl-1","object":"chat.completion","choices":[]}`,
	} {
		for _, whole := range []bool{true, false} {
			if f := Sniff([]byte(text), whole); f == JaegerJSON || f == ZipkinJSON {
				t.Errorf("%s is taken for %s", text, f)
			}
		}
	}
}
