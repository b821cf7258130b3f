package otlp

import (
	"encoding/hex"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/ingest/table"
)

// Every way to write an id gives the same bytes, and only the first is not foreign.
func TestIDSpellings(t *testing.T) {
	trace := []string{
		"9e2a3dc06074b17540d54de4e51e735f", "9E2A3DC06074B17540D54DE4E51E735F", "0x9e2a3dc06074b17540d54de4e51e735f",
		"nio9wGB0sXVA1U3k5R5zXw==", "nio9wGB0sXVA1U3k5R5zXw",
		"OWUyYTNkYzA2MDc0YjE3NTQwZDU0ZGU0ZTUxZTczNWY=",
	}
	var want [16]byte
	if _, err := hex.Decode(want[:], []byte(trace[0])); err != nil {
		t.Fatal(err)
	}
	for i, text := range trace {
		var id [16]byte
		foreign, ok := readID(id[:], []byte(text))
		if !ok || id != want || foreign != (i >= 2) {
			t.Errorf("%q: %x, foreign %v, ok %v", text, id, foreign, ok)
		}
	}
	for text, want := range map[string]string{
		"":                         "0000000000000000",
		"00f067aa0ba902b7":         "00f067aa0ba902b7",
		"f067aa0ba902b7":           "00f067aa0ba902b7", // leading zeros lost
		"0xF067AA0BA902B7":         "00f067aa0ba902b7",
		"APBnqgupArc=":             "00f067aa0ba902b7",
		"AAAAAAAAAaA":              "00000000000001a0", // base64 without padding, of hex digits of both cases
		"aaaaaaaaaaa":              "00000aaaaaaaaaaa", // of one case: hex
		"MDBmMDY3YWEwYmE5MDJiNw==": "00f067aa0ba902b7", // base64 of the hex text
	} {
		var id [8]byte
		_, ok := readID(id[:], []byte(text))
		if got := hex.EncodeToString(id[:]); !ok || got != want {
			t.Errorf("%q: %s, ok %v, want %s", text, got, ok, want)
		}
	}
	for _, text := range []string{"xyz", "00f067aa0ba902b700", "zzf067aa0ba902b7", "====", "0x", "AAA+", "gggg"} {
		var id [8]byte
		if _, ok := readID(id[:], []byte(text)); ok {
			t.Errorf("%q was taken for the span id %x", text, id)
		}
	}
	var id [16]byte
	if _, ok := readID(id[:], []byte("a3ce929d0e0e4736")); !ok || hex.EncodeToString(id[:]) != "0000000000000000a3ce929d0e0e4736" {
		t.Errorf("a trace id of 64 bits became %x", id)
	}
}

// Any id comes back from all of its spellings.
func TestIDRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.SampledFrom([]int{8, 16}).Draw(rt, "size")
		want := rapid.SliceOfN(rapid.Byte(), n, n).Draw(rt, "id")
		for _, text := range idSpellings(want) {
			got := make([]byte, n)
			if _, ok := readID(got, []byte(text)); !ok {
				rt.Fatalf("%q is not read", text)
			}
			diff(rt, text, want, got)
		}
	})
}

func TestLostDigits(t *testing.T) {
	for n, want := range map[uint64]bool{
		1711138246978235400: true,  // as JavaScript prints it
		1711138246978000000: false, // milliseconds
		1711138246978235000: false, // microseconds
		1711138246978235423: false,
		1711138246978235500: false, // not the shortest form of any double
		12300:               false,
	} {
		if got := lostDigits(n); got != want {
			t.Errorf("%d: %v", n, got)
		}
	}
}

