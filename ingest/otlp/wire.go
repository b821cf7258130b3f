package otlp

import (
	"encoding/binary"
	"unicode/utf8"
)

// Wire types of protobuf that OTLP uses.
const (
	wireVarint = 0
	wireFixed8 = 1
	wireBytes  = 2
	wireFixed4 = 5
)

// field is one field of a protobuf message as it lies on the wire.
type field struct {
	number uint64
	wire   uint8
	body   []byte // of wireBytes: the content, as far as it is there
	at     int    // where the content begins
	size   uint64 // of wireBytes: the length that is given
	torn   bool   // the message ends before the content does
}

// nextField reads the field at byte i and returns where the next one begins. ok is
// false when there is none to read there.
func nextField(msg []byte, i int) (f field, next int, ok bool) {
	tag, n := binary.Uvarint(msg[i:])
	if n <= 0 || tag>>3 == 0 || tag>>3 > 1<<29-1 {
		return f, i, false
	}
	f.number, f.wire = tag>>3, uint8(tag&7)
	i += n
	size := uint64(0)
	switch f.wire {
	case wireVarint:
		if _, n = binary.Uvarint(msg[i:]); n <= 0 {
			return f, i, false
		}
		return f, i + n, true
	case wireFixed8:
		size = 8
	case wireFixed4:
		size = 4
	case wireBytes:
		if size, n = binary.Uvarint(msg[i:]); n <= 0 {
			return f, i, false
		}
		i += n
	default:
		return f, i, false
	}
	f.at, f.size = i, size
	if size > uint64(len(msg)-i) {
		f.body, f.torn = msg[i:], true
		return f, len(msg), true
	}
	f.body = msg[i : i+int(size)]
	return f, i + int(size), true
}

// signal is the kind of telemetry in a message. The messages of all signals have the
// same shape down to their records: request{1: resource{1: resource, 2: scope{1:
// scope, 2: record, 3: schema}, 3: schema}}. The records tell them apart.
type signal uint8

const (
	noSignal signal = iota // no record
	traces
	logs
	metrics
	other   // profiles
	foreign // no OTLP
)

// deprecatedScopes is the field that held the scopes before they were called so.
const deprecatedScopes = 1000

// survey looks at the shape of a message, torn or not. old says that scopes stand
// under their deprecated field.
func survey(msg []byte) (kind signal, old bool) {
	resources := 0
	for i := 0; i < len(msg); {
		f, next, ok := nextField(msg, i)
		if !ok || f.number == 1 && f.wire != wireBytes {
			return orForeign(kind), old
		}
		if f.number == 1 {
			k, o := surveyResource(f.body, f.torn)
			old = old || o
			resources++
			if kind == noSignal || kind == foreign && k != noSignal {
				kind = k
			}
		}
		i = next
	}
	if resources == 0 && len(msg) > 0 {
		return foreign, false
	}
	return kind, old
}

// orForeign is the kind of a message whose wire format breaks off.
func orForeign(kind signal) signal {
	if kind == noSignal {
		return foreign
	}
	return kind
}

// wellFormed reports whether the fields of a message can be followed to its end.
func wellFormed(msg []byte) bool {
	for i := 0; i < len(msg); {
		f, next, ok := nextField(msg, i)
		if !ok || f.torn {
			return false
		}
		i = next
	}
	return true
}

// hasForeignField reports whether a message, or a resource or scope in it, has a field of
// another number than those of the protocol.
func hasForeignField(msg []byte) bool {
	return hasFieldAbove(msg, 1, 2)
}

func hasFieldAbove(msg []byte, most uint64, levels int) bool {
	for i := 0; i < len(msg); {
		f, next, ok := nextField(msg, i)
		if !ok || f.number > most {
			return true
		}
		if levels > 0 && f.wire == wireBytes && (levels == 2 || f.number == 2) && hasFieldAbove(f.body, 3, levels-1) {
			return true
		}
		i = next
	}
	return false
}

func surveyResource(msg []byte, torn bool) (kind signal, old bool) {
	for i := 0; i < len(msg); {
		f, next, ok := nextField(msg, i)
		switch {
		case !ok && torn:
			return kind, old
		case !ok, f.number <= 3 && f.wire != wireBytes:
			return orForeign(kind), old
		case f.number == deprecatedScopes:
			old = true
			fallthrough
		case f.number == 2:
			if kind == noSignal {
				kind = surveyScope(f.body, f.torn)
			}
		}
		i = next
	}
	return kind, old
}

