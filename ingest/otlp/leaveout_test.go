package otlp

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/ingest/table"
)

const secret = "Tell-me-of-my-illness"

// everything is all that a set and an account hold, as text.
func (r result) everything() string {
	var b strings.Builder
	s := r.set
	for i := range s.Symbols.Len() {
		fmt.Fprintln(&b, s.Symbols.Text(table.Sym(i)))
	}
	for i := range s.Scopes.Len() {
		fmt.Fprintln(&b, printRow(s, &s.Scopes, i))
	}
	for _, row := range r.rows() {
		fmt.Fprintln(&b, row)
	}
	for _, e := range r.account.Entries() {
		fmt.Fprintf(&b, "%+v\n", e)
	}
	fmt.Fprintf(&b, "%+v\n", r.stats)
	return b.String()
}

// plant puts a secret into a map in every way that a map can hold it, and returns how
// many texts that makes.
func plant(m pcommon.Map) (n int64) {
	for _, key := range []string{"gen_ai.prompt.0.content", "input.value", "gen_ai.output.messages", "content"} {
		m.PutStr(key, secret)
	}
	m.PutEmptyBytes("output.value").FromRaw([]byte(secret))
	m.PutEmptySlice("llm.prompts").AppendEmpty().SetStr(secret)
	m.PutEmptyMap("gen_ai.completion").PutStr("x", secret)
	m.PutEmptyMap("gen_ai").PutStr("prompt", secret)
	m.PutStr("request", `{"model":"m","messages":[{"role":"user","content":"`+secret+`"}]}`)
	m.PutStr("kwargs", "[{'Prompt' : '"+secret+"'}]")
	deep := m.PutEmptySlice("list").AppendEmpty().SetEmptyMap()
	deep.PutStr("role", "user")
	deep.PutStr("content", "\"\\"+secret)
	deep.PutEmptyMap("llm").PutEmptyMap("input_messages").PutStr("k", secret)
	deep.PutEmptyBytes("prompt").FromRaw([]byte(secret))
	deep.PutInt("completion", 3)
	return 13
}

func plantedTraces() (td ptrace.Traces, n int64) {
	td = ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	n += plant(rs.Resource().Attributes())
	ss := rs.ScopeSpans().AppendEmpty()
	n += plant(ss.Scope().Attributes())
	s := ss.Spans().AppendEmpty()
	s.SetTraceID(pcommon.TraceID(idBytes(1)))
	s.SetSpanID(spanIDOf(1))
	n += plant(s.Attributes())
	n += plant(s.Events().AppendEmpty().Attributes())
	n += plant(s.Links().AppendEmpty().Attributes())
	return td, n
}

func plantedLogs() (ld plog.Logs, n int64) {
	ld = plog.NewLogs()
	rl := ld.ResourceLogs().AppendEmpty()
	n += plant(rl.Resource().Attributes())
	sl := rl.ScopeLogs().AppendEmpty()
	n += plant(sl.Scope().Attributes())
	for i := range 4 {
		r := sl.LogRecords().AppendEmpty()
		n += plant(r.Attributes()) + 1
		switch i {
		case 0:
			r.Body().SetStr(secret)
		case 1:
			r.Body().SetEmptyMap().PutStr("any", secret)
		case 2:
			r.Body().SetEmptySlice().AppendEmpty().SetStr(secret)
		case 3:
			r.Body().SetEmptyBytes().FromRaw([]byte(secret))
		}
	}
	return ld, n
}

// Text that was planted in every place of a document reaches nothing that is stored or
// said, in any form, unless it is asked for.
func TestPlantedTextIsLeftOut(t *testing.T) {
	td, inTraces := plantedTraces()
	ld, inLogs := plantedLogs()
	jsonTraces, err1 := (&ptrace.JSONMarshaler{}).MarshalTraces(td)
	jsonLogs, err2 := (&plog.JSONMarshaler{}).MarshalLogs(ld)
	protoTraces, err3 := (&ptrace.ProtoMarshaler{}).MarshalTraces(td)
	protoLogs, err4 := (&plog.ProtoMarshaler{}).MarshalLogs(ld)
	for _, err := range []error{err1, err2, err3, err4} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		what string
		data []byte
		form Form
		n    int64
	}{
		{"traces in JSON", jsonTraces, JSON, inTraces},
		{"traces in JSON, shuffled", shuffle(t, jsonTraces, 1, true), JSON, inTraces},
		{"traces in protobuf", protoTraces, Protobuf, inTraces},
		{"logs in JSON", jsonLogs, JSON, inLogs},
		{"logs in JSON, shuffled", shuffle(t, jsonLogs, 1, false), JSON, inLogs},
		{"logs in protobuf", frameOf(protoLogs), FramedProtobuf, inLogs},
	} {
		got := result{set: table.NewSet(), account: &table.Account{}}
		d := NewDecoder(got.set, got.account, "input")
		if err := d.Read(bytes.NewReader(tc.data), tc.form, Start{Line: 1}); err != nil {
			t.Fatal(err)
		}
		d.Close()
		got.stats = d.Stats()
		all := got.everything()
		if strings.Contains(all, secret) || strings.Contains(all, base64Of(secret)) {
			t.Errorf("%s: the text was stored:\n%s", tc.what, all)
		}
		diff(t, tc.what+": left out", tc.n, got.account.Count(TextLeftOut.ID))
		if !strings.Contains(all, fmt.Sprintf("left out (%d bytes)", len(secret))) || !strings.Contains(all, fmt.Sprintf("left out (%d bytes)", len(secret)+2)) {
			t.Errorf("%s: no note of the size:\n%s", tc.what, all)
		}
		for _, kept := range []string{`role`, `stringValue\":\"user`, `intValue\":\"3\"`} {
			if !strings.Contains(all, kept) {
				t.Errorf("%s: %s was lost", tc.what, kept)
			}
		}
		for i := range got.set.Logs.Len() {
			diff(t, "entries of the body", 0, got.set.Logs.Body.Count(i))
		}
		if kept := readAs(t, tc.data, tc.form); int64(strings.Count(kept.everything(), secret))+int64(strings.Count(kept.everything(), base64Of(secret))) < tc.n || kept.account.Count(TextLeftOut.ID) > 0 {
			t.Errorf("%s: the text is lost with KeepText", tc.what)
		}
	}
}

