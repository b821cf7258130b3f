package serverlog

import (
	"bytes"

	"github.com/tailpath/tailpath/ingest/serverlog/format"
	"github.com/tailpath/tailpath/ingest/serverlog/match"
	"github.com/tailpath/tailpath/ingest/table"
)

// Wire values of OpenTelemetry.
const (
	kindServer  = 2
	statusError = 2

	// cancelled is the status message of a request whose record says that who asked went away.
	cancelled = "cancelled by who asked"
)

// recordState is what a Decoder knows of one kind of record: counts, and the symbols of
// its texts.
type recordState struct {
	used, ignored, copies int64

	ready   bool
	event   table.Sym
	labels  []table.Sym // of the parts
	keep    []keys
	meaning [len(meaningNames)]keys
	parent  table.Sym // attribute for the span id of the caller
	metrics []table.Sym
	units   []table.Sym

	fields [len(columns)]table.Sym

	name, model, route, level, service, host, engine memo

	severity int64 // of the last level
}

// columns are the fields that a span has columns for and a row of the logs table has not.
var columns = [...]string{"request_id", "model", "route", "status", "prompt_tokens", "output_tokens", "cached_tokens"}

// keys are the keys of a field: as it is, and as a number of ns.
type keys struct{ plain, ns table.Sym }

func (d *Decoder) keys(name string) keys {
	return keys{d.set.Symbols.Intern(name), d.set.Symbols.Intern(name + "_ns")}
}

// Fields that are stored as attributes without being named in keep.
var meaningNames = [...]string{"trace_id", "span_id", "method", "client", "upstream"}

// recordState returns the symbols of a kind of record.
func (d *Decoder) recordState(st *state, r *format.Record) *recordState {
	rs := &st.records[r.Index]
	if rs.ready {
		return rs
	}
	rs.ready = true
	rs.event = d.set.Symbols.Intern(r.Name)
	for _, k := range r.Keep {
		rs.keep = append(rs.keep, d.keys(k.Name))
	}
	for i, name := range meaningNames {
		rs.meaning[i] = d.keys(name)
	}
	rs.parent = d.set.Symbols.Intern("parent_id")
	for _, s := range r.Samples {
		rs.metrics = append(rs.metrics, d.set.Symbols.Intern(s.Metric))
		rs.units = append(rs.units, d.set.Symbols.Intern(s.Unit))
	}
	if r.Span != nil {
		for _, label := range r.Span.Labels {
			rs.labels = append(rs.labels, d.set.Symbols.Intern(label))
		}
	}
	return rs
}

// whole makes a span of a record that tells all of a request.
func (d *Decoder) whole(st *state, r *format.Record, values []match.Value, text []byte) {
	outcome := r.Span.Evaluate(values, &d.result)
	switch outcome {
	case format.Untimed:
		d.untimed(r)
		d.log(st, r, values, text)
		return
	case format.Unfinished:
		d.tally.add(noEnd, d.at, "record ", r.Name)
	}
	d.span(st, r, values, d.context)
}

// untimed counts a record that tells a request and not when: for want of a time, or
// because its times cannot be.
func (d *Decoder) untimed(r *format.Record) {
	for _, field := range d.result.Impossible {
		d.tally.add(impossibleTime, d.at, "record ", r.Name, ": ", field)
	}
	if len(d.result.Impossible) == 0 {
		d.tally.add(noTime, d.at, "record ", r.Name)
	}
}

