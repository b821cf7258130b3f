package match_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tailpath/tailpath/ingest/serverlog/match"
)

const (
	envoyLine = `{":authority":"chat.example","bytes_received":0,"bytes_sent":98211,"connection_termination_details":null,"downstream_local_address":"10.1.0.2:10443","downstream_remote_address":"10.1.0.3:59292","duration":3127,"method":"POST","protocol":"HTTP/2","requested_server_name":null,"response_code":200,"response_code_details":"via_upstream","response_flags":"-","route_name":"httproute/app/chat/rule/0/match/0/chat_example","start_time":"2026-03-02T07:30:00.479Z","upstream_cluster":"httproute/app/chat/rule/0","upstream_host":"10.1.0.4:8080","upstream_local_address":"10.1.0.2:51216","upstream_transport_failure_reason":null,"user-agent":"python-httpx/0.27 (\"x\")","x-envoy-origin-path":"/v1/chat/completions","x-envoy-upstream-service-time":null,"x-forwarded-for":"10.1.0.3","x-request-id":"6e1f0c52-0d5c-49fe-bd89-104e9b61770b"}`

	finishLine = `Finish: obj=GenerateReqInput(rid='r-{1}', text='say "out={\'meta_info\': {\'queue_time\': 9}}" ' ... '...', stream=True, sampling_params={'stop': None}, input_ids=[1, 2, 3]), out={'text': "it's, ok)", 'meta_info': {'id': 'r-{1}', 'finish_reason': {'type': 'length', 'length': 96}, 'prompt_tokens': 1842, 'forward_entry_time': 1772429405.716000, 'queue_time': 1.25e-05, 'cached_tokens': 0, 'e2e_latency': 3.4123, 'request_received_ts': 1772429405.1}}`
)

var (
	envoyFields = []string{
		"authority :authority", "time start_time rfc3339", "duration duration ms", "method method", "status response_code int",
		"flags response_flags", "upstream upstream_host", "service_time x-envoy-upstream-service-time ms", "request_id x-request-id", "agent user-agent",
	}
	finishFields = []string{
		"rid obj.rid", "reason out.meta_info.finish_reason.type", "prompt_tokens out.meta_info.prompt_tokens int",
		"queue out.meta_info.queue_time s", "e2e out.meta_info.e2e_latency s", "received out.meta_info.request_received_ts epoch_s",
		"entry out.meta_info.forward_entry_time epoch_s", "stream obj.stream", "stop obj.sampling_params.stop",
	}
)

type compileFields func(prefix string, f []match.Field, slots *match.Slots, absent []string) (match.Matcher, error)

func jsonFields(prefix string, f []match.Field, slots *match.Slots, absent []string) (match.Matcher, error) {
	return match.JSON(prefix, f, slots, absent)
}

func pythonFields(prefix string, f []match.Field, slots *match.Slots, absent []string) (match.Matcher, error) {
	return match.Python(prefix, f, slots, absent)
}

func logfmtFields(prefix string, f []match.Field, slots *match.Slots, absent []string) (match.Matcher, error) {
	return match.Logfmt(prefix, f, slots, absent)
}

type fieldsCase struct {
	name, prefix string
	fields       []string
	text, want   string // want "" is no match
}

