package format

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/ingest/serverlog/match"
	"github.com/tailpath/tailpath/ingest/table"
)

// gateway is a format that uses most of what a declaration may say.
const gateway = `id: unit
title: unit test
doc: A format of the tests.
kind: gateway
service: unit
absent: ["-", "-1"]
records:
  - id: request
    example: "t=10.000 total=100 a=10 b=20 c=30 status=200 flags=ok"
    pattern: "t={time:epoch_s} total={total:ms} a={a:ms} b={b:ms} c={c:ms} status={status:int} flags={flags:token}{...}"
    when: {flags: ["o*", "!out"]}
    span:
      name: "{status} x"
      start: time
      end: start + total
      first_token: start + a + b
      failed: {flags: ["ou*"]}
      parts:
        - {until: last + a, stage: queue, detail: admission}
        - {until: last + b, stage: network, detail: connect, basis: b it is}
        - {from: end - c, until: end, stage: transfer, detail: response, confidence: anchored, error: 1ms}
      rest: {stage: gateway, detail: unit}
    keep: flags
`

func compile(t testing.TB, text string) *Format {
	t.Helper()
	d, err := Parse([]byte(text), "unit.yaml")
	if err != nil {
		t.Fatal(err)
	}
	f, err := d.Compile()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// evaluate matches a line and spells the span that it tells.
func evaluate(t interface{ Fatalf(string, ...any) }, f *Format, line string) (string, *Result) {
	r, values, _ := f.Match(&Line{Text: []byte(line)}, f.NewScratch())
	if r == nil {
		t.Fatalf("no record: %s", line)
	}
	out := &Result{}
	outcome := r.Span.Evaluate(values, out)
	var b strings.Builder
	fmt.Fprintf(&b, "%d %d..%d ±%d", outcome, out.Start/1e6, out.End/1e6, out.Error/1e6)
	if out.Failed {
		b.WriteString(" failed")
	}
	if out.TTFT != table.Missing {
		fmt.Fprintf(&b, " ttft %d", out.TTFT/1e6)
	}
	for _, p := range out.Parts {
		fmt.Fprintf(&b, " | %d+%d %s/%s %s", (p.Start-out.Start)/1e6, (p.End-p.Start)/1e6, table.StageNames[p.Stage], r.Span.Labels[p.Detail], table.ConfidenceNames[p.Confidence])
	}
	if len(out.Impossible) > 0 {
		fmt.Fprintf(&b, " impossible %s", strings.Join(out.Impossible, ","))
	}
	return b.String(), out
}

func TestSpan(t *testing.T) {
	f := compile(t, gateway)
	for _, c := range []struct{ name, line, want string }{
		{"whole", "t=10.000 total=100 a=10 b=20 c=30 status=200 flags=ok",
			"0 10000..10100 ±1 ttft 30 | 0+10 queue/admission exact | 10+20 network/connect exact | 30+40 gateway/unit residual | 70+30 transfer/response anchored"},
		{"nothing left over", "t=10.000 total=60 a=10 b=20 c=30 status=200 flags=ok",
			"0 10000..10060 ±1 ttft 30 | 0+10 queue/admission exact | 10+20 network/connect exact | 30+30 transfer/response anchored"},
		{"a part without length", "t=10.000 total=60 a=0 b=20 c=30 status=200 flags=ok",
			"0 10000..10060 ±1 ttft 20 | 0+20 network/connect exact | 20+10 gateway/unit residual | 30+30 transfer/response anchored"},
		{"an absent part", "t=10.000 total=60 a=- b=20 c=-1 status=200 flags=ok",
			"0 10000..10060 ±1 | 0+20 network/connect exact | 20+40 gateway/unit residual"},
		{"all parts absent", "t=10.000 total=60 a=- b=- c=-1 status=200 flags=ok", "0 10000..10060 ±1 | 0+60 gateway/unit residual"},
		{"a negative part, and what hangs on it", "t=10.000 total=100 a=-2990 b=20 c=30 status=200 flags=ok",
			"0 10000..10100 ±1 | 0+70 unattributed/recorded times conflict residual | 70+30 transfer/response anchored impossible a"},
		{"a part longer than the whole", "t=10.000 total=100 a=10 b=26520974000 c=30 status=200 flags=ok",
			"0 10000..10100 ±1 | 0+10 queue/admission exact | 10+60 unattributed/recorded times conflict residual | 70+30 transfer/response anchored impossible first_token,b"},
		{"nothing can be", "t=10.000 total=100 a=200 b=300 c=400 status=200 flags=ok",
			"0 10000..10100 ±1 | 0+100 unattributed/recorded times conflict residual impossible first_token,a,c"},
		{"rounding beyond the end", "t=10.000 total=60 a=10 b=51 c=- status=200 flags=ok",
			"0 10000..10060 ±1 ttft 61 | 0+10 queue/admission exact | 10+50 network/connect exact"},
		{"parts that overlap by rounding", "t=10.000 total=60 a=10 b=21 c=30 status=200 flags=ok",
			"0 10000..10060 ±1 ttft 31 | 0+10 queue/admission exact | 10+21 network/connect exact | 31+29 transfer/response anchored"},
		{"no time at all", "t=- total=60 a=10 b=20 c=30 status=200 flags=ok",
			"0 0..60 ±1 ttft 30 | 0+10 queue/admission exact | 10+20 network/connect exact | 30+30 transfer/response anchored"},
		{"no duration", "t=10.000 total=- a=10 b=20 c=30 status=200 flags=ok", "1 10000..0 ±1 ttft 30"},
		{"neither", "t=- total=- a=10 b=20 c=30 status=200 flags=ok", "2 0..0 ±0"},
		{"a negative whole", "t=10.000 total=-5 a=10 b=20 c=30 status=200 flags=ok", "1 10000..0 ±1 ttft 30 impossible total"},
		{"an empty stamp", "t=0 total=60 a=10 b=20 c=30 status=200 flags=ok", "2 0..0 ±0 impossible time"},
		{"no length", "t=10.000 total=0 a=0 b=0 c=0 status=200 flags=ok", "0 10000..10000 ±1 ttft 0"},
		{"failed", "t=10.000 total=5 a=- b=- c=- status=200 flags=oust", "0 10000..10005 ±1 failed | 0+5 gateway/unit residual"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, _ := evaluate(t, f, c.line); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
	for _, line := range []string{"t=10.000 total=60 a=10 b=20 c=30 status=200 flags=out", "t=10.000 total=60 a=10 b=20 c=30 status=200 flags=x", ""} {
		if r, _, _ := f.Match(&Line{Text: []byte(line)}, f.NewScratch()); r != nil {
			t.Errorf("matches although when does not hold: %s", line)
		}
	}
}

// checkParts fails the test unless the parts of a span tile it.
func checkParts(t interface{ Fatalf(string, ...any) }, out *Result, what string) {
	at := out.Start
	for _, p := range out.Parts {
		if p.Start != at || p.End <= p.Start {
			t.Fatalf("parts do not tile [%d, %d): %+v\n%s", out.Start, out.End, out.Parts, what)
		}
		at = p.End
	}
	if at != out.End && out.End > out.Start {
		t.Fatalf("parts end at %d and the span at %d: %+v\n%s", at, out.End, out.Parts, what)
	}
}

// TestTiling says of any times whatsoever that the parts tile the span, and that a part
// that is called exact is as long as its field says, to what stamps can tell.
func TestTiling(t *testing.T) {
	f := compile(t, gateway)
	number := rapid.OneOf(rapid.IntRange(0, 40), rapid.IntRange(-3, 200), rapid.SampledFrom([]int{-2990, 9_000_000_000_000_000, 0, -1}))
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := number.Draw(t, "a"), number.Draw(t, "b"), number.Draw(t, "c")
		line := fmt.Sprintf("t=%d.%03d total=%d a=%d b=%d c=%d status=200 flags=ok",
			rapid.IntRange(0, 2e9).Draw(t, "s"), rapid.IntRange(0, 999).Draw(t, "ms"), number.Draw(t, "total"), a, b, c)
		_, out := evaluate(t, f, line)
		if out.End == 0 || out.End < out.Start {
			if len(out.Parts) > 0 {
				t.Fatalf("parts of a span without end")
			}
			return
		}
		checkParts(t, out, line)
		for _, p := range out.Parts {
			want := map[uint8]int{2: a, 0: b}[p.Stage]
			if p.Confidence == exact && max(p.End-p.Start, int64(want)*1e6)-min(p.End-p.Start, int64(want)*1e6) > out.Error {
				t.Fatalf("part of %d ns is said to take %d ms\n%s", p.End-p.Start, want, line)
			}
		}
	})
}

const lists = `id: lists
title: unit test
doc: A format of the tests.
kind: gateway
service: unit
absent: ["-"]
records:
  - id: request
    example: "t=10.000 rt=0.100 uct=0.001 uht=0.050 urt=0.090"
    pattern: "t={time:epoch_s} rt={total:s} uct={uct:list(s)} uht={uht:list(s)} urt={urt:list(s)}"
    span:
      start: time - total
      end: time
      attempts: {response: urt, header: uht, connect: uct}
      rest: {stage: gateway}
`

func TestAttempts(t *testing.T) {
	f := compile(t, lists)
	for _, c := range []struct{ name, line, want string }{
		{"one", "t=10.000 rt=0.100 uct=0.001 uht=0.050 urt=0.090",
			"0 9900..10000 ±1 | 0+10 gateway/ residual | 10+1 network/connect anchored | 11+49 unattributed/upstream anchored | 60+40 unattributed/upstream response anchored"},
		{"two", "t=10.000 rt=0.100 uct=-, 0.000 uht=-, 0.020 urt=0.030, 0.060",
			"0 9900..10000 ±1 | 0+10 gateway/ residual | 10+30 unattributed/upstream anchored | 40+20 unattributed/upstream anchored | 60+40 unattributed/upstream response anchored"},
		{"redirected", "t=10.000 rt=0.527 uct=- : - uht=- : - urt=0.518 : 0.009",
			"0 9473..10000 ±1 | 0+518 unattributed/upstream anchored | 518+9 unattributed/upstream anchored"},
		{"none", "t=10.000 rt=0.100 uct=- uht=- urt=-", "0 9900..10000 ±1 | 0+100 gateway/ residual"},
		{"longer than the whole by rounding", "t=10.000 rt=0.016 uct=-, - uht=-, - urt=0.004, 0.014",
			"0 9984..10000 ±1 | 0+2 unattributed/upstream anchored | 2+14 unattributed/upstream anchored"},
		{"longer than the whole", "t=10.000 rt=0.016 uct=- uht=- urt=5.000", "0 9984..10000 ±1 | 0+16 unattributed/recorded times conflict residual impossible urt"},
		{"headers after the response", "t=10.000 rt=0.100 uct=- uht=5 urt=0.100", "0 9900..10000 ±1 | 0+100 unattributed/upstream anchored impossible uht"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, out := evaluate(t, f, c.line)
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			checkParts(t, out, c.line)
		})
	}
	item := rapid.SampledFrom([]string{"-", "0.000", "0.001", "0.010", "0.100", "3.5", "99999999999"})
	list := func(t *rapid.T, name string) string {
		return strings.Join(rapid.SliceOfN(item, 1, 4).Draw(t, name), rapid.SampledFrom([]string{", ", " : "}).Draw(t, "between"))
	}
	rapid.Check(t, func(t *rapid.T) {
		line := fmt.Sprintf("t=10.000 rt=%s uct=%s uht=%s urt=%s", rapid.SampledFrom([]string{"0.000", "0.100", "0.112", "7.0"}).Draw(t, "rt"), list(t, "uct"), list(t, "uht"), list(t, "urt"))
		_, out := evaluate(t, f, line)
		checkParts(t, out, line)
	})
}

