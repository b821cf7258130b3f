package tracefile

import (
	"bytes"
	"io"
)

const (
	firstBuffer = 64 << 10 // bytes read at first, and all there is of a small input
	fullBuffer  = 1 << 20  // bytes read at a time from then on
	maxElement  = 64 << 20 // largest element that is read, in bytes
)

// window is the part of a stream that is in memory. On a refill everything before the
// byte that is still needed is given up, so memory is bounded by the largest element
// and not by the stream.
type window struct {
	r       io.Reader
	buf     []byte
	base    int64 // offset of buf[0] in the stream
	line    int64 // 1-based line of buf[counted]
	counted int
	limit   int  // most bytes that may be held
	eof     bool // nothing follows buf
	full    bool // limit was reached
	err     error
}

// refill gives up the bytes before keep and reads more behind the rest. It returns how
// far the bytes that are left have moved to the front, and whether anything is new: more
// bytes, or that there are none. It is not when that was known before, or when limit
// bytes are held already.
func (w *window) refill(keep int) (moved int, ok bool) {
	held := len(w.buf) - keep
	if w.eof {
		return 0, false
	}
	if held >= w.limit {
		w.full = true
		return 0, false
	}
	w.countLines(keep)
	size := fullBuffer
	if cap(w.buf) == 0 {
		size = firstBuffer
	}
	size = max(size, cap(w.buf))
	if held > size/2 {
		size *= 2
	}
	to := w.buf[:0]
	if size > cap(to) {
		to = make([]byte, 0, size)
	}
	w.buf = append(to, w.buf[keep:]...)
	w.base += int64(keep)
	w.counted = max(w.counted-keep, 0)
	w.fill()
	return keep, true
}

// fill reads until the buffer is full or the stream ends.
func (w *window) fill() {
	for idle := 0; len(w.buf) < cap(w.buf) && !w.eof; idle++ {
		n, err := w.r.Read(w.buf[len(w.buf):cap(w.buf)])
		w.buf = w.buf[:len(w.buf)+n]
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

// forget gives up the bytes [from, to) in the middle of what is held. Lines are counted
// up to from before; places of bytes before from are wrong from then on.
func (w *window) forget(from, to int) {
	w.countLines(to)
	w.buf = append(w.buf[:from], w.buf[to:]...)
	w.base += int64(to - from)
	w.counted = from
}

func (w *window) countLines(to int) {
	if to > w.counted {
		w.line += int64(bytes.Count(w.buf[w.counted:to], newline))
		w.counted = to
	}
}

// lineOf returns the 1-based line of buf[at].
func (w *window) lineOf(at int) int64 {
	if at < w.counted {
		return w.line - int64(bytes.Count(w.buf[at:w.counted], newline))
	}
	w.countLines(at)
	return w.line
}

// offset returns the place of buf[at] in the stream.
func (w *window) offset(at int) int64 { return w.base + int64(at) }

var newline = []byte{'\n'}
