package logs

import (
	"fmt"

	"github.com/tailpath/tailpath/cmd/lab/simulate"
)

// vllmStamp is the time of vLLM's prefix: local, without a year, cut to seconds.
const vllmStamp = "01-02 15:04:05"

// apiServer decorates the lines of the V1 front end.
const apiServer = "(APIServer pid=417) "

// params are the parameters of a simulated client as vLLM prints them.
func params(v *simulate.Visit) string { return fmt.Sprintf(samplingParams, maxTokens(v)) }

const samplingParams = "SamplingParams(n=1, presence_penalty=0.0, frequency_penalty=0.0, repetition_penalty=1.0, " +
	"temperature=0.7, top_p=0.95, top_k=0, min_p=0.0, seed=None, stop=[], stop_token_ids=[], bad_words=[], " +
	"include_stop_str_in_output=False, ignore_eos=False, max_tokens=%d, min_tokens=0, logprobs=None, " +
	"prompt_logprobs=None, skip_special_tokens=True, spaces_between_special_tokens=True)"

// writeVLLM writes the log of vLLM's server.
//
// The handler logs a request when its prompt has been tokenised and it is about to hand it
// to the engine, so "Received" and "Added" both stand at the dispatch. V1 has no line for
// a request that ends well; for one whose client went away it has two, the first under
// the engine's own id. V0 has one for either. The access line goes out with the headers.
func writeVLLM(b *book, p *replica) {
	v0 := p.server == simulate.VLLMV0
	decoration := apiServer
	if v0 {
		decoration = ""
	}
	for i, v := range p.visits {
		if at := answeredAt(v); at > 0 {
			b.add(at, "%s%s", decoration, uvicorn(v, p.peers[i]))
		}
		if !happened(v, v.Dispatched) {
			continue // cancelled before the handler came to it
		}
		if v0 {
			b.vllmV0Request(v)
			continue
		}
		own := v.EngineID + "-" + suffix(v)
		b.vllm(v.Dispatched, "request_logger.py:63", "Received request %s: params: %s, lora_request: None.", v.EngineID, params(v))
		b.vllm(v.Dispatched, "async_llm.py:439", "Added request %s.", own)
		if at := gone(v); at > 0 {
			b.vllm(at, "async_llm.py:702", "Aborted request(s) %s.", own)
			b.vllm(at, "async_llm.py:623", "Request %s aborted.", v.EngineID)
		}
	}
	if v0 {
		b.vllmV0Stats(p)
		return
	}
	b.vllmStats(p)
}

// vllm adds a line of V1's front end at the level INFO.
func (b *book) vllm(at int64, place, format string, args ...any) {
	b.add(at, "%sINFO %s [%s] %s", apiServer, b.local(at).Format(vllmStamp), place, fmt.Sprintf(format, args...))
}

// vllmV0 adds a line of V0, whose place has one bracket.
func (b *book) vllmV0(at int64, place, format string, args ...any) {
	b.add(at, "INFO %s %s] %s", b.local(at).Format(vllmStamp), place, fmt.Sprintf(format, args...))
}

// vllmV0Request adds V0's lines of one request, with --max-log-len 0.
func (b *book) vllmV0Request(v *simulate.Visit) {
	b.vllmV0(v.Dispatched, "logger.py:37", "Received request %s: prompt: '', params: %s, prompt_token_ids: [], lora_request: None, prompt_adapter_request: None.",
		v.EngineID, params(v))
	b.vllmV0(v.Dispatched, "async_llm_engine.py:208", "Added request %s.", v.EngineID)
	if at := gone(v); at > 0 {
		b.vllmV0(at, "async_llm_engine.py:189", "Aborted request %s.", v.EngineID)
	} else if v.LastOutput > 0 {
		b.vllmV0(v.LastOutput, "async_llm_engine.py:177", "Finished request %s.", v.EngineID)
	}
}
