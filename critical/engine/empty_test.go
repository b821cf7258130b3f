package engine

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// TestSegmentsOfNoSpan: tables may have segments without the spans, the scopes or the
// requests that they are of, as a set that is made from times alone does. Such segments are
// at no engine, and every question has an answer.
func TestSegmentsOfNoSpan(t *testing.T) {
	set := table.NewSet()
	req, seg := &set.Requests, &set.Segments
	for r := range int32(3) {
		i := req.Grow()
		req.Start[i], req.End[i], req.Duration[i] = int64(r)*ms, int64(r+9)*ms, 9*ms
		at := req.Start[i]
		for _, p := range []struct {
			stage  stage.Stage
			detail string
		}{{stage.Gateway, ""}, {stage.Queue, "engine"}, {stage.Scheduling, ""}, {stage.GPU, "prefill"}, {stage.Transfer, "h2d"}, {stage.GPU, "decode"}, {stage.GPU, "compute"}} {
			k := seg.Grow()
			seg.RequestRow[k], seg.SpanRow[k], seg.Start[k], seg.End[k], seg.Duration[k] = r, 0, at, at+ms, ms
			seg.Stage[k], seg.Detail[k] = uint8(p.stage), set.Symbols.Intern(p.detail)
			at += ms
		}
	}
	if err := set.Validate(); err != nil {
		t.Fatal(err)
	}
	askAll(t, set)
	for i := range seg.Len() {
		if cause := set.Symbols.Text(seg.Cause[i]); (stage.Stage(seg.Stage[i]) == stage.Queue) != (cause == "unknown") {
			t.Errorf("segment %d has the cause %q", i, cause)
		}
	}
}

// askAll asks everything of the segments of a set, of which none is at an engine.
func askAll(t interface {
	Helper()
	Errorf(string, ...any)
}, set *table.Set) {
	t.Helper()
	tl := Build(set)
	tl.Annotate(set)
	tl.Streams(func(s *Stream) {})
	if n := len(tl.Engines()); n != 0 {
		t.Errorf("%d engines", n)
	}
	for i := range int32(set.Segments.Len()) {
		if e, ok := tl.EngineOf(i); ok {
			t.Errorf("segment %d is at engine %d", i, e)
		}
		if stage.Stage(set.Segments.Stage[i]) == stage.Queue {
			tl.Finding(i)
		}
		tl.Blame(i)
	}
	for r := range int32(set.Requests.Len()) {
		tl.Visits(r)
	}
}

// TestTablesWithoutOthers draws whole sets and takes one of the tables away that segments
// refer to: nothing panics, and no segment is at an engine that is not known.
func TestTablesWithoutOthers(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g := newGiven()
		server := g.scope("vllm-server", "gpu-a", "", "vllm")
		for range rapid.IntRange(1, 4).Draw(rt, "requests") {
			at := rapid.Int64Range(0, 50).Draw(rt, "start")
			g.request(at, rapid.Int64Range(0, 9).Draw(rt, "prompt"), waited(server, at+5), prefilled(server, at+9), decoded(server, at+30))
		}
		set := g.set
		switch rapid.IntRange(0, 2).Draw(rt, "without") {
		case 0:
			set.Spans = table.NewSet().Spans
		case 1:
			set.Requests = table.NewSet().Requests
		case 2:
			set.Scopes = table.NewSet().Scopes
		}
		askAll(rt, set)
	})
}
