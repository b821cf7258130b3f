package line

import (
	"bytes"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/tailpath/tailpath/ingest/table"
)

// The streams of a container.
const (
	StreamUnknown uint8 = iota
	Stdout
	Stderr
)

// Line is one log record without what others put around it.
type Line struct {
	// Text is the record without wrappers, escape sequences of a terminal, NUL bytes and
	// the end of its line. Like the other slices it is valid until the next call of Next.
	Text []byte
	// Line is the 1-based physical line, and Offset the byte in the input, at which the
	// first physical line of the record begins, wrappers included.
	Line, Offset int64
	// Nth tells the records of one physical line apart, from 0. No two records have
	// both Offset and Nth the same.
	Nth int
	// Time is the time that the innermost wrapper gives, in ns since the epoch, or
	// table.Missing. A wrapper's time without a year or a zone is not taken.
	Time int64
	// Host is the machine, Service the container, and Unit the pod, the systemd unit or
	// the program that a wrapper names. They are empty if none does.
	Host, Service, Unit []byte
	// Stream is StreamUnknown, Stdout or Stderr.
	Stream uint8
	// Cut says that the end of the text is missing.
	Cut bool
}

// Options are how records are read. The zero value is good for any log.
type Options struct {
	// Size is how many bytes the input has, 0 if that is not known. For a short text it
	// saves memory.
	Size int
	// MaxLine is how many bytes of a record are kept at most, 1 MiB if 0.
	MaxLine int
	// MaxWhole is how many bytes are kept of a record that is of no use unless it is
	// whole, 64 MiB if 0. A record that begins with a JSON object is one.
	MaxWhole int
	// Whole says which other records are of no use unless they are whole. It is asked
	// with the first MaxLine bytes, without wrappers.
	Whole func(text []byte) bool
	// Begins returns where the first record that begins at or after from begins, and the
	// end of what shows it, such as a level and a time; or -1. With it, records that
	// several processes wrote without a newline between them, or between the pictures of
	// a progress bar, come out one by one. It must not take what a client sent for a
	// record. The location of a match of a regular expression is what it returns.
	Begins func(text []byte, from int) (at, end int)
}

const (
	defaultMaxLine  = 1 << 20
	defaultMaxWhole = 64 << 20
)

// Stats counts what a Reader met.
type Stats struct {
	Bytes       int64 // of all physical lines, newlines included
	Physical    int64 // physical lines
	Records     int64 // Lines returned
	Joined      int64 // physical lines that are a further part of the record of another
	Wrapped     int64 // wrappers taken off
	Overwritten int64 // texts that a carriage return gave up to what follows
	Cut         int64 // records that lost their end
	InvalidUTF8 int64 // physical lines
	Nul         int64 // physical lines
}

// Reader turns bytes into records. It is not safe for concurrent use.
type Reader struct {
	window
	opt     Options
	account *table.Account
	source  string
	stats   Stats

	pending []Line // records of the physical line at hand
	next    int    // of pending
	nth     int    // number of the next record of its physical line

	long  gather       // the physical line at hand, if it does not fit the window
	joint []*unended   // records whose last part is not there yet, by their beginning
	spent []*unended   // those in use until the next physical line
	idle  []*unended   // those free for use
	held  int          // bytes of text in joint
	keys  [keys][]byte // values of the JSON wrapper at hand

	stampForm  int  // of the time stamps that were shown to be a wrapper, 0 before
	dockerEnds bool // a Docker record with a newline at its end was met
	dockerBare bool // the Docker records have none
}

// NewReader returns a Reader of a source. Issues go to account, unless it is nil.
func NewReader(src io.Reader, account *table.Account, source string, opt Options) *Reader {
	if opt.MaxLine <= 0 {
		opt.MaxLine = defaultMaxLine
	}
	if opt.MaxWhole <= 0 {
		opt.MaxWhole = defaultMaxWhole
	}
	opt.MaxWhole = max(opt.MaxWhole, opt.MaxLine)
	r := &Reader{window: newWindow(src), opt: opt, account: account, source: source}
	r.small = opt.Size
	return r
}

// Next returns the next record. Records come in the order of the physical lines in
// which they end. It returns false at the end of the input and at an error.
func (r *Reader) Next() (Line, bool) {
	for r.next == len(r.pending) {
		r.pending, r.next = r.pending[:0], 0
		if !r.advance() {
			return Line{}, false
		}
	}
	r.next++
	return r.pending[r.next-1], true
}

// Err returns the error of the input that ended the reading, or nil. What stood
// before it has been returned; a line that it broke off is marked Cut.
func (r *Reader) Err() error {
	if r.err == nil {
		return nil
	}
	return fmt.Errorf("read log %s:%d: %w", r.source, r.errLine, r.err)
}

// Stats returns the counts of what has been read so far: at the end, of all.
func (r *Reader) Stats() Stats { return r.stats }

// advance reads one physical line into pending. It returns false at the end.
func (r *Reader) advance() bool {
	r.recycle()
	text, size, ok := r.physical()
	if !ok {
		return r.flushFirst()
	}
	at := Line{Text: text, Line: r.stats.Physical + 1, Offset: r.stats.Bytes, Time: table.Missing}
	r.stats.Physical++
	r.stats.Bytes += size
	dirty, hasCR := r.hadNul || r.lineHas(&r.nul), r.lineHas(&r.cr)
	if dirty {
		r.stats.Nul++
		r.count(NulBytes, at.Line, at.Offset, "")
	}
	dirty = dirty || r.lineHas(&r.esc)
	at.Cut = r.err != nil && at.Line == r.errLine
	if r.long.lost > 0 {
		at.Cut = true
		r.count(TooLong, at.Line, at.Offset, "")
		at.Text = trimTorn(at.Text)
	}
	if !utf8.Valid(at.Text) {
		r.stats.InvalidUTF8++
		r.count(InvalidUTF8, at.Line, at.Offset, "")
	}
	if len(at.Text) > 0 && at.Text[0] == bom[0] {
		at.Text = bytes.TrimPrefix(at.Text, bom)
	}
	r.nth = 0
	r.unwrap(&at, maxDepth, state{dirty: dirty, hasCR: hasCR, joins: true})
	return true
}

// push appends a record to pending.
func (r *Reader) push(l *Line, text []byte) {
	r.pending = append(r.pending, *l)
	p := &r.pending[len(r.pending)-1]
	p.Text, p.Nth = text, r.nth
	r.nth++
	r.stats.Records++
	if l.Cut && p.Nth == 0 {
		r.stats.Cut++
	}
}

// Sample returns the records of the beginning of an input, for telling its format.
// A last line without a newline is left out, unless it is all there is.
func Sample(head []byte) []Line {
	e := sniffEncoding(head)
	if end := e.lastNewline(head); end > 0 {
		head = head[:end]
	}
	r := NewReader(bytes.NewReader(head), nil, "", Options{})
	var out []Line
	for l, ok := r.Next(); ok; l, ok = r.Next() {
		l.Text, l.Host = bytes.Clone(l.Text), bytes.Clone(l.Host)
		l.Service, l.Unit = bytes.Clone(l.Service), bytes.Clone(l.Unit)
		out = append(out, l)
	}
	return out
}
