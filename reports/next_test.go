package reports_test

import (
	"testing"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
	"github.com/tailpath/tailpath/reports"
)

// TestExplainGoesOnToTheQueue: a request that its queue made slow is followed by the queue of the
// minutes around it, and any other by the median request.
func TestExplainGoesOnToTheQueue(t *testing.T) {
	const minute = 60_000 * ms
	start := began - began%minute + 30_000*ms
	explained := func(queue, gpu int64) analyze.Explanation {
		var e analyze.Explanation
		e.Facts.Start, e.Facts.End = start, start+3*minute
		e.Standing.Peers, e.Standing.HasBody, e.Standing.Middle.TraceID[0] = 100, true, 0xab
		e.Standing.During = analyze.Interval{Start: start - 60*minute, End: start + 60*minute}
		e.Standing.Stages[stage.Queue] = analyze.StageDifference{NS: queue, MedianNS: 10}
		e.Standing.Stages[stage.GPU] = analyze.StageDifference{NS: gpu, MedianNS: 1_000}
		e.Standing.Stages[stage.Network] = analyze.StageDifference{NS: 0, MedianNS: 5_000} // less than usual helps nothing
		return e
	}
	const median = "tailpath explain incident/ ab000000000000000000000000000000"
	at := func(ns int64) string { return reports.Time(ns)[:len("2006-01-02T15:04")] + "Z" }
	for _, c := range []struct {
		name   string
		change func(*analyze.Explanation, *reports.Run)
		next   string
	}{
		{"in the middle", func(*analyze.Explanation, *reports.Run) {}, "tailpath queue incident/ --since " + at(start-10*minute) + " --until " + at(start+14*minute)},
		{"on the minute", func(e *analyze.Explanation, _ *reports.Run) {
			e.Facts.Start, e.Facts.End = start+30_000*ms, start+90_000*ms
		},
			"tailpath queue incident/ --since " + at(start-9*minute) + " --until " + at(start+12*minute)},
		{"in a short capture", func(e *analyze.Explanation, _ *reports.Run) {
			e.Standing.During = analyze.Interval{Start: start - minute, End: start + 5*minute}
		}, "tailpath queue incident/"},
		{"where the time was chosen", func(_ *analyze.Explanation, r *reports.Run) { r.TimeChosen = true }, "tailpath queue incident/"},
		{"without a date", func(e *analyze.Explanation, _ *reports.Run) { e.Facts.Clock = table.ClockSteady }, "tailpath queue incident/"},
		{"as much elsewhere", func(e *analyze.Explanation, _ *reports.Run) { e.Standing.Stages[stage.GPU].NS = 1_000 + 4_990 }, median},
		{"without a usual request", func(e *analyze.Explanation, _ *reports.Run) { e.Standing.HasBody = false }, median},
		{"without peers", func(e *analyze.Explanation, _ *reports.Run) { e.Standing.HasBody, e.Standing.Peers = false, 0 }, "tailpath summary incident/"},
	} {
		e, r := explained(5_000, 1_100), run("explain")
		c.change(&e, &r)
		if got := r.Explain([]analyze.Explanation{e}).Next; got != c.next {
			t.Errorf("%s: %s, want %s", c.name, got, c.next)
		}
	}
}
