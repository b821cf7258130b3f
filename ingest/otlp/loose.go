package otlp

import (
	"bytes"
	"strings"

	"github.com/tailpath/tailpath/ingest/table"
)

// What is read here is JSON in which a value has not the type that OTLP gives it.

// leaveOut passes over the value at pos, which cannot be read, and counts it.
func (p *parser) leaveOut() bool {
	if p.fault != noFault {
		return false
	}
	p.leftOut++
	return p.skip()
}

// emptyText takes the empty string, or nothing.
func (p *parser) emptyText() bool {
	if p.peek() != '"' {
		return false
	}
	if p.pos+1 >= len(p.buf) {
		return p.short()
	}
	if p.buf[p.pos+1] != '"' {
		return false
	}
	p.pos += 2
	return true
}

// emptyObject takes an object without members, as Lua writes an empty list, or nothing.
func (p *parser) emptyObject() bool {
	start := p.pos
	if p.peek() != '{' {
		return false
	}
	p.pos++
	if p.peek() != '}' {
		p.pos = start
		return false
	}
	p.pos++
	return true
}

// attributeMap appends the attributes of the object at pos, in which every member is
// one: its value is an AnyValue, or any other JSON.
func (s *stream) attributeMap(to []table.Attr, keys *keyCache) ([]table.Attr, bool) {
	if s.emptyObject() {
		return to, true
	}
	repaired := s.repaired
	s.pos++
	for first := true; s.fault == noFault; first = false {
		name, ok := s.member(first)
		if !ok {
			break
		}
		if s.isDocument(name) {
			return to, false
		}
		a := table.Attr{Key: keys[len(to)&(len(keys)-1)].intern(s.d.set.Symbols, name)}
		if !s.looseValue(&a.Value) {
			return to, false
		}
		to = append(to, a)
	}
	s.repaired = repaired + 1
	return to, s.fault == noFault
}

// looseValue takes an AnyValue, or any other value; an object that is no AnyValue is
// kept as the JSON text that it is.
func (p *parser) looseValue(v *table.Value) bool {
	if p.peek() != '{' {
		return p.plainValue(v)
	}
	start := p.pos
	if p.emptyObject() {
		return true
	}
	p.pos++
	name, ok := p.member(true)
	typed := ok && isValueMember(name)
	if p.fault != noFault {
		return false
	}
	if p.pos = start; typed {
		return p.anyValue(v)
	}
	text, ok := p.raw()
	*v = table.Value{Type: table.ValueString, Text: text}
	return ok
}

func isValueMember(name []byte) bool {
	switch string(name) {
	case "stringValue", "string_value", "intValue", "int_value", "doubleValue", "double_value", "boolValue", "bool_value",
		"bytesValue", "bytes_value", "arrayValue", "array_value", "kvlistValue", "kvlist_value":
		return true
	}
	return false
}

// standardNames has the names of members as OTLP writes them, by how they are without
// case and underscores.
var standardNames = func() map[string][]byte {
	names := map[string][]byte{}
	for _, name := range strings.Fields(`resourceSpans resourceLogs resourceMetrics resourceProfiles batches result data trace
		resource schemaUrl scopeSpans scopeLogs instrumentationLibrarySpans instrumentationLibraryLogs
		scopeMetrics instrumentationLibraryMetrics
		scope instrumentationLibrary spans logRecords logs metrics
		traceId spanId parentSpanId name kind startTimeUnixNano endTimeUnixNano attributes events links status
		flags traceState droppedAttributesCount droppedEventsCount droppedLinksCount
		timeUnixNano observedTimeUnixNano severityNumber severityText eventName body version code message
		unit gauge sum histogram exponentialHistogram summary dataPoints aggregationTemporality asDouble asInt count`) {
		names[strings.ToLower(name)] = []byte(name)
	}
	return names
}()

// standardName returns the name that a member would have in OTLP JSON; the name itself
// when it is none.
func standardName(name []byte) []byte {
	if len(name) > 40 {
		return name
	}
	var room [40]byte
	folded := room[:0]
	for _, c := range name {
		switch {
		case c == '_':
		case c >= 'A' && c <= 'Z':
			folded = append(folded, c|0x20)
		default:
			folded = append(folded, c)
		}
	}
	if standard, ok := standardNames[string(folded)]; ok {
		return standard
	}
	return name
}

// otherName returns the name of a member that is written in another way; nil when it
// is written as OTLP does, or not known.
func otherName(name []byte) []byte {
	if standard := standardName(name); !bytes.Equal(standard, name) {
		return standard
	}
	return nil
}
