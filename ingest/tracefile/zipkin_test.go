package tracefile

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tailpath/tailpath/ingest/table"
)

const (
	zipkinClient = `{"traceId":"9e2a3dc06074b175","parentId":"00000000000000a1","id":"00000000000000b2","kind":"CLIENT","name":"get /x","timestamp":1787227200000100,"duration":900,` +
		`"localEndpoint":{"serviceName":"gateway","ipv4":"10.0.0.1","port":8080},"remoteEndpoint":{"serviceName":"vllm","ipv6":"2001:db8::c001","port":80},` +
		`"annotations":[{"timestamp":1787227200000200,"value":"ws"}],"tags":{"http.path":"/x","http.status_code":"503","error":"no backend"}}`
	zipkinServer = `{"traceId":"9e2a3dc06074b175","parentId":"00000000000000a1","id":"00000000000000b2","kind":"SERVER","name":"get","timestamp":1787227200000150,"duration":700,` +
		`"localEndpoint":{"serviceName":"vllm","ipv4":"10.0.0.2"},"shared":true,"tags":{"otel.scope.name":"lib","gen_ai.latency.time_in_queue":"0.25"}}`
)

var zipkinWant = []string{
	`00000000000000009e2a3dc06074b175/00000000000000b2<00000000000000a1 "get /x" client 1787227200000100000-1787227200001000000 ERROR "no backend" gateway@10.0.0.1#10.0.0.1:8080 res{service.name=s:gateway network.local.address=s:10.0.0.1 network.local.port=i:8080} {http.path=s:/x http.status_code=s:503 error=s:no backend peer.service=s:vllm network.peer.address=s:2001:db8::c001 network.peer.port=i:80} !1787227200000200000:ws{}`,
	`00000000000000009e2a3dc06074b175/00000000000000b2<00000000000000a1 "get" server 1787227200000150000-1787227200000850000 vllm@10.0.0.2# scope=lib: res{service.name=s:vllm network.local.address=s:10.0.0.2} {gen_ai.latency.time_in_queue=s:0.25}`,
}

// The forms in which the spans of Zipkin lie in files all give the same rows. The two
// halves of a call stay two spans of one id.
func TestZipkinForms(t *testing.T) {
	for name, text := range map[string]string{
		"array":          `[` + zipkinClient + `,` + zipkinServer + `]`,
		"lines":          zipkinClient + "\n" + zipkinServer + "\n",
		"several arrays": `[` + zipkinClient + `]` + "\n" + `[` + zipkinServer + `]`,
		"arrays behind":  `[` + zipkinClient + `][` + zipkinServer + `]`,
		"traces":         `[[` + zipkinClient + `,` + zipkinServer + `]]`,
		"wrapped":        `{"data":[` + zipkinClient + `,` + zipkinServer + `]}`,
	} {
		if f := Sniff([]byte(text), true); f != ZipkinJSON {
			t.Errorf("%s is taken for %s", name, f)
		}
		o := readText(t, text, ZipkinJSON)
		same(t, name, zipkinWant, render(o.set))
		same(t, name+": issues", map[string]int64{}, o.issues())
		same(t, name+": http status", int64(503), o.set.Spans.HTTPStatus[0])
		same(t, name+": queue", int64(250_000_000), o.set.Spans.Queue[1])
	}
}

