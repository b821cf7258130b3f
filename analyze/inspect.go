package analyze

import (
	"cmp"
	"slices"

	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/clock"
	"github.com/tailpath/tailpath/critical/engine"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// Inspection says what was read and how far it can be trusted.
type Inspection struct {
	Spans, SpanEvents, SpanLinks, Logs, EngineSamples int64
	Services, Hosts, Scopes                           []Seen
	Readings                                          []Reading
	SpanTime, LogTime, SampleTime                     TimeRange // of what is on the wall clock
	Undated                                           int64     // spans on a steady clock, or of durations alone
	Classes                                           []ClassCount
	Requests                                          int64
	Coverage                                          Coverage
	Conservation                                      Conservation
	Excluded                                          []Count // spans left out, by reason
	ExcludedUnnamed                                   int64   // spans the requests exclude beyond those
	Issues                                            []Issue
	Tiling                                            Tiling
	Sampling                                          Sampling
	Clock                                             critical.ClockMode // how offsets of clocks are used
	Clocks                                            []ClockOffset
	Zones                                             []ZoneShift
	Joining                                           Joining
	Engines                                           []Engine
}

// Beside is what is known beside the tables once the requests were built. Whatever is
// nil is not told.
type Beside struct {
	Excluded *ExclusionTally    // the reasons of excluded spans, as the table knows only how many
	Clocks   *clock.Solution    // offsets, with the calls that bound nothing
	Clock    critical.ClockMode // that the requests were built with
	Engines  *engine.Timelines
}

// ClockMode names what is done about clocks that disagree.
func ClockMode(m critical.ClockMode) string { return critical.ClockModeNames[m] }

// Engine is one engine as a whole, and SlotLimit the most that runs at once at it.
type (
	Engine    = engine.Engine
	SlotLimit = engine.SlotLimit
)

// Seen counts the spans and log records of one service, host or scope. The name is
// empty for those that did not say.
type Seen struct {
	Name        string
	Spans, Logs int64
}

// TimeRange is the first start and the last end in ns since the Unix epoch. Known
// is false when nothing has a time.
type TimeRange struct {
	Known       bool
	First, Last int64
}

func (r *TimeRange) cover(from, to int64) {
	if !r.Known {
		*r = TimeRange{true, from, max(from, to)}
		return
	}
	r.First, r.Last = min(r.First, from), max(r.Last, from, to)
}

// ClassCount counts requests of one class and reason.
type ClassCount struct {
	Class     critical.Class
	Reason    string
	N, Errors int64
}

// Coverage splits the path time of all requests that have a path, in ns: by
// confidence into Exact, Anchored and Residual, which add up to Total; and by stage
// into Unattributed and the rest.
type Coverage struct {
	Total, Exact, Anchored, Residual stat.Sum
	Unattributed                     stat.Sum
	Balanced                         bool // the confidences do add up
}

// Issue is one row of the quality table.
type Issue struct {
	ID, Severity string
	Count        int64
	Source       string // empty when no place is known
	Line         int64  // 0 when the input has no lines
	Offset       int64  // table.Missing when unknown
	Detail       string
	Advice       string
}

// ExclusionTally counts excluded spans by reason over many requests. The zero value
// is empty.
type ExclusionTally struct{ counts map[string]int64 }

// Add counts the excluded spans of one request.
func (t *ExclusionTally) Add(req *critical.Request) {
	if t.counts == nil {
		t.counts = map[string]int64{}
	}
	for _, x := range req.Excluded {
		t.counts[x.Reason]++
	}
}

// Counts lists the counts, the greatest first; a nil tally has none.
func (t *ExclusionTally) Counts() []Count {
	if t == nil {
		return nil
	}
	return countList(t.counts)
}

// Inspect reads every table of a set, and what is known beside them.
func Inspect(set *table.Set, beside Beside) Inspection {
	in := Inspection{
		Spans: int64(set.Spans.Len()), SpanEvents: int64(set.SpanEvents.Len()), SpanLinks: int64(set.SpanLinks.Len()),
		Logs: int64(set.Logs.Len()), EngineSamples: int64(set.EngineSamples.Len()), Requests: int64(set.Requests.Len()),
		Coverage: coverage(set), Conservation: conservation(set), Excluded: beside.Excluded.Counts(), Issues: Issues(set), Tiling: CheckTiling(set),
	}
	in.Readings = Readings(set)
	in.Services = seen(set, set.Scopes.Service)
	in.Hosts = seen(set, set.Scopes.Host)
	in.Scopes = seen(set, set.Scopes.Scope)
	for i, start := range set.Spans.Start {
		if set.Spans.Clock[i] != table.ClockWall {
			in.Undated++
			continue
		}
		in.SpanTime.cover(start, set.Spans.End[i])
	}
	for i, at := range set.Logs.Time {
		if at != table.Missing && set.Logs.Clock[i] == table.ClockWall {
			in.LogTime.cover(at, at)
		}
	}
	for i, at := range set.EngineSamples.Time {
		if set.EngineSamples.Clock[i] == table.ClockWall {
			in.SampleTime.cover(at, at)
		}
	}
	in.Classes = classes(set)
	in.ExcludedUnnamed = in.Conservation.Excluded
	for _, x := range in.Excluded {
		in.ExcludedUnnamed -= x.N
	}
	rows := make([]int32, in.Requests)
	for i := range rows {
		rows[i] = int32(i)
	}
	in.Sampling = sampling(set, rows)
	in.Joining = joining(set, rows)
	in.Clock, in.Clocks = beside.Clock, ClockOffsets(set, beside.Clocks)
	in.Zones = ZoneShifts(set, in.Clocks)
	if beside.Engines != nil {
		in.Engines = beside.Engines.Engines()
	}
	return in
}

// seen counts spans and logs by a column of the scopes table, the commonest first.
func seen(set *table.Set, column []table.Sym) []Seen {
	counts := map[table.Sym]*Seen{}
	at := func(scope int32) *Seen {
		var name table.Sym
		if scope >= 0 && int(scope) < len(column) {
			name = column[scope]
		}
		s, ok := counts[name]
		if !ok {
			s = &Seen{Name: set.Symbols.Text(name)}
			counts[name] = s
		}
		return s
	}
	for _, scope := range set.Spans.ScopeRow {
		at(scope).Spans++
	}
	for _, scope := range set.Logs.ScopeRow {
		at(scope).Logs++
	}
	out := make([]Seen, 0, len(counts))
	for _, s := range counts {
		out = append(out, *s)
	}
	slices.SortFunc(out, func(a, b Seen) int {
		return cmp.Or(cmp.Compare(b.Spans, a.Spans), cmp.Compare(b.Logs, a.Logs), cmp.Compare(a.Name, b.Name))
	})
	return out
}

func classes(set *table.Set) []ClassCount {
	type key struct {
		class  uint8
		reason table.Sym
	}
	req := &set.Requests
	counts := map[key]*ClassCount{}
	for i := range req.Len() {
		k := key{req.Class[i], req.ClassReason[i]}
		c, ok := counts[k]
		if !ok {
			c = &ClassCount{Class: critical.Class(k.class), Reason: set.Symbols.Text(k.reason)}
			counts[k] = c
		}
		c.N++
		if req.Error[i] {
			c.Errors++
		}
	}
	out := make([]ClassCount, 0, len(counts))
	for _, c := range counts {
		out = append(out, *c)
	}
	slices.SortFunc(out, func(a, b ClassCount) int {
		return cmp.Or(cmp.Compare(a.Class, b.Class), cmp.Compare(a.Reason, b.Reason))
	})
	return out
}

func coverage(set *table.Set) Coverage {
	var c Coverage
	req := &set.Requests
	for i := range req.Len() {
		for k := range req.Stage {
			c.Total.Add(req.Stage[k][i])
		}
		c.Unattributed.Add(req.Stage[stage.Unattributed][i])
		c.Exact.Add(req.ExactNS[i])
		c.Anchored.Add(req.AnchoredNS[i])
		c.Residual.Add(req.ResidualNS[i])
	}
	c.Balanced = c.Exact.Plus(c.Anchored).Plus(c.Residual) == c.Total
	return c
}

// Issues reads the quality table, the severest first, then the commonest. What a log
// leaves open and other sources of the set answer is told as answered.
func Issues(set *table.Set) []Issue {
	q := &set.Quality
	out := make([]Issue, 0, q.Len())
	for i := range q.Len() {
		issue := Issue{
			ID: set.Symbols.Text(q.ID[i]), Severity: table.SeverityNames[q.Severity[i]], Count: q.Count[i],
			Source: set.Symbols.Text(q.Source[i]), Offset: q.Offset[i], Detail: q.Detail[i], Advice: q.Advice[i],
		}
		if line := q.Line[i]; line != table.Missing {
			issue.Line = line
		}
		out = append(out, issue)
	}
	out = answered(set, out)
	rank := func(severity string) int { return slices.Index(table.SeverityNames, severity) }
	slices.SortStableFunc(out, func(a, b Issue) int {
		return cmp.Or(cmp.Compare(rank(b.Severity), rank(a.Severity)), cmp.Compare(b.Count, a.Count), cmp.Compare(a.ID, b.ID),
			cmp.Compare(a.Source, b.Source), cmp.Compare(a.Offset, b.Offset))
	})
	return out
}
