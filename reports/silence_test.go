package reports

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A document that is silenced has none of the warnings, says how many it had, and is otherwise
// what it was; the one that it was made of is as before.
func TestSilencedWarningsAreCounted(t *testing.T) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	all := 0
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := ReadJSON(bytes.NewReader(data))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		ids := warningIDs(t, data)
		for _, c := range doc.SilencedCounts {
			ids[c.Name] += c.N
		}
		var list []string
		for id := range ids {
			list = append(list, id)
		}
		silent, unknown := doc.Silenced(append(list, "no-such-id"))
		if len(unknown) != 1 || unknown[0] != "no-such-id" {
			t.Errorf("%s: %q are told to be unknown", name, unknown)
		}
		for _, c := range silent.SilencedCounts {
			if ids[c.Name] != c.N {
				t.Errorf("%s: %d of %s, want %d", name, c.N, c.Name, ids[c.Name])
			}
			all++
		}
		if len(silent.SilencedCounts) != len(ids) {
			t.Errorf("%s: %d ids are counted, want %d", name, len(silent.SilencedCounts), len(ids))
		}
		var out, again bytes.Buffer
		if err := WriteJSON(&out, silent); err != nil {
			t.Fatal(err)
		}
		if left := warningIDs(t, out.Bytes()); len(left) != 0 {
			t.Errorf("%s: %v are still there", name, left)
		}
		if err := WriteJSON(&again, doc); err != nil || again.String() != string(data) {
			t.Errorf("%s: the document itself changed", name)
		}
		if same, none := doc.Silenced(nil); none != nil || !cmp.Equal(same, doc) {
			t.Errorf("%s: without ids it changes: %s", name, cmp.Diff(doc, same))
		}
	}
	if all == 0 {
		t.Error("no document had a warning")
	}
}

// warningIDs counts the objects of a JSON document that are warnings or entries of quality, by
// their keys alone.
func warningIDs(t *testing.T, data []byte) map[string]int64 {
	t.Helper()
	var doc any
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	ids := map[string]int64{}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			id, isID := v["id"].(string)
			_, text := v["text"]
			_, advice := v["advice"]
			if isID && (len(v) == 2 && text || advice && v["severity"] != nil) {
				ids[id]++
			}
			for _, e := range v {
				walk(e)
			}
		}
	}
	walk(doc)
	return ids
}

func TestSilencedIsInTheSchema(t *testing.T) {
	if !strings.Contains(string(SchemaJSON()), `"silenced"`) {
		t.Error("the schema does not have it")
	}
}
