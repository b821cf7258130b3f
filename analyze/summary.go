package analyze

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tailpath/tailpath/analyze/serving"
	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/critical"
	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

// Summary is the answer to "where did the time of the slow requests go, and is it
// the queue?" for one set of requests.
type Summary struct {
	Population   Population
	Load         Load
	Duration     Latency
	TTFT         Latency     // of the requests with a first token
	TPOT         Percentiles // time per output token, per request
	FirstToken   []Basis     // what served as the first token
	Path         *PathTree   // what slow requests go through; nil without callers and for a small tail
	Verdict      Verdict     // about the duration
	TTFTVerdict  Verdict     // about the time to the first token
	Stalling     Stalling    // about the gaps between tokens
	By           *By         // by the keys of the options; nil without
	Queueing     Queueing
	Joining      Joining
	Conservation Conservation
	Unattributed Unattributed
	Context      serving.Context // what the figures must be read with: of all load, as in System
	Objectives   []Objective     // those of the options, in their order; without the rates that were carried
	Measures     *Measures       // by the definitions of the options; nil when none is of requests
	Warnings     []stat.Warning
}

// Basis counts requests by what served as their first token.
type Basis struct {
	Name string
	N    int64
}

// Conservation accounts for every span: those in requests are on the path, off it,
// or excluded by a named reason. Balanced says that the three add up.
type Conservation struct {
	Read      int64 // spans in the spans table; 0 when only requests were loaded
	In        int64 // spans of requests
	OnPath    int64
	OffPath   int64
	Excluded  int64
	Balanced  bool
	Requests  int64 // requests the account is over: all of the table
	OutOfSync int64 // requests whose own account does not add up
}

// Unattributed is the share of path time that nothing recorded explains.
type Unattributed struct {
	Overall float64 // of the population's time
	Tail    float64 // of the tail's time
	TailQ   stat.Prob
	TailN   int64
}

// The ids of a summary's warnings.
const (
	NoRequests     = "no-requests"
	MixedBasis     = "mixed-basis"
	FirstChunk     = "first-chunk"
	PartialTokens  = "partial-tokens"
	UniformWeights = "uniform-sample"
	SpanAccount    = "span-account"
	CoarseTimes    = "coarse-times"
	NotJoined      = "sources-not-joined"
	OtherZone      = "other-zone"
)

// Summarize analyses the requests of a set. It reads the requests, segments, clocks and
// quality tables, and of the others what the roots of requests are, and depends on the
// order of no table.
func Summarize(set *table.Set, opt Options) Summary {
	opt = opt.filled().on(set)
	rows, population := population(set, opt)
	s := Summary{Population: population, Load: load(set, opt), Conservation: conservation(set)}

	ranked := slices.Clone(rows)
	s.Duration = latency(set, durationMetric(set), ranked, population.Sampling, opt)
	s.Verdict = verdict(s.Duration, population.Sampling, opt.Rule)
	s.Path = pathTree(set, ranked, s.Duration, opt)
	s.By = by(set, ranked, s.Duration.Tail, population.Sampling, opt)

	streamed, without := ttftRows(set, rows)
	s.TTFT = latency(set, ttftMetric(set), streamed, population.Sampling, opt)
	s.TTFT.Undefined = without
	s.TTFTVerdict = verdict(s.TTFT, population.Sampling, opt.Rule)
	s.FirstToken = bases(set, streamed)

	spoken, tpot, without := tpotRows(set, rows)
	rank(set, spoken, tpot)
	s.TPOT = percentiles(set, "tpot", spoken, tpot, population.Sampling.Kind == SamplingWeighted, opt)
	s.TPOT.Undefined = without

	s.Stalling = stalling(set, rows, opt.Engines, opt)

	tail := s.Duration.Tail
	s.Unattributed = Unattributed{
		Overall: s.Duration.All.Share(int(stage.Unattributed)),
		Tail:    tail.Tail.Share(int(stage.Unattributed)), TailQ: tail.Q, TailN: tail.Tail.N,
	}
	s.Queueing = queueing(set, rows, tail.Q)
	s.Joining = joining(set, rows)
	s.Measures = measuresOf(set, rows, population.Sampling, opt)
	s.Context = contextOf(set, opt)
	s.Objectives = attainments(set, rows, population, opt)
	s.Warnings = slices.Concat(s.warnings(), notJoined(set, rows), otherZone(set, ClockOffsets(set, nil)), coarse(set, rows), artefacts(set, rows), survivors(set, s.Duration.Percentiles, opt))
	return s
}

