package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// longTrace is OTLP JSON lines that are made while they are read, so that no part of them lies on
// a disk or in memory: spans of 16 KiB of text each, one a line.
type longTrace struct {
	end   string // of a line, from an attribute that has the text
	left  int64  // bytes, at least
	spans int
	rest  []byte
	given int64
}

func newLongTrace(key string, size int64) *longTrace {
	text := strings.Repeat("the quick brown fox jumps over the lazy dog; ", 16<<10/45)
	return &longTrace{left: size, end: fmt.Sprintf(`"attributes":[{"key":%q,"value":{"stringValue":%q}}]}]}]}]}`+"\n", key, text)}
}

func (l *longTrace) Read(p []byte) (int, error) {
	if len(l.rest) == 0 {
		if l.left <= 0 {
			return 0, io.EOF
		}
		at := int64(1787227200_000000000) + int64(l.spans)*1_000_000
		l.rest = fmt.Appendf(l.rest[:0], `{"resourceSpans":[{"resource":{},"scopeSpans":[{"spans":[{"traceId":"%032x","spanId":"%016x","name":"chat","kind":2,"startTimeUnixNano":"%d","endTimeUnixNano":"%d",%s`,
			l.spans+1, l.spans+1, at, at+50_000_000, l.end)
		l.left -= int64(len(l.rest))
		l.spans++
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	l.given += int64(n)
	return n, nil
}

// longTraceSize is 1 GiB where TAILPATH_WHOLE is set, as the checks of the repository do.
func longTraceSize(t *testing.T) int64 {
	t.Helper()
	if testing.Short() || raceEnabled {
		t.Skip("the race detector has memory of its own, and takes its time")
	}
	if os.Getenv("TAILPATH_WHOLE") == "" {
		return 64 << 20
	}
	return 1 << 30
}

// runWatched runs the program and returns its exit code, what it said, and the largest resident
// size that it had in bytes. The usage that the system tells of a child has that of its parent in
// it, from before the child was another program, so the size is asked for while it runs.
func runWatched(t *testing.T, stdin io.Reader, args ...string) (code int, said string, peak int64) {
	t.Helper()
	cmd := exec.Command("tailpath", args...)
	var talk bytes.Buffer
	cmd.Stdout, cmd.Stderr = &talk, &talk
	pipe, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	fed := make(chan error, 1)
	go func() {
		_, err := io.CopyBuffer(pipe, struct{ io.Reader }{stdin}, make([]byte, 64<<10))
		if errors.Is(err, syscall.EPIPE) { // it has ended
			err = nil
		}
		fed <- errors.Join(err, pipe.Close())
	}()
	ended := make(chan struct{})
	watched := make(chan int64)
	go func() {
		most := int64(0)
		for {
			select {
			case <-ended:
				watched <- most
				return
			case <-time.After(2 * time.Millisecond):
				status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
				if at := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(status); err == nil && at != nil {
					kilobytes, _ := strconv.ParseInt(string(at[1]), 10, 64)
					most = max(most, kilobytes<<10)
				}
			}
		}
	}()
	err = <-fed
	if err != nil {
		t.Error(err)
	}
	err = cmd.Wait()
	close(ended)
	peak = <-watched
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if peak == 0 {
		t.Skip("the system does not tell what a process holds")
	}
	t.Logf("%s held; %s and %s of processor time", byteCount(peak), cmd.ProcessState.UserTime(), cmd.ProcessState.SystemTime())
	return cmd.ProcessState.ExitCode(), talk.String(), peak
}

// TestALongTraceKeepsToItsMemory reads a capture that is several times as large as --memory: its
// prompts are left out of the tables, and what is left fits.
func TestALongTraceKeepsToItsMemory(t *testing.T) {
	size, most := longTraceSize(t), int64(128_000_000)
	if size == 1<<30 {
		most = 256_000_000
	}
	trace := newLongTrace("gen_ai.prompt", size)
	code, said, peak := runWatched(t, trace, "ingest", "-", "--memory", strconv.FormatInt(most, 10), "--jobs", "16", "-v", "-o", t.TempDir()+"/run")
	if code != exitDone || !strings.Contains(said, count(trace.spans, "span")) || trace.given < size {
		t.Fatalf("exit code %d after %d bytes of %d spans: %s", code, trace.given, trace.spans, said)
	}
	if peak > most {
		t.Errorf("it held %d bytes, and may %d", peak, most)
	}
}

// TestALongTraceThatDoesNotFitIsRefusedEarly keeps the text of every span: what is read until the
// run ends is little of the capture, and the run says what would do.
func TestALongTraceThatDoesNotFitIsRefusedEarly(t *testing.T) {
	size, most := longTraceSize(t), int64(128_000_000)
	trace := newLongTrace("note", size)
	code, said, peak := runWatched(t, trace, "summary", "-", "--memory", "128MB")
	if code != exitFailed || trace.given > size*7/8 || trace.given > 64<<20 {
		t.Errorf("exit code %d after %d of %d bytes: %s", code, trace.given, size, said)
	}
	if peak > most {
		t.Errorf("it held %d bytes, and may %d", peak, most)
	}
	want := regexp.MustCompile(`^tailpath: error: -: after [0-9.]+ MB the rows take [0-9.]+ MB; to work on them needs about [0-9.]+ MB of memory, and --memory is 128MB\n` +
		`tailpath: hint: tailpath ingest adds captures to a store day by day .*; or --memory [0-9]+MB\n$`)
	if !want.MatchString(said) {
		t.Error(said)
	}
}
