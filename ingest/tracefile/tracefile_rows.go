package tracefile

import (
	"bytes"
	"encoding/binary"
	"strings"

	"github.com/tailpath/tailpath/ingest/discretion"
	"github.com/tailpath/tailpath/ingest/table"
)

// spanDraft is one span before it becomes a row. Its texts are borrowed.
type spanDraft struct {
	traceID          table.TraceID
	spanID, parentID table.SpanID
	name             []byte
	message          []byte // status description
	traceState       []byte
	kind             uint8
	status           uint8
	clock            uint8
	failed           bool   // it has an error tag
	reason           []byte // text of the error tag
	start, end       int64  // ns
	flags            int64
	scope, version   table.Sym
	attributes       []table.Attr
	events           []eventDraft
	links            []linkDraft
	parts            []table.Attr // attributes of events and links
}

func (s *spanDraft) reset() {
	*s = spanDraft{attributes: s.attributes[:0], events: s.events[:0], links: s.links[:0], parts: s.parts[:0]}
}

// eventDraft is one event of a span; its attributes are parts[from:to].
type eventDraft struct {
	time     int64 // ns
	name     []byte
	from, to int
}

// linkDraft is one link of a span; its attributes are parts[from:to].
type linkDraft struct {
	traceID  table.TraceID
	spanID   table.SpanID
	from, to int
}

// spanWriter makes rows of spans and of the scopes that they share.
type spanWriter struct {
	d         *Decoder
	promote   table.Promoter
	draft     spanDraft
	resources []resource
	byText    map[string]int32 // resources by what they hold
	scopes    map[scopeKey]int32
	lastKey   scopeKey
	lastRow   int32
	identity  []byte
	refType   table.Sym
	refTypes  [2]table.Value

	secret   []bool // by symbol: tags of that name hold text that is not stored
	leftOut  int    // texts of the span that were left out
	foreign  int    // ids of the span that are not in hex of full length
	repaired int    // values of the span that were kept in another form than theirs
}

// resource is what the spans of one process share.
type resource struct {
	list           []table.Attr
	host, instance table.Sym // where the attributes of OpenTelemetry tell none
}

// scopeKey is what makes a row of the scopes table.
type scopeKey struct {
	resource       int32
	scope, version table.Sym
}

func newSpanWriter(d *Decoder) *spanWriter {
	return &spanWriter{
		d: d, byText: map[string]int32{}, scopes: map[scopeKey]int32{}, lastKey: scopeKey{resource: -1},
		refType:  d.set.Symbols.Intern("opentracing.ref_type"),
		refTypes: [2]table.Value{table.StringValue("child_of"), table.StringValue("follows_from")},
	}
}

// resource returns the number of a resource, whose attributes are borrowed.
func (w *spanWriter) resource(r resource) int32 {
	key := binary.LittleEndian.AppendUint32(w.identity[:0], uint32(r.host))
	key = binary.LittleEndian.AppendUint32(key, uint32(r.instance))
	for _, a := range r.list {
		key = binary.AppendUvarint(key, uint64(a.Key))
		key = append(key, byte(a.Value.Type))
		key = binary.LittleEndian.AppendUint64(key, a.Value.Bits)
		key = binary.AppendUvarint(key, uint64(len(a.Value.Text)))
		key = append(key, a.Value.Text...)
	}
	w.identity = key
	n, ok := w.byText[string(key)]
	if !ok {
		n = int32(len(w.resources))
		w.byText[string(key)] = n
		list := make([]table.Attr, len(r.list))
		for i, a := range r.list {
			a.Value.Text = bytes.Clone(a.Value.Text)
			list[i] = a
		}
		r.list = list
		w.resources = append(w.resources, r)
	}
	return n
}

// scopeRow returns the row of the scopes table for a scope of a resource.
func (w *spanWriter) scopeRow(key scopeKey) int32 {
	if key == w.lastKey {
		return w.lastRow
	}
	row, ok := w.scopes[key]
	if !ok {
		t, r := &w.d.set.Scopes, &w.resources[key.resource]
		i := t.Grow()
		t.Scope[i], t.ScopeVersion[i] = key.scope, key.version
		for _, a := range r.list {
			t.ResourceAttributes.Add(a.Key, a.Value)
		}
		w.d.set.PlaceScope(i, r.list)
		if t.Host[i] == 0 {
			t.Host[i] = r.host
		}
		if t.Instance[i] == 0 {
			t.Instance[i] = r.instance
		}
		row = int32(i)
		w.scopes[key] = row
	}
	w.lastKey, w.lastRow = key, row
	return row
}

// add appends the draft to the tables and returns its row, whose scope row is not set.
func (w *spanWriter) add(at table.Place) int {
	s, t, symbols := &w.draft, &w.d.set.Spans, w.d.set.Symbols
	if s.failed && s.status == 0 {
		s.status = statusError
	}
	if len(s.message) == 0 {
		s.message = s.reason
	}
	i := t.Grow()
	t.TraceID[i], t.SpanID[i], t.ParentID[i] = s.traceID, s.spanID, s.parentID
	t.Name[i] = symbols.InternBytes(w.spanName(s.name))
	t.Kind[i], t.Status[i], t.Clock[i] = s.kind, s.status, s.clock
	t.Start[i], t.End[i], t.Flags[i] = s.start, s.end, s.flags
	if len(s.message) > 0 {
		t.StatusMessage[i] = string(s.message)
	}
	t.TraceState[i] = symbols.InternBytes(s.traceState)
	t.Source[i], t.Offset[i], t.Line[i] = w.d.origin, at.Offset, at.Line
	for _, a := range s.attributes {
		t.Attributes.Add(a.Key, a.Value)
	}
	w.promote.Fill(w.d.set, i, s.attributes)
	w.addEvents(i)
	w.addLinks(i)
	w.d.stats.Spans++
	return i
}

