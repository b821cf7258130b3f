package engine

import (
	"math"
	"slices"

	"github.com/tailpath/tailpath/ingest/table"
)

// Timelines are the engines of a set over time. They are made once, do not change, and
// may be asked by several goroutines; the set must not change meanwhile, except that
// Annotate writes to it.
type Timelines struct {
	set       *table.Set
	words     details
	order     []int32 // rows of segments by request, target and start; nil when they are
	at        []int32 // by row of segments: engine that it executes, copies or waits at; -1
	keys      []key
	batchKeys []bool // by key: batches run
	directory *directory
	numbers   []int32 // by number of a key in the directory: its engine; -1 for none
	shifts    *shifts
	engines   []timeline
	queue     []wait // by segment
	tokens    tokens
}

// Engine is one engine, with what is known of it as a whole.
type Engine struct {
	Name                    string // of what is known: service@host/instance model
	Service, Host, Instance string
	Model                   string // of Triton, whose models are engines of their own
	Clock                   string // what its times are measured on
	Source                  string // that tells of it, where nothing else tells it from others
	Batching                bool   // it runs batches, each on one instance
	Requests                int64  // requests that ran or waited at it
	Peak                    int64  // most that ran at once, in own times: requests, or batches
	SlotLimit               SlotLimit
	Samples                 int64 // readings that are used
	Ambiguous               int64 // readings that may be of it or of another, and are not used
	// Partial tells that not all of its requests are known: the traces are sampled, its
	// readings count more, or many of its spans are off the paths.
	Partial bool
	// Coverage is the number of running requests that are known for each that its
	// readings count; NaN when they do not tell.
	Coverage float64
	// Shifted counts the requests whose times were moved when they were put together,
	// because the engine's clock disagrees with the clocks of others.
	Shifted int64
}

// Build makes the timelines of a set whose requests and segments are built.
func Build(set *table.Set) *Timelines {
	t := &Timelines{set: set, words: detailsOf(set.Symbols), order: order(&set.Segments)}
	t.locate(set)
	g := t.gather(set)
	t.queue = g.queue
	partial := t.offPath(set, g)
	t.engines = make([]timeline, len(t.keys))
	runs, waits := split(g.runs, len(t.keys)), split(g.waits, len(t.keys))
	preempts, prefills, gpu := split(g.preempted, len(t.keys)), split(g.prefills, len(t.keys)), split(g.gpu, len(t.keys))
	for e := range t.engines {
		l := &t.engines[e]
		*l = timeline{key: t.keys[e], batching: t.batchKeys[e], coverage: math.NaN(), partial: partial[e],
			runs: runs[e], waits: waits[e], preempts: preempts[e], prefills: prefills[e], gpu: gpu[e]}
		l.count(set)
		l.missing = t.missing(g, e)
	}
	t.tellPrefills(set)
	for e := range t.engines {
		l := &t.engines[e]
		if l.timed() {
			if l.batching {
				l.batches = cluster(l.runs)
			}
			l.steps = newSteps(l)
		}
		l.runsIn, l.prefillsIn = newOverlaps(l.runs), newOverlaps(l.prefills)
		l.waitsIn, l.preemptsIn = newOverlaps(l.waits), newOverlaps(l.preempts)
		if l.unitsIn = l.runsIn; l.batching {
			l.unitsIn = newOverlaps(l.batches)
		}
	}
	t.match(set)
	for e := range t.engines {
		l := &t.engines[e]
		l.reads.ask()
		l.learn()
		l.compare()
		l.prepare()
	}
	t.tokens = findTokens(set)
	return t
}

// mostMissed is how many times as many intervals as segments may tell of requests that may
// have been at any of several engines; beyond, all engines count as partial.
const mostMissed = 4

// missing returns the times in which requests may have been at an engine that recorded
// nothing of them. They are on the clock of the paths, so only one of the same kind has them.
func (t *Timelines) missing(g *gathered, e int) []interval {
	if t.keys[e].clock != table.ClockWall {
		return nil
	}
	if len(g.missing)*len(t.keys) > mostMissed*t.set.Segments.Len() {
		t.engines[e].partial = true
		return nil
	}
	return g.missing
}

// count counts the requests of an engine and finds out whether they stand for others.
func (l *timeline) count(set *table.Set) {
	var rows []int32
	for _, list := range [][]interval{l.runs, l.waits, l.preempts} {
		for _, v := range list {
			rows = append(rows, v.request)
		}
	}
	slices.Sort(rows)
	rows = slices.Compact(rows)
	l.requests = int64(len(rows))
	for _, r := range rows {
		l.partial = l.partial || set.Requests.Weight[r] >= leastWeight
	}
}

