package otlp

import (
	"fmt"

	"github.com/tailpath/tailpath/ingest/table"
)

// maxWraps is how many objects may stand around the resources, as in {"result": {...}}.
const maxWraps = 4

// documents reads documents until the text ends. It returns false when the text is not
// final and ends inside a document, which then has to be read again with more behind it.
func (s *stream) documents() bool {
	cut := false
	for fresh := s.frame == nil && s.offset(s.pos) == 0; ; fresh = false {
		c, ok := s.top()
		if !ok {
			break
		}
		switch {
		case c == '{':
			if cut = !s.document(); cut && !s.final {
				return false
			}
		case c == '[':
			s.array++
			s.pos++
		case c == ']' && s.array > 0:
			s.array--
			s.pos++
		case c == ',' && s.array > 0:
			s.pos++
		default:
			s.stray(fresh)
		}
	}
	if s.array > 0 && !s.final {
		return false
	}
	if s.array > 0 && !cut && s.err == nil && !s.torn {
		s.d.issue(CutLast, s.place(s.pos), "the input ends before the array of documents does")
	}
	return true
}

// top passes over what may stand between documents: blanks, NULs of a file that was
// cut or preallocated, byte order marks and record separators.
func (s *stream) top() (byte, bool) {
	for {
		for ; s.pos < len(s.buf); s.pos++ {
			switch c := s.buf[s.pos]; c {
			case 0, 0x1e:
				if s.frame != nil { // the length of the next frame, which this one spans by mistake
					return c, true
				}
			case ' ', '\t', '\r', '\n':
			case 0xef:
				if !s.need(3) || s.buf[s.pos+1] != 0xbb || s.buf[s.pos+2] != 0xbf {
					return c, true
				}
				s.pos += 2
			default:
				return c, true
			}
		}
		keep, ok := s.refill(s.pos)
		if s.pos = keep; !ok {
			return 0, false
		}
	}
}

// stray counts text that is no document and moves behind it. Fresh says that the input
// begins with it.
func (s *stream) stray(fresh bool) {
	s.begin(s.pos)
	at := s.place(s.pos)
	if fresh {
		s.d.issue(CutFirst, at, "the input begins inside a document")
		s.resync(false)
		return
	}
	s.d.badDocument(at, "text stands where a document is due")
	s.resync(true)
}

// document reads the document at pos. It returns false when the text ends inside it.
func (s *stream) document() bool {
	s.doc = document{offset: s.offset(s.pos), line: s.lineOf(s.pos), samples: s.d.stats.Samples}
	s.d.lineNth = 0
	s.wraps = 0
	if s.frame != nil {
		s.doc.offset = s.frame.Offset
	}
	if !s.object("", (*stream).requestMember) {
		return s.broken()
	}
	switch {
	case s.doc.spans || s.doc.logs || s.d.stats.Samples > s.doc.samples:
		s.d.stats.Documents++
	case s.doc.metrics:
		s.d.stats.Other++
		s.d.issue(OtherSignal, s.docPlace(), "a document of metrics without a reading")
	case s.doc.other:
		s.d.stats.Other++
		s.d.issue(OtherSignal, s.docPlace(), "a document of profiles")
	default:
		s.d.stats.Unknown++
		s.d.issue(UnknownDocument, s.docPlace(), "a JSON object without resourceSpans, resourceLogs or resourceMetrics")
	}
	return true
}

// broken counts a document that could not be read to its end. It returns false when
// that is because the text ends inside it.
func (s *stream) broken() bool {
	what, cut := s.what, s.fault == moreFault
	if cut && !s.final {
		return false
	}
	if s.doc.rows > 0 {
		s.d.stats.Documents++
	}
	switch {
	case cut && s.err == nil && s.frame == nil:
		s.d.issue(CutLast, s.docPlace(), fmt.Sprintf("the input ends inside the last document; records of it that were kept: %d", s.doc.rows))
	case cut && (s.err != nil || s.torn): // counted by whoever knows of it
	default:
		s.d.badDocument(s.docPlace(), s.d.kept(what, "the document", s.doc.rows))
	}
	if cut {
		s.begin(len(s.buf))
		return false
	}
	s.resync(s.lineOf(min(s.tok, len(s.buf))) == s.doc.line)
	return true
}

// requestMember reads a member of a document, or of an object that wraps one.
func (s *stream) requestMember(key []byte) bool {
	switch string(standardName(key)) {
	case "resourceSpans", "batches":
		s.doc.spans = true
		return s.each("resourceSpans is no array", (*stream).resource)
	case "resourceLogs":
		s.doc.logs = true
		return s.each("resourceLogs is no array", (*stream).resource)
	case "resourceMetrics":
		s.doc.metrics = true
		return s.each("resourceMetrics is no array", (*stream).resource)
	case "resourceProfiles":
		s.doc.other = true
	case "result", "data", "trace":
		return s.wrapped()
	}
	return s.pass()
}

// wrapped reads what may be a document inside another, or an array of such.
func (s *stream) wrapped() (ok bool) {
	s.begin(s.pos)
	c := s.peek()
	if c != '{' && c != '[' || s.wraps >= maxWraps {
		return s.pass()
	}
	s.wraps++
	if c == '{' {
		ok = s.object("", (*stream).requestMember)
	} else {
		ok = s.each("", (*stream).wrapped)
	}
	s.wraps--
	return ok
}

