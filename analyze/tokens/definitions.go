package tokens

import "slices"

// Definition is a named measure of one request.
type Definition struct {
	ID string
	// Metric is what the measure is one reading of: measures of one metric are never mixed.
	Metric string
	Unit   string // "ns" or "tokens/s"
	// Own is true for the reading that is used where no other is asked for.
	Own   bool
	Text  string   // the formula, in words
	Tools []string // who else uses it, and under which name if another
	Of    func(Times) Value
}

// definitions are in the order in which a request meets what they measure, the own reading
// of a metric first. The readings of tools are those of their source text.
var definitions = []Definition{
	{"ttft", "ttft", "ns", true, "first token that is not empty - start", []string{"SGLang bench", "AIPerf", "genai-perf", "GuideLLM", "LLMPerf", "DistServe", "Etalon"}, Times.TTFT},
	{"ttft_any_chunk", "ttft", "ns", false, "first chunk, though it be empty - start", []string{"vLLM bench"}, Times.TTFTAnyChunk},
	{"ttat", "ttft", "ns", false, "first token that is not reasoning - start", nil, Times.TTAT},
	{"tpot", "tpot", "ns", true, "(last token - first token) / (n - 1), undefined for n < 2", []string{"MLPerf"}, Times.TPOT},
	{"tpot_zero", "tpot", "ns", false, "as tpot, 0 for n < 2", []string{"DistServe", "vLLM engine"}, Times.TPOTZero},
	{"tpot_bench", "tpot", "ns", false, "(last token - first chunk, though it be empty) / (n - 1)", []string{"vLLM bench"}, Times.TPOTBench},
	{"tpot_to_end", "tpot", "ns", false, "(end - first token) / (n - 1)", []string{"SGLang bench"}, Times.TPOTToEnd},
	{"itl_request_mean", "tpot", "ns", false, "tpot as the mean of the gaps of a request", []string{"AIPerf as ITL", "genai-perf as ITL", "GuideLLM as ITL"}, Times.TPOT},
	{"tpot_guidellm", "tpot", "ns", false, "(last token - first token) / n", []string{"GuideLLM up to 0.3"}, Times.TPOTGuideLLM},
	{"tpot_llmperf", "tpot", "ns", false, "(last token - start) / n", []string{"LLMPerf as ITL", "GuideLLM from 0.4"}, Times.TPOTLLMPerf},
	{"norm_latency", "tpot", "ns", false, "(end - start) / n", []string{"Etalon"}, Times.NormLatency},
	{"e2e", "e2e", "ns", true, "end of the response, or the last token - start", []string{"SGLang bench", "GuideLLM"}, Times.E2E},
	{LastToken, "e2e", "ns", false, "last token - start", []string{"vLLM bench", "genai-perf", "AIPerf"}, Times.E2ELastToken},
	{"generation_rate", "generation_rate", "tokens/s", true, "1 / tpot", nil, Times.GenerationRate},
	{"output_rate", "generation_rate", "tokens/s", false, "n / (end - start)", []string{"GuideLLM", "LLMPerf"}, Times.OutputRate},
}

// Definitions returns all named measures of a request, those of one metric together and
// the own one of each first.
func Definitions() []Definition { return slices.Clone(definitions) }

// LastToken is the id of the measure that ends with the last token of a request.
const LastToken = "e2e_last_token"

// Define returns the measure with an id.
func Define(id string) (Definition, bool) {
	for _, d := range definitions {
		if d.ID == id {
			return d, true
		}
	}
	return Definition{}, false
}
