package tracefile

import (
	"bytes"
	"encoding/json"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// fuzzFormat holds a reader to what is true of any bytes: it ends, its rows are valid,
// every span is counted, the cut into reads does not matter, and sound JSON has no
// fault of its own.
func fuzzFormat(t *testing.T, data []byte, f Format) {
	o := readFrom(t, bytes.NewReader(data), f)
	if o.stats.Spans != int64(o.set.Spans.Len()) {
		t.Fatalf("%d spans are counted, %d are there", o.stats.Spans, o.set.Spans.Len())
	}
	for i, row := range o.set.Spans.ScopeRow {
		if int(row) >= o.set.Scopes.Len() {
			t.Fatalf("span %d has no scope", i)
		}
	}
	known := map[string]bool{}
	for _, is := range Issues() {
		known[is.ID] = true
	}
	for id := range o.issues() {
		if !known[id] {
			t.Fatalf("issue %s is not listed", id)
		}
	}
	pieces := readFrom(t, iotest.OneByteReader(bytes.NewReader(data)), f)
	if diff := cmp.Diff(render(o.set), render(pieces.set)); diff != "" {
		t.Fatalf("rows depend on reads:\n%s", diff)
	}
	if diff := cmp.Diff(o.account.Entries(), pieces.account.Entries()); diff != "" {
		t.Fatalf("issues depend on reads:\n%s", diff)
	}
	if json.Valid(data) && bytes.ContainsAny(data, "{[") && (data[0] == '{' || data[0] == '[') && bytes.Count(data, []byte("{"))+bytes.Count(data, []byte("[")) < maxDepth {
		if o.stats.BadDocuments > 0 || o.account.Count(CutLast.ID) > 0 {
			t.Fatalf("sound JSON has issues %v", o.issues())
		}
	}
	Sniff(data, true)
	Sniff(data, false)
}

func FuzzJaeger(f *testing.F) {
	f.Add([]byte(`{"data":[` + jaegerTraceJSON + `]}`))
	f.Add([]byte(jaegerTraceJSON + jaegerTraceJSON[:200] + "\n" + jaegerTraceJSON))
	f.Add([]byte(`{"traceId":"AAAAAAAAAAEAAAAAAAAAAg==","spanId":"AAAAAAAAAAM=","operationName":"op","startTime":"2026-08-20T12:00:00Z","duration":"1.5s","process":{"serviceName":"s"},"tags":[{"key":"n","vType":"INT64"}]}`))
	f.Add([]byte(`{"hits":{"hits":[{"_source":{"traceID":"1","spanID":"2","operationName":"o","startTimeMillis":5,"tag":{"a@b":1},"warnings":["x"]}}]}}`))
	f.Add([]byte(`[{"spanID":"2","operationName":"o","startTime":5,"logs":[{"timestamp":1,"fields":{"event":"e"}}]},{"spans":[],"processMap":[{"processId":"p","process":{}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) { fuzzFormat(t, data, JaegerJSON) })
}

func FuzzZipkin(f *testing.F) {
	f.Add([]byte(`[` + zipkinClient + `,` + zipkinServer + `]`))
	f.Add([]byte(zipkinClient + "\n" + zipkinServer[:100] + "\n[" + zipkinServer + "]"))
	f.Add([]byte(`[[{"traceId":"1","id":"2","annotations":[{"timestamp":1,"value":"cs","endpoint":{"serviceName":"a"}},{"timestamp":2,"value":"sr","endpoint":{"serviceName":"b"}}],"binaryAnnotations":[{"key":"sa","value":true,"endpoint":{"port":-1}}]}]]`))
	f.Add([]byte(`{"traceId":"1","id":"2","timestamp":"x","duration":1e400,"tags":{"a":{}},"shared":true}`))
	f.Fuzz(func(t *testing.T, data []byte) { fuzzFormat(t, data, ZipkinJSON) })
}
