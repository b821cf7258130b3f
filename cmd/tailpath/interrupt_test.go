package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestInterruptedRunsLeaveNothing stops runs that wait for more input.
func TestInterruptedRunsLeaveNothing(t *testing.T) {
	traces, err := os.ReadFile(filepath.Join("testdata", "small", "traces.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		signal syscall.Signal
		code   int
		args   []string
	}{
		{syscall.SIGINT, 130, []string{"summary", "-", "-o", "out.txt"}},
		{syscall.SIGTERM, 143, []string{"summary", "-", "-o", "out.txt"}},
		{syscall.SIGINT, 130, []string{"report", "-", "-o", "out.html"}},
		{syscall.SIGINT, 130, []string{"export", "-", "-o", "out.pb.gz"}},
		{syscall.SIGINT, 130, []string{"ingest", "-", "-o", "run"}},
		{syscall.SIGINT, 130, []string{"ingest", "-", "--store", "runs"}},
	} {
		dir := t.TempDir()
		cmd := exec.Command("tailpath", c.args...)
		cmd.Dir = dir
		var talk bytes.Buffer
		cmd.Stderr = &talk
		stdin, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// More than a pipe holds goes in only when the program reads, and then it
		// listens to signals.
		if _, err := stdin.Write(bytes.Repeat(traces, 1+(1<<20)/len(traces))); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Process.Signal(c.signal); err != nil {
			t.Fatal(err)
		}
		var exit *exec.ExitError
		if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != c.code {
			t.Errorf("%v: ended with %v, want exit code %d", c.args, err, c.code)
		}
		stdin.Close()
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) > 0 {
			t.Errorf("%v left %v (%v)", c.args, entries, err)
		}
		if talk.Len() > 0 {
			t.Errorf("%v said %q", c.args, talk.String())
		}
	}
}

func TestARunThatWritesIsNotAbandoned(t *testing.T) {
	var s phase
	if err := s.write(); err != nil {
		t.Fatal(err)
	}
	if s.abandon() {
		t.Error("a run was abandoned while it wrote")
	}
	var other phase
	if !other.abandon() {
		t.Error("a run that wrote nothing was not abandoned")
	}
	if err := other.write(); !errors.Is(err, context.Canceled) {
		t.Errorf("an abandoned run began to write: %v", err)
	}
}

// failingWriter takes some bytes and then fails.
type failingWriter struct {
	room int
	err  error
}

func (w *failingWriter) Write(b []byte) (int, error) {
	if len(b) > w.room {
		return w.room, w.err
	}
	w.room -= len(b)
	return len(b), nil
}

func TestOutputThatCannotBeWritten(t *testing.T) {
	name := filepath.Join("testdata", "small", "traces.jsonl")
	for _, args := range [][]string{{"summary", name}, {"help"}, {"help", "files"}, {"help", "stages"}, {"summary", "-h"}, {"-h"}, {"version"}, {"--version"}, {"completion", "bash"}} {
		var talk strings.Builder
		if code := run(args, nil, &failingWriter{err: syscall.EPIPE}, &talk); code != exitDone || talk.Len() > 0 {
			t.Errorf("%v with nobody reading: exit %d, %q", args, code, talk.String())
		}
		talk.Reset()
		code := run(args, nil, &failingWriter{err: syscall.ENOSPC}, &talk)
		if code != exitFailed || !strings.Contains(talk.String(), "no space left on device") {
			t.Errorf("%v on a full disk: exit %d, %q", args, code, talk.String())
		}
	}
	if code := run([]string{"summary", name}, nil, io.Discard, io.Discard); code != exitDone {
		t.Errorf("exit %d", code)
	}
}

// TestSavedTablesDoNotEndTheRun: what is written before the answer is written to its end, and a run
// that was to stop meanwhile stops behind it; afterwards a run can be left as before.
func TestSavedTablesDoNotEndTheRun(t *testing.T) {
	var asked, left phase
	if err := asked.write(); err != nil || asked.abandon() {
		t.Fatal("what is being written is left", err)
	}
	if err := asked.wrote(); !errors.Is(err, context.Canceled) {
		t.Errorf("a run that was to stop goes on: %v", err)
	}
	if err := left.write(); err != nil {
		t.Fatal(err)
	}
	if err := left.wrote(); err != nil || !left.abandon() || left.write() == nil {
		t.Errorf("a run that works on again cannot be left: %v", err)
	}
}
