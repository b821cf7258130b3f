package table

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet/file"
	"pgregory.net/rapid"
)

func throughParquet(mem memory.Allocator) func(s *Set, from *Rows, into *Set, to *Rows) error {
	return func(s *Set, from *Rows, into *Set, to *Rows) error {
		var out bytes.Buffer
		if err := writeParquet(mem, &out, s, from); err != nil {
			return err
		}
		return readParquetFile(out.Bytes(), into, to)
	}
}

func readParquetFile(b []byte, s *Set, t *Rows) error {
	return ReadParquet(bytes.NewReader(b), int64(len(b)), "x.parquet", s, t)
}

func parquetFile(t testing.TB, s *Set, table *Rows) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := WriteParquet(&out, s, table); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestParquetComesBackEqualAndReturnsItsMemory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		s := sets(5).Draw(t, "set")
		if d := Difference(s, copyThrough(t, s, throughParquet(mem))); d != "" {
			t.Fatal(d)
		}
		mem.AssertSize(t, 0)
	})
}

func TestReadAppends(t *testing.T) {
	for name, copy := range map[string]func(s *Set, from *Rows, into *Set, to *Rows) error{
		"parquet": throughParquet(memory.NewGoAllocator()), "ipc": throughIPC(memory.NewGoAllocator()),
	} {
		a, b := exampleSet(), exampleSet()
		b.Symbols.Intern("another number for every symbol")
		want := NewSet()
		want.Append(a)
		into := copyThrough(t, a, copy)
		for i, from := range b.Tables() {
			to := into.Tables()[i]
			if err := copy(b, from, into, to); err != nil {
				t.Fatal(name, err)
			}
		}
		// Files hold row numbers as they are; appending sets renumbers them.
		want.Append(b)
		for i, table := range want.Tables() {
			n := a.Tables()[i].Len()
			table.refs(func(to string, rows []int32) {
				base, _ := a.Table(to)
				for k := range rows[n:] {
					rows[n+k] -= int32(base.Len())
				}
			})
		}
		if d := Difference(want, into); d != "" {
			t.Error(name, d)
		}
	}
}

func TestParquetOfManyRowGroups(t *testing.T) {
	s := NewSet()
	s.Scopes.Grow()
	key, levels := s.Symbols.Intern("thread"), []string{"INFO", "", "WARN"}
	for i := range 2*rowGroupRows + 5 {
		s.Logs.Grow()
		s.Logs.Time[i] = int64(i)
		s.Logs.SeverityText[i] = s.Symbols.Intern(levels[i%3])
		for k := range i % 3 {
			s.Logs.Attributes.Add(key, IntValue(int64(i+k)))
		}
	}
	out := parquetFile(t, s, &s.Logs.Rows)
	r, err := file.NewParquetReader(bytes.NewReader(out))
	if err != nil {
		t.Fatal(err)
	}
	var rows []int64
	for g := range r.NumRowGroups() {
		rows = append(rows, r.RowGroup(g).NumRows())
	}
	if want := []int64{rowGroupRows, rowGroupRows, 5}; !slices.Equal(rows, want) {
		t.Errorf("row groups have %v rows, not %v", rows, want)
	}
	into := NewSet()
	if err := readParquetFile(out, into, &into.Logs.Rows); err != nil {
		t.Fatal(err)
	}
	s.Scopes.truncate(0)
	if d := Difference(s, into); d != "" {
		t.Error(d)
	}
}

// TestParquetOfManyNames has more names than a dictionary is worth.
func TestParquetOfManyNames(t *testing.T) {
	s := NewSet()
	s.Scopes.Grow()
	for i := range 40_000 {
		s.Spans.Grow()
		s.Spans.Name[i] = s.Symbols.Intern(fmt.Sprintf("GET /users/%030d", i))
		if i%2 == 0 {
			s.Spans.Model[i] = s.Spans.Name[i]
		}
		s.Spans.Attributes.Add(s.Spans.Name[i], BoolValue(true))
	}
	if d := Difference(s, copyThrough(t, s, throughParquet(memory.NewGoAllocator()))); d != "" {
		t.Error(d)
	}
}

