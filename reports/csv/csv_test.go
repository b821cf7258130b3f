package csv

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tailpath/tailpath/reports"
)

var update = flag.Bool("update", false, "write the golden files")

// fixed returns the documents that package reports keeps as golden files.
func fixed(t testing.TB) map[string]reports.Document {
	t.Helper()
	paths, err := filepath.Glob("../testdata/*.json")
	if err != nil || len(paths) == 0 {
		t.Fatal("no documents: ", err)
	}
	docs := map[string]reports.Document{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		d, err := reports.ReadJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatal(path, ": ", err)
		}
		docs[strings.TrimSuffix(filepath.Base(path), ".json")] = d
	}
	return docs
}

func written(t testing.TB, d reports.Document, name string) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, d, name); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGoldenTables(t *testing.T) {
	docs := fixed(t)
	for document, tables := range map[string][]string{
		"summary":      {"", List, documentTable, "summary.duration.bands.stages", "inputs.lines.unused"},
		"summary_by":   {"summary.by.groups.duration.percentiles"},
		"summary_slo":  {"summary.objectives.terms.limits"},
		"explain":      {"", "requests.rows.marks"},
		"inspect":      {""},
		"queue":        {"", "queue.where.places"},
		"capacity":     {""},
		"compare":      {"", List, "compare.metrics.at.parts"},
		"queue_empty":  {"queue.when.incidents"}, // the columns alone
		"explain_none": {""},
	} {
		for _, name := range tables {
			file := document + "." + name
			if name == "" {
				file = document
			}
			t.Run(file, func(t *testing.T) {
				got, path := written(t, docs[document], name), filepath.Join("testdata", file+".csv")
				if *update {
					if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
						t.Fatal(err)
					}
					return
				}
				want, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(string(want), got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		}
	}
}

// TestEveryTableIsDescribed holds the list of tables to the document's types.
func TestEveryTableIsDescribed(t *testing.T) {
	names := map[string]bool{}
	for _, s := range shapes() {
		if names[s.name] || s.name == List {
			t.Errorf("the name %s is taken", s.name)
		}
		names[s.name] = true
		if s.about == "" {
			t.Errorf("about.go says nothing of the rows of %s", s.name)
		}
		columns := s.columns()
		if len(columns) == 0 {
			t.Errorf("%s has no columns", s.name)
		}
		slices.Sort(columns)
		if unlike := slices.Compact(slices.Clone(columns)); len(unlike) != len(columns) {
			t.Errorf("%s has a column twice: %v", s.name, columns)
		}
	}
	for kind, name := range mainTables {
		if !names[name] {
			t.Errorf("the main table of %s documents, %s, is none", kind, name)
		}
	}
	for _, d := range fixed(t) {
		if _, ok := mainTables[d.Kind]; !ok {
			t.Errorf("%s documents have no main table", d.Kind)
		}
	}
}

// object is an object of the JSON with the places of the lists that it is in.
type object struct {
	places []string
	value  map[string]any
}

// objectsAt returns the objects at a path of the JSON, through every list on the way.
func objectsAt(value any, path []string, places []string) (out []object) {
	switch v := value.(type) {
	case []any:
		for i, x := range v {
			out = append(out, objectsAt(x, path, append(slices.Clone(places), fmt.Sprint(i+1)))...)
		}
	case map[string]any:
		if len(path) == 0 {
			return []object{{places, v}}
		}
		out = objectsAt(v[path[0]], path[1:], places)
	}
	return out
}

// at returns the value of a column in an object, nil for one that is null or absent.
func at(value any, column string) any {
	for name := range strings.SplitSeq(column, ".") {
		object, ok := value.(map[string]any)
		if !ok {
			return nil
		}
		value = object[name]
	}
	return value
}

// TestTablesAreTheListsOfTheJSON takes every golden document as JSON, and finds in each table
// a row for each object at its path, with the figures that are written there.
func TestTablesAreTheListsOfTheJSON(t *testing.T) {
	rows, cells := 0, 0
	docs := fixed(t)
	for _, name := range slices.Sorted(maps.Keys(docs)) {
		var b bytes.Buffer
		if err := reports.WriteJSON(&b, docs[name]); err != nil {
			t.Fatal(err)
		}
		decoder := json.NewDecoder(&b)
		decoder.UseNumber()
		var tree any
		if err := decoder.Decode(&tree); err != nil {
			t.Fatal(err)
		}
		for _, table := range Tables(docs[name]) {
			path := strings.Split(table.Name, ".")
			if table.Name == documentTable {
				path = nil
			}
			objects := objectsAt(tree, path, nil)
			if len(objects) != len(table.Rows) {
				t.Errorf("%s: %s has %d rows for %d objects", name, table.Name, len(table.Rows), len(objects))
				continue
			}
			rows += len(objects)
			for i, o := range objects {
				place := 0
				for c, column := range table.Columns {
					got := table.Rows[i][c]
					if strings.HasSuffix(column, ".row") && place < len(o.places)-1 {
						if got != o.places[place] {
							t.Errorf("%s: %s row %d: %s is %s, want %s", name, table.Name, i, column, got, o.places[place])
						}
						place++
						continue
					}
					if place > 0 && c < len(table.Columns)-len(own(table.Name)) {
						continue // a key of an object above
					}
					want := ""
					switch v := at(o.value, column).(type) {
					case nil:
					case string:
						want = guarded(spelled(v))
					case []any:
						continue
					default:
						want = fmt.Sprint(v)
					}
					if cells++; got != want {
						t.Errorf("%s: %s row %d: %s is %q, want %q", name, table.Name, i, column, got, want)
					}
				}
				if place != max(0, len(o.places)-1) {
					t.Errorf("%s: %s does not say where row %d is", name, table.Name, i)
				}
			}
		}
	}
	if rows < 1000 || cells < 10_000 {
		t.Errorf("only %d rows and %d cells were compared", rows, cells)
	}
}

// own returns the columns of a table that are not of the objects above.
func own(name string) []field {
	i := slices.IndexFunc(shapes(), func(s shape) bool { return s.name == name })
	return shapes()[i].own
}

func TestListHasTheTablesWithRows(t *testing.T) {
	for name, d := range fixed(t) {
		rows, err := csv.NewReader(strings.NewReader(written(t, d, List))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		listed := map[string]string{}
		for _, row := range rows[1:] {
			listed[row[0]] = row[1]
		}
		for _, table := range Tables(d) {
			want := ""
			if n := len(table.Rows); n > 0 {
				want = fmt.Sprint(n)
			}
			if listed[table.Name] != want {
				t.Errorf("%s: %s is listed with %q rows, want %q", name, table.Name, listed[table.Name], want)
			}
		}
	}
}

func TestUnknownTableNamesThoseWithRows(t *testing.T) {
	d := fixed(t)["summary_few"]
	for _, name := range []string{"percentiles", "queue.bands", "summary.duration"} {
		var unknown *UnknownError
		if err := Write(&bytes.Buffer{}, d, name); !errors.As(err, &unknown) {
			t.Fatalf("%s: %v", name, err)
		}
		if !slices.Contains(unknown.Have, "summary.duration.percentiles") || slices.Contains(unknown.Have, "summary.by.groups") {
			t.Errorf("%s: %v", name, unknown)
		}
	}
	// A table of this kind without rows is no error.
	if got := written(t, d, "summary.by.groups"); strings.Count(got, "\n") != 1 {
		t.Errorf("got %q", got)
	}
}

// TestCellsThatReadersMistakeAreQuoted: readers drop spaces and empty lines, and those that guess
// the format take an apostrophe at the start of a cell for the quotation mark of the file.
func TestCellsThatReadersMistakeAreQuoted(t *testing.T) {
	for _, c := range []struct {
		cells []string
		want  string
	}{
		{[]string{"a", "", "it's"}, "a,,it's"}, {[]string{"'=1", "'b c' d"}, `"'=1","'b c' d"`}, {[]string{" a", "b "}, `" a","b "`},
		{[]string{`say "a"`, "b,c"}, `"say ""a""","b,c"`}, {[]string{""}, `""`}, {[]string{"-1", "0.5"}, "-1,0.5"},
	} {
		var b strings.Builder
		out := bufio.NewWriter(&b)
		line(out, c.cells)
		if err := out.Flush(); err != nil || b.String() != c.want+"\n" {
			t.Errorf("%q is written as %s", c.cells, b.String())
		}
		if got, err := csv.NewReader(strings.NewReader(b.String())).Read(); err != nil || !slices.Equal(got, c.cells) {
			t.Errorf("%q is read as %q, %v", c.cells, got, err)
		}
	}
}
