package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestHintsOfMistakes: what somebody types who does not know tailpath yet leads to what does it.
func TestHintsOfMistakes(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "t.jsonl")
	if err := os.WriteFile(file, []byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"0000000000000000000000000000000a","spanId":"000000000000000a","name":"a","kind":2,"startTimeUnixNano":"1780000000000000000","endTimeUnixNano":"1780000001000000000"}]}]}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		args []string
		want string // in what is told on standard error
	}{
		{[]string{"summary", file, "--last", "1h"}, "did you mean --since TIME? see tailpath summary --help"},
		{[]string{"summary", file, "--filter", "model=a"}, "did you mean --where EXPR?"},
		{[]string{"summary", file, "--group-by", "model"}, "did you mean --by KEYS?"},
		{[]string{"summary", file, "--slowest", "5"}, "--slowest\ntailpath: hint: it is a flag of explain and export; see tailpath summary --help"},
		{[]string{"compare", file, file, "--by", "stage"}, "hint: the time by stage is shown as it is, and the time in each is a field: queue, gpu"},
		{[]string{"compare", file, file, "--group-by", "model"}, "did you mean --by KEYS?"},
		{[]string{"summary", file, "--by", "stage"}, "hint: the time by stage is shown as it is, and the time in each is a field: queue, gpu"},
		{[]string{"explain", file, "--by", "model"}, "it is a flag of summary, queue and compare; see"},
		{[]string{"explain", file, "--trace", "0a"}, "the trace or request stands without a flag: tailpath explain FILE... TRACE"},
		{[]string{"report", file, "--engine", "a"}, "it is a flag of export; see"},
		{[]string{"summary", file, "--form", "json"}, "did you mean --format?"},
		{[]string{"summary", file, "--nothing-like-it"}, "hint: see tailpath summary --help"},
		{[]string{"summary", file, "-o", filepath.Join(dir, "x.pdf")}, "no document is written as pdf\ntailpath: hint: write .html, and print it from a browser, or name a format: -f text|json|md|csv|html"},
		{[]string{"report", file, "-o", filepath.Join(dir, "x.XLSX")}, "no document is written as xlsx\ntailpath: hint: write .csv"},
		{[]string{"render", filepath.Join(dir, "none.json")}, "hint: render reads what -f json or -f html wrote"},
		{[]string{"render", dir}, "hint: render reads what -f json or -f html wrote"},
		{[]string{"summary", "https://host/traces.json"}, "there is no such file, and nothing is fetched from elsewhere\ntailpath: hint: download it first"},
		{[]string{"summary", file, "--slo", "p99 < 2s"}, "hint: write p99(e2e), p99(ttft), p99(tpot), p99(itl)\n"},
		{[]string{"summary", file, "--fail-on", "p99 > 2s"}, "hint: write p99(e2e), p99(ttft), p99(tpot), p99(itl)\n"},
	} {
		var out, told strings.Builder
		if code := run(x.args, strings.NewReader(""), &out, &told); code != exitFailed {
			t.Errorf("%v: exit code %d", x.args, code)
		}
		if !strings.Contains(told.String(), x.want) {
			t.Errorf("%v: told\n%s\nwant %q", x.args, told.String(), x.want)
		}
	}
	// With a format any name will do.
	var out, told strings.Builder
	name := filepath.Join(dir, "x.gz")
	if code := run([]string{"summary", file, "-o", name, "-f", "json", "--quiet"}, strings.NewReader(""), &out, &told); code != exitDone {
		t.Errorf("-f json -o x.gz: exit code %d, %s", code, told.String())
	}
	if data, err := os.ReadFile(name); err != nil || !strings.HasPrefix(string(data), "{") {
		t.Errorf("%.20q %v", data, err)
	}
}

// TestHintTakesNoBrokenRequestIn: a failed request that is broken as well is left out with every flag.
func TestHintTakesNoBrokenRequestIn(t *testing.T) {
	const spans = `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"0000000000000000000000000000000a","spanId":"000000000000000a","name":"a","kind":2,"startTimeUnixNano":"1780000000000000000","endTimeUnixNano":"0","status":{"code":2}}]}]}]}`
	var out, told strings.Builder
	if code := run([]string{"summary", "-"}, strings.NewReader(spans), &out, &told); code != exitNothing {
		t.Fatalf("exit code %d: %s", code, told.String())
	}
	if !strings.Contains(told.String(), "unfinished or broken") || strings.Contains(told.String(), "--errors include") {
		t.Errorf("told %s", told.String())
	}
}
