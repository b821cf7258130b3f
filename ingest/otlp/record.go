package otlp

import "github.com/tailpath/tailpath/ingest/table"

// span is one span before it becomes a row. Its texts are borrowed.
type span struct {
	traceID          table.TraceID
	spanID, parentID table.SpanID
	name             []byte
	message          []byte // status description
	traceState       []byte
	kind, status     uint8
	start, end       int64 // ns
	flags            int64
	lostAttributes   int64 // dropped counts
	lostEvents       int64
	lostLinks        int64
	attributes       []table.Attr
	events           []event
	links            []link
	parts            []table.Attr // attributes of events and links
}

func (r *span) reset() {
	*r = span{attributes: r.attributes[:0], events: r.events[:0], links: r.links[:0], parts: r.parts[:0]}
}

// event is one event of a span; its attributes are parts[from:to].
type event struct {
	time     int64 // ns
	name     []byte
	dropped  int64
	from, to int
}

// link is one link of a span; its attributes are parts[from:to].
type link struct {
	traceID    table.TraceID
	spanID     table.SpanID
	traceState []byte
	flags      int64
	dropped    int64
	from, to   int
}

// logRecord is one log record before it becomes a row. Its texts are borrowed.
type logRecord struct {
	time, observed int64 // ns
	traceID        table.TraceID
	spanID         table.SpanID
	flags          int64
	severity       int64
	severityText   []byte
	eventName      []byte
	dropped        int64
	body           table.Value
	attributes     []table.Attr
}

func (r *logRecord) reset() { *r = logRecord{attributes: r.attributes[:0]} }

// addSpan appends d.span to the tables. Its scope row is set at the end of its resource.
func (d *Decoder) addSpan(at table.Place) {
	r, t := &d.span, &d.set.Spans
	i := t.Grow()
	t.TraceID[i], t.SpanID[i], t.ParentID[i] = r.traceID, r.spanID, r.parentID
	t.Name[i] = d.set.Symbols.InternBytes(d.spanName(r.name))
	t.Kind[i], t.Status[i] = r.kind, r.status
	t.Start[i], t.End[i] = r.start, r.end
	if len(r.message) > 0 {
		t.StatusMessage[i] = string(r.message)
	}
	if len(r.traceState) > 0 {
		t.TraceState[i] = d.set.Symbols.InternBytes(r.traceState)
	}
	t.Flags[i] = r.flags
	t.Dropped[i] = r.lostAttributes + r.lostEvents + r.lostLinks
	t.Source[i], t.Offset[i] = d.origin, at.Offset
	t.Line[i] = lineOrMissing(at)
	d.store(&t.Attributes, r.attributes)
	d.promote.Fill(d.set, i, r.attributes)
	d.addEvents(i)
	d.addLinks(i)
	d.noteLeftOut(at)
	d.stats.Spans++
	if r.traceID == (table.TraceID{}) || r.spanID == (table.SpanID{}) {
		d.account.Add(EmptyID, 1, at, "a span has no trace id or no span id")
	}
}

func (d *Decoder) addEvents(row int) {
	t := &d.set.SpanEvents
	for _, e := range d.span.events {
		i := t.Grow()
		t.SpanRow[i] = int32(row)
		t.Time[i] = e.time
		t.Name[i] = d.set.Symbols.InternBytes(e.name)
		t.Dropped[i] = e.dropped
		d.store(&t.Attributes, d.span.parts[e.from:e.to])
	}
}

func (d *Decoder) addLinks(row int) {
	t := &d.set.SpanLinks
	for _, l := range d.span.links {
		i := t.Grow()
		t.SpanRow[i] = int32(row)
		t.TraceID[i], t.SpanID[i] = l.traceID, l.spanID
		t.TraceState[i] = d.set.Symbols.InternBytes(l.traceState)
		t.Flags[i], t.Dropped[i] = l.flags, l.dropped
		d.store(&t.Attributes, d.span.parts[l.from:l.to])
	}
}

// addLog appends d.log to the logs table. OTLP writes 0 for a time that is not known.
func (d *Decoder) addLog(at table.Place) {
	r, t := &d.log, &d.set.Logs
	i := t.Grow()
	if r.time != 0 {
		t.Time[i] = r.time
	}
	if r.observed != 0 {
		t.Observed[i] = r.observed
	}
	t.TraceID[i], t.SpanID[i] = r.traceID, r.spanID
	t.Flags[i], t.Severity[i], t.Dropped[i] = r.flags, r.severity, r.dropped
	t.SeverityText[i] = d.set.Symbols.InternBytes(r.severityText)
	t.EventName[i] = d.set.Symbols.InternBytes(r.eventName)
	switch {
	case r.body.Type == table.ValueEmpty:
	case d.opt.KeepText:
		t.Body.Add(0, r.body)
	default:
		d.withholder.left, d.withholder.first = 1, "the body of a log record"
	}
	d.store(&t.Attributes, r.attributes)
	t.Source[i], t.Offset[i] = d.origin, at.Offset
	t.Line[i] = lineOrMissing(at)
	d.noteLeftOut(at)
	d.stats.Logs++
	if d.opt.Line != nil {
		d.line(i, at)
	}
}

func lineOrMissing(at table.Place) int64 {
	if at.Line == 0 {
		return table.Missing
	}
	return at.Line
}
