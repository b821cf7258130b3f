package otlp

import (
	"encoding/binary"
	"fmt"

	"github.com/tailpath/tailpath/ingest/table"
)

// salvage reads a message that pdata refuses, or that is cut off, record by record:
// every span, log record or metric becomes a message of its own, and only those that pdata
// refuses again are left out. It returns false when not even the frame of the message
// could be followed to its end.
func (d *Decoder) salvage(msg []byte, kind signal, at table.Place, torn bool) bool {
	w := salvager{d: d, kind: kind, at: at, torn: torn}
	w.fields(msg, func(f field) {
		if f.number == 1 && f.wire == wireBytes {
			w.resource(f.body)
		}
	})
	if w.broken && !torn {
		d.badDocument(at, "the message breaks off; what stood before was kept")
	}
	return !w.broken
}

type salvager struct {
	d      *Decoder
	kind   signal
	at     table.Place
	torn   bool
	broken bool
}

// fields calls take for every field of a message up to where it breaks off.
func (w *salvager) fields(msg []byte, take func(field)) {
	for i := 0; i < len(msg); {
		f, next, ok := nextField(msg, i)
		if !ok {
			w.broken = true
			return
		}
		if f.torn {
			w.broken = true
		}
		take(f)
		i = next
	}
}

func (w *salvager) resource(msg []byte) {
	d := w.d
	var body, schema []byte
	var scopes [][]byte
	seen := false
	w.fields(msg, func(f field) {
		if f.wire != wireBytes {
			return
		}
		switch f.number {
		case 1:
			body = append(body, f.body...) // repeated messages merge
			seen = !f.torn
		case 2, deprecatedScopes:
			scopes = append(scopes, f.body)
		case 3:
			schema = f.body
		}
	})
	d.beginResource(w.at)
	d.resource.seen = seen
	wrapped := appendField(nil, 1, body)
	wrapped = appendField(wrapped, 3, schema)
	if !w.head(wrapped) {
		d.count(BadResource, 1, w.at, "a resource could not be read")
	}
	for _, s := range scopes {
		w.scope(s)
	}
	if rows := d.endResource(); rows > 0 && !seen && w.broken {
		d.issue(MissingResource, w.at, "the message breaks off before the resource of its records")
	}
}

// head reads a message that has a resource and a scope, but no records, into the
// current ones.
func (w *salvager) head(resource []byte) bool {
	msg := appendField(nil, 1, resource)
	td, err := traceReader.UnmarshalTraces(msg)
	if err != nil {
		return false
	}
	for _, rs := range td.ResourceSpans().All() {
		if rs.ScopeSpans().Len() == 0 {
			w.d.setResource(rs.Resource(), rs.SchemaUrl())
		}
		for _, ss := range rs.ScopeSpans().All() {
			w.d.setScope(ss.Scope(), ss.SchemaUrl())
		}
	}
	return true
}

func (w *salvager) scope(msg []byte) {
	d := w.d
	var body, schema []byte
	var records []field
	w.fields(msg, func(f field) {
		if f.wire != wireBytes {
			return
		}
		switch f.number {
		case 1:
			body = append(body, f.body...)
		case 2:
			records = append(records, f)
		case 3:
			schema = f.body
		}
	})
	d.beginScope()
	wrapped := appendField(nil, 1, body)
	wrapped = appendField(wrapped, 3, schema)
	if !w.head(appendField(nil, 2, wrapped)) {
		d.count(BadResource, 1, w.at, "a scope could not be read")
	}
	for _, r := range records {
		switch {
		case r.torn: // the cut is counted by whoever knows of it
		case w.record(r.body), w.lighter(r.body):
		default:
			d.nth++
			issue := BadSpan
			switch w.kind {
			case logs:
				issue = BadLog
			case metrics:
				issue = BadMetric
			}
			d.badRecord(issue, w.at, "it is no record that the protocol allows")
		}
	}
	d.endScope()
}

// Fields of a record that it can do without.
const (
	spanAttributes = 9
	spanEvents     = 11
	spanLinks      = 13
	logBody        = 5
	logAttributes  = 6
)

// lighter reads one record without the attributes, events, links and body that pdata
// refuses, such as values nested too deeply, and counts those.
func (w *salvager) lighter(record []byte) bool {
	if w.kind == metrics {
		return w.lighterMetric(record)
	}
	var kept []byte
	var left, parts int
	for i := 0; i < len(record); {
		f, next, ok := nextField(record, i)
		if !ok || f.torn {
			return false
		}
		field := record[i:next]
		i = next
		optional := w.kind == logs && (f.number == logBody || f.number == logAttributes) ||
			w.kind != logs && (f.number == spanAttributes || f.number == spanEvents || f.number == spanLinks)
		switch {
		case !optional || w.accepts(field):
			kept = append(kept, field...)
		case w.kind != logs && f.number != spanAttributes:
			parts++
		default:
			left++
		}
	}
	if left+parts == 0 || !w.record(kept) {
		return false
	}
	what := fmt.Sprintf("record %d of the message: a value is nested too deeply or is no value", w.d.nth)
	w.d.count(LeftOut, left, w.at, what)
	w.d.count(BadPart, parts, w.at, what)
	return true
}

// wrapped makes a message of one record.
func (w *salvager) wrapped(record []byte) []byte {
	for i, number := range [...]uint64{2, 2, 1} {
		w.d.wrap[i] = appendField(w.d.wrap[i][:0], number, record)
		record = w.d.wrap[i]
	}
	return record
}

// accepts reports whether pdata takes a record.
func (w *salvager) accepts(record []byte) bool {
	var err error
	switch w.kind {
	case metrics:
		_, err = metricReader.UnmarshalMetrics(w.wrapped(record))
	case logs:
		_, err = logReader.UnmarshalLogs(w.wrapped(record))
	default:
		_, err = traceReader.UnmarshalTraces(w.wrapped(record))
	}
	return err == nil
}

// record reads one span, log record or metric.
func (w *salvager) record(body []byte) bool {
	d := w.d
	body = w.wrapped(body)
	switch w.kind {
	case metrics:
		md, err := metricReader.UnmarshalMetrics(body)
		if err != nil {
			return false
		}
		for _, rm := range md.ResourceMetrics().All() {
			for _, sm := range rm.ScopeMetrics().All() {
				for _, m := range sm.Metrics().All() {
					d.takeMetric(m, w.at)
				}
			}
		}
		return true
	case logs:
		ld, err := logReader.UnmarshalLogs(body)
		if err != nil {
			return false
		}
		for _, rl := range ld.ResourceLogs().All() {
			for _, sl := range rl.ScopeLogs().All() {
				for _, r := range sl.LogRecords().All() {
					d.takeLog(r, w.at)
				}
			}
		}
		return true
	}
	td, err := traceReader.UnmarshalTraces(body)
	if err != nil {
		return false
	}
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				d.takeSpan(s, w.at)
			}
		}
	}
	return true
}

// appendField appends a field of wire type bytes.
func appendField(to []byte, number uint64, body []byte) []byte {
	to = binary.AppendUvarint(to, number<<3|wireBytes)
	to = binary.AppendUvarint(to, uint64(len(body)))
	return append(to, body...)
}
