package join

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/tailpath/tailpath/ingest/table"
)

// told is a trace id that a record tells in an attribute.
type told struct {
	id   table.TraceID
	unit int32
}

// byTraceID joins records with the traces whose ids they tell, and with each other.
func (f *finder) byTraceID() {
	records := f.recordedTraceIDs()
	slices.SortFunc(records, func(a, b told) int { return cmp.Or(bytes.Compare(a.id[:], b.id[:]), cmp.Compare(a.unit, b.unit)) })
	alone := records[:0] // ids of no trace, once each
	for i := 0; i < len(records); {
		j, to := i, f.traceOf(records[i].id)
		id, first := records[i].id, records[i].unit
		for ; j < len(records) && records[j].id == id; j++ {
			if to >= 0 {
				f.groups.join(to, records[j].unit, TraceID)
			} else {
				f.groups.join(first, records[j].unit, TraceID)
			}
		}
		if to < 0 {
			alone = append(alone, told{id, first})
		}
		i = j
	}
	f.byHalfTraceID(alone)
}

// traceOf returns the unit with spans of a trace id, -1 if there is none. Units are in
// the order of their trace ids.
func (f *finder) traceOf(id table.TraceID) int32 {
	u, ok := slices.BinarySearchFunc(f.units[:len(f.trace)], id, func(row int32, id table.TraceID) int {
		return bytes.Compare(f.set.Spans.TraceID[row][:], id[:])
	})
	if !ok || !f.trace[u] {
		return -1
	}
	return int32(u)
}

// recordedTraceIDs returns the trace ids that records tell.
func (f *finder) recordedTraceIDs() (out []told) {
	key, ok := f.set.Symbols.Lookup("trace_id")
	if !ok {
		return nil
	}
	spans := &f.set.Spans
	for row, unit := range f.unitOf {
		if spans.Origin[row] != table.OriginRecord {
			continue
		}
		v, ok := spans.Attributes.Get(row, key)
		if !ok || v.Type != table.ValueString {
			continue
		}
		if id, ok := parseTraceID(v.Text); ok {
			out = append(out, told{id, unit})
		}
	}
	return out
}

// half is the last 64 bits of a trace id.
type half struct {
	low  uint64
	unit int32
}

// byHalfTraceID joins ids of 64 bits with the one of 128 bits that ends with the same: a
// program of the older kind has cut it. recorded are the ids that only records tell.
func (f *finder) byHalfTraceID(recorded []told) {
	short, long := 0, 0
	count := func(id table.TraceID, _ int32) {
		if isShort(id) {
			short++
		} else {
			long++
		}
	}
	f.eachTraceID(recorded, count)
	if short == 0 || long == 0 {
		return
	}
	shorts, longs := make([]half, 0, short), make([]half, 0, long)
	f.eachTraceID(recorded, func(id table.TraceID, unit int32) {
		h := half{binary.BigEndian.Uint64(id[8:]), unit}
		if isShort(id) {
			shorts = append(shorts, h)
		} else {
			longs = append(longs, h)
		}
	})
	compare := func(a, b half) int { return cmp.Or(cmp.Compare(a.low, b.low), cmp.Compare(a.unit, b.unit)) }
	slices.SortFunc(shorts, compare)
	slices.SortFunc(longs, compare)
	i := 0
	for _, s := range shorts {
		for i < len(longs) && longs[i].low < s.low {
			i++
		}
		j := i
		for j < len(longs) && longs[j].low == s.low {
			j++
		}
		switch j - i {
		case 0:
		case 1:
			f.groups.join(s.unit, longs[i].unit, TraceID)
		default:
			f.count(issueAmbiguous, f.units[s.unit], "trace id of 64 bits that several of 128 bits end with")
		}
	}
}

// eachTraceID calls f with every trace id once, and a unit that has it.
func (f *finder) eachTraceID(recorded []told, visit func(id table.TraceID, unit int32)) {
	for u, trace := range f.trace {
		if id := f.set.Spans.TraceID[f.units[u]]; trace && id != (table.TraceID{}) {
			visit(id, int32(u))
		}
	}
	for _, r := range recorded {
		visit(r.id, r.unit)
	}
}

func isShort(id table.TraceID) bool { return binary.BigEndian.Uint64(id[:8]) == 0 }

// parseTraceID reads a trace id as headers and logs have it: 32 or 16 hexadecimal
// digits, with dashes as in a UUID or as in X-Ray's 1-8-24, which may stand behind Root=
// or be one of several fields; W3C traceparent; B3 in one header; Jaeger's with colons,
// which leaves zeros in front away. An id of zeros is none.
func parseTraceID(text []byte) (id table.TraceID, ok bool) {
	if len(text) == 32 {
		if _, err := hex.Decode(id[:], text); err == nil {
			return id, id != table.TraceID{}
		}
		id = table.TraceID{}
	}
	s := strings.TrimSpace(string(text))
	if i := strings.Index(s, "Root="); i >= 0 {
		s, _, _ = strings.Cut(s[i+len("Root="):], ";")
	}
	if colon := strings.IndexByte(s, ':'); colon > 0 && strings.Count(s, ":") == 3 {
		if colon > 32 {
			return id, false
		}
		s = strings.Repeat("0", 32-colon) + s[:colon]
	}
	switch p := strings.Split(s, "-"); {
	case len(p) == 1:
	case len(p) >= 4 && len(p[0]) == 2 && len(p[1]) == 32 && len(p[2]) == 16: // traceparent
		s = p[1]
	case len(p) == 3 && len(p[0]) == 1 && len(p[1]) == 8 && len(p[2]) == 24: // X-Ray
		s = p[1] + p[2]
	case isUUID([]byte(s)) && len(s) == uuidSize:
		s = strings.ReplaceAll(s, "-", "")
	case len(p) >= 2 && len(p) <= 4 && (len(p[0]) == 32 || len(p[0]) == 16) && len(p[1]) == 16: // B3
		s = p[0]
	default:
		return id, false
	}
	if len(s) != 32 && len(s) != 16 {
		return id, false
	}
	if _, err := hex.Decode(id[16-len(s)/2:], []byte(s)); err != nil {
		return table.TraceID{}, false
	}
	return id, id != table.TraceID{}
}
