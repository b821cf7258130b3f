package tracefile

import (
	"strings"
	"testing"

	"github.com/tailpath/tailpath/ingest/table"
)

const (
	jaegerSpans = `{"traceID":"9e2a3dc06074b17540d54de4e51e735f","spanID":"00000000000000a1","flags":1,"operationName":"POST /v1/chat","references":[],` +
		`"startTime":1787227200000001,"duration":1500,"tags":[{"key":"span.kind","type":"string","value":"server"},{"key":"http.status_code","type":"int64","value":200},` +
		`{"key":"otel.scope.name","type":"string","value":"gw"},{"key":"otel.scope.version","type":"string","value":"1.2"}],"logs":[],"processID":"p1","warnings":null},` +
		`{"traceID":"9e2a3dc06074b17540d54de4e51e735f","spanID":"00000000000000b2","operationName":"llm_request","references":[{"refType":"CHILD_OF","traceID":"9e2a3dc06074b17540d54de4e51e735f","spanID":"00000000000000a1"}],` +
		`"startTime":1787227200000101,"duration":0,"tags":[{"key":"error","type":"bool","value":true},{"key":"gen_ai.usage.prompt_tokens","type":"int64","value":"42"}],` +
		`"logs":[{"timestamp":1787227200000111,"fields":[{"key":"event","type":"string","value":"first token"},{"key":"n","type":"int64","value":1}]}],"processID":"p2"}`
	jaegerProcesses = `{"p1":{"serviceName":"gateway","tags":[{"key":"host.name","type":"string","value":"node-1"}]},"p2":{"serviceName":"vllm","tags":[{"key":"hostname","type":"string","value":"node-2"},{"key":"client-uuid","type":"string","value":"u1"}]}}`
	jaegerTraceJSON = `{"traceID":"9e2a3dc06074b17540d54de4e51e735f","spans":[` + jaegerSpans + `],"processes":` + jaegerProcesses + `,"warnings":null}`
)

var jaegerWant = []string{
	`9e2a3dc06074b17540d54de4e51e735f/00000000000000a1 "POST /v1/chat" server 1787227200000001000-1787227200001501000 flags=1 gateway@node-1# scope=gw:1.2 res{service.name=s:gateway host.name=s:node-1} {http.status_code=i:200}`,
	`9e2a3dc06074b17540d54de4e51e735f/00000000000000b2<00000000000000a1 "llm_request" unspecified 1787227200000101000-1787227200000101000 ERROR "" vllm@node-2#u1 res{service.name=s:vllm hostname=s:node-2 client-uuid=s:u1} {gen_ai.usage.prompt_tokens=i:42} !1787227200000111000:first token{n=i:1}`,
}

// The forms in which the spans of Jaeger lie in files all give the same rows.
func TestJaegerForms(t *testing.T) {
	one, two, _ := strings.Cut(jaegerSpans, `},{"traceID"`)
	one, two = one+"}", `{"traceID"`+two
	embed := func(span, process string) string {
		span = strings.Replace(strings.Replace(span, `,"processID":"p1"`, "", 1), `,"processID":"p2"`, "", 1)
		return span[:len(span)-1] + `,"process":` + process + `}`
	}
	p1 := jaegerProcesses[strings.Index(jaegerProcesses, `{"serviceName":"gateway"`):strings.Index(jaegerProcesses, `,"p2"`)]
	p2 := jaegerProcesses[strings.Index(jaegerProcesses, `{"serviceName":"vllm"`) : len(jaegerProcesses)-1]
	lines := embed(one, p1) + "\n" + embed(two, p2) + "\n"
	for name, text := range map[string]string{
		"answer of the query API": `{"data":[` + jaegerTraceJSON + `],"total":0,"limit":0,"offset":0,"errors":null}`,
		"one trace":               jaegerTraceJSON,
		"array of traces":         `[` + jaegerTraceJSON + `]`,
		"processes first":         `{"processes":` + jaegerProcesses + `,"traceID":"9e2a3dc06074b17540d54de4e51e735f","spans":[` + jaegerSpans + `]}`,
		"spans of a line":         lines,
		"array of spans":          `[` + embed(one, p1) + `,` + embed(two, p2) + `]`,
		"hits":                    `{"took":3,"hits":{"total":{"value":2},"hits":[{"_index":"jaeger-span","_source":` + embed(one, p1) + `},{"_id":"x","_source":` + embed(two, p2) + `}]}}`,
		"dumped hits":             `{"_index":"jaeger-span","_source":` + embed(one, p1) + `}` + "\n" + `{"_index":"jaeger-span","_source":` + embed(two, p2) + `}` + "\n",
	} {
		if f := Sniff([]byte(text), true); f != JaegerJSON {
			t.Errorf("%s is taken for %s", name, f)
		}
		o := readText(t, text, JaegerJSON)
		same(t, name, jaegerWant, render(o.set))
		same(t, name+": issues", map[string]int64{}, o.issues())
		same(t, name+": http status", int64(200), o.set.Spans.HTTPStatus[0])
		same(t, name+": tokens", int64(42), o.set.Spans.PromptTokens[1])
		if o.stats.Spans != 2 || o.stats.Documents < 1 {
			t.Errorf("%s: %+v", name, o.stats)
		}
	}
}

