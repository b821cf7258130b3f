package tracefile

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tailpath/tailpath/ingest/table"
)

// tritonScope is the scope and the service under which Triton itself exports its traces
// to OpenTelemetry: one set of rules reads both.
var tritonScope = recordScope{scope: "triton-server", service: "triton-inference-server"}

// flush makes spans of every trace that is held, and forgets them.
func (t *tritonReader) flush() {
	for i := range t.traces {
		t.drop(&t.traces[i])
	}
	for i := range t.traces {
		t.adopt(int32(i))
	}
	for i := range t.traces {
		t.findRoot(int32(i))
	}
	for i := range t.traces {
		t.emit(&t.traces[i])
	}
	t.noteTally(&t.tensors, TritonTensor, "a tensor")
	t.stats.Unused += int64(t.tensors.n + t.others.n)
	t.noteTally(&t.others, TritonOther, "an object of a kind that is not known")
	t.noteTally(&t.repeated, TritonRepeated, "a time stands twice")
	t.noteTally(&t.badTimes, TritonBadTime, "a time is 0, not a number, or more than a day away from its request")
	t.tensors, t.others, t.repeated, t.badTimes = tally{}, tally{}, tally{}, tally{}
	clear(t.index)
	t.traces, t.stamps, t.last = t.traces[:0], t.stamps[:0], -1
}

func (t *tritonReader) noteTally(of *tally, is table.Issue, detail string) {
	t.note(is, of.n, of.at, detail)
}

func (t *tritonReader) place(tr *tritonTrace) table.Place {
	return table.Place{Source: t.source, Line: tr.line, Offset: tr.offset}
}

// drop leaves out the times of a trace that are too far from the others, and finds out
// what it has spans of. The time at which a gRPC server began to wait for any request
// may be long before.
func (t *tritonReader) drop(tr *tritonTrace) {
	t.times = t.times[:0]
	for s := tr.first; s >= 0; s = t.stamps[s].next {
		if t.stamps[s].kind != waitReadStart {
			t.times = append(t.times, t.stamps[s].ns)
		}
	}
	slices.Sort(t.times)
	for s := tr.first; s >= 0; s = t.stamps[s].next {
		stamp := &t.stamps[s]
		if len(t.times) > 0 {
			middle := t.times[len(t.times)/2]
			if stamp.ns > middle+maxRequest || stamp.ns < middle-maxRequest && stamp.kind != waitReadStart {
				stamp.kind = tritonDropped
				t.badTimes.add(t.place(tr))
				continue
			}
		}
		switch {
		case stamp.kind == waitReadStart || stamp.kind == responseComplete:
		case stamp.kind.frontend():
			tr.frontend = true
		default:
			tr.called = true
		}
	}
	if !tr.frontend && !tr.called && len(t.times) > 0 { // INFER_RESPONSE_COMPLETE alone
		for s := tr.first; s >= 0; s = t.stamps[s].next {
			tr.called = tr.called || t.stamps[s].kind == responseComplete
		}
	}
}

// adopt finds the trace that called a trace.
func (t *tritonReader) adopt(i int32) {
	tr := &t.traces[i]
	if tr.parentID == 0 {
		return
	}
	tr.called = tr.called || tr.frontend // what another model calls has no frontend of its own
	tr.frontend = false
	if p, ok := t.index[tr.parentID]; ok && p != i && (t.traces[p].frontend || t.traces[p].called) {
		tr.parent = p
		return
	}
	if tr.called {
		t.note(TritonLostParent, 1, t.place(tr), "parent_id is no trace of the array")
	}
}

// findRoot finds the trace that the request of a trace began with. Traces that are each
// other's parents are cut at the least id.
func (t *tritonReader) findRoot(i int32) {
	const walking = -2
	t.path = t.path[:0]
	root := int32(-1)
	for at := i; ; at = t.traces[at].parent {
		tr := &t.traces[at]
		if tr.root == walking {
			root = t.cut(at)
			break
		}
		if tr.root >= 0 {
			root = tr.root
			break
		}
		t.path = append(t.path, at)
		tr.root = walking
		if tr.parent < 0 {
			root = at
			break
		}
	}
	for _, at := range t.path {
		t.traces[at].root = root
	}
}

// cut makes the trace of the least id on a cycle a root, and returns it.
func (t *tritonReader) cut(at int32) int32 {
	least := at
	for on := t.traces[at].parent; on != at; on = t.traces[on].parent {
		if t.traces[on].id < t.traces[least].id {
			least = on
		}
	}
	t.traces[least].parent = -1
	t.note(TritonLostParent, 1, t.place(&t.traces[least]), "traces are each other's parents")
	return least
}

// Numbers of the spans that one trace may have, which make their ids differ.
const (
	nthRequest = iota
	nthModel
	nthFirstOther
)

// spanID returns the id of the nth span of a trace.
func (t *tritonReader) spanID(tr *tritonTrace, nth int) table.SpanID {
	_, id := t.ids.At(tr.offset, t.restarts<<20+nth)
	return id
}

