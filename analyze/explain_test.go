package analyze

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// chat is a request of a gateway whose engine reports its queue and decode as
// durations, with a logging span that nobody waits for.
func chat(set *table.Set) *critical.Request {
	scope := set.Scopes.Grow()
	set.Scopes.Service[scope] = set.Symbols.Intern("edge")
	spans := []struct {
		name       string
		kind       uint8
		parent     int32
		depth      int32
		start, end int64
		role       critical.Role
	}{
		{"POST /v1/chat", 2, -1, 0, 0, 100, critical.Root},
		{"llm_request", 2, 0, 1, 10, 95, critical.Blocking},
		{"log", 1, 1, 2, 20, 30, critical.Blocking},
		{"audit", 1, 0, 1, 90, 140, critical.Detached},
	}
	req := &critical.Request{Start: 0, End: 100, FirstToken: 60, Basis: "event", Excluded: []critical.Exclusion{{Row: 9, Reason: "other root"}, {Row: 8, Reason: "other root"}}}
	req.TraceID[15] = 7
	for i, s := range spans {
		row := set.Spans.Grow()
		set.Spans.Name[row], set.Spans.Kind[row] = set.Symbols.Intern(s.name), s.kind
		span := critical.Span{Row: int32(row), Parent: s.parent, Depth: s.depth, Start: s.start, End: s.end, Role: s.role}
		span.ID[7] = byte(i + 1)
		req.Spans = append(req.Spans, span)
	}
	req.EndPath = critical.Path{
		{Start: 0, End: 10, Span: 0, Stage: stage.Gateway, OverlappedBy: -1, Reason: "own time", Rule: "proxy"},
		{Start: 10, End: 60, Span: 1, Stage: stage.Queue, Detail: "engine", Confidence: critical.Anchored, Error: 3, OverlappedBy: -1},
		{Start: 60, End: 90, Span: 1, Stage: stage.GPU, Detail: "decode", Confidence: critical.Anchored, OverlappedBy: -1},
		{Start: 90, End: 95, Span: 1, Stage: stage.GPU, Detail: "decode", Confidence: critical.Anchored, OverlappedBy: -1},
		{Start: 95, End: 100, Span: 0, Stage: stage.Gateway, OverlappedBy: 3, Reason: "own time"},
	}
	req.TokenPath = req.EndPath[:2]
	return req
}

func TestExplainWaterfall(t *testing.T) {
	set := tables(nil)
	e := Explain(set, chat(set), NewPeers(set, Options{}), nil, 0)
	type line struct {
		Depth  int
		Label  string
		OnPath int64
		Marks  []Mark
	}
	var got []line
	for _, r := range e.Rows {
		got = append(got, line{r.Depth, r.Label, r.OnPath, r.Marks})
	}
	want := []line{
		{0, "POST /v1/chat", 15, []Mark{{0, 10, OnPath}, {95, 100, Ambiguous}}},
		{1, "llm_request", 85, []Mark{{10, 95, Derived}}},
		{2, "queue/engine", 50, []Mark{{10, 60, Derived}}},
		{2, "gpu/decode", 35, []Mark{{60, 95, Derived}}},
		{2, "log", 0, nil},
		{1, "audit", 0, nil},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("waterfall (-want +got):\n%s", diff)
	}
	f := e.Facts
	if f.Name != "POST /v1/chat" || f.Service != "edge" || f.SpansIn != 6 || f.OnPath != 2 || f.OffPath != 2 || f.SpansExcluded != 2 {
		t.Errorf("facts %+v", f)
	}
	if diff := cmp.Diff([]Count{{"other root", 2}}, e.Excluded); diff != "" {
		t.Errorf("excluded (-want +got):\n%s", diff)
	}
	last := e.Path[4]
	if last.OverlappedBy != "audit" || last.SpanName != "POST /v1/chat" || last.Service != "edge" || len(e.TokenPath) != 2 {
		t.Errorf("last segment %+v", last)
	}
}

