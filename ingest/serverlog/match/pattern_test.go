package match_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tailpath/tailpath/ingest/serverlog/match"
)

const (
	haproxySpec = `{client} [{time:haproxy}] {frontend:token} {backend:token}/{server:token} {TR:ms}/{Tw:ms}/{Tc:ms}/{Tr:ms}/{?{plus:(+)}?}{Ta:ms} {status:int} {bytes:int} - - {flags:token} {_:token} {srvq:int}/{beq:int} {?{{{_}}} ?}{?{{{_}}} ?}"{method:word} {route:token} {_}"`
	haproxyLine = `10.1.0.4:40112 [02/Mar/2026:07:30:00.250] web_in chat_pool/gpu7 3/41/2/1204/6087 200 40211 - - ---- 12/12/9/3/0 0/2 "POST /v1/chat/completions HTTP/1.1"`

	nginxSpec = `{client} - {_:token} [{time:clf}] "{method:word} {route:token} {_:token}" {status:int} {bytes:int} "{_}" "{_}" rt={rt:s} uct={uct:list(s)} uht={uht:list(s)} urt={urt:list(s)} ua={ua:list(text)} us={us:list(int)} msec={msec:epoch_s} rid={rid:hex} tp={tp}`
	nginxLine = `10.1.0.9 - - [02/Mar/2026:07:30:05 +0200] "POST /v1/completions HTTP/1.1" 200 733 "-" "python-httpx/0.27" rt=2.310 uct=0.001, - : 0.002 uht=0.4, - : 0.7 urt=0.500, 0.010 : 1.750 ua=10.2.0.1:80, 10.2.0.2:80 : unix:/run/x.sock us=502, 504 : 200 msec=1772429405.127 rid=00ff tp=-`

	statsSpec = `{?({proc:token} pid={pid:int}) ?}{level:word} {time:vllm} [{src}] Engine {dp:int}: Avg prompt throughput: {prompt:float} tokens/s, Avg generation throughput: {gen:float} tokens/s, Running: {running:int} reqs, Waiting: {waiting:int} reqs{?, Deferred: {deferred:int} reqs?}{?, Preemptions: {preempt:int}?}, GPU KV cache usage: {kv:float}%, Prefix cache hit rate: {hit:float}%{?, External prefix cache hit rate: {ext:float}%?}`
	statsLine = `(APIServer pid=77) INFO 03-02 07:30:10 [loggers.py:310] Engine 002: Avg prompt throughput: 88.5 tokens/s, Avg generation throughput: 412.0 tokens/s, Running: 7 reqs, Waiting: 1 reqs, Preemptions: 3, GPU KV cache usage: 61.4%, Prefix cache hit rate: 9.9%`
)

