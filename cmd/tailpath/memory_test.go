package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	"github.com/tailpath/tailpath/ingest"
)

// TestTheSmallestLimitOfAllRunsHolds: runs of one process may overlap; after the last one the
// limit is that from before the first.
func TestTheSmallestLimitOfAllRunsHolds(t *testing.T) {
	now := func() int64 { return debug.SetMemoryLimit(-1) }
	before := now()
	const large, small = math.MaxInt64 - 1000, math.MaxInt64 - 2000 // which bind nobody
	first := limitHeap(small)
	second := limitHeap(large)
	third := limitHeap(small)
	for i, step := range []struct {
		end  func()
		want int64
	}{{func() {}, min(before, small)}, {first, min(before, small)}, {third, min(before, large)}, {second, before}} {
		if step.end(); now() != step.want {
			t.Errorf("after step %d the limit is %d, want %d", i, now(), step.want)
		}
	}
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() { limitHeap(large)() })
	}
	if wait.Wait(); now() != before {
		t.Errorf("in the end the limit is %d, want %d", now(), before)
	}
}

// TestAProcessThatHoldsTooMuchIsTold looks at this process, which holds more than one byte.
func TestAProcessThatHoldsTooMuchIsTold(t *testing.T) {
	told := make(chan int64, 2)
	m := &memory{most: 1, done: make(chan struct{}), over: func(held int64) { told <- held }}
	m.watch()
	if held := <-told; held < programMemory+1<<20 || len(told) != 0 {
		t.Errorf("%d bytes, and %d more times", held, len(told))
	}
	m = &memory{most: math.MaxInt64, done: make(chan struct{}), over: func(int64) { t.Error("it does not hold that much") }}
	close(m.done)
	m.watch()
}

// TestARunThatHoldsTooMuchEnds: a run that still reads ends when the process, which is this one,
// holds more than the run may.
func TestARunThatHoldsTooMuchEnds(t *testing.T) {
	ballast := make([]byte, 2*leastMemory)
	stdin, feed := io.Pipe() // from which nothing comes
	defer feed.Close()
	var out, errs bytes.Buffer
	code := run([]string{"summary", "-", "--memory", "100MB"}, stdin, &out, &errs)
	runtime.KeepAlive(ballast)
	want := regexp.MustCompile(`^tailpath: error: --memory 100MB: [0-9.]+ [MG]B are in use\ntailpath: hint: .*; or --memory [0-9.]+[MG]B\n$`)
	if code != exitFailed || out.Len() != 0 || !want.MatchString(errs.String()) {
		t.Errorf("exit code %d, %q, %q", code, out.String(), errs.String())
	}
}

func TestMemoryFaults(t *testing.T) {
	p := &program{flags: flagValues{memory: "4GB"}, memory: &memory{most: 4e9}}
	p.memory.hold(100e6)
	if rows := p.memory.rowBytes(); rows != (4e9-fixedMemory)/rowsShare-100e6 {
		t.Errorf("the rows may take %d", rows)
	}
	for jobs, want := range map[int]int{0: min(runtime.GOMAXPROCS(0), 39), 1: 1, 16: 16, 100: 39} {
		if got := p.memory.workers(jobs); got != want {
			t.Errorf("with --jobs %d there are %d workers, want %d", jobs, got, want)
		}
	}
	l := &loaded{operands: []string{"incident/"}}
	for _, c := range []struct {
		e    ingest.TooLarge
		want string
	}{
		{ingest.TooLarge{Rows: 800e6, Whole: 1700e6, Read: 372e6, Total: 3100e6},
			"incident/: after 12 % of 3.1 GB the rows take 900 MB; the whole needs about 7.3 GB of memory, and --memory is 4GB"},
		{ingest.TooLarge{Rows: 1100e6, Whole: 1100e6, Read: 372e6},
			"incident/: after 372 MB the rows take 1.2 GB; to work on them needs about 4.9 GB of memory, and --memory is 4GB"},
	} {
		err := p.rowsTooLarge(l, fmt.Errorf("read: %w", &c.e))
		if err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	if err := p.rowsTooLarge(l, &ingest.Error{}); err != nil {
		t.Errorf("another error became %v", err)
	}
	if err := p.heldTooMuch(4.2e9); err.Error() != "--memory 4GB: 4.2 GB are in use" || !strings.HasSuffix(err.(*fault).hint, "or --memory 8.4GB") {
		t.Errorf("%v", err)
	}
}

// TestSizeArgumentCanBeGiven: what a hint says is a value of the flag, and no less than it should.
func TestSizeArgumentCanBeGiven(t *testing.T) {
	for n, want := range map[int64]string{1: "1B", 99: "99B", 7_324_000_000: "7.4GB", 100_000_000: "100MB", 101_000_000: "110MB", 9_960_000_000: "10GB", 64_000_001: "65MB"} {
		text := sizeArgument(n)
		if got, err := parseSize(text); text != want || err != nil || got < n || float64(got) > 1.11*float64(n) {
			t.Errorf("%d is %s, which is %d, %v; want %s", n, text, got, err, want)
		}
	}
}
