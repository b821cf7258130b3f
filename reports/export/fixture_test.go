package export

import (
	"bytes"
	"context"
	"encoding/binary"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/ingest"
	"github.com/tailpath/tailpath/ingest/table"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const (
	ms    = int64(1_000_000)
	epoch = int64(1_772_460_000_000_000_000)
)

// made is a span of a made-up trace. Times are ms after the epoch.
type made struct {
	id, parent    byte
	service, name string
	kind          uint8
	start, end    int64
}

// Span kinds.
const (
	internal = 1
	server   = 2
	client   = 3
)

// built is a set with its requests and what an export needs besides.
type built struct {
	set     *table.Set
	builder *critical.Builder
	callers critical.Callers
}

func (b *built) rows() []int32 {
	rows := make([]int32, b.set.Requests.Len())
	for i := range rows {
		rows[i] = int32(i)
	}
	return rows
}

// requests returns all requests in the order of their table.
func (b *built) requests(t testing.TB) (out []*critical.Request) {
	t.Helper()
	if err := b.builder.Each(context.Background(), func(r *critical.Request) error { out = append(out, r); return nil }); err != nil {
		t.Fatal(err)
	}
	return out
}

// build makes the requests of a set.
func build(t testing.TB, set *table.Set) *built {
	t.Helper()
	set.Canonicalize()
	b := &built{set: set, builder: critical.NewBuilder(set, &table.Account{}, critical.Options{Workers: 1})}
	if err := b.builder.BuildAnd(context.Background(), b.callers.Add); err != nil {
		t.Fatal(err)
	}
	return b
}

// traces writes traces, the spans of each by its number.
func traces(list ...[]made) *table.Set {
	set := table.NewSet()
	scopes := map[string]int32{}
	for n, spans := range list {
		for _, m := range spans {
			scope, ok := scopes[m.service]
			if !ok {
				scope = int32(set.Scopes.Grow())
				scopes[m.service] = scope
				set.Scopes.Service[scope] = set.Symbols.Intern(m.service)
			}
			i := set.Spans.Grow()
			s := &set.Spans
			s.TraceID[i] = traceID(n)
			s.SpanID[i] = spanID(n, m.id)
			if m.parent != 0 {
				s.ParentID[i] = spanID(n, m.parent)
			}
			s.Name[i], s.Kind[i], s.ScopeRow[i] = set.Symbols.Intern(m.name), m.kind, scope
			s.Start[i], s.End[i] = epoch+m.start*ms, epoch+m.end*ms
		}
	}
	return set
}

func traceID(n int) (id table.TraceID) {
	binary.BigEndian.PutUint64(id[8:], uint64(n+1))
	return id
}

func spanID(n int, id byte) (out table.SpanID) {
	binary.BigEndian.PutUint32(out[:], uint32(n+1))
	out[7] = id
	return out
}

// shop is a request through a proxy to two services, one after the other.
var shop = []made{
	{1, 0, "edge", "POST /v1/chat", server, 0, 100},
	{2, 1, "shop", "answer; please", server, 10, 90},
	{3, 2, "shop", "find", internal, 12, 40},
	{4, 2, "shop", "rank", internal, 30, 80},
	{5, 2, "\x1b[31mred", "ignored\xff", internal, 20, 25},
}

// scenario reads one of the simulated incidents.
func scenario(t testing.TB, name string) *built {
	t.Helper()
	set, account, _, err := ingest.Read(context.Background(), []string{filepath.Join("..", "..", "testdata", "scenarios", name)}, ingest.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	b := &built{set: set, builder: critical.NewBuilder(set, account, critical.Options{Workers: 1})}
	if err := b.builder.BuildAnd(context.Background(), b.callers.Add); err != nil {
		t.Fatal(err)
	}
	return b
}

// golden compares text with a golden file.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", "golden", name)
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-golden +got):\n%s", file, diff)
	}
}

// written returns what a writer writes.
func written(t testing.TB, write func(*bytes.Buffer) error) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := write(&out); err != nil {
		t.Fatal(err)
	}
	return slices.Clip(out.Bytes())
}
