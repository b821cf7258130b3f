package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/reports"
)

// examplesOf returns the examples of a page of help: lines that are indented by two spaces,
// up to what explains them, with the section that they stand in. Further indented ones go on
// with what explains.
func examplesOf(page string) (out [][2]string) {
	section := ""
	apart := regexp.MustCompile(`\s{3,}`)
	for line := range strings.Lines(page) {
		text, indented := strings.CutPrefix(strings.TrimRight(line, "\n"), "  ")
		switch {
		case indented && strings.HasPrefix(text, " "):
		case indented:
			out = append(out, [2]string{section, apart.Split(text, 2)[0]})
		case len(strings.Fields(line)) == 1 || strings.HasPrefix(line, "Filters, "):
			section = strings.TrimSpace(line)
		}
	}
	return out
}

func isLongFlag(word string) bool { return strings.HasPrefix(word, "--") }

// TestDocumentedFiltersParse: every example of the page is one, and names what there is.
func TestDocumentedFiltersParse(t *testing.T) {
	var page strings.Builder
	if err := writeFilters(&page); err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	fields := append(analyze.BuiltFilterFields(), filter.Field{Name: "my key"})
	for _, example := range examplesOf(page.String()) {
		section, text := example[0], example[1]
		counts[section]++
		var err error
		switch section {
		case "Filters, keys and conditions":
			var e *filter.Expr
			if e, err = filter.Parse(text); err == nil {
				err = e.Check(fields, false)
			}
		case "Times":
			words := strings.Fields(text)
			if quoted, is := strings.CutPrefix(text, `"`); is {
				words = []string{strings.TrimSuffix(quoted, `"`)}
			} else if flag := slices.IndexFunc(words, isLongFlag); words[0] == "compare" && flag > 0 {
				words = slices.DeleteFunc(words[flag:], isLongFlag) // what is left are their times
			}
			for _, word := range words {
				if _, wrong := parseMoment("--since", word, time.UTC); wrong != nil {
					err = wrong
				}
			}
		case "Keys":
			_, err = filter.ParseKeys(text)
		case "Bands":
			_, err = filter.ParseBands(text)
		case "Conditions":
			_, err = filter.ParseCondition(text, analyze.ConditionWords())
		case "Requirements":
			_, err = filter.ParseRequirement(text, analyze.ConditionWords())
		case "Fields":
			name, _, _ := strings.Cut(text, " ")
			var e *filter.Expr
			if e, err = filter.Parse(name + "!=none"); err == nil {
				err = e.Check(analyze.BuiltFilterFields(), false)
			}
		}
		if err != nil {
			t.Errorf("%s: %q: %v", section, text, err)
		}
	}
	if diff := cmp.Diff(map[string]int{"Filters, keys and conditions": 12, "Fields": len(analyze.Built()), "Times": 8, "Keys": 3, "Bands": 3, "Conditions": 16, "Requirements": 10}, counts); diff != "" {
		t.Errorf("examples by section:\n%s", diff)
	}
}

// TestFilterPageNamesEveryWord: what the language knows is on the page.
func TestFilterPageNamesEveryWord(t *testing.T) {
	var page strings.Builder
	if err := writeFilters(&page); err != nil {
		t.Fatal(err)
	}
	v := analyze.ConditionWords()
	for _, word := range append([]string{"--since", "--until", "--week", "unattributed", "incomplete", "errors", "n <", "verdict", "share", "rate", "goodput", "capacity", "residual", "lost", "excluded", "joined", "clock", "sampling", "NOT", "OR", "AND", "none", "~", "!=", "e2e", "ttft", "tpot", "itl", "help definitions"}, slices.Concat(v.StageVerdicts, v.Samplings)...) {
		if !strings.Contains(page.String(), word) {
			t.Errorf("the page does not say %q", word)
		}
	}
	for line := range strings.Lines(page.String()) {
		if len(line) > 81 {
			t.Errorf("a line is %d wide: %s", len(line), line)
		}
	}
}

// TestHowARunEnds: a condition that is true counts most, then whatever else is wrong, then
// what could not be judged.
func TestHowARunEnds(t *testing.T) {
	yes, no := true, false
	ok, failed, unclear := reports.Condition{Condition: "a", Passed: &yes}, reports.Condition{Condition: "b", Passed: &no}, reports.Condition{Condition: "c", Why: "so few"}
	few := nothing("x", "too few", "")
	for _, c := range []struct {
		list, required []reports.Condition
		otherwise      error
		code           int
	}{
		{nil, nil, nil, exitDone},
		{nil, nil, few, exitNothing},
		{[]reports.Condition{ok}, nil, nil, exitDone},
		{[]reports.Condition{ok, unclear}, nil, nil, exitNothing},
		{[]reports.Condition{ok, unclear, failed}, nil, nil, exitTrue},
		{[]reports.Condition{unclear, failed}, nil, few, exitTrue},
		{[]reports.Condition{ok}, nil, few, exitNothing},
		{[]reports.Condition{ok}, []reports.Condition{ok}, nil, exitDone},
		{nil, []reports.Condition{ok, failed}, nil, exitNothing},
		{nil, []reports.Condition{unclear}, nil, exitNothing},
		{[]reports.Condition{failed}, []reports.Condition{ok}, nil, exitTrue},
	} {
		err, code := gated(reports.Document{Conditions: c.list, Requirements: c.required}, c.otherwise), exitDone
		var f *fault
		if errors.As(err, &f) {
			code = f.code
		}
		if code != c.code {
			t.Errorf("%v of %v with %v ends with %d (%v), want %d", c.list, c.required, c.otherwise, code, err, c.code)
		}
		withheld := reports.Document{Conditions: c.list, Requirements: c.required}
		if withheld = withheld.Withheld(withheld.Missed()...); withheld.Missed() != nil && (!errors.As(gated(withheld, nil), &f) || f.code != exitNothing) {
			t.Errorf("%v of %v, which is not as required, ends with %v", c.list, c.required, gated(withheld, nil))
		}
	}
}

