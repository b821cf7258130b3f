package critical

import (
	"strconv"
	"strings"

	"github.com/tailpath/tailpath/ingest/table"
)

// writer appends requests to the tables of a set while workers still read the set's
// symbols. What it has to add to them it numbers as they will be, and adds at the end.
type writer struct {
	*Builder
	fresh map[string]table.Sym
	added []string

	signals signals
	last    lastCalls
}

func newWriter(b *Builder) *writer {
	return &writer{Builder: b, fresh: map[string]table.Sym{}, signals: newSignals(b.set)}
}

// intern returns the symbol that text has or will have.
func (b *writer) intern(text string) table.Sym {
	if id, ok := b.set.Symbols.Lookup(text); ok {
		return id
	}
	if id, ok := b.fresh[text]; ok {
		return id
	}
	id := table.Sym(b.set.Symbols.Len() + len(b.added))
	b.fresh[text] = id
	b.added = append(b.added, text)
	return id
}

// finish adds the new symbols; no worker may be reading any more.
func (b *writer) finish() {
	for _, text := range b.added {
		b.set.Symbols.Intern(text)
	}
	b.writeClocks()
}

// write appends one request to the requests and segments tables.
func (b *writer) write(r *Request) {
	spans, scopes, q, intern := &b.set.Spans, &b.set.Scopes, &b.set.Requests, b.intern
	root := r.Spans[0].Row
	i := q.Grow()
	q.TraceID[i] = r.TraceID
	q.RootSpanID[i] = r.Spans[0].ID
	q.RootRow[i] = root
	q.Class[i] = uint8(r.Class)
	q.ClassReason[i] = intern(r.ClassReason)
	q.Start[i], q.End[i], q.Duration[i] = r.Start, r.End, r.End-r.Start
	q.Clock[i], q.Resolution[i], q.DurationError[i] = spans.Clock[root], spans.Error[root], spans.LengthError[root]
	if r.End == r.Start {
		step := b.stepOf(root)
		q.Resolution[i], q.DurationError[i] = max(q.Resolution[i], step), max(q.DurationError[i], step)
	}
	q.Name[i] = spans.Name[root]
	q.Service[i] = scopes.Service[spans.ScopeRow[root]]
	q.Error[i] = spans.Status[root] == statusError || spans.HTTPStatus[root] >= 400
	q.Weight[i] = adjustedCount(b.set.Symbols.Text(spans.TraceState[root]))
	b.writeFacts(r, i)
	if r.TokenPath != nil {
		q.FirstToken[i], q.TTFT[i] = r.FirstToken, r.FirstToken-r.Start
		q.FirstTokenBasis[i] = intern(r.Basis)
		for k, ns := range r.TokenPath.Stages() {
			q.TTFTStage[k][i] = ns
		}
	}
	q.Units[i], q.Attempts[i] = int32(r.Units), int32(r.Attempts)
	if r.Units > 1 {
		q.JoinBasis[i] = intern(r.JoinedBy.String())
	}
	if r.BytePath != nil {
		q.FirstByte[i], q.TTFB[i] = r.FirstByte, r.FirstByte-r.Start
		q.FirstByteBasis[i] = intern(r.ByteBasis)
	}
	for k, ns := range r.EndPath.Stages() {
		q.Stage[k][i], q.Drag[k][i] = ns, r.Drag[k]
	}
	onPath := make([]bool, len(r.Spans))
	for _, s := range r.EndPath {
		onPath[s.Span] = true
		switch s.Confidence {
		case Exact:
			q.ExactNS[i] += s.Duration()
		case Anchored:
			q.AnchoredNS[i] += s.Duration()
		case Residual:
			q.ResidualNS[i] += s.Duration()
		}
	}
	for _, on := range onPath {
		if on {
			q.SpansOnPath[i]++
		}
	}
	q.Aborted[i] = b.aborted(r)
	q.SpansIn[i] = int32(len(r.Spans) + len(r.Excluded))
	q.SpansOffPath[i] = int32(len(r.Spans)) - q.SpansOnPath[i]
	q.SpansExcluded[i] = int32(len(r.Excluded))
	b.writePath(r, i, End, r.EndPath)
	b.writePath(r, i, FirstToken, r.TokenPath)
	b.writePath(r, i, FirstByte, r.BytePath)
}

// Values of a span's status.
const (
	statusOK    = 1
	statusError = 2
)