// Each case is the text of one span member in place of the usual one, what the row
// must hold, and what must be counted.
func TestLenientFields(t *testing.T) {
	start := func(s *table.Set) any { return s.Spans.Start[0] }
	end := func(s *table.Set) any { return s.Spans.End[0] }
	kind := func(s *table.Set) any { return table.KindNames[s.Spans.Kind[0]] }
	status := func(s *table.Set) any { return table.StatusNames[s.Spans.Status[0]] }
	attr := func(s *table.Set) any { return get(s, &s.Spans.Attributes, 0, "k") }
	value := func(text string) string { return `"attributes":[{"key":"k","value":` + text + `}]` }
	cases := []struct {
		member string
		get    func(*table.Set) any
		want   any
		issues []string
	}{
		{`"startTimeUnixNano":1711138246978235423`, start, int64(1711138246978235423), nil},
		{`"startTimeUnixNano":1711138246978235400`, start, int64(1711138246978235400), []string{"otlp-imprecise-time=1"}},
		{`"startTimeUnixNano":"1711138246978235400"`, start, int64(1711138246978235400), nil},
		{`"startTimeUnixNano":1.7e18`, start, int64(17e17), nil},
		{`"startTimeUnixNano":{"low":-1013133952,"high":395276536}`, start, int64(395276536)<<32 | int64(uint32(3281833344)), nil},
		{`"startTimeUnixNano":{"high":1,"unsigned":true,"low":2}`, start, int64(1)<<32 | 2, nil},
		{`"startTimeUnixNano":null`, start, int64(0), nil},
		{`"start_time_unix_nano":"5"`, start, int64(5), nil},
		{`"endTimeUnixNano":"0"`, end, int64(0), nil},
		{`"kind":3`, kind, "CLIENT", nil},
		{`"kind":"3"`, kind, "CLIENT", nil},
		{`"kind":"SPAN_KIND_CLIENT"`, kind, "CLIENT", nil},
		{`"kind":"CLIENT"`, kind, "CLIENT", nil},
		{`"kind":"client"`, kind, "CLIENT", nil},
		{`"kind":null`, kind, "UNSPECIFIED", nil},
		{`"kind":"SPAN_KIND_FANCY"`, kind, "UNSPECIFIED", []string{"otlp-unknown-enum=1"}},
		{`"kind":77`, kind, "UNSPECIFIED", []string{"otlp-unknown-enum=1"}},
		{`"status":{"code":"ERROR"}`, func(s *table.Set) any { return table.StatusNames[s.Spans.Status[0]] }, "ERROR", nil},
		{`"status":null`, func(s *table.Set) any { return table.StatusNames[s.Spans.Status[0]] }, "UNSET", nil},
		{value(`{"intValue":"9007199254740993"}`), attr, "int 9007199254740993", nil},
		{value(`{"intValue":-7}`), attr, "int -7", nil},
		{value(`{"intValue":3.0}`), attr, "int 3", nil},
		{value(`{"intValue":1.5e3}`), attr, "int 1500", nil},
		{value(`{"intValue":{"low":5,"high":0}}`), attr, "int 5", nil},
		{value(`{"intValue":{"low":-1,"high":-1}}`), attr, "int -1", nil},
		{value(`{"intValue":null}`), attr, "empty ", nil},
		{value(`{"intValue":2.5}`), attr, "double 2.5", []string{"otlp-repaired-value=1"}},
		{value(`{"intValue":"many"}`), attr, "string many", []string{"otlp-repaired-value=1"}},
		{value(`{"intValue":{"a":1}}`), attr, `string {"a":1}`, []string{"otlp-repaired-value=1"}},
		{value(`{"doubleValue":"0.25"}`), attr, "double 0.25", nil},
		{value(`{"doubleValue":"NaN"}`), attr, "double NaN", nil},
		{value(`{"doubleValue":NaN}`), attr, "double NaN", nil},
		{value(`{"doubleValue":"-Infinity"}`), attr, "double -Inf", nil},
		{value(`{"doubleValue":1e999}`), attr, "double +Inf", []string{"otlp-repaired-value=1"}},
		{value(`{"boolValue":true}`), attr, "bool true", nil},
		{value(`{"boolValue":"true"}`), attr, "bool true", []string{"otlp-repaired-value=1"}},
		{value(`{"boolValue":0}`), attr, "bool false", []string{"otlp-repaired-value=1"}},
		{value(`{"bytesValue":"AAEC"}`), attr, "bytes \x00\x01\x02", nil},
		{value(`{"bytesValue":"!"}`), attr, "string !", []string{"otlp-repaired-value=1"}},
		{value(`{"string_value":"x"}`), attr, "string x", nil},
		{value(`"plain"`), attr, "string plain", []string{"otlp-repaired-value=1"}},
		{value(`12`), attr, "int 12", []string{"otlp-repaired-value=1"}},
		{value(`null`), attr, "empty ", nil},
		{value(`{}`), attr, "empty ", nil},
		{value(`{"arrayValue":{"values":[ {"int_value":1} , {"stringValue":"\u0041\/\n"},{"arrayValue":{}},null]}}`), attr,
			`array {"values":[{"intValue":"1"},{"stringValue":"A/\n"},{"arrayValue":{"values":[]}},{}]}`, nil},
		{value(`{"kvlistValue":{"values":[{"value":{"doubleValue":1.5},"key":"b"},{"key":"a","value":{"boolValue":true}}]}}`), attr,
			`kvlist {"values":[{"key":"b","value":{"doubleValue":1.5}},{"key":"a","value":{"boolValue":true}}]}`, nil},
		{`"attributes":{"k":1}`, attr, "int 1", []string{"otlp-repaired-value=1"}},
		{`"attributes":{"a":true,"k":{"stringValue":"x"},"b":{"c":[1]}}`, attr, "string x", []string{"otlp-repaired-value=1"}},
		{`"attributes":{"k":{"a":1}}`, attr, `string {"a":1}`, []string{"otlp-repaired-value=1"}},
		{`"attributes":{}`, attr, "absent", nil},
		{`"attributes":""`, attr, "absent", nil},
		{`"attributes":"k=1"`, attr, "absent", []string{"otlp-left-out=1"}},
		{`"attributes":[3,{"key":"k","value":{"intValue":1}}]`, attr, "int 1", []string{"otlp-left-out=1"}},
		{`"status":"ERROR"`, status, "ERROR", []string{"otlp-repaired-value=1"}},
		{`"status":2`, status, "ERROR", []string{"otlp-repaired-value=1"}},
		{`"status":{}`, status, "UNSET", nil},
		{`"status":[2]`, status, "UNSET", []string{"otlp-left-out=1"}},
		{`"events":{},"links":""`, status, "UNSET", nil},
		{`"events":{"a":1},"links":7`, status, "UNSET", []string{"otlp-left-out=2"}},
		{`"endTimeUnixNano":""`, end, int64(0), nil},
		{`"parentSpanId":"null"`, func(s *table.Set) any { return s.Spans.ParentID[0] }, table.SpanID{}, []string{"otlp-repaired-value=1"}},
		{`"Start_Time_Unix_Nano":"7"`, start, int64(7), nil},
		{value(`{"kvlistValue":{"values":{}}}`), attr, `kvlist {"values":[]}`, nil},
		{value(`{"arrayValue":7}`), attr, `array {"values":[]}`, []string{"otlp-left-out=1"}},
		{`"attributes":[{"key":"k","value":{"intValue":1}},{"key":"k","value":{"intValue":2}}]`, attr, "int 2", nil},
		{`"parentSpanId":null`, func(s *table.Set) any { return s.Spans.ParentID[0] }, table.SpanID{}, nil},
		{`"name":17`, func(s *table.Set) any { return s.Symbols.Text(s.Spans.Name[0]) }, "17", []string{"otlp-repaired-value=1"}},
		{`"unknown":{"a":[1,{"b":"]}"}]},"flags":257`, func(s *table.Set) any { return s.Spans.Flags[0] }, int64(257), nil},
		{`"droppedAttributesCount":1,"droppedEventsCount":"2","dropped_links_count":3`, func(s *table.Set) any { return s.Spans.Dropped[0] }, int64(6), nil},
	}
	for _, tc := range cases {
		t.Run(tc.member, func(t *testing.T) {
			span := `{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"0000000000000001",` + tc.member + `}`
			for _, pretty := range []bool{false, true} {
				text := doc(span)
				if pretty {
					text = strings.NewReplacer(`{`, "{\n\t ", `,"`, " ,\r\n  \"", `":`, `" : `).Replace(text)
				}
				got := readAs(t, []byte(text), JSON)
				if got.stats.Spans != 1 {
					t.Fatalf("no span; issues %v", got.issues())
				}
				if pretty && strings.Contains(tc.member, `{"a":1}`) {
					continue // the text is kept with its blanks
				}
				diff(t, "field", tc.want, tc.get(got.set))
				if len(tc.issues) > 0 || len(got.issues()) > 0 {
					diff(t, "issues", tc.issues, got.issues())
				}
			}
		})
	}
}