func TestParquetStatisticsAreTrue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := NewSet()
		var names []string
		for _, name := range rapid.SliceOfN(awkwardText(), 1, 6).Draw(t, "names") {
			i := s.Requests.Grow()
			s.Requests.Name[i], s.Requests.Route[i] = s.Symbols.Intern(name), s.Symbols.Intern(name)
			names = append(names, escapeText(name))
		}
		var out bytes.Buffer
		if err := WriteParquet(&out, s, &s.Requests.Rows); err != nil {
			t.Fatal(err)
		}
		r, err := file.NewParquetReader(bytes.NewReader(out.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		number := r.MetaData().RowGroups[0].Columns[r.MetaData().Schema.ColumnIndexByName("duration_ns")].MetaData.Statistics
		if number.IsSetDistinctCount() || !number.IsSetMinValue() || !number.IsSetMaxValue() {
			t.Fatal("a column of numbers has a distinct count that nobody counted, or no bounds")
		}
		for _, c := range []struct {
			column   string
			nullable bool
		}{{"name", false}, {"route", true}} {
			chunk, err := r.RowGroup(0).MetaData().ColumnChunk(r.MetaData().Schema.ColumnIndexByName(c.column))
			if err != nil {
				t.Fatal(err)
			}
			stats, err := chunk.Statistics()
			if err != nil {
				t.Fatal(err)
			}
			values := slices.DeleteFunc(slices.Clone(names), func(v string) bool { return c.nullable && v == "" })
			if int(stats.NullCount()) != len(names)-len(values) {
				t.Fatalf("%s: %d absent values of %q", c.column, stats.NullCount(), names)
			}
			if len(values) == 0 {
				continue
			}
			if least, greatest := string(stats.EncodeMin()), string(stats.EncodeMax()); least != slices.Min(values) || greatest != slices.Max(values) {
				t.Fatalf("%s: %q to %q are the bounds of %q", c.column, least, greatest, values)
			}
			slices.Sort(values)
			if n := len(slices.Compact(values)); int(stats.DistinctCount()) != n {
				t.Fatalf("%s: %d distinct values, not %d", c.column, stats.DistinctCount(), n)
			}
		}
	})
}

// under returns the rows of a table as they are under another schema.
func under(t *Rows, change func(s *Schema)) *Rows {
	s := *t.schema
	s.Fields = slices.Clone(s.Fields)
	change(&s)
	return &Rows{schema: &s, cols: t.cols}
}

// fieldOf returns a field of a schema by its name.
func fieldOf(s *Schema, name string) *Field {
	return &s.Fields[slices.IndexFunc(s.Fields, func(f Field) bool { return f.Name == name })]
}

func TestParquetRefusesWhatItDoesNotKnow(t *testing.T) {
	s := exampleSet()
	good := parquetFile(t, s, &s.Spans.Rows)
	changed := func(change func(s *Schema)) []byte { return parquetFile(t, s, under(&s.Spans.Rows, change)) }
	for name, c := range map[string]struct {
		file []byte
		says string
	}{
		"empty":        {nil, "cut short or no Parquet file"},
		"cut":          {good[:len(good)-1], "does not end in PAR1"},
		"text":         {[]byte("a log line that is no Parquet file\n"), "does not end in PAR1"},
		"lying length": {append(append(bytes.Clone(good[:len(good)-8]), 0xff, 0xff, 0xff, 0x7f), parquetMagic...), "metadata of 2147483647 bytes"},
		"other table":  {parquetFile(t, s, &s.Logs.Rows), "holds the table logs, not spans"},
		"other version": {bytes.Replace(good, fmt.Appendf(nil, "tailpath.version\x18\x01%d", Format), []byte("tailpath.version\x18\x019"), 1),
			fmt.Sprintf("format version 9 and this tailpath reads version %d", Format)},
		"foreign":       {bytes.Replace(good, []byte(tableKey), []byte("someone.tabled"), 1), "not written by tailpath"},
		"renamed":       {changed(func(s *Schema) { s.Fields[2].Name = "parent" }), "column 2 of the file is parent (FIXED_LEN_BYTE_ARRAY) and that of the table spans is parent_id"},
		"other type":    {changed(func(s *Schema) { fieldOf(s, "flags").Type = Timestamp }), "of the file is flags (INT64)"},
		"one less":      {changed(func(s *Schema) { s.Fields = s.Fields[:4] }), "has the schema"},
		"optional kind": {changed(func(s *Schema) { s.Fields[3].Nullable = true }), "column 3 of the file is name"},
		"other words":   {changed(func(s *Schema) { fieldOf(s, "status").Names = []string{"unset", "ok", "error"} }), "is none of [UNSET OK ERROR]"},
	} {
		t.Run(name, func(t *testing.T) {
			into := NewSet()
			err := readParquetFile(c.file, into, &into.Spans.Rows)
			if err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "x.parquet") {
				t.Errorf("error is %v, which does not say %q", err, c.says)
			}
			checkColumns(t, into, 0)
		})
	}
}

