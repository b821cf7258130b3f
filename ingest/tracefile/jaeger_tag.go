package tracefile

import (
	"bytes"

	"github.com/tailpath/tailpath/ingest/table"
)

// tagUse says what tags are read for.
type tagUse uint8

const (
	tagPlain  tagUse = 0
	tagSpan   tagUse = 1 << iota // those of a span, some of which are fields
	tagDotted                    // names have @ in the place of dots, as Elasticsearch wants them
)

// tags takes tags, an array of objects or one object by name, and appends them to a list.
func (j *jaeger) tags(to []table.Attr, use tagUse) []table.Attr {
	c := &j.c
	switch c.peek() {
	case '[':
		c.enter('[')
		for c.item() {
			if c.peek() != '{' {
				c.skip()
				j.badParts++
				continue
			}
			c.enter('{')
			to = j.tag(to, use)
		}
	case '{':
		c.enter('{')
		for key, ok := c.member(); ok; key, ok = c.member() {
			if use&tagDotted != 0 && bytes.IndexByte(key, '@') >= 0 {
				key = bytes.ReplaceAll(key, []byte("@"), []byte("."))
			}
			text, quoted, ok := c.scalar()
			v := plainValue(text, quoted)
			if !ok {
				v = table.Value{Type: table.ValueString, Text: text}
				j.repaired++
			}
			to = j.addTag(to, use, key, v)
		}
	default:
		if text, _, ok := c.scalar(); !ok || len(text) > 0 {
			j.badParts++
		}
	}
	return to
}

// tag takes the rest of one tag: its key, its value, and the type of that, or in the
// JSON of Jaeger's protobuf a value under the name of its type.
func (j *jaeger) tag(to []table.Attr, use tagUse) []table.Attr {
	c := &j.c
	var key, typ, named, text []byte
	var quoted bool
	scalar, there := true, false
	for name, ok := c.member(); ok; name, ok = c.member() {
		switch string(name) {
		case "key":
			key, _, _ = c.scalar()
			continue
		case "type", "vType", "v_type":
			typ, _, _ = c.scalar()
			continue
		case "value":
		case "vStr", "v_str":
			named = typeString
		case "vBool", "v_bool":
			named = typeBool
		case "vInt64", "v_int64":
			named = typeInt64
		case "vFloat64", "v_float64":
			named = typeFloat64
		case "vBinary", "v_binary":
			named = typeBinary
		default:
			c.skip()
			continue
		}
		there = true
		text, quoted, scalar = c.scalar()
	}
	if !there { // the JSON of protobuf leaves out what is zero
		switch string(typ) {
		case "BOOL":
			text = []byte("false")
		case "INT64", "FLOAT64":
			text = []byte("0")
		default:
			text, quoted = []byte{}, true
		}
	}
	if named != nil {
		typ = named
	}
	if !scalar {
		j.repaired++
		return j.addTag(to, use, key, table.Value{Type: table.ValueString, Text: text})
	}
	v, bent := typedValue(typ, text, quoted)
	if bent {
		j.repaired++
	}
	return j.addTag(to, use, key, v)
}

// Types of tags in the JSON of Jaeger's protobuf.
var (
	typeString  = []byte("STRING")
	typeBool    = []byte("BOOL")
	typeInt64   = []byte("INT64")
	typeFloat64 = []byte("FLOAT64")
	typeBinary  = []byte("BINARY")
)

func (j *jaeger) addTag(to []table.Attr, use tagUse, key []byte, v table.Value) []table.Attr {
	if use&tagSpan != 0 && j.field(key, v) {
		return to
	}
	return j.attribute(to, key, v)
}
