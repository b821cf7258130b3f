package analyze

import (
	"cmp"
	"encoding/binary"
	"fmt"

	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/engine"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// The places of a plant beside its engines, which count from 0.
const (
	atClient  = -2
	atGateway = -1
)

// leg is a part of a request's path: what it did, where, and for how long.
type leg struct {
	at     int
	stage  stage.Stage
	detail string
	ns     int64
}

// visitor is one request of a plant; its legs follow each other from its start.
type visitor struct {
	start          int64
	legs           []leg
	first          int64 // ns from the start to the first token; 0 for none
	prompt, output int64 // tokens; 0 for none recorded
	instants       []int64
	brought        []int64 // tokens that each of them says that it brought; nil for none
	err            bool
	weight         float64
	open           bool // it never ended: it has no legs
	incomplete     bool
}

func (v visitor) duration() (ns int64) {
	for _, l := range v.legs {
		ns += l.ns
	}
	return ns
}

// plant writes the tables of some requests at a number of engines, with a span at every
// place of a request from when it came there first to when it left last, and says what the
// engines did. Clocks of engines run ahead by so many ns: their spans have their own times,
// and paths are put right.
type plant struct {
	engines  int
	product  string // scope of the engines' spans; vLLM's when empty
	ahead    int64
	visitors []visitor
	readings []planted
}

// planted is a reading of an engine, by its own clock.
type planted struct {
	at     int64
	engine int
	metric string
	value  float64
}

func (p plant) build() (*table.Set, *engine.Timelines) {
	set := table.NewSet()
	intern := set.Symbols.Intern
	scope := func(service, host, name string) {
		i := set.Scopes.Grow()
		set.Scopes.Service[i], set.Scopes.Host[i], set.Scopes.Scope[i] = intern(service), intern(host), intern(name)
	}
	scope("app", "web-1", "http")
	scope("edge", "edge-1", "envoy")
	for e := range p.engines {
		scope("vllm", fmt.Sprintf("gpu-%d", e), cmp.Or(p.product, "vllm.llm_engine"))
	}
	for _, v := range p.visitors {
		p.add(set, v)
	}
	for _, r := range p.readings {
		t := &set.EngineSamples
		i := t.Grow()
		t.Time[i], t.Value[i], t.Metric[i] = r.at+p.ahead, r.value, intern(r.metric)
		t.Service[i], t.Host[i] = intern("vllm"), intern(fmt.Sprintf("gpu-%d", r.engine))
	}
	return set, engine.Build(set)
}

func (p plant) add(set *table.Set, v visitor) {
	req, seg, spans, intern := &set.Requests, &set.Segments, &set.Spans, set.Symbols.Intern
	i := req.Grow()
	var trace table.TraceID
	binary.BigEndian.PutUint64(trace[8:], uint64(v.start)) // by when it came, so that rows have no order
	binary.BigEndian.PutUint64(trace[:8], uint64(v.duration()))
	rowOf := map[int]int{}
	open := func(at int, from int64) int {
		r, ok := rowOf[at]
		if !ok {
			r = spans.Grow()
			rowOf[at] = r
			binary.BigEndian.PutUint64(spans.SpanID[r][:], uint64(v.start)<<4+uint64(at+3))
			spans.TraceID[r], spans.ScopeRow[r], spans.Start[r], spans.End[r], spans.Kind[r] = trace, int32(at+2), from, from, 2
			if at >= 0 {
				spans.Start[r], spans.End[r] = from+p.ahead, from+p.ahead
			}
		}
		return r
	}
	root := open(atClient, v.start)
	spans.Kind[root] = kindClient
	req.TraceID[i], req.RootRow[i], req.RootSpanID[i] = trace, int32(root), spans.SpanID[root]
	req.Start[i], req.End[i], req.Duration[i], req.Error[i] = v.start, v.start+v.duration(), v.duration(), v.err
	req.Attempts[i] = 1
	if v.incomplete {
		req.Class[i] = uint8(critical.Incomplete)
	}
	if v.open {
		req.Class[i], req.End[i], req.Duration[i] = uint8(critical.Unfinished), table.Missing, table.Missing
		return
	}
	for _, c := range []struct {
		column []int64
		n      int64
	}{{req.PromptTokens, v.prompt}, {req.OutputTokens, v.output}} {
		if c.n > 0 {
			c.column[i] = c.n
		}
	}
	if v.weight > 0 {
		req.Weight[i] = v.weight
	}
	if v.first > 0 {
		req.FirstToken[i], req.TTFT[i] = v.start+v.first, v.first
	}
	at := v.start
	for _, l := range v.legs {
		r := open(l.at, at)
		spans.End[root] = max(spans.End[root], at+l.ns)
		if spans.End[r] = at + l.ns; l.at >= 0 {
			spans.End[r] += p.ahead
		}
		req.Stage[l.stage][i] += l.ns
		k := segment(set, i, critical.End, at, int(l.stage), l.detail, l.ns)
		if k > at {
			last := seg.Len() - 1
			seg.SpanRow[last], seg.Service[last] = int32(r), set.Scopes.Service[l.at+2]
			if l.at == atGateway {
				seg.Rule[last] = intern("gateway.envoy")
			}
			if l.at >= 0 {
				seg.Rule[last] = intern("vllm.v1")
			}
		}
		at = k
	}
	for k, t := range v.instants {
		e := set.SpanEvents.Grow()
		set.SpanEvents.SpanRow[e], set.SpanEvents.Time[e], set.SpanEvents.Name[e] = int32(rowOf[0]), v.start+t+p.ahead, intern("token")
		if v.brought != nil {
			set.SpanEvents.Attributes.Add(intern("llm.chunk.tokens"), table.IntValue(v.brought[k]))
		}
	}
}

// systemIn measures a plant.
func systemIn(p plant, opt Options, ask CapacityOptions) System {
	set, engines := p.build()
	opt.Engines = engines
	return systemOf(set, opt.filled().on(set), ask)
}

// legs is a short way to write a path through engine 0: stage, detail and ms in turn.
func legs(at int, list ...any) (out []leg) {
	for i := 0; i < len(list); i += 3 {
		out = append(out, leg{at, list[i].(stage.Stage), list[i+1].(string), int64(list[i+2].(int)) * ms})
	}
	return out
}