// checkColumns fails if the columns of a table do not have rows rows each.
func checkColumns(t testing.TB, s *Set, rows int) {
	t.Helper()
	for _, table := range s.Tables() {
		for k, c := range table.cols {
			if n := c.size(); n != rows && n != 0 {
				t.Fatalf("%s.%s has %d rows, not %d", table.schema.Name, table.schema.Fields[k].Name, c.size(), rows)
			}
		}
	}
}

// readDamaged reads a damaged file behind one row that is there, and fails unless
// the table is whole afterwards.
func readDamaged(t testing.TB, b []byte) error {
	s := NewSet()
	s.Logs.Grow()
	s.Logs.Attributes.Add(s.Symbols.Intern("kept"), StringValue("text"))
	err := readParquetFile(b, s, &s.Logs.Rows)
	rows := s.Logs.Len()
	if err != nil && rows != 1 {
		t.Fatalf("%d rows after the error %v", rows, err)
	}
	checkColumns(t, s, rows)
	s.Logs.Attributes.growRow()
	s.Logs.Attributes.Add(0, StringValue("more"))
	if v, ok := s.Logs.Attributes.Get(0, 1); !ok || string(v.Text) != "text" {
		t.Fatalf("the row that was there has changed after the error %v", err)
	}
	if v, ok := s.Logs.Attributes.Get(s.Logs.Attributes.Len()-1, 0); !ok || string(v.Text) != "more" {
		t.Fatalf("attributes are broken after the error %v", err)
	}
	return err
}

func TestDamagedParquetNeverPanics(t *testing.T) {
	s := exampleSet()
	good := parquetFile(t, s, &s.Logs.Rows)
	if err := readDamaged(t, good); err != nil {
		t.Fatal(err)
	}
	refused, tried := 0, 0
	for i := 0; i < len(good); i += 3 {
		mask := []byte{1, 0x80, 0xff}[i/3%3]
		good[i] ^= mask
		if readDamaged(t, good) != nil {
			refused++
		}
		good[i] ^= mask
		tried++
		if i%13 == 0 && readDamaged(t, good[:i]) == nil {
			t.Errorf("a file cut at %d of %d bytes is read", i, len(good))
		}
	}
	t.Logf("%d of %d damaged files are refused", refused, tried)
	if refused < tried/5 {
		t.Errorf("only %d of %d damaged files are refused", refused, tried)
	}
}

// FuzzReadParquet is best run with -fuzzminimizetime 0s: columns are read side by
// side, which makes coverage vary, and an input that varies is minimised for ever.
func FuzzReadParquet(f *testing.F) {
	s := exampleSet()
	f.Add(parquetFile(f, s, &s.Logs.Rows))
	f.Add(parquetFile(f, NewSet(), &NewSet().Logs.Rows))
	f.Fuzz(func(t *testing.T, b []byte) { _ = readDamaged(t, b) })
}

func TestParquetReportsTheWriterThatFails(t *testing.T) {
	s := exampleSet()
	full := errors.New("no space left")
	size := len(parquetFile(t, s, &s.Spans.Rows))
	for n := 0; n < size; n += 211 {
		if err := WriteParquet(&failingWriter{room: n, err: full}, s, &s.Spans.Rows); !errors.Is(err, full) {
			t.Fatalf("a writer with room for %d of %d bytes: error is %v", n, size, err)
		}
	}
}
