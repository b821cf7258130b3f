package reports_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/reports"
)

// TestGroupsAreLimitedAsTheWhole: the sentence of a group says, as that of all requests does,
// that it holds among kept traces; requests that failed are counted in all groups.
func TestGroupsAreLimitedAsTheWhole(t *testing.T) {
	for _, kept := range []bool{false, true} {
		weight := never
		if kept {
			weight = func(i int) float64 { return float64(1 + i%2) }
		}
		opt := analyze.Options{Replicates: 20, Errors: analyze.Include, By: []filter.Key{{Name: "route"}}}
		by := run("summary").Summary(analyze.Summarize(incident(300, weight), opt)).Summary.By
		if len(by.Groups) == 0 {
			t.Fatal("no groups")
		}
		for _, g := range by.Groups {
			s := g.Verdict.Sentence
			if strings.Contains(s, ", among kept traces") != kept || !strings.Contains(s, " requests of all groups failed") {
				t.Errorf("kept unlike %v: %q", kept, s)
			}
		}
	}
}

// TestTimesOfFieldsAreExact: a time of a built-in field is written in a unit that reads back
// as the same ns; what is no such time stays as it is.
func TestTimesOfFieldsAreExact(t *testing.T) {
	for _, c := range []struct{ key, value, want string }{
		{"e2e", "1079360427", "1.079360427 s"}, {"e2e", "2000000000", "2 s"}, {"queue", "0", "0 ns"}, {"ttft", "1500000", "1.5 ms"},
		{"tpot", "1001", "1.001 µs"}, {"gpu", "-999", "-999 ns"}, {"e2e", "soon", "soon"}, {"e2e", "", ""},
		{"start", "2026-08-20T12:00:00Z", "2026-08-20T12:00:00Z"}, {"start", "7", "7"}, {"prompt_tokens", "1079360427", "1079360427"}, {"tenant", "1079360427", "1079360427"},
	} {
		if got := reports.FieldText(c.key, c.value); got != c.want {
			t.Errorf("%s = %q: %q, want %q", c.key, c.value, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		ns := rapid.Int64().Draw(t, "ns")
		text := reports.FieldText("e2e", strconv.FormatInt(ns, 10))
		got, err := time.ParseDuration(strings.ReplaceAll(text, " ", ""))
		if err != nil || int64(got) != ns {
			t.Fatalf("%d is written as %q, which is %d: %v", ns, text, got, err)
		}
	})
}
