package tracefile

import (
	"strconv"

	"github.com/tailpath/tailpath/ingest/table"
)

// zipkinShape is where the spans of Zipkin lie: in an array, in an array of traces, or
// one a line.
var zipkinShape = shape{containers: []string{"data", "spans", "traces"}, is: isZipkinSpan}

func sniffZipkin(head []byte, whole bool) bool {
	return sniffElements(head, whole, &zipkinShape, isZipkinSpan)
}

// isZipkinSpan reports whether an object is a span of Zipkin as far as it is there.
func isZipkinSpan(raw []byte) bool {
	var id, trace, more bool // more: what no line of a log has
	var c cursor
	c.reset(raw)
	if !c.enter('{') {
		return false
	}
	for key, ok := c.member(); ok; key, ok = c.member() {
		switch string(key) {
		case "id":
			id = true
		case "traceId":
			trace = true
		case "timestamp", "duration":
			text, _, _ := c.scalar()
			_, number := readMicros(text)
			more = more || number
			continue
		case "localEndpoint", "annotations", "binaryAnnotations":
			if bracket := c.peek(); bracket == '{' || bracket == '[' {
				more = true
			}
		case "spanId", "spanID", "operationName", "startTimeUnixNano", "level", "severity", "message", "msg":
			return false
		}
		c.skip()
	}
	return id && trace && more
}

// zipkin reads the spans of Zipkin, of version 2 and of version 1.
type zipkin struct {
	*spanWriter
	c         cursor
	endpoints map[string]int32 // resources of endpoints by their JSON
	span      zipkinSpan
	list      []table.Attr
	trouble   string
	badParts  int
}

// zipkinSpan is one span as it is written. Its texts are borrowed.
type zipkinSpan struct {
	id, trace       bool // it has one
	kind            uint8
	start, duration int64  // ns; table.Missing for none
	local, remote   []byte // JSON of endpoints
	annotations     []zipkinAnnotation
	binary          []zipkinBinary
	tags            []zipkinTag
}

// zipkinAnnotation is what happened at a time, of version 1 with where.
type zipkinAnnotation struct {
	time     int64 // ns; table.Missing for none
	value    []byte
	endpoint []byte // JSON
}

// zipkinTag is a tag as it is written.
type zipkinTag struct {
	key   []byte
	value table.Value
}

// zipkinBinary is a binary annotation of version 1: a tag, or with an address for a name
// the other side of a call.
type zipkinBinary struct {
	zipkinTag
	endpoint []byte // JSON
}

func newZipkin(d *Decoder) handler {
	return &zipkin{spanWriter: newSpanWriter(d), endpoints: map[string]int32{}}
}

func (z *zipkin) open(table.Place)                   {}
func (z *zipkin) member(string, []byte, table.Place) {}
func (z *zipkin) close(bool)                         {}
func (z *zipkin) end(bool)                           {}

// element reads a span, which of version 1 may be both halves of a call.
func (z *zipkin) element(raw []byte, at table.Place) bool {
	z.draft.reset()
	p := &z.span
	*p = zipkinSpan{start: table.Missing, duration: table.Missing,
		annotations: p.annotations[:0], binary: p.binary[:0], tags: p.tags[:0]}
	z.trouble, z.badParts = "", 0
	z.readSpan(raw)
	switch {
	case !p.id || !p.trace && p.start == table.Missing:
		z.forget()
		return false
	case z.trouble != "":
		z.forget()
		z.d.bad(at, z.trouble)
		return true
	}
	if z.haveHalves() {
		z.addHalves(at)
	} else {
		z.addWhole(at)
	}
	if s := &z.draft; s.traceID == (table.TraceID{}) || s.spanID == (table.SpanID{}) {
		z.d.account.Add(EmptyID, 1, at, "a span has no trace id or no span id")
	}
	z.noteRepairs(at)
	if z.badParts > 0 {
		z.d.account.Add(BadPart, int64(z.badParts), at, "a tag, annotation or endpoint of a span has a JSON type that cannot be read")
	}
	return true
}

// addWhole adds the span as one row.
func (z *zipkin) addWhole(at table.Place) {
	s, p := &z.draft, &z.span
	s.kind = p.kind
	for _, t := range p.tags {
		z.addTag(t)
	}
	for _, a := range p.annotations {
		z.addEvent(a)
	}
	z.addRemote(p.remote)
	z.finish(p.start, p.duration, p.local, at)
}

