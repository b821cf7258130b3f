package tracefile

import (
	"bytes"

	"github.com/tailpath/tailpath/ingest/table"
)

// jaegerShape is where the spans of Jaeger lie: in the answers of its query API and what
// its UI saves, in the hits of an Elasticsearch query, or nowhere but in lines or arrays.
var jaegerShape = shape{
	containers: []string{"data", "spans", "hits", "_source"},
	kept:       []string{"processes", "processMap", "process_map"},
	is:         isJaegerSpan,
}

func sniffJaeger(head []byte, whole bool) bool {
	return sniffElements(head, whole, &jaegerShape, isJaegerSpan) || whole && isJaegerAnswer(head)
}

// isJaegerAnswer knows an answer of the query API without a span in it: it found nothing
// or failed.
func isJaegerAnswer(head []byte) bool {
	var known int
	members(bytes.TrimPrefix(head, byteOrderMark), func(name, _ []byte) {
		switch string(name) {
		case "data", "total", "limit", "offset", "errors":
			known++
		}
	})
	return known == 5
}

// isJaegerSpan reports whether an object is a span of Jaeger as far as it is there. No
// part of a span has both an id and a name of its own.
func isJaegerSpan(raw []byte) bool {
	var id, name bool
	var c cursor
	c.reset(raw)
	if !c.enter('{') {
		return false
	}
	for key, ok := c.member(); ok && !(id && name); key, ok = c.member() {
		switch string(key) {
		case "spanID", "spanId", "span_id":
			id = true
		case "operationName", "operation_name":
			name = true
		case "references", "processID", "processId", "startTimeMillis":
			name = true
		}
		c.skip()
	}
	return id && name
}

// jaeger reads the spans of Jaeger.
type jaeger struct {
	*spanWriter
	c       cursor
	list    []table.Attr // of the process that is being read
	traces  []jaegerTrace
	pending []pendingSpan
	cached  map[string]int32 // resources of processes in spans by their JSON

	refs     []jaegerRef
	process  int32  // resource of the span, -1 when its process is named by an id
	id       []byte // of the process
	trouble  string // what makes the span unreadable
	badParts int    // of the span
	warnings int
	adjusted int
}

// jaegerTrace is an object around spans. Its processes may stand behind them, so the
// spans get their scope at its end.
type jaegerTrace struct {
	from      int // in pending
	at        table.Place
	ids       map[string]int32 // numbers of process ids
	resources []int32          // by number; -1 for one that is not known
}

// pendingSpan is a span that waits for its process.
type pendingSpan struct {
	row     int32
	process int32 // number of its id
	scope   table.Sym
	version table.Sym
}

// jaegerRef is a reference to another span.
type jaegerRef struct {
	traceID table.TraceID
	spanID  table.SpanID
	follows bool
	own     bool // it names no trace
}

// maxCached is how many processes in spans are known by their JSON.
const maxCached = 1 << 12

func newJaeger(d *Decoder) handler {
	return &jaeger{spanWriter: newSpanWriter(d), cached: map[string]int32{}}
}

func (j *jaeger) open(at table.Place) {
	j.traces = append(j.traces, jaegerTrace{from: len(j.pending), at: at})
}

// member reads the processes of a trace.
func (j *jaeger) member(_ string, raw []byte, at table.Place) {
	j.badParts = 0
	j.readProcesses(raw)
	j.noteRepairs(at)
	j.count(BadPart, j.badParts, at, "a tag of a process has a JSON type that cannot be read")
}

// close gives the spans of a trace their scopes.
func (j *jaeger) close(bool) {
	t := &j.traces[len(j.traces)-1]
	lost := 0
	for _, p := range j.pending[t.from:] {
		resource := t.resources[p.process]
		if resource < 0 {
			resource = j.resource(noResource)
			lost++
		}
		j.d.set.Spans.ScopeRow[p.row] = j.scopeRow(scopeKey{resource, p.scope, p.version})
	}
	if lost > 0 {
		j.d.account.Add(JaegerNoProcess, int64(lost), t.at, "the trace has no process of the id that a span names")
	}
	j.pending = j.pending[:t.from]
	j.traces = j.traces[:len(j.traces)-1]
}

func (j *jaeger) end(bool) {}

// noResource is the resource of spans of which nothing is known.
var noResource = resource{}

// number returns the number of a process id in the innermost trace.
func (t *jaegerTrace) number(id []byte) int32 {
	n, ok := t.ids[string(id)]
	if !ok {
		if t.ids == nil {
			t.ids = map[string]int32{}
		}
		n = int32(len(t.resources))
		t.ids[string(id)] = n
		t.resources = append(t.resources, -1)
	}
	return n
}

// readProcesses reads the processes of a trace: an object by id, or an array in which
// each has its id beside it.
func (j *jaeger) readProcesses(raw []byte) {
	t, c := &j.traces[len(j.traces)-1], &j.c
	c.reset(raw)
	switch c.peek() {
	case '{':
		c.enter('{')
		for id, ok := c.member(); ok; id, ok = c.member() {
			n := t.number(id)
			t.resources[n] = j.readProcess()
		}
	case '[':
		c.enter('[')
		for c.item() {
			if !c.enter('{') {
				continue
			}
			var id []byte
			process := int32(-1)
			for name, ok := c.member(); ok; name, ok = c.member() {
				switch string(name) {
				case "processId", "process_id", "processID":
					id, _, _ = c.scalar()
				case "process":
					process = j.readProcess()
				default:
					c.skip()
				}
			}
			t.resources[t.number(id)] = process
		}
	}
}