func testFields(t *testing.T, compile compileFields, cases []fieldsCase) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			slots := match.NewSlots()
			m, err := compile(c.prefix, fields(t, c.fields...), slots, []string{"-"})
			if err != nil {
				t.Fatal(err)
			}
			values := slots.NewValues()
			got := "no match"
			if m.Match([]byte(c.text), values) {
				got = show(slots, values)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestJSON(t *testing.T) {
	testFields(t, jsonFields, []fieldsCase{
		{"envoy", "", envoyFields, envoyLine,
			`authority="chat.example" time=2026-03-02T07:30:00.479/1000000 duration=3127000000ns/1000000 method="POST" status=200 flags=none(-) upstream="10.1.0.4:8080" service_time=none(null) request_id="6e1f0c52-0d5c-49fe-bd89-104e9b61770b" agent="python-httpx/0.27 (\"x\")"`},
		{"nested and arrays", "", []string{"kong latencies.kong ms", "ip tries.1.ip", "start tries.0.balancer_start epoch_ms"},
			`{"tries":[{"ip":"a","balancer_start":1772429405127},{"ip":"b"}], "latencies" : {"x":[1,{"kong":9}],"kong": 4.5} }`,
			`kong=4500000ns/100000 ip="b" start=2026-03-02T05:30:05.127/1000000`},
		{"dots in keys", "", []string{"busy time.busy_us us", "idle time.idle_us us", "both a.b.c int"},
			`{"time": {"busy_us": 1, "idle_us": 2}, "time.busy_us": 9213, "a": {"b": {"c": 1}, "b.c": 2}, "a.b": {"c": 3}}`,
			`busy=9213000ns/1000 idle=2000ns/1000 both=2`},
		{"quoted keys", "", []string{`x "a.b".c int`, `y "a.b" int`}, `{"a": {"b": {"c": 1}}, "a.b": {"c": 4}}`, `x=4 y=BAD({"c": 4})`},
		{"numbers in quotes", "", []string{"a a ms", "b b int", "c c int", "d d float", "e e rust"}, `{"a": "3412", "b": " 7 ", "c": "8.0", "d": "1e3", "e": "812.345\u00b5s"}`, `a=3412000000ns/1000000 b=7 c=8 d=1000 e=812345ns/1`},
		{"bad values", "", []string{"a a ms", "b b int", "c c int", "d d rfc3339"}, `{"a": "x", "b": 1.5, "c": true, "d": [1]}`, `a=BAD(x) b=BAD(1.5) c=BAD(true) d=BAD([1])`},
		{"lists", "", []string{"a a list(s)", "b b list(int)", "c c list(text)"}, `{"a": "0.1, -", "b": [5, null], "c": ["x y", "z"]}`,
			`a=[0:100000000ns/100000000 0:none(-)] b=[0:5 0:none(null)] c=[0:"x y" 0:"z"]`},
		{"resolution of doubles", "", []string{"a a s", "b b s", "c c epoch_s"}, `{"a": 0.5, "b": "0.5", "c": 1772429405.1}`, `a=500000000ns/1000000 b=500000000ns/100000000 c=2026-03-02T05:30:05.1/1000000`},
		{"prefix", "[{ts:datetime}] ", []string{"event event"}, `[2026-03-02 07:30:00] {"event": "request.finished"}`, `ts=2026-03-02T07:30:00/1000000000~zone event="request.finished"`},
		{"strings that look like keys", "", []string{"a a int"}, `{"x": "\",\"a\":1,\"", "y": {"a": 2}, "a": 3}`, `a=3`},
		{"escaped key", "", []string{"a a:b int"}, `{"a\u003ab": 3}`, `a=3`},
		{"first of equal keys", "", []string{"a a int", "b b int"}, `{"a": 1, "a": 2, "b": 3}`, `a=1 b=3`},
		{"cut off behind all fields", "", []string{"a a int"}, `{"a": 1, "b": "x`, `a=1`},
		{"cut off before a field", "", []string{"a a int", "b b int"}, `{"a": 1, "c": "x`, `no match`},
		{"cut off in a number", "", []string{"a a int", "b b int"}, `{"a": 1, "b": 2`, `no match`},
		{"none of the fields", "", []string{"a a int"}, `{"b": 1}`, `no match`},
		{"empty", "", []string{"a a"}, `{}`, `no match`},
		{"text behind", "", []string{"a a", "b b"}, `{"a": 1} x`, `no match`},
		{"no object", "", []string{"a 0"}, `["x"]`, `no match`},
		{"empty text", "", []string{"a a", "b b"}, `{"a": "", "b": "-"}`, `a=none() b=none(-)`},
	})
}

func TestPython(t *testing.T) {
	testFields(t, pythonFields, []fieldsCase{
		{"finish", "Finish: ", finishFields, finishLine,
			`rid="r-{1}" reason="length" prompt_tokens=1842 queue=12500ns/100 e2e=3412300000ns/100000 received=2026-03-02T05:30:05.1/1000000 entry=2026-03-02T05:30:05.716/1000 stream="True" stop=none(None)`},
		{"cut off", "Finish: ", finishFields, finishLine[:len(finishLine)-70],
			`rid="r-{1}" reason="length" prompt_tokens=1842 queue=12500ns/100 entry=2026-03-02T05:30:05.716/1000 stream="True" stop=none(None)`},
		{"cut off in a number", "", []string{"a a.x s", "b b.x s"}, `a={'x': 1.25}, b={'x': 1.2`, `a=1250000000ns/1000000`},
		{"shortened", "", []string{"a a", "b b int"}, `a='x' ... 'y', b=4`, `a="x" b=4`},
		{"shortened list", "", []string{"a a list(int)", "b b int"}, `a=[1, 2] ... [8, 9], b=4`, `a=[0:1 0:2] b=4`},
		{"a dict alone", "", []string{"a a", "b b.1.0 int"}, `{'a': "it's", 'b': (1, (2, 3)), 4: 5}`, `a="it's" b=2`},
		{"a call alone", "", []string{"a a", "z 0 int"}, `m.Req(7, a='x')`, `a="x" z=7`},
		{"positions", "", []string{"a 0 int", "b 1.k", "c 2"}, `4, R(k='v'), {'x'}`, `a=4 b="v" c="{'x'}"`},
		{"objects of other shapes", "", []string{"a a", "b b", "c c int"}, `a=<Mode.X: 'x, y'>, b=tensor([1, 2], device='cuda:0'), c=3`, `a="<Mode.X: 'x, y'>" b="tensor([1, 2], device='cuda:0')" c=3`},
		{"apostrophes without quotes", "", []string{"a a", "c c int"}, `a=don't know, c=3`, `a="don't know" c=3`},
		{"bytes", "", []string{"a a", "b b int"}, `a=b'\x00\'', b=1`, `a="\x00'" b=1`},
		{"last value to the end", "", []string{"a a int", "b b"}, `a=1, b=x y `, `a=1 b="x y"`},
		{"nan", "", []string{"a a s", "b b int"}, `a=nan, b=True`, `a=none(nan) b=BAD(True)`},
		{"equal signs that are none of keys", "", []string{"a a"}, `x == 'a=1', a=2`, `a="2"`},
		{"other prefix", "Finish: ", []string{"a a"}, `Receive: a=1`, `no match`},
		{"nothing", "", []string{"a a"}, ``, `no match`},
	})
}

func TestLogfmt(t *testing.T) {
	testFields(t, logfmtFields, []fieldsCase{
		{"slog", "", []string{"time time rfc3339", "level level", "msg msg", "count count int"}, `time=2026-03-02T07:30:00.120Z level=INFO source=sched.go:512 msg="loaded \"x\" runners" count=1`,
			`time=2026-03-02T07:30:00.12/1000000 level="INFO" msg="loaded \"x\" runners" count=1`},
		{"prefix anywhere", "request completed ", []string{"took elapsed_ms ms", "id request_id"}, `g{request_id=r-1 model=m}: request completed elapsed_ms=1184`, `took=1184000000ns/1000000`},
		{"span fields", "", []string{"rid request_id", "rank data_parallel_rank", "took elapsed_ms ms"}, `g{request_id=r-1 rpc="Gen" data_parallel_rank=None}: completed elapsed_ms=1184`, `rid="r-1" rank="None" took=1184000000ns/1000000`},
		{"rust durations", "", []string{"total total_time rust", "seed seed", "parameters parameters"}, `generate{parameters=P { best_of: None } total_time="3.412345678s" seed="Some(1)"}: Success`, `total=3412345678ns/1 seed="Some(1)" parameters="P"`},
		{"commas", "", []string{"a a int", "b b", "c c"}, `session=12, a=1842, b=f(x,(y)), c=[1,2],`, `a=1842 b="f(x,(y))" c="[1,2]"`},
		{"pairs in strings", "", []string{"a a int"}, `said "x a=1" b="a=2" a=3`, `a=3`},
		{"string that is not closed", "", []string{"a a int", "b b"}, `b="x a=3`, `a=3 b="\"x"`},
		{"equal signs in values", "", []string{"a a", "b b"}, `a=x=y== b=`, `a="x=y==" b=none()`},
		{"quoted key with dots", "", []string{`a "x.y" int`, "b z.w int"}, `x.y=4 z.w=5`, `a=4 b=5`},
		{"first of equal keys", "", []string{"a a"}, `a=1 a=2`, `a="1"`},
		{"no pair", "", []string{"a a"}, `just text`, `no match`},
		{"bad", "", []string{"a a int"}, `a=x`, `a=BAD(x)`},
	})
}

func TestRegex(t *testing.T) {
	slots := match.NewSlots()
	m, err := match.Regex(`^took (?P<took>\S+)(?: for (?P<who>\w+))?`, map[string]match.Type{"took": match.TypeMS}, slots, []string{"-"})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"took 1.5 for me": `took=1500000ns/100000 who="me"`,
		"took 2":          `took=2000000ns/1000000`,
		"took x":          `took=BAD(x)`,
		"took -":          `took=none(-)`,
		"take 2":          `no match`,
	} {
		values, got := slots.NewValues(), "no match"
		if m.Match([]byte(text), values) {
			got = show(slots, values)
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
	for _, c := range []struct {
		expr  string
		types map[string]match.Type
		want  string
	}{
		{`(`, nil, "regular expression: error parsing regexp: missing closing ): `(`"},
		{`(?P<a>x)`, map[string]match.Type{"c": 0, "b": 0}, "types: there is no group named b in the regular expression"},
	} {
		if _, err := match.Regex(c.expr, c.types, slots, nil); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v", c.expr, err)
		}
	}
}

func TestFieldErrors(t *testing.T) {
	for _, c := range []struct {
		fields []match.Field
		want   string
	}{
		{nil, "expected at least one field"},
		{make([]match.Field, 129), "expected at most 128 fields, found 129"},
		{[]match.Field{{Name: "1"}}, `expected the name of a field, found "1"`},
		{[]match.Field{{Name: "a", Path: "x"}, {Name: "a", Path: "y"}}, "field a: the name is taken"},
		{[]match.Field{{Name: "a"}}, `field a: path "": expected a key, found nothing`},
		{[]match.Field{{Name: "a", Path: "x..y"}}, `field a: path "x..y": expected a key, found nothing`},
		{[]match.Field{{Name: "a", Path: `"x`}}, `field a: path "\"x": expected a quote that closes the key`},
		{[]match.Field{{Name: "a", Path: `"x"y`}}, `field a: path "\"x\"y": expected a dot behind the quotes`},
		{[]match.Field{{Name: "a", Path: strings.Repeat("x.", 8) + "x"}}, `field a: path "x.x.x.x.x.x.x.x.x": expected at most 8 keys`},
	} {
		for _, compile := range []compileFields{jsonFields, pythonFields} {
			if _, err := compile("", c.fields, match.NewSlots(), nil); err == nil || err.Error() != c.want {
				t.Errorf("got %v, want %s", err, c.want)
			}
		}
	}
	if _, err := match.Logfmt("a {b", []match.Field{{Name: "a", Path: "a"}}, match.NewSlots(), nil); err == nil || err.Error() != "column 3: expected a } that closes this hole" {
		t.Error(err)
	}
}