// emit makes the spans of one trace:
//
//	InferRequest    the HTTP or gRPC server's, if it stamped anything
//	  <model>       from REQUEST_START to REQUEST_END
//	    compute     every pair of COMPUTE_START and COMPUTE_END
//	    <activity>  every other pair of <activity>_START and <activity>_END
func (t *tritonReader) emit(tr *tritonTrace) {
	if !tr.frontend && !tr.called {
		t.leaveOut(TritonNoTimes, t.place(tr), "a trace has no times")
		return
	}
	if !tr.named {
		t.note(TritonNoMetadata, 1, t.place(tr), "no object names the model")
	}
	t.sort(tr)
	trace, _ := t.ids.At(t.traces[tr.root].offset, t.restarts<<20)
	var parent table.SpanID
	if tr.parent >= 0 {
		if p := &t.traces[tr.parent]; p.called {
			parent = t.spanID(p, nthModel)
		} else {
			parent = t.spanID(p, nthRequest)
		}
	}
	if tr.frontend {
		id := t.spanID(tr, nthRequest)
		t.emitRequest(tr, trace, id)
		parent = id
	}
	if tr.called {
		t.emitModel(tr, trace, parent)
	}
}

// sort gathers the times of a trace, in the order of time and then of the way.
func (t *tritonReader) sort(tr *tritonTrace) {
	t.sorted = t.sorted[:0]
	for s := tr.first; s >= 0; s = t.stamps[s].next {
		if t.stamps[s].kind != tritonDropped {
			t.sorted = append(t.sorted, t.stamps[s])
		}
	}
	slices.SortStableFunc(t.sorted, func(a, b tritonStamp) int {
		c := cmp.Or(cmp.Compare(a.ns, b.ns), cmp.Compare(a.kind, b.kind))
		if c == 0 && a.name != b.name {
			return strings.Compare(t.set.Symbols.Text(a.name), t.set.Symbols.Text(b.name))
		}
		return c
	})
}

// stamp returns the first time of a kind, Missing if there is none.
func (t *tritonReader) stamp(kind tritonKind) int64 {
	for _, s := range t.sorted {
		if s.kind == kind {
			return s.ns
		}
	}
	return table.Missing
}

// firstOf returns the first of the kinds that has a time. Without one it returns the
// least time of the frontend and the model, or of the model alone if it has any.
func (t *tritonReader) firstOf(frontend bool, kinds ...tritonKind) int64 {
	for _, kind := range kinds {
		if at := t.stamp(kind); at != table.Missing {
			return at
		}
	}
	least := int64(table.Missing)
	for _, s := range t.sorted {
		switch {
		case s.kind == waitReadStart:
		case !s.kind.frontend() || frontend:
			return s.ns
		case least == table.Missing:
			least = s.ns
		}
	}
	return least
}

// emitRequest makes the span of the HTTP or gRPC server. It begins when the request was
// received or began to be, and ends with the last that happened to it, as Triton's own
// span does; a request of which no end was stamped is unfinished.
func (t *tritonReader) emitRequest(tr *tritonTrace, trace table.TraceID, id table.SpanID) {
	start := t.firstOf(true, httpRecvStart, httpRecvEnd, waitReadEnd)
	end := int64(0)
	if slices.ContainsFunc(t.sorted, func(s tritonStamp) bool { return s.kind >= responseComplete && s.kind < tritonCustom }) {
		for _, s := range t.sorted {
			if s.kind != waitReadStart {
				end = s.ns
			}
		}
	}
	row := t.span(trace, id, table.SpanID{}, "InferRequest", start, end, table.ClockSteady, t.place(tr))
	t.set.Spans.ScopeRow[row] = t.scopeRow(tritonScope)
	for _, s := range t.sorted {
		if s.kind.frontend() || s.kind == responseComplete {
			t.event(row, s.name, s.ns)
		}
	}
}

// emitModel makes the span of one call of a model and those below it.
func (t *tritonReader) emitModel(tr *tritonTrace, trace table.TraceID, parent table.SpanID) {
	start := t.firstOf(false, requestStart, queueStart)
	end := t.stamp(requestEnd)
	if end == table.Missing {
		end = 0
	}
	name := "model"
	if tr.named {
		name = t.set.Symbols.Text(tr.model)
	}
	id := t.spanID(tr, nthModel)
	row := t.span(trace, id, parent, name, start, end, table.ClockSteady, t.place(tr))
	scope := t.scopeRow(tritonScope)
	spans := &t.set.Spans
	spans.ScopeRow[row] = scope
	spans.Model[row], spans.RequestID[row] = tr.model, tr.requestID
	t.attribute("triton.model_name", table.StringValue(t.set.Symbols.Text(tr.model)))
	if tr.version != table.Missing {
		t.attribute("triton.model_version", table.IntValue(tr.version))
	}
	t.attribute("triton.trace_id", table.IntValue(tr.id))
	t.attribute("triton.trace_parent_id", table.IntValue(tr.parentID))
	if tr.requestID != "" {
		t.attribute("triton.request_id", table.StringValue(tr.requestID))
	}
	below := t.pairs()
	for _, s := range t.sorted {
		switch {
		case s.next >= 0: // belongs to one below
		case tr.frontend && (s.kind.frontend() || s.kind == responseComplete):
		default:
			t.event(row, s.name, s.ns)
		}
	}
	if len(below) > 0 {
		t.emitBelow(tr, trace, id, scope, below)
	}
}

