package analyze

import (
	"slices"

	"github.com/tailpath/tailpath/analyze/stat"
	"github.com/tailpath/tailpath/analyze/tokens"
)

// The ids of the gaps between tokens of all requests, pooled.
const (
	gapsOfTokens    = "itl"
	gapsOfChunks    = "icl"
	gapsOfAnyChunks = "any_chunk_gap"
)

// The metrics of the definitions that are no measures of one request.
const (
	metricGaps       = "itl"
	metricPercentile = "percentile"
)

// ownMeasures are the measures that are used where no other is asked for. tokens.Definitions
// prefers tpot to the last token; most sources tell when an answer ended and not when its last
// token came, so the figures called tpot are tpot_to_end.
var ownMeasures = []string{"ttft", "tpot_to_end", "e2e", "generation_rate"}

// gapDefinitions are the readings of a gap between tokens. They differ by what a chunk of
// several tokens, or of none, counts for.
var gapDefinitions = []Definition{
	{ID: gapsOfTokens, Metric: metricGaps, Own: true, Text: "gaps between tokens: a chunk of k tokens g after the last gives k of g / k", Tools: []string{"SGLang server", "SGLang bench for its own endpoint, from the second chunk on"}},
	{ID: gapsOfChunks, Metric: metricGaps, Text: "gaps between chunks that brought tokens", Tools: []string{"AIPerf as ICL", "SGLang bench as ITL for OpenAI's endpoints"}},
	{ID: gapsOfAnyChunks, Metric: metricGaps, Text: "gaps between chunks, though they be empty", Tools: []string{"vLLM bench as ITL", "OpenTelemetry as time_per_output_chunk"}},
}

// ruleTexts say what the percentile rules of package stat do with n values in order, x(1) the
// least.
var ruleTexts = map[string]Definition{
	stat.MethodNearestRank: {Text: "x(ceil(p n))", Tools: []string{"GuideLLM"}},
	"linear_r7":            {Text: "linear between values, at 1 + p (n - 1)", Tools: []string{"vLLM bench", "SGLang bench", "AIPerf", "genai-perf", "LLMPerf"}},
	"r8":                   {Text: "linear between values, at p (n + 1/3) + 1/3", Tools: []string{"benchstat"}},
	"mlperf_floor":         {Text: "x(1 + floor(p n))", Tools: []string{"MLPerf"}},
	"pa_round":             {Text: "x(1 + floor(p (n - 1) + 1/2))", Tools: []string{"perf_analyzer"}},
	"ddsketch":             {Text: "x(1 + floor(p (n - 1)))", Tools: []string{"DDSketch", "Etalon"}},
	"hdr":                  {Text: "x(floor(p n + 1/2)), of ranks of 1 or more", Tools: []string{"HdrHistogram", "wrk2"}},
}

// requestDefinitions returns the measures of a request, the gaps between tokens, and the
// rules for percentiles.
func requestDefinitions() []Definition {
	var measures []Definition
	for _, d := range tokens.Definitions() {
		measures = append(measures, Definition{ID: d.ID, Metric: d.Metric, Text: d.Text, Own: slices.Contains(ownMeasures, d.ID), Tools: d.Tools})
	}
	var out []Definition
	for _, d := range measures { // the own one of each metric, then the others of it
		if !d.Own {
			continue
		}
		out = append(out, d)
		for _, o := range measures {
			if o.Metric == d.Metric && !o.Own {
				out = append(out, o)
			}
		}
	}
	out = append(out, gapDefinitions...)
	for i, name := range stat.RuleNames() {
		d := ruleTexts[name]
		d.ID, d.Metric, d.Own = name, metricPercentile, i == 0
		out = append(out, d)
	}
	return out
}

// Scope says what the figures of a definition are of.
type Scope string

// The scopes.
const (
	ScopeRequest    Scope = "request"    // each request has one
	ScopeGaps       Scope = "gaps"       // the gaps between tokens of many
	ScopePercentile Scope = "percentile" // a rule that picks a percentile
	ScopeSystem     Scope = "system"     // all that was served
)

// Scope returns what the figures of the definition are of.
func (d Definition) Scope() Scope {
	switch d.Metric {
	case metricGaps:
		return ScopeGaps
	case metricPercentile:
		return ScopePercentile
	}
	if _, ok := tokens.Define(d.ID); ok {
		return ScopeRequest
	}
	return ScopeSystem
}
