package discretion

import (
	"bytes"
	"fmt"
	"strings"
)

// textKeys are the attributes that are known to hold prompts, outputs, or what else
// people wrote or were answered, in lower case. A key is also meant with anything
// behind a dot or bracket after it. A star before it stands for any words and a dot, or
// nothing; a dollar behind it says that nothing may follow.
var textKeys = strings.Fields(`
	gen_ai.prompt gen_ai.completion gen_ai.input.messages gen_ai.output.messages gen_ai.system_instructions
	gen_ai.input gen_ai.output gen_ai.prompt_json gen_ai.completion_json gen_ai.content gen_ai.choice gen_ai.message
	gen_ai.messages gen_ai.system.message gen_ai.user.message gen_ai.assistant.message gen_ai.tool.message
	gen_ai.request.messages gen_ai.request.prompt gen_ai.response.content gen_ai.response.text gen_ai.response.message
	gen_ai.tool.call.arguments gen_ai.tool.call.result gen_ai.tool.definitions gen_ai.tool.output gen_ai.tool.input
	gen_ai.event.content gen_ai.retrieval.query gen_ai.retrieval.documents gen_ai.evaluation.explanation gen_ai.embeddings.input

	llm.prompt llm.prompts llm.completion llm.completions llm.input_messages llm.output_messages llm.choices llm.messages
	llm.prompt_template llm.function_call llm.tools llm.input llm.output llm.content_completion_chunk
	llm.request.functions llm.request.messages llm.response.content
	input.value output.value input.images input.documents input.audio output.images output.audio input$ output$ inputs outputs
	retrieval.documents *document.content *message.content *message.contents *message.tool_calls
	*message.function_call_arguments_json *message_content.text *message_content.image *function.arguments
	*tool_call.function.arguments *tool.parameters reranker.query reranker.input_documents reranker.output_documents
	embedding.embeddings *embedding.text *image.url *audio.url *audio.transcript *prompt.text *completion.text

	traceloop.entity.input traceloop.entity.output traceloop.prompt traceloop.association.properties.prompt
	ai.prompt ai.response.text ai.response.object ai.response.toolcalls ai.response.reasoning ai.toolcall.args
	ai.toolcall.result ai.value ai.values ai.result.text ai.result.object ai.result.toolcalls
	langfuse.observation.input langfuse.observation.output langfuse.trace.input langfuse.trace.output
	langsmith.inputs langsmith.outputs mlflow.spaninputs mlflow.spanoutputs mlflow.chat.messages
	all_messages_events all_messages pydantic_ai.all_messages final_result tool_arguments tool_response
	request_data response_data logfire.msg$

	http.request.body http.response.body http.request_body http.response_body request.body response.body request_body
	response_body rpc.request.body rpc.response.body rpc.message.body messaging.message.body
	prompt prompts completion completions messages content body text$ question answer query$ response$ reasoning_content
	generated_text input_text output_text prompt_text raw_prompt system_prompt user_prompt system_message user_message
	choices tool_calls message$ msg$ log$ log.record.original log.body`)

// HoldsText reports whether the attribute of a key holds text of prompts, outputs or
// messages.
func HoldsText(key string) bool {
	key = strings.ToLower(key)
	for _, pattern := range textKeys {
		pattern, whole := strings.CutSuffix(pattern, "$")
		pattern, anywhere := strings.CutPrefix(pattern, "*")
		for rest := key; ; {
			after, ok := strings.CutPrefix(rest, pattern)
			if ok && (after == "" || !whole && (after[0] == '.' || after[0] == '[')) {
				return true
			}
			dot := strings.IndexByte(rest, '.')
			if !anywhere || dot < 0 {
				break
			}
			rest = rest[dot+1:]
		}
	}
	return false
}

// Quotes reports whether a text is an object or array, in JSON or as Python prints one,
// that has a member of which isSecret holds. It cannot be kept in part, because it may
// be cut off or be no JSON after all.
func Quotes(text []byte, isSecret func(name string) bool) bool {
	if len(text) == 0 || text[0] != '{' && text[0] != '[' {
		return false
	}
	for i := 0; i < len(text); i++ {
		quote := text[i]
		if quote != '"' && quote != '\'' {
			continue
		}
		start := i + 1
		for i = start; i < len(text) && text[i] != quote; i++ {
			if text[i] == '\\' {
				i++
			}
		}
		if i >= len(text) {
			return false
		}
		name := text[start:i]
		behind := bytes.TrimLeft(text[i+1:], " \t\r\n")
		if len(behind) > 0 && behind[0] == ':' && len(name) <= longestName && isSecret(string(name)) {
			return true
		}
	}
	return false
}

// longestName is how long the name of a member may be that is looked at, in bytes.
const longestName = 128

// LeftOut appends what stands in the place of a text of n bytes.
func LeftOut(to []byte, n int) []byte { return fmt.Appendf(to, "left out (%d bytes)", n) }
