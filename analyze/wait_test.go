package analyze

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// explained returns what is said of order i of a house.
func explained(t failer, h house, i int) Explanation {
	t.Helper()
	set, b := h.build(t, critical.Options{})
	id := fmt.Sprintf("7f3a9c51-0000-4000-8000-%012d", i)
	for row, of := range set.Requests.RequestID {
		if of == id {
			return Explain(set, b.Find(set.Requests.TraceID[row])[0], NewPeers(set, Options{}), b.Engines(), 0)
		}
	}
	t.Fatalf("there is no request %s", id)
	return Explanation{}
}

// TestWaitsAreBlamedWithinBounds draws houses: what others are blamed for is at most the
// wait, each holder is another request, and who ran and waited is who the timetable says.
func TestWaitsAreBlamedWithinBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := house{slots: rapid.IntRange(1, 4).Draw(t, "slots"), tokens: rapid.Bool().Draw(t, "tokens"), reading: rapid.Bool().Draw(t, "reading")}
		at := int64(0)
		for range rapid.IntRange(3, 30).Draw(t, "requests") {
			at += rapid.Int64Range(1, 200).Draw(t, "gap") * ms
			h.orders = append(h.orders, order{at, rapid.SampledFrom([]int64{5, 20, 150}).Draw(t, "prefill") * ms, rapid.Int64Range(1, 400).Draw(t, "decode") * ms})
		}
		h.ahead = rapid.SampledFrom([]int64{0, 500 * ms, 2 * hour}).Draw(t, "ahead")
		i := rapid.IntRange(0, len(h.orders)-1).Draw(t, "request")
		e := explained(t, h, i)
		bounded := func(what string, held Held, most int64) {
			var sum int64
			for _, x := range held.Holders {
				if sum += x.NS; x.TraceID == e.Facts.TraceID || x.NS <= 0 {
					t.Fatalf("%s: holder %+v", what, x)
				}
			}
			if held.NS > most || sum > held.NS || int64(len(held.Holders)) != min(held.N, holdersKept) || held.N <= holdersKept && sum != held.NS {
				t.Fatalf("%s: %d ns by the first of %d, %d ns by all, of %d", what, sum, held.N, held.NS, most)
			}
		}
		queued := 0
		for k, s := range e.Path {
			if s.Stage == stage.Queue {
				queued++
			} else if s.Cause != "" {
				t.Fatalf("segment %d is no wait, and has the cause %s", k, s.Cause)
			}
		}
		if queued != len(e.Waits) {
			t.Fatalf("%d waits of %d", len(e.Waits), queued)
		}
		for _, w := range e.Waits {
			s := e.Path[w.Segment]
			if s.Stage != stage.Queue || s.Cause != w.Finding.Cause.String() || w.Finding.WaitNS != s.End-s.Start {
				t.Fatalf("wait %+v of segment %+v", w, s)
			}
			bounded("wait", w.Held, w.Finding.WaitNS)
		}
		var attributed int64
		for _, s := range e.Stalls.List {
			attributed += s.AttributedNS
			if s.Start < e.Facts.Start || s.End > e.Facts.End {
				t.Fatalf("a stall from %d to %d outside the request", s.Start-e.Facts.Start, s.End-e.Facts.Start)
			}
		}
		bounded("stalls", e.Stalls.Held, attributed)
		if len(e.Waits) == 0 {
			if e.State != nil {
				t.Fatalf("it did not wait, and yet: %+v", e.State)
			}
			return
		}
		started, done := h.timetable()
		came := h.orders[i].at + 2*wayIn
		var running, waiting int64
		for k, o := range h.orders {
			switch {
			case k == i:
			case started[k] <= came && came < done[k]:
				running++
			case o.at+2*wayIn <= came && came < started[k]:
				waiting++
			}
		}
		if s := e.State; s == nil || s.Running != running || s.Waiting != waiting || s.Segment != e.Waits[0].Segment {
			t.Fatalf("%d ran and %d waited, told is %+v", running, waiting, s)
		}
	})
}

