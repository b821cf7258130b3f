package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/pprof/profile"

	"github.com/tailpath/tailpath/ingest/table"
	"github.com/tailpath/tailpath/reports/export"
)

// exported runs export to a file and returns its name.
func exported(t *testing.T, name string, args ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	args = append([]string{"export", "-o", file}, args...)
	if code, _, stderr := tailpath(nil, args...); code != exitDone {
		t.Fatalf("tailpath %s: exit %d, %s", strings.Join(args, " "), code, stderr)
	}
	return file
}

// TestTotalOfAProfileIsThatOfTheRequests compares the profile with the requests table.
func TestTotalOfAProfileIsThatOfTheRequests(t *testing.T) {
	inRepository(t)
	for _, name := range []string{"queue-buildup", "slow-network"} {
		input := filepath.Join("testdata", "scenarios", name)
		data, err := os.ReadFile(exported(t, "path.pb.gz", input))
		if err != nil {
			t.Fatal(err)
		}
		p, err := profile.Parse(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		file, err := os.ReadFile(exported(t, "requests.arrow", input, "--table", "segments"))
		if err != nil {
			t.Fatal(err)
		}
		set := table.NewSet()
		if err := table.ReadIPC(bytes.NewReader(file), int64(len(file)), "segments.arrow", set, &set.Segments.Rows); err != nil {
			t.Fatal(err)
		}
		var want, got int64
		for i, ns := range set.Segments.Duration {
			if set.Segments.Target[i] == 0 {
				want += ns
			}
		}
		for _, s := range p.Sample {
			got += s.Value[1]
		}
		if got != want || want == 0 {
			t.Errorf("%s: the profile has %d ns, the segments %d ns", name, got, want)
		}
	}
}

// TestGoToolPprofReadsTheProfile lets the tool of the Go distribution have its say.
func TestGoToolPprofReadsTheProfile(t *testing.T) {
	if testing.Short() {
		t.Skip("go tool pprof is built first")
	}
	inRepository(t)
	before := exported(t, "before.pb.gz", "testdata/scenarios/healthy")
	after := exported(t, "after.pb.gz", "testdata/scenarios/queue-buildup")
	pprof := func(args ...string) string {
		var stderr bytes.Buffer
		cmd := exec.Command("go", append([]string{"tool", "pprof"}, args...)...)
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("go tool pprof %s: %v\n%s", strings.Join(args, " "), err, stderr.String())
		}
		return string(out)
	}
	top := pprof("-top", after)
	for _, want := range []string{"Type: critical_path", "Time: 2026-08-20", "of 1934.20s total", " queue/engine\n", " edge-proxy: router llm egress\n"} {
		if !strings.Contains(top, want) {
			t.Errorf("pprof -top does not have %q:\n%s", want, top)
		}
	}
	if peek := pprof("-peek", "^queue/engine$", after); !strings.Contains(peek, "vllm-server: llm_request") {
		t.Errorf("queue/engine has another caller:\n%s", peek)
	}
	if counts := pprof("-sample_index=requests", "-top", after); !strings.Contains(counts, "Type: requests") || !strings.Contains(counts, "   1100 ") {
		t.Errorf("no stack has all requests:\n%s", counts)
	}
	if diff := pprof("-top", "-diff_base", before, after); !strings.Contains(diff, " queue/engine\n") {
		t.Errorf("the queue is no difference:\n%s", diff)
	}
}

// TestExportsForViewersAreBounded: what no viewer draws is refused with what to do, and nothing is
// written.
func TestExportsForViewersAreBounded(t *testing.T) {
	inRepository(t)
	file := filepath.Join(t.TempDir(), "a.json")
	code, _, stderr := tailpath(nil, "export", scenario("healthy"), "--slowest", "1001", "-o", file)
	if _, err := os.Stat(file); code != exitFailed || err == nil || !strings.Contains(stderr, "viewers draw no more than 1,000 requests") || !strings.Contains(stderr, "-f pprof for all of them") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	f, ok := tooMany("gpu 1", &export.TooManyError{Requests: 48_211, Most: mostRequests}).(*fault)
	if !ok || f.code != exitFailed || f.what != "48,211 requests were at engine gpu 1 then, and viewers draw no more than 10,000 requests" || !strings.Contains(f.hint, "--for") {
		t.Errorf("%+v", f)
	}
}

// TestFormatsOfExportAreTold keeps help, the ends of names and the checks in step.
func TestFormatsOfExportAreTold(t *testing.T) {
	c := exportCommand()
	help := strings.Join(c.more, "\n") + exportsPage
	for _, f := range exportFormats {
		if !strings.Contains(help, f.name) {
			t.Errorf("help of export does not have %s", f.name)
		}
		if !strings.Contains(exportsPage, f.ends[0]) {
			t.Errorf("help exports does not have %s", f.ends[0])
		}
		if !slices.Contains(c.formats, f.name) {
			t.Errorf("-f %s is not taken", f.name)
		}
		for _, end := range f.ends {
			p := &program{flags: flagValues{output: "dir.csv/A" + strings.ToUpper(end)}}
			if got, err := p.asExported(); err != nil || got != f.name {
				t.Errorf("-o A%s gives %q, %v", end, got, err)
			}
		}
	}
	for line := range strings.Lines(exportsPage) {
		if len(line) > 81 {
			t.Errorf("%d columns: %s", len(line)-1, line)
		}
	}
}

// textExports are exports whose output is text, of what names and attributes are in.
var textExports = [][]string{
	{"-f", "folded"}, {"-f", "openmetrics"}, {"-f", "perfetto", "--slowest", "3"},
	{"-f", "csv", "--table", "requests"}, {"-f", "csv", "--table", "segments"}, {"-f", "csv", "--table", "spans"}, {"-f", "csv", "--table", "scopes"},
}

// TestHostileNamesAreSpelledInExports looks for what steers a terminal or hides text.
func TestHostileNamesAreSpelledInExports(t *testing.T) {
	for _, name := range hostileNames {
		input := []byte(hostileTraces(name))
		for _, flags := range textExports {
			code, stdout, stderr := tailpath(input, append([]string{"export", "-"}, flags...)...)
			if code != exitDone {
				t.Errorf("%.20q: %v: exit %d, %s", name, flags, code, stderr)
			}
			if i := strings.IndexFunc(stdout, func(r rune) bool {
				return r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar)
			}); i >= 0 {
				t.Errorf("%.20q: %v writes %q", name, flags, stdout[max(0, i-20):min(len(stdout), i+20)])
			}
		}
	}
}

// TestTextIsLeftOutOfExports looks for prompts and outputs in what is made of inputs with them.
func TestTextIsLeftOutOfExports(t *testing.T) {
	done := 0
	for name, in := range textInputs {
		for _, flags := range append([][]string{{"-f", "csv", "--table", "logs"}, {"-f", "csv", "--table", "span_events"}}, textExports...) {
			code, stdout, stderr := tailpath([]byte(in.data), append([]string{"export", "-", "--incomplete", "include", "--errors", "include"}, flags...)...)
			if code == exitFailed { // the flags that choose requests are not of raw tables
				code, stdout, stderr = tailpath([]byte(in.data), append([]string{"export", "-"}, flags...)...)
			}
			if strings.Contains(stdout+stderr, planted) {
				t.Errorf("%s: %v writes the text", name, flags)
			}
			if code == exitDone {
				done++
			}
		}
	}
	if done < len(textInputs) {
		t.Errorf("%d exports were made of %d inputs", done, len(textInputs))
	}
}
