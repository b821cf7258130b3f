package main

import (
	"strings"
	"testing"

	"github.com/tailpath/tailpath/ingest/serverlog"
)

// TestFormatOfTheHelpWorks reads the example of the format that help shows, by the
// declaration as it stands there.
func TestFormatOfTheHelpWorks(t *testing.T) {
	var lines []string
	for line := range strings.Lines(formatExample) {
		lines = append(lines, strings.TrimPrefix(line, "  "))
	}
	f, err := serverlog.Load([]byte(strings.Join(lines, "")), "help")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	plant(t, dir+"/ranker.yaml", strings.Join(lines, ""))
	plant(t, dir+"/ranker.log", f.Records[0].Example+"\n")
	code, out, errs := tailpath(nil, "explain", dir+"/ranker.log", "--logs", "*.log="+dir+"/ranker.yaml", "--slowest", "1")
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	for _, want := range []string{"started      2026-08-20T12:00:02.600Z, took 900 ms", "queue/engine", "gpu/compute"} {
		if !strings.Contains(out, want) {
			t.Errorf("it does not say %q:\n%s", want, out)
		}
	}
}

// TestHelpListsEveryFormat shows each built-in format once, with what it is, and each
// declaration in full.
func TestHelpListsEveryFormat(t *testing.T) {
	_, out, _ := tailpath(nil, "help", "formats")
	for _, f := range serverlog.Builtin().List() {
		if n := strings.Count(out, "\n  "+f.ID+" "); n != 1 {
			t.Errorf("%s stands %d times in help formats", f.ID, n)
		}
		if code, one, errs := tailpath(nil, "help", "formats", f.ID); code != 0 || !strings.Contains(one, "id: "+f.ID+"\n") {
			t.Errorf("help formats %s: %d %s", f.ID, code, errs)
		}
	}
}