// surveyScope goes by the first record that tells its kind.
func surveyScope(msg []byte, torn bool) signal {
	kind := noSignal
	for i := 0; i < len(msg); {
		f, next, ok := nextField(msg, i)
		switch {
		case !ok && torn:
			return kind
		case !ok, f.number <= 3 && f.wire != wireBytes:
			return foreign
		case f.number == 2:
			if k := signalOf(f.body); k != noSignal {
				kind = k
			}
			if kind != noSignal && kind != foreign {
				return kind
			}
		}
		i = next
	}
	return kind
}

// signalOf tells the kind of a record by fields that no other kind has.
func signalOf(record []byte) signal {
	if isMetric(record) {
		return metrics
	}
	var ids int
	for i := 0; i < len(record); {
		f, next, ok := nextField(record, i)
		if !ok {
			return noSignal
		}
		switch f.number<<3 | uint64(f.wire) {
		case 7<<3 | wireFixed8, 8<<3 | wireFixed8: // start and end of a span
			return traces
		case 1<<3 | wireFixed8, 11<<3 | wireFixed8, 8<<3 | wireFixed4: // times and flags of a log record
			return logs
		case 1<<3 | wireBytes:
			if len(f.body) == 16 {
				ids++
			}
		case 2<<3 | wireBytes:
			if len(f.body) == 8 {
				ids++
			}
		case 4<<3 | wireBytes, 13<<3 | wireBytes, 15<<3 | wireBytes: // parent, links and status of a span
			return traces
		case 6<<3 | wireBytes: // attributes of a log record
			return logs
		case 10<<3 | wireBytes: // span id of a log record
			if len(f.body) == 8 {
				return logs
			}
		case 3<<3 | wireFixed8: // time of a profile
			return other
		}
		i = next
	}
	switch {
	case ids == 2:
		return traces
	case len(record) == 0:
		return noSignal
	}
	return shapeOf(record)
}

// shapeOf tells the kind of a record by fields that are rarer. A record that shows
// none is foreign, so that it is counted and not passed over in silence.
func shapeOf(record []byte) signal {
	for i := 0; i < len(record); {
		f, next, ok := nextField(record, i)
		if !ok {
			break
		}
		switch f.number<<3 | uint64(f.wire) {
		case 2<<3 | wireVarint, 7<<3 | wireVarint: // severity and dropped count of a log record
			return logs
		case 6<<3 | wireVarint, 16<<3 | wireFixed4: // kind and flags of a span
			return traces
		}
		i = next
	}
	return foreign
}

// isMetric reports whether a record is a metric: texts and messages alone, under the
// numbers of the protocol, with a point that has a time, or at least a name.
func isMetric(record []byte) bool {
	named, pointed := false, false
	for i := 0; i < len(record); {
		f, next, ok := nextField(record, i)
		if !ok {
			break // it is torn
		}
		if f.wire != wireBytes {
			return false
		}
		switch {
		case f.number == 1:
			if named = isName(f.body); !named {
				return false
			}
		case metricData[f.number]:
			ok, point := isData(f)
			if !ok {
				return false
			}
			pointed = pointed || point
		case f.number != 2 && f.number != 3 && f.number != 12:
			return false
		case f.number == 2 && !f.torn && !utf8.Valid(f.body): // no description, but an id
			return false
		}
		i = next
	}
	return pointed || named
}

// isName reports whether a text may be the name of a metric, which has no blanks or
// control characters. The bytes of an id hardly ever pass.
func isName(text []byte) bool {
	for _, c := range text {
		if c <= ' ' || c > '~' {
			return false
		}
	}
	return len(text) > 0
}

// isData reports whether a field may be the data of a metric, and whether its first
// point is there. What has no points may.
func isData(data field) (may, point bool) {
	for i := 0; i < len(data.body); {
		f, next, ok := nextField(data.body, i)
		switch {
		case !ok:
			return data.torn, false
		case f.number == 1:
			return f.wire == wireBytes && (f.torn || wellFormed(f.body)), f.wire == wireBytes && isPoint(f)
		case f.number > 3 || f.wire != wireVarint:
			return false, false
		}
		i = next
	}
	return true, false
}

// isPoint reports whether a message has a time, as the points of a metric do.
func isPoint(point field) bool {
	for i := 0; i < len(point.body); {
		f, next, ok := nextField(point.body, i)
		if !ok {
			return point.torn
		}
		if f.wire == wireFixed8 && (f.number == 2 || f.number == 3) {
			return true
		}
		i = next
	}
	return point.torn
}
