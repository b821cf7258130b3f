package ingest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"os"
)

// source is the stored bytes of one input on their way to a decoder: counted, hashed,
// and ended by the context.
type source struct {
	ctx      context.Context
	r        io.Reader
	close    func()
	hash     hash.Hash
	n        int64
	progress func(bytes int64)
	gauge    *gauge
	told     int64 // bytes that progress and gauge know of, from an earlier reading or this one
	failed   error // what the system said, other than the end
}

// open opens a target.
func open(ctx context.Context, t target, opt Options) (*source, error) {
	s := &source{ctx: ctx, hash: sha256.New(), progress: opt.Progress, close: func() {}}
	switch {
	case t.info == nil && opt.Stdin == nil:
		return nil, &Error{Where: t.name, What: "there is no standard input"}
	case t.info == nil:
		pump := newPump(ctx, func() (io.ReadCloser, error) { return io.NopCloser(opt.Stdin), nil })
		s.r, s.close = pump, pump.stop
	case t.regular():
		f, err := os.Open(t.name)
		if err != nil {
			return nil, systemError(t.name, err)
		}
		s.r, s.close = f, func() { f.Close() }
	default: // a pipe or device may wait for ever, even to be opened
		pump := newPump(ctx, func() (io.ReadCloser, error) { return os.Open(t.name) })
		s.r, s.close = pump, pump.stop
	}
	return s, nil
}

func (s *source) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := s.r.Read(p)
	s.n += int64(n)
	s.hash.Write(p[:n])
	if more := s.n - s.told; more > 0 {
		if s.progress != nil {
			s.progress(more)
		}
		s.gauge.readMore(more)
		s.told = s.n
	}
	if err != nil && err != io.EOF {
		s.failed = err
	}
	return n, err
}

// sum reads what is left and returns the hash of everything, in hex; empty when the
// input cannot be read to its end.
func (s *source) sum() string {
	if _, err := io.CopyBuffer(io.Discard, s, make([]byte, 256<<10)); err != nil {
		return ""
	}
	return hex.EncodeToString(s.hash.Sum(nil))
}

// pump reads from a reader that may block for ever, such as a pipe, in a goroutine of its
// own, so that whoever waits for it can be cancelled. The goroutine ends when the
// reader does, or with its next read after stop.
type pump struct {
	ctx    context.Context
	blocks chan block
	done   chan struct{}
	rest   []byte
	err    error
}

type block struct {
	data []byte
	err  error
}

func newPump(ctx context.Context, open func() (io.ReadCloser, error)) *pump {
	p := &pump{ctx: ctx, blocks: make(chan block, 2), done: make(chan struct{})}
	go p.run(open)
	return p
}

func (p *pump) run(open func() (io.ReadCloser, error)) {
	r, err := open()
	if err == nil {
		defer r.Close()
	}
	for err == nil {
		buf := make([]byte, 256<<10)
		var n int
		n, err = r.Read(buf)
		if n == 0 {
			continue
		}
		select {
		case p.blocks <- block{data: buf[:n]}:
		case <-p.done:
			return
		}
	}
	select {
	case p.blocks <- block{err: err}:
	case <-p.done:
	}
}

func (p *pump) Read(to []byte) (int, error) {
	for len(p.rest) == 0 {
		if p.err != nil {
			return 0, p.err
		}
		select {
		case b := <-p.blocks:
			p.rest, p.err = b.data, b.err
		case <-p.ctx.Done():
			return 0, p.ctx.Err()
		}
	}
	n := copy(to, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}

func (p *pump) stop() { close(p.done) }