// compare finds out, from readings of how many ran, whether requests are missing. What
// the own times say of the limit is worth nothing then. A reading may have been taken until
// the next instant that its clock shows, so it is held against the most that ran until
// then, and those that may have run count.
func (l *timeline) compare() {
	s := &l.steps
	for _, n := range s.counts[unit] {
		l.peak = max(l.peak, int64(n))
	}
	running := l.reads.find(metricRunning)
	more := make([]float64, len(running.time))
	own, read := 0.0, 0.0
	last, present := int64(math.MinInt64), 0.0
	for i, at := range running.time {
		if at != last {
			last, present = at, l.presence(at, at+running.tick)
		}
		if more[i] = running.value[i] - present; len(s.at) == 0 || at < s.first || at >= s.last {
			continue // nothing is known of that time
		}
		read += running.value[i]
		own += min(present, running.value[i])
	}
	l.reads.counts.hidden = newGauge(&series{time: running.time, value: more, force: running.force}, func(v float64) bool { return v > 0 })
	if read >= leastCounted {
		l.coverage = own / read
		l.partial = l.partial || l.coverage < leastCoverage
	}
	switch read := l.reads.counts.limit; {
	case l.partial:
		l.level = SlotLimit{}
	case l.level.Value == 0 && !l.batching:
		l.level = read
	}
}

// presence returns the most requests that were there at once in [from, to], with those
// that may have been.
func (l *timeline) presence(from, to int64) float64 {
	if l.batching || len(l.steps.at) == 0 {
		n := 0
		l.runsIn.each(from, to+1, func(interval) { n++ })
		return float64(n)
	}
	at := l.steps.at
	i, exact := slices.BinarySearch(at, from)
	if !exact {
		i--
	}
	most := int64(0)
	for ; i < len(at) && (i < 0 || at[i] <= to); i++ {
		if i >= 0 {
			most = max(most, l.most(i))
		}
	}
	return float64(most)
}

// median returns the lower median, 0 of nothing.
func median(list []int64) int64 {
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return list[(len(list)-1)/2]
}

// Engines lists the engines by service, host, instance, model and clock. Their numbers
// are their places in it.
func (t *Timelines) Engines() []Engine {
	text := t.set.Symbols.Text
	out := make([]Engine, len(t.engines))
	shifted := make([]int64, len(t.directory.places))
	for k := range t.shifts.by {
		if k.target == targetEnd {
			shifted[k.place]++
		}
	}
	for e := range t.engines {
		l := &t.engines[e]
		p := t.directory.places[l.key.place]
		out[e] = Engine{
			Service: text(p.service), Host: text(p.host), Instance: text(p.instance), Model: text(l.key.model),
			Clock: table.ClockNames[l.key.clock], Batching: l.batching, Requests: l.requests, Peak: l.peak, SlotLimit: l.limit(),
			Samples: l.reads.used, Ambiguous: l.reads.doubt, Partial: l.partial, Coverage: l.coverage,
		}
		if t.directory.apart[l.key.place] {
			out[e].Source = text(l.key.base)
		}
		out[e].Name = name(&out[e])
		out[e].Shifted = shifted[l.key.place]
	}
	return out
}

// EngineOf returns the number of the engine that a segment executes, copies or waits at.
func (t *Timelines) EngineOf(segment int32) (int32, bool) { return t.at[segment], t.at[segment] >= 0 }

// Annotate fills the column cause of the segments table: of every queue segment, of
// whatever target, the name of its cause, and nothing of the others.
func (t *Timelines) Annotate(set *table.Set) {
	causes := make([]Cause, len(t.queue))
	long := t.longPrefills()
	var e evidence
	for i := range t.queue {
		e = t.evidence(set, &t.queue[i])
		e.LongPrefillNS = e.least(long[i])
		causes[i], _, _ = judge(&e)
	}
	var symbols [len(causeNames)]table.Sym
	for _, c := range Causes() {
		if slices.Contains(causes, c) {
			symbols[c] = set.Symbols.Intern(c.String())
		}
	}
	clear(set.Segments.Cause)
	for i, c := range causes {
		set.Segments.Cause[t.queue[i].segment] = symbols[c]
	}
}
