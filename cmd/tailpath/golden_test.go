package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tailpath/tailpath/reports"
)

var update = flag.Bool("update", false, "write the golden files, and the output in README.md")

// inRepository runs a test in the root of the repository, in a UTF-8 locale, without
// the variables that ask for colour.
func inRepository(t *testing.T) {
	t.Helper()
	t.Chdir(repository)
	t.Setenv("LC_ALL", "C.UTF-8")
	for _, name := range []string{"NO_COLOR", "CLICOLOR_FORCE", "TAILPATH_FORCE_TTY"} {
		t.Setenv(name, "")
	}
}

// golden compares a text with a file beside the tests, or writes it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	name = filepath.Join("cmd", "tailpath", "testdata", "golden", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

var scenarios = []string{"healthy", "queue-buildup", "slow-prefill", "slow-network", "cold-start"}

func scenario(name string) string { return "testdata/scenarios/" + name }

// mustRun runs a command that must end well and say nothing, and returns its output.
func mustRun(t *testing.T, args ...string) string {
	t.Helper()
	code, stdout, stderr := tailpath(nil, args...)
	if code != exitDone || stderr != "" {
		t.Fatalf("tailpath %s: exit %d, %s", strings.Join(args, " "), code, stderr)
	}
	return stdout
}

// headlines begin the summaries: each names what its incident is.
var headlines = map[string]string{
	"healthy":       "no single stage makes slow requests slow",
	"queue-buildup": "queue takes the largest part",
	"slow-prefill":  "gpu dominates",
	"slow-network":  "network dominates",
	"cold-start":    "scheduling takes the largest part",
}

func TestGoldenSummariesNameThePlantedCause(t *testing.T) {
	inRepository(t)
	for _, name := range scenarios {
		got := mustRun(t, "summary", scenario(name))
		golden(t, "summary-"+name+".txt", got)
		if line, _, _ := strings.Cut(got, "\n"); !strings.HasPrefix(line, headlines[name]) {
			t.Errorf("%s: %q, want %q", name, line, headlines[name])
		}
	}
}

func TestGoldenExplainAndInspect(t *testing.T) {
	inRepository(t)
	golden(t, "explain-queue-buildup.txt", mustRun(t, "explain", scenario("queue-buildup")))
	golden(t, "inspect-queue-buildup.txt", mustRun(t, "inspect", scenario("queue-buildup")))
}

// telemetry returns the files of a scenario but the planted truth.
func telemetry(t *testing.T, name string) []string {
	t.Helper()
	files, err := filepath.Glob(scenario(name) + "/[^_]*.zst")
	if err != nil || len(files) < 2 {
		t.Fatalf("%s has %d files of telemetry: %v", name, len(files), err)
	}
	return files
}

// TestSummaryIsTheSameHoweverItIsRead reads each scenario as a directory, as files in
// any order, with few and many workers, through a pipe, and from ingested tables.
func TestSummaryIsTheSameHoweverItIsRead(t *testing.T) {
	inRepository(t)
	random := rand.New(rand.NewPCG(1, 2))
	for _, name := range scenarios {
		files := telemetry(t, name)
		text := mustRun(t, append([]string{"summary"}, files...)...)
		want := mustRun(t, "summary", "-f", "json", scenario(name))
		for _, jobs := range []string{"1", "8"} {
			random.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
			if got := mustRun(t, append([]string{"summary", "--jobs", jobs}, files...)...); got != text {
				t.Errorf("%s: --jobs %s and the order %v change the text", name, jobs, files)
			}
		}

		var pipe bytes.Buffer
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			pipe.Write(data)
		}
		code, piped, stderr := tailpath(pipe.Bytes(), "summary", "-f", "json")
		if code != exitDone || stderr != "" {
			t.Fatalf("%s through a pipe: exit %d, %s", name, code, stderr)
		}
		sameButInputs(t, name+" through a pipe", want, piped)

		dir := filepath.Join(t.TempDir(), "run")
		mustRun(t, append([]string{"ingest", "-q", "-o", dir}, files...)...)
		sameButInputs(t, name+" ingested", want, mustRun(t, "summary", "-f", "json", dir))
		if name != "queue-buildup" {
			continue
		}
		sameButInputs(t, name+" ingested, explained", mustRun(t, "explain", "--slowest", "3", "-f", "json", scenario(name)),
			mustRun(t, "explain", "--slowest", "3", "-f", "json", dir))
	}
}

func sameButInputs(t *testing.T, what, want, got string) {
	t.Helper()
	var docs [2]reports.Document
	for i, text := range []string{want, got} {
		d, err := reports.ReadJSON(strings.NewReader(text))
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		docs[i] = withoutInputs(d)
	}
	if diff := cmp.Diff(docs[0], docs[1]); diff != "" {
		t.Errorf("%s differs (-files +this):\n%s", what, diff)
	}
}

func TestDocumentsSayHowTheyWereMade(t *testing.T) {
	inRepository(t)
	args := []string{"summary", "-f", "json", scenario("healthy")}
	var doc reports.Document
	if err := json.Unmarshal([]byte(mustRun(t, args...)), &doc); err != nil {
		t.Fatal(err)
	}
	if want := append([]string{"tailpath"}, args...); !slices.Equal(doc.Command, want) {
		t.Errorf("command is %q, want %q", doc.Command, want)
	}
	if doc.Tool.Version != version() || len(doc.Inputs) != len(telemetry(t, "healthy")) {
		t.Errorf("tool is %v, inputs are %v", doc.Tool, doc.Inputs)
	}
	spans := int64(0)
	for _, in := range doc.Inputs {
		if len(in.SHA256) != 64 || in.Bytes == 0 || in.Format == "" {
			t.Errorf("input is %+v", in)
		}
		spans += in.Spans
	}
	if spans != doc.Summary.Conservation.SpansRead {
		t.Errorf("the inputs have %d spans and %d were read", spans, doc.Summary.Conservation.SpansRead)
	}
}
