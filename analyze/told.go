package analyze

import (
	"cmp"
	"slices"

	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/ingest/table"
)

// Told is a place that tells of a request: an input with its spans, or one of its records.
type Told struct {
	Source string
	Record bool
	Line   int64  // 1-based, of a record; table.Missing when the input has no lines
	Kind   string // format of a record; empty for spans
}

// toldBy lists the places that tell of a request: inputs with its spans first, then
// records, by place. Every record is one place.
func toldBy(set *table.Set, req *critical.Request) (out []Told) {
	for _, s := range req.Spans {
		if s.Row < 0 || int(s.Row) >= set.Spans.Len() {
			continue
		}
		t := Told{Source: set.Symbols.Text(set.Spans.Source[s.Row]), Line: table.Missing}
		if t.Record = set.Spans.Origin[s.Row] == table.OriginRecord; t.Record {
			t.Line = set.Spans.Line[s.Row]
			if scope := set.Spans.ScopeRow[s.Row]; scope >= 0 && int(scope) < set.Scopes.Len() {
				t.Kind = set.Symbols.Text(set.Scopes.Scope[scope])
			}
		}
		if t.Source != "" {
			out = append(out, t)
		}
	}
	slices.SortFunc(out, func(a, b Told) int {
		return cmp.Or(compareTruth(a.Record, b.Record), cmp.Compare(a.Source, b.Source), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Kind, b.Kind))
	})
	return slices.Compact(out)
}