func TestShapesOfDocuments(t *testing.T) {
	span := spanText(1, "")
	scopes := `"scopeSpans":[{"spans":[` + span + `]}]`
	for _, input := range []string{
		doc(span),
		"\xef\xbb\xbf" + doc(span),
		strings.Repeat("\x00", 4096) + doc(span),
		"\r\n\r\n" + doc(span) + "\r\n\r\n",
		"[" + doc(span) + "]",
		"\x1e" + doc(span) + "\n",
		`{"batches":[{` + scopes + `}]}`,
		`{"result":{"resourceSpans":[{` + scopes + `}]}}`,
		`{"trace":{"resourceSpans":[{` + scopes + `}]},"status":"COMPLETE"}`,
		`{"data":{"resource_spans":[{` + scopes + `}]}}`,
		`{"resourceSpans":[{"instrumentationLibrarySpans":[{"instrumentationLibrary":{"name":"x"},"spans":[` + span + `]}]}]}`,
		`{"resourceSpans":[{"scope_spans":[{"scope":null,"spans":[` + span + `],}],"resource":{},}],}`,
		`{"schemaVersion":3,"extra":{"a":[{"b":"\"}]"}]},"resourceSpans":[{` + scopes + `}]}`,
		`{"data":[{"resourceSpans":[{` + scopes + `}]}]}`,
		`{"Resource_Spans":[{"ScopeSpans":[{"SPANS":[` + span + `]}]}]}`,
		`{"resourceSpans":[{` + scopes + `},{"scopeSpans":{}},{"scopeSpans":""},{"scopeSpans":[{"spans":{ }},{"spans":null}]}],"resourceLogs":{}}`,
		strings.ReplaceAll(strings.ReplaceAll(doc(span), `"traceId"`, `"traceID"`), `"spanId"`, `"spanID"`),
	} {
		got := read(t, []byte(input))
		if got.stats.Spans != 1 || len(got.issues()) > 0 || got.set.Spans.SpanID[0] != (table.SpanID{7: 1}) {
			t.Errorf("%.60q: %d spans, issues %v", input, got.stats.Spans, got.issues())
		}
	}
	got := read(t, []byte(doc(spanText(1, ""))+doc(spanText(2, ""))+" "+doc(spanText(3, ""))))
	if got.stats.Spans != 3 || got.stats.Documents != 3 || len(got.issues()) > 0 {
		t.Errorf("concatenated documents: %+v, issues %v", got.stats, got.issues())
	}
}

func TestSeverities(t *testing.T) {
	for text, want := range map[string]int64{`17`: 17, `"17"`: 17, `"SEVERITY_NUMBER_WARN2"`: 14, `"Info"`: 9, `"FATAL4"`: 24, `null`: 0, `"LOUD"`: 0} {
		got := readAs(t, []byte(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"severityNumber":`+text+`,"body":{"stringValue":"b"}}]}]}]}`), JSON)
		if got.set.Logs.Len() != 1 || got.set.Logs.Severity[0] != want {
			t.Errorf("%s: %v", text, got.set.Logs.Severity)
		}
	}
}
