package table

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestOthersReadOurFiles lets PyArrow, pandas and DuckDB read every table in both
// formats and compares every cell. TAILPATH_PYTHON names a python that has them.
func TestOthersReadOurFiles(t *testing.T) {
	python := os.Getenv("TAILPATH_PYTHON")
	if python == "" {
		t.Skip("TAILPATH_PYTHON does not name a python with pyarrow, pandas and duckdb")
	}
	for seed, rows := range []int{0, 1, 40} {
		dir := filepath.Join(t.TempDir(), "out")
		s := foreignSet(uint64(seed), rows)
		if err := WriteDir(dir, s); err != nil {
			t.Fatal(err)
		}
		expected := map[string]any{}
		for _, table := range s.Tables() {
			f, err := os.Create(filepath.Join(dir, table.schema.Name+".arrows"))
			if err != nil {
				t.Fatal(err)
			}
			if err := WriteIPC(f, s, table); err != nil {
				t.Fatal(err)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
			expected[table.schema.Name] = expectation(s, table)
		}
		text, err := json.Marshal(expected)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "expected.json"), text, 0o666); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(python, filepath.Join("testdata", "check_files.py"), dir).CombinedOutput()
		t.Logf("%s", out)
		if err != nil {
			t.Error(err)
		}
	}
}

// foreignSet makes a set whose times are ones that every reader can hold.
func foreignSet(seed uint64, rows int) *Set {
	f := &filler{rnd: rand.New(rand.NewPCG(seed, 3)), words: []string{"", "queue", "caf\xe9", "日本", "a|b", "x\x00y", "gen_ai.request.model"}}
	s := NewSet()
	for _, table := range s.Tables() {
		f.fill(s, table, rows)
		for k, field := range table.schema.Fields {
			if field.Type != Timestamp {
				continue
			}
			for i, v := range *table.cols[k].slice().(*[]int64) {
				if v == math.MaxInt64 || v == math.MinInt64 && !field.Nullable {
					(*table.cols[k].slice().(*[]int64))[i] = 1764428645_123456789 + int64(i)
				}
			}
		}
	}
	return canonical(s)
}

// expectation spells a table as check_files.py compares it.
func expectation(s *Set, t *Rows) map[string]any {
	columns := [][2]string{}
	for _, f := range t.schema.Fields {
		kind := map[Type]string{
			Timestamp: "timestamp", Int64: "number", Int32: "number", Float64: "double", Bool: "bool",
			Enum: "text", Dict: "text", Text: "text", ID16: "id", ID8: "id", Map: "map",
		}[f.Type]
		columns = append(columns, [2]string{f.Name, kind})
	}
	rows := [][]any{}
	for i := range t.Len() {
		row := []any{}
		for k, f := range t.schema.Fields {
			if f.Nullable && absence(t.cols[k])(i) {
				row = append(row, nil)
			} else {
				row = append(row, foreignCell(s, f, t.cols[k], i))
			}
		}
		rows = append(rows, row)
	}
	return map[string]any{"columns": columns, "rows": rows}
}

func foreignCell(s *Set, f Field, c column, i int) any {
	switch vals := c.slice().(type) {
	case *[]int64:
		return (*vals)[i]
	case *[]int32:
		return (*vals)[i]
	case *[]bool:
		return (*vals)[i]
	case *[]float64:
		return foreignDouble((*vals)[i])
	case *[]uint8:
		return f.Names[(*vals)[i]]
	case *[]Sym:
		return escapeText(s.Symbols.Text((*vals)[i]))
	case *[]string:
		return escapeText((*vals)[i])
	case *[]TraceID:
		return fmt.Sprintf("%x", (*vals)[i])
	case *[]SpanID:
		return fmt.Sprintf("%x", (*vals)[i])
	case *Attrs:
		list := [][]any{}
		for j := range vals.Count(i) {
			at := vals.At(i, j)
			entry := []any{escapeText(s.Symbols.Text(at.Key)), ValueTypeNames[at.Value.Type], nil, nil, nil}
			switch at.Value.Type {
			case ValueString, ValueBytes, ValueArray, ValueKvlist:
				entry[2] = spellValue(at.Value.Type, at.Value.Text)
			case ValueInt, ValueBool:
				entry[3] = at.Value.Int()
			case ValueDouble:
				entry[4] = foreignDouble(at.Value.Double())
			}
			list = append(list, entry)
		}
		return list
	}
	panic("unknown column")
}

func foreignDouble(v float64) string {
	if math.IsNaN(v) {
		return "nan"
	}
	return fmt.Sprintf("%016x", math.Float64bits(v))
}
