package otlp

import (
	"bytes"

	"github.com/tailpath/tailpath/ingest/table"
)

// logUnit reads the log record at pos into d.log. s.none says that it is null.
func (s *stream) logUnit() bool {
	r := &s.d.log
	r.reset()
	s.badParts = 0
	s.peek()
	s.at = s.pos
	s.none = !s.opens('{', "a log record is no object")
	if s.none {
		return s.fault == noFault
	}
	for first := true; ; first = false {
		name, ok := s.member(first)
		if !ok {
			return s.fault == noFault
		}
		if !s.logMember(r, name) {
			return false
		}
	}
}

func (s *stream) logMember(r *logRecord, name []byte) (ok bool) {
	switch string(name) {
	case "timeUnixNano", "time_unix_nano":
		r.time, ok = s.time(needTime)
	case "observedTimeUnixNano", "observed_time_unix_nano":
		r.observed, ok = s.time(needTime)
	case "traceId", "trace_id", "traceID":
		return s.id(r.traceID[:], needTraceID)
	case "spanId", "span_id", "spanID":
		return s.id(r.spanID[:], needSpanID)
	case "severityNumber", "severity_number":
		r.severity, ok = s.severity()
	case "severityText", "severity_text":
		r.severityText, ok = s.textValue()
	case "eventName", "event_name":
		r.eventName, ok = s.textValue()
	case "body":
		return s.anyValue(&r.body)
	case "attributes":
		r.attributes, ok = s.attributes(r.attributes, &s.d.keys)
	case "flags":
		r.flags, ok = s.count(needCount)
	case "droppedAttributesCount", "dropped_attributes_count":
		r.dropped, ok = s.count(needCount)
	default:
		if other := otherName(name); other != nil {
			return s.logMember(r, other)
		}
		return s.passMember(name)
	}
	return ok
}

// severity takes a severity number, or the name of one.
func (p *parser) severity() (int64, bool) {
	c := p.peek()
	if c == '{' || c == '[' {
		p.unknown++
		return 0, p.skip()
	}
	var text []byte
	var ok bool
	if c == '"' {
		text, ok = p.str()
	} else {
		text, ok = p.bare()
	}
	if !ok || len(text) == 0 || string(text) == "null" {
		return 0, ok
	}
	if n, isNumber := table.ReadInteger(text); isNumber {
		if i, fits := n.Int64(); fits {
			return i, true
		}
	}
	n := severityOf(text)
	if n == 0 && !bytes.EqualFold(text, []byte("SEVERITY_NUMBER_UNSPECIFIED")) {
		p.unknown++
	}
	return n, true
}

// severityOf returns the number of a name such as SEVERITY_NUMBER_WARN2 or Warn, 0 if
// there is none: six levels of four steps each.
func severityOf(text []byte) int64 {
	name := bytes.TrimPrefix(bytes.ToUpper(text), []byte("SEVERITY_NUMBER_"))
	step := int64(0)
	if n := len(name); n > 1 && name[n-1] >= '2' && name[n-1] <= '4' {
		step = int64(name[n-1] - '1')
		name = name[:n-1]
	}
	for level, known := range [...]string{"TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL"} {
		if string(name) == known {
			return int64(level)*4 + 1 + step
		}
	}
	return 0
}

// resourceUnit reads the resource at pos into d.resource. One that is given twice is
// merged, as in protobuf.
func (s *stream) resourceUnit() bool {
	d := s.d
	list := d.resource.list
	if !s.opens('{', "a resource is no object") {
		d.resource.seen = true
		return s.fault == noFault
	}
	for first := true; ; first = false {
		name, ok := s.member(first)
		if !ok {
			break
		}
		if string(name) == "attributes" {
			list, ok = s.attributes(list, &d.sharedKeys)
		} else {
			ok = s.passMember(name)
		}
		if !ok {
			return false
		}
	}
	if s.fault != noFault {
		return false
	}
	d.resource.list = list
	d.resource.keep()
	d.resource.seen = true
	return true
}

func (s *stream) resourceSchemaUnit() bool {
	url, ok := s.symbol()
	s.d.resource.schemaURL = url
	return ok
}

// scopeUnit reads the instrumentation scope at pos into the current one, likewise.
func (s *stream) scopeUnit() bool {
	c := s.d.current()
	list := c.list
	if !s.opens('{', "a scope is no object") {
		return s.fault == noFault
	}
	title, version := c.name, c.version
	for first := true; ; first = false {
		name, ok := s.member(first)
		if !ok {
			break
		}
		switch string(name) {
		case "name":
			title, ok = s.symbol()
		case "version":
			version, ok = s.symbol()
		case "attributes":
			list, ok = s.attributes(list, &s.d.sharedKeys)
		default:
			ok = s.passMember(name)
		}
		if !ok {
			return false
		}
	}
	if s.fault != noFault {
		return false
	}
	c.list = list
	c.keep()
	c.name, c.version = title, version
	return true
}

// symbol takes a text that is one of few.
func (s *stream) symbol() (table.Sym, bool) {
	text, ok := s.textValue()
	if !ok {
		return 0, false
	}
	return s.d.set.Symbols.InternBytes(text), true
}

func (s *stream) scopeSchemaUnit() bool {
	url, ok := s.symbol()
	s.d.current().schemaURL = url
	return ok
}
