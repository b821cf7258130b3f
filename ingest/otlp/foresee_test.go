package otlp

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// What one attribute teaches about the next one changes nothing: spans read behind
// each other come to the same as spans that are read by a decoder of their own.
func TestForesightChangesNothing(t *testing.T) {
	values := []string{`{"stringValue":"a"}`, `{"stringValue":"b\n"}`, `{"stringValue":""}`, `{"stringValue":3}`, `{"stringValue":"x","intValue":1}`,
		`{"intValue":"12"}`, `{"intValue":12}`, `{"intValue":-7}`, `{"intValue":"999999999999999999999"}`, `{"intValue":2.5}`, `{"intValue":1e3}`, `{"intValue":null}`,
		`{"intValue":"9223372036854775807"}`, `{"intValue":""}`, `{"doubleValue":0.5}`, `{"doubleValue":"0.5"}`, `{"doubleValue":7}`, `{"doubleValue":nope}`, `{"boolValue":true}`, `{"boolValue":false}`,
		`{"boolValue":"true"}`, `{"boolValue":truex}`, `{"arrayValue":{"values":[{"stringValue":"a"}]}}`, `{"stringValue":"a","more":1}`, `{}`, `null`, `"a"`, `{"stringValue" : "a" }`}
	draw := rapid.Custom(func(t *rapid.T) string {
		value := rapid.SampledFrom(values).Draw(t, "value")
		key := rapid.SampledFrom([]string{`"k"`, `"l"`, `17`, `"\u006b"`}).Draw(t, "key")
		form := rapid.SampledFrom([]string{`{"key":K,"value":V}`, `{ "key": K, "value": V }`, `{"value":V,"key":K}`, `{"key":K,"value":V,"key":"z"}`, `{"key":K,"x":1,"value":V}`}).Draw(t, "form")
		return strings.NewReplacer("K", key, "V", value).Replace(form)
	})
	rapid.Check(t, func(rt *rapid.T) {
		var spans []string
		for i := range rapid.IntRange(2, 8).Draw(rt, "spans") {
			spans = append(spans, spanText(i+1, `,"attributes":[`+strings.Join(rapid.SliceOfN(draw, 0, 3).Draw(rt, "attributes"), ",")+`]`))
		}
		got := readAs(rt, []byte(doc(spans...)), JSON)
		var rows []string
		repaired := int64(0)
		for _, span := range spans {
			one := readAs(rt, []byte(doc(span)), JSON)
			rows = append(rows, one.rows()...)
			repaired += one.account.Count(RepairedValue.ID)
		}
		diff(rt, "rows", rows, got.rows())
		diff(rt, "repaired", repaired, got.account.Count(RepairedValue.ID))
	})
}
