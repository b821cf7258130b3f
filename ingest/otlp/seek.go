package otlp

import (
	"bytes"
	"encoding/binary"
)

// How much of a frame is looked at to say whether it is one, in bytes. What is seen must
// not depend on how much happens to be in memory, so all of it is fetched first.
const (
	headLook   = 64
	surveyLook = 8 << 10 // of protobuf, up to its first record
)

// endsWell reports whether, n bytes behind w.pos, the stream ends, padding begins, or a
// frame does.
func endsWell(w *window, n int) bool {
	w.need(n + headLook)
	rest := w.buf[w.pos+n:]
	if len(rest) == 0 {
		return true
	}
	if len(rest) < frameHead {
		return false
	}
	// A few NULs may as well be a number in the middle of a message.
	return len(bytes.Trim(rest[:min(len(rest), headLook)], "\x00")) == 0 || isFrame(w, n)
}

// findFrame returns where, from byte from to before byte to, both counted from w.pos,
// the first frame seems to begin; 0 if none does.
func findFrame(w *window, from, to int) int {
	for i := from; i < to; i++ {
		if len(w.buf)-w.pos < i+headLook {
			w.need(i + headLook)
		}
		if len(w.buf)-w.pos <= i+frameHead {
			return 0
		}
		if w.buf[w.pos+i] <= maxMessage>>24 && isFrame(w, i) {
			return i
		}
	}
	return 0
}

// seekFrame moves from behind the byte at w.pos to the next place where a frame seems
// to begin, or else to the end of the stream.
func (d *Decoder) seekFrame(w *window) {
	for {
		w.pos++
		if len(w.buf)-w.pos < headLook {
			w.need(headLook)
		}
		if len(w.buf)-w.pos <= frameHead {
			w.pos = len(w.buf)
			return
		}
		if w.buf[w.pos] <= maxMessage>>24 && isFrame(w, 0) {
			return
		}
	}
}

// isFrame reports whether a frame seems to begin i bytes behind w.pos.
func isFrame(w *window, i int) bool {
	text := w.buf[w.pos+i:]
	if !beginsFrame(text) {
		return false
	}
	w.need(i + seen(text))
	return looksSound(w.buf[w.pos+i:])
}

// seen is how much of the frame at the beginning of the text is looked at, in bytes.
func seen(text []byte) int {
	return frameHead + max(headLook, min(int(binary.BigEndian.Uint32(text)), surveyLook))
}

// looksSound reports whether what begins as a frame goes on as one. Protobuf has so
// little to know it by that a record must be seen in its first resource, too.
func looksSound(text []byte) bool {
	if text[frameHead] != 1<<3|wireBytes {
		return true
	}
	size := min(int(binary.BigEndian.Uint32(text)), surveyLook)
	body := text[frameHead:]
	first, _, ok := nextField(body[:min(len(body), size)], 0)
	if !ok {
		return false
	}
	kind, _ := surveyResource(first.body, first.torn)
	return kind == traces || kind == logs || kind == metrics || kind == other
}

// beginsFrame reports whether the text begins with a frame, going by its length and the
// first bytes of the content.
func beginsFrame(text []byte) bool {
	text = text[:min(len(text), headLook)]
	if len(text) <= frameHead {
		return false
	}
	size := uint64(binary.BigEndian.Uint32(text))
	body := text[frameHead:]
	if size == 0 || size > maxMessage {
		return false
	}
	switch body[0] {
	case zstdMagic[0]:
		return bytes.HasPrefix(body, zstdMagic)
	case '{':
		return beginsDocument(body) || size == 2 && bytes.HasPrefix(body, []byte("{}"))
	case 1<<3 | wireBytes:
		return beginsRequest(body[:min(uint64(len(body)), size)], size)
	}
	return false
}

// beginsRequest reports whether a message of the given size, of which the beginning is
// there, may be an export request: its first resource fits into it, and the first field
// of that into the resource.
func beginsRequest(body []byte, size uint64) bool {
	inner, n := binary.Uvarint(body[1:])
	at := 1 + n
	if n <= 0 || uint64(at) > size || inner > size-uint64(at) {
		return false
	}
	end := uint64(at) + inner
	if end < size && end < uint64(len(body)) && body[end] != body[0] {
		return false
	}
	if inner == 0 || at >= len(body) {
		return true
	}
	switch body[at] {
	case 1<<3 | wireBytes, 2<<3 | wireBytes, 3<<3 | wireBytes:
	default:
		return false
	}
	field, m := binary.Uvarint(body[at+1:])
	return m > 0 && field <= size && uint64(at+1+m)+field <= end
}
