package tracefile

import "github.com/tailpath/tailpath/ingest/table"

// half is the part of a span of version 1 that one side of a call recorded. What it is
// shows from its core annotations, which are its ends.
type half struct {
	kind       uint8
	start, end string // values of the core annotations
	address    string // binary annotation that has the other side
}

// halves are the sides of calls and of messages. The kinds are by their place in
// table.KindNames.
var halves = [...]half{
	{3, "cs", "cr", "sa"},
	{2, "sr", "ss", "ca"},
	{4, "ms", "", "ma"},
	{5, "", "mr", "ma"},
}

// haveHalves reports whether the span is one of version 1.
func (z *zipkin) haveHalves() bool {
	if len(z.span.binary) > 0 {
		return true
	}
	for i := range z.span.annotations {
		a := &z.span.annotations[i]
		if a.endpoint != nil || isCore(a.value) {
			return true
		}
	}
	return false
}

func isCore(value []byte) bool {
	if len(value) != 2 {
		return false
	}
	for _, h := range halves {
		if string(value) == h.start || string(value) == h.end {
			return true
		}
	}
	return false
}

// annotation returns the first annotation of a value, nil if there is none.
func (z *zipkin) annotation(value string) *zipkinAnnotation {
	for i := range z.span.annotations {
		if a := &z.span.annotations[i]; value != "" && string(a.value) == value {
			return a
		}
	}
	return nil
}

// foundHalf is a half that the span has.
type foundHalf struct {
	half
	first, last *zipkinAnnotation // nil for none
	endpoint    []byte            // JSON
	service     []byte
}

// addHalves adds a span of version 1: a row for each half, or one if there is none.
// Tags and other annotations belong to the half whose service they name, else to the
// first.
func (z *zipkin) addHalves(at table.Place) {
	p := &z.span
	var found []foundHalf
	for _, h := range halves {
		f := foundHalf{half: h, first: z.annotation(h.start), last: z.annotation(h.end)}
		if f.first == nil && f.last == nil {
			continue
		}
		for _, a := range []*zipkinAnnotation{f.last, f.first} {
			if a != nil && a.endpoint != nil {
				f.endpoint = a.endpoint
			}
		}
		f.service = z.readEndpoint(f.endpoint).service
		found = append(found, f)
	}
	if len(found) == 0 {
		found = []foundHalf{{half: half{kind: p.kind}, endpoint: z.anyEndpoint()}}
	}
	shared := z.draft
	for n := range found {
		s, f := &z.draft, &found[n]
		traceID, spanID, parentID, name := shared.traceID, shared.spanID, shared.parentID, shared.name
		s.reset()
		s.traceID, s.spanID, s.parentID, s.name, s.kind = traceID, spanID, parentID, name, f.kind
		for _, b := range p.binary {
			switch string(b.key) {
			case f.address:
				if b.endpoint != nil && f.address != "" {
					z.addRemote(b.endpoint)
				}
			case "sa", "ca", "ma": // of the other half
			case "lc":
				if len(b.value.Text) > 0 && ownerOf(found, z.readEndpoint(b.endpoint).service) == n {
					z.addTag(b.zipkinTag)
				}
			default:
				if ownerOf(found, z.readEndpoint(b.endpoint).service) == n {
					z.addTag(b.zipkinTag)
				}
			}
		}
		for _, t := range p.tags {
			z.addTag(t)
		}
		for _, a := range p.annotations {
			if !isCore(a.value) && ownerOf(found, z.readEndpoint(a.endpoint).service) == n {
				z.addEvent(a)
			}
		}
		start, duration := z.timesOf(f, len(found) > 1)
		z.finish(start, duration, f.endpoint, at)
	}
}

// ownerOf returns the half of a service, the first if it is none.
func ownerOf(found []foundHalf, service []byte) int {
	for n := range found {
		if len(service) > 0 && string(found[n].service) == string(service) {
			return n
		}
	}
	return 0
}

// timesOf returns start and duration of a half. The times of the span are those of who
// made it: of the client, or of the only half.
func (z *zipkin) timesOf(f *foundHalf, several bool) (start, duration int64) {
	p := &z.span
	start, duration = p.start, p.duration
	server := f.kind == kindServer || f.kind == 5
	if start != table.Missing && duration != table.Missing && !(several && server) {
		return start, duration
	}
	if f.first != nil && f.first.time != table.Missing {
		start = f.first.time
	} else if f.last != nil && f.first == nil && (several && server || start == table.Missing) {
		start = f.last.time // a message has no more than one end on each side
	}
	if f.first != nil && f.last != nil && f.first.time != table.Missing && f.last.time != table.Missing {
		return start, f.last.time - f.first.time
	}
	if several && server {
		duration = table.Missing
	}
	if f.start == "" || f.end == "" { // a message is an instant
		duration = max(duration, 0)
	}
	return start, duration
}

// anyEndpoint returns the first endpoint of a span that has no core annotation.
func (z *zipkin) anyEndpoint() []byte {
	for _, b := range z.span.binary {
		switch string(b.key) {
		case "sa", "ca", "ma":
		default:
			if b.endpoint != nil {
				return b.endpoint
			}
		}
	}
	for _, a := range z.span.annotations {
		if a.endpoint != nil {
			return a.endpoint
		}
	}
	return z.span.local
}
