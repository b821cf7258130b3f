package tracefile

import (
	"bytes"
	"io"

	"github.com/tailpath/tailpath/ingest/table"
)

// Format is what a file of traces or records holds.
type Format uint8

// The formats of spans. Those of records of servers follow them.
const (
	Unknown    Format = iota
	JaegerJSON        // spans of Jaeger: answers of its query API, what its UI saves, dumps of Elasticsearch and Kafka
	ZipkinJSON        // spans of Zipkin, version 2 or 1
)

// layout is what is known of a format: its name as reports give it, where its elements
// lie, how its first element is known, and who reads it.
type layout struct {
	name  string
	shape shape
	sniff func(head []byte, whole bool) bool
	open  func(*Decoder) handler
}

// layouts are the formats by number.
var layouts = append([]layout{
	Unknown:    {name: "unknown"},
	JaegerJSON: {"Jaeger JSON", jaegerShape, sniffJaeger, newJaeger},
	ZipkinJSON: {"Zipkin JSON", zipkinShape, sniffZipkin, newZipkin},
}, recordLayouts...)

// String names the format as reports do.
func (f Format) String() string { return layouts[f].name }

// Fault is one document or span that could not be read.
type Fault struct {
	Issue string
	At    table.Place
	What  string
}

// maxFaults is how many faults Stats lists; the account counts them all.
const maxFaults = 20

// Stats says what a Decoder read. Spans + BadSpans is every span or record that was met.
type Stats struct {
	Documents    int64 // JSON documents of the format; faulty ones only if something of them was kept
	BadDocuments int64 // documents or lines with a fault of their own
	Spans        int64
	BadSpans     int64
	Unused       int64   // values that are none of the format
	Faults       []Fault // the first ones, in order
}

// Options say what is stored. The zero value is good: texts of prompts and outputs are
// left out. Records of servers store no more than the fields that are named here,
// whatever the options say.
type Options struct {
	// KeepText keeps tags that are known to hold prompts and outputs. Without it their
	// text is replaced by a note of its size.
	KeepText bool
}

// Decoder turns files of traces and records into rows of a Set. It is for one input and
// one goroutine.
type Decoder struct {
	set     *table.Set
	account *table.Account
	source  string
	origin  table.Sym // source as a symbol
	stats   Stats
	opt     Options
}

// NewDecoder returns a Decoder that adds rows to set and issues to account, under the
// name of the input that source gives.
func NewDecoder(set *table.Set, account *table.Account, source string) *Decoder {
	return NewDecoderWith(set, account, source, Options{})
}

// NewDecoderWith is NewDecoder with options.
func NewDecoderWith(set *table.Set, account *table.Account, source string, opt Options) *Decoder {
	return &Decoder{opt: opt, set: set, account: account, source: source, origin: set.Symbols.Intern(source)}
}

// Stats returns what was read so far.
func (d *Decoder) Stats() Stats { return d.stats }

// Read reads the stream r, decompressed, to its end. It returns an error only when r
// does, other than io.EOF; what was read before it is kept.
func (d *Decoder) Read(r io.Reader, f Format) error {
	l := &layouts[f]
	if l.open == nil {
		return nil
	}
	if f == ResponseBody {
		r = newEventStream(r)
	}
	w := &walker{window: window{r: r}, d: d, shape: &l.shape, h: l.open(d)}
	w.walk()
	if g, ok := w.h.(grouper); ok {
		g.finish()
	}
	return w.err
}

// issue counts one occurrence.
func (d *Decoder) issue(is table.Issue, at table.Place, detail string) {
	d.account.Add(is, 1, at, detail)
	if is.Severity >= table.Error && len(d.stats.Faults) < maxFaults {
		d.stats.Faults = append(d.stats.Faults, Fault{is.ID, at, detail})
	}
}

// bad counts a span or record that was left out.
func (d *Decoder) bad(at table.Place, what string) {
	d.stats.BadSpans++
	d.issue(BadSpan, at, what)
}

func (d *Decoder) badDocument(at table.Place, what string) {
	d.stats.BadDocuments++
	d.issue(BadDocument, at, what)
}

func (d *Decoder) unused(at table.Place, what string) {
	d.stats.Unused++
	d.issue(UnusedValue, at, what)
}

// HeadSize is how much of a stream Sniff should be given, in bytes.
const HeadSize = 256 << 10

// maxLook is how many elements Sniff looks at.
const maxLook = 16

// Sniff tells the format from the first bytes of a stream, decompressed. Whole says that
// head is all there is. It is the one format that knows an element among the first ones
// as its own, and Unknown when there is none or more than one. OTLP in JSON is never
// claimed, whatever stands around it.
func Sniff(head []byte, whole bool) Format {
	found := Unknown
	for f := range layouts {
		if sniff := layouts[f].sniff; sniff != nil && sniff(head, whole) {
			if found != Unknown {
				return Unknown
			}
			found = Format(f)
		}
	}
	return found
}

// sniffElements reports whether one of the first elements of head is known by is. An
// element may be cut off by the end of head unless whole says that the stream ends there.
func sniffElements(head []byte, whole bool, s *shape, is func(raw []byte) bool) bool {
	look := &looker{is: is}
	w := &walker{window: window{r: bytes.NewReader(head)}, d: NewDecoder(table.NewSet(), &table.Account{}, ""), shape: s, h: look}
	w.begin()
	for look.n < maxLook && !look.found && w.step() {
	}
	if !whole && !look.found && w.cut != nil && look.n < maxLook {
		return is(w.buf[w.start:])
	}
	return look.found
}

// looker is the handler of Sniff.
type looker struct {
	is    func([]byte) bool
	n     int
	found bool
}

func (l *looker) element(raw []byte, _ table.Place) bool {
	l.n++
	l.found = l.found || l.is(raw)
	return l.found
}
func (l *looker) member(string, []byte, table.Place) {}
func (l *looker) open(table.Place)                   {}
func (l *looker) close(bool)                         {}
func (l *looker) end(bool)                           {}
