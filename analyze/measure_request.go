package analyze

import (
	"cmp"
	"slices"

	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/analyze/tokens"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/ingest/table"
)

// RequestMeasure is a measure of one request.
type RequestMeasure struct {
	Definition Definition
	Unit       string // "ns" or "tokens/s"
	tokens.Value
}

// RequestGaps are the gaps between the tokens of one request by one definition.
type RequestGaps struct {
	Definition Definition
	N          int64
	Undefined  string       // why there are none
	Runs       []tokens.Run // runs of equal gaps, in the order of time
	MeanNS     float64
	MedianNS   int64 // by nearest rank
	MostNS     int64
}

// OfRequest are the ids of what is said of every request that is explained: measures, and
// gaps between tokens.
var OfRequest = []string{"ttft", "tpot", "tpot_to_end", "generation_rate", "output_rate", gapsOfTokens}

// notListed is why a request that is not in the requests table has no measure.
const notListed = "the request is not among those of the table"

// addMeasures takes the measures of the request in a row of the requests table, if it is
// listed there.
func (e *Explanation) addMeasures(peers *Peers, row int, listed bool) {
	var list []Definition
	for _, id := range OfRequest {
		if d, err := DefinitionNamed(id); err == nil {
			list = append(list, d)
		}
	}
	for _, d := range peers.define {
		if !slices.Contains(OfRequest, d.ID) {
			list = append(list, d)
		}
	}
	for _, d := range list {
		switch d.Scope() {
		case ScopeRequest:
			def, _ := tokens.Define(d.ID)
			m := RequestMeasure{d, def.Unit, tokens.Value{Undefined: notListed}}
			if listed {
				m.Value = peers.measures().value(def, int32(row))
			}
			e.Measures = append(e.Measures, m)
		case ScopeGaps:
			g := RequestGaps{Definition: d, Undefined: notListed}
			if listed {
				g = peers.measures().requestGaps(d, int32(row))
			}
			e.Gaps = append(e.Gaps, g)
		}
	}
}

// requestGaps sums up the gaps of the request in a row.
func (m *measured) requestGaps(d Definition, row int32) RequestGaps {
	g := RequestGaps{Definition: d}
	runs, why := m.gapsOf(d.ID, row)
	g.Undefined = why
	if why != "" {
		return g
	}
	pool, sum := gapPool{runs: slices.Clone(runs)}, 0.0
	slices.SortFunc(pool.runs, func(a, b gapRun) int { return cmp.Compare(a.ns, b.ns) })
	for _, r := range runs {
		if k := len(g.Runs) - 1; k >= 0 && g.Runs[k].GapNS == r.ns {
			g.Runs[k].N += r.n
		} else {
			g.Runs = append(g.Runs, tokens.Run{GapNS: r.ns, N: r.n})
		}
		g.N, sum = g.N+r.n, sum+float64(r.ns)*float64(r.n)
	}
	pool.n = g.N
	g.MeanNS, g.MedianNS, g.MostNS = sum/float64(g.N), pool.at(stat.P50.Rank(g.N)), pool.at(g.N)
	return g
}

// cachedTokens returns how many tokens of a request's prompt a cache held, as the span
// nearest to the engine that knows tells; table.Missing where none does.
func cachedTokens(set *table.Set, req *critical.Request) int64 {
	best, depth, end := int64(table.Missing), int32(-1), int64(0)
	for i := range req.Spans {
		s := &req.Spans[i]
		if s.Row < 0 || int(s.Row) >= set.Spans.Len() {
			continue
		}
		if n := set.Spans.CachedTokens[s.Row]; n != table.Missing && n >= 0 && (s.Depth > depth || s.Depth == depth && s.End > end) {
			best, depth, end = n, s.Depth, s.End
		}
	}
	return best
}
