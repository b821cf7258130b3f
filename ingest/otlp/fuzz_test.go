package otlp

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailpath/tailpath/ingest/table"
)

var jsonSeeds = []string{
	`{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"a"}}]},"scopeSpans":[{"scope":{"name":"s"},"spans":[{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174","parentSpanId":"","name":"x","kind":2,"startTimeUnixNano":"1","endTimeUnixNano":"2","attributes":[{"key":"k","value":{"arrayValue":{"values":[{"intValue":"1"},{"kvlistValue":{"values":[{"key":"a","value":{"doubleValue":1.5}}]}}]}}}],"events":[{"timeUnixNano":"1","name":"e"}],"links":[{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174"}],"status":{"code":2,"message":"m"},"flags":257}],"schemaUrl":"u"}],"schemaUrl":"v"}]}`,
	"{\"resource_spans\":[{\"scope_spans\":[{\"spans\":[{\"trace_id\":\"5b8efff798038103d269b633813fc60c\",\"span_id\":\"eee19b7ec3c1b174\",\"kind\":\"SPAN_KIND_SERVER\",\"attributes\":[{\"value\":{\"boolValue\":true},\"key\":\"\\u00e9\\ud83d\\ude00\\n\"},{\"key\":\"b\",\"value\":{\"bytesValue\":\"AAEC\"}}]}]}]}]}\n{broken\n{\"resourceSpans\":[]}",
	"\xef\xbb\xbf\x00\n[{\"resourceLogs\":[{\"scopeLogs\":[{\"logRecords\":[{\"timeUnixNano\":\"3\",\"severityNumber\":\"SEVERITY_NUMBER_WARN\",\"body\":{\"stringValue\":\"b\"}}]}]}]},\n{}]",
	`{"result":{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"W47/95gDgQPSabYzgT/GDA==","spanId":"7uGbfsPBsXQ=","startTimeUnixNano":1.7e18,"endTimeUnixNano":{"low":-1013133952,"high":395276536},"kind":"server"}]}]}]}}`,
	`{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174","flags":257,"nam`,
	`{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"kvlistValue":{"values":[{"key":"prompt","value":{"stringValue":"x"}},{"key":"log","value":{"stringValue":"l\\"}}]}},"attributes":[{"key":"content","value":{"arrayValue":{"values":[{"kvlistValue":{"values":[]}}]}}}]}]}]}]}`,
}

// FuzzJSON reads any bytes as JSON. Nothing may panic, every span that was met is a row
// or counted as bad, chunks come to the same as the whole, and what pdata accepts
// comes to the same rows.
func FuzzJSON(f *testing.F) {
	for _, seed := range jsonSeeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got := readAs(t, data, JSON)
		if sum := got.account.Count(BadSpan.ID); sum != got.stats.BadSpans {
			t.Fatalf("%d bad spans in the account, %d in the stats", sum, got.stats.BadSpans)
		}
		for _, e := range got.account.Entries() {
			if e.First.Offset < 0 || e.First.Offset > int64(len(data)) || e.First.Line < 1 {
				t.Fatalf("%s is said to be at line %d, offset %d of %d bytes", e.ID, e.First.Line, e.First.Offset, len(data))
			}
		}
		diff(t, "a stream of single bytes", got.rows(), readSlowly(t, data).rows())
		if _, discreet := linesOf(t, data, JSON); discreet.stats.Spans != got.stats.Spans || discreet.stats.Logs != got.stats.Logs {
			t.Fatalf("with text %+v, without %+v", got.stats, discreet.stats)
		}
		oracleJSON(t, data, got)
	})
}

// quirks are texts that make pdata and this package read on purpose different things:
// names that pdata does not know, the empty name, which ends an object for pdata, and
// lone surrogates.
var quirks = []string{"batches", "instrumentation", "traceID", "spanID", "SpanID", `"result"`, `"data"`, `"trace"`,
	`"":`, `\u`, "resourceLogs", "resource_logs", "logRecords", "log_records", `"logs"`, "scopeLogs", "scope_logs", "ibrary"}

