package tracefile

import "github.com/tailpath/tailpath/ingest/table"

// What the fields of a span must be; used as the reason when they are not.
const (
	needTimestamp      = "timestamp is no number of µs up to the year 2262"
	needZipkinDuration = "duration is no number of µs"
	needZipkinEnd      = "timestamp and duration give an end that is no date up to the year 2262"
)

// readSpan reads the members of a span.
func (z *zipkin) readSpan(raw []byte) {
	c, s, p := &z.c, &z.draft, &z.span
	c.reset(raw)
	c.enter('{')
	for name, ok := c.member(); ok; name, ok = c.member() {
		switch string(name) {
		case "traceId":
			p.trace = z.readID(s.traceID[:]) || p.trace
		case "id":
			p.id = z.readID(s.spanID[:]) || p.id
		case "parentId":
			z.readID(s.parentID[:])
		case "name":
			s.name, _, _ = c.scalar()
		case "kind":
			text, _, _ := c.scalar()
			p.kind = named(table.KindNames, text)
		case "timestamp":
			if p.start = z.micros(needTimestamp); p.start == 0 { // how writers say that there is none
				p.start = table.Missing
			}
		case "duration":
			p.duration = z.micros(needZipkinDuration)
		case "localEndpoint":
			p.local = z.object()
		case "remoteEndpoint":
			p.remote = z.object()
		case "annotations":
			z.readAnnotations()
		case "binaryAnnotations":
			z.readBinary()
		case "tags":
			z.readTags()
		default:
			c.skip()
		}
	}
}

// readID takes an id and reports whether there is one.
func (z *zipkin) readID(id []byte) bool {
	text, _, ok := z.c.scalar()
	if !ok || len(text) == 0 {
		return false
	}
	foreign, ok := readID(id, text)
	if foreign {
		z.foreign++
	}
	return ok
}

// micros takes µs as ns; null is table.Missing.
func (z *zipkin) micros(need string) int64 {
	text, _, ok := z.c.scalar()
	if ok && len(text) == 0 {
		return table.Missing
	}
	ns, fits := readMicros(text)
	if !ok || !fits {
		z.trouble = need
		return table.Missing
	}
	return ns
}

// object takes the JSON of an object; null is none.
func (z *zipkin) object() []byte {
	c := &z.c
	if c.peek() == '{' {
		return c.skip()
	}
	if text, _, _ := c.scalar(); text != nil {
		z.badParts++
	}
	return nil
}

// each takes an array of objects and calls read behind the opening brace of each.
func (z *zipkin) each(read func()) {
	c := &z.c
	if c.peek() != '[' {
		if text, _, _ := c.scalar(); text != nil {
			z.badParts++
		}
		return
	}
	c.enter('[')
	for c.item() {
		if c.peek() != '{' {
			c.skip()
			z.badParts++
			continue
		}
		c.enter('{')
		read()
	}
}

func (z *zipkin) readAnnotations() {
	c := &z.c
	z.each(func() {
		a := zipkinAnnotation{time: table.Missing}
		for name, ok := c.member(); ok; name, ok = c.member() {
			switch string(name) {
			case "timestamp":
				if text, _, ok := c.scalar(); ok && len(text) > 0 {
					if ns, ok := readMicros(text); ok {
						a.time = ns
					}
				}
			case "value":
				a.value, _, _ = c.scalar()
			case "endpoint":
				a.endpoint = z.object()
			default:
				c.skip()
			}
		}
		z.span.annotations = append(z.span.annotations, a)
	})
}

func (z *zipkin) readBinary() {
	c := &z.c
	z.each(func() {
		var b zipkinBinary
		for name, ok := c.member(); ok; name, ok = c.member() {
			switch string(name) {
			case "key":
				b.key, _, _ = c.scalar()
			case "value":
				text, quoted, ok := c.scalar()
				b.value = plainValue(text, quoted)
				if !ok {
					b.value = table.Value{Type: table.ValueString, Text: text}
					z.repaired++
				}
			case "endpoint":
				b.endpoint = z.object()
			default:
				c.skip()
			}
		}
		z.span.binary = append(z.span.binary, b)
	})
}

// readTags takes tags, which are texts by name. Others are kept as what they are.
func (z *zipkin) readTags() {
	c, p := &z.c, &z.span
	if c.peek() != '{' {
		if text, _, _ := c.scalar(); text != nil {
			z.badParts++
		}
		return
	}
	c.enter('{')
	for key, ok := c.member(); ok; key, ok = c.member() {
		text, quoted, ok := c.scalar()
		v := plainValue(text, quoted)
		if !ok {
			v = table.Value{Type: table.ValueString, Text: text}
		}
		if !quoted {
			z.repaired++
		}
		p.tags = append(p.tags, zipkinTag{key, v})
	}
}
