package analyze

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"slices"

	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/ingest/table"
)

// logKey tells access logs apart: by who writes them and in what format.
type logKey struct{ service, format table.Sym }

// accessLog is the lines of one log that tell of a request each.
type accessLog struct {
	key     logKey
	lines   []logLine
	untimed int64 // lines that do not tell how long
}

// logLine is when a line says its request was there, and of which it is.
type logLine struct {
	stayAt
	whose uint8
}

// Whose a line is.
const (
	ofUntraced = iota + 1 // of a request that no span tells of
	ofTraced
	ofUnknown
)

// tracedAndLogs returns when the requests were in flight of which spans tell, by those spans
// alone, and the logs in order of their names.
func (c *captured) tracedAndLogs() (traced []stayAt, logs []*accessLog) {
	spans := &c.set.Spans
	if !slices.Contains(spans.Origin, table.OriginRecord) {
		return nil, nil
	}
	whose, none := c.owners()
	by := map[logKey]*accessLog{}
	for row, origin := range spans.Origin {
		from, to := spans.Start[row], spans.End[row]
		if origin != table.OriginRecord || spans.Clock[row] != table.ClockWall || from == table.Missing || none[spans.TraceID[row]] {
			continue
		}
		var key logKey
		if scope := spans.ScopeRow[row]; scope >= 0 && int(scope) < c.set.Scopes.Len() {
			key = logKey{c.set.Scopes.Service[scope], c.set.Scopes.Scope[scope]}
		}
		g := by[key]
		if g == nil {
			g = &accessLog{key: key}
			by[key] = g
			logs = append(logs, g)
		}
		if to == table.Missing || to < from || to == from && spans.LengthError[row] <= 0 {
			g.untimed++
			to = from
		}
		g.lines = append(g.lines, logLine{stayAt{from, to}, whose[row]})
	}
	for _, row := range c.rows {
		if s, ok := c.ofSpans(row); ok {
			traced = append(traced, s)
		}
	}
	text := c.set.Symbols.Text
	slices.SortFunc(logs, func(a, b *accessLog) int {
		return cmp.Or(cmp.Compare(text(a.key.service), text(b.key.service)), cmp.Compare(text(a.key.format), text(b.key.format)))
	})
	return traced, logs
}

// owners says of which request each record is, and which records tell of none, by the trace
// id that they have alone. A record is joined with others where it is no request of its own.
// Paths name most records; one that no path names is of a traced request where every request
// of records alone names as many as it was made of, and otherwise by the request id or the
// trace id that it tells.
func (c *captured) owners() (whose []uint8, none map[table.TraceID]bool) {
	spans, seg, req := &c.set.Spans, &c.set.Segments, &c.set.Requests
	whose, none = make([]uint8, spans.Len()), map[table.TraceID]bool{}
	ids, traces := map[string]bool{}, map[table.TraceID]bool{}
	unnamed := false
	for row := range req.Len() {
		if critical.Class(req.Class[row]) == critical.Broken && req.Start[row] != req.End[row] {
			none[req.TraceID[row]] = true
		}
		owner := uint8(ofUntraced)
		if _, ok := c.ofSpans(int32(row)); ok {
			owner = ofTraced
			ids[req.RequestID[row]], traces[req.TraceID[row]] = true, true
		}
		named := int32(0)
		name := func(span int32) {
			if span >= 0 && int(span) < spans.Len() && spans.Origin[span] == table.OriginRecord && whose[span] == 0 {
				whose[span] = owner
				named++
			}
		}
		name(req.RootRow[row])
		for _, i := range c.pathOf(row) {
			name(seg.SpanRow[i])
		}
		unnamed = unnamed || owner == ofUntraced && named < req.Units[row]
	}
	for row, origin := range spans.Origin {
		if origin != table.OriginRecord || whose[row] != 0 {
			continue
		}
		id := spans.RequestID[row]
		trace, told := c.recordedTrace(row)
		switch {
		case !unnamed, id != "" && ids[id], told && traces[trace]:
			whose[row] = ofTraced
		case told:
			whose[row] = ofUntraced
		default:
			whose[row] = ofUnknown
		}
	}
	return whose, none
}

// recordedTrace returns the trace id of 128 bits that a record tells, alone or within a header.
func (c *captured) recordedTrace(row int) (id table.TraceID, ok bool) {
	key, known := c.set.Symbols.Lookup("trace_id")
	if !known {
		return id, false
	}
	v, has := c.set.Spans.Attributes.Get(row, key)
	if !has || v.Type != table.ValueString {
		return id, false
	}
	for part := range bytes.FieldsFuncSeq(v.Text, func(r rune) bool { return r == '-' || r == ':' || r == ';' || r == '=' }) {
		if len(part) == 2*len(id) {
			_, err := hex.Decode(id[:], part)
			return id, err == nil
		}
	}
	return id, false
}

// ofSpans returns when a request was in flight by its spans: as a whole where its root is one,
// and else from the first to the last part of its path that a span tells of. False for one
// that records alone tell of.
func (c *captured) ofSpans(row int32) (s stayAt, ok bool) {
	spans, seg, req := &c.set.Spans, &c.set.Segments, &c.set.Requests
	if root := req.RootRow[row]; root >= 0 && int(root) < spans.Len() && spans.Origin[root] == table.OriginSpan {
		return stayAt{req.Start[row], req.End[row]}, true
	}
	for _, i := range c.pathOf(int(row)) {
		span := seg.SpanRow[i]
		if span < 0 || int(span) >= spans.Len() || spans.Origin[span] != table.OriginSpan {
			continue
		}
		if !ok {
			s, ok = stayAt{seg.Start[i], seg.End[i]}, true
		}
		s = stayAt{min(s.from, seg.Start[i]), max(s.to, seg.End[i])}
	}
	return s, ok
}
