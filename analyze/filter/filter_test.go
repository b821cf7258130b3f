package filter

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var testFields = []Field{
	{Name: "model", Kind: Text}, {Name: "route", Kind: Text}, {Name: "status", Kind: Text, Words: []string{"ok", "error"}},
	{Name: "prompt_tokens", Kind: Count}, {Name: "e2e", Kind: Time}, {Name: "queue", Kind: Time}, {Name: "start", Kind: Date},
	{Name: "tenant", Kind: Any}, {Name: "batch", Kind: Any}, {Name: "two words", Kind: Any},
}

func kindOf(name string) Kind {
	for _, f := range testFields {
		if f.Name == name {
			return f.Kind
		}
	}
	return Any
}

// row is one request by field: text, or a number where it can be read as one.
type row map[string]string

type fieldOf struct {
	rows []row
	name string
}

func (f fieldOf) Text(i int32) (string, bool) {
	text := f.rows[i][f.name]
	return text, text != ""
}

func (f fieldOf) Number(i int32) (float64, bool) {
	text := f.rows[i][f.name]
	if kindOf(f.name) == Text {
		return 0, false
	}
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil
}

func holds(e *Expr, rows ...row) []bool {
	match := e.Bind(func(name string) (Column, Kind) { return fieldOf{rows, name}, kindOf(name) })
	out := make([]bool, len(rows))
	for i := range rows {
		out[i] = match(int32(i))
	}
	return out
}