// TestFaults says what is found wrong with a declaration, and where.
func TestFaults(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"id: unit\n", "id: Unit\n", `unit.yaml:1:5: id: id "Unit" is not made of a-z, 0-9 and -`},
		{"title: unit test\n", "", `title is missing`},
		{"kind: gateway", "kind: proxy", `unit.yaml:4:7: kind: unknown kind "proxy" (gateway or engine)`},
		{"service: unit", "service: unit\nzone: Nowhere/Else", `unit.yaml:6:7: zone: unknown zone "Nowhere/Else"`},
		{"service: unit", "service: unit\nclock: sun", `unknown clock "sun"`},
		{"service: unit", "service: unit\nservise: unit", `unit.yaml:6:1: unknown field "servise"`},
		{"absent: [", "absent: {", `unit.yaml:6:`},
		{"kind: gateway", "kind: [gateway]", `unit.yaml:4:7: `},
		{"total={total:ms}", "total={total:mss}", `unit.yaml:10:14: records[0].pattern: `},
		{"total={total:ms}", "total={total:ms", `records[0].pattern: `},
		{"total={total:ms}", "total={start:ms}", `"start" is no name of a field`},
		{"start: time", "start: received", `unit.yaml:14:14: records[0].span.start[0]: no field "received"`},
		{"start: time", "start: total", `"total" is a duration, and an instant is wanted`},
		{"start: time", "start: time + time", `adds instants`},
		{"start: time", "start: time +", `ends with +`},
		{"start: time", "start: [time, end - total]", `start and end refer to each other`},
		{"start: time", "start: time - flags", `field "flags" is of kind text and neither an instant nor a duration: give it a type, such as ms`},
		{"start: time", "start: last", `last cannot be referred to here`},
		{"start: time", "start: time - 5parsecs", `"5parsecs" is no duration`},
		{"start: time", "start: time 5ms", `want +, -, * or / before "5ms"`},
		{"end: start + total\n", "\n", `a span needs start and end`},
		{"stage: queue", "stage: waiting", `unit.yaml:19:36: records[0].span.parts[0].stage: unknown stage "waiting"`},
		{"confidence: anchored", "confidence: sure", `unknown confidence "sure"`},
		{"until: last + a, ", "", `a part needs until`},
		{"failed: {flags", "failed: {flagz", `records[0].span.failed.flagz: no field "flagz"`},
		{"when: {flags", "when: {flagz", `records[0].when.flagz: no field "flagz"`},
		{"keep: flags", "keep: [flags, prompt]", `unit.yaml:23:19: records[0].keep[1]: no field "prompt"`},
		{`name: "{status} x"`, `name: "{nobody} x"`, `no field "nobody"`},
		{`name: "{status} x"`, `name: "{status x"`, `{ without }`},
		{"    keep: flags", "    log: {}\n    keep: flags", `a record is one of`},
		{"    keep: flags", "    finish: {key: flags}\n    keep: flags", `no record begins a request`},
		{"    keep: flags", "    samples: [{metric: runing, field: a}]", `unknown metric "runing"`},
		{"    keep: flags", "    samples: [{metric: running, field: a}]", `field "a" is a duration and metric running is in "requests"`},
		{"    keep: flags", "    samples: [{metric: step_time, field: status}]", `metric step_time is in ns`},
		{"    keep: flags", "    samples: [{metric: running, field: flags}]", `no number`},
		{"    keep: flags", "  - id: request\n    example: x\n    pattern: x\n    use: ignore", `record "request" is declared twice`},
		{"    keep: flags", "  - id: b\n    example: x\n    pattern: x\n    use: drop", `unknown use "drop"`},
		{"    keep: flags", "  - id: b\n    example: x\n    pattern: x", `the record says not what it is`},
		{"    keep: flags", "  - id: b\n    example: x\n    json: {a: b ms}\n    use: ignore", `a record without literal text needs when`},
		{"    keep: flags", "  - id: b\n    example: x\n    json: {a: b c d}\n    use: ignore", `records[1].json: field a: want a path, or a path and a type, and not "b c d"`},
		{"    keep: flags", "  - id: b\n    example: x\n    regex: '(?P<a>[)'\n    use: ignore", `records[1].regex: `},
		{"    keep: flags", "  - id: b\n    example: x\n    regex: 'x'\n    types: {a: ms}\n    use: ignore", `types names "a"`},
		{"    keep: flags", "  - id: b\n    example: x\n    use: ignore", `exactly one of pattern`},
		{"    keep: flags", "  - id: b\n    pattern: x\n    use: ignore", `example must be one line`},
		{"records:", "unusable: {what: nothing}\nrecords:", `unusable needs what and instead`},
		{"records:", "unusable: {what: nothing, instead: other}\nrecords:", `the records of an unusable format are all ignored`},
		{"records:", "engine: gpu\nrecords:", `unit.yaml:7:9: engine: no record has a field "gpu"`},
		{"records:", "heads: ['{time:int} ']\nrecords:", `field "time" is of kind instant here and integer in a head`},
	} {
		text := strings.Replace(gateway, c.old, c.new, 1)
		if text == gateway {
			t.Errorf("%q is not in the declaration", c.old)
			continue
		}
		d, err := Parse([]byte(text), "unit.yaml")
		if err == nil {
			_, err = d.Compile()
		}
		if err == nil {
			t.Errorf("%q in place of %q: nothing is wrong, want %s", c.new, c.old, c.want)
			continue
		}
		if !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "unit.yaml:") {
			t.Errorf("%q in place of %q: got\n%v\nwant %s", c.new, c.old, err, c.want)
		}
	}
	if _, err := Parse([]byte(""), "empty.yaml"); err == nil {
		if _, err := (&Declaration{}).Compile(); err == nil {
			t.Error("an empty declaration compiles")
		}
	}
}