// Values of the streaming column.
const (
	streamingUnknown = iota
	streamingNo
	streamingYes
)

// writeFacts fills what any span of the request may tell: the deepest one that knows
// it is nearest to the engine, and wins; of equals the last to end.
func (b *writer) writeFacts(r *Request, i int) {
	spans, q := &b.set.Spans, &b.set.Requests
	deepest := func(known func(row int32) bool) int32 {
		best, depth, end := int32(-1), int32(-1), int64(0)
		for k := range r.Spans {
			s := &r.Spans[k]
			if known(s.Row) && (s.Depth > depth || s.Depth == depth && s.End > end) {
				best, depth, end = s.Row, s.Depth, s.End
			}
		}
		return best
	}
	q.Route[i] = spans.Route[r.Spans[0].Row]
	for k := 1; k < len(r.Spans) && q.Route[i] == 0; k++ {
		q.Route[i] = spans.Route[r.Spans[k].Row]
	}
	if row := deepest(func(row int32) bool { return spans.Model[row] != 0 }); row >= 0 {
		q.Model[i] = spans.Model[row]
	}
	if row := deepest(func(row int32) bool { return spans.RequestID[row] != "" }); row >= 0 {
		q.RequestID[i] = spans.RequestID[row]
	}
	if row := deepest(func(row int32) bool { return spans.PromptTokens[row] != table.Missing }); row >= 0 {
		q.PromptTokens[i] = spans.PromptTokens[row]
	}
	if row := deepest(func(row int32) bool { return spans.OutputTokens[row] != table.Missing }); row >= 0 {
		q.OutputTokens[i] = spans.OutputTokens[row]
	} else if row := deepest(func(row int32) bool { _, known := b.madeByChunks(row); return known }); row >= 0 {
		q.OutputTokens[i], _ = b.madeByChunks(row)
	}
	q.Streaming[i] = streamingUnknown
	if key, ok := b.set.Symbols.Lookup("gen_ai.request.stream"); ok {
		for k := range r.Spans {
			if v, ok := spans.Attributes.Get(int(r.Spans[k].Row), key); ok && v.Type == table.ValueBool {
				q.Streaming[i] = streamingNo
				if v.Bool() {
					q.Streaming[i] = streamingYes
				}
			}
		}
	}
}

func (b *writer) writePath(r *Request, request int, target Target, path Path) {
	spans, t, intern := &b.set.Spans, &b.set.Segments, b.intern
	for _, s := range path {
		row := r.Spans[s.Span].Row
		i := t.Grow()
		t.RequestRow[i] = int32(request)
		t.TraceID[i] = r.TraceID
		t.Target[i] = uint8(target)
		t.Start[i], t.End[i], t.Duration[i] = s.Start, s.End, s.Duration()
		t.Stage[i] = uint8(s.Stage)
		t.Detail[i] = intern(s.Detail)
		t.Confidence[i] = uint8(s.Confidence)
		t.Error[i] = s.Error
		t.SpanRow[i] = row
		t.SpanID[i] = spans.SpanID[row]
		t.SpanName[i] = spans.Name[row]
		t.Service[i] = b.set.Scopes.Service[spans.ScopeRow[row]]
		t.Reason[i] = intern(s.Reason)
		t.Rule[i] = intern(s.Rule)
		if s.OverlappedBy >= 0 {
			t.OverlappedBy[i] = r.Spans[s.OverlappedBy].ID
		}
	}
}

// adjustedCount returns how many requests a sampled one stands for, from the
// rejection threshold that OpenTelemetry's probability sampling leaves in the
// tracestate (ot=th:HEX): 2^56 / (2^56 - T). NaN when there is none: it is not known
// whether the trace was sampled at all.
func adjustedCount(state string) float64 {
	for member := range strings.SplitSeq(state, ",") {
		value, ok := strings.CutPrefix(strings.TrimSpace(member), "ot=")
		if !ok {
			continue
		}
		for field := range strings.SplitSeq(value, ";") {
			hex, ok := strings.CutPrefix(field, "th:")
			if !ok || hex == "" || len(hex) > 14 {
				continue
			}
			threshold, err := strconv.ParseUint(hex+strings.Repeat("0", 14-len(hex)), 16, 64)
			if err != nil {
				continue
			}
			const all = 1 << 56
			return all / float64(all-threshold)
		}
	}
	return missingWeight
}
