package main

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/tailpath/tailpath/reports"
)

// scriptGC is GOGC for the tests: programs that live for a tenth of a second, and runs within
// the test, would spend a third of their time collecting what they soon leave.
const scriptGC = 400

// tests are the tests of the package, which share one heap.
type tests struct{ *testing.M }

func (t tests) Run() int {
	debug.SetGCPercent(scriptGC)
	return t.M.Run()
}

func TestMain(m *testing.M) {
	testscript.Main(tests{m}, map[string]func(){"tailpath": main})
}

// TestScripts runs testdata/script. Beside the commands of testscript they have
//
//	exits CODE COMMAND [ARGUMENT...]   the command must end with that exit code
//	samedoc FILE FILE                  two JSON documents are equal but for what names their inputs; with ! they are not
//	samedir DIR DIR                    two directories have the same files
//	later DURATION DIGITS FILE OUT     OTLP JSON as if recorded later, with trace ids that begin so
//	spoil STORE DATE                   the part of a store that begins on a date is damaged
//
// and $SCENARIOS, where the simulated incidents are. Each begins with what testdata/small
// holds: two traces, a fragment of a third, and a log record.
func TestScripts(t *testing.T) {
	scenarios, err := filepath.Abs(filepath.Join(repository, "testdata", "scenarios"))
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(env *testscript.Env) error {
			// Programs built to find races sleep a second at their end unless told not to.
			env.Setenv("GORACE", "atexit_sleep_ms=0")
			env.Setenv("GOGC", strconv.Itoa(scriptGC))
			env.Setenv("SCENARIOS", scenarios)
			env.Setenv("TERM", "xterm")
			env.Setenv("ESC", "\x1b")
			return os.CopyFS(env.WorkDir, os.DirFS(filepath.Join("testdata", "small")))
		},
		Condition: func(condition string) (bool, error) {
			switch condition {
			case "root":
				return os.Geteuid() == 0, nil
			case "devfull":
				_, err := os.Stat("/dev/full")
				return err == nil, nil
			}
			return false, errors.New("unknown condition " + condition)
		},
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "samedoc": sameDocument, "samedir": sameDirectory, "later": later, "spoil": spoil},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [ARGUMENT...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got, err := 0, ts.Exec(args[1], args[2:]...)
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%s: %v", args[1], err)
	}
	if got != want {
		ts.Fatalf("%s ended with exit code %d, want %d", args[1], got, want)
	}
}

func sameDocument(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: samedoc FILE FILE")
	}
	var docs [2]reports.Document
	for i, name := range args {
		d, err := reports.ReadJSON(strings.NewReader(ts.ReadFile(name)))
		if err != nil {
			ts.Fatalf("%s: %v", name, err)
		}
		docs[i] = withoutInputs(d)
	}
	diff := cmp.Diff(docs[0], docs[1])
	switch {
	case neg && diff == "":
		ts.Fatalf("%s and %s are equal", args[0], args[1])
	case !neg && diff != "":
		ts.Fatalf("%s and %s differ (-%s +%s):\n%s", args[0], args[1], args[0], args[1], diff)
	}
}

func sameDirectory(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: samedir DIR DIR")
	}
	var dirs [2]map[string]string
	for i, name := range args {
		entries, err := os.ReadDir(ts.MkAbs(name))
		ts.Check(err)
		dirs[i] = map[string]string{}
		for _, e := range entries {
			dirs[i][e.Name()] = ts.ReadFile(filepath.Join(name, e.Name()))
		}
	}
	if len(dirs[0]) == 0 || !maps.Equal(dirs[0], dirs[1]) {
		ts.Fatalf("%s has %q, %s has %q, or their bytes differ", args[0], slices.Sorted(maps.Keys(dirs[0])), args[1], slices.Sorted(maps.Keys(dirs[1])))
	}
}

// withoutInputs returns a document without what names its inputs.
func withoutInputs(d reports.Document) reports.Document {
	d.Command, d.Inputs, d.Next = nil, nil, ""
	d.Requests = slices.Clone(d.Requests)
	for i := range d.Requests {
		r := &d.Requests[i]
		r.Source, r.Line, r.ToldBy = "", 0, nil
		r.Rows = slices.Clone(r.Rows)
		for k := range r.Rows {
			r.Rows[k].Source, r.Rows[k].Line = "", 0
		}
	}
	quality := d.Quality
	d.Quality = nil
	for _, q := range quality {
		q.Source, q.Line, q.Offset = "", 0, nil
		d.Quality = append(d.Quality, q)
	}
	return d
}

// tailpath runs the program within the test and returns what it said.
func tailpath(stdin []byte, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = run(args, bytes.NewReader(stdin), &out, &errs)
	return code, out.String(), errs.String()
}