func (s *Summary) warnings() (out []stat.Warning) {
	warn := func(id, text string) { out = append(out, stat.Warning{ID: id, Text: text}) }
	if s.Population.N == 0 {
		warn(NoRequests, "no request is left to analyse: see what was left out")
	}
	switch sampling := s.Population.Sampling; sampling.Kind {
	case SamplingUniform:
		warn(UniformWeights, "every trace stands for the same number of requests: shares and percentiles hold, rates and concurrency are those of the kept traces, and those of all requests are given beside them")
	case SamplingWeighted:
		warn(KeptTraces, "traces stand for different numbers of requests: figures are among kept traces, percentiles, the tail and the load for all requests, by weights, are given beside them")
	case SamplingPartial:
		warn(KeptTraces, "only some traces say how many requests they stand for: figures are among kept traces")
	case SamplingSuspected:
		warn(KeptTraces, "attribute "+sampling.Mark+" shows that a sampler chose among traces: figures are among kept traces")
	}
	if len(s.FirstToken) > 1 {
		warn(MixedBasis, "requests differ in what served as the first token: TTFT and TPOT mix vantage points")
	}
	out = append(out, firstChunks(s.FirstToken)...)
	if known := s.Load.Tokens.Known; known > 0 && known < s.Load.Requests {
		warn(PartialTokens, "not every request recorded its output tokens: the token rate is a lower bound")
	}
	if !s.Conservation.Balanced {
		warn(SpanAccount, "spans on path, off path and excluded do not add up to the spans of the requests")
	}
	return out
}

// coarse warns of durations that the resolution of their records makes coarse: it may
// shift them by more than a hundredth.
func coarse(set *table.Set, rows []int32) []stat.Warning {
	n, most := coarseness(set, rows)
	if n == 0 {
		return nil
	}
	return []stat.Warning{{ID: CoarseTimes, Text: fmt.Sprintf(
		"the durations of %d of %s may be off by up to %s, the resolution of their records",
		n, plural(int64(len(rows)), "request"), inUnit(most))}}
}

// coarseness returns how many durations the resolution of their records may shift by more
// than a hundredth, and by how many ns at most.
func coarseness(set *table.Set, rows []int32) (n int, most int64) {
	for _, row := range rows {
		if r, _ := claimed(set, row); r > set.Requests.Duration[row]/100 {
			n++
			most = max(most, r)
		}
	}
	return n, most
}

// inUnit writes a time in the largest unit in which it is whole.
func inUnit(ns int64) string {
	switch {
	case ns%1_000_000_000 == 0:
		return fmt.Sprintf("%d s", ns/1_000_000_000)
	case ns%1_000_000 == 0:
		return fmt.Sprintf("%d ms", ns/1_000_000)
	case ns%1000 == 0:
		return fmt.Sprintf("%d µs", ns/1000)
	}
	return fmt.Sprintf("%d ns", ns)
}

// bases counts what served as the first token, the commonest first.
func bases(set *table.Set, rows []int32) []Basis {
	counts := map[table.Sym]int64{}
	for _, row := range rows {
		counts[set.Requests.FirstTokenBasis[row]]++
	}
	var out []Basis
	for name, n := range counts {
		out = append(out, Basis{set.Symbols.Text(name), n})
	}
	slices.SortFunc(out, func(a, b Basis) int { return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Name, b.Name)) })
	return out
}

// firstChunks warns of first tokens that are chunks of which nothing says whether they brought
// one: chat streams often begin with a chunk that has a role alone.
func firstChunks(bases []Basis) []stat.Warning {
	var n, of int64
	for _, b := range bases {
		if of += b.N; critical.MayBeEmpty(b.Name) {
			n += b.N
		}
	}
	if n == 0 {
		return nil
	}
	return []stat.Warning{{ID: FirstChunk, Text: fmt.Sprintf("the first chunk stands for the first token of %d of %s, and nothing says that it was not empty: TTFT is that long or longer", n, plural(of, "request"))}}
}

// conservation adds up the span accounts of all requests.
func conservation(set *table.Set) Conservation {
	req := &set.Requests
	c := Conservation{Read: int64(set.Spans.Len()), Requests: int64(req.Len())}
	for i := range req.Len() {
		in, on, off, out := int64(req.SpansIn[i]), int64(req.SpansOnPath[i]), int64(req.SpansOffPath[i]), int64(req.SpansExcluded[i])
		c.In, c.OnPath, c.OffPath, c.Excluded = c.In+in, c.OnPath+on, c.OffPath+off, c.Excluded+out
		if in != on+off+out {
			c.OutOfSync++
		}
	}
	c.Balanced = c.OutOfSync == 0
	return c
}
