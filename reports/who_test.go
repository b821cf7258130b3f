package reports

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tailpath/tailpath/analyze/cohort"
	"github.com/tailpath/tailpath/analyze/filter"
)

// compared is 100 slow requests and 900 others, one a second, on four replicas.
func compared(start bool) cohort.Result {
	s := &cohort.Sample{Columns: 4}
	input, replica, cached := cohort.Column{Name: "input", Names: []string{"long", "short"}}, cohort.Column{Name: "replica", Names: []string{"r1", "r2", "r3", "r4"}}, cohort.Column{Name: "cached"}
	for i := range 1000 {
		slow := i%10 == 0
		s.Slow = append(s.Slow, slow)
		if start {
			s.Start = append(s.Start, int64(i)*1_000_000_000)
		}
		long := slow && i%50 < 30 || !slow && i%20 == 1
		input.Codes = append(input.Codes, map[bool]int32{true: 0, false: 1}[long])
		replica.Codes = append(replica.Codes, int32(i/10%4))
		cached.Numbers = append(cached.Numbers, map[bool]float64{true: math.NaN(), false: float64(i)}[slow])
	}
	columns := []cohort.Column{input, replica, cached, {Name: "e2e", LeftOut: "a time"}}
	s.Column = func(i int) cohort.Column { return columns[i] }
	return cohort.Of(s, cohort.Options{})
}

func TestWho(t *testing.T) {
	w := who(compared(true))
	if want := "slow requests differ most in cached is missing: 100.0 % have it against 0.0 % of others of the same time (n = 100 and 900)"; w.Sentence != want {
		t.Errorf("%s\nwant %s", w.Sentence, want)
	}
	if len(w.Findings) != 2 || w.Findings[1].Words != "input=long" || w.Findings[1].Adjusted == nil || w.Findings[0].Crude.Lift != nil || w.Findings[0].Adjusted.RelativeRisk != nil {
		t.Errorf("findings are %+v", w.Findings)
	}
	if diff := cmp.Diff([]Count{{"tested", 3}, {"presence", 0}, {"id", 0}, {"constant", 0}, {"scattered", 0}, {"left_out", 1}}, w.Counts); diff != "" {
		t.Error(diff)
	}
	text, err := json.Marshal(w)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"time_only":[]`, `"lift":null`, `"relative_risk":null`, `"reason":"a time"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s is not in the document", want)
		}
	}
	if one := who(compared(false)); one.Findings[0].Adjusted != nil || !strings.Contains(one.Sentence, "of the others (n") {
		t.Errorf("without times: %s, %+v", one.Sentence, one.Findings[0].Adjusted)
	}
}

