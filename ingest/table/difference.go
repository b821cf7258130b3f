package table

import (
	"bytes"
	"fmt"
	"math"
)

// Difference describes the first difference between two sets, or returns "" if
// there is none. Sets are equal when they have the same rows in the same order;
// how their symbols are numbered does not matter. Floating-point numbers are equal
// when their bits are, and any NaN of a nullable column is absence.
func Difference(a, b *Set) string {
	theirs := b.Tables()
	for i, t := range a.Tables() {
		u := theirs[i]
		if t.Len() != u.Len() {
			return fmt.Sprintf("table %s: %d rows against %d", t.schema.Name, t.Len(), u.Len())
		}
		for k, f := range t.schema.Fields {
			for row := range t.Len() {
				x, y := cell(a, t.cols[k], f, row), cell(b, u.cols[k], f, row)
				if x != y {
					return fmt.Sprintf("table %s: row %d: column %s: %s against %s", t.schema.Name, row, f.Name, x, y)
				}
			}
		}
	}
	return ""
}

// cell spells the value of one row of a column, so that different values are
// spelled differently.
func cell(s *Set, c column, f Field, row int) string {
	switch vals := c.slice().(type) {
	case *[]int64:
		return fmt.Sprint((*vals)[row])
	case *[]int32:
		return fmt.Sprint((*vals)[row])
	case *[]bool:
		return fmt.Sprint((*vals)[row])
	case *[]uint8:
		return fmt.Sprint((*vals)[row])
	case *[]float64:
		v := (*vals)[row]
		if f.Nullable && v != v {
			return "absent"
		}
		return fmt.Sprintf("%v (bits %x)", v, math.Float64bits(v))
	case *[]Sym:
		return fmt.Sprintf("%q", s.Symbols.Text((*vals)[row]))
	case *[]string:
		return fmt.Sprintf("%q", (*vals)[row])
	case *[]TraceID:
		return fmt.Sprintf("%x", (*vals)[row])
	case *[]SpanID:
		return fmt.Sprintf("%x", (*vals)[row])
	case *Attrs:
		var out bytes.Buffer
		for j := range vals.Count(row) {
			at := vals.At(row, j)
			fmt.Fprintf(&out, "[%q %s %x %q]", s.Symbols.Text(at.Key), ValueTypeNames[at.Value.Type], at.Value.Bits, at.Value.Text)
		}
		return out.String()
	}
	panic(fmt.Sprintf("column %s: unknown type %d", f.Name, f.Type))
}
