package plant

import (
	"encoding/binary"

	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// epochNS is when captures begin.
const epochNS = 1_772_460_000 * second

// writer puts requests into tables.
type writer struct {
	set *table.Set
	ids source

	name, service, model, rule, reason, prefill, decode, engine, backoff table.Sym
}

func newWriter(ids source) *writer {
	set := table.NewSet()
	in := set.Symbols.Intern
	return &writer{
		set: set, ids: ids,
		name: in("POST /v1/chat/completions"), service: in("client"), model: in("planted"), rule: in("planted"), reason: in("planted"),
		prefill: in("prefill"), decode: in("decode"), engine: in("engine"), backoff: in("retry_backoff"),
	}
}

// add writes one request and the segments that tile it, in path order.
func (w *writer) add(q *Request) {
	req := &w.set.Requests
	i := req.Grow()
	binary.BigEndian.PutUint64(req.TraceID[i][:8], w.ids.Uint64())
	binary.BigEndian.PutUint64(req.TraceID[i][8:], w.ids.Uint64())
	binary.BigEndian.PutUint64(req.RootSpanID[i][:], w.ids.Uint64()|1)
	req.Class[i] = uint8(critical.Complete)
	req.Start[i], req.Duration[i] = epochNS+q.StartNS, q.DurationNS()
	req.End[i] = req.Start[i] + req.Duration[i]
	req.Name[i], req.Service[i], req.Model[i], req.Route[i] = w.name, w.service, w.model, w.set.Symbols.Intern(q.Route)
	req.PromptTokens[i], req.OutputTokens[i] = q.PromptTokens, q.Tokens
	req.Units[i], req.Attempts[i] = 1, q.Attempts
	req.ExactNS[i] = req.Duration[i]
	if q.Weight != 0 {
		req.Weight[i] = q.Weight
	}
	at := req.Start[i]
	for k, ns := range q.StagesNS {
		req.Stage[k][i] = ns
		switch stage.Stage(k) {
		case stage.Queue:
			at = w.segment(i, at, k, w.backoff, q.BackoffNS)
			at = w.segment(i, at, k, w.engine, ns-q.BackoffNS)
		case stage.GPU:
			at = w.segment(i, at, k, w.prefill, q.PrefillNS)
			at = w.segment(i, at, k, w.decode, ns-q.PrefillNS)
		default:
			at = w.segment(i, at, k, 0, ns)
		}
	}
}

// segment writes a segment, unless it is empty, and returns its end.
func (w *writer) segment(request int, at int64, k int, detail table.Sym, ns int64) int64 {
	if ns == 0 {
		return at
	}
	seg := &w.set.Segments
	i := seg.Grow()
	seg.RequestRow[i], seg.TraceID[i], seg.Target[i] = int32(request), w.set.Requests.TraceID[request], uint8(critical.End)
	seg.Start[i], seg.End[i], seg.Duration[i] = at, at+ns, ns
	seg.Stage[i], seg.Detail[i] = uint8(k), detail
	seg.SpanID[i], seg.SpanName[i], seg.Service[i] = w.set.Requests.RootSpanID[request], w.name, w.service
	seg.Rule[i], seg.Reason[i] = w.rule, w.reason
	return at + ns
}