func base64Of(text string) string {
	quoted := string(appendScalar(nil, table.Value{Type: table.ValueBytes, Text: []byte(text)}))
	return strings.Split(quoted, `"`)[3]
}

// Chunks come to the same counts as the whole, wherever the cuts are.
func TestChunksLeaveOutTheSame(t *testing.T) {
	td, n := plantedTraces()
	line, err := (&ptrace.JSONMarshaler{}).MarshalTraces(td)
	if err != nil {
		t.Fatal(err)
	}
	metrics := scrape(t, "service.name=v", "gauge tgi_queue_size 1\ngauge a 1\ngauge b 1\ngauge c 1\ngauge d 1\ngauge e 1")
	scraped, err := (&pmetric.JSONMarshaler{}).MarshalMetrics(metrics)
	if err != nil {
		t.Fatal(err)
	}
	line = append(append(append(line, '\n'), scraped...), '\n')
	whole, whole2 := result{set: table.NewSet(), account: &table.Account{}}, &table.Account{}
	d := NewDecoder(whole.set, whole.account, "input")
	defer d.Close()
	if err := d.Read(bytes.NewReader(bytes.Repeat(line, 3)), JSONLines, Start{Line: 1}); err != nil {
		t.Fatal(err)
	}
	var stats Stats
	for i := range 3 {
		c := NewDecoder(table.NewSet(), whole2, "input")
		defer c.Close()
		if !c.ReadChunk(Chunk{Data: line, At: Start{Offset: int64(i * len(line)), Line: int64(1 + 2*i)}, Last: i == 2}, JSONLines) {
			t.Fatal("a chunk of whole lines was given up")
		}
		stats.Add(c.Stats())
	}
	diff(t, "stats", d.Stats(), stats)
	diff(t, "issues", whole.account.Entries(), whole2.Entries())
	diff(t, "left out", 3*n, whole2.Count(TextLeftOut.ID))
}

// Forms of JSON that the protocol does not have hide no text either.
func TestTextInLenientForms(t *testing.T) {
	for _, attributes := range []string{
		`{"gen_ai.prompt":"` + secret + `"}`,
		`{"gen_ai":{"prompt":"` + secret + `"}}`,
		`{"call":[{"content":"` + secret + `"}]}`,
		`[{"key":"prompt","value":"` + secret + `"}]`,
		`[{"key":"prompt","value":["` + secret + `"]}]`,
		`[{"key":"prompt","value":{"stringValue":{"x":"` + secret + `"}}}]`,
		`[{"value":{"intValue":"` + secret + `"},"key":"prompt"}]`,
		`[{"key":"a","value":{"kvlistValue":[{"key":"prompt","value":{"stringValue":"` + secret + `"}}]}}]`,
		`[{"key":"a","value":{"kvlistValue":{"values":[{"value":{"stringValue":"` + secret + `"},"key":"prompt"}]}}}]`,
		`[{"key":"a","value":{"string_value":"{\"messages\":\"` + secret + `\"}"}}]`,
	} {
		for what, text := range map[string]string{
			"span":     `{"resourceSpans":[{"scopeSpans":[{"spans":[` + spanText(1, `,"attributes":`+attributes) + `]}]}]}`,
			"resource": `{"resourceSpans":[{"scopeSpans":[{"spans":[` + spanText(1, "") + `]}],"resource":{"attributes":` + attributes + `}}]}`,
			"log":      `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":"` + secret + `","attributes":` + attributes + `}]}]}]}`,
		} {
			got := result{set: table.NewSet(), account: &table.Account{}}
			d := NewDecoder(got.set, got.account, "input")
			if err := d.Read(strings.NewReader(text), JSON, Start{Line: 1}); err != nil {
				t.Fatal(err)
			}
			if got.stats = d.Stats(); got.stats.Spans+got.stats.Logs != 1 {
				t.Errorf("%s of %s: %+v", what, attributes, got.stats)
			}
			if all := got.everything(); strings.Contains(all, secret) || !strings.Contains(all, "left out (") {
				t.Errorf("%s of %s: the text was stored:\n%s", what, attributes, all)
			}
		}
	}
}

