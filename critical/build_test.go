package critical

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/tailpath/tailpath/ingest/table"
)

// manyTraces returns a canonical set of n traces that make the builder look up and
// add many symbols.
func manyTraces(n int) *table.Set {
	set := table.NewSet()
	for k := range n {
		id := uint64(3*k + 1)
		addTrace(set, 1, away([]testSpan{
			{id: id, kind: kindClient, start: 0, end: 1000, service: "client"},
			{id: id + 1, parent: id, kind: kindServer, start: 10, end: 990, service: "triton", scope: "triton-server", name: "InferRequest"},
			{id: id + 2, parent: id + 1, kind: kindServer, start: 30, end: 900, service: "triton", scope: "triton-server", name: "compute"},
		}, int64(k)))
		for i := set.Spans.Len() - 3; i < set.Spans.Len(); i++ {
			set.Spans.TraceID[i] = table.TraceID{13: byte(k >> 8), 14: byte(k), 15: 1}
		}
	}
	set.Canonicalize()
	return set
}

// TestBuildWorkers builds tables with any number of workers: the rows, and the
// numbers of the symbols in them, are the same. Under the race detector it checks
// that workers read only what nobody writes.
func TestBuildWorkers(t *testing.T) {
	build := func(workers int) *table.Set {
		set, account := manyTraces(600), &table.Account{}
		if err := NewBuilder(set, account, Options{Workers: workers}).Build(context.Background()); err != nil {
			t.Fatal(err)
		}
		return set
	}
	want := build(1)
	if want.Requests.Len() != 600 || want.Segments.Len() == 0 {
		t.Fatalf("%d requests, %d segments", want.Requests.Len(), want.Segments.Len())
	}
	for _, workers := range []int{2, 3, 8} {
		if d := table.Difference(want, build(workers)); d != "" {
			t.Errorf("%d workers: %s", workers, d)
		}
	}
	for i := range want.Requests.Len() { // every symbol written is one of the set
		want.Symbols.Text(want.Requests.ClassReason[i])
	}
	for i := range want.Segments.Len() {
		if want.Symbols.Text(want.Segments.Rule[i]) == "" || want.Symbols.Text(want.Segments.Reason[i]) == "" {
			t.Fatalf("segment %d has no rule or reason", i)
		}
	}
}

func TestBuildStops(t *testing.T) {
	set := manyTraces(600)
	stop := errors.New("enough")
	seen := 0
	err := NewBuilder(set, nil, Options{Workers: 4}).Each(context.Background(), func(*Request) error {
		if seen++; seen == 100 {
			return stop
		}
		return nil
	})
	if !errors.Is(err, stop) || seen != 100 {
		t.Errorf("visited %d and got %v", seen, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := NewBuilder(set, nil, Options{}).Build(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled build returns %v", err)
	}
}

func TestFind(t *testing.T) {
	b := NewBuilder(manyTraces(300), nil, Options{})
	id := table.TraceID{13: 1, 14: 2, 15: 1}
	if found := b.Find(id); len(found) != 1 || found[0].TraceID != id {
		t.Errorf("found %d requests", len(found))
	}
	if found := b.Find(table.TraceID{1}); found != nil {
		t.Errorf("found a trace that is not there")
	}
}

// TestRawTablesStayAsRead writes the raw tables before and after the requests are
// built, with shifted, cut and repaired spans among them: not a byte differs.
func TestRawTablesStayAsRead(t *testing.T) {
	files := func(set *table.Set) (all []string) {
		for i, rows := range set.Tables() {
			if name := table.Schemas()[i].Name; name == "requests" || name == "segments" || name == "clocks" || name == "quality" {
				continue
			}
			var file bytes.Buffer
			if err := table.WriteParquet(&file, set, rows); err != nil {
				t.Fatal(err)
			}
			all = append(all, file.String())
		}
		return all
	}
	set := setOf([]testSpan{
		{id: 1, kind: kindClient, start: 100, end: 200, service: "a"},
		{id: 2, parent: 1, kind: kindServer, start: 5000, end: 5060, service: "b"},
		{id: 3, parent: 2, kind: 1, start: 5050, end: 5010, service: "b"},
		{id: 4, parent: 2, kind: 1, start: 5020, end: 0, service: "b"},
		{id: 2, parent: 1, kind: kindServer, start: 5000, end: 5050, service: "b"},
	})
	before := files(set)
	account := &table.Account{}
	if err := NewBuilder(set, account, Options{}).Build(context.Background()); err != nil {
		t.Fatal(err)
	}
	if set.Requests.Len() == 0 || len(account.Entries()) < 3 {
		t.Fatalf("%d requests, issues %v", set.Requests.Len(), account.Entries())
	}
	for i, after := range files(set) {
		if after != before[i] {
			t.Errorf("raw table %d was changed", i)
		}
	}
}