func TestPattern(t *testing.T) {
	absent := []string{"-", "-1"}
	for _, c := range []struct{ name, spec, text, want string }{
		{"haproxy", haproxySpec, haproxyLine,
			`client="10.1.0.4:40112" time=2026-03-02T07:30:00.25/1000000~zone frontend="web_in" backend="chat_pool" server="gpu7" TR=3000000ns/1000000 Tw=41000000ns/1000000 Tc=2000000ns/1000000 Tr=1204000000ns/1000000 Ta=6087000000ns/1000000 status=200 bytes=40211 flags="----" srvq=0 beq=2 method="POST" route="/v1/chat/completions"`},
		{"haproxy not reached", haproxySpec, `10.1.0.4:1 [02/Mar/2026:07:30:00.250] f b/<NOSRV> 0/900/-1/-1/+900 503 0 - - sQ-- 1/1/1/1/0 0/0 {a|b} {} "GET / HTTP/1.1"`,
			`client="10.1.0.4:1" time=2026-03-02T07:30:00.25/1000000~zone frontend="f" backend="b" server="<NOSRV>" TR=0ns/1000000 Tw=900000000ns/1000000 Tc=none(-1) Tr=none(-1) plus="+" Ta=900000000ns/1000000 status=503 bytes=0 flags="sQ--" srvq=0 beq=0 method="GET" route="/"`},
		{"nginx", nginxSpec, nginxLine,
			`client="10.1.0.9" time=2026-03-02T05:30:05/1000000000 method="POST" route="/v1/completions" status=200 bytes=733 rt=2310000000ns/1000000 uct=[0:1000000ns/1000000 0:none(-) 1:2000000ns/1000000] uht=[0:400000000ns/100000000 0:none(-) 1:700000000ns/100000000] urt=[0:500000000ns/1000000 0:10000000ns/1000000 1:1750000000ns/1000000] ua=[0:"10.2.0.1:80" 0:"10.2.0.2:80" 1:"unix:/run/x.sock"] us=[0:502 0:504 1:200] msec=2026-03-02T05:30:05.127/1000000 rid="00ff" tp=none(-)`},
		{"statistics", statsSpec, statsLine,
			`proc="APIServer" pid=77 level="INFO" time=2000-03-02T07:30:10/1000000000~year~zone src="loggers.py:310" dp=2 prompt=88.5 gen=412 running=7 waiting=1 preempt=3 kv=61.4 hit=9.9`},
		{"braces", `{{{a}}} {b:int}`, `{x} 5`, `a="x" b=5`},
		{"braces apart", `f{{a={a:int} b={b}}}: {...}`, `f{a=1 b=2}: rest of it`, `a=1 b="2"`},
		{"blanks", `a{~}b{~}{x:int}`, "a  \t b7", `x=7`},
		{"no blanks", `a{~}b`, "ab", ``},
		{"blanks at the end", `a={x}`, "a=b c  ", `x="b c"`},
		{"blank at the end may lack", `x={x:int}, `, "x=4,", `x=4`},
		{"shortest", `{a}, {b}`, `1, 2, 3`, `a="1" b="2, 3"`},
		{"to the last literal", `failed {a}.`, `failed a.b.c.`, `a="a.b.c"`},
		{"goes on where the next is no number", `"{req}" {status:int} {n:int}`, `"GET /" x" 200 5`, `req="GET /\" x" status=200 n=5`},
		{"token ends at its literal", `{host:token}:{port:int} x`, `::1:514 x`, `host="::1" port=514`},
		{"token holds no blank", `{?{p:token} pid={pid:int} ?}{rest}`, `a b pid=4 c`, `rest="a b pid=4 c"`},
		{"group begins with a token", `{?{host:token} {?{n:int} ?}x?}`, `h1 4 x`, `host="h1" n=4`},
		{"group ends with a hole", `[{t:datetime}{? {rank:token}?}] {m}`, `[2026-03-02 07:30:00 TP0] Decode ]`, `t=2026-03-02T07:30:00/1000000000~zone rank="TP0" m="Decode ]"`},
		{"groups end with holes", `a{? b={b}?}{? c={c}?}{? d={d:token}?}{~}.`, `a b=x y c=z d=w  .`, `b="x y" c="z" d="w"`},
		{"last group ends with a hole", `a{? b={b}?}{? c={c}?}`, `a b=x y`, `b="x y"`},
		{"words", `{level:(warn|warning|info)} x`, `warning x`, `level="warning"`},
		{"group left out wholly", `{?id={id:int} key={k:int} ?}{rest}`, `id=4 kex`, `rest="id=4 kex"`},
		{"group in group", `a{? b={b:int}{? c={c:int}?}?}{? d={d:int}?}`, `a b=1 d=3`, `b=1 d=3`},
		{"one name in two groups", `{?x={x:int} ?}{?y={x:int} ?}end`, `y=3 end`, `x=3`},
		{"stretch before groups", `m={m}{?, n={n:int}?}{?, o={o:int}?}`, `m=a, b, o=2`, `m="a, b" o=2`},
		{"stretch before groups that lack", `m={m}{?, n={n:int}?}`, `m=a, n=x`, `m="a, n=x"`},
		{"stretch before blanks", `{ip}{~}| {x:int}`, `1.2.3.4    | 3`, `ip="1.2.3.4" x=3`},
		{"quoted", `{q:quoted} {r:quoted} {...}`, `"a \"b\" \x41\u00e9" - x`, `q="a \"b\" Aé" r=none(-)`},
		{"repr", `prompt: {p:python}, params: {rest}`, `prompt: 'it\'s, params: \n', params: S()`, `p="it's, params: \n" rest="S()"`},
		{"repr of other kinds", `{a:python} {b:python} {c:python}`, `b'\xff' "it's" None`, `a="\xff" b="it's" c=none(None)`},
		{"rust", `{a:rust} {b:rust} {c:rust} {d:rust}`, `812.345µs 3.412345678s 41ns 604.1ms`, `a=812345ns/1 b=3412345678ns/1 c=41ns/1 d=604100000ns/100000`},
		{"go", `{a:go} {b:go} {c:go} {d:go}`, `1m2.5s 3.41s 1h0m0s 0`, `a=62500000000ns/100000000 b=3410000000ns/10000000 c=3600000000000ns/1000000000 d=0ns/1`},
		{"instants", `{a:glog} {b:gin} {c:syslog} {d:datetime} {e:datetime} {f:rfc3339}`, `0302 07:30:00.000170 2026/03/02 - 07:30:03 Mar  2 07:30:00 2026-03-02 07:30:00,101 2026-03-02T07:30:00+0130 2026-03-02T07:30:00.5-01:00`,
			`a=2000-03-02T07:30:00.00017/1000~year~zone b=2026-03-02T07:30:03/1000000000~zone c=2000-03-02T07:30:00/1000000000~year~zone d=2026-03-02T07:30:00.101/1000000~zone e=2026-03-02T06:00:00/1000000000 f=2026-03-02T08:30:00.5/100000000`},
		{"instants as numbers", `{a:epoch_ms} {b:epoch_us} {c:epoch_ns} {d:uptime} {e:steady_s}`, `1772429405127 1772429405127001 1772429405127001002 2.31.114.207 81234.112`,
			`a=2026-03-02T05:30:05.127/1000000 b=2026-03-02T05:30:05.127001/1000 c=2026-03-02T05:30:05.127001002/1 d=1970-01-01T00:02:31.114207/1000~steady e=1970-01-01T22:33:54.112/1000000~steady`},
		{"zero time", `{a:rfc3339}`, `0001-01-01T00:00:00Z`, `a=none(0001-01-01T00:00:00Z)`},
		{"beyond the range", `{a:rfc3339} {b:int} {c:s}`, `9999-12-31T00:00:00Z 9223372036854775808 9223372037`, `a=BAD(9999-12-31T00:00:00Z) b=BAD(9223372036854775808) c=BAD(9223372037)`},
		{"nan", `{a:float}% {b:s}`, `nan% -inf`, `a=none(nan) b=none(-inf)`},
		{"half away from zero", `{a:us} {b:us} {c:us}`, `0.0005 -0.0005 0.00049999999999999999999999`, `a=1ns/1 b=-1ns/1 c=0ns/1`},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, slots, values := pattern(t, c.spec, absent...)
			if !m.Match([]byte(c.text), values) {
				name, place, near := m.Near([]byte(c.text))
				t.Fatalf("no match; near: %v, %q at %d", near, name, place)
			}
			if diff := cmp.Diff(c.want, show(slots, values)); diff != "" {
				t.Error(diff)
			}
			if !m.First()[c.text[0]] {
				t.Errorf("First does not allow %q", c.text[0])
			}
		})
	}
}

