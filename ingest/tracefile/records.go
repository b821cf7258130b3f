package tracefile

import (
	"bytes"
	"math"

	"github.com/tailpath/tailpath/ingest/table"
)

// kindServer is SERVER by its place in table.KindNames: the records of a server are its
// own view of a request.
const kindServer = 2

// Stages, by their place in table.StageNames.
const (
	stageNetwork = iota
	stageGateway
	stageQueue
	stageScheduling
	stageGPU
	stageTransfer
	stageApplication
	stageUnattributed
)

// Confidences, by their place in table.ConfidenceNames.
const (
	confidenceExact = iota
	confidenceAnchored
	confidenceResidual
)

// recorder makes rows of the records of servers.
type recorder struct {
	*Decoder
	ids    table.RecordIDSource
	scopes map[recordScope]int32
}

// recordScope is who wrote a record.
type recordScope struct{ scope, service, host string }

func newRecorder(d *Decoder) *recorder {
	return &recorder{Decoder: d, ids: table.NewRecordIDs(d.source), scopes: map[recordScope]int32{}}
}

// scopeRow returns the row of the scopes table for a writer.
func (r *recorder) scopeRow(s recordScope) int32 {
	row, ok := r.scopes[s]
	if !ok {
		t := &r.set.Scopes
		row = int32(t.Grow())
		t.Scope[row] = r.set.Symbols.Intern(s.scope)
		t.Service[row] = r.set.Symbols.Intern(s.service)
		t.Host[row] = r.set.Symbols.Intern(s.host)
		r.scopes[s] = row
	}
	return row
}

// note counts n occurrences of an issue that costs no record, if there are any.
func (r *recorder) note(is table.Issue, n int, at table.Place, detail string) {
	if n > 0 {
		r.account.Add(is, int64(n), at, detail)
	}
}

// leaveOut counts a record that could not be read.
func (r *recorder) leaveOut(is table.Issue, at table.Place, what string) {
	r.stats.BadSpans++
	r.issue(is, at, what)
}

// passOver counts records that are not about a finished request.
func (r *recorder) passOver(is table.Issue, n int, at table.Place, what string) {
	r.stats.Unused += int64(n)
	r.note(is, n, at, what)
}

// span appends a row to the spans table that has an id, a name and times.
func (r *recorder) span(trace table.TraceID, id, parent table.SpanID, name string, start, end int64, clock uint8, at table.Place) int {
	t := &r.set.Spans
	i := t.Grow()
	t.TraceID[i], t.SpanID[i], t.ParentID[i] = trace, id, parent
	t.Name[i] = r.set.Symbols.Intern(name)
	t.Kind[i], t.Origin[i], t.Clock[i] = kindServer, table.OriginRecord, clock
	t.Start[i], t.End[i] = start, end
	t.Source[i], t.Offset[i] = r.origin, at.Offset
	t.Line[i] = table.Missing
	if at.Line > 0 {
		t.Line[i] = at.Line
	}
	r.stats.Spans++
	return i
}

// attribute adds an attribute to the last span.
func (r *recorder) attribute(key string, v table.Value) {
	r.set.Spans.Attributes.Add(r.set.Symbols.Intern(key), v)
}

// event adds an event to a span.
func (r *recorder) event(row int, name table.Sym, at int64) {
	t := &r.set.SpanEvents
	i := t.Grow()
	t.SpanRow[i], t.Time[i], t.Name[i] = int32(row), at, name
}

// recordPart is one row of the parts table.
type recordPart struct {
	start, end int64 // ns
	stage      uint8
	detail     string
	confidence uint8
	error      int64 // ns
	basis      string
}

// parts adds parts to a span. They must be disjoint, in order and inside it; one without
// length is left out.
func (r *recorder) parts(row int, list []recordPart) {
	t := &r.set.Parts
	for _, p := range list {
		if p.start >= p.end {
			continue
		}
		i := t.Grow()
		t.SpanRow[i] = int32(row)
		t.Start[i], t.End[i] = p.start, p.end
		t.Stage[i], t.Confidence[i] = p.stage, p.confidence
		t.Detail[i], t.Basis[i] = r.set.Symbols.Intern(p.detail), r.set.Symbols.Intern(p.basis)
		t.Error[i] = p.error
	}
}