func TestWaterfallLimit(t *testing.T) {
	set := tables(nil)
	req := chat(set)
	for _, c := range []struct {
		limit   int
		labels  string
		omitted int64
	}{
		{0, "POST /v1/chat,llm_request,queue/engine,gpu/decode,log,audit", 0},
		{4, "POST /v1/chat,llm_request,queue/engine,gpu/decode,log,audit", 0},
		{3, "POST /v1/chat,llm_request,queue/engine,gpu/decode,audit", 1},
		{1, "POST /v1/chat,llm_request,queue/engine,gpu/decode", 2},
	} {
		rows, omitted := waterfall(set, req, c.limit)
		var labels []string
		for _, r := range rows {
			labels = append(labels, r.Label)
		}
		if got := strings.Join(labels, ","); got != c.labels || omitted != c.omitted {
			t.Errorf("limit %d: %s, %d omitted", c.limit, got, omitted)
		}
	}
}

// TestStandingIsTheRank checks every request of random tables against counting.
func TestStandingIsTheRank(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		requests := drawRequests(t)
		set := tables(requests)
		peers := NewPeers(set, Options{})
		s := Summarize(set, Options{})
		if slow := peers.Slowest(1); s.Population.N > 0 && slow[0] != s.Duration.Slowest {
			t.Fatalf("the slowest is %v, not %v", slow, s.Duration.Slowest)
		}
		if len(requests) == 0 {
			return
		}
		i := rapid.IntRange(0, len(requests)-1).Draw(t, "request")
		req := asRequest(set, i)
		got := peers.standing(set, req)
		_, left := exclusion(set, i, Options{})
		if got.InPopulation == left || got.Peers != s.Population.N {
			t.Fatalf("in population %v, left out %v, %d peers", got.InPopulation, left, got.Peers)
		}
		var faster, shorter, equal int64
		for j := range requests {
			if _, out := exclusion(set, j, Options{}); out {
				continue
			}
			d := set.Requests.Duration[j]
			switch took := req.End - req.Start; {
			case d < took:
				shorter++
			case d == took && j != i:
				equal++
			}
			if d < req.End-req.Start || d == req.End-req.Start && string(set.Requests.TraceID[j][:]) < string(req.TraceID[:]) {
				faster++
			}
		}
		if got.Faster != shorter || got.Ties != equal {
			t.Fatalf("%d faster and %d ties, counted %d and %d", got.Faster, got.Ties, shorter, equal)
		}
		if got.Rank != faster+1 {
			t.Fatalf("rank %d, but %d are faster", got.Rank, faster)
		}
		for k, d := range got.Stages {
			if d.NS != set.Requests.Stage[k][i] {
				t.Fatalf("stage %d: %d ns, want %d", k, d.NS, set.Requests.Stage[k][i])
			}
		}
	})
}

// asRequest rebuilds a request from the tables.
func asRequest(set *table.Set, i int) *critical.Request {
	t := &set.Requests
	req := &critical.Request{
		TraceID: t.TraceID[i], Class: critical.Class(t.Class[i]), Start: t.Start[i], End: t.End[i], FirstToken: t.FirstToken[i],
		Spans: []critical.Span{{Row: -1, ID: t.RootSpanID[i], Parent: -1, Start: t.Start[i], End: t.End[i]}},
	}
	for j, row := range set.Segments.RequestRow {
		if int(row) == i && set.Segments.Target[j] == 0 {
			req.EndPath = append(req.EndPath, critical.Segment{Start: set.Segments.Start[j], End: set.Segments.End[j], Stage: stage.Stage(set.Segments.Stage[j]), OverlappedBy: -1})
		}
	}
	return req
}

func TestStandingComparesWithBodyMedians(t *testing.T) {
	requests := many(9, 0, given{times: times(stage.Queue, 10, stage.GPU, 90)})
	for i := range requests {
		requests[i].times[stage.Queue] += int64(i) // body of nine: ranks 4 and 5
	}
	set := tables(requests)
	if s := NewPeers(set, Options{}).standing(set, asRequest(set, 8)); s.Body != 2 || s.HasBody {
		t.Errorf("a body of two was good enough for medians: %+v", s)
	}
	set = tables(append(requests, many(20, 100, given{times: times(stage.Queue, 30, stage.GPU, 100)})...))
	s := NewPeers(set, Options{}).standing(set, asRequest(set, 8))
	if s.Body != 6 || !s.HasBody || s.Stages[stage.Queue] != (StageDifference{18, 30}) || s.Rank != 9 || s.Middle.NS != 130 {
		t.Errorf("standing %+v", s)
	}
}
