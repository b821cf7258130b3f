package otlp

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"pgregory.net/rapid"
)

// A value of a wrong type, wherever a list or an entry of one stands, costs no span that
// stands beside it, and is counted unless it is a way to write nothing.
func TestWrongValuesCostNoSpanBesideThem(t *testing.T) {
	wrong := rapid.SampledFrom([]string{"1", `"x"`, "true", "{}", `""`, "null", `{"a":[{"b":1}]}`, "[]", "-1.5e3", `[1,"]}"]`})
	rapid.Check(t, func(rt *rapid.T) {
		empty := map[string]bool{"{}": true, `""`: true, "null": true, "[]": true}
		counted := 0
		draw := func(isList bool) string {
			v := wrong.Draw(rt, "wrong")
			switch {
			case isList && !empty[v] && v[0] != '[': // what stands in an array is looked at by itself
				counted++
			case isList && v == `[1,"]}"]`:
				counted++
			case !isList && v[0] != '{' && v != "null":
				counted++
			}
			return v
		}
		var resources []string
		for range rapid.IntRange(1, 2).Draw(rt, "resources") {
			resources = append(resources, `{"scopeSpans":`+draw(true)+`}`, draw(false),
				`{"scopeSpans":[{"spans":`+draw(true)+`},`+draw(false)+`,{"spans":[`+spanText(1, "")+`]}]}`)
		}
		text := `{"resourceLogs":` + draw(true) + `,"resourceSpans":[` + strings.Join(resources, ",") + `]}`
		got := readAs(rt, []byte(text+"\n"+doc(spanText(2, ""))), JSON)
		if want := int64(len(resources)/3 + 1); got.stats.Spans != want {
			rt.Fatalf("%d spans of %d; issues %v\n%s", got.stats.Spans, want, got.issues(), text)
		}
		sum := got.account.Count(LeftOut.ID) + got.account.Count(BadSpan.ID) + got.account.Count(BadLog.ID)
		if got.account.Count(BadDocument.ID) > 0 || counted > 0 && sum == 0 {
			rt.Fatalf("%d wrong values; issues %v\n%s", counted, got.issues(), text)
		}
		diff(rt, "rows of a slow stream", got.rows(), readSlowly(rt, []byte(text+"\n"+doc(spanText(2, "")))).rows())
	})
}

// Documents in which nothing is found say so, with the name of the list that was met.
func TestDocumentsWithoutRowsAreCounted(t *testing.T) {
	span := spanText(1, "")
	for input, want := range map[string][]string{
		`{"resourceSpans":[{"ScopeSpan":[{"spans":[` + span + `]}]}]}`:        {"otlp-unknown-member=1", `"ScopeSpan"`},
		`{"resourceSpans":[{"resource":{},"spans":[` + span + `]}]}`:          {"otlp-unknown-member=1", `"spans"`},
		`{"resourceSpans":[{"scopeSpans":[{"span":[` + span + `],"x":{}}]}]}`: {"otlp-unknown-member=1", `"span"`},
	} {
		got := readAs(t, []byte(input), JSON)
		diff(t, input, want[:1], got.issues())
		if e := got.account.Entries()[0]; !strings.Contains(e.Detail, want[1]) {
			t.Errorf("%s: detail %q", input, e.Detail)
		}
	}
	for _, input := range []string{`{"resourceSpans":[{"scopeSpans":[]}]}`, `{"resourceSpans":[{"resource":{},"schemaUrl":"u"}]}`, `{"resourceSpans":[]}`} {
		if got := readAs(t, []byte(input), JSON); len(got.issues()) > 0 {
			t.Errorf("%s: issues %v", input, got.issues())
		}
	}
}

// Lines of Tempo recover as those of OTLP do, wherever the writer was killed, and make no
// row of nothing.
func TestKilledLinesOfTempo(t *testing.T) {
	for _, form := range []func(string) string{
		func(s string) string { return s },
		func(s string) string { return strings.Replace(s, `"resourceSpans"`, `"batches"`, 1) },
		func(s string) string { return strings.Replace(s, `"resourceSpans":`, ` "batches" : `, 1) },
	} {
		whole := form(doc(spanText(1, `,"attributes":[{"key":"k","value":{"stringValue":"v"}}],"status":{"code":2}`)))
		for cut := 1; cut < len(whole); cut++ {
			data := whole[:cut] + form(doc(spanText(2, ""))) + "\n" + form(doc(spanText(3, "")))
			got := readAs(t, []byte(data), JSON)
			var names []string
			for _, name := range got.set.Spans.Name {
				names = append(names, got.set.Symbols.Text(name))
			}
			if len(names) > 0 && names[0] == "n1" {
				names = names[1:]
			}
			if !slices.Equal(names, []string{"n2", "n3"}) || len(got.issues()) == 0 {
				t.Fatalf("cut at %d: spans %q, issues %v, stats %+v\n%s", cut, names, got.issues(), got.stats, whole[:cut])
			}
		}
	}
}

// A span of protobuf keeps its row when one of its attributes is nested too deeply.
func TestDeepAttributeInProtobuf(t *testing.T) {
	td := batch(3, 1)
	var v pcommon.Value = td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(1).Attributes().PutEmpty("deep")
	for range 200 {
		v = v.SetEmptySlice().AppendEmpty()
	}
	msg := protoOf(t, td)
	if _, err := traceReader.UnmarshalTraces(msg); err == nil {
		t.Fatal("pdata takes the message, which makes this test void")
	}
	want := oracleTraces(batch(3, 1)).rows()
	for form, data := range map[Form][]byte{Protobuf: msg, FramedProtobuf: frameOf(msg)} {
		got := readAs(t, data, form)
		diff(t, "rows", want, got.rows())
		diff(t, "issues", []string{"otlp-left-out=1"}, got.issues())
		if e := got.account.Entries()[0]; !bytes.Contains([]byte(e.Detail), []byte("record 2 ")) {
			t.Errorf("detail %q", e.Detail)
		}
	}
}
