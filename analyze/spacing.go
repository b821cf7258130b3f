package analyze

import (
	"github.com/tailpath/tailpath/critical/chunk"
	"github.com/tailpath/tailpath/critical/engine"
	"github.com/tailpath/tailpath/ingest/table"
)

// spacing takes the gaps between the tokens of streams. Where events say how many tokens
// every chunk brought, a chunk of k tokens that comes g after the one before is k gaps of g/k
// (itl); otherwise gaps are those between the instants as they were recorded, each of which
// may be of several tokens.
type spacing struct {
	set     *table.Set
	engines *engine.Timelines
	chunks  *measured // nil where no event says how many tokens it brought
	gaps    []gapAt
}

// Fewer gaps than these have no usual one. A chunk of more tokens than these on average is no
// piece of a stream, and its gaps are left as they are.
const (
	leastGaps   = 5
	mostInChunk = 256
)

// newSpacing prepares the gaps of a set; engines may be nil, and then there are none.
func newSpacing(set *table.Set, engines *engine.Timelines) *spacing {
	s := &spacing{set: set, engines: engines}
	if engines != nil && chunk.Of(set).Counted() {
		s.chunks = newMeasured(set)
	}
	return s
}

// each visits the streams of the requests that are inside, with their gaps in order of time on
// the engine's clock: none where there are fewer than leastGaps. The gaps are good until the
// visit returns. coarse says that they are not known to be between tokens: some request has
// fewer instants than output tokens, or no count of those. The first token may be told apart.
func (s *spacing) each(inside []bool, visit func(stream *engine.Stream, gaps []gapAt)) (coarse bool) {
	if s.engines == nil {
		return false
	}
	instants := map[int32]int64{}
	s.engines.Streams(func(stream *engine.Stream) {
		if !inside[stream.Request] {
			return
		}
		gaps := s.of(stream)
		if len(gaps) > 0 {
			instants[stream.Request] += int64(len(gaps)) + 1
		}
		visit(stream, gaps)
	})
	for row, n := range instants {
		tokens := s.set.Requests.OutputTokens[row]
		coarse = coarse || tokens < 0 || tokens > n+1
	}
	return coarse
}

// of returns the gaps of one stream.
func (s *spacing) of(stream *engine.Stream) []gapAt {
	s.gaps = s.gaps[:0]
	if len(stream.Gaps) == 0 {
		return nil
	}
	if s.chunks != nil && s.byTokens(stream) {
		if len(s.gaps) < leastGaps {
			return nil
		}
		return s.gaps
	}
	for i := range stream.Gaps {
		s.gaps = append(s.gaps, gapAt{stream.Gaps[i].End - stream.Gaps[i].Start, stream.Gaps[i].Start})
	}
	return s.gaps
}

// byTokens takes the gaps of a stream from what its events say of the tokens of each chunk,
// false where they do not, or where they are not the instants of the stream.
func (s *spacing) byTokens(stream *engine.Stream) bool {
	answer := s.chunks.stream(stream.Request)
	if !answer.counted {
		return false
	}
	first, last := stream.Gaps[0].Start, stream.Gaps[len(stream.Gaps)-1].End
	length := int64(0)
	for _, ns := range answer.AnyChunkGaps() {
		length += ns
	}
	times := answer.Times()
	if length != last-first || times.Tokens > mostInChunk*int64(len(stream.Gaps)+1) {
		return false
	}
	// Chunks before the first token brought none.
	at := first + times.FirstTokenNS - times.FirstChunkNS
	for _, r := range answer.Runs() {
		for range r.N {
			s.gaps = append(s.gaps, gapAt{r.GapNS, at})
			at += r.GapNS
		}
	}
	return true
}