// Each case is a span without ids and name, and its row.
func TestZipkinMembers(t *testing.T) {
	for _, c := range []struct {
		name, members, want string
		issues              map[string]int64
	}{
		{"nothing but times", `"timestamp":5,"duration":7`, `"n" unspecified 5000-12000 @# res{} {}`, nil},
		{"root", `"parentId":null,"timestamp":5,"duration":0`, `"n" unspecified 5000-5000 @# res{} {}`, nil},
		{"no duration", `"timestamp":5`, `"n" unspecified 5000-0 @# res{} {}`, map[string]int64{"zipkin-no-end": 1}},
		{"no timestamp", `"duration":7`, `"n" unspecified 0-7000 steady @# res{} {}`, map[string]int64{"zipkin-no-start": 1}},
		{"the first annotation", `"duration":7,"annotations":[{"timestamp":9,"value":"b"},{"timestamp":8,"value":"a"}]`, `"n" unspecified 8000-15000 @# res{} {} !9000:b{} !8000:a{}`, nil},
		{"no times", `"kind":"SERVER"`, "", map[string]int64{"tracefile-bad-span": 1}},
		{"no number", `"timestamp":"today"`, "", map[string]int64{"tracefile-bad-span": 1}},
		{"too late", `"timestamp":9223372036854775,"duration":9223372036854775`, "", map[string]int64{"tracefile-bad-span": 1}},
		{"text and fractions", `"timestamp":"5","duration":7.5,"kind":"producer"`, `"n" producer 5000-12500 @# res{} {}`, nil},
		{"other types", `"timestamp":5,"duration":7,"tags":{"a":1,"b":true,"c":{"d":[]}},"annotations":[3],"localEndpoint":"x"`, `"n" unspecified 5000-12000 @# res{} {a=i:1 b=b:true c=s:{"d":[]}}`,
			map[string]int64{"tracefile-repaired-value": 3, "tracefile-bad-part": 2}},
		{"no error", `"timestamp":5,"duration":7,"tags":{"error":"false"}`, `"n" unspecified 5000-12000 @# res{} {error=s:false}`, nil},
		{"error", `"timestamp":5,"duration":7,"tags":{"error":""}`, `"n" unspecified 5000-12000 ERROR "" @# res{} {error=s:}`, nil},
		{"status", `"timestamp":5,"duration":7,"tags":{"error":"m","otel.status_code":"ERROR","otel.status_description":"d"}`, `"n" unspecified 5000-12000 ERROR "d" @# res{} {error=s:m}`, nil},
	} {
		text := `{"traceId":"0000000000000001","id":"0000000000000002","name":"n",` + c.members + `}`
		o := readText(t, text, ZipkinJSON)
		want := []string(nil)
		if c.want != "" {
			want = []string{"00000000000000000000000000000001/0000000000000002 " + c.want}
		}
		same(t, c.name, want, render(o.set))
		if c.issues == nil {
			c.issues = map[string]int64{}
		}
		same(t, c.name+": issues", c.issues, o.issues())
	}
}

// Version 1 keeps both halves of a call in one span, or says which half it is by its
// core annotations.
func TestZipkinVersion1(t *testing.T) {
	at := func(service string) string { return `"endpoint":{"serviceName":"` + service + `","ipv4":"10.0.0.1"}` }
	annotation := func(us int, value, service string) string {
		return fmt.Sprintf(`{"timestamp":%d,"value":%q,%s}`, us, value, at(service))
	}
	ids := "00000000000000000000000000000001/0000000000000002"
	client := ids + `<0000000000000003 "n" client %s a@10.0.0.1# res{service.name=s:a network.local.address=s:10.0.0.1} {%s}`
	server := ids + `<0000000000000003 "n" server %s b@10.0.0.1# res{service.name=s:b network.local.address=s:10.0.0.1} {%s}`
	for _, c := range []struct {
		name, members string
		want          []string
	}{
		{"both halves", `"timestamp":10,"duration":90,"annotations":[` + annotation(10, "cs", "a") + `,` + annotation(20, "sr", "b") + `,` + annotation(30, "work", "b") + `,` + annotation(80, "ss", "b") + `,` + annotation(100, "cr", "a") +
			`],"binaryAnnotations":[{"key":"http.path","value":"/x",` + at("a") + `},{"key":"http.status_code","value":"200",` + at("b") + `},{"key":"sa","value":true,` + at("b") + `},{"key":"ca","value":true,` + at("c") + `}]`,
			[]string{fmt.Sprintf(client, "10000-100000", "http.path=s:/x peer.service=s:b network.peer.address=s:10.0.0.1"),
				fmt.Sprintf(server, "20000-80000", "http.status_code=s:200 peer.service=s:c network.peer.address=s:10.0.0.1") + " !30000:work{}"}},
		{"server alone, without times of its own", `"annotations":[` + annotation(20, "sr", "b") + `,` + annotation(80, "ss", "b") + `]`, []string{fmt.Sprintf(server, "20000-80000", "")}},
		{"client with times of its own", `"timestamp":11,"duration":5,"annotations":[` + annotation(10, "cs", "a") + `,` + annotation(100, "cr", "a") + `],"binaryAnnotations":[]`, []string{fmt.Sprintf(client, "11000-16000", "")}},
		{"local", `"timestamp":11,"duration":5,"binaryAnnotations":[{"key":"lc","value":"job",` + at("a") + `}]`, []string{strings.Replace(fmt.Sprintf(client, "11000-16000", "lc=s:job"), "client", "unspecified", 1)}},
		{"message", `"annotations":[` + annotation(10, "ms", "a") + `,` + annotation(40, "mr", "b") + `]`, []string{
			strings.Replace(fmt.Sprintf(client, "10000-10000", ""), "client", "producer", 1), strings.Replace(fmt.Sprintf(server, "40000-40000", ""), "server", "consumer", 1)}},
	} {
		text := `[{"traceId":"0000000000000001","id":"0000000000000002","parentId":"0000000000000003","name":"n",` + c.members + `}]`
		if f := Sniff([]byte(text), true); f != ZipkinJSON {
			t.Errorf("%s is taken for %s", c.name, f)
		}
		o := readText(t, text, ZipkinJSON)
		same(t, c.name, c.want, render(o.set))
		same(t, c.name+": issues", map[string]int64{}, o.issues())
	}
}