// Text of other shapes is kept, even if it looks like an object.
func TestOtherTextIsKept(t *testing.T) {
	var l withholder
	for _, text := range []string{"", "{", "[1,2]", `{"model":"prompt"}`, `{"a":{"b":["content","x"]}}`, "{prompt", `{"prompt`, `{'it\'s':1}`, `{"prompt":1,"completion":2.5}`, "prompt: x", `["messages"]`} {
		v := table.StringValue(text)
		diff(t, text, v, l.without(v, "key", false))
	}
	for _, text := range []string{`{"prompt":[1]}`, `[ {"a":1 , "Content"	: "x`, `{'inputs': [`, `{"gen_ai.prompt":"x"}`} {
		diff(t, text, fmt.Sprintf("left out (%d bytes)", len(text)), string(l.without(table.StringValue(text), "key", false).Text))
	}
}

// What is scrubbed of no secret comes back byte by byte, whatever the value.
func TestScrubbingKeepsTheRest(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		v := pcommon.NewValueEmpty()
		m := v.SetEmptyMap()
		drawMap(rt, m, 5)
		text := appendList(nil, v)
		l := withholder{nested: map[string]bool{}}
		s := scrubber{canonical: canonical{text: text}, l: &l}
		s.list("key", true)
		if s.bad || s.at != len(text) {
			rt.Fatalf("%s cannot be followed: stopped at %d", text, s.at)
		}
		if l.left == 0 {
			diff(rt, "scrubbed", string(text), string(s.out))
		}
		again := withholder{}
		twice := scrubber{canonical: canonical{text: s.out}, l: &again}
		twice.list("key", true)
		if twice.bad || twice.at != len(s.out) || again.left < l.left {
			rt.Fatalf("%s was scrubbed to %s, which is no list", text, s.out)
		}
	})
}

// A value that cannot be followed is not shown at all.
func TestScrubbingOfBrokenText(t *testing.T) {
	text := `{"values":[{"key":"a","value":{"stringValue":"` + secret + `"}},{"key":"b","value":{"kvlistValue":{"values":[{"key":"c","value":{"intValue":"1"}}]}}}]}`
	for i := range text {
		l := withholder{}
		got := l.without(table.Value{Type: table.ValueKvlist, Text: []byte(text[:i])}, "k", false)
		if !bytes.Contains([]byte(text[:i]), []byte(`"key":`)) {
			continue
		}
		diff(t, text[:i], fmt.Sprintf("left out (%d bytes)", i), string(got.Text))
	}
}

// Text is found in what a text quotes, and in the texts of lists, which exporters fill
// with messages in JSON.
func TestQuotedTextIsLeftOut(t *testing.T) {
	message := `{\"role\":\"user\",\"content\":\"` + secret + `\"}`
	for what, value := range map[string]string{
		"a list of messages":       `{"arrayValue":{"values":[{"stringValue":"` + message + `"},{"intValue":"7"}]}}`,
		"a map with a message":     `{"kvlistValue":{"values":[{"key":"raw","value":{"stringValue":" ` + message + `"}}]}}`,
		"lists in each other":      `{"arrayValue":{"values":[{"arrayValue":{"values":[{"stringValue":"[` + message + `]"}]}}]}}`,
		"blanks in front":          `{"stringValue":"\n ` + message + `"}`,
		"a quoted document":        `{"stringValue":"\"` + strings.ReplaceAll(message, `\"`, `\\\"`) + `\""}`,
		"a document in a document": `{"stringValue":"{\"meta\":\"` + strings.ReplaceAll(message, `\"`, `\\\"`) + `\"}"}`,
		"one that is cut":          `{"stringValue":"{\"meta\":\"` + strings.ReplaceAll(message, `\"`, `\\\"`) + `"}`,
	} {
		got := result{set: table.NewSet(), account: &table.Account{}}
		d := NewDecoder(got.set, got.account, "input")
		text := `{"resourceSpans":[{"scopeSpans":[{"spans":[` + spanText(1, `,"attributes":[{"key":"metadata","value":`+value+`},{"key":"tags","value":{"arrayValue":{"values":[{"stringValue":"{blue}"}]}}}]`) + `]}]}]}`
		if err := d.Read(strings.NewReader(text), JSON, Start{Line: 1}); err != nil {
			t.Fatal(err)
		}
		got.stats = d.Stats()
		all := got.everything()
		if got.stats.Spans != 1 || strings.Contains(all, secret) || !strings.Contains(all, "left out (") {
			t.Errorf("%s: %+v:\n%s", what, got.stats, all)
		}
		if !strings.Contains(all, "{blue}") {
			t.Errorf("%s: another list was changed", what)
		}
	}
}