// Each case is the members of a span beside its ids, name and times, and what they add to the row.
func TestJaegerMembers(t *testing.T) {
	const self = "00000000000000000000000000000001/0000000000000002"
	row := func(rest string) string {
		return self + strings.Replace(` "op" unspecified 1000-3000 s@# res{service.name=s:s} {}`, " {}", rest, 1)
	}
	for _, c := range []struct {
		name, members, want string
		issues              map[string]int64
	}{
		{"nothing", ``, row(" {}"), nil},
		{"parent by name", `"parentSpanID":"a"`, self + `<000000000000000a "op" unspecified 1000-3000 s@# res{service.name=s:s} {}`, map[string]int64{"tracefile-foreign-id": 1}},
		{"parent of nothing", `"parentSpanID":"0000000000000000"`, row(" {}"), nil},
		{"both spellings", `"parentSpanID":"000000000000000a","references":[{"refType":"CHILD_OF","traceID":"00000000000000000000000000000001","spanID":"000000000000000a"}]`,
			self + `<000000000000000a "op" unspecified 1000-3000 s@# res{service.name=s:s} {}`, nil},
		{"follows its parent", `"references":[{"refType":"FOLLOWS_FROM","traceID":"00000000000000000000000000000001","spanID":"000000000000000a"}]`,
			self + `<000000000000000a "op" unspecified 1000-3000 s@# res{service.name=s:s} {} ->00000000000000000000000000000001/000000000000000a{opentracing.ref_type=s:follows_from}`, nil},
		{"the first child_of", `"references":[{"refType":"FOLLOWS_FROM","spanID":"000000000000000c"},{"refType":"CHILD_OF","spanID":"000000000000000a"},{"refType":"CHILD_OF","spanID":"000000000000000b"}]`,
			self + `<000000000000000a "op" unspecified 1000-3000 s@# res{service.name=s:s} {} ->00000000000000000000000000000001/000000000000000c{opentracing.ref_type=s:follows_from} ->00000000000000000000000000000001/000000000000000b{opentracing.ref_type=s:child_of}`, nil},
		{"child of another trace", `"references":[{"refType":"CHILD_OF","traceID":"0000000000000000000000000000000f","spanID":"000000000000000a"}]`,
			row(" {} ->0000000000000000000000000000000f/000000000000000a{opentracing.ref_type=s:child_of}"), nil},
		{"types", `"tags":[{"key":"a","type":"int64","value":"9007199254740993"},{"key":"b","type":"float64","value":"1.5"},{"key":"c","type":"bool","value":"true"},{"key":"d","type":"binary","value":"AAE="},{"key":"e","value":7},{"key":"f","type":"string","value":"t"}]`,
			row(" {a=i:9007199254740993 b=d:1.5 c=b:true d=b:\x00\x01 e=i:7 f=s:t}"), nil},
		{"wrong types", `"tags":[{"key":"a","type":"int64","value":"many"},{"key":"b","type":"string","value":5},{"key":"c","type":"string","value":{"x":[1]}}]`,
			row(` {a=s:many b=s:5 c=s:{"x":[1]}}`), map[string]int64{"tracefile-repaired-value": 3}},
		{"tags by name", `"tags":{"a":"b"},"tag":{"http@route":"/x","n":1.5}`, row(" {a=s:b http.route=s:/x n=d:1.5}"), nil},
		{"status", `"tags":[{"key":"error","type":"bool","value":true},{"key":"otel.status_code","type":"string","value":"ERROR"},{"key":"otel.status_description","type":"string","value":"full"}]`,
			strings.Replace(row(" {}"), "3000 s@", `3000 ERROR "full" s@`, 1), nil},
		{"status OK", `"tags":[{"key":"otel.status_code","type":"string","value":"OK"}]`, strings.Replace(row(" {}"), "3000 s@", `3000 OK "" s@`, 1), nil},
		{"no error", `"tags":[{"key":"error","type":"bool","value":false}]`, row(" {error=b:false}"), nil},
		{"error text", `"tags":[{"key":"error","type":"string","value":"true"}]`, strings.Replace(row(" {}"), "3000 s@", `3000 ERROR "" s@`, 1), nil},
		{"error as a message", `"tags":[{"key":"error","type":"string","value":"refused"}]`, strings.Replace(row(" {error=s:refused}"), "3000 s@", `3000 ERROR "refused" s@`, 1), nil},
		{"kind", `"tags":[{"key":"span.kind","type":"string","value":"Consumer"}]`, strings.Replace(row(" {}"), "unspecified", "consumer", 1), nil},
		{"odd kind", `"tags":[{"key":"span.kind","type":"string","value":"pipe"}]`, row(" {span.kind=s:pipe}"), nil},
		{"trace state", `"tags":[{"key":"w3c.tracestate","type":"string","value":"a=b"}]`, strings.Replace(row(" {}"), "3000 s@", "3000 state=a=b s@", 1), nil},
		{"library", `"tags":[{"key":"otel.library.name","type":"string","value":"l"}]`, strings.Replace(row(" {}"), "s@# ", "s@# scope=l: ", 1), nil},
		{"logs", `"logs":[{"timestamp":1.5,"fields":[{"key":"x","type":"string","value":"y"}]},{"fields":{"event":"e"},"timestamp":2},{"timestamp":"soon","fields":[]},5]`,
			row(" {} !1500:{x=s:y} !2000:e{}"), map[string]int64{"tracefile-bad-part": 2}},
		{"warnings", `"warnings":["This span's timestamps were adjusted by 1ms","other"]`, row(" {}"), map[string]int64{"jaeger-warning": 1, "jaeger-adjusted-clock": 1}},
		{"escapes", `"operationName":"o\u0070"`, row(" {}"), nil},
	} {
		text := `{"traceID":"00000000000000000000000000000001","spanID":"0000000000000002","operationName":"op","startTime":1,"duration":2,"process":{"serviceName":"s"}`
		if c.members != "" {
			text += "," + c.members
		}
		o := readText(t, text+"}", JaegerJSON)
		same(t, c.name, []string{c.want}, render(o.set))
		if c.issues == nil {
			c.issues = map[string]int64{}
		}
		same(t, c.name+": issues", c.issues, o.issues())
	}
}

