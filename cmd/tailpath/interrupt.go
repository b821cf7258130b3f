package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
)

// interruptible returns a context that ends with the first signal that asks the
// program to stop; a second one ends the program at once. caught returns the exit
// code that the signal asks for, as shells spell it: 128 and the signal's number.
// Writes to a closed pipe become errors, which run keeps quiet about.
func interruptible() (ctx context.Context, caught func() int, stop func()) {
	pipes := make(chan os.Signal, 1) // not ignored, which a program that is started would inherit
	signal.Notify(pipes, syscall.SIGPIPE)
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	var code atomic.Int64
	code.Store(128 + int64(syscall.SIGINT))
	go func() {
		select {
		case s := <-signals:
			if n, ok := s.(syscall.Signal); ok {
				code.Store(128 + int64(n))
			}
			signal.Stop(signals)
			cancel()
		case <-ctx.Done():
		}
	}()
	caught = func() int { return int(code.Load()) }
	stop = func() {
		signal.Stop(signals)
		signal.Stop(pipes)
		cancel()
	}
	return ctx, caught, stop
}

// brokenPipe says whether an error means that the reader of an output has left.
func brokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }

// phase tells a run that can be left as it is, because it has written nothing, from
// one that must first finish or take back what it writes.
type phase struct {
	mu        sync.Mutex
	writing   bool
	abandoned bool
	asked     bool      // to stop, while something was written
	line      *progress // what is on the terminal, if anything
}

// abandon ends a run that has written nothing. It returns false when there is output
// on its way.
func (s *phase) abandon() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.writing {
		s.asked = true
		return false
	}
	s.abandoned = true
	s.line.stop()
	return true
}

// write begins the output. It fails when the run was abandoned.
func (s *phase) write() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.abandoned {
		return context.Canceled
	}
	s.writing = true
	return nil
}

// wrote ends an output that more work follows. It fails when the run was to stop meanwhile.
func (s *phase) wrote() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asked {
		return context.Canceled
	}
	s.writing = false
	return nil
}

// draw notes the line that is to be erased when the run is abandoned.
func (s *phase) draw(line *progress) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.line = line
}
