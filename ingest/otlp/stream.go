package otlp

import (
	"bytes"

	"github.com/tailpath/tailpath/ingest/table"
)

// stream reads JSON documents one record at a time. A record (a span, a log record, a
// metric, a resource, a scope) is read whole from the text in memory; when the text ends inside
// one, more is fetched and the record is read again from its start. Between records
// nothing is held, so a document may be of any size.
type stream struct {
	parser
	d        *Decoder
	final    bool   // the end of the text is the end of the input
	torn     bool   // the text is known to be cut off, and that is counted elsewhere
	frame    *Start // place of every row instead of its own, for documents in frames
	array    int    // open brackets around the documents
	wraps    int    // objects around the resources
	badParts int    // events and links left out of the span read last
	doc      document

	inResource, inScope lists
	at                  int  // where the record read last begins in buf
	none                bool // the unit read last was null, or the end of what it stands in
}

// document is what is known of the document that is being read.
type document struct {
	offset, line int64
	spans, logs  bool  // it has the part, even if it is empty
	metrics      bool  // likewise
	other        bool  // profiles
	rows         int64 // spans, log records and readings kept
	samples      int64 // readings that were there before it
}

// place returns where a row or fault at buf[at] stands.
func (s *stream) place(at int) table.Place {
	if s.frame != nil {
		return table.Place{Source: s.d.source, Offset: s.frame.Offset}
	}
	return table.Place{Source: s.d.source, Offset: s.offset(at), Line: s.lineOf(at)}
}

func (s *stream) docPlace() table.Place {
	return table.Place{Source: s.d.source, Offset: s.doc.offset, Line: s.doc.line}
}

// unit reads one record with parse, which must leave no trace when it fails. On
// failure the window still holds the record from s.at on.
func (s *stream) unit(parse func(*stream) bool) bool {
	start := s.pos
	for {
		s.begin(start)
		s.at = start
		if parse(s) {
			return true
		}
		if s.fault != moreFault {
			s.at = start
			return false
		}
		var ok bool
		if start, ok = s.refill(start); !ok {
			s.pos, s.at = start, start
			if s.full {
				s.full = false
				return s.oversize(start)
			}
			return false
		}
	}
}

func (s *stream) oversize(start int) bool {
	s.begin(start)
	return s.fail(tooLarge, "it is larger than 64 MiB")
}

// each reads the array at pos item by item. Of what is no array, null, {} and "" are
// empty ones, and anything else is passed over and counted.
func (s *stream) each(what string, item func(*stream) bool) bool {
	if !s.unit((*stream).openArray) {
		if s.fault == badValue {
			s.what = what
			return s.passBad(LeftOut, '}')
		}
		return false
	}
	if s.none {
		return true
	}
	next := (*stream).firstElement
	for {
		if !s.unit(next) {
			return false
		}
		if s.none {
			return true
		}
		if !item(s) {
			return false
		}
		next = (*stream).nextElement
	}
}

func (s *stream) openArray() bool {
	s.none = false
	switch s.peek() {
	case '{':
		if !s.inside() {
			return false
		}
		s.none = s.emptyObject()
	case '"':
		s.none = s.emptyText()
	}
	if s.none || s.fault != noFault {
		return s.fault == noFault
	}
	open := s.opens('[', "")
	s.none = !open
	return s.fault == noFault
}

func (s *stream) firstElement() bool {
	s.none = !s.element(true)
	return s.fault == noFault
}

func (s *stream) nextElement() bool {
	s.none = !s.element(false)
	return s.fault == noFault
}

// object reads the object at pos member by member. take gets the name, which is good
// until it reads on, and must read the value. null is an empty object, and what is none
// is passed over and counted. What says so; it is empty for one that may be a document.
func (s *stream) object(what string, take func(s *stream, key []byte) bool) bool {
	open := (*stream).openObject
	if what == "" {
		open = (*stream).openRequest
	}
	if !s.unit(open) {
		if s.fault == badValue {
			s.what = what
			return s.passBad(LeftOut, ']')
		}
		return false
	}
	if s.none {
		return true
	}
	next := (*stream).firstMember
	for {
		if !s.unit(next) {
			return false
		}
		if s.none {
			return true
		}
		if !take(s, s.d.key) {
			return false
		}
		next = (*stream).nextMember
	}
}

func (s *stream) openObject() bool {
	if s.peek() == '{' && !s.inside() {
		return false
	}
	return s.openRequest()
}

// inside fails when the object at pos is a document, which cannot be inside another.
func (s *stream) inside() bool {
	if !s.eof && len(s.buf)-s.pos < longestSignature {
		return s.short()
	}
	if beginsDocument(s.buf[s.pos:]) {
		s.tok = s.pos
		return s.fail(badSyntax, "a document begins inside another")
	}
	return true
}