// maxRecordNS bounds the times and durations of a record that are used, so that sums of
// a few of them fit int64: 73 years of ns.
const maxRecordNS = math.MaxInt64 / 4

// duration reads a duration in units of 10^shift ns. Absent, null and -1 are Missing. A
// duration that is negative or absurd is Missing too, and counted by its name.
func (r *recorder) duration(value []byte, shift int, name string, at table.Place) int64 {
	if value == nil || string(value) == "null" {
		return table.Missing
	}
	text := unquoted(value)
	if string(text) == "-1" || string(text) == "-1.0" {
		return table.Missing
	}
	n, _, ok := decimal(text, shift)
	if !ok || n < 0 || n > maxRecordNS {
		r.note(RecordBadTime, 1, at, name+" is no duration")
		return table.Missing
	}
	return n
}

// lapse is duration for what a request takes, which is a day at most: a server that did
// not stamp a start counts from the start of its clock.
func (r *recorder) lapse(value []byte, shift int, name string, at table.Place) int64 {
	n := r.duration(value, shift, name, at)
	if n != table.Missing && n > maxRequest {
		r.note(RecordBadTime, 1, at, name+" is longer than a day")
		return table.Missing
	}
	return n
}

// integerAttribute and the others below add an attribute if the value is there and has
// the type. A whole number that int64 cannot hold, as ids may be, becomes text.
func (r *recorder) integerAttribute(key string, value []byte) {
	text := unquoted(value)
	if n, ok := jsonInt(value); ok {
		r.attribute(key, table.IntValue(n))
	} else if len(text) > 0 && len(text) <= 20 && bytes.IndexFunc(text, func(c rune) bool { return c < '0' || c > '9' }) < 0 {
		r.attribute(key, table.Value{Type: table.ValueString, Text: text})
	}
}

// idAttribute adds an id, which may be a number or text.
func (r *recorder) idAttribute(key string, value []byte) {
	if len(value) > 0 && value[0] == '"' {
		r.textAttribute(key, value)
	} else {
		r.integerAttribute(key, value)
	}
}

func (r *recorder) numberAttribute(key string, value []byte) {
	if f, ok := jsonFloat(value); ok {
		r.attribute(key, table.DoubleValue(f))
	}
}

func (r *recorder) textAttribute(key string, value []byte) {
	if text, ok := jsonText(value); ok && len(text) > 0 {
		r.attribute(key, table.Value{Type: table.ValueString, Text: text})
	}
}

// scalarText returns a string or a whole number as text, "" for anything else.
func scalarText(value []byte) string {
	if text, ok := jsonText(value); ok {
		return string(text)
	}
	if _, ok := jsonInt(value); ok {
		return string(value)
	}
	return ""
}

// countColumn returns a count of tokens, Missing if it is absent or no count.
func countColumn(value []byte) int64 {
	if n, ok := jsonInt(value); ok && n >= 0 {
		return n
	}
	return table.Missing
}

// lone is what the handlers of formats without containers share: their elements tell all.
type lone struct{}

func (lone) open(table.Place)                   {}
func (lone) member(string, []byte, table.Place) {}
func (lone) close(bool)                         {}
func (lone) end(bool)                           {}

// maxRequest is how far the times of one request may be apart: a day of ns. Servers stamp
// what they did not meet with the start of a clock.
const maxRequest = 24 * 3600 * 1_000_000_000

// within returns a duration that is no longer than the whole it is a part of, else
// Missing, and counts it by its name. A whole that is not known bounds nothing.
func (r *recorder) within(d, whole int64, name string, at table.Place) int64 {
	if d != table.Missing && whole != table.Missing && d > whole {
		r.note(RecordBadTime, 1, at, name+" is longer than the request")
		return table.Missing
	}
	return d
}
