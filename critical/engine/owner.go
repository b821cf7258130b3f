package engine

import (
	"slices"

	"github.com/tailpath/tailpath/ingest/table"
)

// owner returns the engine whose readings these are, -1 when there is none or there may
// be several. A sign that one side does not have rules nobody out; where signs do not tell,
// the requests do that both the readings' source and the engine tell of.
func (t *Timelines) owner(from origin, votes map[voter]int32) int32 {
	list := t.candidates(from)
	if len(list) == 1 {
		return list[0]
	}
	if e, ok := votes[voter{from.service, from.host, from.source}]; ok && (len(list) == 0 || slices.Contains(list, e)) {
		return e
	}
	return -1
}

// voter is who tells of requests.
type voter struct{ service, host, source table.Sym }

// What requests must say of whose readings a source has.
const (
	fewestVotes = 5    // requests
	leastAgreed = 0.95 // share of them that one engine served
)

// votes returns the engine that served the requests that a source of readings tells of,
// found by the ids that the requests have in both. Where several engines did, or a request
// was at several, it tells nothing.
func (t *Timelines) votes(set *table.Set) map[voter]int32 {
	if len(t.engines) < 2 || set.EngineSamples.Len() == 0 {
		return nil
	}
	sources := map[table.Sym]bool{}
	for _, s := range set.EngineSamples.Source {
		sources[s] = true
	}
	const several = -2
	spans, served, traces := &set.Spans, map[string]int32{}, map[table.TraceID]int32{}
	for i, e := range t.at {
		if e < 0 {
			continue
		}
		id := set.Segments.TraceID[i]
		if was, ok := traces[id]; ok && was != e {
			e = several
		}
		traces[id] = e
	}
	for row, id := range spans.RequestID {
		e, ok := traces[spans.TraceID[row]]
		if id == "" || !ok {
			continue
		}
		if was, ok := served[id]; ok && was != e {
			e = several
		}
		served[id] = e
	}
	counts := map[voter]map[int32]int{}
	for row, id := range spans.RequestID {
		if id == "" || !sources[spans.Source[row]] {
			continue
		}
		if e, ok := served[id]; ok && e >= 0 {
			scope, ok := scopeOf(set, int32(row))
			if !ok {
				continue
			}
			v := voter{set.Scopes.Service[scope], set.Scopes.Host[scope], spans.Source[row]}
			if counts[v] == nil {
				counts[v] = map[int32]int{}
			}
			counts[v][e]++
		}
	}
	out := map[voter]int32{}
	for v, by := range counts {
		all := 0
		for _, n := range by {
			all += n
		}
		for e, n := range by {
			if n >= fewestVotes && float64(n) >= leastAgreed*float64(all) {
				out[v] = e
			}
		}
	}
	return out
}

// candidates returns the engines that readings may be of.
func (t *Timelines) candidates(from origin) []int32 {
	var list []int32
	for e := range t.engines {
		p := t.directory.places[t.engines[e].key.place]
		if t.engines[e].key.clock == table.ClockWall && (from.host == 0 || p.host == 0 || p.host == from.host) {
			list = append(list, int32(e))
		}
	}
	narrow := func(same func(p place) bool) {
		var kept []int32
		for _, e := range list {
			if same(t.directory.places[t.engines[e].key.place]) {
				kept = append(kept, e)
			}
		}
		if len(kept) > 0 {
			list = kept
		}
	}
	narrow(func(p place) bool { return from.host != 0 && p.host == from.host })
	narrow(func(p place) bool { return from.service != 0 && p.service == from.service })
	narrow(func(p place) bool { return from.engine != 0 && p.instance == from.engine })
	return list
}

// doubt counts, at every engine that they may be of, the readings that are not used
// because they may be of several.
func (t *Timelines) doubt(set *table.Set, found map[origin]int32) {
	rows := &set.EngineSamples
	unsure := map[origin]int64{}
	for i := range rows.Len() {
		from := origin{rows.Service[i], rows.Host[i], rows.Engine[i], rows.Source[i]}
		if e, ok := found[from]; ok && e < 0 {
			unsure[from]++
		}
	}
	for from, n := range unsure {
		for _, e := range t.candidates(from) {
			t.engines[e].reads.doubt += n
		}
	}
}
