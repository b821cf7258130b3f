package discretion

import (
	"slices"
	"strings"
)

// textKeys are the attributes that are known to hold prompts, outputs, or what else
// people wrote or were answered. A key is also meant with anything behind a dot or
// bracket after it. A star before it stands for any words and a dot, or nothing; a
// dollar behind it says that nothing may follow.
var textKeys = strings.Fields(`
	gen_ai.prompt gen_ai.completion gen_ai.input.messages gen_ai.output.messages gen_ai.system_instructions
	gen_ai.input gen_ai.output gen_ai.prompt_json gen_ai.completion_json gen_ai.content gen_ai.choice gen_ai.message
	gen_ai.messages gen_ai.system.message gen_ai.user.message gen_ai.assistant.message gen_ai.tool.message
	gen_ai.request.messages gen_ai.request.prompt gen_ai.response.content gen_ai.response.text gen_ai.response.message
	gen_ai.tool.call.arguments gen_ai.tool.call.result gen_ai.tool.definitions gen_ai.tool.output gen_ai.tool.input
	gen_ai.event.content gen_ai.retrieval.query gen_ai.retrieval.documents gen_ai.evaluation.explanation gen_ai.embeddings.input
	mcp.request.argument mcp.response.value mcp.tool.arguments mcp.tool.result

	llm.prompt llm.prompts llm.completion llm.completions llm.input_messages llm.output_messages llm.choices llm.messages
	llm.prompt_template llm.function_call llm.tools llm.input llm.output llm.content_completion_chunk
	llm.request.functions llm.request.messages llm.response.content llm.responses *stringified_raw_response
	llm.anthropic.system llm.bedrock.system llm.gemini.contents llm.vertex_ai.contents llm.gemini.candidates llm.vertex_ai.candidates
	input.value output.value input.images input.documents input.audio output.images output.audio
	*input$ *output$ *inputs$ *outputs$ inputs outputs
	retrieval.documents *document.content *message.content *message.contents *message.tool_calls
	*message.function_call_arguments_json *message_content.text *message_content.image *function.arguments
	*tool_call.function.arguments *tool.parameters reranker.query reranker.input_documents reranker.output_documents
	embedding.embeddings *embedding.text *embedding.vector *image.url *audio.url *audio.transcript *prompt.text *completion.text

	traceloop.entity.input traceloop.entity.output traceloop.prompt traceloop.association.properties.prompt
	ai.prompt ai.response.text ai.response.object ai.response.toolcalls ai.response.reasoning ai.response.files ai.toolcall.args
	ai.toolcall.input ai.toolcall.output ai.toolcall.result ai.value ai.values ai.embedding ai.embeddings ai.documents
	ai.result.text ai.result.object ai.result.toolcalls
	langfuse.observation.input langfuse.observation.output langfuse.trace.input langfuse.trace.output
	langsmith.inputs langsmith.outputs mlflow.spaninputs mlflow.spanoutputs mlflow.traceinputs mlflow.traceoutputs mlflow.chat.messages
	braintrust.input_json braintrust.output_json braintrust.expected honeyhive_inputs honeyhive_outputs _ml_obs.meta.input _ml_obs.meta.output
	haystack.pipeline.input_data haystack.pipeline.output_data haystack.component.input haystack.component.output
	gcp.vertex.agent.llm_request gcp.vertex.agent.llm_response gcp.vertex.agent.tool_call_args gcp.vertex.agent.tool_response gcp.vertex.agent.data
	crewai.task.description crewai.task.expected_output crewai.agent.goal crewai.agent.backstory crewai.crew.result
	spring.ai.chat.client.system spring.ai.chat.client.user *vector.query.content *query.result.document *query.result.documents
	db.chroma.query.texts
	all_messages_events all_messages pydantic_ai.all_messages final_result tool_arguments tool_response
	request_data response_data logfire.msg$

	url.query http.request.body http.response.body http.request_body http.response_body request.body response.body request_body
	response_body rpc.request.body rpc.response.body rpc.message.body messaging.message.body
	prompt prompts completion completions *prompt$ *completion$ *messages$ *content$ messages content body text$ question answer
	query$ response$ reasoning_content reasoning$ thinking$
	*generated_text *input_text *output_text *response_text *prompt_text *raw_prompt *system_prompt *user_prompt *negative_prompt
	*system_message *user_message *assistant_message *user_input *user_query *input_messages *output_messages *chat_history
	instructions$ transcript$ tool.result tool.output tool.input tool.arguments
	choices *tool_calls message$ msg$ log$ log.record.original log.body`)

// plainEnds are the last words of keys below those that tell about a text without
// holding it.
var plainEnds = strings.Fields(`size length count tokens bytes role mime_type finish_reason finish_reasons`)

// plainWords are the words of keys below which everything is a number.
var plainWords = strings.Fields(`usage token_count tokens cost`)

// plainKeys name a text and do not hold it.
var plainKeys = strings.Fields(`gen_ai.output.type gen_ai.prompt.name gen_ai.prompt.id gen_ai.prompt.version prompt.name prompt.id prompt.version
	traceloop.prompt.key traceloop.prompt.version`)

// pattern is an entry of textKeys.
type pattern struct {
	text     string // folded
	whole    bool   // nothing may follow
	anywhere bool   // any words may stand before
}

var patterns = func() (out []pattern) {
	for _, text := range textKeys {
		var p pattern
		text, p.whole = strings.CutSuffix(text, "$")
		text, p.anywhere = strings.CutPrefix(text, "*")
		p.text = fold(text)
		out = append(out, p)
	}
	return out
}()

// fold writes a key as all its spellings come to: inputMessages, input-messages and
// input_messages are one, and words may be parted by slashes and colons as by dots.
func fold(key string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '_' || r == '-' || r == ' ':
			return -1
		case r == '/' || r == ':':
			return '.'
		case r >= 'A' && r <= 'Z':
			return r | 0x20
		}
		return r
	}, key)
}

// HoldsText reports whether the attribute of a key holds text of prompts, outputs or
// messages. What tells of the size, role or end of such a text is none.
func HoldsText(key string) bool {
	if isPlain(key) {
		return false
	}
	key = fold(key)
	for i := range patterns {
		if patterns[i].matches(key) {
			return true
		}
	}
	return false
}

// isPlain reports whether a key is one of plainKeys, stands below one of plainWords, or
// has a last word that is one of plainEnds or ends with one, as total_tokens does.
func isPlain(key string) bool {
	key = strings.ToLower(key)
	if slices.Contains(plainKeys, key) {
		return true
	}
	words := strings.FieldsFunc(key, func(r rune) bool { return r == '.' || r == ':' || r == '/' })
	for i, word := range words {
		if i < len(words)-1 {
			if slices.Contains(plainWords, word) {
				return true
			}
			continue
		}
		for _, end := range plainEnds {
			before, ok := strings.CutSuffix(word, end)
			if ok && (before == "" || before[len(before)-1] == '_' || before[len(before)-1] == '-') {
				return true
			}
		}
	}
	return false
}

func (p *pattern) matches(key string) bool {
	for rest := key; ; {
		after, ok := strings.CutPrefix(rest, p.text)
		if ok && (after == "" || !p.whole && (after[0] == '.' || after[0] == '[')) {
			return true
		}
		dot := strings.IndexByte(rest, '.')
		if !p.anywhere || dot < 0 {
			return false
		}
		rest = rest[dot+1:]
	}
}
