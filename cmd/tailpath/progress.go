package main

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// The times of the progress line: how long it waits to appear, and how often it
// changes.
const (
	progressAfter = 500 * time.Millisecond
	progressEvery = 100 * time.Millisecond
)

// progress is a line on a terminal that says how much was read. The line is erased
// at the end.
type progress struct {
	out   io.Writer
	total atomic.Int64 // bytes; 0 when it is not known
	read  atomic.Int64
	begun time.Time
	done  chan struct{}
	once  sync.Once
	wait  sync.WaitGroup
}

// startProgress begins to draw on out, once ticks have come for progressAfter. now
// is the clock; ticks are what makes the line change.
func startProgress(out io.Writer, now func() time.Time, ticks <-chan time.Time) *progress {
	p := &progress{out: out, begun: now(), done: make(chan struct{})}
	p.wait.Go(func() {
		drawn := false
		for {
			select {
			case at := <-ticks:
				if elapsed := at.Sub(p.begun); elapsed >= progressAfter {
					drawn = true
					fmt.Fprintf(p.out, "\r\x1b[K%s", p.line(elapsed))
				}
			case <-p.done:
				if drawn {
					fmt.Fprint(p.out, "\r\x1b[K")
				}
				return
			}
		}
	})
	return p
}

// expect says how many bytes there are, 0 when it is not known.
func (p *progress) expect(n int64) {
	if p != nil {
		p.total.Store(n)
	}
}

// add counts bytes that were read.
func (p *progress) add(n int64) {
	if p != nil {
		p.read.Add(n)
	}
}

// stop erases the line. It returns when nothing more is drawn.
func (p *progress) stop() {
	if p != nil {
		p.once.Do(func() { close(p.done) })
		p.wait.Wait()
	}
}

// line says how much was read after a time.
func (p *progress) line(elapsed time.Duration) string {
	read := p.read.Load()
	text := "reading " + byteCount(read)
	if total := p.total.Load(); total > 0 {
		text += fmt.Sprintf(" of %s, %d %%", byteCount(total), min(100, 100*read/total))
	}
	return text + ", " + byteCount(int64(float64(read)/elapsed.Seconds())) + "/s"
}

// byteCount writes a number of bytes with up to three digits and a decimal unit.
func byteCount(n int64) string {
	value, unit := float64(n), "B"
	for _, next := range []string{"kB", "MB", "GB", "TB"} {
		if value < 999.5 {
			break
		}
		value, unit = value/1000, next
	}
	if unit == "B" || value >= 99.95 {
		return fmt.Sprintf("%.0f %s", value, unit)
	}
	return fmt.Sprintf("%.1f %s", value, unit)
}
