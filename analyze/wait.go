package analyze

import (
	"cmp"
	"slices"

	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/engine"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// Wait is a queue segment of the path to the end, with its cause and the numbers that
// say so.
type Wait struct {
	Segment int // index in Explanation.Path
	Finding engine.Finding
	Doc     string // what the rule that held asks; empty when none did
	Engine  string // name of the engine that was waited for; empty when none is known
	Batches bool   // it runs batches: its limit and what runs count those, not requests
	Held    Held
}

// Held is the other requests that held an engine in a time, and for how long of it.
type Held struct {
	NS      int64    // held by anybody; at most the length of the time
	N       int64    // requests that held it
	Holders []Holder // the first of them, most first
}

// Holder is a request that held the engine while another waited.
type Holder struct {
	TraceID    table.TraceID
	RootSpanID table.SpanID
	RequestID  string
	Record     bool   // its root was made of a record, and so were its ids
	NS         int64  // its share of the time
	Why        string // what it held
}

// holdersKept is how many holders are named; the rest are counted.
const holdersKept = 5

// State is an engine at the instant at which the longest wait for one began. The request
// itself is not counted.
type State struct {
	Segment                     int // the wait's index in Explanation.Path
	Engine                      string
	At                          int64 // ns on the clock of the request
	Running, Waiting, Preempted int64 // requests
	Batching                    bool
	Batches                     int64 // that ran, where batches do
	Limit                       int64 // most that can run; 0 when it is not known
	// Partial tells that not all requests of the engine are known: the counts are lower
	// bounds.
	Partial  bool
	Readings []engine.Reading // in force, by metric
}

// Stalls are the gaps between the tokens of a request that are long beside its others.
type Stalls struct {
	List []engine.Stall // in order of time, on the clock of the request
	Held Held           // those whose prefills took part of the gaps
}

// beside is what else ran while a request did.
type beside struct {
	set     *table.Set
	engines *engine.Timelines
	names   []engine.Engine
	row     int32   // of the requests table
	rows    []int32 // of the segments table, in the order of the path
}

// besideOf finds the rows of a request's path in the segments table; false when they are
// not there.
func besideOf(set *table.Set, req *critical.Request, engines *engine.Timelines, row int) (*beside, bool) {
	b := &beside{set: set, engines: engines, row: int32(row)}
	seg := &set.Segments
	for i, of := range seg.RequestRow {
		if of == b.row && critical.Target(seg.Target[i]) == critical.End {
			b.rows = append(b.rows, int32(i))
		}
	}
	slices.SortFunc(b.rows, func(x, y int32) int { return cmp.Compare(seg.Start[x], seg.Start[y]) })
	if len(b.rows) != len(req.EndPath) {
		return nil, false
	}
	for i, s := range req.EndPath {
		if seg.Start[b.rows[i]] != s.Start || seg.End[b.rows[i]] != s.End {
			return nil, false
		}
	}
	if engines != nil {
		b.names = engines.Engines()
	}
	return b, true
}

// causes names the cause of every segment of the path, empty for none.
func (b *beside) causes() []string {
	out := make([]string, len(b.rows))
	for i, row := range b.rows {
		out[i] = b.set.Symbols.Text(b.set.Segments.Cause[row])
	}
	return out
}

// waits returns the queue segments of the path with what is known of their cause.
func (b *beside) waits() (out []Wait) {
	docs := map[string]string{}
	for _, r := range engine.Rules() {
		docs[r.ID] = r.Doc
	}
	for i, row := range b.rows {
		if stage.Stage(b.set.Segments.Stage[row]) != stage.Queue {
			continue
		}
		w := Wait{Segment: i, Finding: b.engines.Finding(row), Held: b.held(b.engines.Blame(row))}
		w.Doc = docs[w.Finding.Rule]
		if e := w.Finding.Engine; e >= 0 {
			w.Engine, w.Batches = b.names[e].Name, b.names[e].Batching
		}
		out = append(out, w)
	}
	return out
}

// state returns the engine at the start of the longest wait for one, the first of equals;
// nil when there is none, or times of different requests cannot be compared.
func (b *beside) state(waits []Wait) *State {
	longest := Wait{Finding: engine.Finding{Engine: -1, WaitNS: -1}}
	for _, w := range waits {
		// Whoever waits to try again is not waiting for an engine, whatever that did meanwhile.
		if f := w.Finding; f.Engine >= 0 && f.Cause != engine.Retry && f.WaitNS > longest.Finding.WaitNS {
			longest = w
		}
	}
	e := longest.Finding.Engine
	if e < 0 || b.names[e].Clock == table.ClockNames[table.ClockNone] {
		return nil
	}
	row := b.rows[longest.Segment]
	at := b.set.Segments.Start[row]
	now := b.engines.At(e, b.engines.Local(e, row, at))
	return &State{
		Segment: longest.Segment, Engine: longest.Engine, At: at, Running: b.others(now.Running), Waiting: b.others(now.Waiting), Preempted: b.others(now.Preempted),
		Batching: b.names[e].Batching, Batches: now.Batches, Limit: longest.Finding.Limit.Value, Partial: b.names[e].Partial, Readings: now.Readings,
	}
}

// others counts requests but this one.
func (b *beside) others(rows []int32) int64 {
	n := int64(len(rows))
	if slices.Contains(rows, b.row) {
		n--
	}
	return n
}

// stalls returns the stalls of all segments of decoding, each once.
func (b *beside) stalls() Stalls {
	var out Stalls
	var holders []engine.Holder
	for _, row := range b.rows {
		found := b.engines.Stalls(row)
		if len(found) == 0 {
			continue
		}
		e, _ := b.engines.EngineOf(row) // whatever stalls is at one
		for _, s := range found {
			moved := s.Start - b.engines.Local(e, row, s.Start)
			s.Start, s.End = s.Start+moved, s.End+moved
			if !slices.Contains(out.List, s) {
				out.List = append(out.List, s)
			}
		}
		for _, h := range b.engines.Blame(row) {
			if k := slices.IndexFunc(holders, func(x engine.Holder) bool { return x.Request == h.Request }); k >= 0 {
				holders[k].NS += h.NS
				continue
			}
			holders = append(holders, h)
		}
	}
	slices.SortStableFunc(out.List, func(x, y engine.Stall) int { return cmp.Compare(x.Start, y.Start) })
	slices.SortStableFunc(holders, func(x, y engine.Holder) int { return cmp.Compare(y.NS, x.NS) })
	out.Held = b.held(holders)
	return out
}

// held names the first of some holders.
func (b *beside) held(list []engine.Holder) Held {
	out := Held{N: int64(len(list))}
	req := &b.set.Requests
	for i, h := range list {
		out.NS += h.NS
		if i < holdersKept {
			root := int(req.RootRow[h.Request])
			record := root < b.set.Spans.Len() && b.set.Spans.Origin[root] == table.OriginRecord
			out.Holders = append(out.Holders, Holder{req.TraceID[h.Request], req.RootSpanID[h.Request], req.RequestID[h.Request], record, h.NS, h.Why})
		}
	}
	return out
}
