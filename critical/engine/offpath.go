package engine

import (
	"slices"

	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// Requests hold engines also with what their paths do not go through: hedged calls that
// lost, parallel calls that were faster. Where an engine's executions are spans of their
// own, such as Triton's compute, those off the paths count as runs. Where one span holds
// waiting and execution, those off the paths are known to be missing.

// mostMissing is the share of an engine's spans off the paths from which on its requests
// are not all known.
const mostMissing = 0.05

// kind is what spans of the same sort have in common.
type kind struct {
	scope int32
	name  table.Sym
}

// role is what spans of a kind own on paths.
type role struct {
	executes, other bool
	prefill         bool
	on, off         int64 // spans on and off the paths
	engine          int32 // of one of them
}

// offPath adds the runs of executions off the paths, and finds the engines that miss some.
func (t *Timelines) offPath(set *table.Set, g *gathered) (partial []bool) {
	partial = make([]bool, len(t.keys))
	roles, owns := t.roles(set)
	spans := &set.Spans
	var rows []int32
	for row := range int32(spans.Len()) {
		r, ok := roles[kind{spans.ScopeRow[row], spans.Name[row]}]
		switch {
		case !ok || !r.executes:
		case owns[row]:
			r.on++
		case r.other:
			r.off++
		case spans.End[row] > spans.Start[row]:
			rows = append(rows, row)
		}
	}
	for _, r := range roles {
		if r.executes && float64(r.off) > mostMissing*float64(r.on+r.off) {
			for e := range t.keys {
				partial[e] = partial[e] || t.keys[e].place == t.keys[r.engine].place
			}
		}
	}
	if len(rows) > 0 {
		t.add(set, g, roles, rows)
	}
	return partial
}

// roles finds what kinds of spans own at engines, and which spans own anything.
func (t *Timelines) roles(set *table.Set) (map[kind]*role, []bool) {
	seg, spans := &set.Segments, &set.Spans
	roles, owns := map[kind]*role{}, make([]bool, spans.Len())
	last, lastRole := kind{-1, 0}, (*role)(nil)
	for i, row := range seg.SpanRow {
		if _, ok := scopeOf(set, row); !ok {
			continue
		}
		owns[row] = true
		k := kind{spans.ScopeRow[row], spans.Name[row]}
		if k != last {
			r, ok := roles[k]
			if !ok {
				r = &role{engine: -1}
				roles[k] = r
			}
			last, lastRole = k, r
		}
		s := stage.Stage(seg.Stage[i])
		if copies := s == stage.Transfer && (seg.Detail[i] == t.words.h2d || seg.Detail[i] == t.words.d2h); s != stage.GPU && !copies {
			lastRole.other = true
		}
		if s == stage.GPU && t.at[i] >= 0 {
			lastRole.executes = true
			lastRole.prefill = seg.Detail[i] == t.words.prefill
			lastRole.engine = max(lastRole.engine, t.at[i])
		}
	}
	return roles, owns
}

// add adds the executions of some spans, unless the request is known to run at that engine
// then anyway: a span within another, or a copy of it.
func (t *Timelines) add(set *table.Set, g *gathered, roles map[kind]*role, rows []int32) {
	spans := &set.Spans
	owner := requestsOfSpans(set)
	known := make([]overlaps, len(t.keys))
	for e, list := range split(g.runs, len(t.keys)) {
		known[e] = newOverlaps(list)
	}
	for _, row := range rows {
		e := t.engineOfSpan(row, owner[row])
		if e < 0 || owner[row] < 0 {
			continue
		}
		v := interval{spans.Start[row], spans.End[row], owner[row], e}
		twice := false
		known[e].each(v.start, v.end, func(u interval) { twice = twice || u.request == v.request })
		if twice {
			continue
		}
		g.runs, g.gpu = append(g.runs, v), append(g.gpu, v)
		if roles[kind{spans.ScopeRow[row], spans.Name[row]}].prefill {
			g.prefills = append(g.prefills, v)
		}
	}
	for _, list := range [][]interval{g.runs, g.gpu, g.prefills} {
		slices.SortFunc(list, compareIntervals)
	}
}

// engineOfSpan returns the engine that an execution is of, -1 for none. Its model is its
// parent's where models are engines.
func (t *Timelines) engineOfSpan(row, request int32) int32 {
	spans, d := &t.set.Spans, t.directory
	scope := spans.ScopeRow[row]
	k := key{place: d.ofScope[scope]}
	if request < 0 {
		return -1
	}
	k.clock, k.base = d.base(row, request)
	if d.models[scope] {
		k.model = t.modelOf(row)
	}
	id, ok := d.ids[k]
	if !ok {
		return -1
	}
	return t.numbers[id]
}

// modelOf returns the model of the parent of a span, which most often stands shortly
// before it: spans of a trace are in order of their start.
func (t *Timelines) modelOf(row int32) table.Sym {
	spans := &t.set.Spans
	for _, step := range []int32{-1, 1} {
		for p := row + step; p >= 0 && p < int32(spans.Len()) && spans.TraceID[p] == spans.TraceID[row]; p += step {
			if spans.SpanID[p] == spans.ParentID[row] {
				return spans.Model[p]
			}
		}
	}
	return 0
}

// requestsOfSpans returns the request of every span, -1 where it is not known: of the
// owners of segments, and of the other spans of a trace whose owners are all of one
// request.
func requestsOfSpans(set *table.Set) []int32 {
	seg, spans := &set.Segments, &set.Spans
	owner := make([]int32, spans.Len())
	for i := range owner {
		owner[i] = -1
	}
	for i, row := range seg.SpanRow {
		if row >= 0 && int(row) < len(owner) && hasRequest(set, seg.RequestRow[i]) {
			owner[row] = seg.RequestRow[i]
		}
	}
	type told struct {
		request int32
		many    bool
	}
	traces := map[table.TraceID]told{}
	for row, r := range owner {
		if r < 0 {
			continue
		}
		was, ok := traces[spans.TraceID[row]]
		traces[spans.TraceID[row]] = told{r, was.many || ok && was.request != r}
	}
	for row, r := range owner {
		if one, ok := traces[spans.TraceID[row]]; r < 0 && ok && !one.many {
			owner[row] = one.request
		}
	}
	return owner
}