// TestProgram says that a declaration may be made by a program.
func TestProgram(t *testing.T) {
	d := &Declaration{ID: "made", Title: "made", Doc: "Made.", Kind: "gateway", Service: "made", Records: []RecordDeclaration{{
		ID: "request", Example: "took 5", Pattern: "took {total:ms}", Span: &SpanDeclaration{Start: Names{"end - total"}, End: Names{"time"}},
	}}}
	f, err := d.Compile()
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := evaluate(t, f, "took 5"); got != "0 0..5 ±1" {
		t.Errorf("got %s", got)
	}
	d.Records[0].Span.End = Names{"never"}
	if _, err := d.Compile(); err == nil || !strings.Contains(err.Error(), `format "made": records[0].span.end[0]: no field "never"`) {
		t.Errorf("got %v", err)
	}
}

// TestObject reads a record from JSON, with fields that stand in several places.
func TestObject(t *testing.T) {
	f := compile(t, strings.NewReplacer("\n    pattern: \"t={time:epoch_s} total={total:ms} a={a:ms} b={b:ms} c={c:ms} status={status:int} flags={flags:token}{...}\"",
		"\n    json: {time: {path: [t, when], type: epoch_s}, total: total ms, a: x.a ms, b: x.b ms, c: {path: [x.c, c], type: ms}, status: {type: int}, flags: flags}").Replace(gateway))
	for _, line := range []string{
		`{"t":10.000,"total":100,"x":{"a":10,"b":20,"c":30},"status":200,"flags":"ok"}`,
		`{"flags":"ok","c":"30","status":200,"x":{"a":10,"b":20},"total":"100","when":"10.000"}`,
	} {
		want := "0 10000..10100 ±1 ttft 30 | 0+10 queue/admission exact | 10+20 network/connect exact | 30+40 gateway/unit residual | 70+30 transfer/response anchored"
		if got, _ := evaluate(t, f, line); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	s := f.NewScratch()
	r, values, _ := f.Match(&Line{Text: []byte(`{"t":10.000,"total":"soon","status":200,"flags":"ok"}`)}, s)
	if r == nil || r.Bad(values) != "total" {
		t.Errorf("a bad value is not told: %v", r)
	}
	for _, line := range []string{`{"t":10.000}`, `[]`, `{"flags":"no"}`, `x`} {
		if r, _, _ := f.Match(&Line{Text: []byte(line)}, s); r != nil {
			t.Errorf("matches: %s", line)
		}
	}
}

// TestNear tells a line that would be a record but for one field.
func TestNear(t *testing.T) {
	f := compile(t, gateway)
	line := "t=10.000 total=soon a=10 b=20 c=30 status=200 flags=ok"
	s := f.NewScratch()
	l := &Line{Text: []byte(line)}
	f.Match(l, s)
	r, field, column := f.Near(l, s)
	if r == nil || field != "total" || !strings.HasPrefix(line[column:], "soon") {
		t.Errorf("got %v %q %d", r, field, column)
	}
	l = &Line{Text: []byte("something else")}
	f.Match(l, s)
	if r, _, _ := f.Near(l, s); r != nil {
		t.Error("any line is near")
	}
}

// TestNeeds says that no line that matches is refused for want of a byte, or by its first.
func TestNeeds(t *testing.T) {
	for _, f := range append(files(t), compile(t, gateway), compile(t, lists)) {
		for _, r := range f.Records {
			line := &Line{Text: []byte(r.Example)}
			if f.Cannot(line) || len(r.Example) > 0 && !f.MayBegin(r.Example[0]) {
				t.Errorf("%s: the example is refused unread", r.Name)
			}
		}
	}
}

// files compiles the formats that come with tailpath.
func files(t testing.TB) []*Format {
	t.Helper()
	names, err := filepath.Glob("../formats/*.yaml")
	if err != nil || len(names) == 0 {
		t.Fatalf("no formats: %v", err)
	}
	var list []*Format
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, compile(t, string(data)))
	}
	return list
}

