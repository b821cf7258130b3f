package analyze

import (
	"cmp"
	"slices"

	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical/engine"
	"github.com/tailpath/tailpath/ingest/table"
)

// Stalling says why token gaps are long: how long the gaps between tokens are, which of
// them are stalls, and what held those.
//
// It takes instants of tokens, and few sources have them: events of a span that are named
// for a token or a chunk, as instrumentations of clients write them for every piece of a
// stream (llm.content.completion.chunk), and a span for every step of decoding, as SGLang
// writes at its finest level of traces. The spans of vLLM, TGI and Triton, server logs and
// gateways tell when the first token came and when the last did, and no stall can be told
// from that. An instant is one token: where a chunk brings several, gaps are those between
// chunks, and Chunked says so.
type Stalling struct {
	Requests  int64       // with five gaps or more
	Undefined []Undefined // Requests and these add up to the population
	Chunked   int64       // of Requests, with instants for fewer than nine in ten output tokens
	Gaps      int64
	DecodeNS  stat.Sum // sum of the gaps: the time from the first instant to the last
	// Quantiles are the percentiles of the gaps of all tokens, pooled: a request weighs as much
	// as it has gaps. Their bounds resample blocks of time, as gaps of one time are alike.
	Quantiles []stat.Quantile

	// A stall is a gap of three times the request's median or more, and 20 ms above it or more.
	Stalls   int64
	Hit      int64 // requests with a stall
	Groups   int64 // stalls that are no further apart than the longest takes are one
	ExcessNS stat.Sum
	// Parts divide the excess, what stalls take beyond the median, by what held the token.
	// They add up to it exactly.
	Parts   [engine.StallCauses]StallPart
	Engines []EngineStalling // those with gaps, by name
	Blocks  int              // of groups that were resampled; 0 without intervals
	Refused string           // why there is no interval; empty when there is
	Verdict StallVerdict
}

// StallPart is what one cause has of the excess of all stalls.
type StallPart struct {
	Cause  engine.StallCause
	NS     stat.Sum
	Stalls int64         // of which it has a part
	Share  stat.Estimate // of the excess; N is the number of stalls
	First  float64       // share of the resamples in which it is the largest of those that are told
}

// The reasons for which a request is not among those whose gaps are judged.
const (
	noInstants  = "no instants of tokens recorded"
	fewInstants = "fewer than five gaps between tokens"
)

// gapPercentiles are the percentiles of gaps.
var gapPercentiles = []stat.Prob{stat.P50, stat.P95, stat.P99}

// gapAt is one gap: its length and its start in ns.
type gapAt struct{ ns, start int64 }

// stallAt is one stall of the population.
type stallAt struct {
	engine.Gap
	engine int32
}

// pool gathers the gaps of a population.
type pool struct {
	gaps    []gapAt
	starts  []int64 // of streams
	stalls  []stallAt
	engines []engineGaps // by number
}

// stalling finds why the token gaps of the rows are long. Without engines nothing can be
// told.
func stalling(set *table.Set, rows []int32, engines *engine.Timelines, opt Options) Stalling {
	var s Stalling
	for c := range s.Parts {
		s.Parts[c].Cause = engine.StallCause(c)
	}
	var p pool
	instants := make([]int32, set.Requests.Len()) // by request; few is for too few
	const few = -1
	hit := make([]bool, set.Requests.Len())
	inside := make([]bool, set.Requests.Len())
	for _, row := range rows {
		inside[row] = true
	}
	if engines != nil {
		p.engines = newEngineGaps(engines)
		engines.Streams(func(stream *engine.Stream) {
			row := stream.Request
			switch {
			case !inside[row]:
			case len(stream.Gaps) == 0 && instants[row] == 0:
				instants[row] = few
			case len(stream.Gaps) > 0:
				instants[row] = max(instants[row], 0) + int32(len(stream.Gaps)) + 1
				hit[row] = p.add(&s, stream) || hit[row]
			}
		})
	}
	var without undefinedCounter
	for _, row := range rows {
		switch n := instants[row]; {
		case n == 0:
			without.count(noInstants)
		case n == few:
			without.count(fewInstants)
		default:
			s.Requests++
			if hit[row] {
				s.Hit++
			}
			if inChunks(set.Requests.OutputTokens[row], int64(n)) {
				s.Chunked++
			}
		}
	}
	s.Undefined = without.list()
	p.finish(&s, engines, opt)
	s.Verdict = stallVerdict(&s, engines != nil, sampling(set, rows), DefaultStallRule())
	return s
}

