package tracefile

import (
	"bytes"

	"github.com/tailpath/tailpath/ingest/table"
)

// What the fields of a span must be; used as the reason when they are not.
const (
	needStart    = "startTime is no number of µs and no date up to the year 2261"
	needDuration = "duration is no number of µs and no text such as 1.5s"
	needEnd      = "startTime and duration give an end that is no date up to the year 2262"
	noStart      = "it has no startTime"
)

// readSpan reads the members of a span into the draft. It returns false when the object
// is no span.
func (j *jaeger) readSpan(raw []byte) bool {
	c, s := &j.c, &j.draft
	c.reset(raw)
	c.enter('{')
	var start, millis, duration int64
	var haveID, haveName, haveStart, haveMillis bool
	for name, ok := c.member(); ok; name, ok = c.member() {
		switch string(name) {
		case "traceID", "traceId", "trace_id":
			j.readID(s.traceID[:])
		case "spanID", "spanId", "span_id":
			haveID = true
			j.readID(s.spanID[:])
		case "parentSpanID", "parentSpanId", "parent_span_id":
			j.readID(s.parentID[:])
		case "operationName", "operation_name":
			haveName = true
			s.name, _, _ = c.scalar()
		case "references":
			haveName = true
			j.readRefs()
		case "flags":
			if text, _, ok := c.scalar(); ok {
				n, _ := readInt(text)
				s.flags = n & 1 // sampled; the other bits mean something else in OpenTelemetry
			}
		case "startTime", "start_time":
			start, haveStart = j.time(needStart, readTime)
		case "startTimeMillis":
			haveName = true
			millis, haveMillis = j.time(needStart, readMillis)
		case "duration":
			duration, _ = j.time(needDuration, readDuration)
		case "tags":
			s.attributes = j.tags(s.attributes, tagSpan)
		case "tag":
			s.attributes = j.tags(s.attributes, tagSpan|tagDotted)
		case "logs":
			j.readLogs()
		case "processID", "processId", "process_id":
			haveName = true
			j.id, _, _ = c.scalar()
		case "process":
			if c.peek() == '{' {
				j.process = j.processOf()
			} else {
				c.skip()
			}
		case "warnings":
			j.readWarnings()
		default:
			c.skip()
		}
	}
	if !haveID || !haveName && !haveStart {
		return false
	}
	if !haveStart {
		start = millis
		if !haveMillis && j.trouble == "" {
			j.trouble = noStart
		}
	}
	end, fits := endOf(start, duration)
	if !fits && j.trouble == "" {
		j.trouble = needEnd
	}
	s.start, s.end = start, end
	return true
}

// readID takes an id; null and a text of nothing are the zero id.
func (j *jaeger) readID(id []byte) {
	text, _, ok := j.c.scalar()
	if !ok {
		j.badParts++
		return
	}
	foreign, _ := readID(id, text)
	if foreign {
		j.foreign++
	}
}

// time takes a time or duration in ns. null is none.
func (j *jaeger) time(need string, read func([]byte, bool) (int64, bool)) (int64, bool) {
	text, quoted, ok := j.c.scalar()
	if ok && text == nil {
		return 0, false
	}
	ns, fits := read(text, quoted)
	if !ok || !fits {
		j.trouble = need
		return 0, false
	}
	return ns, true
}

// readMillis reads ms as ns.
func readMillis(text []byte, _ bool) (int64, bool) {
	ns, _, ok := decimal(text, 6)
	return ns, ok
}

func (j *jaeger) readRefs() {
	c := &j.c
	if c.peek() != '[' {
		c.skip()
		return
	}
	c.enter('[')
	for c.item() {
		if !c.enter('{') {
			j.badParts++
			continue
		}
		r := jaegerRef{own: true}
		for name, ok := c.member(); ok; name, ok = c.member() {
			switch string(name) {
			case "refType", "ref_type":
				text, _, _ := c.scalar()
				r.follows = string(text) == "FOLLOWS_FROM" || string(text) == "1"
			case "traceID", "traceId", "trace_id":
				j.readID(r.traceID[:])
				r.own = r.traceID == table.TraceID{}
			case "spanID", "spanId", "span_id":
				j.readID(r.spanID[:])
			default:
				c.skip()
			}
		}
		j.refs = append(j.refs, r)
	}
}

// readLogs reads the logs of a span as events. The field called event names one.
func (j *jaeger) readLogs() {
	c, s := &j.c, &j.draft
	if c.peek() != '[' {
		c.skip()
		return
	}
	c.enter('[')
	for c.item() {
		if !c.enter('{') {
			j.badParts++
			continue
		}
		e := eventDraft{from: len(s.parts)}
		trouble := j.trouble
		var bad bool
		for name, ok := c.member(); ok; name, ok = c.member() {
			switch string(name) {
			case "timestamp":
				e.time, ok = j.time(needStart, readTime)
				bad = bad || !ok
			case "fields":
				s.parts = j.tags(s.parts, tagPlain)
			default:
				c.skip()
			}
		}
		if j.trouble = trouble; bad {
			j.badParts++
			s.parts = s.parts[:e.from]
			continue
		}
		kept := s.parts[:e.from]
		for _, a := range s.parts[e.from:] {
			if e.name == nil && a.Value.Type == table.ValueString && j.d.set.Symbols.Text(a.Key) == "event" {
				e.name = a.Value.Text
				continue
			}
			kept = append(kept, a)
		}
		s.parts, e.to = kept, len(kept)
		s.events = append(s.events, e)
	}
}

// adjustedTimes is what Jaeger's query service warns of when it has moved a span.
var adjustedTimes = []byte("timestamps were adjusted")

func (j *jaeger) readWarnings() {
	c := &j.c
	if c.peek() != '[' {
		if text, _, _ := c.scalar(); len(text) > 0 {
			j.warnings++
		}
		return
	}
	c.enter('[')
	for c.item() {
		text, _, _ := c.scalar()
		if bytes.Contains(text, adjustedTimes) {
			j.adjusted++
		} else {
			j.warnings++
		}
	}
}
