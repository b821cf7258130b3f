package critical

import (
	"context"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/tailpath/tailpath/ingest/table"
)

// testSpan is one span of a test graph; ids are numbers, 0 stands for no parent.
type testSpan struct {
	id, parent uint64
	kind       uint8
	start, end int64
	name       string
	service    string
	scope      string
}

func spanID(n uint64) (id table.SpanID) {
	binary.BigEndian.PutUint64(id[:], n)
	return id
}

func idNumber(id table.SpanID) uint64 { return binary.BigEndian.Uint64(id[:]) }

// setOf returns a canonical set that holds the spans as one trace.
func setOf(spans []testSpan) *table.Set {
	set := table.NewSet()
	addTrace(set, 1, spans)
	set.Canonicalize()
	return set
}

func addTrace(set *table.Set, trace byte, spans []testSpan) {
	for _, s := range spans {
		i := set.Spans.Grow()
		set.Spans.TraceID[i] = table.TraceID{15: trace}
		set.Spans.SpanID[i] = spanID(s.id)
		set.Spans.ParentID[i] = spanID(s.parent)
		set.Spans.Kind[i] = s.kind
		set.Spans.Start[i], set.Spans.End[i] = s.start, s.end
		set.Spans.Name[i] = set.Symbols.Intern(s.name)
		set.Spans.Source[i] = set.Symbols.Intern("test")
		set.Spans.ScopeRow[i] = int32(set.Scopes.Grow())
		set.Scopes.Service[set.Spans.ScopeRow[i]] = set.Symbols.Intern(s.service)
		set.Scopes.Scope[set.Spans.ScopeRow[i]] = set.Symbols.Intern(s.scope)
		if s.name == "Load model" {
			set.Spans.Attributes.Add(set.Symbols.Intern("code.function"), table.StringValue("load_model"))
		}
	}
}

// buildAll returns the requests of a set, every one validated.
func buildAll(set *table.Set, opt Options) (out []*Request, err error) {
	err = NewBuilder(set, nil, opt).Each(context.Background(), func(r *Request) error {
		out = append(out, r)
		return Validate(r)
	})
	return out, err
}

// build is buildAll with the account of what was met.
func build(t testing.TB, set *table.Set, opt Options) ([]*Request, *table.Account) {
	t.Helper()
	account := &table.Account{}
	var out []*Request
	err := NewBuilder(set, account, opt).Each(context.Background(), func(r *Request) error {
		out = append(out, r)
		return Validate(r)
	})
	if err != nil {
		t.Fatalf("build: %v", err)
	}
	return out, account
}

// owners spells a path as its owners and times.
func owners(r *Request, p Path) string {
	text := ""
	for _, s := range p {
		text += fmt.Sprintf(" %d[%d,%d)", idNumber(r.Spans[s.Span].ID), s.Start, s.End)
	}
	return text
}
