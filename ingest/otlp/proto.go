package otlp

import (
	"fmt"
	"math"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailpath/tailpath/ingest/table"
)

var (
	traceReader ptrace.ProtoUnmarshaler
	logReader   plog.ProtoUnmarshaler
)

// message reads one protobuf message, an export request or a part of one. It returns
// false when the message could not be followed to its end, which is counted unless
// torn says that it is known to be cut off.
func (d *Decoder) message(msg []byte, at table.Place, torn bool) bool {
	d.nth, d.lineNth = 0, 0
	samples := d.stats.Samples
	kind, old := survey(msg)
	switch {
	case kind == other:
		d.stats.Other++
		d.issue(OtherSignal, at, "a message of profiles")
		return true
	case kind == foreign && torn:
		return false
	case kind == foreign && wellFormed(msg):
		d.stats.Unknown++
		d.issue(UnknownDocument, at, "a message that is neither traces nor logs nor metrics")
		return true
	case kind == foreign:
		d.badDocument(at, "a message is no protobuf")
		return false
	case kind == noSignal && !torn:
		d.stats.Documents++
		if hasForeignField(msg) {
			d.issue(UnknownMember, at, "a message has no record that is known, but fields that are not")
		}
		return true
	}
	ok := !torn && !old && d.whole(msg, kind, at) || d.salvage(msg, kind, at, torn)
	if kind == metrics && d.stats.Samples == samples {
		d.stats.Other++
		d.issue(OtherSignal, at, "a message of metrics without a reading")
	} else {
		d.stats.Documents++
	}
	return ok
}

// whole reads a message with pdata. It returns false, and leaves no row, when pdata
// refuses it.
func (d *Decoder) whole(msg []byte, kind signal, at table.Place) bool {
	switch kind {
	case metrics:
		md, err := metricReader.UnmarshalMetrics(msg)
		if err == nil {
			d.addMetrics(md, at)
		}
		return err == nil
	case logs:
		ld, err := logReader.UnmarshalLogs(msg)
		if err == nil {
			d.addLogs(ld, at)
		}
		return err == nil
	}
	td, err := traceReader.UnmarshalTraces(msg)
	if err == nil {
		d.addTraces(td, at)
	}
	return err == nil
}

func (d *Decoder) addTraces(td ptrace.Traces, at table.Place) {
	for _, rs := range td.ResourceSpans().All() {
		d.beginResource(at)
		d.setResource(rs.Resource(), rs.SchemaUrl())
		for _, ss := range rs.ScopeSpans().All() {
			d.beginScope()
			d.setScope(ss.Scope(), ss.SchemaUrl())
			for _, s := range ss.Spans().All() {
				d.takeSpan(s, at)
			}
			d.endScope()
		}
		d.endResource()
	}
}

func (d *Decoder) addLogs(ld plog.Logs, at table.Place) {
	for _, rl := range ld.ResourceLogs().All() {
		d.beginResource(at)
		d.setResource(rl.Resource(), rl.SchemaUrl())
		for _, sl := range rl.ScopeLogs().All() {
			d.beginScope()
			d.setScope(sl.Scope(), sl.SchemaUrl())
			for _, r := range sl.LogRecords().All() {
				d.takeLog(r, at)
			}
			d.endScope()
		}
		d.endResource()
	}
}

func (d *Decoder) setResource(r pcommon.Resource, schemaURL string) {
	d.arena = d.arena[:0]
	d.resource.list = d.attributes(d.resource.list[:0], r.Attributes(), &d.sharedKeys)
	d.resource.keep()
	d.resource.schemaURL = d.set.Symbols.Intern(schemaURL)
	d.resource.seen = true
}

func (d *Decoder) setScope(s pcommon.InstrumentationScope, schemaURL string) {
	d.arena = d.arena[:0]
	c := d.current()
	c.list = d.attributes(c.list[:0], s.Attributes(), &d.sharedKeys)
	c.keep()
	c.name = d.set.Symbols.Intern(s.Name())
	c.version = d.set.Symbols.Intern(s.Version())
	c.schemaURL = d.set.Symbols.Intern(schemaURL)
}

// takeSpan adds a span, or counts it as bad when the tables cannot hold its times.
func (d *Decoder) takeSpan(s ptrace.Span, at table.Place) {
	d.nth++
	switch {
	case s.StartTimestamp() > math.MaxInt64:
		d.badRecord(BadSpan, at, needStart)
		return
	case s.EndTimestamp() > math.MaxInt64:
		d.badRecord(BadSpan, at, needEnd)
		return
	}
	r := &d.span
	r.reset()
	d.arena = d.arena[:0]
	r.traceID, r.spanID, r.parentID = table.TraceID(s.TraceID()), table.SpanID(s.SpanID()), table.SpanID(s.ParentSpanID())
	r.name, r.message, r.traceState = d.borrow(s.Name()), d.borrow(s.Status().Message()), d.borrow(s.TraceState().AsRaw())
	r.kind = d.enum(int64(s.Kind()), table.KindNames, at)
	r.status = d.enum(int64(s.Status().Code()), table.StatusNames, at)
	r.start, r.end = int64(s.StartTimestamp()), int64(s.EndTimestamp())
	r.flags = int64(s.Flags())
	r.lostAttributes = int64(s.DroppedAttributesCount())
	r.lostEvents, r.lostLinks = int64(s.DroppedEventsCount()), int64(s.DroppedLinksCount())
	r.attributes = d.attributes(r.attributes, s.Attributes(), &d.keys)
	for _, e := range s.Events().All() {
		if e.Timestamp() > math.MaxInt64 {
			d.issue(BadPart, at, needTime)
			continue
		}
		from := len(r.parts)
		r.parts = d.attributes(r.parts, e.Attributes(), &d.partKeys)
		r.events = append(r.events, event{time: int64(e.Timestamp()), name: d.borrow(e.Name()),
			dropped: int64(e.DroppedAttributesCount()), from: from, to: len(r.parts)})
	}
	for _, l := range s.Links().All() {
		from := len(r.parts)
		r.parts = d.attributes(r.parts, l.Attributes(), &d.partKeys)
		r.links = append(r.links, link{traceID: table.TraceID(l.TraceID()), spanID: table.SpanID(l.SpanID()),
			traceState: d.borrow(l.TraceState().AsRaw()), flags: int64(l.Flags()),
			dropped: int64(l.DroppedAttributesCount()), from: from, to: len(r.parts)})
	}
	d.addSpan(at)
}

