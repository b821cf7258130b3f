package main

import (
	"io"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// channelWriter passes on what is written, piece by piece.
type channelWriter chan string

func (c channelWriter) Write(b []byte) (int, error) {
	c <- string(b)
	return len(b), nil
}

func TestProgressWaitsThenDrawsThenErases(t *testing.T) {
	defer goleak.VerifyNone(t)
	begun := time.Unix(0, 0)
	ticks, out := make(chan time.Time), make(channelWriter, 10)
	p := startProgress(out, func() time.Time { return begun }, ticks)
	p.expect(4_000_000)
	ticks <- begun.Add(progressAfter - 1)
	p.add(1_000_000)
	ticks <- begun.Add(progressAfter)
	if got, want := <-out, "\r\x1b[Kreading 1.0 MB of 4.0 MB, 25 %, 2.0 MB/s"; got != want {
		t.Errorf("drew %q, want %q: nothing before %v", got, want, progressAfter)
	}
	p.add(1_000_000)
	ticks <- begun.Add(2 * progressAfter)
	if got, want := <-out, "\r\x1b[Kreading 2.0 MB of 4.0 MB, 50 %, 2.0 MB/s"; got != want {
		t.Errorf("drew %q, want %q", got, want)
	}
	p.stop()
	if got := <-out; got != "\r\x1b[K" || len(out) != 0 {
		t.Errorf("the line was not erased: %q and %d more", got, len(out))
	}
}

func TestProgressThatWasNotDrawnIsNotErased(t *testing.T) {
	defer goleak.VerifyNone(t)
	var out strings.Builder
	p := startProgress(&out, time.Now, nil)
	p.add(5)
	p.stop()
	if out.Len() != 0 {
		t.Errorf("wrote %q", out.String())
	}
	var none *progress
	none.add(1)
	none.expect(1)
	none.stop()
}

func TestProgressOfUnknownSize(t *testing.T) {
	p := startProgress(io.Discard, time.Now, nil)
	defer p.stop()
	p.add(1_500)
	if got, want := p.line(time.Second), "reading 1.5 kB, 1.5 kB/s"; got != want {
		t.Errorf("line is %q, want %q", got, want)
	}
}

func TestByteCount(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 999: "999 B", 1000: "1.0 kB", 99_949: "99.9 kB", 99_950: "100 kB", 999_499: "999 kB",
		999_500: "1.0 MB", 1_234_000_000: "1.2 GB", 5e15: "5000 TB"} {
		if got := byteCount(n); got != want {
			t.Errorf("byteCount(%d) is %q, want %q", n, got, want)
		}
	}
}