// The JSON of Jaeger's protobuf, as its Kafka topics have it.
func TestJaegerProtobufJSON(t *testing.T) {
	text := `{"traceId":"AAAAAAAAAAEAAAAAAAAAAg==","spanId":"AAAAAAAAAAM=","operationName":"op","references":[{"traceId":"AAAAAAAAAAEAAAAAAAAAAg==","spanId":"AAAAAAAAAAQ="}],` +
		`"startTime":"2026-08-20T12:00:00.000000001Z","duration":"0.001500s","tags":[{"key":"span.kind","vStr":"client"},{"key":"n","vType":"INT64","vInt64":"5"},{"key":"zero","vType":"INT64"},{"key":"f","vType":"FLOAT64","vFloat64":0.5},{"key":"b","vType":"BOOL"},{"key":"empty"}],` +
		`"logs":[{"timestamp":"2026-08-20T12:00:00.001Z","fields":[{"key":"event","vStr":"e"}]}],"process":{"serviceName":"s","tags":[{"key":"ip","vStr":"10.0.0.1"}]},"processId":"p"}`
	o := readText(t, text, JaegerJSON)
	same(t, "row", []string{`00000000000000010000000000000002/0000000000000003<0000000000000004 "op" client 1787227200000000001-1787227200001500001 s@10.0.0.1# res{service.name=s:s ip=s:10.0.0.1} {n=i:5 zero=i:0 f=d:0.5 b=b:false empty=s:} !1787227200001000000:e{}`}, render(o.set))
	same(t, "issues", map[string]int64{"tracefile-foreign-id": 4}, o.issues())
}

