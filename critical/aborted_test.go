package critical

import (
	"context"
	"testing"

	"github.com/tailpath/tailpath/ingest/table"
)

// TestAborted: a request was given up if its root or an engine on its path says so, and
// not if only an attempt that lost against another was.
func TestAborted(t *testing.T) {
	const second = 1_000_000_000
	root := testSpan{id: 1, name: "GET", service: "gw", start: second, end: 2 * second}
	engine := testSpan{id: 2, parent: 1, name: "llm_request", scope: "vllm.tracing.otel", service: "e", start: second + 1000, end: 2*second - 1000}
	add := func(set *table.Set, key string, v table.Value) { set.Spans.Attributes.Add(set.Symbols.Intern(key), v) }
	for name, c := range map[string]struct {
		root, engine func(set *table.Set, row int) // what is more to tell of the two spans
		want         bool
	}{
		"answered":           {nil, nil, false},
		"HTTP 499":           {func(s *table.Set, i int) { s.Spans.HTTPStatus[i] = 499 }, nil, true},
		"HTTP 500":           {func(s *table.Set, i int) { s.Spans.HTTPStatus[i] = 500 }, nil, false},
		"status":             {func(s *table.Set, i int) { s.Spans.StatusMessage[i] = "request Cancelled by client" }, nil, true},
		"gRPC CANCELLED":     {func(s *table.Set, _ int) { add(s, grpcStatus, table.IntValue(1)) }, nil, true},
		"gRPC UNKNOWN":       {func(s *table.Set, _ int) { add(s, grpcStatus, table.IntValue(2)) }, nil, false},
		"engine's reason":    {nil, func(s *table.Set, _ int) { add(s, "finish_reason", table.StringValue("abort")) }, true},
		"reason of gen_ai":   {nil, func(s *table.Set, _ int) { add(s, "gen_ai.response.finish_reasons", table.StringValue(`["abort"]`)) }, true},
		"an ordinary reason": {nil, func(s *table.Set, _ int) { add(s, "finish_reason", table.StringValue("length")) }, false},
		"inner cancelled":    {nil, func(s *table.Set, i int) { s.Spans.HTTPStatus[i] = 499 }, false},
		"after it": {nil, func(s *table.Set, i int) {
			add(s, "finish_reason", table.StringValue("abort"))
			s.Spans.Start[i], s.Spans.End[i], s.Scopes.Service[i] = 3*second, 4*second, s.Scopes.Service[0]
		}, false},
	} {
		set := table.NewSet()
		for i, change := range []func(*table.Set, int){c.root, c.engine} {
			addTrace(set, 1, []testSpan{root, engine}[i:i+1])
			if change != nil {
				change(set, i)
			}
		}
		set.Canonicalize()
		if err := NewBuilder(set, nil, Options{}).Build(context.Background()); err != nil {
			t.Fatal(err)
		}
		if q := &set.Requests; q.Len() != 1 || q.Aborted[0] != c.want {
			t.Errorf("%s: %d requests, aborted %v, want %v", name, q.Len(), q.Aborted, c.want)
		}
	}
}
