package tokens

import (
	"cmp"
	"math"
	"slices"
)

// Absent is a time that was not recorded.
const Absent = math.MinInt64

// Chunk is a piece of a streamed response as it arrived.
type Chunk struct {
	AtNS int64 // on the clock of the request's start, ns
	// Tokens is how many tokens it brought: 0 for a chunk that has a role or a count of
	// usage and no text.
	Tokens int64
	// Reasoning is true when what it brought is reasoning and not the answer.
	Reasoning bool
}

// Stream is the response of one request: when its tokens came.
type Stream struct {
	times  Times
	chunks []Chunk // in order of time, AtNS counted from the start of the request
	// Refused counts chunks that cannot be true and are left out: before the start of the
	// request, of a negative number of tokens, or of more than can be counted.
	Refused int64
}

// NewStream puts the chunks of a request in order of time; those of one instant are one
// chunk, which is of reasoning if all that it brought is. endNS is when the response ended,
// or [Absent]; it is absent too when it lies before the start.
func NewStream(startNS, endNS int64, chunks []Chunk) *Stream {
	s := &Stream{times: Times{FirstChunkNS: Absent, FirstTokenNS: Absent, FirstAnswerNS: Absent, LastTokenNS: Absent, EndNS: since(startNS, endNS)}}
	for _, c := range chunks {
		c.AtNS = since(startNS, c.AtNS)
		if c.AtNS == Absent || c.Tokens < 0 || s.times.Tokens > math.MaxInt64-c.Tokens {
			s.Refused++
			continue
		}
		s.times.Tokens += c.Tokens
		s.chunks = append(s.chunks, c)
	}
	slices.SortFunc(s.chunks, func(a, b Chunk) int { return cmp.Compare(a.AtNS, b.AtNS) })
	s.chunks = slices.Clip(merge(s.chunks))
	first := func(at *int64, ns int64) {
		if *at == Absent {
			*at = ns
		}
	}
	for _, c := range s.chunks {
		first(&s.times.FirstChunkNS, c.AtNS)
		if c.Tokens == 0 {
			continue
		}
		first(&s.times.FirstTokenNS, c.AtNS)
		if !c.Reasoning {
			first(&s.times.FirstAnswerNS, c.AtNS)
		}
		s.times.LastTokenNS = c.AtNS
	}
	return s
}

// merge makes one chunk of those of one instant. It works in place.
func merge(chunks []Chunk) []Chunk {
	out := chunks[:0]
	for _, c := range chunks {
		k := len(out) - 1
		if k < 0 || out[k].AtNS != c.AtNS {
			out = append(out, c)
			continue
		}
		switch {
		case out[k].Tokens == 0:
			out[k].Reasoning = c.Reasoning
		case c.Tokens > 0:
			out[k].Reasoning = out[k].Reasoning && c.Reasoning
		}
		out[k].Tokens += c.Tokens
	}
	return out
}

// since returns the time from start to at in ns, [Absent] when it is not known, negative
// or beyond what an int64 holds.
func since(start, at int64) int64 {
	if start == Absent || at == Absent || at < start || at-start < 0 {
		return Absent
	}
	return at - start
}

// Times returns the times of the request that the named measures are made of.
func (s *Stream) Times() Times { return s.times }

// Run is a number of equal gaps.
type Run struct{ GapNS, N int64 }

// Runs returns the gaps between successive tokens as runs of equal ones, in order of time.
// A chunk of k tokens that comes g ns after the one before gives k gaps that add up to g:
// with g = q*k + r, the first k-r of them are q and the last r are q+1. Tokens that come
// with the first one follow it by 0. Chunks without tokens are passed over, so their time
// is part of the next gap. The gaps are one fewer than the tokens, and add up to the time
// from the first token to the last. (Token-weighted gaps; SGLang's server observes the
// same, unrounded.)
func (s *Stream) Runs() []Run {
	var out []Run
	add := func(gap, n int64) {
		if k := len(out); k > 0 && out[k-1].GapNS == gap {
			out[k-1].N += n
		} else if n > 0 {
			out = append(out, Run{gap, n})
		}
	}
	last := int64(Absent)
	for _, c := range s.chunks {
		switch {
		case c.Tokens == 0:
			continue
		case last == Absent:
			add(0, c.Tokens-1)
		default:
			q, r := (c.AtNS-last)/c.Tokens, (c.AtNS-last)%c.Tokens
			add(q, c.Tokens-r)
			add(q+1, r)
		}
		last = c.AtNS
	}
	return out
}

// Gaps returns the gaps between successive tokens in ns, one each, as [Stream.Runs]
// defines them.
func (s *Stream) Gaps() []int64 {
	var out []int64
	for _, r := range s.Runs() {
		for range r.N {
			out = append(out, r.GapNS)
		}
	}
	return out
}

// Chunks returns the chunks in order of time, those of one instant as one, with AtNS counted
// from the start of the request.
func (s *Stream) Chunks() []Chunk { return slices.Clone(s.chunks) }

// ChunkGaps returns the gaps between successive chunks that brought tokens, in ns,
// whatever they brought. (Inter-chunk latency: icl. SGLang's bench script calls it ITL for
// endpoints of OpenAI's form.)
func (s *Stream) ChunkGaps() []int64 { return s.chunkGaps(false) }

// AnyChunkGaps returns the gaps between successive chunks, those without tokens included,
// in ns. (What vLLM's bench script calls ITL, and OpenTelemetry's client time per output
// chunk.)
func (s *Stream) AnyChunkGaps() []int64 { return s.chunkGaps(true) }

func (s *Stream) chunkGaps(empty bool) []int64 {
	var out []int64
	last := int64(Absent)
	for _, c := range s.chunks {
		if c.Tokens == 0 && !empty {
			continue
		}
		if last != Absent {
			out = append(out, c.AtNS-last)
		}
		last = c.AtNS
	}
	return out
}

// InterTokenTimes returns the time to the first chunk with tokens and then the gaps of
// [Stream.ChunkGaps], in ns. (The series that Etalon calls inter token times.)
func (s *Stream) InterTokenTimes() []int64 {
	if s.times.FirstTokenNS == Absent {
		return nil
	}
	return append([]int64{s.times.FirstTokenNS}, s.ChunkGaps()...)
}

// What makes a first gap suspect.
const (
	suspectRatio = 5 // times the median gap
	suspectGaps  = 5 // fewest gaps to take a median of
)

// FirstSuspect reports whether the gap after the first chunk is more than five times the
// median gap: the first chunk may then have been an empty one that was taken for a token,
// sent when the first part of a long prompt was done, and the time to first token too
// short. (vLLM issue 15106.) It takes five gaps or more.
func (s *Stream) FirstSuspect() bool {
	gaps := s.AnyChunkGaps()
	if len(gaps) < suspectGaps {
		return false
	}
	sorted := slices.Sorted(slices.Values(gaps))
	median := sorted[(len(sorted)-1)/2]
	return gaps[0]/suspectRatio > median || gaps[0]/suspectRatio == median && gaps[0]%suspectRatio > 0
}
