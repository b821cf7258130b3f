package line

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	first  = "INFO 08-20 12:00:00 [a.py:1] one"
	second = "(EngineCore pid=7) INFO 08-20 12:00:01 [b.py:2] two"
	third  = "INFO:     10.0.0.1:5 - three"
)

// Several records of a physical line come out one by one, with Begins.
func TestRecords(t *testing.T) {
	cases := []struct {
		name, in string
		with     []string // with Begins
		without  []string // without
	}{
		{"one", first, []string{first}, []string{first}},
		{"two", first + second, []string{first, second}, []string{first + second}},
		{"three", first + second + third, []string{first, second, third}, []string{first + second + third}},
		{"text before", "100%|##| 3/3 [00:09<00:00]" + first, []string{"100%|##| 3/3 [00:09<00:00]", first}, []string{"100%|##| 3/3 [00:09<00:00]" + first}},
		{"blanks before", "   " + first, []string{first}, []string{"   " + first}},
		{"progress bar", " 10%|# |\r 20%|##|\r", []string{" 20%|##|"}, []string{" 20%|##|"}},
		{"progress bar, cleared", "\r 10%|# |\r          \r", []string{" 10%|# |"}, []string{" 10%|# |"}},
		{"record behind a progress bar", " 10%|# |\r 20%|##|\r" + first, []string{first}, []string{first}},
		{"record within a progress bar", " 10%|# |\r 20%|##|" + first + "\r 30%|###|", []string{first, " 30%|###|"}, []string{" 30%|###|"}},
		{"records and carriage returns", first + "\r" + second + third + "\r50%", []string{first, second, third, "50%"}, []string{"50%"}},
		{"carriage returns alone", "\r\r\r", []string{""}, []string{""}},
		{"name before a progress bar", "(EngineCore pid=7) \rLoading:   0%", []string{"Loading:   0%"}, []string{"Loading:   0%"}},
		{"JSON and JSON", `{"a":1}{"b":"}{"}`, []string{`{"a":1}`, `{"b":"}{"}`}, []string{`{"a":1}`, `{"b":"}{"}`}},
		{"JSON, blanks, JSON", `{"a":1}  {"b":2}`, []string{`{"a":1}`, `{"b":2}`}, []string{`{"a":1}  {"b":2}`}},
		{"JSON that holds a record", `{"a":"` + first + `"}`, []string{`{"a":"` + first + `"}`}, []string{`{"a":"` + first + `"}`}},
		{"JSON and a record", `{"a":"}"}` + second, []string{`{"a":"}"}`, second}, []string{`{"a":"}"}` + second}},
		{"a record and JSON", third + ` {"a":1}`, []string{third + ` {"a":1}`}, []string{third + ` {"a":1}`}},
		{"no JSON", "{host|id} GET {x}", []string{"{host|id} GET {x}"}, []string{"{host|id} GET {x}"}},
		{"unfinished JSON", `{"a":"x` + first, []string{`{"a":"x` + first}, []string{`{"a":"x` + first}},
		{"colours", "\x1b[1;36m(EngineCore pid=7)\x1b[0;0m INFO 08-20 12:00:01 \x1b[90m[b.py:2]\x1b[0m two\x1b[K", []string{second}, []string{second}},
		{"title and link", "\x1b]0;title\x07" + first + "\x1b]8;;http://x\x1b\\!\x1b]8;;\x1b\\", []string{first + "!"}, []string{first + "!"}},
		{"title without end", "\x1b]0;" + first, []string{"0;", first}, []string{"0;" + first}},
		{"sequence without end", first + "\x1b[3", []string{first}, []string{first}},
		{"lone escapes", "\x1b\x1b\x1b" + first + "\x1b", []string{first}, []string{first}},
		{"charset and keypad", "\x1b(B\x1b=\x1b>" + first, []string{first}, []string{first}},
		{"NUL bytes", "\x00\x00\x00" + first + "\x00", []string{first}, []string{first}},
		{"lines in a wrapper", `{"MESSAGE":"` + first + `\n\n` + second + `\r50%\n","__REALTIME_TIMESTAMP":"1"}`,
			[]string{first, "", second, "50%"}, []string{first, "", "50%"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for _, end := range []string{"", "\n", "\r\n"} {
				res := read(c.in+end, Options{Begins: begins})
				if diff := cmp.Diff(c.with, res.bodies()); diff != "" {
					t.Errorf("with Begins (-want +got)\n%s", diff)
				}
				conserved(t, []byte(c.in+end), res)
				for n, l := range res.lines {
					if l.Nth != n || l.Line != 1 || l.Offset != 0 {
						t.Errorf("record %d is number %d at line %d, offset %d", n, l.Nth, l.Line, l.Offset)
					}
				}
				res = read(c.in+end, Options{})
				if diff := cmp.Diff(c.without, res.bodies()); diff != "" {
					t.Errorf("without Begins (-want +got)\n%s", diff)
				}
				conserved(t, []byte(c.in+end), res)
			}
		})
	}
}

// A Begins that breaks its promise costs no text and ends.
func TestBadBegins(t *testing.T) {
	for name, bad := range map[string]func([]byte, int) (int, int){
		"always before":   func([]byte, int) (int, int) { return 0, 1 },
		"always behind":   func(text []byte, _ int) (int, int) { return len(text) + 5, len(text) + 6 },
		"always negative": func([]byte, int) (int, int) { return -7, -9 },
		"empty":           func(_ []byte, from int) (int, int) { return from, from },
		"everywhere":      func(_ []byte, from int) (int, int) { return from, from + 1 },
	} {
		in := "abc\rdef\n{\"a\":1}xy\n\n"
		res := read(in, Options{Begins: bad})
		conserved(t, []byte(in), res)
		if got := strings.Join(res.bodies(), ""); !strings.HasSuffix(got, `def{"a":1}xy`) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// Places are those of the physical lines, in any mix of line ends.
func TestPlaces(t *testing.T) {
	res := read("\xef\xbb\xbfa\n\r\nb\r\n\xef\xbb\xbfc\n\nd", Options{})
	want := []string{"1+0.0: a", "2+5.0: ", "3+7.0: b", "4+10.0: c", "5+15.0: ", "6+16.0: d"}
	if diff := cmp.Diff(want, res.spelled()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if res.stats.Bytes != 17 || res.stats.Physical != 6 || res.stats.Records != 6 {
		t.Errorf("stats %+v", res.stats)
	}
}

// Bytes that are not UTF-8 are kept, and counted by line.
func TestInvalidUTF8(t *testing.T) {
	res := read("a\xffb\nc\n\xc3\n", Options{})
	if diff := cmp.Diff([]string{"a\xffb", "c", "\xc3"}, res.bodies()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got := res.issues(); got != "line-invalid-utf8 2 at 1" || res.stats.InvalidUTF8 != 2 {
		t.Errorf("issues %q, stats %+v", got, res.stats)
	}
}
