package export

import (
	"encoding/hex"
	"io"
	"strconv"
	"time"

	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/ingest/table"
)

// mostLead is how long before its request something may begin, in ns, and still be what times
// count from. What is further off has the wrong date, and would make all other times too large for
// the numbers of viewers.
const mostLead = 3600_000_000_000

// WriteRequests writes requests as a JSON trace for Perfetto. A request has a process for its
// critical paths, to the end and to the first token, with a slice a segment, and one for each of
// its services, with a slice a span on as many threads as it takes. Arrows lead along the path
// into each span from the owner of the segment before, and from the spans that links point at;
// events of spans and log records are instants. What a slice stands for is in its arguments.
//
// With several requests each has processes of its own, and their times count from one origin:
// requests of other clocks than the first one's lie beside it at random.
func WriteRequests(w io.Writer, set *table.Set, requests []*critical.Request) error {
	var f traceFile
	wanted := map[int32]bool{}
	for _, r := range requests {
		for _, s := range r.Spans {
			wanted[s.Row] = true
		}
	}
	events := rowsBySpan(set.SpanEvents.SpanRow, wanted)
	links := rowsBySpan(set.SpanLinks.SpanRow, wanted)
	drawings := make([]*drawing, len(requests))
	pid := 0
	for i, r := range requests {
		d := &drawing{traceFile: &f, set: set, req: r, events: events, links: links, firstPID: pid + 1}
		if len(requests) > 1 {
			d.prefix = strconv.Itoa(i+1) + ": "
		}
		d.findServices()
		d.records = d.recordsOf()
		if begins := d.begins(); i == 0 || begins < f.origin {
			f.origin = begins
		}
		pid += 1 + len(d.services)
		drawings[i] = d
	}
	f.other = map[string]any{}
	if len(requests) > 0 {
		f.tellOrigin(set.Spans.Clock[requests[0].Spans[0].Row])
	}
	for _, d := range drawings {
		d.draw()
	}
	return f.write(w)
}

// begins returns the first instant that is drawn of the request, in ns on its clock: Perfetto
// leaves out what has a negative time.
func (d *drawing) begins() int64 {
	first := d.req.Start
	note := func(at int64) {
		if at < first && uint64(d.req.Start)-uint64(at) <= mostLead {
			first = at
		}
	}
	for _, s := range d.req.Spans {
		note(s.Start)
		for _, i := range d.events[s.Row] {
			note(d.set.SpanEvents.Time[i])
		}
	}
	for _, r := range d.records {
		note(d.set.Logs.Time[r.row])
	}
	return first
}

// tellOrigin says what times count from, and as a date where the clock has dates.
func (f *traceFile) tellOrigin(clock uint8) {
	f.other["origin_ns"] = strconv.FormatInt(f.origin, 10)
	f.other["clock"] = table.ClockNames[clock]
	if clock == table.ClockWall {
		f.other["origin"] = time.Unix(0, f.origin).UTC().Format(time.RFC3339Nano)
	}
}

// rowsBySpan returns the rows of a table that belong to some spans, by the row of the span.
func rowsBySpan(spanRows []int32, wanted map[int32]bool) map[int32][]int32 {
	rows := map[int32][]int32{}
	for i, row := range spanRows {
		if wanted[row] {
			rows[row] = append(rows[row], int32(i))
		}
	}
	return rows
}

// drawing draws one request.
type drawing struct {
	*traceFile
	set      *table.Set
	req      *critical.Request
	events   map[int32][]int32
	links    map[int32][]int32
	prefix   string // of the names of its processes
	firstPID int    // of its critical paths; those of the services follow

	records   []record
	services  []string
	numbers   map[string]int32 // of the services
	serviceOf []int32          // by index of the span
	byID      map[spanKey]int32
	lanes     *lanes
	tracks    tracks
	instants  []event
}

// Threads of a service: log records of no span, then the lanes of its spans.
const (
	recordThread = 1
	firstLane    = 2
)

func (d *drawing) draw() {
	d.lanes, d.tracks = newLanes(d.req, d.serviceOf, len(d.services)), tracks{}
	ownThread := map[int32]bool{} // services with records of no span
	for _, r := range d.records {
		if r.span < 0 {
			ownThread[r.service] = true
		}
	}
	d.process(d.firstPID, d.prefix+"critical path")
	d.path(1, "to the end", d.req.EndPath)
	d.path(2, "to the first token", d.req.TokenPath)
	for i, name := range d.services {
		pid := d.firstPID + 1 + i
		d.process(pid, d.prefix+name)
		if ownThread[int32(i)] {
			d.thread(pid, recordThread, "log records")
		}
		for lane := range d.lanes.count[i] {
			name := "spans"
			if lane > 0 {
				name += " " + strconv.Itoa(int(lane)+1)
			}
			d.thread(pid, firstLane+int(lane), name)
		}
	}
	order := make([]int32, len(d.req.Spans))
	for i := range order {
		order[i] = int32(i)
	}
	inOrder(d.req, order)
	onPath := make([]int64, len(d.req.Spans))
	for _, s := range d.req.EndPath {
		onPath[s.Span] += s.Duration()
	}
	for _, k := range order {
		d.span(k, onPath[k])
	}
	for _, k := range order {
		d.spanEvents(k)
	}
	for _, r := range d.records {
		d.record(r)
	}
	d.tracks.sort()
	d.pathArrows()
	for _, k := range order {
		d.linkArrows(k)
	}
	for _, e := range d.instants {
		d.add(e)
	}
}

// spanKey is how links and log records name a span.
type spanKey struct {
	trace table.TraceID
	span  table.SpanID
}