// TestConditions says when a condition holds.
func TestConditions(t *testing.T) {
	for _, c := range []struct {
		texts []string
		yes   []string
		no    []string
	}{
		{[]string{"a", "b"}, []string{"a", "b"}, []string{"c", "ab", "~"}},
		{[]string{"*"}, []string{"a", ""}, []string{"~"}},
		{[]string{"!a"}, []string{"b", "~"}, []string{"a"}},
		{[]string{"!a", "!b"}, []string{"c", "~"}, []string{"a", "b"}},
		{[]string{"a*", "!ab"}, []string{"a", "abc"}, []string{"ab", "b", "~"}},
		{[]string{"*", "!a"}, []string{"b"}, []string{"a", "~"}},
		{[]string{"!*"}, []string{"~"}, []string{"a", ""}},
		{[]string{"!-*"}, []string{"1", "", "~"}, []string{"-", "-1"}},
		{[]string{"!a*", "!b", "*c*"}, []string{"c", "bc"}, []string{"ac", "b", "d", "~"}},
	} {
		condition := newCondition(0, c.texts)
		for _, text := range slices.Concat(c.yes, c.no) {
			v := match.Value{Kind: match.Text, Text: []byte(text)}
			if text == "~" {
				v = match.Value{}
			}
			if got := condition.holds([]match.Value{v}); got != slices.Contains(c.yes, text) {
				t.Errorf("%q on %q is %v", c.texts, text, got)
			}
		}
	}
}

