package tracefile

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tailpath/tailpath/ingest/table"
)

// TestZipkinEvents holds that an annotation with attributes is the event that it was, and
// that prompts and outputs in one are not stored, however it is written.
func TestZipkinEvents(t *testing.T) {
	const hidden = "left out (10 bytes)"
	for value, want := range map[string]string{
		`first token`:         "first token",
		`"tool":{"n":3}`:      "tool n=3",
		`tool: {"n":3,"f":2}`: "tool n=3 f=2",
		`tool|{"n":3}|0`:      "tool n=3",
		`"gen_ai.content.prompt":{"gen_ai.prompt":"THE-PROMPT"}`: "gen_ai.content.prompt gen_ai.prompt=" + hidden,
		`gen_ai.content.prompt: {"gen_ai.prompt":"THE-PROMPT"}`:  "gen_ai.content.prompt gen_ai.prompt=" + hidden,
		`gen_ai.content.prompt|{"gen_ai.prompt":"THE-PROMPT"}|2`: "gen_ai.content.prompt gen_ai.prompt=" + hidden,
		`gen_ai.content.prompt: {"gen_ai.prompt":"THE-PROMPT`:    "gen_ai.content.prompt",
		`sent [{"content":"THE-PROMPT"}] twice`:                  "left out (37 bytes)",
		`"e":{"prompt":"THE-PROMPT \"quoted\"","n":1,"m":`:       "e",
		`{"prompt":"THE-PROMPT"}`:                                "left out (23 bytes)",
		`[{"content":"THE-PROMPT"}]`:                             "left out (26 bytes)",
		`retry {1}`:                                              "retry {1}",
		`a: {not json}`:                                          "a: {not json}",
		`a|{"n":1}|x`:                                            `a|{"n":1}|x`,
		`:{}`:                                                    ":{}",
		`set: {}`:                                                "set",
		`exception: {"exception.type":"E","l":["a"]}`:            `exception exception.type=E l=["a"]`,
	} {
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		span := fmt.Sprintf(`[{"traceId":"1","id":"2","timestamp":5,"duration":7,"annotations":[{"timestamp":6,"value":%s},{"timestamp":6,"value":"last\tone"}]}]`, text)
		o := readText(t, span, ZipkinJSON)
		e := &o.set.SpanEvents
		if e.Len() != 2 || o.set.Symbols.Text(e.Name[1]) != "last\tone" {
			t.Fatalf("%s: %d events", value, e.Len())
		}
		got := o.set.Symbols.Text(e.Name[0])
		for i := range e.Attributes.Count(0) {
			a := e.Attributes.At(0, i)
			v, _ := a.Value.Scalar()
			got += " " + o.set.Symbols.Text(a.Key) + "=" + string(v)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", value, d)
		}
		secret := o.issues()[TextLeftOut.ID]
		for i := range o.set.Symbols.Len() {
			if secret > 0 && strings.Contains(o.set.Symbols.Text(table.Sym(i)), "THE-PROMPT") {
				t.Errorf("%s: a prompt became a symbol", value)
			}
		}
		if kept := NewDecoderWith(table.NewSet(), &table.Account{}, "in", Options{KeepText: true}); secret > 0 {
			if err := kept.Read(strings.NewReader(span), ZipkinJSON); err != nil || kept.account.Count(TextLeftOut.ID) != 0 {
				t.Errorf("%s: left out although text is kept", value)
			}
		}
	}
}
