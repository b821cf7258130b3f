package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/tailpath/tailpath/cmd/lab/simulate"
)

// generate runs the command and returns its exit code and what it printed.
func generate(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = runGenerate(args, &out, &errs)
	return code, out.String(), errs.String()
}

func entries(t *testing.T, dir string) []os.DirEntry {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// unpack reads every compressed file of a directory.
func unpack(t *testing.T, dir string) map[string]string {
	t.Helper()
	content := make(map[string]string)
	for _, e := range entries(t, dir) {
		f, err := os.Open(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		dec, err := zstd.NewReader(f, zstd.WithDecoderConcurrency(1))
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(dec)
		dec.Close()
		f.Close()
		if err != nil {
			t.Fatalf("%s: %v", e.Name(), err)
		}
		content[e.Name()] = string(data)
	}
	return content
}

const (
	checkedIn = "../../testdata/scenarios"
	// sizeBound is the most that one checked-in capture may take, in bytes.
	sizeBound = 550_000
)

// TestCheckedInScenariosAreWhatGenerateWrites compares contents, not compressed
// bytes, which may change with the compressor's version. Not every scenario is checked
// in; the first five, which other tests and the documentation use, are.
func TestCheckedInScenariosAreWhatGenerateWrites(t *testing.T) {
	var kept []string
	for _, e := range entries(t, checkedIn) {
		if e.IsDir() {
			kept = append(kept, e.Name())
		}
	}
	for _, sc := range simulate.Scenarios()[:5] {
		if !slices.Contains(kept, sc.Name) {
			t.Errorf("%s is not checked in", sc.Name)
		}
	}
	for _, name := range kept {
		dir := t.TempDir()
		if code, _, stderr := generate("--scenario", name, "--seed", "1", "--sources", "traces", "--output", dir); code != exitDone {
			t.Errorf("%s: exit %d: %s", name, code, stderr)
			continue
		}
		size := int64(0)
		for _, e := range entries(t, filepath.Join(checkedIn, name)) {
			info, err := e.Info()
			if err != nil {
				t.Fatal(err)
			}
			size += info.Size()
		}
		if size > sizeBound {
			t.Errorf("%s takes %d bytes, at most %d are wanted", name, size, sizeBound)
		}
		fresh, old := unpack(t, dir), unpack(t, filepath.Join(checkedIn, name))
		for file, content := range fresh {
			if old[file] != content {
				t.Errorf("%s/%s is not what seed 1 gives; see the README there for how to write it again", name, file)
			}
			delete(old, file)
		}
		for file := range old {
			t.Errorf("%s/%s is not written by generate", name, file)
		}
	}
}

func TestGenerateTakesOneDashOrTwo(t *testing.T) {
	one, two := t.TempDir(), t.TempDir()
	if code, _, stderr := generate("-scenario", "healthy", "-seed=3", "-requests", "40", "-server", "sglang", "-o", one); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	code, stdout, stderr := generate("--scenario=healthy", "--seed", "3", "--requests=40", "--server=sglang", "--output", two)
	if code != exitDone || stderr != "" {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if diff := cmp.Diff(unpack(t, one), unpack(t, two)); diff != "" {
		t.Error("the two spellings wrote different captures")
	}
	if !strings.Contains(stdout, "40 requests") || !strings.Contains(stdout, "sglang.jsonl.zst") {
		t.Errorf("printed %q", stdout)
	}
	if unpack(t, one)[simulate.TruthName] == "" {
		t.Error("there is no truth")
	}
}

func TestGenerateSeedsDiffer(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	for seed, dir := range map[string]string{"1": a, "2": b} {
		if code, _, stderr := generate("-scenario", "healthy", "-seed", seed, "-requests", "20", "-o", dir); code != exitDone {
			t.Fatalf("exit %d: %s", code, stderr)
		}
	}
	for name, content := range unpack(t, a) {
		if content == unpack(t, b)[name] {
			t.Errorf("%s is the same for both seeds", name)
		}
	}
}

func TestGenerateListsScenarios(t *testing.T) {
	code, stdout, stderr := generate("-list")
	if code != exitDone || stderr != "" {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	for _, sc := range simulate.Scenarios() {
		if !strings.Contains(stdout, sc.Name) || !strings.Contains(stdout, sc.Summary) {
			t.Errorf("%s is not listed in\n%s", sc.Name, stdout)
		}
		for _, server := range sc.Servers {
			if line := stdout[strings.Index(stdout, sc.Name):]; !strings.Contains(line[:strings.Index(line, "\n")], string(server)) {
				t.Errorf("%s does not list %s", sc.Name, server)
			}
		}
	}
	code, stdout, _ = generate("--help")
	if code != exitDone || !strings.Contains(stdout, "--scenario") || !strings.Contains(stdout, "-o, --output") {
		t.Errorf("exit %d, help is %q", code, stdout)
	}
}

func TestGenerateErrorsAreOneLine(t *testing.T) {
	foreign := t.TempDir()
	if code, _, stderr := generate("-scenario", "healthy", "-requests", "5", "-server", "triton", "-o", foreign); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	file := filepath.Join(foreign, simulate.TruthName)
	dir := t.TempDir()
	for _, c := range []struct {
		want string
		args []string
	}{
		{"no scenario", []string{"-o", dir}},
		{"no output directory", []string{"-scenario", "healthy"}},
		{`unknown scenario "quiet": choose one of healthy,`, []string{"-scenario", "quiet", "-o", dir}},
		{`unknown server "ollama"`, []string{"-scenario", "healthy", "-server", "ollama", "-o", dir}},
		{`scenario "split-prefill" does not exist on server "triton": choose one of vllm, sglang`,
			[]string{"-scenario", "split-prefill", "-server", "triton", "-o", dir}},
		{"is negative", []string{"-scenario", "healthy", "-requests", "-3", "-o", dir}},
		{"choose 1 to", []string{"-scenario", "healthy", "-requests", "999999999", "-o", dir}},
		{"seed", []string{"-scenario", "healthy", "-seed", "x", "-o", dir}},
		{"--what", []string{"--what"}},
		{"unexpected argument", []string{"-scenario", "healthy", "-o", dir, "more"}},
		{"remove it or choose another directory", []string{"-scenario", "healthy", "-requests", "5", "-o", foreign}},
		{"not a directory", []string{"-scenario", "healthy", "-requests", "5", "-o", file}},
	} {
		code, stdout, stderr := generate(c.args...)
		if code != exitUsage || stdout != "" {
			t.Errorf("%v: exit %d, stdout %q", c.args, code, stdout)
		}
		if !strings.HasPrefix(stderr, "lab generate: ") || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, c.want) {
			t.Errorf("%v: stderr %q, want %q in one line", c.args, stderr, c.want)
		}
	}
	if left := entries(t, dir); len(left) != 0 {
		t.Errorf("refused commands left %v", left)
	}
}