// protocolNames are the members of the protocol. Spelt in another case, this package
// knows them and pdata does not.
var protocolNames = []string{
	"resourceSpans", "scopeSpans", "spans", "resource", "scope", "attributes", "schemaUrl", "name", "version",
	"droppedAttributesCount", "droppedEventsCount", "droppedLinksCount", "traceId", "spanId", "parentSpanId", "traceState",
	"flags", "kind", "startTimeUnixNano", "endTimeUnixNano", "events", "links", "status", "message", "code", "timeUnixNano",
	"key", "value", "stringValue", "boolValue", "intValue", "doubleValue", "bytesValue", "arrayValue", "kvlistValue", "values",
	"low", "high", "entityRefs",
	"resourceMetrics", "scopeMetrics", "metrics", "description", "unit", "gauge", "sum", "histogram", "exponentialHistogram", "summary",
	"dataPoints", "aggregationTemporality", "asDouble", "asInt", "count",
}

var capital = regexp.MustCompile("[A-Z]")

// otherCase reports whether a text holds a name of the protocol in another spelling
// than the two that pdata knows.
func otherCase(text []byte) bool {
	bare := func(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }
	dec := json.NewDecoder(bytes.NewReader(text))
	for {
		token, err := dec.Token()
		if err != nil {
			return false
		}
		word, ok := token.(string)
		if !ok {
			continue
		}
		for _, name := range protocolNames {
			snake := strings.ToLower(capital.ReplaceAllString(name, "_$0"))
			if bare(word) == bare(name) && word != name && word != snake {
				return true
			}
		}
	}
}

func oracleJSON(t tb, data []byte, got result) {
	for _, quirk := range quirks {
		if bytes.Contains(data, []byte(quirk)) {
			return
		}
	}
	if bytes.Count(data, []byte("resource")) > 3 { // a document begins inside a value, or behind the first
		return
	}
	var first json.RawMessage // pdata takes much that is no JSON
	if err := json.NewDecoder(bytes.NewReader(data)).Decode(&first); err != nil {
		return
	}
	if otherCase(first) {
		return
	}
	td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(data)
	if err != nil {
		return
	}
	want := oracleTraces(td)
	for _, id := range want.set.Spans.SpanID {
		if id == (table.SpanID{}) { // pdata makes spans of nulls
			return
		}
	}
	if want.stats.BadSpans > 0 {
		return
	}
	rows := got.rows()
	diff(t, "rows of pdata", want.rows(), rows[:min(len(rows), want.set.Spans.Len())])
}

// readSlowly reads data through a window that has to be refilled all the time.
func readSlowly(t tb, data []byte) result {
	t.Helper()
	r := result{set: table.NewSet(), account: &table.Account{}}
	d := NewDecoderWith(r.set, r.account, "input", Options{KeepText: true})
	s := &d.json
	s.open(bytes.NewReader(data), Start{Line: 1}, maxRecord)
	s.own, s.step, s.final = make([]byte, 0, 1), 1, true
	s.buf = s.own
	s.documents()
	return r
}

// FuzzProto reads any bytes as protobuf, with and without frames. Nothing may panic,
// and a message that pdata accepts comes to the same rows.
func FuzzProto(f *testing.F) {
	for i := range 3 {
		msg, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(batch(i, 1))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(msg)
		f.Add(frameOf(msg))
		f.Add(frameOf(zstdOf(msg)))
		f.Add(msg[:len(msg)/2])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, form := range []Form{Protobuf, FramedProtobuf} {
			got := readAs(t, data, form)
			if sum := got.account.Count(BadSpan.ID); sum != got.stats.BadSpans {
				t.Fatalf("%d bad spans in the account, %d in the stats", sum, got.stats.BadSpans)
			}
		}
		Sniff(data, true)
		if kind, old := survey(data); kind != traces || old {
			return
		}
		td, err := traceReader.UnmarshalTraces(data)
		if err != nil {
			return
		}
		got := result{set: table.NewSet(), account: &table.Account{}}
		d := NewDecoderWith(got.set, got.account, "input", Options{KeepText: true})
		d.salvage(data, traces, table.Place{Source: "input"}, false)
		diff(t, "rows of pdata", oracleTraces(td).rows(), got.rows())
	})
}
