package tracefile

import (
	"bufio"
	"bytes"
	"io"
)

// An eventStream makes blanks of what server-sent events have around their data, so that
// a streamed response reads as one JSON object a line: data: before an object, the lines
// event:, id:, retry: and comments, and [DONE]. Bytes and lines keep their places. Text
// that is no stream of events passes unchanged, because no line of JSON begins so.
type eventStream struct {
	r       *bufio.Reader
	inLine  bool // bytes of a line were passed on
	erase   bool // the rest of the line becomes blanks
	prefix  int  // bytes that become blanks before the rest of the line passes
	begun   bool // the first line was begun
	comment bool // a colon at the start of the next line begins a comment
}

func newEventStream(r io.Reader) *eventStream {
	return &eventStream{r: bufio.NewReaderSize(r, firstBuffer), comment: true}
}

var (
	byteOrderMark = []byte("\xef\xbb\xbf")
	eventData     = []byte("data:")
	eventDone     = []byte("[DONE]")
	eventFields   = [][]byte{[]byte("event:"), []byte("id:"), []byte("retry:")}
)

// longestMark is how many bytes of a line tell what it is.
const longestMark = len("data:      [DONE]")

func (e *eventStream) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if !e.inLine {
		e.begin()
	}
	if e.r.Buffered() == 0 {
		if _, err := e.r.Peek(1); err != nil && e.r.Buffered() == 0 {
			return 0, err
		}
	}
	held, _ := e.r.Peek(min(e.r.Buffered(), len(p)))
	if end := bytes.IndexByte(held, '\n'); end >= 0 {
		held = held[:end+1]
	}
	n := copy(p, held)
	for i, c := range p[:n] {
		if e.prefix > 0 || e.erase && c != '\n' && c != '\r' {
			p[i] = ' '
		}
		e.prefix = max(e.prefix-1, 0)
	}
	e.inLine = p[n-1] != '\n'
	_, err := e.r.Discard(n)
	return n, err
}

// begin finds out what the next line is.
func (e *eventStream) begin() {
	mark, _ := e.r.Peek(longestMark)
	e.erase, e.prefix = false, 0
	before := len(mark)
	if !e.begun {
		e.begun = true
		mark = bytes.TrimPrefix(mark, byteOrderMark)
	}
	before -= len(mark)
	switch {
	case bytes.HasPrefix(mark, eventData):
		e.prefix, e.comment = before+len(eventData), true
		e.erase = bytes.HasPrefix(bytes.TrimLeft(mark[len(eventData):], " "), eventDone)
	case len(mark) > 0 && mark[0] == ':':
		e.erase = e.comment
	case len(mark) == 0 || mark[0] == '\n' || mark[0] == '\r':
	default:
		for _, field := range eventFields {
			e.erase = e.erase || bytes.HasPrefix(mark, field)
		}
		e.comment = e.erase
	}
}

// sniffResponse knows response bodies, also those in a stream of events.
func sniffResponse(head []byte, whole bool) bool {
	if line := append([]byte{'\n'}, eventData...); bytes.HasPrefix(bytes.TrimPrefix(head, byteOrderMark), eventData) || bytes.Contains(head, line) {
		head, _ = io.ReadAll(newEventStream(bytes.NewReader(head))) // no error comes of bytes
	}
	return sniffElements(head, whole, &responseShape, isResponse)
}