func TestPatternRefuses(t *testing.T) {
	for _, c := range []struct{ spec, text string }{
		{`a={x:int}`, `a=5x`},
		{`a={x:int}`, `a=`},
		{`a={x:int}{...}`, `b=5`},
		{`a b`, `a  b`},
		{`{x} end`, `the end of it`},
		{`{x:token} end`, `a b end`},
		{`{x:token}`, ``},
		{`{t:datetime}`, `2026-02-29 00:00:00`},
		{`{t:datetime}`, `2026-02-28 24:00:00`},
		{`{t:rfc3339}`, `2026-02-28T00:00:00`},
		{`{t:clf}`, `20/Agu/2026:12:00:03 +0000`},
		{`{t:vllm}`, `02-30 00:00:00`},
		{`{t:uptime}`, `1.60.000.000`},
		{`{q:quoted}`, `"a\"`},
		{`{q:python}`, `'a"`},
		{`{d:rust}`, `5`},
		{`{l:(a|b)}`, `c`},
		{`{l:list(s)} x`, `0.1, y x`},
		{`{n:int}{...}`, `.5`},
		{`a={n:int}{...}`, `a=-.5`},
		{"{x:token} [{y}]", "aaaa\tbb cc [d]"},
	} {
		m, _, values := pattern(t, c.spec)
		if m.Match([]byte(c.text), values) {
			t.Errorf("%q matches %q", c.spec, c.text)
		}
	}
}

