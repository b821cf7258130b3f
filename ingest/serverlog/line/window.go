package line

import (
	"bytes"
	"io"
)

// windowSize is how much of the input is looked at at once, in bytes.
const windowSize = 256 << 10

// mark remembers where a byte that is rare comes next, so that lines without it are
// not searched one by one.
type mark struct {
	b  byte
	at int // there is none in the window from the last search up to at
}

// in reports whether the byte is in w.buf[lo:hi]. Calls come with rising lo.
func (m *mark) in(w *window, lo, hi int) bool {
	if m.at < lo {
		if i := bytes.IndexByte(w.buf[lo:w.hi], m.b); i >= 0 {
			m.at = lo + i
		} else {
			m.at = w.hi
		}
	}
	return m.at < hi
}

// window is the part of the input that is in memory. All that is read stays until a
// whole line is there or the window is full, so how the input is cut into reads does
// not show.
type window struct {
	src    io.Reader
	small  int          // size of the input if that is known, else 0
	utf16  *utf16Reader // src, if that is in UTF-16
	buf    []byte
	lo, hi int // what is read and not yet given out
	scan   int // no newline from lo up to here
	begun  bool
	ended  bool
	err    error

	esc, cr, nul mark
	first, last  int // the line at hand in buf
	inLong       bool
	hadNul       bool  // NUL bytes of it were left out
	errLine      int64 // the physical line in which the input ended, 0 before
}

func newWindow(src io.Reader) window {
	return window{src: src, esc: mark{b: 0x1b}, cr: mark{b: '\r'}, nul: mark{b: 0}}
}

// emptyReads is how many reads in a row may bring nothing.
const emptyReads = 100

// fill reads on, and reports whether it got anything. The window must not be full.
func (w *window) fill() bool {
	if !w.begun {
		w.begin()
		return w.hi > 0 || w.fill()
	}
	if w.lo > 0 {
		copy(w.buf, w.buf[w.lo:w.hi])
		w.hi, w.scan, w.lo = w.hi-w.lo, w.scan-w.lo, 0
	}
	w.esc.at, w.cr.at, w.nul.at = -1, -1, -1
	for range emptyReads {
		if w.ended {
			return false
		}
		n, err := w.src.Read(w.buf[w.hi:])
		w.hi += n
		if err != nil {
			w.ended = true
			if err != io.EOF {
				w.err = err
			}
		}
		if n > 0 {
			return true
		}
	}
	w.ended, w.err = true, io.ErrNoProgress
	return false
}

// begin reads the head of the input, from which its encoding is told.
func (w *window) begin() {
	w.begun = true
	size := windowSize
	if w.small > 0 {
		size = min(size, w.small+1) // with room to see the end
	}
	w.buf = make([]byte, size)
	for w.hi < headSize && w.fill() {
	}
	if e := sniffEncoding(w.buf[:min(w.hi, headSize)]); e != utf8Text {
		head := bytes.Clone(w.buf[:w.hi])
		w.utf16 = &utf16Reader{src: w.src, big: e == utf16Big, raw: head, ended: w.ended, err: w.err}
		w.src, w.hi, w.scan, w.ended, w.err = w.utf16, 0, 0, false, nil
	}
}

// size returns how many bytes of the input text takes.
func (w *window) size(text []byte) int64 {
	if w.utf16 != nil {
		return 2 * units(text)
	}
	return int64(len(text))
}

// physical returns the next physical line without its newline, and its size in the
// input with it. The text is in the window, or in r.long if it does not fit.
func (r *Reader) physical() (text []byte, size int64, ok bool) {
	r.long.reset()
	r.inLong, r.hadNul = false, false
	for {
		if i := bytes.IndexByte(r.buf[r.scan:r.hi], '\n'); i >= 0 {
			end := r.scan + i
			size += r.size(r.buf[r.lo : end+1])
			text = r.line(r.lo, end)
			r.lo, r.scan = end+1, end+1
			return text, size, true
		}
		r.scan = r.hi
		if r.begun && r.hi-r.lo == len(r.buf) {
			size += r.size(r.buf[r.lo:r.hi])
			r.long.add(r, r.buf[r.lo:r.hi])
			r.inLong = true
			r.lo, r.hi, r.scan = 0, 0, 0
		}
		if !r.fill() {
			break
		}
	}
	if r.errLine == 0 {
		r.errLine = r.stats.Physical + 1
	}
	size += r.size(r.buf[r.lo:r.hi])
	if r.utf16 != nil && r.utf16.odd && size > 0 {
		size-- // the last character stands for a single byte
	}
	text = r.line(r.lo, r.hi)
	r.lo, r.scan = r.hi, r.hi
	return text, size, size > 0
}

// line returns the physical line that ends with buf[lo:hi], without a carriage return
// at its end.
func (r *Reader) line(lo, hi int) []byte {
	if hi > lo && r.buf[hi-1] == '\r' {
		hi--
	}
	if !r.inLong && hi-lo <= r.opt.MaxLine {
		r.first, r.last = lo, hi
		return r.buf[lo:hi]
	}
	r.inLong = true
	r.long.add(r, r.buf[lo:hi])
	return r.long.text
}

// lineHas reports whether the line at hand has the byte of m.
func (r *Reader) lineHas(m *mark) bool {
	if r.inLong {
		return bytes.IndexByte(r.long.text, m.b) >= 0
	}
	return m.in(&r.window, r.first, r.last)
}
