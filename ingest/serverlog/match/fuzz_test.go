package match_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/tailpath/tailpath/ingest/serverlog/match"
)

// matchTwice matches text with junk behind it, and text alone into used values; both
// must come to the same, or Match reads beyond the text or keeps something.
func matchTwice(t *testing.T, m match.Matcher, text string, values []match.Value) bool {
	t.Helper()
	long := []byte(text + `"}'),]: 12.5ms {"a": 1, 'a': 2, a=3`)
	match.Reset(values)
	ok := m.Match(long[:len(text)], values)
	var first []match.Value
	for i := range values {
		if value := values[i].Text; len(value) > len(text) || isPart(value, long) && !isPart(value, long[:len(text)]) {
			t.Errorf("a value of %q lies outside", text)
		}
		first = append(first, values[i].Clone())
	}
	match.Reset(values)
	alone := []byte(text)
	if again := m.Match(alone[:len(alone):len(alone)], values); again != ok {
		t.Fatalf("%q: %v, then %v", text, ok, again)
	}
	if ok {
		if diff := cmp.Diff(first, values, cmpopts.IgnoreUnexported(match.Value{}), cmpopts.EquateEmpty(), cmpopts.EquateNaNs()); diff != "" {
			t.Fatalf("%q: %s", text, diff)
		}
	}
	return ok
}

// isPart reports whether part is a piece of whole, and not a text of its own.
func isPart(part, whole []byte) bool {
	from := cap(whole) - cap(part)
	return len(part) > 0 && from >= 0 && from+len(part) <= len(whole) && &whole[from] == &part[0]
}

func FuzzPattern(f *testing.F) {
	f.Add(haproxySpec, haproxyLine)
	f.Add(nginxSpec, nginxLine)
	f.Add(statsSpec, statsLine)
	f.Add(`{?a{b:quoted}{? {c:python}?} ?}{d:list(s)}{~}x{e:token}{? y{f}?}`, `a"\x41" 'b' 0.1, - : 2xz yw`)
	f.Add(`{a:datetime} {b:gin} {c:syslog}|{d:glog}|{e:uptime}{...}`, `2026-03-02T07:30:00+01 2026/03/02 - 07:30:00 Mar  2 07:30:00|0302 07:30:00|1.02.003.004`)
	f.Add(`{? {a:uuid}|?}{b:uuid}{...}`, ` 3d5e0c1a-7b52-4c1e-9a55-0f2f6b1c8d90|0af7651916cd43dd8448eb211c80319c`)
	f.Add(`{a:(x|xy)} {b:rust}{c:go}{d:epoch_s}{e:steady_s}`, `xy 1.5ms1h0m1e31`)
	f.Fuzz(func(t *testing.T, spec, text string) {
		slots := match.NewSlots()
		m, rest, err := match.Pattern(spec, slots, []string{"-", "", "-1", "none"})
		if err != nil {
			if err.Error() == "" {
				t.Error("an empty error")
			}
			return
		}
		values := slots.NewValues()
		ok := matchTwice(t, m, text, values)
		_, place, near := m.Near([]byte(text))
		if near && (place < 0 || place > len(text)) {
			t.Errorf("%q near %q at %d", text, spec, place)
		}
		if !ok {
			return
		}
		if !strings.HasPrefix(text, string(m.Prefix())) || !strings.Contains(text, string(m.Must())) {
			t.Errorf("%q matches %q, prefix %q, must %q", spec, text, m.Prefix(), m.Must())
		}
		if len(text) > 0 && !m.First()[text[0]] {
			t.Errorf("%q matches %q, First denies it", spec, text)
		}
		if !rest && !m.Match([]byte(text+"  "), values) {
			t.Errorf("%q matches %q, but not with blanks behind", spec, text)
		}
		if end, ok := m.MatchHead([]byte(text), values); ok && (end < 0 || end > len(text)) {
			t.Errorf("%q: the head of %q ends at %d", spec, text, end)
		}
	})
}

// jsonValue resolves a path of one key in a document that encoding/json takes.
func jsonValue(doc, key string) (text string, known bool) {
	d := json.NewDecoder(strings.NewReader(doc))
	d.UseNumber()
	if tok, err := d.Token(); err != nil || tok != json.Delim('{') {
		return "", false
	}
	for d.More() {
		k, err := d.Token()
		if err != nil {
			return "", false
		}
		var v any
		if err := d.Decode(&v); err != nil {
			return "", false
		}
		if k != key {
			continue
		}
		switch s := v.(type) {
		case string:
			return s, true
		case json.Number:
			return s.String(), true
		}
		return "", false
	}
	return "", false
}

func FuzzJSON(f *testing.F) {
	f.Add(envoyLine)
	f.Add(`{"a": {"b": [1, {"c": "x\ud83d\ude00"}]}, "a.b": -1.5e3, "c": null, "d": "0.1, -"}`)
	f.Add(`{"b":"\u0061\\","a":12`)
	f.Fuzz(func(t *testing.T, text string) {
		slots := match.NewSlots()
		m, err := match.JSON("", fields(t, "c c", "ab a.b.1.c", "n a.b float", "d d list(s)", "t t rfc3339", "i i int", "ms ms ms"), slots, []string{"-"})
		if err != nil {
			t.Fatal(err)
		}
		values := slots.NewValues()
		ok := matchTwice(t, m, text, values)
		if !json.Valid([]byte(text)) {
			return
		}
		want, known := jsonValue(text, "c")
		if known && !strings.ContainsAny(text, `\`) && (!ok || string(values[0].Text) != want) {
			t.Errorf("%q: %v, c is %q, want %q", text, ok, values[0].Text, want)
		}
	})
}

func FuzzPython(f *testing.F) {
	f.Add(strings.TrimPrefix(finishLine, "Finish: "))
	f.Add(`{'a': {'b': (1, R(c='x'))}, 'a.b': -1.5e3, 'c': None, "d": [0.1, None]}`)
	f.Add(`a=b'\x00\'', c="it's" ... 'x`)
	f.Fuzz(func(t *testing.T, text string) {
		for _, compile := range []compileFields{pythonFields, logfmtFields} {
			slots := match.NewSlots()
			m, err := compile("", fields(t, "c c", "ab a.b.1.c", "n a.b float", "d d list(s)", "t t epoch_s", "i i int"), slots, []string{"-"})
			if err != nil {
				t.Fatal(err)
			}
			values := slots.NewValues()
			found := false
			ok := matchTwice(t, m, text, values)
			for i := range values {
				found = found || values[i].Text != nil
			}
			if ok && !found {
				t.Errorf("%q matches without a value", text)
			}
			if ok && !strings.ContainsAny(text, "cadti") {
				t.Errorf("%q matches without a key", text)
			}
		}
	})
}
