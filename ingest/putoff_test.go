//go:build unix

package ingest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/tailpath/tailpath/ingest/table"
)

// putOffLog is a log whose year is left open.
var putOffLog = statsLine("08-20 12:00:10", 3) + statsLine("08-20 12:00:20", 4)

// afterFirstLook returns options whose hook calls do once, when the first bytes of an
// input have been read.
func afterFirstLook(do func()) Options {
	var done atomic.Bool
	return Options{Workers: 1, Progress: func(int64) {
		if done.CompareAndSwap(false, true) {
			do()
		}
	}}
}

// TestPutOffLogHoldsNothing keeps neither a file handle nor a buffer for a log that is
// put off: there may be thousands.
func TestPutOffLogHoldsNothing(t *testing.T) {
	path := file(t, "vllm.log", []byte(putOffLog))
	targets, err := expand([]string{path}, &table.Account{})
	if err != nil {
		t.Fatal(err)
	}
	jobs := runAll(t.Context(), targets, Options{Workers: 1}, nil)
	switch o := jobs[0].open; {
	case o == nil:
		t.Fatal("the log was not put off")
	case o.src != nil || o.p != nil || o.head != nil:
		t.Errorf("it holds %+v", o)
	}
	readPutOff(t.Context(), jobs, Options{Workers: 1})
	if jobs[0].open != nil || jobs[0].in.Samples == 0 {
		t.Errorf("after reading: %+v, open %v", jobs[0].in, jobs[0].open)
	}
}

// TestProgressOfPutOffLogs tells of every byte once, though the heads are read twice.
func TestProgressOfPutOffLogs(t *testing.T) {
	long := file(t, "long.log", []byte(strings.Repeat(putOffLog, 4000))) // more than is read at once
	short := file(t, "short.log", []byte(putOffLog))
	var total, told atomic.Int64
	read(t, Options{Workers: 2, Total: func(n int64) { total.Store(n) }, Progress: func(n int64) { told.Add(n) }}, long, short)
	if total.Load() == 0 || told.Load() != total.Load() {
		t.Errorf("told of %d bytes of %d", told.Load(), total.Load())
	}
}

// TestLogThatGoesAway loses a log between its two openings.
func TestLogThatGoesAway(t *testing.T) {
	path := file(t, "vllm.log", []byte(putOffLog))
	e := refuse(t, afterFirstLook(func() { os.Remove(path) }), path)
	if e == nil || !errors.Is(e, os.ErrNotExist) {
		t.Errorf("named: %v", e)
	}
	dir := t.TempDir()
	gone := filepath.Join(dir, "a.log")
	for path, text := range map[string]string{gone: putOffLog, filepath.Join(dir, "b.json"): line(1, 1)} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got := read(t, afterFirstLook(func() { os.Remove(gone) }), dir)
	diff(t, "issues", []string{"input-unread=1"}, got.issues())
	if n := got.set.Spans.Len(); n != 1 {
		t.Errorf("%d spans, want that of the other file", n)
	}
}

// TestTablesBesideALogThatGoesAway reads tables below a directory when the log beside
// them, for which they waited, cannot be read after all.
func TestTablesBesideALogThatGoesAway(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.log")
	if err := os.WriteFile(path, []byte(putOffLog), 0o644); err != nil {
		t.Fatal(err)
	}
	writeTables(t, filepath.Join(dir, "tables"), read(t, Options{}, file(t, "x.json", []byte(line(1, 3)))))
	if got := read(t, Options{}, dir); got.set.Spans.Len() != 0 || !has1(got.issues(), "input-tables-passed-over") {
		t.Fatalf("with the log: %d spans, %v", got.set.Spans.Len(), got.issues())
	}
	got := read(t, afterFirstLook(func() { os.Remove(path) }), dir)
	if got.set.Spans.Len() != 3 || has1(got.issues(), "input-tables-passed-over") {
		t.Errorf("without the log: %d spans, %v", got.set.Spans.Len(), got.issues())
	}
}

// TestCancelledWhilePutOff ends at once; that nothing is left running is seen by the
// test of all goroutines.
func TestCancelledWhilePutOff(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	path := file(t, "vllm.log", []byte(putOffLog))
	f, err := os.OpenFile(pipe, os.O_RDWR, 0) // never blocks, and the pipe never ends
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(putOffLog); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var told atomic.Int64
	opt := Options{Workers: 3, Stdin: strings.NewReader(putOffLog), Progress: func(n int64) {
		if told.Add(n) >= int64(3*len(putOffLog)) { // all three have been looked at, or are being
			cancel()
		}
	}}
	_, _, _, err = Read(ctx, []string{path, pipe, "-"}, opt)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// TestPutOffStreams reads logs without a year from a pipe and from standard input, whose
// year is that of what is read beside them.
func TestPutOffStreams(t *testing.T) {
	trace := file(t, "trace.json", []byte(line(1, 1))) // of 2026
	for _, workers := range []int{1, 2, 5} {
		pipe := filepath.Join(t.TempDir(), "pipe")
		if err := syscall.Mkfifo(pipe, 0o600); err != nil {
			t.Skip(err)
		}
		go os.WriteFile(pipe, gzipOf(t, []byte(putOffLog)), 0o600)
		got := read(t, Options{Workers: workers, Stdin: strings.NewReader(putOffLog)}, "-", pipe, trace)
		if n := got.set.EngineSamples.Len(); n == 0 || when(t, got) != "2026-08-20T12:00:10Z" {
			t.Errorf("%d workers: %d readings from %s", workers, n, when(t, got))
		}
		for _, in := range got.report.Inputs {
			if in.Name == trace {
				continue
			}
			if in.Lines == nil || in.Lines.Used != 2 {
				t.Errorf("%d workers: %+v", workers, in)
			}
		}
	}
}

// TestRefusedTextHasNoLines leaves text that is no log out of the account of lines.
func TestRefusedTextHasNoLines(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.log": putOffLog, "readme": "hello\nworld\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	in := read(t, Options{}, dir).report.Inputs[1]
	if in.Problem == nil || in.Lines != nil || in.Format != "" {
		t.Errorf("%+v", in)
	}
}
