package stat

import (
	"fmt"
	"strings"
)

// Named is a percentile by a rule other than nearest rank, to be compared with the figure of
// a tool that has that rule. It may lie between the observed values.
type Named struct {
	P      Prob
	N      int64
	Method string // name of the rule, or MethodSketch
	// Known is false when N is below Need: Value is then absent.
	Known bool
	Value float64
	// Error is how far, relative to it, Value may be from the value that the rule picks: 0 of
	// a rule that sees all values.
	Error    float64
	Need     int64
	Warnings []Warning
}

// Rule is a way to pick a percentile from sorted values. Rules differ by up to one value,
// which of few values is everything: the P99 of 100, 110, 120, 130, 2540 is 2540 by most,
// 2443.6 by R7 and 130 by that of sketches. Figures by different rules do not compare.
type Rule struct {
	name string
	// place returns the 0-based position of the percentile among n values: that of the value
	// below it, and how far it is from there to the next. It may lie outside.
	place func(n int64, p Prob) (position, share, of uint64)
}

// rules are all rules; the first is the rule of every other percentile here. They are
// computed in integers. The tools compute in floating point, where a position that is
// whole may come out as one less or one more.
var rules = []Rule{
	// x at rank ceil(p*n).
	{MethodNearestRank, func(n int64, p Prob) (uint64, uint64, uint64) {
		return uint64(max(1, p.Rank(n)) - 1), 0, 1
	}},
	// Linear between the values at position p*(n-1): numpy and pandas, hence the benchmarks of
	// vLLM and SGLang, AIPerf and genai-perf. Number 7 of Hyndman and Fan.
	{"linear_r7", func(n int64, p Prob) (uint64, uint64, uint64) {
		position, rest := mulAddDiv(uint64(n-1), uint64(p.Num), 0, uint64(p.Den))
		return position, rest, uint64(p.Den)
	}},
	// Linear between the values at rank p*(n+1/3) + 1/3: benchstat. Number 8 of Hyndman and Fan.
	{"r8", func(n int64, p Prob) (uint64, uint64, uint64) {
		rank, rest := mulAddDiv(3*uint64(n)+1, uint64(p.Num), uint64(p.Den), 3*uint64(p.Den))
		if rank == 0 {
			return 0, 0, 1
		}
		return rank - 1, rest, 3 * uint64(p.Den)
	}},
	// The value at position floor(p*n): MLPerf's load generator. Of 100 values P99 is the maximum.
	{"mlperf_floor", func(n int64, p Prob) (uint64, uint64, uint64) {
		position, _ := mulAddDiv(uint64(n), uint64(p.Num), 0, uint64(p.Den))
		return position, 0, 1
	}},
	// The value at position floor(p*(n-1) + 1/2): Triton's perf_analyzer.
	{"pa_round", func(n int64, p Prob) (uint64, uint64, uint64) {
		position, _ := mulAddDiv(2*uint64(n-1), uint64(p.Num), uint64(p.Den), 2*uint64(p.Den))
		return position, 0, 1
	}},
	// The value at position floor(p*(n-1)): sketches of the DDSketch kind.
	{"ddsketch", func(n int64, p Prob) (uint64, uint64, uint64) {
		return sketchPosition(n, p), 0, 1
	}},
	// The value at rank floor(p*n + 1/2), at least 1: HdrHistogram, hence wrk2.
	{"hdr", func(n int64, p Prob) (uint64, uint64, uint64) {
		rank, _ := mulAddDiv(2*uint64(n), uint64(p.Num), uint64(p.Den), 2*uint64(p.Den))
		return max(1, rank) - 1, 0, 1
	}},
}

// sketchPosition returns floor(p*(n-1)).
func sketchPosition(n int64, p Prob) uint64 {
	position, _ := mulAddDiv(uint64(n-1), uint64(p.Num), 0, uint64(p.Den))
	return position
}

// RuleNames returns the names of all rules, that of nearest rank first.
func RuleNames() []string {
	names := make([]string, len(rules))
	for i, r := range rules {
		names[i] = r.name
	}
	return names
}

// RuleNamed returns the rule of that name. The error lists the names there are.
func RuleNamed(name string) (Rule, error) {
	for _, r := range rules {
		if r.name == name {
			return r, nil
		}
	}
	return Rule{}, fmt.Errorf("percentile rule %q is not known; there are %s", name, strings.Join(RuleNames(), ", "))
}

// Name returns the rule's name.
func (r Rule) Name() string { return r.name }

// At returns the percentile p of sorted values by the rule, whether or not they support it.
// sorted must not be empty, and r must come from RuleNamed.
func (r Rule) At(sorted []int64, p Prob) float64 {
	return r.atRank(int64(len(sorted)), func(rank int64) int64 { return sorted[rank-1] }, p)
}

// atRank is At of n values, of which value returns that of a rank, 1 the least.
func (r Rule) atRank(n int64, value func(rank int64) int64, p Prob) float64 {
	position, share, of := r.place(n, p)
	if position >= uint64(n-1) {
		return float64(value(n))
	}
	low := float64(value(int64(position) + 1))
	if share == 0 {
		return low
	}
	high := float64(value(int64(position) + 2))
	part := float64(share) / float64(of)
	// Weighing both ends, and not the step between them, cannot leave the two.
	return min(high, max(low, float64(low*(1-part))+float64(high*part)))
}

// Of returns the percentile p of sorted values by the rule. It is absent when nearest rank
// would be absent too.
func (r Rule) Of(sorted []int64, p Prob) Named {
	return r.OfRanks(int64(len(sorted)), func(rank int64) int64 { return sorted[rank-1] }, p)
}

// OfRanks is Of n values that are not at hand in one slice: value returns that of a rank, 1 the
// least.
func (r Rule) OfRanks(n int64, value func(rank int64) int64, p Prob) Named {
	q := Named{P: p, N: n, Method: r.name, Need: Minimum(p).OneSided}
	if n < q.Need {
		q.Warnings = []Warning{{TooFew, fmt.Sprintf("%s needs at least %d values and there are %d", p, q.Need, n)}}
		return q
	}
	q.Known, q.Value = true, r.atRank(n, value, p)
	return q
}