// FuzzDeclaration parses and compiles anything, and reads a line with what comes of it.
func FuzzDeclaration(f *testing.F) {
	f.Add([]byte(gateway), "t=10.000 total=100 a=10 b=20 c=30 status=200 flags=ok")
	f.Add([]byte(moved), "t=10.000 total=100 size=1e300 speed=1e-9")
	f.Add([]byte(covered), "t=10.000 total=100 up=20 sent=40 wait=80 kind=b1")
	f.Add([]byte(listed), "{x-1-2|3d5e0c1a-7b52-4c1e-9a55-0f2f6b1c8d90} {} took 5")
	f.Add([]byte(lists), "t=10.000 rt=0.100 uct=0.001 uht=0.050 urt=0.090")
	names, _ := filepath.Glob("../formats/*.yaml")
	for _, name := range names {
		if data, err := os.ReadFile(name); err == nil {
			f.Add(data, "x")
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, line string) {
		d, err := Parse(data, "fuzz.yaml")
		if err != nil {
			return
		}
		format, err := d.Compile()
		if err != nil {
			return
		}
		texts := []string{line}
		for _, r := range format.Records {
			texts = append(texts, r.Example)
		}
		s := format.NewScratch()
		for _, text := range texts {
			l := &Line{Text: []byte(text)}
			r, values, _ := format.Match(l, s)
			if r == nil {
				if len(text) > 0 {
					format.Near(l, s)
				}
				continue
			}
			if format.Cannot(l) {
				t.Fatalf("a line that matches cannot: %q", text)
			}
			if r.Span == nil {
				continue
			}
			out := &Result{}
			if r.Span.Evaluate(values, out) == Timed && len(out.Parts) > 0 {
				checkParts(t, out, text)
			}
			r.Span.AppendName(nil, values)
		}
	})
}
