package engine

import (
	"cmp"
	"slices"

	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// Values of the target column.
const targetEnd = 0

// interval is a half-open interval of a request at an engine, in ns.
type interval struct {
	start, end int64
	request    int32
	engine     int32
}

// compareIntervals orders by engine, then by time.
func compareIntervals(a, b interval) int {
	return cmp.Or(cmp.Compare(a.engine, b.engine), cmp.Compare(a.start, b.start),
		cmp.Compare(a.end, b.end), cmp.Compare(a.request, b.request))
}

// wait is a queue segment, of either target.
type wait struct {
	segment int32
	engine  int32 // engine that it waits at; -1 when its owner is none
	behind  int32 // engine that serves the request next, else last; -1 for none
	prefill int64 // ns of its own prefill afterwards; 0 when it is not known
}

// gathered is what the segments say of all engines.
type gathered struct {
	runs, waits, preempted, prefills, gpu []interval
	queue                                 []wait
	// missing are the times in which requests were with a server that recorded nothing of
	// them, as one does of those that are given up: they may have been at any engine.
	missing []interval
}

// details are the symbols of the details that mean something here.
type details struct {
	prefill, decode, compute, h2d, d2h                    table.Sym
	engine, preempted, batchDelay, retry, admission, hand table.Sym
	unrecorded                                            [3]table.Sym // of a stay at a server that is not recorded
}

func detailsOf(symbols *table.Symbols) details {
	find := func(text string) table.Sym {
		if id, ok := symbols.Lookup(text); ok {
			return id
		}
		return ^table.Sym(0) // no detail is this one
	}
	return details{
		prefill: find("prefill"), decode: find("decode"), compute: find("compute"), h2d: find("h2d"), d2h: find("d2h"),
		engine: find("engine"), preempted: find("preempted"), batchDelay: find("batch_delay"),
		retry: find("retry_backoff"), admission: find("admission"), hand: find("handoff"),
		unrecorded: [3]table.Sym{find("upstream"), find("upstream not recorded"), find("engine times missing")},
	}
}

// order returns the rows of the segments by request, target and start: nil when they
// stand so already, as those that are written do.
func order(t *table.Segments) []int32 {
	less := func(i, j int32) int {
		return cmp.Or(cmp.Compare(t.RequestRow[i], t.RequestRow[j]), cmp.Compare(t.Target[i], t.Target[j]), cmp.Compare(t.Start[i], t.Start[j]))
	}
	sorted := true
	for i := int32(1); i < int32(t.Len()) && sorted; i++ {
		sorted = less(i-1, i) <= 0
	}
	if sorted {
		return nil
	}
	rows := make([]int32, t.Len())
	for i := range rows {
		rows[i] = int32(i)
	}
	slices.SortStableFunc(rows, less)
	return rows
}

// row returns the row that is i-th in order.
func (t *Timelines) row(i int) int32 {
	if t.order == nil {
		return int32(i)
	}
	return t.order[i]
}

// block is the rows of one path: those at order from to to.
func (t *Timelines) block(seg *table.Segments, from int) (to int) {
	first := t.row(from)
	for to = from + 1; to < seg.Len(); to++ {
		if i := t.row(to); seg.RequestRow[i] != seg.RequestRow[first] || seg.Target[i] != seg.Target[first] {
			break
		}
	}
	return to
}

// locate finds the engine key of every segment that executes, copies or waits, and which
// keys are engines.
func (t *Timelines) locate(set *table.Set) {
	d, seg, spans := newDirectory(set), &set.Segments, &set.Spans
	t.at = make([]int32, seg.Len())
	t.shifts = newShifts(set)
	var is []bool
	for from := 0; from < seg.Len(); {
		to := t.block(seg, from)
		t.shifts.find(t, d, from, to)
		var model table.Sym
		modelAt := int32(-1)
		for k := from; k < to; k++ {
			i := t.row(k)
			t.at[i] = -1
			scope, ok := scopeOf(set, seg.SpanRow[i])
			if !ok || !hasRequest(set, seg.RequestRow[i]) {
				continue // it is of no span, or of no request, so of no engine
			}
			at := key{place: d.ofScope[scope]}
			at.clock, at.base = d.base(seg.SpanRow[i], seg.RequestRow[i])
			if d.models[scope] {
				// The span of an execution does not name its model, the one that queued for it does.
				if m := spans.Model[seg.SpanRow[i]]; m != 0 {
					model, modelAt = m, at.place
				}
				if modelAt == at.place {
					at.model = model
				}
			}
			s := stage.Stage(seg.Stage[i])
			if s != stage.GPU && s != stage.Queue && s != stage.Transfer {
				continue
			}
			id := d.id(at)
			t.at[i] = id
			for int(id) >= len(is) {
				is = append(is, false)
				t.batchKeys = append(t.batchKeys, false)
			}
			if s == stage.GPU || s == stage.Queue && (seg.Detail[i] == t.words.engine || seg.Detail[i] == t.words.preempted || seg.Detail[i] == t.words.batchDelay) {
				is[id] = true
			}
			t.batchKeys[id] = t.batchKeys[id] || d.batching[scope]
		}
		from = to
	}
	var of []int32
	t.keys, of = d.engines(is)
	for i, id := range t.at {
		if id >= 0 {
			t.at[i] = of[id]
		}
	}
	batching := make([]bool, len(t.keys))
	for id, n := range of {
		if n >= 0 {
			batching[n] = t.batchKeys[id]
		}
	}
	t.batchKeys, t.directory, t.numbers = batching, d, of
}

// gather makes intervals of the paths.
func (t *Timelines) gather(set *table.Set) *gathered {
	g := &gathered{}
	seg := &set.Segments
	for from := 0; from < seg.Len(); {
		to := t.block(seg, from)
		s := stay{Timelines: t, set: set, out: g, kept: seg.Target[t.row(from)] == targetEnd, engine: -1, queued: len(g.queue)}
		for k := from; k < to; k++ {
			s.add(t.row(k))
		}
		s.close()
		t.behind(g, seg, from, to)
		if s.kept {
			t.miss(set, g, from, to)
		}
		from = to
	}
	for _, list := range [][]interval{g.runs, g.waits, g.preempted, g.prefills, g.gpu} {
		slices.SortFunc(list, compareIntervals)
	}
	slices.SortFunc(g.queue, func(a, b wait) int { return cmp.Compare(a.segment, b.segment) })
	return g
}

// stay follows one path through the engines.
type stay struct {
	*Timelines
	set    *table.Set
	out    *gathered
	kept   bool  // the path is to the end, and its intervals count
	engine int32 // that it runs at; -1 for none
	run    interval
	pre    interval // prefill in the run; empty for none
	queued int      // from there on, waits have not met their prefill yet
}

// add takes the next segment of the path.
func (s *stay) add(i int32) {
	seg := &s.set.Segments
	e := s.at[i]
	shift := s.shifts.of(i)
	now := interval{start: seg.Start[i] - shift, end: seg.End[i] - shift, request: seg.RequestRow[i], engine: e}
	switch kind := stage.Stage(seg.Stage[i]); {
	case kind == stage.Queue:
		s.close()
		s.out.queue = append(s.out.queue, wait{segment: i, engine: e, behind: -1})
		switch {
		case !s.kept || e < 0:
		case seg.Detail[i] == s.words.preempted:
			s.out.preempted = append(s.out.preempted, now)
		default:
			s.out.waits = append(s.out.waits, now)
		}
	case e >= 0 && (kind == stage.GPU || kind == stage.Transfer && (seg.Detail[i] == s.words.h2d || seg.Detail[i] == s.words.d2h)):
		if s.engine != e {
			s.close()
			s.engine, s.run = e, now
		}
		s.run.end = now.end
		s.execute(kind, seg.Detail[i], now)
	case kind == stage.Scheduling && s.engine >= 0 && s.placeOf(i) == s.keys[s.engine].place:
		// Host work between two executions keeps its place; after the last one it does not.
	default:
		s.close()
	}
}

// execute books an execution of the run.
func (s *stay) execute(kind stage.Stage, detail table.Sym, now interval) {
	if kind != stage.GPU {
		return
	}
	if s.kept {
		if n := len(s.out.gpu); n > 0 && s.out.gpu[n-1].request == now.request && s.out.gpu[n-1].engine == now.engine && s.out.gpu[n-1].end == now.start {
			s.out.gpu[n-1].end = now.end
		} else {
			s.out.gpu = append(s.out.gpu, now)
		}
	}
	switch {
	case detail != s.words.prefill:
		s.endPrefill()
	case s.pre.start == s.pre.end:
		s.pre = now
	default:
		s.pre.end = now.end
	}
}

// endPrefill books the prefill and tells the waits before it how long it was.
func (s *stay) endPrefill() {
	if s.pre.start == s.pre.end {
		return
	}
	if s.kept {
		s.out.prefills = append(s.out.prefills, s.pre)
	}
	for k := s.queued; k < len(s.out.queue); k++ {
		if w := &s.out.queue[k]; w.engine == s.pre.engine && w.prefill == 0 {
			w.prefill = s.pre.end - s.pre.start
		}
	}
	s.queued, s.pre = len(s.out.queue), interval{}
}

// close ends the run.
func (s *stay) close() {
	if s.engine < 0 {
		return
	}
	s.endPrefill()
	if s.kept {
		s.out.runs = append(s.out.runs, s.run)
	}
	s.engine = -1
}

// miss finds the times of one path in which its request may have been at an engine that did
// not record it: of a request that no engine recorded, or not at every attempt.
func (t *Timelines) miss(set *table.Set, g *gathered, from, to int) {
	seg := &set.Segments
	if row := seg.RequestRow[t.row(from)]; !hasRequest(set, row) || set.Requests.Attempts[row] <= 1 && t.visited(from, to) {
		return
	}
	for k := from; k < to; k++ {
		i := t.row(k)
		if stage.Stage(seg.Stage[i]) == stage.Unattributed && slices.Contains(t.words.unrecorded[:], seg.Detail[i]) {
			g.missing = append(g.missing, interval{start: seg.Start[i], end: seg.End[i], request: seg.RequestRow[i], engine: -1})
		}
	}
}

// visited reports whether a path leads through any engine.
func (t *Timelines) visited(from, to int) bool {
	for k := from; k < to; k++ {
		if t.at[t.row(k)] >= 0 {
			return true
		}
	}
	return false
}

// behind finds, for the waits of one path that are at no engine, the engine that the
// request is served by next, or was before.
func (t *Timelines) behind(g *gathered, seg *table.Segments, from, to int) {
	next, w := int32(-1), len(g.queue)
	for k := to - 1; k >= from; k-- {
		i := t.row(k)
		if stage.Stage(seg.Stage[i]) == stage.Queue {
			w--
			if g.queue[w].behind = next; t.at[i] < 0 {
				continue
			}
		}
		if t.at[i] >= 0 {
			next = t.at[i]
		}
	}
	last := int32(-1)
	for k := from; k < to; k++ {
		i := t.row(k)
		if stage.Stage(seg.Stage[i]) == stage.Queue {
			if g.queue[w].behind < 0 {
				g.queue[w].behind = last
			}
			w++
		}
		if t.at[i] >= 0 {
			last = t.at[i]
		}
	}
}
