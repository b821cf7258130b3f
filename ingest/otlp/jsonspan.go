package otlp

import (
	"bytes"

	"github.com/tailpath/tailpath/ingest/table"
)

// What the fields of a record must be; used as the reason when they are not.
const (
	needTraceID = "traceId is no id of 16 bytes"
	needSpanID  = "spanId is no id of 8 bytes"
	needParent  = "parentSpanId is no id of 8 bytes"
	needStart   = "startTimeUnixNano is no whole number of ns up to the year 2262"
	needEnd     = "endTimeUnixNano is no whole number of ns up to the year 2262"
	needTime    = "timeUnixNano is no whole number of ns up to the year 2262"
	needCount   = "a flag or count is no unsigned 32-bit integer"
)

// id takes an id of len(to) bytes; null is the zero id.
func (p *parser) id(to []byte, what string) bool {
	var text []byte
	var ok bool
	if c := p.peek(); c == '"' {
		text, ok = p.str()
	} else if p.fault == noFault && (c == '{' || c == '[') {
		p.tok = p.pos
		return p.fail(badValue, what)
	} else if text, ok = p.bare(); ok {
		if string(text) != "null" {
			return p.fail(badValue, what)
		}
		text = nil
	}
	if !ok {
		return false
	}
	foreign, ok := readID(to, text)
	if !ok {
		return p.fail(badValue, what)
	}
	if foreign {
		p.foreign++
	}
	return true
}

// spanUnit reads the span at pos into d.span. s.none says that it is null.
func (s *stream) spanUnit() bool {
	r := &s.d.span
	r.reset()
	s.badParts = 0
	s.peek()
	s.at = s.pos
	s.none = !s.opens('{', "a span is no object")
	if s.none {
		return s.fault == noFault
	}
	for first := true; ; first = false {
		name, ok := s.member(first)
		if !ok {
			return s.fault == noFault
		}
		if !s.spanMember(r, name) {
			return false
		}
	}
}

func (s *stream) spanMember(r *span, name []byte) (ok bool) {
	switch string(name) {
	case "traceId", "trace_id", "traceID":
		return s.id(r.traceID[:], needTraceID)
	case "spanId", "span_id", "spanID":
		return s.id(r.spanID[:], needSpanID)
	case "parentSpanId", "parent_span_id", "parentSpanID":
		return s.parent(r)
	case "name":
		r.name, ok = s.textValue()
	case "kind":
		r.kind, ok = s.enum("SPAN_KIND_", table.KindNames)
	case "startTimeUnixNano", "start_time_unix_nano":
		r.start, ok = s.time(needStart)
	case "endTimeUnixNano", "end_time_unix_nano":
		if s.emptyText() { // it has not ended
			r.end = 0
			return true
		}
		r.end, ok = s.time(needEnd)
	case "attributes":
		r.attributes, ok = s.attributes(r.attributes, &s.d.keys)
	case "events":
		return s.parts(r, (*stream).event)
	case "links":
		return s.parts(r, (*stream).link)
	case "status":
		return s.status(r)
	case "flags":
		r.flags, ok = s.count(needCount)
	case "traceState", "trace_state":
		r.traceState, ok = s.textValue()
	case "droppedAttributesCount", "dropped_attributes_count":
		r.lostAttributes, ok = s.count(needCount)
	case "droppedEventsCount", "dropped_events_count":
		r.lostEvents, ok = s.count(needCount)
	case "droppedLinksCount", "dropped_links_count":
		r.lostLinks, ok = s.count(needCount)
	default:
		if other := otherName(name); other != nil {
			return s.spanMember(r, other)
		}
		return s.passMember(name)
	}
	return ok
}