func (s *stream) openRequest() bool {
	open := s.opens('{', "")
	s.none = !open
	return s.fault == noFault
}

func (s *stream) firstMember() bool { return s.anyMember(true) }
func (s *stream) nextMember() bool  { return s.anyMember(false) }

func (s *stream) anyMember(first bool) bool {
	key, ok := s.member(first)
	s.none = !ok
	if ok {
		s.peek() // a name without its value is a cut, so have the value in memory
		s.d.key = key
	}
	return s.fault == noFault
}

// pass passes over the value at pos, holding none of it.
func (s *stream) pass() bool {
	s.begin(s.pos)
	for s.peek() == 0 && s.fault == moreFault {
		keep, ok := s.refill(s.pos)
		if s.pos = keep; !ok {
			return false
		}
		s.begin(s.pos)
	}
	return s.passWith(&skipper{})
}

func (s *stream) passWith(k *skipper) bool {
	for {
		at, state := k.run(s.buf, s.pos, s.eof)
		s.pos = at
		switch state {
		case skipDone:
			s.begin(at)
			return true
		case skipBroken:
			s.begin(at)
			return s.fail(badSyntax, "a value is never closed")
		}
		keep, ok := s.refill(at)
		if s.pos = keep; !ok {
			s.begin(keep)
			return s.short()
		}
	}
}

// passBad passes over a record that could not be read, if its end can be found and a
// comma or the closer of what holds it stands behind it, and counts it. It returns
// false when the fault is one of the whole document.
func (s *stream) passBad(issue table.Issue, closer byte) bool {
	if s.fault == moreFault {
		return false
	}
	f, what, start, tok := s.fault, s.what, s.at, s.tok
	at := s.place(start)
	k := skipper{careful: true}
	if f == tooLarge {
		s.pos = start
		if !s.passWith(&k) {
			return false
		}
		s.d.bad(issue, at, what)
		return true
	}
	state, end := skipMore, start
	for {
		if end, state = k.run(s.buf, end, s.eof); state != skipMore {
			break
		}
		keep, ok := s.refill(start)
		tok, end, start = tok-start+keep, end-start+keep, keep
		if !ok {
			s.full = false
			break
		}
	}
	if state == skipDone && s.goesOn(closer, &start, &tok, &end) {
		s.begin(end)
		s.d.bad(issue, at, what)
		return true
	}
	s.begin(start)
	s.at, s.tok = start, tok
	return s.fail(badSyntax, what)
}

// goesOn reports whether a comma or closer stands behind the record that ends at *end. The places move when more text has to be read for it.
func (s *stream) goesOn(closer byte, start, tok, end *int) bool {
	for {
		rest := bytes.TrimLeft(s.buf[*end:], " \t\r\n")
		if len(rest) > 0 {
			return rest[0] == ',' || rest[0] == closer
		}
		keep, ok := s.refill(*start)
		*tok, *end, *start = *tok-*start+keep, *end-*start+keep, keep
		if !ok {
			return false
		}
	}
}

// resync moves to the next place where a document may begin behind a fault. Behind a
// fault in a document of one line that is the next line; in a document of many it is
// the next line that begins with a brace. In both it may as well be the brace before
// one of the names that only documents begin with.
//
// In a frame nothing is looked for: the rest may be other frames already.
func (s *stream) resync(anyLine bool) {
	if s.frame != nil {
		s.begin(len(s.buf))
		return
	}
	from := s.tok
	s.begin(min(from, len(s.buf)))
	for {
		at, found := s.nextDocument(from, anyLine)
		if found {
			s.begin(at)
			return
		}
		// A signature may lie across the end of the text: keep its length.
		from = max(from, len(s.buf)-longestSignature)
		keep, ok := s.refill(max(from-longestSignature, 0))
		from = from - max(from-longestSignature, 0) + keep
		if !ok {
			s.begin(len(s.buf))
			return
		}
		s.begin(from)
	}
}

// nextDocument looks for the next beginning of a document from byte i on.
func (s *stream) nextDocument(i int, anyLine bool) (int, bool) {
	for ; i < len(s.buf); i++ {
		step := bytes.IndexAny(s.buf[i:], "\n{\x00")
		if step < 0 {
			return 0, false
		}
		i += step
		switch c := s.buf[i]; {
		case c != '{' && i+1 < len(s.buf) && (anyLine && c == '\n' || s.buf[i+1] == '{'):
			return i + 1, true
		case c == '{' && i > 0 && s.buf[i-1] == '\n', c == '{' && beginsDocument(s.buf[i:]):
			return i, true
		}
	}
	return 0, false
}
