package tracefile

import (
	"bytes"

	"github.com/tailpath/tailpath/ingest/discretion"
	"github.com/tailpath/tailpath/ingest/table"
)

// eventOf takes the value of an annotation: it returns the name of the event and appends
// its attributes to the parts of the draft. Zipkin has a text alone, so exporters of
// OpenTelemetry put the attributes behind the name, as JSON, in one of three ways:
//
//	"name":{...}
//	name: {...}
//	name|{...}|0
//
// Any other text is the name. One that quotes a prompt or an output is not stored.
func (z *zipkin) eventOf(value []byte) []byte {
	brace := bytes.IndexByte(value, '{')
	if brace < 0 {
		return z.plainName(value)
	}
	name := bytes.TrimRight(value[:brace], " ")
	if len(name) < 2 || name[len(name)-1] != ':' && name[len(name)-1] != '|' {
		return z.plainName(value)
	}
	mark := name[len(name)-1]
	name = name[:len(name)-1]
	if n := len(name); mark == ':' && n > 1 && name[0] == '"' && name[n-1] == '"' {
		name = name[1 : n-1]
	}
	object := value[brace:]
	if !z.appendObject(object, mark) {
		if !z.d.opt.KeepText && discretion.Quotes(object, discretion.HoldsText) {
			z.leftOut++
			return name
		}
		return value
	}
	return name
}

// plainName is the name of an event whose annotation is a text and no more.
func (z *zipkin) plainName(value []byte) []byte {
	open := bytes.IndexAny(value, "{[")
	if z.d.opt.KeepText || open < 0 || !discretion.Quotes(value[open:], discretion.HoldsText) {
		return value
	}
	z.leftOut++
	return discretion.LeftOut(nil, len(value))
}

// appendObject appends the members of the object that text begins with to the parts of
// the draft. It returns false when the object is cut off, or something else than its mark
// and a number is behind it.
func (z *zipkin) appendObject(text []byte, mark byte) bool {
	var k scanner
	end, state := k.run(text, 0, true)
	if state != scanDone {
		return false
	}
	rest := bytes.TrimSpace(text[end:])
	if mark == '|' {
		if len(rest) < 2 || rest[0] != '|' || len(bytes.Trim(rest[1:], "0123456789")) > 0 {
			return false
		}
	} else if len(rest) > 0 {
		return false
	}
	c := cursor{buf: text[:end]}
	c.enter('{')
	for key, ok := c.member(); ok; key, ok = c.member() {
		v, quoted, ok := c.scalar()
		value := plainValue(v, quoted)
		if !ok {
			value = table.Value{Type: table.ValueString, Text: v}
		}
		z.draft.parts = z.attribute(z.draft.parts, key, value)
	}
	return true
}
