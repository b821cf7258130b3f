package otlp

import (
	"bytes"
	"encoding/binary"
	"io"
)

// Read reads the stream r, which begins at the given place of the input, to its end. It
// returns an error only when r does, other than io.EOF; what was read before it is kept.
func (d *Decoder) Read(r io.Reader, form Form, at Start) error {
	if form.HasLines() {
		s := &d.json
		s.open(r, at, maxRecord)
		s.frame, s.final, s.torn, s.array = nil, true, false, 0
		s.documents()
		return s.err
	}
	w := &d.binary
	w.open(r, Start{Offset: at.Offset}, maxMessage+2*surveyLook)
	if form.framed() {
		d.frames(w, true)
	} else {
		d.bare(w, true)
	}
	return w.err
}

// Chunk is a piece of a stream that seems to hold whole documents, frames or resources.
type Chunk struct {
	Data []byte
	At   Start
	Last bool // the stream ends behind it
}

// ReadChunk reads one chunk. It returns false when the chunk turns out to end inside a
// document, or when what is wrong in it cannot be told without what follows. The rows
// and counts of the Decoder must then be thrown away, and the stream be read from the
// start of the chunk on with Read.
func (d *Decoder) ReadChunk(c Chunk, form Form) bool {
	if form.HasLines() {
		s := &d.json
		s.openBytes(c.Data, c.At)
		s.frame, s.final, s.torn, s.array = nil, c.Last, false, 0
		return s.documents()
	}
	w := &d.binary
	w.openBytes(c.Data, Start{Offset: c.At.Offset})
	if form.framed() {
		return d.frames(w, c.Last)
	}
	return d.bare(w, c.Last)
}

// chunkSize is how large a chunk is at least, in bytes.
const chunkSize = 4 << 20

// firstRead is how many bytes of a stream are read before there is room for a chunk.
const firstRead = 64 << 10

// Splitter cuts a stream into chunks that can be read at the same time.
type Splitter struct {
	r    io.Reader
	form Form
	size int    // least size of a chunk, in bytes
	rest []byte // read, but in no chunk yet
	at   Start
	err  error // what ended the stream
}

// NewSplitter returns a Splitter of the stream r from its beginning.
func NewSplitter(r io.Reader, form Form) *Splitter {
	return &Splitter{r: r, form: form, size: chunkSize, at: Start{Line: 1}}
}

// Next returns the next chunk. It returns false when the stream cannot be cut any more,
// or has ended: Rest then has what is left, and is empty at the end.
func (s *Splitter) Next() (Chunk, bool) {
	goal := len(s.rest) + s.size
	room := goal
	switch { // most files are far smaller than a chunk
	case s.err != nil:
		room = len(s.rest)
	case s.at.Offset == 0:
		room = min(goal, firstRead)
	}
	buf := make([]byte, len(s.rest), max(room, len(s.rest)))
	copy(buf, s.rest)
	s.rest = nil
	for {
		n := 0
		if s.err == nil {
			n, s.err = readFull(s.r, buf[len(buf):cap(buf)])
		}
		buf = buf[:len(buf)+n]
		if s.err == nil && len(buf) < goal {
			buf = append(make([]byte, 0, min(goal, 4*len(buf))), buf...)
			continue
		}
		if s.err != nil && s.err != io.EOF {
			s.rest = buf
			return Chunk{}, false
		}
		end, last := len(buf), s.err == io.EOF
		if !last {
			end = s.lastCut(buf)
		}
		switch {
		case len(buf) == 0:
			return Chunk{}, false
		case end > 0:
			c := Chunk{Data: buf[:end:end], At: s.at, Last: last}
			s.rest = buf[end:]
			s.at.Offset += int64(end)
			s.at.Line += int64(bytes.Count(c.Data, newline))
			return c, true
		case len(buf) >= maxRecord:
			s.rest = buf
			return Chunk{}, false
		}
		buf = append(make([]byte, 0, 2*len(buf)), buf...)
	}
}

// Rest returns the stream from where the last chunk ended, and the place.
func (s *Splitter) Rest() (io.Reader, Start) {
	readers := []io.Reader{bytes.NewReader(s.rest)}
	switch {
	case s.err == nil:
		readers = append(readers, s.r)
	case s.err != io.EOF:
		readers = append(readers, failing{s.err})
	}
	return io.MultiReader(readers...), s.at
}

// failing is a reader that has nothing but an error.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// lastCut returns the last place where the text may be cut, 0 if there is none.
func (s *Splitter) lastCut(text []byte) int {
	if s.form.HasLines() {
		if i := bytes.LastIndex(text, []byte("\n{")); i >= 0 {
			return i + 1
		}
		return 0
	}
	// A frame must begin behind a cut, so that the length in front of it is believed.
	end, cut := 0, 0
	for {
		next, ok := s.hop(text, end)
		if !ok || next > len(text) {
			return cut
		}
		if end = next; !s.form.framed() || isCut(text[end:]) {
			cut = end
		}
	}
}

// isCut reports whether the text begins with a frame, all of which that must be seen to
// say so being there.
func isCut(text []byte) bool {
	return beginsFrame(text) && len(text) >= seen(text) && looksSound(text)
}

// hop returns where the frame or resource at byte i ends.
func (s *Splitter) hop(text []byte, i int) (int, bool) {
	if s.form.framed() {
		if len(text)-i < frameHead {
			return 0, false
		}
		size := binary.BigEndian.Uint32(text[i:])
		return i + frameHead + int(size), size <= maxMessage
	}
	f, next, ok := nextField(text, i)
	return next, ok && !f.torn
}

// readFull reads until buf is full or the stream ends. Unlike io.ReadFull it leaves an
// early end as io.EOF, so that it differs from one that a decompressor found.
func readFull(r io.Reader, buf []byte) (n int, err error) {
	for idle := 0; n < len(buf) && err == nil; idle++ {
		var m int
		m, err = r.Read(buf[n:])
		n += m
		if m > 0 {
			idle = 0
		} else if idle > 100 {
			err = io.ErrNoProgress
		}
	}
	return n, err
}