func (d *Decoder) takeLog(s plog.LogRecord, at table.Place) {
	d.nth++
	if s.Timestamp() > math.MaxInt64 || s.ObservedTimestamp() > math.MaxInt64 {
		d.badRecord(BadLog, at, needTime)
		return
	}
	r := &d.log
	r.reset()
	d.arena = d.arena[:0]
	r.time, r.observed = int64(s.Timestamp()), int64(s.ObservedTimestamp())
	r.traceID, r.spanID = table.TraceID(s.TraceID()), table.SpanID(s.SpanID())
	r.flags, r.severity = int64(s.Flags()), int64(s.SeverityNumber())
	r.severityText, r.eventName = d.borrow(s.SeverityText()), d.borrow(s.EventName())
	r.dropped = int64(s.DroppedAttributesCount())
	r.body = d.value(s.Body())
	r.attributes = d.attributes(r.attributes, s.Attributes(), &d.keys)
	d.addLog(at)
}

// badRecord counts the record of a message that was read last as left out.
func (d *Decoder) badRecord(is table.Issue, at table.Place, what string) {
	d.bad(is, at, fmt.Sprintf("record %d of the message: %s", d.nth, what))
}

func (d *Decoder) enum(n int64, names []string, at table.Place) uint8 {
	if n < 0 || n >= int64(len(names)) {
		d.count(UnknownEnum, 1, at, "a kind, status or severity is none of OTLP's")
		return 0
	}
	return uint8(n)
}

// borrow copies a text to where it is good until the next record.
func (d *Decoder) borrow(text string) []byte {
	mark := len(d.arena)
	d.arena = append(d.arena, text...)
	return d.arena[mark:len(d.arena):len(d.arena)]
}

func (d *Decoder) attributes(to []table.Attr, m pcommon.Map, keys *keyCache) []table.Attr {
	for key, v := range m.All() {
		to = append(to, table.Attr{Key: keys[len(to)&(len(keys)-1)].internString(d.set.Symbols, key), Value: d.value(v)})
	}
	return to
}

func (d *Decoder) value(v pcommon.Value) table.Value {
	switch v.Type() {
	case pcommon.ValueTypeStr:
		return table.Value{Type: table.ValueString, Text: d.borrow(v.Str())}
	case pcommon.ValueTypeBool:
		return table.BoolValue(v.Bool())
	case pcommon.ValueTypeInt:
		return table.IntValue(v.Int())
	case pcommon.ValueTypeDouble:
		return table.DoubleValue(v.Double())
	case pcommon.ValueTypeBytes:
		return table.Value{Type: table.ValueBytes, Text: v.Bytes().AsRaw()}
	case pcommon.ValueTypeSlice, pcommon.ValueTypeMap:
		kind := table.ValueArray
		if v.Type() == pcommon.ValueTypeMap {
			kind = table.ValueKvlist
		}
		mark := len(d.arena)
		d.arena = appendList(d.arena, v)
		return table.Value{Type: kind, Text: d.arena[mark:len(d.arena):len(d.arena)]}
	}
	return table.Value{}
}

// appendList appends an array or map as canon.go describes.
func appendList(to []byte, v pcommon.Value) []byte {
	to = append(to, `{"values":[`...)
	if v.Type() == pcommon.ValueTypeSlice {
		for i, e := range v.Slice().All() {
			if i > 0 {
				to = append(to, ',')
			}
			to = appendAny(to, e)
		}
		return append(to, `]}`...)
	}
	comma := false
	for key, e := range v.Map().All() {
		if comma {
			to = append(to, ',')
		}
		comma = true
		to = appendKey(to, []byte(key))
		to = append(appendAny(to, e), '}')
	}
	return append(to, `]}`...)
}

func appendAny(to []byte, v pcommon.Value) []byte {
	switch v.Type() {
	case pcommon.ValueTypeStr:
		return appendScalar(to, table.Value{Type: table.ValueString, Text: []byte(v.Str())})
	case pcommon.ValueTypeBool:
		return appendScalar(to, table.BoolValue(v.Bool()))
	case pcommon.ValueTypeInt:
		return appendScalar(to, table.IntValue(v.Int()))
	case pcommon.ValueTypeDouble:
		return appendScalar(to, table.DoubleValue(v.Double()))
	case pcommon.ValueTypeBytes:
		return appendScalar(to, table.Value{Type: table.ValueBytes, Text: v.Bytes().AsRaw()})
	case pcommon.ValueTypeSlice:
		return append(appendList(append(to, `{"arrayValue":`...), v), '}')
	case pcommon.ValueTypeMap:
		return append(appendList(append(to, `{"kvlistValue":`...), v), '}')
	}
	return append(to, `{}`...)
}
