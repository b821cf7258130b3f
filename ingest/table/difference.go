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
	same := sameSymbols(a.Symbols, b.Symbols)
	theirs := b.Tables()
	for i, t := range a.Tables() {
		u := theirs[i]
		if t.Len() != u.Len() {
			return fmt.Sprintf("table %s: %d rows against %d", t.schema.Name, t.Len(), u.Len())
		}
		for k, f := range t.schema.Fields {
			if row := differs(t.cols[k], u.cols[k], f, same); row >= 0 {
				return fmt.Sprintf("table %s: row %d: column %s: %s against %s", t.schema.Name, row, f.Name,
					cell(a, t.cols[k], f, row), cell(b, u.cols[k], f, row))
			}
		}
	}
	return ""
}

// sameSymbols returns a function that says whether symbols of two sets stand for the
// same string.
func sameSymbols(a, b *Symbols) func(x, y Sym) bool {
	const unknown = Sym(1) << symBits
	theirs := make([]Sym, a.Len())
	for id, text := range a.text {
		var ok bool
		if theirs[id], ok = b.Lookup(text); !ok {
			theirs[id] = unknown
		}
	}
	return func(x, y Sym) bool { return theirs[x] == y }
}

// differs returns the first row in which two columns differ, or -1. They must be of
// the same length.
func differs(a, b column, f Field, same func(x, y Sym) bool) int {
	switch x := a.slice().(type) {
	case *[]int64:
		return mismatch(*x, *b.slice().(*[]int64))
	case *[]int32:
		return mismatch(*x, *b.slice().(*[]int32))
	case *[]bool:
		return mismatch(*x, *b.slice().(*[]bool))
	case *[]uint8:
		return mismatch(*x, *b.slice().(*[]uint8))
	case *[]string:
		return mismatch(*x, *b.slice().(*[]string))
	case *[]TraceID:
		return mismatch(*x, *b.slice().(*[]TraceID))
	case *[]SpanID:
		return mismatch(*x, *b.slice().(*[]SpanID))
	case *[]float64:
		for i, v := range *x {
			w := (*b.slice().(*[]float64))[i]
			if math.Float64bits(v) != math.Float64bits(w) && !(f.Nullable && v != v && w != w) {
				return i
			}
		}
		return -1
	case *[]Sym:
		for i, v := range *x {
			if !same(v, (*b.slice().(*[]Sym))[i]) {
				return i
			}
		}
		return -1
	case *Attrs:
		return x.differs(b.slice().(*Attrs), same)
	}
	panic(fmt.Sprintf("column %s: unknown type %d", f.Name, f.Type))
}

func mismatch[T comparable](a, b []T) int {
	for i, v := range a {
		if v != b[i] {
			return i
		}
	}
	return -1
}

func (a *Attrs) differs(b *Attrs, same func(x, y Sym) bool) int {
	for i := range a.ends {
		lo, hi := a.span(i)
		from, to := b.span(i)
		if hi-lo != to-from {
			return i
		}
		for k := range hi - lo {
			x, y := a.item(lo+k), b.item(from+k)
			if !same(x.Key, y.Key) || x.Value.Type != y.Value.Type || x.Value.Bits != y.Value.Bits || !bytes.Equal(x.Value.Text, y.Value.Text) {
				return i
			}
		}
	}
	return -1
}

// cell spells the value of one row of a column, different values differently.
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
