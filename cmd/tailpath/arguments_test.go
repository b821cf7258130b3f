package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestAnyArguments throws command lines together from words that mean something: the
// program ends with a known exit code, and says why when it is not 0. Any word may come
// behind -o, so it runs in a directory of its own.
func TestAnyArguments(t *testing.T) {
	dir := t.TempDir()
	small := "small"
	if err := os.CopyFS(filepath.Join(dir, small), os.DirFS(filepath.Join("testdata", "small"))); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	if err := os.WriteFile("rules.yaml", []byte("no rules\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	words := []string{
		"inspect", "summary", "explain", "ingest", "help", "completion", "version", "stages", "files", "bash", "zebra",
		filepath.Join(small, "traces.jsonl"), filepath.Join(small, "fragment.jsonl"), filepath.Join(small, "logs.jsonl"), small, "missing.jsonl",
		"-", "--", "", "4bf92f35", "4bf92f3577b34da6a3ce929d0e0e4736", "00000000",
		"-f", "json", "text", "-o", filepath.Join(dir, "out"), filepath.Join(dir, "out.json"), filepath.Join(dir, "no", "out"), "/dev/null",
		"--slowest", "2", "0", "-1", "--path", "jaeger", "--incomplete", "--errors", "include", "only", "--min-requests", "--jobs", "--color", "always",
		"--progress", "never", "--ascii", "-q", "-v", "-h", "--help", "--version", "--stages", "rules.yaml", "-qv", "-fjson", "--no-such", "--since", "-2h", "14:10", "--until", "2025-08-21", "compare", "--split", "12:00:01", "--base-until",
	}
	rapid.Check(t, func(t *rapid.T) {
		args := rapid.SliceOfN(rapid.SampledFrom(words), 0, 7).Draw(t, "args")
		code, stdout, stderr := tailpath([]byte("{}\n"), args...)
		switch code {
		case exitDone:
			if strings.Contains(stderr, "error:") {
				t.Fatalf("exit 0 and %q", stderr)
			}
		case exitFailed, exitNothing:
			lines := strings.Split(strings.TrimSuffix(stderr, "\n"), "\n")
			last := lines[len(lines)-1]
			if !strings.HasPrefix(last, "tailpath: error: ") && !strings.HasPrefix(last, "tailpath: hint: ") {
				t.Fatalf("exit %d and %q", code, stderr)
			}
		default:
			t.Fatalf("exit %d, %q, %q", code, stdout, stderr)
		}
	})
}
