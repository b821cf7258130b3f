package export

import (
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/engine"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// Window is an engine for a while.
type Window struct {
	Engines  *engine.Timelines
	Engine   int32 // its number
	From, To int64 // ns on the engine's own clock; To is not part of it
	Most     int   // how many requests may be there; 0 for any number
}

// The processes of an engine's trace.
const (
	countsProcess = 1
	visitsProcess = 2
)

// readMetrics are the readings that become counters. What an engine counts by itself stands
// beside what the requests tell.
var readMetrics = []string{"running", "waiting", "kv_usage"}

// TooManyError says that more requests were at an engine in a window than its Most.
type TooManyError struct {
	Requests, Most int
}

// Error says how many there are.
func (e *TooManyError) Error() string {
	return fmt.Sprintf("%d requests were at the engine then, and %d are drawn at most", e.Requests, e.Most)
}

// WriteEngine writes what an engine did in a window as a JSON trace for Perfetto: every request
// that was at the engine in it as an asynchronous slice, in whole, with its path to the end as
// slices within, and counters of who ran and who waited, by the requests' own times and by the
// engine's readings. All times are on the engine's own clock, and count from the start of the window
// or of the first request that is drawn. It returns how many requests there are. With more
// than the window may have the error is a *TooManyError.
//
// keep says, by row of the requests table, whose slices are drawn; the counters are of all
// requests.
func WriteEngine(w io.Writer, set *table.Set, at Window, keep func(row int) bool) (int, error) {
	e := at.Engines.Engines()[at.Engine]
	f := traceFile{origin: at.From, other: map[string]any{"engine": visible(e.Name), "from_ns": strconv.FormatInt(at.From, 10), "for": string(length(at.From, at.To)) + " us"}}
	o := occupation{Window: at, traceFile: &f, set: set}
	o.find()
	if n := len(o.requests); at.Most > 0 && n > at.Most {
		return 0, &TooManyError{Requests: n, Most: at.Most}
	}
	o.requests = slices.DeleteFunc(o.requests, func(row int32) bool { return !keep(int(row)) })
	for _, row := range o.requests {
		if begins := o.begins(row); begins < f.origin && uint64(at.From)-uint64(begins) <= mostLead {
			f.origin = begins
		}
	}
	clock := table.ClockWall
	if k := slices.Index(table.ClockNames, e.Clock); k >= 0 {
		clock = k
	}
	f.tellOrigin(uint8(clock))
	f.process(countsProcess, e.Name+": counts")
	f.process(visitsProcess, e.Name+": requests")
	o.counts()
	o.readings()
	for _, request := range o.requests {
		o.request(request)
	}
	return len(o.requests), f.write(w)
}

// occupation draws a window.
type occupation struct {
	Window
	*traceFile
	set      *table.Set
	requests []int32         // that were at the engine in the window, ascending
	rows     map[int32][]int // their segments on the path to the end
	instants []int64         // at which who runs or waits may change, ascending
}

// find finds who was there and when that changed.
func (o *occupation) find() {
	seg := &o.set.Segments
	o.rows = map[int32][]int{}
	o.instants = append(o.instants, o.From)
	for i, request := range seg.RequestRow {
		if critical.Target(seg.Target[i]) != critical.End {
			continue
		}
		of, ok := o.Engines.EngineOf(int32(i))
		if !ok || of != o.Engine {
			continue
		}
		start, end := o.local(i, seg.Start[i]), o.local(i, seg.End[i])
		if start >= o.To || end <= o.From {
			continue
		}
		for _, at := range []int64{start, end} {
			if at > o.From && at < o.To {
				o.instants = append(o.instants, at)
			}
		}
		o.rows[request] = nil
	}
	slices.Sort(o.instants)
	o.instants = slices.Compact(o.instants)
	for i, request := range seg.RequestRow {
		if rows, ok := o.rows[request]; ok && critical.Target(seg.Target[i]) == critical.End {
			if rows == nil {
				o.requests = append(o.requests, request)
			}
			o.rows[request] = append(rows, i)
		}
	}
}

// begins returns when a request begins, by the engine's own clock.
func (o *occupation) begins(row int32) int64 {
	first := o.rows[row][0]
	return o.local(first, o.set.Segments.Start[first])
}

// local returns an instant of a segment by the engine's own clock.
func (o *occupation) local(segment int, at int64) int64 {
	return o.Engines.Local(o.Engine, int32(segment), at)
}

// counter draws a value that holds from an instant on.
func (o *occupation) counter(name, unit string, at int64, value any) {
	o.add(event{Name: name, Phase: "C", Time: o.at(at), Process: countsProcess, Args: map[string]any{unit: value}})
}

// counts draws who ran and who waited, wherever that changes.
func (o *occupation) counts() {
	batching := o.Engines.Engines()[o.Engine].Batching
	names := []string{"running (requests' own times)", "waiting (requests' own times)", "batches (requests' own times)"}
	last := [...]int{-1, -1, -1}
	for _, at := range o.instants {
		s := o.Engines.At(o.Engine, at)
		now := [...]int{len(s.Running), len(s.Waiting) + len(s.Preempted), int(s.Batches)}
		for k, n := range now {
			if n != last[k] && (k < 2 || batching) {
				o.counter(names[k], "n", at, n)
			}
		}
		last = now
	}
}

// readings draws what the engine says of itself: what was in force when the window began, and
// what it read within.
func (o *occupation) readings() {
	for _, metric := range readMetrics {
		name := metric + " (readings)"
		for _, r := range o.Engines.At(o.Engine, o.From).Readings {
			if r.Metric == metric && r.AgeNS > 0 {
				o.counter(name, "n", o.From, number(r.Value))
			}
		}
		o.Engines.Readings(o.Engine, metric, func(at int64, value float64) {
			if at >= o.From && at < o.To {
				o.counter(name, "n", at, number(value))
			}
		})
	}
}

// request draws one request with its stages.
func (o *occupation) request(row int32) {
	q, seg := &o.set.Requests, &o.set.Segments
	rows := o.rows[row]
	last := rows[len(rows)-1]
	id := hex.EncodeToString(q.TraceID[row][:]) + "/" + hex.EncodeToString(q.RootSpanID[row][:])
	name := spanLabel(o.set.Symbols.Text(q.Service[row]), o.set.Symbols.Text(q.Name[row]))
	args := map[string]any{"trace_id": hex.EncodeToString(q.TraceID[row][:]), "duration_ns": q.Duration[row]}
	if model := o.set.Symbols.Text(q.Model[row]); model != "" {
		args["model"] = visible(model)
	}
	for _, tokens := range []struct {
		name string
		n    int64
	}{{"prompt_tokens", q.PromptTokens[row]}, {"output_tokens", q.OutputTokens[row]}} {
		if tokens.n != table.Missing {
			args[tokens.name] = strconv.FormatInt(tokens.n, 10)
		}
	}
	o.async("b", name, id, o.begins(row), args)
	for _, i := range rows {
		label := stageLabel(stage.Stage(seg.Stage[i]), o.set.Symbols.Text(seg.Detail[i]))
		args := map[string]any{"span": labelOf(o.set, seg.SpanRow[i]), "why": visible(o.set.Symbols.Text(seg.Reason[i]))}
		if cause := o.set.Symbols.Text(seg.Cause[i]); cause != "" {
			args["cause"] = visible(cause)
		}
		o.async("b", label, id, o.local(i, seg.Start[i]), args)
		o.async("e", label, id, o.local(i, seg.End[i]), nil)
	}
	o.async("e", name, id, o.local(last, seg.End[last]), nil)
}

// async draws one half of an asynchronous slice. What is before the origin begins there: Perfetto
// would leave it out and keep the other half.
func (o *occupation) async(phase, name, id string, at int64, args map[string]any) {
	at = max(at, o.origin)
	o.add(event{Name: name, Category: "request", Phase: phase, Time: o.at(at), Process: visitsProcess, ID: id, Args: args})
}
