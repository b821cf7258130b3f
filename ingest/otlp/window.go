package otlp

import (
	"bytes"
	"io"
)

const (
	firstBuffer = 64 << 10  // bytes read at first, and all there is of a small input
	fullBuffer  = 1 << 20   // bytes read at a time from then on
	maxRecord   = 64 << 20  // largest JSON span or log record, in bytes
	maxMessage  = 256 << 20 // largest protobuf message or frame, in bytes
)

// window is the part of a stream that is in memory. Whoever reads from it says from
// which byte on it still needs the text; everything before is given up on the next
// refill, so memory is bounded by the largest record and not by the stream.
type window struct {
	buf     []byte
	pos     int   // next byte to read
	base    int64 // offset of buf[0] in the stream
	line    int64 // 1-based line of buf[counted]; 0 when the stream has no lines
	counted int
	r       io.Reader
	step    int  // bytes to read at a time, from the second time on
	limit   int  // most bytes that may be held
	eof     bool // nothing follows buf
	full    bool // limit was reached
	err     error
	own     []byte // buffer to refill; buf may lie in memory of the caller instead
}

// open starts the window at the given offset and line of the stream r.
func (w *window) open(r io.Reader, at Start, limit int) {
	*w = window{buf: w.own[:0], own: w.own, r: r, base: at.Offset, line: at.Line, step: fullBuffer, limit: limit}
}

// openBytes starts the window on data that is in memory as a whole.
func (w *window) openBytes(data []byte, at Start) {
	*w = window{buf: data, own: w.own, base: at.Offset, line: at.Line, eof: true}
}

// refill gives up the bytes before keep and reads more behind the rest. It returns
// where the byte at keep lies now, and whether anything is new: more bytes, or that
// there are none (eof, with err if the stream broke). It is not when eof was known
// before, or when limit bytes are held already (full).
func (w *window) refill(keep int) (int, bool) {
	if w.eof {
		return keep, false
	}
	if len(w.buf)-keep >= w.limit {
		w.full = true
		return keep, false
	}
	if w.line > 0 && keep > w.counted {
		w.line += int64(bytes.Count(w.buf[w.counted:keep], newline))
		w.counted = keep
	}
	held := len(w.buf) - keep
	size := firstBuffer
	if cap(w.own) > 0 {
		size = max(w.step, cap(w.own))
	}
	if held > size/2 {
		size *= 2
	}
	to := w.own[:0]
	if size > cap(to) {
		to = make([]byte, 0, size)
	}
	w.own = append(to, w.buf[keep:]...)
	w.base += int64(keep)
	w.pos -= keep
	w.counted = max(w.counted-keep, 0)
	w.fill()
	w.buf = w.own
	return 0, true
}

// fill reads until the buffer is full or the stream ends.
func (w *window) fill() {
	for idle := 0; len(w.own) < cap(w.own) && !w.eof; idle++ {
		n, err := w.r.Read(w.own[len(w.own):cap(w.own)])
		w.own = w.own[:len(w.own)+n]
		switch {
		case err == io.EOF:
			w.eof = true
		case err != nil:
			w.eof, w.err = true, err
		case n > 0:
			idle = 0
		case idle > 100:
			w.eof, w.err = true, io.ErrNoProgress
		}
	}
}

// need makes n bytes from pos on available, as far as the stream and limit allow,
// and reports whether it could.
func (w *window) need(n int) bool {
	for len(w.buf)-w.pos < n {
		keep, ok := w.refill(w.pos)
		w.pos = keep
		if !ok {
			return false
		}
	}
	return true
}

// offset returns the place of buf[at] in the stream.
func (w *window) offset(at int) int64 { return w.base + int64(at) }

// lineOf returns the 1-based line of buf[at], 0 when the stream has no lines.
func (w *window) lineOf(at int) int64 {
	if w.line == 0 {
		return 0
	}
	if at < w.counted {
		return w.line - int64(bytes.Count(w.buf[at:w.counted], newline))
	}
	w.line += int64(bytes.Count(w.buf[w.counted:at], newline))
	w.counted = at
	return w.line
}

var newline = []byte{'\n'}
