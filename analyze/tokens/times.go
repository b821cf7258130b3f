package tokens

// Times are the instants of one request that the measures are made of, in ns from its
// start, each [Absent] when it is not known. They come from a [Stream], or from a source
// that tells them without telling of every token.
type Times struct {
	FirstChunkNS  int64 // the first chunk, though it brought no token
	FirstTokenNS  int64
	FirstAnswerNS int64 // the first token that is not reasoning
	LastTokenNS   int64
	EndNS         int64 // of the response
	Tokens        int64 // output tokens, those of reasoning included; [Absent] when unknown
}

// Value is a measure of one request: V in the unit of its definition, unless Undefined
// says why it has none.
type Value struct {
	V         float64
	Undefined string
}

// Why a measure has no value.
const (
	NoFirst   = "no first token recorded"
	NoChunk   = "no first chunk recorded"
	NoAnswer  = "no first token of the answer recorded"
	NoLast    = "no last token recorded"
	NoEnd     = "no end recorded"
	NoTokens  = "no output tokens recorded"
	OneToken  = "fewer than two output tokens"
	ZeroToken = "no output tokens"
	Backwards = "first token after the end"
	NoTime    = "no time passed"
)

// Defined reports whether there is a value.
func (v Value) Defined() bool { return v.Undefined == "" }

func known(ns int64, reason string) Value {
	if ns == Absent {
		return Value{Undefined: reason}
	}
	return Value{V: float64(ns)}
}

// TTFT returns the time to the first token that brought something, in ns. [ttft]
func (t Times) TTFT() Value { return known(t.FirstTokenNS, NoFirst) }

// TTFTAnyChunk returns the time to the first chunk, which may be empty, in ns.
// [ttft_any_chunk]
func (t Times) TTFTAnyChunk() Value { return known(t.FirstChunkNS, NoChunk) }

// TTAT returns the time to the first token that is not reasoning, in ns. [ttat]
func (t Times) TTAT() Value { return known(t.FirstAnswerNS, NoAnswer) }

// endNS is the end of the response, or its last token if that is later or all there is.
func (t Times) endNS() int64 { return max(t.EndNS, t.LastTokenNS) } // Absent is the least int64

// E2E returns the time to the end of the response, in ns: to the last token when the end
// was not recorded. [e2e]
func (t Times) E2E() Value { return known(t.endNS(), NoEnd) }

// E2ELastToken returns the time to the last token, in ns. [e2e_last_token]
func (t Times) E2ELastToken() Value { return known(t.LastTokenNS, NoLast) }

// ratio returns (to - from) / (tokens - less) in ns a token.
func (t Times) ratio(to, from, less int64, noTo, noFrom string) Value {
	switch {
	case t.Tokens == Absent:
		return Value{Undefined: NoTokens}
	case t.Tokens <= less && less == 1:
		return Value{Undefined: OneToken}
	case t.Tokens <= less:
		return Value{Undefined: ZeroToken}
	case from == Absent:
		return Value{Undefined: noFrom}
	case to == Absent:
		return Value{Undefined: noTo}
	case from > to:
		return Value{Undefined: Backwards}
	}
	return Value{V: float64(to-from) / float64(t.Tokens-less)}
}

// TPOT returns the time per output token after the first, in ns: (last - first) / (n - 1)
// of n tokens, undefined for fewer than two. [tpot]
func (t Times) TPOT() Value { return t.ratio(t.LastTokenNS, t.FirstTokenNS, 1, NoLast, NoFirst) }

// TPOTToEnd returns (end - first) / (n - 1) in ns: what can be told where the last token was
// not recorded. (SGLang's bench script, whose latency ends with the response.) [tpot_to_end]
func (t Times) TPOTToEnd() Value { return t.ratio(t.endNS(), t.FirstTokenNS, 1, NoEnd, NoFirst) }

// TPOTBench returns (last - first chunk) / (n - 1) in ns: the first chunk may be empty.
// (The bench script of vLLM.) [tpot_bench]
func (t Times) TPOTBench() Value {
	return t.ratio(t.LastTokenNS, t.FirstChunkNS, 1, NoLast, NoChunk)
}

// TPOTGuideLLM returns (last - first) / n in ns: the numerator leaves the first token out
// and the denominator does not. (GuideLLM up to 0.3.) [tpot_guidellm]
func (t Times) TPOTGuideLLM() Value {
	return t.ratio(t.LastTokenNS, t.FirstTokenNS, 0, NoLast, NoFirst)
}

// TPOTLLMPerf returns last / n in ns, the time to first token included. (LLMPerf, which
// calls it ITL, and GuideLLM from 0.4 on.) [tpot_llmperf]
func (t Times) TPOTLLMPerf() Value { return t.ratio(t.LastTokenNS, 0, 0, NoLast, "") }

// NormLatency returns end / n in ns. (Normalized latency, as in the papers on Orca and
// vLLM, and Etalon.) [norm_latency]
func (t Times) NormLatency() Value { return t.ratio(t.endNS(), 0, 0, NoEnd, "") }

// TPOTZero returns TPOT, and 0 where a request has fewer than two tokens. (What DistServe
// and the engine of vLLM count.) [tpot_zero]
func (t Times) TPOTZero() Value {
	if v := t.TPOT(); v.Undefined != OneToken {
		return v
	}
	return Value{}
}

// perSecond turns ns a token into tokens a second.
func perSecond(v Value) Value {
	switch {
	case !v.Defined():
		return v
	case v.V == 0:
		return Value{Undefined: NoTime}
	}
	return Value{V: 1e9 / v.V}
}

// GenerationRate returns the tokens a second that one reader sees after the first: 1/TPOT.
// [generation_rate]
func (t Times) GenerationRate() Value { return perSecond(t.TPOT()) }

// OutputRate returns the tokens a second over the whole request: n / end. (What GuideLLM
// and LLMPerf call output throughput of a request.) [output_rate]
func (t Times) OutputRate() Value { return perSecond(t.NormLatency()) }
