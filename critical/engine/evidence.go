package engine

import (
	"github.com/tailpath/tailpath/ingest/table"
)

// evidence is what the rules are asked of. Its times are what the wait has at least, but
// KeptNS and FreeMostNS, which it has at most: where the wait is misplaced, they are of all
// places that it may have.
type evidence struct {
	words    *details
	line     *timeline // of the engine; nil for none
	detail   table.Sym
	gateway  bool
	from, to int64 // ns; of the wait or, if it is misplaced, of all its places
	ns       int64
	error    int64
	// misplaced says that the place of the wait is not known to half its length. Readings
	// are not asked then.
	misplaced bool
	// whole says that own times can tell that something was not there: all requests of the
	// engine are known, and no readings count more that run.
	whole bool

	FullNS, FreeNS, FreeMostNS, IdleNS, KeptNS, PrefillNS, LongPrefillNS, PreemptedNS int64

	// PlacedNS is FullNS where the path has a misplaced wait. RunNS is how long it ran
	// afterwards, and NeededNS how long of that every one that ran was needed to be at the
	// limit, while others waited.
	PlacedNS, RunNS, NeededNS int64
}

// window returns the interval of a wait on the clock of an engine, or if it is misplaced,
// the interval in which it may lie.
func (t *Timelines) window(engine int32, w *wait) (from, to int64, misplaced bool) {
	seg := &t.set.Segments
	i := w.segment
	from, to = t.Local(engine, i, seg.Start[i]), t.Local(engine, i, seg.End[i])
	if off := seg.Error[i]; off > (to-from)/placementShare {
		return from - off, to + off, true
	}
	return from, to, false
}

// least returns how much of a wait holds what in its window holds for some time, wherever
// in it the wait lies.
func (e *evidence) least(ns int64) int64 {
	return max(ns-(e.to-e.from-e.ns), 0)
}

// most reports whether a time is half of the wait or more.
func (e *evidence) most(ns int64) bool { return ns > 0 && ns >= e.ns-ns }

// evidence measures a wait, except for longer prompts.
func (t *Timelines) evidence(set *table.Set, w *wait) evidence {
	seg := &set.Segments
	i := w.segment
	e := evidence{words: &t.words, detail: seg.Detail[i], from: seg.Start[i], to: seg.End[i], ns: seg.End[i] - seg.Start[i], error: seg.Error[i]}
	at := w.engine
	if at < 0 {
		at, e.gateway = w.behind, true
	}
	if at < 0 {
		return e
	}
	l := &t.engines[at]
	e.line = l
	if e.from, e.to, e.misplaced = t.window(at, w); !l.timed() {
		return e
	}
	s := &l.steps
	e.FullNS = e.least(s.within(s.full, l.isFull, e.from, e.to, false))
	e.FreeMostNS = s.within(s.free, l.isFree, e.from, e.to, true)
	e.FreeNS, e.FreeMostNS = e.least(e.FreeMostNS), min(e.FreeMostNS, e.ns)
	e.IdleNS = e.least(s.within(s.idle, l.isIdle, e.from, e.to, true))
	e.KeptNS = min(s.within(s.kept, l.isKept, e.from, e.to, false), e.ns)
	e.PrefillNS = e.least(s.within(s.prefill, l.isPrefilling, e.from, e.to, false))
	e.PreemptedNS = e.least(s.within(s.preempt, l.isPreempting, e.from, e.to, false))
	hidden := e.ask(&l.reads.counts.hidden)
	e.whole = !l.partial && !(hidden.taken && hidden.holds)
	if l.told && !e.whole {
		e.PrefillNS = 0 // who ended meanwhile is not known
	}
	if e.misplaced {
		from, to := t.Local(at, i, seg.Start[i]), t.Local(at, i, seg.End[i])
		e.PlacedNS = s.within(s.full, l.isFull, from, to, false)
		if run, ok := l.runAt(to, seg.RequestRow[i]); ok {
			e.RunNS, e.NeededNS = run.end-run.start, s.within(s.needed, l.isNeeded, run.start, run.end, false)
		}
	}
	return e
}

// ask puts a question to the readings.
func (e *evidence) ask(g *gauge) answer {
	if e.misplaced || g.series == nil {
		return answer{}
	}
	return g.over(e.from, e.to)
}