func TestWhoSentences(t *testing.T) {
	tested := []cohort.Attribute{{Name: "a", Status: cohort.Tested}}
	options := cohort.Options{MinSupport: 5}
	for _, c := range []struct {
		r    cohort.Result
		want string
	}{
		{cohort.Result{Slow: 3, Rest: 1200, Options: options}, "too few requests to say how slow ones differ: 3 slow and 1,200 others, of each it takes 5"},
		{cohort.Result{Slow: 30, Rest: 1200, Enough: true}, "nothing to say how slow requests differ: no attribute has values to compare"},
		{cohort.Result{Slow: 30, Rest: 1200, Enough: true, Attributes: tested}, "slow requests differ from the others in none of 1 attribute (n = 30 and 1,200)"},
		{cohort.Result{Slow: 30, Rest: 1200, Enough: true, Attributes: tested, Strata: cohort.Strata{N: 9, WidthNS: 1e9}}, "slow requests differ from others of the same time in none of 1 attribute (n = 30 and 1,200)"},
	} {
		if got := who(c.r).Sentence; got != c.want {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
}

func TestValueWords(t *testing.T) {
	none := math.Inf(1)
	for want, v := range map[string]cohort.Value{
		"a=x":                        {Kind: cohort.Category, Name: "x"},
		"a is missing":               {Kind: cohort.Missing},
		"a is there":                 {Kind: cohort.Any},
		"a is one of 7 rare values":  {Kind: cohort.Other, Pooled: 7},
		"a = -1,234.5":               {Kind: cohort.Number, Low: -1234.5, High: -1234.5},
		"a >= 8,123":                 {Kind: cohort.Range, Low: 8123, High: none},
		"a < 0.25":                   {Kind: cohort.Range, Low: -none, High: .25},
		"a >= 1,000,000 and < 1e+21": {Kind: cohort.Range, Low: 1e6, High: 1e21},
		"a >= 0 and < 2.5e-07":       {Kind: cohort.Range, Low: 0, High: 2.5e-7},
	} {
		if got := valueWords("a", v); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// recordedAs is one field of some requests; an empty text is none, and 0 a number only if
// it is written so.
type recordedAs func(row int32) (string, float64)

func (f recordedAs) Text(row int32) (string, bool) {
	text, _ := f(row)
	return text, text != ""
}

func (f recordedAs) Number(row int32) (float64, bool) {
	text, x := f(row)
	return x, x != 0 || text == "0"
}

// TestWhereSelectsTheValue parses what is written, as --where would, and asks it of requests
// that have the value and of others.
func TestWhereSelectsTheValue(t *testing.T) {
	none := math.Inf(1)
	type request struct {
		text   string
		number float64
	}
	for _, c := range []struct {
		v       cohort.Value
		in, out []request
	}{
		{cohort.Value{Kind: cohort.Category, Name: "gpu-3"}, []request{{text: "gpu-3"}}, []request{{text: "gpu-4"}, {}}},
		{cohort.Value{Kind: cohort.Category, Name: `a "b" \ (c)`}, []request{{text: `a "b" \ (c)`}}, []request{{text: "a"}}},
		{cohort.Value{Kind: cohort.Category, Name: "none"}, []request{{text: "none"}}, []request{{}}},
		{cohort.Value{Kind: cohort.Category, Name: "OR"}, []request{{text: "OR"}}, []request{{}}},
		{cohort.Value{Kind: cohort.Category, Name: "-x"}, []request{{text: "-x"}}, []request{{text: "x"}}},
		{cohort.Value{Kind: cohort.Missing}, []request{{}}, []request{{text: "x"}}},
		{cohort.Value{Kind: cohort.Any}, []request{{text: "x"}}, []request{{}}},
		{cohort.Value{Kind: cohort.Number, Low: 4.5, High: 4.5}, []request{{"4.5", 4.5}}, []request{{"4", 4}, {}}},
		{cohort.Value{Kind: cohort.Range, Low: 8123, High: none}, []request{{"8123", 8123}}, []request{{"8122", 8122}, {}}},
		{cohort.Value{Kind: cohort.Range, Low: -none, High: 1e7}, []request{{"9999999", 9999999}}, []request{{"10000000", 1e7}, {}}},
		{cohort.Value{Kind: cohort.Range, Low: -2, High: 0}, []request{{"-2", -2}, {"-0.5", -.5}}, []request{{"0", 0}, {"-3", -3}}},
	} {
		for _, field := range []string{"prompt_tokens", "my attribute", "a.b/c"} {
			text := whereText(field, c.v)
			e, err := filter.Parse(text)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			if diff := cmp.Diff([]string{field}, e.Fields()); diff != "" {
				t.Errorf("%s: %s", text, diff)
			}
			all := append(append([]request{}, c.in...), c.out...)
			match := e.Bind(func(string) (filter.Column, filter.Kind) {
				return recordedAs(func(row int32) (string, float64) { return all[row].text, all[row].number }), filter.Any
			})
			for row := range all {
				if got, want := match(int32(row)), row < len(c.in); got != want {
					t.Errorf("%s of %+v: %v", text, all[row], got)
				}
			}
		}
	}
	if text := whereText("a", cohort.Value{Kind: cohort.Other}); text != "" {
		t.Errorf("rare values are selected by %s", text)
	}
}

// TestWhereIsEmptyForWhatNobodyCanWrite: a document has no bytes that are no UTF-8, and a command
// line no NUL. An expression with others in their place would select other requests.
func TestWhereIsEmptyForWhatNobodyCanWrite(t *testing.T) {
	for _, c := range [][2]string{{"host", "gpu\xff"}, {"ho\xffst", "gpu"}, {"host", "a\x00b"}} {
		if text := whereText(c[0], cohort.Value{Kind: cohort.Category, Name: c[1]}); text != "" {
			t.Errorf("%q is selected by %q", c, text)
		}
	}
	if text := whereText("host", cohort.Value{Kind: cohort.Category, Name: "é\u200b"}); text != "host=\"é\u200b\"" {
		t.Errorf("%q", text)
	}
}