// findServices lists the services in the order in which the request reaches them, and finds the
// spans by their ids. Of two with one id the first counts.
func (d *drawing) findServices() {
	d.numbers, d.byID = map[string]int32{}, map[spanKey]int32{}
	for i, s := range d.req.Spans {
		name := d.service(s.Row)
		k, ok := d.numbers[name]
		if !ok {
			k = int32(len(d.services))
			d.numbers[name] = k
			d.services = append(d.services, name)
		}
		d.serviceOf = append(d.serviceOf, k)
		key := spanKey{d.set.Spans.TraceID[s.Row], s.ID}
		if _, twice := d.byID[key]; !twice {
			d.byID[key] = int32(i)
		}
	}
}

// service names the service of a row of spans.
func (d *drawing) service(row int32) string {
	if name := d.set.Symbols.Text(d.set.Scopes.Service[d.set.Spans.ScopeRow[row]]); name != "" {
		return name
	}
	return "unknown service"
}

// threadOf returns where the slice of a span is.
func (d *drawing) threadOf(k int32) (pid, tid int) {
	return d.firstPID + 1 + int(d.serviceOf[k]), firstLane + int(d.lanes.of[k])
}

// path draws a critical path on a thread of its own; nothing without one.
func (d *drawing) path(tid int, name string, path critical.Path) {
	if len(path) == 0 {
		return
	}
	d.thread(d.firstPID, tid, name)
	for _, s := range path {
		args := map[string]any{
			"span": labelOf(d.set, d.req.Spans[s.Span].Row), "span_id": d.spanID(s.Span), "known": s.Confidence.String(),
			"why": visible(s.Reason), "rule": visible(s.Rule), "duration_ns": s.Duration(),
		}
		if s.Error != 0 {
			args["error_ns"] = s.Error
		}
		if s.OverlappedBy >= 0 {
			args["overlapped_by"] = labelOf(d.set, d.req.Spans[s.OverlappedBy].Row)
		}
		d.add(event{
			Name: stageLabel(s.Stage, s.Detail), Category: s.Stage.String(), Phase: "X", Time: d.at(s.Start), Duration: length(s.Start, s.End),
			Process: d.firstPID, Thread: tid, Args: args,
		})
	}
}

func (d *drawing) spanID(k int32) string { return hex.EncodeToString(d.req.Spans[k].ID[:]) }

// span draws the slice of one span, with its times as the request uses them, and as they were
// recorded where that differs.
func (d *drawing) span(k int32, onPath int64) {
	s, spans := d.req.Spans[k], &d.set.Spans
	args := map[string]any{
		"span_id": d.spanID(k), "trace_id": hex.EncodeToString(spans.TraceID[s.Row][:]), "kind": table.KindNames[spans.Kind[s.Row]],
		"role": s.Role.String(), "on_path_ns": onPath,
	}
	if s.Repair != "" {
		args["repair"] = visible(s.Repair)
	}
	if spans.Start[s.Row] != s.Start || spans.End[s.Row] != s.End {
		args["recorded_start_ns"], args["recorded_end_ns"] = strconv.FormatInt(spans.Start[s.Row], 10), strconv.FormatInt(spans.End[s.Row], 10)
	}
	if status := table.StatusNames[spans.Status[s.Row]]; status == "ERROR" {
		args["status"] = status
		if text := spans.StatusMessage[s.Row]; text != "" {
			args["status_message"] = visible(text)
		}
	}
	if attributes := attributesOf(d.set, &spans.Attributes, int(s.Row)); attributes != nil {
		args["attributes"] = attributes
	}
	pid, tid := d.threadOf(k)
	name := visible(d.set.Symbols.Text(spans.Name[s.Row]))
	if name == "" {
		name = unnamed
	}
	d.tracks.note(pid, tid, begun{s.Start, s.End - s.Start, k})
	d.add(event{Name: name, Category: "span", Phase: "X", Time: d.at(s.Start), Duration: length(s.Start, s.End), Process: pid, Thread: tid, Args: args})
}

// attributesOf returns the attributes of a row that are text, numbers or booleans, nil for none.
func attributesOf(set *table.Set, attrs *table.Attrs, row int) map[string]any {
	var out map[string]any
	for j := range attrs.Count(row) {
		a := attrs.At(row, j)
		text, ok := a.Value.Scalar()
		if !ok {
			continue
		}
		if out == nil {
			out = map[string]any{}
		}
		out[visible(set.Symbols.Text(a.Key))] = visible(string(text))
	}
	return out
}

// spanEvents draws the events of a span.
func (d *drawing) spanEvents(k int32) {
	pid, tid := d.threadOf(k)
	for _, i := range d.events[d.req.Spans[k].Row] {
		e := &d.set.SpanEvents
		args := map[string]any{"span_id": d.spanID(k)}
		if attributes := attributesOf(d.set, &e.Attributes, int(i)); attributes != nil {
			args["attributes"] = attributes
		}
		name := visible(d.set.Symbols.Text(e.Name[i]))
		if name == "" {
			name = unnamed
		}
		d.instant(name, "event", place{pid, tid, e.Time[i]}, args)
	}
}

// instant draws an instant once the arrows are drawn: of what has one time Perfetto takes first
// what comes first in the file, and an arrow is not to be bound to an instant.
func (d *drawing) instant(name, category string, at place, args map[string]any) {
	d.tracks.note(at.pid, at.tid, begun{at.at, instantLength, -1})
	d.instants = append(d.instants, event{Name: name, Category: category, Phase: "i", Scope: "t", Time: d.at(at.at), Process: at.pid, Thread: at.tid, Args: args})
}