// steady reports whether somebody prefilled for nearly all of the wait.
func (e *evidence) steady() bool {
	return e.PrefillNS > 0 && float64(e.PrefillNS) >= steadyPrefill*float64(e.ns)
}

// room asks whether a gateway held the request back from an engine that had room.
func (e *evidence) room() Basis {
	if !e.gateway {
		return NoBasis
	}
	c := &e.line.reads.counts
	kept, full, memory := e.ask(&c.kept), e.ask(&c.full), e.ask(&c.memory)
	switch {
	case memory.holds || e.most(e.FullNS):
		return NoBasis
	case e.whole:
		return when(e.most(e.ns-e.KeptNS), Intervals)
	}
	return when(kept.known && !kept.holds && !full.holds, Readings)
}

// filling asks whether an instance was free, for no longer than batches fill.
func (e *evidence) filling() Basis {
	longest := min(longestDelay, longerDelay*e.line.delay)
	return when(!e.gateway && e.line.batching && e.whole && e.most(e.FreeNS) && e.FreeMostNS <= longest, Intervals)
}

// stuck asks whether the engine was idle. What is known to run is no idleness, whatever
// readings say.
func (e *evidence) stuck() Basis {
	if e.gateway || !e.most(e.IdleNS) || e.IdleNS < leastStuck {
		return NoBasis
	}
	if read := e.ask(&e.line.reads.counts.idle); read.known && read.holds {
		return Readings
	}
	return when(e.whole, Intervals)
}

// slotsPlaced asks whether slots were full where the path has a wait whose place is not
// known. The run after it has the same place. If for most of that run as many ran as ever
// can, itself among them, and others waited, then it is in its place: without it a slot
// would have been free.
func (e *evidence) slotsPlaced() Basis {
	limit := &e.line.level
	return when(e.misplaced && limit.Basis == Intervals && limit.Share >= steadyLimit && e.most(e.PlacedNS) &&
		e.NeededNS > 0 && e.NeededNS >= e.RunNS-e.NeededNS, Intervals)
}

// slotsRead asks whether readings show as many running as ever can, where own times cannot
// tell.
func (e *evidence) slotsRead() Basis {
	if e.whole && e.line.level.Value > 0 || e.steady() {
		return NoBasis
	}
	return when(e.ask(&e.line.reads.counts.full).holds, Readings)
}

// memory asks whether readings show that the KV cache was full. Readings around the wait
// do not, if there was memory for prompts in nearly all of it, or if as many ran as ever
// did, which may have been all that can.
func (e *evidence) memory() Basis {
	c := &e.line.reads.counts
	full := e.ask(&c.memory)
	if e.misplaced || !full.taken && (e.steady() || e.whole && !e.most(e.FreeNS)) {
		return NoBasis
	}
	return when(full.holds || c.preempts.any(e.from, e.to).holds, Readings)
}

// short asks whether readings show the KV cache to be nearly full, while nothing else held
// the request up.
func (e *evidence) short() Basis {
	if e.gateway || e.line.batching || !e.whole || !e.most(e.FreeNS) || e.most(e.PrefillNS) || e.most(e.IdleNS) {
		return NoBasis
	}
	read := e.ask(&e.line.reads.counts.tight)
	return when(read.holds || read.some && !read.taken, Readings)
}

// budget asks whether the tokens of the steps went to other prompts: of slots, memory
// and tokens the others were left.
func (e *evidence) budget() Basis {
	if e.gateway || e.line.batching {
		return NoBasis
	}
	c := &e.line.reads.counts
	free, memory := e.ask(&c.free), e.ask(&c.tight)
	room := memory.known && !memory.holds
	slots := e.whole && e.most(e.FreeNS) || !e.whole && free.holds || e.whole && e.line.single
	switch {
	case !slots:
		return NoBasis
	case room && e.most(e.PrefillNS), e.steady():
		return Intervals
	case e.whole && len(e.line.prefills) > 0:
		return NoBasis // own times tell when prompts were prefilled, and it was not then
	}
	return when(room && free.taken && e.ask(&c.prompts).holds, Readings)
}
