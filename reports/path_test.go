package reports_test

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
	"github.com/tailpath/tailpath/reports"
)

// retrying is a service of which slow requests try twice, and look things up in very many places.
func retrying() (*table.Set, *critical.Callers) {
	set, callers := table.NewSet(), &critical.Callers{}
	scopes := map[string]int32{}
	for _, service := range []string{"edge", "vllm", "shop"} {
		scopes[service] = int32(set.Scopes.Grow())
		set.Scopes.Service[scopes[service]] = set.Symbols.Intern(service)
	}
	d := dice(11)
	for i := range 1000 {
		req := &set.Requests
		row := req.Grow()
		binary.BigEndian.PutUint64(req.TraceID[row][8:], uint64(i+1))
		binary.BigEndian.PutUint64(req.RootSpanID[row][:], uint64(i+1))
		req.Class[row], req.Clock[row] = uint8(critical.Complete), table.ClockWall
		req.Start[row] = began + int64(i)*1_000*ms
		var r critical.Request
		span := func(parent int32, service, name string) int32 {
			k := set.Spans.Grow()
			set.Spans.ScopeRow[k], set.Spans.Name[k] = scopes[service], set.Symbols.Intern(name)
			r.Spans = append(r.Spans, critical.Span{Row: int32(k), Parent: parent})
			return int32(len(r.Spans) - 1)
		}
		at := req.Start[row]
		own := func(of int32, s stage.Stage, detail string, ns int64) {
			k := len(set.Segments.RequestRow)
			at = segment(set, row, at, ns, int(s), detail, critical.Exact)
			req.Stage[s][row] += ns
			if len(set.Segments.RequestRow) > k {
				span := r.Spans[of].Row
				set.Segments.SpanRow[k], set.Segments.SpanName[k] = span, set.Spans.Name[span]
				set.Segments.Service[k] = set.Scopes.Service[set.Spans.ScopeRow[span]]
			}
		}
		root := span(-1, "edge", "POST /v1/chat")
		own(root, stage.Gateway, "", d.roll(ms, 3*ms))
		word := string(rune('a'+i%26)) + string(rune('a'+i/26%26))
		own(span(root, "shop", fmt.Sprintf("GET /carts/%d", i)), stage.Application, "shop", d.roll(2*ms, 4*ms))
		own(span(root, "shop", "SELECT "+word), stage.Application, "shop", d.roll(10*ms, 20*ms))
		try := func() int32 { return span(span(root, "edge", "try"), "vllm", "llm_request") }
		of := try()
		if i%40 == 3 {
			own(of-1, stage.Network, "hop", d.roll(4*ms, 6*ms))
			own(root, stage.Queue, "retry_backoff", d.roll(800*ms, 900*ms))
			of = try()
		}
		own(of-1, stage.Network, "hop", d.roll(ms, 2*ms))
		own(of, stage.Queue, "engine", d.roll(0, 20*ms))
		own(of, stage.GPU, "decode", d.roll(400*ms, 500*ms))
		own(of, stage.Unattributed, "", d.roll(0, 3*ms))
		req.End[row], req.Duration[row] = at, at-req.Start[row]
		callers.Add(&r)
	}
	return set, callers
}

// pathed adds the documents of summaries that lay paths over each other.
func pathed(out map[string]reports.Document) {
	set, callers := retrying()
	opt := analyze.Options{Replicates: 100, Callers: callers}
	out["summary_path"] = run("summary", "incident/").Summary(analyze.Summarize(set, opt))
	out["summary_path_limited"] = out["summary_path"].Limited(7)
	set.Segments.Duration[0]++
	set.Segments.Duration[len(set.Segments.Duration)-1]++
	for i := range set.Segments.Duration {
		set.Segments.Duration[i]++ // of other tables than the requests
	}
	out["summary_path_none"] = run("summary", "incident/").Summary(analyze.Summarize(set, opt))
}

// TestPathMeansAddUp: the means beneath a step are its own, and those on top that of the requests;
// what is cut is summed up, also when a document is cut again.
func TestPathMeansAddUp(t *testing.T) {
	whole := documents()["summary_path"]
	p := whole.Summary.Path
	slow, usual := p.Means()
	sums := map[int64][2]int64{}
	for _, s := range p.Steps {
		x := sums[s.Parent]
		sums[s.Parent] = [2]int64{x[0] + s.SlowMeanNS, x[1] + s.UsualMeanNS}
	}
	for i, s := range p.Steps {
		if got, ok := sums[int64(i+1)]; ok && got != [2]int64{s.SlowMeanNS, s.UsualMeanNS} {
			t.Errorf("beneath %s are %v, of %d and %d ns", s.Words(), got, s.SlowMeanNS, s.UsualMeanNS)
		}
	}
	if sums[0] != [2]int64{slow, usual} || p.SlowN != 51 || p.NoIntervals != "" {
		t.Errorf("on top are %v, of %d and %d ns; %+v", sums[0], slow, usual, p.NoIntervals)
	}
	kinds := map[string]int{}
	for _, s := range p.Steps {
		kinds[s.Kind]++
		if s.Detail == "retry_backoff" && (s.SlowN != 25 || s.UsualN != 0 || s.Difference.Low == nil || *s.Difference.Low < 2e8) {
			t.Errorf("%+v", s)
		}
	}
	if kinds["other"] == 0 || int64(len(p.Steps)) >= p.Distinct {
		t.Errorf("%v of %d", kinds, p.Distinct)
	}
	if p.Largest.Step != "gpu/decode" || p.Largest.Name != "llm_request" || p.MostMore.Step != "queue/retry_backoff" || p.MostMore.Service != "edge" {
		t.Errorf("%+v, %+v", p.Largest, p.MostMore)
	}
	for _, rows := range []int{11, 7, 3, 1} {
		for _, d := range []reports.Document{whole.Limited(rows), whole.Limited(rows + 1).Limited(rows)} {
			cut := d.Summary.Path
			got := [2]int64{cut.Beyond.SlowSelfNS, cut.Beyond.UsualSelfNS}
			for i, s := range cut.Steps {
				got[0], got[1] = got[0]+s.SlowSelfNS, got[1]+s.UsualSelfNS
				if s.Parent > int64(i) || s.Parent > 0 && cut.Steps[s.Parent-1].Depth != s.Depth-1 {
					t.Errorf("%d rows: %s hangs under %d", rows, s.Words(), s.Parent)
				}
			}
			want := []reports.CutList{{List: "summary.path.steps", Shown: int64(rows), Of: int64(len(p.Steps))}}
			if *cut.Largest != *p.Largest || *cut.MostMore != *p.MostMore {
				t.Errorf("%d rows: %+v, %+v", rows, cut.Largest, cut.MostMore)
			}
			if len(cut.Steps) != rows || got != [2]int64{p.SlowNS, p.UsualNS} || !cmp.Equal(d.Limit.Cut, want) || cut.Beyond.N != int64(len(p.Steps)-rows) {
				t.Errorf("%d rows: %d steps with %v of %d and %d; %+v", rows, len(cut.Steps), got, p.SlowNS, p.UsualNS, d.Limit.Cut)
			}
		}
	}
}