// span adds a span, as evaluated, and its parts.
func (d *Decoder) span(st *state, r *format.Record, values []match.Value, from context) {
	rs, out := d.recordState(st, r), &d.result
	for _, field := range out.Impossible {
		d.tally.add(impossibleTime, d.at, "record ", r.Name, ": ", field)
	}
	if out.Untold != "" {
		d.tally.add(untoldTime, d.at, "record ", r.Name, ": ", out.Untold)
	}
	scope := d.scope(st, r, values, from)
	t := &d.set.Spans
	d.makeRoom(&t.Rows, 1)
	i := t.Grow()
	t.TraceID[i], t.SpanID[i] = d.ids.At(d.at.Offset, d.nth)
	d.buffer = r.Span.AppendName(d.buffer[:0], values)
	if t.Name[i] = rs.event; len(d.buffer) > 0 {
		t.Name[i] = rs.name.intern(d.set.Symbols, d.buffer)
	}
	t.Kind[i], t.Origin[i], t.ScopeRow[i] = kindServer, table.OriginRecord, scope
	t.Start[i], t.End[i], t.Clock[i], t.TTFT[i] = out.Start, out.End, out.Clock, out.TTFT
	t.Error[i], t.LengthError[i] = out.Error, out.Length
	f := &r.Fields
	if v := f.RequestID.Value(values); v != nil {
		t.RequestID[i] = string(v.Text)
	}
	if v := f.Model.Value(values); v != nil {
		t.Model[i] = rs.model.intern(d.set.Symbols, v.Text)
	}
	if v := f.Route.Value(values); v != nil {
		if !rs.route.is(v.Text) {
			rs.route.keep(v.Text, d.set.Symbols.InternBytes(format.Path(v.Text)))
		}
		t.Route[i] = rs.route.sym
	}
	if n, ok := wholeNumber(f.Status.Value(values)); ok && n >= 0 {
		t.HTTPStatus[i] = n
		out.Failed = out.Failed || n >= 400
	}
	if out.Failed {
		t.Status[i] = statusError
	}
	if out.Aborted {
		t.StatusMessage[i] = cancelled
	}
	setCount(t.PromptTokens, i, f.PromptTokens, values)
	setCount(t.OutputTokens, i, f.OutputTokens, values)
	setCount(t.CachedTokens, i, f.CachedTokens, values)
	d.attributes(&t.Attributes, rs, r, values)
	t.Source[i], t.Offset[i] = d.origin, d.at.Offset
	if d.lines {
		t.Line[i] = d.at.Line
	}
	d.stats.Spans++
	parts := &d.set.Parts
	begin := parts.Len()
	d.makeRoom(&parts.Rows, len(out.Parts))
	appendParts(parts, int32(i), out.Parts, rs.labels)
	if out.Civil {
		d.wait(pending{table: spanRows, row: int32(i), parts: [2]int32{int32(begin), int32(parts.Len())}, civil: d.anchor(r, values, out.Start), st: st})
	}
}

// appendParts adds rows of the parts table. There are several to a line, and all columns
// are known, so that they are appended to by hand, one after the other.
func appendParts(t *table.Parts, span int32, parts []format.Part, labels []table.Sym) {
	t.SpanRow = appendTimes(t.SpanRow, span, len(parts))
	start, end, errors := t.Start, t.End, t.Error
	for i := range parts {
		p := &parts[i]
		start, end, errors = append(start, p.Start), append(end, p.End), append(errors, p.Error)
	}
	t.Start, t.End, t.Error = start, end, errors
	stage, confidence := t.Stage, t.Confidence
	for i := range parts {
		stage, confidence = append(stage, parts[i].Stage), append(confidence, parts[i].Confidence)
	}
	t.Stage, t.Confidence = stage, confidence
	detail, basis := t.Detail, t.Basis
	for i := range parts {
		detail, basis = append(detail, labels[parts[i].Detail]), append(basis, labels[parts[i].Basis])
	}
	t.Detail, t.Basis = detail, basis
}

// appendTimes appends a value n times.
func appendTimes[T any](column []T, v T, n int) []T {
	for range n {
		column = append(column, v)
	}
	return column
}

func setCount(column []int64, i int, slot format.Slot, values []match.Value) {
	if n, ok := wholeNumber(slot.Value(values)); ok && n >= 0 {
		column[i] = n
	}
}

// attributes adds the fields of a record that are stored as attributes.
func (d *Decoder) attributes(to *table.Attrs, rs *recordState, r *format.Record, values []match.Value) {
	f := &r.Fields
	if v := f.TraceID.Value(values); v != nil {
		if d.buffer = appendTraceID(d.buffer[:0], v.Text); len(d.buffer) > 0 {
			to.Add(rs.meaning[0].plain, table.Value{Type: table.ValueString, Text: d.buffer})
		}
	}
	if v := f.SpanID.Value(values); v != nil {
		if d.buffer = appendSpanID(d.buffer[:0], v.Text); len(d.buffer) > 0 {
			to.Add(rs.meaning[1].plain, table.Value{Type: table.ValueString, Text: d.buffer})
		}
	}
	if v := f.TraceID.Value(values); v != nil {
		if d.buffer = appendParentID(d.buffer[:0], v.Text); len(d.buffer) > 0 {
			to.Add(rs.parent, table.Value{Type: table.ValueString, Text: d.buffer})
		}
	}
	for k, slot := range [...]format.Slot{f.Method, f.Client, f.Upstream} {
		if v := slot.Value(values); v != nil {
			d.addField(to, rs.meaning[2+k].plain, rs.meaning[2+k].ns, v)
		}
	}
	for k := range r.Keep {
		if v := r.Keep[k].Slot.Value(values); v != nil {
			d.addField(to, rs.keep[k].plain, rs.keep[k].ns, v)
		}
	}
}