// TestPatternGroups says that a group that is not there sets nothing, although what it
// begins with is there, and neither does a place where a stretch does not end.
func TestPatternGroups(t *testing.T) {
	for _, c := range []struct{ spec, text, want string }{
		{`{?a={a:int} b={b:int};?}{...}`, `a=1 b=x;`, ``},
		{`{x}|{?a={a:int} ?}end`, `p|a=1 q|end`, `x="p|a=1 q"`},
		{`{x}|{?a={a:int} ?}end`, `p|a=1 q|a=2 end`, `x="p|a=1 q" a=2`},
		{`{?a={a:int} y?}{?a={a:int} z?}`, `a=3 z`, `a=3`},
		{`{f:float}{?{g:float}s?}{...}`, `.5`, `f=0.5`},
		{`{f}{?={g:float}s?}`, `x=.5s`, `f="x" g=0.5`},
		{`{x:token}: {y:token} [{z}]`, `aaaa: bbbbbbbbbbbb [d] [e]`, `x="aaaa" y="bbbbbbbbbbbb" z="d] [e"`},
	} {
		m, slots, values := pattern(t, c.spec)
		if !m.Match([]byte(c.text), values) {
			t.Errorf("%q does not match %q", c.spec, c.text)
		}
		if got := show(slots, values); got != c.want {
			t.Errorf("%q, %q: got %s, want %s", c.spec, c.text, got, c.want)
		}
	}
}

func TestPatternErrors(t *testing.T) {
	for _, c := range []struct{ spec, want string }{
		{``, `column 1: expected a pattern, found nothing`},
		{`a {b`, `column 3: expected a } that closes this hole`},
		{`a } b`, `column 3: a } closes nothing; write }} for the character`},
		{`é{9}`, `column 3: expected the name of a field, _, ~, ? or ..., found "9"`},
		{`{}`, `column 2: expected the name of a field, _, ~, ? or ..., found ""`},
		{`{a:}`, `column 4: expected a type behind the colon`},
		{`{a:list(gin)}`, `column 4: there are no lists of gin`},
		{`{a:list(s}`, `column 4: type "list(s" has no closing bracket`},
		{`{a:(x|)}`, `column 4: expected words with | between them, found an empty one`},
		{`{a:(x}`, `column 6: expected a ) that closes the words`},
		{`{a} {b} {a}`, `column 10: the field a stands at column 2 already`},
		{`{a}{b}`, `column 4: expected a literal between the holes a and b`},
		{`{a}{b:int}`, `column 4: expected a literal between the hole a, which ends where a literal is found, and this one`},
		{`{a}{...}`, `column 1: expected a literal behind the hole a, which ends where a literal is found; the type token ends at a blank`},
		{`{...} a`, `column 6: expected the end behind {...}`},
		{`{?a`, `column 1: expected a ?} that closes this group`},
		{`x{??}`, `column 2: expected something in the optional group`},
		{`{?{a} b?}`, `column 3: an optional group must begin with a literal or a hole of another type than text`},
		{`{a}{?{b:int}?}`, `column 6: expected a literal: the group stands behind the hole a, which ends where a literal is found`},
		{`{a}{?x?}{b}`, `column 9: expected a literal between the holes a and b`},
		{`{?x{a:token}?}{b:int}`, `column 4: expected a literal behind the hole a, which ends where a literal is found; the type token ends at a blank`},
		{`{?x{a}?}{...}`, `column 4: expected a literal behind the hole a, which ends where a literal is found; the type token ends at a blank`},
		{`{?a{...}?}`, `column 4: {...} may not stand in an optional group`},
		{`{~} x`, `column 4: expected something else than a blank behind {~}, which takes all of them`},
		{`{?a{?b{?c{?d{?e?}?}?}?}?}`, `column 13: optional groups may stand in each other 4 deep at most`},
	} {
		_, _, err := match.Pattern(c.spec, match.NewSlots(), nil)
		var fault *match.SyntaxError
		if err == nil || !errors.As(err, &fault) {
			t.Errorf("%q: error %v", c.spec, err)
			continue
		}
		if err.Error() != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.spec, err, c.want)
		}
	}
	_, _, err := match.Pattern(`{a:sec}`, match.NewSlots(), nil)
	if want := `column 4: unknown type "sec"; expected one of text, token, word, `; err == nil || err.Error()[:len(want)] != want {
		t.Errorf("unknown type: %v", err)
	}
}

