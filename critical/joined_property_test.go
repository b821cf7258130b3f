package critical

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// layer is one place that a request went through, and how its time there was spent.
type layer struct {
	service string
	source  string // of the record that tells of it; empty when a span does
	offset  int64  // ns its clock is ahead
	lost    bool   // its span is in a trace of its own
	before  int64  // ns between the layer above and this one, on the way there
	after   int64  // and on the way back
	queue   int64  // ns it held the request back before it passed it on
	work    int64  // ns of an engine's execution
}

// layers draws a client, up to three proxies with their log lines, and an engine.
func layers() *rapid.Generator[[]layer] {
	return rapid.Custom(func(t *rapid.T) []layer {
		ms := func(label string, most int64) int64 {
			return rapid.Int64Range(2, most).Draw(t, label) * 1_000_000
		}
		offset := func(label string) int64 {
			return rapid.SampledFrom([]int64{0, 0, 7_000_000, -40_000_000, 3 * 3600e9, -1800e9}).Draw(t, label)
		}
		list := []layer{{service: "app"}}
		if rapid.Bool().Draw(t, "no client") {
			list = nil
		}
		for i := range rapid.IntRange(0, 3).Draw(t, "proxies") {
			name := fmt.Sprintf("proxy%d", i)
			list = append(list, layer{service: name, source: name + ".log", offset: offset("offset"),
				before: ms("before", 20), after: ms("after", 20), queue: ms("queue", 300)})
		}
		engine := layer{service: "vllm", offset: offset("offset"), before: ms("before", 20), after: ms("after", 20),
			queue: ms("queue", 500), work: ms("work", 2000), lost: true}
		if rapid.Bool().Draw(t, "engine log") {
			engine.source = "engine.log"
		} else if len(list) > 0 && list[0].source == "" {
			engine.lost = rapid.Bool().Draw(t, "lost")
		}
		return append(list, engine)
	})
}

// addLayers adds one request that went through the layers, from start on.
func addLayers(set *table.Set, list []layer, number int, start int64, order []int) {
	type interval struct{ from, to int64 }
	when := make([]interval, len(list))
	length := int64(0)
	for i := len(list) - 1; i >= 0; i-- {
		l := list[i]
		length += l.queue + l.work
		when[i].to = length
		length += l.before + l.after
	}
	at := start
	for i, l := range list {
		at += l.before
		when[i] = interval{at, at + when[i].to}
		at += l.queue
	}
	intern := set.Symbols.Intern
	for _, i := range order {
		l := list[i]
		scope := set.Scopes.Grow()
		set.Scopes.Service[scope], set.Scopes.Host[scope] = intern(l.service), intern("host-"+l.service)
		s := &set.Spans
		row := s.Grow()
		s.ScopeRow[row] = int32(scope)
		s.SpanID[row] = spanID(uint64(number*100 + i + 1))
		s.Name[row], s.Source[row] = intern("POST /v1/chat"), intern("traces")
		s.Start[row], s.End[row] = when[i].from+l.offset, when[i].to+l.offset
		s.RequestID[row] = fmt.Sprintf("7f3a9c51-0000-4000-8000-%012d", number)
		s.Kind[row] = kindServer
		parts := func(list ...piece) {
			from := s.Start[row]
			for _, p := range list {
				k := set.Parts.Grow()
				set.Parts.SpanRow[k], set.Parts.Start[k], set.Parts.End[k] = int32(row), from, from+p.end
				set.Parts.Stage[k], set.Parts.Detail[k], set.Parts.Basis[k] = uint8(p.stage), intern(p.detail), intern("a timer")
				from += p.end
			}
		}
		switch {
		case l.source != "":
			s.TraceID[row], s.Origin[row], s.Source[row] = table.TraceID{1, byte(i), 12: byte(number >> 8), 13: byte(number)}, table.OriginRecord, intern(l.source)
			if l.work > 0 {
				parts(piece{end: l.queue, stage: stage.Queue, detail: "engine"}, piece{end: l.work, stage: stage.GPU, detail: "compute"})
			} else {
				parts(piece{end: l.queue, stage: stage.Queue, detail: "admission"}, piece{end: when[i].to - when[i].from - l.queue, stage: stage.Unattributed, detail: detailUpstream})
			}
			continue
		case l.work > 0:
			s.Name[row] = intern("llm_request")
			s.Attributes.Add(intern("gen_ai.latency.time_in_model_prefill"), table.DoubleValue(1))
			s.Attributes.Add(intern("gen_ai.latency.time_in_queue"), table.DoubleValue(1))
			s.TTFT[row], s.Queue[row], s.Prefill[row], s.Decode[row] = l.queue+l.work/2, l.queue, l.work/2, l.work-l.work/2
			s.TraceID[row] = table.TraceID{2, byte(i), 12: byte(number >> 8), 13: byte(number)}
			if !l.lost {
				s.TraceID[row] = table.TraceID{2, 12: byte(number >> 8), 13: byte(number)}
				s.ParentID[row] = spanID(uint64(number*100 + 1))
			}
		default:
			s.Kind[row] = kindClient
			s.TraceID[row] = table.TraceID{2, 12: byte(number >> 8), 13: byte(number)}
		}
	}
}

// TestJoinedLayers reads requests that went through several places, each told by a span,
// by a trace of its own or by a log, on clocks that disagree: whatever the sources, each
// becomes one request of the right length whose stage times are those it was made of.
func TestJoinedLayers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set := table.NewSet()
		n := rapid.IntRange(1, 4).Draw(t, "requests")
		var all [][]layer
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "order"), 1))
		for i := range n {
			list := layers().Draw(t, "layers")
			all = append(all, list)
			addLayers(set, list, i+1, 1e18+int64(i)*60e9, random.Perm(len(list)))
		}
		set.Canonicalize()
		account := &table.Account{}
		var got []*Request
		b := NewBuilder(set, account, Options{Workers: 1})
		for i := range b.Groups() {
			got = append(got, b.Group(i)...)
		}
		if len(got) != n {
			t.Fatalf("%d requests of %d", len(got), n)
		}
		for i, list := range all {
			id := fmt.Sprintf("7f3a9c51-0000-4000-8000-%012d", i+1)
			var r *Request
			for _, g := range got {
				if set.Spans.RequestID[g.Spans[0].Row] == id {
					r = g
				}
			}
			if r == nil {
				t.Fatalf("request %d is missing", i)
			}
			if err := Validate(r); err != nil {
				t.Fatal(err)
			}
			var want [stage.Count]int64
			for k, l := range list {
				want[stage.Queue] += l.queue
				want[stage.GPU] += l.work
				if k > 0 {
					want[stage.Network] += l.before + l.after
				}
			}
			if stages := r.EndPath.Stages(); stages != want || r.Class != Complete || len(r.Excluded) > 0 || len(r.Spans) != len(list) {
				t.Fatalf("%s: %d spans, %d excluded, stages %v, want %v", r.Class, len(r.Spans), len(r.Excluded), stages, want)
			}
		}
	})
}