// log adds a row of the logs table.
func (d *Decoder) log(st *state, r *format.Record, values []match.Value, text []byte) {
	rs := d.recordState(st, r)
	scope := d.scope(st, r, values, d.context)
	t := &d.set.Logs
	d.makeRoom(&t.Rows, 1)
	i := t.Grow()
	civil := false
	if v := r.Time.Value(values); v != nil {
		t.Time[i] = v.Int
		civil = v.Flags&match.NoYear != 0
		if v.Flags&match.Steady != 0 {
			t.Clock[i] = table.ClockSteady
		}
	}
	if v := r.Fields.Level.Value(values); v != nil {
		if !rs.level.is(v.Text) {
			rs.level.keep(v.Text, d.set.Symbols.InternBytes(v.Text))
			rs.severity = severity(v.Text)
		}
		t.Severity[i], t.SeverityText[i] = rs.severity, rs.level.sym
	}
	t.EventName[i], t.ScopeRow[i] = rs.event, scope
	d.logFields(&t.Attributes, rs, r, values)
	d.attributes(&t.Attributes, rs, r, values)
	if d.opt.KeepText {
		t.Body.Add(0, table.Value{Type: table.ValueString, Text: text})
	}
	t.Source[i], t.Offset[i] = d.origin, d.at.Offset
	if d.lines {
		t.Line[i] = d.at.Line
	}
	d.stats.Logs++
	if civil {
		d.wait(pending{table: logRows, row: int32(i), civil: t.Time[i], st: st})
	}
}

// logFields adds the fields of columns.
func (d *Decoder) logFields(to *table.Attrs, rs *recordState, r *format.Record, values []match.Value) {
	f := &r.Fields
	for i, slot := range [len(columns)]format.Slot{f.RequestID, f.Model, f.Route, f.Status, f.PromptTokens, f.OutputTokens, f.CachedTokens} {
		v := slot.Value(values)
		if v == nil {
			continue
		}
		if rs.fields[i] == 0 {
			rs.fields[i] = d.set.Symbols.Intern(columns[i])
		}
		if slot == f.Route {
			to.Add(rs.fields[i], table.Value{Type: table.ValueString, Text: format.Path(v.Text)})
			continue
		}
		d.addField(to, rs.fields[i], rs.fields[i], v)
	}
}

// severity returns the severity number of OpenTelemetry for the name or letter of a level.
func severity(level []byte) int64 {
	if len(level) == 0 || len(level) > 8 {
		return 0
	}
	var b [8]byte
	lower := bytes.ToLower(append(b[:0], level...))
	switch string(lower) {
	case "trace", "t", "v":
		return 1
	case "debug", "d", "dbg":
		return 5
	case "info", "i", "inf", "notice":
		return 9
	case "warning", "warn", "w", "wrn":
		return 13
	case "error", "err", "e":
		return 17
	case "critical", "crit", "fatal", "f", "c", "panic":
		return 21
	}
	return 0
}

// samples adds the readings of a record.
func (d *Decoder) samples(st *state, r *format.Record, values []match.Value) {
	at := r.Time.Value(values)
	if at == nil {
		d.tally.add(noTime, d.at, "record ", r.Name)
		return
	}
	rs := d.recordState(st, r)
	service, host, _ := d.whose(st, r, values, d.context)
	t := &d.set.EngineSamples
	serviceSym, hostSym := rs.service.intern(d.set.Symbols, service), rs.host.intern(d.set.Symbols, host)
	engine := rs.engine.intern(d.set.Symbols, d.engine(r, values))
	line := int64(table.Missing)
	if d.lines {
		line = d.at.Line
	}
	clock := uint8(table.ClockWall)
	if at.Flags&match.Steady != 0 {
		clock = table.ClockSteady
	}
	begin := t.Len()
	d.makeRoom(&t.Rows, len(r.Samples))
	// As in appendParts.
	metric, reading, unit := t.Metric, t.Value, t.Unit
	for k := range r.Samples {
		if v := r.Samples[k].Slot.Value(values); v != nil {
			metric, unit = append(metric, rs.metrics[k]), append(unit, rs.units[k])
			reading = append(reading, r.Samples[k].Reading(number(v)))
		}
	}
	t.Metric, t.Value, t.Unit = metric, reading, unit
	n := len(metric) - begin
	t.Time, t.Clock = appendTimes(t.Time, at.Int, n), appendTimes(t.Clock, clock, n)
	t.Service, t.Host, t.Engine = appendTimes(t.Service, serviceSym, n), appendTimes(t.Host, hostSym, n), appendTimes(t.Engine, engine, n)
	t.Source, t.Line, t.Offset = appendTimes(t.Source, d.origin, n), appendTimes(t.Line, line, n), appendTimes(t.Offset, d.at.Offset, n)
	d.stats.Samples += int64(n)
	if at.Flags&match.NoYear != 0 && n > 0 {
		d.wait(pending{table: sampleRows, row: int32(begin), parts: [2]int32{int32(begin), int32(t.Len())}, civil: at.Int, st: st})
	}
}

// number returns the reading of a value; that of a duration is in ns.
func number(v *match.Value) float64 {
	if v.Kind == match.Float {
		return v.Float
	}
	return float64(v.Int)
}