// resource reads one entry of resourceSpans, resourceLogs or resourceMetrics.
func (s *stream) resource() bool {
	s.d.beginResource(s.docPlace())
	s.inResource = lists{}
	ok := s.object("an entry of resourceSpans, resourceLogs or resourceMetrics is no object", (*stream).resourceMember)
	if rows := s.d.endResource(); !ok && rows > 0 && !s.d.resource.seen {
		fault, what, tok := s.fault, s.what, s.tok
		if s.final || fault != moreFault {
			s.d.issue(MissingResource, s.docPlace(), "the document breaks off before the resource of its records")
		}
		s.fault, s.what, s.tok = fault, what, tok
	}
	if ok {
		s.noteUnknown("a resource", s.inResource)
	}
	return ok
}

// lists is what is known of the lists of a resource or scope.
type lists struct {
	known bool   // it has one that is read
	other string // first list or object under a name that is not known
}

// passUnknown passes over a member of a resource or scope that is not known.
func (s *stream) passUnknown(l *lists, key []byte) bool {
	if s.begin(s.pos); l.other == "" {
		if c := s.peek(); c == '[' || c == '{' {
			l.other = fmt.Sprintf("%.40q", key)
		}
	}
	return s.pass()
}

// noteUnknown counts a resource or scope that nothing was found in.
func (s *stream) noteUnknown(what string, l lists) {
	if !l.known && l.other != "" {
		s.d.issue(UnknownMember, s.docPlace(), fmt.Sprintf("%s has no list that is known, but a member %s", what, l.other))
	}
}

func (s *stream) resourceMember(key []byte) bool {
	switch string(standardName(key)) {
	case "resource":
		return s.shared((*stream).resourceUnit)
	case "schemaUrl":
		return s.shared((*stream).resourceSchemaUnit)
	case "scopeSpans", "instrumentationLibrarySpans", "scopeLogs", "instrumentationLibraryLogs",
		"scopeMetrics", "instrumentationLibraryMetrics":
		s.inResource.known = true
		return s.each("scopeSpans, scopeLogs or scopeMetrics is no array", (*stream).scope)
	}
	return s.passUnknown(&s.inResource, key)
}

// scope reads one entry of scopeSpans, scopeLogs or scopeMetrics.
func (s *stream) scope() bool {
	s.d.beginScope()
	s.inScope = lists{}
	ok := s.object("an entry of scopeSpans, scopeLogs or scopeMetrics is no object", (*stream).scopeMember)
	s.d.endScope()
	if ok {
		s.noteUnknown("a scope", s.inScope)
	}
	return ok
}

func (s *stream) scopeMember(key []byte) bool {
	switch string(standardName(key)) {
	case "scope", "instrumentationLibrary":
		return s.shared((*stream).scopeUnit)
	case "schemaUrl":
		return s.shared((*stream).scopeSchemaUnit)
	case "spans":
		s.inScope.known = true
		return s.each("spans is no array", (*stream).spanItem)
	case "logRecords", "logs":
		s.inScope.known = true
		return s.each("logRecords is no array", (*stream).logItem)
	case "metrics":
		s.inScope.known = true
		return s.each("metrics is no array", (*stream).metricItem)
	}
	return s.passUnknown(&s.inScope, key)
}

// shared reads what the rows of a resource or scope share. When that is not possible
// the rows go without.
func (s *stream) shared(parse func(*stream) bool) bool {
	if !s.unit(parse) {
		return s.passBad(BadResource, '}')
	}
	s.noteRepairs()
	return true
}

func (s *stream) spanItem() bool {
	if !s.unit((*stream).spanUnit) {
		return s.passBad(BadSpan, ']')
	}
	if s.none {
		return true
	}
	at := s.place(s.at)
	s.noteRepairs()
	s.d.addSpan(s.rowPlace(at))
	s.doc.rows++
	return true
}

func (s *stream) logItem() bool {
	if !s.unit((*stream).logUnit) {
		return s.passBad(BadLog, ']')
	}
	if s.none {
		return true
	}
	at := s.place(s.at)
	s.noteRepairs()
	s.d.addLog(s.rowPlace(at))
	s.doc.rows++
	return true
}

// rowPlace is the place of a row: the line of its own and the offset of its document.
func (s *stream) rowPlace(at table.Place) table.Place {
	at.Offset = s.doc.offset
	return at
}

// noteRepairs counts what had to be bent to read the record at s.at.
func (s *stream) noteRepairs() {
	if s.repaired+s.leftOut+s.foreign+s.imprecise+s.unknown+s.badParts == 0 {
		return
	}
	at := s.place(s.at)
	s.d.count(RepairedValue, s.repaired, at, "a value has a JSON type that OTLP does not allow there")
	s.d.count(LeftOut, s.leftOut, at, "a list, status or attribute has a JSON type that cannot be read")
	s.d.count(ForeignID, s.foreign, at, "an id is not in hex of full length")
	s.d.count(Imprecise, s.imprecise, at, "a time is a JSON number of 17 digits, or has a fraction")
	s.d.count(UnknownEnum, s.unknown, at, "a kind, status or severity is none of OTLP's")
	s.d.count(BadPart, s.badParts, at, "an event or link of the record could not be read")
}
