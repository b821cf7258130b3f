package otlp

import (
	"bytes"
	"encoding/binary"
	"io"

	"github.com/klauspost/compress/zstd"
)

// Form is how OTLP lies in a stream.
type Form uint8

// The forms. Frames have their length before them, as the Collector's file exporter
// writes protobuf and everything compressed.
const (
	Unknown Form = iota
	JSON
	JSONLines
	Protobuf
	FramedJSON
	FramedProtobuf
	ZstdFramedJSON
	ZstdFramedProtobuf
)

var formNames = []string{
	"unknown", "OTLP JSON", "OTLP JSON lines", "OTLP protobuf",
	"OTLP JSON, length-prefixed", "OTLP protobuf, length-prefixed",
	"OTLP JSON, length-prefixed, zstd per message", "OTLP protobuf, length-prefixed, zstd per message",
}

// String names the form as reports do.
func (f Form) String() string { return formNames[f] }

// HasLines reports whether rows of the form have line numbers.
func (f Form) HasLines() bool { return f == JSON || f == JSONLines }

func (f Form) framed() bool { return f >= FramedJSON }

// HeadSize is how much of a stream Sniff should be given, in bytes.
const HeadSize = 256 << 10

// Sniff tells the form from the first bytes of a stream, decompressed. Whole says that
// head is all there is. JSON of any kind is JSON or JSONLines; whether it is OTLP shows
// in the Stats once it was read. A first line that is longer than head is taken for one
// of several.
func Sniff(head []byte, whole bool) Form {
	text := bytes.TrimLeft(head, " \t\r\n\x00\x1e\xef\xbb\xbf")
	if len(text) == 0 {
		return Unknown
	}
	if head[0] == 1<<3|wireBytes { // as a length it would be of a frame of 160 MiB
		if kind, _ := survey(head); kind == traces || kind == logs || kind == metrics {
			return Protobuf
		}
	}
	if form := sniffFrames(head, whole); form != Unknown {
		return form
	}
	if (text[0] == '{' || text[0] == '[') && (len(text) == 1 || text[1] != 0) { // not UTF-16
		return jsonForm(text, whole)
	}
	if kind, _ := survey(head); kind == traces || kind == logs || kind == metrics || kind == other || kind == noSignal && looksBare(head, whole) {
		return Protobuf
	}
	if isCutJSON(text) {
		return JSONLines
	}
	return Unknown
}

// jsonForm tells lines from other JSON: the first line holds a document as a whole.
func jsonForm(text []byte, whole bool) Form {
	line, _, found := bytes.Cut(text, newline)
	if !found {
		if whole || text[0] != '{' {
			return JSON
		}
		return JSONLines
	}
	var k skipper
	end, state := k.run(line, 0, true)
	if state != skipDone || text[0] != '{' || len(bytes.TrimSpace(line[end:])) > 0 {
		return JSON
	}
	return JSONLines
}

// isCutJSON reports whether a text that does not begin with a bracket is the rest of a
// document, as behind a rotation: a document follows, or attributes stand in it.
func isCutJSON(text []byte) bool {
	for _, name := range signatures {
		if bytes.Contains(text, append([]byte{'{'}, name...)) {
			return true
		}
	}
	return bytes.Contains(text, []byte(`"key":`)) && bytes.Contains(text, []byte(`"value":`)) && bytes.Contains(text, []byte(`Value":`))
}

// looksBare reports whether a message without records is OTLP all the same: nothing but
// resources, the first of which has a plausible inside.
func looksBare(head []byte, whole bool) bool {
	f, next, ok := nextField(head, 0)
	if !ok || f.number != 1 || f.wire != wireBytes || f.torn && whole && f.size > maxMessage {
		return false
	}
	if !f.torn {
		return wellFormed(f.body) && (next == len(head) || head[next] == 1<<3|wireBytes)
	}
	inner, _, ok := nextField(f.body, 0)
	if !ok || inner.wire != wireBytes || inner.number > 3 || inner.number == 0 {
		return false
	}
	innermost, _, ok := nextField(inner.body, 0)
	return ok && innermost.wire == wireBytes && innermost.number <= 3
}

// sniffFrames tells the frames apart by their first one.
func sniffFrames(head []byte, whole bool) Form {
	if len(head) <= frameHead+1 {
		return Unknown
	}
	size := uint64(binary.BigEndian.Uint32(head))
	body := head[frameHead:]
	if size == 0 || size > maxMessage || whole && size > uint64(len(body)) && head[0] != 0 {
		return Unknown
	}
	if bytes.HasPrefix(body, zstdMagic) {
		if c := firstByte(body); c == '{' || c == '[' {
			return ZstdFramedJSON
		}
		return ZstdFramedProtobuf
	}
	if body[0] == '{' && beginsDocument(body) {
		return FramedJSON
	}
	if body[0] != 1<<3|wireBytes {
		return Unknown
	}
	message := body[:min(size, uint64(len(body)))]
	if f, _, ok := nextField(message, 0); !ok || f.size > size {
		return Unknown
	}
	if kind, _ := survey(message); kind != foreign {
		return FramedProtobuf
	}
	return Unknown
}

// firstByte returns the first byte of the content of a zstd frame, as far as it is
// there; 0 when it cannot be told.
func firstByte(frame []byte) byte {
	r, err := zstd.NewReader(bytes.NewReader(frame), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxMessage))
	if err != nil {
		return 0
	}
	defer r.Close()
	var first [1]byte
	if _, err := io.ReadFull(r, first[:]); err != nil {
		return 0
	}
	return first[0]
}
