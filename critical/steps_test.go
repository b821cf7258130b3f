package critical

import (
	"testing"

	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// TestManySteps builds a request of 100,000 executions, each of which waited and sent a
// piece of the response: every wait is queue, every piece that nothing covers is
// transfer. Work in squares would take minutes.
func TestManySteps(t *testing.T) {
	if raceEnabled {
		t.Skip("too slow with the race detector")
	}
	const n, step = 100_000, int64(100)
	spans := []testSpan{
		{id: 1, kind: kindServer, start: 0, end: n * step, scope: "triton-server", name: "InferRequest"},
		{id: 2, parent: 1, kind: kindServer, start: 0, end: n * step / 2, scope: "triton-server", name: "iter"},
	}
	for i := range int64(n / 2) {
		spans = append(spans, testSpan{id: uint64(3 + i), parent: 2, kind: kindServer, start: i*step + 30, end: i*step + 90, scope: "triton-server", name: "compute"})
	}
	set := table.NewSet()
	addTrace(set, 1, spans[:2])
	set.Spans.Attributes.Add(set.Symbols.Intern("triton.model_name"), table.StringValue("iter")) // of the last row
	addTrace(set, 1, spans[2:])
	event := func(row int32, name string, at int64) {
		e := &set.SpanEvents
		i := e.Grow()
		e.SpanRow[i], e.Name[i], e.Time[i] = row, set.Symbols.Intern(name), at
	}
	for i := range int64(n / 2) {
		event(1, "QUEUE_START", i*step+10)
		event(0, "GRPC_SEND_START", (n/2+i)*step)
		event(0, "GRPC_SEND_END", (n/2+i)*step+40)
	}
	set.Canonicalize()
	requests, err := buildAll(set, Options{Workers: 1})
	if err != nil || len(requests) != 1 {
		t.Fatalf("%d requests, %v", len(requests), err)
	}
	var sums [8]int64
	for _, s := range requests[0].EndPath {
		sums[s.Stage] += s.End - s.Start
	}
	want := map[stage.Stage]int64{stage.Queue: n / 2 * 20, stage.GPU: n / 2 * 60, stage.Transfer: n / 2 * 40}
	for of, ns := range want {
		if sums[of] != ns {
			t.Errorf("%v: %d ns, want %d", of, sums[of], ns)
		}
	}
}
