package match_test

import (
	"strings"
	"testing"

	"github.com/tailpath/tailpath/ingest/serverlog/match"
)

func TestNoAllocation(t *testing.T) {
	check := func(name string, m match.Matcher, values []match.Value, line string) {
		text := []byte(line)
		n := testing.AllocsPerRun(100, func() {
			match.Reset(values)
			if !m.Match(text, values) {
				t.Errorf("%s: no match", name)
			}
		})
		if n != 0 {
			t.Errorf("%s: %v allocations a line", name, n)
		}
	}
	for _, c := range []struct{ name, spec, line string }{
		{"haproxy", haproxySpec, haproxyLine}, {"nginx", nginxSpec, nginxLine}, {"statistics", statsSpec, statsLine},
		{"strings", `{a:quoted} {b:python} {c:float}`, `"\x41\"" '\'\u1234' 0.12345678901234567890123456789012345678901234567890`},
	} {
		m, _, values := pattern(t, c.spec, "-", "-1")
		check(c.name, m, values, c.line)
	}
	for _, c := range []struct {
		name, prefix string
		compile      compileFields
		fields       []string
		line         string
	}{
		{"json", "", jsonFields, envoyFields, envoyLine},
		{"json with escapes", "", jsonFields, []string{"a a:b", "b b list(s)", "c c list(text)"}, `{"a\u003ab": "\"\ud83d\ude00", "b": [0.5, null], "c": "x, y"}`},
		{"python", "Finish: ", pythonFields, finishFields, finishLine},
		{"logfmt", "", logfmtFields, []string{"a a rust", "b b"}, `x=1 a="3.5ms" b="\""`},
	} {
		slots := match.NewSlots()
		m, err := c.compile(c.prefix, fields(t, c.fields...), slots, []string{"-"})
		if err != nil {
			t.Fatal(err)
		}
		check(c.name, m, slots.NewValues(), c.line)
	}
}

// TestWorkIsBounded matches texts that make matchers try again and again. It takes
// minutes if the work grows with the square of their length.
func TestWorkIsBounded(t *testing.T) {
	const size = 1 << 20
	for _, c := range []struct{ spec, unit string }{
		{`{_}, out={x:quoted} end`, `, out="`},
		{`{_}, out={x:python} end`, `, out='\'`},
		{`{_}a{x:word}1`, `a`},
		{`{_}1{x:int}a`, `1`},
		{`{_}1{x:float}a`, `1`},
		{`{_} {x:list(s)}!`, `1, `},
		{`{_} {?a{_}b?}{?c{_}d?}!`, ` ac`},
		{`{_}{? a{_}b?}{? c{_}d?}!`, ` a c`},
		{`{a:token}:{b:token}:{c:int}!`, `a:`},
		{`{_}x{x:go}!`, `x1m`},
	} {
		m, _, values := pattern(t, c.spec)
		if m.Match([]byte(strings.Repeat(c.unit, size/len(c.unit))), values) {
			t.Errorf("%q matches", c.spec)
		}
	}
	for _, c := range []struct {
		compile compileFields
		unit    string
	}{
		{jsonFields, `{"x":`}, {jsonFields, `{"a":"\"`}, {jsonFields, `{"b":[`},
		{pythonFields, `b=[`}, {pythonFields, `b='\'`}, {pythonFields, `x(`}, {pythonFields, `don't `}, {pythonFields, `'x': `},
		{logfmtFields, `"\" =x `}, {logfmtFields, `b="\" `}, {logfmtFields, `=`}, {logfmtFields, `x`},
	} {
		slots := match.NewSlots()
		m, err := c.compile("", fields(t, "a a", "b b.0", "c c.d.e.f"), slots, nil)
		if err != nil {
			t.Fatal(err)
		}
		m.Match([]byte(strings.Repeat(c.unit, size/len(c.unit))), slots.NewValues())
	}
}

// TestSharedMatcher matches with one Matcher from several goroutines.
func TestSharedMatcher(t *testing.T) {
	m, slots, values := pattern(t, nginxSpec, "-")
	if !m.Match([]byte(nginxLine), values) {
		t.Fatal("no match")
	}
	want := show(slots, values)
	got := make(chan string)
	for range 4 {
		go func() {
			mine := slots.NewValues()
			for range 50 {
				match.Reset(mine)
				m.Match([]byte(nginxLine), mine)
			}
			got <- show(slots, mine)
		}()
	}
	for range 4 {
		if g := <-got; g != want {
			t.Errorf("got %s, want %s", g, want)
		}
	}
}
