package analyze

import (
	"context"
	"fmt"

	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// order is one request of a made-up house: when it came, and how long it needs.
type order struct{ at, prefill, decode int64 }

// failer is a test of this kind or that.
type failer interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// house is a client with spans, a gateway's log and an engine's log, that tell of the same
// requests. The engine has slots that are taken in turn.
type house struct {
	slots   int
	ahead   int64 // ns the engine's clock is ahead
	orders  []order
	tokens  bool // the engine's records have an event a token, every 10 ms of decoding
	reading bool // the engine says how many run and wait, every second
}

const (
	houseBegan = int64(1_772_460_000) * 1_000 * ms
	wayIn      = 2 * ms // between client and gateway, and between gateway and engine
	wayOut     = 1 * ms
)

// busy is a house in which one request comes every 60 ms, which is more than its two
// slots can take.
func busy(n int) house {
	h := house{slots: 2}
	for i := range n {
		h.orders = append(h.orders, order{int64(i) * 60 * ms, 20 * ms, 180 * ms})
	}
	return h
}

// timetable returns when each order was let in and when it was done, in the time of the
// engine.
func (h house) timetable() (started, done []int64) {
	free := make([]int64, h.slots)
	for _, o := range h.orders {
		k := 0
		for i, at := range free {
			if at < free[k] {
				k = i
			}
		}
		at := max(free[k], o.at+2*wayIn)
		started, done = append(started, at), append(done, at+o.prefill+o.decode)
		free[k] = at + o.prefill + o.decode
	}
	return started, done
}

// build writes the tables and puts the requests together.
func (h house) build(t failer, opt critical.Options) (*table.Set, *critical.Builder) {
	t.Helper()
	set, account := table.NewSet(), &table.Account{}
	intern := set.Symbols.Intern
	scope := func(service, host, name string) int32 {
		i := set.Scopes.Grow()
		set.Scopes.Service[i], set.Scopes.Host[i], set.Scopes.Scope[i] = intern(service), intern(host), intern(name)
		return int32(i)
	}
	client, gateway, engine := scope("app", "web-1", ""), scope("nginx", "", "nginx"), scope("vllm", "gpu-1", "vllm")
	started, done := h.timetable()
	s := &set.Spans
	row := func(i, layer int, scope int32, source string, from, to int64) int {
		r := s.Grow()
		s.ScopeRow[r], s.Source[r], s.Line[r], s.Name[r] = scope, intern(source), int64(i+1), intern("POST /v1/chat")
		s.SpanID[r] = table.SpanID{1, byte(layer), 6: byte(i >> 8), 7: byte(i)}
		s.TraceID[r] = table.TraceID{1, byte(layer), 12: byte(i >> 8), 13: byte(i)}
		s.Start[r], s.End[r], s.RequestID[r] = houseBegan+from, houseBegan+to, fmt.Sprintf("7f3a9c51-0000-4000-8000-%012d", i)
		return r
	}
	parts := func(r int, from int64, list ...struct {
		ns     int64
		stage  stage.Stage
		detail string
	}) {
		for _, p := range list {
			if p.ns == 0 {
				continue
			}
			k := set.Parts.Grow()
			set.Parts.SpanRow[k], set.Parts.Start[k], set.Parts.End[k] = int32(r), from, from+p.ns
			set.Parts.Stage[k], set.Parts.Detail[k], set.Parts.Basis[k] = uint8(p.stage), intern(p.detail), intern("a timer")
			from += p.ns
		}
	}
	type part = struct {
		ns     int64
		stage  stage.Stage
		detail string
	}
	for i, o := range h.orders {
		r := row(i, 2, client, "traces.jsonl", o.at, done[i]+2*wayOut)
		s.Kind[r] = 3
		r = row(i, 3, gateway, "edge.log", o.at+wayIn, done[i]+wayOut)
		s.Kind[r], s.Origin[r] = 2, table.OriginRecord
		parts(r, s.Start[r], part{s.End[r] - s.Start[r], stage.Unattributed, "upstream"})
		r = row(i, 4, engine, "engine.log", o.at+2*wayIn+h.ahead, done[i]+h.ahead)
		s.Kind[r], s.Origin[r], s.PromptTokens[r], s.OutputTokens[r] = 2, table.OriginRecord, o.prefill/ms, o.decode/ms/10
		parts(r, s.Start[r], part{started[i] - o.at - 2*wayIn, stage.Queue, "engine"}, part{o.prefill, stage.GPU, "prefill"}, part{o.decode, stage.GPU, "decode"})
		for at := int64(0); h.tokens && at <= o.decode; at += 10 * ms {
			e := set.SpanEvents.Grow()
			// A prefill of another halts the tokens until it is over.
			when := h.halted(started, i, started[i]+o.prefill+at)
			set.SpanEvents.SpanRow[e], set.SpanEvents.Time[e], set.SpanEvents.Name[e] = int32(r), houseBegan+when+h.ahead, intern("token")
		}
	}
	for at := int64(0); h.reading && at <= done[len(done)-1]; at += 1000 * ms {
		running, waiting := 0.0, 0.0
		for i, o := range h.orders {
			switch {
			case at >= started[i] && at < done[i]:
				running++
			case at >= o.at+2*wayIn && at < started[i]:
				waiting++
			}
		}
		for metric, v := range map[string]float64{"running": running, "waiting": waiting} {
			e := &set.EngineSamples
			k := e.Grow()
			e.Time[k], e.Service[k], e.Host[k], e.Metric[k], e.Unit[k], e.Value[k] = houseBegan+at+h.ahead, intern("vllm"), intern("gpu-1"), intern(metric), intern("requests"), v
		}
	}
	set.Canonicalize()
	b := critical.NewBuilder(set, account, opt)
	if err := b.Build(context.Background()); err != nil {
		t.Fatal(err)
	}
	account.WriteTo(set)
	return set, b
}

// halted returns when a token of order i comes that is due at an instant: later, if
// another long prompt is being prefilled then.
func (h house) halted(started []int64, i int, due int64) int64 {
	for k, o := range h.orders {
		if k != i && o.prefill >= 100*ms && due > started[k] && due < started[k]+o.prefill {
			return started[k] + o.prefill
		}
	}
	return due
}
