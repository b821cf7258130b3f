package table

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestSchemasAreWhole(t *testing.T) {
	seen := map[string]bool{}
	s := NewSet() // binds every table, which panics when a column has no slice
	for i, schema := range Schemas() {
		if s.Tables()[i].Schema() != schema {
			t.Errorf("table %d of a set is not %s", i, schema.Name)
		}
		if seen[schema.Name] || schema.Doc == "" || len(schema.Key) == 0 {
			t.Errorf("table %s lacks a doc, a key, or a name of its own", schema.Name)
		}
		columns := map[string]bool{}
		for _, f := range schema.Fields {
			at := schema.Name + "." + f.Name
			if columns[f.Name] || f.Doc == "" {
				t.Errorf("%s lacks a doc or a name of its own", at)
			}
			columns[f.Name] = true
			if (f.Type == Enum) != (len(f.Names) > 0) || len(f.Names) > 127 {
				t.Errorf("%s has %d names", at, len(f.Names))
			}
			if strings.HasSuffix(f.Name, "_ns") != (f.Unit == "ns") {
				t.Errorf("%s has the unit %q", at, f.Unit)
			}
			if f.Refs != "" && (!seen[f.Refs] || f.Type != Int32 || f.Nullable) {
				t.Errorf("%s refers to %s, which must be a table before it", at, f.Refs)
			}
			if f.Nullable && slices.Contains([]Type{Int32, Bool, Enum, Map}, f.Type) {
				t.Errorf("%s may be absent and has no value for that", at)
			}
		}
		for _, key := range schema.Key {
			if !columns[key] {
				t.Errorf("the key of %s names %s, which is no column", schema.Name, key)
			}
		}
		if f, _ := schema.Field(schema.Key[0]); schema.Recorded && (len(schema.Key) != 1 || f.Refs == "" || schema.Fields[0].Name != f.Name) {
			t.Errorf("the rows of %s are to keep recorded order within no owner", schema.Name)
		}
		seen[schema.Name] = true
	}
}

func TestGrowGivesAbsentValues(t *testing.T) {
	s := NewSet()
	for _, table := range s.Tables() {
		if row := table.Grow(); row != 0 || table.Len() != 1 {
			t.Fatalf("the first row of %s is %d of %d", table.schema.Name, row, table.Len())
		}
		for k, f := range table.schema.Fields {
			if f.Nullable && !absence(table.cols[k])(0) {
				t.Errorf("%s.%s is there in a new row", table.schema.Name, f.Name)
			}
		}
	}
	if _, ok := s.Table("spans"); !ok {
		t.Error("there is no table spans")
	}
	if _, ok := s.Table("span"); ok {
		t.Error("there is a table span")
	}
}

func TestSameLeavesOutTheNamedColumns(t *testing.T) {
	s := NewSet()
	s.Scopes.Grow()
	for range 2 {
		s.Spans.Grow()
	}
	s.Spans.Line[1] = 7
	s.Spans.Attributes.Add(0, BoolValue(true))
	for _, c := range []struct {
		but  []string
		want bool
	}{{nil, false}, {[]string{"line"}, false}, {[]string{"attributes"}, false}, {[]string{"attributes", "line"}, true}} {
		if got := s.Spans.Same(0, 1, c.but...); got != c.want {
			t.Errorf("but for %v the spans are the same: %v", c.but, got)
		}
	}
}

func TestSchemaPage(t *testing.T) {
	var page bytes.Buffer
	if err := WriteSchemaPage(&page); err != nil {
		t.Fatal(err)
	}
	const golden = "testdata/schema.golden.md"
	if *update {
		if err := os.WriteFile(golden, page.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, page.Bytes()) {
		t.Errorf("the schema page differs from %s; look at it and run go test -update", golden)
	}
	if err := WriteSchemaPage(&failingWriter{room: 5000, err: os.ErrClosed}); err != os.ErrClosed {
		t.Errorf("a failed writer gives the error %v", err)
	}
}

// TestArrowStaysSmall keeps out the parts of the Arrow module that Parquet and IPC do
// not need. pqarrow imports flight for one function, and with it gRPC and protobuf,
// which makes a binary that reads and writes tables 31 MB instead of 12; compute
// brings 11 MB of kernels, whose panics happen in goroutines that nobody can guard.
func TestArrowStaysSmall(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Skipf("go list: %v", err)
	}
	for _, dep := range strings.Fields(string(out)) {
		for _, banned := range []string{"/parquet/pqarrow", "/arrow/flight", "/arrow/compute", "google.golang.org/grpc", "google.golang.org/protobuf"} {
			if strings.Contains(dep, banned) {
				t.Errorf("%s is imported", dep)
			}
		}
	}
}
