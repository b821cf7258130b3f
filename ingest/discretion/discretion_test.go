package discretion

import (
	"strings"
	"testing"
)

func TestKeysThatHoldText(t *testing.T) {
	for _, key := range strings.Fields(`gen_ai.prompt gen_ai.prompt.0.content gen_ai.completion.1.finish_reason gen_ai.input.messages
		gen_ai.output.messages gen_ai.system_instructions gen_ai.tool.call.arguments gen_ai.tool.call.result gen_ai.event.content
		llm.prompts llm.prompts.0.user llm.completions llm.input_messages.0.message.content llm.output_messages
		input.value output.value traceloop.entity.input traceloop.entity.output Gen_AI.Prompt http.request.body http.request.body.text
		retrieval.documents.3.document.content embedding.embeddings.0.embedding.text message.content content prompt messages
		tool_call.function.arguments log.record.original message body ai.response.text llm.prompts[0]`) {
		if !HoldsText(key) {
			t.Errorf("%s is not known to hold text", key)
		}
	}
	for _, key := range strings.Fields(`gen_ai.request.model gen_ai.usage.prompt_tokens gen_ai.usage.input_tokens gen_ai.prompt_tokens
		gen_ai.request.id gen_ai.latency.e2e llm.token_count.prompt llm.request.type input.mime_type output.mime_type input_tokens
		exception.message exception.stacktrace http.route http.target url.path message.role messaging.system message_id content_type
		event name rid request_id response_model text_tokens queue log.file.path logger body_size triton.request_id ai.model.id`) {
		if HoldsText(key) {
			t.Errorf("%s is taken to hold text", key)
		}
	}
}

func TestQuotes(t *testing.T) {
	for _, text := range []string{`{"prompt":1}`, `[ {"a":1 , "Content"	: "x`, `{'inputs': [`, `{"gen_ai.prompt":"x"}`} {
		if !Quotes([]byte(text), HoldsText) {
			t.Errorf("%s holds no text", text)
		}
	}
	for _, text := range []string{"", "{", "[1,2]", `{"model":"prompt"}`, "{prompt", `{"prompt`, "prompt: x", `["messages"]`} {
		if Quotes([]byte(text), HoldsText) {
			t.Errorf("%s holds text", text)
		}
	}
}
