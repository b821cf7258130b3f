package engine

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/tailpath/tailpath/ingest/table"
)

// Batch is requests that were executed together, where that is recorded exactly.
type Batch struct {
	Start, End int64   // ns; End is Start where only the scheduling is recorded
	Requests   []int32 // rows of the requests table, ascending
	Size       int64   // as recorded; the number of requests where it is not
	Mode       string  // what it was for, as recorded: such as prefill or decode
	Basis      string  // what tells the members
}

// What tells the members of a batch.
const (
	basisStart    = "equal start of execution"
	basisSchedule = "event schedule"
)

// scheduleGap is how far apart the events of one scheduling may be, in ns: the scheduler
// stamps its requests one after the other.
const scheduleGap = 5_000_000

// Batches returns the batches of an engine in order of time. Triton stamps all requests
// of a batch with the same start of execution, to the nanosecond; SGLang's events of
// scheduling carry the id of the batch. Elsewhere membership is not recorded.
func (t *Timelines) Batches(engine int32) []Batch {
	l := &t.engines[engine]
	if !l.timed() {
		return nil
	}
	if l.batching && t.set.Symbols.Text(l.key.model) != "" {
		return stamped(l.runs)
	}
	return t.scheduled(engine)
}

// stamped makes batches of runs with equal starts.
func stamped(runs []interval) []Batch {
	var out []Batch
	for i := 0; i < len(runs); {
		b := Batch{Start: runs[i].start, End: runs[i].end, Basis: basisStart}
		for ; i < len(runs) && runs[i].start == b.Start; i++ {
			b.End = max(b.End, runs[i].end)
			b.Requests = append(b.Requests, runs[i].request)
		}
		slices.Sort(b.Requests)
		b.Requests = slices.Compact(b.Requests)
		b.Size = int64(len(b.Requests))
		out = append(out, b)
	}
	return out
}

// scheduling is one event by which a request was put into a batch.
type scheduling struct {
	id      string
	at      int64
	request int32
	size    int64
	mode    string
}

// scheduled makes batches of the events of scheduling. The id of a batch is an address
// that is used again: a batch ends when one of its requests comes a second time, when it
// has its size, or when no further event is near.
func (t *Timelines) scheduled(engine int32) []Batch {
	event, ok := t.set.Symbols.Lookup("schedule")
	if !ok {
		return nil
	}
	place := t.engines[engine].key.place
	owner := requestsOfSpans(t.set)
	var list []scheduling
	events := &t.set.SpanEvents
	for i, name := range events.Name {
		row := events.SpanRow[i]
		if name != event || row < 0 || owner[row] < 0 || t.directory.ofScope[t.set.Spans.ScopeRow[row]] != place {
			continue
		}
		id, ok := t.attribute(i, "bid")
		if !ok {
			continue
		}
		s := scheduling{id: spell(id), at: events.Time[i], request: owner[row]}
		if v, ok := t.attribute(i, "batch_size"); ok && v.Type == table.ValueInt {
			s.size = v.Int()
		}
		if v, ok := t.attribute(i, "forward_mode"); ok {
			s.mode = spell(v)
		}
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b scheduling) int {
		return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.at, b.at), cmp.Compare(a.request, b.request))
	})
	var out []Batch
	for i := 0; i < len(list); {
		first := list[i]
		b := Batch{Start: first.at, End: first.at, Size: first.size, Mode: first.mode, Basis: basisSchedule}
		for last := first.at; i < len(list); i++ {
			s := list[i]
			full := b.Size > 0 && int64(len(b.Requests)) >= b.Size
			if s.id != first.id || s.mode != first.mode || s.at-last > scheduleGap || full || slices.Contains(b.Requests, s.request) {
				break
			}
			last = s.at
			b.Requests = append(b.Requests, s.request)
		}
		slices.Sort(b.Requests)
		b.Size = cmp.Or(b.Size, int64(len(b.Requests)))
		out = append(out, b)
	}
	slices.SortFunc(out, func(a, b Batch) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), slices.Compare(a.Requests, b.Requests))
	})
	return out
}

// attribute returns an attribute of an event.
func (t *Timelines) attribute(event int, key string) (table.Value, bool) {
	sym, ok := t.set.Symbols.Lookup(key)
	if !ok {
		return table.Value{}, false
	}
	return t.set.SpanEvents.Attributes.Get(event, sym)
}

// spell writes a text or a whole number.
func spell(v table.Value) string {
	if v.Type == table.ValueInt {
		return strconv.FormatInt(v.Int(), 10)
	}
	return string(v.Text)
}
