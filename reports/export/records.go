package export

import (
	"github.com/tailpath/tailpath/ingest/table"
)

// record is a log record that belongs to a request.
type record struct {
	row     int   // of the logs table
	span    int32 // index of the span that it names, or -1
	service int32
}

// recordsOf returns the log records with a time that name one of the request's traces, in order
// of time. One that names no span of the request counts for the service that wrote it, and is
// left out if the request has no span of that service; so is one of another clock.
func (d *drawing) recordsOf() []record {
	traces := map[table.TraceID]bool{}
	for _, s := range d.req.Spans {
		if d.set.Spans.Origin[s.Row] == table.OriginSpan {
			traces[d.set.Spans.TraceID[s.Row]] = true
		}
	}
	clock := d.set.Spans.Clock[d.req.Spans[0].Row]
	logs := &d.set.Logs
	var out []record
	for row, trace := range logs.TraceID {
		if !traces[trace] || trace == (table.TraceID{}) || logs.Time[row] == table.Missing || logs.Clock[row] != clock {
			continue
		}
		r := record{row: row, span: -1}
		if k, ok := d.byID[spanKey{trace, logs.SpanID[row]}]; ok {
			r.span, r.service = k, d.serviceOf[k]
		} else if k, ok := d.numbers[d.set.Symbols.Text(d.set.Scopes.Service[logs.ScopeRow[row]])]; ok {
			r.service = k
		} else {
			continue
		}
		out = append(out, r)
	}
	return out
}

// record draws a log record as an instant, by the name of its event, else by its text, else by
// its severity.
func (d *drawing) record(r record) {
	logs, text := &d.set.Logs, d.set.Symbols.Text
	pid, tid := d.firstPID+1+int(r.service), recordThread
	args := map[string]any{}
	if r.span >= 0 {
		pid, tid = d.threadOf(r.span)
		args["span_id"] = d.spanID(r.span)
	}
	name := "log record"
	if s := visible(text(logs.SeverityText[r.row])); s != "" {
		args["severity"], name = s, s
	}
	for j := range logs.Body.Count(r.row) {
		if body, ok := logs.Body.At(r.row, j).Value.Scalar(); ok && len(body) > 0 {
			args["body"], name = visible(string(body)), shortened(visible(string(body)))
		}
	}
	if s := visible(text(logs.EventName[r.row])); s != "" {
		name = s
	}
	if attributes := attributesOf(d.set, &logs.Attributes, r.row); attributes != nil {
		args["attributes"] = attributes
	}
	d.instant(name, "log", place{pid, tid, logs.Time[r.row]}, args)
}

// mostName is how many characters of a text serve as the name of an instant.
const mostName = 80

// shortened cuts a text to what serves as a name; the whole is among the arguments.
func shortened(text string) string {
	n := 0
	for at := range text {
		if n++; n > mostName {
			return text[:at] + "…"
		}
	}
	return text
}