// Client and server of one id become one request in which the server is the client's
// child.
func TestZipkinSharedID(t *testing.T) {
	root := `{"traceId":"9e2a3dc06074b175","id":"00000000000000a1","kind":"SERVER","name":"post","timestamp":1787227200000000,"duration":2000,"localEndpoint":{"serviceName":"gateway","ipv4":"10.0.0.1"}}`
	o := readText(t, `[`+zipkinServer+`,`+root+`,`+zipkinClient+`]`, ZipkinJSON)
	requests := requestsOf(o)
	if len(requests) != 1 {
		t.Fatalf("%d requests", len(requests))
	}
	same(t, "ns of each service", map[string]int64{"gateway": 1_300_000, "vllm": 700_000}, owned(o.set, requests[0]))
	if o.account.Count("shared-span-id") != 1 {
		t.Errorf("issues %v", o.issues())
	}
}

// Texts under names that are secret, and JSON that holds some, are left out of every
// place that a tag may stand in, and of nothing else.
func TestTextLeftOut(t *testing.T) {
	tag := func(key string) string {
		return `{"key":"` + key + `","type":"string","value":"planted"},{"key":"json","type":"string","value":"{\"prompt\":\"planted\"}"}`
	}
	jaeger := `{"traceID":"0000000000000001","spans":[{"traceID":"0000000000000001","spanID":"0000000000000002","operationName":"op","startTime":1,"duration":2,"processID":"p","tags":[` + tag("prompt") +
		`,{"key":"prompt","type":"int64","value":7},{"key":"kept","type":"string","value":"{}"}],"logs":[{"timestamp":1,"fields":[` + tag("prompt") + `]}]}],"processes":{"p":{"serviceName":"s","tags":[` + tag("prompt") + `]}}}`
	zipkin := `{"traceId":"0000000000000001","id":"0000000000000002","timestamp":1,"duration":2,"tags":{"prompt":"planted","json":"[{\"prompt\":\"planted\"}]","kept":"x"},"localEndpoint":{"serviceName":"s"}}`
	for f, c := range map[Format]struct {
		text string
		want string
		n    int64
	}{
		JaegerJSON: {jaeger, `{prompt=s:left out (7 bytes) json=s:left out (20 bytes) prompt=i:7 kept=s:{}} !1000:{prompt=s:left out (7 bytes) json=s:left out (20 bytes)}`, 6},
		ZipkinJSON: {zipkin, `{prompt=s:left out (7 bytes) json=s:left out (22 bytes) kept=s:x}`, 2},
	} {
		set, account := table.NewSet(), &table.Account{}
		if err := NewDecoder(set, account, "input").Read(strings.NewReader(c.text), f); err != nil {
			t.Fatal(err)
		}
		got := render(set)
		if len(got) != 1 || !strings.HasSuffix(got[0], c.want) || strings.Contains(got[0], "planted") {
			t.Errorf("%s: %s", f, got)
		}
		if n := account.Count(TextLeftOut.ID); n != c.n {
			t.Errorf("%s: %d texts are counted, want %d", f, n, c.n)
		}
		keep := table.NewSet()
		if err := NewDecoderWith(keep, &table.Account{}, "input", Options{KeepText: true}).Read(strings.NewReader(c.text), f); err != nil {
			t.Fatal(err)
		}
		if kept := render(keep); !strings.Contains(kept[0], "planted") {
			t.Errorf("%s: nothing was asked to be left out: %s", f, kept)
		}
	}
}