func (w *spanWriter) addEvents(row int) {
	t := &w.d.set.SpanEvents
	for _, e := range w.draft.events {
		i := t.Grow()
		t.SpanRow[i], t.Time[i] = int32(row), e.time
		t.Name[i] = w.d.set.Symbols.InternBytes(e.name)
		for _, a := range w.draft.parts[e.from:e.to] {
			t.Attributes.Add(a.Key, a.Value)
		}
	}
}

func (w *spanWriter) addLinks(row int) {
	t := &w.d.set.SpanLinks
	for _, l := range w.draft.links {
		i := t.Grow()
		t.SpanRow[i], t.TraceID[i], t.SpanID[i] = int32(row), l.traceID, l.spanID
		for _, a := range w.draft.parts[l.from:l.to] {
			t.Attributes.Add(a.Key, a.Value)
		}
	}
}

// noteRepairs counts what had to be bent to read a span.
func (w *spanWriter) noteRepairs(at table.Place) {
	if w.foreign > 0 {
		w.d.account.Add(ForeignID, int64(w.foreign), at, "an id is not in hex of full length")
	}
	if w.repaired > 0 {
		w.d.account.Add(RepairedValue, int64(w.repaired), at, "a tag is of another JSON type than it says")
	}
	if w.leftOut > 0 {
		w.d.account.Add(TextLeftOut, int64(w.leftOut), at, "a tag holds a prompt or an output")
	}
	w.forget()
}

// spanName returns the name of a span without the query of an address in it.
func (w *spanWriter) spanName(name []byte) []byte {
	if i := discretion.Query(name); i >= 0 && !w.d.opt.KeepText {
		w.leftOut++
		return name[:i-1]
	}
	return name
}

// forget drops the counts of a span that is left out itself.
func (w *spanWriter) forget() { w.foreign, w.repaired, w.leftOut = 0, 0, 0 }

// attribute appends a tag to a list, without its text if that is a prompt or an output.
func (w *spanWriter) attribute(to []table.Attr, key []byte, v table.Value) []table.Attr {
	sym := w.d.set.Symbols.InternBytes(key)
	if (v.Type == table.ValueString || v.Type == table.ValueBytes) && len(v.Text) > 0 && w.isSecret(sym, v.Text) {
		w.leftOut++
		v = table.Value{Type: table.ValueString, Text: discretion.LeftOut(nil, len(v.Text))}
	} else if v.Type == table.ValueString && !w.d.opt.KeepText {
		if i := discretion.Query(v.Text); i >= 0 {
			w.leftOut++
			v.Text = discretion.LeftOut(v.Text[:i:i], len(v.Text)-i)
		}
	}
	return append(to, table.Attr{Key: sym, Value: v})
}

func (w *spanWriter) isSecret(key table.Sym, text []byte) bool {
	if w.d.opt.KeepText {
		return false
	}
	for id := len(w.secret); id <= int(key); id++ {
		w.secret = append(w.secret, discretion.HoldsText(w.d.set.Symbols.Text(table.Sym(id))))
	}
	return w.secret[key] || discretion.Quotes(text, discretion.HoldsText)
}

// statusError is ERROR by its place in table.StatusNames.
const statusError = 2

// field takes a tag that is how a field of OpenTelemetry is written where the format has
// none. It returns false for any other tag, and for one whose value is not understood.
func (w *spanWriter) field(key []byte, v table.Value) bool {
	s := &w.draft
	switch string(key) {
	case "span.kind":
		n := named(table.KindNames, v.Text)
		s.kind = max(s.kind, n)
		return n > 0
	case "otel.status_code":
		n := named(table.StatusNames, v.Text)
		s.status = max(s.status, n)
		return n > 0
	case "otel.status_description":
		s.message = v.Text
		return v.Type == table.ValueString
	case "otel.scope.name", "otel.library.name":
		s.scope = w.d.set.Symbols.InternBytes(v.Text)
		return v.Type == table.ValueString
	case "otel.scope.version", "otel.library.version":
		s.version = w.d.set.Symbols.InternBytes(v.Text)
		return v.Type == table.ValueString
	case "w3c.tracestate":
		s.traceState = v.Text
		return v.Type == table.ValueString
	case "error":
		return w.failure(v)
	}
	return false
}

// failure takes an error tag: a truth, or in Zipkin the message, which stays a tag too.
// It returns true when the status says all that the tag does.
func (w *spanWriter) failure(v table.Value) bool {
	text, ok := v.Scalar()
	switch {
	case !ok:
		return false
	case strings.EqualFold(string(text), "false"), v.Type == table.ValueInt && v.Int() == 0:
		return false
	case strings.EqualFold(string(text), "true"):
		w.draft.failed = true
		return true
	}
	w.draft.failed = true
	if v.Type == table.ValueString {
		w.draft.reason = v.Text
	}
	return false
}

// named returns the place of a name in any case, 0 if it is none.
func named(names []string, text []byte) uint8 {
	for i, name := range names {
		if strings.EqualFold(name, string(text)) {
			return uint8(i)
		}
	}
	return 0
}