// emitBelow makes the spans below a model. Custom activities that hold each other nest.
func (t *tritonReader) emitBelow(tr *tritonTrace, trace table.TraceID, model table.SpanID, scope int32, below []tritonActivity) {
	at := t.place(tr)
	rows := t.rows[:0]
	t.holds = t.holds[:0] // the custom activities that hold the next one, innermost last
	for k, a := range below {
		parent := model
		if a.kind == tritonCustom {
			for len(t.holds) > 0 && below[t.holds[len(t.holds)-1]].end < a.end {
				t.holds = t.holds[:len(t.holds)-1]
			}
			if len(t.holds) > 0 {
				parent = t.spanID(tr, nthFirstOther+int(t.holds[len(t.holds)-1]))
			}
			t.holds = append(t.holds, int32(k))
		}
		row := t.span(trace, t.spanID(tr, nthFirstOther+k), parent, a.name, a.start, a.end, table.ClockSteady, at)
		t.set.Spans.ScopeRow[row] = scope
		rows = append(rows, int32(row))
	}
	for _, s := range t.sorted {
		if s.next >= 0 && below[s.next].kind == computeStart {
			t.event(int(rows[s.next]), s.name, s.ns)
		}
	}
	t.rows = rows
}

// tritonActivity is a pair of times below a model: an execution, or a custom activity.
type tritonActivity struct {
	name       string
	kind       tritonKind // computeStart or tritonCustom
	start, end int64      // ns
	from, to   int32      // its times among the sorted ones
}

// pairs finds what goes on below a model, in the order of its start. The next of every
// sorted time becomes the number of what it belongs to, -1 for the model itself. Of
// several pairs of one name, the first start belongs to the first end and so on: a model
// that is scheduled step by step executes several times.
func (t *tritonReader) pairs() []tritonActivity {
	t.list, t.times = t.list[:0], t.times[:0]
	clear(t.ends)
	for i := range t.sorted {
		s := &t.sorted[i]
		s.next = -1
		switch s.kind {
		case computeStart:
			t.times = append(t.times, s.ns)
		case computeEnd:
			t.ends["compute"] = append(t.ends["compute"], int32(i))
		case tritonCustom:
			if name, ok := strings.CutSuffix(t.set.Symbols.Text(s.name), "_END"); ok && name != "" {
				t.ends[name+"_"] = append(t.ends[name+"_"], int32(i))
			}
		}
	}
	for i, s := range t.sorted {
		name, key := "compute", "compute"
		switch s.kind {
		case computeStart:
		case tritonCustom:
			var ok bool
			if name, ok = strings.CutSuffix(t.set.Symbols.Text(s.name), "_START"); !ok || name == "" {
				continue
			}
			key = name + "_"
		default:
			continue
		}
		ends := t.ends[key]
		for len(ends) > 0 && t.sorted[ends[0]].ns < s.ns { // its start is missing
			ends = ends[1:]
		}
		t.ends[key] = ends
		if len(ends) > 0 && (s.kind != computeStart || !t.again(s.ns, t.sorted[ends[0]].ns)) {
			t.ends[key] = ends[1:]
			t.list = append(t.list, tritonActivity{name, s.kind, s.ns, t.sorted[ends[0]].ns, int32(i), ends[0]})
		}
	}
	slices.SortStableFunc(t.list, func(a, b tritonActivity) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end), strings.Compare(a.name, b.name))
	})
	t.runs = t.runs[:0]
	for k, a := range t.list {
		t.sorted[a.from].next, t.sorted[a.to].next = int32(k), int32(k)
		if a.kind == computeStart {
			t.runs = append(t.runs, int32(k))
		}
	}
	t.inside()
	return t.list
}

// again says whether another execution begins between a start and an end, in ns, so that
// they cannot belong together: executions of a request follow each other.
func (t *tritonReader) again(start, end int64) bool {
	next, _ := slices.BinarySearch(t.times, start+1)
	return next < len(t.times) && t.times[next] < end
}

// inside gives the times within an execution to it, and to the only one those without.
func (t *tritonReader) inside() {
	for i := range t.sorted {
		s := &t.sorted[i]
		if s.kind != computeInputEnd && s.kind != computeOutputStart || len(t.runs) == 0 {
			continue
		}
		after, _ := slices.BinarySearchFunc(t.runs, s.ns, func(k int32, ns int64) int {
			if t.list[k].start <= ns {
				return -1
			}
			return 1
		})
		if len(t.runs) == 1 {
			s.next = t.runs[0]
		} else if after > 0 && s.ns <= t.list[t.runs[after-1]].end {
			s.next = t.runs[after-1]
		}
	}
}
