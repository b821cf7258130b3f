package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// manyRoutes writes traces of so many requests, each of another route.
func manyRoutes(t *testing.T, n int) string {
	t.Helper()
	var out strings.Builder
	for i := range n {
		start := int64(1_772_460_000_000_000_000) + int64(i)*1_000_000_000
		fmt.Fprintf(&out, `{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"edge"}}]},"scopeSpans":[{"spans":[{"traceId":"%032x","spanId":"%016x","name":"POST","kind":2,"startTimeUnixNano":"%d","endTimeUnixNano":"%d","attributes":[{"key":"http.route","value":{"stringValue":"/r%02d"}}]}]}]}]}`+"\n",
			i+1, i+1, start, start+int64(100+i)*1_000_000, i)
	}
	name := filepath.Join(t.TempDir(), "many.jsonl")
	if err := os.WriteFile(name, []byte(out.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestGroupsAreAsManyAsAsked: those beyond the limit are summed up, and those beyond the usual number are
// analysed when they are asked for, and not later.
func TestGroupsAreAsManyAsAsked(t *testing.T) {
	name := manyRoutes(t, 60)
	by := func(flags ...string) []string { return append([]string{"summary", name, "--by", "route"}, flags...) }
	for _, c := range []struct {
		args   []string
		stdout []string
		stderr string
	}{
		{by("-f", "json"), []string{`"other_groups": 10,`, `"other_n": 10,`}, ""},
		{by("-f", "json", "--limit", "0"), []string{`"other_groups": 0,`, `"other_n": 0,`}, ""},
		{by("-f", "json", "--limit", "55"), []string{`"other_groups": 5,`, `"of": 60`}, ""},
		{by("-f", "json", "--limit", "2"), []string{`"other_groups": 58,`, `"other_n": 58,`, `"of": 60`}, ""},
		{by("--limit", "2"), []string{"\n58 more  58 ", "\n  2 of 60 shown; --limit 0 shows all\n"}, ""},
		{by("-f", "csv", "--table", "summary.by.groups", "--limit", "55"), nil, "tailpath: summary.by.groups: 55 of 60 shown; --limit 0 shows all\n"},
	} {
		code, stdout, stderr := tailpath(nil, c.args...)
		if code != exitDone || stderr != c.stderr {
			t.Errorf("%v: exit %d, %q", c.args, code, stderr)
		}
		for _, want := range c.stdout {
			if !strings.Contains(stdout, want) {
				t.Errorf("%v: %q is not in\n%s", c.args, want, stdout)
			}
		}
		if rows := strings.Count(stdout, "\n") - 1; c.stderr != "" && rows != 55 {
			t.Errorf("%v: %d rows", c.args, rows)
		}
	}

	usual := filepath.Join(t.TempDir(), "usual.json")
	mustRun(t, by("-o", usual)...)
	for limit, want := range map[string]string{
		"50": "", "51": "summary.by.groups has 50 of 60; make it anew with --limit 51\n", "0": "summary.by.groups has 50 of 60; make it anew with --limit 0\n",
	} {
		_, stdout, stderr := tailpath(nil, "render", usual, "--limit", limit)
		if !strings.HasSuffix(stderr, want) || want == "" && stderr != "" {
			t.Errorf("render --limit %s: %q", limit, stderr)
		}
		if !strings.Contains(stdout, "\n10 more  10 ") || !strings.Contains(stdout, "50 of 60 shown; --limit 0 shows all") {
			t.Errorf("render --limit %s does not count what is not there:\n%s", limit, stdout)
		}
	}
}

// TestEnoughForAPage: the size that an error tells of is enough.
func TestEnoughForAPage(t *testing.T) {
	inRepository(t)
	for _, format := range []string{formatMarkdown, formatHTML} {
		_, _, stderr := tailpath(nil, "summary", scenario("healthy"), "-f", format, "--max-size", "40")
		_, rest, ok := strings.Cut(stderr, "take --max-size ")
		size, _, _ := strings.Cut(rest, " ")
		if !ok {
			t.Fatalf("%s: %q", format, stderr)
		}
		if code, stdout, stderr := tailpath(nil, "summary", scenario("healthy"), "-f", format, "--max-size", size); code != exitDone || stdout == "" {
			t.Errorf("%s in %s: exit %d, %q", format, size, code, stderr)
		}
	}
}
