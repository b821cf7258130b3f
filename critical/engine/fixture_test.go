package engine

import (
	"encoding/binary"
	"testing"

	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

const ms = int64(1_000_000)

// given builds a set by hand. Times are ms.
type given struct{ set *table.Set }

func newGiven() *given { return &given{table.NewSet()} }

// scope adds a process.
func (g *given) scope(service, host, instance, scope string) int32 {
	i := g.set.Scopes.Grow()
	in := g.set.Symbols.Intern
	g.set.Scopes.Service[i], g.set.Scopes.Host[i], g.set.Scopes.Instance[i], g.set.Scopes.Scope[i] = in(service), in(host), in(instance), in(scope)
	return int32(i)
}

// piece is a stretch of a path: until is its end.
type piece struct {
	scope  int32
	stage  stage.Stage
	detail string
	until  int64 // ms
	error  int64 // ms
}

// request adds a request that starts at an instant, and returns its row. Every piece is a
// span of its own.
func (g *given) request(start int64, prompt int64, pieces ...piece) int32 {
	return g.target(targetEnd, g.row(start, prompt, pieces), start, pieces)
}

func (g *given) row(start, prompt int64, pieces []piece) int32 {
	req := &g.set.Requests
	i := req.Grow()
	binary.BigEndian.PutUint64(req.TraceID[i][8:], uint64(i+1))
	req.Start[i], req.End[i] = start*ms, pieces[len(pieces)-1].until*ms
	req.Duration[i] = req.End[i] - req.Start[i]
	req.RootRow[i] = int32(g.set.Spans.Len())
	if prompt > 0 {
		req.PromptTokens[i] = prompt
	}
	return int32(i)
}

// target adds a path to a request.
func (g *given) target(target uint8, request int32, at int64, pieces []piece) int32 {
	spans, seg := &g.set.Spans, &g.set.Segments
	for _, p := range pieces {
		s, i := spans.Grow(), seg.Grow()
		spans.TraceID[s], spans.ScopeRow[s] = g.set.Requests.TraceID[request], p.scope
		binary.BigEndian.PutUint64(spans.SpanID[s][:], uint64(s+1))
		spans.Start[s], spans.End[s] = at*ms, p.until*ms
		seg.RequestRow[i], seg.TraceID[i], seg.Target[i], seg.SpanRow[i] = request, spans.TraceID[s], target, int32(s)
		seg.Start[i], seg.End[i], seg.Duration[i] = at*ms, p.until*ms, (p.until-at)*ms
		seg.Stage[i], seg.Detail[i], seg.Error[i] = uint8(p.stage), g.set.Symbols.Intern(p.detail), p.error*ms
		at = p.until
	}
	return request
}

// sample adds a reading.
func (g *given) sample(service, host, engine, metric string, at int64, value float64) {
	t := &g.set.EngineSamples
	i := t.Grow()
	in := g.set.Symbols.Intern
	t.Service[i], t.Host[i], t.Engine[i], t.Metric[i] = in(service), in(host), in(engine), in(metric)
	t.Time[i], t.Value[i], t.Source[i] = at*ms, value, in(service+".log")
}

// event adds an event to a span.
func (g *given) event(span int32, name string, at int64, attrs ...table.Attr) {
	t := &g.set.SpanEvents
	i := t.Grow()
	t.SpanRow[i], t.Name[i], t.Time[i] = span, g.set.Symbols.Intern(name), at*ms
	for _, a := range attrs {
		t.Attributes.Add(a.Key, a.Value)
	}
}

// segment returns the row of the n-th segment of a request, counted over all targets.
func (g *given) segment(request int32, n int) int32 {
	for i, r := range g.set.Segments.RequestRow {
		if r == request {
			if n--; n < 0 {
				return int32(i)
			}
		}
	}
	panic("no such segment")
}

func waited(scope int32, until int64) piece {
	return piece{scope: scope, stage: stage.Queue, detail: "engine", until: until}
}

func prefilled(scope int32, until int64) piece {
	return piece{scope: scope, stage: stage.GPU, detail: "prefill", until: until}
}

func decoded(scope int32, until int64) piece {
	return piece{scope: scope, stage: stage.GPU, detail: "decode", until: until}
}

func computed(scope int32, until int64) piece {
	return piece{scope: scope, stage: stage.GPU, detail: "compute", until: until}
}

func elsewhere(scope int32, until int64) piece {
	return piece{scope: scope, stage: stage.Application, detail: "app", until: until}
}

// causes returns the names in the column cause, by segment.
func causes(t *testing.T, g *given) (*Timelines, []string) {
	t.Helper()
	tl := Build(g.set)
	tl.Annotate(g.set)
	if err := g.set.Validate(); err != nil {
		t.Fatal(err)
	}
	names := make([]string, g.set.Segments.Len())
	for i, c := range g.set.Segments.Cause {
		names[i] = g.set.Symbols.Text(c)
		if isQueue := stage.Stage(g.set.Segments.Stage[i]) == stage.Queue; isQueue != (c != 0) {
			t.Fatalf("segment %d: queue is %v and the cause %q", i, isQueue, names[i])
		} else if isQueue && names[i] != tl.Finding(int32(i)).Cause.String() {
			t.Fatalf("segment %d: %q annotated, %v found", i, names[i], tl.Finding(int32(i)))
		}
	}
	return tl, names
}
