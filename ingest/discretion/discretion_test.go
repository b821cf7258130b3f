package discretion

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func TestKeysThatHoldText(t *testing.T) {
	for _, key := range strings.Fields(`gen_ai.prompt gen_ai.prompt.0.content gen_ai.completion.1.content gen_ai.input.messages
		gen_ai.output.messages gen_ai.system_instructions gen_ai.tool.call.arguments gen_ai.tool.call.result gen_ai.event.content
		llm.prompts llm.prompts.0.user llm.completions llm.input_messages.0.message.content llm.output_messages
		input.value output.value traceloop.entity.input traceloop.entity.output Gen_AI.Prompt http.request.body http.request.body.text
		retrieval.documents.3.document.content embedding.embeddings.0.embedding.text message.content content prompt messages
		tool_call.function.arguments log.record.original message body ai.response.text llm.prompts[0] inputMessages gen-ai.prompt genAi.outputMessages system-prompt
		ai.toolCall.args ai.prompt.messages ai.embedding ai.values llm.openai.messages llm.anthropic.system llm.openai.stringified_raw_response
		mastra.agent.input mastra.agent.output haystack.component.input gcp.vertex.agent.tool_call_args mcp.request.argument.city
		braintrust.input_json db.vector.query.content spring.ai.chat.client.user.text mlflow.traceInputs document.content
		embedding.vector app/system_prompt retrieval:documents user_input llm.responses`) {
		if !HoldsText(key) {
			t.Errorf("%s is not known to hold text", key)
		}
	}
	for _, key := range strings.Fields(`gen_ai.request.model gen_ai.usage.prompt_tokens gen_ai.usage.input_tokens gen_ai.prompt_tokens
		gen_ai.request.id gen_ai.latency.e2e llm.token_count.prompt llm.request.type input.mime_type output.mime_type input_tokens
		exception.message exception.stacktrace http.route http.target url.path message.role messaging.system message_id content_type
		event name rid request_id response_model text_tokens queue log.file.path logger body_size triton.request_id ai.model.id
		gen_ai.usage.output_tokens gen_ai.usage.cache_read.input_tokens http.request.body.size http.response.body.size http.request.header.content-length
		messaging.message.body.size messaging.message.id messaging.operation.name error.message error.type gen_ai.completion.1.finish_reason
		gen_ai.prompt.0.role message.role gen_ai.prompt.name gen_ai.response.finish_reasons gen_ai.output.type prompt.tokens completion_tokens
		llm.token_count.completion llm.token_count.prompt_details.input langfuse.observation.usage_details messages.count prompt_length
		gen_ai.conversation.id gen_ai.tool.name gen_ai.tool.call.id rpc.message.uncompressed_size db.query.text server.address url.full
		gen_ai.response.time_to_first_chunk gen_ai.request.max_tokens gen_ai.latency.time_in_queue process.command`) {
		if HoldsText(key) {
			t.Errorf("%s is taken to hold text", key)
		}
	}
}

func TestQuotes(t *testing.T) {
	for _, text := range []string{`{"prompt":[1,2]}`, `{"prompt":"x"`, ` {"prompt":"x"}`, `{"a":"{\"prompt\":\"x\"}"}`, `["{\"role\":\"user\",\"content\":\"x\"}"]`,
		`"{\"messages\":[]}"`, `{"a":"[{\"b\":\"{\\\"content\\\":\\\"x`, `{'a': '{"content": "x"}'}`, `[ {"a":1 , "Content"	: "x`, `{'inputs': [`, `{"gen_ai.prompt":"x"}`} {
		if !Quotes([]byte(text), HoldsText) {
			t.Errorf("%s holds no text", text)
		}
	}
	for _, text := range []string{"", "{", `{"input":10,"output":-2.5e1,"prompt":null}`, `{"prompt":true}`, `{"a":"{\"model\":\"m\"}"}`, "[1,2]", `{"model":"prompt"}`, "{prompt", `{"prompt`, "prompt: x", `["messages"]`} {
		if Quotes([]byte(text), HoldsText) {
			t.Errorf("%s holds text", text)
		}
	}
}

// FuzzQuotes holds that what a text quotes is found as well when the text itself is
// quoted, and that no number is taken for text.
// TestLongNamesAreText takes a member for text whose name no program gave.
func TestLongNamesAreText(t *testing.T) {
	name := strings.Repeat("n", longestName)
	if Quotes([]byte(`{"`+name+`":"x"}`), HoldsText) {
		t.Error("a name of the greatest length is taken for text")
	}
	if !Quotes([]byte(`{"`+name+`n":"x"}`), HoldsText) {
		t.Error("a longer name is not taken for text")
	}
}

func FuzzQuotes(f *testing.F) {
	for _, text := range []string{`{"prompt":"x"}`, `{'a': [{"content" : "x"}]}`, `{"a":"{\"prompt\":\"x\"}"}`, `"\"`, `{"\\`, `['"'"'`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		found := Quotes(text, HoldsText)
		if found && (len(text) == 0 || bytes.IndexByte([]byte("{[\"' \t\r\n"), text[0]) < 0) {
			t.Errorf("%q begins as no object", text)
		}
		if !json.Valid(text) || len(text) > 512 || text[0] != '{' {
			return
		}
		var quoted bytes.Buffer
		e := json.NewEncoder(&quoted)
		e.SetEscapeHTML(false)
		if err := e.Encode(map[string]string{"a": string(text)}); err != nil {
			t.Fatal(err)
		}
		if found && !Quotes(quoted.Bytes(), HoldsText) {
			t.Errorf("%q is found and not in %q", text, quoted.Bytes())
		}
	})
}

func TestQuery(t *testing.T) {
	for text, want := range map[string]string{
		"/v1/chat?q=x": "/v1/chat?", "https://h/v1?q": "https://h/v1?", "GET /v1/chat?q=a b": "GET /v1/chat?", "/?x": "/?",
	} {
		if i := Query([]byte(text)); i < 0 || text[:i] != want {
			t.Errorf("%s: %d, want %s", text, i, want)
		}
	}
	for _, text := range []string{"", "?", "/v1/chat", "/v1/chat?", "is it on / or off?yes", "a/b?c", "what?", "who asked for /x now?yes", "select ? from a/b"} {
		if i := Query([]byte(text)); i >= 0 {
			t.Errorf("%s: the query begins at %d", text, i)
		}
	}
}