// add adds a stream and reports whether it has a stall.
func (p *pool) add(s *Stalling, stream *engine.Stream) (stalled bool) {
	e := &p.engines[stream.Engine]
	e.Streams++
	p.starts = append(p.starts, stream.Gaps[0].Start)
	for i := range stream.Gaps {
		g := &stream.Gaps[i]
		s.Gaps++
		s.DecodeNS.Add(g.End - g.Start)
		p.gaps = append(p.gaps, gapAt{g.End - g.Start, g.Start})
		e.add(g, stream.MedianNS)
		if !g.Stalled {
			continue
		}
		stalled = true
		p.stalls = append(p.stalls, stallAt{*g, stream.Engine})
		for c, ns := range g.PartsNS {
			s.ExcessNS.Add(ns)
			s.Parts[c].NS.Add(ns)
			if ns > 0 {
				s.Parts[c].Stalls++
			}
		}
	}
	return stalled
}

// finish computes what takes all gaps together.
func (p *pool) finish(s *Stalling, engines *engine.Timelines, opt Options) {
	s.Stalls = int64(len(p.stalls))
	for c := range s.Parts {
		s.Parts[c].Share = stat.Estimate{Value: s.Parts[c].NS.Over(s.ExcessNS), N: s.Stalls, Method: methodExact}
	}
	clock := clockOfStalls(p.engines)
	groups := p.group(clock)
	s.Groups = int64(len(groups))
	p.quantiles(s, clock, opt)
	p.bound(s, groups, clock, opt)
	s.Engines = p.judge(engines, opt)
}

// The clocks that gaps may be on.
type stallClock uint8

const (
	noClock    stallClock = iota // of some, only lengths are known
	manyClocks                   // engines have clocks of their own
	commonClock
)

// clockOfStalls says whether the times of gaps can be set against each other.
func clockOfStalls(list []engineGaps) stallClock {
	clock, n := commonClock, 0
	wall := true
	for i := range list {
		if list[i].Gaps == 0 {
			continue
		}
		n++
		wall = wall && list[i].clock == table.ClockNames[table.ClockWall]
		if list[i].clock == table.ClockNames[table.ClockNone] {
			return noClock
		}
	}
	if n > 1 && !wall {
		clock = manyClocks
	}
	return clock
}

// group puts stalls that are no further apart than the longest takes into one, in order of
// time. Where engines share no clock it returns the groups of the engine that has most:
// others may have stalled at the same times.
func (p *pool) group(clock stallClock) (groups [][]stallAt) {
	slices.SortStableFunc(p.stalls, func(a, b stallAt) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End), cmp.Compare(a.engine, b.engine))
	})
	switch clock {
	case commonClock:
		return grouped(p.stalls)
	case noClock:
		if len(p.stalls) > 0 {
			groups = [][]stallAt{p.stalls}
		}
		return groups
	}
	for e := range p.engines {
		if g := grouped(p.of(int32(e))); len(g) > len(groups) {
			groups = g
		}
	}
	return groups
}

// of returns the stalls at one engine.
func (p *pool) of(e int32) (out []stallAt) {
	for _, x := range p.stalls {
		if x.engine == e {
			out = append(out, x)
		}
	}
	return out
}

func grouped(stalls []stallAt) (groups [][]stallAt) {
	var longest, until int64
	for _, x := range stalls {
		longest = max(longest, x.End-x.Start)
	}
	from := 0
	for i, x := range stalls {
		if i > 0 && x.Start-until > longest {
			groups, from = append(groups, stalls[from:i]), i
		}
		if until = max(until, x.End); i == 0 {
			until = x.End
		}
	}
	if len(stalls) > 0 {
		groups = append(groups, stalls[from:])
	}
	return groups
}