// TestGatesOnTheIncident: what the report shows is what conditions are judged by.
func TestGatesOnTheIncident(t *testing.T) {
	inRepository(t)
	incident := filepath.Join(t.TempDir(), "incident") // read and built once
	mustRun(t, "ingest", "-q", "-o", incident, "testdata/scenarios/queue-buildup")
	for condition, want := range map[string]int{
		"p99(e2e) > 5s": exitTrue, "p99(e2e) > 9s": exitDone, "p99(e2e) > 7s": exitNothing, "p99(ttft) > 1s": exitTrue, "p50(ttft) > 1s": exitDone,
		"share(queue, p90-100) > 50%": exitTrue, "share(gpu, p90-100) > 50%": exitDone, "unattributed > 5%": exitDone, "incomplete > 0%": exitDone,
		"errors > 1%": exitDone, "errors > 0.1%": exitNothing, "n < 1000": exitDone, "n < 2k": exitTrue, "verdict(queue) = (dominates leads)": exitTrue,
		"p99.9(e2e) > 8s": exitNothing,
	} {
		code, stdout, stderr := tailpath(nil, "summary", incident, "--fail-on", condition)
		if code != want {
			t.Errorf("%s ends with %d, want %d: %s", condition, code, want, stderr)
		}
		word := map[int]string{exitTrue: "FAIL ", exitDone: "pass ", exitNothing: "inconclusive "}[want]
		if !strings.Contains(stdout, "\n"+word) || !strings.Contains(stdout, condition) {
			t.Errorf("%s: the report has no line of it that begins with %q", condition, word)
		}
	}
}

// TestFiltersOnTheIncident: parts of the requests add up to all, in whatever order the
// words of the filter stand.
func TestFiltersOnTheIncident(t *testing.T) {
	inRepository(t)
	used := func(where ...string) string {
		args := []string{"summary", "testdata/scenarios/queue-buildup"}
		for _, w := range where {
			args = append(args, "--where", w)
		}
		code, stdout, stderr := tailpath(nil, args...)
		if code != exitDone {
			t.Fatalf("%v: %d %s", where, code, stderr)
		}
		var n, of string
		if _, err := fmt.Sscanf(stdout[strings.Index(stdout, "\nrequests")+1:], "requests %s of %s", &n, &of); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if a, b := used("e2e>1s"), used("-e2e>1s"); a != "495" || b != "605" {
		t.Errorf("%s slow and %s fast requests of 1,100", a, b)
	}
	if a, b := used("e2e>1s", "queue>=500ms"), used("queue>=500ms e2e>1s"); a != b {
		t.Errorf("two filters keep %s, one with both %s", a, b)
	}
	if got := used("host!=none"); got != "1,100" {
		t.Errorf("%s requests have a host", got)
	}
}

// TestLongNamesAreCutInMessages: what is wrong with 10 kB of filter, key or condition is said in a few
// lines, and a value of 10 kB is hinted at by its ends.
func TestLongNamesAreCutInMessages(t *testing.T) {
	long := strings.Repeat("k", 10_000)
	path := filepath.Join(t.TempDir(), "hostile.json")
	plant(t, path, hostileTraces(strings.Repeat("x", 10_000)))
	for _, c := range []struct {
		code int
		args []string
	}{
		{exitFailed, []string{"--where", long + "=x"}},
		{exitFailed, []string{"--where", "model~/(" + long + "/"}},
		{exitFailed, []string{"--where", "model=(" + long}},
		{exitFailed, []string{"--where", "(" + strings.Repeat("\u0301", 9000)}},
		{exitFailed, []string{"--by", long}},
		{exitFailed, []string{"--fail-on", long + " > 1"}},
		{exitNothing, []string{"--where", "model=" + long}},
		{exitNothing, []string{"--where", "model=y route=y"}},
	} {
		code, _, errs := tailpath(nil, append([]string{"queue", path}, c.args...)...)
		if code != c.code || len(errs) > 1500 || errs == "" {
			t.Errorf("%.30q: exit code %d, %d bytes: %.300s", c.args, code, len(errs), errs)
		}
	}
}