func TestMatchHead(t *testing.T) {
	m, slots, values := pattern(t, `{?({proc:token} pid={pid:int}) ?}{level:word} {time:vllm} [{src}] `)
	text := []byte(statsLine)
	end, ok := m.MatchHead(text, values)
	if !ok || string(text[end:end+7]) != "Engine " {
		t.Fatalf("end %d, %v", end, ok)
	}
	if got, want := show(slots, values), `proc="APIServer" pid=77 level="INFO" time=2000-03-02T07:30:10/1000000000~year~zone src="loggers.py:310"`; got != want {
		t.Error(got)
	}
	match.Reset(values)
	end, ok = m.MatchHead([]byte("INFO 03-02 07:30:10 [a] "), values)
	if !ok || end != 24 || show(slots, values) != `level="INFO" time=2000-03-02T07:30:10/1000000000~year~zone src="a"` {
		t.Errorf("%d %v %s", end, ok, show(slots, values))
	}
}

func TestNear(t *testing.T) {
	m, _, values := pattern(t, `took={took:ms} status={status:int} {?n={n:int} ?}end`)
	for _, c := range []struct {
		text, name string
		place      int
	}{
		{"took=x status=5 end", "took", 5},
		{"took=5 status=five n=1 end", "status", 14},
		{"took=x status=five end", "", 0},
		{"something else", "", 0},
	} {
		if m.Match([]byte(c.text), values) {
			t.Errorf("%q matches", c.text)
		}
		name, place, near := m.Near([]byte(c.text))
		if name != c.name || place != c.place || near != (c.name != "") {
			t.Errorf("%q: %q at %d, %v", c.text, name, place, near)
		}
	}
}

func TestPrefixAndMust(t *testing.T) {
	for _, c := range []struct{ spec, prefix, must string }{
		{`abc {x:int} is longest{? and longer still?}`, "abc ", " is longest"},
		{`{x:int} ab `, "", " ab"},
		{`{?a?}{b:int}`, "", ""},
		{`ab `, "ab", "ab"},
	} {
		m, _, _ := pattern(t, c.spec)
		if string(m.Prefix()) != c.prefix || string(m.Must()) != c.must {
			t.Errorf("%q: prefix %q, must %q", c.spec, m.Prefix(), m.Must())
		}
	}
}

// TestBlanksAtTheEnd says that blanks at the end of a text change nothing: neither does
// an optional group take them, nor is a literal missed that ends with some.
func TestBlanksAtTheEnd(t *testing.T) {
	for _, c := range []struct {
		spec, text string
		want       bool
	}{
		{`{?a{b:quoted}{? {c}?} ?}{d:int}x`, `a"q" 2x`, true},
		{`a {?b?}`, `a `, true},
		{`a  {?b?}`, `a  `, true},
		{`a {?b?}`, `a`, false},
		{`{a}`, `x`, true},
		{` `, ` `, true},
	} {
		m, _, values := pattern(t, c.spec)
		for _, behind := range []string{"", " ", "\t", "   ", strings.Repeat(" ", 100)} {
			if !c.want && behind != "" {
				continue // they may be the blanks that are missing
			}
			match.Reset(values)
			if got := m.Match([]byte(c.text+behind), values); got != c.want {
				t.Errorf("%q of %q with %d blanks behind: %v", c.spec, c.text, len(behind), got)
			}
		}
	}
}