// parent takes the id of a parent. A word for nothing is none.
func (s *stream) parent(r *span) bool {
	if s.peek() != '"' {
		return s.id(r.parentID[:], needParent)
	}
	start := s.pos
	text, ok := s.str()
	if !ok {
		return false
	}
	switch string(bytes.ToLower(text)) {
	case "null", "none", "nil", "undefined":
		r.parentID = table.SpanID{}
		s.repaired++
		return true
	}
	s.pos = start
	return s.id(r.parentID[:], needParent)
}

// status takes a status, or its code alone.
func (s *stream) status(r *span) (ok bool) {
	switch c := s.peek(); {
	case s.fault != noFault:
		return false
	case c == '[':
		return s.leaveOut()
	case c != '{' && c != 'n':
		if s.emptyText() {
			return true
		}
		s.repaired++
		r.status, ok = s.enum("STATUS_CODE_", table.StatusNames)
		return ok
	}
	if !s.opens('{', "") {
		return s.fault == noFault
	}
	for first := true; ; first = false {
		name, ok := s.member(first)
		if !ok {
			return s.fault == noFault
		}
		switch string(name) {
		case "code":
			r.status, ok = s.enum("STATUS_CODE_", table.StatusNames)
		case "message":
			r.message, ok = s.textValue()
		default:
			ok = s.passMember(name)
		}
		if !ok {
			return false
		}
	}
}

// parts reads the events or links of a span with read. One that holds what it may not
// is left out and counted; a fault of syntax is one of the span.
func (s *stream) parts(r *span, read func(*stream, *span) bool) bool {
	if c := s.peek(); c != '[' && c != 'n' {
		return s.emptyObject() || s.emptyText() || s.leaveOut()
	}
	if !s.opens('[', "") {
		return s.fault == noFault
	}
	for first := true; s.element(first); first = false {
		start, events, links, parts := s.pos, len(r.events), len(r.links), len(r.parts)
		if read(s, r) {
			continue
		}
		if s.fault != badValue {
			return false
		}
		s.fault, s.pos = noFault, start
		r.events, r.links, r.parts = r.events[:events], r.links[:links], r.parts[:parts]
		s.badParts++
		if !s.skip() {
			return false
		}
	}
	return s.fault == noFault
}

func (s *stream) event(r *span) bool {
	if !s.opens('{', "an event is no object") {
		return s.fault == noFault
	}
	e := event{from: len(r.parts)}
	for first := true; ; first = false {
		name, ok := s.member(first)
		if !ok {
			break
		}
		switch string(name) {
		case "timeUnixNano", "time_unix_nano":
			e.time, ok = s.time(needTime)
		case "name":
			e.name, ok = s.textValue()
		case "attributes":
			r.parts, ok = s.attributes(r.parts, &s.d.partKeys)
		case "droppedAttributesCount", "dropped_attributes_count":
			e.dropped, ok = s.count(needCount)
		default:
			ok = s.passMember(name)
		}
		if !ok {
			return false
		}
	}
	e.to = len(r.parts)
	r.events = append(r.events, e)
	return s.fault == noFault
}

func (s *stream) link(r *span) bool {
	if !s.opens('{', "a link is no object") {
		return s.fault == noFault
	}
	l := link{from: len(r.parts)}
	for first := true; ; first = false {
		name, ok := s.member(first)
		if !ok {
			break
		}
		switch string(name) {
		case "traceId", "trace_id", "traceID":
			ok = s.id(l.traceID[:], needTraceID)
		case "spanId", "span_id", "spanID":
			ok = s.id(l.spanID[:], needSpanID)
		case "traceState", "trace_state":
			l.traceState, ok = s.textValue()
		case "flags":
			l.flags, ok = s.count(needCount)
		case "attributes":
			r.parts, ok = s.attributes(r.parts, &s.d.partKeys)
		case "droppedAttributesCount", "dropped_attributes_count":
			l.dropped, ok = s.count(needCount)
		default:
			ok = s.passMember(name)
		}
		if !ok {
			return false
		}
	}
	l.to = len(r.parts)
	r.links = append(r.links, l)
	return s.fault == noFault
}
