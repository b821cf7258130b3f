package otlp

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/klauspost/compress/zstd"

	"github.com/tailpath/tailpath/ingest/table"
)

// The Collector's file exporter writes protobuf, and anything compressed, as frames: the
// length of the message as 32 bits, big-endian, then the message or one zstd frame that
// holds it.
const frameHead = 4

var zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// frames reads frames until the text ends. It returns false when the text is not final
// and ends inside a frame.
func (d *Decoder) frames(w *window, final bool) bool {
	padding := false // the file was made longer than what is in it
	for {
		if !w.need(frameHead) {
			if len(w.buf) > w.pos && !padding && final && w.err == nil {
				d.issue(CutLast, d.at(w), "the input ends inside the length of a frame")
			}
			return len(w.buf) == w.pos || final
		}
		at := d.at(w)
		size := int(binary.BigEndian.Uint32(w.buf[w.pos:]))
		padding = size == 0
		switch {
		case size == 0:
			w.pos += frameHead
			continue
		case size > maxMessage:
			if !final {
				return false
			}
			d.badDocument(at, "a frame is said to be larger than 256 MiB")
			w.pos++
			d.findFrame(w, -1)
			continue
		case !w.need(frameHead + size):
			if !final {
				return false
			}
			d.tornFrame(w, at)
			return true
		}
		body := w.buf[w.pos+frameHead : w.pos+frameHead+size]
		if d.frame(body, at) {
			w.pos += frameHead + size
			continue
		}
		if !final { // what follows may look different with more text behind it
			return false
		}
		w.pos++
		d.findFrame(w, frameHead+size-1)
	}
}

// at is the place of the byte at w.pos in an input without lines.
func (d *Decoder) at(w *window) table.Place {
	return table.Place{Source: d.source, Offset: w.offset(w.pos)}
}

// frame reads the content of one frame. It returns false when the content shows that
// the length is wrong or the frame damaged; that is counted.
func (d *Decoder) frame(body []byte, at table.Place) bool {
	if !bytes.HasPrefix(body, zstdMagic) {
		return d.content(body, at, false)
	}
	body, err := d.unzstd(body)
	if err != nil {
		kept := d.records()
		if len(body) > 0 {
			d.content(body, at, true)
		}
		d.badDocument(at, fmt.Sprintf("a zstd frame is damaged; %d records of it were kept", d.records()-kept))
		return false
	}
	return len(body) == 0 || d.content(body, at, false)
}

func (d *Decoder) records() int64 { return d.stats.Spans + d.stats.Logs }

// content reads one uncompressed message, JSON or protobuf.
func (d *Decoder) content(body []byte, at table.Place, torn bool) bool {
	if body[0] != '{' && body[0] != '[' { // no blanks before it: the tag of protobuf is a line feed
		return d.message(body, at, torn)
	}
	s := &d.json
	s.openBytes(body, Start{})
	s.frame, s.final, s.torn, s.array = &Start{Offset: at.Offset}, true, torn, 0
	bad := d.stats.BadDocuments
	s.documents()
	s.frame, s.torn = nil, false
	return bad == d.stats.BadDocuments
}

// tornFrame reads what is there of the last frame.
func (d *Decoder) tornFrame(w *window, at table.Place) {
	body := w.buf[w.pos+frameHead:]
	w.pos = len(w.buf)
	kept := d.records()
	if bytes.HasPrefix(body, zstdMagic) {
		body, _ = d.unzstd(body)
	}
	if len(body) > 0 {
		d.content(body, at, true)
	}
	if w.err == nil {
		d.issue(CutLast, at, fmt.Sprintf("the input ends inside the last frame; %d records of it were kept", d.records()-kept))
	}
}

// unzstd returns what one zstd frame holds. With an error it returns what could be
// decompressed before it.
func (d *Decoder) unzstd(frame []byte) ([]byte, error) {
	if d.zstd == nil {
		reader, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxMessage))
		if err != nil {
			return nil, fmt.Errorf("set up zstd: %w", err)
		}
		d.zstd = reader
	}
	var err error
	if d.inside, err = d.zstd.DecodeAll(frame, d.inside[:0]); err == nil {
		return d.inside, nil
	}
	if resetErr := d.zstd.Reset(bytes.NewReader(frame)); resetErr != nil {
		return nil, resetErr
	}
	part := bytes.NewBuffer(d.inside[:0])
	if _, copyErr := io.Copy(part, io.LimitReader(d.zstd, maxMessage)); copyErr != nil {
		err = copyErr
	}
	d.inside = part.Bytes()
	return d.inside, err
}

// findFrame moves to the next place, within the next limit bytes if limit is not
// negative, where a frame seems to begin, or else behind them. It is how reading goes on
// where a collector was killed inside a frame and its successor appended to the file.
func (d *Decoder) findFrame(w *window, limit int) {
	for i := 0; limit < 0 || i < limit; i++ {
		if len(w.buf)-w.pos < 64 {
			w.need(64)
		}
		if w.pos >= len(w.buf) || len(w.buf)-w.pos <= frameHead {
			w.pos = len(w.buf)
			return
		}
		if beginsFrame(w.buf[w.pos:], w.eof) {
			return
		}
		w.pos++
	}
}

// beginsFrame reports whether the text begins with a frame, going by its length and the
// first bytes of the content.
func beginsFrame(text []byte, eof bool) bool {
	if len(text) <= frameHead+len(zstdMagic) {
		return false
	}
	size := uint64(binary.BigEndian.Uint32(text))
	body := text[frameHead:]
	if size == 0 || size > maxMessage || eof && size > uint64(len(body)) {
		return false
	}
	switch body[0] {
	case zstdMagic[0]:
		return bytes.HasPrefix(body, zstdMagic)
	case '{':
		return beginsDocument(body)
	case 1<<3 | wireBytes:
		inner, n := binary.Uvarint(body[1:])
		if n <= 0 || inner > size {
			return false
		}
		end := 1 + uint64(n) + inner
		return end == size || end < size && end < uint64(len(body)) && body[end] == body[0]
	}
	return false
}

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
		d.issue(CutLast, at, fmt.Sprintf("the input ends inside the last resource; %d records of it were kept", d.records()-kept))
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
