package filter_test

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tailpath/tailpath/analyze/filter"
)

// requests are some requests by field.
var requests = []map[string]any{
	{"model": "llama3", "route": "/v1/chat", "prompt_tokens": 900.0, "status": "ok"},
	{"model": "llama3", "route": "/v1/completions", "prompt_tokens": 5000.0, "status": "ok"},
	{"model": "llama3", "route": "/v1/chat", "prompt_tokens": 900.0, "status": "error"},
	{"route": "/health", "status": "ok"},
}

type column string

func (c column) Text(row int32) (string, bool) {
	v, ok := requests[row][string(c)]
	if !ok {
		return "", false
	}
	return fmt.Sprint(v), true
}

func (c column) Number(row int32) (float64, bool) {
	n, ok := requests[row][string(c)].(float64)
	return n, ok
}

func rowsOf(text string) []int {
	e, err := filter.Parse(text)
	if err != nil {
		panic(err)
	}
	match := e.Bind(func(name string) (filter.Column, filter.Kind) { return column(name), filter.Any })
	var out []int
	for row := range requests {
		if match(int32(row)) {
			out = append(out, row)
		}
	}
	return out
}

func ExampleParse() {
	fmt.Println(rowsOf("model=llama3 AND (route=/v1/chat OR prompt_tokens>4k) AND -status=error"))
	fmt.Println(rowsOf("model=none"))
	fmt.Println(rowsOf("route~/v1/* status=(ok error)"))
	// Output:
	// [0 1]
	// [3]
	// [0 1 2]
}

func ExampleError() {
	_, err := filter.Parse("model=llama3 AND (status=ok")
	var wrong *filter.Error
	if errors.As(err, &wrong) {
		text, carets := wrong.Excerpt()
		fmt.Printf("%s\n%s\n%s\n%s\n", wrong.What, text, carets, wrong.Hint)
	}
	// Output:
	// this parenthesis is not closed
	// model=llama3 AND (status=ok
	//                  ^
	// write ) where it ends
}

func ExampleParseKeys() {
	keys, err := filter.ParseKeys("size@(small large),batch@num")
	if err != nil {
		panic(err)
	}
	groups := [][]string{{"huge", "1"}, {"large", "16"}, {"large", "8"}, {"", "2"}, {"small", "32"}}
	slices.SortFunc(groups, keys.Compare)
	fmt.Println(groups)
	// Output:
	// [[small 32] [large 8] [large 16] [huge 1] [ 2]]
}

func ExampleParseCondition() {
	words := filter.Vocabulary{Metrics: []string{"e2e", "ttft"}, Stages: []string{"queue"}}
	c, err := filter.ParseCondition("p99.9(e2e) >  1500ms", words)
	fmt.Println(c, c.P, c.Limit, err)
	c, err = filter.ParseCondition("p99(ttft) > +10% @0.01", words)
	fmt.Println(c, c.Relative, c.Limit, c.Alpha, err)
	// Output:
	// p99.9(e2e) > 1500ms 99.9 1.5e+09 <nil>
	// p99(ttft) > +10% @0.01 true 0.1 0.01 <nil>
}

func ExampleParseObjective() {
	metrics := []string{"e2e", "ttft", "tpot", "itl"}
	o, err := filter.ParseObjective("p99(e2e)<2s AND 95.5%(ttft <= 500ms and p95(itl) < 50ms)", metrics)
	fmt.Println(o, err)
	for _, t := range o.Terms {
		for _, l := range t.Limits {
			fmt.Println(t.P, t.Joint, l.Metric, l.Op(), l.NS)
		}
	}
	_, err = filter.ParseObjective("ttft<500ms and e2e<5s", metrics)
	var wrong *filter.Error
	if errors.As(err, &wrong) {
		text, carets := wrong.Excerpt()
		fmt.Printf("%s\n%s\n%s\n%s\n", wrong.What, text, carets, wrong.Hint)
	}
	// Output:
	// p99(e2e) < 2s and 95.5%(ttft <= 500ms and p95(itl) < 50ms) <nil>
	// 99 false e2e < 2000000000
	// 95.5 true ttft <= 500000000
	// 95.5 true itl < 50000000
	// nothing says how many of the requests must keep this limit
	// ttft<500ms and e2e<5s
	// ^^^^
	// write 95%(ttft < 500ms and e2e < 5s), or another share of the requests
}