// A span that cannot be read costs itself only, and what is missing is counted.
func TestJaegerFaults(t *testing.T) {
	good := `{"traceID":"1","spanID":"2","operationName":"op","startTime":1,"duration":2,"processID":"p1"}`
	sound := strings.Replace(strings.Replace(good, `"1"`, `"0000000000000001"`, 1), `"2"`, `"0000000000000002"`, 1)
	for _, c := range []struct {
		name, text string
		spans, bad int64
		issues     map[string]int64
	}{
		{"times", `[` + good + `,{"traceID":"1","spanID":"3","operationName":"op","startTime":"later"},{"traceID":"1","spanID":"4","operationName":"op"},{"traceID":"1","spanID":"5","operationName":"op","startTime":9223372036854775,"duration":9223372036854775},` + good + `]`,
			2, 3, map[string]int64{"tracefile-bad-span": 3, "tracefile-foreign-id": 4, "jaeger-no-process": 2}},
		{"no process", `{"data":[{"traceID":"1","spans":[` + good + `],"processes":{"p2":{}}}]}`, 1, 0, map[string]int64{"jaeger-no-process": 1, "tracefile-foreign-id": 2}},
		{"cut before the processes", `{"data":[{"traceID":"1","spans":[` + good + `,{"traceID`, 1, 0, map[string]int64{"jaeger-no-process": 1, "tracefile-foreign-id": 2, "tracefile-cut-last": 1}},
		{"a string that does not end", `{"data":[{"traceID":"0000000000000001","spans":[` + sound + `,{"traceID":"1","spanID":"3,"operationName":"op","references":[{"refType":"CHILD_OF","traceID":"1","spanID":"2"}],"startTime":1},` + sound + `],"processes":{"p1":{"serviceName":"s"}}}]}`, 2, 1, map[string]int64{"tracefile-bad-span": 1}},
		{"a brace too few", `{"data":[{"traceID":"0000000000000001","spans":[` + sound[:len(sound)-1] + `,` + sound + `],"processes":{"p1":{"serviceName":"s"}}}]}`, 1, 1, map[string]int64{"tracefile-bad-span": 1}},
		{"no trace id", `[{"spanID":"0000000000000002","operationName":"op","startTime":1,"duration":2,"process":{}}]`, 1, 0, map[string]int64{"tracefile-empty-id": 1}},
		{"other objects", `[` + good + `,{"a":1},7,null]`, 1, 0, map[string]int64{"jaeger-no-process": 1, "tracefile-foreign-id": 2, "tracefile-unused-value": 2}},
		{"no spans", `{"data":[{"traceID":"1","spans":null,"processes":{}}],"total":0}`, 0, 0, map[string]int64{}},
		{"milliseconds alone", `{"traceID":"0000000000000001","spanID":"0000000000000002","startTimeMillis":1787227200000,"duration":2,"process":{}}`, 1, 0, map[string]int64{}},
	} {
		o := readText(t, c.text, JaegerJSON)
		same(t, c.name, []int64{c.spans, c.bad, int64(o.set.Spans.Len())}, []int64{o.stats.Spans, o.stats.BadSpans, c.spans})
		same(t, c.name+": issues", c.issues, o.issues())
	}
}

// The same text is the same id, and different ones are different ids.
func TestIDs(t *testing.T) {
	long := "9e2a3dc06074b17540d54de4e51e735f"
	for text, want := range map[string]string{
		long: long, strings.ToUpper(long): long, "0x" + long: long, "40d54de4e51e735f": "000000000000000040d54de4e51e735f",
		"e2a3dc06074b17540d54de4e51e735f": "0" + long[1:], "A": strings.Repeat("0", 31) + "a", "": strings.Repeat("0", 32),
		"nio9wGB0sXVA1U3k5R5zXw==": long,
	} {
		var id, wanted table.TraceID
		readID(id[:], []byte(text))
		if !fillHex(wanted[:], []byte(want)) || id != wanted {
			t.Errorf("%q is read as %x, want %s", text, id, want)
		}
	}
	seen := map[table.SpanID]string{}
	for _, text := range []string{"root", "child", "G", "S1", "my-span-with-a-long-name", "12345678901234567890", "zz=", long} {
		var id, again table.SpanID
		foreign, ok := readID(id[:], []byte(text))
		readID(again[:], []byte(text))
		if other, dup := seen[id]; dup || !foreign || !ok || id == (table.SpanID{}) || id != again {
			t.Errorf("%q is read as %x, as %q is", text, id, other)
		}
		seen[id] = text
	}
}

// A span that follows another is not waited for; a child is.
func TestJaegerFollower(t *testing.T) {
	for refType, want := range map[string]int64{"FOLLOWS_FROM": 0, "CHILD_OF": 8_000_000} {
		text := `{"data":[{"traceID":"00000000000000a1","spans":[` +
			`{"traceID":"00000000000000a1","spanID":"00000000000000a1","operationName":"GET","startTime":1787227200000000,"duration":10000,"tags":[{"key":"span.kind","type":"string","value":"server"}],"processID":"p1"},` +
			`{"traceID":"00000000000000a1","spanID":"00000000000000b2","operationName":"store","references":[{"refType":"` + refType + `","traceID":"00000000000000a1","spanID":"00000000000000a1"}],` +
			`"startTime":1787227200001000,"duration":8000,"processID":"p2"}],"processes":{"p1":{"serviceName":"front"},"p2":{"serviceName":"back"}}}]}`
		o := readText(t, text, JaegerJSON)
		requests := requestsOf(o)
		if len(requests) != 1 || len(requests[0].Spans) != 2 {
			t.Fatalf("%s: %d requests", refType, len(requests))
		}
		same(t, refType+": ns that the second span owns", want, owned(o.set, requests[0])["back"])
	}
}
