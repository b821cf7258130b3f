package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// changes begin the comparisons of each incident with the healthy capture.
var changes = map[string][2]string{
	"healthy":       {"no change that counts: p99 of duration", ""},
	"queue-buildup": {"slower in these captures, not proven to last: p99 of duration went from 904 ms to 7.03 s", "of it in queue; requests ask for something else (output_tokens p50 81, was 48)"},
	"slow-prefill":  {"slower: p95 of duration went from 832 ms to 1.56 s", "in gpu"},
}

func TestGoldenComparisonsNameThePlantedCause(t *testing.T) {
	inRepository(t)
	for name, want := range changes {
		got := mustRun(t, "compare", "--force", "base="+scenario("healthy"), "new="+scenario(name))
		golden(t, "compare-"+name+".txt", got)
		if line, _, _ := strings.Cut(got, "\n"); !strings.HasPrefix(line, want[0]) || !strings.Contains(line, want[1]) {
			t.Errorf("%s: %q, want %q", name, line, want)
		}
	}
}

// TestComparisonIsTheSameHoweverItIsRead reads both sides as directories, as patterns,
// with few and many workers, and from ingested tables.
func TestComparisonIsTheSameHoweverItIsRead(t *testing.T) {
	inRepository(t)
	base, new := scenario("healthy"), scenario("queue-buildup")
	want := mustRun(t, "compare", "--force", "-f", "json", "b="+base, "n="+new)
	sameButInputs(t, "compared by pattern", withoutFiles(want), withoutFiles(mustRun(t, "compare", "--force", "-f", "json", "--jobs", "1", "b="+base+"/[^_]*.zst", "n="+new+"/[^_]*.zst")))
	sameButInputs(t, "compared by eight", withoutFiles(want), withoutFiles(mustRun(t, "compare", "--force", "-f", "json", "--jobs", "8", "b="+base, "n="+new)))
	dirs := [2]string{filepath.Join(t.TempDir(), "base"), filepath.Join(t.TempDir(), "new")}
	for s, from := range []string{base, new} {
		mustRun(t, append([]string{"ingest", "-q", "-o", dirs[s]}, from)...)
	}
	sameButInputs(t, "compared as tables", withoutFiles(want), withoutFiles(mustRun(t, "compare", "--force", "-f", "json", "b="+dirs[0], "n="+dirs[1])))
}

// withoutFiles takes the names of the inputs out of a comparison.
func withoutFiles(text string) string {
	for {
		before, rest, found := strings.Cut(text, `"files": [`)
		if !found {
			return text
		}
		_, after, _ := strings.Cut(rest, "]")
		text = before + `"files":[]` + after
	}
}
