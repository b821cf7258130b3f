package join_test

import (
	"fmt"

	"github.com/tailpath/tailpath/critical/join"
	"github.com/tailpath/tailpath/ingest/table"
)

// A gateway logs the id that it gave a request, and the engine's span has the id that the
// engine made of it.
func ExampleFind() {
	set := table.NewSet()
	row := set.Scopes.Grow()
	set.Scopes.Service[row] = set.Symbols.Intern("nginx")
	for i, id := range []string{"0af7651916cd43dd8448eb211c80319c", "chatcmpl-0af7651916cd43dd8448eb211c80319c-9f3a41c2"} {
		span := set.Spans.Grow()
		set.Spans.TraceID[span], set.Spans.SpanID[span] = table.RecordIDs("access.log", int64(i), 0)
		set.Spans.Origin[span], set.Spans.RequestID[span] = table.OriginRecord, id
	}
	set.Canonicalize()
	plan := join.Find(set, []int32{0, 1, 2}, join.Options{}, func(issue table.Issue, _ int32, detail string) {
		fmt.Println(issue.ID+":", detail)
	})
	fmt.Println(plan.Groups, plan.SameRequest(0, 1))
	// Output:
	// joined: 2 traces or records by request id
	// [{[0 1] request id}] true
}