// addTag makes a tag an attribute, or the field that it is.
func (z *zipkin) addTag(t zipkinTag) {
	if !z.field(t.key, t.value) {
		z.draft.attributes = z.attribute(z.draft.attributes, t.key, t.value)
	}
}

func (z *zipkin) addEvent(a zipkinAnnotation) {
	if a.time == table.Missing {
		z.badParts++
		return
	}
	s := &z.draft
	e := eventDraft{time: a.time, from: len(s.parts)}
	e.name = z.eventOf(a.value)
	e.to = len(s.parts)
	s.events = append(s.events, e)
}

// finish adds the draft with its times in ns. A span without a start has no more than a
// length: it is put at 0 of a clock of its own. One without a duration never ended.
func (z *zipkin) finish(start, duration int64, local []byte, at table.Place) {
	s := &z.draft
	if start == table.Missing {
		for _, e := range s.events {
			if start == table.Missing || e.time < start {
				start = e.time
			}
		}
	}
	switch {
	case start == table.Missing && duration == table.Missing:
		z.d.bad(at, "it has neither timestamp nor duration")
		return
	case start == table.Missing:
		start, s.clock = 0, table.ClockNone
		z.d.account.Add(ZipkinNoStart, 1, at, "a span has a duration, but no timestamp")
	case duration == table.Missing:
		z.d.account.Add(ZipkinNoEnd, 1, at, "a span has a timestamp, but no duration")
	}
	s.start, s.end = start, 0
	if duration != table.Missing {
		var ok bool
		if s.end, ok = endOf(start, duration); !ok {
			z.d.bad(at, needZipkinEnd)
			return
		}
	}
	resource := z.endpoint(local)
	row := z.add(at)
	z.d.set.Spans.ScopeRow[row] = z.scopeRow(scopeKey{resource, s.scope, s.version})
}

// endpoint returns the resource of an endpoint. Its address is its host, and with the
// port its instance.
func (z *zipkin) endpoint(raw []byte) int32 {
	if n, ok := z.endpoints[string(raw)]; ok {
		return n
	}
	e := z.readEndpoint(raw)
	var r resource
	list := z.list[:0]
	list = z.appendText(list, "service.name", e.service)
	list = z.appendText(list, "network.local.address", e.address)
	if e.port > 0 {
		list = append(list, table.Attr{Key: z.d.set.Symbols.Intern("network.local.port"), Value: table.IntValue(e.port)})
	}
	if r.list, z.list = list, list; len(e.address) > 0 {
		r.host = z.d.set.Symbols.InternBytes(e.address)
		if e.port > 0 {
			r.instance = z.d.set.Symbols.Intern(string(e.address) + ":" + strconv.FormatInt(e.port, 10))
		}
	}
	n := z.resource(r)
	if len(z.endpoints) < maxCached {
		z.endpoints[string(raw)] = n
	}
	return n
}

// addRemote makes attributes of the other side of a call.
func (z *zipkin) addRemote(raw []byte) {
	if len(raw) == 0 {
		return
	}
	e := z.readEndpoint(raw)
	list := z.appendText(z.draft.attributes, "peer.service", e.service)
	list = z.appendText(list, "network.peer.address", e.address)
	if e.port > 0 {
		list = append(list, table.Attr{Key: z.d.set.Symbols.Intern("network.peer.port"), Value: table.IntValue(e.port)})
	}
	z.draft.attributes = list
}

func (z *zipkin) appendText(list []table.Attr, key string, text []byte) []table.Attr {
	if len(text) == 0 {
		return list
	}
	return append(list, table.Attr{Key: z.d.set.Symbols.Intern(key), Value: table.Value{Type: table.ValueString, Text: text}})
}

// zipkinEndpoint is one side of a call.
type zipkinEndpoint struct {
	service, address []byte
	port             int64
}

// readEndpoint reads an endpoint, which is JSON that stands in the span.
func (z *zipkin) readEndpoint(raw []byte) (e zipkinEndpoint) {
	c := cursor{buf: raw}
	var six []byte
	if len(raw) == 0 || !c.enter('{') {
		return e
	}
	for name, ok := c.member(); ok; name, ok = c.member() {
		text, _, ok := c.scalar()
		if !ok {
			continue
		}
		switch string(name) {
		case "serviceName":
			e.service = text
		case "ipv4":
			e.address = text
		case "ipv6":
			six = text
		case "port":
			e.port, _ = readInt(text)
			e.port &= 1<<16 - 1 // version 1 writes it signed
		}
	}
	if len(e.address) == 0 {
		e.address = six
	}
	return e
}