func TestWhatHolds(t *testing.T) {
	usual := row{"model": "llama3", "route": "/v1/chat", "status": "ok", "prompt_tokens": "4000", "e2e": "1500000000", "queue": "0",
		"start": "1787227200000000000", "tenant": "acme", "batch": "8", "two words": "x y"}
	for _, c := range []struct {
		text         string
		usual, empty bool
	}{
		{"model=llama3", true, false},
		{"model=llama", false, false},
		{"model!=llama3", false, true},
		{"model=none", false, true},
		{"model!=none", true, false},
		{`model="none"`, false, false},
		{"model=(a llama3)", true, false},
		{"model=(a,llama3)", true, false},
		{"model!=(a llama3)", false, true},
		{"model=(a none)", false, true},
		{"model~llama*", true, false},
		{"model~*ama*", true, false},
		{"model~*ama", false, false},
		{"model~/^l+a/", true, false},
		{"model~/(x|ama3)$/", true, false},
		{`model~"/l l/"`, false, false},
		{"route~/v1/*", true, false},
		{"route=/v1/chat", true, false},
		{"prompt_tokens=4k", true, false},
		{"prompt_tokens=4000", true, false},
		{"prompt_tokens>4k", false, false},
		{"prompt_tokens>=4k", true, false},
		{"prompt_tokens<0.005M", true, false},
		{"-prompt_tokens>4k", true, true},
		{"NOT prompt_tokens>4k", true, true},
		{"e2e=1.5s", true, false},
		{"e2e=1500ms", true, false},
		{"e2e=1500000us", true, false},
		{"e2e>1s", true, false},
		{"e2e<1m30s", true, false},
		{"queue=0", true, false},
		{"queue<1ns", true, false},
		{"start>=2026-08-20", true, false},
		{"start<2026-08-20T12:00:00.5Z", true, false},
		{"start<2026-08-20T14:00:01+02:00", true, false},
		{"start=2026-08-20T12:00", true, false},
		{"batch=8", true, false},
		{"batch=8.0", true, false},
		{"batch=0.008k", true, false},
		{`batch="8.0"`, false, false},
		{`batch="8"`, true, false},
		{"batch>7", true, false},
		{"tenant>7", false, false},
		{"tenant!=7", true, true},
		{`"two words"="x y"`, true, false},
		{`"two words"='x y'`, true, false},
		{"model=llama3 status=ok", true, false},
		{"model=x OR status=ok AND e2e>1s", true, false},
		{"(model=x OR status=ok) AND e2e>2s", false, false},
		{"model=x OR -(status=error OR e2e>2s)", true, true},
		{"--model=llama3", true, false},
		{"NOT NOT model=llama3", true, false},
		{"  model = llama3  ", true, false},
	} {
		e, err := Parse(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if err := e.Check(testFields, false); err != nil {
			t.Errorf("%s: %v", c.text, err)
		}
		if diff := cmp.Diff([]bool{c.usual, c.empty}, holds(e, usual, row{})); diff != "" {
			t.Errorf("%s of a usual and of an empty request:\n%s", c.text, diff)
		}
	}
}

// TestErrorsPointAtThePlace: the caret line, what is wrong, and what to write instead.
func TestErrorsPointAtThePlace(t *testing.T) {
	for _, c := range []struct{ text, carets, what, hint string }{
		{"", "^", "the filter is empty", "write a field, an operator and a value, such as model=llama3"},
		{"modl=x", "^^^^", "no request has a field modl", "did you mean model? tailpath help filters lists the fields; any attribute that was recorded is one too"},
		{"status=ok model", "          ^^^^^", "nothing says what model is compared with", "write an operator and a value behind it: model=VALUE"},
		{"model:llama3", "^^^^^^^^^^^^", "nothing says what model:llama3 is compared with", "write model=llama3"},
		{"model=a and status=ok", "        ^^^", "nothing says what and is compared with", "write AND in capitals"},
		{"model=a && status=ok", "        ^^", "nothing says what && is compared with", "write AND"},
		{"model=a AND", "           ^", "a comparison is missing", "write a field, an operator and a value, such as model=llama3"},
		{"AND model=a", "^^^", "there is no comparison before AND", "write one on each side of it, or quote the word if it is a field"},
		{"model=", "      ^", "a value is missing at the end", "write it, or none for no value"},
		{"(model=)", "       ^", "a value is missing before the parenthesis", `write it, or none for no value, or "" for an empty text`},
		{"=llama3", "^", "the name of a field is missing before the operator", "write it first, such as model=llama3"},
		{"model==a", "     ^^", "== is no operator", "write one ="},
		{"model=~a", "     ^^", "=~ is no operator", "write ~ alone"},
		{"model<>a", "     ^^", "<> is no operator", "write !="},
		{"!model=a", "^", "! alone is no operator", "write - or NOT before what shall not hold, or != to compare"},
		{"model!a", "     ^", "! alone is no operator", "write != for unlike"},
		{"(model=a", "^", "this parenthesis is not closed", "write ) where it ends"},
		{"model=a)", "       ^", "there is no parenthesis that this one closes", "leave it out, or open one before"},
		{"()", " ^", "a comparison is missing before the parenthesis", "write a field, an operator and a value, such as model=llama3"},
		{"model=(a", "      ^", "this list is not closed", "write ) where it ends"},
		{"model=()", "      ^^", "the list is empty", "write values into it, or none for no value"},
		{"e2e>(1s 2s)", "   ^", "a list has no order", "write = or != before a list"},
		{`model="a`, "      ^", "this quote is not closed", `write " where the text ends`},
		{"model=a(b) AND e2e>1s", "      ^^^^", "a value with parentheses needs quotes", `write "a(b)"`},
		{"model=a, status=ok", "", "", ""},
		{"model=a ,status=ok", "        ^", "a comma joins nothing", "write AND or OR; a list goes into parentheses: model=(a b)"},
		{"model~llama", "      ^^^^^", "the pattern has no * and no slashes around it", "write model=llama for this text alone, model~*llama* for all that have it in them, /llama/ for a regular expression"},
		{"model~/(/", "      ^^^", "the regular expression is wrong: missing closing ) in (", "the syntax is that of RE2; a pattern without slashes knows * alone"},
		{"model=llama*", "      ^^^^^^", "= compares text as it is, and here is a *", "write model~llama* for a pattern, or quote it"},
		{"model>a", "     ^", "model is text and has no order", "write = for one text, ~ for a pattern"},
		{"e2e~5*", "   ^", "e2e is a number, and patterns are about text", "write = < <= > or >="},
		{"e2e>5", "    ^", "e2e is a time, and 5 has no unit", "write e2e>5s, 5ms or 5us"},
		{"e2e>long", "    ^^^^", "e2e is a time", "write e2e>1.5s, 20ms or 300us"},
		{"prompt_tokens>5s", "              ^^", "prompt_tokens is a number", "write prompt_tokens>500, with k or M for thousands or millions"},
		{"start>14:10", "      ^^^^^", "start is a date", "write start>2026-08-20T12:01:30Z"},
		{"e2e>none", "    ^^^^", "none has no size", "write e2e=none where nothing was recorded, or a number"},
		{"status=eror", "       ^^^^", "status is never eror", "did you mean error? it is one of ok, error"},
		{"tenant>acme", "       ^^^^", "only numbers have an order", "write tenant>500, or = for one text, ~ for a pattern"},
		{"batch>5s", "      ^^", "nothing says which unit batch is in", "write batch>NUMBER in the unit in which it was recorded"},
		{"model=模型 AND x", "               ^", "nothing says what x is compared with", "write an operator and a value behind it: x=VALUE"},
		{"model=a\tAND\t(", "             ^", "a comparison is missing", "write a field, an operator and a value, such as model=llama3"},
	} {
		e, err := Parse(c.text)
		if err == nil {
			err = e.Check(testFields, false)
		}
		if c.what == "" {
			if err != nil {
				t.Errorf("%q: %v", c.text, err)
			}
			continue
		}
		refused(t, c.text, err, c.carets, c.what, c.hint)
	}
}

// refused fails the test unless the text was refused with this error: the caret line, what is
// wrong, and what to write instead.
func refused(t *testing.T, text string, err error, carets, what, hint string) {
	t.Helper()
	var wrong *Error
	if !errors.As(err, &wrong) {
		t.Errorf("%q is taken", text)
		return
	}
	_, got := wrong.Excerpt()
	if diff := cmp.Diff([]string{carets, what, hint}, []string{got, wrong.What, wrong.Hint}); diff != "" {
		t.Errorf("%q:\n%s", text, diff)
	}
}

// TestOpenFields: before the input is read any other name may be an attribute.
func TestOpenFields(t *testing.T) {
	for text, ok := range map[string]bool{"anything=x": true, "anything>5": true, "anything>x": false, "e2e>5": false} {
		e, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := e.Check(testFields, true); (err == nil) != ok {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestFieldsOfAnExpression(t *testing.T) {
	e, err := Parse("model=a OR (-e2e>1s model=b batch=(1 2))")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"model", "e2e", "batch"}, e.Fields()); diff != "" {
		t.Fatal(diff)
	}
}

func TestAndJoins(t *testing.T) {
	var list []*Expr
	for _, text := range []string{"model=a OR model=b", "e2e>1s queue=0", "status=ok"} {
		e, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, e)
	}
	joined := And(list...)
	if want := "(model=a OR model=b) AND e2e>1s AND queue=0 AND status=ok"; joined.String() != want {
		t.Fatalf("%s, want %s", joined, want)
	}
	checkAgain(t, joined, []row{{}, everything})
	if And(list[2]) != list[2] {
		t.Fatal("one expression is joined with nothing")
	}
}

func TestTimesAndNumbers(t *testing.T) {
	for text, want := range map[string]float64{"5s": 5e9, "1.5s": 1.5e9, "20ms": 2e7, "300us": 3e5, "300µs": 3e5, "1ns": 1, "2m": 120e9, "2min": 120e9, "1h30m": 5400e9, "1d": 86400e9, "-1s": -1e9, "0": 0, "0.0": 0, "0.3ms": 3e5} {
		if got, ok := readTime(text); !ok || got != want {
			t.Errorf("%s is %v, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "5", "s", "1.5.5s", "5x", "5s5", "1e3s", ".", "-", "-.", "99999999999999999999h", "0..0"} {
		if got, ok := readTime(text); ok {
			t.Errorf("%q is taken for %v ns", text, got)
		}
	}
	for text, want := range map[string]float64{"5": 5, "-5": -5, "4k": 4000, "2M": 2e6, "1G": 1e9, "1.5k": 1500, "1e3": 1000} {
		if got, ok := readNumber(text); !ok || got != want {
			t.Errorf("%s is %v, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "k", "inf", "NaN", "0x1", "1_0", "1K", "1e309", "1e308G"} {
		if got, ok := readNumber(text); ok {
			t.Errorf("%q is taken for %v", text, got)
		}
	}
}

// TestExcerptsOfLongTexts: an error far into a text that no terminal holds in one line has
// its carets below what is wrong, within a narrow screen.
func TestExcerptsOfLongTexts(t *testing.T) {
	for _, wrong := range []string{"x>>3", "e2e>>1", "müsli>>1", "模型>>1"} {
		for _, after := range []string{"", strings.Repeat(" OR tenant=acme", 30)} {
			_, err := Parse(strings.Repeat("model=ä OR ", 40) + wrong + after)
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("%s: %v", wrong, err)
			}
			text, carets := e.Excerpt()
			at := 0
			for _, r := range text[:strings.Index(text, ">>")] {
				at += columns(r)
			}
			if len(carets) != at+2 || !strings.HasPrefix(text, "...") || strings.HasSuffix(text, "...") != (after != "") || len(carets) > 80 {
				t.Errorf("%s is at %d:\n%s\n%s", wrong, at, text, carets)
			}
		}
	}
}

// TestNearestLeavesOutWhatIsTooLong: a key of 10 kB is not what somebody meant to write, even if it
// begins so, and a word that long is no misspelling.
func TestNearestLeavesOutWhatIsTooLong(t *testing.T) {
	long := "mode" + strings.Repeat("l", 10_000)
	if got := Nearest("mode", []string{long, "model"}); got != "model" {
		t.Errorf("%.20q", got)
	}
	if got := Nearest("mode", []string{long}); got != "" {
		t.Errorf("%.20q", got)
	}
	if got := Nearest(long, []string{long + "l"}); got != "" {
		t.Errorf("%.20q", got)
	}
}

// TestExcerptOfMarksIsShort: thousands of marks on one letter have no width, and are cut all the
// same.
func TestExcerptOfMarksIsShort(t *testing.T) {
	_, err := Parse("model=m (e" + strings.Repeat("\u0301", 9000))
	var wrong *Error
	if !errors.As(err, &wrong) {
		t.Fatal(err)
	}
	if text, carets := wrong.Excerpt(); len(text)+len(carets) > 400 {
		t.Errorf("%d and %d bytes", len(text), len(carets))
	}
}

// TestEquals: the texts that a field is asked to be, and no others: none that are excluded.
func TestEquals(t *testing.T) {
	e, err := Parse(`model=(a "b c" none) AND (model!=d OR -model=e) host=f model~g* model=none`)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := e.Equals("model"), []string{"a", "b c"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := e.Equals("route"); got != nil {
		t.Errorf("%q", got)
	}
	for text, want := range map[string][]string{
		`-model=a`:                         nil,
		`NOT model=(a b)`:                  nil,
		`-(host=f OR model=a)`:             nil,
		`-(-model=a)`:                      {"a"},
		`-(host=f OR -(model=a model=b))`:  {"a", "b"},
		`-model!=a`:                        {"a"},
		`-(-model!=a)`:                     nil,
		`NOT (model!=(a b) OR model=c)`:    {"a", "b"},
		`model=a -model=b`:                 {"a"},
		`-model~a*`:                        nil,
		`model=a OR -(model=b -(model=c))`: {"a", "c"},
	} {
		e, err := Parse(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if got := e.Equals("model"); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
