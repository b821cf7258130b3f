package analyze

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/tailpath/tailpath/analyze/tokens"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/chunk"
	"github.com/tailpath/tailpath/ingest/table"
)

// tokenEvents knows which span of each request tells when its tokens came.
type tokenEvents struct {
	set    *table.Set
	chunks *chunk.Events
	from   []int32   // token events of span row i are list[from[i]:from[i+1]]
	list   []int32   // rows of span_events
	owner  []int32   // span by row of requests, -1 for none; nil without token events
	says   []bool    // by row of spans: each of its token events says how many tokens came
	placed []placing // by row of requests: from where to where the path has the owner
	decode []int32   // by row of requests: the one span that tells how long it decoded
}

// placing is where on a path something lies, in ns.
type placing struct{ start, end int64 }

func findTokenEvents(set *table.Set) *tokenEvents {
	e := &tokenEvents{set: set, chunks: chunk.Of(set)}
	if e.chunks.Pieces() {
		e.gather()
	}
	e.findSpans()
	return e
}

// gather lists the token events by span.
func (e *tokenEvents) gather() {
	events, spans := &e.set.SpanEvents, e.set.Spans.Len()
	e.from = make([]int32, spans+1)
	of := func(i int) (span int32, ok bool) {
		span = events.SpanRow[i]
		return span, e.chunks.IsPiece(int32(i)) && span >= 0 && int(span) < spans
	}
	for i := range events.SpanRow {
		if span, ok := of(i); ok {
			e.from[span+1]++
		}
	}
	for i := range spans {
		e.from[i+1] += e.from[i]
	}
	e.list = make([]int32, e.from[spans])
	next := append([]int32(nil), e.from[:spans]...)
	for i := range events.SpanRow {
		if span, ok := of(i); ok {
			e.list[next[span]] = int32(i)
			next[span]++
		}
	}
	e.says = make([]bool, spans)
	for i := range e.says {
		e.says[i] = !slices.ContainsFunc(e.of(int32(i)), func(event int32) bool {
			_, said := e.chunks.Tokens(event)
			return !said
		})
	}
}

// of returns the rows of the token events of a span.
func (e *tokenEvents) of(span int32) []int32 {
	if e.from == nil {
		return nil
	}
	return e.list[e.from[span]:e.from[span+1]]
}

// findSpans finds the span of each request that tells of its tokens: of the root and those
// that own a part of its path, the one whose events say how many tokens came, then the one
// with most events, then the outermost.
func (e *tokenEvents) findSpans() {
	req, seg := &e.set.Requests, &e.set.Segments
	e.decode = make([]int32, req.Len())
	if e.from != nil {
		e.owner, e.placed = make([]int32, req.Len()), make([]placing, req.Len())
	}
	for row := range e.decode {
		e.decode[row] = noSpan
		e.offerDecode(int32(row), req.RootRow[row])
		if e.from != nil {
			e.owner[row], e.placed[row] = noSpan, placing{math.MaxInt64, math.MinInt64}
			e.offer(int32(row), req.RootRow[row])
		}
	}
	for i := range seg.Len() {
		if e.onPath(i) {
			e.offer(seg.RequestRow[i], seg.SpanRow[i])
			e.offerDecode(seg.RequestRow[i], seg.SpanRow[i])
		}
	}
	if e.owner == nil {
		return
	}
	for i := range seg.Len() {
		if row := seg.RequestRow[i]; e.onPath(i) && e.owner[row] == seg.SpanRow[i] {
			p := &e.placed[row]
			p.start, p.end = min(p.start, seg.Start[i]), max(p.end, seg.End[i])
		}
	}
}

// onPath reports whether a segment is of the path of a request to its end, and of a span.
func (e *tokenEvents) onPath(segment int) bool {
	seg := &e.set.Segments
	row, span := seg.RequestRow[segment], seg.SpanRow[segment]
	return critical.Target(seg.Target[segment]) == critical.End &&
		row >= 0 && int(row) < e.set.Requests.Len() && span >= 0 && int(span) < e.set.Spans.Len()
}

// offer takes a span for the one that tells of a request's tokens if it does better.
func (e *tokenEvents) offer(row, span int32) {
	if e.from == nil || span < 0 || int(span) >= e.set.Spans.Len() || len(e.of(span)) == 0 {
		return
	}
	if was := e.owner[row]; was < 0 || was != span && e.better(span, was) {
		e.owner[row] = span
	}
}

