package main

import (
	"bytes"
	"io"
	"path/filepath"
	"strings"
	"testing"
)

// TestBinaryIsNotWrittenToATerminal is of export, which has formats that are no text.
func TestBinaryIsNotWrittenToATerminal(t *testing.T) {
	file := filepath.Join("testdata", "small", "traces.jsonl")
	onto := func(args ...string) (code int, shown, stderr string) {
		outer, inner := openTerminal(t, 80)
		read := make(chan string)
		go func() {
			all, _ := io.ReadAll(outer) // ends with an error once the end inside is closed
			read <- string(all)
		}()
		var errs bytes.Buffer
		code = run(append([]string{"export", file}, args...), nil, inner, &errs)
		inner.Close()
		return code, <-read, errs.String()
	}
	for _, args := range [][]string{{"-f", "pprof"}, {"-f", "parquet", "--table", "spans"}, {"-f", "arrow", "--table", "spans", "-o", "-"}} {
		code, shown, stderr := onto(args...)
		if code != exitFailed || shown != "" || !strings.Contains(stderr, "is no text, and standard output is a terminal") || !strings.Contains(stderr, "with -o") {
			t.Errorf("%v: exit %d, %q, %s", args, code, shown, stderr)
		}
	}
	if code, shown, stderr := onto("-f", "folded"); code != exitDone || !strings.Contains(shown, "application/shop") {
		t.Errorf("text is not written: exit %d, %q, %s", code, shown, stderr)
	}
}
