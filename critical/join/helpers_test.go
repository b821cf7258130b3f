package join

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/tailpath/tailpath/ingest/table"
)

type attr struct {
	key   string
	value any // string, int64, []string for a list, or bool
}

// row is one row of the spans table, as tests write it.
type row struct {
	name      string // what the test calls it; the name of the span
	trace     table.TraceID
	record    bool // its trace id is made up of its name, if none is given
	service   string
	host      string
	kind      uint8
	start     int64
	end       int64
	err       int64
	clock     uint8
	requestID string
	attrs     []attr
}

func traceID(high, low uint64) (id table.TraceID) {
	binary.BigEndian.PutUint64(id[:8], high)
	binary.BigEndian.PutUint64(id[8:], low)
	return id
}

// setOf returns the canonical set of some rows.
func setOf(rows []row) *table.Set {
	set := table.NewSet()
	scopes := map[[2]string]int32{}
	for i, r := range rows {
		scope, ok := scopes[[2]string{r.service, r.host}]
		if !ok {
			scope = int32(set.Scopes.Grow())
			scopes[[2]string{r.service, r.host}] = scope
			set.Scopes.Service[scope], set.Scopes.Host[scope] = set.Symbols.Intern(r.service), set.Symbols.Intern(r.host)
		}
		s := &set.Spans
		k := s.Grow()
		s.TraceID[k] = r.trace
		binary.BigEndian.PutUint64(s.SpanID[k][:], uint64(i+1))
		if r.record {
			s.Origin[k] = table.OriginRecord
			if r.trace == (table.TraceID{}) {
				s.TraceID[k], s.SpanID[k] = table.RecordIDs(r.name, int64(i), 0)
			}
		}
		s.Name[k], s.Kind[k] = set.Symbols.Intern(r.name), r.kind
		s.Start[k], s.End[k], s.Error[k], s.Clock[k] = r.start, r.end, r.err, r.clock
		s.ScopeRow[k], s.RequestID[k] = scope, r.requestID
		for _, a := range r.attrs {
			s.Attributes.Add(set.Symbols.Intern(a.key), valueOf(a.value))
		}
	}
	set.Canonicalize()
	return set
}

func valueOf(v any) table.Value {
	switch v := v.(type) {
	case int64:
		return table.IntValue(v)
	case bool:
		return table.BoolValue(v)
	case []string:
		texts := make([]string, len(v))
		for i, s := range v {
			texts[i] = fmt.Sprintf(`{"stringValue":%q}`, s)
		}
		return table.Value{Type: table.ValueArray, Text: []byte(`{"values":[` + strings.Join(texts, ",") + `]}`)}
	}
	return table.StringValue(v.(string))
}

// unitsOf returns where the units of a canonical set begin.
func unitsOf(set *table.Set) (units []int32) {
	for i, id := range set.Spans.TraceID {
		if i == 0 || id != set.Spans.TraceID[i-1] {
			units = append(units, int32(i))
		}
	}
	return append(units, int32(set.Spans.Len()))
}

// fataler is a testing.T or a rapid.T.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// outcome is what Find found, in the names of the rows.
type outcome struct {
	Groups  []string // "a b: request id", the names in order
	Classes []string // the names of rows of one request id, of those that share one
	Issues  map[string]int
}

// findIn joins the units of a set and checks what always holds.
func findIn(t fataler, set *table.Set, opt Options, hash func([]byte) uint64) (outcome, *Plan) {
	t.Helper()
	units := unitsOf(set)
	out := outcome{Issues: map[string]int{}}
	p := find(set, units, opt, func(issue table.Issue, row int32, detail string) {
		if row < 0 || int(row) >= set.Spans.Len() || detail == "" {
			t.Fatalf("issue %s at row %d: %q", issue.ID, row, detail)
		}
		out.Issues[issue.ID]++
	}, hash)
	checkPlan(t, set, units, p)
	name := func(row int32) string { return set.Symbols.Text(set.Spans.Name[row]) }
	for _, g := range p.Groups {
		var names []string
		for _, u := range g.Units {
			for row := units[u]; row < units[u+1]; row++ {
				names = append(names, name(row))
			}
		}
		slices.Sort(names)
		out.Groups = append(out.Groups, strings.Join(names, " ")+": "+g.Basis.String())
	}
	classes := map[int32][]string{}
	for row := range int32(set.Spans.Len()) {
		if n := p.Requests(row); n != 0 {
			classes[n] = append(classes[n], name(row))
		}
	}
	for _, names := range classes {
		slices.Sort(names)
		out.Classes = append(out.Classes, strings.Join(names, " "))
	}
	slices.Sort(out.Groups)
	slices.Sort(out.Classes)
	return out, p
}

// checkPlan checks that every unit is in one group, that groups and classes are in their
// order, and that a basis says whether anything was joined.
func checkPlan(t fataler, set *table.Set, units []int32, p *Plan) {
	t.Helper()
	seen := make([]bool, len(units)-1)
	lastName := int32(-1)
	for i, g := range p.Groups {
		if len(g.Units) == 0 || !slices.IsSorted(g.Units) || (len(g.Units) == 1) != (g.Basis == Alone) {
			t.Fatalf("group %d is %v", i, g)
		}
		name, spans := g.Units[0], false
		for _, u := range g.Units {
			if seen[u] || p.GroupOf(u) != int32(i) {
				t.Fatalf("unit %d is in two groups, or in %d and not in %d", u, i, p.GroupOf(u))
			}
			seen[u] = true
			for row := units[u]; row < units[u+1] && !spans; row++ {
				if set.Spans.Origin[row] == table.OriginSpan {
					name, spans = u, true
				}
			}
		}
		if name <= lastName {
			t.Fatalf("group %d is named by unit %d, the one before by %d", i, name, lastName)
		}
		lastName = name
	}
	if i := slices.Index(seen, false); i >= 0 {
		t.Fatalf("unit %d is in no group", i)
	}
	next := int32(1)
	count := map[int32]int{}
	for row := range int32(set.Spans.Len()) {
		n := p.Requests(row)
		if n > next {
			t.Fatalf("row %d has class %d, and %d was not seen", row, n, next)
		}
		if n == next {
			next++
		}
		count[n]++
		if p.SameRequest(row, row) != (n != 0) {
			t.Fatalf("row %d is not the same request as itself", row)
		}
	}
	for n, rows := range count {
		if n != 0 && rows < 2 {
			t.Fatalf("class %d has one row", n)
		}
	}
}