func TestBesideOfABusyEngine(t *testing.T) {
	h := busy(40)
	h.reading = true
	e := explained(t, h, 30)
	w := e.Waits[0]
	if w.Finding.Cause.String() != "slots" || w.Engine != "vllm@gpu-1" || w.Finding.Limit.Value != 2 || w.Held.NS != w.Finding.WaitNS || w.Doc == "" {
		t.Errorf("wait %+v", w)
	}
	if s := e.State; s.Limit != 2 || s.Running != 2 || len(s.Readings) != 2 || s.Readings[0].Metric != "running" || s.Readings[0].Value != 2 || s.Readings[0].AgeNS <= 0 {
		t.Errorf("state %+v", s)
	}
	want := []Told{{Source: "traces.jsonl", Line: table.Missing}, {Source: "edge.log", Record: true, Line: 31, Kind: "nginx"}, {Source: "engine.log", Record: true, Line: 31, Kind: "vllm"}}
	if diff := cmp.Diff(want, e.Facts.ToldBy); diff != "" {
		t.Error(diff)
	}
	if f := e.Facts; f.Units != 3 || f.JoinBasis != "request id" || f.Attempts != 1 || f.FirstByte != table.Missing {
		t.Errorf("facts %+v", f)
	}
	places := map[string]int64{}
	for _, r := range e.Rows {
		if r.Record {
			places[r.Source] = r.Line
		}
	}
	if diff := cmp.Diff(map[string]int64{"edge.log": 31, "engine.log": 31}, places); diff != "" {
		t.Errorf("rows made of records: %s", diff)
	}
	set, b := h.build(t, critical.Options{})
	bare := Explain(set, b.Find(set.Requests.TraceID[30])[0], NewPeers(set, Options{}), nil, 0)
	if bare.Waits != nil || bare.State != nil || bare.Path[e.Waits[0].Segment].Cause != "slots" {
		t.Errorf("without engines: %+v, %+v", bare.Waits, bare.State)
	}
}

// TestStallsAreBlamedOnPrefills: while a long prompt is prefilled no tokens come.
func TestStallsAreBlamedOnPrefills(t *testing.T) {
	h := busy(6)
	h.tokens = true
	h.orders[0].decode, h.orders[2].prefill = 900*ms, 300*ms
	e := explained(t, h, 0)
	if len(e.Stalls.List) != 1 {
		t.Fatalf("stalls %+v", e.Stalls.List)
	}
	s := e.Stalls.List[0]
	if s.MedianNS != 10*ms || s.AttributedNS < 250*ms || s.AttributedNS > s.ExcessNS || e.Stalls.Held.NS > s.AttributedNS || e.Stalls.Held.NS < s.AttributedNS-1000 {
		t.Errorf("stall %+v, held %+v", s, e.Stalls.Held)
	}
	if held := e.Stalls.Held.Holders; len(held) != 1 || held[0].RequestID != "7f3a9c51-0000-4000-8000-000000000002" || held[0].Why != "prefill" {
		t.Errorf("holders %+v", held)
	}
}

func TestFirstByteIsTold(t *testing.T) {
	set := tables(nil)
	req := chat(set)
	if f := Explain(set, req, NewPeers(set, Options{}), nil, 0).Facts; f.FirstByte != table.Missing || f.FirstByteBasis != "" {
		t.Errorf("a first byte that nobody saw: %+v", f)
	}
	req.FirstByte, req.ByteBasis, req.BytePath = 40, "headers", req.EndPath[:1]
	e := Explain(set, req, NewPeers(set, Options{}), nil, 0)
	if e.Facts.FirstByte != 40 || e.Facts.FirstByteBasis != "headers" || len(e.BytePath) != 1 {
		t.Errorf("%+v, path %+v", e.Facts, e.BytePath)
	}
}
