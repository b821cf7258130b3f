package otlp

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/tailpath/tailpath/ingest/table"
)

// bare reads protobuf without frames: one message, or several behind each other, which
// is the same. Every resource is read by itself. It returns false when the text is not
// final and ends inside one.
func (d *Decoder) bare(w *window, final bool) bool {
	for {
		if !w.need(1) {
			return true
		}
		w.need(2 * binary.MaxVarintLen64)
		at := d.at(w)
		f, next, ok := nextField(w.buf, w.pos)
		switch {
		case !ok && !final:
			return false
		case !ok && tornHead(w.buf[w.pos:]):
			d.tornMessage(w, at)
			return true
		case !ok:
			d.badDocument(at, "the message breaks off; nothing behind it could be read")
			w.pass(math.MaxInt64)
			return true
		case f.size > maxMessage:
			if !final {
				return false
			}
			d.badDocument(at, "a resource is larger than 256 MiB")
			w.pass(int64(f.at-w.pos) + int64(min(f.size, math.MaxInt64/2)))
		case f.torn && !w.need(f.at-w.pos+int(f.size)):
			if final {
				d.tornMessage(w, at)
			}
			return final
		case f.torn: // it is whole now
		default:
			if f.number == 1 && !d.message(w.buf[w.pos:next], at, false) && !final {
				return false
			}
			w.pos = next
		}
	}
}

// tornHead reports whether the rest of a stream is the tag of a resource and a part of
// its length.
func tornHead(rest []byte) bool {
	if rest[0] != 1<<3|wireBytes {
		return false
	}
	for _, c := range rest[1:] {
		if c < 0x80 {
			return false
		}
	}
	return len(rest) <= binary.MaxVarintLen64
}

// tornMessage reads what is there of the last resource.
func (d *Decoder) tornMessage(w *window, at table.Place) {
	kept := d.records()
	d.message(w.buf[w.pos:], at, true)
	w.pos = len(w.buf)
	if w.err == nil {
		d.issue(CutLast, at, fmt.Sprintf("the input ends inside the last resource; records of it that were kept: %d", d.records()-kept))
	}
}

// pass moves n bytes on, or to the end of the stream.
func (w *window) pass(n int64) {
	for {
		step := min(n, int64(len(w.buf)-w.pos))
		w.pos += int(step)
		if n -= step; n == 0 {
			return
		}
		keep, ok := w.refill(w.pos)
		if w.pos = keep; !ok {
			return
		}
	}
}
