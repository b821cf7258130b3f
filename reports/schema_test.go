package reports_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/analyze"
	"github.com/tailpath/tailpath/reports"
)

type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

func compiled(t failer) *jsonschema.Schema {
	t.Helper()
	schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(reports.SchemaJSON()))
	if err != nil {
		t.Fatalf("schema.json: %v", err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("document.json", schema); err != nil {
		t.Fatalf("schema.json: %v", err)
	}
	s, err := c.Compile("document.json")
	if err != nil {
		t.Fatalf("schema.json: %v", err)
	}
	return s
}

func encoded(t failer, d reports.Document) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := reports.WriteJSON(&b, d); err != nil {
		t.Fatalf("%v", err)
	}
	return b.Bytes()
}

func validate(t failer, s *jsonschema.Schema, text []byte) error {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%v", err)
	}
	return s.Validate(value)
}

func TestDocumentsSatisfyTheSchema(t *testing.T) {
	s := compiled(t)
	docs := documents()
	for _, name := range slices.Sorted(maps.Keys(docs)) {
		if err := validate(t, s, encoded(t, docs[name])); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSchemaRefuses makes sure that the schema can fail.
func TestSchemaRefuses(t *testing.T) {
	s := compiled(t)
	text := string(encoded(t, documents()["summary"]))
	for _, change := range [][2]string{
		{`"schema_version": 3`, `"schema_version": 2`},
		{`"kind": "summary"`, `"kind": "explain"`},
		{`"headline"`, `"head_line"`},
		{`"stage": "gpu"`, `"stage": "execute"`},
		{`"mean_ns": 2`, `"mean_ns": 2.5e-1`},
		{`"severity": "error"`, `"severity": "fatal"`},
		{`"next": `, `"later": "", "next": `},
	} {
		broken := strings.Replace(text, change[0], change[1], 1)
		if broken == text {
			t.Errorf("%s is not in the document", change[0])
			continue
		}
		if validate(t, s, []byte(broken)) == nil {
			t.Errorf("%s instead of %s satisfies the schema", change[1], change[0])
		}
	}
}

// TestSchemaNamesNothingElse finds schema properties that no document has: names
// that were renamed or removed in the code alone.
func TestSchemaNamesNothingElse(t *testing.T) {
	used := map[string]bool{}
	for _, d := range documents() {
		var value any
		if err := json.Unmarshal(encoded(t, d), &value); err != nil {
			t.Fatal(err)
		}
		collect(value, used)
	}
	// Names that appear with rare input only.
	for _, rare := range []string{"mark", "request_id", "class_reason", "repair", "first", "pooled", "v", "unasked_by_side", "more_values"} {
		used[rare] = true
	}
	var schema any
	if err := json.Unmarshal(reports.SchemaJSON(), &schema); err != nil {
		t.Fatal(err)
	}
	for _, name := range propertyNames(schema, nil) {
		if !used[name] {
			t.Errorf("property %q is in the schema and in no document", name)
		}
	}
}

func collect(value any, into map[string]bool) {
	switch v := value.(type) {
	case map[string]any:
		for name, x := range v {
			into[name] = true
			collect(x, into)
		}
	case []any:
		for _, x := range v {
			collect(x, into)
		}
	}
}

func propertyNames(value any, names []string) []string {
	switch v := value.(type) {
	case map[string]any:
		for key, x := range v {
			if properties, ok := x.(map[string]any); ok && key == "properties" {
				names = slices.AppendSeq(names, maps.Keys(properties))
			}
			names = propertyNames(x, names)
		}
	case []any:
		for _, x := range v {
			names = propertyNames(x, names)
		}
	}
	return names
}

func TestReadJSONGivesTheDocumentBack(t *testing.T) {
	for name, d := range documents() {
		text := encoded(t, d)
		back, err := reports.ReadJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if again := encoded(t, back); !bytes.Equal(text, again) {
			t.Errorf("%s is not the same after reading it back", name)
		}
	}
	for _, text := range []string{"", "{", "[]", `{"schema":"other"}`, `{"schema":"tailpath.document","schema_version":2}`, `{"schema":"tailpath.document","schema_version":3,"new":1}`} {
		if _, err := reports.ReadJSON(strings.NewReader(text)); err == nil {
			t.Errorf("%q was read as a document", text)
		}
	}
}

// TestDocumentNumbersAddUp checks the integers of a document of random size: stage
// means add up to the mean, excesses to the excess, shares to 1, requests to all.
func TestDocumentNumbersAddUp(t *testing.T) {
	schema := compiled(t)
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 700).Draw(t, "n")
		opt := analyze.Options{
			Replicates: 100,
			Errors:     analyze.Inclusion(rapid.IntRange(0, 2).Draw(t, "errors")),
			Incomplete: analyze.Inclusion(rapid.IntRange(0, 2).Draw(t, "incomplete")),
		}
		weight := rapid.SampledFrom([]float64{0, 1, 4}).Draw(t, "weight")
		d := run("summary").Summary(analyze.Summarize(incident(n, func(int) float64 { return weight }), opt))
		if err := validate(t, schema, encoded(t, d)); err != nil {
			t.Fatalf("%v", err)
		}
		s := d.Summary
		left := s.Population.Used
		for _, x := range s.Population.Excluded {
			left += x.N
		}
		if left != s.Population.Requests {
			t.Fatalf("%d of %d requests are accounted for", left, s.Population.Requests)
		}
		for _, l := range []reports.Latency{s.Duration, s.TTFT} {
			mixes := []reports.Mix{l.All, l.Tail.Tail, l.Tail.Body}
			for _, b := range l.Bands {
				mixes = append(mixes, b.Mix)
			}
			for _, m := range mixes {
				var ns int64
				var share float64
				for _, st := range m.Stages {
					ns, share = ns+st.MeanNS, share+st.Share
				}
				if ns != m.MeanNS || m.MeanNS > 0 && (share < 1-1e-9 || share > 1+1e-9) {
					t.Fatalf("stages add to %d ns and %v of %d ns", ns, share, m.MeanNS)
				}
			}
			excess := l.Tail.ExcessNS
			for _, st := range l.Tail.Stages {
				excess -= st.ExcessNS
			}
			if excess != 0 {
				t.Fatalf("excesses are %d ns off", excess)
			}
			if p := l.Tail.ExcessPercents(); p != nil {
				if sum := sumOf(t, p); sum != "100.0" {
					t.Fatalf("written shares of the excess add to %s", sum)
				}
			}
		}
	})
}

// sumOf adds numbers with one decimal as they are written.
func sumOf(t *rapid.T, texts []string) string {
	var tenths int64
	for _, text := range texts {
		var whole, tenth int64
		digits := strings.TrimPrefix(text, "-")
		if _, err := fmt.Sscanf(digits, "%d.%d", &whole, &tenth); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if digits != text {
			whole, tenth = -whole, -tenth
		}
		tenths += 10*whole + tenth
	}
	return reports.PercentText(tenths)
}