// readProcess reads a process and returns the number of its resource.
func (j *jaeger) readProcess() int32 {
	c := &j.c
	if !c.enter('{') {
		return j.resource(noResource)
	}
	list := append(j.list[:0], table.Attr{Key: j.d.set.Symbols.Intern("service.name")})
	for name, ok := c.member(); ok; name, ok = c.member() {
		switch string(name) {
		case "serviceName", "service_name":
			if text, _, ok := c.scalar(); ok && len(text) > 0 {
				list[0].Value = table.Value{Type: table.ValueString, Text: text}
			}
		case "tags":
			list = j.tags(list, tagPlain)
		case "tag":
			list = j.tags(list, tagDotted)
		default:
			c.skip()
		}
	}
	j.list = list
	if list[0].Value.Type == table.ValueEmpty {
		list = list[1:]
	}
	r := resource{list: list}
	for _, a := range list {
		switch text, _ := a.Value.Scalar(); j.d.set.Symbols.Text(a.Key) {
		case "hostname":
			r.host = j.d.set.Symbols.InternBytes(text)
		case "ip":
			if r.host == 0 {
				r.host = j.d.set.Symbols.InternBytes(text)
			}
		case "client-uuid":
			r.instance = j.d.set.Symbols.InternBytes(text)
		}
	}
	return j.resource(r)
}

// processOf returns the resource of a process that stands in a span.
func (j *jaeger) processOf() int32 {
	c := &j.c
	c.peek()
	from := c.pos
	raw := c.skip()
	if n, ok := j.cached[string(raw)]; ok {
		return n
	}
	c.pos = from
	n := j.readProcess()
	if len(j.cached) < maxCached {
		j.cached[string(raw)] = n
	}
	return n
}

// element reads a span.
func (j *jaeger) element(raw []byte, at table.Place) bool {
	j.draft.reset()
	j.refs, j.process, j.id, j.trouble = j.refs[:0], -1, nil, ""
	j.badParts, j.warnings, j.adjusted = 0, 0, 0
	if !j.readSpan(raw) {
		j.forget()
		return bytes.Contains(raw, []byte(`"spans"`)) // a trace without any
	}
	if j.trouble != "" {
		j.forget()
		j.d.bad(at, j.trouble)
		return true
	}
	j.relate()
	row := int32(j.add(at))
	s := &j.draft
	if s.traceID == (table.TraceID{}) || s.spanID == (table.SpanID{}) {
		j.d.account.Add(EmptyID, 1, at, "a span has no trace id or no span id")
	}
	switch {
	case j.process >= 0:
		j.d.set.Spans.ScopeRow[row] = j.scopeRow(scopeKey{j.process, s.scope, s.version})
	case len(j.traces) == 0:
		j.d.set.Spans.ScopeRow[row] = j.scopeRow(scopeKey{j.resource(noResource), s.scope, s.version})
		j.d.account.Add(JaegerNoProcess, 1, at, "a span without a trace around it has no process in it")
	default:
		t := &j.traces[len(j.traces)-1]
		j.pending = append(j.pending, pendingSpan{row, t.number(j.id), s.scope, s.version})
	}
	j.noteRepairs(at)
	j.count(BadPart, j.badParts, at, "a tag, log or reference of a span has a JSON type that cannot be read")
	j.count(JaegerWarning, j.warnings, at, "a span has warnings")
	j.count(JaegerAdjusted, j.adjusted, at, "a warning of a span tells that its times were adjusted")
	return true
}

func (j *jaeger) count(is table.Issue, n int, at table.Place, detail string) {
	if n > 0 {
		j.d.account.Add(is, int64(n), at, detail)
	}
}

// relate turns the references of a span into its parent and links. The parent is the
// first CHILD_OF of the own trace, else parentSpanID, else the first FOLLOWS_FROM of the
// own trace, which is a link as well: that is how the span is known not to be waited for.
func (j *jaeger) relate() {
	s := &j.draft
	parent := -1
	for i := range j.refs {
		r := &j.refs[i]
		if r.own {
			r.traceID = s.traceID
		}
		if parent < 0 && !r.follows && r.traceID == s.traceID && r.spanID != (table.SpanID{}) {
			parent = i
		}
	}
	if parent >= 0 {
		s.parentID = j.refs[parent].spanID
	}
	for i, r := range j.refs {
		if r.spanID == (table.SpanID{}) || i == parent {
			continue
		}
		own := r.traceID == s.traceID
		if own && !r.follows && r.spanID == s.parentID {
			continue
		}
		if own && r.follows && s.parentID == (table.SpanID{}) {
			s.parentID = r.spanID
		}
		kind := 0
		if r.follows {
			kind = 1
		}
		from := len(s.parts)
		s.parts = append(s.parts, table.Attr{Key: j.refType, Value: j.refTypes[kind]})
		s.links = append(s.links, linkDraft{r.traceID, r.spanID, from, len(s.parts)})
	}
}
