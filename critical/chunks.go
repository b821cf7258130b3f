package critical

import (
	"strings"

	"github.com/tailpath/tailpath/critical/chunk"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// source is what kind of thing tells of a first token, the best first. Where several spans of
// one answer tell of it, the best kind counts: a time that a server, its log or a caller took
// itself, then an event that shows a token, then a chunk that may be empty.
type source uint8

const (
	measured source = iota // an attribute, a field of a record, a span's end, or a caller's own mark
	byEvent                // an event of a piece that brought tokens, or that is named for the first
	byChunk                // an event of a chunk that does not say whether it brought any
)

// The ends of bases that are events of chunks and tokens, after whose they are.
const (
	basisTokens = "first chunk event with tokens"
	basisNamed  = "event of the first token"
	basisChunk  = "first chunk event, which may be empty"
)

// MayBeEmpty reports whether what served as the first token of a request, as
// [Request.Basis] and the requests table have it, is a chunk that does not say whether it
// brought a token: the time to the first token is then that long or longer.
func MayBeEmpty(basis string) bool { return strings.HasSuffix(basis, basisChunk) }

// readChunks finds the first token of a span by its events of chunks and tokens, unless the
// span tells of it otherwise.
func (b *tree) readChunks(n *node) {
	if n.reading != nil && n.reading.firstToken != table.Missing {
		return
	}
	spans := &b.set.Spans
	first, ok := b.chunks.First(b.events[n.row], b.events[n.row+1], spans.OutputTokens[n.row], spans.Dropped[n.row] > 0)
	if !ok {
		return
	}
	if n.reading == nil {
		n.reading = newReading()
	}
	r := n.reading
	whose, serves := b.whose(n)
	r.firstToken, r.source = first.AtNS, byEvent
	if serves && spans.OutputTokens[n.row] != table.Missing {
		r.rank = 1
	}
	switch first.By {
	case chunk.ByTokens:
		r.basis = whose + basisTokens
	case chunk.ByName:
		r.basis = whose + basisNamed
	case chunk.ByChunk:
		r.basis, r.source = whose+basisChunk, byChunk
	}
}

// whose says from where a span sees an answer, and whether it may be that of the engine.
func (b *tree) whose(n *node) (words string, serves bool) {
	switch n.rule.Stage {
	case stage.Gateway:
		return "the gateway's ", false
	case stage.Queue, stage.Scheduling, stage.GPU:
		return "the engine's ", true
	}
	switch n.kind {
	case kindClient, kindProducer:
		return "the caller's ", false
	case kindServer, kindConsumer:
		return "the server's ", true
	}
	return "the service's ", false
}

// madeByChunks returns how many tokens an answer has by the events of a span, if they tell.
func (b *Builder) madeByChunks(row int32) (tokens int64, known bool) {
	return b.chunks.Made(b.events[row], b.events[row+1], b.set.Spans.Dropped[row] > 0)
}