func (e *tokenEvents) better(a, b int32) bool {
	spans := &e.set.Spans
	if e.says[a] != e.says[b] {
		return e.says[a]
	}
	return cmp.Or(
		cmp.Compare(len(e.of(a)), len(e.of(b))),
		cmp.Compare(spans.Start[b], spans.Start[a]), cmp.Compare(spans.End[a], spans.End[b]),
		bytes.Compare(spans.SpanID[b][:], spans.SpanID[a][:])) > 0
}

// In decode: no span, and more than one.
const (
	noSpan      = -1
	severalSpan = -2
)

// offerDecode notes a span that tells how long it decoded after its own first token.
func (e *tokenEvents) offerDecode(row, span int32) {
	spans := &e.set.Spans
	if span < 0 || int(span) >= spans.Len() || spans.Decode[span] == table.Missing || spans.Decode[span] < 0 {
		return
	}
	switch was := e.decode[row]; {
	case was == noSpan:
		e.decode[row] = span
	case was != span:
		e.decode[row] = severalSpan
	}
}

// engineFirstToken ends the basis of a first token that the engine itself tells of.
const engineFirstToken = "gen_ai.latency.time_to_first_token"

// decodeOf returns how long after the first token of a request its last one came, in ns, as
// the engine tells of its own; false where no span or several do, or where the first token is
// not by the same span.
func (e *tokenEvents) decodeOf(row int32) (ns int64, ok bool) {
	span := e.decode[row]
	basis := e.set.Symbols.Text(e.set.Requests.FirstTokenBasis[row])
	if span < 0 || e.set.Spans.TTFT[span] == table.Missing || !strings.HasSuffix(basis, engineFirstToken) {
		return 0, false
	}
	return e.set.Spans.Decode[span], true
}

// answerStream is what the events of a request say of when its tokens came.
type answerStream struct {
	*tokens.Stream        // nil without any; chunks have 0 tokens unless counted
	counted        bool   // how many tokens every chunk brought is known, and they are all
	told           bool   // so is which of them are of reasoning
	why            string // it is not counted
}

// What is known of why the tokens of chunks are not. noInstants is another.
const (
	chunksUncounted = "chunks are recorded without their number of tokens"
	chunksMissing   = "the recorded chunks are not all of the answer"
	chunksOutside   = "chunks are recorded at times outside the request"
)

// stream reads the events of the request in a row.
func (m *measured) stream(row int32) answerStream {
	e, req := m.events, &m.set.Requests
	if e.owner == nil || e.owner[row] < 0 {
		return answerStream{why: noInstants}
	}
	span := e.owner[row]
	start, end, shift := req.Start[row], int64(tokens.Absent), e.moved(row)
	if m.ended(row) {
		end = req.End[row]
	}
	made := req.OutputTokens[row]
	s := answerStream{told: true}
	chunks := make([]tokens.Chunk, 0, len(e.of(span)))
	var tally chunk.Tally
	for _, event := range e.of(span) {
		c := tokens.Chunk{AtNS: m.set.SpanEvents.Time[event] + shift}
		if c.AtNS < start || end != tokens.Absent && c.AtNS > end {
			return answerStream{why: chunksOutside}
		}
		n, said := e.chunks.Tokens(event)
		tally.Add(e.chunks.Kind(event), n, said)
		c.Tokens = n
		reasoning, told := e.chunks.Reasoning(event)
		s.told = s.told && told
		c.Reasoning = s.told && reasoning
		chunks = append(chunks, c)
	}
	switch tally.Of(made, m.set.Spans.Dropped[span] > 0) {
	case chunk.Missing:
		return answerStream{why: chunksMissing} // which ones is not known, so neither is the first
	case chunk.Some:
		s.why = chunksUncounted
	case chunk.All:
		s.counted = true
	}
	for i := range chunks {
		switch {
		case !s.counted:
			chunks[i].Tokens = 0
		case tally.Single():
			chunks[i].Tokens = 1
		}
	}
	s.Stream = tokens.NewStream(start, end, chunks)
	return s
}

// moved returns by how much later than it was recorded the path has the owner of a request's
// token events, in ns: requests are put together from hosts whose clocks disagree. Both ends
// of the span on the path show it where they show the same; else what of the path lies outside
// the span as it was recorded.
func (e *tokenEvents) moved(row int32) int64 {
	spans, p, owner := &e.set.Spans, e.placed[row], e.owner[row]
	if p.start > p.end || spans.Clock[owner] == table.ClockNone {
		return 0
	}
	in, out := p.start-spans.Start[owner], p.end-spans.End[owner]
	switch {
	case in == out, in < 0:
		return in
	case out > 0:
		return out
	}
	return 0
}
