package otlp

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/tailpath/tailpath/ingest/table"
)

// The Collector's file exporter writes protobuf, and anything compressed, as frames: the
// length of the message as 32 bits, big-endian, then the message or one zstd frame that
// holds it.
const frameHead = 4

var zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// frames reads frames until the text ends. It returns false when the text is not final
// and something is wrong in it, or it ends inside a frame.
//
// A length is believed when the end of the text, padding or another frame stands behind
// what it spans. When it is not, and a frame begins inside what it spans, then the
// writer was stopped inside the first one or its length is damaged, and it ends where
// the other begins. In what a damaged frame spans no length is believed. So no
// byte is decoded more often than twice, whatever the lengths say.
func (d *Decoder) frames(w *window, final bool) bool {
	padding := false    // the file was made longer than what is in it
	suspect := int64(0) // offset up to which a damaged frame spans the stream
	for {
		if !w.need(frameHead) {
			if len(w.buf) > w.pos && !padding && final && w.err == nil {
				d.issue(CutLast, d.at(w), "the input ends inside the length of a frame")
			}
			return len(w.buf) == w.pos || final
		}
		size := int(binary.BigEndian.Uint32(w.buf[w.pos:]))
		if padding = size == 0; padding {
			if !w.need(frameHead+headLook) && !final {
				return false
			}
			skip := findFrame(w, 1, frameHead)
			if skip > 0 {
				d.badDocument(d.at(w), "the input breaks off inside the length of a frame")
			} else {
				skip = frameHead
			}
			w.pos += skip
			continue
		}
		whole := size <= maxMessage && w.need(frameHead+size)
		believed := whole && w.offset(w.pos) >= suspect && endsWell(w, frameHead+size)
		switch {
		case !believed && !final: // what follows may look different with more text behind it
			return false
		case believed:
			at, end := d.at(w), frameHead+size
			if d.frame(w.buf[w.pos+frameHead:w.pos+end], at, false) {
				w.pos += end
				continue
			}
			if !final {
				return false
			}
			suspect = w.offset(w.pos + end)
			if next := findFrame(w, 1, end); next > 0 {
				end = next
			}
			w.pos += end
		case size > maxMessage:
			d.badDocument(d.at(w), "a frame is said to be larger than 256 MiB")
			d.seekFrame(w)
		default:
			suspect = max(suspect, d.doubtful(w, size, whole))
		}
	}
}

// doubtful reads a frame whose length is not believed, and moves behind it. It returns
// the offset up to which a damaged frame spans the stream, 0 if none does.
func (d *Decoder) doubtful(w *window, size int, whole bool) (suspect int64) {
	at, end := d.at(w), frameHead+size
	if !whole {
		end = len(w.buf) - w.pos
	}
	next := findFrame(w, 1, end)
	switch {
	case whole && next >= end-frameHead:
		// Its last bytes read as those of the next length, too: a byte is missing in one
		// of the two, and the frame itself shows whether it is whole.
		d.frame(w.buf[w.pos+frameHead:w.pos+end], at, false)
		w.pos += next
	case next > 0:
		body := w.buf[w.pos+min(frameHead, next) : w.pos+next]
		d.cutFrame(body, at)
		suspect = w.offset(w.pos + end)
		w.pos += next
	case !whole:
		d.tornFrame(w, at)
	case d.frame(w.buf[w.pos+frameHead:w.pos+end], at, false):
		w.pos += end
	default: // no frame begins before its end
		w.pos += end - 1
		d.seekFrame(w)
	}
	return suspect
}

// at is the place of the byte at w.pos in an input without lines.
func (d *Decoder) at(w *window) table.Place {
	return table.Place{Source: d.source, Offset: w.offset(w.pos)}
}

// frame reads the content of one frame. It returns false when the content shows that
// the length is wrong or the frame damaged; that is counted unless torn says that it is
// known.
func (d *Decoder) frame(body []byte, at table.Place, torn bool) bool {
	if !bytes.HasPrefix(body, zstdMagic) {
		return len(body) == 0 || d.content(body, at, torn)
	}
	kept, bad := d.records(), d.stats.BadDocuments
	body, err := d.unzstd(body)
	if len(body) > 0 {
		d.content(body, at, err != nil)
	}
	if err != nil && !torn && bad == d.stats.BadDocuments {
		d.badDocument(at, fmt.Sprintf("a zstd frame is damaged; records of it that were kept: %d", d.records()-kept))
	}
	return err == nil
}

func (d *Decoder) records() int64 { return d.stats.Spans + d.stats.Logs + d.stats.Samples }

// content reads one uncompressed message, JSON or protobuf. JSON is read up to its first
// fault only: finding the next document is up to whoever knows the frames.
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

// cutFrame reads a frame that another one begins in.
func (d *Decoder) cutFrame(body []byte, at table.Place) {
	kept, bad := d.records(), d.stats.BadDocuments
	d.frame(body, at, true)
	if bad == d.stats.BadDocuments {
		d.badDocument(at, d.kept("a frame breaks off or its length is wrong", "it", d.records()-kept))
	}
}

// tornFrame reads what is there of the last frame.
func (d *Decoder) tornFrame(w *window, at table.Place) {
	body := w.buf[w.pos+frameHead:]
	w.pos = len(w.buf)
	kept, bad := d.records(), d.stats.BadDocuments
	d.frame(body, at, true)
	if w.err == nil && bad == d.stats.BadDocuments {
		d.issue(CutLast, at, fmt.Sprintf("the input ends inside the last frame; records of it that were kept: %d", d.records()-kept))
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
